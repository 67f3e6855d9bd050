"""Kills or stops the process that referees its game when it has seen enough."""

import os
import signal


def parent(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


class Killer:
    number = signal.SIGKILL

    def choose(self, state, clock):
        if state.ply >= 4:
            os.kill(parent(os.getppid()), self.number)
        return state.legal_moves[0]


class Stopper(Killer):
    number = signal.SIGSTOP
