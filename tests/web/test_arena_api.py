"""The arena's API: what it plays, what it refuses, and that a killed server loses nothing."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from arena_server import Arena as ArenaServer
from arena_server import begun, state_of, until, visitor, wish
from starlette.requests import HTTPConnection

from joute.arena.plan import Entrant, Plan
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.errors import JouteError
from joute.web.arena.desk import Desk
from joute.web.arena.ledger import FAILED, RUNNING, STOPPED, Entry, Ledger
from joute.web.arena.limits import ArenaLimits
from joute.web.arena.runs import Arena, Run, hashed
from joute.web.arena.wishes import NewTournament, check_plan
from joute.web.arena.workspace import Workspace, id_of
from joute.web.context import is_local
from joute.web.errors import PageError
from joute.web.serve import run
from joute.web.settings import NOBODY, OWNER, VISITORS, Settings

pytest_plugins = ["page_fixtures"]

SLOW = "mcts:iterations=2000"
#: More games than any machine plays during a test.
MANY = 5000
NOWHERE = "0" * 16


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArenaServer]:
    made = ArenaServer(tmp_path_factory.mktemp("arena"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def finished(server: ArenaServer) -> str:
    """The address of a tournament of four games."""
    address = begun(server.visitor, **wish(title="Four games"))
    until(lambda: state_of(server.visitor, address) == "finished")
    return address


def test_a_tournament_is_played_and_told(server: ArenaServer, finished: str) -> None:
    shown = server.visitor.get(finished, params={"language": "fr"}).json()
    assert (shown["name"], shown["error"], shown["may_control"]) == ("Four games", "", True)
    report = shown["report"]
    assert (report["games"], report["length"], report["sessions"]) == (4, 4, 1)
    assert [leader["name"] for leader in report["leaders"]] == ["greedy", "random"]
    assert "<th" in report["standings"]
    assert "gagnées" in report["standings"]
    assert "<svg" in report["ratings"]
    assert "style=" not in report["ratings"] + report["course"] + report["cross"]
    listed = server.visitor.get("/api/tournaments").json()
    assert listed["may_begin"]
    assert finished.endswith(listed["tournaments"][0]["id"])
    assert [listed["tournaments"][0][key] for key in ("state", "games", "length")] == ["finished", 4, 4]


def test_every_game_can_be_replayed(server: ArenaServer, finished: str) -> None:
    listed = server.visitor.get(f"{finished}/games").json()
    assert [game["number"] for game in listed["games"]] == [4, 3, 2, 1]
    with Store.read(server.workspace / next(path.name for path in server.workspace.glob("*.db"))) as store:
        stored = list(store.games())
    for number in range(1, 5):
        game = server.visitor.get(f"{finished}/games/{number}").json()
        assert game["moves"] == [played.move for played in stored[number - 1].record.moves]
        assert len(game["positions"]) == len(game["moves"]) + 1
        assert (game["before"], game["after"]) == (number - 1 or None, number + 1 if number < 4 else None)


def test_games_are_listed_by_agent_opponent_result_and_reason(server: ArenaServer, finished: str) -> None:
    def count(**filters: Any) -> int:
        return int(server.visitor.get(f"{finished}/games", params=filters).json()["count"])

    won, drawn, lost = (count(agent=0, result=result) for result in (1, 0, -1))
    assert won + drawn + lost == count(agent=0, opponent=1) == 4
    assert (won, lost) == (count(agent=1, result=-1), count(agent=1, result=1))
    assert count(agent=0, opponent=0) == count(agent=99) == count(reason="crash") == 0
    assert count(reason="normal", first=3) == 4


def test_a_report_is_a_file_to_keep(server: ArenaServer, finished: str) -> None:
    answer = server.visitor.get(f"{finished}/report")
    assert answer.headers["content-disposition"].startswith('attachment; filename="connect4-')
    assert answer.text.startswith("<!doctype html>")
    assert "Four games" in answer.text


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    (wish("nosuch", "random"), 400, "bad_agent"),
    (wish("my_agent.py", "random"), 400, "bad_agent"),
    (wish("/etc/passwd", "random"), 400, "bad_agent"),
    (wish("ugi:/bin/sh", "random"), 400, "bad_agent"),
    (wish("joute.agents:Random", "random"), 400, "bad_agent"),
    (wish("students/*.py", "random"), 400, "bad_agent"),
    (wish("xmlrpc:http://127.0.0.1:1", "random"), 400, "bad_agent"),
    (wish("alphabeta:eval=os:system", "random"), 400, "bad_agent"),
    (wish("alphazero:net=/etc/passwd", "random"), 400, "bad_agent"),
    (wish("mcts:threads=64", "random"), 400, "bad_agent"),
    (wish("mcts:iterations=-1", "random"), 400, "bad_agent"),
    (wish("level:auto", "random"), 400, "bad_agent"),
    (wish("greedy"), 422, "bad_message"),
    (wish(*["greedy"] * 33), 400, "too_large"),
    (wish(games=0), 422, "bad_message"),
    (wish(games=10**9), 400, "too_large"),
    (wish(games=10**30), 422, "bad_message"),
    (wish(*["greedy"] * 32, games=100), 400, "too_large"),
    (wish(seed=-1), 422, "bad_message"),
    (wish(seed=2**64), 422, "bad_message"),
    (wish(seed=1.5), 422, "bad_message"),
    (wish(concurrency=10**6), 422, "bad_message"),
    (wish(schedule="nosuch"), 400, "bad_schedule"),
    (wish(schedule="imported"), 400, "bad_schedule"),
    (wish(schedule="swiss:rounds=-1"), 400, "bad_schedule"),
    (wish(schedule="sprt:elo0=5,elo1=1"), 400, "bad_schedule"),
    (wish("greedy", "random", "mcts", schedule="pairs"), 400, "bad_schedule"),
    (wish(openings="/etc/passwd"), 400, "bad_openings"),
    (wish(openings="../openings.txt"), 400, "bad_openings"),
    (wish(openings="random:most=1000000"), 400, "too_large"),
    (wish(openings="random:iterations=1000000000"), 400, "too_large"),
    (wish(openings="random:nosuch=1"), 400, "bad_openings"),
    (wish(clock="yesterday"), 400, "bad_clock"),
    (wish(clock="1e999"), 400, "bad_clock"),
    (wish(game="nosuch"), 400, "bad_game"),
    (wish(game="vampires:map=/etc/passwd"), 400, "bad_game"),
    (wish(db="/tmp/mine.db"), 422, "bad_message"),
    (wish(title="a\x1b[2J"), 422, "bad_message"),
    ({}, 422, "bad_message"),
    (wish(agents="greedy"), 422, "bad_message"),
]


@pytest.mark.parametrize(("form", "status", "code"), REFUSED)
def test_wishes_are_refused_with_a_sentence(server: ArenaServer, form: Any, status: int, code: str) -> None:
    before = set(server.workspace.iterdir())
    answer = server.visitor.post("/api/tournaments", json=form)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text
    assert len(answer.json()["error"]["message"]) > 10
    assert {path for path in server.workspace.iterdir() if path.suffix == ".db"} <= before


def test_no_file_that_a_visitor_names_is_opened(server: ArenaServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the answer is quick, or warns, would tell whether the file exists."""
    from joute.agents.registry import AgentType

    monkeypatch.setattr(AgentType, "check_for", lambda *_: pytest.fail("the values are checked before their bounds"))
    answer = server.visitor.post("/api/tournaments", json=wish("alphazero:net=/etc/passwd", "random"))
    assert answer.json()["error"]["code"] == "bad_agent"


