"""The two rules of docs/architecture.md: code uses lower layers only, and generic code names no game.

A room is a game's folder: core/games/NAME and src/joute/games/NAME. A room may use every layer, and no other room.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path, PurePosixPath

import pytest

from joute.games import find_game

#: Folders and files of src/joute, lowest first: each uses itself and what stands above it.
PYTHON_LAYERS = (
    "version.py",  # a number
    "system.py",  # what the operating system must have
    "example.py",  # the game that texts take as their example
    "errors.py",
    "numbers.py",  # statistics of plain numbers
    "spec.py",  # name:key=value, and parameters
    "toml_file.py",
    "files.py",
    "building.py",  # where the headers for plug-ins are
    "plugins.py",  # rooms, and registries of what they offer
    "moved.py",  # modules under their old names
    "games",  # what a position is
    "agents",  # what an agent is, and the searches as agents
    "match",  # a game, its record, its statistics
    "protocol",  # UGI, and what courses share
    "arena",  # tournaments
    "pages",  # parts of HTML pages
    "report",  # of a tournament
    "reproduce",  # the papers' experiments
    "train",
    "cli",
    "__main__.py",
    "__init__.py",  # the names that a user needs
)

#: The same for core; *.hpp are the headers beside its folders: what a game is.
CORE_LAYERS = ("base", "*.hpp", "search", "selfplay", "bind")

#: Files that may name a game.
NAME_GAMES = {
    "src/joute/example.py",
    "src/joute/cli/demo.py",
}

ROOT = Path(__file__).parents[1]
PYTHON, CORE = "src/joute", "core"
ROOMS = sorted(path.parent.name for path in (ROOT / PYTHON / "games").glob("*/room.py"))


# --- What a file uses ---


def imports(source: str) -> Iterator[tuple[int, str]]:
    """The modules of joute that Python imports anywhere, in functions and for type checkers too, and what from them."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names if name.name.partition(".")[0] == "joute")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports of joute are absolute"
            module = str(node.module)
            yield from (
                (node.lineno, f"{module}.{name.name}") for name in node.names if module.partition(".")[0] == "joute"
            )


def python_file(module: str) -> str:
    """The file under src/joute that has a module, or the longest part of the name that is one: ``agents/clock.py``."""
    parts = module.split(".")[1:]
    while parts:
        path = Path(*parts)
        if (ROOT / PYTHON / path).is_dir():
            return (path / "__init__.py").as_posix()
        if (ROOT / PYTHON / path.with_suffix(".py")).is_file() or path.as_posix() == "_core":
            return path.with_suffix(".py").as_posix()
        parts.pop()
    return "__init__.py"


def includes(source: str) -> Iterator[tuple[int, str]]:
    """The headers that C++ includes in quotation marks."""
    for number, line in enumerate(source.splitlines(), start=1):
        if found := re.match(r'\s*#\s*include\s*"([^"]+)"', line):
            yield number, found[1]


def included_file(path: PurePosixPath, header: str) -> str:
    """The file under core that an include means; the header's own name where it is not in core."""
    for folder in (ROOT / CORE / path.parent, ROOT / CORE):
        file = (folder / header.removeprefix("joute/")).resolve()
        if file.is_file() and file.is_relative_to(ROOT / CORE):
            return file.relative_to(ROOT / CORE).as_posix()
    return header


def room_of(path: str) -> str:
    """The room that a file under src/joute or core is in; empty if it is generic."""
    found = re.match(r"games/(\w+)/", path)
    return found[1] if found and found[1] in ROOMS else ""


def python_rank(path: str) -> int:
    """How high a generic file of src/joute stands."""
    return PYTHON_LAYERS.index(path.partition("/")[0])


def core_rank(path: str) -> int:
    """How high a generic file of core stands."""
    return CORE_LAYERS.index(path.partition("/")[0] if "/" in path else "*.hpp")


