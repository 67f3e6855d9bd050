"""Convert games of Divercité that seahorse recorded to Joute's game records.

Version 1.1 writes a JSON array of states, from the start to the end; 1.2 writes ``{"steps": states, "final_summary":
…}``, where a state also has each player's remaining seconds (seahorse 1.2.6, GameMaster._emit_play_payload and
StateRecorder). There is no list of moves: a move is the piece that a state's board has in addition to the previous one.
Every board, hand and score is checked by replaying the game.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import Any

from joute._core import Result, one_line
from joute.errors import NotationError
from joute.games.divercite.seahorse.state import GAME, LETTERS, STEPS, Cell, Shown, state_of
from joute.games.divercite.state import Divercite
from joute.match.record import GameRecord, MoveRecord, Reason
from joute.protocol.course import CourseError

_CELL = re.compile(r"\(([0-8]), ?([0-8])\)")
# The status in 1.2 of a game that ended because a player failed.
_CANCELLED = "cancelled"


def is_recording(data: Any) -> bool:
    """Whether data look like a recording, valid or not."""
    states = data.get("steps") if isinstance(data, Mapping) else data
    first = states[0] if isinstance(states, list) and states else None
    return isinstance(first, Mapping) and "players_pieces_left" in first


def read_recording(data: Any) -> GameRecord:
    """Return the record of a recorded game; CourseError if anything in it is wrong."""
    summary = data.get("final_summary") if isinstance(data, Mapping) else None
    shown = data.get("steps") if isinstance(data, Mapping) else data
    if not isinstance(shown, list) or not shown or not all(isinstance(each, Mapping) for each in shown):
        raise CourseError("a recording must be a list of states")
    ids, names = _players(shown[0])
    states = []
    for number, each in enumerate(shown):
        try:
            states.append(_read(each, ids))
        except CourseError as error:
            raise CourseError(f"state {number}: {error}") from error
    if states[0].ply:
        raise CourseError(f"the recording begins at step {states[0].ply}, not at the start")
    moves = []
    for number, (before, after) in enumerate(itertools.pairwise(shown), 1):
        state, player = states[number - 1], states[number - 1].to_move
        move = _move(state, _pieces(before), _pieces(after), number)
        if state.play(move) != states[number]:
            raise CourseError(f"state {number}: the position is not the one after {move}")
        time_s = max(0.0, _seconds_left(before, ids[player]) - _seconds_left(after, ids[player]))
        moves.append(MoveRecord(player, move, round(time_s, 6)))
    result, reason, detail = _end(states[-1], summary, ids, names)
    return GameRecord(GAME, states[0].position, names, 0, tuple(moves), result, reason, detail)


def _players(first: Mapping[str, Any]) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the ids and names of White and Black. A player on another machine has only an id (1.1)."""
    players = first.get("players")
    if not isinstance(players, list) or len(players) != 2:
        raise CourseError("state 0: there must be two players")
    ids, names = [], []
    for letter, player in zip(LETTERS, players, strict=True):
        told = player if isinstance(player, Mapping) else {"id": player}
        number = _id(told.get("id"))
        name = told.get("name", f"player {number}")
        if told.get("piece_type", letter) != letter or not isinstance(name, str) or not name:
            raise CourseError(f"state 0: the players are W and then B, each with a name, not {one_line(player)}")
        ids.append(number)
        names.append(name)
    if ids[0] == ids[1]:
        raise CourseError(f"state 0: both players have the id {ids[0]}")
    return (ids[0], ids[1]), _agents(names[0], names[1])


def _agents(white: str, black: str) -> tuple[str, str]:
    """Return the agents' names: the course's program appends the seat, ``_1`` or ``_2``, to the names of the files."""
    if len(white) > len("_1") < len(black) and white.endswith("_1") and black.endswith("_2"):
        white, black = white[: -len("_1")], black[: -len("_2")]
    return one_line(white), one_line(black)


def _id(value: Any) -> str:
    """Return an id as text; in the data it is a number, or its text if it is a key."""
    if type(value) is int or (isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,40}", value)):
        return str(value)
    raise CourseError(f"state 0: {one_line(value)} is not a player's id")


