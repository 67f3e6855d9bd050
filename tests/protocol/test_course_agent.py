"""Our agents before a course's referee, who may send anything."""

from __future__ import annotations

import math
import re
import signal
import socket
import time
import xmlrpc.client
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from commands import joute
from course_servers import AVALAM, BOMB, GOOD, START, TIMEOUT_S, listening, posted, served, state_after

from joute import Clock
from joute.agents.loading import find_source
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import make_player
from joute.games import State
from joute.match.player import Answer, Player
from joute.protocol.course import CourseError
from joute.protocol.course_agent import CourseAgent
from joute.protocol.xml_rpc import MAX_BODY_BYTES

CALL = b"<methodCall><methodName>play</methodName><params>%s</params></methodCall>"


def course_agent(agent: str | Path = "greedy", tell: Callable[[str], None] = lambda text: None) -> CourseAgent:
    source = find_source(str(agent), "avalam")
    return CourseAgent(AVALAM, lambda: make_player(source, "mine", "avalam", Isolation()), seed=0, tell=tell)


@pytest.fixture(scope="module")
def greedy_url() -> Iterator[str]:
    with listening(course_agent()) as url:
        yield url


def changed(row: int, column: int, tower: Any) -> dict[str, Any]:
    percepts = AVALAM.percepts(START)
    percepts["m"][row][column] = tower
    return percepts


MALFORMED = [
    ([], 1, 1, None, "percepts must be a dictionary"),
    ({}, 1, 1, None, "percepts must be a dictionary with the board's rows as m"),
    (GOOD | {"m": 3}, 1, 1, None, "m must be 9 lists of 9"),
    (GOOD | {"m": GOOD["m"][:8]}, 1, 1, None, "m must be 9 lists of 9"),
    (GOOD | {"m": [*GOOD["m"][:8], GOOD["m"][8][:8]]}, 1, 1, None, "m must be 9 lists of 9"),
    (GOOD | {"m": ["123456789"] * 9}, 1, 1, None, "m must be 9 lists of 9"),
    (GOOD | {"rows": 8}, 1, 1, None, "rows must be 9, not 8"),
    (GOOD | {"columns": "9"}, 1, 1, None, "columns must be 9, not 9"),
    (GOOD | {"max_height": 6}, 1, 1, None, "max_height must be 5, not 6"),
    (changed(0, 2, 1.0), 1, 1, None, "whole numbers from -5 to 5, not 1.0 at row 0, column 2"),
    (changed(0, 2, True), 1, 1, None, "whole numbers from -5 to 5, not True at row 0, column 2"),
    (changed(0, 2, "1"), 1, 1, None, "whole numbers from -5 to 5, not 1 at row 0, column 2"),
    (changed(0, 2, None), 1, 1, None, "whole numbers from -5 to 5, not None"),
    (changed(0, 2, 6), 1, 1, None, "whole numbers from -5 to 5, not 6"),
    (changed(0, 0, 1), 1, 1, None, "there is no cell at row 0, column 0"),
    (changed(4, 4, -1), 1, 1, None, "the centre stays empty"),
    (changed(0, 2, 0), -1, 2, None, "the towers contain 47 counters, but there are always 48"),
    (changed(0, 2, 2), 1, 1, None, "the towers contain 49 counters"),
    (GOOD, 0, 1, None, "player must be 1 or -1, not 0"),
    (GOOD, True, 1, None, "player must be 1 or -1, not True"),
    (GOOD, "1", 1, None, "player must be 1 or -1"),
    (GOOD, -1, 1, None, "with 48 towers it is player 1's turn, not -1's"),
    (GOOD, 1, 2, None, "with 48 towers the step is 1, not 2"),
    (GOOD, 1, True, None, "with 48 towers the step is 1, not True"),
    (GOOD, 1, None, None, "with 48 towers the step is 1, not None"),
    (GOOD, 1, 1, "900", "time_left must be seconds or None, not 900"),
    (GOOD, 1, 1, False, "time_left must be seconds or None, not False"),
    (GOOD, 1, 1, math.nan, "time_left must be seconds or None, not nan"),
    (GOOD, 1, 1, 1e999, "time_left must be seconds or None, not inf"),
]


@pytest.mark.parametrize(("percepts", "player", "step", "time_left", "sentence"), MALFORMED)
def test_malformed_percepts_are_a_fault_and_the_server_lives_on(
    greedy_url: str, percepts: Any, player: Any, step: Any, time_left: Any, sentence: str
) -> None:
    with xmlrpc.client.ServerProxy(greedy_url, allow_none=True) as agent:
        with pytest.raises(xmlrpc.client.Fault, match=re.escape(sentence)):
            agent.play(percepts, player, step, time_left)
        assert AVALAM.move(START, agent.play(GOOD, 1, 1, None))


