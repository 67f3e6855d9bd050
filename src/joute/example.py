"""The game that the demo plays, and that help texts, error sentences and measured numbers take as their example.

No other module that belongs to every game names one: tests/test_layers.py looks for it.
"""

GAME = "connect4"
TITLE = "Connect Four"
