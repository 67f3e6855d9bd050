"""Agents that misbehave in every way we could think of: the game has the right result, and nothing is left of them."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from network_files import network_bytes

from joute import new
from joute.agents.loading import find_source
from joute.arena.players import landlock, sandbox, supervise
from joute.arena.players import process as process_module
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import make_player
from joute.arena.players.process import AgentProcess
from joute.arena.players.sandbox import View
from joute.errors import JouteError
from joute.match import GameRecord, Reason, play_game

FIXTURES = Path(__file__).parent / "misbehaving"


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[Path]:
    """A copy of the agents. Its path is in the command line of whatever they start, so leftovers can be found."""
    folder = tmp_path / "agents"
    shutil.copytree(FIXTURES, folder)
    yield folder
    assert not leftovers(folder)


def leftovers(folder: Path) -> dict[int, str]:
    found = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if f"{folder}/" in command:
            found[int(path.parent.name)] = command
    return found


def play(
    folder: Path,
    agent: str,
    isolation: Isolation | None = None,
    clock: str = "60",
    margin_s: float = 0.1,
    plies: int = 99,
) -> GameRecord:
    """A game of an agent, or a program if the name has no ``.py:``, against one that plays at random."""
    file, _, rest = agent.partition(" ")
    is_program = "import wire" in (folder / file.partition(":")[0]).read_text().replace("from wire", "import wire")
    text = f"ugi:{sys.executable} {folder}/{file} {rest}" if is_program else f"{folder}/{file}"
    player = make_player(find_source(text), "villain", "connect4", isolation or Isolation())
    record = play_game("connect4", player, "random", seed=3, clock=clock, margin_s=margin_s, max_plies=plies)
    assert not leftovers(folder)
    assert record.reason in (Reason.NORMAL, Reason.PLY_LIMIT) or record.winner == 1
    return record


# The time limits are short where they have to pass, and long where something else must end the game first.
SHORT = "0.3/move"
CASES = [
    ("sleeps.py", SHORT, Reason.TIME, "villain had no move after"),
    ("ignores_stop.py", SHORT, Reason.TIME, "villain had no move after"),
    ("answers_late.py 0.6", SHORT, Reason.TIME, "with 0.400 s left, margin included"),
    ("deaf.py", SHORT, Reason.TIME, "at ply 0"),
    ("prints.py:Endless", SHORT, Reason.TIME, "at ply 0"),
    ("crashes_at_import.py", "60", Reason.CRASH, "RuntimeError: the weights are at home (crashes_at_import.py:3)"),
    (
        "crashes_at_ply_10.py",
        "60",
        Reason.CRASH,
        "ValueError: nobody told me that games are this long (crashes_at_ply_10.py:7)",
    ),
    ("segfaults.py", "60", Reason.CRASH, "villain was killed by signal SIGSEGV at ply 0"),
    ("exits_silently.py", "60", Reason.CRASH, "villain ended with exit status 0 at ply 0"),
    ("closes_stdout.py", "60", Reason.CRASH, "villain closed its standard output at ply 0"),
    ("floods_wire.py lines", "60", Reason.CRASH, "villain wrote 16 MB and no move at ply 0"),
    ("floods_wire.py endless", "60", Reason.CRASH, "villain wrote 16 MB and no move at ply 0"),
    ("plays_illegal.py", "60", Reason.ILLEGAL_MOVE, "99"),
    ("answers_garbage.py", "60", Reason.ILLEGAL_MOVE, "garbage"),
    ("answers_nothing.py:Mute", "60", Reason.ILLEGAL_MOVE, "Unspeakable"),
    ("resigns.py", "60", Reason.RESIGNATION, "villain resigned at ply 0"),
]


@pytest.mark.parametrize(("agent", "clock", "reason", "detail"), CASES, ids=[case[0] for case in CASES])
def test_misconduct_costs_the_game_with_the_right_reason(
    agents: Path, agent: str, clock: str, reason: Reason, detail: str
) -> None:
    record = play(agents, agent, clock=clock)
    assert (record.reason, record.isolation) == (reason, ("process", "worker"))
    assert detail in record.detail
    assert len(record.moves) == (10 if "ply_10" in agent else 0)


def test_a_program_that_behaves_plays_and_its_search_is_kept(agents: Path) -> None:
    record = play(agents, "behaves.py", plies=6)
    assert record.reason is Reason.PLY_LIMIT
    info = record.moves[0].info
    assert info is not None
    assert (info.depth, info.nodes, info.value_for_mover, info.pv) == (3, 17, 0.5, ("1", "2"))


def test_who_is_told_to_stop_may_answer_within_the_margin(agents: Path) -> None:
    record = play(agents, "answers_on_stop.py", clock="0.1/move", margin_s=20, plies=4)
    assert record.reason is Reason.PLY_LIMIT
    assert all(played.time_s >= 0.1 for played in record.moves if played.player == 0)


def test_stop_is_sent_once(agents: Path) -> None:
    assert play(agents, "ignores_stop.py", clock="0.1/move", margin_s=1.5).output[0].count("heard stop") == 1


def test_without_a_clock_an_agent_that_never_answers_stalls(agents: Path) -> None:
    record = play(agents, "sleeps.py", Isolation(stall_s=0.3), clock="nodes=10")
    assert record.reason is Reason.STALLED
    assert record.detail.startswith("villain had no move after")


@pytest.mark.parametrize(
    ("agent", "awaited"), [("never_ready.py", "readyok"), ("constructor_sleeps.py", "readyok")], ids=lambda text: text
)
def test_who_does_not_get_ready_stalls(agents: Path, agent: str, awaited: str) -> None:
    record = play(agents, agent, Isolation(start_s=2.5))
    assert (record.reason, record.moves) == (Reason.STALLED, ())
    assert f"villain did not send {awaited} within 2.5 s" in record.detail


def test_who_only_makes_noise_from_the_start_stalls(agents: Path) -> None:
    source = find_source(f"ugi:{sys.executable} {agents}/floods_start.py")
    record = play_game("connect4", "random", make_player(source, "villain", "connect4", Isolation()))
    assert (record.winner, record.reason, record.detail) == (0, Reason.STALLED, "villain wrote 16 MB and no ugiok")


def test_a_program_that_cannot_run_is_a_crash_with_the_reason(agents: Path) -> None:
    program = agents / "script"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    player = make_player(find_source(f"ugi:{program}"), "villain", "connect4", Isolation())
    record = play_game("connect4", player, "random")
    assert record.reason is Reason.CRASH
    assert "could not be started: No such file or directory" in record.detail


def test_both_can_fail(agents: Path) -> None:
    broken = find_source(f"{agents}/crashes_at_import.py")
    record = play_game("connect4", *(make_player(broken, name, "connect4", Isolation()) for name in ("one", "two")))
    assert (record.winner, record.reason) == (None, Reason.ADJUDICATED)


def test_what_an_agent_prints_is_kept_within_bounds_and_harms_nobody(agents: Path) -> None:
    record = play(agents, "prints.py:Talker", plies=6)
    assert record.reason is Reason.PLY_LIMIT
    kept = record.output[0]
    assert kept.startswith(("thinking", "bestmove 99"))
    assert "bytes cut]" in kept
    assert 20_000 < len(kept) < 40_000


@pytest.mark.parametrize("in_jail", [False, True])
def test_files_reach_the_memory_limit_before_their_disk_is_full(
    agents: Path, in_jail: bool, request: pytest.FixtureRequest
) -> None:
    if in_jail:
        request.getfixturevalue("jail")
    record = play(agents, "allocates.py:Surveyor", Isolation(memory_mb=100, sandbox=in_jail), plies=2)
    assert record.reason is Reason.PLY_LIMIT, record.output


@pytest.mark.parametrize(
    ("agent", "in_jail"),
    [
        *((agent, False) for agent in ("Greedy", "Sharing", "Parent", "Hoarder", "Parker", "Reader", "Littering")),
        *((agent, True) for agent in ("Sharing", "Hoarder", "Parker", "Reader")),
    ],
)
def test_too_much_memory_costs_the_game_wherever_it_is(
    agents: Path, agent: str, in_jail: bool, request: pytest.FixtureRequest
) -> None:
    if in_jail:
        request.getfixturevalue("jail")
    before = set(os.listdir("/dev/shm"))
    record = play(agents, f"allocates.py:{agent}", Isolation(memory_mb=100, sandbox=in_jail))
    assert record.reason is Reason.MEMORY
    assert record.detail == "villain used more than 100 MB of memory at ply 0; --memory-mb sets this limit"
    assert not [name for name in set(os.listdir("/dev/shm")) - before if name.startswith("joute_")]


def test_an_agent_that_is_refused_memory_loses_by_memory(agents: Path) -> None:
    record = play(agents, "allocates.py:Told")
    assert record.reason is Reason.MEMORY
    assert "MemoryError" in record.detail


@pytest.mark.parametrize("agent", ["Frugal", "SharedTwice"])
def test_pages_that_processes_share_count_once(agents: Path, agent: str) -> None:
    record = play(agents, f"allocates.py:{agent}", Isolation(memory_mb=300, file_mb=200), plies=4)
    assert (record.reason, record.detail) == (Reason.PLY_LIMIT, "")


def test_processes_that_an_agent_forked_end_with_the_game(agents: Path) -> None:
    assert play(agents, "forks.py:Forker", plies=4).reason is Reason.PLY_LIMIT


def test_processes_of_a_dead_agent_are_killed(agents: Path) -> None:
    record = play(agents, "forks.py:Deserter")
    assert (record.reason, record.detail) == (Reason.CRASH, "villain ended with exit status 3 at ply 0")


@pytest.mark.skipif(os.getuid() != 0 and not landlock.can_scope_signals(), reason="needs root or Landlock 6")
@pytest.mark.parametrize("agent", ["Rebel", "Jailer"])
def test_an_agent_can_neither_kill_nor_stop_its_supervisor(agents: Path, agent: str) -> None:
    record = play(agents, f"forks.py:{agent}")
    assert record.reason is Reason.CRASH
    assert "PermissionError" in record.detail


def test_an_agent_whose_supervisor_is_killed_dies_with_its_processes(agents: Path) -> None:
    (agents / "sleep.py").write_text("import os, time; os.fork(); os.write(1, b'up\\n'); time.sleep(3600)")
    process = AgentProcess([sys.executable, "-u", f"{agents}/sleep.py"], Isolation(), view=View(agents))
    assert all(process.read_line(time.perf_counter() + 60) for _ in range(2))
    process._supervisor.kill()
    with pytest.raises(EOFError):
        process.read_line(time.perf_counter() + 60)
    process.kill()
    assert process.end_in_words() == "ended because a signal killed its supervisor"


def test_too_many_processes_cost_the_game(agents: Path) -> None:
    record = play(agents, "forks.py:Bomb", Isolation(processes=8))
    assert record.reason is Reason.CRASH
    assert record.detail.startswith("villain had more than 8 processes and threads at ply 0")


def test_too_much_cpu_costs_the_game(agents: Path) -> None:
    record = play(agents, "burns.py", Isolation(cpu_s=1))
    assert (record.reason, record.detail) == (
        Reason.TIME,
        "villain used more than 1 s of CPU at ply 0; --cpu-s sets this limit",
    )


@pytest.mark.parametrize("agent", ["forks.py:Forker", "sleeps.py"])
@pytest.mark.parametrize("in_jail", [False, True], ids=["process", "sandbox"])
def test_a_killed_referee_leaves_no_process(
    agents: Path, agent: str, in_jail: bool, request: pytest.FixtureRequest
) -> None:
    if in_jail:
        request.getfixturevalue("jail")
    driver = subprocess.Popen([sys.executable, "-c", _DRIVER, f"{agents}/{agent}", str(int(in_jail))], stdout=-1)
    assert driver.stdout is not None
    assert driver.stdout.readline() == b"thinking\n"
    assert leftovers(agents).keys() > {driver.pid}
    driver.kill()
    driver.wait()
    driver.stdout.close()
    deadline = time.monotonic() + 30
    while leftovers(agents) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not leftovers(agents)


_DRIVER = """
import sys
from joute.agents.loading import find_source
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import make_player
from joute.match import play_game
import time

