"""The admission test of an agent: short games against random on both sides, also with little time.

What would cost it a game in a tournament is found here first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from joute.agents import Clock
from joute.agents.loading import find_source
from joute.arena.isolation import Isolation
from joute.arena.players import make_player
from joute.games import State, new
from joute.match.clock import MARGIN_S, TimeControl
from joute.match.player import Answer, LocalPlayer, Player, Traces
from joute.match.record import GameRecord
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
        return [record for record in self.records if self.side in record.at_fault]

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
    #: Whether the same seeds gave the same games; None where that was not asked.
    repeats: bool | None = None
    #: How many games were played again to see that.
    repeated_games: int = 0
    output: str = ""

    @property
    def passed(self) -> bool:
        """Whether no game was forfeited."""
        return not any(stage.forfeits for stage in self.stages)


# Games are played again until the agent has repeated so many moves, so that chance does not pass for a memory; but
# no more than so many games.
_REPEATED_MOVES, _REPEATED_GAMES = 12, 8


class _Watched(Player):
    """A player of whom it is said whether it is awaited or plays."""

    def __init__(self, player: Player, tell: Callable[[bool], None]) -> None:
        self.name = player.name
        self.isolation = player.isolation
        self._player = player
        self._tell = tell

    def begin(self, start: State, player: int, seed: int) -> None:
        self._tell(False)
        self._player.begin(start, player, seed)
        self._tell(True)

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        return self._player.ask(state, line, clock, limit_s)

    def end(self) -> Traces:
        return self._player.end()


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
    on_step: Callable[[Admission, str], None] = lambda admission, step: None,
) -> Admission:
    """Play `games` games a side under each clock, then some again; `on_step` is told in words what happens now.

    It ends with the first game in which the agent fails before its first move.
    """
    isolation = isolation or Isolation()
    start = new(game)
    source = find_source(text, start.game)
    step = ""

    def tell(is_ready: bool) -> None:
        on_step(admission, step if is_ready else f"{step}: waiting until it is ready")

    player = _Watched(make_player(source, text, start.spec, isolation), tell)
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
        step = f"{title} as {('first', 'second')[side]}"
        for index in range(games):
            stage.records.append(play(control, side, number * games + index))
            if stage.forfeits and len(stage.records[-1].moves) <= side:
                return admission  # it cannot even begin, so there is nothing more to learn
    if admission.passed:
        step = "the same games again"
        _play_again(admission, clock, play)
    return admission


def _play_again(admission: Admission, clock: TimeControl, play: Callable[[TimeControl, int, int], GameRecord]) -> None:
    """See whether games repeat: all those of the first stage, two at least, and more where they are short."""
    games = len(admission.stages[0].records)
    known = [*admission.stages[0].records, *admission.stages[1].records]
    moves = 0
    for number in range(max(games, _REPEATED_GAMES)):
        if number >= max(2, games) and moves >= _REPEATED_MOVES:
            break
        # Beyond the games there are, new ones are played twice; their numbers follow those of all stages.
        side, index = (number // games, number) if number < 2 * games else (0, 2 * games + number)
        first = known[number] if number < 2 * games else play(clock, side, index)
        again = play(clock, side, index)
        admission.repeated_games += 1
        admission.repeats = _line(first) == _line(again)
        if not admission.repeats:
            return
        moves += sum(move.player == side for move in again.moves)


def _line(record: GameRecord) -> list[str]:
    return [move.move for move in record.moves]


def _stages(clock: TimeControl, low_clock: TimeControl) -> Iterator[tuple[str, TimeControl, int]]:
    for title, control in (("games", clock), ("little time", low_clock)):
        for side in (0, 1):
            yield title, control, side
