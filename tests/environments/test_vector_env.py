"""Batches of games: the same games as in Python, resets, truncation, threads, mistakes."""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
import numpy as np
import pytest

import joute
from joute.errors import IllegalMoveError, JouteError
from joute.games import NativeState


def test_a_batch_plays_the_games_that_python_plays(game: str) -> None:
    """Every observation, mask, reward and end is what the position itself says."""
    if not isinstance(joute.new(game), NativeState):
        with pytest.raises(JouteError, match=f"{game} has no batches: they are for games of the core"):
            joute.vector_env(game, 4)
        return
    envs = joute.vector_env(game, 4, threads=2, max_plies=60)
    seen, infos = envs.reset(seed=1)
    chance = joute.new(game).has_chance
    states: list[Any] = [envs.state(i) for i in range(4)]
    taken: list[list[int]] = [[] for _ in range(4)]
    ends = 0
    for _ in range(100):
        for i, state in enumerate(states):
            assert seen[i].tobytes() == state.observe(taken[i])
            assert list(np.flatnonzero(infos["action_mask"][i])) == sorted(state.legal_actions(taken[i]))
            assert infos["to_move"][i] == state.to_move
        actions = envs.random_actions()
        seen, rewards, ended, cut, infos = envs.step(actions)
        for i, action in enumerate(actions.tolist()):
            taken[i].append(action)
            move = states[i].move_of(taken[i])
            if move is None:
                assert (rewards[i], ended[i], cut[i]) == (0, False, False)
                continue
            taken[i] = []
            after = states[i].play(move)
            if chance and after.is_chance and not ended[i] and not cut[i]:
                after = envs.state(i)  # the outcome was drawn within
            if not after.is_chance:
                assert ended[i] == after.is_terminal
                assert cut[i] == (not ended[i] and after.ply >= 60)
            if ended[i] or cut[i]:
                ends += 1
                assert infos["_final_obs"][i]
                if not after.is_chance:
                    assert infos["final_obs"][i].tobytes() == after.observe()
                if ended[i] and not after.is_chance:
                    assert rewards[i] == after.result.outcome_for(states[i].to_move)
                after = envs.state(i)
                assert after.ply == 0
            else:
                assert rewards[i] == 0
            states[i] = after
    assert ends > 0


@pytest.mark.parametrize("played", ["connect4", "vampires"])
def test_a_seed_determines_all_with_any_number_of_threads(played: str) -> None:
    def course(threads: int, seed: int) -> list[bytes]:
        envs = joute.vector_env(played, 7, threads=threads, max_plies=30)
        found = [envs.reset(seed=seed)[0].tobytes()]
        for _ in range(60):
            found += [part.tobytes() for part in envs.step(envs.random_actions())[:4]]
        return found

    assert course(1, 3) == course(3, 3) == course(7, 3)
    assert course(1, 3) != course(1, 4)


def test_games_begin_at_positions_drawn_from_the_starts() -> None:
    texts = {"44", "4", "7654321"}
    envs = joute.vector_env("connect4", 64, starts=[joute.new("connect4", text) for text in texts])
    envs.reset(seed=1)
    assert {envs.state(i).position for i in range(64)} == texts
    assert type(envs.state(0)) is type(joute.new("connect4"))


def test_maps_of_vampires_can_be_drawn() -> None:
    rng = joute.Random(1)
    state = joute.new("vampires")
    maps = [state.random_start(rng) for _ in range(20)]
    envs = joute.vector_env("vampires", 50, starts=maps)
    envs.reset(seed=1)
    assert len({envs.state(i).position for i in range(50)}) > 10


def test_some_games_can_be_reset_alone() -> None:
    envs = joute.vector_env("connect4", 3, threads=1)
    envs.reset(seed=1)
    envs.step(np.array([0, 1, 2]))
    seen, infos = envs.reset(options={"reset_mask": np.array([True, False, True])})
    assert [envs.state(i).position for i in range(3)] == ["", "2", ""]
    assert infos["to_move"].tolist() == [0, 1, 0]
    assert seen[1].tobytes() == joute.new("connect4", "2").observe()  # type: ignore[attr-defined]


def test_arrays_are_kept_or_made_anew() -> None:
    for copy in (True, False):
        envs = joute.vector_env("connect4", 2, threads=1, copy=copy)
        first, _ = envs.reset(seed=1)
        second, *_ = envs.step(np.array([0, 1]))
        assert (first is second) != copy
        assert first.any() != copy  # the empty board has no bits


def test_the_spaces_are_those_of_gymnasium() -> None:
    envs = joute.vector_env("connect4", 5)
    seen, infos = envs.reset(seed=1)
    assert envs.observation_space.contains(seen)
    assert envs.single_observation_space.contains(seen[0])
    assert envs.action_space.contains(envs.random_actions())
    assert envs.single_action_space.n == envs.action_count == infos["action_mask"].shape[1] == 7
    assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
    assert envs.observation_scales.shape == (2,)
    assert envs.action_text(0, 3) == "4"


def test_an_illegal_action_is_refused_before_any_is_taken() -> None:
    envs = joute.vector_env("connect4", 3, threads=2, starts=[joute.new("connect4", "444444")])
    envs.reset(seed=1)
    with pytest.raises(IllegalMoveError, match="illegal action 3 in game 1 of the batch"):
        envs.step(np.array([0, 3, 3]))
    with pytest.raises(IllegalMoveError, match="illegal action -1 in game 0 of the batch"):
        envs.step(np.array([-1, 0, 0]))
    assert {envs.state(i).position for i in range(3)} == {"444444"}
    with pytest.raises(IllegalMoveError, match="illegal action 3 in game 2 of the batch"):
        envs.action_text(2, 3)


def test_mistakes_are_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for options, sentence in (
        ({"game": "tictactoe"}, "tictactoe has no batches: they are for games of the core"),
        ({"num_envs": 0}, "a batch has at least one game, not 0"),
        ({"threads": -1}, "threads and max_plies must be 0 or more"),
        ({"colour": "red"}, "'colour' is neither an argument nor an option of connect4"),
        ({"starts": [joute.new("avalam")]}, "a start is a position of avalam, and the environment plays connect4"),
        ({"starts": [joute.new("connect4", "1212121")]}, "a start must be a position where the game is not over"),
    ):
        with pytest.raises(JouteError, match=sentence):
            joute.vector_env(**{"game": "connect4", "num_envs": 2, **options})  # type: ignore[arg-type]
    small = joute.new("vampires", joute.new("vampires:map=hamlet").position)
    with pytest.raises(JouteError, match="the board of a start differs in size"):
        joute.vector_env("vampires", 2, starts=[small])
    envs = joute.vector_env("connect4", 2)
    with pytest.raises(JouteError, match=r"call reset\(\) before the first step\(\)"):
        envs.step(np.array([0, 0]))
    with pytest.raises(JouteError, match=r"call reset\(\) before the first random_actions\(\)"):
        envs.random_actions()
    envs.reset()
    chosen = np.array([True, False])
    chosen.flags.writeable = False  # as other libraries' arrays are
    envs.reset(options={"reset_mask": chosen})
    for actions in ([0], [0.5, 0.5], [[0, 0]]):
        with pytest.raises(JouteError, match="the actions must be 2 whole numbers"):
            envs.step(actions)
    with pytest.raises(JouteError, match="reset_mask has the shape"):
        envs.reset(options={"reset_mask": [True]})
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(JouteError, match=r"pip install 'joute\[pettingzoo\]'"):
        _ = envs.action_space
