"""The rules of docs/architecture.md: code uses lower layers only, and generic code names no game.

A room is a game's folder: core/games/NAME and src/joute/games/NAME. A room may use every layer, and neither uses nor
names another room.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path, PurePosixPath

import pytest

from joute import example
from joute.games import find_game

#: Folders and files of src/joute, lowest first: each uses itself and what stands above it.
PYTHON_LAYERS = (
    "version.py",  # a number
    "system.py",  # what the operating system must have
    "example.py",  # the game that texts take as their example
    "errors.py",
    "text.py",  # text of others, made safe to show
    "failure.py",  # the end of a command after an error
    "numbers.py",  # statistics of plain numbers
    "tables.py",  # tables in print and in notebooks
    "frames.py",  # pandas, where it is installed
    "spec.py",  # name:key=value, and parameters
    "toml_file.py",
    "files.py",
    "building.py",  # where the headers for plug-ins are
    "plugins.py",  # rooms, and registries of what they offer
    "moved.py",  # modules under their old names
    "games",  # what a position is
    "agents",  # what an agent is, and the searches as agents
    "environments",  # games for learners of other libraries
    "pettingzoo.py",
    "openspiel",  # OpenSpiel's games and bots, and ours there
    "match",  # a game, its record, its statistics
    "protocol",  # UGI, and what courses share
    "arena/__init__.py",  # a docstring
    "arena/hints.py",  # why a player failed
    "arena/players",  # agents in processes of their own
    "arena/step.py",  # of a tournament that grows
    "arena/schedules",  # who plays whom
    "arena/opening_sets.py",  # how balanced openings are judged
    "arena/opening_maker.py",
    "arena/openings.py",
    "arena/entries.py",  # the agents that a text enters
    "arena/plan.py",  # what a tournament plays
    "arena/plan_file.py",
    "arena/pool",  # the processes that play the games
    "arena/match.py",  # of two agents
    "arena/store",  # the file that keeps them
    "arena/cluster",  # games on other machines
    "arena/node_rows.py",
    "arena/measures.py",
    "arena/ranking.py",  # the order of the agents
    "arena/standings.py",
    "arena/games_frame.py",  # pandas
    "arena/columns.py",
    "arena/verdict.py",
    "arena/check.py",  # of an agent before a tournament
    "arena/compliance.py",  # of a program's UGI
    "arena/growth.py",  # changes of a tournament that has begun
    "arena/tournament.py",
    "arena/ladder.py",  # a tournament of the agents in a folder
    "pages",  # parts of HTML pages
    "report",  # of a tournament
    "reviews",  # of a game
    "learn",  # the lesson of a game and its puzzles
    "fits",  # of levels to matches, and which fitted data are stale
    "sweeps",  # many settings against one opponent
    "tune",  # parameters by play
    "reproduce",  # the papers' experiments
    "train",
    "web",  # the page
    "plot.py",  # figures of matplotlib
    "cli",
    "__main__.py",
    "__init__.py",  # the names that a user needs
)

#: The same for core; *.hpp are the headers beside its folders: what a game is.
CORE_LAYERS = ("base", "*.hpp", "search", "selfplay", "bind")

#: Texts that are a module's name and mean something else, by file. A module that a file runs as a process of its own
#: (``python -m joute.arena.pool.worker``) is no exception: it must be in a layer that the file may use.
NOT_MODULES = {
    "src/joute/plugins.py": {"joute.agents", "joute.games"},  # entry point groups
}

#: Files that may name a game.
NAME_GAMES = {
    "src/joute/example.py",
    "src/joute/cli/demo.py",
}

#: Files that may take the example of example.py, and why.
USE_THE_EXAMPLE = {
    "agents/alphabeta.py",  # the time of a search was measured in one game
    "agents/alphazero.py",  # a default comes from a program for one game
    "arena/openings.py",  # times were measured in one game
    "arena/plan_file.py",  # an error message shows a line of a file
    "cli/common.py",  # help
    "cli/cluster.py",  # help
    "cli/demo.py",  # plays it
    "cli/openings.py",  # help
    "cli/reproduce.py",  # help
    "cli/sweep.py",  # help
    "cli/tune.py",  # help
    "cli/tournament.py",  # help
    "cli/train.py",  # help
    "match/record_tokens.py",  # an error message shows a line of a record
    "train/__main__.py",  # help
    "web/routes/edit.py",  # an example in the description of the API
    "web/studies.py",  # the same
    "web/messages.py",  # examples in the API's description
    "web/routes/learn.py",  # the same
    "web/routes/session.py",  # the same
}

#: Words that name parts of rooms (commands, languages, agents, folders, words of titles) and are plain words besides.
PLAIN_WORDS = {
    "agents",
    "commands",
    "connect",
    "data",
    "fit",
    "four",
    "host",
    "map",
    "odds",
    "perfect",
    "stand_in",
    "tcp",
    "vs",
}

ROOT = Path(__file__).parents[1]
PYTHON, CORE, BUILD = "src/joute", "core", "cmake"
ROOMS = sorted(path.parent.name for path in (ROOT / PYTHON / "games").glob("*/room.py"))
#: The plug-ins in examples/, which no code of ours names either.
EXAMPLES = sorted(path.parent.name for path in (ROOT / "examples").glob("*/pyproject.toml"))


# --- What a file uses ---

MARKS = '"<>'  # around the name of a header


@lru_cache(maxsize=1)  # several questions are asked of one file after another
def nodes(source: str) -> list[ast.AST]:
    """The syntax tree of a Python file, node by node."""
    return list(ast.walk(ast.parse(source)))


def imports(source: str) -> Iterator[tuple[int, str]]:
    """The modules of joute that Python imports anywhere, in functions and for type checkers too, and what from them."""
    for node in nodes(source):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names if name.name.partition(".")[0] == "joute")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports of joute are absolute"
            module = str(node.module)
            yield from (
                (node.lineno, f"{module}.{name.name}") for name in node.names if module.partition(".")[0] == "joute"
            )


def modules_in_texts(source: str) -> Iterator[tuple[int, str]]:
    """The strings that are a module's name: what `import_module` imports, or ``python -m`` runs."""
    for line, text in python_texts(source):
        if re.fullmatch(r"joute(\.\w+)+", text) and python_file(text) != "__init__.py":  # else an entry point group
            yield line, text


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
    """The headers that C++ includes, with the quotation marks or angle brackets around them."""
    for number, line in enumerate(source.splitlines(), start=1):
        if found := re.match(r'\s*#\s*include\s*("[^"]+"|<[^>]+>)', line):
            yield number, found[1]


