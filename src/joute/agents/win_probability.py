"""Win probabilities: the value of a search as the probability that the first player wins, with a draw as half a win.

Each engine has values of its own: towers, points, shares. A game's room may name a calibration, a small table that was
fitted to games of the engine against itself. The probability is logistic in the value::

    p = 1 / (1 + exp(-(slope * x + shift)))

Here x is the value for the first player, or the log-odds ``log(s / (1 - s))`` of a win share s. Slope and shift depend
on the ply: a lead of one tower means more late in the game. Between the plies of the table they are interpolated.

A table may also have a bend, which adds ``bend * x * |x|`` to the log-odds: the curve is then flatter for small values
and steeper for large ones, as where small leads are often lost by luck and large ones never.

A proven result is no estimate: its probability is 0, ½ or 1. Without a calibration, a win share is the probability
itself, and any other value is read as log-odds (slope 1, shift 0), as tree searches read evaluations (`eval_scale`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from joute.agents.agent import Analysis, MoveValue
from joute.errors import JouteError
from joute.games import State
from joute.numbers import is_decided
from joute.plugins import all_rooms
from joute.spec import parse_spec

#: The unit of values that are shares of the points.
WIN_SHARE = "win share"

# An estimate is never certain: this is the log-odds of 99.9%.
_MOST_LOG_ODDS = math.log(999)


@dataclass(frozen=True)
class Knot:
    """A row of a calibration: slope, shift and bend of the logistic at a ply."""

    ply: int
    slope: float
    shift: float
    bend: float = 0.0

    def __repr__(self) -> str:
        """Without a bend of 0: the fingerprints of levels depend on the text of a calibration."""
        bend = f", bend={self.bend!r}" if self.bend else ""
        return f"Knot(ply={self.ply!r}, slope={self.slope!r}, shift={self.shift!r}{bend})"


@dataclass(frozen=True)
class Calibration:
    """How the values of one agent become probabilities. The plies of `knots` rise."""

    agent: str
    unit: str
    knots: tuple[Knot, ...]

    def probability(self, value_for_first: float, ply: int) -> float:
        """The probability that the first player wins.

        >>> even = Calibration("mine", "points", (Knot(0, 0.5, 0.0), Knot(10, 1.0, 0.0)))
        >>> [round(even.probability(2.0, ply), 2) for ply in (0, 5, 10, 99)]
        [0.73, 0.82, 0.88, 0.88]
        """
        slope, shift, bend = self.at(ply)
        x = log_odds_of(value_for_first, self.unit)
        return _logistic(slope * x + shift + bend * bent(x))

    def at(self, ply: int) -> tuple[float, float, float]:
        """Slope, shift and bend at a ply: interpolated, and constant before the first and after the last row."""
        return _interpolated(self.knots, ply)


@functools.lru_cache(maxsize=1024)  # all moves of a position ask for the same ply
def _interpolated(knots: tuple[Knot, ...], ply: int) -> tuple[float, float, float]:
    weights = hat_weights(ply, [knot.ply for knot in knots])
    return (
        sum(weight * knot.slope for weight, knot in zip(weights, knots, strict=True)),
        sum(weight * knot.shift for weight, knot in zip(weights, knots, strict=True)),
        sum(weight * knot.bend for weight, knot in zip(weights, knots, strict=True)),
    )


def bent(x: float) -> float:
    """Return the log-odds that a bend of 1 adds at x.

    >>> bent(2.0), bent(-2.0)
    (4.0, -4.0)
    """
    return x * abs(x)


def hat_weights(ply: int, plies: Sequence[int]) -> list[float]:
    """The weights of the rows at `plies` in the linear interpolation at a ply; they add up to 1.

    >>> hat_weights(7, [4, 8, 20]), hat_weights(1, [4, 8, 20])
    ([0.25, 0.75, 0.0], [1.0, 0.0, 0.0])
    """
    weights = [0.0] * len(plies)
    after = next((index for index, known in enumerate(plies) if known >= ply), None)
    if after is None:
        weights[-1] = 1.0
    elif after == 0 or plies[after] == ply:
        weights[after] = 1.0
    else:
        share = (ply - plies[after - 1]) / (plies[after] - plies[after - 1])
        weights[after - 1], weights[after] = 1 - share, share
    return weights


def log_odds_of(value: float, unit: str) -> float:
    """The x of the logistic: the value itself, or the log-odds of a win share, at most those of 99.9%."""
    if unit != WIN_SHARE:
        return value
    least = 1 / (1 + math.exp(_MOST_LOG_ODDS))
    share = min(1 - least, max(least, value))
    return math.log(share / (1 - share))


@functools.lru_cache(maxsize=1024)
def _name(spec: str) -> str:
    return parse_spec(spec)[0]


def calibration_of(game: str) -> Calibration | None:
    """The calibration that comes with a game, by its name or spec; None if there is none."""
    return _calibration(_name(game))


def calibration_file(game: str) -> Path | None:
    """The file of the calibration that comes with a game; None if there is none."""
    room = all_rooms().get(parse_spec(game)[0])
    return Path(str(room.file(room.calibration))) if room is not None and room.calibration else None


@functools.cache
def _calibration(name: str) -> Calibration | None:
    file = calibration_file(name)
    if file is None:
        return None
    try:
        return read_calibration(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        told = all_rooms()[name].calibration
        raise JouteError(f"the calibration {told} of {name} cannot be read: {error}") from error


def read_calibration(text: str) -> Calibration:
    """The calibration in the text of a file; ValueError if it is none.

    Lines that begin with # are comments. Then come ``agent NAME``, ``unit WORDS``, and a line ``ply slope shift`` or
    ``ply slope shift bend`` for each row.
    """
    words: dict[str, str] = {}
    knots: list[Knot] = []
    for line in filter(None, (line.partition("#")[0].strip() for line in text.splitlines())):
        name, _, rest = line.partition(" ")
        if name in ("agent", "unit"):
            words[name] = rest.strip()
            continue
        try:
            numbers = line.split()
            ply, slope, shift, bend = numbers if len(numbers) == 4 else [*numbers, "0"]
            knots.append(Knot(int(ply), float(slope), float(shift), float(bend)))
        except ValueError:
            raise ValueError(f"'{line}' is no row of ply, slope, shift and perhaps a bend") from None
    plies = [knot.ply for knot in knots]
    if not knots or sorted(set(plies)) != plies or set(words) != {"agent", "unit"}:
        raise ValueError("it must have an agent, a unit, and rows with rising plies")
    if not all(
        knot.slope > 0 and knot.bend >= 0 and all(map(math.isfinite, (knot.slope, knot.shift, knot.bend)))
        for knot in knots
    ):
        raise ValueError("every slope must be above 0, and no bend below: a better value is a better chance")
    return Calibration(words["agent"], words["unit"], tuple(knots))


def win_probability(state: State, value_for_mover: float, *, unit: str, agent: str = "") -> float:
    """The probability that the first player wins, from an agent's value of a position for the player to move.

    `agent` is the spec of the agent that gave the value; without it, the value is taken for one of the agent that the
    game's calibration was fitted to, if the unit is the same.

    >>> from joute.games import new
    >>> win_probability(new("connect4", "44"), 0.7, unit="win share")
    0.7
    >>> win_probability(new("avalam"), 1.0, unit="towers") > 0.75
    True
    """
    value = value_for_mover if state.to_move == 0 else _turned(value_for_mover, unit)
    if is_decided(value) or math.isinf(value):
        return 1.0 if value > 0 else 0.0
    known = calibration_of(state.game)
    if known is not None and is_calibrated(state.game, unit=unit, agent=agent):
        return known.probability(value, state.ply)
    if unit == WIN_SHARE:
        return min(1.0, max(0.0, value))
    return _logistic(value)


def is_calibrated(game: str, *, unit: str, agent: str = "") -> bool:
    """Whether the calibration of a game, by its name or spec, is for values of this unit by this agent.

    >>> [is_calibrated("avalam", unit="towers", agent=spec) for spec in ("avalam:nodes=100", "mcts")]
    [True, False]
    """
    known = calibration_of(game)
    return known is not None and known.unit == unit and _name(agent or known.agent) == known.agent


def analysis_probability(state: State, analysis: Analysis, *, agent: str = "") -> float | None:
    """The probability that the first player wins in an analyzed position; None if the analysis tells no value.

    It is 0, ½ or 1 if the game is over or the result is proven.
    """
    if state.result is not None:
        return (1 + state.result.outcome) / 2
    outcome = proven_outcome(analysis)
    if outcome is not None:
        return _share_for_first(state, outcome)
    if analysis.value is None or math.isnan(analysis.value):
        return None
    return win_probability(state, analysis.value, unit=analysis.unit, agent=agent)


def move_probability(state: State, analysis: Analysis, judged: MoveValue, *, agent: str = "") -> float | None:
    """The probability that the first player wins after a move of an analysis; None if the move has no value."""
    outcome = judged.outcome
    if outcome is None and analysis.exact and judged.value is not None:
        outcome = _sign(judged.value, analysis.unit)
    if outcome is not None:
        return _share_for_first(state, outcome)
    if judged.value is None or math.isnan(judged.value):
        return None
    return win_probability(state, judged.value, unit=analysis.unit, agent=agent)


def proven_outcome(analysis: Analysis) -> int | None:
    """The proven result for the player to move: 1, 0 or -1; None if it is open."""
    if analysis.moves and analysis.moves[0].outcome is not None:
        return analysis.moves[0].outcome
    return _sign(analysis.value, analysis.unit) if analysis.exact and analysis.value is not None else None


def _sign(value: float, unit: str) -> int:
    even = 0.5 if unit == WIN_SHARE else 0.0
    return (value > even) - (value < even)


def _share_for_first(state: State, outcome: int) -> float:
    return (1 + (outcome if state.to_move == 0 else -outcome)) / 2


def _turned(value: float, unit: str) -> float:
    """The value for the other player."""
    return 1 - value if unit == WIN_SHARE else -value


def _logistic(log_odds: float) -> float:
    return 1 / (1 + math.exp(-min(_MOST_LOG_ODDS, max(-_MOST_LOG_ODDS, log_odds))))
