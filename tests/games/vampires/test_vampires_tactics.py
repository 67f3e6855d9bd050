"""Tactical positions of Vampires vs Werewolves: what is right there, and who plays it."""

from __future__ import annotations

from pathlib import Path

import pytest
from vampires_tactics import TACTICS, Tactic, solved

from joute import agent
from joute.agents import Analyst


@pytest.mark.parametrize("tactic", TACTICS, ids=lambda tactic: tactic.name)
def test_the_right_turn_of_a_tactic_is_worth_more_than_all_others(tactic: Tactic) -> None:
    judge = agent(f"alphabeta:generator={tactic.judge},nodes=100000", game="vampires")
    assert isinstance(judge, Analyst)
    analysis = judge.analyze(tactic.state, lines=len(tactic.state.moves(tactic.judge)))
    values: dict[bool, list[float]] = {True: [], False: []}
    for judged in analysis.moves:
        assert judged.value is not None
        values[tactic.is_right(judged.move)].append(judged.value)
    assert min(values[True]) > max(values[False]) + 0.1


TACTICS_AGENTS = ("langorou:nodes=50000", "langorou:version=corrected,nodes=50000", "vampires:nodes=50000")


@pytest.mark.slow
def test_the_page_tells_which_tactics_are_solved() -> None:
    columns = [solved(spec) for spec in TACTICS_AGENTS]
    rows = [
        f"| {tactic.name} | {' | '.join(f'{found[tactic.name]} of 16' for found in columns)} |" for tactic in TACTICS
    ]
    page = (Path(__file__).parents[3] / "docs" / "vampires.md").read_text()
    heading = "| tactic | " + " | ".join(f"`{spec}`" for spec in TACTICS_AGENTS) + " |"
    table = page.split(heading)[1].split("\n\n")[0] if heading in page else ""
    assert table.strip().splitlines()[1:] == rows, "docs/vampires.md should have:\n" + "\n".join([heading, *rows])
