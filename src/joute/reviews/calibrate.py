"""Fits an agent's win probabilities to games against itself: the files that joute.agents.win_probability reads.

Games start from the game's balanced openings. In each game one random move replaces the agent's, in half of them the
first one. So no two games of a deterministic agent are alike, and the games reach the uneven positions that strong
players avoid. Positions before the random move are dropped, because the result does not follow from them. Proven
positions are left out: they need no estimate.

The table of reliability compares predictions with results in games that the fit has not seen: each third of
the games is predicted by a fit to the other two. The calibration itself is fitted to all games.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from joute._core import Random
from joute.agents import Analyst, adviser, agent, agent_types, find_agent
from joute.agents.win_probability import (
    WIN_SHARE,
    Calibration,
    Knot,
    bent,
    hat_weights,
    log_odds_of,
    proven_outcome,
)
from joute.arena.opening_sets import shipped_set
from joute.errors import JouteError, SpecError
from joute.games import State, new
from joute.match.game import derive_seed, settle
from joute.numbers import is_decided
from joute.spec import parse_spec
from joute.version import __version__

#: The beginning of every file of win probabilities.
MARK = "# Win probabilities of "
#: The ending of the file that keeps finished games, beside the file to write, until the fit is done.
JOURNAL = ".games"
#: A decile of the table of reliability needs this many held-out games to say anything: its standard error is then at
#: most 5 points.
ENOUGH_GAMES = 100

# The random move is one of the first plies of a game, the very first in half of the games.
_SLIP_PLIES = 24
# No game is longer; agents that repeat positions would not end.
_MOST_PLIES = 400
# The shares of the positions before each row of the table.
_KNOTS = (0.05, 0.35, 0.65, 0.95)
# A weak prior (variance 1 / _RIDGE) keeps the slopes finite if a value separates wins from losses.
_RIDGE = 1.0
_NEWTON_STEPS = 50
_FOLDS = 3

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """An open position of a game: the value for the first player, and the points that it got in the end."""

    game: int
    ply: int
    value_for_first: float
    points: float


@dataclass(frozen=True)
class Decile:
    """Held-out positions with about the same probability: predicted and observed."""

    low: float
    positions: int
    games: int
    predicted: float
    observed: float

    @property
    def is_enough(self) -> bool:
        """Whether it has enough games to say anything."""
        return self.games >= ENOUGH_GAMES


@dataclass(frozen=True)
class Fit:
    """A calibration and its reliability in games that it was not fitted to."""

    calibration: Calibration
    games: int
    positions: int
    deciles: tuple[Decile, ...]
    #: The reliability of win shares without a fit; empty for values in another unit.
    as_told: tuple[Decile, ...] = ()


def default_agent(game: str, nodes: int) -> str:
    """The agent to calibrate: the game's engine, with a limit of nodes."""
    name = parse_spec(game)[0]
    engine = adviser(name)
    if engine is None:
        raise SpecError(f"{name} has no engine of its own; name an agent with --agent")
    known = {parameter.name for parameter in find_agent(engine)[0].described_parameters}
    # A small table suffices for few nodes, and every game makes a new one.
    wanted = {"nodes": nodes, "memory_mb": 8}
    settings = ",".join(f"{key}={value}" for key, value in wanted.items() if key in known)
    return f"{engine}:{settings}" if settings else engine


def calibrate(
    game: str,
    spec: str,
    *,
    games: int,
    seed: int = 0,
    bend: bool = False,
    jobs: int = 1,
    journal: Path | None = None,
    on_game: Callable[[int], None] | None = None,
) -> Fit:
    """Play `games` games of an agent against itself, and fit its win probabilities to them.

    The result depends on the arguments alone, but for `jobs`, the number of games played at once. Finished games are
    added to `journal`, and a later call with the same arguments plays only those that it lacks. `bend` is that of
    `fit`; the games do not depend on it.
    """
    start = new(game)
    _analyst(spec, start)
    if find_agent(spec, start.spec)[0].exact:
        raise SpecError(f"agent '{spec}' solves {start.game}, so its win probabilities are 0, ½ and 1")
    agent_types()  # fill the registry before the threads use it
    plan = {"game": start.spec, "agent": spec, "seed": seed, "version": __version__}
    played = _journal(journal, plan)
    missing = [index for index in range(games) if index not in played]
    stop = threading.Event()
    pool = ThreadPoolExecutor(max(1, jobs))
    try:
        asked = {pool.submit(_play, start, spec, seed, index, stop): index for index in missing}
        for done, future in enumerate(as_completed(asked), start=games - len(missing) + 1):
            played[asked[future]] = future.result()
            if journal:
                with journal.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([asked[future], *future.result()], separators=(",", ":")) + "\n")
            if on_game:
                on_game(done)
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
    units = {unit for index, (unit, _, _) in played.items() if index < games and unit}
    if len(units) != 1:
        raise JouteError(f"agent '{spec}' told values in several units: {', '.join(sorted(units))}")
    samples = [
        Sample(index, ply, value, points)
        for index, (_, points, values) in sorted(played.items())
        for ply, value in values
        if index < games
    ]
    return fit(samples, agent=parse_spec(spec)[0], unit=units.pop(), games=games, bend=bend)


