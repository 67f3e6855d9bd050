"""Games of the page over the API and the WebSocket: moves, undo, resignation, clocks, links, restarts."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from page_server import PageServer, begin, serving

from joute.match.record_reader import TextGame, read_text

pytest_plugins = ["page_fixtures"]

AGENT = [{"kind": "me"}, {"kind": "agent", "agent": "greedy"}]


def test_an_agent_answers_a_move_and_the_move_sent_twice_plays_once(server: PageServer) -> None:
    client = server.client()
    game = begin(client, seats=AGENT, seed=1)
    with server.socket(client) as talk:
        talk.ask("watch", game=game)
        for _ in range(2):
            assert talk.ask("play", game=game, move="4", index=0)["type"] == "reply"
        moves = client.get(f"/api/games/{game}").json()["game"]["moves"]
        assert [move["move"] for move in moves][:1] == ["4"]
        moves = talk.game(lambda game: len(game["moves"]) == 2)["moves"]
        assert [move["player"] for move in moves] == [0, 1]


def test_undo_takes_back_the_answer_too(server: PageServer) -> None:
    client = server.client()
    game = begin(client, seats=AGENT)
    with server.socket(client) as talk:
        talk.ask("watch", game=game)
        talk.send("play", game=game, move="4", index=0)
        talk.game(lambda game: len(game["moves"]) == 2)
        talk.send("undo", game=game)
        assert talk.game(lambda game: not game["moves"])["to_move"] == 0


def test_a_resignation_loses_and_can_be_undone_on_one_screen(server: PageServer) -> None:
    client = server.client()
    game = begin(client)
    with server.socket(client) as talk:
        talk.ask("watch", game=game)
        talk.send("play", game=game, move="4", index=0)
        talk.send("resign", game=game)
        over = talk.game(lambda game: game["is_over"])
        assert over["result"]["winner"] == 0
        assert over["result"]["reason"] == "resignation"
        assert talk.ask("play", game=game, move="4", index=1)["error"]["code"] == "over"
        talk.send("undo", game=game)
        assert not talk.game(lambda game: not game["moves"])["is_over"]


def test_a_hint_has_a_move_and_reasons(server: PageServer) -> None:
    client = server.client()
    game = begin(client, position="112233")
    with server.socket(client) as talk:
        talk.ask("watch", game=game)
        given = talk.ask("hint", game=game)["data"]
    assert given["move"] == "4"
    assert given["win_probability"] == 1
    assert given["reasons"]


def test_hints_are_refused_between_two_people(server: PageServer) -> None:
    first = server.client()
    game = begin(first, seats=[{"kind": "me"}, {"kind": "open"}])
    reply = first.post(f"/api/games/{game}/commands", json={"type": "hint", "game": game})
    assert reply.json()["error"]["code"] == "no_hint"


def test_two_people_play_by_a_link_and_agree_on_an_undo(server: PageServer) -> None:
    first, second, third = server.client(), server.client(), server.client()
    game = begin(first, seats=[{"kind": "me"}, {"kind": "open"}], name="Ada")
    joined = second.post(f"/api/games/{game}/join", json={"name": "Bo"}).json()
    assert joined["you"] == [1]
    assert [seat["name"] for seat in joined["game"]["seats"]] == ["Ada", "Bo"]
    assert third.post(f"/api/games/{game}/join", json={}).json()["error"]["code"] == "no_seat"
    with server.socket(first) as one, server.socket(second) as other:
        one.ask("watch", game=game)
        other.ask("watch", game=game)
        assert other.ask("play", game=game, move="1", index=0)["error"]["code"] == "not_your_turn"
        one.send("play", game=game, move="1", index=0)
        other.game(lambda game: len(game["moves"]) == 1)
        one.send("undo", game=game)
        assert other.game(lambda game: game["undo_offer"] is not None)["undo_offer"] == 0
        other.send("undo", game=game)
        assert one.game(lambda game: not game["moves"])["undo_offer"] is None


def test_a_stranger_commands_nothing(server: PageServer) -> None:
    owner, stranger = server.client(), server.client()
    game = begin(owner)
    with server.socket(stranger) as talk:
        talk.ask("watch", game=game)
        assert talk.ask("play", game=game, move="1", index=0)["error"]["code"] == "not_your_turn"
        for kind in ("undo", "resign"):
            assert talk.ask(kind, game=game)["error"]["code"] == "not_your_game"
        assert talk.ask("pause", game=game, paused=True)["error"]["code"] == "not_your_game"


def test_a_restart_keeps_games_and_clocks(tmp_path: Path) -> None:
    running = serving(tmp_path)
    client = running.client()
    game = begin(client, clock="600")
    with running.socket(client) as talk:
        talk.ask("watch", game=game)
        talk.send("play", game=game, move="4", index=0)
        talk.send("play", game=game, move="4", index=1)
        before = talk.game(lambda game: len(game["moves"]) == 2)
    running.close()
    again = serving(tmp_path)
    try:
        cookies = dict(client.cookies)
        with again.client(begins=False) as later:
            later.cookies.update(cookies)
            after = later.get(f"/api/games/{game}").json()
        assert after["you"] == [0, 1]
        assert after["game"]["moves"] == before["moves"]
        assert after["clock"]["running"] == 0
        assert after["clock"]["left_s"][0] <= 600 - before["moves"][0]["time_s"]
    finally:
        again.close()


def test_a_clock_that_runs_out_loses_without_a_viewer(server: PageServer) -> None:
    client = server.client()
    game = begin(client, clock="0.05/move")
    with server.socket(client) as talk:
        talk.ask("watch", game=game)
        talk.send("play", game=game, move="4", index=0)
        over = talk.game(lambda game: game["is_over"])
    assert (over["result"]["reason"], over["result"]["winner"]) == ("time", 0)


def test_agents_play_each_other_with_pause_step_and_speed(server: PageServer) -> None:
    client = server.client()
    seats = [{"kind": "agent", "agent": "random"}, {"kind": "agent", "agent": "greedy"}]
    game = begin(client, seats=seats)
    with server.socket(client) as talk:
        talk.ask("pause", game=game, paused=True)
        talk.send("watch", game=game)
        before = talk.game()
        assert before["is_paused"]
        talk.send("step", game=game)
        stepped = talk.game(lambda game: len(game["moves"]) > len(before["moves"]))
        assert len(stepped["moves"]) == len(before["moves"]) + 1
        talk.send("speed", game=game, seconds=0)
        talk.send("pause", game=game, paused=False)
        assert talk.game(lambda game: game["is_over"])["result"]


def test_a_closed_tab_stops_its_search(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joute.web.live._RELOAD_S", 0.1)
    client = server.client()
    game = begin(client, "quoridor", seats=[{"kind": "agent", "agent": "mcts:iterations=100000000"}, {"kind": "me"}])
    tables = server.server.config.loaded_app.state.server.tables
    with server.socket(client) as talk:
        talk.send("watch", game=game)
        talk.game(lambda game: game["is_thinking"])
        live = tables.find(game)
        while live.thinking is None:
            time.sleep(0.01)
        live._seen_at = 0.0  # the request that began the game counts as a viewer for a minute
    while live.thinking is not None:  # ends after the seconds that a reload gets
        time.sleep(0.01)
    assert live.game.moves == []


def test_the_record_and_the_position_begin_other_games(server: PageServer) -> None:
    client = server.client()
    game = begin(client)
    for index, move in enumerate("445"):
        client.post(f"/api/games/{game}/commands", json={"type": "play", "game": game, "move": move, "index": index})
    (record,) = read_text(client.get(f"/api/games/{game}/record").text)
    assert isinstance(record, TextGame)
    assert [played.move for played in record.record.moves] == ["4", "4", "5"]
    found = client.get(f"/api/games/{game}/positions/2").json()
    assert found["position"] == "44"
    other = begin(client, found["game"], position=found["position"])
    assert client.get(f"/api/games/{other}").json()["game"]["ply"] == 2
    assert client.get(f"/api/games/{game}/scenes/1.svg").text.startswith("<svg")


def test_a_turn_of_parts_tells_its_odds_and_is_sent_whole(server: PageServer) -> None:
    client = server.client()
    game = begin(client, "vampires")
    draft = client.get(f"/api/games/{game}").json()["game"]["draft"]
    part = draft["scene"]["targets"][0][1]
    wish = {"type": "build", "game": game, "parts": [[part, 1]]}
    built = client.post(f"/api/games/{game}/commands", json=wish).json()
    assert built["parts"][0]["amount"] == 1
    assert built["move"].endswith("x1")
    played = {"type": "play", "game": game, "move": built["move"], "index": 0}
    assert client.post(f"/api/games/{game}/commands", json=played).status_code == 200


def test_every_game_has_a_drawing_and_a_form(server: PageServer, game: str) -> None:
    client = server.client()
    assert client.get(f"/api/boards/{game}.svg").text.startswith("<svg")
    details = client.get(f"/api/catalogue/{game}").json()
    assert [agent for agent in details["agents"] if agent["parameters"]]
    assert client.post("/api/positions", json={"game": game}).json()["text"]
