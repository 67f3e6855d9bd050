"""Shell completion (``joute --install-completion``): names of games and agents, and files that may replace them.

Where nothing fits, the shell completes file names itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import typer

# The variable by which the shell asks for completion, and those in which it passes the line.
_ASKED, _LINES = "_JOUTE_COMPLETE", ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")


def command_to_complete() -> str:
    """The command in the line that the shell completes, so that only this one is loaded; empty if there is none."""
    if _ASKED not in os.environ:
        return ""
    words = next((line.split() for name in _LINES if (line := os.environ.get(name))), [])
    return words[1] if len(words) > 1 else ""


def complete_game(incomplete: str) -> list[str]:
    """The names of games that begin so."""
    from joute.games.registry import game_names

    return _that_begin(incomplete, game_names())


def complete_agent(ctx: typer.Context, incomplete: str) -> list[str]:
    """The names of agents that begin so and play the game of the line, and Python files."""
    return _agents(ctx.params.get("game"), incomplete)


def complete_entrant(ctx: typer.Context, incomplete: str) -> list[str]:
    """A game or a TOML file as the first word, and then agents of that game."""
    words = ctx.params.get("words") or []
    return _agents(words[0], incomplete) if words else [*complete_game(incomplete), *_files(incomplete, ".toml")]


def _agents(game: str | None, incomplete: str) -> list[str]:
    from joute.agents.registry import agent_types
    from joute.errors import JouteError
    from joute.games.registry import game_names

    name = (game or "").partition(":")[0]
    try:
        played = agent_types(name if name in game_names() else None)
    except JouteError:  # the game does not load
        played = agent_types()
    return [*_that_begin(incomplete, (kind.name for kind in played)), *_files(incomplete, ".py")]


def _files(incomplete: str, suffix: str) -> list[str]:
    """The files of the current folder that begin so."""
    return sorted(_that_begin(incomplete, (path.name for path in Path.cwd().glob(f"*{suffix}"))))


def _that_begin(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
