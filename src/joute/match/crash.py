"""Reads the output of an agent that failed: the traceback of Python, or else the first and last lines.

Paths are shortened to the parts that the agent's author knows, and the frames of Joute that called the agent are left
out. Any program may have written the text, so nothing here relies on its form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from joute.match.record import GameRecord
from joute.text import printable, shortened

# Most lines of a crash that are shown: the first ones and the last ones of a longer text.
_LINES = 40
# Most lines of an output without a traceback, from its beginning and from its end, and most characters of a line.
_FIRST_LINES, _LAST_LINES = 6, 12
_CHARACTERS = 300

_BEGIN = "Traceback (most recent call last):"
_FRAME = re.compile(r'  File "([^"\n]+)", line (\d+)(?:, in .*)?')
# The parts of Joute that call an agent; their folder tells the frames of Joute from those of the agent.
_CALLER = re.compile(r"(.*[/\\]joute[/\\])(?:protocol|match)[/\\]\w+\.py")
_LIBRARY = re.compile(r".*[/\\](?:(?:site|dist)-packages|lib[/\\]python3[\d.]*)[/\\]")
_FROZEN = ("<frozen ", "<string>")


@dataclass(frozen=True)
class _Frame:
    path: str
    line: str
    lines: tuple[str, ...]

    @property
    def place(self) -> str:
        return f"{_short(self.path)}:{self.line}"

    @property
    def is_library(self) -> bool:
        return bool(_LIBRARY.match(self.path)) or self.path.startswith("<")


def crash_text(output: str) -> str:
    r"""Return the last traceback in an agent's output, or else its first and last lines; empty if it wrote nothing.

    >>> print(crash_text('…\nTraceback (most recent call last):\n  File "/a/mine.py", line 7, in f\nKeyError: 3\n'))
    Traceback (most recent call last):
      File "mine.py", line 7, in f
    KeyError: 3
    """
    found = _traceback(output)
    if found is None:
        return _joined(_without_middle(output.strip().splitlines(), _FIRST_LINES, _LAST_LINES))
    frames, error = found
    if not frames:
        return _joined(error)
    lines = [_BEGIN, *(line for frame in frames for line in frame.lines), *error]
    return _joined(_without_middle(lines, _LINES // 2, _LINES // 2))


def _without_middle(lines: list[str], first: int, last: int) -> list[str]:
    left_out = len(lines) - first - last
    return [*lines[:first], f"  [{left_out} lines left out]", *lines[-last:]] if left_out > 0 else lines


def _joined(lines: list[str]) -> str:
    return "\n".join(shortened(line, _CHARACTERS) for line in lines)


def crash_place(output: str) -> str:
    r"""Return the file and line of an agent's last traceback, as in ``mine.py:7``; empty if there is none.

    It is the innermost line outside of libraries.

    >>> crash_place('Traceback (most recent call last):\n  File "/a/b/mine.py", line 7, in f\nKeyError: 3\n')
    'mine.py:7'
    """
    found = _traceback(output)
    if found is None or not found[0]:
        return ""
    frames = found[0]
    return next((frame for frame in reversed(frames) if not frame.is_library), frames[-1]).place


def traceback_text(error: BaseException) -> str:
    """Return the traceback of an exception as Python prints it; empty if that fails, e.g. for lack of memory."""
    import traceback  # imported here: most games need none

    try:
        return "".join(traceback.format_exception(error))
    except KeyboardInterrupt:
        raise
    except BaseException:  # an agent's exception may raise anything when it is printed
        return ""


def place_note(error: str, place: str) -> str:
    """Return the place of a crash in parentheses, to follow its error; empty if there is none or the error names it.

    >>> place_note("KeyError: 3", "mine.py:7"), place_note("SyntaxError: invalid syntax (mine.py, line 7)", "mine.py:7")
    (' (mine.py:7)', '')
    """
    return f" ({place})" if place and place.rpartition(":")[0] not in error else ""


def crashes(record: GameRecord) -> tuple[str, str]:
    """Return the crash text of each player of a game; empty for a player who is not at fault or wrote nothing."""
    first, second = (crash_text(text) if side in record.at_fault else "" for side, text in enumerate(record.output))
    return first, second


def crash_lines(record: GameRecord) -> list[str]:
    """Return the lines that a terminal shows below the detail of a game: the crash texts, unless one line says all.

    Output without a traceback has a heading, because it need not be the reason.
    """
    lines = []
    for text in crashes(record):
        if text and text not in record.detail:
            lines += [] if text.startswith(_BEGIN) else ["its output:"]
            lines += [f"  {printable(line.expandtabs())}" for line in text.split("\n")]
    return lines


def _traceback(output: str) -> tuple[list[_Frame], list[str]] | None:
    """The agent's frames of the last traceback, and the lines of the exception; None without a traceback."""
    _, begin, rest = output.rpartition(f"{_BEGIN}\n")
    if not begin:
        return None
    lines = rest.rstrip().splitlines()
    frames = list(_frames(lines))
    error = lines[sum(len(frame.lines) for frame in frames) :]
    return _of_agent(frames), error


def _frames(lines: list[str]) -> Iterator[_Frame]:
    """The frames at the beginning of the lines, with shortened paths in their text."""
    at = 0
    while at < len(lines) and (match := _FRAME.fullmatch(lines[at])):
        end = at + 1
        while end < len(lines) and lines[end].startswith("  ") and not _FRAME.fullmatch(lines[end]):
            end += 1
        head = lines[at].replace(match[1], _short(match[1]), 1)
        yield _Frame(match[1], match[2], (head, *lines[at + 1 : end]))
        at = end


def _of_agent(frames: list[_Frame]) -> list[_Frame]:
    """The frames without those of Joute and of Python's import system; all if none of several would be left.

    The single frame of a call that failed, e.g. of a `choose` without a clock, tells the agent's author nothing.
    """
    caller = _CALLER.fullmatch(frames[0].path) if frames else None
    if caller is None:
        return frames
    own = [frame for frame in frames if not frame.path.startswith((caller[1], *_FROZEN))]
    return own or (frames if len(frames) > 1 else [])


def _short(path: str) -> str:
    """The path within the library that a file belongs to, or the file's name."""
    if library := _LIBRARY.match(path):
        return path[library.end() :]
    return path if path.startswith("<") else re.split(r"[/\\]", path)[-1]
