"""Plays a tuning, a schedule of the arena (schedule.py), and states its result."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.agents.variation import varied
from joute.arena.plan import Plan, own_name
from joute.arena.schedules.schedule import Results
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.errors import SpecError
from joute.match.sprt import SprtState
from joute.match.sprt_estimate import sprt_elo
from joute.numbers import count_of, elo_interval, elo_text, finite
from joute.spec import Value
from joute.tune.model import StrengthModel, rows_of
from joute.tune.patch import patch_of
from joute.tune.plan import Request, tuning_plan
from joute.tune.schedule import Test, Tuning, TuningProgress
from joute.tune.space import Point, Space


@dataclass(frozen=True)
class TestResult:
    """A test of the tuned setting against the base."""

    clock: str
    state: SprtState
    games: int
    elo: float
    low: float
    high: float
    is_over: bool

    @property
    def is_confirmed(self) -> bool:
        """Whether the tuned setting is stronger."""
        return self.state.decision == "H1"

    @property
    def verdict(self) -> str:
        """The result in a few words."""
        if not self.is_over:
            return f"being tested: LLR {self.state.llr:.2f} of {self.state.upper:.2f}, {count_of(self.games, 'game')}"
        gain = f"{elo_text(self.elo)} Elo ({elo_interval(self.low, self.high)}), {count_of(self.games, 'game')}"
        if self.is_confirmed:
            return f"confirmed {gain}"
        why = "" if self.state.decision else " (undecided)"
        return f"not confirmed{why}: {gain}"


@dataclass(frozen=True)
class TuningResult:
    """The state or the result of a tuning. `str(result)` is what the command prints."""

    game: str
    agent: str
    space: Space
    method: str
    best: Point
    is_tuned: bool
    #: After each batch, the games so far and the best setting.
    history: tuple[tuple[int, Point], ...]
    tests: tuple[TestResult, ...]
    #: The gain by the model of all games of the tuning: Elo, low, high.
    estimate: tuple[float, float, float]
    #: The spread of strength over the range of each parameter, in Elo, by the same model.
    importance: tuple[float, ...]
    model: StrengthModel
    games: int
    games_in_all: int
    #: Sentences about agents that forfeited.
    forfeits: tuple[str, ...]
    #: The best setting as the text of an agent; a file is named from the current folder.
    tuned_spec: str
    note: str = ""

    @property
    def is_finished(self) -> bool:
        """Whether all games are played."""
        return self.is_tuned and all(test.is_over for test in self.tests)

    @property
    def verdict(self) -> str:
        """The result in a sentence."""
        if self.note:
            return f"not confirmed: {self.note}"
        if not self.is_tuned:
            return f"not yet tuned: {self.games:,} of {self.games_in_all:,} games"
        if self.best == self.space.base:
            return "not confirmed: the best setting found is the old one"
        if not self.tests:
            return "not tested: the gain is not confirmed"
        own, *others = self.tests
        return "; ".join([own.verdict, *(f"at {test.clock}: {test.verdict}" for test in others)])

    @property
    def is_confirmed(self) -> bool:
        """Whether the first test finds the tuned setting stronger."""
        return bool(self.tests) and self.tests[0].is_confirmed

    def as_data(self) -> dict[str, Any]:
        """The result as JSON data."""
        names = self.space.names
        return {
            "game": self.game,
            "agent": self.agent,
            "method": self.method,
            "parameters": [
                {"name": known.name, "base": known.base, "tuned": value, "range": known.range, "importance_elo": spread}
                for known, value, spread in zip(self.space.dimensions, self.best, self.importance, strict=True)
            ],
            "tuned": self.tuned_spec,
            "is_tuned": self.is_tuned,
            "is_confirmed": self.is_confirmed,
            "verdict": self.verdict,
            "tests": [
                {
                    "clock": test.clock,
                    "games": test.games,
                    "decision": test.state.decision,
                    "llr": test.state.llr,
                    "elo": finite(test.elo),
                    "elo_low": finite(test.low),
                    "elo_high": finite(test.high),
                }
                for test in self.tests
            ],
            "estimate": dict(zip(("elo", "low", "high"), self.estimate, strict=True)),
            "history": [{"games": games, **dict(zip(names, point, strict=True))} for games, point in self.history],
            "games": self.games,
            "games_in_all": self.games_in_all,
            "forfeits": list(self.forfeits),
        }


def default_path(request: Request, settings: Mapping[str, Any]) -> Path:
    """The database of a tuning that names none: the same request has the same name, so that it goes on there."""
    return Path(f"tune-{request.game.partition(':')[0]}-{request.digest(settings)}.db")


def stored_plan(path: Path, request: Request, settings: Mapping[str, Any]) -> Plan | None:
    """The plan of the tuning in a file, None if there is no file; SpecError if it holds something else."""
    if not path.is_file() or not path.stat().st_size:
        return None
    with Store.read(path) as store:
        schedule = store.schedule
        if not isinstance(schedule, Tuning) or schedule.settings.request != request.digest(settings):
            held = f"; it was made by: {store.command}" if store.command else ""
            raise SpecError(f"{path} holds another tournament; name another file with --db{held}")
        return store.plan


def open_tuning(plan: Plan, path: Path, *, command: str = "", concurrency: int = 0) -> Tournament:
    """The tournament of a tuning: new, or the one in the file, to go on with so many games in parallel.

    SpecError if the agent's file is another one than in the games of the file.
    """
    if not path.is_file() or not path.stat().st_size:
        return Tournament.create(plan, path, command=command)
    made = Tournament.resume(path, concurrency=concurrency)
    source = made.plan.sources()[0]
    if made.store.has_changed(0, source):
        made.close()
        raise SpecError(f"{source.file} has changed since the games in {path}; for a new tuning, name another --db")
    return made


def result_of(made: Tournament, progress: TuningProgress | None = None) -> TuningResult:
    """The result of a tuning so far. A `progress` that is given follows the results: old games are not read again."""
    schedule = made.schedule
    assert isinstance(schedule, Tuning)
    progress = progress or TuningProgress(schedule)
    progress.follow(made.results)
    space, best = schedule.space, progress.tuner.best
    model = StrengthModel(space, rows_of(space, progress.asked, made.results))
    names = [entrant.name for entrant in made.plan.entrants]
    broken = [names[seat] for seat in progress.broken]
    base = made.plan.sources()[0]
    own = best != space.base
    return TuningResult(
        game=made.plan.game,
        agent=base.text,
        space=space,
        method=schedule.settings.method,
        best=best,
        is_tuned=progress.is_tuned,
        history=tuple(progress.history),
        tests=tuple(_test_result(test, made.plan, made.results) for test in progress.tests),
        estimate=model.gain(best, space.base) if own else (0.0, 0.0, 0.0),
        importance=tuple(model.importance(best)),
        model=model,
        games=made.standings.games,
        games_in_all=schedule.games_in_all(made.results) if progress.is_over else schedule.most_games,  # type: ignore[arg-type]
        forfeits=tuple(row.forfeits_text for row in made.standings.table if row.forfeits),
        tuned_spec=varied(base, space.settings(best)).text.removeprefix(os.path.join(os.getcwd(), "")),
        note=f"{' and '.join(broken)} failed before the first move of every game" if broken else "",
    )


def _test_result(test: Test, plan: Plan, results: Results) -> TestResult:
    seat = test.progress.seats[0]
    state = test.progress.state
    elo, low, high = sprt_elo(state, test.progress.evidence.counts)
    clock = str(plan.control(seat))
    return TestResult(clock, state, 2 * test.progress.pairs, elo, low, high, test.is_over)


def patch(result: TuningResult, made: Tournament, command: str) -> str:
    """The patch that makes the tuned values the defaults, after the command that found them.

    Empty if nothing changed or there is no source.
    """
    changed = {
        known.name: value
        for known, value in zip(result.space.dimensions, result.best, strict=True)
        if value != known.base
    }
    base = made.plan.sources()[0]
    name = own_name(base.text, base)
    changes = patch_of(base, changed, f"joute tune {name}, seed {made.plan.seed}: {result.verdict}") if changed else ""
    return f"{command}\n{changes}" if changes else ""


def tune(
    game: str,
    agent: str,
    *,
    over: Sequence[str],
    budget: str = "games=2000",
    ranges: Mapping[str, str] | None = None,
    method: str = "auto",
    test: Mapping[str, Value] | None = None,
    clocks: Sequence[str] = (),
    db: str | Path | None = None,
    on_game: Callable[[TuningResult], None] | None = None,
    **settings: Any,
) -> TuningResult:
    """Tune the parameters `over` of an agent by play, and test the result against the values that it has now.

    `ranges` are texts such as ``0.1..2`` or ``1e-5..1 log``; `test` has elo0, elo1, alpha, beta and games, whose 0 is
    no test; `clocks` are those of further tests. The games are kept in the database `db`; if it holds the same tuning,
    the tuning goes on there. `settings` are those of a tournament: seed, clock, openings, concurrency.
    """
    request = Request(game, agent, tuple(over), dict(ranges or {}), budget, method, test, tuple(clocks))
    with tempfile.TemporaryDirectory(prefix="joute-") as folder:
        path = Path(db) if db is not None else Path(folder) / "tune.db"
        plan = stored_plan(path, request, settings) or tuning_plan(request, **settings)[0]
        with open_tuning(plan, path, concurrency=settings.get("concurrency", 0)) as made:
            made.play((lambda _: on_game(result_of(made))) if on_game else None)
            return result_of(made)
