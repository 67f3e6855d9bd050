"""The generic targets of the fuzzer; those of a game are in fuzz_NAME.py of its room, tests/games/NAME."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import os
import random
import sys
import tempfile
import warnings
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from database_mutations import change_value
from fuzz_target import Target, encoded, text_of
from network_files import network_bytes

from joute import State, new
from joute._core import one_line
from joute.agents.file_parameters import file_parameters, file_settings
from joute.agents.level_sets import read_levels
from joute.agents.loading import find_source
from joute.agents.net_file import parse_network_file
from joute.agents.network import Network
from joute.arena.openings import make_openings
from joute.arena.plan import make_plan
from joute.arena.plan_file import read_toml
from joute.arena.players.external import ExternalPlayer, _fitting
from joute.arena.players.isolation import Isolation
from joute.arena.players.sandbox import View
from joute.arena.schedules.registry import make_schedule
from joute.arena.store.frozen import FrozenCopy, freeze, unpack_entry
from joute.arena.store.game_file import DamagedGame, read_game_file
from joute.arena.store.importing import import_games
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.errors import IllegalMoveError, JouteError
from joute.games import game_names
from joute.match import play_game
from joute.match.clock import TimeControl
from joute.match.record_reader import TextGame, read_text
from joute.match.record_text import write_record
from joute.protocol import ugi
from joute.protocol.analysis_request import LONGEST_ID, Request, Resolver, parse_request
from joute.protocol.ugi_engine import Engine, _EndError
from joute.protocol.xml_rpc import Server
from joute.report.data import make_report
from joute.report.formats import SUFFIXES, render
from joute.reproduce.experiments import read_paper
from joute.reproduce.results import read_results
from joute.spec import Parameter
from joute.sweeps.grid import Grid
from joute.text import message, printable
from joute.tune.plan import Budget
from joute.tune.space import Space, make_space

GAME = "connect4"
_NOW = datetime(2026, 1, 2, tzinfo=UTC)
ROOMS = Path(__file__).parents[1] / "games"
ROOT = Path(__file__).parents[2]


@functools.cache
def all_targets() -> tuple[Target, ...]:
    """The generic targets and those of the rooms."""
    warnings.simplefilter("ignore")  # an agent may warn about its network
    found = [*TARGETS, *(target for name in _games() for target in _game_targets(name))]
    for path in sorted(ROOMS.glob("*/fuzz_*.py")):
        sys.path.append(str(path.parent))  # a room's targets use what its tests use
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        found += module.TARGETS
    return tuple(found)


def _games() -> list[str]:
    return [name for name in game_names() if (ROOMS / name).is_dir() or (ROOMS.parent / name).is_dir()]


# --- Positions and moves ---


def _game_targets(game: str) -> list[Target]:
    def position(data: bytes, _: Path) -> None:
        state = new(game, text_of(data))
        assert new(game, state.position) == state
        str(state)
        assert all(state.is_legal(move) for move in state.legal_moves[:5])

    def move(data: bytes, _: Path) -> None:
        text = text_of(data)
        for state in _line(game):
            is_legal = state.is_legal(text)
            try:
                state.play(text)
                assert is_legal
            except IllegalMoveError:
                assert not is_legal

    def positions() -> list[bytes]:
        return [state.position.encode() for state in _line(game)]

    def moves() -> list[bytes]:
        return [str(move).encode() for state in _line(game) for move in state.legal_moves[:10]]

    return [Target(f"{game}-position", position, positions), Target(f"{game}-move", move, moves)]


@functools.cache
def _line(game: str) -> tuple[State, ...]:
    """A few positions of a game, from its start on."""
    rng = random.Random(1)
    state, found = new(game), []
    for _ in range(12):
        if state.is_chance:
            state = state.resolve(0)
        if state.is_terminal:
            break
        found.append(state)
        state = state.play(rng.choice(state.legal_moves))
    return tuple(found[::4])


# --- Texts ---


def game_spec(data: bytes, _: Path) -> None:
    """The spec of a game, with its rules."""
    new(text_of(data))


def agent_spec(data: bytes, _: Path) -> None:
    """The spec of an agent, or another name of one."""
    find_source(text_of(data).replace("net=", "nte="), GAME)


def clock(data: bytes, _: Path) -> None:
    """A time control."""
    control = TimeControl.parse(text_of(data))
    assert TimeControl.parse(str(control)) == control
    control.scaled(0.5)


def schedule(data: bytes, _: Path) -> None:
    """The schedule of a tournament."""
    make_schedule(text_of(data), 5, 2).pairings({})


def tuning(data: bytes, _: Path) -> None:
    """The texts of a tuning: its budget, ranges of parameters of each kind, and its schedule in a plan."""
    text = text_of(data)
    with contextlib.suppress(JouteError):
        Budget.parse(text)
    for known in (Parameter("n", 3, ""), Parameter("x", 0.5, ""), Parameter("on", True, ""), Parameter("t", "a", "")):
        with contextlib.suppress(JouteError):
            space = make_space([known], {}, [known.name], {known.name: text}, "fuzz")
            assert Space.parse(space.text) == space
    with contextlib.suppress(JouteError):
        Space.parse(text)


def agent_file(data: bytes, folder: Path) -> None:
    """The parameters that an agent's file declares, and its settings."""
    file = folder / "mine.py"
    file.write_bytes(data)
    with contextlib.suppress(JouteError), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's, about the file
        for known in file_parameters(file):
            file_settings(file, None, f"{known.name}={known.default_text}")


