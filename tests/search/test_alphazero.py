"""The agent that plays by a network."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
import time
import warnings
import zipfile
from pathlib import Path
from textwrap import dedent
from typing import Any

import commands
import numpy as np
import pytest
from network_files import network_bytes
from typed import analyst, known

import joute
from joute import Clock, agent, new, play_match
from joute.agents import Analyst, BatchAnalyst, CaveatWarning, agent_types, find_agent, is_built_in, registry
from joute.agents.alphazero import AlphaZeroParameters
from joute.agents.loading import find_source
from joute.agents.network import Network, find_network
from joute.agents.search import doubt_limits
from joute.agents.solve_first import find_endgame
from joute.arena.plan import make_plan
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.errors import SpecError
from joute.report.data import make_report

CONNECT4 = new("connect4")
SOURCES = Path(joute.__file__).parent


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network for Connect Four."""
    path = tmp_path_factory.mktemp("nets") / "small.onnx"
    path.write_bytes(network_bytes(CONNECT4, scale=0.3))
    return path


@pytest.fixture(autouse=True)
def _nothing_was_said_before() -> None:
    registry.say_caveat.cache_clear()


def player(net: Path, settings: str = "iterations=50", *, seed: int = 0) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return agent(f"alphazero:net={net},{settings}", game="connect4", seed=seed)


def test_a_position_has_the_same_priors_in_every_batch() -> None:
    """Of the network that comes with Joute, to the last bit: answers of the analysis service depend on it."""
    states = [new("connect4", "4" * many + "3" * others) for many in range(6) for others in range(6)]
    network = find_network("", CONNECT4, 1)
    alone = [network.priors_of(state) for state in states]
    assert network.priors_of_each(states) == alone
    assert network.priors_of_each(states[::-1][:7]) == alone[::-1][:7]
    assert [list(priors) for priors in alone] == [list(state.legal_moves) for state in states]


def test_policies_of_several_positions_are_those_of_each(net: Path) -> None:
    states = [new("connect4", "4" * many) for many in range(6)] + [new("connect4", "1122334")]
    by_policy, by_search = player(net, "policy_only=yes"), player(net, "iterations=20,solve=no")
    assert isinstance(by_policy, BatchAnalyst)
    assert (by_policy.most_together > 1, by_search.most_together) == (True, 1)
    assert by_policy.analyze_together(states, lines=2) == [by_policy.analyze(state, lines=2) for state in states]
    together = by_search.analyze_together(states[:1])
    assert together == [player(net, "iterations=20,solve=no").analyze(states[0])]


def line(net: Path, settings: str, seed: int) -> list[tuple[str, Any, Any]]:
    spec = f"alphazero:net={net},{settings}"
    record = joute.play_game("connect4", spec, "mcts:iterations=50", seed=seed)
    assert record.reason.value == "normal", record.detail
    return [(move.move, move.info.value_for_mover, move.info.nodes) for move in record.moves if move.info]


@pytest.mark.parametrize(
    "settings", ["iterations=40", "iterations=60,batch=16,solve=off", "nodes=150", "policy_only=yes"]
)
def test_the_same_seed_and_count_give_the_same_game(net: Path, settings: str) -> None:
    assert line(net, settings, 7) == line(net, settings, 7)


def test_the_network_is_tried_when_a_game_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net = tmp_path / "new.onnx"  # a process tries each network once
    net.write_bytes(network_bytes(CONNECT4, scale=0.2))
    sizes: list[int] = []
    compute = Network._run

    def counted(self: Network, planes: Any) -> Any:
        sizes.append(len(planes))
        return compute(self, planes)

    monkeypatch.setattr(Network, "_run", counted)
    zero = player(net, "iterations=50,batch=5,solve=no")
    zero.prepare_game(CONNECT4)
    assert {1, 2, 3, 4, 5} <= set(sizes)  # of any size, the first evaluation takes longer than the others
    sizes.clear()
    zero.prepare_game(CONNECT4)
    assert not sizes
    prepared = zero.analyze(CONNECT4)
    assert prepared == player(net, "iterations=50,batch=5,solve=no").analyze(CONNECT4)


