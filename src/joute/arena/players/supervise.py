"""Stands between a worker and one agent, and sees to it that nothing of the agent is left.

    python -I -S supervise.py LIFELINE STATUS TURN MEMORY_MB PROCESSES CPU_S FILE_MB LOCKED COMMAND…

LIFELINE, STATUS and TURN are file descriptors. The agent inherits standard input, output and error, so what it says
takes no detour. The supervisor ends only when the agent and all its descendants are dead, which is what it does
as soon as the lifeline closes: a worker that is killed closes it too. As a child subreaper it becomes the parent
of every process that a dying agent leaves behind, so no process escapes by a double fork or a new session.

The worker stops the agent's process group while it is not its turn, and writes that into TURN, a byte in memory. What
the agent started in groups of its own is stopped here, a moment later.

The first line on STATUS is the number of the agent's process. One line of JSON says how it ended: `reason` (``exit``;
``memory``, ``processes`` for a limit; ``killed`` by the lifeline; ``start`` if the command could not be started),
`status` or `signal` of the agent, `errno`. This file is run, not imported: it uses nothing of
Joute and starts in milliseconds.
"""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 36, 38

#: Seconds between two looks at the agent's memory and processes, and where it is more than half way to a limit:
#: what it can take meanwhile is what it may exceed the limit by. A look takes a third of a millisecond.
_LOOK_S, _CLOSE_LOOK_S = 0.05, 0.01
#: The supervisor sleeps at least this many times as long as a look took: it must not eat the agent's time.
_REST = 20

#: How often it looks whether it is the agent's turn again, while it holds something stopped.
_RESUME_S = 0.002

#: What TURN says.
AT_REST, AT_MOVE = b"r", b"m"

_libc = ctypes.CDLL(None, use_errno=True)


class _Tolerance:
    """What it encloses may fail: processes end while they are looked at. (contextlib takes 6 ms to import.)"""

    def __enter__(self) -> None: ...

    def __exit__(self, error_type: type[BaseException] | None, *_: object) -> bool:
        return error_type is not None and issubclass(error_type, (OSError, IndexError))


_tolerance = _Tolerance()


