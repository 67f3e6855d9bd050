"""Where an agent comes from, and the languages by which agents that are no agents of Joute are named and spoken to.

A language is named by the word before a colon: ``ugi:./engine``. Languages are found through the entry point group
``joute.languages`` and in the rooms of games; joute/agents/languages.py has the three kinds that there are.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from joute.plugins import Registry, instance_of

if TYPE_CHECKING:
    from joute.agents.registry import AgentType

#: A Python file, and the name of a class or function in it: ``my_agent.py:Careful``.
PYTHON_FILE = re.compile(r"(.+\.py)(?::([A-Za-z_]\w*))?")


@dataclass(frozen=True)
class Source:
    """Where an agent comes from.

    `built-in` agents may run in any process of ours; `python` is a stranger's code that `load_agent` loads, and
    `program` one that is started with `command`, both in `folder`; `remote` is a server that somebody else runs. Of an
    agent whose games came from elsewhere the source is `unknown`. `files` are those of its own that it names, not an
    interpreter; the first is the agent.
    """

    text: str
    kind: Literal["built-in", "python", "program", "remote", "unknown"]
    command: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    folder: Path = Path()
    #: What a spec stands for, so that it is resolved once: its kind of agent and parameters. Not kept or sent anywhere.
    resolved: tuple[AgentType, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def file(self) -> Path | None:
        """The file that is the agent, if there is one."""
        return self.files[0] if self.files else None

    @property
    def language(self) -> str:
        """The language that the text begins with, such as ``ugi``, and its dialect; empty where it names none."""
        return language_prefix(self.text) if self.kind in ("python", "program", "remote") else ""

    @property
    def is_loadable(self) -> bool:
        """Whether `load_agent` makes it in this process: neither a program, nor a server, nor a course's file."""
        return self.kind in ("built-in", "python") and not self.language

    @property
    def named(self) -> str:
        """The text without its language: a command line, an address, or a file."""
        return self.text.removeprefix(f"{self.language}:") if self.language else self.text

    @property
    def name_in_file(self) -> str | None:
        """Which class or function of a Python file is the agent; None where the file has to tell, or there is none."""
        match = PYTHON_FILE.fullmatch(self.named) if self.kind == "python" else None
        return match[2] if match else None

    def with_file(self, file: Path) -> str:
        """The text that names the agent where its file lies elsewhere; the same where its file is not in the text."""
        path, named = str(self.file), self.named
        if self.kind == "built-in":
            return self.text.replace(f"={path}", f"={file}")
        if self.kind != "python" or not named.startswith(path):
            return self.text
        return f"{self.text.removesuffix(named)}{file}{named.removeprefix(path)}"


class Language(ABC):
    """A way to name agents and to speak to them."""

    #: The word before the colon.
    name: ClassVar[str]
    #: What stands for the rest in help texts: ./program in ``ugi:./program``.
    rest: ClassVar[str]
    #: Whether a dash and the name of a dialect may follow it, as in ``qtp-kata:``.
    has_dialects: ClassVar[bool] = False

    @abstractmethod
    def find_source(self, prefix: str, rest: str) -> Source:
        """The agent that is named ``prefix:rest``; SpecError if there is none. Runs none of its code."""

    @abstractmethod
    def player_type(self, source: Source, game: str) -> Callable[..., Any]:
        """The class of the players of such an agent; SpecError if it cannot play the game of that spec.

        `joute.arena.players.make_player` calls it, in one way for each kind of language.
        """

    @abstractmethod
    def why_not_loadable(self, text: str) -> str:
        """Why such an agent cannot be made in this process, as a sentence."""


_languages: Registry[Language] = Registry(
    "language",
    "joute.languages",
    instance_of(Language, "joute.agents.source.Language", named_by="name"),  # type: ignore[type-abstract]
)


def language_prefix(text: str) -> str:
    """The language, with its dialect, that a text begins with; empty if it begins with none."""
    prefix, colon, _ = text.partition(":")
    name, dash, _ = prefix.partition("-")
    if not colon or "/" in prefix:
        return ""
    names = _languages.names()
    if prefix in names or (dash and name in names and _languages.find(name).has_dialects):
        return prefix
    return ""


def all_languages() -> list[Language]:
    """The languages that load, in the order in which packages offer them."""
    found = {language.name: language for language in _languages.find_all()[0]}
    return [found[name] for name in _languages.offered_names() if name in found]


def find_language(prefix: str) -> Language:
    """The language of a prefix; SpecError if there is none."""
    return _languages.find(prefix if prefix in _languages.names() else prefix.partition("-")[0])
