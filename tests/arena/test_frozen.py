"""A frozen final: what was handed in is what plays, whatever becomes of it, and the file alone holds it."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shlex
import sqlite3
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from commands import joute
from test_tournament import essence

from joute.agents.source import Source
from joute.arena.plan import make_plan
from joute.arena.players.isolation import Isolation
from joute.arena.store import frozen
from joute.arena.store.frozen import ENTRY_MB, FrozenCopy, copies_folder, freeze, remove_copies, unpack, unpack_entry
from joute.arena.store.store import Store, StoreError
from joute.arena.tournament import Tournament
from joute.errors import SpecError
from joute.match import GameRecord, Reason

pytestmark = pytest.mark.usefixtures("one_worker")

FIRST = "import helper\ndef choose(state, clock):\n    return helper.pick(state.legal_moves)\n"
BROKEN = "raise RuntimeError('handed in too late')\n"
PROGRAM = """#!/bin/sh
exec python3 "$(dirname "$0")/engine.py"
"""


@pytest.fixture
def students(tmp_path: Path) -> Path:
    """A folder as teachers have it: agents side by side, what they share, and what is nobody's business."""
    folder = tmp_path / "students"
    (folder / "carl" / "nets").mkdir(parents=True)
    (folder / "anna.py").write_text(FIRST)
    (folder / "ben.py").write_text("def choose(state, clock):\n    return state.legal_moves[-1]\n")
    (folder / "helper.py").write_text("def pick(moves):\n    return moves[0]\n")
    (folder / "carl" / "carl.py").write_text(
        "from pathlib import Path\n"
        "def choose(state, clock):\n"
        "    return state.legal_moves[int(Path('nets/weights.txt').read_text())]\n"
    )
    (folder / "carl" / "nets" / "weights.txt").write_text("0")
    (folder / ".secret").write_text("x")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "ben.cpython-311.pyc").write_text("x")
    return folder


def agents_of(folder: Path) -> list[str]:
    return [str(folder / "anna.py"), str(folder / "ben.py"), str(folder / "carl" / "carl.py"), "greedy"]


def final(folder: Path, path: Path, agents: Sequence[int] = range(4), **settings: Any) -> Tournament:
    entrants = agents_of(folder)
    plan = make_plan("connect4", [entrants[each] for each in agents], frozen=True, openings="start", **settings)
    return Tournament.create(plan, path)


def contents(entry: FrozenCopy) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(entry.archive)) as archive:
        return {name: archive.read(name).decode(errors="replace") for name in archive.namelist()}


def records(path: Path) -> list[GameRecord]:
    with Store.read(path) as store:
        return list(store.records())


def test_an_entry_is_the_agents_folder_without_files_that_are_not_the_agents(tmp_path: Path, students: Path) -> None:
    with final(students, students / "class.db"):
        pass
    with Store.read(students / "class.db") as store:
        entries = store.entries()
    assert set(entries) == {0, 1, 2}
    assert contents(entries[0]) == {"agent/anna.py": FIRST, "agent/helper.py": (students / "helper.py").read_text()}
    assert set(contents(entries[1])) == {"agent/ben.py", "agent/helper.py"}
    assert set(contents(entries[2])) == {"agent/carl.py", "agent/nets/weights.txt"}
    assert entries[0].fingerprint == hashlib.sha256(FIRST.encode()).hexdigest()
    # Tournaments' databases are left out, also others' and those that run; an agent's own is not.
    own = sqlite3.connect(students / "book.db")
    own.execute("CREATE TABLE book (position TEXT)")
    own.close()
    with final(students, tmp_path / "again.db") as tournament:
        assert set(contents(tournament.store.entries()[1])) == {"agent/ben.py", "agent/book.db", "agent/helper.py"}


def test_the_same_files_make_the_same_archive(students: Path) -> None:
    sources = make_plan("connect4", agents_of(students)).sources()
    names = ["anna", "ben", "carl", "greedy"]
    before, _ = freeze(sources, names)
    os.utime(students / "anna.py", (1, 1))
    after, note = freeze(sources, names)
    assert before == after
    assert note == ""
    assert len({entry.sha256 for entry in before.values()}) == 3


