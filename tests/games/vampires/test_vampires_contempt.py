"""The contempt of the engine of Vampires vs Werewolves: what positions are worth with it; zero changes nothing."""

from __future__ import annotations

from random import Random as PythonRandom
from typing import Any

import pytest
from plain_options import ALPHABETA
from typed import New
from vampires_oracle import PROFILES
from vampires_positions import core_of, random_position

from joute._core import SearchResult, VampiresEngineOptions
from joute.agents import Clock, agent
from joute.agents.engine import engine_search
from joute.errors import SpecError
from joute.games.vampires.agents.engine import VampiresEngineParameters
from joute.games.vampires.state import Vampires

new = New(Vampires)


def positions(count: int, seed: int) -> list[Vampires]:
    """Random positions with few turns, of which a slow search can try all."""
    rng = PythonRandom(seed)
    found: list[Vampires] = []
    while len(found) < count:
        slow = random_position(rng, rng.choice(list(PROFILES.values())))
        if slow.result() is not None:
            continue
        state = core_of(slow)
        if sum(map(len, state.groups)) <= 4 and len(state.legal_moves) <= 20:
            found.append(state)
    return found


def searched(state: Vampires, contempt: float, depth: int, **changes: Any) -> SearchResult:
    options = VampiresEngineOptions(**(ALPHABETA | {"contempt": contempt} | changes))
    return state.search(options).run(state, depth=depth)


def with_contempt(value: float, contempt: float) -> float:
    return value + contempt * (1 - value * value)


@pytest.mark.parametrize("contempt", [0.25, -0.5])
def test_contempt_lifts_the_values_of_open_positions_alone(contempt: float) -> None:
    compared = 0
    for state in positions(150, seed=2):
        me = state.to_move
        for line in searched(state, contempt, 1, lines=5, few_outcomes=1).moves[:5]:
            after = state.play(str(line.move))
            if after.is_chance or not line.is_exact:
                continue
            if after.is_terminal:
                assert after.result is not None
                assert line.value == after.result.outcome_for(me)
            else:
                expected = with_contempt(after.evaluate(me, "network"), contempt)
                assert line.value == pytest.approx(expected, abs=1e-12), state.position
                compared += 1
    assert compared > 150


def test_a_battle_is_the_mean_of_its_outcomes_with_contempt() -> None:
    state = new("vampires", "1x4/20v0.0+20w1.0+30h3.0")
    battle = state.play("0.0-1.0x20")
    expected = 0.0
    for i, chance in enumerate(battle.outcomes):
        after = battle.resolve(i)
        known = after.result
        value = known.outcome_for(0) if known else with_contempt(after.evaluate(0, "network"), 0.3)
        expected += chance * value
    assert searched(state, 0.3, 1).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("contempt", [0.5, -0.5])
def test_values_stay_in_the_bounds_that_star1_relies_on(contempt: float) -> None:
    for state in positions(60, seed=3):
        for line in searched(state, contempt, 2, few_outcomes=3, quiescence=2).moves:
            assert -1 <= line.value <= 1


@pytest.mark.parametrize("chance", ["star1", "star2"])
@pytest.mark.parametrize("contempt", [0.3, -0.5])
def test_chance_pruning_finds_the_value_of_the_full_width(chance: str, contempt: float) -> None:
    battles = plain_nodes = pruned_nodes = 0
    for state in positions(60, seed=4):
        plain = searched(state, contempt, 2, few_outcomes=1, pruning=False, table="off")
        pruned = searched(state, contempt, 2, few_outcomes=1, chance=chance)
        assert pruned.value == pytest.approx(plain.value, abs=1e-9), state.position
        plain_nodes, pruned_nodes = plain_nodes + plain.nodes, pruned_nodes + pruned.nodes
        battles += any(state.play(move).is_chance for move in state.legal_moves)
    assert battles > 15
    assert pruned_nodes < plain_nodes


def test_without_contempt_the_engine_searches_as_plain_alphabeta() -> None:
    parameters = VampiresEngineParameters()
    for state in positions(40, seed=5):
        plain = engine_search(parameters, Vampires, 1, few_outcomes=3, quiescence=2, generator="contact")
        found = plain.run(state, nodes=400)
        player = agent("vampires:nodes=400", game="vampires")
        assert player.choose(state, Clock()) == found.moves[0].move
        plain.forget()
        settings = {"few_outcomes": 3, "quiescence": 2, "generator": 2, "table_depth": 1, "accept_deeper": True}
        own, full = searched(state, 0.0, 3, **settings), plain.run(state, depth=3)
        assert (own.value, own.nodes) == (full.value, full.nodes)


def test_contempt_declines_an_even_battle_that_its_opposite_seeks() -> None:
    # Twenty against twenty with a house for either: the battle and the quiet game are worth the same to equal players.
    state = new("vampires", "7x7/20v3.3+20w4.3+10h1.1+10h5.5")

    def attacks(contempt: float) -> bool:
        chosen = agent(f"vampires:depth=4,contempt={contempt}", game="vampires").choose(state, Clock())
        return state.play(chosen).is_chance

    assert [attacks(contempt) for contempt in (-0.3, 0.1, 0.3)] == [True, False, False]


def test_contempt_has_bounds() -> None:
    for refused in ("0.6", "-1", "nan", "much"):
        with pytest.raises(SpecError, match="contempt"):
            agent(f"vampires:contempt={refused}", game="vampires")
