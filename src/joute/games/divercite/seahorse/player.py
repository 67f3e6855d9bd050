"""Run a student's file of the Divercité course as an agent: convert positions to the framework's states."""

from __future__ import annotations

import inspect
import math
from pathlib import Path
from types import ModuleType
from typing import Any

from joute.agents import Agent, Clock
from joute.agents.loading import module_of, seed_generators
from joute.errors import SpecError
from joute.games import State
from joute.games.divercite.seahorse.stand_in.modules import classes, provide
from joute.games.divercite.seahorse.state import CELLS, HAND, LETTERS, SIDE, Cell, move_text
from joute.games.divercite.state import Divercite

#: The course's clock in seconds, passed to an agent if there is no clock.
COURSE_CLOCK_S = 900.0


def load(file: Path, name: str | None, *, seed: int) -> Agent:
    """Return the agent of a file: its class `name`, or its only one; SpecError if there is none. Runs the file."""
    provide(file.parent)
    module = module_of(file)
    seed_generators(seed)  # after the import, which may have drawn numbers
    return CourseFileAgent(_player_class(module, name, file))


def _player_class(module: ModuleType, name: str | None, file: Path) -> Any:
    if name is not None:
        found = getattr(module, name, None)
        if not callable(getattr(found, "compute_action", None)):
            raise SpecError(f"{file.name} has no class {name} with a method compute_action")
        return found
    own = [
        each
        for each in vars(module).values()
        if inspect.isclass(each) and each.__module__ == module.__name__ and "compute_action" in vars(each)
    ]
    own = [each for each in own if each.__name__ == "MyPlayer"] or own
    if len(own) != 1:
        what = f"several ({', '.join(each.__name__ for each in own)})" if own else "none"
        raise SpecError(f"{file.name} must have one class MyPlayer with a method compute_action, and has {what}")
    return own[0]


class CourseFileAgent:
    """Adapts a class of the course's interface; the first move determines its side, and then creates the player.

    The course's pieces record who placed a resource, and Joute's positions do not. The agent therefore remembers it;
    resources placed before its first move are assigned according to the players' hands.
    """

    def __init__(self, player_class: Any) -> None:
        self._player_class = player_class
        self._players: list[Any] = []
        self._side = -1
        self._placed: dict[Cell, str] = {}

    def choose(self, state: State, clock: Clock) -> str:
        """Return the answer of the player's compute_action, as text."""
        assert isinstance(state, Divercite)
        if state.to_move != self._side:
            self._seat(state.to_move)
        shown = self._shown(state)
        left_s = min(clock.remaining_s, clock.move_limit_s)
        player = self._players[self._side]
        answer = player.compute_action(
            current_state=shown, remaining_time=left_s if math.isfinite(left_s) else COURSE_CLOCK_S
        )
        text = answered_move(shown, answer)
        if state.is_legal(text):
            played = state.parse_move(text)
            after = state.play(played)
            self._placed = self._placed | _new_pieces(after, self._placed, LETTERS[self._side])
        return text

    def _seat(self, side: int) -> None:
        """Create the players: the student's, and a placeholder for the opponent."""
        _, _, player_class, _ = classes()
        opponent = player_class(LETTERS[1 - side], "opponent")
        own = self._player_class(LETTERS[side], "agent")
        self._players = [own, opponent] if side == 0 else [opponent, own]
        self._side, self._placed = side, {}

    def _shown(self, state: Divercite) -> Any:
        """Return the position as a state of the framework."""
        self._placed = placed_by(state, self._placed)
        state_class, board_class, _, piece_class = classes()
        owners = dict(zip(LETTERS, self._players, strict=True))
        env = {cell: piece_class(piece_type=piece, owner=owners[piece[2]]) for cell, piece in self._placed.items()}
        ids = [player.get_id() for player in self._players]
        return state_class(
            dict(zip(ids, state.scores, strict=True)),
            self._players[state.to_move],
            self._players,
            board_class(env=env, dim=[SIDE, SIDE]),
            step=state.ply,
            players_pieces_left={each: state.hand(player) for player, each in enumerate(ids)},
        )


def placed_by(state: Divercite, known: dict[Cell, str]) -> dict[Cell, str]:
    """Return the pieces of a position with their owners, known pieces first.

    `known` are the pieces of an earlier position of the game. The hands give the number of resources that each player
    placed since. If both placed the same colour, they are assigned row by row, White's first.
    """
    pieces = {cell: piece for cell in CELLS if (piece := state.piece_at(*cell))}
    goes_on = all(pieces.get(cell, "") in (piece, piece[:2]) for cell, piece in known.items())
    placed = dict(known) if goes_on else {}
    missing = {
        (colour, letter): HAND[f"{colour}R"] - state.hand(player)[f"{colour}R"]
        for player, letter in enumerate(LETTERS)
        for colour in "RGBY"
    }
    for piece in placed.values():
        if piece[1] == "R":
            missing[piece[0], piece[2]] -= 1
    if any(count < 0 for count in missing.values()):  # `known` is from another game
        return placed_by(state, {})
    for cell, piece in pieces.items():
        if cell in placed:
            continue
        letter = piece[2:] or next(letter for letter in LETTERS if missing[piece[0], letter] > 0)
        if piece[1] == "R":
            missing[piece[0], letter] -= 1
        placed[cell] = f"{piece[:2]}{letter}"
    return placed


def _new_pieces(state: Divercite, known: dict[Cell, str], letter: str) -> dict[Cell, str]:
    """Return the piece that the last move placed, with its owner's letter."""
    return {cell: f"{piece[:2]}{letter}" for cell in CELLS if cell not in known and (piece := state.piece_at(*cell))}


def answered_move(shown: Any, answer: Any) -> str:
    """Return the move of an answer as text; a description if it is not a move, which the referee then rejects."""
    if hasattr(answer, "data"):
        return move_text(answer.data)
    after = getattr(answer, "next_game_state", None)
    if after is None:
        raise TypeError(f"compute_action returned {type(answer).__name__}, which is not an action")
    before = shown.get_rep().get_env()
    new = [(cell, piece) for cell, piece in after.get_rep().get_env().items() if cell not in before]
    if len(new) != 1:
        return f"an action that places {len(new)} pieces"
    ((cell, piece),) = new
    return move_text({"piece": piece.get_type()[:2], "position": cell})
