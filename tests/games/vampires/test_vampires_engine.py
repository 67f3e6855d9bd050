"""The engine of Vampires vs Werewolves: its evaluation, its outcomes of battles, its candidates, and how it plays."""

from __future__ import annotations

import math
from random import Random as PythonRandom
from typing import Any

import pytest
from plain_options import alphabeta_options
from typed import New, analyst, known
from vampires_network_oracle import race, value
from vampires_oracle import PROFILES
from vampires_positions import core_of, random_position

from joute import play_match
from joute._core import Random
from joute.agents import Clock, adviser, agent
from joute.games.vampires.generators import OfficialMaps, draw_convertible
from joute.games.vampires.state import Vampires, battle_odds

new = New(Vampires)


def test_the_evaluation_is_that_of_a_slow_version() -> None:
    rng = PythonRandom(1)
    compared = 0
    for _ in range(150):
        slow = random_position(rng, rng.choice(list(PROFILES.values())))
        if slow.result() is not None:
            continue
        state = core_of(slow)
        found = state.evaluate(state.to_move, "network")
        assert found == pytest.approx(value(state, slow.limit), abs=1e-5), state.position
        assert state.evaluate(1 - state.to_move, "network") == -found
        compared += 1
    assert compared > 90


def test_a_race_is_run_to_its_end() -> None:
    houses = [(2, 0, 3), (4, 0, 6), (9, 0, 1)]
    # Three go two steps to three, then six two steps to six; the other side's one is next to the last house.
    assert race([(0, 0, 3)], [(8, 0, 1)], houses, 200) == [[(3, 3), (7, 6)], [(2, 1)]]
    assert race([(0, 0, 3)], [(8, 0, 1)], houses, 5) == [[(3, 3)], [(2, 1)]]


def gathered(chances: list[float], most: int) -> list[float]:
    """Chances of neighbours taken together, in at most so many parts of about the same chance, each at its mean."""
    if len(chances) <= most:
        return chances
    whole, before, begin = math.fsum(chances), 0.0, 0
    parts = [0.0] * len(chances)
    for part in range(1, most + 1):
        end, weight, first_moment = begin, 0.0, 0.0
        while end < len(chances) and (
            weight == 0 or part == most or before + weight + chances[end] / 2 <= whole * part / most
        ):
            weight += chances[end]
            first_moment += chances[end] * end
            end += 1
        if weight:
            parts[int(first_moment / weight + 0.5)] = weight
        before, begin = before + weight, end
    return parts


def battle_value(state: Vampires, chances: list[float]) -> float:
    return sum(chance * state.resolve(i).evaluate(0, "units") for i, chance in enumerate(chances) if chance)


@pytest.mark.parametrize("most", [1, 2, 3, 5, 40])
@pytest.mark.parametrize(("attackers", "defenders"), [(20, 20), (13, 11), (3, 30), (1, 1), (2, 3), (100, 90)])
def test_few_outcomes_stand_for_all(attackers: int, defenders: int, most: int) -> None:
    # A last ply that leaves nothing but the attack, so that its value is that of the search.
    spec = "vampires:plies=1"
    start = new(spec, f"1x2/{attackers}v0.0+{defenders}w1.0")
    battle = start.play("0.0-1.0")
    empty, *rest = battle.outcomes
    few = [empty, *gathered(rest[:defenders], most), *gathered(rest[defenders:], most)]
    assert sum(few) == pytest.approx(1)
    assert sum(chance > 0 for chance in few) <= 2 * most + 1

    def searched(few_outcomes: int) -> float:
        # By ends that tell how many are left: the outcome alone is the same however survivors are gathered.
        options = alphabeta_options(few_outcomes=few_outcomes, ends="eval", win_value=1)
        found = start.search(options, "units").run(start, depth=1)
        assert [str(each.move) for each in found.moves][:1] == [f"0.0-1.0x{attackers}"]
        return float(found.value)

    assert searched(0) == pytest.approx(battle_value(battle, battle.outcomes))
    assert searched(most) == pytest.approx(battle_value(battle, few))