def against_order(path: str, source: str) -> list[str]:
    """What a file uses that it must not; `path` is that of the file from the root on."""
    if path.startswith(f"{PYTHON}/"):
        own, rank = path.removeprefix(f"{PYTHON}/"), python_rank
        used = [(line, name, python_file(name)) for line, name in imports(source)]
        used = [each for each in used if each[2] != "_core.py"]  # the core, which is below all of Python
    else:
        own, rank = path.removeprefix(f"{CORE}/"), core_rank
        used = [(line, name, included_file(PurePosixPath(own), name)) for line, name in includes(source)]
        used = [each for each in used if (ROOT / CORE / each[2]).is_file()]  # others are generated
    found = []
    for line, name, file in used:
        if room_of(file) and room_of(file) != room_of(own):
            found.append(f"{path}:{line} uses {name}, which is in the room {room_of(file)}")
        elif not room_of(file) and not room_of(own) and rank(file) > rank(own):
            found.append(f"{path}:{line} uses {name}, which is in a higher layer")
    return found


# --- Which games a file names ---


@cache
def names_of_games() -> re.Pattern[str]:
    """What is a game's name or title, anywhere in a text."""
    titles = [find_game(name).title for name in ROOMS]
    return re.compile("|".join(map(re.escape, [*ROOMS, *titles])), re.IGNORECASE)


@cache
def names_of_agents() -> re.Pattern[str]:
    """What is the name of an agent that a room brings, as a word."""
    rooms = (import_module(f"joute.games.{name}.room").ROOM for name in ROOMS)
    names = "|".join(sorted(re.escape(name) for room in rooms for name in room.agents))
    return re.compile(rf"(?<![\w-])({names})(?![\w-])", re.IGNORECASE)


def python_texts(source: str) -> Iterator[tuple[int, str]]:
    """The strings of a Python file, but for docstrings."""
    tree = ast.parse(source)
    scopes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    firsts = [node.body[0] for node in ast.walk(tree) if isinstance(node, scopes) and node.body]
    docstrings = {id(first.value) for first in firsts if isinstance(first, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def cpp_texts(source: str) -> Iterator[tuple[int, str]]:
    """The strings of a C++ file, those of comments aside."""
    tokens = r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])'|R\"(\w*)\((.*?)\)\1\"|\"((?:\\.|[^\"\\\n])*)\""
    for found in re.finditer(tokens, source, re.DOTALL):
        text = found[2] or found[3]
        if text:
            yield source.count("\n", 0, found.start()) + 1, text


def named_games(path: str, source: str) -> list[str]:
    """Where a generic file names a game, or an agent of one: in a string, an import or an include."""
    is_python = path.endswith(".py")
    if room_of(path.removeprefix(f"{PYTHON if is_python else CORE}/")):
        return []
    texts = python_texts(source) if is_python else cpp_texts(source)
    found = [(line, text) for line, text in texts if names_of_agents().search(text)]
    every = [*(python_texts if is_python else cpp_texts)(source), *(imports if is_python else includes)(source)]
    found += [(line, text) for line, text in every if names_of_games().search(text)]
    return [f'{path}:{line} names a game: "{text}"' for line, text in dict.fromkeys(found)]


# --- The rules ---


def files() -> list[Path]:
    """All files of ours, Python and C++."""
    python = [path for path in (ROOT / PYTHON).rglob("*.py") if path.name != "_core.py"]
    return sorted([*python, *(ROOT / CORE).rglob("*.hpp"), *(ROOT / CORE).rglob("*.cpp")])


def test_every_file_is_in_a_layer_or_in_a_room() -> None:
    assert len(files()) > 200
    for path in (path.relative_to(ROOT).as_posix() for path in files()):
        own = path.removeprefix(f"{PYTHON}/").removeprefix(f"{CORE}/")
        known = PYTHON_LAYERS if path.startswith(PYTHON) else CORE_LAYERS
        top = own.partition("/")[0] if "/" in own or path.endswith(".py") else "*.hpp"
        assert room_of(own) or top in known, f"say at the top of this test in which layer {path} is"


def test_code_uses_lower_layers_only_and_no_room_uses_another() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files()}
    assert [sentence for path, text in texts.items() for sentence in against_order(path, text)] == []


def test_generic_code_names_no_game() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files()}
    generic = {path: text for path, text in texts.items() if path not in NAME_GAMES}
    assert [sentence for path, text in generic.items() for sentence in named_games(path, text)] == []


