"""Targets of the fuzzer that are Divercité's: the recordings of its course's program, and the moves of its players."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from fuzz_target import Target, encoded
from seahorse_games import recording as recorded

from joute import new
from joute.arena.store.game_file import read_game_file
from joute.errors import JouteError
from joute.games.divercite.seahorse.state import move_text

START = new("divercite")


def recording(data: bytes, folder: Path) -> None:
    """A recording of a game."""
    path = folder / "game.json"
    path.write_bytes(data)
    list(read_game_file(path))


def action(data: bytes, _: Path) -> None:
    """The data of a player's action."""
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(data)
        with contextlib.suppress(JouteError):
            START.play(move_text(value))


_ACTIONS = ('{"piece": "RC", "position": [3, 4]}', '{"piece": "BR", "position": "4,3"}')

TARGETS = [
    Target(
        "divercite-action", action, encoded('{"piece": "RC", "position": [3, 4]}', '{"piece": "BR", "position": "4,3"}')
    ),
    Target(
        "divercite-recording",
        recording,
        lambda: [json.dumps(recorded(seed)).encode() for seed in (0, 1)],
        words=["steps", "final_summary", "players", "board", "env", "piece_type", "position", "step", "scores"],
    ),
]
