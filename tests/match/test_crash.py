"""The crash of an agent, read from its standard error: which frames, lines and paths are shown."""

from __future__ import annotations

import dataclasses

from joute.games import State
from joute.match.crash import crash_lines, crash_place, crash_text, crashes
from joute.match.referee import play_game

ENGINE = """\
  File "/opt/venv/lib/python3.11/site-packages/joute/protocol/ugi_engine.py", line 195, in _think
    chosen = agent.choose(state, clock)
             ^^^^^^^^^^^^^^^^^^^^^^^^^^
"""
LOADING = """\
  File "/opt/venv/lib/python3.11/site-packages/joute/agents/loading.py", line 156, in module_of
    spec.loader.exec_module(module)
  File "<frozen importlib._bootstrap_external>", line 940, in exec_module
"""
OWN = '  File "/home/ada/class/mine.py", line 12, in choose\n    return pick(state)\n'
LIBRARY = '  File "/usr/lib/python3.11/random.py", line 370, in choice\n    raise IndexError("empty")\n'
BEGIN = "Traceback (most recent call last):\n"


class Broken:
    """Fails at its first move."""

    def choose(self, state: State, clock: object) -> object:
        """Raise an exception."""
        return dict[str, int]()["x"]


def test_a_crash_shows_the_frames_of_the_agent_and_names_files_without_folders() -> None:
    output = f"thinking\n{BEGIN}{ENGINE}{LOADING}{OWN}{LIBRARY}IndexError: empty\n"
    assert crash_text(output).splitlines() == [
        "Traceback (most recent call last):",
        '  File "mine.py", line 12, in choose',
        "    return pick(state)",
        '  File "random.py", line 370, in choice',
        '    raise IndexError("empty")',
        "IndexError: empty",
    ]


def test_the_place_of_a_crash_is_the_innermost_line_outside_of_libraries() -> None:
    assert crash_place(f"{BEGIN}{ENGINE}{OWN}{LIBRARY}IndexError: empty\n") == "mine.py:12"
    assert crash_place(f"{BEGIN}{LIBRARY}IndexError: empty\n") == "random.py:370"


def test_frames_of_joute_stay_if_there_are_no_others() -> None:
    assert "ugi_engine.py" in crash_text(f"{BEGIN}{ENGINE}{ENGINE}RecursionError\n")


def test_a_call_that_fails_by_its_arguments_shows_no_frame_of_joute() -> None:
    error = "TypeError: Mine.choose() takes 2 positional arguments but 3 were given"
    assert crash_text(f"{BEGIN}{ENGINE}{error}\n") == error
    assert not crash_place(f"{BEGIN}{ENGINE}{error}\n")


def test_the_last_of_several_tracebacks_is_shown() -> None:
    handled = f"{BEGIN}{OWN}KeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n\n"
    text = crash_text(f"{handled}{BEGIN}{OWN.replace('12', '14')}ValueError: 2\n")
    assert "ValueError: 2" in text
    assert "KeyError" not in text


def test_output_without_a_traceback_shows_its_first_and_last_lines() -> None:
    text = crash_text("\n".join(f"line {number}" for number in range(100)))
    assert text.startswith("line 0\n")
    assert "\nline 5\n  [82 lines left out]\nline 88\n" in text
    assert text.endswith("line 99")
    assert crash_place(text) == crash_text("") == crash_place(f"{BEGIN}cut") == ""


def test_a_long_traceback_loses_its_middle() -> None:
    text = crash_text(f"{BEGIN}{500 * OWN}RecursionError: too deep\n")
    assert len(text.splitlines()) == 41
    assert "  [962 lines left out]" in text
    assert text.endswith("RecursionError: too deep")


def test_a_game_keeps_the_traceback_of_an_agent_in_this_process() -> None:
    record = play_game("connect4", "random", Broken())
    assert record.detail.startswith("Broken: KeyError: 'x' (test_crash.py:")
    assert crashes(record)[0] == ""
    assert crashes(record)[1].startswith('Traceback (most recent call last):\n  File "test_crash.py", line ')
    assert crashes(record)[1].endswith("KeyError: 'x'")


def test_a_terminal_gets_no_control_characters_and_no_line_twice() -> None:
    record = play_game("connect4", "random", Broken())
    assert crash_lines(dataclasses.replace(record, output=("", "a\x1b[2J"))) == ["its output:", "  a\\x1b[2J"]
    assert crash_lines(dataclasses.replace(record, output=("", "KeyError: 'x'"))) == []
    assert crash_lines(dataclasses.replace(record, output=("only the other wrote", ""))) == []
