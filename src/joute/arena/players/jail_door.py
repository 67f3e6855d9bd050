"""Opens a port inside a jail that has no network, hands it out, and becomes the program that connects to it.

    python -I -S jail_door.py CHANNEL HOST COMMAND…

CHANNEL is the file descriptor of a Unix socket; the listening socket goes over it. A socket belongs to the network that
it was made in, whoever holds it: who stands outside can accept the program's connection, and the program can reach
nobody else. The command gets HOST and the port as its last words. This file is run, not imported: it uses nothing of
Joute.
"""

from __future__ import annotations

import os
import socket
import sys


def main() -> None:
    """Read the command line, open the door, become the program."""
    channel, host, *command = sys.argv[1:]
    listener = socket.create_server((host, 0), backlog=1)
    port = listener.getsockname()[1]
    with socket.socket(fileno=int(channel)) as outside:
        socket.send_fds(outside, [b"!"], [listener.fileno()])
    try:
        os.execvp(command[0], [*command, host, str(port)])
    except OSError as error:
        sys.exit(f"{command[0]} cannot be started: {error.strerror}")


if __name__ == "__main__":
    main()
