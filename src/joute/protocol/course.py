"""What a course's interface is: how its referee shows a position of a game, and how its agents name a move.

There are three kinds. In one every agent is an XML-RPC server, which the referee calls for a move:
``play(percepts, player, step, time_left)``; what percepts and moves look like is the game's. In another the course's
program loads a Python file for each agent. In the third agents connect to a server of the course, which commands of the
game's own do. Courses are found through the entry point group ``joute.courses``.
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
    """What the referee of a course sent is no position of its game."""


class Course(ABC):
    """The interface of one game's course."""

    #: The name of the game.
    game: ClassVar[str]


class ServerCourse(Course):
    """A course whose agents are servers. Its values are what XML-RPC knows: numbers, texts, lists, dictionaries."""

    #: The rules that the course's program plays by, as a spec has them.
    rules: ClassVar[str] = ""
    #: Whether its referee calls `initialize` before the first move, while the clock runs.
    announces_games: ClassVar[bool] = False

    @property
    def spec(self) -> str:
        """The game as the course's program plays it."""
        return f"{self.game}:{self.rules}" if self.rules else self.game

    @abstractmethod
    def number(self, player: int) -> int:
        """What the course calls player 0 or 1."""

    def numbers(self, player: int) -> list[int]:
        """The players that an agent is told it has, when a game is announced."""
        return [self.number(player)]

    @abstractmethod
    def percepts(self, state: State) -> dict[str, Any]:
        """What an agent is shown of a position."""

    @abstractmethod
    def state(self, percepts: Any, player: Any, step: Any, *, rules: str | None = None) -> State:
        """The position that an agent was shown, which may be anything; CourseError if it is none.

        It is one by these rules; by the course's own where none are named.
        """

    @abstractmethod
    def action(self, state: State, move: Move) -> list[Any]:
        """A legal move as an agent answers it."""

    @abstractmethod
    def move(self, state: State, action: Any) -> Move:
        """The legal move that an agent answered, which may be anything; IllegalMoveError if it is none."""


class FileCourse(Course):
    """A course whose agents are Python files, loaded by its program."""

    #: What the course calls the file that an agent is handed in as.
    file_name: ClassVar[str]
    #: What its agents import that is nobody else's.
    modules: ClassVar[tuple[str, ...]]

    @abstractmethod
    def check_agent(self, agent: str, folder: Path) -> None:
        """SpecError unless an agent of ours can play inside the course's program; paths count from a folder."""

    @abstractmethod
    def player_file(self, agent: str, *, seed: int) -> str:
        """The text of a file by which the course's program plays with an agent of ours.

        A path in `agent` counts from the folder of the file.
        """

    @abstractmethod
    def load_agent(self, file: Path, name: str | None, *, seed: int) -> Agent:
        """The agent in a student's file, its class of a name or the only one, made in this process."""

    @abstractmethod
    def is_recording(self, data: Any) -> bool:
        """Whether data that were JSON look like a game that the course's program recorded."""

    @abstractmethod
    def read_recording(self, data: Any) -> GameRecord:
        """The game that the course's program recorded; CourseError if anything in it is wrong."""


class ConnectedCourse(Course):
    """A course that has servers to which agents connect: none of its agents is called by a name."""

    #: How an agent of ours plays there, as a sentence.
    advice: ClassVar[str]


_courses: Registry[Course] = Registry(
    "course", "joute.courses", instance_of(Course, "joute.protocol.course.Course", named_by="game")
)


def course_names() -> list[str]:
    """The games whose course calls agents, sorted."""
    found, problems = _courses.find_all()
    called = {course.game for course in found if not isinstance(course, ConnectedCourse)}
    return sorted({*called, *problems})


def find_course(game: str) -> Course:
    """The interface of a game's course; SpecError if it has none, or if agents connect to it."""
    if game not in _courses.names():
        names = course_names()
        raise SpecError(f"{game} has no course's interface; {', '.join(names)} {'has' if len(names) == 1 else 'have'}")
    course = _courses.find(game)
    if isinstance(course, ConnectedCourse):
        raise SpecError(course.advice)
    return course


def find_server_course(game: str) -> ServerCourse:
    """The interface of a course whose agents are servers; SpecError if the game's is none."""
    course = find_course(game)
    if not isinstance(course, ServerCourse):
        raise SpecError(f"the agents of the {game} course are files, not servers: course:FILE names one")
    return course


def find_file_course(game: str) -> FileCourse:
    """The interface of a course whose agents are files; SpecError if the game's is none."""
    course = find_course(game)
    if not isinstance(course, FileCourse):
        raise SpecError(f"the agents of the {game} course are servers, not files: xmlrpc:URL names one")
    return course


def recording_course(data: Any) -> FileCourse | None:
    """The course whose program recorded a game, told by what its JSON looks like."""
    courses = (course for course in map(_courses.find, course_names()) if isinstance(course, FileCourse))
    return next((course for course in courses if course.is_recording(data)), None)
