"""The player for an untrusted bot of Vampires vs Werewolves: it is the server that the bot connects to.

The bot is started as in its course, ``PROGRAM … HOST PORT``, and speaks the course's protocol.
docs/vampires_protocol.md lists the differences to the course's server.
"""

from __future__ import annotations

import contextlib
import math
import socket
import time
from collections.abc import Iterable, Sequence

from joute.agents import Clock
from joute.arena.players.program import QUIT_S, ProgramPlayer
from joute.errors import IllegalMoveError
from joute.games import State
from joute.games.vampires.state import Vampires
from joute.games.vampires.tcp.frames import Place, greeting, touched, turn_of, update
from joute.games.vampires.tcp.wire import MAX_BYTE, Bye, End, Frame, Mov, Nme, Parser, WireError
from joute.match.player import Answer, InterruptionError, MisconductError
from joute.match.record import LOST_TURN, Reason

#: The address that bots connect to, which only this machine can reach.
HOST = "127.0.0.1"

#: Time that a bot that lost its turn has for a late answer, before it is asked again. At the course's server this is
#: the opponent's turn of 2 s; both there and here, a later answer counts as the answer to the next question.
LATE_S = 2.0

# Bytes read from a bot at once, and the most reads before the rest stays in the connection.
_PIECE_BYTES, _MOST_PIECES = 1 << 16, 64


