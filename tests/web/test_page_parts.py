"""Parts of the page's server by themselves: races, failures and bounds that a browser cannot bring about at will."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from joute.errors import JouteError
from joute.match.record import Reason
from joute.web.jobs import Context
from joute.web.jobs import play as jobs
from joute.web.live import LiveGame
from joute.web.messages import NewGame, Seat
from joute.web.pool import EnginePool, Job, JobError
from joute.web.settings import Limits, Settings
from joute.web.socket import Socket
from joute.web.store import GameRow, GameStore, SeatRow
from joute.web.tables import Tables

ME = Seat.model_validate({"kind": "me"})
AGENT = Seat.model_validate({"kind": "agent", "agent": "greedy"})


class Asked:
    """A pool that keeps its jobs for the test to answer."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def run(self, kind: str, request: dict[str, Any], *, limit_s: float, **_: Any) -> Job:
        self.jobs.append(Job(len(self.jobs), kind, request, visitor="", key="", limit_s=limit_s))
        return self.jobs[-1]


class Viewer:
    """A viewer who keeps what was told."""

    def __init__(self, visitor: str = "me") -> None:
        self.visitor = visitor
        self.texts: list[str] = []

    def tell(self, text: str) -> None:
        self.texts.append(text)


def with_tables(folder: Path, test: Callable[[Tables, Asked], Coroutine[Any, Any, None]], **limits: Any) -> None:
    """Run a test with tables whose agents answer when the test says so."""

    async def run() -> None:
        settings = Settings(database=folder / "page.db", pause_s=0.0, limits=Limits(**limits))
        store, asked = GameStore(settings.path), Asked()
        tables: Any = Tables(settings, store, asked)  # type: ignore[arg-type]
        try:
            async with asyncio.timeout(30):
                await test(tables, asked)
        finally:
            await tables.close()
            store.close()

    asyncio.run(run())


def begun(tables: Tables, *seats: Seat, clock: str = "none") -> LiveGame:
    first, second = seats
    wish = NewGame.model_validate({"game": "connect4", "seats": (first, second), "clock": clock})
    return tables.create(wish, "me")


async def until(test: Callable[[], Any]) -> None:
    """Let other tasks run until a test passes."""
    while not test():
        await asyncio.sleep(0)


def test_an_answer_to_a_position_that_was_taken_back_is_dropped(tmp_path: Path) -> None:
    async def test(tables: Tables, asked: Asked) -> None:
        live = begun(tables, ME, AGENT)
        live.watch(Viewer())
        live.play("me", "4", 0)
        await until(lambda: asked.jobs)
        await asyncio.sleep(0)
        live.undo("me")
        live.play("me", "1", 0)  # in the same turn of the loop, so the agent's task sees one move as before
        asked.jobs[0].finish({"move": "7", "time_s": 0.0, "info": None})
        await until(lambda: len(asked.jobs) == 2 or len(live.game.moves) == 2)
        assert [played.move for played in live.game.moves] == ["1"]
        assert asked.jobs[1].request["line"] == ["1"]

    with_tables(tmp_path, test)


def test_an_agent_is_asked_once_more_if_its_process_ends(tmp_path: Path) -> None:
    async def test(tables: Tables, asked: Asked) -> None:
        live = begun(tables, AGENT, ME)
        live.watch(Viewer())
        for _ in range(2):
            await until(lambda: asked.jobs and asked.jobs[-1].is_done is False)
            assert not live.game.is_over
            asked.jobs[-1].lose("the engine's process ended")
        assert len(asked.jobs) == 2
        await until(lambda: live.game.is_over)
        assert live.game.reason is Reason.CRASH

    with_tables(tmp_path, test)


def test_no_clock_lets_a_search_hold_a_process_for_long(tmp_path: Path) -> None:
    async def test(tables: Tables, asked: Asked) -> None:
        for number, (clock, seconds) in enumerate((("none", 20), ("9/move", 9.6), ("999999999/move", 120))):
            begun(tables, AGENT, ME, clock=clock).watch(Viewer())
            await until(lambda number=number: len(asked.jobs) > number)  # type: ignore[misc]
            assert asked.jobs[-1].limit_s == pytest.approx(seconds, abs=0.2)

    with_tables(tmp_path, test)


def test_a_game_that_is_followed_again_is_not_dropped_from_a_full_memory(tmp_path: Path) -> None:
    async def test(tables: Tables, asked: Asked) -> None:
        first, second = begun(tables, ME, ME), begun(tables, ME, ME)
        tables._idle_since[first.row.id] = 0.0  # nobody followed it in the last round
        viewer = Viewer()
        tables.find(first.row.id).watch(viewer)
        begun(tables, ME, ME)
        assert tables.find(first.row.id) is first
        assert tables.find(second.row.id) is not second

    with_tables(tmp_path, test, games=2)


def test_games_with_clocks_that_nobody_follows_do_not_fill_the_memory(tmp_path: Path) -> None:
    async def test(tables: Tables, asked: Asked) -> None:
        played, untouched = begun(tables, ME, ME, clock="900"), begun(tables, ME, ME, clock="900")
        played.play("me", "4", 0)
        assert played.is_ticking
        assert not untouched.is_ticking
        begun(tables, ME, ME)  # the game whose clock runs stays as long as there is another
        assert tables.find(played.row.id) is played
        begun(tables, ME, ME, clock="900").play("me", "4", 0)
        begun(tables, ME, ME, clock="900").play("me", "4", 0)
        assert len(tables._games) == 2

    with_tables(tmp_path, test, games=2)


