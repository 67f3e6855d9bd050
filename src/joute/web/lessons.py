"""Lessons, puzzles and searches as JSON for the browser."""

from __future__ import annotations

import functools
import hashlib
from typing import Any

from joute.agents.registry import agent_types, is_built_in
from joute.errors import IllegalMoveError
from joute.games import State, find_game, new
from joute.games.builder import find_builder
from joute.games.guide import find_guide
from joute.learn.lessons import Frame, has_lesson, lesson_of
from joute.learn.puzzles import Puzzle, has_puzzles, puzzles_of
from joute.web.allowed import parameter_data
from joute.web.errors import PageError, not_found
from joute.web.views import draft_data, scene_data, scene_of


@functools.lru_cache(maxsize=32)  # the drawings of a lesson take up to 50 ms
def lesson_data(name: str) -> dict[str, Any]:
    """The rules of a game: its sections with their drawings, or its guide if it has no lesson."""
    game, start = find_game(name), new(name)
    guide = find_guide(game)
    sections = lesson_of(game.game).sections if has_lesson(game.game) else ()
    return {
        "game": game.game,
        "title": game.title,
        "sections": [
            {
                "title": dict(section.title),
                "text": dict(section.text),
                "frames": [_frame_data(frame, is_last=frame is section.frames[-1]) for frame in section.frames],
            }
            for section in sections
        ],
        "guide": {"rules": guide.rules, "notation": guide.notation},
        "scene": scene_data(start.scene(), with_targets=False) if not sections else None,
    }


def _frame_data(frame: Frame, *, is_last: bool) -> dict[str, Any]:
    scene = scene_of(frame.state, frame.before, frame.move)
    return {
        "scene": scene_data(scene, with_targets=not is_last),
        "diagram": frame.state.diagram(),
        "move": frame.move,
        "text": dict(frame.text),
    }


def find_puzzles(game: type[State]) -> tuple[Puzzle, ...]:
    """The puzzles of a game; none if it has none."""
    return puzzles_of(game.game) if has_puzzles(game.game) else ()


def find_puzzle(game: type[State], number: int) -> Puzzle:
    """A puzzle by its number, from 1; PageError if there is none."""
    puzzles = find_puzzles(game)
    if not 1 <= number <= len(puzzles):
        raise not_found("puzzle")
    return puzzles[number - 1]


def puzzle_row(puzzle: Puzzle, number: int) -> dict[str, Any]:
    """A puzzle in a list. `id` stays when the order changes."""
    kind = lesson_of(puzzle.state.game).kinds[puzzle.kind]
    return {
        "number": number,
        "id": hashlib.sha256(puzzle.position.encode()).hexdigest()[:10],
        "kind": puzzle.kind,
        "title": dict(kind.title),
        "task": dict(kind.task),
        "missed": puzzle.missed,
        "asked": puzzle.asked,
    }


@functools.lru_cache(maxsize=256)
def puzzle_data(puzzle: Puzzle, number: int) -> dict[str, Any]:
    """A puzzle to solve, without its answer."""
    state = puzzle.state
    return {
        **puzzle_row(puzzle, number),
        "game": state.game,
        "player": state.players[state.to_move],
        "colour": state.colours[state.to_move],
        "to_move": state.to_move,
        "position": state.position,
        "spec": state.spec,
        "complete": bool(state.complete),
        **_position_data(state),
    }


def _position_data(state: State, before: State | None = None, move: str | None = None) -> dict[str, Any]:
    scene = scene_of(state, before, move)
    builder = None if state.is_terminal or state.is_chance else find_builder(state.game)
    return {
        "scene": scene_data(scene),
        "diagram": state.diagram(),
        "move": move,
        "draft": None if builder is None else draft_data(scene, builder(state, ())),
    }


class Attempt:
    """The answers of a visitor to a puzzle so far, one for each move to find.

    `verdict` is ``open`` while moves are still to be found, ``solved`` or ``wrong``. `frames` are the positions after
    the last answer: after it, then after the replies.
    """

    def __init__(self, puzzle: Puzzle, answers: list[str]) -> None:
        self.puzzle = puzzle
        self.state = puzzle.state
        self.player = self.state.to_move
        self.verdict = "open"
        self.frames: list[dict[str, Any]] = []
        if not 1 <= len(answers) <= puzzle.asked:
            raise PageError("bad_message", f"the puzzle has {puzzle.asked} moves to find", 422)
        for index, answer in enumerate(answers):
            if self.verdict != "open":
                raise PageError("bad_message", "the puzzle was over before the last answer", 422)
            self._answer(index, answer)

    def _answer(self, index: int, answer: str) -> None:
        try:
            move = str(self.state.legal_move(answer))
        except IllegalMoveError as error:
            raise PageError("illegal_move", str(error), 422) from error
        self.frames.clear()
        line, is_last = self.puzzle.line, index == self.puzzle.asked - 1
        self.play(move)
        result = self.state.result
        wins = is_last and result is not None and result.winner == self.player and self._ends_at_once
        if move != line[2 * index] and not wins:
            self.verdict = "wrong"
        elif is_last:
            self.verdict = "solved"
            if move == line[2 * index]:
                for each in line[2 * index + 1 :]:
                    self.play(each)
        else:
            self.play(line[2 * index + 1])

    @property
    def _ends_at_once(self) -> bool:
        """Whether the puzzle's own line wins with its last move to find, so that any other win is as good."""
        return len(self.puzzle.line) == 2 * self.puzzle.asked - 1 and self.puzzle.asked > 1

    def play(self, move: str) -> None:
        """Play a move, with the likeliest outcomes of its random events, and add the drawing."""
        before = self.state
        self.state = before.play(before.legal_move(move))
        texts = []
        while self.state.is_chance:
            shares = self.state.outcomes
            likeliest = max(range(len(shares)), key=shares.__getitem__)
            texts.append(self.state.outcome_text(likeliest))
            self.state = self.state.resolve(likeliest)
        self.frames.append({**_position_data(self.state, before, move), "chance": texts})

    def as_data(self) -> dict[str, Any]:
        """The verdict and the positions since the last answer."""
        result = self.state.result
        return {
            "verdict": self.verdict,
            "frames": self.frames,
            "winner": None if result is None else result.winner,
            "is_over": result is not None,
        }


def search_data() -> list[dict[str, Any]]:
    """The searches of every game, with their parameters."""
    return [
        {
            "name": known.name,
            "summary": known.summary,
            "parameters": [{**parameter_data(each), "source": each.source} for each in known.described_parameters],
        }
        for known in agent_types()
        if not known.games and known.keeps_time and is_built_in(known.name) and known.name != "level"
    ]
