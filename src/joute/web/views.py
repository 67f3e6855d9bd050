"""A game as JSON for the browser: drawing, click targets, moves, players, clocks."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from joute.games import State
from joute.games.builder import Draft
from joute.games.scene import Area, Scene
from joute.match.game import GameInProgress
from joute.match.record import MoveRecord, is_lost_turn
from joute.pages.boards import BoardTable
from joute.web.store import SeatRow

# Longer lists of moves are not sent: nobody reads them, and the board has targets.
_MOST_LISTED = 400


def scene_data(scene: Scene, *, with_targets: bool = True) -> dict[str, Any]:
    """A scene: the encoding of pages/boards.py that scene.js draws, and the targets.

    ``areas`` are [x, y, width, height]. A target is [area, move, source, label, source label, origin, place]
    without the last fields that are null; areas are given by their numbers.
    """
    table = BoardTable(keys=True)
    (position,) = table.encode(iter([scene]))
    areas: dict[Area, int] = {}

    def number(area: Area | None) -> int | None:
        return None if area is None else areas.setdefault(area, len(areas))

    targets: list[list[Any]] = []
    for target in scene.targets if with_targets else ():
        own = Area(target.x, target.y, target.width, target.height)
        entry: list[Any] = [
            number(own), target.move, number(target.source), target.label or None, target.source_label or None,
            number(target.origin), number(target.place),
        ]  # fmt: skip
        while entry[-1] is None:
            entry.pop()
        targets.append(entry)
    return {
        "boards": table.as_data(),
        "position": position,
        "areas": [[round(each, 4) for each in area] for area in areas],
        "targets": targets,
        "title": scene.title,
    }


def draft_data(scene: Scene, draft: Draft) -> dict[str, Any]:
    """A move that is being composed, with the drawing whose targets add parts to it."""
    return {
        "scene": scene_data(dataclasses.replace(scene, targets=draft.targets)),
        "parts": [dataclasses.asdict(part) for part in draft.parts],
        "move": draft.move,
        "lines": list(draft.lines),
        "problem": draft.problem,
        "prompt": draft.prompt,
    }


def scene_of(state: State, before: State | None, move: str | None) -> Scene:
    """The drawing of a position, with the move that led to it marked."""
    if before is None or move is None or is_lost_turn(before, move):
        return state.scene()
    return state.scene(before.parse_move(move))


def chance_texts(before: State, played: MoveRecord) -> list[str]:
    """The random events after a move, one sentence for each random event that the board does not show."""
    if not played.outcomes or is_lost_turn(before, played.move):
        return []
    state, texts = before.play(played.move), []
    for outcome in played.outcomes:
        texts.append(state.outcome_text(outcome))
        state = state.resolve(outcome)
    return [text for text in texts if text]


def move_data(before: State, played: MoveRecord) -> dict[str, Any]:
    """A move of the list beside the board."""
    return {
        "player": played.player,
        "move": played.move,
        "time_s": round(played.time_s, 2),
        "chance": chance_texts(before, played),
    }


def legal_texts(state: State) -> list[str]:
    """The legal moves as texts; empty if they are too many to list."""
    if state.is_terminal or state.is_chance:
        return []
    moves = state.legal_moves
    return [str(move) for move in moves] if len(moves) <= _MOST_LISTED else []


def result_data(game: GameInProgress[State]) -> dict[str, Any] | None:
    """How the game ended; None if it goes on."""
    if game.result is None or game.reason is None:
        return None
    return {
        "winner": game.result.winner,
        "reason": game.reason.value,
        "decided_by": game.result.decided_by,
        "detail": game.detail,
    }


def seat_data(seat: SeatRow) -> dict[str, Any]:
    """A player as others see it; never the visitor."""
    return {
        "kind": seat.kind,
        "agent": seat.agent,
        "name": seat.name,
        "is_open": seat.kind == "person" and not seat.visitor,
    }


def clock_data(game: GameInProgress[State], turn_s: float, *, runs: bool) -> dict[str, Any] | None:
    """The clocks at this moment: seconds left for the game and for the move; None without a time limit."""
    if not any(control.is_timed for control in game.controls):
        return None
    left_s: list[float | None] = []
    for player in (0, 1):
        total = game.clock.reading[player]
        move = game.controls[player].move_s
        if player == game.to_move and not game.is_over:
            total, move = total - turn_s, move - turn_s
        least = min(total, move)
        left_s.append(round(max(0.0, least), 3) if math.isfinite(least) else None)
    return {"left_s": left_s, "running": game.to_move if runs and not game.is_over else None}


def state_data(state: State, scene: Scene) -> dict[str, Any]:
    """A position: its drawing, its text, its moves."""
    return {
        "scene": scene_data(scene),
        "text": state.diagram(),
        "position": state.position,
        "status": state.status,
        "ply": state.ply,
        "legal": legal_texts(state),
        "complete": bool(state.complete),
    }
