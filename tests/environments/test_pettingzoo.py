"""Games as environments of PettingZoo: its own tests, actions and observations, ends of games, mistakes."""

from __future__ import annotations

import builtins
import pickle
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from odd_game import Odd
from pettingzoo.test import api_test, render_test, seed_test

import joute
from joute.environments import choices
from joute.environments.aec import GameEnv
from joute.errors import IllegalMoveError, JouteError

ROOMY = {"quoridor": 200}  # random games of it are long


def made(game: str, **options: Any) -> Any:
    return joute.pettingzoo.env(game, max_plies=ROOMY.get(game, 0), **options)


@pytest.mark.filterwarnings("ignore")  # its advice about environments in general
def test_an_environment_passes_the_tests_of_pettingzoo(game: str) -> None:
    api_test(made(game), num_cycles=1000)
    seed_test(lambda: made(game), num_cycles=500)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_an_environment_passes_the_render_test_of_pettingzoo(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: joute.pettingzoo.env(game, render_mode=render_mode, max_plies=20))
    assert "to move" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore")
def test_the_tests_of_pettingzoo_pass_with_rules_and_starts() -> None:
    api_test(joute.pettingzoo.env("vampires", map="hamlet", plies=20, rules="official-2019"), num_cycles=100)
    starts = [joute.new("connect4", "44"), joute.new("connect4", "4")]
    seed_test(lambda: joute.pettingzoo.env("connect4", starts=starts), num_cycles=20)


def play(env: Any, seed: int) -> list[tuple[int, str]]:
    """A random game: each action and its text; checks each observation on the way."""
    env.reset(seed=seed)
    played: list[tuple[int, str]] = []
    rng = np.random.default_rng(seed)
    for agent in env.agent_iter():
        seen, reward, ended, cut, _ = env.last()
        assert env.observation_space(agent).contains(seen)
        if ended or cut:
            assert not seen["action_mask"].any()
            assert reward in (-1, 0, 1)
            env.step(None)
            continue
        action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        played.append((action, env.unwrapped.action_text(action)))
        env.step(action)
    return played


def test_every_action_is_a_move_and_its_text_names_it(game: str) -> None:
    env = made(game)
    raw = env.unwrapped
    env.reset(seed=3)
    while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]) and raw.position.ply < 30:
        state: Any = raw.position
        legal = list(raw.choices.legal(state, ()))
        assert len(set(legal)) == len(legal)
        moves = {raw.choices.move(state, [action]) for action in legal}
        if None not in moves:  # one action makes a move
            assert {str(move) for move in moves} == {str(move) for move in state.legal_moves}
            assert {raw.action_text(action) for action in legal} == {str(move) for move in moves}
        env.step(legal[raw.position.ply % len(legal)])


def test_a_seed_gives_the_same_game(game: str) -> None:
    first, again, other = (play(made(game), seed) for seed in (5, 5, 6))
    assert first == again != other


def test_rewards_and_the_reason_come_with_the_end_of_the_game() -> None:
    env = joute.pettingzoo.env("connect4")
    env.reset()
    for column in (3, 4, 3, 4, 3, 4, 3):
        assert env.rewards == {"player_0": 0, "player_1": 0}
        env.step(column)
    assert env.rewards == {"player_0": 1, "player_1": -1}
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.infos["player_0"] == {"decided_by": "four in a row"}
    assert env.last()[1] == -1  # the loser is told first
    env.step(None)
    assert env.last()[1] == 1


