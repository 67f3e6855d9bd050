"""The data that were fitted to a game's engine: balanced openings, win probabilities and levels, and which are stale.

Each file carries the fingerprint of the agents that it was fitted with (joute.match.signature.fingerprint). If an
engine has changed since, its fingerprint is another one, and the file is stale: it still works, but its numbers
describe the earlier engine. `joute refit` makes stale files anew.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from joute.agents.level_sets import has_levels, level_set, levels_of
from joute.agents.win_probability import calibration_file, calibration_of
from joute.arena.opening_sets import opening_set
from joute.errors import JouteError
from joute.fits.ladder import fitted_agents
from joute.games import new
from joute.match.signature import fingerprint
from joute.plugins import all_rooms

_FINGERPRINT = re.compile(r"^(?:# )?fingerprint\b\W+([0-9a-f]{8})\b", re.MULTILINE)
_COMMAND = re.compile(r"^# joute (.*?)(?::\s.*)?$", re.MULTILINE)


class Freshness(Enum):
    """How fitted data stand to the engine of today."""

    FRESH = "fresh"
    STALE = "stale"
    UNKNOWN = "unknown"
    MISSING = "missing"


@dataclass(frozen=True)
class Fitted:
    """A file of fitted data of a game."""

    game: str
    #: ``openings``, ``win probabilities`` or ``levels``.
    kind: str
    path: Path
    #: The specs of the agents that it is fitted with.
    agents: tuple[str, ...]
    #: The words of the command that makes it anew, without ``joute``.
    command: tuple[str, ...]
    #: Other text on which the data depend, such as the win probabilities that levels use.
    also: str = ""

    @property
    def plays_at_once(self) -> bool:
        """Whether the command has `--jobs`: it plays games, and several at once give the same data."""
        return self.command[0] in ("calibrate", "levels")

    @property
    def kept(self) -> str:
        """The fingerprint in the file; empty if it has none."""
        match = _FINGERPRINT.search(self._text())
        return match[1] if match else ""

    @property
    def today(self) -> str:
        """The fingerprint of the agents of today."""
        return _fingerprint(self.game, self.agents, self.also)

    @property
    def freshness(self) -> Freshness:
        """Whether the file is of the agents of today."""
        if not self.path.is_file():
            return Freshness.MISSING
        if not self.kept:
            return Freshness.UNKNOWN
        return Freshness.FRESH if self.kept == self.today else Freshness.STALE

    def _text(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8")
        except OSError:
            return ""


@functools.cache
def _fingerprint(game: str, agents: tuple[str, ...], also: str) -> str:
    return fingerprint(game, agents, also=also)


def level_fingerprint(game: str, agents: tuple[str, ...]) -> str:
    """The fingerprint of levels: that of their agents, and of the win probabilities by which they choose moves."""
    return _fingerprint(game, agents, str(calibration_of(game)))


def fitted_data(game: str | None = None) -> Iterator[Fitted]:
    """The fitted data of all games, or of one, in the order in which they are made: each kind uses those before it."""
    for name in [game] if game else all_rooms():
        yield from _of_game(name)


def _of_game(name: str) -> Iterator[Fitted]:
    new(name)  # SpecError for an unknown game
    room = all_rooms().get(name)
    if room is None:
        return
    if room.openings and (file := opening_set(name).file) is not None:
        words = _command_in(file) or ("openings", name, "--count", "3000", "--seed", "1")
        yield Fitted(name, "openings", file, (opening_set(name).judge,), (*words, "--out", str(file)))
    if (calibration := calibration_file(name)) is not None:
        words = _command_in(calibration) or ("calibrate", name, "--seed", "1")
        known = calibration_of(name)
        fitted_with = (_agent_in(words) or known.agent,) if known else ()
        yield Fitted(name, "win probabilities", calibration, fitted_with, (*words, "--out", str(calibration)))
    if has_levels(name):
        file = level_set(name).file
        words = _command_in(file) or ("levels", name, "--seed", "1")
        try:
            agents = tuple(fitted_agents(levels_of(name)))
        except JouteError:  # the file is missing or damaged: the plan tells the agents
            agents = (*(stage.agent for stage in level_set(name).stages), level_set(name).full)
        command = (*words, "--fit", str(file))
        yield Fitted(name, "levels", file, agents, command, str(calibration_of(name)))


def _agent_in(words: tuple[str, ...]) -> str:
    """The agent that a command names; empty if it names none."""
    return words[words.index("--agent") + 1] if "--agent" in words[:-1] else ""


def _command_in(file: Path) -> tuple[str, ...]:
    """The words of the command in a file's header, without ``joute`` and the output file; none if it has none."""
    try:
        match = _COMMAND.search(file.read_text(encoding="utf-8"))
    except OSError:
        return ()
    return tuple(match[1].split()) if match else ()
