"""Targets of the fuzzer that are Vampires vs Werewolves': maps, and the frames of both ends of a connection."""

from __future__ import annotations

import contextlib
from pathlib import Path

from fuzz_target import Target, encoded, text_of

from joute import new
from joute.errors import IllegalMoveError, JouteError
from joute.games.vampires.maps import VampiresMap
from joute.games.vampires.state import Vampires
from joute.games.vampires.tcp.board import Board
from joute.games.vampires.tcp.frames import greeting, turn_of, update
from joute.games.vampires.tcp.wire import FROM_CLIENT, FROM_SERVER, Mov, Nme, Parser, Set, printable

RULES = ("vampires", "vampires:rules=twilight-langorou")


def xml_map(data: bytes, _: Path) -> None:
    """A map of the official server."""
    _check(VampiresMap.from_xml(data))


def text_map(data: bytes, _: Path) -> None:
    """A map in a spec."""
    _check(VampiresMap.from_text(text_of(data)))


def _check(found: VampiresMap) -> None:
    assert VampiresMap.from_text(found.text).text == found.text  # it orders the houses by cell
    assert VampiresMap.from_xml(found.xml().encode()) == found
    new(f"vampires:map={found.text}")


def from_client(data: bytes, _: Path) -> None:
    """Frames of a client: names and turns."""
    parser = Parser(FROM_CLIENT)
    parser.feed(data)
    while (frame := parser.next_frame()) is not None:
        if isinstance(frame, Nme):
            assert printable(frame.name).isprintable()
        for rules in RULES if isinstance(frame, Mov) else ():
            state = new(rules)
            assert isinstance(state, Vampires)
            assert isinstance(frame, Mov)
            with contextlib.suppress(IllegalMoveError):
                state.play(turn_of(state, frame))


def from_server(data: bytes, _: Path) -> None:
    """Frames of a server, as a client follows them."""
    parser = Parser(FROM_SERVER)
    parser.feed(data)
    board: Board | None = None
    while (frame := parser.next_frame()) is not None:
        if isinstance(frame, Set):
            board = Board(frame)
        elif board is not None:
            board.take(frame)
            if board.species:
                with contextlib.suppress(JouteError):
                    board.state()
                board.counts()


def _greetings() -> list[bytes]:
    found = []
    for rules in RULES:
        state = new(rules)
        assert isinstance(state, Vampires)
        frames = [*greeting(state, 0), update(state, [(0, 0), (4, 3)])]
        found.append(b"".join(frame.encode() for frame in frames))
    return found


def _turns() -> list[bytes]:
    one, three = Mov.giving([(4, 3, 4, 5, 3)]), Mov.giving([(4, 1, 1, 4, 2)] * 3)
    return [Nme(b"me").encode() + one.encode(), three.encode()]


def _maps() -> list[bytes]:
    state = new("vampires")
    assert isinstance(state, Vampires)
    return [VampiresMap.from_text(state.position).xml().encode()]


TARGETS = [
    Target("vampires-map-xml", xml_map, _maps, words=["Map", "Humans", "Vampires", "Werewolves", "Rows", "Columns"]),
    Target("vampires-map-text", text_map, encoded("2x3/4v0.0+4w2.1+2h1.0", "5x5/8v0.0+8w4.4+3h2.2+3h1.1")),
    Target("vampires-from-client", from_client, _turns),
    Target("vampires-from-server", from_server, _greetings),
]
