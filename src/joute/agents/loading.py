"""Agents by the name a user gives them: a spec, a Python file, a class, or a program that speaks UGI.

    mcts:iterations=1000     a spec
    my_agent.py              a Python file with one class that has `choose`, or a function `choose`
    my_agent.py:Careful      that class (or function) of it
    my_package.agents:Best   a class or function of an importable module
    ugi:./engine --fast      a program and its arguments
    ./engine                 the same, where the file can be executed

Files and classes are a stranger's code: whoever runs it decides where. `find_source` only looks.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from joute.agents.agent import Agent
from joute.agents.registry import agent, find_agent, is_agent_name, is_built_in
from joute.errors import SpecError, described

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")

_PYTHON_FILE = re.compile(r"(.+\.py)(?::([A-Za-z_]\w*))?")
_CLASS_PATH = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)")


@dataclass(frozen=True)
class Source:
    """Where an agent comes from.

    `built-in` agents may run in any process of ours; `python` is a stranger's code that `load_agent` loads, and
    `program` one that is started with `command`. `files` are those of its own that it names, not an interpreter.
    """

    text: str
    kind: Literal["built-in", "python", "program"]
    command: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()

    @property
    def file(self) -> Path | None:
        """The file that is the agent, if it has one: the first it names."""
        return self.files[0] if self.files else None


def is_spec(text: str) -> bool:
    """Whether a text names an agent by its spec, rather than a file, a class or a program."""
    return (
        not text.startswith("ugi:")
        and not _PYTHON_FILE.fullmatch(text)
        and not _is_class_path(text)
        and ("/" not in text.partition(":")[0])
    )


def find_source(text: str, game: str | None = None) -> Source:
    """Where the agent that a text names comes from; SpecError if there is none. Runs none of its code.

    Paths in the result are absolute, so it means the same in another folder.
    """
    if text.startswith("ugi:"):
        return _program(text.removeprefix("ugi:"), text)
    if match := _PYTHON_FILE.fullmatch(text):
        file = Path(match[1]).expanduser().absolute()
        if not file.is_file():
            raise SpecError(f"there is no agent file {match[1]}")
        return Source(f"{file}:{match[2]}" if match[2] else str(file), "python", files=(file,))
    if _is_class_path(text):
        return Source(text, "python")
    if "/" in text.partition(":")[0]:
        return _program(shlex.quote(text), text)
    is_ours = is_built_in(text)
    find_agent(text, game, check=is_ours)
    return Source(text, "built-in" if is_ours else "python")


def load_agent(text: str, game: str, seed: int) -> Agent:
    """The agent that a spec, a file or a class path names, made in this process; it is not protected from it.

    A class is called with `seed=` if it takes that, else with nothing.
    """
    if match := _PYTHON_FILE.fullmatch(text):
        return _made(_module_of(Path(match[1])), match[2], text, seed)
    if (match := _CLASS_PATH.fullmatch(text)) and _is_class_path(text):
        if os.getcwd() not in sys.path:
            sys.path.append(os.getcwd())
        return _made(importlib.import_module(match[1]), match[2], text, seed)
    return agent(text, game=game, seed=seed)


def _program(command: str, text: str) -> Source:
    try:
        words = shlex.split(os.path.expanduser(command))
    except ValueError as error:
        raise SpecError(f"'{text}' is not a command line: {error}") from error
    if not words:
        raise SpecError("ugi: needs the program that speaks UGI, as in ugi:./engine")
    program = shutil.which(words[0])
    if program is None:
        what = "cannot be executed (chmod +x makes it so)" if Path(words[0]).is_file() else "does not exist"
        raise SpecError(f"program {words[0]} {what}")
    # Arguments that name files are made absolute as well: `ugi:python3 engine.py` must work in any folder.
    arguments = [str(Path(word).absolute()) if Path(word).is_file() else word for word in words[1:]]
    command_line = (str(Path(program).absolute()), *arguments)
    # A program that is found by its bare name is an interpreter, or at least not the agent's own.
    named = [Path(word) for word in (command_line if "/" in words[0] else arguments)]
    own = tuple(path for path in named if path.is_file() and not _is_of_the_system(path))
    return Source(f"ugi:{shlex.join(command_line)}", "program", command=command_line, files=own)


def _is_class_path(text: str) -> bool:
    """Whether a text is ``module:Class``; a known agent with a setting that lacks its value is not."""
    match = _CLASS_PATH.fullmatch(text)
    return match is not None and not is_agent_name(match[1])


def _is_of_the_system(path: Path) -> bool:
    """Whether a file is part of the system or of Python, such as an interpreter."""
    return any(path.is_relative_to(folder) for folder in (*_SYSTEM, sys.prefix, sys.base_prefix))


def _module_of(file: Path) -> ModuleType:
    """A Python file, run as a module of its own name, with its folder first on the path."""
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module  # so that pickles and dataclasses of the file find it
    spec.loader.exec_module(module)
    return module


def _made(module: ModuleType, name: str | None, text: str, seed: int) -> Agent:
    found: Any = _named(module, name, text) if name else _only(module, text)
    if not inspect.isclass(found):
        return _FunctionAgent(found)
    make: Any = found
    made: Agent = make(seed=seed) if _takes_seed(found) else make()
    if not callable(getattr(made, "choose", None)):
        raise SpecError(f"class {found.__name__} of {text} has no method choose(state, clock)")
    return made


def _named(module: ModuleType, name: str, text: str) -> Any:
    found = getattr(module, name, None)
    if not callable(found):
        raise SpecError(f"{text}: {module.__name__} has no class or function {name}")
    return found


def _only(module: ModuleType, text: str) -> Any:
    """The agent of a file that does not say which it is: its function `choose`, or its only class that has one."""
    if callable(function := getattr(module, "choose", None)):
        _check_takes_state_and_clock(function, text)
        return function
    classes = [
        found
        for found in vars(module).values()
        if inspect.isclass(found) and found.__module__ == module.__name__ and callable(getattr(found, "choose", None))
    ]
    if len(classes) == 1:
        return classes[0]
    if not classes:
        raise SpecError(f"{text} has no class with a method choose(state, clock), and no function choose{_hint(text)}")
    names = ", ".join(found.__name__ for found in classes)
    raise SpecError(f"{text} has several agents ({names}); say which: {Path(text).name}:{classes[0].__name__}")


def _check_takes_state_and_clock(function: Any, text: str) -> None:
    try:
        inspect.signature(function).bind(None, None)
    except TypeError as error:
        raise SpecError(f"the function choose of {text} does not take (state, clock){_hint(text)}") from error
    except ValueError:  # it does not tell what it takes
        pass


def _hint(text: str) -> str:
    return f"; a program that speaks UGI is named ugi:python3 {Path(text).name}"


def _takes_seed(found: Any) -> bool:
    try:
        return "seed" in inspect.signature(found).parameters
    except (TypeError, ValueError) as error:
        raise SpecError(f"{found!r} cannot be made: {described(error)}") from error


class _FunctionAgent:
    """A plain function as an agent."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def choose(self, state: Any, clock: Any) -> Any:
        """What the function answers."""
        return self._function(state, clock)
