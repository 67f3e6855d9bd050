"""The sources of agents, and the languages: protocols for agents that are not written for Joute's Python API.

The word before a colon names a language: ``ugi:./engine``. Languages are found through the entry point group
``joute.languages`` and in the rooms of games; joute/agents/languages.py defines the three kinds.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from joute.plugins import Registry, instance_of
from joute.spec import parse_spec

if TYPE_CHECKING:
    from joute.agents.registry import AgentType

#: A Python file, the name of a class or function in it, and values of parameters: ``my_agent.py:Careful:width=4``.
PYTHON_FILE = re.compile(r"(.+?\.py)(?::([A-Za-z_]\w*))?(?::([A-Za-z_]\w*=.*))?")

# A command line and the options of its program: ``./engine --fast [Hash=16,Skill Level=3]``.
_WITH_OPTIONS = re.compile(r"(.*\S)\s+\[([^\[\]]*=[^\[\]]*)\]")


Kind = Literal["built-in", "python", "program", "remote", "unknown"]


@dataclass(frozen=True)
class Source:
    """The source of an agent. Its kinds:

    - `built-in`: Joute's own code, with the files that its spec names;
    - `python`: untrusted code that `load_agent` loads, run in `folder`;
    - `program`: an untrusted program that `command` starts, run in `folder`;
    - `remote`: a server that runs outside Joute;
    - `unknown`: the agent of imported games.

    `files` are the agent's own files that its text names, without interpreters; the first one is the agent.
    """

    text: str
    kind: Kind
    command: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    folder: Path = Path()
    #: The agent type and parameters of a spec, cached so that it is resolved once. Never stored or sent.
    resolved: tuple[AgentType, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def file(self) -> Path | None:
        """The agent's file, if there is one."""
        return self.files[0] if self.files else None

    @property
    def runs_in_worker(self) -> bool:
        """Whether it may play inside a process of Joute's: a built-in agent that reads no file of the user's.

        A file, such as a network, comes from a stranger as an agent's code does; its agent runs under the same limits.
        """
        return self.kind == "built-in" and not self.files

    @property
    def language(self) -> str:
        """The language prefix of the text, with its dialect, such as ``qtp-kata``; empty if there is none."""
        return language_prefix(self.text) if self.kind in ("python", "program", "remote") else ""

    @property
    def is_loadable(self) -> bool:
        """Whether `load_agent` can create it in this process: not a program, a server, or a course's file."""
        return self.kind in ("built-in", "python") and not self.language

    @property
    def named(self) -> str:
        """The text without its language prefix: a command line, an address, or a file."""
        return self.text.removeprefix(f"{self.language}:") if self.language else self.text

    @property
    def settings(self) -> str:
        """The values of parameters that the text gives to a Python file or a program, as ``key=value,…``."""
        if self.kind == "program":
            match = _WITH_OPTIONS.fullmatch(self.text)
            return match[2] if match else ""
        match = PYTHON_FILE.fullmatch(self.named) if self.kind == "python" else None
        return (match[3] or "") if match else ""

    @property
    def name_in_file(self) -> str | None:
        """The class or function that the text names in a Python file; None if it names none or is not a file."""
        match = PYTHON_FILE.fullmatch(self.named) if self.kind == "python" else None
        return match[2] if match else None

    def with_file(self, file: Path) -> str:
        """Return the text with the agent's file replaced by `file`; unchanged if the text does not name the file."""
        path, named = str(self.file), self.named
        if self.kind == "built-in":
            return self.text.replace(f"={path}", f"={file}")
        if self.kind != "python" or not named.startswith(path):
            return self.text
        return f"{self.text.removesuffix(named)}{file}{named.removeprefix(path)}"


class Language(ABC):
    """A protocol: how to name its agents and how to communicate with them."""

    #: The word before the colon.
    name: ClassVar[str]
    #: Placeholder in help texts for the part after the colon: ./program in ``ugi:./program``.
    rest: ClassVar[str]
    #: Whether a dash and the name of a dialect may follow the name, as in ``qtp-kata:``.
    has_dialects: ClassVar[bool] = False

    @abstractmethod
    def find_source(self, prefix: str, rest: str) -> Source:
        """Return the source of the agent ``prefix:rest``; SpecError if there is none. Runs none of its code."""

    @abstractmethod
    def player_type(self, source: Source, game: str) -> Callable[..., Any]:
        """Return the player class for such an agent; SpecError if it cannot play the game of that spec.

        `joute.arena.players.make_player` calls the class, with arguments that depend on the kind of language.
        """

    @abstractmethod
    def why_not_loadable(self, text: str) -> str:
        """Return a sentence that explains why such an agent cannot be created in this process."""


_languages: Registry[Language] = Registry(
    "language",
    "joute.languages",
    instance_of(Language, "joute.agents.source.Language", named_by="name"),  # type: ignore[type-abstract]
)


def language_prefix(text: str) -> str:
    """Return the language prefix of a text, with its dialect; empty if there is none."""
    prefix, colon, _ = text.partition(":")
    name, dash, _ = prefix.partition("-")
    if not colon or "/" in prefix:
        return ""
    names = _languages.names()
    if prefix in names or (dash and name in names and _languages.find(name).has_dialects):
        return prefix
    return ""


def program_options(text: str) -> tuple[str, dict[str, str]]:
    """Split a command line into the command and the options in brackets at its end.

    >>> program_options("./engine --fast [Hash=16,Skill Level=3]")
    ('./engine --fast', {'Hash': '16', 'Skill Level': '3'})
    """
    match = _WITH_OPTIONS.fullmatch(text)
    return (match[1], parse_spec(f":{match[2]}")[1]) if match else (text, {})


def all_languages() -> list[Language]:
    """Return the languages that load, in the order in which packages register them."""
    found = {language.name: language for language in _languages.find_all()[0]}
    return [found[name] for name in _languages.offered_names() if name in found]


def find_language(prefix: str) -> Language:
    """Return the language of a prefix; SpecError if there is none."""
    return _languages.find(prefix if prefix in _languages.names() else prefix.partition("-")[0])