def test_what_only_the_driver_finds_out_is_told_as_well(server: ArenaServer) -> None:
    named = [{"agent": "greedy", "name": "a"}, {"agent": "random", "name": "a"}]
    answer = server.visitor.post("/api/tournaments", json=wish(agents=named))
    assert answer.json()["error"] == {"code": "cannot_begin", "message": "2 agents are named 'a'; names must differ"}


@pytest.mark.parametrize("rest", ["", "/live", "/games", "/games/1", "/report"])
def test_what_does_not_exist_is_not_found(server: ArenaServer, finished: str, rest: str) -> None:
    for name in (NOWHERE, "..%2f..%2fetc%2fpasswd", "page.db", finished[-16:].upper() + "x", "%00", "' OR 1=1"):
        answer = server.visitor.get(f"/api/tournaments/{name}{rest}")
        assert answer.status_code in (404, 422), (name, answer.text)
        assert answer.json()["error"]["code"] in ("not_found", "bad_message")


def test_bad_numbers_are_refused(server: ArenaServer, finished: str) -> None:
    def status(path: str) -> int:
        return server.visitor.get(f"{finished}{path}").status_code

    assert [status(f"/games/{number}") for number in ("0", "-1", "1.5", "x", "9" * 40)] == [422] * 5
    assert [status(f"/games/{number}") for number in (5, 10**9)] == [404] * 2
    assert [status(f"/games?{text}") for text in ("first=-1", "result=7", "agent=x", "file=/etc/passwd")] == [422] * 4
    assert status("?language=../../en") == 422
    answer = server.visitor.post(f"{finished}/commands", json={"type": "delete"})
    assert answer.status_code == 422
    assert server.visitor.post(f"/api/tournaments/{NOWHERE}/commands", json={"type": "stop"}).status_code == 404


