"""Hints: the best move of a position, the probability to win with it, and reasons in the words of the game.

Every reason is a fact of one of these kinds:

- effects of the move: the room compares the position before the move with the position after it (games/effects.py);
- "stops black from …": the search's reply to the next best move has this effect. The same reply has it after at least
  half of all other moves too, so that it was a threat, and after the hint's move no legal reply has it;
- "after e4, d5 …": the search expects the reply e4; the move d5 is legal then and has this effect;
- "every other move loses", and the like: proven for all legal moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from joute._core import one_line
from joute.agents import Analysis, Analyst, adviser, agent_types
from joute.agents.search import SearchParameters
from joute.agents.win_probability import WIN_SHARE, analysis_probability, move_probability, proven_outcome
from joute.errors import JouteError
from joute.games import State
from joute.games.effects import Effect, Effects, find_effects
from joute.numbers import is_decided, percent, value_text
from joute.reviews.classes import ReviewParameters
from joute.reviews.judge import Judge
from joute.spec import parameter, vary

# The analysis has a value and a line for the best move and the next.
_LINES = 2


@dataclass(frozen=True)
class HintParameters:
    """Every number of a hint."""

    nodes: int = vary(
        SearchParameters,
        "nodes",
        default=100_000,
        help="nodes of the search, if neither the agent's spec nor `seconds` limits it",
        source="a hint takes 0.05 to 0.5 s on one core",
        low=1,
    )
    reasons: int = parameter(3, help="most reasons of a hint", source="a choice: more are not read", low=0)
    line_moves: int = parameter(6, help="most moves of the line that a hint shows", source="a choice", low=0)
    others: float = parameter(
        0.5,
        help="a reply is a threat if it has its effect after at least this share of the other moves",
        source="a choice: most of them, so that the next best move alone did not invite it",
        low=0,
        high=1,
    )


@dataclass(frozen=True)
class Hint:
    """A move for the player to move, and why."""

    game: str
    player: int
    move: str
    #: The probability that the player wins, with a draw as half a win; None if the agent tells no value.
    win_probability: float | None
    #: Whether the probability is proven, and not an estimate.
    is_proven: bool
    #: The agent's own value of the move for the player, such as ``+2.3 points``; empty if it tells none.
    value: str
    #: What is known of the result for the player, such as ``wins at ply 41``; empty if nothing is.
    verdict: str
    #: The moves that the search expects, from the hint's on.
    line: tuple[str, ...]
    reasons: tuple[str, ...]
    agent: str

    @property
    def chance(self) -> str:
        """The probability and the agent's own value in brackets: ``81.0% (+2.3 points)``."""
        own = f" ({self.value})" if self.value and self.win_probability is not None else self.value
        return f"{'' if self.win_probability is None else percent(self.win_probability)}{own}"

    def __str__(self) -> str:
        """One line: the move, its value, and the reasons."""
        value = f"win probability {self.chance}" if self.win_probability is not None else self.chance
        head = ", ".join(filter(None, [self.move, value, self.verdict]))
        return f"{head}: {'; '.join(self.reasons)}" if self.reasons else head

    def __repr__(self) -> str:
        return f"<hint {self}>"


def hint(
    state: State,
    agent: str | None = None,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    parameters: HintParameters | None = None,
) -> Hint:
    """Return a hint for the player to move, by the exact solver, else by the game's engine, else by MCTS.

    `agent` is another adviser. `nodes` or `seconds` limits its search. JouteError if the game is over or a random
    event is pending.

    >>> from joute import new
    >>> print(hint(new("connect4", "112233")))
    4, win probability 100.0% (score +18), wins at ply 7: makes four in a row at column 4
    """
    if state.is_terminal or state.is_chance:
        why = f"{state.event} is pending" if state.is_chance else "the game is over"
        raise JouteError(f"there is no hint at ply {state.ply} of {state.game}: {why}")
    settings = parameters or HintParameters()
    judge = Judge(state.spec, agent, nodes=nodes, seconds=seconds, parameters=ReviewParameters(nodes=settings.nodes))
    analysis = judge.analysis(state, lines=_LINES)
    line = tuple(map(str, analysis.pv or [judged.move for judged in analysis.moves[:1]]))
    if not line:
        raise JouteError(f"agent '{judge.spec}' names no move at ply {state.ply}: {state.position}")
    for_first = analysis_probability(state, analysis, agent=judge.spec)
    mine = for_first if for_first is None or state.to_move == 0 else 1 - for_first
    return Hint(
        state.spec,
        state.to_move,
        line[0],
        mine,
        proven_outcome(analysis) is not None,
        _value(analysis),
        analysis.verdict,
        line,
        tuple(_reasons(state, line, analysis, judge, settings))[: settings.reasons],
        judge.spec,
    )


def is_adviser(spec: str, game: str) -> bool:
    """Whether a spec names an agent that `hint` can use: one that tells the values of positions."""
    from joute.agents import agent as made

    return isinstance(made(spec, game=game), Analyst)


