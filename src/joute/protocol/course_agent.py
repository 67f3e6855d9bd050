"""Serves a Joute agent to a course's referee: the methods of the XML-RPC server."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from joute._core import one_line
from joute.agents import Clock
from joute.errors import JouteError
from joute.games import State, find_game
from joute.match.game import GameInProgress, derive_seed
from joute.match.player import MisconductError, Player, read_move
from joute.protocol.course import CourseError, ServerCourse

#: The referee of a course hangs up this long after the remaining time; later answers are useless.
HANG_UP_S = 1.0


@dataclass
class _Game:
    """A game of the agent on one side."""

    player: Player
    nominal_s: float
    progress: GameInProgress[State]

    def follow(self, state: State) -> bool:
        """Play the opponent's move that leads from the agent's last move to `state`; False if there is none."""
        before = self.progress.state
        if not self.progress.moves or state.ply != before.ply + 1:
            return False
        for move in before.legal_moves:
            after = before.play(move)
            if after.position == state.position and not after.is_terminal:
                self.progress.play(move)
                return True
        return False


class CourseAgent:
    """The methods that a course's referee calls.

    A call of `play` whose position does not continue the current game begins a new one; `initialize` ends the current
    game. Every game, and each side of it, has a new player and its own seed, so that an agent may play itself.
    """

    def __init__(
        self,
        course: ServerCourse,
        make: Callable[[], Player],
        *,
        seed: int,
        tell: Callable[[str], None],
        rules: str | None = None,
    ) -> None:
        """`make` returns a new player; `tell` receives messages for the agent's author.

        `rules` are the rules of the game, by default the course's own.
        """
        self._course = course
        self._rules = course.rules if rules is None else rules
        self._make = make
        self._seed = seed
        self._tell = tell
        self._games: dict[int, _Game] = {}
        self._begun = 0

    def check(self) -> None:
        """JouteError if the agent cannot begin a game."""
        try:
            self._begin(find_game(self._course.game).new(None, self._rules), math.inf)
        except MisconductError as misconduct:
            raise JouteError(f"the agent cannot play: {misconduct}") from misconduct
        finally:
            self.close()
            self._begun = 0

    def play(self, percepts: Any, player: Any, step: Any, time_left: Any) -> list[Any]:
        """The agent's move in a position, in the course's form."""
        state = self._course.state(percepts, player, step, rules=self._rules)
        remaining_s = _seconds(time_left)
        if state.is_terminal:
            raise CourseError(f"the game is over at step {step}: there is no legal move")
        try:
            game = self._games.get(state.to_move)
            if game is None or not game.follow(state):
                game = self._begin(state, remaining_s)
            state = game.progress.state  # the same position with its history
            if not math.isfinite(game.nominal_s):
                game.nominal_s = remaining_s
            clock = Clock(remaining_s=remaining_s, nominal_s=game.nominal_s)
            answer = game.player.ask(state, tuple(game.progress.line), clock, remaining_s + HANG_UP_S)
            move = read_move(answer.move, game.player.name, state)
        except MisconductError as misconduct:
            said = f"{misconduct.reason.value} at step {step}: {misconduct}"
            self._tell(said)
            self._end(state.to_move)
            raise CourseError(said) from misconduct
        game.progress.play(move)
        return self._course.action(state, move)

    def initialize(self, percepts: Any, players: Any, time_left: Any) -> None:
        """A game is announced: end the current games. `play` provides everything that an agent needs.

        No game is begun here, so that nothing can fail: the referee of the Quoridor course blames player 0 for failures
        of either agent before the first move.
        """
        sides = [side for side in (0, 1) if isinstance(players, (list, tuple)) and side in players]
        for side in sides or list(self._games):
            self._end(side)

    def close(self) -> None:
        """End all games."""
        for side in list(self._games):
            self._end(side)

    def _begin(self, state: State, remaining_s: float) -> _Game:
        side = state.to_move
        self._end(side)
        game = self._games[side] = _Game(self._make(), remaining_s, GameInProgress(state))
        game.player.begin(state, side, derive_seed(self._seed, self._begun))
        self._begun += 1
        return game

    def _end(self, side: int) -> None:
        if (game := self._games.pop(side, None)) and (output := game.player.end()):
            self._tell(output.rstrip("\n"))


def _seconds(time_left: Any) -> float:
    """The remaining seconds of an agent, infinite for None. Negative numbers become 0; the referee decides then."""
    if time_left is None:
        return math.inf
    try:
        seconds = float(time_left) if type(time_left) in (int, float) else math.nan
    except OverflowError:
        seconds = math.inf
    if not math.isfinite(seconds):
        raise CourseError(f"time_left must be seconds or None, not {one_line(time_left)}")
    return max(0.0, seconds)
