"""Lessons and puzzles of every game: complete in every language, legal, ordered; and what is said of damaged files."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from joute.errors import SpecError
from joute.games import find_game, new
from joute.learn.lessons import has_lesson, lesson_of, read_lesson
from joute.learn.puzzles import (
    PUZZLES,
    Puzzle,
    has_puzzles,
    only_winning_move,
    puzzle_set,
    puzzles_of,
    puzzles_text,
    read_puzzles,
)
from joute.plugins import all_rooms

OURS = [name for name, room in all_rooms().items() if room.is_ours]
LANGUAGES = {"en", "fr"}


@pytest.mark.parametrize("name", OURS)
def test_a_lesson_has_every_text_in_every_language(name: str) -> None:
    lesson = lesson_of(name)
    texts = [text for section in lesson.sections for text in (section.title, section.text)]
    texts += [frame.text for section in lesson.sections for frame in section.frames[1:]]
    texts += [text for kind in lesson.kinds.values() for text in (kind.title, kind.task)]
    assert all(set(text) == LANGUAGES and all(each.strip() for each in text.values()) for text in texts)
    assert all(text["en"] != text["fr"] or len(text["en"]) < 20 for text in texts)


@pytest.mark.parametrize("name", OURS)
def test_every_section_has_an_example_and_some_game_of_the_lesson_ends(name: str) -> None:
    sections = lesson_of(name).sections
    assert all(len(section.frames) > 1 for section in sections)
    assert any(section.frames[-1].state.is_terminal for section in sections)


@pytest.mark.parametrize("name", OURS)
def test_a_game_has_ten_puzzles_of_its_lessons_kinds(name: str) -> None:
    puzzles = puzzles_of(name)
    kinds = {each.kind for each in puzzles}
    assert len(puzzles) == PUZZLES
    assert len({each.position for each in puzzles}) == PUZZLES
    assert kinds <= set(lesson_of(name).kinds)
    assert len(kinds) > 1


@pytest.mark.parametrize("name", OURS)
def test_the_line_of_a_puzzle_is_legal_and_as_the_game_writes_it(name: str) -> None:
    for puzzle in puzzles_of(name):
        state = puzzle.state
        assert not state.is_terminal
        assert not state.complete or len(state.legal_moves) > 1
        for move in puzzle.line:
            while state.is_chance:
                state = state.resolve(0)
            assert str(state.legal_move(move)) == move
            state = state.play(move)


@pytest.mark.parametrize("name", OURS)
def test_puzzles_come_easiest_first(name: str) -> None:
    missed = [each.missed for each in puzzles_of(name)]
    assert missed == sorted(missed)


@pytest.mark.parametrize("name", OURS)
def test_the_file_of_puzzles_says_how_it_was_made(name: str) -> None:
    file = puzzle_set(name).file
    text = file.read_text(encoding="utf-8")
    comments = tuple(line[2:] for line in text.splitlines() if line.startswith("# "))
    assert any(line.startswith(f"python tools/puzzles.py {name} ") for line in comments)
    assert puzzles_text(read_puzzles(file), comments) == text


def test_a_game_without_a_lesson_has_none() -> None:
    assert not has_lesson("tictactoe")
    assert not has_puzzles("tictactoe")
    with pytest.raises(SpecError, match="tictactoe has no lesson"):
        lesson_of("tictactoe")
    with pytest.raises(SpecError, match="tictactoe has no puzzles"):
        puzzles_of("tictactoe")


SECTION = '[[section]]\ntitle = {en = "A"}\ntext = {en = "B"}\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no section"),
        ("[[section]]\n", "section 1: title needs a text in English"),
        (SECTION + 'position = "x"\n', "section 1: 'x' is not"),
        (SECTION + '[[section.step]]\ntext = {en = "C"}\n', "section 1, step 1 has no move"),
        (SECTION + '[[section.step]]\nmove = "z"\ntext = {en = "C"}\n', "section 1, step 1: illegal move z"),
        (SECTION + "steps = 1\n", "did you mean 'step'"),
    ],
)
def test_a_damaged_lesson_says_where(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "lesson.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError, match=sentence):
        read_lesson("tictactoe", file)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"line": []}, "puzzle 1: line must be a list of moves"),
        ({"asked": 2}, "puzzle 1: the line has no 2 moves to find"),
        ({"proof": None}, "puzzle 1 has no proof"),
    ],
)
def test_a_damaged_puzzle_says_what_is_wrong(change: dict[str, object], sentence: str, tmp_path: Path) -> None:
    puzzle = Puzzle("tictactoe", "win", "X../.O./...", ("a",), 1, 0.5, "p", "s")
    rows = tomllib.loads(puzzles_text((puzzle,), ()))["puzzle"][0] | change
    text = "".join(f"{key} = {value!r}\n" for key, value in rows.items() if value is not None)
    file = tmp_path / "puzzles.toml"
    file.write_text(f"game = 'tictactoe'\n[[puzzle]]\n{text}", encoding="utf-8")
    with pytest.raises(SpecError, match=sentence):
        read_puzzles(file)


def test_only_a_position_with_one_winning_move_has_a_solution() -> None:
    from joute.agents import agent

    solver = agent("alphabeta:depth=9", game="tictactoe")
    start = find_game("tictactoe").new()
    assert only_winning_move(start, solver) is None  # type: ignore[arg-type]
    moves = list(map(str, start.legal_moves))
    at = new("tictactoe")
    for move in (moves[0], moves[3], moves[1], moves[4]):  # two in a row each: the third wins
        at = at.play(move)
    found = only_winning_move(at, solver)  # type: ignore[arg-type]
    assert found is not None or len([m for m in at.legal_moves if at.play(m).result]) != 1