def test_changes_after_the_start_neither_matter_nor_stop_the_tournament(tmp_path: Path, students: Path) -> None:
    quiet, path = tmp_path / "quiet.db", tmp_path / "final.db"
    few = (0, 2, 3)  # anna, who imports a file beside hers, carl, who reads one, and greedy
    with final(students, quiet, few, games=1) as tournament:
        assert tournament.play().games == 3
    assert not copies_folder(quiet).exists()

    def spoil(finished: Any) -> None:
        for file in students.rglob("*.*"):
            file.write_text(BROKEN)
        raise KeyboardInterrupt

    tournament = final(students, path, few, games=1, concurrency=1)
    with tournament, pytest.raises(KeyboardInterrupt):
        tournament.play(spoil)
    for file in sorted(students.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    students.rmdir()
    with Tournament.resume(path) as resumed:
        resumed.play()
        assert resumed.is_finished
        assert not resumed.changed
    assert essence(path) == essence(quiet)
    assert all(record.reason is Reason.NORMAL for record in records(path))


def test_the_copies_are_read_only_and_unpacked_anew(tmp_path: Path, students: Path) -> None:
    with final(students, tmp_path / "t.db", (0, 1, 2), games=1) as tournament:
        folder = copies_folder(tmp_path / "t.db")
        copy = folder / "0" / "agent" / "anna.py"
        assert copy.read_text() == FIRST
        assert copy.stat().st_mode & 0o777 == 0o444
        assert copy.parent.stat().st_mode & 0o777 == 0o555
        copy.chmod(0o644)
        copy.write_text(BROKEN)
        copy.parent.chmod(0o755)
        (copy.parent / "joute.py").write_text(BROKEN)
        tournament.store.close()  # as if it had been killed
        with Tournament.resume(tmp_path / "t.db") as resumed:
            assert copy.read_text() == FIRST
            assert sorted(path.name for path in copy.parent.iterdir()) == ["anna.py", "helper.py"]
            resumed.play()
            assert resumed.is_finished
    assert not folder.exists()


def test_what_else_lies_beside_the_copies_stays(tmp_path: Path) -> None:
    folder = tmp_path / "t.db.entries"
    (folder / "7").mkdir(parents=True)
    (folder / "notes").mkdir()
    remove_copies(folder)
    assert [path.name for path in folder.iterdir()] == ["notes"]


def test_programs_are_copied_without_interpreters_and_files_from_elsewhere_come_along(
    tmp_path: Path, students: Path
) -> None:
    engine = students / "carl" / "engine"
    engine.write_text(PROGRAM)
    engine.chmod(0o755)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "net.bin").write_text("weights")
    agents = [f"ugi:{engine} --net {tmp_path}/elsewhere/net.bin", f"ugi:python3 {students}/ben.py", "random"]
    sources = make_plan("connect4", agents).sources()
    entries, _ = freeze(sources, ["engine", "ben", "random"])
    assert {"agent/engine", "agent/nets/weights.txt", "1/net.bin"} <= set(contents(entries[0]))
    assert not any("python3" in name for entry in entries.values() for name in contents(entry))
    copies = unpack(entries, tmp_path / "copies")
    own = tmp_path / "copies" / "0"
    assert copies[0].command == (str(own / "agent" / "engine"), "--net", str(own / "1" / "net.bin"))
    assert os.access(own / "agent" / "engine", os.X_OK)
    assert copies[1].command[1] == str(tmp_path / "copies" / "1" / "agent" / "ben.py")
    assert copies[1].command[0] == sources[1].command[0]
    assert copies[1].folder == tmp_path / "copies" / "1" / "agent"
    remove_copies(tmp_path / "copies")


def test_a_program_plays_from_its_copy(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "plain_agent.py"
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "plain.py").write_text(example.read_text())
    plan = make_plan("connect4", [f"ugi:python3 {folder}/plain.py", "random"], frozen=True, openings="start")
    with Tournament.create(plan, tmp_path / "t.db") as tournament:
        (folder / "plain.py").unlink()
        tournament.play()
        assert tournament.is_finished
    assert [record.reason for record in records(tmp_path / "t.db")] == [Reason.NORMAL] * 2


