"""What a course's interface is: how its referee shows a position of a game, and how its agents name a move.

The courses share a framework. Every agent is an XML-RPC server with one method, which the referee calls for a move:
``play(percepts, player, step, time_left)``. What percepts and moves look like is the game's: a Course, found through
the entry point group ``joute.courses``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from joute.errors import JouteError, SpecError
from joute.games import Move, State
from joute.plugins import Registry


class CourseError(JouteError):
    """What the referee of a course sent is no position of its game."""


class Course(ABC):
    """The interface of one game's course. Its values are what XML-RPC knows: numbers, texts, lists, dictionaries."""

    #: The name of the game.
    game: ClassVar[str]

    @abstractmethod
    def number(self, player: int) -> int:
        """What the course calls player 0 or 1."""

    @abstractmethod
    def percepts(self, state: State) -> dict[str, Any]:
        """What an agent is shown of a position."""

    @abstractmethod
    def state(self, percepts: Any, player: Any, step: Any) -> State:
        """The position that an agent was shown, which may be anything; CourseError if it is none."""

    @abstractmethod
    def action(self, state: State, move: Move) -> list[Any]:
        """A legal move as an agent answers it."""

    @abstractmethod
    def move(self, state: State, action: Any) -> Move:
        """The legal move that an agent answered, which may be anything; IllegalMoveError if it is none."""


def _checked(name: str, entry: object) -> Course:
    if not isinstance(entry, Course):
        raise TypeError(f"{entry!r} is not a joute.protocol.course.Course")
    if entry.game != name:
        raise TypeError(f"the course is of '{entry.game}'")
    return entry


_courses: Registry[Course] = Registry("course", "joute.courses", _checked)


def course_names() -> list[str]:
    """The games that have a course's interface, sorted."""
    return _courses.names()


def find_course(game: str) -> Course:
    """The interface of a game's course; SpecError if it has none."""
    if game not in (names := course_names()):
        raise SpecError(f"{game} has no course's interface; {', '.join(names)} {'has' if len(names) == 1 else 'have'}")
    return _courses.find(game)
