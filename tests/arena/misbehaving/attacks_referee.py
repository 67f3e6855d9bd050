"""Attacks the processes of the referee and of its opponent, then plays on; says what worked."""

import ctypes
import fcntl
import os
import resource
import signal
import sys

PTRACE_SEIZE = 0x4206

libc = ctypes.CDLL(None, use_errno=True)


def parent(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def children(pid):
    return [int(name) for name in os.listdir("/proc") if name.isdecimal() and name != str(pid) and is_child(name, pid)]


def is_child(name, pid):
    try:
        return parent(name) == pid
    except OSError:
        return False


def called(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def write_to_descriptors(pid):
    worked = []
    for name in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{name}"
        if os.readlink(path).startswith(("pipe:", "/memfd:")):
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            worked.append(name)
    if not worked:
        raise OSError(0, "no descriptor can be opened")


def write_memory(pid):
    os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR))


def signal_by_pidfd(pid, number):
    pidfd = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(pidfd, number)
    finally:
        os.close(pidfd)


def signal_by_owner(pid, number):
    """Let a pipe send the signal to its owner when it becomes readable."""
    out, into = os.pipe()
    fcntl.fcntl(out, fcntl.F_SETOWN, pid)
    fcntl.fcntl(out, 10, number)  # F_SETSIG
    fcntl.fcntl(out, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(into, b"!")
    raise OSError(0, "the test sees whether the signal has arrived")


ATTACKS = {
    "write to descriptors": write_to_descriptors,
    "write to memory": write_memory,
    "ptrace": lambda pid: called(libc.ptrace(PTRACE_SEIZE, pid, 0, 0)),
    "limit": lambda pid: resource.prlimit(pid, resource.RLIMIT_CPU, (0, 0)),
    "pipe's owner": lambda pid: signal_by_owner(pid, signal.SIGKILL),
    "pidfd": lambda pid: signal_by_pidfd(pid, signal.SIGSTOP),
    "stop": lambda pid: os.kill(pid, signal.SIGSTOP),
    "kill": lambda pid: os.kill(pid, signal.SIGKILL),
}


def own_descriptors():
    """The files of this process's descriptors beyond the standard streams, without the files of these streams."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[int(name)] = os.readlink(f"/proc/self/fd/{name}")
        except OSError:  # the listing itself
            continue
    return set(found.values()) - {found[standard] for standard in range(3)} - {"/dev/null"}


def victims():
    """Every process of the referee and of the opponent, the opponent first."""
    supervisor = parent(os.getpid())
    worker = parent(supervisor)
    others = [pid for pid in children(worker) if pid != supervisor]
    named = [("opponent", pid) for other in others for pid in children(other)]
    named += [("opponent's supervisor", pid) for pid in others]
    return [*named, ("supervisor", supervisor), ("worker", worker), ("driver", parent(worker))]


class Attacker:
    victims = ("opponent", "opponent's supervisor", "supervisor", "worker", "driver")
    attacks = tuple(ATTACKS)

    def choose(self, state, clock):
        if state.ply < 2:
            print("descriptors:", *sorted(own_descriptors()), file=sys.stderr)
            for name, pid in (each for each in victims() if each[0] in self.victims):
                for attack in self.attacks:
                    try:
                        ATTACKS[attack](pid)
                        print(f"{attack}: {name}: worked", file=sys.stderr)
                    except OSError as error:
                        print(f"{attack}: {name}: {error.strerror}", file=sys.stderr)
        return state.legal_moves[0]


class Forger(Attacker):
    """Sends no signals, and leaves its opponent alone."""

    victims = ("supervisor", "worker", "driver")
    attacks = ("write to descriptors", "write to memory", "ptrace", "limit")