def ugi_option(data: bytes, _: Path) -> None:
    """A line in which a program describes an option."""
    line = text_of(data)
    ugi.option_name(line)
    known = ugi.parse_option(line)
    assert known is None or known.name


def sweep_grid(data: bytes, _: Path) -> None:
    """An agent with values in braces."""
    grid = Grid.parse(text_of(data))
    assert len({setting.agent for setting in grid.settings}) == len(grid.settings)
    for variable in grid.variables:
        for value in variable.values:
            variable.read(value)


def shown(data: bytes, _: Path) -> None:
    """A name, as pages and messages show it."""
    text = text_of(data)
    for made in (printable(text), message(text), one_line(text)):
        assert made.isprintable()
    assert len(message(text)) <= 1000


# --- Files ---


def _file(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def tournament_file(data: bytes, folder: Path) -> None:
    """The TOML file of a tournament."""
    read_toml(_file(folder, "plan.toml", data))


def levels_file(data: bytes, folder: Path) -> None:
    """The TOML file of a game's levels."""
    read_levels(_file(folder, "levels.toml", data))


def experiments_file(data: bytes, folder: Path) -> None:
    """The TOML file of experiments."""
    read_paper(_file(folder, "paper.toml", data))


def results_file(data: bytes, folder: Path) -> None:
    """The results of experiments."""
    read_results(_file(folder, "results.json", data))


def openings_file(data: bytes, folder: Path) -> None:
    """A file of openings."""
    make_openings(GAME, str(_file(folder, "openings.txt", data)), 3)


def records(data: bytes, folder: Path) -> None:
    """A text of games: what can be read can be written, and reads the same."""
    for game in read_text(text_of(data)):
        if isinstance(game, TextGame):
            (again,) = read_text(write_record(game.record))
            assert isinstance(again, TextGame)
            assert again.record.moves == game.record.moves


def game_file(data: bytes, folder: Path) -> None:
    """A file of games of any kind, and its import."""
    path = _file(folder, "games", data)
    games = [game for game in read_game_file(path) if not isinstance(game, DamagedGame)]
    goal = folder / "imported.db"
    goal.unlink(missing_ok=True)
    import_games(games, goal)


def database(data: bytes, folder: Path) -> None:
    """The database of a tournament: read, saved as far as it can be read, and resumed."""
    path = _file(folder, "t.db", data)
    for beside in ("t.db-wal", "t.db-shm", "t.db-journal"):
        (folder / beside).unlink(missing_ok=True)
    with contextlib.suppress(JouteError):
        game_file(data, folder)
    with contextlib.suppress(JouteError), Store.read(path) as store:
        _ = store.kinds, store.versions(), store.count
        for entry in store.entries().values():
            with tempfile.TemporaryDirectory(dir=folder) as goal:
                unpack_entry(entry, Path(goal))
    with Tournament.resume(path) as tournament:
        _ = tournament.is_finished


def report(data: bytes, folder: Path) -> None:
    """The report of a tournament, in every format."""
    path = _file(folder, "t.db", data)
    with Store.read(path) as store:
        made = make_report(store)
        for kind in SUFFIXES:
            render(made, store, kind)


def _databases() -> list[bytes]:
    """A finished and a frozen tournament, and a file of version 0.1."""
    old = ROOT / "tests" / "compatibility" / "0.1" / "class.db"
    with tempfile.TemporaryDirectory() as name:
        agent = Path(name) / "mine" / "agent.py"
        agent.parent.mkdir()
        agent.write_text("def choose(state, clock):\n    return state.legal_moves[0]\n")
        found = []
        for agents, frozen in ((["greedy", "random"], False), (["greedy", str(agent)], True)):
            path = Path(name) / f"{frozen}.db"
            plan = make_plan(GAME, agents, openings="start", frozen=frozen)
            with Tournament.create(plan, path, command="joute tournament") as made:
                made.store.begin_session(workers=1, note="")
                record = play_game(GAME, "greedy", "random", seed=1)
                for pairing in filter(None, made.schedule.pairings({})):
                    made.store.add(pairing, record, started=_NOW)
            found.append(path.read_bytes())
    return [*found, old.read_bytes()]


def frozen_archive(data: bytes, folder: Path) -> None:
    """The archive of a frozen agent: nothing is written outside the folder."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        goal = Path(name) / "inside"
        goal.mkdir()
        entry, *_ = _entries()
        try:
            unpack_entry(FrozenCopy(entry.source, data), goal)
        finally:
            assert [path.name for path in Path(name).iterdir()] == ["inside"]


@functools.cache
def _entries() -> tuple[FrozenCopy, ...]:
    with tempfile.TemporaryDirectory() as name:
        agent = Path(name) / "mine" / "agent.py"
        agent.parent.mkdir()
        agent.write_text("def choose(state, clock):\n    return state.legal_moves[0]\n")
        entries, _ = freeze([find_source(str(agent), GAME)], ["mine"])
    return tuple(entries.values())


def network(data: bytes, _: Path) -> None:
    """A network file whose checksum is right: what is accepted loads and computes within the limits."""
    import hashlib

    key = b"joute.checksum\x12\x40"
    begin = data.find(key) + len(key)
    if begin >= len(key) and len(data) >= begin + 64:
        blank = data[:begin] + b"0" * 64 + data[begin + 64 :]
        data = data[:begin] + hashlib.sha256(blank).hexdigest().encode() + data[begin + 64 :]
    file = parse_network_file(data, "it")
    file.check_for(new(GAME))
    Network(file).priors_of(new(GAME))


# --- Protocols ---


def ugi_engine(data: bytes, _: Path) -> None:
    """Lines that a program sends to an engine of Joute's."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        engine = Engine(GAME, "greedy", seed=0, input_fd=nowhere, output_fd=nowhere, abandon=_abandoned)
        for line in data.splitlines()[:50]:
            words = text_of(line).split()
            if words and "infinite" not in words:  # it would wait for `stop`
                with contextlib.suppress(_EndError):
                    engine._handle(words)
    finally:
        os.close(nowhere)


def _abandoned() -> NoReturn:
    raise SystemExit


def ugi_player(data: bytes, _: Path) -> None:
    """Lines that an engine sends to Joute."""
    player = ExternalPlayer(["none"], "villain", Isolation(), view=View(Path()))
    for line in data.splitlines():
        text = text_of(line)
        move = player._heard(text)
        player._search_info()
        _fitting(2**64 - 1, text.split())
        if move:
            with contextlib.suppress(IllegalMoveError):
                new(GAME).play(move)


def analysis_request(data: bytes, _: Path) -> None:
    """A line that a program sends to the analysis service."""
    request = parse_request(data)
    assert 0 < len(request.id) <= LONGEST_ID
    if request.action == "analyze":
        agent = {"agent": request.fields["agent"].replace("net=", "nte=")} if "agent" in request.fields else {}
        order = _resolver().order(Request(request.id, "analyze", {**request.fields, **agent}))
        assert order.positions


@functools.cache
def _resolver() -> Resolver:
    return Resolver(game=GAME)


def ugi_position(data: bytes, _: Path) -> None:
    """The words after `position` and `go`."""
    words = text_of(data).split()
    with contextlib.suppress(JouteError):
        ugi.parse_go(words)
    start, line = ugi.parse_position(words)
    ugi.follow(new(GAME, start), line)


def xml_rpc(data: bytes, _: Path) -> None:
    """The body of a call to a server of Joute's."""
    server = Server.__new__(Server)
    server._methods = {"play": lambda percepts, player, step, time_left: [percepts, player, step, time_left]}
    server._called(data)


CALL = (
    "<?xml version='1.0'?><methodCall><methodName>play</methodName><params>"
    "<param><value><struct><member><name>m</name><value><array><data><value><int>1</int></value></data></array></value>"
    "</member></struct></value></param><param><value><int>1</int></value></param>"
    "<param><value><int>2</int></value></param><param><value><double>1.5</double></value></param></params></methodCall>"
)

_ENGINE = (
    "ugi\nsetoption name Seed value 3\nisready\nuginewgame\nposition startpos moves 4 4\ngo p1time 1000 p2time 900\n"
    "query legalmoves\nquery islegal 4\n",
    "position fen 44 moves 1\ngo depth 2\nd\nquery fen\nquery result\nstop\nquit\n",
)
_PLAYER = (
    "id name me\noption name Seed type spin default 0 min 0 max 255\nugiok\nreadyok\n"
    "info depth 3 nodes 12 value 0.5 pv 4 4\nbestmove 4\n",
    "info string error ValueError: no\nbestmove (none)\n",
)


def _texts(*names: str) -> list[bytes]:
    return [(ROOT / name).read_bytes() for name in names]


def _results() -> list[bytes]:
    """The first row of the results that are kept."""
    data = json.loads((ROOT / "docs" / "reproduction" / "results.json").read_text())
    paper, experiments = next(iter(data["rows"].items()))
    name, rows = next(iter(experiments.items()))
    return [json.dumps(data | {"rows": {paper: {name: rows[:1]}}}).encode()]


def _records() -> Sequence[bytes]:
    (old,) = _texts("tests/compatibility/0.1/games.txt")
    games = [write_record(play_game(name, "random", "random", seed=2)).encode()[:4000] for name in _games()]
    return [*games, old[:3000]]


def _requests() -> Sequence[bytes]:
    """The valid lines of the transcripts."""
    found = []
    for path in sorted((ROOT / "tests" / "protocol" / "transcripts" / "analysis").glob("*.txt")):
        found += [line[2:].encode() for line in path.read_text().splitlines() if line.startswith("> {")]
    return found


_REQUEST_WORDS = (
    '"id"', '"action"', '"game"', '"position"', '"moves"', '"plies"', '"agent"', '"seconds"', '"nodes"', '"depth"',
    '"iterations"', '"lines"', '"fields"', '"priority"', '"report_every_s"', '"seed"', '"target"', '"cancel"', '"all"',
    '"mcts"', "NaN", "1e999", "true", "null", "[]", "{}", "-1",
)  # fmt: skip

TARGETS = [
    Target(
        "spec-game",
        game_spec,
        encoded(
            "connect4",
            "quoridor:rules=course",
            "vampires:map=thetrap,plies=10",
            "openspiel:game=hex,board_size=7",
            "openspiel:game=misere(game=go(board_size=5))",
        ),
    ),
    Target(
        "spec-agent",
        agent_spec,
        encoded(
            "~nobody.py",
            "~nobody/a",
            "mcts:iterations=1000,c=1.41",
            "alphabeta:depth=4,eval=score",
            "ugi:./engine --fast",
            "my.module:Best",
        ),
    ),
    Target("clock", clock, encoded("300", "60+0.5,2/move", "nodes=10000,iterations=3,depth=6", "none")),
    Target("schedule", schedule, encoded("round-robin", "swiss:rounds=3", "knockout", "sprt:elo0=0,elo1=20", "pairs")),
    Target(
        "sweep-grid",
        sweep_grid,
        encoded("mcts:c={0.3..2.0/8},iterations={200,1000}", "{a,b:c={1..3}}x={1..100/5 log}", "x={1e-3..2e5/3}"),
    ),
    Target(
        "tuning",
        tuning,
        encoded("games=20000", "hours=1.5", "0.1..2 log", "a|b|c", "x|0.5|0.0..1.0;t|a|a|b;on|yes|no|yes"),
    ),
    Target(
        "agent-file",
        agent_file,
        encoded(
            'PARAMETERS = {"width": 3, "style": "calm"}\nRANGES = {"width": (1, 9), "style": ("calm", "wild")}\n',
            "@dataclass\nclass A:\n    width: int = 3\n    def choose(self, state, clock): ...\n",
        ),
    ),
    Target(
        "ugi-option",
        ugi_option,
        encoded(
            "option name Skill Level type spin default 3 min 0 max 20",
            "option name Style type combo default calm var calm var wild",
            "option name Hash type string default 0.5",
        ),
    ),
    Target("shown-name", shown, encoded("greedy", "Zoë")),
    Target("toml-tournament", tournament_file, lambda: _texts("tests/compatibility/0.1/class.toml")),
    Target("toml-levels", levels_file, lambda: _texts("src/joute/games/connect4/data/levels.toml")),
    Target("toml-experiments", experiments_file, lambda: [_texts("experiments/divercite.toml")[0][:4000]]),
    Target("results", results_file, _results),
    Target("openings", openings_file, encoded("44\n# a comment\n\n1234\n")),
    Target("records", records, _records),
    Target("game-file", game_file, _records),
    Target("database", database, _databases, mutate=change_value),
    Target("report", report, _databases, mutate=change_value),
    Target("frozen", frozen_archive, lambda: [entry.archive for entry in _entries()]),
    Target("network", network, lambda: [network_bytes(new(GAME), scale=0.1)]),
    Target("analysis-request", analysis_request, _requests, words=_REQUEST_WORDS),
    Target("ugi-engine", ugi_engine, encoded(*_ENGINE)),
    Target("ugi-player", ugi_player, encoded(*_PLAYER)),
    Target("ugi-position", ugi_position, encoded("startpos moves 4 4", "fen 44 moves 1 2", "depth 3 nodes 7")),
    Target("xmlrpc", xml_rpc, encoded(CALL)),
]
