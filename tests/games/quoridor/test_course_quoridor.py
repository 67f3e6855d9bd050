"""The interface of the Quoridor course, both ways, in whole games; what its program gets wrong, put right."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
import xmlrpc.client
from pathlib import Path
from typing import Any

import pytest
from commands import joute
from course_servers import answering, course_agent, served, state_after
from quoridor_referee import Board

from joute import new
from joute.agents.loading import find_source
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import make_player
from joute.errors import IllegalMoveError
from joute.games import State
from joute.match import play_game
from joute.match.player import LocalPlayer, Player
from joute.match.record import Reason
from joute.protocol.course import CourseError, find_server_course
from joute.protocol.course_agent import CourseAgent

COURSE = find_server_course("quoridor")
SPEC = "quoridor:rules=course"
RULES = "rules=course"
START = new(SPEC)
GOOD = COURSE.percepts(START)


def referee(urls: tuple[str, str], credit_s: float | None) -> Board:
    """A game as the course's referee plays it, and how it ended. Nothing of Joute's is in it."""
    agents: list[Any] = [xmlrpc.client.ServerProxy(url, allow_none=True) for url in urls]
    credits_s = [credit_s, credit_s]
    board = Board()

    def timed(side: int, method: str, *arguments: Any) -> Any:
        began = time.monotonic()
        answer = getattr(agents[side], method)(board.percepts(), *arguments, credits_s[side])
        if (left_s := credits_s[side]) is not None:
            credits_s[side] = left_s - (time.monotonic() - began)
            assert left_s > 0
        return answer

    for side in (0, 1):
        timed(side, "initialize", [side, side + 2])
    step = 0
    while board.pawns[0][0] != 8 and board.pawns[1][0] != 0:
        side, step = step % 2, step + 1
        board.play(side, timed(side, "play", side, step))
    for agent in agents:
        agent("close")()
    return board


def test_the_courses_referee_plays_whole_games_with_our_servers() -> None:
    with (
        served("alphabeta:eval=steps,depth=2", game="quoridor") as (first, _),
        served("random", game="quoridor") as (
            second,
            _,
        ),
    ):
        ends = [referee((first, second), 300.0), referee((second, first), None), referee((first, first), 300.0)]
    assert [end.pawns[0][0] == 8 for end in ends[:2]] == [True, False]  # nobody loses to random
    assert all(end.nb_walls[random] < 10 for end, random in zip(ends, (1, 0), strict=False))


def seated(url: str, isolation: Isolation | None = None) -> Player:
    return make_player(find_source(f"xmlrpc:{url}", "quoridor"), "theirs", SPEC, isolation or Isolation())


def test_our_arena_plays_whole_games_with_a_courses_agent_on_both_sides() -> None:
    with served("alphabeta:eval=steps,depth=2", game="quoridor") as (url, _):
        theirs, ours = seated(url), LocalPlayer("alphabeta:eval=steps,depth=1")
        for players, clock in (((theirs, ours), "60"), ((ours, theirs), "none"), ((theirs, theirs), "5/move")):
            record = play_game(SPEC, *players, clock=clock, seed=3)
            assert (record.reason, record.detail) == (Reason.NORMAL, "")
            assert record.result.decided_by == "goal"
        later = new(SPEC, state_after(START, 9).position)
        assert play_game(later, theirs, ours).reason is Reason.NORMAL


class Runner:
    """An agent as a student writes one: it keeps what it is told, and walks on."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def initialize(self, percepts: Any, players: Any, time_left: Any) -> None:
        self.told.append((percepts, players, time_left))

    def play(self, percepts: Any, player: Any, step: Any, time_left: Any) -> Any:
        self.told.append((percepts, player, step, time_left))
        board = Board()
        board.horiz_walls, board.verti_walls = percepts["horiz_walls"], percepts["verti_walls"]
        cells = board.reached(percepts["pawns"][player], percepts["pawns"][1 - player])
        row, column = min(cells, key=lambda cell: abs(cell[0] - percepts["goals"][player]))
        return "P", row, column


def test_a_courses_agent_is_told_of_the_game_and_asked_as_the_course_does() -> None:
    agent = Runner()
    with course_agent(agent) as url:
        walker = LocalPlayer("alphabeta:eval=steps,depth=1")
        record = play_game(SPEC, walker, seated(url), clock="60", max_plies=40)
        assert record.reason in (Reason.NORMAL, Reason.PLY_LIMIT)
        (percepts, players, credit_s), first, *rest = agent.told
        assert (percepts, players, credit_s) == (GOOD, [1, 3], 60.0)
        assert first[1:3] == (1, 2)
        assert 0 < first[3] < 60.0
        assert [step for _, _, step, _ in rest] == list(range(4, 4 + 2 * len(rest), 2))
        agent.told.clear()
        play_game(SPEC, seated(url), walker, max_plies=4)
        assert [told[-1] for told in agent.told] == [None] * 3
        assert agent.told[0][1] == [0, 2]


