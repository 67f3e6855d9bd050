"""The example game of the demo, of help texts and error messages, and of measured numbers.

No other game-independent module names a game: tests/test_layers.py enforces this.
"""

GAME = "connect4"
TITLE = "Connect Four"
