"""The greedy player of Vampires vs Werewolves where its way is barred."""

from __future__ import annotations

import pytest

from joute import agent, new
from joute.agents.clock import Clock


@pytest.mark.parametrize(
    "position",
    [
        "2x6/3v0.0+3w5.1+9h1.0+9h1.1+2h4.0",
        "1x3/3v0.0+9w1.0+2h2.0",
        "3x3/3v0.0+9w1.0+2h2.0",
        "3x1/3v0.0+9w0.1+2h0.2",
    ],
)
def test_greedy_keeps_to_the_grid_where_an_obstacle_at_the_edge_bars_its_way(position: str) -> None:
    state = new("vampires", position)
    assert state.is_legal(agent("vampires-greedy", game="vampires").choose(state, Clock()))


def test_greedy_goes_around_an_obstacle() -> None:
    state = new("vampires", "3x6/3v0.1+3w5.2+9h1.1+2h4.1")
    move = agent("vampires-greedy", game="vampires").choose(state, Clock())
    assert str(move) in ("0.1-1.0x3", "0.1-1.2x3")
