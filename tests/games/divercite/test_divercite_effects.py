"""What a move of Divercité does, in words, against points counted by hand and the ends of random games."""

from __future__ import annotations

import re

from divercite_oracle import AROUND, cell_name
from typed import New

from joute import Random
from joute.games.divercite.state import Divercite
from joute.games.effects import find_effects

TELL = find_effects("divercite")
new = New(Divercite)


def told(state: Divercite, move: str) -> list[str]:
    return [effect.told() for effect in TELL(state, move)]


def points(state: Divercite, player: int) -> dict[str, int]:
    """The points of each city of a player, by the rules."""
    found = {}
    for cell, around in AROUND.items():
        piece = state.piece_at(*cell)
        if piece and piece[2] == "WB"[player]:
            colours = [state.piece_at(*other)[:1] for other in around]
            is_divercite = sorted(colours) == sorted("RGBY")
            found[cell_name(cell)] = 5 if is_divercite else colours.count(piece[0])
    return found


def test_drawn_positions_of_divercite_have_their_words() -> None:
    # 4    g  G+ .  Y+ r  #  .      h5 has a blue, a yellow and a red resource; green on h4 is the fourth colour
    # 5 b  B+ r  #  .  #  r  R+ y
    # 6    b  Y- y  #  .  #  b
    state = new("divercite", "b/y.y/bG.R-y/gG.Yr../bBr...rRy/bY-y...b/yRbY-g/..././3200")
    assert told(state, "gh4") == ["completes a Divercité at h5"]
    assert told(state, "rh4") == ["adds 1 point at h5"]
    # 3       b  G+ .  R- .         c4 has green, blue and red; red on d4 is the second red
    # 4    g  G+ .  Y+ r  #  .
    # 5 .  B+ r  #  .  #  .  R+ .
    state = new("divercite", "b/y.y/bG.R-./gG.Yr../.Br....R./bY-y...b/yR.Y-g/..././3220")
    assert told(state, "rd4") == ["spoils their Divercité at c4, which has 3 of four colours"]


def test_what_divercite_says_holds_in_random_games() -> None:
    rng = Random(8)
    seen = dict.fromkeys(("completes", "adds", "spoils"), 0)
    for _ in range(25):
        state = new("divercite")
        while not state.is_terminal:
            for move in [str(rng.choice(state.legal_moves)) for _ in range(6)]:
                words = told(state, move)
                for part in seen:
                    seen[part] += any(part in text for text in words)
                check(state, move, words, rng)
            state = state.play(state.random_move(rng))
    assert min(seen.values()) >= 20, seen


def check(state: Divercite, move: str, words: list[str], rng: Random) -> None:
    """Compare the words of a move with the rules."""
    player, after = state.to_move, state.play(move)
    before, later = points(state, player), points(after, player)
    completed = {city for city, score in later.items() if score == 5 and before.get(city, 0) < 5}
    assert {text[-2:] for text in words if "completes" in text} == completed, (state, move, words)
    grown = {city: score - before.get(city, 0) for city, score in later.items() if city not in completed}
    grown = {city: more for city, more in grown.items() if more > 0}
    added = [re.fullmatch(r"adds (\d) points? at (.*)", text) for text in words if "adds" in text]
    assert [(int(found[1]), set(re.findall(r"\w\d", found[2]))) for found in added if found] == (
        [(sum(grown.values()), set(grown))] if grown else []
    )
    theirs = points(state, 1 - player)
    for text in words:
        for name in re.findall(r"spoils their Divercité at (\w\d)", text):
            assert theirs[name] < 5
            assert theirs_at_the_end(after, name, 1 - player, rng) < 5, (state, move, text)


def theirs_at_the_end(state: Divercite, name: str, player: int, rng: Random) -> int:
    """The most points of a city at the ends of random games."""
    most = 0
    for _ in range(3):
        reached = state
        while not reached.is_terminal:
            reached = reached.play(reached.random_move(rng))
        most = max(most, points(reached, player)[name])
    return most