@pytest.mark.parametrize(("attackers", "defenders"), [(40, 36), (36, 40), (9, 9), (200, 180)])
def test_gathered_outcomes_win_as_often_as_all(attackers: int, defenders: int) -> None:
    start = new("vampires:plies=1", f"1x2/{attackers}v0.0+{defenders}w1.0")
    odds = battle_odds(attackers, defenders, against_humans=False)

    def searched(**options: Any) -> float:
        return float(start.search(alphabeta_options(**options), "units").run(start, depth=1).value)

    # Werewolves win where nobody is left.
    win = sum(odds.attackers)
    assert searched(few_outcomes=3) == pytest.approx(win - (1 - win)) == searched()


@pytest.mark.parametrize("chance", ["none", "star1", "star2"])
def test_merged_outcomes_prove_nothing(chance: str) -> None:
    # If the attack fails, about 3 of 6 werewolves are left, fewer than the other 4 vampires. But all 6 may be left.
    start = new("vampires:plies=1", "1x4/6v0.0+6w1.0+4v3.0")
    options = alphabeta_options(few_outcomes=1, lines=3, chance=chance)
    found = {str(each.move): each for each in start.search(options, "units").run(start, depth=1).moves}
    assert found["0.0-1.0x6"].value == 1
    assert (found["0.0-1.0x6"].lower, found["3.0-2.0x4"].lower) == (-1, 1)


def test_near_an_enemy_every_step_that_risks_nothing_is_a_candidate() -> None:
    state = new("vampires", "7x7/5v3.3+5w6.3+9h2.2+5h4.4")
    steps = {f"3.3-{x}.{y}x5" for x in (2, 3, 4) for y in (2, 3, 4)} - {"3.3-3.3x5", "3.3-2.2x5"}
    listed = {str(move) for move in state.moves("contact")}
    assert steps <= listed
    assert "3.3-2.2x5" not in listed  # nine humans are too many
    assert not steps <= {str(move) for move in state.moves("targets")}
    far = new("vampires", "7x9/5v3.3+5w8.3+9h2.2+5h4.4")
    assert far.moves("contact") == far.moves("targets")


def test_certain_captures_are_searched_beyond_the_horizon() -> None:
    # Whatever vampires do, three of them are destroyed in the next turn, which depth 1 does not see.
    state = new("vampires", "1x4/3v0.0+9w2.0+1h3.0/190")
    blind, seeing = (state.search(alphabeta_options(quiescence=plies), "units").run(state, depth=1) for plies in (0, 1))
    assert blind.value == pytest.approx(-0.5)
    assert seeing.value == -1


def test_the_engine_is_the_adviser_and_tells_win_shares() -> None:
    assert adviser("vampires") == "vampires"
    engine = analyst("vampires:nodes=3000", game="vampires")
    state = new("vampires:map=fork")
    shares = [known(judged.value) for judged in engine.analyze(state, lines=3).moves[:3]]
    assert shares == sorted(shares, reverse=True)
    assert all(0 < share < 1 for share in shares)


@pytest.mark.parametrize("name", ["town", "crowd", "village"])
def test_the_engine_answers_on_crowded_maps_however_little_it_may_search(name: str) -> None:
    state = new(f"vampires:map={name}")
    for nodes in (1, 50):
        assert state.is_legal(agent(f"vampires:nodes={nodes}", game="vampires").choose(state, Clock()))


def test_the_engine_beats_the_papers_player() -> None:
    rng = Random(5)
    maps = [new("vampires", draw_convertible(OfficialMaps(homes=6), rng).text) for _ in range(10)]
    result = play_match("vampires", "vampires:nodes=2000", "langorou:nodes=2000", games=20, openings=maps, seed=5)
    assert result.score > 0.6


def test_the_same_nodes_give_the_same_turns() -> None:
    states = [new("vampires:map=default")]
    for _ in range(12):
        turn = agent("vampires:nodes=500", game="vampires").choose(states[-1], Clock())
        again = agent("vampires:nodes=500", game="vampires").choose(states[-1], Clock())
        assert turn == again
        after = states[-1].play(turn)
        if after.is_chance or after.is_terminal:
            break
        states.append(after)
    assert len(states) > 3