def test_an_illegal_action_loses_the_game() -> None:
    env = joute.pettingzoo.env("connect4")
    env.reset(options={"position": "444444"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env.step(3)
    assert env.rewards["player_0"] == -1
    raw = joute.pettingzoo.raw_env("connect4")
    raw.reset(options={"position": "444444"})
    with pytest.raises(IllegalMoveError, match="illegal action 3 at ply 6 of connect4"):
        raw.step(3)


def test_a_game_is_truncated_without_rewards() -> None:
    env = joute.pettingzoo.env("avalam", max_plies=2)
    assert len(play(env, 1)) == 2
    env.reset(seed=1)
    for _ in range(2):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    assert set(env.truncations.values()) == {True}
    assert set(env.rewards.values()) == {0}


def test_games_begin_at_positions_drawn_from_the_starts() -> None:
    texts = ("44", "4", "7654321")
    env = joute.pettingzoo.env("connect4", starts=[joute.new("connect4", text) for text in texts])
    seen = set()
    for seed in range(20):
        env.reset(seed=seed)
        seen.add(env.unwrapped.position.position)
        assert env.agent_selection == f"player_{env.unwrapped.position.to_move}"
    assert seen == set(texts)


def test_the_observation_is_what_a_network_sees() -> None:
    env = joute.pettingzoo.env("quoridor")
    env.reset()
    state: Any = env.unwrapped.position
    assert env.last()[0]["observation"].tobytes() == state.encode()
    assert (env.observe("player_1")["action_mask"] == 0).all()
    assert env.observe("player_1")["observation"].tobytes() == state.encode()


def test_render_modes(capsys: pytest.CaptureFixture[str]) -> None:
    env = joute.pettingzoo.env("connect4", render_mode="rgb_array")
    env.reset()
    before = env.render()
    env.step(3)
    after = env.render()
    assert before.dtype == np.uint8
    assert before.shape == after.shape
    assert before.shape[2] == 3
    assert (before != after).any()
    env = joute.pettingzoo.env("connect4", render_mode="ansi")
    env.reset()
    assert env.render().endswith("ply 0: first (X) to move\n")
    assert capsys.readouterr().out == ""
    env = joute.pettingzoo.env("connect4", render_mode="human")
    env.reset()
    env.step(3)
    assert "ply 1: second (O) to move" in capsys.readouterr().out
    with pytest.raises(JouteError, match="render_mode must be one of human, rgb_array, ansi, not 'gif'"):
        joute.pettingzoo.env("connect4", render_mode="gif")


def test_an_environment_can_be_pickled() -> None:
    env = joute.pettingzoo.raw_env("connect4", starts=[joute.new("connect4", "44")])
    copy = pickle.loads(pickle.dumps(env))
    copy.reset()
    assert copy.position.position == "44"


# --- Vampires vs Werewolves: a turn takes several actions ---


def test_a_turn_of_several_orders_takes_several_actions() -> None:
    state: Any = joute.new("vampires:map=fork")
    names = {state.action_text(action): action for action in state.legal_actions()}
    (x, y, units) = next((group.x, group.y, group.units) for group in state.groups[0])
    half = next(text for text in names if text.startswith(f"{x}.{y}-") and text.endswith(f"x{(units + 1) // 2}"))
    taken = [names[half]]
    assert state.move_of(taken) is None
    assert "end" in [state.action_text(action, taken) for action in state.legal_actions(taken)]
    planes = np.frombuffer(state.observe(taken), np.uint8).reshape(state.observation_shape)
    assert planes[-2, y, x] == planes[-1].sum() == (units + 1) // 2
    assert not np.frombuffer(state.observe(), np.uint8).reshape(state.observation_shape)[-2:].any()
    end = next(a for a in state.legal_actions(taken) if state.action_text(a, taken) == "end")
    assert str(state.move_of([*taken, end])) == half


def test_a_turn_ends_by_itself_when_all_units_have_orders() -> None:
    state: Any = joute.new("vampires:map=hamlet")
    group = state.groups[0][0]
    whole = next(action for action in state.legal_actions() if state.action_text(action).endswith(f"x{group.units}"))
    assert str(state.move_of([whole])) == state.action_text(whole)


def test_orders_in_the_same_direction_add_up() -> None:
    state: Any = joute.new("vampires:map=fork")
    group = max(state.groups[0], key=lambda each: each.units)
    taken: list[int] = []
    for sent in range(1, group.units):
        names = {state.action_text(action, taken): action for action in state.legal_actions(taken)}
        one = next(name for name in names if name.startswith(f"{group.x}.{group.y}-") and name.endswith("x1"))
        taken.append(names[one])
        end = next(a for a in state.legal_actions(taken) if state.action_text(a, taken) == "end")
        assert str(state.move_of([*taken, end])) == f"{one.removesuffix('x1')}x{sent}"


@pytest.mark.parametrize("rules", ["official", "official-2019"])
def test_every_turn_of_actions_is_legal(rules: str) -> None:
    rng = joute.Random(1)
    state: Any = joute.new(f"vampires:map=crowd,rules={rules}")
    for _ in range(30):
        if state.is_terminal:
            break
        taken: list[int] = []
        while (move := state.move_of(taken) if taken else None) is None:
            taken.append(rng.choice(state.legal_actions(taken)))
        assert state.is_legal(move)
        state = state.play(move, rng)


def test_an_action_after_a_complete_move_is_refused() -> None:
    state: Any = joute.new("connect4")
    with pytest.raises(JouteError, match="an action follows a complete move"):
        state.move_of([3, 3])
    with pytest.raises(IllegalMoveError, match="illegal action 9 at ply 0 of connect4"):
        state.move_of([9])


# --- Games in Python ---


def test_a_game_in_python_without_planes_is_seen_as_text() -> None:
    state = Odd.new("0ab")
    chosen = choices.choices_of(state)
    assert chosen.observation_shape == (choices.MOST_BYTES,)
    assert bytes(chosen.observe(state, ())).rstrip(b"\0").decode() == state.position
    assert list(chosen.legal(state, ())) == list(range(len(state.legal_moves)))
    assert chosen.move(state, [1]) == state.legal_moves[1]
    with pytest.raises(IllegalMoveError, match="illegal action 99"):
        chosen.move(state, [99])


@pytest.mark.filterwarnings("ignore")
def test_chance_before_the_first_move_is_drawn_from_the_seed() -> None:
    first, again = (play(GameEnv(Odd.new()), seed=2) for _ in range(2))
    assert first == again
    env = GameEnv(Odd.new())
    drawn = set()
    for seed in range(20):
        env.reset(seed=seed)
        drawn.add(env.position.position)
    assert len(drawn) > 1
    assert not any("!" in text for text in drawn)


def test_a_game_in_python_may_have_planes_and_numbers() -> None:
    state: Any = joute.new("tictactoe", "X...O....")
    chosen = choices.choices_of(state)
    assert (chosen.action_count, chosen.observation_shape) == (9, (2, 3, 3))
    assert list(chosen.legal(state, ())) == [1, 2, 3, 5, 6, 7, 8]
    assert chosen.move(state, [8]) == 9
    assert chosen.observe(state, ()).tolist() == [
        [[1, 0, 0], [0, 0, 0], [0, 0, 0]],
        [[0, 0, 0], [0, 1, 0], [0, 0, 0]],
    ]


# --- Mistakes ---


def test_mistakes_are_told_in_a_sentence() -> None:
    for options, sentence in (
        ({"rendermode": "ansi"}, "'rendermode' is neither an argument nor an option of connect4, which has no rules"),
        ({"max_plies": -1}, "max_plies must be 0, for no limit, or more"),
        ({"starts": [joute.new("avalam")]}, "a start is a position of avalam, and the environment plays connect4"),
        ({"starts": [joute.new("connect4", "1212121")]}, "a start must be a position where the game is not over"),
    ):
        with pytest.raises(JouteError, match=sentence):
            joute.pettingzoo.env("connect4", **options)
    with pytest.raises(JouteError, match="did you mean"):
        joute.pettingzoo.env("conect4")


def _drawn() -> Any:
    env = joute.pettingzoo.env("connect4", render_mode="rgb_array")
    env.reset()
    return env.render()


@pytest.mark.parametrize("missing", ["pettingzoo", "gymnasium", "resvg_py"])
def test_a_missing_package_is_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == missing]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.delitem(sys.modules, "joute.environments.aec", raising=False)
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **options: Any) -> Any:
        if name.partition(".")[0] == missing:
            raise ImportError(name)
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(JouteError, match=r"pip install 'joute\[pettingzoo\]'"):
        _drawn()


def test_a_wrong_number_of_a_move_is_told() -> None:
    class Wrong:
        game, ply, position = "wrong", 0, ""
        legal_moves = ("a",)
        action_count = 3

        def action_of(self, move: str) -> object:
            return 3

    wrong: Any = Wrong()
    with pytest.raises(JouteError, match="action_of of wrong must return a whole number below 3 for a, not 3"):
        choices.choices_of(wrong).legal(wrong, ())


def test_a_position_with_too_many_moves_asks_for_numbers() -> None:
    class Wide:
        game, ply = "wide", 0
        legal_moves = range(choices.MOST_MOVES + 1)
        position = "x" * (choices.MOST_BYTES + 1)

    wide: Any = Wide()
    chosen = choices.choices_of(wide)
    with pytest.raises(JouteError, match="define action_count and action_of"):
        chosen.legal(wide, ())
    with pytest.raises(JouteError, match="define observation_shape and observe"):
        chosen.observe(wide, ())
