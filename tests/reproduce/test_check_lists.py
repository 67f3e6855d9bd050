"""The check lists of the papers: each names every experiment of its paper, and agents that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from joute import agent
from joute.agents import agent_types
from joute.reproduce.experiments import find_paper, paper_names

FOLDER = Path(__file__).parents[2] / "docs" / "papers"


@pytest.mark.parametrize("name", paper_names())
def test_a_check_list_links_to_every_experiment(name: str) -> None:
    linked = re.findall(rf"\(\.\./reproduction\.md#{name}-([\w-]+)\)", (FOLDER / f"{name}.md").read_text())
    assert set(linked) == {experiment.name for experiment in find_paper(name).experiments}


@pytest.mark.parametrize("name", paper_names())
def test_the_agents_of_a_check_list_exist(name: str) -> None:
    known = {kind.name for kind in agent_types(name)}
    codes = re.findall(r"`([^`\s]+)`", (FOLDER / f"{name}.md").read_text())
    specs = [code for code in codes if code.partition(":")[0] in known]
    assert len(specs) >= 3
    for spec in specs:
        assert agent(spec, game=name)


@pytest.mark.parametrize("name", paper_names())
def test_a_check_list_names_what_is_not_reproduced(name: str) -> None:
    text = (FOLDER / f"{name}.md").read_text()
    assert "## Not reproduced" in text
    assert find_paper(name).omitted
