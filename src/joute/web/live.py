"""A game in memory. Browsers send wishes, and get the whole game after every change.

One task a game moves the agents and watches the clock. A change is saved before anybody hears of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import sqlite3
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any, Protocol

from joute.agents import SearchInfo
from joute.errors import JouteError
from joute.games import State, new
from joute.games.builder import find_builder
from joute.match.clock import controls_of
from joute.match.game import GameInProgress, derive_seed
from joute.match.record import MoveRecord, Reason, is_lost_turn
from joute.match.referee import MAX_PLIES
from joute.web.errors import PageError
from joute.web.jobs.positions import position_data
from joute.web.pool import EnginePool, Job, JobError, LostJobError
from joute.web.settings import Settings
from joute.web.store import GameRow, GameStore
from joute.web.views import (
    clock_data,
    draft_data,
    move_data,
    result_data,
    scene_of,
    seat_data,
    state_data,
)

# A reload of the page leaves a game without a viewer for this long; a search goes on meanwhile.
_RELOAD_S = 3.0
# A request of the HTTP API counts as a viewer for this long.
_REQUEST_S = 60.0


class Viewer(Protocol):
    """Somebody who follows games: a socket."""

    visitor: str

    def tell(self, text: str) -> None:
        """Send a message, which is JSON."""
        ...


class LiveGame:
    """One game, its players and its viewers."""

    def __init__(
        self,
        row: GameRow,
        moves: list[MoveRecord],
        *,
        store: GameStore,
        pool: EnginePool,
        settings: Settings,
        on_end: Callable[[LiveGame], None],
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self.row = row
        self.game = restored(row, moves)
        self.viewers: set[Viewer] = set()
        self.revision = 0
        self.is_paused = False
        #: The least seconds between moves of two agents.
        self.speed_s = 1.0
        #: The player who proposes to take back a move.
        self.undo_offer: int | None = None
        self.thinking: Job | None = None
        #: The last position in which the engine's process was lost.
        self._lost_in: State | None = None
        self._store, self._pool, self._settings, self._seconds = store, pool, settings, seconds
        self._on_end = on_end
        self._steps = 0
        #: The moves from this number on are not in the file yet.
        self._unsaved = len(moves)
        self._seen_at = seconds()
        self._moved_at = seconds()
        #: The start of this turn, less the seconds used before a restart.
        self._turn_at = seconds() - row.turn_s
        self._builder = find_builder(self.game.state.game)
        self._states: list[State] = []
        self._states_until: State | None = None
        self._shown: list[dict[str, Any]] = []
        self._show_moves(0)
        self._body = ""
        self._changed = asyncio.Event()
        self._task = asyncio.create_task(self._drive())
        self._task.add_done_callback(_tell_failure)

    # --- What viewers see ---

    @property
    def turn_s(self) -> float:
        """The seconds that the player to move has used in this turn."""
        return 0.0 if self.game.is_over or not self._clock_runs else max(0.0, self._seconds() - self._turn_at)

    @property
    def _clock_runs(self) -> bool:
        """The clock runs from the first move on, and not while a game waits for its second player or is paused."""
        is_complete = not any(seat.kind == "person" and not seat.visitor for seat in self.row.seats)
        return bool(self.game.moves) and is_complete and not self.is_paused

    @property
    def is_watched(self) -> bool:
        """Whether somebody follows the game, or did a moment ago."""
        return bool(self.viewers) or self._seconds() < self._seen_at

    @property
    def is_ticking(self) -> bool:
        """Whether a person's clock runs, which may end the game while nobody follows it."""
        side = self.game.to_move
        is_person = not self.game.is_over and self.row.seats[side].kind == "person"
        return is_person and self._clock_runs and math.isfinite(self.game.clock.limit_s(side))

    def sides_of(self, visitor: str) -> list[int]:
        """The sides that a visitor plays."""
        return [side for side, seat in enumerate(self.row.seats) if seat.kind == "person" and seat.visitor == visitor]

    def message(self, visitor: str) -> str:
        """The game as a message to a visitor."""
        head = {"v": 1, "type": "game", "id": self.row.id, **self._for(visitor)}
        return f'{json.dumps(head)[:-1]}, "game": {self._shared()}}}'

    def as_data(self, visitor: str) -> dict[str, Any]:
        """The game as JSON data for a visitor."""
        return {**self._for(visitor), "game": json.loads(self._shared())}

    def _for(self, visitor: str) -> dict[str, Any]:
        return {
            "you": self.sides_of(visitor),
            "owns": visitor == self.row.owner,
            "clock": clock_data(self.game, self.turn_s, runs=self._clock_runs),
        }

    def _shared(self) -> str:
        """The part of a message that is the same for everybody, made once after each change."""
        if not self._body:
            self._body = json.dumps(self._data(), separators=(",", ":"))
        return self._body

    def _data(self) -> dict[str, Any]:
        game, state = self.game, self.game.state
        return {
            "id": self.row.id,
            "revision": self.revision,
            "spec": game.start.spec,
            "name": state.game,
            "title": state.title,
            "players": list(state.players),
            "colours": list(state.colours),
            "seats": [seat_data(seat) for seat in self.row.seats],
            "moves": self._shown,
            "to_move": game.to_move,
            "is_over": game.is_over,
            "result": result_data(game),
            "is_paused": self.is_paused,
            "speed_s": self.speed_s,
            "undo_offer": self.undo_offer,
            "is_thinking": self._agent_moves,
            "control": self.row.clock,
            **state_data(state, self.scene_at(len(game.moves))),
            "start": game.start.position if game.start.position != new(game.start.spec).position else "",
            "draft": self._draft(),
        }

    @property
    def states(self) -> list[State]:
        """Every position of the game, the first and the present one included."""
        if self._states_until is not self.game.state:
            self._states, self._states_until = list(self.game.states()), self.game.state
        return self._states

    def _draft(self) -> dict[str, Any] | None:
        """The beginning of a move that is composed of parts; None if moves have none."""
        if self._builder is None or self.game.is_over:
            return None
        return draft_data(self.scene_at(len(self.game.moves)), self._builder(self.game.state, ()))

    def scene_at(self, number: int) -> Any:
        """The drawing after `number` moves."""
        states = self.states
        before = states[number - 1] if number else None
        return scene_of(states[number], before, self.game.moves[number - 1].move if number else None)

    def _show_moves(self, first: int) -> None:
        """Describe the moves from number `first` on for the list beside the board."""
        states = self.states
        self._shown[first:] = [
            move_data(states[number], played) for number, played in enumerate(self.game.moves) if number >= first
        ]

    # --- Viewers ---

    def watch(self, viewer: Viewer) -> None:
        """Add a viewer and send the game."""
        self.viewers.add(viewer)
        viewer.tell(self.message(viewer.visitor))
        self._changed.set()

    def leave(self, viewer: Viewer) -> None:
        """Remove a viewer. If none is left, a search ends soon."""
        self.viewers.discard(viewer)
        if not self.viewers:
            self._seen_at = max(self._seen_at, self._seconds() + _RELOAD_S)
        self._changed.set()

    def touch(self) -> None:
        """Note that a request of the HTTP API came."""
        self._seen_at = self._seconds() + _REQUEST_S
        self._changed.set()

    def announce(self) -> None:
        """Send the game to everybody who follows it."""
        self.revision += 1
        self._body = ""
        for viewer in list(self.viewers):
            viewer.tell(self.message(viewer.visitor))
        self._changed.set()

    async def close(self) -> None:
        """Stop the game's task and its search."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    # --- What people do ---

    def join(self, visitor: str, name: str) -> None:
        """Give the open seat to a visitor; nothing if the visitor plays already."""
        if self.sides_of(visitor):
            return
        seat = next((seat for seat in self.row.seats if seat.kind == "person" and not seat.visitor), None)
        if seat is None:
            raise PageError("no_seat", "both sides of this game have their players; you can watch it", 409)
        seat.visitor, seat.name = visitor, name
        self._start_turn()
        self._save(len(self.game.moves))
        self.announce()

    def play(self, visitor: str, move: str, index: int) -> None:
        """Play a person's move."""
        moves = self.game.moves
        if index < len(moves) and moves[index].move == move and moves[index].player in self.sides_of(visitor):
            return  # the same message again, after a connection was lost
        if self.game.is_over:
            raise PageError("over", "the game is over", 409)
        if index != len(moves):
            raise PageError("stale", "the game went on meanwhile", 409)
        if self.game.to_move not in self.sides_of(visitor):
            raise PageError("not_your_turn", "it is not your turn", 409)
        try:
            chosen = self.game.state.legal_move(move)
        except JouteError as error:
            raise PageError("illegal_move", str(error)) from error
        self._advance(chosen, self.turn_s, None)

    def undo(self, visitor: str) -> None:
        """Take back a person's last move and what followed; between two people, propose or accept it."""
        mine = self.sides_of(visitor)
        if not mine:
            raise PageError("not_your_game", "you do not play this game", 403)
        last = self._last_of(mine)
        if last is None and self.undo_offer is None:
            raise PageError("nothing_to_undo", "there is no move of yours to take back", 409)
        other = [side for side, seat in enumerate(self.row.seats) if seat.kind == "person" and side not in mine]
        if not other:
            assert last is not None
            self._take_back(len(self.game.moves) - last)
        elif self.undo_offer is not None and self.undo_offer in other:
            offered = self._last_of([self.undo_offer])
            self.undo_offer = None
            if offered is not None:
                self._take_back(len(self.game.moves) - offered)
        else:
            if self.game.is_over:
                raise PageError("over", "the game is over", 409)
            self.undo_offer = mine[0]
            self.announce()

    def decline(self, visitor: str) -> None:
        """Decline the other person's proposal, or withdraw one's own."""
        if self.sides_of(visitor) and self.undo_offer is not None:
            self.undo_offer = None
            self.announce()

    def resign(self, visitor: str) -> None:
        """Give up."""
        mine = self.sides_of(visitor)
        if not mine:
            raise PageError("not_your_game", "you do not play this game", 403)
        if self.game.is_over:
            raise PageError("over", "the game is over", 409)
        side = self.game.to_move if self.game.to_move in mine else mine[0]
        self._end(side, Reason.RESIGNATION, "")

    def pause(self, visitor: str, *, paused: bool) -> None:
        """Stop or continue a game of agents."""
        self._check_owner(visitor)
        if paused != self.is_paused:
            self.is_paused, self._steps = paused, 0
            self._start_turn()
            self.announce()

    def step(self, visitor: str) -> None:
        """Let a paused game go on by one move."""
        self._check_owner(visitor)
        self.is_paused, self._steps = True, 1
        self._start_turn()
        self.announce()

    def set_speed(self, visitor: str, seconds: float) -> None:
        """Set the least seconds between two moves of agents."""
        self._check_owner(visitor)
        self.speed_s = seconds
        self.announce()

    def _check_owner(self, visitor: str) -> None:
        if visitor != self.row.owner or any(seat.kind == "person" for seat in self.row.seats):
            raise PageError("not_your_game", "only who started a game of agents controls it", 403)

    def _last_of(self, sides: list[int]) -> int | None:
        """The number of the last move of these sides."""
        numbers = [number for number, played in enumerate(self.game.moves) if played.player in sides]
        return numbers[-1] if numbers else None

    # --- Changes, each saved before it is told ---

    def _advance(self, move: Any, time_s: float, info: SearchInfo | None) -> None:
        """Charge the time and play a move; too late, it costs the turn or the game."""
        number = len(self.game.moves)
        if not self.game.charge(time_s):
            self._too_late()
            return
        self.game.play(move, info=info)
        self._after_move(number)

    def _too_late(self) -> None:
        """The player to move is out of time, and its time is charged."""
        number = len(self.game.moves)
        side = self.game.to_move
        self.game.overstep(Reason.TIME, "")
        if self.game.is_over and len(self.game.moves) == number:
            self.row.ending = [side, Reason.TIME.value, "", self.game.clock.reading]
        self._after_move(number)

    def _after_move(self, number: int) -> None:
        self.undo_offer = None
        self._moved_at = self._seconds()
        self._start_turn()
        self._save(number)
        self._show_moves(number)
        self.announce()
        if self.game.is_over:
            self._on_end(self)

    def _end(self, side: int, reason: Reason, detail: str) -> None:
        self.game.forfeit(side, reason, detail)
        self.row.ending = [side, reason.value, detail, self.game.clock.reading]
        self._after_move(len(self.game.moves))

    def _take_back(self, plies: int) -> None:
        self.game.undo(plies)
        self.row.ending = None
        self._after_move(len(self.game.moves))

    def _start_turn(self) -> None:
        self._turn_at = self._seconds()
        self.row.turn_s = 0.0

    def _save(self, first: int) -> None:
        """Save the moves from number `first` on. If the disk fails, the game goes on, and the next save has them."""
        self._unsaved = min(self._unsaved, first)
        try:
            self._store.save(self.row, self.game.moves, first=self._unsaved)
        except sqlite3.Error as error:
            warnings.warn(f"game {self.row.id} could not be saved: {error}", stacklevel=2)
        else:
            self._unsaved = len(self.game.moves)

    # --- Agents and the clock ---

    @property
    def _agent_moves(self) -> bool:
        """Whether it is an agent's turn, and the agent may think."""
        if self.game.is_over or self.row.seats[self.game.to_move].kind != "agent":
            return False
        return self._steps > 0 if self.is_paused else True

    async def _drive(self) -> None:
        while True:
            self._changed.clear()
            if self._agent_moves and self.is_watched:
                await self._agent_turn()
            elif self.game.is_over or not self._clock_runs:
                await self._changed.wait()
            else:
                await self._person_turn()

    async def _person_turn(self) -> None:
        """Wait for a change, at most until the clock of the player to move runs out."""
        if not self.is_ticking:
            await self._changed.wait()
            return
        left_s = self.game.clock.limit_s(self.game.to_move) - self.turn_s
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, left_s) + 0.001):
                await self._changed.wait()
            return
        if self.turn_s > self.game.clock.limit_s(self.game.to_move):
            self.game.charge(self.turn_s)
            self._too_late()

    async def _agent_turn(self) -> None:
        """Ask the agent to move, wait out the pause, and play its move, unless the game changes meanwhile."""
        game, state = self.game, self.game.state
        side = game.to_move
        limit_s = game.clock.limit_s(side)
        request = {
            **position_data(game),
            "agent": self.row.seats[side].agent,
            "player": side,
            "seed": derive_seed(self.row.seed, 1 + side),
            "key": self.row.id,
            "clock": _clock_request(game, side),
            "limit_s": limit_s if math.isfinite(limit_s) else None,
        }
        limits = self._settings.limits
        most_s = min(limit_s + 0.5, limits.clock_move_s) if math.isfinite(limit_s) else limits.move_s
        try:
            job = self._pool.run("move", request, visitor=self.row.owner, key=self.row.id, limit_s=most_s)
        except PageError:
            await asyncio.sleep(0.5)  # too many searches: wait for a place
            return
        self.thinking = job
        try:
            asking = asyncio.create_task(job.result())
            if not await self._wait(asking, state):
                return
            answer = asking.result()
            pause = asyncio.create_task(asyncio.sleep(self._pause_left_s()))
            if not await self._wait(pause, state):
                return
        except JobError as error:
            if isinstance(error, LostJobError) and self._lost_in is not state:
                self._lost_in = state  # the agent is asked once more
            elif not job.cancelled.is_set():
                self._end(side, Reason.CRASH, str(error)[:300])
            return
        finally:
            self.thinking = None
            job.cancel()
        self._steps = max(0, self._steps - 1)
        self._take_answer(side, answer)

    def _take_answer(self, side: int, answer: dict[str, Any]) -> None:
        if "reason" in answer:
            reason = Reason(answer["reason"])
            if reason is Reason.TIME:
                self.game.charge(self.game.clock.limit_s(side) + 0.001)
                self._too_late()
            else:
                self._end(side, reason, answer["detail"][:300])
            return
        info = answer["info"]
        found = SearchInfo(info["value_for_mover"], info["depth"], info["nodes"], tuple(info["pv"])) if info else None
        try:
            move = self.game.state.legal_move(answer["move"])
        except JouteError as error:
            self._end(side, Reason.ILLEGAL_MOVE, str(error)[:300])
            return
        self._advance(move, answer["time_s"], found)

    def _pause_left_s(self) -> float:
        """The seconds until an answer may be shown, so that people can follow it."""
        only_agents = all(seat.kind == "agent" for seat in self.row.seats)
        least_s = self.speed_s if only_agents and not self.is_paused else min(self._settings.pause_s, 10.0)
        return max(0.0, self._moved_at + least_s - self._seconds())

    async def _wait(self, task: asyncio.Task[Any], state: State) -> bool:
        """Wait for a task while the agent's turn in this position lasts and somebody watches; False if not.

        The object tells positions apart: an undo and another move at once lead to the same number of moves.
        """
        try:
            while not task.done():
                changed = asyncio.create_task(self._changed.wait())
                reload_s = None if self.viewers else max(0.05, self._seen_at - self._seconds())
                await asyncio.wait({task, changed}, timeout=reload_s, return_when=asyncio.FIRST_COMPLETED)
                changed.cancel()
                self._changed.clear()
                if not self._agent_moves or not self.is_watched or self.game.state is not state:
                    return False
            return True
        finally:
            if not task.done():
                task.cancel()
            elif not task.cancelled():
                task.exception()


