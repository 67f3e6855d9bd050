"""Tuning by play: from any agent's parameters to a confirmed gain.

space.py describes the parameters and their ranges. spsa.py and trials.py propose settings and learn from the games
between them, each as a `Tuner` (tuner.py). schedule.py makes a tuning a schedule of the arena: its games, the values
that each side plays with, and the test that confirms the result. plan.py plans it, and tuning.py plays it. model.py
estimates from all games how strength depends on the parameters, page.py draws the report, and patch.py writes the
result into the source.
"""
