"""The built-in agents, and how specs become agents."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import pytest
from typed import info_of

import joute
from joute import Clock, Random, agent, new
from joute.agents import Agent, AgentType, agent_types, register_agent
from joute.errors import SpecError


def chosen(spec: str, position: str, game: str = "connect4", seed: int = 0) -> str:
    return str(agent(spec, game=game, seed=seed).choose(new(game, position), Clock()))


def test_greedy_takes_a_win_even_when_it_could_block() -> None:
    # X has three at the bottom, O three in column 7: both would win with their next disc.
    #   . . . . . . O
    #   . . . . . . O
    #   X X X . . . O
    state = new("connect4", "172737")
    assert [str(move) for move in state.winning_moves] == ["4"]
    assert all(chosen("greedy", "172737", seed=seed) == "4" for seed in range(20))


def test_greedy_blocks_a_loss() -> None:
    # O has three in column 7, X has no win.
    #   . . . . . . O
    #   . . . . . . O
    #   X X . . X . O
    state = new("connect4", "172757")
    assert not state.winning_moves
    assert [str(move) for move in state.play("3").winning_moves] == ["7"]
    assert all(chosen("greedy", "172757", seed=seed) == "7" for seed in range(20))


def test_greedy_plays_the_centre_when_nothing_presses() -> None:
    assert all(chosen("greedy", "", seed=seed) == "4" for seed in range(20))


def test_greedy_does_not_open_the_opponents_winning_cell() -> None:
    rng = Random(1)
    checked = 0
    while checked < 200:
        state = new("connect4")
        for _ in range(20):
            if state.is_terminal:
                break
            state = state.play(state.random_move(rng))
        if state.is_terminal or state.winning_moves:
            continue
        safe = [move for move in state.legal_moves if not state.play(move).winning_moves]
        if safe:
            checked += 1
            assert agent("greedy", seed=checked).choose(state, Clock()) in safe


def test_greedy_without_block_walks_into_a_loss() -> None:
    assert chosen("greedy:block=no", "172757") == "4"


def test_greedy_knows_that_a_player_may_move_twice() -> None:
    state = new("boxes")
    for edge in "acd":
        state = state.play(edge)
    # f closes the first box: own boxes count, and the opponent does not get to move.
    assert chosen("greedy", state.position, "boxes") == "f"


def test_greedy_does_not_fear_its_own_next_win() -> None:
    # Two edges are left, and the score is one box each. i closes a box, and then l, also the first
    # player's, closes the last one and wins; l at once would leave both boxes to the opponent.
    #   +-+-+
    #   |O|X|
    #   +-+-+
    #   |   |
    #   +-+ +
    state = new("boxes", "111111110110/10../0")
    assert not state.winning_moves
    assert all(chosen("greedy", state.position, "boxes", seed=seed) == "i" for seed in range(10))


def test_greedy_tells_what_its_choice_is_worth() -> None:
    def value(position: str) -> float | None:
        player = agent("greedy")
        player.choose(new("connect4", position), Clock())
        return info_of(player).value_for_mover

    assert value("112233") == math.inf  # it wins
    assert value("") == 3  # a disc in the middle column


def test_greedy_plays_every_game(game: str) -> None:
    record = joute.play_game(game, "greedy", "random", seed=4)
    assert record.reason.value == "normal", record.detail


def test_random_is_uniform_and_repeats_with_its_seed() -> None:
    state = new("connect4")
    first = [agent("random", seed=7).choose(state, Clock()) for _ in range(3)]
    assert len(set(first)) == 1
    player = agent("random", seed=7)
    counts = Counter(str(player.choose(state, Clock())) for _ in range(7000))
    assert sorted(counts) == list("1234567")
    # 40 is far beyond chance for six degrees of freedom (p < 1e-6).
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 40


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("gredy", "unknown agent 'gredy'; did you mean 'greedy'?"),
        ("zzz", "unknown agent 'zzz'; there are:"),
        ("random:speed=3", "random has no parameters, so 'speed' cannot be set"),
        ("greedy:eval=center", "unknown evaluation of connect4 'center'; did you mean 'centre'?"),
    ],
)
def test_a_wrong_spec_gets_one_clear_sentence(spec: str, complaint: str) -> None:
    with pytest.raises(SpecError) as error:
        agent(spec, game="connect4")
    assert str(error.value).startswith(complaint)


def test_an_agent_may_be_registered_and_may_play_some_games_only() -> None:
    @dataclass(frozen=True)
    class NoParameters:
        pass

    class Centre:
        def __init__(self, parameters: NoParameters, seed: int) -> None:
            pass

        def choose(self, state: joute.State, clock: Clock) -> str:
            return "4"

    register_agent(AgentType("centre-only", "plays 4", NoParameters, Centre, games=("connect4",)))
    assert isinstance(agent("centre-only", game="connect4"), Agent)
    assert "centre-only" in [kind.name for kind in agent_types("connect4")]
    assert "centre-only" not in [kind.name for kind in agent_types("dice")]
    with pytest.raises(SpecError, match="agent 'centre-only' does not play dice; it plays connect4"):
        agent("centre-only", game="dice")
