"""The moments that decided a game, in a sentence each: large losses of win probability, and luck."""

from __future__ import annotations

from typing import TYPE_CHECKING

from joute._core import one_line
from joute.numbers import percent
from joute.reviews.classes import MoveClass

if TYPE_CHECKING:
    from joute.reviews.review import Review, ReviewedMove

_ARTICLES = {MoveClass.INACCURACY: "an inaccuracy", MoveClass.MISSED_WIN: "a missed win"}
# Most moves of a line in a sentence.
_LINE_MOVES = 6


def moments_of(review: Review) -> tuple[str, ...]:
    """The largest losses and strokes of luck, at least inaccuracies, in the order of the game."""
    least, most = review.parameters.inaccuracy, review.parameters.moments
    changes = [(judged.loss, judged, False) for judged in review.moves]
    changes += [(abs(judged.luck), judged, True) for judged in review.moves]
    large = [change for change in changes if change[0] >= least]
    chosen = sorted(large, key=lambda change: -change[0])[:most]
    chosen.sort(key=lambda change: (change[1].index, change[2]))
    return tuple(_luck(review, judged) if is_luck else _loss(review, judged) for _, judged, is_luck in chosen)


def _loss(review: Review, judged: ReviewedMove) -> str:
    name = one_line(review.record.players[judged.player])
    mine = [share if judged.player == 0 else 1 - share for share in (judged.before, judged.after)]
    kind = _ARTICLES.get(judged.kind, f"a {judged.kind.value}")
    line = " ".join(map(one_line, judged.line[:_LINE_MOVES]))
    return (
        f"Ply {judged.ply}: {one_line(judged.move)} by {name} is {kind}: {name} falls from {percent(mine[0])} to "
        f"{percent(mine[1])}; best was {line}."
    )


def _luck(review: Review, judged: ReviewedMove) -> str:
    name = one_line(review.record.players[judged.player])
    came = judged.after + judged.luck
    expected, mine = (share if judged.player == 0 else 1 - share for share in (judged.after, came))
    word = "good" if mine > expected else "bad"
    return (
        f"Ply {judged.ply}: {word} luck of {name} after {one_line(judged.move)}: {percent(expected)} expected, "
        f"{percent(mine)} after the random outcome."
    )
