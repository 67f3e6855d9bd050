"""Wants 8 GB: in its own process, in memory that is shared, or in children."""

import mmap
import os
import socket
import sys
import time
from multiprocessing.shared_memory import SharedMemory

MAP_NORESERVE = 0x4000  # of <asm-generic/mman-common.h>
PIECE_BYTES, PIECES = 64 << 20, 128


class Greedy:
    def choose(self, state, clock):
        self.pieces = [b"x" * PIECE_BYTES for _ in range(PIECES)]
        return state.legal_moves[0]


class Sharing:
    def choose(self, state, clock):
        print("noise", file=sys.stderr, flush=True)  # not the reason why it fails
        self.pieces = []
        for _ in range(PIECES):
            self.pieces.append(mmap.mmap(-1, PIECE_BYTES))
            self.pieces[-1].write(b"x" * PIECE_BYTES)
        return state.legal_moves[0]


class Parent:
    def choose(self, state, clock):
        for _ in range(8):
            if os.fork() == 0:
                piece = b"x" * PIECE_BYTES
                time.sleep(3600 + len(piece))
        time.sleep(3600)


class Told:
    """Asks for more than any machine has; Python says no."""

    def choose(self, state, clock):
        return b"x" * (1 << 60)


class Frugal:
    """Its children share what it has: that is no more memory."""

    def __init__(self):
        self.piece = b"x" * (150 << 20)

    def choose(self, state, clock):
        if state.ply < 2:
            for _ in range(4):
                if os.fork() == 0:
                    time.sleep(3600)
        time.sleep(0.2)
        return state.legal_moves[0]


class Hoarder:
    """Fills files in memory that no process keeps open."""

    def choose(self, state, clock):
        for number in range(60):
            with open(f"/dev/shm/joute_hoard{number}", "wb") as file:
                file.write(bytes(20 << 20))
        time.sleep(3600)


class Parker:
    """Sends files in memory into a socket and closes them: no process has them open then."""

    def choose(self, state, clock):
        self.sockets = socket.socketpair()
        for _ in range(60):
            try:
                file = os.memfd_create("parked")
            except OSError as error:  # refused: an unnamed file instead
                print("memfd_create:", error.strerror, file=sys.stderr)
                file = os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR)
            for _ in range(20):
                os.write(file, bytes(1 << 20))
            socket.send_fds(self.sockets[0], [b"!"], [file])
            os.close(file)
        time.sleep(3600)


class Reader:
    """Reads one byte of every 2 MB of empty memory: page tables grow, and no page is its own."""

    def choose(self, state, clock):
        self.pieces = []
        for _ in range(64):
            self.pieces.append(mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | MAP_NORESERVE, prot=mmap.PROT_READ))
            for offset in range(0, 64 << 30, 2 << 20):
                self.pieces[-1][offset]
        time.sleep(3600)


class Littering:
    """Makes a million empty files in memory."""

    def choose(self, state, clock):
        for number in range(1_000_000):
            os.close(os.open(f"/dev/shm/joute_litter{number}", os.O_CREAT | os.O_WRONLY))
        time.sleep(3600)


class SharedTwice:
    """Maps a file in memory in two processes: its pages count once."""

    def choose(self, state, clock):
        if state.ply < 2:
            self.memory = SharedMemory(create=True, size=150 << 20)
            self.memory.buf[:] = bytes(150 << 20)
            if os.fork() == 0:
                sum(self.memory.buf[:: 1 << 12])
                time.sleep(3600)
        time.sleep(0.2)
        return state.legal_moves[0]


class Surveyor:
    """Plays only if /dev/shm has room for half as much again as the memory limit of 100 MB."""

    def choose(self, state, clock):
        room = os.statvfs("/dev/shm")
        assert room.f_bavail * room.f_frsize >= 150 << 20, room
        return state.legal_moves[0]
