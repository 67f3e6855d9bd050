"""Agents that say what they searched, which `joute.agent` does not promise."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import joute
from joute.agents import Agent, Analysis, Analyst, SearchInfo


@runtime_checkable
class SearchingAgent(Agent, Analyst, Protocol):
    info: SearchInfo | None


def searcher(spec: str, *, game: str, seed: int = 0) -> SearchingAgent:
    made = joute.agent(spec, game=game, seed=seed)
    assert isinstance(made, SearchingAgent)
    return made


def nodes_of(told: SearchInfo | Analysis | None) -> int:
    """Of a search that counted them."""
    assert told is not None
    assert told.nodes is not None
    return told.nodes