def test_a_class_of_the_tournaments_folder_is_copied_and_what_is_installed_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(
        "class Best:\n    def choose(self, state, clock):\n        return state.legal_moves[0]\n"
    )
    monkeypatch.chdir(tmp_path)
    sources = make_plan("connect4", ["mine:Best", "joute.agents.random:RandomAgent", "ugi:cat"]).sources()
    entries, note = freeze(sources, ["mine", "plug-in", "cat"])
    assert set(entries) == {0}
    assert note == "'plug-in', 'cat' are installed on this machine and not kept in the file"
    plan = make_plan("connect4", ["mine:Best", "random"], frozen=True, openings="start")
    with Tournament.create(plan, tmp_path / "t.db") as tournament:
        (tmp_path / "mine.py").write_text(BROKEN)
        assert "the agents are frozen: the games use copies of their files" in tournament.store.note
        tournament.play()
    first = [record for record in records(tmp_path / "t.db") if record.players[0] == "mine:Best"]
    assert first[0].moves[0].move == "1"


def big(folder: Path) -> None:
    (folder / "net.bin").write_bytes(b"\0" * 2000)


def link_out(folder: Path) -> None:
    (folder / "passwd").symlink_to("/etc/passwd")


def link_to_folder(folder: Path) -> None:
    (folder / "everything").symlink_to("/etc")


def link_to_other(folder: Path) -> None:
    (folder / "stolen.py").symlink_to(folder / "ben.py")


def unreadable(folder: Path) -> None:
    (folder / "gone").symlink_to(folder / "nothing")


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (big, "holds more than 0 MB; move it to a folder that holds only what it needs"),
        (link_out, "passwd is a link, but not to a file of its folder; replace it by a copy"),
        (link_to_folder, "everything is a link, but not to a file of its folder"),
        (link_to_other, "stolen.py is a link, but not to a file of its folder"),
        (unreadable, "gone is a link, but not to a file of its folder"),
    ],
)
def test_what_cannot_be_copied_gives_one_clear_error_and_creates_nothing(
    tmp_path: Path, students: Path, monkeypatch: pytest.MonkeyPatch, spoil: Any, complaint: str
) -> None:
    spoil(students)
    if spoil is big:
        monkeypatch.setattr(frozen, "ENTRY_MB", 0)
    with pytest.raises(SpecError) as raised:
        final(students, tmp_path / "t.db")
    assert "agent 'anna' cannot be frozen: " in str(raised.value)
    assert complaint in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1
    assert not (tmp_path / "t.db").exists()


def test_a_copy_that_is_damaged_gives_one_clear_error(tmp_path: Path, students: Path) -> None:
    final(students, tmp_path / "t.db").close()
    connection = sqlite3.connect(tmp_path / "t.db")
    connection.execute("UPDATE entries SET archive = (SELECT archive FROM entries WHERE agent = 1) WHERE agent = 0")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match=r"is damaged: the copy of agent 'anna' differs from the stored checksum"):
        Tournament.resume(tmp_path / "t.db")


