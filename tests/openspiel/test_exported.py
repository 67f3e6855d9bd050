"""Joute's games in OpenSpiel: its own tests of them, its algorithms and bots on them, and agents as its bots."""

from __future__ import annotations

import pickle
import subprocess
import sys
import unittest
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import mcts, minimax

import joute
from joute import JouteError, Random, new
from joute.games import game_names

#: The games that are not OpenSpiel's own.
OURS = [name for name in game_names() if name != "openspiel"]
MAX_PLIES = {"quoridor": 60}  # random games of it are long


def made(game: str) -> Any:
    return joute.openspiel.game(game, max_plies=MAX_PLIES.get(game, 1000))


def simulated(game: Any, games: int) -> int:
    """Run OpenSpiel's test by random games; return the number of positions in which something was chosen."""
    seen: list[str] = []
    pyspiel.random_sim_test(game, games, serialize=True, verbose=False, state_checker_fn=lambda state: seen.append(""))
    return len(seen)


@pytest.mark.parametrize("ours", OURS)
def test_a_game_passes_the_simulations_of_openspiel(ours: str) -> None:
    assert simulated(made(ours), 1) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    ["vampires:map=fork,rules=official-2019", "quoridor:rules=course,null_move=yes", "divercite:rules=official"],
)
def test_variants_pass_the_simulations_of_openspiel(spec: str) -> None:
    assert simulated(joute.openspiel.game(spec), 10) > 100


@pytest.mark.slow
@pytest.mark.parametrize("ours", OURS)
def test_a_game_passes_many_simulations_and_the_api_test_of_openspiel(ours: str) -> None:
    from open_spiel.integration_tests import api_test

    assert simulated(joute.openspiel.game(ours), 100) > 100
    members = {"game": made(ours), "game_name": ours}
    case = type("Case", (api_test.EnforceAPIOnPartialTreeBase,), members)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun == 5
    assert [text for _, text in result.errors + result.failures] == []


def test_openspiel_knows_every_game_and_its_rules() -> None:
    assert {"joute_connect4", "joute_quoridor", "joute_vampires", "joute_tictactoe"} <= set(joute.openspiel.register())
    course = pyspiel.load_game("joute_quoridor(rules=course)")
    assert course.new_initial_state().position.spec == "quoridor:rules=course"
    assert str(joute.openspiel.game("quoridor", rules="course")) == str(course)
    assert joute.openspiel.game("openspiel:game=hex,board_size=5").get_type().short_name == "hex"


def test_a_state_tells_its_position_and_returns() -> None:
    state = joute.openspiel.game("connect4").new_initial_state()
    for action in (3, 4, 3, 4, 3, 4, 3):
        assert state.returns() == [0, 0]
        assert str(state.position.play(str(action + 1)).position) == state.position.position + str(action + 1)
        state.apply_action(action)
    assert state.is_terminal()
    assert state.returns() == [1, -1]
    assert "second" not in str(state).splitlines()[-1]
    assert joute.openspiel.position(state) is state.position


def test_a_state_begins_at_a_position() -> None:
    game = joute.openspiel.game("connect4")
    assert game.new_initial_state("4455").position == new("connect4", "4455")
    assert joute.openspiel.state(new("connect4", "4455")).position == new("connect4", "4455")
    with pytest.raises(JouteError, match="a text"):
        game.new_initial_state({"position": "44"})
    with pytest.raises(JouteError, match="a position of avalam is none of connect4"):
        game.state_at(new("avalam"))
    with pytest.raises(JouteError, match="differs in size"):
        joute.openspiel.game("vampires").new_initial_state(new("vampires:map=hamlet").position)


def test_the_observation_is_what_a_network_sees() -> None:
    state: Any = new("vampires:map=hamlet")
    spiel = joute.openspiel.state(state)
    planes = np.frombuffer(state.observe(), np.uint8).reshape(state.observation_shape)
    seen = np.reshape(spiel.observation_tensor(0), state.observation_shape)
    assert np.allclose(seen, planes * np.array(state.observation_scales)[:, None, None])
    assert seen.max() <= 1


def test_a_turn_of_several_actions_and_its_battle_are_nodes_of_their_own() -> None:
    rng, chances, unfinished = Random(2), 0, 0
    state = joute.openspiel.game("vampires:map=crowd").new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            chances += 1
            assert sum(probability for _, probability in state.chance_outcomes()) == pytest.approx(1)
            assert state.position.is_chance
        unfinished += bool(state.taken)
        copy = pickle.loads(pickle.dumps(state))
        assert copy.position == state.position
        assert copy.taken == state.taken
        state.apply_action(rng.choice(state.legal_actions()))
    assert chances
    assert unfinished
    assert sum(state.returns()) == 0


