"""How a move is judged: its class by the win probability that it loses, and accuracy.

The thresholds are those of lichess (scalachess and lila, 2024): its scale from −1 to 1 has them at 0.1, 0.2 and 0.3,
which are 5, 10 and 15 points of win probability. Accuracy is lichess's curve too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from joute.agents.search import SearchParameters
from joute.spec import parameter, parameters_of, vary

#: The phases of a game: thirds of its moves.
PHASES = ("opening", "middle", "end")


class MoveClass(Enum):
    """The class of a move, best first."""

    BEST = "best"
    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    MISSED_WIN = "missed win"
    BLUNDER = "blunder"


@dataclass(frozen=True)
class ReviewParameters:
    """Every number of a review. Losses and probabilities are of the mover, from 0 to 1."""

    nodes: int = vary(
        SearchParameters,
        "nodes",
        default=50_000,
        help="nodes of a search, if neither the agent's spec nor --seconds limits it",
        source="a game of 60 plies takes 10 to 20 s on one core",
        low=1,
    )
    inaccuracy: float = parameter(0.05, help="the least loss of an inaccuracy", source="lichess", low=0, high=1)
    mistake: float = parameter(0.10, help="the least loss of a mistake", source="lichess", low=0, high=1)
    blunder: float = parameter(0.15, help="the least loss of a blunder", source="lichess", low=0, high=1)
    won: float = parameter(
        0.95,
        help="a position is won from this probability on: a blunder there that leaves an even game or better is a "
        "missed win",
        source="a choice: proven wins, and those that engines convert",
        low=0.5,
        high=1,
    )
    even: float = parameter(
        0.5, help="the least probability after a missed win", source="a draw is half a win", low=0, high=1
    )
    at_stake: float = parameter(
        0.02,
        help="accuracy counts moves of a player who has at least this probability, and a choice",
        source="a choice: every move of a lost game is best",
        low=0,
        high=1,
    )
    equal: float = parameter(
        0.005, help="a loss below this is none: the move is as good as the best", source="a choice", low=0, high=1
    )
    moments: int = parameter(3, help="how many moments to tell", source="KaTrain and lichess show as few", low=0)
    coverage: float = parameter(
        0.98,
        help="an expectation takes random outcomes, the likeliest first, until they cover this share",
        source="the rest changes it by two points at most",
        low=0.5,
        high=1,
    )
    outcomes: int = parameter(
        50, help="most outcomes of an expectation", source="each is a search of at least a tenth", low=1
    )
    retry: int = parameter(
        8,
        help="times the nodes for the position after a move if the position before it is proven and this one is not",
        source="a choice: a proven and an estimated value do not compare",
        low=1,
    )
    memory_mb: int = parameter(
        16, help="megabytes of a search's table", source="enough for a million nodes", low=1, high=2**20
    )

    def __post_init__(self) -> None:
        for known in parameters_of(type(self)):
            known.read(str(getattr(self, known.name)), "review")

    def class_of(self, before: float, after: float, *, is_choice: bool = False) -> MoveClass:
        """The class of a move that changes its player's probability from `before`, with the best move, to `after`.

        `is_choice`: it is the move that the judge would play.

        >>> [ReviewParameters().class_of(0.6, after).value for after in (0.6, 0.57, 0.55, 0.5, 0.2)]
        ['best', 'good', 'inaccuracy', 'mistake', 'blunder']
        >>> [ReviewParameters().class_of(1.0, after).value for after in (0.5, 0.0)]
        ['missed win', 'blunder']
        """
        loss = before - after + 1e-9  # 0.6 - 0.5 is less than 0.1 in floating point
        if is_choice or loss < self.equal:
            return MoveClass.BEST
        if loss >= self.blunder:
            return MoveClass.MISSED_WIN if before >= self.won and after >= self.even else MoveClass.BLUNDER
        if loss >= self.mistake:
            return MoveClass.MISTAKE
        return MoveClass.INACCURACY if loss >= self.inaccuracy else MoveClass.GOOD


def accuracy_of(loss: float) -> float:
    """The accuracy of a move in percent, from its loss: 100 for none (lichess, ``AccuracyPercent.scala``).

    >>> [round(accuracy_of(loss)) for loss in (0, 0.05, 0.1, 0.15, 0.5, 1)]
    [100, 80, 64, 51, 9, 0]
    """
    if loss <= 0:
        return 100.0
    return min(100.0, max(0.0, 103.1668 * math.exp(-4.354415 * loss) - 3.1669))


def mean_accuracy(losses: Iterable[float]) -> float | None:
    """The mean accuracy of moves; None if there are none."""
    found = [accuracy_of(loss) for loss in losses]
    return sum(found) / len(found) if found else None


def phase_of(index: int, moves: int) -> str:
    """The phase of move `index`, from 0, in a game of that many moves."""
    return PHASES[len(PHASES) * index // max(1, moves)]
