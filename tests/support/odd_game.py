"""A game whose notation is as awkward as can be, with chance before the first move and players who move twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from joute import Result, State
from joute.errors import NotationError

MOVES = (
    "plain", "two words", "{brace", "}", "<1>", "[Game]", 'quo"te', "; no remark", "1. 4", "12.", "1-0", "1/2-1/2", "*",
    "back\\slash", "pv=4", "0.5s", "new\nline", "\r", "é½", "\u2028", "\x00", "", "{0.1s pv=}", "½-½", " ", "\ufeff",
)  # fmt: skip
LONGEST = 8


@dataclass(frozen=True, repr=False)
class Odd(State):
    """What was played, as letters; ``!`` for a random event that is pending, and digits for how it fell."""

    line: str = "!"

    game: ClassVar[str] = "odd"
    title: ClassVar[str] = "Odd"
    has_chance: ClassVar[bool] = True  # type: ignore[misc]

    @classmethod
    def new(cls, position: str | None = None, rules: str = "") -> Self:
        """Any line of letters and digits."""
        line = "!" if position is None else position
        if set(line) - set("abcdefghijklmnopqrstuvwxyz0123!"):
            raise NotationError(f"'{line}' is not an odd position")
        return cls(line)

    @property
    def position(self) -> str:
        """The line."""
        return self.line

    @property
    def ply(self) -> int:
        """The letters."""
        return sum(character.isalpha() for character in self.line)

    @property
    def to_move(self) -> int:
        """Everybody moves twice in a row."""
        return self.ply // 2 % 2

    @property
    def is_chance(self) -> bool:
        """After every third move, and at the start."""
        return self.line.endswith("!")

    @property
    def outcomes(self) -> list[float]:
        """One of four, the second of which cannot be; two falls again."""
        return [0.25, 0.0, 0.5, 0.25] if self.is_chance else []

    def resolve(self, outcome: int) -> Self:
        """Two falls again."""
        return type(self)(f"{self.line[:-1]}{outcome}{'!' if outcome == 2 else ''}")

    @property
    def legal_moves(self) -> list[str]:
        """All, at any time."""
        return [] if self.is_terminal or self.is_chance else list(MOVES)

    def after(self, move: str) -> Self:
        """One letter more."""
        event = "!" if self.ply % 3 == 2 else ""
        return type(self)(self.line + "abcdefghijklmnopqrstuvwxyz"[MOVES.index(move)] + event)

    @property
    def result(self) -> Result | None:
        """The last letter decides."""
        if self.ply < LONGEST or self.is_chance:
            return None
        outcome = ord(self.line[-1]) % 3 - 1
        return Result(outcome, score=5 * outcome, margin=7 * outcome, decided_by='the "last" letter\n')

    def diagram(self) -> str:
        """The line."""
        return self.line
