"""Shared memory that records who is thinking, since when, and the moves so far. It survives its worker.

The worker writes a few bytes per turn, which takes microseconds. If the worker dies or hangs, the driver reads here
which player was thinking and which moves were played.
"""

from __future__ import annotations

import contextlib
import json
import math
import mmap
import os
import struct
import time
from dataclasses import dataclass
from typing import Any

from joute.match.record import MoveRecord

# Layout: the number of turns written (byte 0), the number of bytes of moves (8), a ring of turns (16), the moves.
# A turn: number of the game, thinking player, start of thinking, time at which the answer is late. Both times are by
# the monotonic clock, which all processes of a machine share.
_TURN = struct.Struct("<qqdd")
# The counters at bytes 0 and 8; each is written in one piece.
_NUMBER = struct.Struct("<q")
_LENGTH_AT = 8
_TURNS_AT = 16
# The size of the ring. A turn is counted after it is written, so the last counted turn is always complete.
_TURNS_KEPT = 64
_MOVES_AT = _TURNS_AT + _TURNS_KEPT * _TURN.size

# Room for about ten thousand moves of ordinary length. Unwritten pages take no memory.
_SIZE = 1 << 20

NOBODY = -1


@dataclass(frozen=True)
class Glimpse:
    """The latest turn: the game, the thinking player or NOBODY, and the monotonic times of its start and its end.

    The answer is late after `late_s`, which is infinite without a clock.
    """

    game: int
    thinker: int
    since_s: float
    late_s: float


class BlackBox:
    """The shared memory. The driver creates it; the worker inherits the descriptor and writes, as a `Witness`."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._memory = mmap.mmap(descriptor, _SIZE)
        self._game = -1
        self._turns = self._read_number(0)
        self._end = 0

    @classmethod
    def create(cls) -> BlackBox:
        """An empty black box."""
        descriptor = os.memfd_create("joute-black-box")
        os.ftruncate(descriptor, _SIZE)
        box = cls(descriptor)
        box.begin(-1)
        return box

    def close(self) -> None:
        """Release the memory."""
        self._memory.close()
        os.close(self.descriptor)

    def begin(self, game: int) -> None:
        """Start a game: clear the moves; nobody is thinking."""
        self._game = game
        self._end = 0
        self._write_number(_LENGTH_AT, 0)
        self.turn(NOBODY, math.inf)

    def began(self, start_outcomes: tuple[int, ...]) -> None:
        """Record the chance outcomes before the first move, as the first line."""
        self._write_line(list(start_outcomes))

    def turn(self, player: int, limit_s: float) -> None:
        """Record that a player, or NOBODY, is thinking from now on, with `limit_s` seconds to answer."""
        now = time.monotonic()
        late_s = now + limit_s if player >= 0 else math.inf
        at = _TURNS_AT + self._turns % _TURNS_KEPT * _TURN.size
        # pack_into would zero the bytes first, and the driver could read the zeros.
        self._memory[at : at + _TURN.size] = _TURN.pack(self._game, player, now, late_s)
        self._turns += 1
        self._write_number(0, self._turns)

    def played(self, move: MoveRecord) -> None:
        """Record a move. If the memory is full, only the beginning of the game is kept."""
        self._write_line([move.player, move.move, move.time_s, move.outcomes])

    def _write_line(self, data: list[Any]) -> None:
        line = json.dumps(data).encode() + b"\n"
        begin = _MOVES_AT + self._end
        if begin + len(line) > _SIZE:
            self._end = _SIZE  # drop all later lines too, or there would be a gap
            return
        self._memory[begin : begin + len(line)] = line
        self._end += len(line)
        self._write_number(_LENGTH_AT, self._end)

    def look(self) -> Glimpse:
        """The latest turn, read consistently while the worker writes."""
        while True:
            turns = self._read_number(0)
            at = _TURNS_AT + (turns - 1) % _TURNS_KEPT * _TURN.size
            seen = _TURN.unpack_from(self._memory, at)
            if self._read_number(0) - turns < _TURNS_KEPT - 1:  # the slot was not overwritten meanwhile
                return Glimpse(*seen)

    def line(self) -> tuple[tuple[int, ...], tuple[MoveRecord, ...]]:
        """The chance outcomes before the first move, and the moves so far, without search information.

        Call it only when the worker no longer writes. If a crashing worker has overwritten part of the memory, the
        readable beginning is returned.
        """
        length = max(0, min(self._read_number(_LENGTH_AT), _SIZE))
        start_outcomes: tuple[int, ...] = ()
        moves: list[MoveRecord] = []
        with contextlib.suppress(ValueError, TypeError):
            for number, line in enumerate(self._memory[_MOVES_AT : _MOVES_AT + length].splitlines()):
                if number == 0:
                    start_outcomes = tuple(map(int, json.loads(line)))
                else:
                    moves.append(MoveRecord.from_data([*json.loads(line), None]))
        return start_outcomes, tuple(moves)

    def so_far(self) -> tuple[Glimpse, tuple[int, ...], tuple[MoveRecord, ...]] | None:
        """The latest turn with the line of its game, also while the worker writes; None if a game begins right now.

        A game is cleared before its number is written, and its lines are counted after they are written. So what was
        read belongs to the game if its number is the same before and after.
        """
        before = self.look()
        start_outcomes, moves = self.line()
        return (before, start_outcomes, moves) if self.look().game == before.game else None

    def _write_number(self, at: int, number: int) -> None:
        self._memory[at : at + _NUMBER.size] = _NUMBER.pack(number)

    def _read_number(self, at: int) -> int:
        (number,) = _NUMBER.unpack_from(self._memory, at)
        return int(number)
