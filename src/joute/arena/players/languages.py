"""The languages (protocols, see agents/languages.py) that belong to no game.

They are UGI, XML-RPC servers of courses, and agent files of courses. A course is a university class with its own
program of the game.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from joute.agents import Agent
from joute.agents.languages import FileLanguage, ProgramLanguage, ServerLanguage
from joute.agents.source import Source
from joute.match.player import Player
from joute.spec import parse_spec


class Ugi(ProgramLanguage):
    """The Universal Game Interface (docs/ugi.md)."""

    name = "ugi"
    title = "UGI"
    has_options = True

    def player_type(self, source: Source, game: str) -> Callable[..., Player]:
        """The player that speaks UGI to a process."""
        from joute.arena.players.external import ExternalPlayer

        return ExternalPlayer

    def why_not_loadable(self, text: str) -> str:
        """An error text: the program already speaks UGI."""
        return f"{text} is a program that speaks UGI by itself; start it instead"


class XmlRpc(ServerLanguage):
    """XML-RPC, by which a course's referee calls its agents."""

    name = "xmlrpc"

    def player_type(self, source: Source, game: str) -> Callable[..., Player]:
        """The player that calls a server as the referee of the game's course does."""
        from joute.protocol.course import find_server_course
        from joute.protocol.course_player import CoursePlayer  # imported here: HTTP modules are slow to import

        return functools.partial(CoursePlayer, course=find_server_course(parse_spec(game)[0]))


class CourseFile(FileLanguage):
    """A Python file in the form that a course's program loads."""

    name = "course"
    file = "the file of a course's agent"

    def player_type(self, source: Source, game: str) -> Callable[..., Player]:
        """The player that speaks UGI to a process in which Joute's engine loads the file."""
        from joute.arena.players.external import ExternalPlayer
        from joute.protocol.course import find_file_course

        find_file_course(parse_spec(game)[0])
        return ExternalPlayer

    def load_agent(self, source: Source, game: str, *, seed: int) -> Agent:
        """The agent in a student's file."""
        from joute.protocol.course import find_file_course

        assert source.file is not None
        return find_file_course(parse_spec(game)[0]).load_agent(source.file, source.name_in_file, seed=seed)

    def why_not_loadable(self, text: str) -> str:
        """An error text: the file is already in the course's form."""
        return f"{text} is an agent of a course already"


UGI = Ugi()
XML_RPC = XmlRpc()
COURSE_FILE = CourseFile()
