"""Analysis, reviews and the editor over the API and the WebSocket."""

from __future__ import annotations

import json
from typing import Any

import pytest
from page_server import PageServer

from joute import agent, review
from joute.games import new
from joute.match.record_reader import TextGame, read_text
from joute.reviews.annotations import annotated_text
from joute.reviews.data import review_data

pytest_plugins = ["page_fixtures"]

RECORD = '[Game "connect4"] [First "Anna"] [Second "Ben"] [Reason "resignation"] 1. 4 2. 4 3. 3 4. 5 5. 4 1-0'


def answers(server: PageServer, path: str, **wish: Any) -> list[dict[str, Any]]:
    reply = server.client().post(f"/api/{path}", json=wish)
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in reply.text.splitlines()]


def error(server: PageServer, path: str, **wish: Any) -> tuple[str, str]:
    reply = server.client().post(f"/api/{path}", json=wish)
    assert 400 <= reply.status_code < 500
    told = reply.json()["error"]
    return told["code"], told["message"]


def test_an_analysis_is_that_of_the_service_with_the_point_of_view_in_every_name(server: PageServer) -> None:
    (final,) = answers(server, "analyse", study={"game": "connect4", "line": ["4", "4", "3"]})
    perfect: Any = agent("perfect", game="connect4")
    known = perfect.analyze(new("connect4", "443"))
    assert final["kind"] == "final"
    assert final["exact"]
    assert final["to_move"] == 1
    assert final["value_for_mover"] == known.value
    assert final["chance_for_first"] == final["win_probability_for_first"] == 0.0
    assert [(each["move"], each["value_for_mover"]) for each in final["moves"]] == [
        (str(judged.move), judged.value) for judged in known.moves
    ]


def test_partial_answers_come_first_and_no_more_lines_than_wanted(server: PageServer) -> None:
    found = answers(server, "analyse", study={"game": "quoridor"}, seconds=0.8, lines=2)
    assert [answer["kind"] for answer in found] == ["partial"] * (len(found) - 1) + ["final"]
    assert len(found) > 1
    assert all(len(answer["moves"]) <= 2 for answer in found)
    assert found[-1]["agent"].startswith("quoridor:")
    assert 0 < found[-1]["chance_for_first"] < 1


def test_a_review_is_that_of_joute_review(server: PageServer) -> None:
    (game,) = read_text(RECORD)
    assert isinstance(game, TextGame)
    known = review(game.record, jobs=1)
    final = answers(server, "review", study={"game": "connect4", "line": list("44354")}, names=["Anna", "Ben"])[-1]
    told, wanted = final["review"], review_data(known)
    for name in ("agent", "parameters", "complete", "chances", "accuracy", "counts", "moments", "moves"):
        assert told[name] == wanted[name]
    remarks = annotated_text(known).split("\n\n")[1].rsplit(" ", 1)[0]
    assert remarks in final["text"]


def test_a_search_for_a_person_cuts_an_analysis_short_and_stop_ends_it(server: PageServer) -> None:
    client = server.client()
    with server.socket(client) as talk:
        talk.ask("analyse", stream="one", study={"game": "quoridor"})
        talk.until(lambda message: message["type"] == "analyse")
        game = client.post("/api/games", json={"game": "connect4", "seats": [{"kind": "agent", "agent": "greedy"}] * 2})
        with server.socket(client) as watcher:
            watcher.ask("watch", game=game.json()["id"])
            cut = talk.until(lambda message: message.get("kind") == "final")
            assert (cut["stream"], cut["is_cut"]) == ("one", True)
            watcher.ask("pause", game=game.json()["id"], paused=True)
        talk.ask("analyse", stream="two", study={"game": "quoridor"})
        talk.until(lambda message: message["type"] == "analyse")
        talk.ask("stop", stream="two")
        talk.ask("analyse", stream="three", study={"game": "connect4"})
        assert talk.until(lambda message: message["type"] == "analyse")["stream"] == "three"


def test_a_wrong_wish_is_told_in_its_stream(server: PageServer) -> None:
    with server.socket(server.client()) as talk:
        for study in ({"game": "chess"}, {"game": "connect4", "start": "9"}, {"game": "connect4", "line": ["9"]}):
            talk.ask("analyse", stream="wrong", study=study)
            told = talk.until(lambda message: message["type"] == "analyse")
            assert (told["stream"], told["kind"]) == ("wrong", "error")
            assert len(told["error"]) > 10
        assert talk.ask("analyse", stream="", study={"game": "connect4"})["error"]["code"] == "bad_message"
        assert (
            talk.ask("analyse", stream="a", study={"game": "connect4"}, path="/etc")["error"]["code"] == "bad_message"
        )