class Patient:
    def choose(self, state, clock):
        print("thinking", flush=True)
        time.sleep(3600)

class Watch:
    def began(self, start_outcomes): pass
    def turn(self, player, limit_s):
        if player == 0 and "sleeps" in sys.argv[1]:
            print("thinking", flush=True)
    def played(self, move): pass

player = make_player(find_source(sys.argv[1]), "villain", "connect4", Isolation(sandbox=bool(int(sys.argv[2]))))
play_game("connect4", player, Patient(), witness=Watch())
"""


@pytest.fixture
def neighbourhood(agents: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """What an agent should not reach: a neighbour's file, a server, a process, a secret in the environment."""
    (agents.parent / "neighbour").mkdir()
    (agents.parent / "neighbour" / "secret").write_text("the best opening is 4")
    monkeypatch.setenv("CLASS_SECRET", "hunter2")
    (agents / "pid").write_text(str(os.getpid()))
    with socket.create_server(("127.0.0.1", 0)) as server:
        (agents / "port").write_text(str(server.getsockname()[1]))
        yield server


@pytest.mark.usefixtures("neighbourhood")
def test_a_plain_process_does_not_keep_an_agent_from_looking_around(agents: Path) -> None:
    said = play(agents, "looks_around.py:Spy", plies=2).output[0].splitlines()
    can_signal = os.getuid() != 0 and not landlock.can_scope_signals()
    assert said == [
        "reading a neighbour worked",
        "writing beside its folder worked",
        "calling out worked",
        f"reaching another process {'worked' if can_signal else 'failed: Operation not permitted'}",
        "secrets: ['CLASS_SECRET']",
    ]


