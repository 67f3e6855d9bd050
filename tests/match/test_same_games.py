"""A game depends on its seed alone: neither on the games before it in the same process nor on the process.

A tournament that is killed plays its unfinished games again, in other workers and in another order.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from typing import Any

from joute.agents.registry import AgentType, CaveatWarning, agent_types
from joute.games.registry import game_names
from joute.match import play_game

# Cheap limits by counts, by the name of the parameter; the first one that an agent has is used.
LIMITS = {"nodes": 150, "iterations": 4, "depth": 1}
# Settings that save time.
CHEAP = {"memory_mb": 4, "level": 1}
PLIES = 8


def limited(agent_type: AgentType) -> str:
    """The spec of an agent with a small limit that does not depend on time."""
    names = [parameter.name for parameter in agent_type.described_parameters]
    settings = [f"{name}={value}" for name, value in LIMITS.items() if name in names][:1]
    settings += [f"{name}={value}" for name, value in CHEAP.items() if name in names]
    return agent_type.name + (f":{','.join(settings)}" if settings else "")


def played_games(*, backwards: bool) -> dict[str, Any]:
    """A short game of every agent of every game against itself, played in one process one after another."""
    jobs = [(game, limited(agent_type)) for game in game_names() for agent_type in agent_types(game)]
    games = {}
    for game, agent in reversed(jobs) if backwards else jobs:
        record = play_game(game, agent, agent, seed=len(agent), max_plies=PLIES)
        # All but the times.
        moves = [move[:2] + move[3:] for move in json.loads(json.dumps([each.as_data() for each in record.moves]))]
        games[f"{game} {agent}"] = [moves, record.reason.value, record.detail]
    return games


def test_games_with_limits_by_counts_do_not_depend_on_the_games_before_them() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaveatWarning)  # networks may be missing
        here = played_games(backwards=False)
    there = subprocess.run(
        [sys.executable, "-W", "ignore", __file__],
        env=os.environ | {"PYTHONHASHSEED": "29"},
        capture_output=True,
        check=True,
    )
    elsewhere = json.loads(there.stdout)  # without the toy games of the tests
    assert len(elsewhere) >= 80
    assert [name for name in elsewhere if here[name] != elsewhere[name]] == []


if __name__ == "__main__":
    print(json.dumps(played_games(backwards=True)))