def included_file(path: PurePosixPath, header: str) -> str:
    """The file under core that an include means; the header's own name where it is not in core."""
    name = header[1:-1]
    folders = [ROOT / CORE / path.parent, ROOT / CORE] if header.startswith('"') else [ROOT / CORE]
    for folder in folders:
        file = (folder / name.removeprefix("joute/")).resolve()
        if file.is_file() and file.is_relative_to(ROOT / CORE):
            return file.relative_to(ROOT / CORE).as_posix()
    return name


def room_of(path: str) -> str:
    """The room that a file under src/joute or core is in; empty if it is generic."""
    found = re.match(r"games/(\w+)/", path)
    return found[1] if found and found[1] in ROOMS else ""


def own_path(path: str) -> str:
    """The path of a file from src/joute or core on."""
    return path.removeprefix(f"{PYTHON}/").removeprefix(f"{CORE}/")


def python_rank(path: str) -> int:
    """How high a generic file of src/joute stands; -1 if it is in no layer."""
    above = [path, *(parent.as_posix() for parent in PurePosixPath(path).parents)]
    return next((PYTHON_LAYERS.index(each) for each in above if each in PYTHON_LAYERS), -1)


def core_rank(path: str) -> int:
    """How high a generic file of core stands; -1 if it is in no layer."""
    layer = path.partition("/")[0] if "/" in path else "*.hpp"
    return CORE_LAYERS.index(layer) if layer in CORE_LAYERS else -1