@pytest.mark.usefixtures("neighbourhood", "jail")
def test_a_sandbox_does(agents: Path) -> None:
    before = set(agents.parent.rglob("*")) | set(Path("/").glob("joute*")) | set(Path("/tmp").glob("joute_written"))
    record = play(agents, "looks_around.py:Burglar", Isolation(sandbox=True), plies=2)
    assert record.isolation == ("sandbox", "worker")
    said = record.output[0].splitlines()
    del said[1]  # beside its folder: read-only, or its private /tmp if the tests run there; nothing is written, below
    assert said == [
        "reading a neighbour failed: No such file or directory",
        "calling out failed: Connection refused",
        "reaching another process failed: No such process",
        "secrets: []",
        "reading its own folder worked",
        "reading passwords failed: No such file or directory",
        "writing to its own folder failed: Read-only file system",
        "writing to the root failed: Read-only file system",
        "writing devices failed: Read-only file system",
        "writing to /tmp worked",
        "writing much failed: No space left on device",
    ]
    after = set(agents.parent.rglob("*")) | set(Path("/").glob("joute*")) | set(Path("/tmp").glob("joute_written"))
    assert before == after


@pytest.mark.usefixtures("jail")
def test_agents_of_one_folder_can_be_hidden_from_each_other(agents: Path) -> None:
    (agents / "reads.py").write_text(
        "def choose(state, clock):\n    return open('plays_illegal.py').read() and open('wire.py').read()\n"
    )
    hidden = [agents / "reads.py", agents / "plays_illegal.py"]
    source = find_source(f"{agents}/reads.py")
    player = make_player(source, "spy", "connect4", Isolation(sandbox=True), hidden_paths=hidden)
    record = play_game("connect4", player, "random")
    assert record.reason is Reason.CRASH
    assert "FileNotFoundError" in record.detail
    assert "plays_illegal.py" in record.detail


