"""Vampires vs Werewolves in words and pictures: whose battle is pending, what came of it, and names that are wrong."""

from __future__ import annotations

from typing import Any

import pytest
from commands import ok

from joute import new
from joute.errors import SpecError
from joute.games.scene import Disc, Label
from joute.games.vampires.state import find_map

# Three vampires attack four werewolves, and two others two humans.
PENDING = "3x4/5v3.2+4w1.0+2h0.2+3v1.0!+1v0.2!/1"


def test_where_a_battle_is_pending_nobody_is_to_move() -> None:
    assert new("vampires", PENDING).status == "ply 1: a battle of the vampires on 1.0 is pending"
    assert "no player is to move here: a battle of the vampires on 1.0 is pending\n" in ok(
        "analyze", "vampires", PENDING
    )
    werewolves = new("vampires", "3x4/5w3.2+4v1.0+3w1.0!/2")
    assert werewolves.status == "ply 2: a battle of the werewolves on 1.0 is pending"


def test_species_win_and_are_to_move_as_many() -> None:
    won = new("vampires", "3x4/5v3.2/7")
    assert won.status == "ply 7: vampires win (extinction)"
    assert "werewolves have lost" in ok("analyze", "vampires", won.position)
    assert new("connect4", "1122334").status == "ply 7: first (X) wins (four in a row)"


@pytest.mark.parametrize("position", [PENDING, PENDING.replace("4w1.0+2h0.2+3v1.0!+", "4w1.0+2h0.2+")])
def test_every_outcome_of_a_battle_is_told_as_it_is(position: str) -> None:
    state: Any = new("vampires", position)
    x, y, _, defenders, species, _ = state.battle
    for outcome, chance in enumerate(state.outcomes):
        left = {(cell[0], cell[1]): cell[2:] for cell in state.resolve(outcome).cells}
        text = state.outcome_text(outcome)
        if (x, y) not in left:
            assert text == f"nobody is left on {x}.{y}"
            continue
        who, count = left[x, y]
        if who == "v":
            assert text == f"the vampires take {x}.{y} and are {count} there"
        else:
            name = {"w": "werewolves", "h": "humans"}[species]
            assert (who, text) == (species, f"the {name} hold {x}.{y}, {count} of {defenders} left")
        assert chance >= 0


def test_a_picture_shows_who_attacks_in_every_battle_that_is_pending() -> None:
    state: Any = new("vampires", PENDING)
    peace = new("vampires", PENDING.replace("+3v1.0!+1v0.2!", ""))
    added = [shape for shape in state.scene().shapes if shape not in peace.scene().shapes]
    discs = [shape for shape in added if isinstance(shape, Disc)]
    assert [disc.fill for disc in discs] == [state.colours[0]] * 2
    labels = [shape for shape in added if isinstance(shape, Label)]
    for count, disc in zip(("3", "1"), discs, strict=True):
        (number,) = [label for label in labels if (label.x, label.y) == (disc.x, disc.y)]
        assert (number.text, number.fill) == (count, "#ffffff")


def test_play_tells_what_chance_did_and_that_any_turn_may_be_typed() -> None:
    words = ("play", "vampires", "--against", "vampires-greedy", "--position", "3x4/3v0.0+4w1.0+2h3.2")
    text = ok(*words, input="help\nmoves 0.2\nmoves 0.0-\n0.0-1.0\nquit\n")
    assert "list some legal moves, though any may be typed" in text
    assert "No listed move contains 0.2.\nThere are more legal moves; any of them may be typed." in text
    assert "0.0-1.0x3" in text
    assert "3 vampires attack 4 werewolves and win with chance 0.375" in text
    told = next(line for line in text.splitlines() if line.startswith("chance:"))
    assert told.startswith(("chance: nobody is", "chance: the werewolves hold 1.0", "chance: the vampires take"))


def test_names_that_are_wrong_are_answered_with_the_right_ones() -> None:
    state: Any = new("vampires")
    with pytest.raises(ValueError, match=f"^vampires has no generator 'foo'; it has {', '.join(state.generators)}$"):
        state.moves("foo")
    names = ", ".join(name for name, _ in state.evaluations)
    with pytest.raises(ValueError, match=f"^vampires has no evaluation 'foo'; it has {names}$"):
        state.evaluate(0, "foo")
    with pytest.raises(SpecError, match=r"^unknown start group 'x'; there are: v, w$"):
        find_map("village").convertible("x")
