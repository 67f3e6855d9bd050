"""The worker processes that play the games of a tournament.

The driver owns a `Pool` (pool.py), which starts workers, sends them one job per game and replaces workers that fail.
A worker (worker.py) plays the game with the referee of `joute.match` and sends the record back through a socket; it
never writes the store. During a game it writes turns and moves to shared memory (black_box.py). If a worker dies or
hangs, blame.py reads them and decides whether an agent forfeits, the game is played again, drawn or given up.
cores.py chooses how many workers run and which CPU cores each one uses.
"""

from joute.moved import names_of

__getattr__ = names_of("joute.arena.pool.pool")  # 0.1 had a module of this name