def test_an_answer_that_is_too_long_costs_no_engine_process(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        pool = EnginePool(1)
        await pool.start()
        try:
            request = {"game": "connect4", "position": "112233"}
            with pytest.raises(JobError):
                await pool.run("refute", request, visitor="", limit_s=20).result()
            monkeypatch.undo()
            async with asyncio.timeout(30):
                assert (await pool.run("refute", request, visitor="", limit_s=20).result())["reply"]
        finally:
            await pool.close()

    monkeypatch.setattr("joute.web.pool._MOST_LINE_BYTES", 16)
    asyncio.run(run())


def test_updates_that_nobody_takes_do_not_pile_up() -> None:
    async def run() -> None:
        job = Job(1, "review", {}, visitor="", key="", limit_s=1)
        for number in range(3):
            job.tell({"done": number})
        job.finish({})
        assert [update async for update in job] == [{"done": 2}]

    asyncio.run(run())


@pytest.mark.parametrize(("count", "length"), [(300, 1), (20, 1 << 20)])
def test_messages_do_not_pile_up_for_a_browser_that_stops_reading(count: int, length: int) -> None:
    class Stuck:
        """A connection whose other end neither reads nor writes."""

        async def send_text(self, text: str) -> None:
            await asyncio.Event().wait()

        async def receive_text(self) -> str:
            await asyncio.Event().wait()
            return ""

        async def close(self, code: int) -> None:
            await asyncio.Event().wait()

    class Settled:
        settings = Settings()

    async def run() -> None:
        socket = Socket(Stuck(), Settled(), "me")  # type: ignore[arg-type]
        running = asyncio.create_task(socket.run())
        await asyncio.sleep(0)
        for _ in range(count):
            socket.tell("x" * length)
        assert socket._unsent.qsize() * length < 8 << 20
        async with asyncio.timeout(20):
            await running

    asyncio.run(run())


def test_a_move_that_could_not_be_saved_is_saved_with_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    async def test(tables: Tables, asked: Asked) -> None:
        live, viewer = begun(tables, ME, ME), Viewer()
        live.watch(viewer)
        with monkeypatch.context() as failing:
            failing.setattr(GameStore, "save", full)
            with pytest.warns(UserWarning, match="disk is full"):
                live.play("me", "4", 0)
        assert len(viewer.texts) == 2  # the game goes on
        live.play("me", "1", 1)
        _row, moves = tables._store.load(live.row.id)  # type: ignore[misc]
        assert [played.move for played in moves] == ["4", "1"]

    with_tables(tmp_path, test)


def test_a_full_disk_is_told_and_keeps_no_later_game_from_being_saved(tmp_path: Path) -> None:
    store = GameStore(tmp_path / "page.db")
    store._db.execute("PRAGMA max_page_count = 1")  # SQLite takes the present size
    rows = [GameRow(f"game{number:04}", "me", "connect4", "", 1, "none", (SeatRow("person"), SeatRow("person")))
            for number in range(200)]  # fmt: skip
    with pytest.raises(sqlite3.OperationalError, match="full"):
        deque(map(store.add, rows))
    store._db.execute("PRAGMA max_page_count = 1000")
    store.add(replace(rows[0], id="another"))
    store.close()


def test_any_text_of_an_agent_can_be_saved(tmp_path: Path) -> None:
    store = GameStore(tmp_path / "page.db")
    row = GameRow("abcdefgh", "me", "connect4", "", 1, "none", (SeatRow("person"), SeatRow("agent", agent="a.py")))
    row.ending = [1, "crash", "wrote \udcff", [1.0, 1.0]]
    store.add(row)
    store.save(row, [], first=0)
    found = store.load(row.id)
    assert found is not None
    assert found[0].ending == row.ending
    store.close()


def test_a_second_server_does_not_use_the_same_file(tmp_path: Path) -> None:
    first = GameStore(tmp_path / "page.db")
    with pytest.raises(JouteError, match="another server"):
        GameStore(tmp_path / "page.db")
    first.close()
    GameStore(tmp_path / "page.db").close()
    assert (tmp_path / "page.db").stat().st_mode & 0o077 == 0


def test_a_game_without_an_end_of_its_own_ends_at_the_ply_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joute.web.live.MAX_PLIES", 4)

    async def test(tables: Tables, asked: Asked) -> None:
        seats = {"game": "quoridor:rules=course", "seats": (ME, ME)}
        live = tables.create(NewGame.model_validate(seats), "me")
        for number, move in enumerate(["e2", "e8", "e1", "e9"]):
            live.play("me", move, number)
        assert live.game.reason is Reason.PLY_LIMIT

    with_tables(tmp_path, test)


def test_an_engine_process_keeps_fewer_agents_while_they_take_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_kept", OrderedDict())
    request = {"game": "connect4", "start": "", "start_outcomes": [], "player": 0, "agent": "greedy", "seed": 1}

    def counts() -> list[int]:
        found = []
        for number in range(6):
            jobs._agent({**request, "key": str(number)})
            found.append(len(jobs._kept))
        return found

    monkeypatch.setattr(jobs, "used_mb", lambda: 500)
    assert counts() == [1, 2, 3, 4, 4, 4]
    monkeypatch.setattr(jobs, "used_mb", lambda: 2000 if len(jobs._kept) > 1 else 500)
    assert counts() == [2, 2, 2, 2, 2, 2]


def test_a_search_that_is_stopped_before_it_begins_does_not_begin() -> None:
    request = {"game": "connect4", "start": "", "start_outcomes": [], "line": [], "player": 0, "key": "stopped",
               "agent": "mcts:iterations=1000000000000", "seed": 1, "clock": {}, "limit_s": None}  # fmt: skip
    context = Context(lambda update: None)
    context.stop()
    with pytest.raises(JouteError, match="before it began"):
        jobs.move(request, context)
