"""Targets of the fuzzer that are Avalam's: the calls and answers of its course."""

from __future__ import annotations

import contextlib
import xmlrpc.client
from pathlib import Path
from typing import Any

from fuzz_target import Target

from joute import new
from joute.errors import JouteError
from joute.games.avalam.course import AvalamCourse
from joute.protocol.xml_rpc import _read

START = new("avalam")


def course(data: bytes, _: Path) -> None:
    """A call of the course's program, and an answer to it."""
    values, _method = _read(data)
    percepts, player, step = (*values, None, None, None)[:3]
    found = AvalamCourse()
    with contextlib.suppress(JouteError):
        found.move(START, percepts)
    state = found.state(percepts, player, step)
    found.move(state, [step, player])


def _calls() -> list[bytes]:
    found = AvalamCourse()
    state = START.play(START.legal_moves[0])
    calls: list[tuple[Any, ...]] = [
        (found.percepts(each), found.number(each.to_move), each.ply + 1, 9.5) for each in (START, state)
    ]
    return [xmlrpc.client.dumps(call, "play", allow_none=True).encode() for call in (*calls, ([0, 2, 0, 3], 1, 1, 1))]


TARGETS = [Target("avalam-course", course, _calls)]