def _read(shown: Mapping[str, Any], ids: tuple[str, str]) -> Divercite:
    """Return the position of a state; CourseError if its scores differ from those by the rules."""
    left, scores = shown.get("players_pieces_left"), shown.get("scores")
    _check_owners(shown, ids)
    if not isinstance(left, Mapping) or not isinstance(scores, Mapping) or "step" not in shown:
        raise CourseError("scores, players_pieces_left or step are missing")
    state = state_of(Shown(_pieces(shown), (left.get(ids[0], {}), left.get(ids[1], {})), shown["step"]))
    mover = shown.get("next_player", shown.get("active_player"))
    if (told_id := mover.get("id") if isinstance(mover, Mapping) else mover) is not None and (
        str(told_id) != ids[state.ply % 2]
    ):
        raise CourseError(f"at step {state.ply} it is the turn of {ids[state.ply % 2]}, not of {one_line(told_id)}")
    told = tuple(scores.get(each) for each in ids)
    if told != state.scores or any(isinstance(score, bool) for score in told):
        said = " and ".join(map(one_line, told))
        raise CourseError(f"the scores are {state.scores[0]} and {state.scores[1]} by the rules, not {said}")
    return state


def _check_owners(shown: Mapping[str, Any], ids: tuple[str, str]) -> None:
    """Raise CourseError unless the pieces' owners agree with their letters."""
    _pieces(shown)  # raises CourseError if the pieces are malformed
    for cell, piece in shown["rep"]["env"].items():
        kind, owner = piece["piece_type"], piece.get("owner_id")
        if owner is not None and kind[2:] in LETTERS and str(owner) != ids[LETTERS.index(kind[2:])]:
            raise CourseError(f"{kind} at {cell} does not belong to {one_line(owner)}")


def _pieces(shown: Mapping[str, Any]) -> dict[Cell, str]:
    """Return the pieces on a state's board; cells are text such as ``(3, 4)``, which is parsed and never evaluated."""
    rep = shown.get("rep")
    env = rep.get("env") if isinstance(rep, Mapping) else None
    if not isinstance(env, Mapping):
        raise CourseError("rep has no env, the pieces on the board")
    pieces = {}
    for key, piece in env.items():
        match = _CELL.fullmatch(key) if isinstance(key, str) else None
        kind = piece.get("piece_type") if isinstance(piece, Mapping) else None
        if match is None or not isinstance(kind, str):
            raise CourseError(f"there can be no piece {one_line(piece)} at {one_line(key)}")
        cell = int(match[1]), int(match[2])
        if cell in pieces:
            raise CourseError(f"there are two pieces at {cell}")
        pieces[cell] = kind
    return pieces


def _move(state: Divercite, before: Mapping[Cell, str], after: Mapping[Cell, str], number: int) -> str:
    """Return the move between two boards, in Joute's notation."""
    changed = {cell: after.get(cell) for cell in {*before, *after} if before.get(cell) != after.get(cell)}
    added = [(cell, piece) for cell, piece in changed.items() if piece and cell not in before]
    if len(changed) != 1 or len(added) != 1:
        raise CourseError(f"state {number}: a move adds one piece to the board, but {len(changed)} cells changed")
    ((row, column), piece) = added[0]
    if piece[2:] != LETTERS[state.to_move]:
        raise CourseError(f"state {number}: {piece} at {row, column} was placed out of turn")
    try:
        move = state.parse_move(f"{piece[:2]},{row},{column}")
    except NotationError as error:
        raise CourseError(f"state {number}: {error}") from error
    if not state.is_legal(move):
        raise CourseError(f"state {number}: {piece} at {row, column} is not a legal move")
    return str(move)


def _seconds_left(shown: Mapping[str, Any], player: str) -> float:
    """Return a player's remaining seconds, 0 if unknown."""
    left = shown.get("remaining_time")
    seconds: Any = left.get(player) if isinstance(left, Mapping) else None
    return float(seconds) if type(seconds) in (int, float) and abs(seconds) < 1e12 else 0.0


def _end(state: Divercite, summary: Any, ids: tuple[str, str], names: tuple[str, str]) -> tuple[Result, Reason, str]:
    """Return the result of the game, the reason of its end, and a sentence about it, if any."""
    told = summary if isinstance(summary, Mapping) else {}
    winners = told.get("winners_id")
    won = {str(each) for each in winners} & set(ids) if isinstance(winners, list) else set()
    if state.result is None:
        if told.get("status") != _CANCELLED or len(won) != 1:
            raise CourseError(f"the recording stops at step {state.ply} of {STEPS}, and does not name a winner")
        loser = 1 if ids[0] in won else 0
        detail = f"the course's program disqualified {names[loser]} at step {state.ply}"
        return Result(1 if loser == 1 else -1), Reason.ADJUDICATED, detail
    best = {None: set(ids), 0: {ids[0]}, 1: {ids[1]}}[state.result.winner]
    if winners is not None and won != best:
        raise CourseError("the winners of the final summary are not those by the rules")
    return state.result, Reason.NORMAL, ""
