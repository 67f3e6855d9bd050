"""Draws the running games of a tournament, in the driver's process."""

from __future__ import annotations

import time
from typing import Any

from joute.arena.pool.pool import Running
from joute.arena.tournament import Tournament
from joute.games import State, new
from joute.match.record import MoveRecord, replayed
from joute.numbers import game_number
from joute.text import message
from joute.web.views import scene_data, scene_of


class Boards:
    """The boards of a tournament. Each position is computed from the one before: games are long and looks frequent."""

    def __init__(self, made: Tournament, most: int) -> None:
        self._made, self._most = made, most
        # By game: the number of moves, the position, and the drawing.
        self._known: dict[int, tuple[int, State, dict[str, Any]]] = {}

    def look(self) -> dict[str, Any]:
        """The running games, the first ones by number, and how many run in all."""
        running = sorted(self._made.running(), key=lambda game: game.pairing.number)
        shown = running[: self._most]
        self._known = {game.pairing.number: self._drawn(game) for game in shown}
        return {"running": len(running), "boards": [self._board(game) for game in shown]}

    def _board(self, game: Running) -> dict[str, Any]:
        plan = self._made.plan
        moves, _, scene = self._known[game.pairing.number]
        return {
            "number": game_number(game.pairing.number),
            "name": plan.game.partition(":")[0],
            "players": [message(plan.entrants[index].name) for index in game.pairing.players],
            "entrants": list(game.pairing.players),
            "moves": moves,
            "last": game.moves[moves - 1].move if moves else "",
            "thinker": game.thinker,
            "thinks_s": round(max(0.0, game.thinks_s), 1),
            "used_s": [_used_s(game.moves, player) for player in (0, 1)],
            "seconds": round(max(0.0, time.time() - game.started.timestamp()), 1),
            "scene": scene,
        }

    def _drawn(self, game: Running) -> tuple[int, State, dict[str, Any]]:
        """The latest position of a game and its drawing. It stays behind at a move that cannot be drawn."""
        known = self._known.get(game.pairing.number)
        count = len(game.moves)
        if known is not None and known[0] <= count:
            number, state, scene = known
        else:
            state = new(self._made.plan.game, self._made.store.openings[game.pairing.opening])
            for outcome in game.start_outcomes:
                state = state.resolve(outcome)
            number, scene = 0, {}
        if scene and number == count:
            return number, state, scene
        try:
            before, text = None, None
            while number < count:
                played = game.moves[number]
                before, text = state, played.move
                state = replayed(state, played.move)
                for outcome in played.outcomes:
                    state = state.resolve(outcome)
                number += 1
            scene = scene_data(scene_of(state, before, text), with_targets=False)
        except Exception:  # code of a plug-in may raise anything
            return number, state, scene
        return number, state, scene


def _used_s(moves: tuple[MoveRecord, ...], player: int) -> float:
    return round(sum(played.time_s for played in moves if played.player == player), 2)
