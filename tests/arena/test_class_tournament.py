"""A class tournament in which nearly everybody misbehaves: it ends, and everybody gets what they deserve."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from test_isolation import FIXTURES, leftovers

from joute import Clock, State
from joute.agents.loading import find_source
from joute.arena.plan import make_plan
from joute.arena.players import sandbox
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import make_player
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.errors import JouteError
from joute.match import GameRecord, Reason, play_game
from joute.match.game import derive_seed

# Who they are, and by what they lose against an agent that behaves; those that only look bad lose by nothing.
VILLAINS: dict[str, Reason | None] = {
    "sleeps.py": Reason.TIME,
    "prints.py:Endless": Reason.TIME,
    "ugi:ignores_stop.py": Reason.TIME,
    "crashes_at_import.py": Reason.CRASH,
    "crashes_at_ply_10.py": Reason.CRASH,
    "exits_silently.py": Reason.CRASH,
    "ugi:floods_wire.py endless": Reason.CRASH,
    "plays_illegal.py": Reason.ILLEGAL_MOVE,
    "answers_garbage.py": Reason.ILLEGAL_MOVE,
    "allocates.py:Greedy": Reason.MEMORY,
    "forks.py:Forker": None,
    "prints.py:Talker": None,
}


# One of each kind: by time, by crash, by an illegal move, by memory, by nothing; in Python and as a program.
FEW = (
    "plays_illegal.py", "sleeps.py", "ugi:ignores_stop.py", "crashes_at_import.py", "ugi:floods_wire.py endless",
    "allocates.py:Greedy", "forks.py:Forker",
)  # fmt: skip


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("names", [FEW, pytest.param(tuple(VILLAINS), marks=pytest.mark.slow)], ids=["few", "all"])
def test_a_class_of_villains_in_sandboxes_ends_with_the_right_reasons(tmp_path: Path, names: tuple[str, ...]) -> None:
    folder = tmp_path / "class"
    shutil.copytree(FIXTURES, folder)
    (folder / "behaves_too.py").write_text("def choose(state, clock):\n    return state.legal_moves[0]\n")
    entries = [(str(folder / "behaves_too.py"), "behaves", "")]
    for name in names:
        program = f"ugi:{sys.executable} {folder}/{name.removeprefix('ugi:')}"
        # A short time only for those who would use any: a busy machine must not make others late.
        clock = "0.4/move" if VILLAINS[name] is Reason.TIME else ""
        entries.append((program if name.startswith("ugi:") else str(folder / name), name, clock))
    entries.append(("random", "random", ""))
    # All meet all in the long version; in the short one the first two, of whom one misbehaves, meet all others.
    is_long = len(names) == len(VILLAINS)
    schedule = "round-robin" if is_long else "gauntlet:heroes=2"
    isolation = Isolation(sandbox=True, memory_mb=300, start_s=30)
    plan = make_plan("connect4", entries, games=1, seed=5, clock="60", isolation=isolation, schedule=schedule)
    path = tmp_path / "class.db"
    with Tournament.create(plan, path) as tournament:
        standings = tournament.play()
    count = len(entries)
    assert standings.games == (count * (count - 1) // 2 if is_long else 2 * (count - 2))
    assert not leftovers(folder)
    with Store.read(path) as store:
        records = list(store.records())
    for record in records:
        _judge(record)
    by_name = {row.name: row for row in standings.table}
    assert not by_name["behaves"].forfeits
    for name in names:
        reason = VILLAINS[name]
        assert set(by_name[name].forfeits) == ({reason.value} if reason else set()), by_name[name]
    assert "other agents in sandboxes" in standings.conditions


def _judge(record: GameRecord) -> None:
    """A villain loses to who behaves, by its own reason; between villains, one of the two reasons ends it."""
    expected = {VILLAINS.get(name) for name in record.players}
    villains = [name for name in record.players if VILLAINS.get(name)]
    if not villains:
        assert record.reason is Reason.NORMAL, record
    elif len(villains) == 1:
        # An agent that fails late may have lost, or won, by then.
        assert record.reason in expected - {None} or "crashes_at_ply_10.py" in villains, record
        if record.reason is not Reason.NORMAL:
            assert record.winner == 1 - record.players.index(villains[0]), record
    else:
        assert record.reason in expected | {Reason.ADJUDICATED}, record
        assert record.reason is not Reason.ADJUDICATED or record.winner is None


@pytest.mark.usefixtures("jail")
def test_agents_in_sandboxes_can_read_neither_each_other_nor_the_games(tmp_path: Path) -> None:
    for name in ("anna", "ben"):
        (tmp_path / f"{name}.py").write_text(
            "import pathlib, sys\n"
            "def choose(state, clock):\n"
            "    for path in sorted(pathlib.Path().iterdir()):\n"
            "        try:\n"
            "            path.read_bytes()\n"
            "            print('READ', path)\n"
            "        except OSError as error:\n"
            "            print('REFUSED', path)\n"
            "    return state.legal_moves[0]\n"
        )
    (tmp_path / "notes.txt").write_text("for everybody")
    agents = [str(tmp_path / f"{name}.py") for name in ("anna", "ben")]
    plan = make_plan("connect4", agents, games=1, isolation=Isolation(sandbox=True))
    path = tmp_path / "games.db"
    with Tournament.create(plan, path) as tournament:
        tournament.play()
    with Store.read(path) as store:
        (record,) = store.records()
    for own, output in zip(("anna", "ben"), record.output, strict=True):
        assert set(output.splitlines()) == {f"READ {own}.py", "READ notes.txt"}


def test_a_sandbox_that_is_not_there_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("def choose(state, clock):\n    return state.legal_moves[0]\n")
    monkeypatch.setattr(sandbox, "_problem", lambda: "the program bwrap is missing")
    path = tmp_path / "t.db"
    isolation = Isolation(sandbox=True)
    plan = make_plan("connect4", [str(tmp_path / "mine.py"), "random"], isolation=isolation)
    with pytest.raises(JouteError, match="the sandbox is not available: the program bwrap is missing"):
        Tournament.create(plan, path)
    assert not path.exists()
    built_in = make_plan("connect4", ["greedy", "random"], isolation=isolation)
    with Tournament.create(built_in, path) as tournament:  # which need none
        assert tournament.play().games == 2


def played(path: Path, agents: list[str], **settings: Any) -> list[GameRecord]:
    with Tournament.create(make_plan("connect4", agents, openings="start", **settings), path) as tournament:
        tournament.play()
    with Store.read(path) as store:
        return list(store.records())


def test_a_file_beside_the_agents_replaces_nothing_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("random", "json", "joute"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('this is not the module you are looking for')\n")
    (tmp_path / "mine.py").write_text("def choose(state, clock):\n    return state.legal_moves[0]\n")
    monkeypatch.chdir(tmp_path)
    assert [record.reason for record in played(tmp_path / "t.db", ["mine.py", "greedy"], games=2)] == [
        Reason.NORMAL
    ] * 2


def test_an_agent_that_destroys_its_own_folder_loses(tmp_path: Path) -> None:
    folder = tmp_path / "anna"
    folder.mkdir()
    (folder / "anna.py").write_text(
        "import shutil\ndef choose(state, clock):\n    shutil.rmtree('.', ignore_errors=True)\n    return 'nonsense'\n"
    )
    plan = make_plan("connect4", [str(folder / "anna.py"), "random"], games=4, openings="start")
    with Tournament.create(plan, tmp_path / "t.db") as tournament:
        standings = tournament.play()
    # Its file is gone, so its other games are not played: nobody is given anything.
    assert tournament.changed == {0}
    assert standings.games < 4


def test_what_escapes_a_murdered_supervisor_is_killed_after_the_game(tmp_path: Path) -> None:
    (tmp_path / "rebel.py").write_text(
        "import os, time\n"
        "def choose(state, clock):\n"
        "    supervisor = os.getppid()\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork():\n"
        "            os._exit(0)\n"
        f"        os.execve('/bin/sleep', ['{tmp_path}/sleep', '1000'], {{}})\n"
        "    time.sleep(0.3)\n"
        "    os.kill(supervisor, 9)\n"
        "    time.sleep(1000)\n"
    )
    records = played(tmp_path / "t.db", [str(tmp_path / "rebel.py"), "random"], games=2)
    assert [record.reason for record in records] == [Reason.CRASH] * 2
    assert not leftovers(tmp_path)


def test_strangers_cannot_compute_the_dice_from_their_seed(tmp_path: Path) -> None:
    (tmp_path / "spy.py").write_text(
        "class Spy:\n"
        "    def __init__(self, seed):\n"
        "        print('seed', seed)\n"
        "    def choose(self, state, clock):\n"
        "        return state.legal_moves[0]\n"
    )
    (record,) = played(tmp_path / "t.db", [str(tmp_path / "spy.py"), "random"], games=1, seed=7)
    told = int(record.output[0].split()[1])
    assert told not in {derive_seed(record.seed, part) for part in range(4)}


BURNS = """
import os, threading

