"""Reviews of games: the judge's win probability before and after every move, and what follows from it.

A move is compared with the judge's choice by searches of the same size in the two positions after them, because
searches of the position before and of the position after a move differ in depth and would find losses where there are
none. In games with chance both are expectations before the random event: bad luck is not the mover's fault.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from joute.errors import JouteError
from joute.games import State
from joute.match.record import GameRecord, is_lost_turn, replayed
from joute.reviews.classes import PHASES, MoveClass, ReviewParameters, accuracy_of, mean_accuracy, phase_of
from joute.reviews.judge import Judge, Judgement


@dataclass(frozen=True)
class ReviewedMove:
    """A judged move. Probabilities are those of the first player, and before the random events that a move causes."""

    index: int  # from 0 in the record
    ply: int
    player: int
    move: str
    #: With the judge's best move, and with the move that was played.
    before: float
    after: float
    #: What the random events after the move added; 0 without any.
    luck: float
    #: The win probability that the move gave away, for its player; never negative.
    loss: float
    kind: MoveClass
    #: The judge's move and the line that it expects from there. The move may be the one that was played.
    best: str
    line: tuple[str, ...]
    #: Whether the values are proven and no estimates.
    is_proven: bool
    #: Whether it was the only legal move.
    is_forced: bool
    #: Whether it counts for accuracy.
    counts: bool

    @property
    def accuracy(self) -> float:
        """The accuracy of the move in percent."""
        return accuracy_of(self.loss)


@dataclass(frozen=True)
class Review:
    """A reviewed game, or its first moves if the review was interrupted.

    `chances` are the win probabilities of the first player in each position, one more than moves.
    """

    record: GameRecord
    agent: str
    parameters: ReviewParameters
    moves: tuple[ReviewedMove, ...]
    chances: tuple[float, ...]

    @property
    def is_complete(self) -> bool:
        """Whether all moves of the game are judged."""
        return len(self.moves) == len(self.record.moves)

    def accuracy(self, player: int, phase: str | None = None) -> float | None:
        """The accuracy of a player in percent, in the whole game or in a phase; None if no move counts."""
        return mean_accuracy(
            judged.loss
            for judged in self.moves
            if judged.player == player and judged.counts and phase in (None, self.phase(judged))
        )

    def phase(self, judged: ReviewedMove) -> str:
        """The phase of a move: opening, middle or end, thirds of the game's moves."""
        return phase_of(judged.index, len(self.record.moves))

    def count(self, player: int, kind: MoveClass) -> int:
        """The number of a player's moves of a class."""
        return sum(judged.player == player and judged.kind is kind for judged in self.moves)

    @cached_property
    def moments(self) -> tuple[str, ...]:
        """The moments that decided the game, in a sentence each, in the order of the game."""
        from joute.reviews.moments import moments_of

        return moments_of(self)

    def __str__(self) -> str:
        """The review as text, for a terminal of 80 columns without colours."""
        from joute.reviews.text import review_text

        return review_text(self)

    def __repr__(self) -> str:
        return f"<review of {self.record.headline}, by {self.agent}>"


def review(
    record: GameRecord,
    agent: str | None = None,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    jobs: int | None = None,
    parameters: ReviewParameters | None = None,
) -> Review:
    """Review a game: judge every move by the game's exact solver, else by its engine, else by MCTS.

    `agent` is another judge. `nodes` or `seconds` limit each search. `jobs` searches run at once, by default one for
    each core. With nodes as limit, the review depends on nothing else.

    >>> from joute import play_game
    >>> played = review(play_game("connect4", "perfect", "random", seed=1))
    >>> played.accuracy(0), played.chances[0], played.moves[0].kind.value
    (100.0, 1.0, 'best')
    """
    reviewer = Reviewer(record, agent, nodes=nodes, seconds=seconds, jobs=jobs, parameters=parameters)
    reviewer.run()
    return reviewer.review


@dataclass
class _Question:
    """A move of the record and the positions around it."""

    before: State
    after: State  # random events may be pending
    settled: State  # the next position of the game
    is_lost_turn: bool