def archive_of(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as packed:
        for name, data in members:
            packed.writestr(name, data)
    return made.getvalue()


def too_large() -> bytes:
    return archive_of(*((f"agent/{number}", bytes(30 << 20)) for number in range(4)))


def too_many() -> bytes:
    return archive_of(*((f"agent/{number}", b"") for number in range(20_001)))


def lying(archive: bytes) -> bytes:
    """An archive that says of its first file that it has three bytes."""
    directory = archive.index(b"PK\x01\x02")
    return archive[:22] + b"\3\0\0\0" + archive[26 : directory + 24] + b"\3\0\0\0" + archive[directory + 28 :]


@pytest.mark.parametrize(
    ("archive", "sentence"),
    [
        (too_large, "unpacks to more than 100 MB"),
        (too_many, "has more than 20,000 files"),
        (archive_of(("../agent.py", b"x")), "'../agent.py' is not a file inside it"),
        (archive_of(("/etc/passwd", b"x")), "'/etc/passwd' is not a file inside it"),
        (archive_of(("agent/", b"")), "'agent/' is not a file inside it"),
        (archive_of(("agent/agent.py", b"x"), method=zipfile.ZIP_BZIP2), "compressed in another way than Joute does"),
        (lying(archive_of(("agent/agent.py", bytes(2000)))), "is damaged: "),
        (b"PK", "is damaged: File is not a zip file"),
    ],
)
def test_an_archive_that_no_tournament_wrote_is_refused(
    tmp_path: Path, archive: bytes | Callable[[], bytes], sentence: str
) -> None:
    archive = archive() if callable(archive) else archive
    source = Source(
        "/entry/agent/agent.py", "python", files=(Path("/entry/agent/agent.py"),), folder=Path("/entry/agent")
    )
    goal = tmp_path / "goal"
    with pytest.raises(StoreError) as raised:
        unpack_entry(FrozenCopy(source, archive), goal)
    assert sentence in str(raised.value)
    written = [path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()]
    assert sum(written) <= (ENTRY_MB << 20) + 1
    assert all(path == goal or path.is_relative_to(goal) for path in tmp_path.rglob("*"))


def test_the_source_of_a_copy_lies_inside_it(tmp_path: Path, students: Path) -> None:
    with final(students, tmp_path / "t.db") as tournament:
        (entry, *_) = tournament.store.entries().values()
    values = entry.values()
    for old, new in (("/entry/", "/entry/../"), ("/entry/", "/home/"), ('"python"', '"wizard"'), ('"text"', '"txt"')):
        assert old in values["source"]
        with pytest.raises((ValueError, KeyError)):
            FrozenCopy.from_values(values | {"source": values["source"].replace(old, new)})


@pytest.mark.usefixtures("jail")
def test_agents_in_sandboxes_see_their_own_copy_alone(tmp_path: Path) -> None:
    for name in ("anna", "ben"):
        (tmp_path / f"{name}.py").write_text(
            "import os\n"
            "def choose(state, clock):\n"
            "    for folder, _, files in os.walk('/tmp'):\n"
            "        for file in files:\n"
            "            if file in ('anna.py', 'ben.py', 'games.db') and os.access(f'{folder}/{file}', os.R_OK):\n"
            "                print('SEES', file)\n"
            "    return state.legal_moves[0]\n"
        )
    agents = [str(tmp_path / f"{name}.py") for name in ("anna", "ben")]
    plan = make_plan("connect4", agents, games=1, frozen=True, isolation=Isolation(sandbox=True), max_plies=2)
    with Tournament.create(plan, tmp_path / "games.db") as tournament:
        tournament.play()
    (record,) = records(tmp_path / "games.db")
    assert record.isolation == ("sandbox", "sandbox")
    assert set(record.output[0].splitlines()) == {"SEES anna.py"}
    assert set(record.output[1].splitlines()) == {"SEES ben.py"}


def test_a_final_is_made_of_the_entrants_of_an_earlier_tournament(tmp_path: Path, students: Path) -> None:
    (tmp_path / "class.toml").write_text(
        'game = "connect4"\nclock = "60"\nopenings = "start"\n'
        '[[agents]]\nagent = "students/anna.py"\nname = "Anna"\n[[agents]]\nagent = "students/ben.py"\nclock = 30\n'
    )
    practice = joute("tournament", "class.toml", "--db", "practice.db", cwd=tmp_path)
    assert practice.returncode == 0, practice.stderr
    (students / "ben.py").write_text("def choose(state, clock):\n    return state.legal_moves[1]\n")
    words = ("tournament", "--frozen", "--from", "practice.db", "--seed", "7", "--games", "1")
    made = joute(*words, "--db", "final.db", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "'ben' has changed since practice.db" in made.stdout
    assert "the agents are frozen: the games use copies of their files" in made.stdout
    with Store.read(tmp_path / "practice.db") as old, Store.read(tmp_path / "final.db") as new:
        assert (new.plan.entrants, new.plan.clock) == (old.plan.entrants, old.plan.clock)
        assert (new.plan.seed, new.plan.games, new.plan.frozen, old.plan.frozen) == (7, 1, True, False)
        assert [record.clocks for record in new.records()] == [("60", "30")]
    # Once locked, the entries of a file are enough for another final.
    for file in students.glob("*.py"):
        file.unlink()
    again = joute("tournament", "--from", "final.db", "--schedule", "knockout:extra=0", "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["db"] == "final-final.db"
    assert {record.reason for record in records(tmp_path / "final-final.db")} == {Reason.NORMAL}


def test_a_frozen_tournament_is_played_again_from_its_own_file(tmp_path: Path, students: Path) -> None:
    words = ("tournament", "connect4", "students/anna.py", "students/ben.py", "random", "--games", "1", "--seed", "5")
    assert joute(*words, "--db", "practice.db", cwd=tmp_path).returncode == 0
    made = joute("tournament", "--from", "practice.db", "--frozen", "--db", "the final.db", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    for file in students.glob("*.py"):
        file.write_text(BROKEN)
    (tmp_path / "practice.db").unlink()
    told = made.stdout.splitlines()[-1].removeprefix("to play it again: ")
    assert told == "joute tournament --from 'the final.db' --frozen --db 'the final-2.db'"
    again = joute(*shlex.split(told)[1:], cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert len(records(tmp_path / "the final.db")) == 3
    assert essence(tmp_path / "the final-2.db") == essence(tmp_path / "the final.db")
    with Store.read(tmp_path / "the final.db") as first, Store.read(tmp_path / "the final-2.db") as second:
        assert first.plan == second.plan
        assert first.entries() == second.entries()


def test_the_entries_of_a_file_are_unpacked_to_look_at_and_to_play(tmp_path: Path, students: Path) -> None:
    (students / "carl" / "engine").write_text(PROGRAM)
    (students / "carl" / "engine").chmod(0o755)
    agents = [(str(students / "anna.py"), "../../Anna/é", ""), (str(students / "carl" / "carl.py"), "..", "")]
    plan = make_plan("connect4", [*agents, "greedy"], frozen=True, openings="start")
    Tournament.create(plan, tmp_path / "final.db").close()
    for file in students.rglob("*.py"):
        file.write_text(BROKEN)
    done = joute("export", "final.db", "--entries", "out", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "../../Anna/é: out/0-.._.._Anna_é/agent/anna.py\n..: out/1-../agent/carl.py\n"
    anna, carl = tmp_path / "out" / "0-.._.._Anna_é" / "agent", tmp_path / "out" / "1-.." / "agent"
    assert (anna / "anna.py").read_text() == FIRST
    assert (carl / "nets" / "weights.txt").read_text() == "0"
    assert os.access(carl / "engine", os.X_OK)
    assert (anna / "anna.py").stat().st_mode & 0o777 == 0o644
    assert {path.name for path in tmp_path.iterdir()} == {"students", "final.db", "out"}
    played = joute("match", "connect4", str(anna / "anna.py"), "random", "--games", "1", cwd=tmp_path)
    assert played.returncode == 0, played.stderr
    assert joute("export", "final.db", "--entries", "one", "--agent", "..", cwd=tmp_path).returncode == 0
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["1-.."]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("final.db", "--entries", "students"), "students already exists; agents are unpacked into a new folder"),
        (("final.db", "--entries", "new", "--game", "1"), "--entries unpacks agents, not games; leave out --game"),
        (("final.db", "--entries", "new", "-o", "x"), "--entries unpacks agents, not games; leave out --out"),
        (("final.db", "--entries", "new", "--agent", "ana"), "unknown agent in final.db 'ana'; did you mean 'anna'?"),
        (("final.db", "--entries", "new", "--agent", "greedy"), "agent 'greedy' is not stored in final.db"),
        (("plain.db", "--entries", "new"), "plain.db contains no agents: only a frozen tournament stores them"),
        (("students/anna.py", "--entries", "new"), "students/anna.py is not a database"),
    ],
)
def test_entries_that_cannot_be_unpacked_give_one_clear_error(
    tmp_path: Path, students: Path, words: tuple[str, ...], complaint: str
) -> None:
    final(students, tmp_path / "final.db").close()
    Tournament.create(make_plan("connect4", ["greedy", "random"]), tmp_path / "plain.db").close()
    done = joute("export", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"joute: {complaint}")
    assert len(done.stderr.strip().splitlines()) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"students", "final.db", "plain.db"}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--from", "no.db"), "there is no file no.db"),
        (("greedy", "--from", "no.db"), "--from takes the agents from no.db; leave out greedy"),
        (("--from", "no.db", "--resume", "--db", "no.db"), "leave out --from"),
        (("--frozen", "--resume", "--db", "no.db"), "leave out --frozen"),
    ],
)
def test_a_wrong_command_gives_one_clear_error(tmp_path: Path, words: tuple[str, ...], complaint: str) -> None:
    done = joute("tournament", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
