"""The admission test of an agent (`joute check`): games against random on both sides, with normal and little time.

It reveals failures (crashes, illegal moves, late answers) that would forfeit games in a tournament. The verdict holds
for the normal clock: losses on time with little time are reported, but do not fail an agent that is slow by design.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from joute.agents import Clock
from joute.agents.loading import find_source
from joute.arena.players.isolation import Isolation, limits_kind
from joute.arena.players.players import make_player
from joute.games import State, new
from joute.match.clock import MARGIN_S, TimeControl
from joute.match.game import derive_seed
from joute.match.player import Answer, LocalPlayer, Player
from joute.match.record import GameRecord, Reason
from joute.match.referee import play_game


@dataclass
class Stage:
    """Games of the agent on one side (`side`, 0 or 1) under one clock, the normal one or that with little time."""

    clock: TimeControl
    side: int
    has_little_time: bool = False
    records: list[GameRecord] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The name of the stage in a table."""
        return "little time" if self.has_little_time else "games"

    @property
    def forfeits(self) -> list[GameRecord]:
        """The games that the agent forfeited."""
        return [record for record in self.records if self.side in record.at_fault]

    @property
    def late(self) -> list[GameRecord]:
        """The games that the agent lost on time."""
        return [record for record in self.forfeits if record.reason is Reason.TIME]

    @property
    def failures(self) -> list[GameRecord]:
        """The forfeits that fail the agent: with little time, all but the games lost on time."""
        return [record for record in self.forfeits if not (self.has_little_time and record.reason is Reason.TIME)]

    @property
    def lost_turns(self) -> int:
        """The number of turns lost by a late answer, in games where that does not lose the game."""
        return sum(record.lost_turns[self.side] for record in self.records)

    @property
    def longest_move_s(self) -> float:
        """The agent's longest time for a move."""
        own = (move.time_s for record in self.records for move in record.moves if move.player == self.side)
        return max(own, default=0.0)

    @property
    def longest_game_s(self) -> float:
        """The agent's longest total time in a game."""
        return max(
            (sum(move.time_s for move in record.moves if move.player == self.side) for record in self.records),
            default=0.0,
        )


@dataclass
class Admission:
    """The result of the admission test."""

    agent: str
    game: str
    isolation: str
    #: How the memory limit is enforced (`limits_kind`); empty for an agent without one.
    limits: str = ""
    stages: list[Stage] = field(default_factory=list)
    #: Whether the same seeds gave the same games; None if that was not tested.
    repeats: bool | None = None
    #: The number of games played again for that test.
    repeated_games: int = 0
    output: str = ""

    @property
    def passed(self) -> bool:
        """Whether no game was forfeited; a game lost on time counts with the normal clock alone."""
        return not any(stage.failures for stage in self.stages)

    @property
    def low_stages(self) -> list[Stage]:
        """The stages with little time."""
        return [stage for stage in self.stages if stage.has_little_time]


# Games are played again until the agent has repeated at least 40 moves, because a random agent may repeat a few moves
# by chance. If the games with the normal clock have too few moves, up to 6 new games are played twice.
_REPEATED_MOVES, _LONGER_GAMES = 40, 6


class _Watched(Player):
    """A player that calls `tell(False)` while it gets ready for a game and `tell(True)` when it is ready."""

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

    def end(self) -> str:
        return self._player.end()


def check_agent(
    text: str,
    game: str,
    *,
    clock: TimeControl,
    low_clock: TimeControl | None,
    games: int = 2,
    seed: int = 0,
    isolation: Isolation | None = None,
    margin_s: float = MARGIN_S,
    hidden_paths: Sequence[Path] = (),
    on_step: Callable[[Admission, str], None] = lambda admission, step: None,
) -> Admission:
    """Play `games` games per side under each clock, then repeat some; `on_step` receives a text for each step.

    `low_clock` None leaves out the games with little time. `hidden_paths` are hidden from the agent in the sandbox. The
    test ends at the first game in which the agent fails before its first move.
    """
    isolation = isolation or Isolation()
    start = new(game)
    source = find_source(text, start.spec)
    step = ""

    def tell(is_ready: bool) -> None:
        on_step(admission, step if is_ready else f"{step}: waiting until it is ready")

    player = _Watched(make_player(source, text, start.spec, isolation, hidden_paths=hidden_paths), tell)
    limits = limits_kind() if player.isolation in ("process", "sandbox") else ""
    admission = Admission(text, start.spec, player.isolation, limits)

    def play(control: TimeControl, side: int, number: int, against: str = "random") -> GameRecord:
        opponent = LocalPlayer(against)
        sides = (player, opponent) if side == 0 else (opponent, player)
        record = play_game(start, *sides, seed=derive_seed(seed, number), clock=control, margin_s=margin_s)
        admission.output = admission.output or record.output[side]
        return record

    for number, stage in enumerate(_stages(clock, low_clock)):
        admission.stages.append(stage)
        side = stage.side
        step = f"{stage.title} as {('first', 'second')[side]}"
        for index in range(games):
            stage.records.append(play(stage.clock, side, number * games + index))
            if stage.forfeits and len(stage.records[-1].moves) <= side:
                return admission  # the agent cannot make a first move: further games would fail alike
    if admission.passed:
        step = "the same games again"
        _play_again(admission, clock, play)
    return admission


class _Play(Protocol):
    def __call__(self, control: TimeControl, side: int, number: int, against: str = "random") -> GameRecord: ...


def _play_again(admission: Admission, clock: TimeControl, play: _Play) -> None:
    """Test whether the same seeds give the same games; sets `repeats` and `repeated_games`.

    It repeats as many games as the first stage has, at least two, and more until `_REPEATED_MOVES` are repeated. It
    stops at the first difference.
    """
    moves = 0
    for side, first, again in _pairs(admission, clock, play):
        admission.repeated_games += 1
        admission.repeats = _line(first) == _line(again)
        moves += sum(move.player == side for move in again.moves)
        enough = moves >= _REPEATED_MOVES and admission.repeated_games >= len(admission.stages[0].records)
        if not admission.repeats or (enough and admission.repeated_games >= 2):
            return


def _pairs(admission: Admission, clock: TimeControl, play: _Play) -> Iterator[tuple[int, GameRecord, GameRecord]]:
    """The agent's side, a game and its repetition: first the games with the normal clock, then new games."""
    games = len(admission.stages[0].records)
    for side in (0, 1):
        for index, record in enumerate(admission.stages[side].records):
            yield side, record, play(clock, side, side * games + index)
    for number in range(4 * games, 4 * games + _LONGER_GAMES):
        # Games against greedy last longer than against random.
        first, again = (play(clock, 0, number, "greedy") for _ in range(2))
        yield 0, first, again


def _line(record: GameRecord) -> list[str]:
    return [move.move for move in record.moves]


def _stages(clock: TimeControl, low_clock: TimeControl | None) -> Iterator[Stage]:
    for has_little_time, control in ((False, clock), (True, low_clock)):
        for side in (0, 1):
            if control is not None:
                yield Stage(control, side, has_little_time)
