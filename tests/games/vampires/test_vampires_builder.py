"""Turns composed of parts: splits, amounts, odds, and what can be added."""

from __future__ import annotations

from joute.games.scene import Area
from joute.games.vampires import Vampires, battle_odds
from joute.games.vampires.builder import build
from joute.numbers import percent


def test_an_order_takes_the_whole_group_and_a_second_one_half_of_it() -> None:
    state = Vampires.new()
    draft = build(state, ())
    assert (draft.parts, draft.move, draft.problem) == ((), "", "")
    first, second = (target.move for target in draft.targets[:2])
    (whole,) = build(state, [(first, None)]).parts
    assert (whole.amount, whole.low, whole.high) == (3, 1, 3)
    split = build(state, [(first, None), (second, None)])
    assert [(part.text, part.amount, part.high) for part in split.parts] == [(first, 2, 2), (second, 1, 1)]
    assert state.is_legal(split.move)


def test_amounts_are_kept_within_the_group() -> None:
    state = Vampires.new()
    first, second = (target.move for target in build(state, ()).targets[:2])
    draft = build(state, [(first, 1), (second, 99)])
    assert [part.amount for part in draft.parts] == [1, 2]


def test_every_target_leads_to_a_legal_turn_and_marks_its_way() -> None:
    state = Vampires.new()
    for target in build(state, ()).targets:
        draft = build(state, [(target.move, None)])
        assert state.is_legal(draft.move)
        assert draft.parts[0].begins == target.source
        assert draft.parts[0].ends == Area(target.x, target.y, target.width, target.height)


def test_nonsense_parts_are_left_out() -> None:
    state = Vampires.new()
    assert build(state, [("x", None), ("99.99-98.98", 3), ("0.0-0.1", None)]).parts == ()
    group = state.groups[0][0]
    assert build(state, [(f"{group.x}.{group.y}-{2**32}.1", 1)]).parts == ()


def attacked(units: int) -> str:
    win = battle_odds(units, 3, against_humans=False).win
    return f"attacks the 3 werewolves at 5.6 and wins with {percent(win)}"


def test_the_odds_of_a_battle_are_told_before_the_turn_is_sent() -> None:
    state = Vampires.new("10x10/4v5.5+3w5.6+2h0.0")
    (attack,) = (target.move for target in build(state, ()).targets if target.move.endswith("-5.6"))
    (line, *_) = build(state, [(attack, None)]).lines
    assert line == attacked(4)
    (weaker, *_) = build(state, [(attack, 2)]).lines
    assert weaker == attacked(2)