def default_adviser(game: str) -> str:
    """The spec of the agent that gives hints in a game, by the game's name."""
    agent_types()
    return adviser(game) or "mcts"


def plain_reasons(state: State, move: Any) -> tuple[str, ...]:
    """The reasons for a move that need no search: its effects."""
    return tuple(_own_reasons(state, move, find_effects(state.game)(state, move)))


def _reasons(
    state: State, line: Sequence[str], analysis: Analysis, judge: Judge, settings: HintParameters
) -> Iterator[str]:
    """The reasons, most important first."""
    tell = find_effects(state.game)
    effects = tell(state, line[0])
    yield from _own_reasons(state, line[0], effects)
    after = state.play(line[0])
    if _is_forced(state) or after.is_terminal:
        return
    if told := _proof(state, analysis):
        yield told
    if not any(effect.is_guard for effect in effects):
        threat = _prevented(state, after, line[0], analysis, judge, tell, settings.others)
        if threat and not any(effect.place == threat.place for effect in effects if effect.place):
            yield f"stops {one_line(state.players[1 - state.to_move])} from {threat.told_as_threat()}"
    yield from _sequel(state, line, tell)


def _is_forced(state: State) -> bool:
    return state.complete and len(state.legal_moves) == 1


def _own_reasons(state: State, move: Any, effects: Sequence[Effect]) -> Iterator[str]:
    yield from (effect.told() for effect in effects)
    after = state.play(move)
    if after.result is not None and after.result.winner == state.to_move and not effects:
        yield "wins the game"
    if _is_forced(state):
        yield "is the only legal move"


def _proof(state: State, analysis: Analysis) -> str:
    """What is proven about all other moves; empty if the best move is not better than all of them."""
    if not state.complete or len(analysis.moves) != len(state.legal_moves):
        return ""
    if not analysis.exact and any(judged.outcome is None for judged in analysis.moves):
        return ""
    shares = [move_probability(state, analysis, judged) for judged in analysis.moves]
    mine = [share if state.to_move == 0 else 1 - share for share in shares if share is not None]
    if len(mine) < len(shares) or len(mine) < 2 or max(mine[1:]) >= mine[0]:
        return ""
    if max(mine[1:]) == 0:
        return "every other move loses"
    return "is the only move that wins" if mine[0] == 1 else ""


def _prevented(
    state: State, after: State, move: str, analysis: Analysis, judge: Judge, tell: Effects, others: float
) -> Effect | None:
    """The threat of the opponent that the move stops, as the module's docstring defines it."""
    other = next((judged for judged in analysis.moves if str(judged.move) != move), None)
    if other is None or not after.complete or not _is_turn_of(after, 1 - state.to_move):
        return None
    reached = state.play(other.move)
    if not _is_turn_of(reached, 1 - state.to_move):
        return None
    reply = str(other.pv[1]) if len(other.pv) > 1 else _best(judge.analysis(reached))
    if reply is None:
        return None
    for threat in tell(reached, reply):
        if not threat.is_threat or any(_has(after, each, threat, tell) for each in after.legal_moves):
            continue
        reached_by_others = [state.play(each) for each in state.legal_moves if str(each) != move]
        count = sum(_has(each, reply, threat, tell) for each in reached_by_others)
        if count >= others * len(reached_by_others):
            return threat
    return None


def _is_turn_of(state: State, player: int) -> bool:
    return not state.is_terminal and not state.is_chance and state.to_move == player


def _best(analysis: Analysis) -> str | None:
    moves = analysis.pv or tuple(judged.move for judged in analysis.moves)
    return str(moves[0]) if moves else None


def _has(state: State, move: Any, effect: Effect, tell: Effects) -> bool:
    """Whether a move is legal and has the effect, or more of it."""
    return state.is_legal(move) and any(each.includes(effect) for each in tell(state, move))


def _sequel(state: State, line: Sequence[str], tell: Effects) -> Iterator[str]:
    """What the player's next move of the line threatens, if the opponent replies as the search expects."""
    if len(line) < 3:
        return
    replied = state.play(line[0])
    if not _is_turn_of(replied, 1 - state.to_move):
        return
    reached = replied.play(line[1])
    if not _is_turn_of(reached, state.to_move):
        return
    effects = [effect for effect in tell(reached, line[2]) if effect.is_threat and not effect.is_guard]
    if effects:
        yield f"after {line[1]}, {line[2]} {effects[0].told()}"


def _value(analysis: Analysis) -> str:
    """The agent's own value; a win share is no more than the probability tells."""
    value = analysis.value
    if value is None or analysis.unit == WIN_SHARE:
        return ""
    if is_decided(value):
        return value_text(value)
    words = {"score": "score {}", "evaluation": "evaluation {}"}.get(analysis.unit, "{} " + analysis.unit)
    return words.format(f"{value:+.4g}" if value else "0")