class Supervisor:
    """One agent under supervision."""

    def __init__(self, lifeline: int, status: int, turn: int, memory_mb: int, processes: int) -> None:
        self.lifeline, self.status, self.turn = lifeline, status, turn
        self.memory_kb, self.processes = 1024 * memory_mb, processes
        self.load = 0.0  # what it uses of its limits: 1 is all
        self.agent = 0
        self.agent_status: int | None = None
        self.stopped: set[int] = set()  # while it is not the agent's turn

    def run(self, command: list[str], cpu_s: int, file_mb: int, *, locked: bool) -> None:
        """Start the agent, watch it, kill what is left, report."""
        become_subreaper()
        woken, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_IGN)
        errno = self.start(command, cpu_s, file_mb, locked=locked)
        self.let_go_of_the_pipes()
        with _tolerance:
            os.write(self.status, b"%d\n" % self.agent)
        with _tolerance:  # so that a bomb of processes cannot starve us; only root may
            os.setpriority(os.PRIO_PROCESS, 0, -10)
        reason = "start" if errno else self.watch(woken)
        kill_descendants(self.reap)
        self.report(reason, errno)

    def start(self, command: list[str], cpu_s: int, file_mb: int, *, locked: bool) -> int:
        """Start the command; the errno of a failure, else 0."""
        failed, failure = os.pipe2(os.O_CLOEXEC)
        supervisor = os.getpid()
        self.agent = os.fork()
        if self.agent == 0:
            try:
                _become(command, supervisor, cpu_s, file_mb, locked=locked)
            except OSError as error:
                os.write(failure, str(error.errno).encode())
            finally:
                os._exit(127)
        os.close(failure)
        errno = os.read(failed, 16)  # ends without a byte when the command is running
        os.close(failed)
        return int(errno or 0)

    def let_go_of_the_pipes(self) -> None:
        """Only the agent may hold them, or the worker would not see it close them."""
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nothing, standard)

    def watch(self, woken: int) -> str:
        """Wait until the agent ends or has to, and say why."""
        poll = select.poll()
        poll.register(self.lifeline, select.POLLIN)
        poll.register(woken, select.POLLIN)
        pause_s, next_look = _CLOSE_LOOK_S, 0.0
        while True:
            events = poll.poll(1000 * pause_s)
            if any(descriptor == self.lifeline for descriptor, _ in events):
                return "killed"
            if events:
                with _tolerance:
                    os.read(woken, 4096)
                self.reap()
                if self.agent_status is not None:
                    return "exit"
            self.resume()
            began = time.monotonic()
            if began < next_look:
                continue
            if excess := self.look():
                return excess
            took_s = time.monotonic() - began
            pause_s = max(_CLOSE_LOOK_S if self.load > 0.5 else _LOOK_S, _REST * took_s)
            next_look = began + pause_s
            if self.stopped:
                pause_s = _RESUME_S

    def look(self) -> str:
        """Which limit the agent exceeds, if any."""
        pids = descendants()
        self.stop(pids)
        found = [_status_fields(pid) for pid in pids]
        unmapped_kb = _memory_files_kb(pids)
        at_most_kb = unmapped_kb + sum(
            each.get(b"RssAnon", 0) + each.get(b"RssShmem", 0) + each.get(b"VmSwap", 0) for each in found
        )
        used_kb = at_most_kb
        if at_most_kb > self.memory_kb and len(pids) > 1:
            # Forked processes share pages, which are counted in each: now the exact and slow way.
            used_kb = unmapped_kb + sum(map(_share_kb, pids))
        threads = sum(each.get(b"Threads", 0) for each in found)
        self.load = max(used_kb / self.memory_kb, threads / self.processes)
        if used_kb > self.memory_kb:
            return "memory"
        return "processes" if threads > self.processes else ""

    def is_at_rest(self) -> bool:
        """Whether it is not the agent's turn."""
        return os.pread(self.turn, 1, 0) == AT_REST

    def stop(self, pids: set[int]) -> None:
        """Stop all that runs while it is not the agent's turn. The worker wakes the agent's group, we all others."""
        if not self.is_at_rest():
            return
        for pid in pids:
            _send(pid, signal.SIGSTOP)
        self.stopped |= {pid for pid in pids if _group(pid) != self.agent}
        if not self.is_at_rest():  # the turn began meanwhile, and we may have stopped what the worker woke
            self.stopped |= pids
            self.resume()

    def resume(self) -> None:
        """Let go on what was stopped, once it is the agent's turn."""
        if self.stopped and not self.is_at_rest():
            for pid in self.stopped:
                _send(pid, signal.SIGCONT)
            self.stopped = set()

    def reap(self) -> bool:
        """Bury the dead. True if none is left: who loses its parent becomes our child, so no child, no descendant."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return False
                if pid == self.agent:
                    self.agent_status = status
        except ChildProcessError:
            return True

    def report(self, reason: str, errno: int) -> None:
        """The line on the status pipe; nobody may be there to read it."""
        code = os.waitstatus_to_exitcode(self.agent_status or 0)
        line = f'{{"reason": "{reason}", "status": {max(code, 0)}, "signal": {max(-code, 0)}, "errno": {errno}}}\n'
        with _tolerance:
            os.write(self.status, line.encode())


def become_subreaper() -> None:
    """From now on, descendants that lose their parent become children of this process."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap_all() -> bool:
    """Bury the dead. True if no child is left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


def kill_descendants(reap: Callable[[], bool] = reap_all) -> None:
    """Kill all descendants. They are stopped first: a stopped process has no more children to be found."""
    while not reap():
        stopped: set[int] = set()
        while new := descendants() - stopped:
            for pid in new:
                _send(pid, signal.SIGSTOP)
            stopped |= new
        for pid in stopped:
            _send(pid, signal.SIGKILL)
        time.sleep(0.001)


def _become(command: list[str], supervisor: int, cpu_s: int, file_mb: int, *, locked: bool) -> None:
    """Turn this process, a fresh child, into the agent."""
    os.setsid()
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != supervisor:  # it died before it could be watched
        os._exit(127)
    if locked:  # no setuid program: we could not kill what has more rights than we
        _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _lower(resource.RLIMIT_FSIZE, file_mb << 20)
    if cpu_s:
        _lower(resource.RLIMIT_CPU, cpu_s)
    with _tolerance, open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # where the machine runs out of memory, the agent goes first
    signal.set_wakeup_fd(-1)
    for changed in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(changed, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.execvp(command[0], command)


def _lower(limit: int, value: int) -> None:
    """Set a limit, within what we may; the hard one comes a little later, as the signal of the soft one tells more."""
    hard = resource.getrlimit(limit)[1]
    most = value + 1 if hard == resource.RLIM_INFINITY else min(value + 1, hard)
    resource.setrlimit(limit, (min(value, most), most))


def descendants() -> set[int]:
    """Every descendant of this process, zombies included. One that is just being born may be missed."""
    own = os.getpid()
    parents = None if os.path.exists(f"/proc/{own}/task/{own}/children") else _parents()
    found: set[int] = set()
    todo = [own]
    while todo:
        for child in _children(todo.pop(), parents):
            if child not in found:
                found.add(child)
                todo.append(child)
    return found


def _children(pid: int, parents: dict[int, int] | None) -> list[int]:
    """The children of a process: from a table of parents, or as the kernel lists them for each thread."""
    if parents is not None:
        return [child for child, parent in parents.items() if parent == pid]
    children: list[int] = []
    with _tolerance:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with _tolerance:
                children += map(int, _content(f"/proc/{pid}/task/{thread}/children").split())
    return children


def _parents() -> dict[int, int]:
    """The parent of every process of the machine, for kernels that do not list children."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with _tolerance:
                parents[int(name)] = int(_content(f"/proc/{name}/stat").rpartition(b")")[2].split()[1])
    return parents


