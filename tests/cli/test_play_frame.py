"""The picture of ``joute play``: snapshots of every game at 80 columns, for light and dark terminals.

The snapshots are what a terminal gets, escapes included: ``cat tests/cli/snapshots/play_avalam_dark.ansi`` shows one.
After a change that is meant, ``JOUTE_SNAPSHOTS=write`` writes them anew; look at each before you commit it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from joute import State
from joute.agents.registry import agent
from joute.cli.play_frame import Message, View, fitting, frame
from joute.cli.play_screen import Lines
from joute.cli.play_table import Table
from joute.cli.terminal import Look, painted
from joute.games import new
from joute.games.board import line_width, plain_board
from joute.match.clock import controls_of
from joute.match.game import GameInProgress
from joute.match.player import LocalPlayer

SNAPSHOTS = Path(__file__).parent / "snapshots"

#: Moves of each game, and what is said below the board.
GAMES = {
    "connect4": ("4 4 3 5 5 3 6", Message("hint: 7, win probability 0.0% (score -13): blocks four in a row", "hint")),
    "avalam": ("c1d1 d2d1 c2b2 d4c4 f5f4", Message("You have no move to take back.", "error")),
    "divercite": ("Re4 Gd5 re5 gd4 be3 Yf3 yc5", Message("illegal move Re4 at ply 7 of divercite", "error")),
    "quoridor": ("e2 e8 e3 e7 e4 d6v c3h f4v e5 e3h", Message("hint: d8h: lengthens their way by 2", "hint")),
    "vampires": ("5.9-4.8x3 4.0-3.1x3 4.8-3.7x3", Message("chance: the vampires take 4.8", "")),
}
LOOKS = {
    "dark": Look("truecolor"),
    "light": Look("truecolor", is_light=True),
    "256": Look("256"),
    "plain": Look(),
    "ascii": Look(is_unicode=False),
}


def table_of(name: str, look: Look, *, clock: str = "none") -> Table:
    """A table after some moves, each of which took 7 seconds."""
    game: GameInProgress[State] = GameInProgress(new(name), controls=controls_of(clock))
    for move in GAMES[name][0].split():
        game.charge(7)
        game.play(move)
    opponent = LocalPlayer(agent("greedy"), "level:4")
    return Table(game, 0, opponent, "", None, Lines(look), lambda: look, None)


def view_of(name: str, look: Look) -> View:
    return replace(table_of(name, look).view("your move"), messages=(GAMES[name][1],))


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", GAMES)
def test_the_picture_looks_as_before(name: str, look: str) -> None:
    drawn = painted(frame(view_of(name, LOOKS[look]), LOOKS[look]), LOOKS[look])
    path = SNAPSHOTS / f"play_{name}_{look}.ansi"
    if os.environ.get("JOUTE_SNAPSHOTS") == "write":
        path.write_text(drawn, encoding="utf-8")
    assert drawn == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [40, 60, 80, 132])
@pytest.mark.parametrize("name", GAMES)
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    look = Look("truecolor", width=width)
    view = view_of(name, look)
    assert max(map(line_width, frame(view, look))) <= max(width, view.board.width)


@pytest.mark.parametrize("name", GAMES)
def test_the_picture_and_the_prompt_fit_on_24_lines(name: str) -> None:
    view = view_of(name, LOOKS["dark"])
    assert len(frame(view, LOOKS["dark"])) < 24


@pytest.mark.parametrize("name", GAMES)
def test_light_and_dark_differ_by_colours_alone(name: str) -> None:
    texts = [
        ["".join(text for text, _ in line) for line in frame(view_of(name, look), look)]
        for look in (LOOKS["dark"], LOOKS["light"])
    ]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", GAMES)
def test_an_ascii_terminal_gets_ascii(name: str) -> None:
    assert painted(frame(view_of(name, LOOKS["ascii"]), LOOKS["ascii"]), LOOKS["ascii"]).isascii()


def test_clocks_show_the_time_used_or_the_time_left() -> None:
    used = [side.clock for side in table_of("connect4", Look()).view().sides]
    assert used == ["0:28", "0:21"]  # four and three moves of seven seconds
    left = [side.clock for side in table_of("connect4", Look(), clock="300+1").view().sides]
    assert left == ["4:36", "4:42"]


def test_a_board_that_is_too_wide_gives_way_to_text() -> None:
    wide, narrow = plain_board("x" * 50), "x" * 20
    assert fitting(wide, narrow, Look(width=40)).width == 20
    assert fitting(wide, narrow, Look(width=60)).width == 50
    assert fitting(wide, "y" * 70, Look(width=40)).width == 50


def test_hostile_names_cannot_move_the_cursor() -> None:
    table = table_of("connect4", LOOKS["dark"])
    table.opponent.name = "evil\x1b[2J\u202e"
    view = replace(table.view("evil\x1b[2J"), messages=(Message("evil\x1b[2J\nsecond line"),))
    drawn = painted(frame(view, LOOKS["dark"]), LOOKS["dark"])
    assert "\x1b[2J" not in drawn
    assert "\u202e" not in drawn
    assert "second line" in drawn
