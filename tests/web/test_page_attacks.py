"""The attacks of docs/security.md on the page: other sites, paths, bodies, forged ids, floods, mutated messages."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from page_server import FREE, PageServer, Talk, begin, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus

from joute import Random
from joute.web.security import Guard
from joute.web.settings import Settings

pytest_plugins = ["page_fixtures"]

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """A server with a join code and small limits."""
    from dataclasses import replace

    times: dict[str, Any] = {"head_s": 1.0, "body_s": 0.3, "requests_a_second": 0.001}
    limits = replace(FREE, joins_a_minute=5, games_a_minute=2, requests_at_once=40, **times)
    running = serving(tmp_path_factory.mktemp("shared"), code="K3vd-9mzq", limits=limits)
    yield running
    running.close()


def raw(server: PageServer, text: bytes) -> bytes:
    """The server's answer to bytes, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(text)
        found = b""
        while part := connection.recv(65_536):
            found += part
        return found


# --- Other sites ---


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost.evil.example"]
)
def test_other_sites_change_nothing(server: PageServer, origin: str) -> None:
    client = server.client()
    reply = client.post("/api/games", json={}, headers={"origin": origin})
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "bad_origin")
    with pytest.raises(InvalidStatus) as refused, server.socket(client, Origin=origin):
        pass
    assert refused.value.response.status_code == 403


def test_a_form_of_another_site_is_refused_by_its_fetch_metadata(server: PageServer) -> None:
    reply = server.client().post("/api/games", json={}, headers={"sec-fetch-site": "cross-site"})
    assert reply.status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "a@127.0.0.1", ""])
def test_other_names_of_the_server_are_refused(server: PageServer, host: str) -> None:
    reply = raw(server, f"GET /api/catalogue HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert reply.split()[1] in (b"421", b"400")


def test_a_server_on_all_addresses_answers_to_the_name_that_it_prints() -> None:
    async def status(host: str) -> int:
        sent: list[Any] = []

        async def app(_scope: Any, _receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", host.encode())]}
        await Guard(app, Settings(host="0.0.0.0", code="K3vd-9mzq"))(scope, app, send)  # type: ignore[arg-type]
        return int(sent[0]["status"])

    own = [f"{socket.gethostname()}:8000", "192.168.1.5:8000", "[fe80::1]:8000"]
    assert [asyncio.run(status(host)) for host in own] == [200, 200, 200]
    assert [asyncio.run(status(host)) for host in ("other.example:8000", "cafe", "1.2.3.4.5")] == [421, 421, 421]


def test_every_response_has_the_security_headers(server: PageServer) -> None:
    client = server.client()
    for path in ("/", "/static/app.js", "/api/catalogue", "/api/nothing", "/shared/colours.css"):
        headers = client.get(path).headers
        assert "'unsafe" not in headers["content-security-policy"]
        assert "script-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


def test_the_cookie_is_for_this_site_and_no_script(server: PageServer) -> None:
    cookie = server.client(begins=False).post("/api/session").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


# --- Paths, names of files, commands ---


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/static/%00",
        "/static/..\\app.py", "/shared/../app.py", "/api/boards/..%2f..%2fetc%2fpasswd.svg", "/api/texts/..%2fen",
        "/api/games/..%2f..%2fetc/record", "/static/areas/", "/static/lib",
    ],
)  # fmt: skip
def test_paths_lead_to_no_other_file(server: PageServer, path: str) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in server.client().cookies.items())
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    reply = raw(server, head.encode())
    assert reply.split()[1] in (b"404", b"405", b"400", b"422")
    assert b"root:" not in reply
    assert b"import annotations" not in reply


@pytest.mark.parametrize(
    "agent",
    [
        "/etc/passwd", "my_agent.py", "./a.py", "ugi:/bin/sh", "xmlrpc:http://127.0.0.1:1", "course:a.py",
        "tcp:localhost",
        "alphazero:network=/etc/passwd", "mcts:threads=64", "mcts:memory_mb=999999", "nobody",
        "mcts:eval=/etc/passwd", "",
        "level:99", "mcts:" + "a" * 300, "openspiel-bot:mcts,iterations=1000000",
    ],
)  # fmt: skip
def test_no_request_runs_a_program_or_names_a_file(server: PageServer, agent: str) -> None:
    seats = [{"kind": "me"}, {"kind": "agent", "agent": agent}]
    reply = server.client().post("/api/games", json={"game": "connect4", "seats": seats})
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "bad_agent")


@pytest.mark.parametrize(
    "spec", ["vampires:map=/etc/passwd", "nogame", "connect4:x=1", "../quoridor", SCRIPT, "\x00", ""]
)
def test_no_game_opens_a_file(server: PageServer, spec: str) -> None:
    seats = [{"kind": "me"}, {"kind": "me"}]
    reply = server.client().post("/api/games", json={"game": spec, "seats": seats})
    assert reply.status_code in (400, 422)
    assert "root:" not in reply.text


# --- Bodies ---