def against_order(path: str, source: str) -> list[str]:
    """What a file uses that it must not; `path` is that of the file from the root on."""
    own = own_path(path)
    rank: Callable[[str], int]
    if path.startswith(f"{PYTHON}/"):
        rank = python_rank
        named = [each for each in modules_in_texts(source) if each[1] not in NOT_MODULES.get(path, ())]
        used = [(line, name, python_file(name)) for line, name in [*imports(source), *named]]
        used = [each for each in used if each[2] != "_core.py"]  # the core, which is below all of Python
    else:
        rank = core_rank
        used = [(line, name, included_file(PurePosixPath(own), name)) for line, name in includes(source)]
        used = [each for each in used if (ROOT / CORE / each[2]).is_file()]  # others are the system's, or generated
    found = []
    for line, name, file in used:
        if room_of(file) and room_of(file) != room_of(own):
            found.append(f"{path}:{line} uses {name.strip(MARKS)}, which is in the room {room_of(file)}")
        elif not room_of(file) and not room_of(own) and rank(file) > rank(own):
            found.append(f"{path}:{line} uses {name.strip(MARKS)}, which is in a higher layer")
    return found


# --- Which games a file names ---


def words(text: str) -> str:
    """The words of a text and the parts of its identifiers, in small letters without accents.

    >>> words("Connect4Solver of joute.my_divercité")
    'connect 4 solver of joute my divercite'
    """
    if not text.isascii():
        text = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", text)).lower()


@cache
def words_of(room: str) -> frozenset[str]:
    """What a room of ours calls its parts: agents, languages, commands, folders in Python and in C++, its title."""
    found = import_module(f"joute.games.{room}.room").ROOM
    folders = [ROOT / PYTHON / "games" / room, ROOT / CORE / "games" / room]
    inner = [path.name for folder in folders for path in folder.rglob("*") if path.is_dir()]
    inner = [name for name in inner if not name.startswith("_")]  # __pycache__
    words = {*found.agents, *found.languages, *found.commands, *inner}
    return frozenset({*words, *re.findall(r"\w+", find_game(room).title)})


@cache
def names_of(room: str) -> frozenset[str]:
    """What names a game, or a part of its room, wherever it stands; each as `words`."""
    names = {room, find_game(room).title}
    if room in ROOMS:
        names |= {word for word in words_of(room) if word.lower() not in PLAIN_WORDS}
    return frozenset(map(words, names))


@cache
def names_to_avoid(own: str) -> re.Pattern[str]:
    """What names a game in the `words` of a text; `own` is the room whose names are allowed, or empty.

    A word of five letters or more counts inside another word too, and in the singular.
    """
    names = {name for room in [*ROOMS, *EXAMPLES] if room != own for name in names_of(room)}
    names -= names_of(own) if own else frozenset()
    anywhere = {name for name in names if " " not in name and len(name) > 4}
    patterns = [name.removesuffix("s") for name in anywhere] + [rf"\b{name}\b" for name in names - anywhere]
    return re.compile("|".join(sorted(patterns)))


@cache
def names_of_agents() -> re.Pattern[str]:
    """What is the name of an agent that a room brings, as a word; plain words too."""
    rooms = (import_module(f"joute.games.{name}.room").ROOM for name in ROOMS)
    names = "|".join(sorted(re.escape(name) for room in rooms for name in room.agents))
    return re.compile(rf"(?<![\w-])({names})(?![\w-])", re.IGNORECASE)


def python_texts(source: str) -> Iterator[tuple[int, str]]:
    """The strings of a Python file, but for docstrings."""
    scopes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    firsts = [node.body[0] for node in nodes(source) if isinstance(node, scopes) and node.body]
    docstrings = {id(first.value) for first in firsts if isinstance(first, ast.Expr)}
    for node in nodes(source):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def python_identifiers(source: str) -> Iterator[tuple[int, str]]:
    """The names in a Python file: of modules, classes, functions, variables, attributes, parameters."""
    line = 1
    for node in nodes(source):
        line = getattr(node, "lineno", line)
        if isinstance(node, ast.Constant):
            continue
        for value in vars(node).values():
            yield from ((line, each) for each in (value if isinstance(value, list) else [value]) if type(each) is str)


CPP_TOKENS = r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])'|R\"(\w*)\((.*?)\)\1\"|\"((?:\\.|[^\"\\\n])*)\""


