"""Levels: opponents from a first game to full strength, ``level:1``, ``level:4``, ``level:auto``.

A level judges the moves of a position with a small search of the game's engine, then errs as people do:

- its horizon is near: a few plies or a few nodes;
- it overlooks some moves (`overlooks`), so that it errs where only one move is good;
- it chooses between the others by a softmax over the log-odds of their win probabilities, with a temperature: close
  moves are confused often, and bad ones seldom. If the game has kinds of moves (`LevelSet.kind`), the weight of a move
  is divided by the number of noticed moves of its kind. Otherwise a hundred walls would outweigh three steps.

From level 2 on, it takes a win in one move. From level 3 on, it sees the reply to each of its moves, and plays no move
that is a proven loss or loses more than `most_loss` of win probability by this search, unless all do. It does not
repeat a position if it sees another move. If it chooses a move that is all but certain to win, it plays the one of
these moves with the most progress instead (`LevelSet.progress`), so that a won game ends soon.

The move depends on the position and the seed alone, neither on earlier moves nor on the machine.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joute._core import Random
from joute.agents.agent import Agent, Analysis, Analyst, SearchInfo
from joute.agents.clock import Clock
from joute.agents.level_auto import AUTO, current_level
from joute.agents.level_sets import SEES_REPLIES, TAKES_WINS, Level, has_levels, level_set, levels_of
from joute.agents.registry import AgentType, agent
from joute.agents.win_probability import move_probability
from joute.errors import IllegalMoveError, SpecError
from joute.games import Move, State
from joute.spec import parameter

# The log-odds of a proven win: more than those of any estimate.
_CERTAIN = 8.0
# Log-odds that differ by less than this are the same.
_SAME = 0.01
# From this win probability on, a move wins: what is left to do is to end the game.
_WINS = 0.99


@dataclass(frozen=True)
class LevelParameters:
    """Which level plays."""

    number: str = parameter(
        "1",
        help="the level, from 1 to as many as the game has (joute levels GAME); auto: the one that suits you",
        source="a first game",
        leads=True,
    )


class LevelAgent:
    """Plays like a person of some strength."""

    info: SearchInfo | None = None

    def __init__(self, level: Level, number: int, *, game: str, seed: int) -> None:
        self.level = level
        self.number = number
        self._seed = seed
        made = agent(level.stage.agent, game=game)
        if not isinstance(made, Analyst):
            raise SpecError(f"agent '{level.stage.agent}' does not tell the values of moves, so no level can use it")
        self._judge: Analyst = made
        plan = level_set(game) if has_levels(game) else None
        self._kind = plan.kind if plan else None
        self._progress = plan.progress if plan else None

    def choose(self, state: State, clock: Clock) -> Move:
        """Return a move. The clock is ignored: the budgets of levels are small."""
        if state.is_terminal or state.is_chance:
            raise IllegalMoveError(f"there is no move to choose at ply {state.ply} of {state.game}")
        self.info = None
        if self.number >= TAKES_WINS and (wins := state.winning_moves):
            win: Move = wins[0]
            return win
        analysis = self._analysis(state)
        chances = _chances(state, analysis, self.level.stage.agent)
        chosen = self._chosen(state, [judged.move for judged in analysis.moves], chances)
        judged = analysis.moves[chosen]
        self.info = SearchInfo(judged.value, analysis.depth, analysis.nodes, judged.pv)
        return judged.move

    def _analysis(self, state: State) -> Analysis:
        """The values of the moves, as a new agent finds them: they do not depend on earlier moves."""
        forget = getattr(self._judge, "forget", None)
        if callable(forget):
            forget()
        is_best_move_enough = not self.level.temperature and not self.level.stage.overlooks
        lines = 1 if is_best_move_enough else self.level.stage.lines or len(state.legal_moves)
        return self._judge.analyze(state, with_line=False, lines=lines)

    def _dice(self, state: State) -> Random:
        """The dice for a position. The ply is part of their seed: otherwise a level would go round in circles."""
        return Random((self._seed * 0x9E3779B97F4A7C15 + state.key + state.ply * 0xD1B54A32D192ED03) % 2**64)

    def _chosen(self, state: State, moves: Sequence[Move], chances: Sequence[float | None]) -> int:
        """The index of the move to play, from the win probabilities of all moves, best first.

        Moves without a value are worse than those with one, and are not played.
        """
        known = {index: chance for index, chance in enumerate(chances) if chance is not None}
        if not known:
            return 0
        dice = self._dice(state)
        noticed = self._noticed(known, dice)
        # The first of several won moves is the fastest; without this rule, a level would play around a win.
        won = [index for index in noticed if known[index] >= 1]
        noticed = [index for index in noticed if index not in won[1:]]
        return self._hurried(state, moves, known, self._drawn(state, moves, known, noticed, dice))

    def _drawn(
        self, state: State, moves: Sequence[Move], known: Mapping[int, float], noticed: list[int], dice: Random
    ) -> int:
        """The index of a noticed move, drawn by the softmax; moves that repeat a position come last."""
        while len(noticed) > 1:
            shares = self._shares([moves[index] for index in noticed])
            values = self._values(state, [moves[index] for index in noticed], [known[index] for index in noticed])
            drawn = _softmax(values, shares, self.level.temperature, dice)
            if not _repeats(state, moves[noticed[drawn]]):
                return noticed[drawn]
            del noticed[drawn]
        return noticed[0]

    def _hurried(self, state: State, moves: Sequence[Move], known: Mapping[int, float], drawn: int) -> int:
        """The index of the move to play if `drawn` is chosen: among moves that win, the one with the most progress.

        Moves that do not win are played as they are drawn, so a level errs as often as without this rule.
        """
        progress = self._progress
        if progress is None or not _WINS <= known[drawn] < 1:
            return drawn
        winning = [index for index, chance in known.items() if chance >= _WINS and not _repeats(state, moves[index])]
        return max(winning, key=lambda index: (known[index] >= 1, progress(state, moves[index])), default=drawn)

    def _values(self, state: State, moves: Sequence[Move], chances: Sequence[float]) -> list[float]:
        """The log-odds of the win probabilities of moves; if they are all the same, the progress of each move."""
        values = [_log_odds(chance) for chance in chances]
        if self._progress is not None and max(values) - min(values) < _SAME:
            return [self._progress(state, move) for move in moves]
        return values

    def _shares(self, moves: Sequence[Move]) -> list[float]:
        """The weight of each move before its value counts: 1, or 1 by the number of moves of its kind."""
        if self._kind is None:
            return [1.0] * len(moves)
        kinds = [self._kind(move) for move in moves]
        counts = Counter(kinds)
        return [1 / counts[kind] for kind in kinds]

    def _noticed(self, known: Mapping[int, float], dice: Random) -> list[int]:
        """The moves that the level notices and does not rule out; the best one if there are none."""
        stage, best = self.level.stage, max(known.values())
        noticed = [index for index in known if not stage.overlooks or dice.uniform() >= stage.overlooks]
        if self.number >= SEES_REPLIES:
            least = max(best - stage.most_loss, math.ulp(0) if best > 0 else 0)
            noticed = [index for index in noticed if known[index] >= least]
        return noticed or [min(known)]

    def stop(self) -> None:
        """Make a search that runs in another thread return soon."""
        stop = getattr(self._judge, "stop", None)
        if callable(stop):
            stop()


def _chances(state: State, analysis: Analysis, spec: str) -> list[float | None]:
    """The win probability of each move of an analysis for the player to move; None without a value."""
    for_first = [move_probability(state, analysis, judged, agent=spec) for judged in analysis.moves]
    return [chance if chance is None or state.to_move == 0 else 1 - chance for chance in for_first]


def _log_odds(chance: float) -> float:
    least = 1 / (1 + math.exp(_CERTAIN))
    chance = min(1 - least, max(least, chance))
    return math.log(chance / (1 - chance))


def _repeats(state: State, move: Move) -> bool:
    """Whether a move leads to a position that the game has had before."""
    return bool(state.past) and state.play(move).key in state.past


def _softmax(values: Sequence[float], shares: Sequence[float], temperature: float, rng: Random) -> int:
    """An index, drawn with weights of ``share * exp(value / temperature)``; the first of the best at temperature 0."""
    most = max(values)
    if not temperature:
        return values.index(most)
    weights = [share * math.exp((value - most) / temperature) for value, share in zip(values, shares, strict=True)]
    remaining = rng.uniform() * sum(weights)
    for index, weight in enumerate(weights):
        remaining -= weight
        if remaining < 0:
            return index
    return weights.index(max(weights))


class _SeatedLevel:
    """A level before it knows its game: the first position tells it."""

    def __init__(self, parameters: LevelParameters, seed: int) -> None:
        self._parameters = parameters
        self._seed = seed
        self._agents: dict[str, LevelAgent] = {}

    @property
    def info(self) -> SearchInfo | None:
        """What the level tells about its last move."""
        return next((known.info for known in self._agents.values()), None)

    def prepare_game(self, start: State) -> None:
        """Create the search before the clock runs."""
        self._for(start)

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the level's move."""
        return self._for(state).choose(state, clock)

    def stop(self) -> None:
        """Make a search that runs in another thread return soon."""
        for known in list(self._agents.values()):
            known.stop()

    def _for(self, state: State) -> LevelAgent:
        if state.spec not in self._agents:
            number = number_of(self._parameters.number, state.game)
            level = levels_of(state.game).levels[number - 1]
            self._agents = {state.spec: LevelAgent(level, number, game=state.spec, seed=self._seed)}
        return self._agents[state.spec]


def number_of(text: str, game: str) -> int:
    """Return the number of the level that `text` names for a game; SpecError with the range if there is none."""
    count = len(levels_of(game).levels)
    if text == AUTO:
        return current_level(game, count)
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text) <= count:
        raise SpecError(f"{game} has the levels 1 to {count} and {AUTO}, not '{text}'")
    return int(text)


def _check(parameters: LevelParameters, game: type[State]) -> None:
    number_of(parameters.number, game.game)


def _objection(game: type[State]) -> str:
    return "" if has_levels(game.game) else "the game has no levels"


def _caveat(parameters: LevelParameters, start: State) -> str:
    if parameters.number != AUTO:
        return ""
    number = number_of(AUTO, start.game)
    return f"level:auto plays level {number} of {start.game}: games against you change it, games of agents do not"


def _make(parameters: LevelParameters, seed: int) -> Agent:
    return _SeatedLevel(parameters, seed)


LEVEL = AgentType(
    "level",
    "an opponent for everybody: level:1 for a first game, higher levels up to full strength, level:auto for you",
    LevelParameters,
    _make,
    check=_check,
    objection=_objection,
    caveat=_caveat,
)
