"""The admission test of an agent: short games against random on both sides, also with little time.

What would cost it a game in a tournament is found here first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from joute.agents.loading import find_source
from joute.arena.isolation import Isolation
from joute.arena.players import make_player
from joute.games import new
from joute.match.clock import MARGIN_S, TimeControl
from joute.match.player import LocalPlayer
from joute.match.record import GameRecord, Reason
from joute.match.referee import derive_seed, play_game


@dataclass
class Stage:
    """Some games under one clock."""

    title: str
    clock: TimeControl
    side: int
    records: list[GameRecord] = field(default_factory=list)

    @property
    def forfeits(self) -> list[GameRecord]:
        """The games that the agent lost by its own fault."""
        forgiven = (Reason.NORMAL, Reason.PLY_LIMIT, Reason.RESIGNATION)
        return [record for record in self.records if record.reason not in forgiven and record.winner != self.side]

    @property
    def longest_move_s(self) -> float:
        """The longest that the agent thought about a move."""
        own = (move.time_s for record in self.records for move in record.moves if move.player == self.side)
        return max(own, default=0.0)

    @property
    def longest_game_s(self) -> float:
        """The longest that the agent thought in a game."""
        return max(
            (sum(move.time_s for move in record.moves if move.player == self.side) for record in self.records),
            default=0.0,
        )


@dataclass
class Admission:
    """What the admission test found."""

    agent: str
    game: str
    isolation: str
    stages: list[Stage] = field(default_factory=list)
    #: Whether the same seed gave the same moves; None where that was not asked.
    repeats: bool | None = None
    output: str = ""

    @property
    def passed(self) -> bool:
        """Whether no game was forfeited."""
        return not any(stage.forfeits for stage in self.stages)


def check_agent(
    text: str,
    game: str,
    *,
    clock: TimeControl,
    low_clock: TimeControl,
    games: int = 2,
    seed: int = 0,
    isolation: Isolation | None = None,
    margin_s: float = MARGIN_S,
    on_stage: Callable[[Admission], None] = lambda admission: None,
) -> Admission:
    """Play `games` games a side under each clock; `on_stage` is told after each game.

    It ends with the first game in which the agent fails before its first move.
    """
    isolation = isolation or Isolation()
    start = new(game)
    source = find_source(text, start.game)
    player = make_player(source, text, start.spec, isolation)
    admission = Admission(text, start.spec, player.isolation)

    def play(control: TimeControl, side: int, number: int) -> GameRecord:
        opponent = LocalPlayer("random")
        sides = (player, opponent) if side == 0 else (opponent, player)
        record = play_game(start, *sides, seed=derive_seed(seed, number), clock=control, margin_s=margin_s)
        admission.output = admission.output or record.output[side]
        return record

    for number, (title, control, side) in enumerate(_stages(clock, low_clock)):
        stage = Stage(title, control, side)
        admission.stages.append(stage)
        for index in range(games):
            stage.records.append(play(control, side, number * games + index))
            on_stage(admission)
            if stage.forfeits and len(stage.records[-1].moves) <= side:
                return admission  # it cannot even begin, so there is nothing more to learn
    if admission.passed:
        again = play(clock, 0, 0)
        admission.repeats = [move.move for move in again.moves] == [
            move.move for move in admission.stages[0].records[0].moves
        ]
    return admission


def _stages(clock: TimeControl, low_clock: TimeControl) -> Iterator[tuple[str, TimeControl, int]]:
    for title, control in (("games", clock), ("little time", low_clock)):
        for side in (0, 1):
            yield title, control, side