@pytest.mark.parametrize("path", sorted(NAME_GAMES))
def test_a_file_that_may_name_a_game_does(path: str) -> None:
    source = (ROOT / path).read_text(encoding="utf-8")
    assert named_games(path, source) or "joute.example" in source


def test_every_game_of_the_core_has_a_room_in_python() -> None:
    assert sorted(path.name for path in (ROOT / CORE / "games").iterdir() if path.is_dir()) == ROOMS


# --- Does the check find anything? ---


@pytest.mark.parametrize(
    ("path", "source", "sentence"),
    [
        (
            "src/joute/agents/x.py",
            "from joute.arena.plan import make_plan",
            "uses joute.arena.plan.make_plan, which is",
        ),
        (
            "src/joute/agents/x.py",
            "def f():\n    import joute.cli.match",
            "x.py:2 uses joute.cli.match, which is in a h",
        ),
        ("src/joute/agents/x.py", "if TYPE_CHECKING:\n    from joute import arena", "x.py:2 uses joute.arena"),
        ("src/joute/arena/x.py", "from joute import __version__", "uses joute.__version__, which is in a higher layer"),
        ("src/joute/spec.py", "from joute.plugins import Room", "uses joute.plugins.Room, which is in a higher layer"),
        ("src/joute/cli/x.py", "from joute.games.avalam import Avalam", "which is in the room avalam"),
        ("src/joute/games/connect4/x.py", "import joute.games.avalam.state", "which is in the room avalam"),
        (
            "core/search/x.hpp",
            '#include "../selfplay/options.hpp"',
            "uses ../selfplay/options.hpp, which is in a higher",
        ),
        ("core/x.hpp", '#include "search/search.hpp"', "uses search/search.hpp, which is in a higher layer"),
        (
            "core/bind/x.cpp",
            '// 1\n#include "../games/avalam/bind.hpp"',
            "x.cpp:2 uses ../games/avalam/bind.hpp, which",
        ),
        ("core/games/connect4/x.hpp", '#include "../avalam/bind.hpp"', "which is in the room avalam"),
    ],
)
def test_a_use_against_the_order_is_found(path: str, source: str, sentence: str) -> None:
    found = against_order(path, source)
    assert len(found) == 1
    assert sentence in found[0]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("src/joute/arena/x.py", "import os\nfrom joute.agents import Clock\nfrom joute.version import __version__"),
        ("src/joute/agents/x.py", "from joute._core import one_line\nfrom joute.games import State"),
        ("src/joute/games/avalam/x.py", "from joute.cli.common import console\nfrom joute.games.avalam import Avalam"),
        ("core/bind/x.hpp", '#include <vector>\n#include "../search/search.hpp"\n#include "made_by_cmake.hpp"'),
        ("core/games/avalam/x.hpp", '#include "../../bind/bind_game.hpp"'),
    ],
)
def test_a_use_of_lower_layers_is_not_complained_of(path: str, source: str) -> None:
    assert against_order(path, source) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("src/joute/cli/x.py", 'NAME = "connect4"'),
        ("src/joute/cli/x.py", 'raise E(f"{a} is of the Divercité course")'),
        ("src/joute/cli/x.py", 'help = "how Connect Four is played"'),
        ("src/joute/agents/x.py", 'AGENT = "langorou:depth=3"'),
        ("src/joute/agents/x.py", "from joute._core import AvalamSolverOptions"),
        ("core/bind/x.cpp", 'f("Langorou\'s", "quoridor");'),
        ("core/bind/x.cpp", 'f(R"(vampires)");'),
        ("core/bind/x.cpp", '#include "quoridor.hpp"'),
    ],
)
def test_the_name_of_a_game_in_generic_code_is_found(path: str, source: str) -> None:
    assert named_games(path, source)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("src/joute/cli/x.py", '"""As in quoridor."""\n# as in avalam\ndef f():\n    """As in connect4."""'),
        ("src/joute/games/quoridor/x.py", 'NAME = "quoridor"'),
        ("core/game.hpp", '// as in connect4\n/* or "avalam" */ char c = \'"\'; f("x");'),
        ("core/games/avalam/x.hpp", 'f("avalam");'),
    ],
)
def test_comments_docstrings_and_rooms_may_name_games(path: str, source: str) -> None:
    assert named_games(path, source) == []
