"""The supervisor process of one agent: starts it, enforces its limits, and kills it with all its descendants.

    python -I -S supervise.py LIFELINE STATUS TURN MEMORY_MB PROCESSES CPU_S FILE_MB NO_NEW_PRIVS COMMAND…

LIFELINE, STATUS and TURN are file descriptors shared with the worker. The agent inherits standard input, output and
error, so that it exchanges lines with the worker directly. NO_NEW_PRIVS is 1 for an agent outside the sandbox: setuid
programs then give it no further rights, so that the supervisor can kill all its processes.

End of life: the supervisor kills the agent and all its descendants when the lifeline closes, which also happens when
the worker is killed, or when the agent ends or exceeds a limit. It exits only when all of them are dead. It is a child
subreaper: orphaned descendants become its children, so that none escapes by a double fork or a new session.

Turns: when the agent's turn ends, the worker writes that to TURN, a byte in shared memory, and then stops the agent's
process group. The supervisor stops descendants in other process groups a moment later.

Status: the first line on STATUS is the agent's process id. The last line is JSON and says how it ended: `reason`
(``exit``; ``memory`` or ``processes`` for a limit; ``killed`` by the lifeline; ``start`` if the command could not be
started), `status` or `signal` of the agent, `errno`. This file is executed as a script and does not import Joute, so
that it starts in milliseconds; the worker also imports some of its functions.
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

#: Seconds between two checks of the agent's memory and processes, normally and above half of a limit. The agent may
#: exceed a limit by what it takes between two checks. A check takes a third of a millisecond.
_LOOK_S, _CLOSE_LOOK_S = 0.05, 0.01
#: The supervisor sleeps at least this many times as long as a check took, to leave the CPU time to the agent.
_REST = 20

#: Seconds between two reads of TURN while descendants in other groups are stopped.
_RESUME_S = 0.002

#: The values of TURN.
AT_REST, AT_MOVE = b"r", b"m"

_libc = ctypes.CDLL(None, use_errno=True)


class _Tolerance:
    """A context that suppresses OSError and IndexError, for processes that end while they are inspected.

    It replaces contextlib.suppress, because contextlib takes 6 ms to import.
    """

    def __enter__(self) -> None: ...

    def __exit__(self, error_type: type[BaseException] | None, *_: object) -> bool:
        return error_type is not None and issubclass(error_type, (OSError, IndexError))


_tolerance = _Tolerance()


class Supervisor:
    """One agent under supervision."""

    def __init__(self, lifeline: int, status: int, turn: int, memory_mb: int, processes: int) -> None:
        self.lifeline, self.status, self.turn = lifeline, status, turn
        self.memory_kb, self.processes = 1024 * memory_mb, processes
        self.load = 0.0  # the largest share of a limit in use; 1 is the limit
        self.agent = 0
        self.agent_status: int | None = None
        self.stopped: set[int] = set()  # the processes that this supervisor stopped and must continue

    def run(self, command: list[str], cpu_s: int, file_mb: int, *, no_new_privs: bool) -> None:
        """Start the agent, watch it, kill its descendants, write the status."""
        become_subreaper()
        woken, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_IGN)
        errno = self.start(command, cpu_s, file_mb, no_new_privs=no_new_privs)
        self.let_go_of_the_pipes()
        with _tolerance:
            os.write(self.status, b"%d\n" % self.agent)
        with _tolerance:  # so that a fork bomb cannot starve the supervisor; only root may
            os.setpriority(os.PRIO_PROCESS, 0, -10)
        reason = "start" if errno else self.watch(woken)
        kill_descendants(self.reap)
        self.report(reason, errno)

    def start(self, command: list[str], cpu_s: int, file_mb: int, *, no_new_privs: bool) -> int:
        """Start the command; the errno of a failure, else 0."""
        failed, failure = os.pipe2(os.O_CLOEXEC)
        supervisor = os.getpid()
        self.agent = os.fork()
        if self.agent == 0:
            try:
                _become(command, supervisor, cpu_s, file_mb, no_new_privs=no_new_privs)
            except OSError as error:
                os.write(failure, str(error.errno).encode())
            finally:
                os._exit(127)
        os.close(failure)
        errno = os.read(failed, 16)  # empty if exec succeeded: the pipe is close-on-exec
        os.close(failed)
        return int(errno or 0)

    def let_go_of_the_pipes(self) -> None:
        """Replace the standard streams by /dev/null, so that the worker sees when the agent closes its own."""
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nothing, standard)

    def watch(self, woken: int) -> str:
        """Wait until the agent ends or must be killed; returns the reason."""
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
        """Check the limits; returns the one that is exceeded, ``memory`` or ``processes``, or an empty text."""
        pids = descendants()
        self.stop(pids)
        found = [_status_fields(pid) for pid in pids]
        unmapped_kb = _memory_files_kb(pids)
        at_most_kb = unmapped_kb + sum(
            each.get(b"RssAnon", 0) + each.get(b"RssShmem", 0) + each.get(b"VmSwap", 0) for each in found
        )
        used_kb = at_most_kb
        if at_most_kb > self.memory_kb and len(pids) > 1:
            # The sum counts pages shared by forked processes once per process: measure exactly, which is slower.
            used_kb = unmapped_kb + sum(map(_share_kb, pids))
        threads = sum(each.get(b"Threads", 0) for each in found)
        self.load = max(used_kb / self.memory_kb, threads / self.processes)
        if used_kb > self.memory_kb:
            return "memory"
        return "processes" if threads > self.processes else ""

    def is_at_rest(self) -> bool:
        """Whether it is the opponent's turn."""
        return os.pread(self.turn, 1, 0) == AT_REST

    def stop(self, pids: set[int]) -> None:
        """Stop all descendants during the opponent's turn.

        The worker continues the agent's process group itself; `stopped` keeps the others for `resume`.
        """
        if not self.is_at_rest():
            return
        for pid in pids:
            _send(pid, signal.SIGSTOP)
        self.stopped |= {pid for pid in pids if _group(pid) != self.agent}
        if not self.is_at_rest():  # the agent's turn began meanwhile: undo stops that came after the worker's wake
            self.stopped |= pids
            self.resume()

    def resume(self) -> None:
        """Continue the stopped processes if it is the agent's turn."""
        if self.stopped and not self.is_at_rest():
            for pid in self.stopped:
                _send(pid, signal.SIGCONT)
            self.stopped = set()

    def reap(self) -> bool:
        """Reap ended children. True if no child is left; then no descendant is left either, as this is a subreaper."""
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
        """Write the last line to the status pipe; the reader may be gone."""
        code = os.waitstatus_to_exitcode(self.agent_status or 0)
        line = f'{{"reason": "{reason}", "status": {max(code, 0)}, "signal": {max(-code, 0)}, "errno": {errno}}}\n'
        with _tolerance:
            os.write(self.status, line.encode())


