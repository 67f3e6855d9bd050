"""The supervisor process of one agent: starts it, enforces its limits, and kills it with all its descendants.

    python -I -S launch.py supervise LIFELINE STATUS TURN MEMORY_MB PROCESSES CPU_S FILE_MB JAILED
        FILES SHOWN DESCRIPTOR… PATH… COMMAND…

LIFELINE, STATUS and TURN are file descriptors shared with the worker. The agent inherits standard input, output and
error, so that it exchanges lines with the worker directly. FILES and SHOWN are the numbers of descriptors and paths
that follow.

Rights: as root the agent gets a user id of its own (privileges.py). A command that makes a sandbox (JAILED is 1) keeps
root's until its mounts are made: the word `AGENT_ID` in it and in the files behind the descriptors is replaced by the
id, for the door inside (jail_door.py), and the paths are shown to that id. Outside the sandbox an agent keeps the
rights of the user to files, but not to other processes: it cannot send them signals, if it is started by root or the
kernel has Landlock 6.

Limits: a cgroup, if there can be one (cgroup.py); otherwise the supervisor counts (counting.py).

End of life: the supervisor kills the agent and all its descendants when the lifeline closes, which also happens when
the worker is killed, or when the agent ends or exceeds a limit. It exits only when all of them are dead. It is a child
subreaper: orphaned descendants become its children, so that none escapes by a double fork or a new session.

Turns: when the agent's turn ends, the worker writes that to TURN, a byte in shared memory, and then stops the agent's
process group. The supervisor stops descendants in other process groups a moment later.

Status: the first line on STATUS is the agent's process id. The last line is JSON and says how it ended: `reason`
(``exit``; ``memory`` or ``processes`` for a limit; ``killed`` by the lifeline; ``start`` if the command could not be
started), `status` or `signal` of the agent, `errno`. This module runs without Joute, so that it starts in milliseconds;
the worker also imports some of its functions.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time

import joute.arena.players.cgroup as cgroup
import joute.arena.players.kernel as kernel
import joute.arena.players.landlock as landlock
import joute.arena.players.mounts as mounts
import joute.arena.players.privileges as privileges
import joute.arena.players.seccomp as seccomp
from joute.arena.players.counting import Count, content, remove_files_of, tolerance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds between two checks of the agent's memory and processes, normally and above half of a limit. The agent may
#: exceed a limit by what it takes between two checks. A check takes a third of a millisecond.
_LOOK_S, _CLOSE_LOOK_S = 0.05, 0.01
#: The supervisor sleeps at least this many times as long as a check took, to leave the CPU time to the agent.
_REST = 20

#: The longest pause between two checks, however long they take: an agent can make them slow.
_LONGEST_PAUSE_S = 0.5

#: Seconds between two reads of TURN while descendants in other groups are stopped.
_RESUME_S = 0.002

#: The values of TURN.
AT_REST, AT_MOVE = b"r", b"m"

#: Stands for the agent's user id in a command.
AGENT_ID = "{agent id}"

#: Most open files of a process. It also limits the files that a user can park in sockets, which nobody can count.
_OPEN_FILES = 1024

#: The processes and threads that an agent can start at most before a check ends it, as a multiple of its limit.
_BURST = 4

#: The failure that makes the supervisor start an agent again without a private /dev/shm: the system allows no mounts.
_NO_MOUNTS = -1


class Limits:
    """The limits of an agent, as in `Isolation`; `processes` includes those that make the sandbox."""

    def __init__(self, memory_mb: int, processes: int, cpu_s: int, file_mb: int) -> None:
        self.memory_mb, self.processes, self.cpu_s, self.file_mb = memory_mb, processes, cpu_s, file_mb


class Supervisor:
    """One agent under supervision."""

    def __init__(self, lifeline: int, status: int, turn: int, limits: Limits) -> None:
        self.lifeline, self.status, self.turn = lifeline, status, turn
        self.limits = limits
        self.identity = privileges.agent_id(os.getpid())
        self.count = Count(limits.memory_mb, limits.processes)
        self.group = _agent_group(limits)
        self.agent = 0
        self.agent_status: int | None = None
        self.stopped: set[int] = set()  # the processes that this supervisor stopped and must continue

    def run(self, command: list[str], shown: list[str], *, jailed: bool) -> None:
        """Start the agent, watch it, kill its descendants, write the status."""
        become_subreaper()
        woken, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_IGN)
        errno = self.start(command, shown, jailed=jailed)
        if errno == _NO_MOUNTS:
            self.count.owner = self.identity
            errno = self.start(command, shown, jailed=jailed, has_mounts=False)
        self.let_go_of_the_pipes()
        with tolerance:
            os.write(self.status, b"%d\n" % self.agent)
        with tolerance:  # so that a fork bomb cannot starve the supervisor; only root may
            os.setpriority(os.PRIO_PROCESS, 0, -10)
        reason = "start" if errno else self.watch(woken)
        if self.group:
            with tolerance:
                self.group.kill()
        kill_descendants(self.reap)
        if self.group:
            if reason == "exit":  # the kernel may have killed it before a look
                reason = self.group.excess() or reason
            self.group.remove()
        if self.count.owner:
            remove_files_of(self.count.owner)
        self.report(reason, errno)

    def start(self, command: list[str], shown: list[str], *, jailed: bool, has_mounts: bool = True) -> int:
        """Start the command; the errno of a failure, `_NO_MOUNTS`, or 0."""
        failed, failure = os.pipe2(os.O_CLOEXEC)
        supervisor = os.getpid()
        self.agent = os.fork()
        if self.agent == 0:
            try:
                self.prepare()
                if jailed:
                    self.prepare_jail(shown)
                elif not self.confine(has_mounts=has_mounts):
                    os.write(failure, str(_NO_MOUNTS).encode())
                    os._exit(127)
                kernel.prctl(
                    kernel.PR_SET_PDEATHSIG, signal.SIGKILL
                )  # after the change of the user id, which resets it
                if os.getppid() != supervisor:  # the supervisor died before prctl
                    os._exit(127)
                os.execvp(command[0], command)
            except OSError as error:
                os.write(failure, str(error.errno).encode())
            finally:
                os._exit(127)
        os.close(failure)
        errno = os.read(failed, 16)  # empty if exec succeeded: the pipe is close-on-exec
        os.close(failed)
        return int(errno or 0)

    def prepare(self) -> None:
        """Set the session, keyring, limits and signals of this process, the agent's."""
        os.setsid()
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # undo the supervisor's setting, which closes /proc/self to its owner
        if self.group:
            self.group.enter()
        limits = self.limits
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _lower(resource.RLIMIT_FSIZE, limits.file_mb << 20)
        _lower(resource.RLIMIT_NOFILE, _OPEN_FILES, margin=0)
        if self.identity:  # counts the processes of its user id, which are the agent's alone; see `Count` for the limit
            _lower(resource.RLIMIT_NPROC, _BURST * limits.processes, margin=0)
        if limits.cpu_s:
            _lower(resource.RLIMIT_CPU, limits.cpu_s)
        with tolerance, open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")  # if the machine runs out of memory, the kernel kills the agent first
        signal.set_wakeup_fd(-1)
        for changed in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(changed, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    def prepare_jail(self, shown: list[str]) -> None:
        """Show the paths to the agent's user id, if it gets one."""
        if self.identity:
            with tolerance:
                mounts.show_to(self.identity, shown)

    def confine(self, *, has_mounts: bool) -> bool:
        """Confine this process, of an agent outside the sandbox; False if it cannot have a private /dev/shm."""
        if has_mounts:
            try:
                mounts.hide_shared_memory(self.limits.memory_mb)
            except OSError:
                return False
        privileges.drop_to(self.identity, kept=privileges.FILE_RIGHTS if self.identity else ())
        landlock.scope_signals()
        if kernel.MACHINE in seccomp.ARCHITECTURES:
            seccomp.install(seccomp.limits_filter(kernel.MACHINE))
        return True

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
                with tolerance:
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
            usual_s = _CLOSE_LOOK_S if self.count.load > 0.5 else _LOOK_S
            pause_s = max(usual_s, min(_REST * took_s, _LONGEST_PAUSE_S))
            next_look = began + pause_s
            if self.stopped:
                pause_s = _RESUME_S

    def look(self) -> str:
        """Check the limits; returns the one that is exceeded, ``memory`` or ``processes``, or an empty text."""
        pids = descendants()
        self.stop(pids)
        return self.group.excess() if self.group else self.count.excess(pids)

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
        with tolerance:
            os.write(self.status, line.encode())


def _fill_in(identity: int, descriptors: list[int]) -> None:
    """Replace `AGENT_ID` in files in memory."""
    for descriptor in descriptors:
        text = os.pread(descriptor, 1 << 20, 0)
        if AGENT_ID.encode() in text:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, text.replace(AGENT_ID.encode(), str(identity).encode()), 0)


