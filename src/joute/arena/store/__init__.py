"""The store of a tournament: one SQLite file with the plan, agents, openings, games and moves.

`Store` (store.py) reads and writes it; the driver is the only writer, others may read it meanwhile. schema.py has the
tables, database.py opens, locks and migrates files, rows.py converts games to rows and back. frozen.py keeps copies of
agents in the file, and growing.py changes the plan of a tournament that grows. game_file.py reads games from a store, a
text or a course's recording; importing.py writes such games to a new store. hosted.py stores the games of a server.
results.py gives games to schedules.
"""

from joute.arena.store.store import Store
from joute.moved import names_of

__all__ = ["Store"]

__getattr__ = names_of("joute.arena.store.store")  # 0.1 had a module of this name