def test_counts_are_kept_and_without_any_there_are_600_simulations(net: Path) -> None:
    assert player(net, "iterations=37,solve=off").analyze(CONNECT4).iterations == 37
    assert player(net, "iterations=1,solve=off").analyze(CONNECT4).iterations == 1
    assert player(net, "solve=off").analyze(CONNECT4).iterations == 600


def test_raw_policy_plays_the_first_of_the_priors(net: Path) -> None:
    raw = player(net, "policy_only=yes")
    state = CONNECT4.play("4").play("3")
    priors = find_network(str(net), state, 1).priors_of(state)
    assert raw.choose(state, Clock()) == max(priors, key=lambda move: priors[move])
    analysis = raw.analyze(state)
    assert analysis.unit == "prior"
    assert [judged.value for judged in analysis.moves] == pytest.approx(sorted(priors.values(), reverse=True))
    assert not analysis.exact


def test_the_search_sees_what_the_raw_policy_does_not(net: Path) -> None:
    positions = [new("connect4", text) for text in ("112233", "767676", "121212", "454545", "2131416")]
    wins = [position.winning_moves for position in positions]
    assert [len(winning) for winning in wins] == [1] * 5
    assert [[player(net).choose(position, Clock())] for position in positions] == wins
    assert [[player(net, "policy_only=yes").choose(position, Clock())] for position in positions] != wins


def test_one_simulation_tries_the_networks_favourite(net: Path) -> None:
    rng = joute.Random(2)
    for _ in range(20):
        state = CONNECT4
        for _ in range(5):
            state = state.play(state.random_move(rng))
        favourite = player(net, "policy_only=yes").choose(state, Clock())
        tried = player(net, "iterations=1,solve=off").analyze(state).moves[0]
        assert (tried.move, tried.visits) == (favourite, 1)
        priors, value = np.empty((1, 7), np.float32), np.empty(1, np.float32)
        board: Any = state.play(favourite)
        legal = np.arange(7, dtype=np.int16)[None]
        find_network(str(net), state, 1).evaluate(np.frombuffer(board.encode(), np.uint8)[None], legal, priors, value)
        if not board.winning_moves:
            assert tried.value == pytest.approx((1 - value[0]) / 2, abs=1e-5)


def test_an_analysis_has_values_visits_and_lines(net: Path) -> None:
    searching = player(net, "iterations=80,solve=off")
    assert isinstance(searching, Analyst)
    analysis = searching.analyze(CONNECT4)
    assert analysis.unit == "win share"
    assert len(analysis.moves) == 7
    assert sum(known(judged.visits) for judged in analysis.moves) == 80
    assert all(0 <= known(judged.value) <= 1 for judged in analysis.moves)
    assert analysis.pv == analysis.moves[0].pv
    over = searching.analyze(new("connect4", "1122334"))
    assert (over.moves, over.verdict) == ((), "has lost")


LATE = "566765533726242211"  # wins, draws and losses, the first at ply 39


def test_the_solver_at_the_end_plays_exactly(net: Path) -> None:
    state = new("connect4", LATE)
    truth = analyst("perfect", game="connect4").analyze(state)
    analysis = player(net, "iterations=5").analyze(state, lines=len(truth.moves))
    assert analysis.exact
    assert analysis.iterations is None
    shares = {1: 1.0, 0: 0.5, -1: 0.0}
    exact = {judged.move: known(judged.value) for judged in truth.moves}
    for judged in analysis.moves:
        assert judged.value == shares[(exact[judged.move] > 0) - (exact[judged.move] < 0)]
    assert [exact[judged.move] for judged in analysis.moves] == sorted(exact.values(), reverse=True)
    best = analysis.moves[0]
    assert best.verdict == f"wins in {len(best.pv)} plies"
    assert len(best.pv) == len(truth.pv)
    assert not player(net, "iterations=5,solve=off").analyze(state).exact