def test_huge_bodies_are_refused(server: PageServer) -> None:
    client = server.client()
    assert client.post("/api/games", content=b"x" * (server.settings.limits.body_bytes + 1)).status_code == 413
    deep = b"[" * 60_000
    assert client.post("/api/games", content=deep, headers={"content-type": "application/json"}).status_code == 400


def test_slow_bodies_are_cut_off(shared: PageServer) -> None:
    head = b"POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
    assert raw(shared, head).split()[1] == b"408"


def test_connections_that_ask_for_nothing_are_closed(shared: PageServer) -> None:
    begun = b"GET / HTTP/1.1\r\nHost: local"
    for head in (b"", begun, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + begun):
        raw(shared, head)  # returns when the server closes the connection


def test_huge_messages_close_the_socket(server: PageServer) -> None:
    with server.socket(server.client()) as talk:
        talk.connection.send("x" * (server.settings.limits.message_bytes + 1))
        with pytest.raises(ConnectionClosed):
            talk.until(lambda message: message["type"] != "welcome")


# --- Visitors ---


def test_a_shared_server_asks_for_the_code_and_limits_tries(shared: PageServer) -> None:
    client = shared.client()
    assert client.get("/api/catalogue").json()["error"]["code"] == "join_first"
    with pytest.raises(InvalidStatus), shared.socket(client):
        pass
    assert client.post("/api/join", json={"code": "wrong"}).json()["error"]["code"] == "wrong_code"
    assert client.post("/api/join", json={"code": " k3VD 9MZQ "}).json() == {"joined": True}
    assert client.get("/api/catalogue").status_code == 200
    codes = [client.post("/api/join", json={"code": "wrong"}).json()["error"]["code"] for _ in range(6)]
    assert codes[-1] == "too_many_requests"
    seats = {"game": "connect4", "seats": [{"kind": "me"}, {"kind": "me"}]}
    assert [client.post("/api/games", json=seats).status_code for _ in range(3)] == [201, 201, 429]
    assert {client.get("/api/catalogue").status_code for _ in range(60)} == {200, 429}


def test_strangers_get_no_more_requests_with_new_cookies(shared: PageServer) -> None:
    client = shared.client(begins=False)
    cookies = [{"cookie": f"joute_visitor={number:022}"} for number in range(60)]
    assert {client.get("/api/games", headers=each).status_code for each in cookies} == {403, 429}


def test_without_a_session_nothing_is_told(server: PageServer) -> None:
    stranger = httpx.Client(base_url=server.address)
    for path in ("catalogue", "games", "games/abcdefgh", "catalogue/connect4", "boards/connect4.svg"):
        assert stranger.get(f"/api/{path}").json()["error"]["code"] == "no_session"
    with pytest.raises(InvalidStatus), server.socket(stranger):
        pass


@pytest.mark.parametrize("cookie", ["x", "a" * 22 + "'", "../../../../etc/passwd", "é" * 22, "a" * 5000])
def test_forged_cookies_are_no_session(server: PageServer, cookie: str) -> None:
    headers = {"cookie": f"joute_visitor={cookie}".encode()}
    assert httpx.get(f"{server.address}/api/games", headers=headers).status_code in (401, 431)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", ["abcdefgh", "a" * 64, "______", "0" * 12])
def test_forged_ids_of_games_find_nothing(server: PageServer, number: str) -> None:
    client = server.client()
    assert client.get(f"/api/games/{number}").status_code == 404
    assert client.get(f"/api/games/{number}/record").status_code == 404
    assert client.post(f"/api/games/{number}/join", json={}).status_code == 404
    with server.socket(client) as talk:
        assert talk.ask("watch", game=number)["error"]["code"] == "not_found"


def test_no_answer_tells_a_visitor_cookie(server: PageServer) -> None:
    owner, other = server.client(), server.client()
    game = begin(owner, name=SCRIPT)
    secret = owner.cookies["joute_visitor"]
    assert secret not in other.get(f"/api/games/{game}").text
    assert secret not in other.get(f"/api/games/{game}/record").text


def test_scripts_in_texts_stay_texts(server: PageServer) -> None:
    client = server.client()
    game = begin(client, name=SCRIPT, seats=[{"kind": "me"}, {"kind": "open"}])
    reply = client.get(f"/api/games/{game}/record")
    assert reply.headers["content-type"].startswith("text/plain")
    assert SCRIPT in client.get(f"/api/games/{game}").json()["game"]["seats"][0]["name"]
    refused = client.post("/api/positions", json={"game": SCRIPT, "position": SCRIPT})
    assert refused.headers["content-type"] == "application/json"


# --- Floods and nonsense ---


def flood(talk: Talk) -> None:
    """Send many messages and wait; a fast server closes the socket before the last one is sent."""
    for _ in range(50):
        talk.send("ping")
    talk.until(lambda message: message["type"] == "game")


def test_a_flood_of_messages_closes_the_socket(tmp_path: Path) -> None:
    from dataclasses import replace

    running = serving(tmp_path, limits=replace(FREE, messages_a_second=1, messages_at_once=10, sockets_a_visitor=2))
    try:
        client = running.client()
        with running.socket(client) as talk, pytest.raises(ConnectionClosed):
            flood(talk)
        with running.socket(client), running.socket(client), pytest.raises(InvalidStatus), running.socket(client):
            pass
    finally:
        running.close()