class Broken(Runner):
    def initialize(self, percepts: Any, players: Any, time_left: Any) -> None:
        raise ValueError("no book")


def test_an_agent_that_fails_before_the_first_move_is_the_one_who_loses() -> None:
    with course_agent(Broken()) as url, course_agent(Runner()) as other:
        for players, winner in (((seated(url), seated(other)), 1), ((seated(other), seated(url)), 0)):
            record = play_game(SPEC, *players)
            assert (record.winner, record.reason) == (winner, Reason.CRASH)
            assert "theirs, told that the game begins, answered with a fault: <class 'ValueError'>:" in record.detail


def test_the_time_of_initialize_counts() -> None:
    class Slow(Runner):
        def initialize(self, percepts: Any, players: Any, time_left: Any) -> None:
            time.sleep(0.5)

    with course_agent(Slow()) as url:
        record = play_game(SPEC, seated(url), "random", clock="0.2")
    assert (record.winner, record.reason, record.moves) == (1, Reason.TIME, ())


def test_our_server_begins_nothing_that_could_fail_when_a_game_is_announced() -> None:
    def make() -> Player:
        raise AssertionError("nothing is made yet")

    agent = CourseAgent(COURSE, make, seed=0, tell=lambda text: None)
    for percepts in (GOOD, None, "anything"):
        assert agent.initialize(percepts, [1, 3], 300.0) is None  # type: ignore[func-returns-value]


def test_a_game_announced_to_one_side_leaves_the_others_alone() -> None:
    begun: list[int] = []

    class Spy(LocalPlayer):
        def begin(self, start: State, player: int, seed: int) -> None:
            begun.append(player)
            super().begin(start, player, seed)

    agent = CourseAgent(COURSE, lambda: Spy("quoridor-runner"), seed=0, tell=lambda text: None)
    state: State = START
    for ply in range(6):
        side = ply % 2
        if ply < 2:
            agent.initialize(COURSE.percepts(state), [side, side + 2], 300.0)
        action = agent.play(COURSE.percepts(state), side, ply + 1, 300.0)
        state = state.play(COURSE.move(state, action))
    assert begun == [0, 1]
    agent.initialize(COURSE.percepts(START), "both of you", 300.0)
    agent.play(COURSE.percepts(state), 0, 7, 300.0)
    assert begun == [0, 1, 0]


def read(percepts: Any, player: Any = 0, step: Any = 1) -> State:
    return COURSE.state(percepts, player, step)


@pytest.mark.parametrize(
    ("percepts", "player", "step", "sentence"),
    [
        ([], 0, 1, "percepts must be a dictionary with pawns, nb_walls, horiz_walls, verti_walls"),
        ({"pawns": GOOD["pawns"]}, 0, 1, "percepts must be a dictionary with pawns, nb_walls"),
        (GOOD | {"size": 7}, 0, 1, "size must be 9, not 7"),
        (GOOD | {"cols": True}, 0, 1, "cols must be 9, not True"),
        (GOOD | {"starting_walls": 5}, 0, 1, "starting_walls must be 10, not 5"),
        (GOOD | {"goals": [0, 8]}, 0, 1, "goals must be [8, 0], not [0, 8]"),
        (GOOD | {"goals": 8}, 0, 1, "goals must be [8, 0], not 8"),
        (GOOD | {"pawns": [[0, 4]]}, 0, 1, "pawns must be row and column of both, 0 to 8"),
        (GOOD | {"pawns": [[0, 4], [8, 9]]}, 0, 1, "pawns must be row and column of both, 0 to 8"),
        (GOOD | {"pawns": [[0, 4], [8, 4.0]]}, 0, 1, "pawns must be row and column of both, 0 to 8"),
        (GOOD | {"pawns": "e1e9"}, 0, 1, "pawns must be row and column of both, 0 to 8"),
        (
            GOOD | {"pawns": [[4, 4], [4, 4]]},
            0,
            1,
            "the percepts are not a position: the two pawns must be on different",
        ),
        (GOOD | {"nb_walls": [10]}, 0, 1, "nb_walls must be two whole numbers"),
        (GOOD | {"nb_walls": [10, "10"]}, 0, 1, "nb_walls must be two whole numbers"),
        (GOOD | {"nb_walls": [10, -1]}, 0, 1, "the walls in White's and Black's hands must be 0 to 10 each"),
        (GOOD | {"nb_walls": [9, 10]}, 1, 2, "the walls on the board and in hand number 19, not 20"),
        (GOOD | {"horiz_walls": [[8, 0]]}, 0, 1, "horiz_walls must be a list of rows and columns, 0 to 7"),
        (GOOD | {"verti_walls": [0, 0]}, 0, 1, "verti_walls must be a list of rows and columns, 0 to 7"),
        (
            GOOD | {"horiz_walls": [[3, 3]], "verti_walls": [[3, 3]], "nb_walls": [9, 9]},
            *(0, 3),
            "the wall d4v crosses or overlaps another",
        ),
        (GOOD, 2, 1, "player must be 0 or 1, not 2"),
        (GOOD, False, 1, "player must be 0 or 1, not False"),
        (GOOD, 0, 0, "step must be a whole number from 1, not 0"),
        (GOOD, 0, None, "step must be a whole number from 1, not None"),
        (GOOD, 1, 1, "at step 1 it is player 0's turn, not 1's"),
    ],
)
def test_what_is_no_position_gives_one_clear_error(percepts: Any, player: Any, step: Any, sentence: str) -> None:
    with pytest.raises(CourseError, match=re.escape(sentence)):
        read(percepts, player, step)