JAIL_CASES = [
    ("behaves.py", "60", Reason.PLY_LIMIT, ""),
    ("sleeps.py", SHORT, Reason.TIME, "villain had no move after"),
    ("segfaults.py", "60", Reason.CRASH, "villain was killed by signal SIGSEGV at ply 0"),
    ("exits_silently.py", "60", Reason.CRASH, "villain ended with exit status 0 at ply 0"),
    ("allocates.py:Parent", "60", Reason.MEMORY, "villain used more than 300 MB of memory at ply 0"),
    ("forks.py:Forker", "60", Reason.PLY_LIMIT, ""),
    ("forks.py:Bomb", "60", Reason.CRASH, "villain had more than 8 processes and threads at ply 0"),
    ("forks.py:Deserter", "60", Reason.CRASH, "villain ended with exit status 3 at ply 0"),
]


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(("agent", "clock", "reason", "detail"), JAIL_CASES, ids=[case[0] for case in JAIL_CASES])
def test_the_sandbox_changes_no_reason(agents: Path, agent: str, clock: str, reason: Reason, detail: str) -> None:
    limits = Isolation(sandbox=True, memory_mb=300, processes=10 if "Parent" in agent else 8)
    record = play(agents, agent, limits, clock=clock, plies=4)
    assert (record.reason, record.isolation) == (reason, ("sandbox", "worker"))
    assert detail in record.detail


