"""Measures how often an agent makes a mistake, judged by an agent that solves the game.

A *mistake* is a move whose class (win, draw or loss) is worse than that of the best move. A move that loses score, such
as a slower win, is counted separately, mistakes included.

Positions come from random play, at a ply drawn uniformly. A position is used if the mover has no win in one and its
moves have at least two classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from joute._core import Random
from joute.agents import Analyst, Clock, agent, exact_agent
from joute.errors import SpecError
from joute.games import Move, State, new
from joute.match.game import derive_seed
from joute.match.player import ask, seat
from joute.match.statistics import wilson_interval

# Three equal parts of the range of plies.
PHASES = ("opening", "middle", "end")
# At ply 4 of Connect Four most random positions are usable, at ply 35 about one in 250.
_MOST_TRIES = 10_000


@dataclass
class Tally:
    """The numbers of judged moves, of mistakes, and of moves that lost score."""

    moves: int = 0
    mistakes: int = 0
    score_losses: int = 0

    def add(self, *, mistake: bool, score_loss: bool) -> None:
        """Count a move."""
        self.moves += 1
        self.mistakes += mistake
        self.score_losses += score_loss

    @property
    def mistake_share(self) -> float:
        """The share of mistakes."""
        return self.mistakes / self.moves if self.moves else 0.0

    @property
    def score_loss_share(self) -> float:
        """The share of moves that lost score, mistakes included."""
        return self.score_losses / self.moves if self.moves else 0.0

    @property
    def mistake_interval(self) -> tuple[float, float]:
        """The 95% interval of the share of mistakes."""
        return wilson_interval(self.mistake_share, self.moves)

    @property
    def score_loss_interval(self) -> tuple[float, float]:
        """The 95% interval of the share of moves that lost score."""
        return wilson_interval(self.score_loss_share, self.moves)


@dataclass
class MistakeRate:
    """The tallies of an agent's moves: in all, by phase and by ply."""

    game: str
    agent: str
    plies: tuple[int, int]
    total: Tally = field(default_factory=Tally)
    by_phase: dict[str, Tally] = field(default_factory=lambda: {phase: Tally() for phase in PHASES})
    by_ply: dict[int, Tally] = field(default_factory=dict)
    time_s: float = 0.0

    def add(self, ply: int, *, mistake: bool, score_loss: bool) -> None:
        """Count a move played at a ply."""
        low, high = self.plies
        phase = PHASES[len(PHASES) * (ply - low) // (high - low + 1)]
        for tally in (self.total, self.by_phase[phase], self.by_ply.setdefault(ply, Tally())):
            tally.add(mistake=mistake, score_loss=score_loss)


def measure_mistakes(
    game: str,
    specs: Sequence[str],
    *,
    positions: int,
    seed: int = 0,
    plies: tuple[int, int] = (4, 35),
    on_position: Callable[[list[MistakeRate]], None] | None = None,
) -> list[MistakeRate]:
    """Ask each agent for a move in the same `positions` positions, and judge the moves.

    An agent that crashes or plays an illegal move raises MisconductError.
    """
    start = new(game)
    rates = [MistakeRate(start.spec, spec, plies) for spec in specs]
    for index, (state, values) in enumerate(islice(questions(start, seed=seed, plies=plies), positions)):
        best = max(values.values())
        for rate in rates:
            player = seat(rate.agent, rate.agent, start.spec, derive_seed(seed, index))
            move, time_s = ask(player, rate.agent, state, Clock())
            rate.time_s += time_s
            rate.add(state.ply, mistake=_class(values[move]) < _class(best), score_loss=values[move] < best)
        if on_position:
            on_position(rates)
    return rates


def questions(start: State, *, seed: int, plies: tuple[int, int]) -> Iterator[tuple[State, dict[Move, float]]]:
    """An endless sequence of usable positions with the exact value of every move, determined by the seed."""
    judge = judge_of(start)
    rng = Random(seed)
    low, high = plies
    while True:
        ply = low + rng.below(high - low + 1)
        yield _first_question(start, ply, rng, judge)


def judge_of(start: State) -> Analyst:
    """The agent that solves every position of a game; SpecError if there is none."""
    name = exact_agent(start.game)
    judge: Any = agent(name, game=start.game) if name else None
    if not isinstance(judge, Analyst):
        raise SpecError(f"no agent solves every position of {start.game}, so moves cannot be judged")
    return judge


def _first_question(start: State, ply: int, rng: Random, judge: Analyst) -> tuple[State, dict[Move, float]]:
    for _ in range(_MOST_TRIES):
        if question := _question(_random_position(start, ply, rng), judge):
            return question
    raise SpecError(f"random play of {start.game} reaches no position at ply {ply} where a move could be a mistake")


def _random_position(state: State, plies: int, rng: Random) -> State:
    for _ in range(plies):
        if state.is_terminal:
            break
        state = state.play(state.random_move(rng), rng)
    return state


def _question(state: State, judge: Analyst) -> tuple[State, dict[Move, float]] | None:
    if state.is_terminal or state.winning_moves:
        return None
    judged = judge.analyze(state, with_line=False).moves
    values = {known.move: known.value for known in judged if known.value is not None}
    return (state, values) if len({_class(value) for value in values.values()}) > 1 else None


def _class(value: float) -> int:
    return (value > 0) - (value < 0)
