"""The analysis service: whole sessions, cancellations, many requests, and input and clients that behave badly."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from analysis_session import AnalysisSession, Data, checked, service
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from json_schema import check_analysis
from network_files import network_bytes
from ugi_session import TIMEOUT_S, ProcessSession

from joute import Clock, JouteError, Random, State, agent, new
from joute.agents import AgentType, Analysis, MoveValue, register_agent
from joute.agents.network import Network
from joute.agents.random import RandomParameters
from joute.agents.win_probability import win_probability
from joute.protocol import analysis_service
from joute.protocol.analysis_data import analysis_data
from joute.protocol.analysis_lines import LONGEST_LINE
from joute.version import __version__

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts" / "analysis").glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_session_goes_as_it_was_written_down(path: Path) -> None:
    _, command, *lines = path.read_text().splitlines()
    sent = ""
    with service(*command.removeprefix("$ ").split()) as session:
        for line in lines:
            if line.startswith("> "):
                sent = line[2:]
                session.send(sent)
            elif line.startswith("< "):
                expect(session, line[2:])
                if '"kind": "error"' not in line:
                    check_analysis(json.loads(sent), "request")
            else:
                session.hang_up()
                assert session.rest() == []
                assert f"= {session.end()[0]}" == line


def expect(session: ProcessSession, line: str) -> None:
    """The next answer. Partial results that a slow machine adds are left out."""
    pattern = re.escape(line).replace("<s>", r"[\d.e-]+").replace("<version>", re.escape(__version__))
    told: list[str] = []
    while not told or '"partial"' in told[-1]:
        told.append(str(session.line()))
        checked(told[-1])
        if re.fullmatch(pattern, told[-1]):
            return
    raise AssertionError(f"expected {line!r}, got {told[-1]!r}")


def test_the_transcripts_are_found() -> None:
    assert {"analyses", "cancel", "mistakes"} <= {path.stem for path in TRANSCRIPTS}


# --- Answers ---


def without_time(answer: Data) -> Data:
    return {name: value for name, value in answer.items() if name != "seconds"}


def mixed_requests() -> list[Data]:
    """Requests for several games and agents, with limits that are not times."""
    agents = {
        "connect4": ({"agent": "mcts", "iterations": 60}, {"agent": "alphabeta", "nodes": 300}, {"agent": "greedy"}),
        "quoridor": ({"nodes": 200}, {"agent": "rave", "iterations": 20}),
        "divercite": ({"nodes": 200}, {"agent": "nested:level=1", "iterations": 30}),
        "avalam": ({"nodes": 200, "lines": 3}, {"agent": "random"}),
        "vampires": ({"agent": "mcts", "iterations": 20, "lines": 2},),
    }
    made = []
    for game, asked in agents.items():
        rng, state, moves = Random(1), new(game), []
        for _ in range(3):
            moves.append(str(state.random_move(rng)))
            state = state.play(moves[-1])
            while state.is_chance:
                moves.append("#0")
                state = state.resolve(0)
            for number, fields in enumerate(asked):
                id = f"{game}-{number}-{len(moves)}"
                made.append({"id": id, "game": game, "moves": list(moves), "seed": len(moves), **fields})
    return made


def answers_to(requests: list[Data], jobs: int) -> dict[str, Data]:
    with AnalysisSession(jobs=jobs, game=None) as session:
        for request in requests:
            session.ask(**request)
        answers = session.all_answers()
    assert len(answers) == len(requests)
    return {answer["id"]: without_time(answer) for answer in answers}


def test_answers_depend_neither_on_the_order_nor_on_the_number_of_jobs() -> None:
    requests = mixed_requests()
    expected = answers_to(requests, jobs=1)
    assert all(answer["kind"] == "final" for answer in expected.values())
    assert answers_to(requests, jobs=2) == expected
    random.Random(1).shuffle(requests)
    assert answers_to(requests, jobs=3) == expected


def test_an_answer_is_what_a_new_agent_says() -> None:
    requests = [request for request in mixed_requests() if request.get("agent") not in ("greedy", "random")]
    for id, answer in answers_to(requests, jobs=1).items():
        request = next(each for each in requests if each["id"] == id)
        state = new(request["game"], answer["position"])
        analysis = agent(answer["agent"], game=state.spec, seed=answer["seed"]).analyze(  # type: ignore[attr-defined]
            state, lines=request.get("lines")
        )
        told = analysis_data(analysis, state, agent=answer["agent"], lines=request.get("lines"))
        assert told.items() <= answer.items()


def test_the_first_player_s_share_is_told_whoever_moves() -> None:
    with AnalysisSession(agent="mcts:iterations=200") as session:
        session.ask(id="a", moves=["4"])
        answer = session.answer()
        assert answer["to_move"] == 1
        for told in (answer, *answer["moves"]):
            assert told["win_share_for_mover"] == told["value_for_mover"]
            assert told["win_share_for_first"] == 1 - told["value_for_mover"]
        # Second is lost: 1-0 for the first player, from either side of the board.
        session.ask(id="b", moves=["4"], agent="perfect", fields=["win_share_for_first", "win_share_for_mover"])
        assert session.answer() | {"id": ""} == {
            "id": "", "kind": "final", "win_share_for_mover": 0.0, "win_share_for_first": 1.0,
        }  # fmt: skip


def test_a_win_that_is_seen_and_not_proven_is_a_share_of_one() -> None:
    state = new("connect4", "4")
    seen = MoveValue("4", 1e15 - 3, "wins, not proven")
    analysis = Analysis(seen.value, seen.verdict, (seen,), ("4",), exact=False, unit="evaluation")
    data = analysis_data(analysis, state, agent="alphabeta")
    for told in (data, *data["moves"]):
        assert (told["outcome_for_mover"], told["win_share_for_mover"], told["win_share_for_first"]) == (None, 1.0, 0.0)
        assert (told["win_probability_for_mover"], told["win_probability_for_first"]) == (1.0, 0.0)


def test_win_probabilities_are_those_of_the_calibration_or_proven() -> None:
    with AnalysisSession(game="avalam", jobs=1) as session:
        moves = [str(new("avalam").legal_moves[0])]
        session.ask(id="a", moves=moves, nodes=500, lines=2)
        engine = session.answer()
        session.ask(id="b", moves=moves, agent="mcts", iterations=20, lines=2)
        tree = session.answer()
    state = new("avalam", engine["position"])
    assert engine["to_move"] == 1
    for told in (engine, *engine["moves"]):
        wanted = win_probability(state, told["value_for_mover"], unit=engine["unit"])
        assert told["win_probability_for_first"] == wanted
        assert told["win_probability_for_mover"] == 1 - wanted
    # The calibration was fitted to the engine, and says nothing about other agents.
    assert all(told["win_probability_for_first"] is None for told in (tree, *tree["moves"]))
    # A proven result needs no calibration.
    won = agent("perfect", game="connect4").analyze(new("connect4", "4"))  # type: ignore[attr-defined]
    data = analysis_data(won, new("connect4", "4"), agent="perfect")
    assert (data["win_probability_for_mover"], data["win_probability_for_first"]) == (0.0, 1.0)
    assert [judged["win_probability_for_mover"] for judged in data["moves"]].count(0.5) == 0


def test_no_number_is_infinite() -> None:
    endless = Analysis(float("inf"), "", (MoveValue("4", float("nan"), ""),), ("4",), exact=False)
    data = analysis_data(endless, new("connect4"), agent="mcts")
    assert (data["value_for_mover"], data["moves"][0]["value_for_mover"]) == (None, None)


def test_random_events_stand_in_the_line() -> None:
    with AnalysisSession(game="dice", agent="alphabeta:depth=3") as session:
        session.ask(id="a", moves=["roll", "#2"], fields=["position", "to_move", "unit"])
        assert session.answer()["position"] == "3-0-second-1"
        session.ask(id="b", moves=["roll"], fields=["verdict", "moves", "outcome_for_mover", "exact"])
        assert session.answer() == {
            "id": "b", "kind": "final", "verdict": "is not to move", "moves": [], "outcome_for_mover": None,
            "exact": False,
        }  # fmt: skip
        session.ask(id="c", moves=["#0"])
        assert session.answer()["error"] == "#0 is not an outcome of a random event at ply 0"


def test_every_game_says_who_analyzes_it_and_with_which_limits(game: str) -> None:
    with AnalysisSession(game=None) as session:
        session.ask(id="g", action="games")
        told = {each["game"]: each for each in session.answer()["games"]}
        assert told[game]["agent"] in told[game]["agents"]
        assert told[game]["agents"]["mcts"] == ["seconds", "nodes", "iterations"]
        limits = told[game]["agents"][told[game]["agent"]]
        session.ask(id="a", game=game, lines=1, **{name: 50 for name in limits if name in ("nodes", "iterations")})
        answer = session.answer()
        assert (answer["kind"], answer["game"].partition(":")[0]) == ("final", game)


def test_a_limit_replaces_those_of_the_spec() -> None:
    with AnalysisSession() as session:
        session.ask(id="a", agent="mcts:iterations=1000000000,seconds=500,c=1", nodes=700, fields=["agent", "nodes"])
        answer = session.answer()
        assert answer["agent"] == "mcts:c=1,nodes=700"
        assert 700 <= answer["nodes"] < 800
        session.ask(id="b", agent="alphabeta:nodes=1000000000", depth=2, fields=["agent", "depth"])
        assert session.answer() == {"id": "b", "kind": "final", "agent": "alphabeta:depth=2", "depth": 2}
        session.ask(id="c", agent="mcts:iterations=5", seconds=0.05, fields=["agent", "iterations"])
        answer = session.answer()
        assert (answer["agent"], answer["iterations"] > 5) == ("mcts:seconds=0.05", True)
        # An agent without a limit on time takes none, and that is no mistake of the client's.
        session.ask(id="d", agent="perfect", seconds=1, fields=["agent"])
        assert session.answer() == {"id": "d", "kind": "final", "agent": "perfect"}


@pytest.mark.filterwarnings("ignore:alphazero has no network")
def test_an_agent_that_does_not_play_as_its_spec_says_comes_with_a_warning() -> None:
    with AnalysisSession(game="quoridor:rules=course", agent="alphazero:iterations=20") as session:
        session.ask(id="a", fields=["unit"])
        assert "is a network for quoridor, not for quoridor:rules=course" in session.answer()["warning"]


# --- Several at once ---


def test_short_requests_overtake_a_long_one() -> None:
    with AnalysisSession(jobs=2, agent="mcts") as session:
        session.ask(id="long", seconds=1000)
        for number in range(20):
            session.ask(id=str(number), iterations=20)
        assert [answer["id"] for answer in session.answers(20)] == [str(number) for number in range(20)]
        session.ask(id="c", action="cancel", target="long")
        assert [answer["kind"] for answer in session.answers(2)] == ["cancelled", "cancel"]


def test_partial_results_come_before_the_final_one_and_grow() -> None:
    with AnalysisSession(agent="mcts", jobs=1) as session:
        session.ask(id="a", seconds=0.7, report_every_s=0.1, fields=["iterations", "seconds"])
        session.ask(id="b", iterations=10, report_every_s=0.1)
        answers = session.all_answers()
    kinds = [answer["kind"] for answer in answers]
    assert kinds[-2:] == ["final", "final"]
    assert set(kinds[:-2]) == {"partial"}
    simulations = [answer["iterations"] for answer in answers[:-1]]
    assert simulations == sorted(simulations)
    times = [answer["seconds"] for answer in answers[:-2]]
    assert all(later - earlier >= 0.1 for earlier, later in pairwise(times))


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_one_of_500_requests_is_answered_once(jobs: int) -> None:
    check_flood(500, jobs)


@pytest.mark.slow
def test_every_one_of_10_000_requests_is_answered_once() -> None:
    check_flood(10_000, 2)


def check_flood(count: int, jobs: int) -> None:
    """The client writes everything before it reads anything, which fills the pipe of the answers."""
    with AnalysisSession(jobs=jobs, agent="mcts:iterations=5") as session:
        rng = random.Random(count)
        for number in range(count):
            moves = [str(rng.randint(1, 7)) for _ in range(rng.randint(0, 6))]
            session.ask(id=str(number), moves=moves, priority=rng.randint(-2, 2))
        answers = session.all_answers()
    assert Counter(answer["id"] for answer in answers) == Counter(map(str, range(count)))
    assert {answer["kind"] for answer in answers} == {"final"}
    assert session.end == "done"


def test_cancellations_at_any_moment_leave_one_answer_to_each_request() -> None:
    rng = random.Random(1)
    sent: list[str] = []
    with AnalysisSession(jobs=2, agent="mcts") as session:
        for number in range(300):
            session.ask(id=f"r{number}", iterations=rng.choice((1, 2000)), priority=rng.randint(0, 1))
            sent.append(f"r{number}")
            if rng.random() < 0.5:
                session.ask(id=f"c{number}", action="cancel", target=rng.choice(sent[-5:]))
                sent.append(f"c{number}")
        answers = session.all_answers()
    assert Counter(answer["id"] for answer in answers) == Counter(sent)
    kinds = Counter(answer["kind"] for answer in answers)
    assert kinds["final"] + kinds["cancelled"] == 300
    assert kinds["cancelled"] == sum(len(answer["cancelled"]) for answer in answers if answer["kind"] == "cancel")
    assert kinds["cancelled"] > 0


def test_a_stopped_search_does_not_change_the_next_one() -> None:
    request = {"agent": "mcts", "iterations": 300}
    with AnalysisSession() as session:
        session.ask(id="first", **request)
        expected = without_time(session.answer())
        for number in range(10):
            session.ask(id="long", agent="mcts", iterations=300, seed=number)
            session.ask(id="c", action="cancel", target="long")
            session.ask(id="first", **request)
            answers = {answer["id"]: answer for answer in session.answers(3)}
            assert without_time(answers["first"]) == expected


def test_positions_of_one_network_are_evaluated_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(network_bytes(new("connect4"), scale=0.1))
    sizes: list[int] = []
    run = Network._run

    def counted(self: Network, planes: Any) -> Any:
        sizes.append(len(planes))
        return run(self, planes)

    monkeypatch.setattr(Network, "_run", counted)
    spec = f"alphazero:net={path},policy_only=yes"
    states = [new("connect4", "4" * number + "3" * other) for number in range(6) for other in range(6)]
    states.append(new("connect4", "1122334"))  # over
    alone = {state.position: agent(spec, game="connect4").analyze(state) for state in states}  # type: ignore[attr-defined]
    assert set(sizes) <= {1, 2}  # 2 when the file was loaded
    with AnalysisSession(agent=spec) as session:
        session.ask(id="long", agent="mcts", seconds=1000)
        for number, state in enumerate(states):
            session.ask(id=str(number), position=state.position)
        session.ask(id="c", action="cancel", target="long")
        answers = [answer for answer in session.answers(len(states) + 2) if answer["kind"] == "final"]
    assert len(answers) == len(states)
    assert max(sizes) >= 30
    for answer in answers:
        state = new("connect4", answer["position"])
        assert analysis_data(alone[state.position], state, agent=spec).items() <= answer.items()


# --- Agents that behave badly ---


class Villain:
    """Does what the test says, in `analyze`."""

    act: Any = None

    def __init__(self, parameters: object, seed: int) -> None:
        pass

    def choose(self, state: State, clock: Clock) -> Any:
        pytest.fail("the service analyzes, and does not ask for moves")

    def analyze(self, state: State, **options: Any) -> Any:
        return type(self).act()


def villain(monkeypatch: pytest.MonkeyPatch, act: Any) -> str:
    monkeypatch.setattr(Villain, "act", staticmethod(act))
    monkeypatch.setattr("joute.protocol.analysis_request.check_analyst", lambda *_: None)
    register_agent(AgentType("villain", "misbehaves", RandomParameters, Villain))
    return "villain"


def raising(error: BaseException) -> Any:
    def act() -> None:
        raise error

    return act


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (raising(ValueError("two\nlines")), r"villain: ValueError: two\nlines"),
        (raising(SystemExit(3)), "villain: SystemExit: 3"),
        (raising(MemoryError()), "villain: MemoryError: "),
        (raising(JouteError("not this position")), "not this position"),
        (lambda: None, "villain: AttributeError: 'NoneType' object has no attribute"),
    ],
)
def test_an_agent_that_fails_is_an_error_answer(act: Any, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = villain(monkeypatch, act)
    with AnalysisSession() as session:
        session.ask(id="a", agent=spec, moves=["4"], plies=[0, 1])
        for answer in session.answers(2):
            assert (answer["kind"], answer["ply"] in (0, 1)) == ("error", True)
            assert answer["error"].startswith(sentence)
        session.ask(id="b", agent="mcts:iterations=5")
        assert session.answer()["kind"] == "final"


def test_an_agent_that_cannot_be_stopped_is_cancelled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def act() -> None:
        begun.set()
        may_end.wait(TIMEOUT_S)

    with AnalysisSession() as session:
        session.ask(id="a", agent=villain(monkeypatch, act))
        assert begun.wait(TIMEOUT_S)
        session.ask(id="c", action="cancel", target="a")
        assert [answer["id"] for answer in session.answers(2)] == ["a", "c"]
        session.ask(id="b", agent="mcts:iterations=5")  # waits for the worker
        may_end.set()
        assert session.answer()["id"] == "b"


class Batcher(Villain):
    """Analyzes several positions at once, and fails at the second."""

    most_together = 10
    stopped = 0

    def stop(self) -> None:
        type(self).stopped += 1

    def analyze(self, state: State, **options: Any) -> Any:
        return type(self).act()

    def analyze_together(self, states: list[State], *, lines: int | None = None) -> list[Any]:
        good = Analysis(0.5, "", (), (), exact=False, unit="win share")
        return [good, *[None] * (len(states) - 1)]


def test_a_batch_that_fails_leaves_no_request_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def act() -> None:
        begun.set()
        may_end.wait(TIMEOUT_S)

    villain(monkeypatch, act)
    register_agent(AgentType("batcher", "fails in part", RandomParameters, Batcher))
    with AnalysisSession() as session:
        session.ask(id="first", agent="villain")
        assert begun.wait(TIMEOUT_S)
        for number in range(6):
            session.ask(id=str(number), agent="batcher")
        session.ask(id="c", action="cancel", target="3")
        answers = session.answers(2)  # to "3" and "c": the six requests before them are queued now
        may_end.set()
        answers += session.answers(6)
    kinds = {answer["id"]: answer["kind"] for answer in answers}
    assert kinds == dict.fromkeys(("first", "1", "2", "4", "5"), "error") | {
        "0": "final", "3": "cancelled", "c": "cancel",
    }  # fmt: skip


# --- Input and clients that behave badly ---


def test_a_line_of_any_length_is_answered_and_not_kept() -> None:
    with AnalysisSession() as session:
        session.send_bytes(b'{"id": "' + b"x" * (LONGEST_LINE + 10) + b'"}\n')
        answer = session.answer()
        assert (answer["id"], answer["line"]) == (None, 1)
        assert answer["error"] == "the line has more than 4,194,304 bytes"
        session.ask(id="a", fields=["value_for_mover"])
        assert session.answer()["id"] == "a"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"\xff\xfe{}", "the line is not UTF-8: byte 1 is invalid"),
        (b"[" * 100_000, "the line is nested too deeply"),
        (b'{"id": "a", "nodes": ' + b"9" * 5000 + b"}", "the line has a number with too many digits"),
        (b'{"id": "a", "seed": 1e400}', "seed must be a whole number in 0..18446744073709551615, not Infinity"),
        (b'{"id": "a", "x": -Infinity}', "-Infinity is not JSON"),
        (b"\x00", "the line is not JSON: Expecting value at character 1"),
        (b'{"id": "a", "game": "\x00"}', "the line is not JSON: Invalid control character at at character 22"),
        (b'{"id": "a", "game": "\\ud800"}', "unknown game"),
        (b'{"id": "a", "position": "\\u0000"}', r"'\x00' is not a position of connect4"),
        (b'{"id": "a", "' + b"n" * 5000 + b'": 1}', "unknown request field 'nnnn"),
    ],
)  # fmt: skip
def test_hostile_lines_are_errors(line: bytes, sentence: str) -> None:
    with AnalysisSession() as session:
        session.send_bytes(line + b"\n")
        answer = session.answer()
        assert answer["kind"] == "error"
        assert answer["error"].startswith(sentence)
        assert len(answer["error"]) <= 1000


def test_an_id_may_be_any_text() -> None:
    ids = ["ü", "\ud800", "a\nb", '"', "x" * 1000, "\u2028", "null"]
    with AnalysisSession(agent="mcts:iterations=5") as session:
        for id in ids:
            session.ask(id=id, fields=["exact"])
        assert {answer["id"] for answer in session.all_answers()} == set(ids)


def test_blank_lines_and_a_last_line_without_an_end_are_fine() -> None:
    with AnalysisSession(agent="mcts:iterations=5") as session:
        session.send_bytes(b'\n  \r\n{"id": "a", "fields": ["exact"]}\r\n\n{"id": "b", "fields": ["exact"]}')
        assert [answer["id"] for answer in session.all_answers()] == ["a", "b"]


NAMES = st.sampled_from(["id", "action", "game", "moves", "plies", "agent", "nodes", "iterations", "lines", "target"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["connect4", "mcts:iterations=2", "greedy", "all", "cancel", "cancel_all", "games", "4"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)  # fmt: skip
LINES = st.binary(max_size=40) | st.dictionaries(NAMES, VALUES, max_size=5).map(lambda data: json.dumps(data).encode())


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(lines=st.lists(LINES, max_size=12))
def test_no_line_brings_the_service_down(lines: list[bytes]) -> None:
    with AnalysisSession(agent="mcts:iterations=2") as session:
        for line in lines:
            session.send_bytes(line + b"\n")
        session.ask(id="the last one", fields=["exact"])
        answers = session.all_answers()
    assert sum(answer["id"] == "the last one" for answer in answers) == 1
    assert session.end == "done"


def test_the_end_of_the_input_finishes_what_is_queued() -> None:
    with service("--game", "connect4", "--agent", "mcts:iterations=500", "--jobs", "2") as session:
        session.send(*(json.dumps({"id": str(number)}) for number in range(50)))
        session.hang_up()
        assert {checked(line)["id"] for line in session.rest()} == {str(number) for number in range(50)}
        assert session.end() == (0, "")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_after_an_answer_to_every_request(number: int, status: int) -> None:
    with service("--game", "connect4", "--agent", "mcts", "--jobs", "2") as session:
        session.send(*(json.dumps({"id": str(each), "seconds": 1000}) for each in range(10)))
        session.send('{"id": "v", "action": "version"}')
        assert '"version"' in str(session.line())
        session.process.send_signal(number)
        answers = [checked(line) for line in session.rest()]
        assert Counter(answer["id"] for answer in answers) == Counter(map(str, range(10)))
        assert {answer["kind"] for answer in answers} == {"cancelled"}
        assert session.end() == (status, "")


@pytest.mark.parametrize("input_ends", [True, False])
def test_a_client_that_is_killed_ends_the_service_quietly(input_ends: bool) -> None:
    with service("--game", "connect4", "--agent", "mcts", "--jobs", "1") as session:
        session.send('{"id": "v", "action": "version"}', '{"id": "a", "seconds": 1000}')
        assert '"version"' in str(session.line())
        if input_ends:
            session.hang_up()
        assert session.process.stdout is not None
        session.process.stdout.close()
        assert session.end() == (141, "")


def test_answers_to_a_closed_pipe_end_the_command_quietly() -> None:
    words = [sys.executable, "-m", "joute", "analyze", "connect4", "--stdin", "--agent", "mcts:iterations=5"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"".join(b'{"id": "%d"}\n' % number for number in range(200)))
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(TIMEOUT_S) == 141


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_stream_that_is_closed_is_one_sentence(closed: str) -> None:
    done = subprocess.run(
        f"exec {shlex.quote(sys.executable)} -m joute analyze --stdin {closed}",
        shell=True,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    sentence = "joute: standard input and standard output must be open: the protocol uses both\n"
    assert (done.returncode, done.stderr) == (2, sentence)


def test_endless_input_waits_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis_service, "_MOST_WAITING", 50)
    may_end = threading.Event()
    ids = [f"{number:0200}" for number in range(1000)]

    def send() -> None:
        for each in ids:
            session.ask(id=each, agent="mcts", iterations=1, fields=[])

    with AnalysisSession() as session:
        session.ask(id="first", agent=villain(monkeypatch, lambda: may_end.wait(TIMEOUT_S)))
        sender = threading.Thread(target=send)
        sender.start()
        deadline = time.monotonic() + TIMEOUT_S
        while len(session.service._queue) < 50 and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)
        # The pipe and one piece of input hold 64 KB each, and the lines have more than 200 KB.
        assert sender.is_alive()
        may_end.set()
        answers = session.answers(1001)
        sender.join(TIMEOUT_S)
    assert Counter(answer["id"] for answer in answers) == Counter(["first", *ids])


def test_a_wrong_game_or_agent_of_the_command_is_one_sentence() -> None:
    for options, sentence in (
        (("--game", "conect4"), "joute: unknown game 'conect4'; did you mean 'connect4'?\n"),
        (("--game", "connect4", "--agent", "mtcs"), "joute: unknown agent 'mtcs'; did you mean 'mcts'?\n"),
        (("--jobs", "0"), "joute: the service needs at least 1 job, not 0\n"),
    ):
        with service(*options) as session:
            assert session.rest() == []
            assert session.end() == (2, sentence)


def test_what_a_plug_in_prints_does_not_get_between_the_answers(tmp_path: Path) -> None:
    program = """
import joute, os, sys
from joute.agents import AgentType, register_agent
from joute.agents.random import RandomParameters
from joute.protocol import analysis_request, analysis_service

class Loud:
    def __init__(self, parameters, seed): pass
    def choose(self, state, clock):
        print("print"); os.write(1, b"write\\n"); os.system("echo system")
        return state.legal_moves[0]

register_agent(AgentType("loud", "prints", RandomParameters, Loud))
analysis_request.check_analyst = lambda *_: None
analysis_service.serve(game="connect4", agent="loud", jobs=1)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], input=b'{"id": "a", "fields": ["pv"]}\n', capture_output=True, check=True
    )
    assert json.loads(done.stdout) == {"id": "a", "kind": "final", "pv": ["1"]}
    assert sorted(done.stderr.split()) == [b"print", b"system", b"write"]


def test_descriptors_are_given_back() -> None:
    with AnalysisSession() as session:
        session.all_answers()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with AnalysisSession() as session:
            session.all_answers()
    assert len(os.listdir("/proc/self/fd")) == before
