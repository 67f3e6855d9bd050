"""What a turn of Vampires vs Werewolves does, in words, against turns that are played out."""

from __future__ import annotations

import re

import pytest
from typed import New

from joute import Random
from joute.games.effects import find_effects
from joute.games.vampires.state import Vampires, battle_odds

TELL = find_effects("vampires")
new = New(Vampires)


def told(state: Vampires, move: str) -> list[str]:
    return [effect.told() for effect in TELL(state, move)]


@pytest.mark.parametrize(
    ("position", "move", "words"),
    [
        ("5x5/8v1.1+9w4.4+8h2.2", "1.1-2.2x8", ["converts the house of 8 at 2.2"]),
        ("5x5/8v1.1+5w2.2+9w4.4", "1.1-2.2x8", ["destroys the 5 werewolves at 2.2"]),
        ("5x5/5v1.1+4w2.2", "1.1-2.2x5", ["attacks the 4 werewolves at 2.2 and wins with 75.0%"]),
        ("5x5/8v0.0+9w4.4+2h2.2", "0.0-1.1x8", ["gets enough units next to the house of 2 at 2.2"]),
        ("9x9/4v2.2+6w3.3", "2.2-1.1x4", ["brings 4 vampires out of the reach of 6 werewolves"]),
        ("9x9/9v1.1+6w3.3", "1.1-2.2x9", ["threatens the 6 werewolves at 3.3"]),
        ("9x9/9v1.1+1w3.3", "1.1-2.2x9", ["threatens the 1 werewolf at 3.3"]),
    ],
)
def test_drawn_positions_of_vampires_have_their_words(position: str, move: str, words: list[str]) -> None:
    assert told(new("vampires", position), move) == words


def test_what_vampires_says_holds_in_random_games() -> None:
    rng = Random(2)
    seen = dict.fromkeys(("converts", "destroys", "attacks", "brings", "threatens", "enough units"), 0)
    for _ in range(40):
        state = new("vampires").random_start(rng)
        while not state.is_terminal and state.ply < 80:
            for move in [str(rng.choice(state.legal_moves)) for _ in range(3)]:
                words = told(state, move)
                for part in seen:
                    seen[part] += any(part in text for text in words)
                check(state, move, words)
            state = state.play(state.random_move(rng), rng)
    assert min(seen.values()) >= 5, seen


def check(state: Vampires, move: str, words: list[str]) -> None:
    """Play out what the words say."""
    player, after = state.to_move, state.play(move)
    turn = state.parse_move(move)
    for text in words:
        where = re.search(r" at (\d+)\.(\d+)", text)
        x, y = (int(where[1]), int(where[2])) if where else (-1, -1)
        number = re.search(r"(\d+) (?:vampires?|werew\w+) at|house of (\d+)", text)
        count = int(number[1] or number[2]) if number else 0
        there = {(cell.x, cell.y): cell for cell in state.cells}.get((x, y))
        arriving = sum(order.units for order in turn.orders if (order.target_x, order.target_y) == (x, y))
        if "converts" in text or "destroys" in text:
            assert there
            assert there.units == count
            assert there.species == ("h" if "converts" in text else state.species(1 - player))
            reached = {(cell.x, cell.y): cell for cell in settled(after).cells}[x, y]
            assert reached.species == state.species(player)
            assert reached.units == arriving + (count if "converts" in text else 0)
        elif "attacks" in text:
            assert there
            assert there.units == count
            odds = battle_odds(arriving, count, against_humans=there.species == "h")
            assert f"wins with {100 * odds.win:.1f}%" in text
        elif "brings" in text:
            assert any(all_in(state.pass_turn(), cell, 1 - player) for cell in state.groups[player])
            assert not any(all_in(after, cell, 1 - player) for cell in after.groups[player])
        elif "threatens" in text:
            (cell,) = [cell for cell in after.groups[1 - player] if (cell.x, cell.y) == (x, y)]
            assert cell.units == count
            assert all_in(after.pass_turn(), cell, player)
        else:
            assert "enough units" in text
            (cell,) = [cell for cell in after.houses if (cell.x, cell.y) == (x, y)]
            assert cell.units == count
            assert all_in(after.pass_turn(), cell, player)
            before = [cell for cell in state.houses if (cell.x, cell.y) == (x, y)]
            assert not before or not all_in(state, before[0], player)


def all_in(state: Vampires, cell: tuple[int, int, str, int], player: int) -> bool:
    """Whether the player to move takes a cell for certain with all units beside it."""
    if state.is_terminal:
        return False
    assert state.to_move == player
    x, y = cell[:2]
    orders = [
        (group.x, group.y, group.units, x, y)
        for group in state.groups[player]
        if max(abs(group.x - x), abs(group.y - y)) == 1
    ]
    if not orders:
        return False
    after = state.play(state.turn(orders))
    return not after.is_chance and any(
        (found.x, found.y, found.species) == (x, y, state.species(player)) for found in after.cells
    )


def settled(state: Vampires) -> Vampires:
    """The position after the likeliest outcomes of all battles."""
    while state.is_chance:
        state = state.resolve(max(range(len(state.outcomes)), key=state.outcomes.__getitem__))
    return state
