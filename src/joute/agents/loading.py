"""Find and load the agent that a user names: by a spec, a Python file, a class, or a name in another language.

    mcts:iterations=1000     a spec
    my_agent.py              a Python file with one class that has `choose`, or a function `choose`
    my_agent.py:Careful      the class (or function) of that name in the file
    my_agent.py:width=4      with values of parameters that the file declares (file_parameters.py)
    my_package.agents:Best   a class or function of an importable module
    ugi:./engine --fast      a program that speaks UGI, and its arguments
    ugi:./engine [Hash=16]   the same, with values of its options
    ./engine                 the same, for an executable file
    xmlrpc:http://host:8000  a server with the XML-RPC interface of a course's agents
    course:my_player.py      a Python file with the interface of a course's players
    NAME:REST                an agent in the language NAME, which reads REST; joute.agents.source finds languages

Files and classes are untrusted code. `find_source` runs none of it; the caller of `load_agent` chooses the process.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from joute.agents.agent import Agent
from joute.agents.file_parameters import PARAMETERS, file_settings
from joute.agents.languages import WEB, program_source, python_source
from joute.agents.registry import agent, find_agent, is_agent_name, is_built_in
from joute.agents.source import PYTHON_FILE, Source, find_language, language_prefix
from joute.errors import SpecError, described
from joute.files import user_path
from joute.spec import Value, parse_spec

__all__ = ["Source", "find_source", "is_spec", "load_agent", "module_of", "not_loadable", "seed_generators"]

# The language of programs that are named without a language.
_UGI = "ugi"
_NO_SPEC = re.compile(r"~|[^:=]*/")
# The similarity of a mistyped name, by difflib: `chose` is 0.91 alike to `choose`, `choose_move` 0.71.
_CLOSE = 0.7
_CLASS_PATH = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)")


def is_spec(text: str) -> bool:
    """Whether a text names an agent by its spec, rather than a file, a class, a program or a server."""
    if is_agent_name(text.partition(":")[0]):
        return True
    return not (
        language_prefix(text) or _NO_SPEC.match(text) or PYTHON_FILE.fullmatch(text) or _CLASS_PATH.fullmatch(text)
    )


def find_source(text: str, game: str | None = None) -> Source:
    """Return the source of the agent that a text names; SpecError if there is none. Runs none of its code.

    Paths in the result are absolute, so its text means the same in another folder, except for module names.
    """
    if prefix := language_prefix(text):
        return find_language(prefix).find_source(prefix, text.removeprefix(f"{prefix}:"))
    if is_spec(text):
        return _found_spec(text, game)
    if PYTHON_FILE.fullmatch(text):
        return python_source(text)
    if match := _CLASS_PATH.fullmatch(text):
        module = _module_file(match[1])
        if module is None and importlib.util.find_spec(match[1].partition(".")[0]) is None:
            find_agent(match[1])  # raises SpecError with the nearest agent name
        return Source(text, "python", files=(module,) if module else (), folder=Path.cwd())
    return program_source(_UGI, [text])


def _found_spec(text: str, game: str | None) -> Source:
    is_ours = is_agent_name(text.partition(":")[0]) and is_built_in(text)
    try:
        agent_type, parameters = find_agent(text, game, check=is_ours)
    except SpecError as error:
        raise SpecError(f"{error}{_file_hint(text)}") from error
    if is_ours:
        names = [each.name for each in agent_type.described_parameters if each.is_file]
        # File parameters are relative to the current folder, and agents may run in another one.
        return _with_files(text, names) or Source(text, "built-in", resolved=(agent_type, parameters))
    module = _module_file(str(getattr(parameters, "eval", "")).partition(":")[0])
    files = (module,) if module else ()
    return Source(text, "python", files=files, folder=Path.cwd(), resolved=(agent_type, parameters))


def _with_files(text: str, names: Sequence[str]) -> Source | None:
    """Return a built-in agent's source with absolute paths for the file parameters `names`; None if none is set."""
    name, pairs = parse_spec(text)
    given = {key: user_path(pairs[key]).absolute() for key in names if pairs.get(key)}
    if not given:
        return None
    settings = ",".join(f"{key}={value}" for key, value in (pairs | given).items())
    files = tuple(path for path in given.values() if path.is_file())
    return Source(f"{name}:{settings}", "built-in", files=files, folder=files[0].parent if files else Path())


def _module_file(name: str) -> Path | None:
    """Return the file of a module in the current folder, without importing anything."""
    path = Path.cwd().joinpath(*name.split("."))
    found = (path.with_name(f"{path.name}.py"), path / "__init__.py") if name else ()
    return next((file for file in found if file.is_file()), None)


def _file_hint(text: str) -> str:
    """Return a hint for a text that looks like a file or a server without its prefix."""
    if text.startswith(WEB):
        return f"; for the server of a course's agent, write xmlrpc:{text}"
    if Path(f"{text}.py").is_file():
        return f"; for the file, write {text}.py"
    return f"; for the program, write ./{text}" if Path(text).is_file() else ""


