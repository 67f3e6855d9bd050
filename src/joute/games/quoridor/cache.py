"""A cache of Quoridor positions: the move that an agent chose in each, kept in a file, the same for both colours.

The paper (Balea & Lasnier, INF8215, 2021) began one that worked for the first player alone, and never filled it. Here
a position is kept as its mover sees it, who is White and goes up, and of it and its mirror image the one that comes
first in the alphabet; so up to four positions share an entry.

The file is text, sorted, one entry a line:

    joute quoridor moves 1
    agent quoridor-alphabeta:version=corrected
    game quoridor
    //e2e8/10-10 e3
    e3/d5/e4f6/9-9 d6h

An entry is a position without its ply (horizontal walls, vertical walls, the mover's pawn and the other, their walls in
hand) and a move. Whoever takes a move from it must see that it is legal: files can be edited, and rules differ.
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
    """How a position is turned to be looked up; turning twice turns it back."""

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
    """The entry of a position, and how it is turned for that."""
    views = [_View(flips=state.to_move == 1, mirrors=mirrors) for mirrors in (False, True)]
    return min(((view.key(state), view) for view in views), key=lambda seen: seen[0])


@dataclass
class QuoridorCache:
    """The moves that an agent chose, by position; `agent` and `game` say who and by which rules."""

    agent: str
    game: str = "quoridor"
    _moves: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        """How many entries there are."""
        return len(self._moves)

    def find(self, state: Quoridor) -> QuoridorMove | None:
        """The move kept for a position, if there is one and it is legal."""
        key, view = _seen(state)
        text = self._moves.get(key)
        if text is None or not state.is_legal(view.move(text)):
            return None
        return state.parse_move(view.move(text))

    def add(self, state: Quoridor, move: Move) -> None:
        """Keep the move chosen in a position, instead of what was kept before.

        >>> import joute
        >>> cache, state = QuoridorCache("me"), joute.new("quoridor").play("e2")
        >>> cache.add(state, "f9")
        >>> str(cache.find(joute.new("quoridor", "//e1e8/10-10/0")))  # White, who sees the same
        'f1'
        """
        key, view = _seen(state)
        self._moves[key] = view.move(str(move))

    def save(self, path: Path) -> None:
        """Write the file, also over an earlier one; JouteError if it cannot be written."""
        with whole_file(path) as text:
            text.write(f"{_MARK}\nagent {self.agent}\ngame {self.game}\n")
            for key, move in sorted(self._moves.items()):
                text.write(f"{key} {move}\n")

    @classmethod
    def load(cls, path: Path) -> QuoridorCache:
        """Read a file; JouteError if it is none of these, or damaged."""
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise unreadable(path, error) from error
        except UnicodeDecodeError:
            raise JouteError(f"{path} is no file of Quoridor moves: it is not text") from None
        heads = [line.partition(" ") for line in lines[1:3]]
        if lines[:1] != [_MARK] or [head[0] for head in heads] != ["agent", "game"]:
            raise JouteError(f"{path} is no file of Quoridor moves; 'joute book quoridor' makes one")
        cache = cls(agent=heads[0][2], game=heads[1][2])
        for number, line in enumerate(lines[3:], 4):
            entry = _ENTRY.fullmatch(line)
            if entry is None:
                raise JouteError(f"{path} is damaged: line {number} is no position and move, '{line[:60]}'")
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
    """Let an agent play itself until a ply, and keep what it chooses; False if the time limit came first.

    Every game but the first departs once from what the agent plays, by one of the moves that its engine would look at,
    at one ply after the other. What is kept already is played without asking. The same seed
    gives the same departures; what an agent chooses may depend on what it searched before.
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
