"""Agents cannot reach the processes of the referee, as root or not; where they can, the table says what is presumed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ordinary_user import as_ordinary_user
from test_tournament import PATIENCE_S, records

import joute.arena.players.landlock as landlock
import joute.arena.players.process as process_module
from joute.agents.loading import find_source
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import make_player
from joute.arena.players.process import AgentProcess
from joute.arena.players.sandbox import View
from joute.arena.tournament import Tournament
from joute.cli.tournament_table import as_data
from joute.match import Reason, play_game
from joute.match.player import InterruptionError

MISBEHAVING = Path(__file__).parent / "misbehaving"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with misbehaving agents that every user may read and write; pytest's own are closed."""
    with tempfile.TemporaryDirectory(prefix="joute-test-") as name:
        made = Path(name)
        made.chmod(0o777)
        for agent in ("attacks_referee.py", "kills_worker.py", "behaves.py", "wire.py"):
            shutil.copy(MISBEHAVING / agent, made)
            (made / agent).chmod(0o644)
        yield made


def tournament(folder: Path, *agents: str, wrap: Any = list, options: tuple[str, ...] = ()) -> str:
    """The output of a tournament, played by the command that `wrap` makes."""
    command = [sys.executable, "-m", "joute", "tournament", "connect4", *agents]
    command += ["--openings", "start", "--concurrency", "1", "--db", str(folder / "t.db"), *options]
    done = subprocess.run(
        wrap(command), cwd=folder, capture_output=True, text=True, timeout=2 * PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def ordinary(command: list[str]) -> list[str]:
    return as_ordinary_user(command)


def ordinary_with_older_kernel(command: list[str]) -> list[str]:
    return as_ordinary_user(command, is_recent=False)


def attacked(folder: Path, agent: str, wrap: Callable[[list[str]], list[str]]) -> list[str]:
    """What an agent says about its attacks during a game that ends as if there had been none."""
    opponent = f"ugi:{sys.executable} behaves.py"
    tournament(folder, f"attacks_referee.py:{agent}", opponent, wrap=wrap, options=("--games", "1"))
    (record,) = records(folder / "t.db")
    assert record.reason is Reason.NORMAL
    told = record.output[0].splitlines()
    # It has inherited the standard streams only; Joute's engine keeps two of them under other numbers.
    assert [word.partition(":")[0] for word in told[0].split()] == ["descriptors", "pipe", "pipe"]
    return told[1:]


@pytest.mark.parametrize("user", ["root", "ordinary user"])
def test_an_agent_reaches_neither_the_referee_nor_its_opponent(folder: Path, user: str) -> None:
    if user == "root" and os.geteuid():
        pytest.skip("the tests do not run as root")
    if user == "ordinary user" and not landlock.can_scope_signals():
        pytest.skip("this kernel has no scope of signals")
    tried = attacked(folder, "Attacker", list if user == "root" else ordinary)
    assert len(tried) == 8 * 5  # attacks and victims
    assert [line for line in tried if line.endswith(": worked")] == []


def test_without_a_shield_an_agent_still_cannot_forge_results(folder: Path) -> None:
    tried = attacked(folder, "Forger", ordinary_with_older_kernel)
    assert len(tried) == 4 * 3
    assert [line for line in tried if line.endswith(": worked")] == []


def test_without_a_shield_who_kills_or_stops_the_referee_loses_and_the_table_marks_it(folder: Path) -> None:
    agents = ("greedy", "kills_worker.py:Killer", "kills_worker.py:Stopper")
    options = ("--schedule", "gauntlet", "--games", "1")
    shown = tournament(folder, *agents, wrap=ordinary_with_older_kernel, options=options)
    killed, stopped = records(folder / "t.db")
    for record, way, what in ((killed, "Killer", "killed by SIGKILL"), (stopped, "Stopper", "stopped by a signal")):
        assert record.players[1] == f"kills_worker:{way}"
        assert (record.at_fault, record.reason, record.is_presumed) == ((1,), Reason.CRASH, True)
        why = f"the worker process was {what}, and again at the same ply without the other player"
        assert record.detail == f"{record.players[1]}: {why}"
    assert " † " in shown
    assert "† 2 games with a result that is presumed, not proven, for example game 1: kills_worker:Killer: " in shown
    with Tournament.resume(folder / "t.db") as resumed:
        data = as_data(resumed)
    assert data["presumed_games"] == [1, 2]
    assert {row["agent"]: row["presumed"] for row in data["standings"]}["greedy"] == 2


def ended_process(folder: Path, victim: str, command: str = "sleep 60") -> AgentProcess:
    """A process that has ended: itself (``agent``) or its supervisor was killed, or its command ended."""
    process = AgentProcess(["sh", "-c", f"echo ready; {command}"], Isolation(), view=View(folder))
    assert process.read_line(time.perf_counter() + PATIENCE_S) == "ready"
    supervisor = process._supervisor.pid
    if victim == "agent":
        (agent,) = map(int, Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split())
        os.kill(agent, signal.SIGKILL)
    elif victim:  # without a victim the command ends by itself, perhaps already
        os.kill(supervisor, signal.SIGKILL)
    assert process.wait(PATIENCE_S)
    process.kill()
    return process


def test_an_agent_whose_supervisor_is_killed_from_outside_is_not_at_fault(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = ended_process(folder, "supervisor")
    for shielded in (True, False):
        monkeypatch.setattr(process_module, "is_shielded", lambda _, shielded=shielded: shielded)
        assert process.was_interrupted == shielded  # otherwise it may have killed the supervisor itself


def test_an_agent_that_the_kernel_kills_for_lack_of_memory_is_not_at_fault(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = ended_process(folder, "agent")
    for more_kills in (1, 0):
        monkeypatch.setattr(process_module, "memory_kills", lambda kills=more_kills: process._memory_kills + kills)
        assert process.was_interrupted == bool(more_kills)  # otherwise it may have killed itself


def test_an_interrupted_agent_has_not_lost_but_its_game_has_no_result(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AgentProcess, "was_interrupted", property(lambda _: True))
    source = find_source(f"ugi:{sys.executable} -c 0", "connect4")
    with pytest.raises(InterruptionError, match="ended with exit status 0 before it was ready"):
        play_game("connect4", make_player(source, "x", "connect4", Isolation()), "random")


def test_a_limit_of_cpu_time_that_is_not_ours_is_not_stated_as_ours(folder: Path) -> None:
    process = ended_process(folder, "", "kill -XCPU $$")
    assert process.end_in_words() == "was killed by signal SIGXCPU"