@pytest.mark.parametrize(
    "spec", ["vampires:map=/etc/passwd", "vampires:map=../secret.xml", "nothing", "connect4:rules=1", "module:x"]
)
def test_no_text_names_a_file_or_another_game(server: PageServer, spec: str) -> None:
    texts = [f'[Game "{spec}"] [First "a"] [Second "b"] 1. 4 1-0', f'{RECORD}\n\n[Game "{spec}"] [First "a"]']
    for text in texts:
        assert (
            error(server, "analyse/read", text=text, game="connect4", number=2 if "Anna" in text else 1)[0]
            == "bad_game"
        )
    assert error(server, "analyse/position", game=spec)[0] == "bad_game"
    assert error(server, "edit", game=spec)[0] == "bad_game"
    assert error(server, "analyse", study={"game": spec})[0] == "bad_game"


def test_games_positions_and_moves_are_read(server: PageServer) -> None:
    client = server.client()

    def read(text: str, game: str = "connect4", number: int = 1) -> dict[str, Any]:
        data: dict[str, Any] = client.post(
            "/api/analyse/read", json={"text": text, "game": game, "number": number}
        ).json()
        return data

    record = read(f"{RECORD}\n\n{RECORD.replace('5. 4', '5. 7')}", number=2)
    assert (record["kind"], record["games"], record["names"]) == ("record", 2, ["Anna", "Ben"])
    assert record["line"] == list("44357")
    assert read("4455")["start"] == new("connect4", "4455").position
    assert read("1. 4 2. 4 3... 5")["line"] == ["4", "4", "5"]
    assert read("e2 e8", "quoridor")["line"] == ["e2", "e8"]
    assert "error" in read("4 4 9")
    assert read("x")["error"]["message"].startswith("'x' is not a connect4 position")


def test_a_line_is_drawn_in_parts_and_written_as_a_record(server: PageServer) -> None:
    study = {"game": "connect4", "line": list("44354")}
    client = server.client()
    part = client.post("/api/analyse/line", json={"study": study, "first": 1, "last": 5}).json()
    assert [node["token"] for node in part["nodes"]] == list("44354")
    assert len(part["positions"]) == 5
    assert error(server, "analyse/line", study=study, first=0, last=9)[0] == "bad_message"
    text = client.post("/api/analyse/record", json={"study": study, "names": ["Anna", "Ben"]}).text
    (game,) = read_text(text)
    assert isinstance(game, TextGame)
    assert [played.move for played in game.record.moves] == list("44354")
    svg = client.post("/api/analyse/svg", json=study)
    assert svg.headers["content-type"] == "image/svg+xml"
    assert svg.text == new("connect4", "4435").play("4").svg("4")


def test_who_plays_a_person_analyses_the_game_when_it_is_over(server: PageServer) -> None:
    one, other = server.client(), server.client()
    wish = {"game": "connect4", "seats": [{"kind": "me"}, {"kind": "open"}]}
    game = one.post("/api/games", json=wish).json()["id"]
    other.post(f"/api/games/{game}/join", json={"name": "Ben"})
    assert one.get(f"/api/analyse/games/{game}").json()["error"]["code"] == "not_over"
    assert other.get(f"/api/analyse/games/{game}").status_code == 403
    one.post(f"/api/games/{game}/commands", json={"type": "resign", "game": game})
    assert one.get(f"/api/analyse/games/{game}").json()["line"] == []


def test_the_editor_keeps_a_draft_that_cannot_be_changed_and_says_why(server: PageServer) -> None:
    client = server.client()
    start = client.post("/api/edit", json={"game": "quoridor"}).json()
    assert start["position"] == new("quoridor").position
    wish = {"game": "quoridor", "draft": start["draft"], "paint": {"brush": "first", "spot": "e9"}}
    told = client.post("/api/edit", json=wish).json()
    assert told["draft"] == start["draft"]
    assert told["refused"] == "the other pawn is on e9"
    assert error(server, "edit", game="quoridor", draft="nonsense")[0] == "bad_draft"
    assert error(server, "edit", game="quoridor", empty=True, position="")[0] == "bad_message"
    pictures = client.post("/api/edit/palette", json={"game": "quoridor"}).json()
    assert set(pictures) == {"first", "second", "h", "v"}
    discs = client.post("/api/edit/palette", json={"game": "connect4"}).json()
    assert [tuple(each["area"][2:]) for each in discs.values()] == [(1, 1), (1, 1)]  # a cell, not the whole column
