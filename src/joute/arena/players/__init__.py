"""Players of a tournament: the referee's side of every agent (players.py makes them).

A built-in agent runs in the worker process (`match.player.LocalPlayer`). Every other local agent runs in its own
process. external.py speaks UGI to it through process.py, unless its protocol brings another player class (base class in
program.py). process.py starts one supervisor
(supervise.py) per agent and game; the supervisor starts the agent, enforces its limits and kills it with all its
descendants. isolation.py holds the limits, sandbox.py builds the bubblewrap command, jail_door.py passes a listening
socket out of the sandbox. languages.py lists the protocols; sources.py sends agents' sources to workers as JSON.
"""

from joute.moved import names_of

__getattr__ = names_of("joute.arena.players.players")  # 0.1 had a module of this name