def cpp_texts(source: str) -> Iterator[tuple[int, str]]:
    """The strings of a C++ file, those of comments aside."""
    for found in re.finditer(CPP_TOKENS, source, re.DOTALL):
        text = found[2] or found[3]
        if text:
            yield source.count("\n", 0, found.start()) + 1, text


def cpp_lines(source: str) -> Iterator[tuple[int, str]]:
    """The lines of a file in C++, JavaScript or CSS without its comments."""

    def kept(found: re.Match[str]) -> str:
        return "\n" * found[0].count("\n") if found[0].startswith(("//", "/*")) else found[0]

    return enumerate(re.sub(CPP_TOKENS, kept, source, flags=re.DOTALL).splitlines(), start=1)


def named_games(path: str, source: str) -> list[str]:
    """Where a file names a game, an agent or another part of a room: in its path, in code or in a string.

    A file of a room may name its own game. Comments and docstrings may name every game.
    """
    own = room_of(own_path(path))
    is_python = path.endswith(".py")
    texts = list(python_texts(source) if is_python else cpp_texts(source))
    every = [*texts, *python_identifiers(source)] if is_python else list(cpp_lines(source))
    every = [(1, path), *every]
    found = []
    if names_to_avoid(own).search(words("\n".join(text for _, text in every))):  # most files: no need to ask each line
        found += [(line, text) for line, text in every if names_to_avoid(own).search(words(text))]
    if not own:
        found += [(line, text) for line, text in texts if names_of_agents().search(text)]
    return [f'{path}:{line} names a game: "{text.strip()}"' for line, text in dict.fromkeys(found)]


# --- The rules ---


def files() -> dict[str, str]:
    """All files of ours in Python and C++, by their paths from the root on."""
    python = [path for path in (ROOT / PYTHON).rglob("*.py") if path.name != "_core.py"]
    return texts_of([*python, *(ROOT / CORE).rglob("*.hpp"), *(ROOT / CORE).rglob("*.cpp")])


def other_files() -> dict[str, str]:
    """What else is in the folders of generic code: parts of pages, templates of C++, rules of the build."""
    endings = (".css", ".js", ".txt", ".in", ".cmake")
    every = [path for top in (PYTHON, CORE, BUILD) for path in (ROOT / top).rglob("*") if path.suffix in endings]
    assert every
    return texts_of(every)


def texts_of(paths: Iterable[Path]) -> dict[str, str]:
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(paths)}


def test_every_file_is_in_a_layer_or_in_a_room() -> None:
    assert len(files()) > 200
    for path in files():
        rank = python_rank if path.startswith(f"{PYTHON}/") else core_rank
        assert room_of(own_path(path)) or rank(own_path(path)) >= 0, (
            f"say at the top of this test in which layer {path} is"
        )


@pytest.mark.parametrize(("folder", "layers"), [(PYTHON, PYTHON_LAYERS), (CORE, CORE_LAYERS)])
def test_every_layer_is_there(folder: str, layers: tuple[str, ...]) -> None:
    assert [layer for layer in layers if not list((ROOT / folder).glob(layer))] == []


def test_code_uses_lower_layers_only_and_no_room_uses_another() -> None:
    assert [sentence for path, text in files().items() for sentence in against_order(path, text)] == []


def test_generic_code_names_no_game_and_no_room_names_another() -> None:
    checked = {path: text for path, text in (files() | other_files()).items() if path not in NAME_GAMES}
    assert [sentence for path, text in checked.items() for sentence in named_games(path, text)] == []


@pytest.mark.parametrize("path", sorted(NAME_GAMES))
def test_a_file_that_may_name_a_game_does(path: str) -> None:
    assert named_games(path, (ROOT / path).read_text(encoding="utf-8"))


def test_the_example_is_used_where_a_text_needs_one_and_nowhere_else() -> None:
    python = {own_path(path): text for path, text in files().items() if path.endswith(".py")}
    python = {path: text for path, text in python.items() if "example" in text}  # only these are parsed
    users = {path for path, text in python.items() for _, name in imports(text) if "joute.example" in name}
    assert users == USE_THE_EXAMPLE


