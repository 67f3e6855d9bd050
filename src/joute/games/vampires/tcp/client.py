"""A client of Vampires vs Werewolves: an agent of Joute's plays at a server over TCP.

One thread handles the connection and the clock; the agent searches in another. A server takes a late MOV for the answer
to its next UPD, so the client sends nothing after the deadline. It asks the agent to stop before the deadline; if the
agent has no answer shortly before the deadline, the client sends the best turn known so far.
"""

from __future__ import annotations

import contextlib
import functools
import selectors
import socket
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.agents import Agent
from joute.errors import JouteError, described
from joute.games.vampires.state import SPECIES, Vampires
from joute.games.vampires.tcp.board import Board
from joute.games.vampires.tcp.frames import is_twilight
from joute.games.vampires.tcp.timing import Timing
from joute.games.vampires.tcp.wire import FROM_SERVER, Bye, End, Frame, Mov, Nme, Parser, Set, Upd, WireError
from joute.numbers import count_of
from joute.protocol.thinker import Thinker, Thought

# How long a server may take to accept a connection.
_CONNECT_S = 10.0
# Interval between calls of the agent's `stop`: the first may come before `choose` has begun.
_STOP_AGAIN_S = 0.01
# Time before the deadline at which the answer is sent; to encode and send it takes a millisecond.
_LAST_CALL_S = 0.04
# Time for an agent to end its search after the last game.
_LEAVE_S = 1.0
# The folder of Joute's own code, which is skipped when an agent's exception is located.
_OURS = Path(__file__).parents[3]


class ServerError(JouteError):
    """A server does not answer, or closed the connection."""


@dataclass(frozen=True)
class _Answer:
    """A turn to send, and the position after it; a battle leaves the position before it, as the server draws."""

    data: bytes
    after: Vampires


@dataclass(frozen=True)
class _Turn:
    """A turn that the client has not answered yet."""

    state: Vampires
    thought: Thought | None
    stand_in: _Answer | None
    deadline: float
    stop_at: float


