"""Puzzles: positions with one right answer, made from games of levels and proven by a solver or a deep search.

A room names a `PuzzleSet`: which games to take positions from, and a function that finds the one right answer of a
position. ``python tools/puzzles.py GAME`` makes the file of its puzzles; `puzzles_of` reads it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.agents import Analyst
from joute.errors import JouteError, SpecError
from joute.games import State, new
from joute.plugins import Registry, instance_of
from joute.toml_file import NUMBER, TEXT, WHOLE_NUMBER, Kind, check_table, read_table

#: The number of puzzles of a game.
PUZZLES = 10


@dataclass(frozen=True)
class Solution:
    """The one right answer of a position."""

    #: A kind of the game's lesson.
    kind: str
    #: The answer, then the moves that follow.
    line: tuple[str, ...]
    #: How many moves of the line, the first and every second after it, the visitor must find.
    asked: int = 1
    #: What is known of the answer and of the other moves: ``wins at ply 31; the others draw or lose``.
    proof: str = ""


@dataclass(frozen=True)
class Puzzle:
    """A puzzle as its file has it."""

    game: str
    kind: str
    position: str
    line: tuple[str, ...]
    asked: int
    #: The share of answers of the game's levels that were wrong.
    missed: float
    proof: str
    #: The game that the position comes from.
    source: str

    @property
    def state(self) -> State:
        """The position to solve."""
        return new(self.game, self.position)

    @property
    def answer(self) -> str:
        """The right move."""
        return self.line[0]


@dataclass(frozen=True)
class PuzzleSet:
    """How the puzzles of a game are made, and the file that keeps them; registered in its room as `puzzles`."""

    #: Return the solution of a position; None if it has no single answer or is no puzzle.
    solve: Callable[[State], Solution | None]
    #: The specs of the players whose games the positions come from; each plays each.
    players: tuple[str, ...]
    #: The first and the last ply of a puzzle's position.
    plies: tuple[int, int]
    #: The levels whose errors measure the difficulty.
    levels: tuple[int, ...]
    #: How the answers are checked, a sentence for the head of the file.
    check: str
    file: Path
    #: The start positions of the games; empty for the game's balanced openings.
    starts: tuple[str, ...] = ()
    #: The most puzzles of a kind.
    most_of_a_kind: int = 5


_sets: Registry[PuzzleSet] = Registry(
    "puzzle set", "joute.puzzles", instance_of(PuzzleSet, "joute.learn.puzzles.PuzzleSet")
)


def has_puzzles(game: str) -> bool:
    """Whether a game has puzzles."""
    return game in _sets.names()


def puzzle_set(game: str) -> PuzzleSet:
    """Return how the puzzles of a game are made; SpecError if it has none."""
    if not has_puzzles(game):
        raise SpecError(f"{game} has no puzzles; a room names its own as puzzles")
    return _sets.find(game)


def puzzles_of(game: str) -> tuple[Puzzle, ...]:
    """Return the puzzles of a game, the easiest first; SpecError if it has none, JouteError if the file is damaged."""
    return _read(game, puzzle_set(game).file)


@functools.cache
def _read(game: str, file: Path) -> tuple[Puzzle, ...]:
    try:
        return read_puzzles(file)
    except SpecError as error:
        raise JouteError(f"the puzzles of {game} cannot be read: {error}") from error


_LIST = Kind((list,), "a list")
_KEYS = {"game": TEXT, "puzzle": _LIST}
_ROW = {
    "kind": TEXT,
    "position": TEXT,
    "line": _LIST,
    "asked": WHOLE_NUMBER,
    "missed": NUMBER,
    "proof": TEXT,
    "source": TEXT,
}


def read_puzzles(file: Path) -> tuple[Puzzle, ...]:
    """Return the puzzles in a TOML file; SpecError with the reason if there are none."""
    table = read_table(file)
    check_table(table, _KEYS, file.name)
    if "game" not in table:
        raise SpecError(f"{file.name} has no game")
    return tuple(
        _puzzle(table["game"], row, f"puzzle {number}") for number, row in enumerate(table.get("puzzle", ()), start=1)
    )


def _puzzle(game: str, row: Any, owner: str) -> Puzzle:
    if not isinstance(row, Mapping):
        raise SpecError(f"{owner} is no table")
    check_table(row, _ROW, owner)
    missing = [key for key in _ROW if key not in row]
    if missing:
        raise SpecError(f"{owner} has no {missing[0]}")
    line = row["line"]
    if not line or not all(isinstance(move, str) for move in line):
        raise SpecError(f"{owner}: line must be a list of moves")
    if not 1 <= row["asked"] <= (len(line) + 1) // 2:
        raise SpecError(f"{owner}: the line has no {row['asked']} moves to find")
    return Puzzle(
        game, row["kind"], row["position"], tuple(line), row["asked"], float(row["missed"]), row["proof"], row["source"]
    )


def only_winning_move(state: State, solver: Analyst) -> Solution | None:
    """Return the only winning move of a late position, and best play to the end; None if there are more or none.

    The kind of the solution is empty: the game's room chooses it.
    """
    analysis = solver.analyze(state, lines=2)
    if not analysis.exact or len(analysis.moves) < 2:
        return None
    best, next_best = (each.value for each in analysis.moves[:2])
    if best is None or next_best is None or best <= 0 or next_best > 0:
        return None
    line = [str(analysis.moves[0].move)]
    at = state.play(line[0])
    while at.result is None:
        line.append(str(solver.analyze(at, lines=1).moves[0].move))
        at = at.play(line[-1])
    others = "lose" if next_best < 0 else "draw or lose"
    return Solution("", tuple(line), 1, f"wins by {at.result.decided_by}; all other moves {others}")


def puzzles_text(puzzles: tuple[Puzzle, ...], comments: tuple[str, ...]) -> str:
    """Return the text of the file of puzzles; `read_puzzles` gives the same puzzles."""
    lines = [*(f"# {comment}" for comment in comments), f'game = "{puzzles[0].game}"']
    for puzzle in puzzles:
        moves = ", ".join(f'"{move}"' for move in puzzle.line)
        lines += [
            "",
            "[[puzzle]]",
            f'kind = "{puzzle.kind}"',
            f'position = "{puzzle.position}"',
            f"line = [{moves}]",
            f"asked = {puzzle.asked}",
            f"missed = {puzzle.missed:g}",
            f'proof = "{puzzle.proof}"',
            f'source = "{puzzle.source}"',
        ]
    return "\n".join([*lines, ""])