def test_a_number_larger_than_any_clock_is_no_time() -> None:
    with pytest.raises(CourseError, match="time_left must be seconds or None"):
        course_agent().play(GOOD, 1, 1, 10**400)


def test_what_older_and_other_referees_send_is_welcome(greedy_url: str) -> None:
    with xmlrpc.client.ServerProxy(greedy_url, allow_none=True) as agent:
        # Typed Any: what a remote method answers is not known before.
        proxy: Any = agent
        assert proxy.initialize(GOOD, [1, -1], 900) is None
        for percepts, time_left in (({"m": GOOD["m"]}, -0.25), (GOOD | {"other": "attribute"}, 900)):
            assert AVALAM.move(START, proxy.play(percepts, 1, 1, time_left))


def test_a_finished_game_has_no_move_to_play(greedy_url: str) -> None:
    over = state_after(START, 30)
    while not over.is_terminal:
        over = over.play(over.legal_moves[0])
    with (
        xmlrpc.client.ServerProxy(greedy_url, allow_none=True) as agent,
        pytest.raises(xmlrpc.client.Fault, match="the game is over at step"),
    ):
        agent.play(AVALAM.percepts(over), AVALAM.number(over.to_move), over.ply + 1, None)


@pytest.mark.parametrize(
    ("method", "arguments", "sentence"),
    [
        ("plya", (), "there is no method 'plya'; there are: play, initialize"),
        ("play", (GOOD, 1), "play takes (percepts, player, step, time_left), not 2 values"),
        ("system.listMethods", (), "there is no method"),
    ],
)
def test_a_wrong_call_is_a_fault(greedy_url: str, method: str, arguments: Any, sentence: str) -> None:
    with (
        xmlrpc.client.ServerProxy(greedy_url, allow_none=True) as agent,
        pytest.raises(xmlrpc.client.Fault, match=re.escape(sentence)),
    ):
        getattr(agent, method)(*arguments)


def said_to(url: str, request: bytes) -> bytes:
    """What a server answers to some bytes."""
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=TIMEOUT_S) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while data := connection.recv(1 << 16):
            answer += data
        return answer


@pytest.mark.parametrize(
    ("request_bytes", "answer"),
    [
        (b"\r\n", b""),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.0\r\n\r\n", b"501"),
        (posted(b"", "Accept: */*"), b"411"),
        (posted(b"", "Content-Length: -5"), b"411"),
        (posted(b"", f"Content-Length: {MAX_BODY_BYTES + 1}"), b"413"),
        (posted(b"", f"Content-Length: {10**400}"), b"413"),
        (posted(b"", "Content-Length: 0", "Content-Encoding: gzip"), b"415"),
        (posted(b"not XML"), b"the client sent invalid XML-RPC"),
        (posted(b"<html></html>"), b"the client sent invalid XML-RPC"),
        (posted(CALL % b"<param><value><int>one</int></value></param>"), b"the client sent invalid XML-RPC"),
        (posted(CALL[:40]), b"the client sent invalid XML-RPC"),
        (posted(BOMB + CALL % b"<param><value>&b;</value></param>"), b"the client sent a document type"),
        (posted(xmlrpc.client.dumps(xmlrpc.client.Fault(1, "mine")).encode()), b"this is a fault, not a call"),
    ],
)
def test_no_bytes_bring_the_server_down(greedy_url: str, request_bytes: bytes, answer: bytes) -> None:
    assert answer in said_to(greedy_url, request_bytes)
    with xmlrpc.client.ServerProxy(greedy_url, allow_none=True) as agent:
        assert agent.play(GOOD, 1, 1, None)


def test_a_client_that_hangs_up_costs_nothing(greedy_url: str, capfd: pytest.CaptureFixture[str]) -> None:
    body = xmlrpc.client.dumps((GOOD, 1, 1, None), "play", allow_none=True).encode()
    host, port = greedy_url.removeprefix("http://").split(":")
    for _ in range(3):
        socket.create_connection((host, int(port))).close()
        with socket.create_connection((host, int(port))) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # so it is reset
            connection.sendall(posted(body))
    with xmlrpc.client.ServerProxy(greedy_url, allow_none=True) as agent:
        assert agent.play(GOOD, 1, 1, None)
    assert "Traceback" not in capfd.readouterr().err


