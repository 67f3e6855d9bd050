"""``joute`` as a process: Ctrl-C, closed pipes, plug-ins that fail, what an import loads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import joute
from plugin_packages import plugin
from processor_time import wait_for_work


@pytest.mark.parametrize(
    "words", [("show", "connect4", "48"), ("show", "connect4", "4"), ("games", "--no-such-option")]
)
def test_a_process_ends_and_prints_as_the_command_does_in_other_tests(words: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "joute", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    here = joute(*words)
    assert (done.returncode, done.stdout) == (here.returncode, here.stdout)
    named = "python -m joute" if "Usage" in done.stderr else "joute"  # what usage calls the program
    assert done.stderr.replace(named, "joute") == here.stderr
    assert bool(done.stderr) == bool(done.returncode)


def interrupted(
    *words: str, after: str = "", delay_s: float = 0.0, written: Path | None = None
) -> tuple[int, str, str]:
    """Exit status, output and errors of a command that gets Ctrl-C, once a file was written, if one is named.

    Without a file or a delay, the command gets it in the midst of its work.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "joute", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        lines: list[str] = []
        while after and after not in "".join(lines[-1:]):
            lines.append(process.stdout.readline())
        while written and not (written.exists() and written.stat().st_size):
            time.sleep(0.05)
        if written or delay_s:
            time.sleep(delay_s or 0.2)
        else:
            wait_for_work(process.pid, 1.0)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()  # does nothing if it has ended
    return process.returncode, "".join(lines) + output, errors


def test_ctrl_c_ends_a_command_with_one_sentence_and_status_130() -> None:
    status, _, errors = interrupted("perft", "connect4", "30")
    assert (status, errors) == (130, "joute: interrupted\n")


def test_ctrl_c_in_a_match_shows_the_games_so_far_and_the_command_for_all(tmp_path: Path) -> None:
    words = ("match", "connect4", "random", "random", "--games", "100000000", "--seed", "4", "--openings", "start")
    records = tmp_path / "games.txt"
    status, output, errors = interrupted(*words, "--records", str(records), written=records)
    assert (status, errors) == (130, "joute: interrupted\n")
    assert "95% interval" in output
    assert "of 100,000,000 games; the whole match: joute " + " ".join(words) in output


def test_ctrl_c_in_a_game_shows_how_to_go_on() -> None:
    status, output, errors = interrupted("play", "connect4", "--position", "44", after="1 2 3 4 5 6 7", delay_s=0.5)
    assert (status, errors) == (130, "joute: interrupted\n")
    assert "To go on: joute play connect4 --against greedy --hints perfect --seed 0 --position 44" in output


@pytest.mark.parametrize(
    "words", [("games",), ("agents", "--json"), ("match", "connect4", "random", "random"), ("show", "connect4")]
)
def test_a_closed_pipe_ends_a_command_in_silence(words: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "joute", *words],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def with_plugins(folder: Path, *words: str, input: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "joute", *words],
        input=input,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONPATH": str(folder)},
    )


def test_an_opponent_that_fails_gives_one_clear_error_and_the_game_can_go_on(tmp_path: Path) -> None:
    plugin(
        tmp_path,
        "faulty",
        """
        from dataclasses import dataclass
        from joute.agents import AgentType

        @dataclass(frozen=True)
        class Parameters:
            pass

        class Faulty:
            def __init__(self, parameters, seed): pass
            def choose(self, state, clock): raise RuntimeError("out of ideas")

        class Cheat(Faulty):
            def choose(self, state, clock): return "8"

        FAULTY = AgentType("faulty", "[bold]fails[/bold] :smile: [x]", Parameters, Faulty)
        CHEAT = AgentType("cheat", "cheats", Parameters, Cheat)
        """,
        agents={"faulty": "FAULTY", "cheat": "CHEAT"},
    )
    done = with_plugins(tmp_path, "play", "connect4", "--against", "faulty", input="4\n")
    assert done.returncode == 1
    assert done.stderr == "joute: crash at ply 1 by faulty: RuntimeError: out of ideas (faulty.py:11)\n"
    assert done.stdout.endswith(".txt --resume\n")
    done = with_plugins(tmp_path, "play", "connect4", "--against", "cheat", "--second")
    assert done.returncode == 1
    assert "joute: illegal move at ply 0 by cheat: illegal move 8 at ply 0 of connect4" in done.stderr
    done = with_plugins(tmp_path, "play", "connect4", "--hints", "faulty", input="hint\n4\nquit\n")
    assert done.returncode == 0
    assert "no hint: crash by faulty: RuntimeError: out of ideas" in done.stdout
    assert "greedy plays" in done.stdout
    # What looks like markup is a plug-in's own text.
    assert "[bold]fails[/bold] :smile: [x]" in with_plugins(tmp_path, "agents").stdout


def test_importing_joute_loads_nothing_heavy() -> None:
    code = "import sys, joute; print([m for m in ('rich', 'typer', 'numpy', 'torch', 'asyncio') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_ctrl_c_ends_a_long_native_call() -> None:
    code = (
        "import joute, _thread, threading\n"
        "threading.Timer(0.3, _thread.interrupt_main).start()\n"
        "try:\n    joute.playouts(joute.new('connect4'), 10**12)\n"
        "except KeyboardInterrupt:\n    print('stopped')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "stopped"
