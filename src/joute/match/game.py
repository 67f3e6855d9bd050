"""One game between two agents. The rules and the dice are the referee's; an agent only chooses."""

from __future__ import annotations

import time

from joute._core import JouteError, Random, Result
from joute.agents import Agent, Clock, SearchInfo, agent
from joute.games import State, new
from joute.match.record import GameRecord, MoveRecord, Reason

# Random play of the longest of our games ends well before this.
MAX_PLIES = 10_000


def derive_seed(seed: int, index: int) -> int:
    """A seed for part `index` of a work that has one seed; parts do not depend on each other."""
    return Random((seed * 0x9E3779B97F4A7C15 + index) % 2**64).next()


def play_game(
    game: str | State,
    first: str | Agent,
    second: str | Agent,
    *,
    seed: int = 0,
    max_plies: int = MAX_PLIES,
) -> GameRecord:
    """Play a game between two agents, given as specs or as objects with `choose`.

    `game` is a spec, or the position to start from. An agent that plays an illegal move or raises an
    exception loses the game; the record says why.
    """
    state = new(game) if isinstance(game, str) else game
    players = tuple(
        agent(player, game=state.game, seed=derive_seed(seed, 1 + index)) if isinstance(player, str) else player
        for index, player in enumerate((first, second))
    )
    names = (agent_name(first), agent_name(second))
    dice = Random(derive_seed(seed, 0))
    start, spec = state.position, state.spec
    state, start_outcomes = _settle(state, dice)
    moves: list[MoveRecord] = []

    def record(result: Result, reason: Reason, detail: str = "") -> GameRecord:
        return GameRecord(spec, start, names, seed, tuple(moves), result, reason, detail, start_outcomes)

    while not state.is_terminal:
        if len(moves) >= max_plies:
            return record(state.result_if_stopped, Reason.PLY_LIMIT)
        mover = state.to_move
        began = time.perf_counter()
        try:
            move = players[mover].choose(state, Clock())
        except Exception as error:  # whatever an agent does, the game has a result
            return record(_loss(mover), Reason.CRASH, f"{names[mover]}: {type(error).__name__}: {error}")
        time_s = time.perf_counter() - began
        try:
            after = state.play(move)
        except (JouteError, TypeError) as error:
            return record(_loss(mover), Reason.ILLEGAL_MOVE, f"{names[mover]}: {error}")
        info = getattr(players[mover], "info", None)
        after, outcomes = _settle(after, dice)
        moves.append(MoveRecord(mover, str(move), time_s, outcomes, info if isinstance(info, SearchInfo) else None))
        state = after
    result = state.result
    assert result is not None
    return record(result, Reason.NORMAL)


def _settle(state: State, dice: Random) -> tuple[State, tuple[int, ...]]:
    """Draw pending random events, and say which outcomes fell."""
    outcomes: list[int] = []
    while state.is_chance:
        outcomes.append(state.draw_outcome(dice))
        state = state.resolve(outcomes[-1])
    return state, tuple(outcomes)


def _loss(player: int) -> Result:
    return Result(-1 if player == 0 else 1, decided_by="forfeit")


def agent_name(player: str | Agent) -> str:
    """What an agent is called in records: its spec, or its class."""
    return player if isinstance(player, str) else type(player).__name__