class TcpPlayer(ProgramPlayer):
    """A program that connects to this player. The protocol sends it neither its time nor a seed."""

    _connection: socket.socket | None = None
    _parser = Parser((Nme,))
    _told: frozenset[tuple[int, int, str, int]] = frozenset()
    _late_at: float | None = None  # time at which it lost its last turn

    def begin(self, start: State, player: int, seed: int) -> None:
        """Start the program, wait until it has connected and sent its name, and send the map."""
        assert isinstance(start, Vampires)
        deadline = time.perf_counter() + self._limits.start_s
        self._parser, self._late_at = Parser((Nme,)), None
        with self._start_jailed(deadline) if self._limits.sandbox else self._start_free() as listener:
            listener.setblocking(False)
            self._await_start(listener, deadline, "connect")
            self._connection, _ = listener.accept()
        self._connection.setblocking(False)
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while self._next_frame("before the game") is None:
            self._await_start(self._connection, deadline, "send its name")
            self._receive(" before it was ready")
        self._parser = Parser((Mov,))
        self._send(greeting(start, player))
        self._told = frozenset(start.cells)
        assert self._process is not None
        self._process.rest()

    def _start_free(self) -> socket.socket:
        """Start the program; return the socket that it connects to."""
        listener = socket.create_server((HOST, 0), backlog=1)
        try:
            self._started((*self._command, HOST, str(listener.getsockname()[1])))
        except BaseException:
            listener.close()
            raise
        return listener

    def _start_jailed(self, deadline: float) -> socket.socket:
        """Start the program in a sandbox, without a network: the socket is opened inside and passed out."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self._started(port=(theirs.fileno(), HOST))
            self._await_start(ours, deadline, "start")
            _, (listener, *_), *_ = socket.recv_fds(ours, 1, 1)
        return socket.socket(fileno=listener)

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        """Send the changes, and wait for a turn."""
        assert isinstance(state, Vampires)
        process, connection = self._process, self._connection
        assert process is not None
        assert connection is not None
        when = f" at ply {state.ply}"
        process.wake()
        self._purge(when)
        began = time.perf_counter()
        deadline = began + (limit_s if math.isfinite(limit_s) else self._limits.stall_s)
        self._send([update(state, self._news(state, line))])
        self._told = frozenset(state.cells)
        while (frame := self._next_frame(when.strip())) is None:
            if not self._is_readable(connection, deadline, when):
                raise self._late(state, time.perf_counter() - began, limit_s)
            self._receive(when)
        time_s = time.perf_counter() - began
        process.rest()
        assert isinstance(frame, Mov)
        try:
            return Answer(turn_of(state, frame), time_s)
        except IllegalMoveError as error:
            raise MisconductError(Reason.ILLEGAL_MOVE, f"{self.name}: {error}") from error

    def end(self) -> str:
        """Send END and BYE, give the program QUIT_S to end, and kill its remaining processes."""
        process, self._process = self._process, None
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.send(End().encode() + Bye().encode())
            connection.close()
        if process is None:
            return ""
        process.wake()
        process.wait(QUIT_S)
        process.kill()
        return process.error_text()

    def _news(self, state: Vampires, line: Sequence[str]) -> list[Place]:
        """Return the cells to send: those that both players' last turns touched, the bot's own first.

        As at the course's server, a lost turn is skipped: the player's last turn is the one before it. Other changed
        cells, e.g. after an undo, follow. If the list exceeds a byte's range, only the changed cells are sent.
        """
        turns = [text for text in line if not text.startswith("#")]
        both = (turns[-2::-2], turns[-1::-2])
        last = [next((turn for turn in own if turn != LOST_TURN), "") for own in both]
        changed = [(x, y) for x, y, _, _ in sorted(self._told ^ set(state.cells))]
        places = list(dict.fromkeys([*touched(last[0]), *touched(last[1]), *changed]))
        return places if len(places) <= MAX_BYTE else list(dict.fromkeys(changed))[:MAX_BYTE]

    def _purge(self, when: str) -> None:
        """Discard late and unrequested bytes."""
        connection = self._connection
        assert connection is not None
        late_at, self._late_at = self._late_at, None
        with contextlib.suppress(WireError):  # late bytes do not count as misconduct
            while late_at is not None and self._parser.next_frame() is None:
                if not self._is_readable(connection, late_at + LATE_S, when):
                    break
                self._receive(when)
        for _ in range(_MOST_PIECES):
            if not self._receive(when):
                break
        self._parser = Parser((Mov,))

    def _await_start(self, what: socket.socket, deadline: float, wanted: str) -> None:
        """Wait for input from a program before the game; MisconductError if it takes too long."""
        process = self._process
        assert process is not None
        if self._is_readable(what, deadline, " before it was ready"):
            return
        process.kill()
        detail = f"{self.name} did not {wanted} within {self._limits.start_s:g} s{self._last_words()}"
        raise MisconductError(Reason.STALLED, detail)

    def _is_readable(self, what: socket.socket, deadline: float, when: str) -> bool:
        assert self._process is not None
        try:
            return self._process.wait_readable(what.fileno(), deadline)
        except EOFError:
            raise self._ended(when) from None

    def _receive(self, when: str) -> bool:
        """Read available bytes; return whether there were any."""
        assert self._connection is not None
        try:
            data = self._connection.recv(_PIECE_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            raise self._gone(when)
        self._parser.feed(data)
        return True

    def _next_frame(self, when: str) -> Frame | None:
        try:
            return self._parser.next_frame()
        except WireError as error:
            detail = f"{self.name} does not keep to the protocol {when}: {error}"
            raise MisconductError(Reason.CRASH, detail) from error

    def _send(self, frames: Iterable[Frame]) -> None:
        """Send frames; the system buffers them at once unless the program does not read."""
        assert self._connection is not None
        data = b"".join(frame.encode() for frame in frames)
        try:
            sent = self._connection.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:  # the next read finds the reason
            return
        if sent < len(data):
            raise MisconductError(Reason.STALLED, f"{self.name} does not read from its connection")

    def _gone(self, when: str) -> MisconductError | InterruptionError:
        """Return the error for a program that closed its connection, and may have ended."""
        process = self._process
        assert process is not None
        if process.wait(QUIT_S):
            return self._ended(when)
        process.kill()
        return MisconductError(Reason.CRASH, f"{self.name} closed the connection{when}{self._last_words()}")

    def _late(self, state: Vampires, time_s: float, limit_s: float) -> MisconductError:
        """Return the error for a program that did not answer in time. It keeps running: it may still answer late."""
        if not math.isfinite(limit_s):
            return self._overrun(state, time_s, limit_s)
        self._late_at = time.perf_counter()
        detail = f"{self.name} had no move after {time_s:.3f} s at ply {state.ply}"
        detail += f", with {limit_s:.3f} s left, margin included"
        # `time_s` excludes the wait in `_purge` for the late answer to the previous question.
        return MisconductError(Reason.TIME, detail, costs_a_turn=True, time_s=time_s)
