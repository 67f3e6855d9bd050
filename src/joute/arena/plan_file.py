"""Reads the plan of a tournament from a TOML file; docs/arena.md describes the keys."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from joute.arena.entries import Entry, entry_of, in_folder
from joute.arena.plan import Plan, make_plan
from joute.arena.players.isolation import Isolation
from joute.arena.schedules.registry import count_alike, default_games
from joute.errors import SpecError
from joute.example import GAME
from joute.files import user_path
from joute.spec import Value, parameters_of, read_settings, value_text
from joute.toml_file import NUMBER, SWITCH, TEXT, WHOLE_NUMBER, Kind, check_table, read_table

# A clock may be text, or a number of seconds.
_CLOCK = Kind((str, int, float), "text")

_KEYS = {
    "game": TEXT,
    "schedule": TEXT,
    "games": WHOLE_NUMBER,
    "seed": WHOLE_NUMBER,
    "clock": _CLOCK,
    "openings": TEXT,
    "concurrency": WHOLE_NUMBER,
    "margin_s": NUMBER,
    "max_plies": WHOLE_NUMBER,
    "frozen": SWITCH,
    "db": TEXT,
    "agents": Kind((list,), "a list [[agents]], or a list of texts"),
}
# Keys that are fields of `Plan` under the same name and with the same type.
_PLAIN = ("schedule", "games", "seed", "concurrency", "margin_s", "max_plies", "frozen")
_AGENT_KEYS = {"agent": TEXT, "name": TEXT, "clock": _CLOCK}
_KINDS = {bool: SWITCH, int: WHOLE_NUMBER, float: NUMBER}
_ISOLATION = {parameter.name: _KINDS[type(parameter.default)] for parameter in parameters_of(Isolation)}


def read_toml(path: Path, changes: Mapping[str, Any] | None = None) -> tuple[Plan, Path]:
    """The plan in a file, and the path of its database: ``db``, or the file's name with the suffix ``.db``.

    `changes` are settings of the plan or of isolation that override the file. Paths in the file are relative to its
    folder. SpecError if the file is invalid.
    """
    data = read_table(path)
    folder = path.absolute().parent
    check_table(data, _KEYS | _ISOLATION, str(path))
    if "game" not in data:
        raise SpecError(f'{path} does not say which game is played, as in: game = "{GAME}"')
    changes = changes or {}
    settings: dict[str, Any] = {key: data[key] for key in _PLAIN if key in data}
    if "clock" in data:
        settings["clock"] = _clock(data["clock"])
    if "openings" in data:
        settings["openings"] = openings_text(data["openings"], folder)
    if "schedule" in changes and not count_alike(changes["schedule"], settings.get("schedule", Plan.schedule)):
        settings.pop("games", None)
    settings |= {key: value for key, value in changes.items() if key not in _ISOLATION}
    isolation = {key: value for key, value in {**data, **changes}.items() if key in _ISOLATION}
    settings["isolation"] = isolation_of(isolation, str(path))
    agents = [_agent(entry, f"{path}, agent {number}") for number, entry in enumerate(data.get("agents", []), start=1)]
    plan = make_plan(data["game"], agents, folder=folder, **settings)
    return plan, folder / data.get("db", f"{path.stem}.db")


def isolation_of(values: Mapping[str, Value], owner: str) -> Isolation:
    """The isolation settings, checked against their ranges; `owner` is the origin named in errors."""
    texts = {name: value_text(value) for name, value in values.items()}
    settings: Any = read_settings(owner, texts, parameters_of(Isolation))
    return Isolation(**settings)


def changed_plan(plan: Plan, changes: Mapping[str, Any], owner: str) -> Plan:
    """A copy of the plan with changed settings of the plan or of isolation.

    If `changes` has another schedule that counts games differently, and no number of games, the number of games is
    the default of the new schedule.
    """
    settings = {key: value for key, value in changes.items() if key not in _ISOLATION}
    if "schedule" in settings and not count_alike(settings["schedule"], plan.schedule):
        settings.setdefault("games", default_games(settings["schedule"]))
    isolation = {**dataclasses.asdict(plan.isolation), **{key: changes[key] for key in _ISOLATION if key in changes}}
    changed = dataclasses.replace(plan, **settings, isolation=isolation_of(isolation, owner))
    changed.check()
    return changed


def openings_text(text: str, folder: Path) -> str:
    """The `openings` of a plan: the absolute path if the text names a file in `folder`, otherwise the text itself."""
    with in_folder(str(folder)):
        path = user_path(text)
        return str(path.absolute()) if path.is_file() else text


def _agent(entry: Any, owner: str) -> str | Entry:
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, dict):
        raise SpecError(f'{owner} is not a table [[agents]] and not text, as in: agents = ["greedy", "students/*.py"]')
    check_table(entry, _AGENT_KEYS, owner)
    if "agent" not in entry:
        raise SpecError(f'{owner} does not say what it is, as in: agent = "greedy"')
    agent, _, clock = entry_of(entry["agent"])
    return agent, entry.get("name", ""), _clock(entry["clock"]) if "clock" in entry else clock


def _clock(value: str | float) -> str:
    return value if isinstance(value, str) else value_text(value)