def test_a_game_is_stopped_after_its_most_plies() -> None:
    state = joute.openspiel.game("quoridor", max_plies=3).new_initial_state()
    for _ in range(3):
        assert not state.is_terminal()
        state.apply_action(state.legal_actions()[0])
    assert state.is_terminal()
    assert state.returns() == [0, 0]
    with pytest.raises(JouteError, match="max_plies must be 1 or more"):
        joute.openspiel.game("quoridor", max_plies=0)


def test_the_algorithms_of_openspiel_run_on_our_games() -> None:
    game = joute.openspiel.game("tictactoe")
    lost = game.new_initial_state("XX.OO....")
    assert minimax.alpha_beta_search(game, state=lost)[0] == 1
    bots = [
        mcts.MCTSBot(
            game, 2, 30, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), random_state=np.random.RandomState(2)
        ),
        pyspiel.make_uniform_random_bot(1, 1),
    ]
    wins = sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)[0] for seed in range(10))
    assert wins > 0


# --- Agents as bots, bots as agents ---


def test_an_agent_plays_as_a_bot(game: str) -> None:
    """Vampires move several groups in a turn, which is several actions."""
    bots = [joute.openspiel.bot("greedy"), joute.openspiel.bot("random", seed=2)]
    assert sum(pyspiel.evaluate_bots(made(game).new_initial_state(), bots, 1)) == 0


def test_an_agent_plays_the_games_of_openspiel_as_a_bot() -> None:
    class Corner:
        def choose(self, state: Any, clock: Any) -> Any:
            assert clock.iterations == 7
            return state.legal_moves[0]

    bots = [joute.openspiel.bot(Corner(), clock=joute.Clock(iterations=7)), joute.openspiel.bot("random", seed=1)]
    state = pyspiel.load_game("hex(board_size=3)").new_initial_state()
    assert bots[0].step(state) == 0
    assert sorted(pyspiel.evaluate_bots(state, bots, 1)) == [-1, 1]


def test_a_bot_cannot_complete_the_turn_of_another() -> None:
    state = joute.openspiel.game("vampires:map=crowd").new_initial_state()
    while not state.taken:
        state.apply_action(state.legal_actions()[-2])
    with pytest.raises(JouteError, match="did not begin this move"):
        joute.openspiel.bot("random").step(state)


@pytest.mark.parametrize("rules", ["official", "official-2019"])
def test_every_turn_that_is_listed_can_be_made_of_actions(rules: str) -> None:
    rng = Random(4)
    state: Any = new(f"vampires:map=crowd,rules={rules}")
    for _ in range(20):
        if state.is_terminal:
            break
        for move in state.legal_moves[:15]:
            assert state.move_of(state.actions_of(move)) == move
        state = state.play(state.random_move(rng), rng)


def test_a_bot_of_openspiel_takes_a_win_in_our_games_and_its_own() -> None:
    player = joute.agent("openspiel-bot:mcts,iterations=200", seed=1)
    assert str(player.choose(new("connect4", "414141"), joute.Clock())) == "4"
    assert str(player.choose(new("openspiel:game=connect_four", "3.0.3.0.3.0"), joute.Clock())) == "x3"
    chess = new("openspiel:game=chess").play("f3").play("e5").play("g4")
    assert str(player.choose(chess, joute.Clock())) == "Qh4#"


@pytest.mark.parametrize("spec", ["openspiel-bot:mcts,iterations=5", "openspiel-bot:uniform_random"])
def test_bots_of_openspiel_play_our_games(game: str, spec: str) -> None:
    state = new(game)
    while state.is_chance:
        state = state.resolve(0)
    first, again = (joute.agent(spec, game=game, seed=3).choose(state, joute.Clock()) for _ in range(2))
    assert first == again
    assert state.is_legal(first)


def test_any_bot_is_an_agent() -> None:
    game = joute.openspiel.game("tictactoe")
    bot = mcts.MCTSBot(game, 2, 20, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)))
    record = joute.play_game("tictactoe", joute.openspiel.agent(bot), "random", seed=1)
    assert record.reason.value == "normal"


def test_a_process_that_registered_games_ends_well() -> None:
    """OpenSpiel frees its registry after the end of Python."""
    code = "import joute; joute.openspiel.game('connect4').new_initial_state()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
