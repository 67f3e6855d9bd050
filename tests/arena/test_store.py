"""The file of a tournament: what goes in comes out, and whatever is wrong with a file costs a sentence."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from joute import Result
from joute.agents import SearchInfo
from joute.arena.plan import Plan, make_plan
from joute.arena.schedules.schedule import Pairing
from joute.arena.store.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION
from joute.arena.store.store import Store, StoreError
from joute.arena.tournament import Tournament
from joute.match import GameRecord, MoveRecord, Reason, play_game

NOW = datetime.now(UTC)


def made(path: Path, plan: Plan | None = None) -> Store:
    plan = plan or make_plan("connect4", ["greedy", "random", "mcts:iterations=50"], games=4)
    return Store.create(path, plan, plan.sources(), ("", "44"), command="joute tournament", note="a note")


def filled(path: Path, games: int = 20) -> list[GameRecord]:
    with made(path) as store:
        store.begin_session(workers=1, note="")
        for number in range(games):
            store.add(Pairing(number, (0, 2), 0), played(number), started=NOW)
        return list(store.records())


def played(seed: int) -> GameRecord:
    record = play_game("connect4", "greedy", "mcts:iterations=50", seed=seed)
    return GameRecord.from_data(record.as_data())  # as workers send it


def test_records_come_back_as_they_were(tmp_path: Path) -> None:
    with made(tmp_path / "t.db") as store:
        store.begin_session(workers=1, note="")
        ordinary = played(2**64 - 1)
        assert any(move.info and move.info.pv for move in ordinary.moves)
        told = SearchInfo(value_for_mover=-0.25, depth=3, nodes=2**62, pv=("4", "a b", "ü"))
        strange = GameRecord(
            game="connect4",
            start="44",
            players=("random", "greedy"),
            seed=7,
            moves=(MoveRecord(0, "4", 0.5, (1, 0), told), MoveRecord(1, "1", 0.0, (), SearchInfo())),
            result=Result(-1, score=-(2**30), margin=-3, decided_by="forfeit"),
            reason=Reason.TIME,
            detail="greedy 'took' its \0 time\n",
            start_outcomes=(3, 1),
            isolation=("process", "sandbox"),
            output=("first\nsaid", "second said"),
            overhead_s=0.125,
        )
        store.add(Pairing(5, (0, 2), 0), ordinary, started=NOW)
        store.add(Pairing(3, (1, 0), 1), strange, started=NOW)
        assert list(store.records()) == [strange, ordinary]
        assert [stored.pairing for stored in store.games()] == [Pairing(3, (1, 0), 1), Pairing(5, (0, 2), 0)]
    with Store.resume(tmp_path / "t.db") as store:
        assert list(store.records()) == [strange, ordinary]
        assert (store.openings, store.note, store.command) == (("", "44"), "a note", "joute tournament")


def test_plans_come_back_as_they_were(tmp_path: Path) -> None:
    agents = [("greedy", "Anna", "60+0.5"), ("random", "", "")]
    plan = make_plan("connect4", agents, seed=2**64 - 1, margin_s=0.25, clock="2/move", openings="start")
    assert Plan.from_data(plan.as_data()) == plan
    with made(tmp_path / "t.db", plan) as store:
        assert store.plan == plan


def test_what_sqlite_cannot_hold_is_stored_as_near_as_can_be(tmp_path: Path) -> None:
    with made(tmp_path / "t.db") as store:
        store.begin_session(workers=1, note="")
        info = SearchInfo(nodes=10**30, depth=-(10**30), pv=("\udcff",))
        record = GameRecord(
            game="connect4",
            start="",
            players=("greedy", "random"),
            seed=1,
            moves=(MoveRecord(0, "4", 0.1, (), info),),
            result=Result(1, decided_by="forfeit"),
            reason=Reason.CRASH,
            detail="wrote \udcff",
        )
        store.add(Pairing(0, (0, 1), 0), record, started=NOW)
        (kept,) = store.records()
        assert kept.detail == "wrote \\udcff"
        assert kept.moves[0].info == SearchInfo(nodes=2**63 - 1, depth=-(2**63), pv=("\udcff",))


def test_a_game_is_stored_whole_or_not_at_all_and_never_twice(tmp_path: Path) -> None:
    with made(tmp_path / "t.db") as store:
        store.begin_session(workers=1, note="")
        store.add(Pairing(0, (0, 2), 0), played(1), started=NOW)
        with pytest.raises(StoreError, match="UNIQUE constraint failed"):
            store.add(Pairing(0, (0, 2), 0), played(2), started=NOW)
        broken = GameRecord(
            "connect4", "", ("greedy", "random"), 1, (MoveRecord(0, "4", 0.1), MoveRecord(1, [], 0.1)),  # type: ignore[arg-type]
            Result(1), Reason.NORMAL,
        )  # fmt: skip
        with pytest.raises(AttributeError):
            store.add(Pairing(1, (0, 1), 0), broken, started=NOW)
        assert len(list(store.records())) == 1
        store.add(Pairing(1, (0, 2), 0), played(3), started=NOW)
    with Store.read(tmp_path / "t.db") as store:
        assert [stored.pairing.number for stored in store.games()] == [0, 1]


def test_a_store_can_be_read_while_its_driver_holds_it(tmp_path: Path) -> None:
    with made(tmp_path / "t.db") as driver:
        driver.begin_session(workers=1, note="")
        with Store.read(tmp_path / "t.db") as reader:
            assert list(reader.records()) == []
            driver.add(Pairing(0, (0, 2), 0), played(1), started=NOW)
            assert list(reader.records()) == list(driver.records()) != []


def test_reading_a_finished_tournament_leaves_nothing_behind(tmp_path: Path) -> None:
    records = filled(tmp_path / "t.db", games=2)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link.db").symlink_to(tmp_path / "t.db")
    before = sorted(tmp_path.rglob("*"))
    for path in (tmp_path / "t.db", tmp_path / "elsewhere" / "link.db"):
        with Store.read(path) as store:
            assert list(store.records()) == records
            assert sorted(tmp_path.rglob("*")) == before
        assert sorted(tmp_path.rglob("*")) == before


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """Work as a user who may not write everywhere, if this one is root."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


