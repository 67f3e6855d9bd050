"""Requests of visitors: the form of a tournament, checked before a process or a file exists.

No text names a file: agents are built in or listed by the owner, the game's rules have no files (allowed.py), and
openings come from the game's own set or are drawn.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

from pydantic import Field

from joute.arena.openings import BALANCED, RandomOpenings, default_openings
from joute.arena.plan import Plan
from joute.arena.players.isolation import Isolation
from joute.arena.schedules.registry import default_games, find_schedule, make_schedule, schedule_names
from joute.errors import JouteError
from joute.games import State
from joute.match.clock import TimeControl
from joute.spec import parameters_of, parse_spec, read_settings
from joute.system import usable_cores
from joute.web.allowed import check_agent, parameter_data, start_of
from joute.web.arena.limits import ArenaLimits
from joute.web.errors import PageError
from joute.web.messages import Strict
from joute.web.settings import Settings


class Entrant(Strict):
    """An agent of a tournament."""

    agent: str = Field(min_length=1, max_length=400, description="the agent's spec", examples=["mcts:iterations=500"])
    name: str = Field("", max_length=60, description="its name in tables; empty for the spec")
    clock: str = Field("", max_length=60, description="a clock of its own; empty for that of the tournament")


class NewTournament(Strict):
    """A tournament to begin."""

    game: str = Field(max_length=2000, description="the spec of the game")
    title: str = Field("", max_length=80, description="how the page calls the tournament")
    agents: list[Entrant] = Field(min_length=2, max_length=1000)
    schedule: str = Field("round-robin", max_length=200, examples=["swiss:rounds=5"])
    games: int | None = Field(None, ge=1, le=10**9, description="games a pairing; empty for the schedule's own number")
    clock: str = Field("none", max_length=60, examples=["10+0.1"])
    openings: str = Field(
        "", max_length=200, description="start, balanced, random or random:plies=6; empty: the game's"
    )
    seed: int = Field(0, ge=0, lt=2**63)
    concurrency: int = Field(0, ge=0, le=256, description="games at once; 0: one core stays free for the page")
    sandbox: bool = Field(False, description="run listed agents in a sandbox")


def order_of(wish: NewTournament, settings: Settings, limits: ArenaLimits) -> dict[str, Any]:
    """The order that makes a driver play a wish; PageError with the reason if it may not be played."""
    start = start_of(wish.game)
    if len(wish.agents) > limits.agents:
        raise PageError("too_large", f"a tournament of the page has at most {limits.agents} agents")
    for entrant in wish.agents:
        _check_entrant(entrant, start, settings)
    games = wish.games
    with _refused("bad_schedule"):
        _check_schedule(wish.schedule)
        games = default_games(wish.schedule) if games is None else games
        schedule = make_schedule(wish.schedule, len(wish.agents), min(games, 10**6))
        if games > 10**6 or schedule.most_games > limits.games:
            raise PageError("too_large", f"a tournament of the page has at most {limits.games:,} games")
    with _refused("bad_clock"):
        for text in (wish.clock, *(entrant.clock for entrant in wish.agents)):
            TimeControl.parse(text)
    with _refused("bad_openings"):
        openings = _openings(wish.openings, start, limits)
    return {
        "game": start.spec,
        "agents": [[entrant.agent, entrant.name, entrant.clock] for entrant in wish.agents],
        "settings": {
            "schedule": wish.schedule,
            "games": games,
            "seed": wish.seed,
            "clock": wish.clock or "none",
            "openings": openings,
            "concurrency": concurrency(wish.concurrency),
            "max_plies": limits.plies,
        },
        "sandbox": wish.sandbox,
    }


def concurrency(wanted: int) -> int:
    """The games at once: at most one a core, and by default one core fewer, which the page needs."""
    cores = len(usable_cores())
    return min(wanted, cores) if wanted else max(1, cores - 1)


def check_plan(plan: Plan, settings: Settings) -> None:
    """PageError if a stored tournament has agents that the page may not run: a database may come from anywhere."""
    if plan.frozen:
        raise PageError("bad_agent", "the database holds copies of agents, which the page does not run")
    start = start_of(plan.game)
    for index in plan.playing:
        check_agent(plan.entrants[index].agent, start, settings)


def _check_entrant(entrant: Entrant, start: State, settings: Settings) -> None:
    if _is_auto(entrant.agent):
        raise PageError("bad_agent", "level:auto follows one person, so it cannot be ranked; choose a level by number")
    check_agent(entrant.agent, start, settings)


def _is_auto(text: str) -> bool:
    """Whether a text is the level that adapts to a person."""
    return text.replace("number=", "").replace(" ", "") == "level:auto"


def _check_schedule(text: str) -> None:
    if not find_schedule(text).can_be_played:
        raise PageError("bad_schedule", f"'{text}' cannot be played")


def _openings(text: str, start: State, limits: ArenaLimits) -> str:
    """The openings of a wish, which may not be a file."""
    if not text:
        return default_openings(start.spec)
    if text in ("start", BALANCED):
        return text
    name, pairs = parse_spec(text)
    if name != "random":
        raise PageError("bad_openings", "openings on the page are start, balanced or random")
    settings: Any = read_settings("random openings", pairs, parameters_of(RandomOpenings))
    chosen = RandomOpenings(**settings)
    default = RandomOpenings()
    if chosen.most > default.most or chosen.iterations > limits.iterations:
        raise PageError(
            "too_large",
            f"random openings on the page: most is at most {default.most}, iterations at most {limits.iterations:,}",
        )
    return text


@contextlib.contextmanager
def _refused(code: str) -> Iterator[None]:
    """Turn errors of Joute into refusals with a code."""
    try:
        yield
    except JouteError as error:
        raise PageError(code, str(error)) from error


def form_data(limits: ArenaLimits) -> dict[str, Any]:
    """The rest of the form: schedules and openings with their parameters, and the limits."""
    schedules = []
    for name in schedule_names():
        try:
            kind = find_schedule(name)
        except JouteError:
            continue
        schedules.append(
            {
                "name": name,
                "is_sequential": kind.is_sequential,
                "games": kind.default_games,
                "parameters": [parameter_data(each) for each in parameters_of(kind.settings_type)],
            }
        )
    sandbox = next(each for each in parameters_of(Isolation) if each.name == "sandbox")
    return {
        "schedules": schedules,
        "openings": [parameter_data(each) for each in parameters_of(RandomOpenings)],
        "sandbox": {"help": sandbox.help},
        "cores": len(usable_cores()),
        "limits": dataclasses.asdict(limits),
    }
