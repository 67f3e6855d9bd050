"""What survives a worker: who is thinking since when, and the moves so far, in memory shared with the driver.

A worker writes a few bytes a turn and nothing is sent, so it costs microseconds; when the worker dies or hangs, the
driver reads who was to blame, and still has the game.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import struct
import time
from dataclasses import dataclass

from joute.match.record import MoveRecord

# Game, who is thinking, when the last turn began, when it is late (both by the monotonic clock that all processes
# of a machine share), and how many bytes of moves follow.
_HEADER = struct.Struct("<qqddq")
_LENGTH = struct.Struct("<q")
_LENGTH_AT = _HEADER.size - _LENGTH.size
_TURN = struct.Struct("<qdd")
_TURN_AT = 8

# Ten thousand moves of ordinary length. Pages that are never written take no memory.
_SIZE = 1 << 20

NOBODY = -1


@dataclass(frozen=True)
class Glimpse:
    """What the black box says: the game, the player who thinks (or NOBODY), since when, until when."""

    game: int
    thinker: int
    since_s: float
    late_s: float


class BlackBox:
    """The shared memory. The driver makes it; the worker, who inherits the descriptor, writes; it is a Witness."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._memory = mmap.mmap(descriptor, _SIZE)
        self._end = 0

    @classmethod
    def create(cls) -> BlackBox:
        """An empty one."""
        descriptor = os.memfd_create("joute-black-box")
        os.ftruncate(descriptor, _SIZE)
        box = cls(descriptor)
        box.begin(-1)
        return box

    def close(self) -> None:
        """Let go of the memory."""
        self._memory.close()
        os.close(self.descriptor)

    def begin(self, game: int) -> None:
        """A game begins; nobody thinks yet."""
        self._end = 0
        _HEADER.pack_into(self._memory, 0, game, NOBODY, time.monotonic(), math.inf, 0)

    def turn(self, player: int, limit_s: float) -> None:
        """A player begins to think, or nobody does."""
        now = time.monotonic()
        _TURN.pack_into(self._memory, _TURN_AT, player, now, now + limit_s if player >= 0 else math.inf)

    def played(self, move: MoveRecord) -> None:
        """A move was played. A game too long for the memory keeps its beginning."""
        line = json.dumps([move.player, move.move, move.time_s, move.outcomes]).encode() + b"\n"
        begin = _HEADER.size + self._end
        if begin + len(line) > _SIZE:
            self._end = _SIZE  # and nothing after it, or there would be a gap
            return
        self._memory[begin : begin + len(line)] = line
        self._end += len(line)
        _LENGTH.pack_into(self._memory, _LENGTH_AT, self._end)

    def look(self) -> Glimpse:
        """What is going on."""
        return Glimpse(*_HEADER.unpack_from(self._memory, 0)[:4])

    def moves(self) -> tuple[MoveRecord, ...]:
        """The moves of the game so far, without what was told of the searches."""
        (length,) = _LENGTH.unpack_from(self._memory, _LENGTH_AT)
        lines = self._memory[_HEADER.size : _HEADER.size + length].splitlines()
        return tuple(MoveRecord.from_data([*json.loads(line), None]) for line in lines)
