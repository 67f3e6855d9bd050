"""What a move of Avalam does, in words: a tower that is won must stand to the end of every game."""

from __future__ import annotations

import re

from avalam_oracle import CELLS
from typed import New

from joute import Random
from joute.games.avalam.state import Avalam
from joute.games.effects import find_effects

TELL = find_effects("avalam")
new = New(Avalam)


def told(state: Avalam, move: str) -> list[str]:
    return [effect.told() for effect in TELL(state, move)]


def cell_of(text: str) -> tuple[int, int]:
    return int(text[1]) - 1, "abcdefghi".index(text[0])


def count(state: Avalam, player: int) -> int:
    return sum((state.tower_at(*cell) > 0) == (player == 0) for cell in CELLS if state.tower_at(*cell))


def test_the_start_of_avalam_has_its_words() -> None:
    # 1       Y1 R1
    # 2    Y1 R1 Y1 R1
    start = new("avalam")
    assert told(start, "c1d1") == ["takes their tower d1"]
    assert told(start, "d1c1") == []  # red on yellow is no gain for yellow
    assert told(start, "d1c2") == ["merges their towers d1 and c2 into one"]
    assert told(start, "c1b2") == []


def test_a_tower_that_nothing_can_change_is_won() -> None:
    # 1        . R1
    # 2    Y1 Y4  . R1        yellow's tower of four goes on b3; nothing is left beside b2
    # 3    R1  .  . Y1 R1
    # 4    Y1 R2  .  . Y1
    state = new("avalam", ".a/AD.a/a..Aa./Ab..AaBa/A.B.cBaA/.bbAb.../A.BBAb/a..b/aA")
    assert told(state, "c2b3") == ["wins the tower of five at b3", "secures the tower b2", "takes their tower b3"]
    assert told(state, "b2b3") == ["takes their tower b3"]


def test_what_avalam_says_holds_in_random_games() -> None:
    rng = Random(3)
    won = taken = 0
    for _ in range(12):
        state = new("avalam")
        while not state.is_terminal:
            for move in [str(rng.choice(state.legal_moves)) for _ in range(8)]:
                words = told(state, move)
                after = state.play(move)
                mover = state.to_move
                for text in words:
                    for named in re.findall(r"(?:wins|secures) the tower (?:of five at )?(\w\d)", text):
                        won += 1
                        tower = after.tower_at(*cell_of(named))
                        assert (tower > 0) == (mover == 0), (state, move, text)
                        assert ("of five" in text) == (abs(tower) == 5 and "wins" in text)
                        assert ends(after, cell_of(named), rng) == {tower}, (state, move, text)
                lost = count(state, 1 - mover) - count(after, 1 - mover)
                gains = any("takes" in text or "merges" in text for text in words)
                assert gains == (lost == 1), (state, move, words)
                taken += gains
            state = state.play(state.random_move(rng))
    assert won > 50
    assert taken > 100


def ends(state: Avalam, cell: tuple[int, int], rng: Random) -> set[int]:
    """The towers on a cell at the ends of random games."""
    found = set()
    for _ in range(4):
        reached = state
        while not reached.is_terminal:
            reached = reached.play(reached.random_move(rng))
        found.add(reached.tower_at(*cell))
    return found
