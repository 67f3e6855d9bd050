"""The interface of a course: how its referee sends positions to agents, and how agents answer with moves.

There are three kinds. `ServerCourse`: every agent is an XML-RPC server, and the referee calls
``play(percepts, player, step, time_left)`` for a move; the game defines the form of percepts and moves. `FileCourse`:
the course's program loads a Python file for each agent. `ConnectedCourse`: agents connect to a server of the course, by
commands of the game. Courses are found through the entry point group ``joute.courses``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from joute.agents import Agent
from joute.errors import JouteError, SpecError
from joute.games import Move, State
from joute.match.record import GameRecord
from joute.plugins import Registry, instance_of


class CourseError(JouteError):
    """The referee or a recording of a course sent invalid data, such as an impossible position."""


class Course(ABC):
    """The interface of one game's course."""

    #: The name of the game.
    game: ClassVar[str]


class ServerCourse(Course):
    """A course whose agents are servers. Its values have XML-RPC types: numbers, texts, lists, dictionaries."""

    #: The rules of the course's program, as the settings of a spec.
    rules: ClassVar[str] = ""
    #: Whether its referee calls `initialize` before the first move, while the clock runs.
    announces_games: ClassVar[bool] = False

    @property
    def spec(self) -> str:
        """The spec of the game with the course's rules."""
        return f"{self.game}:{self.rules}" if self.rules else self.game

    @abstractmethod
    def number(self, player: int) -> int:
        """The course's number for player 0 or 1."""

    def numbers(self, player: int) -> list[int]:
        """The player numbers sent to an agent when a game is announced."""
        return [self.number(player)]

    @abstractmethod
    def percepts(self, state: State) -> dict[str, Any]:
        """The percepts of a position, as sent to an agent."""

    @abstractmethod
    def state(self, percepts: Any, player: Any, step: Any, *, rules: str | None = None) -> State:
        """The position of untrusted percepts; CourseError if they are invalid.

        `rules` are the rules of the game, by default the course's own.
        """

    @abstractmethod
    def action(self, state: State, move: Move) -> list[Any]:
        """A legal move in the form of an agent's answer."""

    @abstractmethod
    def move(self, state: State, action: Any) -> Move:
        """The legal move of an untrusted answer; IllegalMoveError if it is invalid or illegal."""


class FileCourse(Course):
    """A course whose agents are Python files, loaded by its program."""

    #: The course's name for the file of an agent.
    file_name: ClassVar[str]
    #: The modules that only the course's program provides to its agents.
    modules: ClassVar[tuple[str, ...]]

    @abstractmethod
    def check_agent(self, agent: str, folder: Path) -> None:
        """SpecError if a Joute agent cannot play inside the course's program; paths are relative to `folder`."""

    @abstractmethod
    def player_file(self, agent: str, *, seed: int) -> str:
        """The text of a file by which the course's program plays with a Joute agent.

        Paths in `agent` are relative to the folder of the file.
        """

    @abstractmethod
    def load_agent(self, file: Path, name: str | None, *, seed: int) -> Agent:
        """The agent in a student's file, created in this process from the class `name`, or the only class if None."""

    @abstractmethod
    def is_recording(self, data: Any) -> bool:
        """Whether JSON data looks like a game recorded by the course's program."""

    @abstractmethod
    def read_recording(self, data: Any) -> GameRecord:
        """The game in a recording of the course's program; CourseError if it is invalid."""


class ConnectedCourse(Course):
    """A course whose agents connect to a server, so that they cannot be named in a match or tournament."""

    #: A sentence that explains how to play there with a Joute agent.
    advice: ClassVar[str]


_courses: Registry[Course] = Registry(
    "course", "joute.courses", instance_of(Course, "joute.protocol.course.Course", named_by="game")
)


def course_names() -> list[str]:
    """The games with a course other than a `ConnectedCourse`, sorted."""
    found, problems = _courses.find_all()
    called = {course.game for course in found if not isinstance(course, ConnectedCourse)}
    return sorted({*called, *problems})


def find_course(game: str) -> Course:
    """The course of a game; SpecError if there is none, or if it is a `ConnectedCourse`."""
    if game not in _courses.names():
        names = course_names()
        raise SpecError(
            f"{game} has no course interface; {', '.join(names)} {'has' if len(names) == 1 else 'have'} one"
        )
    course = _courses.find(game)
    if isinstance(course, ConnectedCourse):
        raise SpecError(course.advice)
    return course


def find_server_course(game: str) -> ServerCourse:
    """The `ServerCourse` of a game; SpecError if it has none."""
    course = find_course(game)
    if not isinstance(course, ServerCourse):
        raise SpecError(f"the agents of the {game} course are files, not servers: course:FILE names one")
    return course


def find_file_course(game: str) -> FileCourse:
    """The `FileCourse` of a game; SpecError if it has none."""
    course = find_course(game)
    if not isinstance(course, FileCourse):
        raise SpecError(f"the agents of the {game} course are servers, not files: xmlrpc:URL names one")
    return course


def recording_course(data: Any) -> FileCourse | None:
    """The course whose program recorded a game, recognised by its JSON data; None if unknown."""
    courses = (course for course in map(_courses.find, course_names()) if isinstance(course, FileCourse))
    return next((course for course in courses if course.is_recording(data)), None)