@pytest.mark.parametrize("mode", ["delete", "wal"])  # as a driver leaves it, and as one of version 1 did
def test_a_finished_tournament_is_read_where_nobody_may_write(mode: str) -> None:
    with tempfile.TemporaryDirectory() as name:  # below it, not below the folder of all tests, others may look
        folder = Path(name)
        records = filled(folder / "t.db", games=2)
        sqlite3.connect(folder / "t.db").execute(f"PRAGMA journal_mode = {mode}").connection.close()
        (folder / "t.db").chmod(0o444)
        folder.chmod(0o555)
        with as_nobody(), Store.read(folder / "t.db") as store:
            assert list(store.records()) == records
        assert [file.name for file in folder.iterdir()] == ["t.db"]
        folder.chmod(0o755)


def test_a_killed_tournament_is_read_with_all_its_games(tmp_path: Path) -> None:
    (tmp_path / "left").mkdir()
    with made(tmp_path / "t.db") as driver:
        driver.begin_session(workers=1, note="")
        driver.add(Pairing(0, (0, 2), 0), played(1), started=NOW)
        for file in driver.files[:2]:  # as a kill leaves them
            shutil.copy(file, tmp_path / "left")
        records = list(driver.records())
    os.symlink(tmp_path / "left" / "t.db", tmp_path / "link.db")
    for path in (tmp_path / "left" / "t.db", tmp_path / "link.db"):
        with Store.read(path) as store:
            assert list(store.records()) == records != []


def test_one_driver_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with made(path):
        attempts: list[Callable[[], Store]] = [lambda: Store.resume(path), lambda: made(path)]
        for attempt in attempts:
            with pytest.raises(StoreError, match="is in use: its tournament is running in another process"):
                attempt()
    with Store.resume(path), pytest.raises(StoreError, match="is in use"):
        Store.resume(path)
    Store.resume(path).close()


def test_a_file_that_holds_a_tournament_is_not_overwritten(tmp_path: Path) -> None:
    records = filled(tmp_path / "t.db", games=2)
    with pytest.raises(StoreError, match="already holds a tournament; to continue it: joute tournament --resume --db"):
        made(tmp_path / "t.db")
    with Store.resume(tmp_path / "t.db") as store:
        assert list(store.records()) == records