#: A finished game: the unit of the values, the points of the first player, and its open positions as (ply, value).
_Played = tuple[str, float, list[tuple[int, float]]]


def _journal(path: Path | None, plan: dict[str, Any]) -> dict[int, _Played]:
    """The games that a journal keeps, by number; a new journal gets the plan as its first line."""
    if path is None:
        return {}
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    whole = [line for line in lines if line.endswith("\n")]  # a killed run may leave half a line
    try:
        known = [json.loads(line) for line in whole]
        if not known or known[0] != plan:
            known = [plan]
        found: dict[int, _Played] = {
            index: (unit, points, [(ply, value) for ply, value in values]) for index, unit, points, values in known[1:]
        }
    except (TypeError, ValueError) as error:
        raise JouteError(f"{path} is damaged: {error}; remove it to play its games again") from error
    path.write_text("".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in known), encoding="utf-8")
    return found


def fit(samples: Sequence[Sample], *, agent: str, unit: str, games: int, bend: bool = False) -> Fit:
    """Fit a calibration to games, and measure the reliability of such fits in games that they have not seen.

    With `bend`, one curve is fitted for all plies, which may be flatter for small values than for large ones; else a
    logistic whose slope depends on the ply.
    """
    predicted: list[tuple[float, Sample]] = []
    for third in range(_FOLDS):
        seen = [sample for sample in samples if sample.game % _FOLDS != third]
        unseen = [sample for sample in samples if sample.game % _FOLDS == third]
        if len({sample.points for sample in seen}) < 2 or not unseen:
            raise JouteError(f"{len(samples)} open positions are too few to fit win probabilities; play more games")
        part = _fitted(seen, agent, unit, bend=bend)
        predicted += [(part.probability(sample.value_for_first, sample.ply), sample) for sample in unseen]
    shares = [(sample.value_for_first, sample) for sample in samples] if unit == WIN_SHARE else []
    found = _fitted(samples, agent, unit, bend=bend)
    return Fit(found, games, len(samples), reliability(predicted), reliability(shares))


def _fitted(samples: Sequence[Sample], agent: str, unit: str, *, bend: bool) -> Calibration:
    plies = [0] if bend else sorted({int(ply) for ply in np.quantile([sample.ply for sample in samples], _KNOTS)})
    slopes, shifts, bends = _logistic_regression(samples, plies, unit, bend=bend)
    if bends.min() < 0:
        raise JouteError("these games ask for a curve that is steeper in the middle; fit them without --bend")
    knots = tuple(
        Knot(ply, round(max(float(slope), 1e-3), 4), round(float(shift), 4), round(float(more), 4))
        for ply, slope, shift, more in zip(plies, slopes, shifts, bends, strict=True)
    )
    return Calibration(agent, unit, knots)


def reliability(predicted: Sequence[tuple[float, Sample]]) -> tuple[Decile, ...]:
    """Predicted and observed results of positions, by deciles of the probability."""
    deciles: dict[int, list[tuple[float, Sample]]] = {}
    for chance, sample in predicted:
        deciles.setdefault(min(9, int(10 * chance)), []).append((chance, sample))
    return tuple(
        Decile(
            low=number / 10,
            positions=len(found),
            games=len({sample.game for _, sample in found}),
            predicted=sum(chance for chance, _ in found) / len(found),
            observed=sum(sample.points for _, sample in found) / len(found),
        )
        for number, found in sorted(deciles.items())
    )