@pytest.mark.parametrize(("name", "plies"), [("avalam", 30), ("divercite", 34)])
def test_games_with_a_solver_of_their_own_end_exactly_too(name: str, plies: int, tmp_path: Path) -> None:
    state = new(name)
    rng = joute.Random(3)
    while state.ply < plies:
        state = state.play(state.random_move(rng))
    path = tmp_path / "net.onnx"
    path.write_bytes(network_bytes(state, scale=0.1))
    analysis = analyst(f"alphazero:net={path},iterations=5", game=state.spec).analyze(state, lines=3)
    assert analysis.exact
    solver = analyst(f"{name}-solver", game=name).analyze(state, lines=3)
    for own, judged in zip(analysis.moves[:3], solver.moves[:3], strict=True):
        assert (own.move, own.verdict) == (judged.move, judged.verdict)
        assert own.value == {"wins": 1.0, "draws": 0.5, "loses": 0.0}[own.verdict]


WON_RACE = "g1a2d2f2f5c7a8e8/f1b2e2g2f3g4g6a7d7e7h7f8/e1e9/0-0/20"
LOST_RACE = "c1e1g1b2f2h2g3a4c4e4h6b7g7/b4d4f4g6c7h7a8/e1e9/0-0/20"


@pytest.mark.parametrize(("position", "verdict"), [(WON_RACE, "wins"), (LOST_RACE, "loses")])
def test_races_of_quoridor_end_exactly(position: str, verdict: str) -> None:
    state = new("quoridor", position)
    analysis = analyst("alphazero:iterations=5", game="quoridor").analyze(state)
    assert analysis.exact
    assert analysis.moves[0].verdict.startswith(verdict)
    assert analysis.moves[0].value == (1.0 if verdict == "wins" else 0.0)


def test_walls_in_hand_leave_a_race_to_the_network() -> None:
    state = new("quoridor", WON_RACE.replace("f8/e1e9/0-0", "/e1e9/0-1"))
    analysis = analyst("alphazero:iterations=5", game="quoridor").analyze(state)
    assert not analysis.exact
    assert analysis.iterations == 5


@pytest.mark.parametrize("name", ["avalam", "divercite", "quoridor"])
def test_networks_that_come_with_games_beat_greed(name: str) -> None:
    """A file for another game or with other planes would play at random."""
    result = play_match(name, "alphazero:iterations=16,solve=off,fallback=none", "greedy", games=4, seed=1)
    assert result.score >= 0.75


@pytest.mark.parametrize("name", ["avalam", "divercite", "quoridor"])
def test_the_strongest_agent_may_be_another_than_the_adviser(name: str) -> None:
    assert (registry.strongest_agent(name), registry.adviser(name)) == ("alphazero", name)
    assert registry.strongest_agent("connect4") == registry.adviser("connect4") == "perfect"


def test_every_endgame_is_of_a_game_that_networks_play() -> None:
    with_endgame = {game.game for game in joute.games.all_games()[0] if find_endgame(game.game)}
    assert with_endgame == {"avalam", "connect4", "divercite", "quoridor"}
    assert all(hasattr(type(new(name)), "network_search") for name in with_endgame)


def test_connect_fours_endings_keep_to_limits() -> None:
    from joute._core import Connect4EndingsOptions, StopFlag

    early = new("connect4", "44")
    search = type(early).search(Connect4EndingsOptions(memory_mb=4, lines=1))
    result = search.run(early, nodes=20_000)
    assert not result.proven
    assert 20_000 <= result.nodes < 30_000
    assert len(result.moves) == 7
    stop = StopFlag()
    threading.Timer(0.05, stop.set).start()
    assert not search.run(early, stop=stop).proven
    assert not search.run(early, seconds=0.01).proven
    # A win in one is known even where nothing else is.
    assert search.run(new("connect4", "112233"), nodes=1).moves[0].lower == 1
    with pytest.raises(ValueError, match="memory_mb"):
        type(early).search(Connect4EndingsOptions(memory_mb=0, lines=1))


