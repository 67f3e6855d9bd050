"""All games of a server: those in memory, and the others in the store."""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
import sqlite3
import time
from typing import Any

from joute.agents.level_auto import tell_result
from joute.errors import JouteError
from joute.match.clock import controls_of
from joute.web.allowed import check_agent, start_of
from joute.web.errors import PageError, not_found
from joute.web.live import LiveGame
from joute.web.messages import NewGame
from joute.web.pool import EnginePool
from joute.web.settings import Settings
from joute.web.store import GameRow, GameStore, SeatRow

# How often running clocks are saved, and games that nobody follows leave the memory.
_ROUND_S = 2.0
# A game that nobody has followed for this long leaves the memory; the store keeps it.
_IDLE_S = 600.0
_LISTED_GAMES = 20


class Tables:
    """The games of a server."""

    def __init__(self, settings: Settings, store: GameStore, pool: EnginePool) -> None:
        self._settings, self._store, self._pool = settings, store, pool
        self._games: dict[str, LiveGame] = {}
        self._idle_since: dict[str, float] = {}
        self._task: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Future[None]] = set()

    async def start(self) -> None:
        """Begin to keep the clocks."""
        self._task = asyncio.create_task(self._keep())

    async def close(self) -> None:
        """Save the clocks and stop all games."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self._save_clocks()
        for live in list(self._games.values()):
            await live.close()
        self._games.clear()

    def create(self, wish: NewGame, visitor: str) -> LiveGame:
        """Begin a game; PageError with the reason if it cannot be."""
        start = start_of(wish.game, wish.position)
        if start.is_terminal:
            raise PageError("bad_position", "the game is over in this position")
        try:
            controls_of(wish.clock)
        except JouteError as error:
            raise PageError("bad_clock", str(error)) from error
        seats = [self._seat(seat.kind, seat.agent, visitor, wish.name) for seat in wish.seats]
        for seat in seats:
            if seat.kind == "agent":
                check_agent(seat.agent, start, self._settings)
        if wish.shuffle and secrets.randbelow(2):
            seats.reverse()
        self._make_room()
        seed = wish.seed if wish.seed is not None else secrets.randbelow(2**31)
        row = GameRow(
            secrets.token_urlsafe(9), visitor, start.spec, start.position, seed, wish.clock or "none",
            (seats[0], seats[1]),
        )  # fmt: skip
        self._store.add(row)
        return self._open(row, [])

    def find(self, game: str) -> LiveGame:
        """The game of an id, from memory or from the store; PageError if there is none."""
        if (live := self._games.get(game)) is not None:
            return live
        if (found := self._store.load(game)) is None:
            raise not_found("game")
        self._make_room()
        try:
            return self._open(*found)
        except JouteError as error:
            raise PageError("damaged_game", str(error), 409) from error

    def games_of(self, visitor: str) -> list[dict[str, Any]]:
        """The latest games of a visitor, for a list."""
        listed = []
        for row, count in self._store.games_of(visitor, _LISTED_GAMES):
            live = self._games.get(row.id)
            listed.append(
                {
                    "id": row.id,
                    "spec": row.spec,
                    "moves": count,
                    "changed": row.changed,
                    "seats": [{"kind": seat.kind, "agent": seat.agent, "name": seat.name} for seat in row.seats],
                    "you": [side for side, seat in enumerate(row.seats) if seat.visitor == visitor],
                    "is_over": live.game.is_over if live is not None else row.ending is not None,
                }
            )
        return listed

    def _seat(self, kind: str, agent: str, visitor: str, name: str) -> SeatRow:
        if kind == "agent":
            return SeatRow("agent", agent=agent)
        return SeatRow("person", visitor=visitor, name=name) if kind == "me" else SeatRow("person")

    def _open(self, row: GameRow, moves: list[Any]) -> LiveGame:
        live = LiveGame(
            row, moves, store=self._store, pool=self._pool, settings=self._settings, on_end=self._tell_level
        )
        self._games[row.id] = live
        return live

    def _tell_level(self, live: LiveGame) -> None:
        """Adapt ``level:auto`` after a game of the owner against it."""
        result = live.game.result
        people = [side for side, seat in enumerate(live.row.seats) if seat.kind == "person"]
        if result is None or len(people) != 1 or self._settings.is_shared or not live.game.moves:
            return
        points = 0.5 if result.winner is None else float(result.winner == people[0])
        tell_result(live.row.seats[1 - people[0]].agent, live.row.spec, points)

    # --- Memory and clocks ---

    def _make_room(self) -> None:
        """Drop the idlest game if the memory is full, one whose clock runs last; PageError if all are followed."""
        if len(self._games) < self._settings.limits.games:
            return
        idle = [game for game, live in self._games.items() if not live.is_watched]
        if not idle:
            raise PageError("busy", "too many games are being played; try again later", 503)
        self._drop(min(idle, key=lambda game: (self._games[game].is_ticking, self._idle_since.get(game, math.inf))))

    def _drop(self, game: str) -> None:
        live = self._games.pop(game)
        self._idle_since.pop(game, None)
        self._save_clocks([live])
        closing = asyncio.ensure_future(live.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    def _save_clocks(self, lives: list[LiveGame] | None = None) -> None:
        chosen = list(self._games.values()) if lives is None else lives
        turns = {live.row.id: live.turn_s for live in chosen if live.turn_s and live.row.clock != "none"}
        if turns:
            with contextlib.suppress(sqlite3.Error):  # the next round saves them
                self._store.save_turns(turns)

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(_ROUND_S)
            self._save_clocks()
            now = time.monotonic()
            for game, live in list(self._games.items()):
                if live.is_watched or live.is_ticking:
                    self._idle_since.pop(game, None)
                elif now - self._idle_since.setdefault(game, now) > _IDLE_S:
                    self._drop(game)