def become_subreaper() -> None:
    """Make orphaned descendants become children of this process from now on."""
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)


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


def _agent_group(limits: Limits) -> cgroup.AgentGroup | None:
    """The agent's cgroup, if there can be one."""
    parent = cgroup.find_parent()
    with tolerance:
        return cgroup.AgentGroup(parent, limits.memory_mb, limits.processes) if parent else None
    return None


def _lower(limit: int, value: int, *, margin: int = 1) -> None:
    """Lower a soft limit to `value` and its hard limit by `margin` more, as far as the current hard limit allows.

    With a margin the process gets the signal of the soft limit first, which names the limit; the hard limit sends
    SIGKILL.
    """
    hard = resource.getrlimit(limit)[1]
    most = value + margin if hard == resource.RLIM_INFINITY else min(value + margin, hard)
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
    with tolerance:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with tolerance:
                children += map(int, content(f"/proc/{pid}/task/{thread}/children").split())
    return children


def _parents() -> dict[int, int]:
    """The parent of every process of the machine; used if the kernel does not list children."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with tolerance:
                parents[int(name)] = int(content(f"/proc/{name}/stat").rpartition(b")")[2].split()[1])
    return parents


def _group(pid: int) -> int:
    with tolerance:
        return os.getpgid(pid)
    return 0


def _send(pid: int, number: int) -> None:
    with tolerance:
        os.kill(pid, number)


def main() -> None:
    """Read the command line and supervise."""
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # the agent cannot open this process's descriptors through /proc
    lifeline, status, turn, *limits, jailed, files, shown = map(int, sys.argv[1:11])
    for descriptor in (lifeline, status, turn):
        os.set_inheritable(descriptor, False)
    supervisor = Supervisor(lifeline, status, turn, Limits(*limits))
    words = sys.argv[11:]
    _fill_in(supervisor.identity or os.geteuid(), [int(word) for word in words[:files]])
    command = [str(supervisor.identity) if word == AGENT_ID else word for word in words[files + shown :]]
    supervisor.run(command, words[files : files + shown], jailed=bool(jailed))
    os._exit(0)  # skips the slow shutdown of the interpreter