def test_the_least_that_percepts_must_have_is_enough_and_tuples_are_lists() -> None:
    least = {name: tuple(map(tuple, GOOD[name])) for name in ("pawns", "horiz_walls", "verti_walls")}
    assert read(least | {"nb_walls": (10, 10)}) == START


def test_rows_come_first_in_percepts_and_actions() -> None:
    state = START.play("e2").play("b3h").play("g7v")
    percepts = COURSE.percepts(state)
    assert percepts["pawns"] == [[1, 4], [8, 4]]
    assert (percepts["horiz_walls"], percepts["verti_walls"], percepts["nb_walls"]) == ([[2, 1]], [[6, 6]], [9, 9])
    for text, action in (("e8", ["P", 7, 4]), ("a1h", ["WH", 0, 0]), ("h1v", ["WV", 0, 7])):
        assert COURSE.action(state, state.parse_move(text)) == action
        assert str(COURSE.move(state, action)) == text


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (None, "a move is P, WH or WV, a row and a column"),
        ("P14", "a move is P, WH or WV, a row and a column"),
        (["P", 1], "a move is P, WH or WV, a row and a column"),
        ([0, 1, 4], "a move is P, WH or WV, a row and a column"),
        (["W", 1, 4], "a move is P, WH or WV and two whole numbers, row and column"),
        (["P", 1.0, 4], "a move is P, WH or WV and two whole numbers, row and column"),
        (["P", True, 4], "a move is P, WH or WV and two whole numbers, row and column"),
        (["P", 9, 4], "rows and columns of the board are 0 to 8"),
        (["WH", 8, 4], "rows and columns of walls are 0 to 7"),
        (["WV", 0, -1], "rows and columns of walls are 0 to 7"),
        (["P", 2, 4], "the pawn at row 0, column 4 cannot go there"),
    ],
)
def test_an_action_that_is_none_costs_the_game_with_a_reason(action: Any, sentence: str) -> None:
    with pytest.raises(IllegalMoveError, match=re.escape(f"at ply 0 of quoridor: {sentence}")):
        COURSE.move(START, action)
    with answering(lambda *_: action) as url, xmlrpc.client.ServerProxy(url, allow_none=True) as proxy:
        assert proxy.play() == action  # so XML-RPC carries it as it is


def test_a_wall_without_walls_is_legal_only_where_the_rules_say_so() -> None:
    position = "a1c1e1g1a3c3e3g3a5c5/e5/e2e8/0-9/40"
    refused, taken = (new(f"quoridor:{RULES}{more}", position) for more in ("", ",null_move=yes"))
    action = ["WV", 6, 7]
    with pytest.raises(IllegalMoveError, match="player 0 has no walls left"):
        COURSE.move(refused, action)
    passed = taken.play(COURSE.move(taken, action))
    assert (passed.to_move, passed.ply) == (1, 41)
    assert COURSE.percepts(passed) == COURSE.percepts(taken)
    shown = COURSE.state(COURSE.percepts(taken), 0, 41, rules=f"{RULES},null_move=yes")
    assert shown.is_legal(COURSE.move(taken, action))


def test_a_wall_that_crosses_another_says_so() -> None:
    with pytest.raises(IllegalMoveError, match="the wall crosses or overlaps another, or blocks a pawn's last path"):
        COURSE.move(START.play("e3h"), ["WV", 2, 4])


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ("quoridor", f" ({RULES})"),
        ("quoridor:rules=course,null_move=yes", " (rules=course,null_move=yes)"),
        ("quoridor:rules=standard", ""),
    ],
)
def test_the_command_serves_by_the_courses_rules_unless_others_are_named(spec: str, rules: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "joute", "course", spec, "--agent", "random", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        process.kill()
    assert said == f"random plays Quoridor{rules} at http://localhost:{port}; Ctrl-C ends it\n"


def test_a_file_is_no_agent_of_this_course(tmp_path: Path) -> None:
    file = tmp_path / "my_player.py"
    file.write_text("from quoridor import *\n")
    for words, sentence in (
        (("course", "quoridor", "--agent", "random", "-o", str(file)), "of the quoridor course are servers: leave"),
        (("match", "quoridor", f"course:{file}", "random"), "agents of the quoridor course are servers, not files"),
    ):
        done = joute(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert sentence in done.stderr
