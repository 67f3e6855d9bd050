"""Players of a tournament: the referee's side of every agent (players.py makes them).

A built-in agent runs in the worker process (`match.player.LocalPlayer`). Every other local agent runs in its own
process. external.py speaks UGI to it through process.py, unless its protocol brings another player class (base class in
program.py). process.py starts one supervisor
(supervise.py) per agent and game; the supervisor starts the agent, enforces its limits and kills it with all its
descendants. isolation.py holds the limits; cgroup.py lets the kernel enforce them, counting.py counts where it cannot.
sandbox.py builds the bubblewrap command, own_files.py says which files of a folder an agent sees, jail_door.py is the
first program inside. privileges.py, seccomp.py, landlock.py and mounts.py take rights away, by system calls in
kernel.py. launch.py runs supervisor and door without the rest of Joute. languages.py lists the protocols; sources.py
sends agents' sources to workers as JSON. docs/security.md states what all this promises.
"""

from joute.moved import names_of

__getattr__ = names_of("joute.arena.players.players")  # 0.1 had a module of this name