@dataclass
class Reviewer:
    """A review in progress: `run` judges the moves, and `review` is what is done so far."""

    record: GameRecord
    agent: str | None = None
    nodes: int | None = None
    seconds: float | None = None
    jobs: int | None = None
    parameters: ReviewParameters | None = None
    _positions: dict[int, Judgement] = field(default_factory=dict)
    _moves: dict[int, ReviewedMove] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._settings = self.parameters or ReviewParameters()
        states = list(self.record.states())
        if not self.record.moves:
            raise JouteError("the game has no moves to review")
        self.judge = Judge(
            states[0].spec, self.agent, nodes=self.nodes, seconds=self.seconds, parameters=self._settings
        )
        self._states = states
        self._questions = [
            _Question(before, replayed(before, played.move), settled, is_lost_turn(before, played.move))
            for played, before, settled in zip(self.record.moves, states[:-1], states[1:], strict=True)
        ]

    @property
    def total(self) -> int:
        """The number of steps: positions and moves."""
        return len(self._states) + len(self._questions)

    @property
    def review(self) -> Review:
        """The review of the moves that are judged, from the first one on without a gap."""
        done = 0
        while done in self._moves:
            done += 1
        if done == 0:
            raise JouteError("no move of the game is judged yet")
        return Review(
            self.record,
            self.judge.spec,
            self._settings,
            tuple(self._moves[index] for index in range(done)),
            tuple(self._positions[index].for_first for index in range(done + 1)),
        )

    @property
    def judged(self) -> int:
        """The number of judged moves."""
        return len(self._moves)

    def run(self, on_step: Callable[[int], None] | None = None) -> None:
        """Judge all moves; `on_step` gets the number of finished steps. After KeyboardInterrupt, `review` has the rest.

        Positions are searched in the order of the game, and a move is judged as soon as the positions around it are,
        so that an interrupted review covers the first moves.
        """
        jobs = self.jobs or os.cpu_count() or 1
        ready: deque[int] = deque()
        next_position = 0
        running: dict[Future[Any], int] = {}
        pool = ThreadPoolExecutor(jobs)
        try:
            while ready or running or next_position < len(self._states):
                while len(running) < jobs and (ready or next_position < len(self._states)):
                    if ready:
                        index = ready.popleft()
                        running[pool.submit(self._judge_move, index)] = index
                    else:
                        running[pool.submit(self._judge_position, next_position)] = next_position
                        next_position += 1
                # The timeout lets Ctrl-C through.
                for future in wait(running, timeout=0.5, return_when=FIRST_COMPLETED).done:
                    index = running.pop(future)
                    found: Judgement | ReviewedMove = future.result()
                    if isinstance(found, ReviewedMove):
                        self._moves[index] = found
                    else:
                        self._positions[index] = found
                        ready.extend(self._newly_ready(index))
                    if on_step:
                        on_step(len(self._positions) + len(self._moves))
        except BaseException:
            self.judge.stop()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _newly_ready(self, position: int) -> list[int]:
        """The moves whose positions before and after are judged, now that `position` is."""
        around = [position - 1, position]
        return [index for index in around if index in self._positions and index + 1 in self._positions]

    def _judge_position(self, index: int) -> Judgement:
        return self.judge.judge_expected(self._states[index])

    def _judge_move(self, index: int) -> ReviewedMove:
        question, played = self._questions[index], self.record.moves[index]
        known = self._positions[index]
        state = question.before
        best = known.line[0] if known.line else played.move
        is_choice = not question.is_lost_turn and _is_same(state, best, played.move, question.after)
        after = self._after(question, known, self._positions[index + 1])
        before = known if known.is_proven else after if is_choice else self._value_of(state, best)
        player = played.player
        mine_after = after.for_player(player)
        mine_before = before.for_player(player)
        if known.is_proven and (is_choice or mine_after > mine_before):
            mine_after = mine_before  # no move is better than a proven result
        mine_before = max(mine_before, mine_after)
        settings = self._settings
        is_forced = state.complete and len(state.legal_moves) == 1
        for_first = mine_after if player == 0 else 1 - mine_after
        return ReviewedMove(
            index=index,
            ply=state.ply,
            player=player,
            move=played.move,
            before=mine_before if player == 0 else 1 - mine_before,
            after=for_first,
            luck=self._positions[index + 1].for_first - for_first if question.after.is_chance else 0.0,
            loss=mine_before - mine_after,
            kind=settings.class_of(mine_before, mine_after, is_choice=is_choice),
            best=best,
            line=known.line or (best,),
            is_proven=known.is_proven and after.is_proven,
            is_forced=is_forced,
            counts=not is_forced and mine_before >= settings.at_stake,
        )

    def _after(self, question: _Question, known: Judgement, settled: Judgement) -> Judgement:
        """Judge what follows the move that was played."""
        if question.after.is_chance:
            return self.judge.judge_expected(question.after)
        if known.is_proven and not settled.is_proven:
            return self.judge.judge(question.settled, share=self._settings.retry)
        return settled

    def _value_of(self, state: State, move: str) -> Judgement:
        return self.judge.judge_expected(state.play(move))


def _is_same(state: State, best: str, played: str, after: State) -> bool:
    """Whether two texts are the same move, or lead to the same position."""
    return best == played or state.play(best) == after


def phase_accuracies(review: Review) -> Sequence[tuple[str, float | None, float | None]]:
    """The accuracy of both players in the whole game and in each phase, as (name, first, second)."""
    rows: list[tuple[str, str | None]] = [("game", None), *((phase, phase) for phase in PHASES)]
    return [(name, review.accuracy(0, phase), review.accuracy(1, phase)) for name, phase in rows]
