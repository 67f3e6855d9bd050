"""The referee: plays one game between two players. It applies the rules, the clock and the dice itself."""

from __future__ import annotations

import time
from typing import Protocol

from joute._core import Result
from joute.agents import Agent
from joute.errors import IllegalMoveError
from joute.games import State, new
from joute.match.clock import MARGIN_S, Clocks, controls_of
from joute.match.game import GameInProgress, derive_seed
from joute.match.player import Answer, MisconductError, Player, as_player, illegal_move
from joute.match.record import GameRecord, MoveRecord, Reason

# Random play ends well before this in the longest built-in game.
MAX_PLIES = 10_000

#: The answer by which an agent resigns.
RESIGN = "resign"


class Witness(Protocol):
    """An observer of a game in progress."""

    def began(self, start_outcomes: tuple[int, ...]) -> None:
        """The game begins; `start_outcomes` are the random events before the first move."""
        ...

    def turn(self, player: int, limit_s: float) -> None:
        """A player is asked for a move, which is too late after `limit_s`; -1: the player has answered."""
        ...

    def played(self, move: MoveRecord) -> None:
        """A move was played."""
        ...


def play_game(
    game: str | State,
    first: str | Agent | Player,
    second: str | Agent | Player,
    *,
    seed: int = 0,
    clock: Clocks = "none",
    margin_s: float = MARGIN_S,
    max_plies: int = MAX_PLIES,
    witness: Witness | None = None,
) -> GameRecord:
    """Play a game between two agents, given as specs or as objects with `choose`.

    `game` is a spec or a start position, whose history is dropped because a record cannot express it. `clock` is the
    time control of both sides, e.g. ``60+0.5`` for a minute and half a second per move, or a pair of such. An agent
    that plays an illegal move, exceeds its time by more than the margin or raises an exception loses the game; the
    record says why. In a game with lost turns, an agent that exceeds only its limit per move loses the turn. Exceptions
    of the game's own rules pass through.

    >>> record = play_game("connect4", "greedy", "random", clock="10", seed=1)
    >>> record.winner, record.reason.value, record.clocks
    (0, 'normal', ('10', '10'))
    """
    controls = controls_of(clock)
    players = (as_player(first), as_player(second))
    start = new(game) if isinstance(game, str) else game
    in_progress = GameInProgress(start, seed=seed, controls=controls, margin_s=margin_s, max_plies=max_plies)
    return _Table(in_progress, players, witness).play()


class _Table:
    """A game and its two players."""

    def __init__(self, game: GameInProgress[State], players: tuple[Player, Player], witness: Witness | None) -> None:
        self.game = game
        self.players = players
        self.witness = witness
        self.thinking_s = 0.0
        self.overhead_s = 0.0

    def play(self) -> GameRecord:
        if self.witness:
            self.witness.began(self.game.start_outcomes)
        try:
            if self.begin():
                self.play_on()
        finally:
            output = self.end()
        first, second = self.players
        return self.game.record(
            (first.name, second.name),
            isolation=(first.isolation, second.isolation),
            output=output,
            overhead_s=self.overhead_s,
        )

    def end(self) -> tuple[str, str]:
        """End both players, the second one even if the first one raises; returns their outputs."""
        try:
            first = self.players[0].end()
        finally:
            second = self.players[1].end()
        return first, second

    def begin(self) -> bool:
        """Prepare both players. False if one of them failed, which ends the game."""
        failures: dict[int, MisconductError] = {}
        for index, player in enumerate(self.players):
            try:
                player.begin(self.game.state, index, derive_seed(self.game.seed, 1 + index))
            except MisconductError as misconduct:
                failures[index] = misconduct
        if len(failures) == 2:
            nobody = Result(0, decided_by="forfeit")
            self.game.end(nobody, Reason.ADJUDICATED, f"{failures[0]}; {failures[1]}")
        else:
            for index, failure in failures.items():
                self.game.forfeit(index, failure.reason, str(failure))
        return not failures

    def play_on(self) -> None:
        began = time.perf_counter()
        try:
            while not self.game.is_over:
                try:
                    played = self.turn()
                except MisconductError as misconduct:
                    played = self.punish(misconduct)
                if self.witness and played:
                    self.witness.played(played)
        finally:
            self.overhead_s = max(0.0, time.perf_counter() - began - self.thinking_s)

    def turn(self) -> MoveRecord | None:
        """Ask the player to move for its move and play it. None if it resigns."""
        game, player = self.game, self.players[self.game.to_move]
        answer = self.ask(player)
        if _resigns(answer.move, game.state):
            game.resign(game.to_move, f"{player.name} resigned at ply {game.state.ply}")
            return None
        try:
            return game.play(answer.move, info=answer.info)
        except IllegalMoveError as error:
            raise illegal_move(player.name, error) from error

    def punish(self, misconduct: MisconductError) -> MoveRecord | None:
        """Let the player to move lose the game, or only the turn (`costs_a_turn`)."""
        if misconduct.costs_a_turn:
            return self.game.overstep(misconduct.reason, str(misconduct))
        self.game.forfeit(self.game.to_move, misconduct.reason, str(misconduct))
        return None

    def ask(self, player: Player) -> Answer:
        """The player's answer; MisconductError if it is too late."""
        game, mover = self.game, self.game.to_move
        limit_s = game.clock.limit_s(mover)
        if self.witness:
            self.witness.turn(mover, limit_s)
        asked = time.perf_counter()
        try:
            answer = player.ask(game.state, game.line, game.clock.told(mover), limit_s)
        except MisconductError as misconduct:
            waited_s = time.perf_counter() - asked
            self.thinking_s += waited_s  # not overhead of the referee, even if it is not charged
            game.charge(waited_s if misconduct.time_s is None else misconduct.time_s)
            raise
        finally:
            if self.witness:
                self.witness.turn(-1, 0.0)
        self.thinking_s += answer.time_s
        if not game.charge(answer.time_s):
            detail = f"{player.name} took {answer.time_s:.3f} s for a move at ply {game.state.ply}"
            detail += f", with {limit_s:.3f} s left, margin included"
            raise MisconductError(Reason.TIME, detail, costs_a_turn=True)
        return answer


def _resigns(answer: object, state: State) -> bool:
    # Only a plain str is compared: an agent's own object may override __class__, or raise in a comparison.
    return type(answer) is str and answer == RESIGN and not state.is_legal(RESIGN)
