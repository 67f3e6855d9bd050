"""Agents by the name a user gives them: a spec, a Python file, a class, a program, or a server.

    mcts:iterations=1000     a spec
    my_agent.py              a Python file with one class that has `choose`, or a function `choose`
    my_agent.py:Careful      that class (or function) of it
    my_package.agents:Best   a class or function of an importable module
    ugi:./engine --fast      a program and its arguments
    ./engine                 the same, where the file can be executed
    qtp:./engine --fast      a program that speaks QTP, of Quoridor; qtp-kata: and qtp-modern: write moves otherwise
    tcp:./bot --fast         a program that plays Vampires over TCP, started with a host and a port as its last words
    xmlrpc:http://host:8000  a server that speaks as the agents of a course do
    course:my_player.py      a Python file as the program of a course loads one

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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from joute._core import one_line
from joute.agents.agent import Agent
from joute.agents.registry import agent, find_agent, is_agent_name, is_built_in
from joute.errors import SpecError, described
from joute.spec import parse_spec

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")

_PYTHON_FILE = re.compile(r"(.+\.py)(?::([A-Za-z_]\w*))?")
_SERVER = "xmlrpc:"
_COURSE = "course:"
_PROGRAM = re.compile(r"(ugi|tcp|qtp(?:-[^:/]*)?):")
_NO_SPEC = re.compile(rf"{_PROGRAM.pattern}|{_SERVER}|{_COURSE}|~|[^:=]*/")
_WEB = ("http://", "https://")
_INTERPRETERS = "python|pypy|node|deno|bun|java|ruby|perl|lua|php|julia|Rscript|dotnet|mono|wine|bash|sh"
_INTERPRETER = re.compile(rf"({_INTERPRETERS})[\d.]*")
_CLASS_PATH = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)")


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

    @property
    def file(self) -> Path | None:
        """The file that is the agent, if there is one."""
        return self.files[0] if self.files else None

    @property
    def url(self) -> str:
        """The address of a server."""
        return self.text.removeprefix(_SERVER)

    @property
    def is_of_course(self) -> bool:
        """Whether it is a file as the program of a course loads one."""
        return self.text.startswith(_COURSE)

    @property
    def name_in_file(self) -> str | None:
        """Which class or function of a Python file is the agent; None where the file has to tell, or there is none."""
        match = _PYTHON_FILE.fullmatch(self.text.removeprefix(_COURSE))
        return match[2] if match and self.kind == "python" else None

    @property
    def language(self) -> str:
        """What a program speaks: ``ugi``, ``tcp``, ``qtp``, or ``qtp-`` and a notation."""
        match = _PROGRAM.match(self.text)
        return match[1] if match and self.kind == "program" else ""

    def with_file(self, file: Path) -> str:
        """The text that names the agent where its file lies elsewhere; the same where its file is not in the text."""
        path, prefix = str(self.file), _COURSE if self.is_of_course else ""
        if self.kind == "built-in":
            return self.text.replace(f"={path}", f"={file}")
        if self.kind != "python" or not self.text.startswith(f"{prefix}{path}"):
            return self.text
        return f"{prefix}{file}{self.text.removeprefix(f'{prefix}{path}')}"


def is_spec(text: str) -> bool:
    """Whether a text names an agent by its spec, rather than a file, a class, a program or a server."""
    if is_agent_name(text.partition(":")[0]):
        return True
    return not (_NO_SPEC.match(text) or _PYTHON_FILE.fullmatch(text) or _CLASS_PATH.fullmatch(text))


def find_source(text: str, game: str | None = None) -> Source:
    """Where the agent that a text names comes from; SpecError if there is none. Runs none of its code.

    Paths in the result are absolute, so its text means the same in another folder, but for modules.
    """
    if _PROGRAM.match(text):
        return _found_program(text)
    if text.startswith(_SERVER):
        return _found_server(text)
    if is_spec(text):
        return _found_spec(text, game)
    if text.startswith(_COURSE):
        if not _PYTHON_FILE.fullmatch(named := text.removeprefix(_COURSE)):
            raise SpecError(f"{_COURSE} needs the file of a course's agent, as in {_COURSE}my_player.py")
        found = find_source(named, game)
        return replace(found, text=f"{_COURSE}{found.text}")
    if match := _PYTHON_FILE.fullmatch(text):
        file = Path(match[1]).expanduser().absolute()
        if not file.is_file():
            raise SpecError(f"there is no agent file {match[1]}{_ugi_hint(text)}")
        return Source(f"{file}:{match[2]}" if match[2] else str(file), "python", files=(file,), folder=file.parent)
    if match := _CLASS_PATH.fullmatch(text):
        module = _module_file(match[1])
        if module is None and importlib.util.find_spec(match[1].partition(".")[0]) is None:
            find_agent(match[1])  # says that there is none of that name, and which is nearest
        return Source(text, "python", files=(module,) if module else (), folder=Path.cwd())
    return _found_program(text)


def _found_spec(text: str, game: str | None) -> Source:
    is_ours = is_agent_name(text.partition(":")[0]) and is_built_in(text)
    try:
        agent_type, parameters = find_agent(text, game, check=is_ours)
    except SpecError as error:
        raise SpecError(f"{error}{_file_hint(text)}") from error
    if is_ours:
        return _with_files(text, [each.name for each in agent_type.described_parameters if each.is_file])
    module = _module_file(str(getattr(parameters, "eval", "")).partition(":")[0])
    return Source(text, "python", files=(module,) if module else (), folder=Path.cwd())


def _with_files(text: str, names: Sequence[str]) -> Source:
    """A built-in agent, with the files that its parameters of these names are."""
    name, pairs = parse_spec(text)
    given = {key: Path(pairs[key]).expanduser().absolute() for key in names if pairs.get(key)}
    if not given:
        return Source(text, "built-in")
    settings = ",".join(f"{key}={value}" for key, value in (pairs | given).items())
    files = tuple(path for path in given.values() if path.is_file())
    return Source(f"{name}:{settings}", "built-in", files=files, folder=files[0].parent if files else Path())


def _module_file(name: str) -> Path | None:
    """The file of a module in the current folder, found without running anything."""
    path = Path.cwd().joinpath(*name.split("."))
    found = (path.with_name(f"{path.name}.py"), path / "__init__.py") if name else ()
    return next((file for file in found if file.is_file()), None)


def _file_hint(text: str) -> str:
    """What a user may have meant who named a file or a server without saying how."""
    if text.startswith(_WEB):
        return f"; for the server of a course's agent, write {_SERVER}{text}"
    if Path(f"{text}.py").is_file():
        return f"; for the file, write {text}.py"
    return f"; for the program, write ./{text}" if Path(text).is_file() else ""


def _ugi_hint(text: str) -> str:
    return f"; for a program that speaks UGI, write ugi:{text}" if " " in text and shutil.which(text.split()[0]) else ""


def load_agent(text: str, game: str, seed: int) -> Agent:
    """The agent that a spec, a file or a class path names, made in this process; it is not protected from it.

    A class is called with `seed=` if it takes that, else with nothing.
    """
    if is_spec(text):
        return agent(text, game=game, seed=seed)
    if text.startswith(_COURSE):
        raise not_loadable(text)
    if (match := _PYTHON_FILE.fullmatch(text)) and not _PROGRAM.match(text):
        return _made(module_of(Path(match[1])), match[2], text, seed)
    if (match := _CLASS_PATH.fullmatch(text)) and not _PROGRAM.match(text):
        if os.getcwd() not in sys.path:
            sys.path.append(os.getcwd())
        return _made(importlib.import_module(match[1]), match[2], text, seed)
    raise not_loadable(text)


def not_loadable(text: str) -> SpecError:
    """Why a program, a server or a course's file cannot be loaded as an agent in Python is."""
    if text.startswith(_SERVER):
        return SpecError(f"{text} is a server of its own, which can play but not be served over UGI")
    if text.startswith(_COURSE):
        return SpecError(f"{text} is an agent of a course already")
    if (match := _PROGRAM.match(text)) and match[1] != "ugi":
        spoken = match[1][:3].upper()
        return SpecError(f"{text} is a program that speaks {spoken}, which can play but not be served over UGI")
    return SpecError(f"{text} is a program that speaks UGI by itself; start it instead")


