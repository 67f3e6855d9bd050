"""What survives a worker: who is thinking since when, and the moves so far, in memory shared with the driver.

A worker writes a few bytes a turn and nothing is sent, so it costs microseconds; when the worker dies or hangs, the
driver reads who was to blame, and still has the game.
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

# A turn: the game, who is thinking, since when, and when the answer is late, both by the monotonic clock that all
# processes of a machine share.
_TURN = struct.Struct("<qqdd")
# Numbers that are written in one piece: how many turns there were, and how many bytes of moves there are.
_NUMBER = struct.Struct("<q")
_LENGTH_AT = 8
_TURNS_AT = 16
# Turns are written in rotation and counted afterwards, so the last one counted is never half written.
_TURNS_KEPT = 64
_MOVES_AT = _TURNS_AT + _TURNS_KEPT * _TURN.size

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
        self._game = -1
        self._turns = self._read_number(0)
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
        self._game = game
        self._end = 0
        self._write_number(_LENGTH_AT, 0)
        self.turn(NOBODY, math.inf)

    def began(self, start_outcomes: tuple[int, ...]) -> None:
        """The first line is what chance did before the first move."""
        self._write_line(list(start_outcomes))

    def turn(self, player: int, limit_s: float) -> None:
        """A player begins to think, or nobody does."""
        now = time.monotonic()
        late_s = now + limit_s if player >= 0 else math.inf
        at = _TURNS_AT + self._turns % _TURNS_KEPT * _TURN.size
        # Not pack_into, which would clear the place first, for everybody to see.
        self._memory[at : at + _TURN.size] = _TURN.pack(self._game, player, now, late_s)
        self._turns += 1
        self._write_number(0, self._turns)

    def played(self, move: MoveRecord) -> None:
        """A move was played. A game too long for the memory keeps its beginning."""
        self._write_line([move.player, move.move, move.time_s, move.outcomes])

    def _write_line(self, data: list[Any]) -> None:
        line = json.dumps(data).encode() + b"\n"
        begin = _MOVES_AT + self._end
        if begin + len(line) > _SIZE:
            self._end = _SIZE  # and nothing after it, or there would be a gap
            return
        self._memory[begin : begin + len(line)] = line
        self._end += len(line)
        self._write_number(_LENGTH_AT, self._end)

    def look(self) -> Glimpse:
        """What is going on."""
        while True:
            turns = self._read_number(0)
            at = _TURNS_AT + (turns - 1) % _TURNS_KEPT * _TURN.size
            seen = _TURN.unpack_from(self._memory, at)
            if self._read_number(0) - turns < _TURNS_KEPT - 1:  # it was not written anew meanwhile
                return Glimpse(*seen)

    def line(self) -> tuple[tuple[int, ...], tuple[MoveRecord, ...]]:
        """What chance did first, and the moves so far, without what was told of the searches.

        Not while the worker plays on. A process that died by writing where it should not may have spoilt them: what
        can be read is given.
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

    def _write_number(self, at: int, number: int) -> None:
        self._memory[at : at + _NUMBER.size] = _NUMBER.pack(number)

    def _read_number(self, at: int) -> int:
        (number,) = _NUMBER.unpack_from(self._memory, at)
        return int(number)
