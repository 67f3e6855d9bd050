"""Targets of the fuzzer that are Quoridor's: QTP, its notations, the course's calls, and files of moves."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from fuzz_target import Target, encoded, text_of

from joute import new
from joute.errors import JouteError
from joute.games.quoridor.cache import QuoridorCache
from joute.games.quoridor.course import QuoridorCourse
from joute.games.quoridor.notation import NOTATIONS, find_notation
from joute.games.quoridor.qtp.engine import QtpEngine
from joute.games.quoridor.qtp.words import Reply
from joute.match.player import LocalPlayer
from joute.protocol.xml_rpc import _read

START = new("quoridor")


def qtp_engine(data: bytes, _: Path) -> None:
    """Commands that a program sends to an engine of Joute's."""
    for name in NOTATIONS:
        engine = QtpEngine("random", lambda: LocalPlayer("random", "random"), find_notation(name))
        replies: list[str] = []
        engine.serve(data.splitlines()[:40], replies.append)
        assert all(reply.startswith(("=", "?")) and reply.endswith("\n\n") for reply in replies)


def qtp_player(data: bytes, _: Path) -> None:
    """Lines that an engine sends to Joute."""
    for line in text_of(data).splitlines():
        reply = Reply.parse(line)
        for name in NOTATIONS if reply else ():
            with contextlib.suppress(JouteError):
                START.play(find_notation(name).read(reply.text if reply else ""))


def cache(data: bytes, folder: Path) -> None:
    """A file of moves, and the moves in it."""
    path = folder / "moves.txt"
    path.write_bytes(data)
    QuoridorCache.load(path).find(START)  # type: ignore[arg-type]


def course(data: bytes, _: Path) -> None:
    """A call of the course's program, and an answer to it."""
    values, _method = _read(data)
    percepts, player, step = (*values, None, None, None)[:3]
    found = QuoridorCourse()
    with contextlib.suppress(JouteError):
        found.move(START, percepts)
    state = found.state(percepts, player, step)
    found.move(state, [step, player])


def _call() -> list[bytes]:
    import xmlrpc.client

    found = QuoridorCourse()
    state = START.play("e2").play("e8").play("c3h")
    calls: list[tuple[Any, ...]] = [
        (found.percepts(each), found.number(each.to_move), each.ply + 1, 9.5) for each in (START, state)
    ]
    return [xmlrpc.client.dumps(call, "play", allow_none=True).encode() for call in (*calls, (["P", 1, 4], 0, 1, 1))]


TARGETS = [
    Target(
        "quoridor-qtp-engine",
        qtp_engine,
        encoded(
            "name\nboardsize 9\nwalls 10\nplaymove white E8\nplaywall black E5 horizontal\ngenmove white\nundo 1\n",
            "1 play w e8\nplay b d4v\ntime_settings 10 2 3\ntime_left white 3 0\nshowboard\nwinner\nquit\n",
        ),
    ),
    Target("quoridor-qtp-player", qtp_player, encoded("= e8\n\n", "? illegal move\n\n= E5 horizontal\n=1 d4v\n")),
    Target(
        "quoridor-moves-file",
        cache,
        lambda: [b"".join(Path(__file__).parents[3].joinpath("experiments/quoridor_cache.txt").open("rb"))[:1500]],
    ),
    Target("quoridor-course", course, _call),
]
