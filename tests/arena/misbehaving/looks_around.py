"""Reads a neighbour's file, writes where it should not, and calls out; then plays, and tells its author."""

import os
import socket
import sys
from pathlib import Path

HERE = Path(__file__).parent


def try_to(what, action):
    try:
        action()
    except OSError as error:
        print(what, "failed:", error.strerror, file=sys.stderr)
    else:
        print(what, "worked", file=sys.stderr)


def call_out():
    socket.create_connection(("127.0.0.1", int((HERE / "port").read_text())), timeout=5).close()


def write_much():
    for number in range(100):  # each within the limit of a file
        with open(f"/tmp/much{number}", "wb") as file:
            file.write(bytes(8 << 20))


def look_around():
    try_to("reading a neighbour", (HERE.parent / "neighbour" / "secret").read_text)
    try_to("writing beside its folder", lambda: (HERE.parent / "written").write_text("x"))
    try_to("calling out", call_out)
    try_to("reaching another process", lambda: os.kill(int((HERE / "pid").read_text()), 0))
    print("secrets:", [name for name in os.environ if name == "CLASS_SECRET"], file=sys.stderr)


class Spy:
    def choose(self, state, clock):
        if state.ply < 2:
            look_around()
        return state.legal_moves[0]


class Burglar:
    """The same, and what only a jail may be asked to withstand."""

    def choose(self, state, clock):
        if state.ply < 2:
            look_around()
            try_to("reading its own folder", (HERE / "port").read_text)
            try_to("reading passwords", Path("/etc/shadow").read_text)
            try_to("writing to its own folder", lambda: (HERE / "written").write_text("x"))
            try_to("writing to the root", lambda: Path("/joute_written").write_text("x"))
            try_to("writing devices", lambda: Path("/dev/joute_written").write_text("x"))
            try_to("writing to /tmp", lambda: Path("/tmp/joute_written").write_text("x"))
            try_to("writing much", write_much)
        return state.legal_moves[0]
