"""Opens a listening socket inside a sandbox without network, passes it outside, and executes the agent's program.

    python -I -S jail_door.py CHANNEL HOST COMMAND…

CHANNEL is the file descriptor of a Unix socket, over which the listening socket is sent. A socket belongs to the
network namespace in which it was created, so that the process outside can accept the program's connection although the
program cannot reach any other address. The command gets HOST and the port as its last arguments. This file is executed,
not imported, and does not import Joute.
"""

from __future__ import annotations

import os
import socket
import sys


def main() -> None:
    """Create the socket, send it to the channel, and replace this process by the program."""
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