class Diary(Player):
    """A player that keeps what it is asked."""

    def __init__(self, pages: list[Any]) -> None:
        self.name = "diary"
        self._pages = pages

    def begin(self, start: State, player: int, seed: int) -> None:
        self._pages.append(("begin", start.ply, player, seed))

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        self._pages.append((state.ply, list(line), clock.remaining_s, clock.nominal_s, limit_s))
        return Answer(state.legal_moves[0], 0.0)

    def end(self) -> str:
        self._pages.append("end")
        return "its last words\n"


def test_a_new_agent_plays_every_game_and_the_clock_it_began_with_is_nominal() -> None:
    pages: list[Any] = []
    told: list[str] = []
    agent = CourseAgent(AVALAM, lambda: Diary(pages), seed=7, tell=told.append)

    def ask(state: State, time_left: float | None) -> State:
        action = agent.play(AVALAM.percepts(state), AVALAM.number(state.to_move), state.ply + 1, time_left)
        return state.play(AVALAM.move(state, action))

    first = ask(START, 900.0)
    reply = first.legal_moves[5]
    second = ask(first.play(reply), 890.5)
    (_, *beginning), *asked = pages
    assert beginning[:2] == [0, 0]
    own = str(START.legal_moves[0])
    assert asked == [(0, [], 900.0, 900.0, 901.0), (2, [own, str(reply)], 890.5, 900.0, 891.5)]

    pages.clear()
    ask(first, 60)  # the other side of a game
    ask(START, None)  # a game begins again
    ask(second.play(second.legal_moves[0]), 500.0)  # the step may follow, but the position is another game's
    kinds = [page if page == "end" else page[0] for page in pages]
    assert kinds == ["begin", 1, "end", "begin", 0, "end", "begin", 4]
    assert pages[1] == (1, [], 60.0, 60.0, 61.0)
    assert pages[4] == (0, [], math.inf, math.inf, math.inf)
    assert pages[7][2:4] == (500.0, 500.0)
    seeds = [beginning[-1], *(page[-1] for page in pages if page[0] == "begin")]
    assert len(set(seeds)) == 4
    agent.close()
    assert told == ["its last words"] * 4


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("1 / 0", "crash at step 1: mine: ZeroDivisionError: division by zero"),
        ("__import__('os')._exit(3)", "crash at step 1: mine "),
        ("return 'a1b1'", "illegal move at step 1: mine: illegal move a1b1"),
        ("return None", "illegal move at step 1: mine"),
    ],
)
def test_an_agent_that_fails_is_a_fault_and_the_next_game_is_played(tmp_path: Path, code: str, sentence: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        f"def choose(state, clock):\n    if state.ply == 0:\n        {code}\n    return state.legal_moves[0]\n"
    )
    told: list[str] = []
    agent = course_agent(file, told.append)
    with pytest.raises(CourseError, match=re.escape(sentence)):
        agent.play(GOOD, 1, 1, 900.0)
    assert told[0].startswith(sentence)
    after = START.play(START.legal_moves[0])
    assert agent.play(AVALAM.percepts(after), -1, 2, 900.0) == AVALAM.action(after, after.legal_moves[0])
    agent.close()


def test_what_a_failing_agent_printed_is_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def choose(state, clock):\n    print('I think')\n    return 1 / 0\n")
    told: list[str] = []
    agent = course_agent(file, told.append)
    with pytest.raises(CourseError):
        agent.play(GOOD, 1, 1, 900.0)
    assert len(told) == 2
    assert "I think\nTraceback" in told[1]
    agent.close()


def test_an_agent_that_cannot_begin_is_told_of_at_once(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("import nothing_of_that_name\n")
    done = joute("course", "avalam", "--agent", str(file), "--port", "0")
    assert done.returncode == 2
    assert "the agent cannot play: " in done.stderr
    assert "No module named 'nothing_of_that_name'" in done.stderr
    assert "plays Avalam" not in done.stdout


@pytest.mark.parametrize("agent", ["greedy", "mcts:iterations=1000000000"])
def test_ctrl_c_ends_the_server_cleanly_even_while_it_thinks(agent: str) -> None:
    with served(agent) as (url, process):
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(posted(xmlrpc.client.dumps((GOOD, 1, 1, None), "play", allow_none=True).encode()))
            time.sleep(0.3)  # so that it thinks, most probably
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=TIMEOUT_S)
    assert (process.returncode, out, err) == (0, "ended\n", "")
