"""Makes the plan of a tuning from a request: parameters, method, games, openings, tests."""

from __future__ import annotations

import hashlib
import json
import math
import re
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.agents.file_parameters import file_parameters
from joute.agents.loading import Source, find_source, is_spec
from joute.agents.registry import find_agent
from joute.agents.source import PYTHON_FILE, program_options
from joute.agents.variation import varied
from joute.arena.entries import Entry
from joute.arena.openings import default_openings, make_openings, opening_seed
from joute.arena.plan import Plan, make_plan
from joute.arena.plan_file import openings_text
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import make_player
from joute.arena.tournament import Tournament
from joute.errors import JouteError, SpecError
from joute.games import new
from joute.match.player import MisconductError
from joute.protocol.ugi import parse_option
from joute.spec import Parameter, Value, parse_spec, read_settings, value_text
from joute.tune.schedule import METHODS, Tuning
from joute.tune.space import Space, make_space

#: The seats of a tuning; more follow for tests at other clocks.
_SEATS = {"spsa": ("plus", "minus"), "tpe": ("trial", "base of trials"), "cma-es": ("trial", "base of trials")}
_TUNED, _BASE = "tuned", "base"

# Most openings of a tuning, and of its tests.
_MOST_OPENINGS = 1000
# The Elo that a test can show grows as the square root of the number of games falls.
_ELO1_GAMES, _LEAST_ELO1, _MOST_ELO1 = 800.0, 3.0, 40.0
# A budget of hours is measured by games of the base setting: at least so many a worker, for so many seconds or a share
# of the budget.
_TRIAL_GAMES, _TRIAL_S, _TRIAL_SHARE = 4, 20.0, 0.01


@dataclass(frozen=True)
class Budget:
    """The games of a tuning, or its hours."""

    games: int = 0
    hours: float = 0.0

    @staticmethod
    def parse(text: str) -> Budget:
        """The budget of a text: ``games=20000`` or ``hours=2``.

        >>> Budget.parse("hours=1.5")
        Budget(games=0, hours=1.5)
        """
        if match := re.fullmatch(r"games=(\d{1,9})", text):
            games = int(match[1])
            if games < 4 or games % 2:
                raise SpecError(
                    f"--budget games={games} must be an even number of at least 4: games are played in pairs"
                )
            return Budget(games=games)
        if (match := re.fullmatch(r"hours=(\d{1,5}(?:\.\d+)?|\.\d+)", text)) and float(match[1]) > 0:
            return Budget(hours=float(match[1]))
        raise SpecError(f"--budget must be games=20000 or hours=2, not '{text}'")


@dataclass(frozen=True)
class Request:
    """The arguments of `joute tune`."""

    game: str
    agent: str
    over: tuple[str, ...]
    ranges: Mapping[str, str]
    budget: str
    method: str = "auto"
    #: Settings of the test: ``elo0``, ``elo1``, ``alpha``, ``beta`` and ``games``.
    test: Mapping[str, Value] | None = None
    #: Clocks of further tests.
    clocks: tuple[str, ...] = ()
    #: Settings of SPSA: ``c_end``, ``r_end``, ``batch``.
    spsa: Mapping[str, Value] | None = None

    def digest(self, settings: Mapping[str, Any]) -> str:
        """A hash of the request and of the settings of its games; those that change no game are left out."""
        kept = {key: value for key, value in settings.items() if key != "concurrency" and value != Isolation()}
        asked = [self.game, self.agent, self.over, dict(self.ranges), self.budget, self.method, self.test]
        text = json.dumps([*asked, self.clocks, self.spsa, kept], sort_keys=True, default=str)
        return hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()


def parameters_of_agent(
    source: Source, game: str, isolation: Isolation
) -> tuple[tuple[Parameter, ...], dict[str, Value]]:
    """The parameters of an agent, and the values that its text sets; a program is started and asked for its options."""
    if is_spec(source.text):
        agent_type, parameters = source.resolved or find_agent(source.text, game)
        known = agent_type.described_parameters
        return known, {each.name: getattr(parameters, each.name) for each in known}
    if source.kind == "python" and source.file and (match := PYTHON_FILE.fullmatch(source.text)):
        known = file_parameters(source.file, source.name_in_file)
        if not known:
            raise SpecError(
                f"{source.file.name} declares no parameters: write PARAMETERS = {{…}}, as docs/tuning.md shows"
            )
        return known, read_settings(source.file.name, parse_spec(f":{match[3] or ''}")[1], known)
    if source.language != "ugi":
        raise SpecError(f"{source.text} has no parameters that Joute can set")
    known = _options(source, game, isolation)
    names = {each.name for each in known}
    given = {name: text for name, text in program_options(source.text)[1].items() if name in names}
    return known, read_settings(source.text, given, known)


def _options(source: Source, game: str, isolation: Isolation) -> tuple[Parameter, ...]:
    """The options of a program that can be tuned."""
    player: Any = make_player(source, source.text, game, isolation)
    try:
        player.begin(new(game), 0, 0)
    except MisconductError as error:
        raise JouteError(f"the program does not start: {error}") from error
    finally:
        player.end()
    found = [parse_option(line) for line in player.option_lines]
    return tuple(each for each in found if each is not None and each.name.lower() != "seed")