def test_a_sandbox_that_is_missing_is_refused_before_the_game(agents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = find_source(f"{agents}/sleeps.py")
    sandbox._problem.cache_clear()
    monkeypatch.setenv("PATH", str(agents))
    with pytest.raises(JouteError, match=r"bwrap is missing; install it \(Debian, Ubuntu: apt install bubblewrap"):
        make_player(source, "villain", "connect4", Isolation(sandbox=True))
    broken = agents / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\necho more >&2\nexit 1\n")
    broken.chmod(0o755)
    sandbox._problem.cache_clear()
    with pytest.raises(JouteError, match='says "bwrap: No permissions to create new namespace"'):
        make_player(source, "villain", "connect4", Isolation(sandbox=True))
    sandbox._problem.cache_clear()


def test_a_process_that_reads_nothing_does_not_block_its_referee(agents: Path) -> None:
    (agents / "sleep.py").write_text("import time; time.sleep(3600)")
    process = AgentProcess([sys.executable, f"{agents}/sleep.py"], Isolation(), view=View(agents))
    process.send("x" * (1 << 20))
    assert process.read_line(time.perf_counter() + 0.1) is None
    process.kill()


def test_all_that_is_sent_arrives_and_long_lines_are_dropped(agents: Path) -> None:
    (agents / "echo.py").write_text("import sys\nfor line in sys.stdin: print(line, end='')\n")
    process = AgentProcess([sys.executable, "-u", f"{agents}/echo.py"], Isolation(), view=View(agents))
    process.send("x" * (3 << 20) + "\n" + "y" * (1 << 19) + "\nz\n")
    assert process.read_line(time.perf_counter() + 60) == "y" * (1 << 19)
    assert process.read_line(time.perf_counter() + 60) == "z"
    process.kill()
    assert process.exit is not None


def test_a_file_has_a_largest_size(agents: Path) -> None:
    (agents / "write.py").write_text("open('large', 'wb').write(bytes(3 << 20))")
    process = AgentProcess([sys.executable, f"{agents}/write.py"], Isolation(file_mb=1), view=View(agents))
    assert process.wait(60)
    process.kill()
    assert "File too large" in process.error_text()
    assert (agents / "large").stat().st_size == 1 << 20


def test_standard_error_is_kept_at_both_ends() -> None:
    kept = process_module._Kept()
    for number in range(10_000):
        kept.add(b"%09d\n" % number)
    text = kept.text()
    assert text.startswith("000000000\n")
    assert text.endswith("000009999\n")
    assert f"[{100_000 - (32 << 10)} bytes cut]" in text


def test_descendants_are_found_with_and_without_the_kernels_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = subprocess.Popen(["sh", "-c", "sleep 60 & echo $!; wait"], stdout=-1, text=True, start_new_session=True)
    assert shell.stdout is not None
    family = {shell.pid, int(shell.stdout.readline())}
    try:
        listed = supervise.descendants()
        monkeypatch.setattr(os.path, "exists", lambda path: False)
        assert family <= listed
        assert family <= supervise.descendants()
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
        shell.stdout.close()


def test_an_agent_with_a_network_of_the_users_runs_under_the_limits_of_strangers(tmp_path: Path) -> None:
    net = tmp_path / "mine.onnx"
    net.write_bytes(network_bytes(new("connect4"), scale=0.1))
    source = find_source(f"alphazero:net={net},iterations=8,fallback=none", "connect4")
    assert not source.runs_in_worker
    assert find_source("alphazero:iterations=8", "connect4").runs_in_worker
    played = play_game("connect4", make_player(source, "mine", "connect4", Isolation()), "random", seed=1)
    assert (played.reason, played.isolation) == (Reason.NORMAL, ("process", "worker"))
    starved = make_player(source, "mine", "connect4", Isolation(memory_mb=16))
    record = play_game("connect4", starved, "random", seed=1)
    assert (record.reason, record.winner) == (Reason.MEMORY, 1)