def load_agent(text: str, game: str, seed: int) -> Agent:
    """Create the agent that a spec, a file or a class path names, in this process and without isolation.

    A class is called with `seed=` if it takes that argument, else without arguments.
    """
    if is_spec(text):
        return agent(text, game=game, seed=seed)
    if language_prefix(text):
        raise not_loadable(text)
    if match := PYTHON_FILE.fullmatch(text):
        return _of_file(match, text, seed)
    if match := _CLASS_PATH.fullmatch(text):
        if os.getcwd() not in sys.path:
            sys.path.append(os.getcwd())
        return _made(importlib.import_module(match[1]), match[2], text, seed, {})
    raise not_loadable(text)


def _of_file(match: re.Match[str], text: str, seed: int) -> Agent:
    """The agent of a file, with the values of its parameters that the text sets."""
    file = Path(match[1])
    values = file_settings(file, match[2], match[3]) if match[3] else {}
    module = module_of(file)
    table = getattr(module, PARAMETERS, None)
    if isinstance(table, dict):
        table.update(values)
        values = {}
    return _made(module, match[2], text, seed, values)


def not_loadable(text: str) -> SpecError:
    """Return the error for a program, a server or a course's file, which cannot be loaded as a Python agent."""
    return SpecError(find_language(language_prefix(text) or _UGI).why_not_loadable(text))


def seed_generators(seed: int) -> None:
    """Seed Python's generator, and NumPy's if it is imported: a user's agent may draw from either."""
    import random

    random.seed(seed)
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def module_of(file: Path) -> ModuleType:
    """Import a Python file as a module of the file's name, with its folder first on `sys.path`."""
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module  # so that pickles and dataclasses of the file find it
    spec.loader.exec_module(module)
    return module


def _made(module: ModuleType, name: str | None, text: str, seed: int, values: dict[str, Value]) -> Agent:
    seed_generators(seed)  # after the import, which may have drawn numbers or imported NumPy
    text = text.removeprefix(os.path.join(os.getcwd(), ""))  # messages name files from this folder, as tracebacks do
    found: Any = _named(module, name, text) if name else _only(module, text)
    if not inspect.isclass(found):
        return _FunctionAgent(found)
    make: Any = found
    made: Agent = make(**_arguments(found, text, seed), **values)
    if not callable(getattr(made, "choose", None)):
        hint = _did_you_mean("choose", _public_names(found))
        raise SpecError(f"class {found.__name__} of {text} has no method choose(state, clock){hint}")
    return made


def _named(module: ModuleType, name: str, text: str) -> Any:
    found = getattr(module, name, None)
    if not callable(found):
        hint = _did_you_mean(name, _own_callables(module))
        raise SpecError(f"{text}: {module.__name__} has no class or function {name}{hint}")
    return found


def _only(module: ModuleType, text: str) -> Any:
    """Return the agent of a file named without a class: its function `choose`, or its only class with `choose`."""
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
        hint = _did_you_mean("choose", _near_choose(module)) or _hint(text)
        raise SpecError(f"{text} has no class with a method choose(state, clock), and no function choose{hint}")
    names = ", ".join(found.__name__ for found in classes)
    raise SpecError(f"{text} has several agents ({names}); say which: {Path(text).name}:{classes[0].__name__}")


def _check_takes_state_and_clock(function: Any, text: str) -> None:
    try:
        inspect.signature(function).bind(None, None)
    except TypeError as error:
        raise SpecError(f"the function choose of {text} does not take (state, clock){_hint(text)}") from error
    except ValueError:  # the function has no signature
        pass


def _near_choose(module: ModuleType) -> list[str]:
    """Return the names that may stand for `choose`: the file's functions and the public methods of its classes."""
    own = _own_callables(module)
    methods = [name for found in own.values() if inspect.isclass(found) for name in _public_names(found)]
    return [*methods, *(name for name, found in own.items() if not inspect.isclass(found))]


def _own_callables(module: ModuleType) -> dict[str, Any]:
    """Return the classes and functions that the module itself defines."""
    return {
        name: found
        for name, found in vars(module).items()
        if callable(found) and getattr(found, "__module__", None) == module.__name__
    }


def _public_names(found: type) -> list[str]:
    return [name for name in vars(found) if not name.startswith("_")]


def _did_you_mean(wanted: str, names: Iterable[str]) -> str:
    """Return a hint if one of `names` is nearly `wanted`: its author probably mistyped it."""
    import difflib  # imported late: only errors need it

    written = {name.lower(): name for name in names}
    close = difflib.get_close_matches(wanted.lower(), written, n=1, cutoff=_CLOSE)
    if not close:
        return ""
    found = written[close[0]]
    return f"; it has {found}: did you mean {wanted}?" if wanted == "choose" else f"; did you mean {found}?"


def _hint(text: str) -> str:
    return f"; a program that speaks UGI is named ugi:python3 {Path(text).name}"


def _arguments(found: Any, text: str, seed: int) -> dict[str, int]:
    """Return the arguments of a class's constructor: its seed, or none; SpecError if it needs others."""
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError) as error:
        raise SpecError(f"{found!r} cannot be made: {described(error)}") from error
    arguments = {"seed": seed} if "seed" in signature.parameters else {}
    try:
        signature.bind(**arguments)
    except TypeError as error:
        raise SpecError(
            f"class {found.__name__} of {text} is created without arguments, or with seed= alone, "
            f"but its constructor needs more: {error}"
        ) from error
    return arguments


class _FunctionAgent:
    """A plain function as an agent."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def choose(self, state: Any, clock: Any) -> Any:
        """Return the function's answer."""
        return self._function(state, clock)