def test_without_a_session_nothing_is_told(server: ArenaServer, finished: str) -> None:
    for path in ("/api/tournaments", "/api/tournaments/form", finished, f"{finished}/report"):
        answer = httpx.get(f"{server.address}{path}", trust_env=False)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "no_session")


# --- The workspace ---


def test_any_database_of_the_workspace_and_nothing_else_can_be_opened(
    server: ArenaServer, finished: str, tmp_path: Path
) -> None:
    own = next(path for path in server.workspace.glob("*.db") if id_of(path.name) == finished[-16:])
    given = server.workspace / "given.db"
    with closing(sqlite3.connect(own)) as before, closing(sqlite3.connect(given)) as after:
        before.backup(after)  # a copy of the file alone lacks what is still in its log
    elsewhere = tmp_path / "elsewhere.db"
    shutil.copy(own, elsewhere)
    made = {name: server.workspace / f"{name}.db" for name in ("text", "foreign", "damaged", ".hidden", "linked")}
    made["text"].write_text("not a database")
    sqlite3.connect(made["foreign"]).execute("CREATE TABLE t (x)").connection.close()
    made["damaged"].write_bytes(own.read_bytes()[:3000])
    shutil.copy(own, made[".hidden"])
    made["linked"].symlink_to(elsewhere)
    try:
        listed = {each["id"]: each for each in server.visitor.get("/api/tournaments").json()["tournaments"]}
        known = {name: listed.get(id_of(f"{name}.db"), {}).get("state") for name in (*made, "given")}
        assert known == {
            "text": None, "foreign": None, "damaged": "damaged", ".hidden": None, "linked": None, "given": "finished"
        }  # fmt: skip
        told = listed[id_of("damaged.db")]["error"]
        assert "damaged.db" in told
        assert str(server.workspace) not in told
        address = f"/api/tournaments/{id_of('given.db')}"
        assert server.visitor.get(f"{address}/games/2").json()["number"] == 2
        assert not server.visitor.get(address).json()["may_control"]
        for what in ("continue", "pause", "stop"):
            answer = server.visitor.post(f"{address}/commands", json={"type": what})
            assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_ours")
        for name in (".hidden", "linked"):
            assert server.visitor.get(f"/api/tournaments/{id_of(f'{name}.db')}").status_code == 404
        damaged = server.visitor.get(f"/api/tournaments/{id_of('damaged.db')}").json()
        assert (damaged["state"], damaged["report"]) == ("damaged", None)
    finally:
        for path in (*made.values(), given):
            path.unlink()


def test_a_database_with_agents_of_others_is_not_continued() -> None:
    settings = Settings(agents=("/listed/agent.py",))
    fine = Plan("connect4", (Entrant("a", "greedy"), Entrant("b", "/listed/agent.py")))
    check_plan(fine, settings)
    for agent in ("ugi:/bin/sh -c id", "/home/me/agent.py", "alphabeta:eval=os:system"):
        with pytest.raises(PageError) as refused:
            check_plan(Plan("connect4", (Entrant("a", "greedy"), Entrant("b", agent))), settings)
        assert refused.value.code == "bad_agent"
    with pytest.raises(PageError):
        check_plan(Plan("connect4", fine.entrants, frozen=True), settings)