@pytest.mark.parametrize("settings", ["seconds=0.05", "seconds=0.05,batch=64,solve=off"])
def test_a_clock_or_seconds_limit_it(net: Path, settings: str) -> None:
    for searcher in (player(net, settings), player(net, "threads=2")):
        for clock in (Clock(remaining_s=0.6), Clock(move_limit_s=0.02), Clock(remaining_s=0.0)):
            assert searcher.choose(CONNECT4, clock) in CONNECT4.legal_moves
    assert player(net).analyze(CONNECT4, seconds=0.02).moves


def test_it_keeps_its_time_in_games_with_a_short_clock(net: Path) -> None:
    record = joute.play_game("connect4", f"alphazero:net={net}", f"alphazero:net={net}", clock="1", seed=1)
    assert record.reason.value == "normal", record.detail


def test_another_thread_stops_it_and_follows_it(net: Path) -> None:
    thinker = player(net, "iterations=1000000000,solve=off")
    seen: list[Any] = []
    thinker.on_info = seen.append
    moves: list[Any] = []
    thread = threading.Thread(target=lambda: moves.append(thinker.choose(CONNECT4, Clock())))
    thread.start()
    while not seen:
        time.sleep(0.01)
    while thread.is_alive():
        thinker.stop()
        thread.join(0.05)
    assert moves[0] in CONNECT4.legal_moves
    assert seen[0].nodes > 0


def test_games_without_networks_are_refused_with_the_reason() -> None:
    with pytest.raises(SpecError, match="agent 'alphazero' does not play tictactoe: it does not encode its positions"):
        agent("alphazero", game="tictactoe")
    assert "alphazero" not in [kind.name for kind in agent_types("tictactoe")]
    assert "alphazero" in [kind.name for kind in agent_types("quoridor")]
    with pytest.raises(SpecError, match="does not play tictactoe"):
        agent("alphazero").choose(new("tictactoe"), Clock())


def test_rules_are_those_of_the_game_that_is_played(tmp_path: Path) -> None:
    path = tmp_path / "course.onnx"
    path.write_bytes(network_bytes(new("quoridor:rules=course"), scale=0.01))
    spec = f"alphazero:net={path},iterations=4"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert joute.play_game("quoridor:rules=course", spec, "random", seed=1).reason.value == "normal"
    sentence = "is a network for quoridor:rules=course, not for quoridor, whose rules differ"
    with pytest.warns(CaveatWarning, match=sentence):
        joute.play_game("quoridor", spec, "quoridor-runner", seed=1)
    with pytest.raises(SpecError, match=sentence):
        find_agent(f"{spec},fallback=none", "quoridor")


def test_a_strangers_network_is_data_and_the_agent_is_ours(net: Path) -> None:
    assert is_built_in(f"alphazero:net={net}")


# --- Where the sentence is seen ---


def joute_engine(*words: str, stdin: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "joute", "engine", *words]
    return subprocess.run(command, capture_output=True, text=True, input=stdin, check=False, timeout=120)


SENTENCE = "alphazero has no network to play with, so mcts plays instead: there is no file"


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (("match", "connect4", "alphazero:net=no.onnx,iterations=5", "random", "--games", "4"), ""),
        (("play", "connect4", "--against", "alphazero:net=no.onnx,iterations=5"), "4\nquit\n"),
        (("mistakes", "connect4", "alphazero:net=no.onnx,iterations=5", "--positions", "3"), ""),
        (("analyze", "connect4", "--agent", "alphazero:net=no.onnx,iterations=5"), ""),
        (("tournament", "connect4", "alphazero:net=no.onnx,iterations=5", "random", "--db", "t.db", "--json"), ""),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_commands_say_once_that_mcts_plays_instead(words: tuple[str, ...], stdin: str, tmp_path: Path) -> None:
    done = commands.joute(*words, cwd=tmp_path, input=stdin)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(f"joute: {SENTENCE} no.onnx") == 1