def burn():
    while True:
        sum(range(1000))

class Burns:
    def __init__(self):
        threading.Thread(target=burn, daemon=True).start()
        for _ in range(4):
            if os.fork() == 0:
                os.setsid()
                burn()

    def choose(self, state, clock):
        return state.legal_moves[0]
"""


class Watchful:
    """Thinks for a while, and looks who else does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stolen_s = 0.0

    def choose(self, state: State, clock: Clock) -> Any:
        time.sleep(0.3)  # until all are stopped
        before = self.used_s()
        time.sleep(0.3)
        self.stolen_s += self.used_s() - before
        return state.legal_moves[-1]

    def used_s(self) -> float:
        ticks = 0
        for process, command in leftovers(self.folder).items():
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
                ticks += sum(map(int, fields[11:13])) if "supervise.py" not in command else 0
        return ticks / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("sandboxed", [False, True])
def test_agents_do_not_think_on_the_opponents_time(
    tmp_path: Path, sandboxed: bool, request: pytest.FixtureRequest
) -> None:
    if sandboxed:
        request.getfixturevalue("jail")
    (tmp_path / "burns.py").write_text(BURNS)
    source = find_source(str(tmp_path / "burns.py"))
    burns = make_player(source, "burns", "connect4", Isolation(sandbox=sandboxed))
    watchful = Watchful(tmp_path)
    record = play_game("connect4", burns, watchful, seed=1, max_plies=6)
    assert record.reason is Reason.PLY_LIMIT
    # Five busy loops would use whole cores, for 0.9 s.
    assert watchful.stolen_s < 0.2
