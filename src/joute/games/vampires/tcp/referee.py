"""One game of Vampires vs Werewolves as its server conducts it, without a socket: it is fed bytes and told the time.

    seats taken ──► both have a name ──► welcome pause ──► turn, turn, … ──► over ──► farewell pause ──► closed
    (NME; SET HUM HME, MAP)                                (UPD; MOV)                 (END BYE)

Whoever owns the connections calls `sit`, `receive` and `leave` for what happens on them, and `wake` at `deadline`; the
game answers through `Wires` and never waits. The life cycle is that of the course's server of 2020; under the rules
named twilight-… it is that of the students' servers. docs/vampires_protocol.md tells both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from joute.errors import IllegalMoveError
from joute.games.vampires.tcp.frames import Place, goodbye, greeting, is_twilight, touched, turn_of, update
from joute.games.vampires.tcp.host_settings import HostSettings
from joute.games.vampires.tcp.wire import (
    MAX_BYTE,
    MAX_FRAME_BYTES,
    Frame,
    Mov,
    Nme,
    Parser,
    Upd,
    WireError,
)
from joute.match.clock import TimeControl
from joute.match.game import GameInProgress
from joute.match.record import GameRecord, MoveRecord, Reason

if TYPE_CHECKING:
    from joute.games.vampires.state import Vampires

#: How many bytes that nobody asked for are read and forgotten before a player is read no more until its next turn.
MOST_UNASKED_BYTES = 64 * 1024

# Longer than a name and a move, which may come glued together.
_MOST_PENDING_BYTES = 2 * MAX_FRAME_BYTES


class Wires(Protocol):
    """The two connections of a game. Nothing here waits."""

    def send(self, seat: int, data: bytes) -> None:
        """Write bytes."""

    def hush(self, seat: int, *, on: bool) -> None:
        """Read nothing from a player who says too much, or read again."""

    def close(self, seat: int) -> None:
        """Close the connection when all is written; `leave` is not called for it."""


class Stage(Enum):
    """How far a game is."""

    SEATING = "waiting for players"
    WELCOME = "about to begin"
    PLAY = "in play"
    OVER = "over"
    CLOSED = "closed"


@dataclass
class _Seat:
    """A player, or the place for one."""

    is_taken: bool = False
    name: str | None = None
    parser: Parser = field(default_factory=lambda: Parser((Nme,)))
    #: When it must have said its name, and until when it waits for an opponent.
    name_by: float = math.inf
    wait_until: float = math.inf
    #: Whether a move may come. Other bytes are forgotten: the official server reads them away before it sends UPD.
    may_move: bool = True
    unasked: int = 0
    #: The cells that its last turn touched, in the order in which UPD tells them.
    touched: list[Place] = field(default_factory=list)

    @property
    def is_player(self) -> bool:
        return self.name is not None

    def take(self, data: bytes) -> None:
        """Keep what may be a frame, and forget the rest."""
        is_heard = self.may_move or not self.is_player
        room = max(0, _MOST_PENDING_BYTES - self.parser.pending) if is_heard else 0
        self.parser.feed(data[:room])
        self.unasked += max(0, len(data) - room)


class HostedGame:
    """A game between two connections, from the first that sits down until both are sent away.

    `houses` are the places of the humans in the order in which HUM tells them. `tell` gets a sentence about what
    happens before a game begins: a connection that is no player leaves no record.
    """

    def __init__(
        self,
        start: Vampires,
        wires: Wires,
        *,
        settings: HostSettings | None = None,
        seed: int = 0,
        houses: Sequence[Place] | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.start = start
        self.settings = settings or HostSettings()
        self.is_twilight = is_twilight(start)
        self.stage = Stage.SEATING
        #: The game when it is over.
        self.record: GameRecord | None = None
        control = TimeControl(move_s=self.settings.time_s)
        self._game = GameInProgress(start, seed=seed, controls=(control, control))
        self._wires = wires
        self._tell = tell
        self._houses = houses
        self._seats = [_Seat(), _Seat()]
        #: Who is asked for a move and since when; and when that is over, or the next step is due.
        self._asked: int | None = None
        self._asked_at = 0.0
        self._due = math.inf
        self._began_at = 0.0
        self._overhead_s = 0.0

    @property
    def state(self) -> Vampires:
        """The position."""
        return self._game.state

    @property
    def moves(self) -> list[MoveRecord]:
        """What was played."""
        return self._game.moves

    @property
    def names(self) -> tuple[str, str]:
        """What the players are called; who has no name yet is called by its species."""
        first, second = (seat.name or species for seat, species in zip(self._seats, self.start.players, strict=True))
        return first, f"{second} #2" if second == first else second

    @property
    def has_begun(self) -> bool:
        """Whether there are two players, so that the game will have a result."""
        return self.stage is not Stage.SEATING

    @property
    def is_empty(self) -> bool:
        """Whether nobody has sat down."""
        return not any(seat.is_taken for seat in self._seats)

    @property
    def free_seat(self) -> int | None:
        """Where the next connection sits; None if there is no place."""
        if self.stage is not Stage.SEATING:
            return None
        return next((index for index, seat in enumerate(self._seats) if not seat.is_taken), None)

    @property
    def deadline(self) -> float:
        """When `wake` is due; infinite where only a connection can change anything."""
        if self.stage is Stage.CLOSED:
            return math.inf
        times = [self._due]
        if self.stage is Stage.SEATING:
            times += [time for seat in self._seats for time in (seat.name_by, seat.wait_until)]
        return min(times)

    def sit(self, seat: int, now: float) -> None:
        """A connection takes a free seat."""
        place = self._seats[seat]
        place.is_taken = True
        place.name_by = now + self.settings.name_s
        if self.is_twilight:
            self._welcome(seat)
            self._wires.send(seat, Upd().encode())
            if self._asked is None and self.state.to_move == seat and not self.moves:
                self._open_turn(seat, now)

    def receive(self, seat: int, data: bytes, now: float) -> None:
        """Bytes have come."""
        place = self._seats[seat]
        if not place.is_taken:
            return
        place.take(data)
        if place.unasked > MOST_UNASKED_BYTES:
            self._wires.hush(seat, on=True)
        self._read(seat, now)

    def leave(self, seat: int, now: float, why: str = "closed the connection") -> None:
        """A connection is gone, or as good as gone."""
        if not self._seats[seat].is_taken:
            return
        self._seats[seat].is_taken = False
        if self.stage is not Stage.OVER:
            self._misconduct(seat, Reason.CRASH, why, now)
        elif self.is_empty:
            self.close()

    def stall(self, seat: int, waiting: int, now: float) -> None:
        """So many bytes wait for a player who does not read."""
        if self._seats[seat].is_taken and self.stage is not Stage.OVER:
            self._misconduct(seat, Reason.STALLED, f"does not read: {waiting:,} bytes wait for it", now)

    def wake(self, now: float) -> None:
        """Time has passed."""
        if now < self.deadline:
            return
        if self.stage is Stage.SEATING:
            self._give_up_waiting(now)
        if now < self._due:
            return
        due, self._due = self._due, math.inf
        if self.stage is Stage.OVER:
            self.close()
        elif self._asked is not None:
            self._lose_turn(now)
        elif self.stage is Stage.WELCOME:
            self.stage = Stage.PLAY
            self._began_at = now
            self._ask(now)
        else:
            self._overhead_s += now - due
            self._ask(now)

    def _give_up_waiting(self, now: float) -> None:
        for seat, place in enumerate(self._seats):
            if now >= place.name_by:
                self._misconduct(seat, Reason.STALLED, f"said no name for {self.settings.name_s:g} s", now)
            elif now >= place.wait_until:
                self._tell(f"{place.name} goes: nobody came to play for {self.settings.wait_s:g} s")
                self._vacate(seat)

    def _read(self, seat: int, now: float) -> None:
        """Look for the frame that a player is to send."""
        place = self._seats[seat]
        try:
            if not place.is_player and isinstance(frame := place.parser.next_frame(), Nme):
                self._introduce(seat, frame, now)
            if self._asked == seat and place.is_player and isinstance(frame := place.parser.next_frame(), Mov):
                self._answer(seat, frame, now)
        except WireError as error:
            self._misconduct(seat, Reason.CRASH, f"broke the protocol: {error}", now)

    def _introduce(self, seat: int, frame: Nme, now: float) -> None:
        """A connection has become a player."""
        place = self._seats[seat]
        place.name = frame.text
        place.name_by = math.inf
        place.parser.expect((Mov,))
        if self.settings.wait_s:
            place.wait_until = now + self.settings.wait_s
        if not self.is_twilight:
            place.may_move = False
            place.parser.clear()
            self._welcome(seat)
        if not all(each.is_player for each in self._seats):
            return
        if not self.is_twilight:
            self.stage = Stage.WELCOME
            self._due = now + self.settings.welcome_s
            return
        self.stage = Stage.PLAY
        if self._asked is None:
            self._go_on(now)

    def _welcome(self, seat: int) -> None:
        """Tell a player where it is: MAP in a write of its own, as the official server does."""
        *about, whole = greeting(self.start, seat, houses=self._houses, now=self.state)
        self._send(seat, about)
        self._send(seat, [whole])

    def _send(self, seat: int, frames: Iterable[Frame]) -> None:
        self._wires.send(seat, b"".join(frame.encode() for frame in frames))

    def _ask(self, now: float) -> None:
        """Let the player to move know what happened; what it said before does not count."""
        seat = self.state.to_move
        place = self._seats[seat]
        place.parser = Parser((Mov,))
        if place.unasked > MOST_UNASKED_BYTES:
            self._wires.hush(seat, on=False)
        place.unasked = 0
        self._send(seat, [self._news(seat)])
        self._open_turn(seat, now)

    def _open_turn(self, seat: int, now: float) -> None:
        is_first = len(self.moves) < 2 and self.is_twilight
        self._asked, self._asked_at = seat, now
        self._due = now + (self.settings.first_turn_s if is_first else self.settings.time_s)
        self._seats[seat].may_move = True

    def _news(self, seat: int) -> Upd:
        """What both players' last turns touched, the own one first. Of more than a byte counts, the newest."""
        places = dict.fromkeys(self._seats[seat].touched + self._seats[1 - seat].touched)
        return update(self.state, list(places)[-MAX_BYTE:])

    def _answer(self, seat: int, frame: Mov, now: float) -> None:
        """A player has moved."""
        place = self._seats[seat]
        place.may_move = False
        place.unasked += place.parser.clear()
        self._game.charge(now - self._asked_at)
        self._asked = None
        try:
            played = self._game.play(turn_of(self.state, frame))
        except IllegalMoveError as error:
            self._game.forfeit(seat, Reason.ILLEGAL_MOVE, f"{self.names[seat]}: {error}")
            self._finish(now)
            return
        place.touched = touched(played.move)
        self._go_on(now)

    def _lose_turn(self, now: float) -> None:
        seat = self._asked
        assert seat is not None
        self._seats[seat].may_move = False
        self._asked = None
        self._game.charge(now - self._asked_at)
        self._game.lose_turn()
        self._go_on(now)

    def _go_on(self, now: float) -> None:
        """After a turn: the end of the game, or the next turn as soon as all that has come is read."""
        if not self.has_begun:
            self._due = math.inf  # a twilight game waits here for its second player
            return
        if self._game.is_over:
            self._finish(now)
        elif self._is_time_up(now):
            seconds = f"{self.settings.game_s:g} s"
            detail = f"the game's {seconds} were over after ply {len(self.moves)}"
            self._game.stop(Reason.ADJUDICATED, detail)
            self._finish(now)
        elif self.is_twilight and len(self.moves) == 1:
            self._open_turn(1, now)  # it was asked when it sat down, and may have answered since
            self._read(1, now)
        else:
            self._due = now

    def _is_time_up(self, now: float) -> bool:
        limit_s = 0.0 if self.is_twilight else self.settings.game_s
        return bool(limit_s) and self.state.to_move == 0 and now - self._began_at >= limit_s

    def _misconduct(self, seat: int, reason: Reason, what: str, now: float) -> None:
        """What ends a game, once there are two players; before that, only a connection."""
        if self.has_begun:
            self._game.forfeit(seat, reason, f"{self.names[seat]} {what}")
            self._finish(now)
            return
        self._tell(f"{self._seats[seat].name or 'a connection without a name'} {what}")
        self._vacate(seat)

    def _vacate(self, seat: int) -> None:
        """Send a connection away before the game; its seat is free again."""
        if self._seats[seat].is_taken:
            self._wires.send(seat, goodbye(self.start))
            self._wires.close(seat)
        if self._asked == seat:
            self._asked, self._due = None, math.inf
        self._seats[seat] = _Seat()
        if seat == 0 and self.moves:  # a twilight game that its first player has opened cannot begin with another one
            self._vacate(1)
            self.stage = Stage.CLOSED

    def _finish(self, now: float) -> None:
        """The game is over: its record is there from now on; the players hear of it after a pause."""
        self.stage = Stage.OVER
        self._asked = None
        self._due = now + self.settings.farewell_s
        for place in self._seats:
            place.may_move = False
        self.record = self._game.record(self.names, isolation=("remote", "remote"), overhead_s=self._overhead_s)

    def close(self) -> None:
        """Send everybody away: the pause after the game is over, or the server ends, whatever goes on."""
        self.stage = Stage.CLOSED
        self._due = math.inf
        for seat, place in enumerate(self._seats):
            if place.is_taken:
                place.is_taken = False
                self._wires.send(seat, goodbye(self.start))
                self._wires.close(seat)