def seed_generators(seed: int) -> None:
    """Seed Python's own generator, and NumPy's if it is loaded: a stranger's agent may draw from either."""
    import random

    random.seed(seed)
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def _found_program(text: str) -> Source:
    """A command line after ``ugi:``, ``qtp:`` or ``tcp:``, or the path of a program."""
    match = _PROGRAM.match(text)
    language = match[1] if match else "ugi"
    _check_language(language)
    try:
        words = shlex.split(text.removeprefix(f"{language}:")) if match else [text]
    except ValueError as error:
        raise SpecError(f"'{text}' is not a command line: {error}") from error
    if not words:
        raise SpecError(f"{language}: needs the program that speaks {language[:3].upper()}, as in {language}:./engine")
    words = [os.path.expanduser(word) for word in words]
    program = shutil.which(words[0])
    if program is None:
        raise SpecError(f"program {words[0]} {_why_no_program(Path(words[0]))}")
    # Arguments that name files are made absolute as well: `ugi:python3 engine.py` must work in any folder.
    arguments = [str(Path(word).absolute()) if Path(word).is_file() else word for word in words[1:]]
    command = (str(Path(program).absolute()), *arguments)
    own = tuple(path for path in map(Path, command) if path.is_file() and _is_own(path))
    return Source(f"{language}:{shlex.join(command)}", "program", command, own, own[0].parent if own else Path.cwd())


def _check_language(language: str) -> None:
    """SpecError if a program is said to write moves in a way that nobody does."""
    _, dash, name = language.partition("-")
    if dash:
        from joute.games.quoridor.notation import find_notation  # here: few programs are of Quoridor

        find_notation(name)


def _found_server(text: str) -> Source:
    """A server at an address; nobody looks yet whether it is there."""
    from urllib.parse import urlsplit

    url = text.removeprefix(_SERVER)
    try:
        parts = urlsplit(url)
        has_more = "@" in parts.netloc or parts.query or parts.fragment
        is_address = url.startswith(_WEB) and parts.hostname and parts.port != 0 and not has_more
    except ValueError:  # such as a port that is no number
        is_address = False
    if not is_address or not url.isascii() or not url.isprintable() or " " in url:
        raise SpecError(f"'{one_line(url)}' is no address of a server; write {_SERVER}http://localhost:8000")
    return Source(text, "remote")


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


def module_of(file: Path) -> ModuleType:
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
    seed_generators(seed)  # what was drawn at import is past; NumPy may have come only now
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
