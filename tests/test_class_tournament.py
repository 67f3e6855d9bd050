"""A class tournament in which nearly everybody misbehaves: it ends, and everybody gets what they deserve."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from joute.agents.loading import find_source
from joute.arena import sandbox
from joute.arena.isolation import Isolation
from joute.arena.plan import make_plan
from joute.arena.players import make_player
from joute.arena.store import Store
from joute.arena.tournament import Tournament
from joute.errors import JouteError
from joute.match import GameRecord, Reason, play_game
from test_isolation import FIXTURES, leftovers

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


@pytest.mark.usefixtures("jail")
def test_a_class_of_villains_in_sandboxes_ends_with_the_right_reasons(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    shutil.copytree(FIXTURES, folder)
    (folder / "behaves_too.py").write_text("def choose(state, clock):\n    return state.legal_moves[0]\n")
    entries = [(str(folder / "behaves_too.py"), "behaves", ""), ("random", "random", "")]
    for name in VILLAINS:
        program = f"ugi:{sys.executable} {folder}/{name.removeprefix('ugi:')}"
        # A short time only for those who would use any: a busy machine must not make others late.
        clock = "0.4/move" if VILLAINS[name] is Reason.TIME else ""
        entries.append((program if name.startswith("ugi:") else str(folder / name), name, clock))
    isolation = Isolation(sandbox=True, memory_mb=300, start_s=30)
    plan = make_plan("connect4", entries, games=1, seed=5, clock="60", isolation=isolation)
    path = tmp_path / "class.db"
    with Tournament.create(plan, path) as tournament:
        standings = tournament.play()
    count = len(entries)
    assert standings.games == count * (count - 1) // 2
    assert not leftovers(folder)
    with Store.read(path) as store:
        records = list(store.records())
    for record in records:
        _judge(record)
    by_name = {row.name: row for row in standings.table}
    assert not by_name["behaves"].forfeits
    for name, reason in VILLAINS.items():
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
    for own, other, output in (("anna", "ben", record.output[0]), ("ben", "anna", record.output[1])):
        said = set(output.splitlines())
        assert f"READ {own}.py" in said
        assert "READ notes.txt" in said
        assert f"REFUSED {other}.py" in said
        assert {"REFUSED games.db", "REFUSED games.db-wal"} <= said
        assert not any(line.startswith("READ games.db") for line in said)


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


@pytest.mark.parametrize("sandboxed", [False, True])
def test_nobody_thinks_on_the_opponents_time(tmp_path: Path, sandboxed: bool, request: pytest.FixtureRequest) -> None:
    if sandboxed:
        request.getfixturevalue("jail")
    (tmp_path / "burns.py").write_text(BURNS)
    (tmp_path / "slow.py").write_text(
        "import time\ndef choose(state, clock):\n    time.sleep(0.7)\n    return state.legal_moves[-1]\n"
    )
    players = [
        make_player(find_source(str(tmp_path / name)), name, "connect4", Isolation(sandbox=sandboxed))
        for name in ("burns.py", "slow.py")
    ]
    record = play_game("connect4", *players, seed=1)
    assert record.reason is Reason.NORMAL
    waited_s = sum(move.time_s for move in record.moves if move.player == 1)
    assert len(record.moves) >= 7
    assert record.cpu_s[0] is not None
    # Five busy loops would use all of two cores; what is left is the moment until all are stopped, and the end.
    assert record.cpu_s[0] < waited_s / 2, record.cpu_s
