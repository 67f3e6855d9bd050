"""One game of Vampires vs Werewolves as its server conducts it, without sockets: the caller passes bytes and the time.

    seats taken ──► both have a name ──► welcome pause ──► turn, turn, … ──► over ──► farewell pause ──► closed
    (NME; SET HUM HME, MAP)                                (UPD; MOV)                 (END BYE)

The owner of the connections calls `sit`, `receive` and `leave` for their events, and `wake` at `deadline`; the game
answers through `Wires` and never waits. The life cycle is that of the course's server of 2020; under the rules named
twilight-… it is that of the students' servers. docs/vampires_protocol.md describes both.
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

#: The number of unrequested bytes that are discarded before reading from a player stops until its next turn.
MOST_UNASKED_BYTES = 64 * 1024

# At least a name and a move, which may arrive together.
_MOST_PENDING_BYTES = 2 * MAX_FRAME_BYTES


class Wires(Protocol):
    """The two connections of a game. No method waits."""

    def send(self, seat: int, data: bytes) -> None:
        """Write bytes."""

    def hush(self, seat: int, *, on: bool) -> None:
        """Stop reading from a player that sends too much, or resume."""

    def close(self, seat: int) -> None:
        """Close the connection when all bytes are written; `leave` is not called for it."""


class Stage(Enum):
    """The stages of a game."""

    SEATING = "waiting for players"
    WELCOME = "about to begin"
    PLAY = "in play"
    OVER = "over"
    CLOSED = "closed"


@dataclass
class _Seat:
    """A seat, free or with a player."""

    is_taken: bool = False
    name: str | None = None
    parser: Parser = field(default_factory=lambda: Parser((Nme,)))
    #: The deadline for its name, and the end of its wait for an opponent.
    name_by: float = math.inf
    wait_until: float = math.inf
    #: Whether a move is accepted. Other bytes are discarded, as the official server does before it sends UPD.
    may_move: bool = True
    unasked: int = 0
    #: The cells that its last turn touched, in the order of UPD.
    touched: list[Place] = field(default_factory=list)

    @property
    def is_player(self) -> bool:
        return self.name is not None

    def take(self, data: bytes) -> None:
        """Buffer bytes that may belong to a frame, and discard the rest."""
        is_heard = self.may_move or not self.is_player
        room = max(0, _MOST_PENDING_BYTES - self.parser.pending) if is_heard else 0
        self.parser.feed(data[:room])
        self.unasked += max(0, len(data) - room)


class HostedGame:
    """A game between two connections, from the first seated connection until both are closed.

    `houses` are the places of the houses in the order of HUM. `tell` is called with messages about connections before
    the game, which leave no record.
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
        #: The record of the game, once it is over.
        self.record: GameRecord | None = None
        control = TimeControl(move_s=self.settings.time_s)
        self._game = GameInProgress(start, seed=seed, controls=(control, control))
        self._wires = wires
        self._tell = tell
        self._houses = houses
        self._seats = [_Seat(), _Seat()]
        #: The player asked for a move, the time of the question, and when its turn ends or the next step is due.
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
        """The moves played so far."""
        return self._game.moves

    @property
    def names(self) -> tuple[str, str]:
        """The players' names; a player without a name has the name of its species."""
        first, second = (seat.name or species for seat, species in zip(self._seats, self.start.players, strict=True))
        return first, f"{second} #2" if second == first else second

    @property
    def has_begun(self) -> bool:
        """Whether there are two players, so that the game will have a result."""
        return self.stage is not Stage.SEATING

    @property
    def is_empty(self) -> bool:
        """Whether both seats are free."""
        return not any(seat.is_taken for seat in self._seats)

    @property
    def free_seat(self) -> int | None:
        """The seat for the next connection; None if there is none."""
        if self.stage is not Stage.SEATING:
            return None
        return next((index for index, seat in enumerate(self._seats) if not seat.is_taken), None)

    @property
    def deadline(self) -> float:
        """The time when `wake` is due; infinite if the game waits only for its connections."""
        if self.stage is Stage.CLOSED:
            return math.inf
        times = [self._due]
        if self.stage is Stage.SEATING:
            times += [time for seat in self._seats for time in (seat.name_by, seat.wait_until)]
        return min(times)

    def sit(self, seat: int, now: float) -> None:
        """Give a connection a free seat."""
        place = self._seats[seat]
        place.is_taken = True
        place.name_by = now + self.settings.name_s
        if self.is_twilight:
            self._welcome(seat)
            self._wires.send(seat, Upd().encode())
            if self._asked is None and self.state.to_move == seat and not self.moves:
                self._open_turn(seat, now)

    def receive(self, seat: int, data: bytes, now: float) -> None:
        """Handle received bytes."""
        place = self._seats[seat]
        if not place.is_taken:
            return
        place.take(data)
        if place.unasked > MOST_UNASKED_BYTES:
            self._wires.hush(seat, on=True)
        self._read(seat, now)

    def leave(self, seat: int, now: float, why: str = "closed the connection") -> None:
        """Handle a connection that is closed or unusable."""
        if not self._seats[seat].is_taken:
            return
        self._seats[seat].is_taken = False
        if self.stage is not Stage.OVER:
            self._misconduct(seat, Reason.CRASH, why, now)
        elif self.is_empty:
            self.close()

    def stall(self, seat: int, waiting: int, now: float) -> None:
        """Handle a player that does not read, with `waiting` bytes to send."""
        if self._seats[seat].is_taken and self.stage is not Stage.OVER:
            self._misconduct(seat, Reason.STALLED, f"does not read: {waiting:,} bytes wait for it", now)

    def wake(self, now: float) -> None:
        """Take the steps that are due."""
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
                self._misconduct(seat, Reason.STALLED, f"sent no name for {self.settings.name_s:g} s", now)
            elif now >= place.wait_until:
                self._tell(f"{place.name} is dismissed: no opponent came for {self.settings.wait_s:g} s")
                self._vacate(seat)

    def _read(self, seat: int, now: float) -> None:
        """Handle the frame that a player is expected to send, if it is complete."""
        place = self._seats[seat]
        try:
            if not place.is_player and isinstance(frame := place.parser.next_frame(), Nme):
                self._introduce(seat, frame, now)
            if self._asked == seat and place.is_player and isinstance(frame := place.parser.next_frame(), Mov):
                self._answer(seat, frame, now)
        except WireError as error:
            self._misconduct(seat, Reason.CRASH, f"broke the protocol: {error}", now)

    def _introduce(self, seat: int, frame: Nme, now: float) -> None:
        """Make a connection with a name a player."""
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
        """Send a player the start of the game; MAP is a separate write, as at the official server."""
        *about, whole = greeting(self.start, seat, houses=self._houses, now=self.state)
        self._send(seat, about)
        self._send(seat, [whole])

    def _send(self, seat: int, frames: Iterable[Frame]) -> None:
        self._wires.send(seat, b"".join(frame.encode() for frame in frames))

    def _ask(self, now: float) -> None:
        """Send UPD to the player to move; bytes that it sent before are discarded."""
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
        """Return the cells that both players' last turns touched, the own turn's first; at most the last 255."""
        places = dict.fromkeys(self._seats[seat].touched + self._seats[1 - seat].touched)
        return update(self.state, list(places)[-MAX_BYTE:])

    def _answer(self, seat: int, frame: Mov, now: float) -> None:
        """Play a player's turn."""
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
        """Continue after a turn: end the game, or begin the next turn once the received bytes are read."""
        if not self.has_begun:
            self._due = math.inf  # a twilight game waits here for its second player
            return
        if self._game.is_over:
            self._finish(now)
        elif self._is_time_up(now):
            seconds = f"{self.settings.game_s:g} s"
            detail = f"the game's {seconds} were used up after ply {len(self.moves)}"
            self._game.stop(Reason.ADJUDICATED, detail)
            self._finish(now)
        elif self.is_twilight and len(self.moves) == 1:
            self._open_turn(1, now)  # it was asked when it was seated, and may have answered since
            self._read(1, now)
        else:
            self._due = now

    def _is_time_up(self, now: float) -> bool:
        limit_s = 0.0 if self.is_twilight else self.settings.game_s
        return bool(limit_s) and self.state.to_move == 0 and now - self._began_at >= limit_s

    def _misconduct(self, seat: int, reason: Reason, what: str, now: float) -> None:
        """Forfeit the game, if there are two players; before that, close the connection."""
        if self.has_begun:
            self._game.forfeit(seat, reason, f"{self.names[seat]} {what}")
            self._finish(now)
            return
        self._tell(f"{self._seats[seat].name or 'a connection without a name'} {what}")
        self._vacate(seat)

    def _vacate(self, seat: int) -> None:
        """Close a connection before the game and free its seat."""
        if self._seats[seat].is_taken:
            self._wires.send(seat, goodbye(self.start))
            self._wires.close(seat)
        if self._asked == seat:
            self._asked, self._due = None, math.inf
        self._seats[seat] = _Seat()
        if seat == 0 and self.moves:  # in a twilight game, nobody can replace a first player who has already moved
            self._vacate(1)
            self.stage = Stage.CLOSED

    def _finish(self, now: float) -> None:
        """End the game and create its record; END is sent after a pause."""
        self.stage = Stage.OVER
        self._asked = None
        self._due = now + self.settings.farewell_s
        for place in self._seats:
            place.may_move = False
        self.record = self._game.record(self.names, isolation=("remote", "remote"), overhead_s=self._overhead_s)

    def close(self) -> None:
        """Close both connections: after the farewell pause, or because the server ends."""
        self.stage = Stage.CLOSED
        self._due = math.inf
        for seat, place in enumerate(self._seats):
            if place.is_taken:
                place.is_taken = False
                self._wires.send(seat, goodbye(self.start))
                self._wires.close(seat)