class Client:
    """One player at one server, for one game, or more if the server starts more."""

    def __init__(
        self,
        make_agent: Callable[[int], Agent],
        *,
        name: str,
        game: str = "vampires",
        timing: Timing | None = None,
        tell: Callable[[str], None] = lambda _: None,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`make_agent` is called with the number of the game, from 0; `tell` and `warn` are called with messages."""
        self.games = 0
        self._make_agent = make_agent
        self._name = Nme.called(name)
        self._game = game
        self._timing = timing or Timing()
        self._tell, self._warn = tell, warn
        self._parser = Parser(FROM_SERVER)
        self._board: Board | None = None
        self._last: Vampires | None = None  # the last position known: shown by the server, or after the own turn
        self._turn: _Turn | None = None
        self._ahead: Thought | None = None
        self._is_over = True  # no game is under way
        self._stood_in = 0  # turns of this game that a stand-in played
        self._failures: set[tuple[type[BaseException], str]] = set()  # types and places of errors already reported
        self._now = time.monotonic()  # time of the last event
        self._thinker = Thinker(make_agent(0))

    def play(self, host: str, port: int) -> int:
        """Play at a server until it sends BYE; return the number of games. JouteError if anything goes wrong."""
        where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            self._play(host, port, where)
        finally:
            self._thinker.end(_LEAVE_S)
        if not self.games:
            raise ServerError(f"the server at {where} said BYE before a game began")
        return self.games

    def _play(self, host: str, port: int, where: str) -> None:
        try:
            connection = socket.create_connection((host, port), timeout=_CONNECT_S)
        except OSError as error:
            raise ServerError(f"no server answers at {where}: {error.strerror or error}") from error
        with connection, selectors.DefaultSelector() as selector:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            selector.register(connection, selectors.EVENT_READ)
            selector.register(self._thinker.signal, selectors.EVENT_READ)
            try:
                connection.sendall(self._name.encode())
                self._tell(f"connected to {host}, port {port}; waiting for an opponent and the map")
                self._serve(connection, selector)
            except WireError as error:
                raise WireError(f"the server at {where} does not keep to the protocol: {error}") from error
            except OSError as error:
                raise self._lost(where, error.strerror or str(error)) from error
            except EOFError:
                raise self._lost(where, "it closed the connection") from None

    def _lost(self, where: str, why: str) -> ServerError:
        when = "before a game began" if self._board is None else "in the middle of the game"
        return ServerError(f"the server at {where} went away {when}: {why}")

    def _serve(self, connection: socket.socket, selector: selectors.BaseSelector) -> None:
        while True:
            ready = {key.fileobj for key, _ in selector.select(self._patience_s())}
            self._now = time.monotonic()
            if self._thinker.signal in ready:
                self._thinker.heard()
            if connection in ready and not self._hear(connection.recv(1 << 16)):
                return
            self._answer(connection)

    def _hear(self, data: bytes) -> bool:
        """Handle received bytes; return False at the end of the session."""
        if not data:
            if self.games and self._is_over:
                return False
            raise EOFError
        self._parser.feed(data)
        while frame := self._parser.next_frame():
            if not self._take(frame):
                return False
        return True

    def _take(self, frame: Frame) -> bool:
        """Handle a frame; return False for the last one."""
        if isinstance(frame, Set):
            self._begin(frame)
        elif isinstance(frame, Bye):
            self._finish()
            return False
        elif isinstance(frame, End):
            self._finish()
        elif self._board is None or self._is_over:
            raise WireError(f"{frame.word.decode()} came where no game is under way")
        else:
            had_species = bool(self._board.species)
            self._board.take(frame)
            if self._board.species and not had_species:
                self._tell(f"{self._name.text} plays the {SPECIES[self._board.species]}; waiting for the first turn")
                self._think_ahead(self._board.state())
            if isinstance(frame, Upd):
                self._begin_turn(self._board.state())
        return True

    def _begin(self, size: Set) -> None:
        self._forget()
        if not self._is_over:
            raise WireError("SET came in the middle of a game")
        self._board, self._is_over = Board(size, self._game), False
        self._stood_in, self._last = 0, None
        if self.games:
            self._thinker.renew(functools.partial(self._make_agent, self.games))

    def _finish(self) -> None:
        self._forget()
        if self._board is None or self._is_over:
            return
        self._is_over = True
        self.games += 1
        turns = count_of(self._board.updates, "turn")
        stood_in = f", {self._stood_in} of them played by a stand-in" if self._stood_in else ""
        self._tell(f"the game is over after {turns}{stood_in}: {self._verdict(self._board)}")

    def _verdict(self, board: Board) -> str:
        """Return who won, in words. No frame says it, and the opponent's last turn is not shown either.

        Only extinction is certain: the server's ply limit is not known.
        """
        last = self._last
        if last is None:
            return f"the server showed {board.counts()}, and does not say who won"
        us = last.players.index(SPECIES[board.species])
        if last.result is not None and not (last.units(0) and last.units(1)):
            who = {None: "a draw", us: f"{self._name.text} wins"}.get(last.result.winner, "the opponent wins")
            return f"{who} ({last.result.decided_by})"
        lead = last.units(us) - last.units(1 - us)
        place = "ahead" if lead > 0 else "behind" if lead < 0 else "level"
        units = " to ".join(f"{last.units(side)} {last.players[side]}" for side in (us, 1 - us))
        return f"the server does not say who won; {self._name.text} was last seen {place}, {units}"

    def _think_ahead(self, state: Vampires) -> None:
        """Search during the pause before the first turn.

        The first player already has its position. So does the second player at a students' server, which asks both at
        once. At other servers the second player's position will differ, so the search only warms up the agent.
        """
        if state.is_terminal:
            return
        seconds = self._timing.pause_s if self._thinker.can_be_stopped else self._timing.thought_s
        self._ahead = self._thinker.think(state, time.monotonic() + seconds)

    def _begin_turn(self, state: Vampires) -> None:
        if self._turn is not None:
            self._warn("the server did not wait for an answer: its time limit is shorter than expected")
        ahead, self._ahead = self._ahead, None
        thought: Thought | None = None
        if ahead is not None and ahead.state == state and ahead.error is None:
            thought = ahead
        self._forget(ahead if thought is None else None)
        if thought is None and not state.is_terminal:
            thought = self._thinker.think(state, self._now + self._timing.thought_s)
        deadline = self._now + self._timing.answer_s
        self._last = state
        self._turn = _Turn(state, thought, _first_candidate(state), deadline, deadline - self._timing.stop_s)

    def _forget(self, *others: Thought | None) -> None:
        """Stop the searches that are no longer needed."""
        turn, self._turn = self._turn, None
        ahead, self._ahead = self._ahead, None
        for thought in (turn.thought if turn else None, ahead, *others):
            if thought is not None:
                self._thinker.stop(thought)

    def _patience_s(self) -> float | None:
        """Return the time until the next action if no event occurs; None for no limit."""
        if self._thinker.is_stopping:
            return _STOP_AGAIN_S
        return None if self._turn is None else max(0.0, self._turn.stop_at - time.monotonic())

    def _answer(self, connection: socket.socket) -> None:
        """Send the answer if the agent has one, or if the deadline is near."""
        self._thinker.stop()
        turn, now = self._turn, time.monotonic()
        if turn is None:
            return
        thought = turn.thought
        if thought is not None and not thought.is_done and now < turn.deadline - _LAST_CALL_S:
            if now >= turn.stop_at:
                self._thinker.stop(thought)
            return
        answer = self._chosen(turn)
        self._forget()
        if answer is None:
            self._warn("there is no legal turn to send: the turn is lost")
            return
        left_s = turn.deadline - time.monotonic()
        if left_s <= 0:
            self._warn("the answer would come too late: the turn is lost")
            return
        connection.settimeout(left_s)
        with contextlib.suppress(ConnectionError):  # the unread input explains more
            connection.sendall(answer.data)
            self._last = answer.after
        connection.settimeout(None)

    def _chosen(self, turn: _Turn) -> _Answer | None:
        """Return the agent's turn, else its best turn so far, else the first candidate."""
        thought = turn.thought
        if thought is None:
            return turn.stand_in
        if thought.is_done and thought.error is not None:
            why = self._failure(thought.error)
        elif not thought.is_done or thought.answer is None:
            why = "has not answered in time"
        else:
            try:
                return _answer_with(turn.state, thought.answer)
            except JouteError as error:
                why = f"has not answered with a turn: {error}"
        self._stood_in += 1
        if why:
            whenever = " whenever that happens" if thought.error is not None else ""
            self._warn(f"{self._name.text} {why}; a stand-in plays{whenever}")
        with contextlib.suppress(JouteError):
            if thought.best_so_far is not None:
                return _answer_with(turn.state, thought.best_so_far)
        return turn.stand_in

    def _failure(self, error: BaseException) -> str:
        """Return a description of an agent's exception and its place; empty if it was reported before."""
        place = _place(error)
        if (type(error), place) in self._failures:
            return ""
        self._failures.add((type(error), place))
        return f"failed: {described(error)}{place and f' ({place})'}"


def _place(error: BaseException) -> str:
    """Return the line of the agent's file where an exception occurred; empty for Joute's own agents."""
    lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    strange = [(file, line) for file, line in lines if not Path(file).is_relative_to(_OURS)]
    if not strange:
        return ""
    own = strange[0][0]  # deeper frames may be in other libraries
    return f"{Path(own).name}, line {[line for file, line in strange if file == own][-1]}"


def _answer_with(state: Vampires, chosen: Any) -> _Answer:
    """Return the answer with a legal turn; JouteError if it is illegal or the protocol cannot express it."""
    move: Any = state.legal_move(chosen)
    after = state.play(move)
    return _Answer(Mov.giving(move.orders).encode(), state if after.is_chance else after)


def _first_candidate(state: Vampires) -> _Answer | None:
    """Return the first legal turn, which needs no search; None if there is none."""
    for move in state.legal_moves:
        with contextlib.suppress(WireError):
            return _answer_with(state, move)
    return _Answer(Mov().encode(), state) if is_twilight(state) else None
