"""Makes the player of an agent: built-in agents run in this process, all other local agents in their own process.

A built-in agent that reads a file of the user's, such as a network, counts as another agent: the file is a stranger's.

Agents on servers are called over the network.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from joute.agents.source import Source, find_language, program_options
from joute.arena.players.external import ExternalPlayer
from joute.arena.players.isolation import Isolation
from joute.arena.players.own_files import is_crowd
from joute.arena.players.sandbox import View, check_sandbox
from joute.match.player import LocalPlayer, Player
from joute.protocol.ugi import KEEP_AGENT


def make_player(
    source: Source,
    name: str,
    game: str,
    isolation: Isolation,
    *,
    hidden_paths: Sequence[Path] = (),
    keep_alive: bool = False,
) -> Player:
    """The player for an agent; `game` is the spec of the game it will play.

    An agent that is not built in runs in the folder of its source. In the sandbox it can read the system,
    Python, Joute, that folder and the folders of its files and program; of a shared folder such as /tmp it can read
    only its own files (`is_crowd`). `hidden_paths` are hidden from it, except its own files; in a tournament these are
    the files of all agents and the store. JouteError if the sandbox is asked for and not available. `keep_alive`: a
    program that speaks UGI, or a Python agent, keeps running between games, until `close`.
    """
    if source.runs_in_worker:
        return LocalPlayer(source.text, name)
    player_type = _player_type(source, game)
    if source.kind == "remote":
        return player_type(source.named, name, start_s=isolation.start_s, stall_s=isolation.stall_s)
    if isolation.sandbox:
        check_sandbox()
    player = player_type(
        source.command or (*engine_command(source, game), *([KEEP_AGENT] if keep_alive else [])),
        name,
        isolation,
        view=view_of(source, hidden_paths),
    )
    if isinstance(player, ExternalPlayer):
        player.keeps_process = keep_alive
        player.options = program_options(source.text)[1] if source.kind == "program" else {}
    return player


def engine_command(source: Source, game: str) -> tuple[str, ...]:
    """The command by which Joute serves an agent that is no program over UGI."""
    # -P: a file `random.py` beside the agent must not shadow Python's module when Joute imports it.
    return sys.executable, "-P", "-m", "joute.protocol.ugi_engine", game, source.text


def view_of(source: Source, hidden_paths: Sequence[Path] = ()) -> View:
    """The files that an agent can read in the sandbox."""
    return View(source.folder, _readable_paths(source), _hidden_from(source, hidden_paths))


def _player_type(source: Source, game: str) -> Callable[..., Player]:
    """The player class for an agent that is not built in; SpecError if its protocol does not support the game."""
    return find_language(source.language).player_type(source, game) if source.language else ExternalPlayer


def check_players(sources: Sequence[Source], game: str, isolation: Isolation) -> None:
    """JouteError if `make_player` would fail for one of these agents: no sandbox, or a protocol of other games."""
    if any(level_of(source, isolation) == "sandbox" for source in sources):
        check_sandbox()
    for source in sources:
        _player_type(source, game)


def level_of(source: Source, isolation: Isolation) -> str:
    """The isolation level of an agent: ``worker``, ``remote``, ``process`` or ``sandbox``."""
    return "worker" if source.runs_in_worker else "remote" if source.kind == "remote" else isolation.level


def _readable_paths(source: Source) -> list[Path]:
    """The paths that an agent can read in the sandbox: its folder and the folders of its files.

    Instead of a shared folder (`is_crowd`), only the files themselves are readable.
    """
    files = [*source.files, *map(Path, source.command[:1])]
    own = [file if is_crowd(file.parent) else file.parent for file in files]
    return own if is_crowd(source.folder) else [source.folder, *own]


def _hidden_from(source: Source, hidden_paths: Sequence[Path]) -> list[Path]:
    """The paths to hide from an agent: without its own files, and with the whole folder of a file below its folder."""
    hidden = []
    for path in hidden_paths:
        folder = path.parent
        is_below = source.folder in folder.parents and not any(file.is_relative_to(folder) for file in source.files)
        hidden += [] if path in source.files else [folder if is_below else path]
    return hidden
