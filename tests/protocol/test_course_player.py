"""A course's agents before our referee: servers that answer anything, late, or not at all."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from course_servers import AVALAM, BOMB, START, TIMEOUT_S, actions, answering, seated, served, writing

from joute import Clock
from joute.arena.players.isolation import Isolation
from joute.errors import IllegalMoveError
from joute.games import State
from joute.match import GameRecord, play_game
from joute.match.player import MisconductError
from joute.match.record import Reason
from joute.protocol.xml_rpc import MAX_BODY_BYTES

FIRST_MOVE = [0, 2, 0, 3]
RESPONSE = b"<methodResponse><params>%s</params></methodResponse>"
ONE = b"<param><value><int>1</int></value></param>"


def lost(url: str, clock: str = "none", isolation: Isolation | None = None) -> GameRecord:
    """The record of a game with a server that does not know how to play."""
    record = play_game("avalam", seated(url, isolation), "random", clock=clock)
    assert record.winner == 1
    return record


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ([0, 2, 0], "theirs: illegal move [0, 2, 0] at ply 0 of avalam: a move is four whole numbers"),
        ([0, 2, 0, 3, 0], "a move is four whole numbers"),
        ([], "a move is four whole numbers"),
        (None, "illegal move None at ply 0"),
        (True, "a move is four whole numbers"),
        (203, "a move is four whole numbers"),
        ("0,2,0,3", "a move is four whole numbers"),
        ("c1d1", "a move is four whole numbers"),
        ("resign", "a move is four whole numbers"),
        ({"i": 0}, "a move is four whole numbers"),
        ([0.0, 2.0, 0.0, 3.0], "a move is four whole numbers"),
        (["0", "2", "0", "3"], "a move is four whole numbers"),
        ([False, 2, False, 3], "illegal move [False, 2, False, 3] at ply 0 of avalam: a move is four whole numbers"),
        ([[0, 2], [0, 3]], "a move is four whole numbers"),
        ([0, 2, 0, 9], "illegal move [0, 2, 0, 9] at ply 0 of avalam: rows and columns must be 0 to 8"),
        ([-1, 2, 0, 2], "rows and columns must be 0 to 8"),
        ([0, 2, 0, 1], "illegal move [0, 2, 0, 1] at ply 0 of avalam: its second cell is not on the board"),
        ([4, 4, 4, 5], "its first cell is not on the board"),
        ([0, 2, 8, 5], "the two cells are not neighbours"),
        ([0, 2, 0, 2], "its two cells are the same"),
    ],
)
def test_an_answer_that_is_no_move_forfeits_by_illegal_move(answer: Any, sentence: str) -> None:
    with answering(lambda *_: answer) as url:
        record = lost(url)
    assert record.reason is Reason.ILLEGAL_MOVE
    assert sentence in record.detail


def test_a_tower_that_is_not_there_or_too_high_is_an_illegal_move() -> None:
    after = START.play("c1d1")
    with pytest.raises(IllegalMoveError, match="no tower of height 0 can land on one of height 2"):
        AVALAM.move(after, FIRST_MOVE)
    high: State = START
    for move in ("b3b2", "b2c3", "c3c2", "c2c1"):
        high = high.play(move)
    with pytest.raises(IllegalMoveError, match="no tower of height 5 can land on one of height 1"):
        AVALAM.move(high, FIRST_MOVE)


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_courses_agent_is_asked_as_the_course_asks(kind: Callable[[Any], Any]) -> None:
    asked: list[Any] = []

    def play(percepts: Any, player: Any, step: Any, time_left: Any) -> Any:
        asked.append((percepts, player, step, time_left))
        return kind(actions(percepts["m"])[0])

    with answering(play) as url:
        timed = play_game("avalam", "random", seated(url), clock="60")
        untimed = play_game("avalam", seated(url), "random", clock="depth=3")
        short = play_game("avalam", seated(url), "random", clock="60,2/move")
    assert {timed.reason, untimed.reason, short.reason} == {Reason.NORMAL}
    own = [ply for record, side in ((timed, 1), (untimed, 0), (short, 0)) for ply in range(side, len(record.moves), 2)]
    assert [step for _, _, step, _ in asked] == [ply + 1 for ply in own]
    assert [player for _, player, _, _ in asked] == [(-1) ** ply for ply in own]
    assert all(percepts.keys() == {"m", "rows", "columns", "max_height"} for percepts, *_ in asked)
    count = sum(move.player == 1 for move in timed.moves)
    assert asked[0][3] == 60.0
    assert all(0 < later[3] <= earlier[3] for earlier, later in itertools.pairwise(asked[:count]))
    count_untimed = sum(move.player == 0 for move in untimed.moves)
    assert {left for *_, left in asked[count : count + count_untimed]} == {None}
    assert {left for *_, left in asked[count + count_untimed :]} == {2.0}


def test_an_exception_of_theirs_forfeits_by_crash() -> None:
    def play(*_: Any) -> Any:
        raise ValueError("their own mistake")

    with answering(play) as url:
        record = lost(url)
    assert record.reason is Reason.CRASH
    assert "theirs, asked at ply 0, answered with a fault: <class 'ValueError'>:their own mistake" in record.detail


def ok(body: bytes) -> bytes:
    return b"HTTP/1.0 200 OK\r\nContent-Type: text/xml\r\nContent-Length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (b"", "broke off its answer: "),
        (b"nonsense\r\n\r\n", "broke off its answer: "),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 500\r\n\r\n<meth", "sent invalid XML-RPC"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "broke off its answer: "),
        (b"HTTP/1.0 500 Oh no\r\n\r\n", "answered HTTP 500 Oh no"),
        (b"HTTP/1.0 404 Not Found\r\n\r\n", "answered HTTP 404 Not Found"),
        (ok(b""), "sent invalid XML-RPC"),
        (ok(b"I resign"), "sent invalid XML-RPC"),
        (ok(b"\xff\xfe\x00"), "sent invalid XML-RPC"),
        (ok(b"<html><body>hello</body></html>"), "sent invalid XML-RPC"),
        (ok(RESPONSE % b"<param><value><int>x</int></value></param>"), "sent invalid XML-RPC"),
        (ok(RESPONSE % b""), "answered 0 values, not one"),
        (ok(RESPONSE % (ONE + ONE)), "answered 2 values, not one"),
        (ok(b"<methodResponse><fault><value><int>1</int></value></fault></methodResponse>"), "sent invalid XML-RPC"),
        (ok(BOMB + RESPONSE % b"<param><value>&b;</value></param>"), "sent a document type"),
        (ok(b" " * (MAX_BODY_BYTES + 1)), f"answered more than {MAX_BODY_BYTES >> 10} kB"),
    ],
)
def test_an_answer_that_is_no_xml_rpc_forfeits_by_crash(answer: bytes, sentence: str) -> None:
    with writing(answer) as (url, _):
        record = lost(url, clock="60")
    assert record.reason is Reason.CRASH
    assert f"theirs, asked at ply 0, {sentence}" in record.detail


@pytest.mark.parametrize(
    ("head", "drops"),
    [(b"", b""), (b"HTTP/1.0 200 OK\r\nX-Header: ", b"x"), (b"HTTP/1.0 200 OK\r\n\r\n", b" ")],
    ids=["silence", "a header in drops", "a body in drops"],
)
def test_an_answer_that_does_not_come_forfeits_by_time(head: bytes, drops: bytes) -> None:
    with writing(head, drops=drops, hold=True) as (url, gone):
        record = lost(url, clock="0.2")
        assert not drops or gone.wait(TIMEOUT_S)
    assert record.reason is Reason.TIME
    assert re.search(
        r"theirs, asked at ply 0, had not answered after \d+\.\d+ s, with 0\.300 s left, margin incl", record.detail
    )


def test_an_answer_that_does_not_come_where_no_clock_runs_is_stalled() -> None:
    with writing(hold=True) as (url, _):
        record = lost(url, isolation=Isolation(stall_s=0.3))
    assert record.reason is Reason.STALLED


def test_a_server_that_is_not_there_forfeits_before_the_game_and_one_that_dies_within_it() -> None:
    with served("greedy") as (url, process):
        player = seated(url)
        player.begin(START, 0, 0)
        assert START.is_legal(player.ask(START, (), Clock(), math.inf).move)
        process.kill()
        process.wait()
        with pytest.raises(MisconductError, match="theirs, asked at ply 0, could not be reached: Conn") as died:
            player.ask(START, (), Clock(), math.inf)
        assert died.value.reason is Reason.CRASH
    record = lost(url)
    assert (record.reason, record.moves) == (Reason.CRASH, ())
    assert record.detail == "theirs could not be reached: Connection refused"


def test_an_unknown_host_name_is_reported_like_a_missing_server() -> None:
    for host in ("nowhere.invalid", "two..dots", "a" * 300):
        assert "theirs could not be reached: " in lost(f"http://{host}:8000").detail
