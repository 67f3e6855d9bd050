"""Leaves children and grandchildren behind, in sessions of their own, and then plays on, ends, or worse."""

import os
import signal
import time


def leave_processes():
    for _ in range(2):
        if os.fork() == 0:  # a child
            time.sleep(3600)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:  # a grandchild whose parent is gone
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            while True:
                time.sleep(3600)
        os._exit(0)


class Forker:
    def choose(self, state, clock):
        if state.ply < 2:
            leave_processes()
        return state.legal_moves[0]


class Deserter:
    """Ends, and leaves the others with its output."""

    def choose(self, state, clock):
        leave_processes()
        os._exit(3)


class Rebel:
    """Kills its supervisor."""

    def choose(self, state, clock):
        leave_processes()
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(3600)


class Jailer:
    """Stops its supervisor."""

    def choose(self, state, clock):
        leave_processes()
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(3600)


class Bomb:
    """Forks as fast as it can; should nobody end it, it ends by itself soon."""

    def choose(self, state, clock):
        signal.alarm(20)
        for _ in range(10):
            if os.fork() == 0:
                signal.alarm(20)
        time.sleep(3600)
