"""What a terminal can show, by its variables, its encoding and its size."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TextIO

import pytest

from joute.cli.terminal import THEMES, Look, can_redraw, find_look, painted
from joute.games.board import Ink


class Stream(io.TextIOWrapper):
    """A stream that says what it is."""

    def __init__(self, *, is_terminal: bool, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


TERMINAL, PIPE = Stream(is_terminal=True), Stream(is_terminal=False)


@pytest.mark.parametrize(
    ("stream", "environment", "colours"),
    [
        (TERMINAL, {"TERM": "xterm-256color"}, "256"),
        (TERMINAL, {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "truecolor"),
        (TERMINAL, {"TERM": "linux"}, "standard"),
        (TERMINAL, {"TERM": "dumb"}, None),
        (TERMINAL, {}, None),
        (TERMINAL, {"TERM": "xterm-256color", "NO_COLOR": "1"}, None),
        (TERMINAL, {"TERM": "xterm-256color", "NO_COLOR": ""}, "256"),  # https://no-color.org: when not empty
        (PIPE, {"TERM": "xterm-256color"}, None),
        (PIPE, {"TERM": "xterm-256color", "FORCE_COLOR": "1"}, "256"),
        (PIPE, {"TERM": "dumb", "FORCE_COLOR": "1"}, "standard"),
        (PIPE, {"TERM": "xterm-256color", "FORCE_COLOR": "0"}, None),
        (PIPE, {"TERM": "xterm", "FORCE_COLOR": "1", "NO_COLOR": "1"}, None),
    ],
)
def test_colours_follow_the_terminal_and_its_variables(
    stream: TextIO, environment: Mapping[str, str], colours: str | None
) -> None:
    assert find_look(stream, environment).colours == colours


@pytest.mark.parametrize(("encoding", "is_unicode"), [("utf-8", True), ("ascii", False), ("latin-1", False)])
def test_characters_follow_the_encoding(encoding: str, is_unicode: bool) -> None:
    look = find_look(Stream(is_terminal=True, encoding=encoding), {})
    assert look.is_unicode == is_unicode
    assert painted([(("● ┃", Ink()),)], look) == ("● ┃\n" if is_unicode else "o |\n")


@pytest.mark.parametrize(
    ("ground", "theme", "is_light"),
    [
        ("15;0", "auto", False),
        ("0;15", "auto", True),
        ("0;default;7", "auto", True),
        ("", "auto", False),
        ("", "light", True),
        ("0;15", "dark", False),
    ],
)
def test_the_theme_follows_the_option_or_the_terminal(ground: str, theme: str, is_light: bool) -> None:
    assert find_look(TERMINAL, {"COLORFGBG": ground}, theme=theme).is_light == is_light


def test_a_picture_needs_a_terminal_on_both_ends() -> None:
    assert can_redraw(TERMINAL, TERMINAL, {"TERM": "xterm"})
    assert not can_redraw(TERMINAL, TERMINAL, {"TERM": "dumb"})
    assert not can_redraw(TERMINAL, TERMINAL, {})
    assert not can_redraw(PIPE, TERMINAL, {"TERM": "xterm"})
    assert not can_redraw(TERMINAL, PIPE, {"TERM": "xterm"})


def test_the_width_is_that_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "57")
    assert find_look(TERMINAL, {}).width == 57


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("is_light", [True, False])
def test_words_can_be_read_on_their_ground(is_light: bool) -> None:
    ground = luminance("#ffffff" if is_light else "#1e1e1e")
    theme = THEMES[is_light]
    for colour in (theme.accent, theme.muted, theme.hint, theme.error):
        bright, dark = sorted((luminance(colour), ground), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, colour


def test_lines_without_colours_have_no_escapes() -> None:
    line = (("a", Ink("#ff0000", "#00ff00", bold=True)),)
    assert painted([line], Look()) == "a\n"
    assert painted([line], Look("truecolor")) == "\x1b[1;38;2;255;0;0;48;2;0;255;0ma\x1b[0m\n"
