"""Progress of long commands where the output is not a terminal, and their end by SIGTERM."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable

import pytest

from joute.cli import common
from joute.cli.common import interrupted_by_sigterm, progress_bar, progress_lines


def test_a_log_gets_a_line_of_progress_again_and_again(capsys: pytest.CaptureFixture[str]) -> None:
    told = threading.Event()
    count = 0

    def text() -> str:
        nonlocal count
        count += 1
        if count == 3:
            told.set()
        return f"{count} of 10 games"

    with progress_lines(text, every_s=0.001):
        assert told.wait(60)
    assert capsys.readouterr().err.splitlines()[:2] == ["1 of 10 games", "2 of 10 games"]


def test_progress_without_a_terminal_says_how_much_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    tells: list[Callable[[], str]] = []

    def kept(text: Callable[[], str]) -> contextlib.nullcontext[None]:
        tells.append(text)
        return contextlib.nullcontext()

    monkeypatch.setattr(common, "progress_lines", kept)
    with progress_bar("playing", 100) as advance:
        assert tells[0]().startswith("playing: 0 of 100, 0:")
        advance(7, "+4 =1 -2")
        assert tells[0]().startswith("+4 =1 -2: 7 of 100, 0:")


def test_sigterm_interrupts_as_ctrl_c_does() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), interrupted_by_sigterm():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize(
    ("is_terminal", "no_color", "is_red"), [(True, "", True), (True, "1", False), (False, "", False)]
)
def test_an_alarm_is_red_on_a_terminal_that_takes_colours(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_terminal: bool, no_color: str, is_red: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    common.say("mine forfeited", alarm=True)
    text = "\x1b[31mmine forfeited\x1b[0m" if is_red else "mine forfeited"
    assert capsys.readouterr().out.rstrip("\n") == text
