"""Agents as players: ours in the worker's own process, servers where they are, all others in a process of their own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from joute.agents.source import Source, find_language
from joute.arena.players.external import ExternalPlayer
from joute.arena.players.isolation import Isolation
from joute.arena.players.sandbox import check_sandbox
from joute.match.player import LocalPlayer, Player


def make_player(
    source: Source, name: str, game: str, isolation: Isolation, *, hidden_paths: Sequence[Path] = ()
) -> Player:
    """The player for an agent; `game` is the spec of the game it will play.

    An agent that is not ours runs in the folder of its source. In the sandbox it can read that folder, but neither
    `hidden_paths`, other agents' files that may lie there too, nor anything else of the user's. JouteError if it
    shall be jailed and cannot be.
    """
    if source.kind == "built-in":
        return LocalPlayer(source.text, name)
    player_type = _player_type(source, game)
    if source.kind == "remote":
        return player_type(source.named, name, start_s=isolation.start_s, stall_s=isolation.stall_s)
    if isolation.sandbox:
        check_sandbox()
    return player_type(
        # -P: a file `random.py` beside the agent must not replace Python's own for Joute.
        source.command or (sys.executable, "-P", "-m", "joute.protocol.ugi_engine", game, source.text),
        name,
        isolation,
        folder=source.folder,
        readable_paths=_readable_paths(source),
        hidden_paths=[path for path in hidden_paths if path not in source.files],
    )


def _player_type(source: Source, game: str) -> Callable[..., Player]:
    """The class of an agent's player; SpecError if it cannot play the game."""
    return find_language(source.language).player_type(source, game) if source.language else ExternalPlayer


def check_players(sources: Sequence[Source], game: str, isolation: Isolation) -> None:
    """JouteError if one of these agents could not be a player: where it shall be jailed, or plays other games."""
    if any(level_of(source, isolation) == "sandbox" for source in sources):
        check_sandbox()
    for source in sources:
        _player_type(source, game)


def level_of(source: Source, isolation: Isolation) -> str:
    """How far an agent is kept apart, as its player states it."""
    return {"built-in": "worker", "remote": "remote"}.get(source.kind, isolation.level)


def _readable_paths(source: Source) -> list[Path]:
    """What an agent sees of the disk in the sandbox: its folder, those of its files; in a crowd the files alone."""
    files = [*source.files, *map(Path, source.command[:1])]
    own = [file if is_crowd(file.parent) else file.parent for file in files]
    return own if is_crowd(source.folder) else [source.folder, *own]


def is_crowd(folder: Path) -> bool:
    """Whether a folder holds things of all kinds, and of other people."""
    named = {Path(path) for path in ("/", "/home", "/root", "/tmp", "/var/tmp", os.path.expanduser("~"))}
    return folder in named or folder.parent == Path("/home")