def test_the_driver_refuses_a_database_that_was_replaced(server: ArenaServer, tmp_path: Path) -> None:
    """Whoever can put a file in the workspace cannot make the page run its agents."""
    agent = tmp_path / "agent.py"
    agent.write_text("class A:\n    def choose(self, state, clock):\n        return state.legal_moves[0]\n")
    address = begun(server.visitor, **wish(SLOW, "random", games=MANY))
    server.visitor.post(f"{address}/commands", json={"type": "stop"})
    until(lambda: state_of(server.visitor, address) == "stopped")
    path = next(path for path in server.workspace.glob("*.db") if id_of(path.name) == address[-16:])
    path.unlink()
    Tournament.create(Plan("connect4", (Entrant("a", "greedy"), Entrant("b", str(agent)))), path).close()
    answer = server.visitor.post(f"{address}/commands", json={"type": "continue"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "cannot_begin")
    assert "only built-in agents" in answer.json()["error"]["message"]
    shown = server.visitor.get(address).json()
    assert shown["state"] == "failed"
    assert "only built-in agents" in shown["error"]


# --- Halting, limits, rights ---


def test_a_tournament_is_watched_paused_continued_and_stopped(server: ArenaServer) -> None:
    client = server.visitor
    address = begun(client, **wish(SLOW, SLOW, games=MANY))
    board = until(lambda: [board for board in client.get(f"{address}/live").json()["boards"] if board["moves"]])[0]
    assert board["scene"]["boards"]["shapes"]
    assert board["players"] == [SLOW, f"{SLOW} #2"][:: 1 - 2 * (board["number"] % 2 == 0)]

    assert client.post(f"{address}/commands", json={"type": "pause"}).json()["state"] == "ending"
    until(lambda: state_of(client, address) == "paused")
    games = client.get(address).json()["report"]["games"]
    assert 0 < games < MANY

    other = begun(client, **wish(SLOW, "random", games=MANY))
    assert client.post(f"{address}/commands", json={"type": "continue"}).json()["state"] == "running"
    answer = client.post("/api/tournaments", json=wish())
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "too_many_tournaments")
    until(lambda: client.get(address).json()["report"]["sessions"] == 2)
    for each in (address, other):
        client.post(f"{each}/commands", json={"type": "stop"})
    until(lambda: [state_of(client, each) for each in (address, other)] == ["stopped"] * 2)
    answer = client.post(f"{address}/commands", json={"type": "pause"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_running")


LOCAL = [
    ("127.0.0.1", "127.0.0.1", {}, True), ("::1", "::1", {}, True), ("::ffff:127.0.0.1", "::ffff:127.0.0.1", {}, True),
    ("192.168.1.5", "192.168.1.5", {}, True), ("192.168.1.6", "192.168.1.5", {}, False), ("", "192.168.1.5", {}, False),
    ("127.0.0.1", "127.0.0.1", {"X-Forwarded-For": "192.168.1.6"}, False),
]  # fmt: skip


@pytest.mark.parametrize(("client", "server", "headers", "local"), LOCAL)
def test_requests_of_this_machine_are_told_from_others(
    client: str, server: str, headers: dict[str, str], local: bool
) -> None:
    scope = {"type": "http", "client": (client, 50_000), "server": (server, 8000),
             "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()]}  # fmt: skip
    assert is_local(HTTPConnection(scope)) is local


@pytest.mark.parametrize(
    ("who", "local", "may"),
    [(OWNER, True, True), (OWNER, False, False), (VISITORS, False, True), (NOBODY, True, False)],
)
def test_on_a_shared_page_the_owner_decides_who_begins_tournaments(
    tmp_path: Path, who: str, local: bool, may: bool
) -> None:
    desk = Desk(Arena(Settings(workspace=tmp_path, code="secret code", tournaments=who)), "me", is_local=local)
    call = desk.begin(NewTournament.model_validate(wish("nosuch", "random")))
    with pytest.raises(PageError) as refused:
        call.send(None)
    assert refused.value.code == ("bad_agent" if may else "may_not_begin")


def test_what_agents_wrote_is_for_the_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arena = Arena(Settings(workspace=tmp_path, code="secret code", tournaments=VISITORS))
    with pytest.raises(PageError) as refused:
        Desk(arena, "me", is_local=False).report("").send(None)
    assert refused.value.code == "may_not_download"
    asked: list[dict[str, Any]] = []

    async def job(_desk: Desk, _kind: str, request: dict[str, Any]) -> dict[str, Any]:
        asked.append(request)
        return {}

    monkeypatch.setattr(Desk, "_job", job)
    (tmp_path / "t.db").touch()
    for local in (False, True):
        desk = Desk(arena, "me", is_local=local)
        with pytest.raises(StopIteration):
            desk.game(id_of("t.db"), 1).send(None)
    assert [request["has_output"] for request in asked] == [False, True]


def test_visitors_control_only_tournaments_of_their_own(tmp_path: Path) -> None:
    arena = Arena(Settings(workspace=tmp_path, code="secret code", tournaments=VISITORS))
    arena.ledger.entries["t.db"] = Entry(STOPPED, starter=hashed("me"))
    for who, code in (("you", "may_not_control"), ("me", "not_ours")):
        with pytest.raises(PageError) as refused:
            Desk(arena, who, is_local=False).command(id_of("t.db"), "continue").send(None)
        assert refused.value.code == code  # not_ours: this arena was not started, so it may not play


def test_disk_and_number_are_bounded(tmp_path: Path) -> None:
    (tmp_path / "one.db").write_bytes(b"x" * (2 << 20))
    for limits in (ArenaLimits(files=1), ArenaLimits(workspace_mb=1)):
        arena = Arena(Settings(workspace=tmp_path), limits)
        arena.ledger.open()
        with pytest.raises(PageError) as refused:
            arena._check_room()
        assert refused.value.code == "workspace_full"
        arena.ledger.close()


def test_the_report_of_a_tournament_that_has_ended_has_its_last_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if its making began before the end. The size of the file stands for the games in it."""
    file = tmp_path / "t.db"
    file.write_bytes(b"1")

    async def shown() -> list[int]:
        arena, going = Arena(Settings(workspace=tmp_path)), asyncio.Event()
        process = await asyncio.create_subprocess_exec("true", stdout=asyncio.subprocess.PIPE)
        run = arena.runs["t.db"] = Run(process)

        async def job(_desk: Desk, _kind: str, _request: dict[str, Any]) -> dict[str, Any]:
            games = file.stat().st_size
            await going.wait()
            return {"games": games}

        async def ask() -> asyncio.Task[dict[str, Any]]:
            asked = asyncio.create_task(Desk(arena, "me", is_local=True).show(id_of("t.db"), "en"))
            for _ in range(5):
                await asyncio.sleep(0)
            return asked

        monkeypatch.setattr(Desk, "_job", job)
        before = await ask()
        file.write_bytes(b"12")
        run.over.set()
        after = await ask()
        going.set()
        found = [(await each)["report"]["games"] for each in (before, after)]
        await process.wait()
        return found

    assert asyncio.run(shown()) == [2, 2]


def test_processes_that_have_ended_are_forgotten(tmp_path: Path) -> None:
    async def ended() -> None:
        arena, entry = Arena(Settings(workspace=tmp_path)), Entry(RUNNING)
        process = await asyncio.create_subprocess_exec("true", stdout=asyncio.subprocess.PIPE)
        arena.runs["t.db"] = Run(process)
        await arena._follow("t.db", entry, arena.runs["t.db"])
        assert entry.state == FAILED
        assert arena.runs == {}

    asyncio.run(ended())


def test_a_process_that_does_not_start_is_told_and_keeps_no_server_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def none(*_: Any, **__: Any) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    async def started() -> None:
        arena = Arena(Settings(workspace=tmp_path))
        await arena.start()
        with pytest.raises(PageError, match="could not be started: Resource"):
            await arena.begin(NewTournament.model_validate(wish()), "me")
        for entry in arena.ledger.entries.values():
            assert entry.state == FAILED
            entry.state = RUNNING
        arena._save()
        await arena.close()
        await arena.start()
        assert [entry.state for entry in arena.ledger.entries.values()] == [FAILED]
        await arena.close()

    monkeypatch.setattr(asyncio, "create_subprocess_exec", none)
    asyncio.run(started())


def test_a_tournament_stops_when_its_file_is_too_large(tmp_path: Path) -> None:
    order = {
        "db": str(tmp_path / "t.db"), "concurrency": 1, "listed": [], "boards": 1, "most_bytes": 1,
        "order": {
            "game": "connect4", "agents": [["greedy", "", ""], ["random", "", ""]], "sandbox": False,
            "settings": {"games": 100, "openings": "start"},
        },
    }  # fmt: skip
    command = [sys.executable, "-P", "-m", "joute.web.arena.driver"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdin is not None
        assert driver.stdout is not None
        driver.stdin.write(json.dumps(order) + "\n")
        driver.stdin.flush()  # and stays open: its end would stop the driver
        *_, last = map(json.loads, driver.stdout)
    assert last == {"ended": "failed", "error": "the database has reached 0 MB, the most for one of the page"}
    with Store.read(tmp_path / "t.db") as store:
        assert 0 < store.count < 100


# --- Restarts ---


def test_a_second_server_only_watches(tmp_path: Path) -> None:
    first, second = Ledger(tmp_path), Ledger(tmp_path)
    first.open()
    first.entries["t.db"] = Entry(RUNNING, title="mine")
    first.save()
    second.open()
    assert first.is_ours
    assert not second.is_ours
    assert second.entries["t.db"].title == "mine"
    first.close()
    second.open()
    assert second.is_ours
    second.close()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"t.db": 1}', '{"t.db": {"state": "odd"}}', '{"../t.db": {}}'])
def test_a_damaged_ledger_counts_as_empty(tmp_path: Path, text: str) -> None:
    (tmp_path / ".page.json").write_text(text)
    ledger = Ledger(tmp_path)
    ledger.open()
    assert ledger.entries == {}
    ledger.close()


def test_a_workspace_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with socket.socket() as listening, pytest.raises(JouteError, match="cannot be made"):
        run(Settings(workspace=tmp_path / "file" / "w", database=tmp_path / "page.db"), listening)


def test_ids_do_not_reach_other_folders(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside.db").touch()
    assert Workspace(tmp_path / "inside").find(id_of("../outside.db")) is None


class Served:
    """``joute serve`` in a process that can be killed."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [
                sys.executable, "-m", "joute", "serve", "--port", "0", "--workers", "1",
                "--database", str(folder / "page.db"), "--workspace", str(folder / "workspace"),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.visitor = visitor(line.removeprefix("The page is at ").partition("/ ")[0])

    def kill(self) -> None:
        self.visitor.close()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def test_a_killed_server_resumes_and_no_finished_game_is_lost_or_repeated(tmp_path: Path) -> None:
    def stored() -> dict[int, tuple[str, tuple[str, ...]]]:
        with Store.read(next((tmp_path / "workspace").glob("*.db"))) as store:
            return {
                each.pairing.number: (each.started, tuple(played.move for played in each.record.moves))
                for each in store.games()
            }

    first = Served(tmp_path)
    address = begun(first.visitor, **wish("mcts:iterations=15000", "greedy", games=12))
    until(lambda: len(stored()) >= 3)
    first.kill()
    before = stored()
    assert 3 <= len(before) < 12

    second = Served(tmp_path)
    try:
        shown = second.visitor.get(address).json()
        assert shown["restarts"] == 1
        until(lambda: state_of(second.visitor, address) == "finished")
        after = stored()
        # The driver of the killed server may have stored a game more before it ended.
        assert sorted(after) == list(range(12))
        assert before.items() <= after.items()
        assert second.visitor.get(address).json()["report"]["sessions"] == 2
    finally:
        second.kill()
