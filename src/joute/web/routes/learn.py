"""Learning: the rules of games as lessons, puzzles, and the searches with their parameters."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field

from joute.errors import JouteError
from joute.example import GAME
from joute.games.builder import find_builder
from joute.games.registry import all_games
from joute.learn.lessons import has_lesson
from joute.web.allowed import found_game
from joute.web.context import Member, Server, TheServer
from joute.web.errors import PageError, not_found
from joute.web.lessons import (
    Attempt,
    find_puzzle,
    find_puzzles,
    lesson_data,
    puzzle_data,
    puzzle_row,
    search_data,
)
from joute.web.messages import MoveText, Parts, Strict
from joute.web.pool import JobError
from joute.web.views import draft_data

router = APIRouter(tags=["learn"])

# The most time to refute an answer; the search ends after a number of nodes, much earlier.
_REFUTE_S = 30.0

GameName = Annotated[str, Path(max_length=100, description="the name of a game", examples=[GAME])]
Number = Annotated[int, Path(ge=1, le=1000, description="the number of the puzzle, from 1")]


class Answers(Strict):
    """The visitor's moves so far, without the replies."""

    moves: list[MoveText] = Field(min_length=1, max_length=50, examples=[["4"]])


class Composed(Strict):
    """A move that is being composed."""

    parts: Parts


@router.get("/learn", summary="What there is to learn: lessons and puzzles by game")
def index(_visitor: Member) -> list[dict[str, Any]]:
    """The games, whether each has a lesson, and its puzzles."""
    listed = []
    for game in all_games()[0]:
        try:
            rows = [puzzle_row(puzzle, number) for number, puzzle in enumerate(find_puzzles(game), start=1)]
        except JouteError:
            rows = []
        listed.append({"game": game.game, "title": game.title, "has_lesson": has_lesson(game.game), "puzzles": rows})
    return sorted(listed, key=lambda each: not each["has_lesson"])


@router.get("/learn/{name}", summary="The rules of a game, with drawn examples")
def lesson(name: GameName, _visitor: Member) -> dict[str, Any]:
    """The lesson of a game, in every language; its guide if it has none."""
    return lesson_data(found_game(name).game)


@router.get("/puzzles/{name}/{number}", summary="A puzzle")
def puzzle(name: GameName, number: Number, _visitor: Member) -> dict[str, Any]:
    """A puzzle to solve, without its answer."""
    return puzzle_data(find_puzzle(found_game(name), number), number)


@router.post("/puzzles/{name}/{number}", summary="Answer a puzzle")
async def answer(name: GameName, number: Number, given: Answers, server: TheServer, visitor: Member) -> dict[str, Any]:
    """Judge the visitor's moves: a right one goes on or solves the puzzle, a wrong one gets the refutation."""
    attempt = Attempt(find_puzzle(found_game(name), number), given.moves)
    if attempt.verdict != "wrong":
        return attempt.as_data()
    refuted = await _refutation(attempt, server, visitor)
    return {**attempt.as_data(), **refuted}


async def _refutation(attempt: Attempt, server: Server, visitor: str) -> dict[str, Any]:
    """The engine's reply to a wrong answer, and the visitor's prospects after it."""
    state = attempt.state
    if state.is_terminal:
        return {"reply": None, "chance": None, "outcome": None}
    request = {"game": state.spec, "position": state.position}
    job = server.pool.run("refute", request, visitor=visitor, limit_s=_REFUTE_S)
    try:
        found = await job.result()
    except JobError as error:
        raise PageError("no_hint", f"the engine found no reply: {error}", 409) from error
    finally:
        job.cancel()
    is_own = state.to_move == attempt.player
    attempt.play(found["reply"])
    chance, outcome = found["chance"], found["outcome"]
    if not is_own:
        chance, outcome = (None if chance is None else 1 - chance), (None if outcome is None else -outcome)
    return {"reply": found["reply"], "chance": chance, "outcome": outcome}


@router.get("/puzzles/{name}/{number}/answer", summary="The answer of a puzzle")
def solution(name: GameName, number: Number, _visitor: Member) -> dict[str, Any]:
    """The line of the answer, drawn, what is proven of it, and the game that the position is from."""
    found = find_puzzle(found_game(name), number)
    answers = list(found.line[: 2 * found.asked : 2])
    attempt = Attempt(found, answers)
    attempt.state = found.state
    attempt.frames.clear()
    for move in found.line:
        attempt.play(move)
    return {**attempt.as_data(), "line": list(found.line), "proof": found.proof, "source": found.source}


@router.post("/puzzles/{name}/{number}/build", summary="Compose a move of parts")
def build(name: GameName, number: Number, wish: Composed, _visitor: Member) -> dict[str, Any]:
    """The effects of the parts of a move, for games whose moves have parts."""
    state = find_puzzle(found_game(name), number).state
    builder = find_builder(state.game)
    if builder is None:
        raise not_found("builder of moves")
    return draft_data(state.scene(), builder(state, wish.parts))


@router.get("/searches", summary="The searches that play every game, with their parameters")
def searches(_visitor: Member) -> list[dict[str, Any]]:
    """The searches, each parameter with its default, its range and where it comes from."""
    return search_data()
