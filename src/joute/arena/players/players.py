"""Agents as players: ours in the worker's own process, servers where they are, all others in a process of their own."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from joute.agents.loading import Source
from joute.arena.players.external import ExternalPlayer
from joute.arena.players.isolation import Isolation
from joute.arena.players.program import ProgramPlayer
from joute.arena.players.sandbox import check_sandbox
from joute.errors import SpecError
from joute.match.player import LocalPlayer, Player
from joute.protocol.course import find_file_course, find_server_course
from joute.spec import parse_spec


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
    if source.kind == "remote":
        from joute.protocol.course_player import CoursePlayer  # here: HTTP takes its time

        course = find_server_course(parse_spec(game)[0])
        return CoursePlayer(source.url, name, course, start_s=isolation.start_s, stall_s=isolation.stall_s)
    if source.is_of_course:
        find_file_course(parse_spec(game)[0])
    if isolation.sandbox:
        check_sandbox()
    return _language(source, game)(
        # -P: a file `random.py` beside the agent must not replace Python's own for Joute.
        source.command or (sys.executable, "-P", "-m", "joute.protocol.ugi_engine", game, source.text),
        name,
        isolation,
        folder=source.folder,
        readable_paths=_readable_paths(source),
        hidden_paths=[path for path in hidden_paths if path not in source.files],
    )


def _language(source: Source, game: str) -> Callable[..., ProgramPlayer]:
    """The player that speaks what a program does; SpecError if it cannot play the game."""
    language, _, name = source.language.partition("-")
    if language == "tcp":
        return _tcp_player(game)
    if language != "qtp":
        return ExternalPlayer
    from joute.games.quoridor.notation import NOTATIONS, find_notation
    from joute.games.quoridor.qtp.player import QtpPlayer  # here: few programs are of Quoridor
    from joute.games.quoridor.state import Quoridor

    if (played := parse_spec(game)[0]) != Quoridor.game:
        raise SpecError(f"programs that speak QTP play {Quoridor.game}, not {played}")
    return functools.partial(QtpPlayer, notation=find_notation(name or next(iter(NOTATIONS))))


def _tcp_player(game: str) -> Callable[..., ProgramPlayer]:
    from joute.games.vampires.state import Vampires
    from joute.games.vampires.tcp.player import TcpPlayer  # here: few programs are of Vampires

    if (played := parse_spec(game)[0]) != Vampires.game:
        raise SpecError(f"programs that are called over TCP play {Vampires.game}, not {played}")
    return TcpPlayer


def check_players(sources: Sequence[Source], game: str, isolation: Isolation) -> None:
    """JouteError if one of these agents could not be a player: where it shall be jailed, or is of a course."""
    if any(level_of(source, isolation) == "sandbox" for source in sources):
        check_sandbox()
    if any(source.kind == "remote" for source in sources):
        find_server_course(parse_spec(game)[0])
    if any(source.is_of_course for source in sources):
        find_file_course(parse_spec(game)[0])
    for source in sources:
        _language(source, game)


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
