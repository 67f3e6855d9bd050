"""The courses' interface, both ways, in whole games; servers among the other kinds of agents."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from commands import joute
from course_servers import AVALAM, START, referee, seated, served, start_board, state_after

from joute import new
from joute._core import Random
from joute.agents.loading import find_source
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import make_player
from joute.arena.pool.cores import worker_count
from joute.arena.store.frozen import freeze
from joute.errors import JouteError, SpecError
from joute.games import State
from joute.match import play_game
from joute.match.player import LocalPlayer
from joute.match.record import Reason
from joute.protocol.course import ServerCourse, course_names, find_course, find_server_course


@pytest.fixture
def lazy_agent(tmp_path: Path) -> Path:
    file = tmp_path / "lazy.py"
    file.write_text("def choose(state, clock):\n    return state.legal_moves[0]\n")
    return file


def test_a_courses_referee_plays_whole_games_with_our_servers_one_after_another(lazy_agent: Path) -> None:
    with served("greedy") as (greedy, _), served(lazy_agent) as (lazy, _):
        for urls, credit_s in (((greedy, lazy), 900.0), ((lazy, greedy), None), ((greedy, greedy), 900.0)):
            played, points = referee(urls, credit_s)
            state: State = START
            for action in played:
                state = state.play(",".join(map(str, action)))
            assert state.result is not None
            assert points == state.result.points
            assert len(played) >= 30


def test_our_arena_plays_whole_games_with_a_courses_agent_on_both_sides() -> None:
    with served("greedy") as (url, _):
        theirs, ours = seated(url), LocalPlayer("random")
        for players, clock in (((theirs, ours), "60"), ((ours, theirs), "none"), ((theirs, theirs), "5/move")):
            record = play_game("avalam", *players, clock=clock, seed=3)
            assert (record.reason, record.detail) == (Reason.NORMAL, "")
            assert len(record.moves) >= 30
            assert record.isolation[players.index(theirs)] == "remote"
        # A game from the middle, after games from the start.
        later = new("avalam", state_after(START, 6).position)
        assert play_game(later, theirs, ours).reason is Reason.NORMAL


def test_match_check_and_tournament_take_a_server(tmp_path: Path) -> None:
    with served("greedy") as (url, _):
        match = joute("match", "avalam", f"xmlrpc:{url}", "random", "--games", "2", "--clock", "30")
        assert match.returncode == 0, match.stderr
        assert "agents that others run" in match.stdout
        assert "ended by" not in match.stdout
        check = joute("check", f"xmlrpc:{url}", "--game", "avalam", "--games", "1")
        assert f"xmlrpc:{url} is ready to play avalam with --clock 10; played on its server" in check.stdout
        words = ["avalam", f"xmlrpc:{url}", "random", "greedy", "--openings", "start", "--concurrency", "4"]
        tournament = joute("tournament", *words, "--db", str(tmp_path / "class.db"))
        assert tournament.returncode == 0, tournament.stderr
        assert "one game at a time: a server plays only one game at once" in tournament.stdout
        assert "forfeited" not in tournament.stdout


@pytest.mark.parametrize("name", [name for name in course_names() if isinstance(find_course(name), ServerCourse)])
def test_what_a_course_shows_is_read_back(name: str) -> None:
    course = find_server_course(name)
    for seed in range(20):
        dice, state = Random(seed), state_after(new(course.spec), seed % 10, seed)
        while not state.is_terminal and state.ply < 200:  # nothing but a goal ends Quoridor's course's games
            number = course.number(state.to_move)
            assert course.state(course.percepts(state), number, state.ply + 1) == state
            for move in state.legal_moves:
                action = course.action(state, move)
                assert course.move(state, action) == course.move(state, tuple(action)) == move
            state = state.play(state.random_move(dice))


def test_the_course_writes_moves_as_rows_and_columns() -> None:
    move = START.parse_move("c1d1")
    assert AVALAM.action(START, move) == [0, 2, 0, 3]
    assert AVALAM.percepts(START)["m"] == start_board()


def test_a_mistake_of_the_users_gives_one_clear_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for words, sentence in (
            (("course", "avalam", "--agent", "greedy", "-b", "127.0.0.1", "-p", port), "Address already in use"),
            (("course", "avalam", "--agent", "greedy", "-b", "no host"), "cannot serve at port 8000 of no host"),
            (("course", "avalam", "--agent", "greedy", "-b", "two..dots"), "cannot serve at port 8000 of two..dots"),
            (("course", "connect4", "--agent", "greedy"), "connect4 has no course interface; avalam, divercite"),
            (("course", "avalam", "--agent", "gredy"), "did you mean 'greedy'?"),
            (("match", "connect4", "xmlrpc:http://localhost:1", "greedy"), "connect4 has no course interface"),
            (("tournament", "connect4", "xmlrpc:http://localhost:1", "greedy"), "connect4 has no course interface"),
            (("engine", "avalam", "xmlrpc:http://localhost:1"), "is a server, which can play"),
        ):
            done = joute(*words)
            assert (done.returncode, done.stdout) == (2, ""), words
            assert re.fullmatch(rf"joute: .*{re.escape(sentence)}.*\n", done.stderr), done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "xmlrpc:",
        "xmlrpc:localhost:8000",
        "xmlrpc:http://",
        "xmlrpc:http://:8000",
        "xmlrpc:http://localhost:port",
        "xmlrpc:http://localhost:99999",
        "xmlrpc:http://me:secret@localhost:8000",
        "xmlrpc:http://local host:8000",
        "xmlrpc:http://localhost:8000/?a=1",
        "xmlrpc:ftp://localhost:8000",
        "xmlrpc:http://[::1",
        "xmlrpc:http://localhost:8000/é",
    ],
)
def test_what_is_no_address_is_not_taken_for_a_server(text: str) -> None:
    with pytest.raises(SpecError, match="is not the address of a server; write xmlrpc:http://localhost:8000"):
        find_source(text, "avalam")


@pytest.mark.parametrize("url", ["http://localhost:8000", "https://example.org/agents/mine", "http://[::1]:8000"])
def test_an_address_is_found_as_it_is(url: str) -> None:
    source = find_source(f"xmlrpc:{url}", "avalam")
    assert (source.kind, source.named, source.files) == ("remote", url, ())


def test_an_address_without_its_word_is_explained() -> None:
    with pytest.raises(SpecError, match="write xmlrpc:http://localhost:8000"):
        find_source("http://localhost:8000", "avalam")


def test_a_server_plays_one_game_at_a_time_and_is_not_kept_in_a_frozen_final() -> None:
    sources = [find_source(text, "avalam") for text in ("xmlrpc:http://localhost:8000", "greedy", "random")]
    assert worker_count(sources, 4) == (1, "one game at a time: a server plays only one game at once")
    assert worker_count(sources, 1) == (1, "")
    assert freeze(sources, ["a", "b", "c"]) == ({}, "'a' is on a server and not kept in the file")


def test_a_server_needs_no_sandbox() -> None:
    player = make_player(find_source("xmlrpc:http://localhost:8000"), "a", "avalam", Isolation(sandbox=True))
    assert player.isolation == "remote"


def test_a_game_without_a_course_says_so() -> None:
    with pytest.raises(JouteError, match="connect4 has no course interface; avalam, divercite, quoridor have"):
        find_course("connect4")