def test_the_example_has_the_title_of_its_game() -> None:
    assert find_game(example.GAME).title == example.TITLE


def test_every_plain_word_names_a_part_of_a_room() -> None:
    assert {word.lower() for room in ROOMS for word in words_of(room)} >= PLAIN_WORDS


@pytest.mark.parametrize(("path", "texts"), sorted(NOT_MODULES.items()))
def test_every_text_that_is_not_a_module_is_there(path: str, texts: set[str]) -> None:
    assert texts <= {text for _, text in modules_in_texts((ROOT / path).read_text(encoding="utf-8"))}


def test_every_game_of_the_core_has_a_room_in_python() -> None:
    assert sorted(path.name for path in (ROOT / CORE / "games").iterdir() if path.is_dir()) == ROOMS


@pytest.mark.parametrize("room", ROOMS)
def test_every_game_is_checked_under_the_sanitizers(room: str) -> None:
    path = ROOT / "tests" / "native" / "check_games.cpp"
    used = [header.strip(MARKS) for _, header in includes(path.read_text(encoding="utf-8"))]
    assert any(header.startswith(f"games/{room}/") for header in used), f"{path} includes no header of {room}"


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
        ("src/joute/match/x.py", "from joute import __version__", "uses joute.__version__, which is in a higher layer"),
        (
            "src/joute/arena/pool/x.py",
            "import joute.arena.store.store",
            "uses joute.arena.store.store, which",
        ),
        ("src/joute/arena/players/x.py", "from joute.arena import plan", "uses joute.arena.plan, which is in a higher"),
        (
            "src/joute/arena/plan.py",
            "from joute.arena.tournament import Tournament",
            "uses joute.arena.tournament.Tournament, which is in a higher layer",
        ),
        ("src/joute/agents/x.py", 'import_module("joute.arena.plan")', "uses joute.arena.plan, which is in a higher"),
        ("src/joute/match/x.py", 'RUN = [python, "-m", "joute.cli"]', "uses joute.cli, which is in a higher layer"),
        ("src/joute/spec.py", 'import_module("joute.games")', "uses joute.games, which is in a higher layer"),
        (
            "src/joute/games/connect4/x.py",
            'import_module("joute.games.avalam.state")',
            "uses joute.games.avalam.state, which is in the room avalam",
        ),
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
        (
            "core/search/x.hpp",
            "#include <selfplay/options.hpp>",
            "uses selfplay/options.hpp, which is in a higher",
        ),
        (
            "core/x.hpp",
            "#include <joute/search/search.hpp>",
            "uses joute/search/search.hpp, which is in a higher",
        ),
        ("core/games/connect4/x.hpp", "#include <games/avalam/bind.hpp>", "which is in the room avalam"),
    ],
)
def test_a_use_against_the_order_is_found(path: str, source: str, sentence: str) -> None:
    found = against_order(path, source)
    assert len(found) == 1
    assert sentence in found[0]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("src/joute/match/x.py", "import os\nfrom joute.agents import Clock\nfrom joute.version import __version__"),
        ("src/joute/arena/store/x.py", "from joute.arena.plan import make_plan"),
        ("src/joute/arena/pool/x.py", 'RUN = [python, "-m", "joute.arena.pool.worker"]'),
        ("src/joute/agents/x.py", 'GROUP, OTHER = "joute.endgames", "joute.agents"\nsay("as in joute.cli.match")'),
        ("src/joute/plugins.py", 'GROUPS = {"joute.games": 1}'),
        ("src/joute/agents/x.py", "from joute._core import one_line\nfrom joute.games import State"),
        ("src/joute/games/avalam/x.py", "from joute.cli.common import console\nfrom joute.games.avalam import Avalam"),
        ("core/bind/x.hpp", '#include <vector>\n#include "../search/search.hpp"\n#include "made_by_cmake.hpp"'),
        ("core/games/avalam/x.hpp", '#include "../../bind/bind_game.hpp"\n#include <search/search.hpp>'),
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
        # In the path.
        ("src/joute/agents/avalam.py", ""),
        ("src/joute/connect4_tools/x.py", ""),
        ("core/search/quoridor_race.hpp", ""),
        ("src/joute/pages/vampires.css", ""),
        # In an identifier.
        ("src/joute/agents/x.py", "avalam_solver = 1"),
        ("src/joute/agents/x.py", "solver = _core.Connect4Solver()"),
        ("src/joute/agents/x.py", "class AvalamSolver: ..."),
        ("src/joute/agents/x.py", "def solve_connect_four(): ..."),
        ("src/joute/agents/x.py", "async def f(*, quoridor): ..."),
        ("src/joute/agents/x.py", "f(is_divercite=True)"),
        ("src/joute/agents/x.py", "from joute._core import Solver as QuoridorSolver"),
        ("src/joute/agents/x.py", "import numpy as vampires"),
        ("src/joute/agents/x.py", "try: ...\nexcept E as avalam: ..."),
        ("src/joute/agents/x.py", "MYAVALAM = 1"),
        ("core/search/x.hpp", "struct Avalam {};"),
        ("core/search/x.hpp", "/* a */ using S = games::Connect4Solver;  // b"),
        ("core/search/x.hpp", "if constexpr (is_vampires) {"),
        ("src/joute/pages/x.js", 'if (page.game === "quoridor") draw();'),
        ("cmake/units/x.cpp.in", "void bind_avalam();"),
        # In the singular, and a plug-in of examples/.
        ("src/joute/cli/x.py", 'help = "a vampire"'),
        ("src/joute/cli/x.py", 'help = "as in tic-tac-toe"'),
        ("core/search/x.hpp", "struct Othello;"),
        # By a part of its room: a language, a command, an agent, a folder, a word of the title.
        ("src/joute/cli/x.py", 'LANGUAGE = "qtp"'),
        ("src/joute/cli/x.py", "class QtpPlayer: ..."),
        ("src/joute/cli/x.py", "from joute.agents import langorou"),
        ("src/joute/protocol/x.py", "def seahorse_state(): ..."),
        ("src/joute/protocol/x.py", 'say("werewolves win")'),
        ("core/search/x.hpp", "struct Langorou;"),
        ("src/joute/protocol/seahorse.py", ""),
        ("src/joute/cli/x.py", 'AGENT = "perfect"'),
    ],
)
def test_the_name_of_a_game_in_generic_code_is_found(path: str, source: str) -> None:
    assert named_games(path, source)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("src/joute/games/connect4/x.py", "from joute._core import Avalam"),
        ("src/joute/games/connect4/x.py", 'import_module("joute.games.avalam.state")'),
        ("src/joute/games/connect4/x.py", 'find_game("quoridor")'),
        ("src/joute/games/avalam/x.py", 'RIVAL = "langorou:depth=3"'),
        ("src/joute/games/avalam/divercite.py", ""),
        ("src/joute/games/vampires/x.py", "import joute.games.quoridor.qtp"),
        ("core/games/connect4/x.hpp", '#include "../avalam/bind.hpp"'),
        ("core/games/connect4/x.hpp", "using avalam_room::bind;"),
        ("core/games/connect4/quoridor.hpp", ""),
    ],
)
def test_the_name_of_another_game_in_a_room_is_found(path: str, source: str) -> None:
    assert named_games(path, source)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("src/joute/cli/x.py", '"""As in quoridor."""\n# as in avalam\ndef f():\n    """As in connect4."""'),
        ("src/joute/games/quoridor/x.py", 'NAME = "quoridor"'),
        ("core/game.hpp", '// as in connect4\n/* or "avalam" */ char c = \'"\'; f("x");'),
        ("core/games/avalam/x.hpp", 'f("avalam");'),
        ("src/joute/games/quoridor/qtp/x.py", 'class QtpPlayer:\n    """Unlike avalam."""\n    game = "quoridor"'),
        # Plain words.
        ("src/joute/cli/x.py", 'def connect(host, map): say("connect 5 of the four agents", data.fit)'),
        ("core/search/x.hpp", "int four = map.connect(14); bool perfect_play;"),
    ],
)
def test_comments_docstrings_and_rooms_may_name_games(path: str, source: str) -> None:
    assert named_games(path, source) == []
