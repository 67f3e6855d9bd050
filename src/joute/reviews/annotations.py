"""Reviews in the text of games: a comment after each move, which readers of records ignore, and back.

    21. 4 {review before=0.6213 after=0.1802 loss=0.4411 class=blunder best=3 4 4}

docs/records.md has the syntax.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from joute.match.record_reader import TextGame
from joute.match.record_text import QUOTED, WORD, unquoted, word, write_record
from joute.reviews.classes import MoveClass
from joute.reviews.review import Review, ReviewedMove

#: The beginning of the text of a game.
ANNOTATED = '[Game "'
#: The tag that names the judge.
ANNOTATOR = "Annotator"

_DECIMALS = 4
# Most moves of a line in a comment.
_LINE_MOVES = 8
_NUMBERS = ("before", "after", "loss", "luck")
# A person may write "review this" too.
_OURS = re.compile(r"review\s+[a-z]+=")
_REMARK = re.compile(r"review\s+(?P<words>(?:[a-z]+=[^\s\"]+\s*)*?)(?:best=(?P<line>.*))?", re.DOTALL)
_MOVE = re.compile(rf"{QUOTED}|{WORD}")


@dataclass(frozen=True)
class Annotation:
    """The judgement of a move that a text holds: numbers with four decimals, and at most eight moves of the line."""

    index: int
    before: float
    after: float
    loss: float
    kind: MoveClass
    line: tuple[str, ...] = ()
    luck: float = 0.0


def annotation_of(judged: ReviewedMove) -> Annotation:
    """The annotation of a reviewed move."""
    before, after, loss, luck = (
        round(number, _DECIMALS) + 0.0 for number in (judged.before, judged.after, judged.loss, judged.luck)
    )
    return Annotation(judged.index, before, after, loss, judged.kind, judged.line[:_LINE_MOVES], luck)


def annotated_text(review: Review) -> str:
    """The game as text, with a comment for each judged move and the judge and the accuracies in tags."""
    remarks = {judged.index: _words(annotation_of(judged)) for judged in review.moves}
    accuracies = [review.accuracy(player) for player in (0, 1)]
    told = " ".join("-" if share is None else f"{share:.1f}" for share in accuracies)
    return write_record(review.record, tags={ANNOTATOR: review.agent, "Accuracy": told}, remarks=remarks)


def read_annotations(game: TextGame) -> tuple[Annotation, ...]:
    """The annotations in a game's text, in the order of the moves; empty if it has none.

    ValueError if a comment begins as one of a review and is none.
    """
    found = []
    for moves, remarks in sorted(game.remarks.items()):
        for remark in remarks:
            if _OURS.match(remark):
                found.append(_annotation(moves - 1, remark))
    return tuple(found)


def _words(annotation: Annotation) -> list[str]:
    words = ["review"]
    for name in _NUMBERS:
        number = getattr(annotation, name)
        if number or name in ("before", "after"):
            words.append(f"{name}={number:g}")
    words.append(f"class={annotation.kind.value.replace(' ', '-')}")
    line = list(map(word, annotation.line))
    return [*words, f"best={line[0]}", *line[1:]] if line else words


def _annotation(index: int, remark: str) -> Annotation:
    found = _REMARK.fullmatch(remark)
    told = dict(part.split("=", 1) for part in found["words"].split()) if found else {}
    kinds = {kind.value.replace(" ", "-"): kind for kind in MoveClass}
    try:
        if not found or not set(told) <= {*_NUMBERS, "class"}:
            raise ValueError
        numbers = {name: float(told.get(name, 0)) for name in _NUMBERS}
        kind = kinds[told["class"]]
    except (KeyError, ValueError):
        raise ValueError(f"'{{{remark}}}' is not the comment of a review") from None
    return Annotation(index, kind=kind, line=_line(found["line"] or ""), **numbers)


def _line(text: str) -> tuple[str, ...]:
    moves: Sequence[str] = _MOVE.findall(text)
    return tuple(unquoted(move) if move.startswith('"') else move for move in moves)
