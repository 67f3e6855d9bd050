"""The contents of the page on one agent: its results by opponent and colour, its time, and where it lost."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from joute.arena.store.store import StoredGame
from joute.games import new
from joute.match import Reason
from joute.numbers import game_number, is_decided

# Most moves and games in the lists of the worst.
_WORST = 10


@dataclass
class Tally:
    """Won, drawn and lost games, and the numbers of the lost ones."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    lost_games: list[int] = field(default_factory=list)

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win counts one, a draw half."""
        return self.wins + self.draws / 2

    def add(self, outcome: int, game: int) -> None:
        """Count a game by its outcome for the agent."""
        self.wins += outcome > 0
        self.draws += outcome == 0
        self.losses += outcome < 0
        if outcome < 0:
            self.lost_games.append(game)


@dataclass(frozen=True)
class TimedMove:
    """A move of the agent and its time; `ply` counts from 1, the opening included."""

    time_s: float
    game: int
    ply: int
    move: str


@dataclass(frozen=True)
class Drop:
    """The largest fall of the agent's own value between two of its moves in a lost game; `ply` is that of the second.

    Values are for the agent, in its own unit.
    """

    fall: float
    game: int
    ply: int
    before: float
    after: float
    move: str


@dataclass
class AgentData:
    """The games of one agent, summed up."""

    #: By index of the opponent in the plan.
    opponents: dict[int, Tally] = field(default_factory=dict)
    colours: tuple[Tally, Tally] = field(default_factory=lambda: (Tally(), Tally()))
    #: The lost games that ended by the rules, by length in plies.
    lost_lengths: Counter[int] = field(default_factory=Counter)
    #: The agent's longest moves, and its largest falls of value in lost games, the worst first.
    slowest: list[TimedMove] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    #: The longest time of the agent in a game, and that game; 0 without games.
    longest_game_s: float = 0.0
    longest_game: int = 0
    #: By ply: the longest time for a move.
    longest_by_ply: dict[int, float] = field(default_factory=dict)


def agent_data(agent: int, games: Iterable[StoredGame]) -> AgentData:
    """Sum up the games of an agent, given by its index in the plan; other games are ignored."""
    made = AgentData()
    plies: dict[str, int] = {}
    for stored in games:
        if agent not in stored.pairing.players:
            continue
        record, number = stored.record, game_number(stored.pairing.number)
        side = stored.pairing.players.index(agent)
        outcome = record.result.outcome_for(side)
        made.opponents.setdefault(stored.pairing.players[1 - side], Tally()).add(outcome, number)
        made.colours[side].add(outcome, number)
        if outcome < 0 and record.reason is Reason.NORMAL:
            made.lost_lengths[len(record.moves)] += 1
        if record.start not in plies:
            plies[record.start] = new(record.game, record.start).ply
        _add_moves(made, stored, side, plies[record.start] + 1)
    made.slowest = sorted(made.slowest, key=lambda move: -move.time_s)[:_WORST]
    made.drops = sorted(made.drops, key=lambda drop: -drop.fall)[:_WORST]
    return made


def _add_moves(made: AgentData, stored: StoredGame, side: int, first_ply: int) -> None:
    record, number = stored.record, game_number(stored.pairing.number)
    own = [(ply, played) for ply, played in enumerate(record.moves, first_ply) if played.player == side]
    total_s = sum(played.time_s for _, played in own)
    if total_s > made.longest_game_s:
        made.longest_game_s, made.longest_game = total_s, number
    for ply, played in own:
        made.longest_by_ply[ply] = max(played.time_s, made.longest_by_ply.get(ply, 0.0))
    made.slowest += [TimedMove(played.time_s, number, ply, played.move) for ply, played in own]
    if len(made.slowest) > 100 * _WORST:
        made.slowest = sorted(made.slowest, key=lambda move: -move.time_s)[:_WORST]
    if record.result.outcome_for(side) >= 0:
        return
    stated = [
        (ply, played.info.value_for_mover, played.move)
        for ply, played in own
        if played.info and played.info.value_for_mover is not None and not math.isnan(played.info.value_for_mover)
    ]
    falls = [
        Drop(_fall(before, after), number, ply, before, after, move)
        for (_, before, _), (ply, after, move) in itertools.pairwise(stated)
        if after < before
    ]
    made.drops += [max(falls, key=lambda drop: drop.fall)] if falls else []


def _fall(before: float, after: float) -> float:
    """The size of a fall; a fall to a lost position is not larger than others by the plies to its end."""
    return math.inf if is_decided(before) or is_decided(after) or math.isinf(after) else before - after