def become_subreaper() -> None:
    """Make orphaned descendants become children of this process from now on."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap_all() -> bool:
    """Reap ended children. True if no child is left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


def kill_descendants(reap: Callable[[], bool] = reap_all) -> None:
    """Kill all descendants. They are stopped first, because stopped processes cannot fork during the search."""
    while not reap():
        stopped: set[int] = set()
        while new := descendants() - stopped:
            for pid in new:
                _send(pid, signal.SIGSTOP)
            stopped |= new
        for pid in stopped:
            _send(pid, signal.SIGKILL)
        time.sleep(0.001)


def _become(command: list[str], supervisor: int, cpu_s: int, file_mb: int, *, no_new_privs: bool) -> None:
    """Set the limits of this process, a forked child, and execute the agent's command in it."""
    os.setsid()
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != supervisor:  # the supervisor died before prctl
        os._exit(127)
    if no_new_privs:
        _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _lower(resource.RLIMIT_FSIZE, file_mb << 20)
    if cpu_s:
        _lower(resource.RLIMIT_CPU, cpu_s)
    with _tolerance, open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # if the machine runs out of memory, the kernel kills the agent first
    signal.set_wakeup_fd(-1)
    for changed in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(changed, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.execvp(command[0], command)


def _lower(limit: int, value: int) -> None:
    """Lower a soft limit to `value` and its hard limit to one more, as far as the current hard limit allows.

    The process thus gets the signal of the soft limit first, which names the limit; the hard limit sends SIGKILL.
    """
    hard = resource.getrlimit(limit)[1]
    most = value + 1 if hard == resource.RLIM_INFINITY else min(value + 1, hard)
    resource.setrlimit(limit, (min(value, most), most))


def descendants() -> set[int]:
    """The ids of all descendants of this process, zombies included. A process that forks meanwhile may be missed."""
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
    """The children of a process: from the table `parents`, or, if that is None, from the kernel's list per thread."""
    if parents is not None:
        return [child for child, parent in parents.items() if parent == pid]
    children: list[int] = []
    with _tolerance:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with _tolerance:
                children += map(int, _content(f"/proc/{pid}/task/{thread}/children").split())
    return children


def _parents() -> dict[int, int]:
    """The parent of every process of the machine; used if the kernel does not list children."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with _tolerance:
                parents[int(name)] = int(_content(f"/proc/{name}/stat").rpartition(b")")[2].split()[1])
    return parents


def _status_fields(pid: int) -> dict[bytes, int]:
    """The memory in kB and the number of threads of a process; empty if it is gone."""
    fields: dict[bytes, int] = {}
    with _tolerance:
        for line in _content(f"/proc/{pid}/status").split(b"\n"):
            name, _, rest = line.partition(b":")
            if name in (b"RssAnon", b"RssShmem", b"VmSwap", b"Threads"):
                fields[name] = int(rest.split()[0])
    return fields


def _memory_files_kb(pids: set[int]) -> int:
    """The size of open in-memory files (memfd_create), which need not be mapped. Mapped pages count twice."""
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
    """The proportional memory of a process: each shared page is divided by the number of processes that share it.

    If the kernel does not state it, the resident memory, as in `look`.
    """
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
    lifeline, status, turn, memory_mb, processes, cpu_s, file_mb, no_new_privs = map(int, sys.argv[1:9])
    for descriptor in (lifeline, status, turn):
        os.set_inheritable(descriptor, False)
    supervisor = Supervisor(lifeline, status, turn, memory_mb, processes)
    supervisor.run(sys.argv[9:], cpu_s, file_mb, no_new_privs=bool(no_new_privs))
    os._exit(0)  # skips the slow shutdown of the interpreter


if __name__ == "__main__":
    main()
