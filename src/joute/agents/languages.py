"""The kinds of languages: what programs speak, what servers speak, and files that are loaded in another way than ours.

A protocol is a subclass of one of them and an entry point ``joute.languages``, or a line of its game's room.
"""

from __future__ import annotations

import os
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
from joute.agents.source import PYTHON_FILE, Language, Source, all_languages
from joute.errors import SpecError
from joute.spec import parse_spec

#: How the address of a server begins.
WEB = ("http://", "https://")

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
_INTERPRETERS = "python|pypy|node|deno|bun|java|ruby|perl|lua|php|julia|Rscript|dotnet|mono|wine|bash|sh"
_INTERPRETER = re.compile(rf"({_INTERPRETERS})[\d.]*")


class ProgramLanguage(Language):
    """A language of programs, which are started for each game: ``NAME:COMMAND LINE``.

    Its `player_type` is a `joute.arena.players.program.ProgramPlayer`, or takes the same arguments.
    """

    rest = "./program"
    #: What sentences call it.
    title: ClassVar[str]
    #: The only game that its programs play; empty if they play any.
    game: ClassVar[str] = ""
    #: What its programs do, where a sentence says that they play no other game; "speak" and its title unless given.
    doing: ClassVar[str] = ""

    def check_dialect(self, dialect: str) -> None:
        """SpecError unless there is a dialect of that name."""
        raise SpecError(f"{self.title} has no dialects")

    def find_source(self, prefix: str, rest: str) -> Source:
        """A command line."""
        if prefix != self.name:
            self.check_dialect(prefix.removeprefix(f"{self.name}-"))
        try:
            words = shlex.split(rest)
        except ValueError as error:
            raise SpecError(f"'{prefix}:{rest}' is not a command line: {error}") from error
        if not words:
            raise SpecError(f"{prefix}: needs the program that speaks {self.title}, as in {prefix}:./engine")
        return program_source(prefix, words)

    def check_game(self, game: str) -> None:
        """SpecError unless such programs play the game of that spec."""
        played = parse_spec(game)[0]
        if self.game and played != self.game:
            doing = self.doing or f"speak {self.title}"
            raise SpecError(f"programs that {doing} play {self.game}, not {played}")

    def why_not_loadable(self, text: str) -> str:
        """A program of another language than UGI."""
        return f"{text} is a program that speaks {self.title}, which can play but not be served over UGI"


class ServerLanguage(Language):
    """A language of servers that somebody else runs: ``NAME:http://HOST:PORT``.

    Its `player_type` takes an address, a name, and `start_s` and `stall_s` by name.
    """

    rest = "URL"

    def find_source(self, prefix: str, rest: str) -> Source:
        """A server at an address; nobody looks yet whether it is there."""
        from urllib.parse import urlsplit

        try:
            parts = urlsplit(rest)
            has_more = "@" in parts.netloc or parts.query or parts.fragment
            is_address = rest.startswith(WEB) and parts.hostname and parts.port != 0 and not has_more
        except ValueError:  # such as a port that is no number
            is_address = False
        if not is_address or not rest.isascii() or not rest.isprintable() or " " in rest:
            raise SpecError(f"'{one_line(rest)}' is no address of a server; write {prefix}:http://localhost:8000")
        return Source(f"{prefix}:{rest}", "remote")

    def why_not_loadable(self, text: str) -> str:
        """A server."""
        return f"{text} is a server of its own, which can play but not be served over UGI"


class FileLanguage(Language):
    """A language of Python files that are no agents of ours, and that `load_agent` makes agents of: ``NAME:FILE``.

    Its `player_type` is a `joute.arena.players.program.ProgramPlayer` that speaks UGI to a process of ours.
    """

    rest = "FILE"
    #: What the file is, in a sentence, and what one may be called.
    file: ClassVar[str]
    example: ClassVar[str] = "my_player.py"

    def find_source(self, prefix: str, rest: str) -> Source:
        """A Python file, or a class of it."""
        if not PYTHON_FILE.fullmatch(rest):
            raise SpecError(f"{prefix}: needs {self.file}, as in {prefix}:{self.example}")
        return python_source(rest, prefix=f"{prefix}:")

    @abstractmethod
    def load_agent(self, source: Source, game: str, *, seed: int) -> Agent:
        """The agent in the file, made in this process."""


def names_in_help() -> str:
    """How agents of other languages are named, for help texts: programs first, then servers, then files."""
    kinds = (ProgramLanguage, ServerLanguage, FileLanguage)
    known = [language for kind in kinds for language in all_languages() if isinstance(language, kind)]
    return ", ".join(f"{language.name}:{language.rest}" for language in known)


def python_source(text: str, *, prefix: str = "") -> Source:
    """A Python file, or a class or function of it; SpecError if the file is not there."""
    match = PYTHON_FILE.fullmatch(text)
    assert match is not None
    file = Path(match[1]).expanduser().absolute()
    if not file.is_file():
        raise SpecError(f"there is no agent file {match[1]}{_ugi_hint(text)}")
    named = f"{file}:{match[2]}" if match[2] else str(file)
    return Source(f"{prefix}{named}", "python", files=(file,), folder=file.parent)


def _ugi_hint(text: str) -> str:
    return f"; for a program that speaks UGI, write ugi:{text}" if " " in text and shutil.which(text.split()[0]) else ""


def program_source(prefix: str, words: Sequence[str]) -> Source:
    """A program and its arguments; SpecError if it is not there, or cannot be executed."""
    words = [os.path.expanduser(word) for word in words]
    program = shutil.which(words[0])
    if program is None:
        raise SpecError(f"program {words[0]} {_why_no_program(Path(words[0]))}")
    # Arguments that name files are made absolute as well: `ugi:python3 engine.py` must work in any folder.
    arguments = [str(Path(word).absolute()) if Path(word).is_file() else word for word in words[1:]]
    command = (str(Path(program).absolute()), *arguments)
    own = tuple(path for path in map(Path, command) if path.is_file() and _is_own(path))
    return Source(f"{prefix}:{shlex.join(command)}", "program", command, own, own[0].parent if own else Path.cwd())


def _why_no_program(path: Path) -> str:
    if path.is_dir():
        return "is a folder, not an agent"
    return "cannot be executed (chmod +x makes it so)" if path.is_file() else "does not exist"


def _is_own(path: Path) -> bool:
    """Whether a file is an agent's own: not an interpreter, and not part of the system or of Python."""
    return not _INTERPRETER.fullmatch(path.name) and not _is_of_the_system(path)


def _is_of_the_system(path: Path) -> bool:
    """Whether a file is part of the system or of Python, such as an interpreter."""
    return any(path.is_relative_to(folder) for folder in (*_SYSTEM, sys.prefix, sys.base_prefix))