def test_a_tournament_killed_while_it_was_created_can_be_created_again(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    path.touch()
    with pytest.raises(StoreError, match="is empty: its tournament was stopped before it was created"):
        Store.resume(path)
    sqlite3.connect(path).execute("PRAGMA journal_mode = WAL").connection.close()
    assert path.stat().st_size > 0
    with pytest.raises(StoreError, match="is empty"):
        Store.resume(path)
    made(path).close()
    Store.resume(path).close()


def text_file(path: Path) -> None:
    path.write_text("Dear diary, today I lost at Connect Four." * 200)


def foreign_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.commit()
    connection.close()


def newer(path: Path) -> None:
    filled(path, games=1)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()


def cut(path: Path) -> None:
    filled(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def scribbled(path: Path) -> None:
    filled(path)
    data = bytearray(path.read_bytes())
    for page in range(8192, len(data), 4096):
        data[page : page + 200] = b"\x99" * 200
    path.write_bytes(data)


def wrong_plan(path: Path) -> None:
    filled(path, games=1)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE tournament SET plan = '{}'")
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (text_file, "is not a database"),
        (foreign_database, "is a database, but not one of Joute's"),
        (newer, "was made by a newer Joute"),
        (cut, "is damaged"),
        (scribbled, "is damaged"),
        (wrong_plan, "is damaged"),
    ],
)
def test_a_file_that_cannot_be_used_gives_one_clear_error(
    tmp_path: Path, spoil: Callable[[Path], None], complaint: str
) -> None:
    path = tmp_path / "t.db"
    spoil(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=complaint) as raised:
        Store.resume(path)
    assert len(str(raised.value).splitlines()) == 1
    assert path.read_bytes() == before
    with pytest.raises(StoreError):
        list(Store.read(path).records())


