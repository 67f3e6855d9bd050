"""The first program in a sandbox: gives up the rest of its rights for good and executes the agent's program.

    python -I -S launch.py jail_door ID CHANNEL HOST COMMAND…

Bubblewrap has made the namespaces and mounts, as root if root plays, and has applied the filter of system calls to
itself and to this program. ID is the user and group id that the program gets if root plays, else 0.

CHANNEL and HOST are empty, or the file descriptor of a Unix socket and an address: then a listening socket is opened
and sent over the channel. A socket belongs to the network namespace in which it was created, so that the process
outside can accept the program's connection although the program cannot reach any other address. The command gets HOST
and the port as its last arguments. This module is executed inside the sandbox and imports its neighbours only.
"""

from __future__ import annotations

import os
import sys

import joute.arena.players.landlock as landlock
import joute.arena.players.privileges as privileges

#: The only places that a program in the jail can write to.
_WRITABLE = ("/tmp", "/dev/shm", "/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/pts", "/dev/ptmx")


def main() -> None:
    """Confine this process and replace it by the program."""
    identity, channel, host, *command = sys.argv[1:]
    try:
        if channel:
            command += [host, str(_open_port(int(channel), host))]
        privileges.drop_to(int(identity))
        landlock.restrict_files(_WRITABLE)
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]} cannot be started: {error.strerror}")


def _open_port(channel: int, host: str) -> int:
    """Open a listening socket, send it over the channel, and close both; returns the port."""
    import socket  # not needed by most agents

    listener = socket.create_server((host, 0), backlog=1)
    with listener, socket.socket(fileno=channel) as outside:
        socket.send_fds(outside, [b"!"], [listener.fileno()])
        return int(listener.getsockname()[1])