def _status_fields(pid: int) -> dict[bytes, int]:
    """Memory in kB and number of threads of a process; nothing if it is gone."""
    fields: dict[bytes, int] = {}
    with _tolerance:
        for line in _content(f"/proc/{pid}/status").split(b"\n"):
            name, _, rest = line.partition(b":")
            if name in (b"RssAnon", b"RssShmem", b"VmSwap", b"Threads"):
                fields[name] = int(rest.split()[0])
    return fields


def _memory_files_kb(pids: set[int]) -> int:
    """What open files in memory take (memfd_create): no process need map them. Mapped ones count twice."""
    sizes: dict[tuple[int, int], int] = {}
    for pid in pids:
        with _tolerance:
            for name in os.listdir(f"/proc/{pid}/fd"):
                with _tolerance:
                    if os.readlink(path := f"/proc/{pid}/fd/{name}").startswith("/memfd:"):
                        found = os.stat(path)
                        sizes[found.st_dev, found.st_ino] = found.st_blocks // 2
    return sum(sizes.values())


def _share_kb(pid: int) -> int:
    """The memory of a process with each shared page divided by those who share it; as `look` has it if unknown."""
    with _tolerance:
        lines = _content(f"/proc/{pid}/smaps_rollup").split(b"\n")
        shares = [int(line.split()[1]) for line in lines if line.startswith((b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:"))]
        if shares:
            return sum(shares)
    fields = _status_fields(pid)
    return fields.get(b"RssAnon", 0) + fields.get(b"RssShmem", 0) + fields.get(b"VmSwap", 0)


def _content(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        parts = []
        while part := os.read(descriptor, 65536):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _group(pid: int) -> int:
    with _tolerance:
        return os.getpgid(pid)
    return 0


def _send(pid: int, number: int) -> None:
    with _tolerance:
        os.kill(pid, number)


def main() -> None:
    """Read the command line and supervise."""
    lifeline, status, turn, memory_mb, processes, cpu_s, file_mb, locked = map(int, sys.argv[1:9])
    for descriptor in (lifeline, status, turn):
        os.set_inheritable(descriptor, False)
    supervisor = Supervisor(lifeline, status, turn, memory_mb, processes)
    supervisor.run(sys.argv[9:], cpu_s, file_mb, locked=bool(locked))
    os._exit(0)  # a tidy end of the interpreter would only take time


if __name__ == "__main__":
    main()
