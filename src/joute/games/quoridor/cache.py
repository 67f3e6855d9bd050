"""A cache of Quoridor positions: the move that an agent chose in each, stored in a file, for both colours.

The paper (Balea & Lasnier, INF8215, 2021) began one for the first player only, and never filled it. Here a position is
normalized: it is stored from the mover's view, as White moving up, and as itself or its mirror image, whichever sorts
first. Up to four positions therefore share an entry.

The file is sorted text with one entry per line:

    joute quoridor moves 1
    agent quoridor-alphabeta:version=corrected
    game quoridor
    //e2e8/10-10 e3
    e3/d5/e4f6/9-9 d6h

An entry is a position without its ply (horizontal walls, vertical walls, the mover's pawn and the other, their walls in
hand) and a move. `find` checks that the move is legal: files can be edited, and rules differ.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from joute._core import QuoridorMove, Random
from joute.agents.agent import Agent
from joute.agents.clock import Clock
from joute.errors import JouteError, unreadable
from joute.files import whole_file
from joute.games import Move
from joute.games.quoridor.state import Quoridor

_MARK = "joute quoridor moves 1"
_ENTRY = re.compile(r"((?:[a-h][1-8])*/(?:[a-h][1-8])*/(?:[a-i][1-9]){2}/\d+-\d+) ([a-i][1-9]|[a-h][1-8][hv])")

_CELLS, _ANCHORS = 9, 8


@dataclass(frozen=True)
class _View:
    """A symmetry that maps a position to its normalized form; it is its own inverse."""

    flips: bool  # rows
    mirrors: bool  # columns

    def name(self, place: tuple[int, int], size: int) -> str:
        row, column = place
        row = size - 1 - row if self.flips else row
        column = size - 1 - column if self.mirrors else column
        return f"{'abcdefghi'[column]}{row + 1}"

    def move(self, text: str) -> str:
        place = int(text[1]) - 1, "abcdefghi".index(text[0])
        return self.name(place, _ANCHORS if len(text) == len("e3h") else _CELLS) + text[2:]

    def key(self, state: Quoridor) -> str:
        mover = state.to_move
        walls = (
            "".join(sorted((self.name(place, _ANCHORS) for place in places), key=lambda name: name[::-1]))
            for places in (state.horizontal_walls, state.vertical_walls)
        )
        pawns = "".join(self.name(state.pawn(player), _CELLS) for player in (mover, 1 - mover))
        return "/".join((*walls, pawns, f"{state.walls_left(mover)}-{state.walls_left(1 - mover)}"))


def _seen(state: Quoridor) -> tuple[str, _View]:
    """Return the key of a position's entry, and the symmetry that leads to it."""
    views = [_View(flips=state.to_move == 1, mirrors=mirrors) for mirrors in (False, True)]
    return min(((view.key(state), view) for view in views), key=lambda seen: seen[0])


@dataclass
class QuoridorCache:
    """The moves that an agent chose, by position; `agent` and `game` are the specs of the agent and of the game."""

    agent: str
    game: str = "quoridor"
    _moves: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._moves)

    def find(self, state: Quoridor) -> QuoridorMove | None:
        """Return the stored move of a position; None if there is none or it is illegal."""
        key, view = _seen(state)
        text = self._moves.get(key)
        if text is None or not state.is_legal(view.move(text)):
            return None
        return state.parse_move(view.move(text))

    def add(self, state: Quoridor, move: Move) -> None:
        """Store the move chosen in a position, replacing an earlier one.

        >>> import joute
        >>> cache, state = QuoridorCache("me"), joute.new("quoridor").play("e2")
        >>> cache.add(state, "f9")
        >>> str(cache.find(joute.new("quoridor", "//e1e8/10-10/0")))  # the same position from White's view
        'f1'
        """
        key, view = _seen(state)
        self._moves[key] = view.move(str(move))

    def save(self, path: Path) -> None:
        """Write the file, replacing an earlier one; JouteError if it cannot be written."""
        with whole_file(path) as text:
            text.write(f"{_MARK}\nagent {self.agent}\ngame {self.game}\n")
            for key, move in sorted(self._moves.items()):
                text.write(f"{key} {move}\n")

    @classmethod
    def load(cls, path: Path) -> QuoridorCache:
        """Read a file; JouteError if it is damaged or not such a file."""
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise unreadable(path, error) from error
        except UnicodeDecodeError:
            raise JouteError(f"{path} is not a file of Quoridor moves: it is not text") from None
        heads = [line.partition(" ") for line in lines[1:3]]
        if lines[:1] != [_MARK] or [head[0] for head in heads] != ["agent", "game"]:
            raise JouteError(f"{path} is not a file of Quoridor moves; 'joute book quoridor' makes one")
        cache = cls(agent=heads[0][2], game=heads[1][2])
        for number, line in enumerate(lines[3:], 4):
            entry = _ENTRY.fullmatch(line)
            if entry is None:
                raise JouteError(f"{path} is damaged: line {number} is not a position and a move, '{line[:60]}'")
            cache._moves[entry[1]] = entry[2]
        return cache


def fill(
    cache: QuoridorCache,
    agent: Agent,
    start: Quoridor,
    *,
    games: int,
    plies: int,
    seed: int,
    on_progress: Callable[[int, int], None] | None = None,
    time_limit_s: float = float("inf"),
) -> bool:
    """Let an agent play itself up to a ply and store its moves; return False if the time limit stops it.

    Every game but the first deviates once from the agent's moves, by a random move of the generator `candidates`; the
    ply of the deviation increases from game to game. Stored moves are played without asking the agent. The same seed
    gives the same deviations; the agent's moves may depend on its earlier searches.
    """
    deadline = time.monotonic() + time_limit_s
    rng = Random(seed)
    for number in range(games):
        state = start
        departs_at = start.ply + (number - 1) % max(plies - start.ply, 1) if number else None
        while not state.is_terminal and state.ply < plies:
            if time.monotonic() > deadline:
                return False
            move = cache.find(state)
            if move is None:
                move = state.legal_move(agent.choose(state, Clock()))
                cache.add(state, move)
            if state.ply == departs_at:
                move = rng.choice(state.moves("candidates"))
            state = state.play(move)
        if on_progress:
            on_progress(number + 1, games)
    return True