def test_a_file_that_is_not_there_gives_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no file"):
        Store.resume(tmp_path / "no.db")
    with pytest.raises(StoreError, match="there is no folder"):
        made(tmp_path / "no" / "t.db")
    for attempt in (Store.resume, Store.read, made):
        with pytest.raises(StoreError, match=re.escape(f"{tmp_path} is a folder, not a file")):
            attempt(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_agent_that_changed_is_refused(tmp_path: Path) -> None:
    agent = tmp_path / "mine.py"
    agent.write_text("def choose(state, clock):\n    return state.legal_moves[0]\n")
    plan = make_plan("connect4", [str(agent), "random"])
    made(tmp_path / "t.db", plan).close()
    Tournament.resume(tmp_path / "t.db").store.close()
    agent.write_text(agent.read_text() + "# better\n")
    with pytest.raises(StoreError, match=r"agent 'mine' has changed: .*mine\.py is not the file") as raised:
        Tournament.resume(tmp_path / "t.db")
    assert str(raised.value).endswith(f"; the games so far: joute report {tmp_path / 't.db'}")
    with Store.resume(tmp_path / "t.db") as store:  # and lets go of the file
        assert store.has_changed(0, plan.sources()[0])
        assert not store.has_changed(1, plan.sources()[1])


def test_the_order_of_columns_does_not_matter(tmp_path: Path) -> None:
    """As in a file to which a migration added columns at the end."""
    path = tmp_path / "t.db"
    records = filled(path, 3)
    connection = sqlite3.connect(path)
    for table in ("tournament", "sessions", "agents", "openings", "entries", "games", "moves"):
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        connection.execute(f"CREATE TABLE turned AS SELECT {', '.join(reversed(columns))} FROM {table}")
        connection.execute(f"DROP TABLE {table}")
        connection.execute(f"ALTER TABLE turned RENAME TO {table}")
    connection.commit()
    connection.close()
    with Store.resume(path) as store:
        assert list(store.records()) == records
        store.begin_session(workers=1, note="")
        store.add(Pairing(3, (0, 2), 0), played(3), started=NOW)
        assert [stored.record.seed for stored in store.games()] == [0, 1, 2, 3]


def as_version_1(path: Path, old: Path) -> None:
    """The tournament of a file in the form that the first version had."""
    connection = sqlite3.connect(old)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript((Path(__file__).parent / "schema_1.sql").read_text())
    connection.execute("ATTACH ? AS new", (str(path),))
    for table in ("tournament", "sessions", "agents", "openings", "games", "moves"):
        columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
        connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
    (text,) = connection.execute("SELECT plan FROM tournament").fetchone()
    plan = {key: value for key, value in json.loads(text).items() if key not in ("schedule", "frozen")}
    connection.execute("UPDATE tournament SET plan = ?", (json.dumps(plan),))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()


def half_played(path: Path) -> None:
    """A tournament with clocks that differ, stopped after some games."""
    agents = [("random", "slow", "60+1"), ("random", "", ""), ("greedy", "", "nodes=5")]

    def stop(finished: Any) -> None:
        if finished.pairing.number == 5:
            raise KeyboardInterrupt

    plan = make_plan("connect4", agents, games=4, seed=3, clock="30", concurrency=1)
    with Tournament.create(plan, path) as tournament, pytest.raises(KeyboardInterrupt):
        tournament.play(stop)


def test_a_file_of_version_1_is_read_as_it_is_and_gone_on_with(tmp_path: Path) -> None:
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    half_played(new)
    as_version_1(new, old)
    before = old.read_bytes()
    with Store.read(old) as store, Store.read(new) as expected:
        assert list(store.games()) == list(expected.games()) != []
        assert {record.clocks for record in store.records()} >= {("60+1", "30"), ("30", "60+1"), ("60+1", "nodes=5")}
        assert store.plan == expected.plan
        assert store.entries() == {}
    assert old.read_bytes() == before
    for path in (old, new):
        with Tournament.resume(path) as tournament:
            tournament.play()
            assert tournament.is_finished
    assert sqlite3.connect(old).execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    with Store.read(old) as store, Store.read(new) as expected:
        games = [(game.pairing, game.record.clocks, game.record.result) for game in store.games()]
        assert games == [(game.pairing, game.record.clocks, game.record.result) for game in expected.games()]
        assert len(games) == 12


def test_a_file_of_version_1_that_is_damaged_stays_as_it_is(tmp_path: Path) -> None:
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    half_played(new)
    as_version_1(new, old)
    connection = sqlite3.connect(old)
    connection.execute("UPDATE tournament SET plan = '{}'")
    connection.commit()
    connection.close()
    before = old.read_bytes()
    with pytest.raises(StoreError, match="is damaged"):
        Store.resume(old)
    assert old.read_bytes() == before


def test_bringing_a_file_up_to_date_is_done_wholly_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    half_played(new)
    as_version_1(new, old)
    tables = "SELECT sql FROM sqlite_master ORDER BY name"
    before = sqlite3.connect(old).execute(tables).fetchall()
    monkeypatch.setitem(MIGRATIONS, 1, MIGRATIONS[1] + "ALTER TABLE elsewhere ADD COLUMN x TEXT;")
    with pytest.raises(StoreError, match="no such table: elsewhere"):
        Store.resume(old)
    connection = sqlite3.connect(old)
    assert connection.execute(tables).fetchall() == before
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    connection.close()
    monkeypatch.undo()
    Store.resume(old).close()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("UPDATE games SET opening = 9 WHERE number = 3", "game 4 cannot be read"),
        ("UPDATE games SET reason = 'boredom' WHERE number = 2", "game 3 cannot be read: 'boredom' is not"),
        ("UPDATE games SET seed = 'x' WHERE number = 1", "game 2 cannot be read"),
        ("UPDATE moves SET pv = '[' WHERE game = 4 AND ply = 1", "game 5 cannot be read"),
        ("UPDATE games SET second = 7 WHERE number = 0", "game 1 cannot be read"),
    ],
)
def test_a_damaged_game_is_named(tmp_path: Path, change: str, complaint: str) -> None:
    filled(tmp_path / "t.db", games=5)
    connection = sqlite3.connect(tmp_path / "t.db")
    connection.execute(change)
    connection.commit()
    connection.close()
    with Store.read(tmp_path / "t.db") as store, pytest.raises(StoreError, match=f"is damaged: {complaint}") as raised:
        list(store.games())
    words = f"joute import {tmp_path / 't.db'} --db {tmp_path / 't-saved.db'} --skip-damaged"
    assert str(raised.value).endswith(f"; to save the games that can be read: {words}")


def test_games_say_when_they_began_and_which_clocks_they_had(tmp_path: Path) -> None:
    with made(tmp_path / "t.db") as store:
        store.begin_session(workers=1, note="")
        store.add(Pairing(0, (0, 2), 0), dataclasses.replace(played(1), clocks=("60+1", "depth=3")), started=NOW)
        (stored,) = store.games()
    assert stored.started == NOW.isoformat(timespec="milliseconds")
    assert stored.record.clocks == ("60+1", "depth=3")


def test_the_file_says_what_it_is(tmp_path: Path) -> None:
    filled(tmp_path / "t.db", games=1)
    connection = sqlite3.connect(tmp_path / "t.db")
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    # One file is all there is, once the driver has gone.
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    joute, python = connection.execute("SELECT joute, python FROM sessions").fetchone()
    assert joute
    assert python.count(".") == 2
    connection.close()


def test_a_file_that_is_resumed_while_it_is_read_is_not_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    filled(path, games=3)
    with Store.read(path) as reader:
        games = reader.games()
        first = next(games)
        with Store.resume(path) as driver:
            assert driver.count == 3
        assert [first, *games][-1].pairing.number == 2
    assert [file.name for file in tmp_path.iterdir()] == ["t.db"]
