"""Annotated games: records read them as before, and the judgements read back."""

from __future__ import annotations

import pytest
from odd_game import Odd

from joute import play_game
from joute.agents import exact_agent
from joute.games import register
from joute.match.record_reader import TextGame, read_text
from joute.reviews.annotations import Annotation, annotated_text, annotation_of, read_annotations
from joute.reviews.classes import MoveClass
from joute.reviews.review import review


def read(text: str) -> TextGame:
    (game,) = read_text(text)
    assert isinstance(game, TextGame), game
    return game


def test_the_annotations_of_every_game_read_back(game: str) -> None:
    record = play_game(game, "greedy", "random", seed=3, max_plies=30)
    found = review(record, nodes=None if exact_agent(game) else 200)
    back = read(annotated_text(found))
    assert back.record == record
    assert read_annotations(back) == tuple(map(annotation_of, found.moves))
    assert back.tags["Annotator"] == found.agent


def test_moves_that_need_quotes_read_back() -> None:
    register(Odd)
    record = play_game("odd", "random", "random", seed=1)
    found = review(record, "mcts:iterations=50")
    back = read(annotated_text(found))
    assert back.record == record
    assert read_annotations(back) == tuple(map(annotation_of, found.moves))


def test_an_annotated_game_can_be_annotated_again() -> None:
    found = review(play_game("connect4", "greedy", "random", seed=1))
    text = annotated_text(found)
    assert annotated_text(review(read(text).record)) == text


def test_a_persons_remarks_are_no_annotations() -> None:
    game = read(
        '[Game "connect4"] [First "a"] [Second "b"] {hello} 4 {review this again} 4 3 '
        "{review before=1 after=0.5 loss=0.5 class=missed-win best=4 4} {so sad} 3 5 {reviewed} 5 6"
    )
    assert game.remarks[1] == ["review this again"]
    assert read_annotations(game) == (Annotation(2, 1, 0.5, 0.5, MoveClass.MISSED_WIN, ("4", "4")),)


@pytest.mark.parametrize(
    "comment",
    ["review before=1", "review before=x after=1 class=best", "review before=1 after=1 class=worst",
     "review before=1 after=1 class=best colour=red"],
)  # fmt: skip
def test_a_damaged_annotation_is_refused(comment: str) -> None:
    game = read(f'[Game "connect4"] [First "a"] [Second "b"] 4 {{{comment}}} 4 3 3 5 5 6')
    with pytest.raises(ValueError, match="is not the comment of a review"):
        read_annotations(game)