def test_a_command_fails_without_a_network_if_fallback_is_none(tmp_path: Path) -> None:
    done = commands.joute("match", "connect4", "alphazero:net=no.onnx,fallback=none", "random", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "joute: alphazero: there is no file no.onnx\n")


def test_a_tournament_keeps_the_sentence_with_its_games(tmp_path: Path) -> None:
    done = commands.joute(
        "tournament", "connect4", "alphazero:net=no.onnx,iterations=5", "random", "--db", "t.db", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert f"note: {SENTENCE}" in done.stdout
    assert (done.stdout + done.stderr).count(SENTENCE) == 1
    with Store.read(tmp_path / "t.db") as store:
        assert SENTENCE in make_report(store).note


def test_ugi_tells_it_as_an_info_string(net: Path) -> None:
    commands = f"""
        isready
        position startpos
        go iterations 5
        setoption name net value {net}
        setoption name iterations value 6
        go
        setoption name generator value no
        quit
    """
    done = joute_engine("connect4", "alphazero:net=no.onnx", stdin=dedent(commands))
    lines = done.stdout.splitlines()
    assert [each for each in lines if "no network" in each] == [f"info string {SENTENCE} no.onnx"]
    assert sum(each.startswith("bestmove") for each in lines) == 2
    assert any("unknown move generator of connect4 'no'" in each for each in lines)


def test_the_options_of_ugi_name_every_parameter(net: Path) -> None:
    done = joute_engine("connect4", f"alphazero:net={net}", stdin="ugi\nquit\n")
    assert f"option name net type string default {net}" in done.stdout
    assert "option name solve type check default true" in done.stdout
    assert "option name fallback type combo default mcts var mcts var none" in done.stdout
    assert "info string" not in done.stdout
    assert done.stderr == ""


# --- Tournaments know the file ---


def test_the_file_of_a_network_is_part_of_the_agent(net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(net.parent)
    source = find_source(f"alphazero:iterations=5,net={net.name}", "connect4")
    assert (source.kind, source.files, source.text) == ("built-in", (net,), f"alphazero:iterations=5,net={net}")
    plan = make_plan("connect4", [f"alphazero:net={net.name},iterations=5", "random"])
    assert [entrant.name for entrant in plan.entrants] == [f"alphazero:net={net.name},iterations=5", "random"]


def test_a_frozen_tournament_plays_by_its_own_copy(net: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.onnx"
    path.write_bytes(net.read_bytes())
    (tmp_path / "checkpoint.bin").write_bytes(bytes(1000))
    plan = make_plan("connect4", [f"alphazero:net={path},iterations=5,fallback=none", "random"], frozen=True)
    with Tournament.create(plan, tmp_path / "t.db") as made:
        (entry,) = made.store.entries().values()
        path.unlink()
        assert made.play().games == 2
        assert not any(played.record.at_fault for played in made.store.games())
    assert zipfile.ZipFile(io.BytesIO(entry.archive)).namelist() == ["agent/mine.onnx"]


def test_a_tournament_does_not_go_on_with_another_network(net: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.onnx"
    path.write_bytes(net.read_bytes())
    plan = make_plan("connect4", [f"alphazero:net={path},iterations=5", "random"])
    Tournament.create(plan, tmp_path / "t.db").close()
    path.write_bytes(network_bytes(CONNECT4, seed=8))
    with pytest.raises(joute.JouteError, match=r"has changed: .*mine.onnx is not the file"):
        Tournament.resume(tmp_path / "t.db")


# --- What is imported, and when ---


def in_a_process_of_its_own(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", dedent(code)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_torch_is_never_imported_to_play_and_onnx_runtime_only_by_those_who_need_it(net: Path) -> None:
    output = in_a_process_of_its_own(f"""
        import sys, joute
        def loaded():
            return [name for name in ("onnxruntime", "numpy", "onnx", "torch") if name in sys.modules]
        print(loaded())
        joute.play_game("connect4", "greedy", "random")
        from joute.agents import agent_types
        agent_types()
        print(loaded())
        record = joute.play_game("connect4", "alphazero:net={net},iterations=20", "random", seed=1)
        assert record.reason.value == "normal", record.detail
        print(loaded())
    """)
    assert output.splitlines() == ["[]", "[]", "['onnxruntime', 'numpy']"]


def test_onnx_runtime_reports_nothing_to_its_makers(net: Path) -> None:
    """Its reports would begin with a device ID in the user's cache."""
    output = in_a_process_of_its_own(f"""
        import os, pathlib, tempfile
        for name in ("ORT_DISABLE_TELEMETRY", "ORT_RUNNING_UNIT_TESTS", "CI", "GITHUB_ACTIONS"):
            os.environ.pop(name, None)
        home = tempfile.mkdtemp()
        os.environ |= {{"HOME": home, "XDG_CACHE_HOME": home}}
        import joute
        joute.play_game("connect4", "alphazero:net={net},iterations=20", "random", seed=1)
        print(sorted(str(each) for each in pathlib.Path(home).rglob("*")))
    """)
    assert output.splitlines() == ["[]"]
    importers = [path.name for path in SOURCES.rglob("*.py") if "import onnxruntime" in path.read_text("utf-8")]
    assert importers == ["network.py"]


def test_python_sees_the_sentence_once(tmp_path: Path) -> None:
    code = f"""
        import joute
        for seed in range(2):
            joute.play_game("connect4", "alphazero:net={tmp_path}/no.onnx,iterations=5", "random", seed=seed)
    """
    done = subprocess.run([sys.executable, "-c", dedent(code)], capture_output=True, text=True, check=True)
    assert done.stderr.count(SENTENCE) == 1


def test_the_network_that_comes_with_joute_is_played_by_if_there_is_one(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.resources.files", lambda package: tmp_path)
    with pytest.raises(SpecError, match="alphazero: no network for connect4 comes with Joute; give one with net=FILE"):
        agent("alphazero:fallback=none", game="connect4")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "connect4.onnx").write_bytes(net.read_bytes())
    shipped = analyst("alphazero:fallback=none,iterations=30", game="connect4").analyze(CONNECT4)
    assert shipped == player(net, "iterations=30").analyze(CONNECT4)


def test_threads_do_not_change_what_is_found(net: Path) -> None:
    results = [player(net, f"iterations=60,solve=off,threads={threads}").analyze(CONNECT4) for threads in (1, 2)]
    assert [judged.move for judged in results[0].moves] == [judged.move for judged in results[1].moves]


def test_on_the_clock_of_a_game_moves_in_doubt_take_longer_within_its_limits() -> None:
    def more(clock: Clock, *, doubt: float = 0.5, **parameters: Any) -> float:
        found = doubt_limits(AlphaZeroParameters(doubt=doubt, **parameters), clock, 2.0)
        assert found["decided"]
        return float(found["seconds_in_doubt"])

    assert more(Clock(remaining_s=60)) == 1.0
    assert more(Clock(remaining_s=60), doubt=0.25) == 0.5
    assert more(Clock(remaining_s=60, move_limit_s=2.5)) == pytest.approx(0.25)
    assert more(Clock(remaining_s=4)) == 0
    assert more(Clock(remaining_s=60), seconds=2.0) == 0  # not beyond what the user allows
    for clock, doubt in ((Clock(move_limit_s=2), 0.5), (Clock(remaining_s=60), 0.0)):
        assert not doubt_limits(AlphaZeroParameters(doubt=doubt), clock, 2.0)