def choose_method(space: Space, wanted: str = "auto") -> tuple[str, str]:
    """The method to use, and why; SpecError if the wanted one cannot tune the space.

    >>> space = Space.parse("c|0.7|0.1..2.0")
    >>> choose_method(space)
    ('spsa', 'SPSA: all parameters are numbers or switches')
    """
    if wanted not in ("auto", *METHODS):
        raise SpecError(f"--method must be auto, {', '.join(METHODS)}, not '{wanted}'")
    named = ", ".join(space.unordered)
    if wanted == "spsa" and named:
        raise SpecError(f"SPSA steps up and down, and {named} has no order; use --method tpe")
    if wanted != "auto":
        return wanted, f"{wanted}, as asked"
    if named:
        return "tpe", f"TPE: {named} {'is a choice' if len(space.unordered) == 1 else 'are choices'} without an order"
    return "spsa", "SPSA: all parameters are numbers or switches"


def tuning_plan(
    request: Request, *, on_trial: Callable[[str], None] | None = None, **settings: Any
) -> tuple[Plan, str]:
    """The plan of a tuning, and the reason for its method. A budget of hours is measured first, by games of the base.

    `settings` are those of a plan; `on_trial` is told the result of that measurement.
    """
    digest = request.digest(settings)
    if "openings" in settings:
        settings["openings"] = openings_text(settings["openings"], Path.cwd())
    game = new(request.game).spec
    isolation = settings.get("isolation", Isolation())
    budget = Budget.parse(request.budget)
    source = find_source(request.agent, game)
    known, base = parameters_of_agent(source, game, isolation)
    # The ranges in a user's file are meant for tuning.
    wide = {"wide": math.inf} if source.kind == "python" and not is_spec(source.text) else {}
    space = make_space(known, base, request.over, request.ranges, request.agent, **wide)
    _check_values(source, space, game)
    method, why = choose_method(space, request.method)
    games = budget.games or _games_in(budget.hours, request, settings, on_trial)
    test = dict(request.test or {})
    test_games = int(test.pop("games", games))
    tests = 1 + len(request.clocks) if test_games else 0
    if "elo1" not in test:
        test["elo1"] = _elo1(test_games) + float(test.get("elo0", 0.0))
    tuning_openings, test_openings = _shares(game, settings, games, test_games)
    described: dict[str, Value] = {
        "over": space.text,
        "method": method,
        "tuning_seed": settings.get("seed", 0),
        "tuning_openings": tuning_openings,
        "test_openings": test_openings,
        "tests": tests,
        "test_games": max(2, test_games),
        **test,
        **(request.spsa or {}),
        "request": digest,
    }
    schedule = "tune:" + ",".join(f"{key}={value_text(value)}" for key, value in described.items())
    entries: list[Entry] = [(request.agent, name, "") for name in _SEATS[method]]
    for clock in ("", *request.clocks)[:tests]:
        at = f" at {clock}" if clock else ""
        entries += [(request.agent, f"{_TUNED}{at}", clock), (request.agent, f"{_BASE}{at}", clock)]
    plan = make_plan(game, entries, schedule=schedule, games=games, **settings)
    made = plan.make_schedule()
    assert isinstance(made, Tuning)
    made.make_tuner()  # SpecError if its method is not installed
    return plan, why


def _elo1(games: int) -> float:
    """The gain that a test of so many games can confirm."""
    return round(min(_MOST_ELO1, max(_LEAST_ELO1, _ELO1_GAMES / math.sqrt(games or 1))), 1)


def _check_values(source: Source, space: Space, game: str) -> None:
    """SpecError if a choice or the end of a range does not suit the agent, before any game is played."""
    if source.kind != "built-in":
        return
    for index, known in enumerate(space.dimensions):
        for value in known.choices or (known.value(0.0), known.value(1.0)):
            point = (*space.base[:index], value, *space.base[index + 1 :])
            find_agent(varied(source, space.settings(point)).text, game)


def _shares(game: str, settings: Mapping[str, Any], games: int, test_games: int) -> tuple[int, int]:
    """The openings of the tuning and of the tests: different ones, if there are several."""
    wanted = [min(_MOST_OPENINGS, count // 2) for count in (games, test_games)]
    text = settings.get("openings") or default_openings(game)
    seed = opening_seed(settings.get("seed", 0))
    available = len(make_openings(game, text, sum(wanted), seed).positions)
    if available >= sum(wanted) or available == 1 or not test_games:
        return min(wanted[0], available), wanted[1] if available > 1 else 0
    own = max(1, min(available - 1, round(available * wanted[0] / sum(wanted))))
    return own, available - own


def _games_in(
    hours: float, request: Request, settings: Mapping[str, Any], on_trial: Callable[[str], None] | None
) -> int:
    """The games of the base against itself that fit into some hours."""
    entries: list[Entry] = [(request.agent, name, "") for name in ("a", "b")]
    with tempfile.TemporaryDirectory(prefix="joute-") as folder:
        plan = make_plan(request.game, entries, games=1000, **settings)
        with Tournament.create(plan, Path(folder) / "trial.db") as made:
            workers = max(1, made.workers)
            ends: list[float] = []
            began_s, most_s = time.monotonic(), min(_TRIAL_S, _TRIAL_SHARE * 3600 * hours)
            made.play(
                lambda _: ends.append(time.monotonic()),
                should_stop=lambda: len(ends) >= _TRIAL_GAMES * workers and time.monotonic() - began_s > most_s,
            )
    # The first games also start the workers, so time runs from their end.
    if len(ends) <= workers:
        raise JouteError("no game of the base setting could be played, so its time is unknown; give --budget games=N")
    rate = (len(ends) - workers) / max(1e-3, ends[-1] - ends[workers - 1])
    games = max(4, min(10**9, 2 * round(3600 * hours * rate / 2)))
    if on_trial:
        on_trial(
            f"{hours:g} h are about {games:,} games: {len(ends)} games of the base setting gave {rate:.2f} games/s"
        )
    return games
