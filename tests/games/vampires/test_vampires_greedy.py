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


def test_greedy_takes_a_house_for_sure_as_the_rules_have_it() -> None:
    """Equal humans are converted by the official rules, and fight by those of one of the students' servers."""
    text = "3x7/3v0.1+3w6.1+3h1.1+2h0.2"
    moves = {
        rules: str(agent("vampires-greedy", game="vampires").choose(new(f"vampires:rules={rules}", text), Clock()))
        for rules in ("official", "text-strict")
    }
    assert set(moves.values()) == {"0.1-1.1x3"}
    succo = new("vampires:rules=twilight-succo", f"{text}/1")
    assert str(agent("vampires-greedy", game="vampires").choose(succo, Clock())) == "0.1-0.2x3"