def _tell_failure(task: asyncio.Task[None]) -> None:
    """Print why a game's task ended: nobody waits for it."""
    if not task.cancelled() and (error := task.exception()) is not None:
        traceback.print_exception(error)


def restored(row: GameRow, moves: list[MoveRecord]) -> GameInProgress[State]:
    """The game of a row: every move is played again, with its time and its random events."""
    controls = controls_of(row.clock)
    start = new(row.spec, row.start or None)
    game = GameInProgress(start, seed=row.seed, chance_seed=row.seed, controls=controls, max_plies=MAX_PLIES)
    for played in moves:
        game.charge(played.time_s)
        if is_lost_turn(game.state, played.move):
            game.lose_turn()
            continue
        if game.play(played.move, info=played.info).outcomes != played.outcomes:
            raise JouteError(f"game {row.id} cannot be restored: random events differ at ply {game.state.ply}")
    if row.ending is not None:
        side, reason, detail, reading = row.ending
        game.clock.set(tuple(reading))
        game.forfeit(side, Reason(reason), detail)
    return game


def _clock_request(game: GameInProgress[State], side: int) -> dict[str, Any]:
    told = game.clock.told(side)
    values = {name: getattr(told, name) for name in told.__dataclass_fields__}
    return {name: None if value == math.inf else value for name, value in values.items()}
