"""A review as lines of text: a graph of the win probability, a table of the moves, accuracy and the moments."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from joute.numbers import NOTHING, count_of, percent
from joute.reviews.classes import MoveClass
from joute.reviews.review import phase_accuracies
from joute.text import printable, shortened

if TYPE_CHECKING:
    from joute.reviews.review import Review, ReviewedMove

#: A line and the class of the move that it is about, if any.
Line = tuple[str, MoveClass | None]

_WIDTH = 80
_ROWS = 6
_BLOCKS = " ▁▂▃▄▅▆▇█"
_LABEL = 6  # the width of "100% ┤"
_WIDEST_STEP = 3  # columns of a position in the graph
_WIDEST_NAME, _WIDEST_MOVE = 14, 16
_HEADS = {
    MoveClass.INACCURACY: "inaccuracies",
    MoveClass.MISTAKE: "mistakes",
    MoveClass.MISSED_WIN: "missed wins",
    MoveClass.BLUNDER: "blunders",
}


def review_text(review: Review, width: int = _WIDTH) -> str:
    """The review as text of at most `width` columns."""
    return "\n".join(text for text, _ in review_lines(review, width))


def review_lines(review: Review, width: int = _WIDTH) -> Iterator[Line]:
    """The lines of a review; no line is longer than `width`, which is at least 40."""
    width = max(40, width)
    record = review.record
    head = printable(record.headline)
    yield from _plain(textwrap.wrap(head, width))
    if not review.is_complete:
        yield f"the first {len(review.moves)} of {count_of(len(record.moves), 'move')}", None
    yield "", None
    yield "win probability of the first player", None
    yield from _plain(graph_lines(review.chances, width))
    yield "", None
    yield from _table(review, width)
    yield "", None
    yield from _plain(_summary(review, _names(review)))
    yield "", None
    least = percent(review.parameters.inaccuracy)
    moments = review.moments or (f"No move and no stroke of luck changed the win probability by {least} or more.",)
    for moment in moments:
        yield from _plain(textwrap.wrap(printable(moment), width, subsequent_indent="  ", break_on_hyphens=False))


def graph_lines(chances: Sequence[float], width: int) -> list[str]:
    """A graph of probabilities, 100% at the top; columns rise from 0.

    >>> print("\\n".join(graph_lines([0.5, 0.75, 1.0], 20)))
    100% ┤      ███
         ┤   ▄▄▄███
         ┤   ██████
     50% ┤█████████
         ┤█████████
      0% ┤█████████
    """
    room = width - _LABEL
    step = max(1, min(_WIDEST_STEP, room // len(chances)))
    columns = [chances[index // step] for index in range(step * len(chances))]
    if len(columns) > room:
        columns = [chances[index * (len(chances) - 1) // (room - 1)] for index in range(room)]
    heights = [round(8 * _ROWS * chance) for chance in columns]
    labels = {0: "100%", _ROWS // 2: "50%", _ROWS - 1: "0%"}
    lines = []
    for row in range(_ROWS):
        below = 8 * (_ROWS - 1 - row)
        bars = "".join(_BLOCKS[min(8, max(0, height - below))] for height in heights)
        lines.append(f"{labels.get(row, ''):>4} ┤{bars}".rstrip())
    return lines


def _plain(lines: Sequence[str]) -> Iterator[Line]:
    return ((line, None) for line in lines)


def _table(review: Review, width: int) -> Iterator[Line]:
    names = _names(review)
    name_width = max(map(len, (*names, "player")))
    moves = [shortened(printable(judged.move), _WIDEST_MOVE) for judged in review.moves]
    move_width = max(map(len, (*moves, "move")))
    room = width - (4 + 1 + name_width + 1 + move_width + 1 + 6 + 1 + 6 + 2 + 10 + 2)
    yield _row("ply", "player", "move", "win", "loss", "class", "best", name_width, move_width), None
    for judged, move in zip(review.moves, moves, strict=True):
        best = _fitted(judged.line, room) if judged.kind is not MoveClass.BEST else ""
        loss = percent(judged.loss) if judged.loss >= 0.0005 else ""
        yield (
            _row(
                str(judged.ply),
                names[judged.player],
                move,
                percent(judged.after),
                loss,
                _word(judged),
                best,
                name_width,
                move_width,
            ),
            judged.kind,
        )


def _fitted(line: Sequence[str], room: int) -> str:
    """As many moves of a line as fit, and an ellipsis if some do not; the first move is always there."""
    moves = [printable(move) for move in line]
    for count in range(len(moves), 1, -1):
        text = " ".join(moves[:count]) + (" …" if count < len(moves) else "")
        if len(text) <= room:
            return text
    return shortened(moves[0], max(1, room))


def _row(
    ply: str, player: str, move: str, win: str, loss: str, kind: str, best: str, name_width: int, move_width: int
) -> str:
    return f"{ply:>4} {player:<{name_width}} {move:<{move_width}} {win:>6} {loss:>6}  {kind:<10}  {best}".rstrip()


def _word(judged: ReviewedMove) -> str:
    return "only move" if judged.is_forced else judged.kind.value


def _summary(review: Review, names: Sequence[str]) -> list[str]:
    """Accuracy by phase and counts of bad moves, a column for each player."""
    rows = [("", *names)]
    rows += [
        ("accuracy" if name == "game" else f"  {name}", _accuracy(first), _accuracy(second))
        for name, first, second in phase_accuracies(review)
    ]
    rows += [(_HEADS[kind], str(review.count(0, kind)), str(review.count(1, kind))) for kind in _HEADS]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}" for row in rows]


def _names(review: Review) -> list[str]:
    """The players' names, short and distinct."""
    names = [shortened(printable(name), _WIDEST_NAME) for name in review.record.players]
    return names if names[0] != names[1] else ["first", "second"]


def _accuracy(share: float | None) -> str:
    return NOTHING if share is None else f"{share:.1f}%"
