"""The API of lessons, puzzles and searches."""

from __future__ import annotations

from typing import Any

import pytest
from page_server import PageServer

from joute.agents.registry import find_agent
from joute.games.vampires.state import Vampires
from joute.learn.puzzles import Puzzle, has_puzzles, puzzles_of
from joute.plugins import all_rooms

pytest_plugins = ["page_fixtures"]

OURS = [name for name, room in all_rooms().items() if room.is_ours]


def find(game: str, **wanted: Any) -> tuple[int, Puzzle]:
    """The first puzzle with some properties, and its number."""
    for number, puzzle in enumerate(puzzles_of(game), start=1):
        if all(getattr(puzzle, key) == value for key, value in wanted.items()):
            return number, puzzle
    raise AssertionError(f"{game} has no puzzle with {wanted}")


def test_the_index_lists_every_game_those_with_lessons_first(server: PageServer) -> None:
    listed = server.client().get("/api/learn").json()
    assert {each["game"] for each in listed if each["has_lesson"]} >= set(OURS)
    flags = [each["has_lesson"] for each in listed]
    assert flags == sorted(flags, reverse=True)
    for each in listed:
        assert len(each["puzzles"]) == (len(puzzles_of(each["game"])) if has_puzzles(each["game"]) else 0)


@pytest.mark.parametrize("name", OURS)
def test_a_lesson_can_be_played_through(server: PageServer, name: str) -> None:
    lesson = server.client().get(f"/api/learn/{name}").json()
    for section in lesson["sections"]:
        assert set(section["title"]) == {"en", "fr"}
        first, *others = section["frames"]
        assert first["move"] is None
        assert others
        assert section["frames"][-1]["scene"]["targets"] == []


def test_a_game_without_a_lesson_shows_its_guide(server: PageServer) -> None:
    lesson = server.client().get("/api/learn/tictactoe").json()
    assert lesson["sections"] == []
    assert lesson["guide"]["rules"]
    assert lesson["scene"]["boards"]


def test_a_puzzle_does_not_tell_its_answer(server: PageServer) -> None:
    number, puzzle = find("avalam")
    told = server.client().get(f"/api/puzzles/avalam/{number}").json()
    assert told["position"] == puzzle.position
    assert "line" not in told
    assert "answer" not in told
    assert "proof" not in told


def test_right_moves_solve_a_puzzle_of_several_moves(server: PageServer) -> None:
    number, puzzle = find("connect4", asked=3)
    client = server.client()
    for count in (1, 2):
        reply = client.post(f"/api/puzzles/connect4/{number}", json={"moves": puzzle.line[: 2 * count : 2]}).json()
        assert reply["verdict"] == "open"
        assert [frame["move"] for frame in reply["frames"]] == list(puzzle.line[2 * count - 2 : 2 * count])
    reply = client.post(f"/api/puzzles/connect4/{number}", json={"moves": puzzle.line[::2]}).json()
    assert reply["verdict"] == "solved"
    assert reply["is_over"]
    assert reply["winner"] == puzzle.state.to_move


@pytest.mark.parametrize("name", ["connect4", "avalam", "divercite"])
def test_a_wrong_answer_gets_a_reply_and_what_is_proven(server: PageServer, name: str) -> None:
    number, puzzle = len(puzzles_of(name)), puzzles_of(name)[-1]
    wrong = next(str(move) for move in puzzle.state.legal_moves if str(move) != puzzle.answer)
    reply = server.client().post(f"/api/puzzles/{name}/{number}", json={"moves": [wrong]}).json()
    assert reply["verdict"] == "wrong"
    after = puzzle.state.play(wrong)
    if after.result is None:
        assert after.is_legal(reply["reply"])
        assert reply["frames"][-1]["move"] == reply["reply"]
        assert reply["outcome"] in (None, 0, -1)  # the solver proved that only the answer wins


def test_a_wrong_turn_with_a_battle_goes_on_from_its_likeliest_outcome(server: PageServer) -> None:
    for number, puzzle in enumerate(puzzles_of("vampires"), start=1):
        state = puzzle.state
        assert isinstance(state, Vampires)
        fights = [m for g in state.generators for m in state.moves(g) if state.play(m).is_chance]
        wrong = [str(move) for move in fights if str(move) != puzzle.answer]
        if wrong:
            reply = server.client().post(f"/api/puzzles/vampires/{number}", json={"moves": [wrong[0]]}).json()
            assert reply["verdict"] == "wrong"
            assert reply["frames"][0]["chance"]
            return
    raise AssertionError("no puzzle has a battle to lose")


def test_a_turn_is_composed_of_orders(server: PageServer) -> None:
    number, puzzle = find("vampires", kind="orders")
    client = server.client()
    orders = puzzle.answer.split("+")
    parts = [[order.partition("x")[0], int(order.partition("x")[2])] for order in orders]
    draft = client.post(f"/api/puzzles/vampires/{number}/build", json={"parts": parts}).json()
    assert draft["move"] == puzzle.answer
    assert client.post("/api/puzzles/connect4/1/build", json={"parts": []}).status_code == 404


def test_the_answer_has_its_line_and_its_source(server: PageServer) -> None:
    number, puzzle = find("divercite")
    told = server.client().get(f"/api/puzzles/divercite/{number}/answer").json()
    assert told["line"] == list(puzzle.line)
    assert [frame["move"] for frame in told["frames"]] == told["line"]
    assert told["source"] == puzzle.source


@pytest.mark.parametrize(
    ("path", "moves", "status"),
    [
        ("connect4/1", ["99"], 422),
        ("connect4/1", [], 422),
        ("connect4/1", ["1"] * 49, 422),
        ("connect4/1", ["<script>"], 422),
        ("connect4/11", ["1"], 404),
        ("connect4/0", ["1"], 422),
        ("nothing/1", ["1"], 404),
        ("tictactoe/1", ["1"], 404),
    ],
)
def test_bad_answers_get_a_sentence(server: PageServer, path: str, moves: list[str], status: int) -> None:
    reply = server.client().post(f"/api/puzzles/{path}", json={"moves": moves})
    assert reply.status_code == status
    assert reply.json()["error"]["message"]


def test_a_visitor_without_a_session_learns_nothing(server: PageServer) -> None:
    client = server.client(begins=False)
    for path in ("learn", "learn/connect4", "puzzles/connect4/1", "puzzles/connect4/1/answer", "searches"):
        assert client.get(f"/api/{path}").status_code == 401


def test_searches_have_the_parameters_of_their_classes(server: PageServer) -> None:
    listed = server.client().get("/api/searches").json()
    assert {"alphabeta", "mcts", "nrpa", "nested", "alphazero"} <= {each["name"] for each in listed}
    texts = server.client().get("/api/texts/fr").json()["texts"]
    for each in listed:
        described = find_agent(each["name"])[0].described_parameters
        assert [row["name"] for row in each["parameters"]] == [known.name for known in described]
        words = texts[f"learn.search_{each['name'].replace('-', '_')}"]
        assert words.count(".") >= 3