def calibration_text(found: Fit, *, game: str, command: str, spec: str, fingerprint: str = "") -> str:
    """The file of a fit, with a header that says how it was made; `fingerprint` is that of the agent."""
    rows = [f"#   {'decile':>9} {'positions':>9} {'games':>6} {'predicted':>9} {'observed':>9} {'difference':>10}"]
    for decile in found.deciles:
        difference = f"{100 * (decile.observed - decile.predicted):+.1f}"
        few = "" if decile.is_enough else "  few games"
        rows.append(
            f"#   {100 * decile.low:>3.0f}–{100 * decile.low + 10:>3.0f}%  {decile.positions:>9} {decile.games:>6} "
            f"{100 * decile.predicted:>8.1f}% {100 * decile.observed:>8.1f}% {difference:>10}{few}"
        )
    knots = found.calibration.knots
    is_bent = any(knot.bend for knot in knots)
    terms = "slope, shift and bend" if is_bent else "slope and shift"
    return "\n".join(
        [
            f"{MARK}{game}: {terms} of the logistic in the value for the first player, by ply",
            f"# {command}",
            f"# {found.games} games of {spec} against itself from balanced openings, {found.positions} open positions",
            "# reliability in games that the fit has not seen, each third predicted by a fit to the other two:",
            *rows,
            *([f"# fingerprint: {fingerprint}"] if fingerprint else []),
            f"# made by Joute {__version__}, {datetime.now(UTC):%Y-%m-%d}",
            f"agent {found.calibration.agent}",
            f"unit {found.calibration.unit}",
            *(
                f"{knot.ply:>4} {knot.slope:>9.4f} {knot.shift:>9.4f}" + is_bent * f" {knot.bend:>9.4f}"
                for knot in knots
            ),
            "",
        ]
    )


def _analyst(spec: str, start: State) -> Analyst:
    made = agent(spec, game=start.spec)
    if not isinstance(made, Analyst):
        raise SpecError(f"agent '{spec}' does not tell the value of a position, so it cannot be calibrated")
    return made


def _play(start: State, spec: str, seed: int, index: int, stop: threading.Event) -> _Played:
    """Play one game; its open positions are those after the random move. JouteError once `stop` is set."""
    rng = Random(derive_seed(seed, index))
    openings = shipped_set(start.spec)
    state = new(start.spec, rng.choice(openings)) if openings else start.random_start(rng)
    state, _ = settle(state, rng)
    analyst = _analyst(spec, start)
    unit, values = "", list[tuple[int, float]]()
    slip = 0 if rng.uniform() < 0.5 else 1 + rng.below(_SLIP_PLIES - 1)
    for ply in range(_MOST_PLIES):
        if state.is_terminal:
            break
        if stop.is_set():
            raise JouteError("the calibration is stopped")
        if ply == slip:
            values.clear()
            state = state.play(state.random_move(rng), rng)
            continue
        analysis = analyst.analyze(state, with_line=False, lines=1)
        unit, value = analysis.unit, analysis.value
        if proven_outcome(analysis) is None and value is not None and not is_decided(value) and math.isfinite(value):
            turned = 1 - value if unit == WIN_SHARE else -value
            values.append((state.ply, round(value if state.to_move == 0 else turned, 6)))
        state = state.play(analysis.moves[0].move, rng)
    return unit, (1 + state.result_if_stopped.outcome) / 2, values


def _logistic_regression(
    samples: Sequence[Sample], plies: Sequence[int], unit: str, *, bend: bool
) -> tuple[Floats, Floats, Floats]:
    """Slopes, shifts and bends at `plies` by Newton's method; the logistic is linear in them, so there is one maximum.

    A win share has no shift: a half means even chances already, and a shift would fit the luck of the games.
    """
    hats = np.array([hat_weights(sample.ply, plies) for sample in samples])
    x = [log_odds_of(sample.value_for_first, unit) for sample in samples]
    terms = {"slope": np.array(x)}
    if bend:
        terms["bend"] = np.array([bent(each) for each in x])
    if unit != WIN_SHARE:
        terms["shift"] = np.ones(len(x))
    scales = {name: float(np.sqrt(np.mean(term**2))) or 1.0 for name, term in terms.items()}
    features = np.hstack([hats * (term / scales[name])[:, None] for name, term in terms.items()])
    points = np.array([sample.points for sample in samples])
    weights = np.zeros(features.shape[1])
    for _ in range(_NEWTON_STEPS):
        predicted = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        gradient = features.T @ (points - predicted) - _RIDGE * weights
        spread = predicted * (1 - predicted)
        curvature = (features * spread[:, None]).T @ features + _RIDGE * np.eye(len(weights))
        step = np.linalg.solve(curvature, gradient)
        weights += step
        if float(np.abs(step).max()) < 1e-9:
            break
    by_name = dict(zip(terms, np.split(weights, len(terms)), strict=True))
    none = np.zeros(len(plies))
    slopes, shifts, bends = (by_name.get(name, none) / scales.get(name, 1.0) for name in ("slope", "shift", "bend"))
    return slopes, shifts, bends