def test_a_defect_gets_an_answer_and_breaks_nothing_else(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    client = server.client()
    game = begin(client)

    def defect(*_: Any) -> None:
        raise ZeroDivisionError

    with server.socket(client) as talk, monkeypatch.context() as broken:
        broken.setattr("joute.web.live.LiveGame.resign", defect)
        wish = {"type": "resign", "game": game}
        reply = client.post(f"/api/games/{game}/commands", json=wish)
        assert (reply.status_code, reply.json()["error"]["code"]) == (500, "failed")
        assert "script-src 'self'" in reply.headers["content-security-policy"]
        assert talk.ask("resign", game=game)["error"]["code"] == "failed"
        assert talk.ask("ping")["type"] == "reply"


VALUES: list[Any] = [
    None, True, -1, 0, 1.5, 10**30, "", "x", SCRIPT, "\x00", "\ud800", "é" * 3000, [], [[]], {}, {"a": {}}, "watch",
    "play",
]  # fmt: skip


def mutated(message: dict[str, Any], rng: Random) -> Any:
    """A message with one or two fields changed, dropped or added; now and then no object at all."""
    if rng.below(20) == 0:
        return rng.choice(VALUES)
    message = dict(message)
    for _ in range(1 + rng.below(2)):
        key = rng.choice([*message, "extra"])
        if rng.below(4) == 0:
            message.pop(key, None)
        else:
            message[key] = rng.choice(VALUES)
    return message


def test_mutated_sequences_of_messages_get_answers_and_break_nothing(server: PageServer) -> None:
    client, rng = server.client(), Random(11)
    game = begin(client, seats=[{"kind": "me"}, {"kind": "agent", "agent": "random"}])
    kinds: list[dict[str, Any]] = [
        {"type": "watch", "game": game}, {"type": "play", "game": game, "move": "4", "index": 0},
        {"type": "undo", "game": game}, {"type": "decline", "game": game}, {"type": "resign", "game": game},
        {"type": "preview", "game": game, "move": "4"}, {"type": "describe", "game": game, "move": "4"},
        {"type": "build", "game": game, "parts": []}, {"type": "pause", "game": game, "paused": True},
        {"type": "step", "game": game}, {"type": "speed", "game": game, "seconds": 1}, {"type": "leave", "game": game},
    ]  # fmt: skip
    with server.socket(client) as talk:
        for number in range(400):
            message = {"v": 1, "id": number, **rng.choice(kinds)}
            talk.connection.send(json.dumps(message if rng.below(5) == 0 else mutated(message, rng)))
            if number % 20 == 0:  # at most 16 commands run at once, so wait for them now and then
                talk.connection.send(json.dumps({"v": 1, "id": 10_000 + number, "type": "ping"}))
                found = talk.until(lambda message, number=number: message.get("id") == 10_000 + number)
                assert found["type"] == "reply" or found["error"]["code"] == "too_many_requests"
        for text in ("", "{", "[" * 5000, '{"v":1,"v":2}', "\x00", '{"v":1,"type":"ping","id":1e400}', "NaN"):
            talk.connection.send(text)
        assert talk.ask("ping")["type"] == "reply"
    fresh = begin(client)
    wish = {"type": "play", "game": fresh, "move": "4", "index": 0}
    assert client.post(f"/api/games/{fresh}/commands", json=wish).status_code == 200


def test_mutated_requests_are_refused_with_a_sentence(server: PageServer) -> None:
    client, rng = server.client(), Random(12)
    game = begin(client)
    requests: list[tuple[str, dict[str, Any]]] = [
        ("games", {"game": "connect4", "seats": [{"kind": "me"}, {"kind": "me"}], "clock": "60", "position": "44"}),
        ("positions", {"game": "quoridor", "position": ""}),
        (f"games/{game}/commands", {"type": "play", "game": game, "move": "4", "index": 0}),
        (f"games/{game}/join", {"name": "Bo"}),
        ("join", {"code": "abc"}),
    ]
    for _ in range(150):
        path, body = rng.choice(requests)
        content = json.dumps(mutated(body, rng)).encode()
        reply = client.post(f"/api/{path}", content=content, headers={"content-type": "application/json"})
        assert reply.status_code < 500, (path, content)
        assert reply.status_code < 400 or reply.json()["error"]["message"]


@pytest.mark.slow
def test_requests_made_from_the_description_of_the_api_never_fail_inside(server: PageServer) -> None:
    import schemathesis
    from hypothesis import HealthCheck, given, settings

    cookies = dict(server.client().cookies)
    schema = schemathesis.openapi.from_url(f"{server.address}/api/openapi.json")
    for operation in schema.get_all_operations():
        each: Any = operation
        each = each.ok()
        if "tournaments" in each.path and each.method.lower() == "post":
            continue  # that would begin tournaments

        @settings(max_examples=30, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=each.as_strategy())
        def ask(case: Any) -> None:
            reply = case.call(base_url=server.address, cookies=cookies, timeout=60)
            assert reply.status_code < 500, f"{case.method} {case.path}: {reply.text}"

        ask()
