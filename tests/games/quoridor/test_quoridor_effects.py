"""What a move of Quoridor does, in words, against the shortest paths of the slow rules."""

from __future__ import annotations

import re

from quoridor_oracle import SlowQuoridor
from typed import New

from joute import Random
from joute.games.effects import find_effects
from joute.games.quoridor.state import Quoridor

TELL = find_effects("quoridor")
new = New(Quoridor)


def told(state: Quoridor, move: str) -> list[str]:
    return [effect.told() for effect in TELL(state, move)]


def ways(state: Quoridor) -> list[int]:
    """The lengths of the shortest paths by the slow rules, through the other pawn."""
    slow = SlowQuoridor.of("quoridor", state.position)
    found = [slow.distance(player, slow.closed()) for player in (0, 1)]
    return [steps for steps in found if steps is not None]


def test_drawn_positions_of_quoridor_have_their_words() -> None:
    assert told(new("quoridor"), "e2") == ["shortens your way by 1"]
    assert told(new("quoridor"), "d1") == []
    assert told(new("quoridor"), "e8h") == ["lengthens their way by 1 and your way by 1"]
    assert told(new("quoridor").play("d1"), "c1h") == ["lengthens their way by 1"]
    # The pawns face each other in column a, and black jumps.
    state = new("quoridor", "d1f2e3h3c4g4e5c6b7h7a8g8/b3h4d5g6a7c8d8h8/a5a6/0-0/75")
    assert told(state, "a4") == ["jumps over their pawn", "shortens your way by 2"]
    # White is one step from its goal.
    assert told(new("quoridor", "//e8b5/10-10/40"), "e9") == ["reaches your goal"]


def test_an_effect_of_the_opponent_is_told_from_the_readers_side() -> None:
    (effect,) = TELL(new("quoridor").play("d1"), "c1h")
    assert effect.told(by_opponent=True) == "lengthens your way by 1"
    assert effect.told_as_threat() == "lengthening your way by 1"


def test_what_quoridor_says_holds_in_random_games() -> None:
    rng = Random(4)
    seen = dict.fromkeys(("shortens", "lengthens", "jumps", "reaches"), 0)
    for _ in range(9):
        state = new("quoridor")
        while not state.is_terminal:
            # Pawns move often, so that they meet and arrive.
            steps = [move for move in state.legal_moves if not move.is_wall]
            for move in [*map(str, steps), *(str(rng.choice(state.legal_moves)) for _ in range(2))]:
                words = told(state, move)
                for part in seen:
                    seen[part] += any(part in text for text in words)
                check(state, move, words)
            steps.sort(key=lambda move: state.play(move).distance(state.to_move))
            state = state.play(steps[0] if rng.uniform() < 0.8 else state.random_move(rng))
    assert min(seen.values()) >= 5, seen


def check(state: Quoridor, move: str, words: list[str]) -> None:
    """Compare the words of a move with the slow rules."""
    player, after = state.to_move, state.play(move)
    result = after.result
    wins = result is not None and result.winner == player
    assert (words == ["reaches your goal"]) == wins, (state, move, words)
    if result is not None:
        return
    before, later = ways(state), ways(after)
    mine, theirs = later[player] - before[player], later[1 - player] - before[1 - player]
    text = ", ".join(words)
    shorter = re.search(r"shortens your way by (\d+)", text)
    longer = re.search(r"lengthens their way by (\d+)( and your way by (\d+))?", text)
    assert (int(shorter[1]) if shorter else 0) == max(0, -mine), (state, move, words)
    assert (int(longer[1]) if longer else 0) == max(0, theirs), (state, move, words)
    if longer:
        assert int(longer[3] or 0) == max(0, mine)
    (row, column), (goal_row, goal_column) = state.pawn(player), after.pawn(player)
    assert ("jumps" in text) == (abs(row - goal_row) + abs(column - goal_column) == 2)
