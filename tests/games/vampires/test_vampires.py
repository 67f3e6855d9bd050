"""Vampires vs Werewolves: the rules of a turn one by one, what profiles differ in, ends, limits and notation."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest
from typed import New, known

from joute import Random
from joute.errors import IllegalMoveError, NotationError, SpecError
from joute.games.vampires.state import Vampires

new = New(Vampires)

OFFICIAL = ("official", "official-2019", "text-strict")
TWILIGHT = ("twilight-succo", "twilight-langorou")
ALL = (*OFFICIAL, *TWILIGHT)

# Two groups of vampires side by side, werewolves and humans around them.
#   . . . . .
#   . 2h . . 5w
#   . 6v 4v . .
#   . . . . .
GROUPS = "4x5/6v1.2+4v2.2+5w4.1+2h1.1"


def at(position: str, rules: str = "official", plies: int = 0) -> Vampires:
    """A position; in the twilight profiles, whose first player are the werewolves, one ply later."""
    is_later = rules in TWILIGHT and position.count("/") == 1
    return new(f"vampires:rules={rules}" + (f",plies={plies}" if plies else ""), position + "/1" * is_later)


def refused(state: Vampires, turn: str, sentence: str) -> None:
    """A turn is illegal, and the sentence says why; nothing else of it works either."""
    assert not state.is_legal(turn)
    with pytest.raises(IllegalMoveError, match=sentence):
        state.play(turn)


@pytest.mark.parametrize("rules", ALL)
def test_rule_1_asks_for_an_order_except_in_twilight(rules: str) -> None:
    state = at(GROUPS, rules)
    assert state.play("1.2-0.2x1").ply == state.ply + 1
    if rules in TWILIGHT:
        assert state.is_legal("pass")
        assert state.turn([]) == state.parse_move("pass")
        after = state.play("pass")
        assert (after.cells, after.ply, after.is_chance) == (state.cells, 2, False)
    else:
        refused(state, "pass", "rule 1")
        assert not state.is_legal(state.turn([]))


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize("source", ["4.1", "1.1", "0.0"], ids=["enemies", "humans", "nobody"])
def test_rule_2_moves_only_own_units(rules: str, source: str) -> None:
    targets = {"4.1": "3.1", "1.1": "0.1", "0.0": "0.1"}
    state = at(GROUPS, rules)
    refused(state, f"{source}-{targets[source]}x1", "rule 2")
    refused(state, f"1.2-0.2x1+{source}-{targets[source]}x1", "rule 2")
    assert state.is_legal("1.2-0.2x1")


@pytest.mark.parametrize("rules", ALL)
def test_rule_3_sends_away_no_more_than_there_are(rules: str) -> None:
    state = at(GROUPS, rules)
    assert state.is_legal("1.2-0.2x3+1.2-0.3x3")
    refused(state, "1.2-0.2x7", "rule 3")
    refused(state, "1.2-0.2x3+1.2-0.3x4", "rule 3")
    assert not state.is_legal(state.turn([(1, 2, 4, 0, 2), (1, 2, 3, 0, 2)]))  # two orders, one way
    assert state.is_legal(state.turn([(1, 2, 4, 0, 2), (1, 2, 2, 0, 2)]))


@pytest.mark.parametrize("rules", ALL)
def test_rule_4_goes_to_the_eight_neighbours_inside_the_grid(rules: str) -> None:
    state = at("3x3/8v1.1+1w0.0", rules)
    for x in range(3):
        for y in range(3):
            if (x, y) != (1, 1):
                assert state.is_legal(f"1.1-{x}.{y}x8")
    state = at(GROUPS, rules)
    for target in ("1.2", "3.2", "1.0", "3.3"):
        with pytest.raises(NotationError, match=f"1.2 and {target} are not neighbours .rule 4.$"):
            state.parse_move(f"1.2-{target}x1")
        with pytest.raises(IllegalMoveError, match="rule 4"):
            state.play(f"1.2-{target}x1")
    corner = at("2x2/3v1.1+1w0.0", rules)
    for target in ("2.1", "1.2", "2.2"):
        refused(corner, f"1.1-{target}x1", "leads off the grid of 2 columns and 2 rows .rule 4.$")
    # Columns are counted first: three rows of five, where 4.2 is a cell and 2.4 is none.
    wide = at("3x5/3v4.1+3v2.2+1w0.0", rules)
    assert wide.is_legal("4.1-4.2x3")
    assert not wide.is_legal("2.2-2.3x3")


@pytest.mark.parametrize("rules", OFFICIAL)
def test_rule_5_lets_no_cell_be_source_and_target(rules: str) -> None:
    state = at(GROUPS, rules)
    assert state.is_legal("1.2-0.2x6+2.2-3.2x4")
    refused(state, "1.2-2.2x6+2.2-1.2x4", "rule 5")  # no swap
    refused(state, "1.2-2.2x6+2.2-3.2x4", "rule 5")  # not into a cell that another leaves
    refused(state, "1.2-2.2x1+2.2-3.2x1", "rule 5")  # no reinforcement of a group that sends units
    assert state.is_legal("1.2-2.2x6")  # one that stays may be reinforced


@pytest.mark.parametrize("rules", TWILIGHT)
def test_in_twilight_units_that_enter_a_source_are_destroyed(rules: str) -> None:
    state = at(GROUPS, rules)
    others = ((1, 1, "h", 2), (4, 1, "w", 5))
    after = state.play("1.2-2.2x2+2.2-3.2x1")
    assert after.cells == (
        *others,
        (1, 2, "v", 4),
        (2, 2, "v", 3),
        (3, 2, "v", 1),
    )
    after = state.play("1.2-2.2x6+2.2-3.2x4")
    assert after.cells == (
        *others,
        (3, 2, "v", 4),
    )
    swapped = state.play("1.2-2.2x6+2.2-1.2x4")
    assert swapped.cells == others
    assert (known(swapped.result).outcome, known(swapped.result).decided_by) == (1, "extinction")


@pytest.mark.parametrize("rules", ALL)
def test_rule_6_moves_at_least_one_unit(rules: str) -> None:
    state = at(GROUPS, rules)
    assert state.is_legal("1.2-0.2x1")
    for turn in ("1.2-0.2x0", "1.2-0.2x1+1.2-0.3x0", "1.2-0.2x1+1.2-0.2x0", "1.2-0.2x0+1.2-0.2x1"):
        refused(state, turn, "rule 6")
    assert not state.is_legal(state.turn([(1, 2, 1, 0, 2), (1, 2, 0, 0, 2)]))


@pytest.mark.parametrize("rules", ALL)
def test_a_group_splits_to_eight_neighbours_and_may_leave_units_behind(rules: str) -> None:
    state = at("3x4/11v1.1+1w3.0", rules)
    around = [(x, y) for y in range(3) for x in range(3) if (x, y) != (1, 1)]
    after = state.play("+".join(f"1.1-{x}.{y}x1" for x, y in around))
    expected = {**dict.fromkeys(around, ("v", 1)), (1, 1): ("v", 3), (3, 0): ("w", 1)}
    assert {(x, y): (species, count) for x, y, species, count in after.cells} == expected


@pytest.mark.parametrize("rules", ALL)
def test_groups_merge_on_a_cell_and_with_the_group_there(rules: str) -> None:
    state = at("3x3/2v0.0+3v2.0+5v1.2+1w2.2", rules)
    after = state.play("0.0-1.1x2+2.0-1.1x3")
    assert after.cells == (
        (1, 1, "v", 5),
        (1, 2, "v", 5),
        (2, 2, "w", 1),
    )
    state = at("3x3/2v0.0+3v2.0+5v1.1+1w2.2", rules)
    assert state.play("0.0-1.1x2+2.0-1.1x2").cells == (
        (2, 0, "v", 1),
        (1, 1, "v", 9),
        (2, 2, "w", 1),
    )


@pytest.mark.parametrize("rules", ALL)
def test_units_that_arrive_together_fight_as_one_group(rules: str) -> None:
    state = at("3x3/3v0.0+3v2.0+4h1.1+4w1.2", rules)
    after = state.play("0.0-1.1x2+2.0-1.1x3")
    assert not after.is_chance  # five against four; apart they would fight twice
    assert (1, 1, "v", 9) in after.cells
    state = at("3x3/3v0.0+3v2.0+4w1.1+9h1.2", rules)
    after = state.play("0.0-1.1x3+2.0-1.1x3")
    assert known(after.result).decided_by == "extinction"
    assert (1, 1, "v", 6) in after.cells
    pending = state.play("0.0-1.1x2+2.0-1.1x2")
    assert pending.battle == (1, 1, 4, 4, "w", 0.5)


def attack(attackers: int, defenders: int, species: str, rules: str = "official") -> Any:
    """After an attack with a whole group, while as many again stand by on both sides so that nobody dies out."""
    return at(f"1x4/{attackers}v0.0+1v2.0+1w3.0+{defenders}{species}1.0", rules).play(f"0.0-1.0x{attackers}")


@pytest.mark.parametrize("rules", ["official", "official-2019", "text-strict", "twilight-langorou"])
@pytest.mark.parametrize("humans", [1, 2, 7, 100, 127])
def test_as_many_as_the_humans_convert_them_all_without_loss(humans: int, rules: str) -> None:
    after = attack(humans, humans, "h", rules)
    assert not after.is_chance
    assert (1, 0, "v", 2 * humans) in after.cells
    if humans > 1:
        pending = attack(humans - 1, humans, "h", rules)
        assert pending.is_chance
        assert pending.battle[-1] == pytest.approx((humans - 1) / (2 * humans))


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize("enemies", [2, 4, 6, 100, 170])
def test_half_as_many_more_than_the_enemies_destroy_them_without_loss(enemies: int, rules: str) -> None:
    attackers = 3 * enemies // 2
    after = attack(attackers, enemies, "w", rules)
    assert not after.is_chance
    assert after.cells[0] == (1, 0, "v", attackers)
    assert attack(attackers - 1, enemies, "w", rules).is_chance
    # Against an odd number the cliff lies between two counts.
    odd = enemies - 1
    assert attack((3 * odd + 1) // 2, odd, "w", rules).cells[0] == (1, 0, "v", (3 * odd + 1) // 2)
    assert attack((3 * odd - 1) // 2, odd, "w", rules).is_chance


@pytest.mark.parametrize("rules", ALL)
def test_an_empty_cell_and_own_units_are_no_battle(rules: str) -> None:
    state = at("1x5/3v0.0+2v2.0+1w4.0", rules)
    assert state.play("0.0-1.0x3").cells == (
        (1, 0, "v", 3),
        (2, 0, "v", 2),
        (4, 0, "w", 1),
    )
    assert state.play("2.0-1.0x1").cells == (
        (0, 0, "v", 3),
        (1, 0, "v", 1),
        (2, 0, "v", 1),
        (4, 0, "w", 1),
    )


def test_a_repelled_attack_of_2019_spares_defenders_with_the_attackers_chance() -> None:
    # 2 against 4 monsters: P = 1/4. Nobody is left of 4 with (3/4)(1/4)^4, or in 2019 with (3/4)(3/4)^4.
    for rules, spared in (("official", 0.75), ("official-2019", 0.25), ("twilight-succo", 0.75)):
        outcomes = attack(2, 4, "w", rules).outcomes
        assert outcomes[4] == pytest.approx(0.75 * spared**4)
        assert outcomes[0] == pytest.approx(0.75 * (1 - spared) ** 4 + 0.25 * 0.75**2)
        humans = attack(2, 4, "h", rules).outcomes
        assert humans[4] == pytest.approx(0.75 * spared**4)


def test_a_hopeless_attack_dies_for_nothing_by_the_text_alone() -> None:
    for rules in ALL:
        after = attack(2, 3, "w", rules)
        assert after.is_chance == (rules != "text-strict")
    assert attack(2, 3, "w", "text-strict").cells == (
        (1, 0, "w", 3),
        (2, 0, "v", 1),
        (3, 0, "w", 1),
    )
    assert attack(3, 4, "w", "text-strict").is_chance  # less than half as many more
    assert attack(170, 255, "w", "text-strict").cells[0] == (1, 0, "w", 255)
    assert attack(171, 255, "w", "text-strict").is_chance
    assert attack(2, 3, "h", "text-strict").is_chance  # humans are no monsters


def test_twilight_succo_fights_for_humans_who_are_as_many() -> None:
    for rules in ALL:
        assert attack(5, 5, "h", rules).is_chance == (rules == "twilight-succo")
    assert attack(5, 5, "h", "twilight-succo").battle == (1, 0, 5, 5, "h", 0.5)
    assert attack(6, 5, "h", "twilight-succo").cells[0] == (1, 0, "v", 11)


def test_twilight_succo_knows_one_chance_only_between_even_and_half_as_many_more() -> None:
    for rules in ALL:
        expected = 0.5 if rules == "twilight-succo" else 0.75
        assert attack(5, 4, "w", rules).battle[-1] == pytest.approx(expected)
        assert attack(4, 4, "w", rules).battle[-1] == 0.5
        assert attack(6, 4, "w", rules).cells[0] == (1, 0, "v", 6)
        assert attack(7, 10, "w", rules).battle[-1] == pytest.approx(0.35)


@pytest.mark.parametrize("rules", ALL)
def test_who_begins_and_how_long_a_game_is(rules: str) -> None:
    first, plies = ("v", 200) if rules in OFFICIAL else ("w", 102)
    state = new(f"vampires:rules={rules}", f"1x2/1v0.0+1w1.0/{plies - 1}")
    assert (state.species(0), state.species(1)) == (first, "w" if first == "v" else "v")
    assert not state.is_terminal
    assert state.pass_turn().is_terminal
    assert new(f"vampires:rules={rules},plies={plies + 2}", f"1x2/1v0.0+1w1.0/{plies}").result is None


@pytest.mark.parametrize("rules", ALL)
def test_at_the_limit_more_units_win_and_equal_units_are_a_draw(rules: str) -> None:
    first = "v" if rules in OFFICIAL else "w"
    second = "w" if rules in OFFICIAL else "v"
    for own, other, outcome, by in ((3, 2, 1, "more units"), (2, 3, -1, "more units"), (2, 2, 0, "equal units")):
        # Groups do not count, and neither do humans.
        position = f"3x3/{own}{first}0.0+1{second}2.2+{other - 1}{second}0.2+9h1.1/9"
        state = new(f"vampires:rules={rules},plies=10", position)
        assert state.result is None
        result = known(state.pass_turn().result)
        assert (result.outcome, result.margin, result.decided_by) == (outcome, own - other, by)
        assert state.result_if_stopped.outcome == outcome


@pytest.mark.parametrize("rules", ALL)
def test_the_game_ends_at_once_when_a_species_dies_out(rules: str) -> None:
    after = at("1x3/3v0.0+2w1.0+9h2.0", rules).play("0.0-1.0x3")
    assert after.is_terminal
    assert known(after.result).decided_by == "extinction"
    assert after.species(known(known(after.result).winner)) == "v"
    assert after.legal_moves == []


@pytest.mark.parametrize("rules", ALL)
def test_a_turn_is_fought_to_its_end_before_anybody_has_won(rules: str) -> None:
    state = at("3x3/6v1.1+2w0.0+9h2.2", rules).play("1.1-0.0x3+1.1-2.2x3")
    assert state.is_chance  # the werewolves are gone, but a battle for humans is pending
    assert not state.is_terminal
    assert known(state.resolve(0).result).decided_by == "extinction"


@pytest.mark.parametrize("rules", ALL)
def test_if_both_die_out_the_werewolves_win_or_the_game_is_drawn(rules: str) -> None:
    over = at("1x2/1v0.0+1w1.0", rules).play("0.0-1.0x1").resolve(0)
    assert over.cells == ()
    assert known(over.result).decided_by == "both extinct"
    winner = known(over.result).winner
    if rules.startswith("official"):
        assert over.species(known(winner)) == "w"
    else:
        assert winner is None


@pytest.mark.parametrize("rules", ALL)
def test_no_survivors_leave_an_empty_cell(rules: str) -> None:
    pending = attack(4, 4, "w", rules)
    assert pending.resolve(0).cells == (
        (2, 0, "v", 1),
        (3, 0, "w", 1),
    )
    assert pending.resolve(2).cells == (
        (1, 0, "w", 2),
        (2, 0, "v", 1),
        (3, 0, "w", 1),
    )
    assert pending.resolve(4 + 3).cells == (
        (1, 0, "v", 3),
        (2, 0, "v", 1),
        (3, 0, "w", 1),
    )


@pytest.mark.parametrize(("rules", "kept"), [(rules, 255 if rules == "text-strict" else 44) for rules in ALL])
def test_more_than_a_byte_wraps_except_by_the_text(rules: str, kept: int) -> None:
    merged = at("1x3/100v0.0+200v1.0+1w2.0", rules).play("0.0-1.0x100")
    assert merged.cells[0] == (1, 0, "v", kept)
    converted = at("1x3/200v0.0+100h1.0+1w2.0", rules).play("0.0-1.0x200")
    assert converted.cells[0] == (1, 0, "v", kept)
    assert at("1x3/100v0.0+155v1.0+1w2.0", rules).play("0.0-1.0x100").cells[0] == (1, 0, "v", 255)


@pytest.mark.parametrize("rules", ALL)
def test_exactly_256_units_wrap_to_zero(rules: str) -> None:
    after = at("1x3/128v0.0+128v1.0+1w2.0", rules).play("0.0-1.0x128")
    if rules == "text-strict":
        assert after.cells == (
            (1, 0, "v", 255),
            (2, 0, "w", 1),
        )
    else:
        assert after.cells == ((2, 0, "w", 1),)
        assert known(after.result).decided_by == "extinction"


@pytest.mark.parametrize("rules", ALL)
def test_no_more_than_255_units_arrive_on_one_cell(rules: str) -> None:
    state = at("1x4/200v0.0+100v2.0+1w3.0", rules)
    assert state.is_legal("0.0-1.0x155+2.0-1.0x100")
    refused(state, "0.0-1.0x156+2.0-1.0x100", "255")


def crowded(occupied: int) -> str:
    """A board of 16 by 16 with so many occupied cells, the last ones empty; vampires and werewolves at the end."""
    cells = [(index % 16, index // 16) for index in range(occupied)]
    *houses, wolves, vampires = cells
    humans = "+".join(f"1h{x}.{y}" for x, y in houses)
    return "16x16/2v{}.{}+9w{}.{}+".format(*vampires, *wolves) + humans


def test_255_cells_may_be_occupied_and_no_turn_may_leave_more() -> None:
    state = at(crowded(255))
    assert len(state.cells) == 255
    assert state.is_legal("14.15-15.15x2")
    refused(state, "14.15-15.15x1", "255")
    assert state.is_legal("14.15-14.14x1")  # to where humans are
    assert all(state.is_legal(move) for move in state.legal_moves)
    with pytest.raises(NotationError, match="255"):
        at(crowded(256))


@pytest.mark.parametrize("rules", ALL)
def test_turns_of_more_than_fifteen_orders_are_turns(rules: str) -> None:
    groups = [(1, 1), (4, 1), (7, 1)]
    state = at("4x10/" + "+".join(f"9v{x}.{y}" for x, y in groups) + "+1w9.3", rules)
    orders = [
        (x, y, 1, x + dx, y + dy) for x, y in groups for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dx, dy) != (0, 0)
    ]
    assert len(orders) == 24
    turn = state.turn(orders)
    assert state.is_legal(turn)
    assert sorted(turn.orders) == sorted(orders)
    after = state.play(turn)
    assert after == state.play(str(turn))
    assert len(after.cells) == 28
    assert state.units(0) + state.units(1) == after.units(0) + after.units(1)
    assert not state.is_legal(state.turn([*orders, (9, 3, 1, 8, 2)]))
    assert not state.is_legal(state.turn([*orders, (1, 1, 2, 0, 0)]))


def test_equal_orders_are_one_and_the_order_of_orders_is_no_matter() -> None:
    state = at(GROUPS)
    turn = state.turn([(2, 2, 1, 3, 3), (1, 2, 1, 0, 3), (1, 2, 2, 0, 1), (1, 2, 2, 0, 3)])
    assert str(turn) == "1.2-0.1x2+1.2-0.3x3+2.2-3.3x1"
    assert turn == state.parse_move("2.2-3.3x1+1.2-0.3x3+1.2-0.1x2")
    assert turn.orders == (
        (1, 2, 2, 0, 1),
        (1, 2, 3, 0, 3),
        (2, 2, 1, 3, 3),
    )
    assert state.parse_move("1.2-0.2") == state.parse_move("1.2-0.2x6")


def test_pending_battles_are_in_the_text() -> None:
    state = at("3x3/3v0.0+5h1.1+1w2.2").play("0.0-1.1x3")
    assert state.position == "3x3/1w2.2+5h1.1+3v1.1!/1"
    again = new("vampires", state.position)
    assert again == state
    assert again.battle == (1, 1, 3, 5, "h", 0.3)
    assert again.units(0) == 3
    assert not again.is_legal("1.1-0.0x1")
    with pytest.raises(IllegalMoveError, match="a random event is pending"):
        again.play("1.1-0.0x1")


def test_the_default_is_a_map_that_begins_a_game() -> None:
    state = new("vampires")
    assert state.ply == 0
    assert state.units(0) == state.units(1) > 0
    assert state.humans > 0
    assert new("vampires:map=default") == state
    assert new(state.spec, state.position) == state


def test_a_map_may_be_given_as_its_text() -> None:
    text = "5x10/4v4.3+4w4.1+2h9.0+4h2.2+1h9.2+2h9.4"
    state = new(f"vampires:map={text}")
    assert state.position == text
    assert new(state.spec) == state


NO_POSITION = " is not a vampires position such as 2x3/4v0.0+4w2.1+2h1.0/7"


@pytest.mark.parametrize(
    ("position", "why"),
    [
        ("", ""),
        ("5x10", ""),
        ("5x10/", ""),
        ("0x5/1v0.0+1w1.0", ": rows are 1 to 255, not 0"),
        ("5x256/1v0.0+1w1.0", ": columns are 1 to 255, not 256"),
        ("5/1v0.0+1w1.0", ""),
        ("5x5/1v0.0+1w5.0", ": 5.0 is outside the grid"),
        ("5x5/1v0.0+1w0.5", ": 0.5 is outside the grid"),
        ("3x5/1v0.0+1w2.3", ": 2.3 is outside the grid"),
        ("5x5/1v0.0+1w0.0", ": 0.0 is listed twice"),
        ("5x5/0v0.0+1w1.0", ": a cell counts 1 to 255, not 0"),
        ("5x5/256v0.0+1w1.0", ": a cell counts 1 to 255, not 256"),
        ("5x5/1z0.0+1w1.0", ""),
        ("5x5/v0.0+1w1.0", ""),
        ("5x5/1v0.0 1w1.0", ""),
        ("5x5/1v0,0+1w1.0", ""),
        ("5x5/1v0.0+1w1.0/x", ""),
        ("5x5/1v0.0+1w1.0/-1", ""),
        ("5x5/1v0.0+1w1.0/1/2", ""),
        ("5x5/1v0.0+1w1.0/1000001", ": plies are 0 to 1000000, not 1000001"),
        ("5x5/1v0.0+1w1.0+", ""),
        ("5x5/1v0.0+1w1.0+1h2.2!/1", ": humans cannot attack"),
        ("5x5/3h2.2+2v2.2!+2v3.3!/1", ": more cells are attacked than are occupied"),
    ],
)
def test_a_position_that_is_none_is_refused_in_a_sentence(position: str, why: str) -> None:
    with pytest.raises(NotationError, match="^" + re.escape(f"'{position}'{NO_POSITION}{why}") + "$"):
        new("vampires", position)


def test_a_position_of_more_attackers_than_a_state_has_room_for_is_refused() -> None:
    attackers = "+".join(f"1v{x}.{y}!" for y in range(255) for x in range(255))
    with pytest.raises(NotationError, match="more cells are attacked than are occupied"):
        new("vampires", f"255x255/3w0.0+{attackers}/1")


@pytest.mark.parametrize(
    ("position", "why"),
    [
        ("5x5/1w1.0+3h2.2+2v2.2!", "no attack is possible at ply 0"),
        ("5x5/1w1.0+3h2.2+2w2.2!/1", "at ply 1 only the vampires can have attacked"),
        ("5x5/1w1.0+3h2.2+2v2.2!/2", "at ply 2 only the werewolves can have attacked"),
        ("5x5/1w1.0+3h2.2+2v3.3!/1", "there are no units to attack on 3.3"),
        ("5x5/1w1.0+3h2.2+4v3.3+2v3.3!/1", "there are no units to attack on 3.3"),
        ("5x5/1w1.0+3h2.2+3v2.2!/1", "the result of the battle on 2.2 is certain"),
    ],
)
def test_a_battle_that_cannot_be_pending_is_refused_in_a_sentence(position: str, why: str) -> None:
    with pytest.raises(NotationError, match="^" + re.escape(f"'{position}' is not a vampires position: {why}") + "$"):
        new("vampires", position)


def test_a_position_need_not_be_written_as_it_is_kept() -> None:
    assert new("vampires", "5x5/2h3.3+1w1.0+1v0.0/0").position == "5x5/1v0.0+1w1.0+2h3.3"


def test_a_board_without_anybody_is_a_position() -> None:
    over = at("1x2/1v0.0+1w1.0").play("0.0-1.0x1").resolve(0)
    assert over.position == "1x2//1"
    assert new("vampires", over.position) == over


@pytest.mark.parametrize(
    "turn",
    [
        "",
        "1.2",
        "1.2-",
        "1.2-0.2x",
        "1.2-0.2x-1",
        "1.2-0.2x256",
        "1.2-0.2+",
        "1.2-0.2x1 ",
        "1,2-0,2x1",
        "a.b-c.dx1",
        "pass+1.2-0.2x1",
    ],
)
def test_a_turn_that_is_none_is_refused_in_a_sentence(turn: str) -> None:
    state = at(GROUPS)
    sentence = re.escape(f"'{turn}' is not a vampires move such as 4.3-5.3x2+4.3-3.2x2") + "$"
    with pytest.raises(NotationError, match="^" + sentence):
        state.parse_move(turn)
    refused(state, turn, sentence)


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        ("pass", "a turn moves at least one unit (rule 1)"),
        ("4.1-3.1x1", "4.1 holds werewolves, and vampires are to move (rule 2)"),
        ("1.1-0.1x1", "1.1 holds humans, and vampires are to move (rule 2)"),
        ("0.0-0.1x1", "0.0 holds no units, and vampires are to move (rule 2)"),
        ("0.0-0.1", "0.0 holds no units (rule 2)"),
        ("1.2-3.2x1", "1.2 and 3.2 are not neighbours (rule 4)"),
        ("1.2-0.2x7", "7 units cannot leave 1.2, which holds 6 (rule 3)"),
        ("1.2-0.2x5+1.2-0.3x2", "7 units cannot leave 1.2, which holds 6 (rule 3)"),
        ("1.2-2.2x1+2.2-3.2x1", "2.2 cannot be left and entered in one turn (rule 5)"),
        ("1.2-0.2x0", "an order from 1.2 moves no units (rule 6)"),
    ],
)
def test_an_illegal_turn_is_refused_with_the_rule_it_breaks(turn: str, why: str) -> None:
    refused(at(GROUPS), turn, "^" + re.escape(f"illegal move {turn} at ply 0 of vampires: {why}") + "$")


@pytest.mark.parametrize(
    ("orders", "why"),
    [
        ([(1, 2, 1, 3, 2)], "1.2 and 3.2 are not neighbours (rule 4)"),
        ([(1, 2, 1, 1, 2)], "1.2 and 1.2 are not neighbours (rule 4)"),
        ([(-1, 2, 1, 0, 2)], "the coordinates of an order must be 0 to 255"),
        ([(300, 2, 1, 301, 2)], "the coordinates of an order must be 0 to 255"),
        ([(1, 2, -1, 0, 2)], "1 to 255 units, not -1"),
        ([(1, 2, 256, 0, 2)], "1 to 255 units, not 256"),
        ([(1, 2, 200, 0, 2), (1, 2, 200, 0, 2)], "400 units cannot leave 1.2: a cell holds at most 255"),
        ([(1 + i % 200, 2 + i // 200, 1, i % 200, 2 + i // 200) for i in range(256)], "at most 255 orders, not 256"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_orders_that_cannot_be_a_turn_are_refused_in_a_sentence(
    orders: list[tuple[int, int, int, int, int]], why: str
) -> None:
    with pytest.raises(NotationError, match=re.escape(why)):
        at(GROUPS).turn(orders)


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("rules=2021", "rules must be one of official, official-2019, text-strict, twilight-succo, twilight-langorou"),
        ("plies=-1", "plies must be a whole number in 0..9999, not -1"),
        ("plies=x", "plies must be a whole number in 0..9999, not 'x'"),
        ("map=nowhere", "unknown map 'nowhere'; there are: arena,"),
        ("map=", "unknown map ''; there are: arena,"),
        ("map=vilage", "unknown map 'vilage'; did you mean 'village'?"),
        ("map=5x5/1v0.0", "a map has exactly one cell of vampires and one of werewolves; '5x5/1v0.0' does not"),
        ("map=5x5/1v0.0+1w1.0+1v2.2", "a map has exactly one cell of vampires and one of werewolves"),
        ("map=5x5/1w0.0+2h1.0", "a map has exactly one cell of vampires and one of werewolves"),
        ("map=5x5/1v0.0+1w1.0/3", "a map must be at ply 0 and without a battle"),
        ("size=3", "vampires has no parameter 'size'; it has rules, map, plies"),
    ],
)
def test_options_that_are_none_are_refused_in_a_sentence(option: str, why: str) -> None:
    with pytest.raises((SpecError, NotationError), match=re.escape(why)) as caught:
        new(f"vampires:{option}")
    assert "\n" not in str(caught.value)


def test_battles_may_be_pending_on_two_hundred_cells() -> None:
    groups = [(x, y) for y in range(1, 15, 3) for x in range(1, 15, 3)]
    houses = [(x + dx, y + dy) for x, y in groups for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dx, dy) != (0, 0)]
    cells = [f"9v{x}.{y}" for x, y in groups] + ["9w15.15"] + [f"2h{x}.{y}" for x, y in houses]
    state = at("16x16/" + "+".join(cells))
    around = [(x, y, 1, x + dx, y + dy) for x, y in groups for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy]
    state = state.play(state.turn(around))
    rng = Random(1)
    fought = set()
    while state.is_chance:
        x, y, *odds = known(state.battle)
        fought.add((x, y))
        assert odds == [1, 2, "h", 0.25]
        if len(fought) % 50 == 1:
            assert new("vampires", state.position) == state
        state = state.resolve(state.draw_outcome(rng))
    assert fought == set(houses)
    assert state.key == state.recompute_key()
    assert {cell[:2] for cell in state.cells} <= {*groups, *houses, (15, 15)}


def test_orders_cells_and_battles_are_named() -> None:
    state = at("3x4/5v0.0+2v1.2+5w3.2+2h1.0/0")
    (order,) = state.parse_move("0.0-1.1x3").orders
    assert (order.x, order.y, order.units, order.target_x, order.target_y) == order == (0, 0, 3, 1, 1)
    assert state.turn([order]) == state.parse_move("0.0-1.1x3")
    assert [(group.x, group.y, group.units) for group in state.groups[0]] == [(0, 0, 5), (1, 2, 2)]
    assert {group.species for group in state.groups[1]} == {"w"}
    assert [(house.x, house.y, house.units) for house in state.houses] == [(1, 0, 2)]
    assert sorted((*state.groups[0], *state.groups[1], *state.houses)) == sorted(state.cells)
    assert pickle.loads(pickle.dumps(state.cells)) == state.cells
    assert state.battle is None
    pending = at("1x3/4v0.0+4w1.0+1v2.0/0").play("0.0-1.0x4")
    assert pending.battle is not None
    assert (pending.battle.attackers, pending.battle.defenders, pending.battle.species) == (4, 4, "w")
    assert 0 < pending.battle.win < 1


def test_groups_are_those_of_the_players_and_not_of_the_species() -> None:
    state = at("1x3/4v0.0+5w2.0/0", "official-2019")
    assert [state.groups[player][0].species for player in (0, 1)] == [state.species(0), state.species(1)]
