"""A ladder: agents of a folder that come, change and go, over restarts."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fake_cluster import FakeCluster, FakeHost, FakeVenue

from joute.arena import ladder as ladder_module
from joute.arena.ladder import Candidate, Ladder
from joute.arena.store.growing import AgentCheck, GrowingStore
from joute.arena.store.store import Store
from joute.errors import SpecError

GOOD = "def choose(state, clock): return state.legal_moves[0]\n"
BETTER = "def choose(state, clock): return state.legal_moves[-1]\n"
CRASHES = "def choose(state, clock): return stat.legal_moves[0]\n"


class Room:
    """A folder of students, a ladder of it, and a clock that the test advances."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "students"
        self.folder.mkdir()
        self.path = tmp_path / "ladder.db"
        self.now = 0.0
        self.start()

    def start(self, **settings: Any) -> None:
        """Begin, or begin again after a reboot."""
        options: dict[str, Any] = {"game": "connect4", "yardsticks": ["greedy"], "settings": {"openings": "start"}}
        self.ladder = Ladder(self.folder, self.path, **options | settings, now=lambda: self.now)

    def save(self, name: str, text: str = GOOD) -> None:
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    def look(self) -> list[str]:
        """Let files settle and take up all changes."""
        self.ladder.news()
        self.now += 10
        return [self.ladder.take_up(news) for news in self.ladder.news()]

    def agents(self) -> list[str]:
        with Store.read(self.path) as store:
            return [store.plan.entrants[index].name for index in store.plan.playing]


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the admission test by a look for the word ``stat.``; returns the names of checked agents."""
    names: list[str] = []

    def check(self: Ladder, candidate: Candidate, digest: str) -> AgentCheck:
        names.append(candidate.name)
        fails = any("stat." in file.read_text() for file in candidate.files)
        return AgentCheck(digest, not fails, "crash" if fails else "")

    monkeypatch.setattr(ladder_module.Ladder, "_checked", check)
    return names


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def test_agents_join_when_their_files_are_stable(room: Room, checked: list[str]) -> None:
    room.save("anna.py")
    assert room.ladder.news() == []
    room.now += 2
    room.save("anna.py", BETTER)  # the file is still being written
    assert room.ladder.news() == []
    room.now += 2
    assert room.ladder.news() == []
    room.now += 2
    assert [room.ladder.take_up(news) for news in room.ladder.news()] == ["anna joins"]
    assert room.agents() == ["greedy", "anna"]
    assert checked == ["anna"]


def test_a_ladder_plays_on_a_cluster_and_again_after_a_change(room: Room, checked: list[str]) -> None:
    cluster = FakeCluster(a=FakeHost())
    for name in ("anna.py", "ben.py"):
        room.save(name)
        room.look()
        assert room.ladder.play(lambda _: None, lambda: False, FakeVenue(cluster))
    with Store.read(room.path) as store:
        assert [node.games for node in store.nodes()] == [2, 4]


def test_nothing_is_written_before_two_agents_can_play(room: Room, checked: list[str]) -> None:
    room.start(yardsticks=[])
    room.save("anna.py")
    room.save("carl.py", CRASHES)
    assert room.look() == ["anna waits for an opponent", "carl fails its check, and does not play: crash"]
    assert not room.path.exists()
    room.save("ben.py")
    assert room.look() == ["ben joins"]
    assert room.agents() == ["anna", "ben"]
    with GrowingStore.read(room.path) as store:
        assert [check.passed for _, check in sorted(store.checks().items())] == [True, True, False]


def test_a_reboot_repeats_no_check_and_misses_no_change(room: Room, checked: list[str]) -> None:
    room.save("anna.py")
    room.save("carl.py", CRASHES)
    room.look()
    checked.clear()
    room.start(game="", yardsticks=[])
    assert room.look() == []
    room.save("carl.py")
    room.save("dora/agent.py")
    room.start()
    assert room.look() == ["carl joins", "dora joins"]
    assert checked == ["carl", "dora"]
    assert room.agents() == ["greedy", "anna", "carl", "dora"]


def test_a_changed_file_plays_in_a_new_version_unless_it_fails(room: Room, checked: list[str]) -> None:
    room.save("anna/agent.py")
    room.save("anna/table.py", "")
    room.look()
    room.save("anna/agent.py", CRASHES)
    assert room.look() == ["anna fails its check; the version before plays on: crash"]
    assert room.look() == []  # the same file is not tried again
    room.start()
    assert room.ladder.failures == {"anna": "crash"}
    room.save("anna/agent.py", BETTER)
    assert room.look() == ["anna plays in a new version"]
    assert room.ladder.failures == {}
    room.save("anna/table.py", "TABLE = 1")  # a file beside the agent is part of it
    assert room.look() == ["anna plays in a new version"]
    assert room.agents() == ["greedy", "anna"]
    with Store.read(room.path) as store:
        assert len(store.plan.entrants) == 2  # no version has played yet


def test_a_file_that_is_restored_after_a_failed_check_is_no_new_version(room: Room, checked: list[str]) -> None:
    room.save("anna.py")
    room.look()
    room.save("anna.py", CRASHES)
    room.look()
    before = room.ladder.plan
    room.save("anna.py")
    assert room.look() == ["anna is again as it was, and plays on"]
    assert room.ladder.plan == before
    assert room.look() == []


def test_a_removed_file_is_withdrawn_and_may_return(room: Room, checked: list[str]) -> None:
    room.save("anna.py")
    room.look()
    checked.clear()
    (room.folder / "anna.py").unlink()
    assert room.ladder.news() == []  # an editor may be replacing it
    room.now += 10
    assert [room.ladder.take_up(news) for news in room.ladder.news()] == ["anna is withdrawn: its file is gone"]
    assert room.agents() == ["greedy"]
    room.save("anna.py")
    assert room.look() == ["anna joins"]
    assert checked == []
    assert room.agents() == ["greedy", "anna"]


def test_an_agent_that_returns_with_another_file_beside_it_is_a_new_version(room: Room, checked: list[str]) -> None:
    room.save("anna/agent.py")
    room.save("anna/table.py", "TABLE = 1")
    room.look()
    with Store.read(room.path) as store:
        before = store.entries()[1].sha256
    hidden = (room.folder / "anna").rename(room.folder / ".anna")
    assert room.look() == ["anna is withdrawn: its file is gone"]
    hidden.rename(room.folder / "anna")
    room.save("anna/table.py", "TABLE = 2")
    assert room.look() == ["anna joins"]
    with Store.read(room.path) as store:
        assert store.entries()[store.plan.playing[-1]].sha256 != before


def test_a_file_that_changes_during_its_check_is_checked_again(
    room: Room, checked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    room.save("anna.py")
    check = Ladder._checked

    def slow(self: Ladder, candidate: Candidate, digest: str) -> AgentCheck:
        found = check(self, candidate, digest)
        if len(checked) == 1:
            room.save("anna.py", CRASHES)
        return found

    monkeypatch.setattr(Ladder, "_checked", slow)
    assert room.look() == ["anna changed during its check, which is repeated"]
    assert room.look() == ["anna fails its check, and does not play: crash"]
    assert not room.path.exists()


def test_copies_hold_no_files_of_other_students(room: Room, checked: list[str]) -> None:
    room.save("anna.py")
    room.save("ben.py", CRASHES)
    room.save("zoe/one.py")
    room.save("zoe/two.py")
    room.look()
    room.save("carl.py")
    room.save("dora/agent.py")
    room.save("dora/table.py")
    room.look()
    with Store.read(room.path) as store:
        archives = {store.plan.entrants[index].name: entry.archive for index, entry in store.entries().items()}
    held = {name: zipfile.ZipFile(io.BytesIO(archive)).namelist() for name, archive in archives.items()}
    assert held == {
        "anna": ["agent/anna.py"],
        "carl": ["agent/carl.py"],
        "dora": ["agent/agent.py", "agent/table.py"],
    }


def test_a_student_named_like_another_agent_gets_a_number(room: Room, checked: list[str]) -> None:
    room.save("anna.py")
    room.look()
    room.save("greedy.py")
    room.look()
    assert room.agents() == ["greedy", "anna", "greedy #2"]


def test_another_ladder_than_that_of_the_file_is_refused(room: Room, checked: list[str]) -> None:
    room.save("anna.py")
    room.look()
    for settings, message in (
        ({"game": "tictactoe"}, "game of the ladder"),
        ({"settings": {"games": 8}}, "games of the ladder"),
        ({"isolation": {"memory_mb": 77}}, "memory_mb of the ladder"),
        ({"yardsticks": ["random"]}, "random does not play"),
    ):
        with pytest.raises(SpecError, match=message):
            room.start(**settings)
    with pytest.raises(SpecError, match="name the game"):
        Ladder(room.folder, room.path.with_name("other.db"))


def test_two_first_agents_of_one_name_get_different_names(room: Room, checked: list[str]) -> None:
    room.start(yardsticks=[])
    room.save("anna.py")
    room.save("anna/agent.py")
    room.look()
    assert room.agents() == ["anna", "anna #2"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"game": "conect4"}, "connect4"),
        ({"settings": {"clock": "5x"}}, "not a clock"),
        ({"settings": {"schedule": "swiss"}}, "cannot have the schedule 'swiss'"),
        ({"yardsticks": ["gredy"]}, "greedy"),
    ],
)
def test_a_mistake_in_the_settings_is_found_before_the_first_agent(
    room: Room, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(SpecError, match=message):
        room.start(**settings)


def test_the_admission_test_says_why_an_agent_fails(room: Room) -> None:
    room.save("anna.py", CRASHES)
    (sentence,) = room.look()
    assert sentence.startswith("anna fails its check, and does not play: crash: anna: NameError: name 'stat'")
    assert 'File "anna.py", line 1' in sentence


def test_an_earlier_schema_has_no_checks(room: Room, checked: list[str]) -> None:
    room.save("anna.py")
    room.look()
    with sqlite3.connect(room.path) as connection:
        later = ("settings_first", "settings_second", "node")
        columns = "".join(f"ALTER TABLE games DROP COLUMN {name};" for name in later)
        connection.executescript(f"DROP TABLE checks; {columns} DROP TABLE nodes; PRAGMA user_version = 2;")
    connection.close()
    with GrowingStore.read(room.path) as store:
        assert store.checks() == {}
    with GrowingStore.resume(room.path) as store:
        assert store.checks() == {}
        store.keep_check("a", AgentCheck("1", passed=True))
