"""A tournament as it travels to a node: its plan, its openings, and copies of its agents' files.

The copies are those of a frozen tournament. Each travels with its SHA-256, which the node computes anew.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.agents.loading import Source
from joute.arena.plan import Plan
from joute.arena.players.players import check_players
from joute.arena.players.sources import source_as_data, source_from_data
from joute.arena.store.frozen import FrozenCopy, freeze, unpack
from joute.errors import JouteError
from joute.match.clock import TimeControl

_FOLDER = "joute-node-"


@dataclass(frozen=True)
class Shipment:
    """A plan with its openings and agents, as it travels to a node."""

    plan: Mapping[str, Any]
    sources: tuple[Mapping[str, Any], ...]
    openings: tuple[str, ...]
    #: The copies of the agents with files, by index, as rows of ``entries``.
    entries: Mapping[int, Mapping[str, Any]]
    keep_alive: bool


@dataclass(frozen=True)
class Unpacked:
    """A tournament as a node plays it."""

    plan: Plan
    sources: tuple[Source, ...]
    openings: tuple[str, ...]
    keep_alive: bool
    #: The folder of the agents, and files to hide from the agents of others.
    folder: Path
    private_files: tuple[Path, ...]


def packed(plan: Plan, sources: Sequence[Source], openings: tuple[str, ...], *, keep_alive: bool) -> Shipment:
    """The shipment of a tournament; SpecError if an agent's files cannot be copied completely."""
    entries, _ = freeze(sources, [entrant.name for entrant in plan.entrants])
    return Shipment(
        plan=plan.as_data(),
        sources=tuple(map(source_as_data, sources)),
        openings=openings,
        entries={index: entry.values() for index, entry in entries.items()},
        keep_alive=keep_alive,
    )


def unpacked(shipment: Shipment, clock_factor: float) -> Unpacked:
    """Unpack a shipment into a new folder; JouteError if it was damaged on the way or cannot be played here.

    The seconds of all clocks are multiplied by `clock_factor`.
    """
    plan = Plan.from_data(shipment.plan)
    sources = list(map(source_from_data, shipment.sources))
    folder = _new_folder()
    try:
        entries = {}
        for index, values in shipment.entries.items():
            entries[index] = FrozenCopy.from_values(values)
            if entries[index].sha256 != values["sha256"]:
                raise JouteError(f"the files of agent '{plan.entrants[index].name}' were damaged on the way")
        for index, source in unpack(entries, folder).items():
            sources[index] = source
        plan = dataclasses.replace(_with_clocks(plan, clock_factor), folder=str(folder))
        check_players([sources[index] for index in plan.playing], plan.game, plan.isolation)
        for index in plan.playing:
            _check_program(sources[index], plan.entrants[index].name)
    except BaseException:
        remove(folder)
        raise
    files = tuple(file for source in sources for file in source.files if file.is_relative_to(folder))
    return Unpacked(plan, tuple(sources), shipment.openings, shipment.keep_alive, folder, files)


def remove(folder: Path) -> None:
    """Remove the folder of a tournament that is played no more."""
    for below, _, _ in os.walk(folder):
        Path(below).chmod(0o700)  # the copies are read-only
    shutil.rmtree(folder, ignore_errors=True)


def _with_clocks(plan: Plan, factor: float) -> Plan:
    def scaled(text: str) -> str:
        return str(TimeControl.parse(text).scaled(factor)) if text and factor != 1 else text

    entrants = tuple(dataclasses.replace(entrant, clock=scaled(entrant.clock)) for entrant in plan.entrants)
    return dataclasses.replace(plan, clock=scaled(plan.clock), entrants=entrants)


def _check_program(source: Source, name: str) -> None:
    """JouteError if the program of an agent is not installed here; its interpreter does not travel with its files."""
    if source.command and shutil.which(source.command[0], path=None) is None:
        raise JouteError(f"the program {source.command[0]} of agent '{name}' is not installed there")


def _is_own_folder(path: Path) -> bool:
    """Whether a path in a folder for everybody is a folder of this user, and not a link of somebody else's."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def _new_folder() -> Path:
    """A new folder, named after this process. Those of processes that were killed are removed."""
    place = Path(tempfile.gettempdir())
    for left in place.glob(f"{_FOLDER}{os.getuid()}-*"):
        found = re.fullmatch(rf"{_FOLDER}\d+-(\d+)-\w+", left.name)
        if found and not Path(f"/proc/{found[1]}").exists() and _is_own_folder(left):
            remove(left)
    return Path(tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getuid()}-{os.getpid()}-", dir=place))
