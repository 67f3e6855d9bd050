"""The three kinds of languages: those of programs, those of servers, and those of Python files with a foreign API.

A protocol is a subclass of one of them, registered as an entry point ``joute.languages`` or in its game's room.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from joute._core import one_line
from joute.agents.agent import Agent
from joute.agents.file_parameters import file_settings
from joute.agents.source import PYTHON_FILE, Language, Source, all_languages, program_options
from joute.agents.variation import settings_text, varied
from joute.errors import SpecError
from joute.files import user_path
from joute.spec import parse_spec

#: The prefixes of a server's address.
WEB = ("http://", "https://")

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
_INTERPRETERS = "python|pypy|node|deno|bun|java|ruby|perl|lua|php|julia|Rscript|dotnet|mono|wine|bash|sh"
_INTERPRETER = re.compile(rf"({_INTERPRETERS})[\d.]*")


class ProgramLanguage(Language):
    """A protocol of programs that are started for each game: ``NAME:COMMAND LINE``.

    Its `player_type` is a `joute.arena.players.program.ProgramPlayer`, or takes the same arguments.
    """

    rest = "./program"
    #: Its name in messages.
    title: ClassVar[str]
    #: The only game that its programs play; empty if they play any.
    game: ClassVar[str] = ""
    #: Whether a name may end with options of the program in brackets: ``./engine [Hash=16]``.
    has_options: ClassVar[bool] = False
    #: The verb phrase of the message "programs that … play GAME, not …"; empty for "speak TITLE".
    doing: ClassVar[str] = ""

    def check_dialect(self, dialect: str) -> None:
        """Raise SpecError unless there is a dialect of that name."""
        raise SpecError(f"{self.title} has no dialects")

    def find_source(self, prefix: str, rest: str) -> Source:
        """Return the source of a command line."""
        if prefix != self.name:
            self.check_dialect(prefix.removeprefix(f"{self.name}-"))
        command, options = program_options(rest) if self.has_options else (rest, {})
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise SpecError(f"'{prefix}:{rest}' is not a command line: {error}") from error
        if not words:
            raise SpecError(f"{prefix}: needs the program that speaks {self.title}, as in {prefix}:./engine")
        return varied(program_source(prefix, words), settings_text(options))

    def check_game(self, game: str) -> None:
        """Raise SpecError unless such programs play the game of that spec."""
        played = parse_spec(game)[0]
        if self.game and played != self.game:
            doing = self.doing or f"speak {self.title}"
            raise SpecError(f"programs that {doing} play {self.game}, not {played}")

    def why_not_loadable(self, text: str) -> str:
        """Return why programs of this language cannot be loaded."""
        return f"{text} is a program that speaks {self.title}, which can play but not be served over UGI"


class ServerLanguage(Language):
    """A protocol of servers that run outside Joute: ``NAME:http://HOST:PORT``.

    Its `player_type` takes an address, a name, and `start_s` and `stall_s` by name.
    """

    rest = "URL"

    def find_source(self, prefix: str, rest: str) -> Source:
        """Return the source of an address. Does not contact the server."""
        from urllib.parse import urlsplit

        try:
            parts = urlsplit(rest)
            has_more = "@" in parts.netloc or parts.query or parts.fragment
            is_address = rest.startswith(WEB) and parts.hostname and parts.port != 0 and not has_more
        except ValueError:  # such as a port that is not a number
            is_address = False
        if not is_address or not rest.isascii() or not rest.isprintable() or " " in rest:
            raise SpecError(f"'{one_line(rest)}' is not the address of a server; write {prefix}:http://localhost:8000")
        return Source(f"{prefix}:{rest}", "remote")

    def why_not_loadable(self, text: str) -> str:
        """Return why servers cannot be loaded."""
        return f"{text} is a server, which can play but not be served over UGI"


class FileLanguage(Language):
    """A language of Python files with another API than Joute's, which `load_agent` adapts: ``NAME:FILE``.

    Its `player_type` is a `joute.arena.players.program.ProgramPlayer` that speaks UGI to a process that Joute starts.
    """

    rest = "FILE"
    #: The noun phrase for such a file in error messages, and an example of its name.
    file: ClassVar[str]
    example: ClassVar[str] = "my_player.py"

    def find_source(self, prefix: str, rest: str) -> Source:
        """Return the source of a Python file, or of a class in it."""
        if not PYTHON_FILE.fullmatch(rest):
            raise SpecError(f"{prefix}: needs {self.file}, as in {prefix}:{self.example}")
        return python_source(rest, prefix=f"{prefix}:")

    @abstractmethod
    def load_agent(self, source: Source, game: str, *, seed: int) -> Agent:
        """Create the agent of the file in this process."""


def names_in_help() -> str:
    """Return the forms of agent names in other languages, for help texts: programs, then servers, then files."""
    kinds = (ProgramLanguage, ServerLanguage, FileLanguage)
    known = [language for kind in kinds for language in all_languages() if isinstance(language, kind)]
    return ", ".join(f"{language.name}:{language.rest}" for language in known)


def python_source(text: str, *, prefix: str = "") -> Source:
    """Return the source of a Python file, or of a class or function in it; SpecError if the file does not exist."""
    match = PYTHON_FILE.fullmatch(text)
    assert match is not None
    file = user_path(match[1]).absolute()
    if not file.is_file():
        raise SpecError(f"there is no agent file {match[1]}{_ugi_hint(text)}")
    if match[3]:
        if prefix:
            raise SpecError(f"{prefix}{match[1]}: a file in this language has no parameters that can be set")
        file_settings(file, match[2], match[3])
    named = ":".join(filter(None, (str(file), match[2], match[3])))
    return Source(f"{prefix}{named}", "python", files=(file,), folder=file.parent)


def _ugi_hint(text: str) -> str:
    return f"; for a program that speaks UGI, write ugi:{text}" if " " in text and shutil.which(text.split()[0]) else ""


def program_source(prefix: str, words: Sequence[str]) -> Source:
    """Return the source of a program and its arguments; SpecError if it does not exist or cannot be executed."""
    words = [str(user_path(word)) if word.startswith("~") else word for word in words]
    program = shutil.which(words[0])
    if program is None:
        raise SpecError(f"program {words[0]} {_why_no_program(Path(words[0]))}")
    # Arguments that name files become absolute too: `ugi:python3 engine.py` must work from any folder.
    arguments = [str(Path(word).absolute()) if Path(word).is_file() else word for word in words[1:]]
    command = (str(Path(program).absolute()), *arguments)
    own = tuple(path for path in map(Path, command) if path.is_file() and _is_own(path))
    return Source(f"{prefix}:{shlex.join(command)}", "program", command, own, own[0].parent if own else Path.cwd())


def _why_no_program(path: Path) -> str:
    if path.is_dir():
        return "is a folder, not an agent"
    return "cannot be executed (chmod +x makes it executable)" if path.is_file() else "does not exist"


def _is_own(path: Path) -> bool:
    """Whether a file belongs to the agent: not an interpreter, and not part of the system or of Python."""
    return not _INTERPRETER.fullmatch(path.name) and not _is_of_the_system(path)


def _is_of_the_system(path: Path) -> bool:
    """Whether a file is part of the system or of Python."""
    return any(path.is_relative_to(folder) for folder in (*_SYSTEM, sys.prefix, sys.base_prefix))
