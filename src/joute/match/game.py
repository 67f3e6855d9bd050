"""One game between two agents. The rules and the dice are the referee's; an agent only chooses."""

from __future__ import annotations

import time

from joute._core import Random, Result, class_name
from joute.agents import Agent, Clock, SearchInfo, find_agent
from joute.errors import IllegalMoveError, described
from joute.games import Move, State, new
from joute.match.record import GameRecord, MoveRecord, Reason

# Random play of the longest of our games ends well before this.
MAX_PLIES = 10_000


class MisconductError(Exception):
    """What an agent did that costs it the game."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


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
    exception loses the game; the record says why. Only what the game's own rules raise comes through.
    """
    state = new(game) if isinstance(game, str) else game
    names = (agent_name(first), agent_name(second))
    dice = Random(derive_seed(seed, 0))
    start, spec = state.position, state.spec
    state, start_outcomes = _settle(state, dice)
    moves: list[MoveRecord] = []

    def record(result: Result, reason: Reason, detail: str = "") -> GameRecord:
        return GameRecord(spec, start, names, seed, tuple(moves), result, reason, detail, start_outcomes)

    players: list[Agent] = []
    for index, player in enumerate((first, second)):
        try:
            players.append(seat(player, names[index], state.game, derive_seed(seed, 1 + index)))
        except MisconductError as misconduct:
            return record(_loss(index), misconduct.reason, str(misconduct))

    while not state.is_terminal:
        if len(moves) >= max_plies:
            return record(state.result_if_stopped, Reason.PLY_LIMIT)
        mover = state.to_move
        try:
            move, time_s = ask(players[mover], names[mover], state, Clock())
        except MisconductError as misconduct:
            return record(_loss(mover), misconduct.reason, str(misconduct))
        info = _info(players[mover])
        state, outcomes = _settle(state.play(move), dice)
        moves.append(MoveRecord(mover, str(move), time_s, outcomes, info))
    result = state.result
    assert result is not None
    return record(result, Reason.NORMAL)


def ask(player: Agent, name: str, state: State, clock: Clock) -> tuple[Move, float]:
    """The legal move that an agent chooses and the seconds it took; MisconductError if it does anything else.

    Nothing but Ctrl-C comes through an agent: not even sys.exit().
    """
    began = time.perf_counter()
    try:
        chosen = player.choose(state, clock)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise MisconductError(Reason.CRASH, f"{name}: {described(error)}") from error
    time_s = time.perf_counter() - began
    try:
        return state.legal_move(chosen), time_s
    except IllegalMoveError as error:
        raise MisconductError(Reason.ILLEGAL_MOVE, f"{name}: {error}") from error


def seat(player: str | Agent, name: str, game: str, seed: int) -> Agent:
    """The agent that a spec names, made for one game. A wrong spec is the user's mistake, not the agent's."""
    if not isinstance(player, str):
        return player
    agent_type, parameters = find_agent(player, game)
    try:
        return agent_type.create(parameters, seed)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise MisconductError(Reason.CRASH, f"{name}: {described(error)}") from error


def _info(player: Agent) -> SearchInfo | None:
    try:
        info = getattr(player, "info", None)
        return info if isinstance(info, SearchInfo) else None
    except KeyboardInterrupt:
        raise
    except BaseException:  # it is optional, so an agent that fails to tell loses nothing
        return None


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
    return player if isinstance(player, str) else class_name(player)
