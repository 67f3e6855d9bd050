"""Matches between networks: pairs from openings, all games together; gates; a ladder of ratings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from joute import new
from joute.errors import JouteError
from joute.games import Move, State
from joute.games.connect4.state import Connect4
from joute.match import MatchResult
from joute.match.ratings import Rating
from joute.train.ladder import Ladder, MatchCounts, name_of, rungs_to_keep
from joute.train.matches import (
    AgentPlayer,
    NetworkPlayer,
    by_margin,
    gate,
    openings_of,
    play_together,
)
from joute.train.parameters import TrainParameters

START = Connect4.new()
PARAMETERS = TrainParameters.read({"threads": "1", "match_simulations": "64"}, Connect4)


class Slot:
    def __init__(self, batch: int) -> None:
        self.arrays = (
            np.zeros((batch, 2 * 6 * 7), np.uint8),
            np.full((batch, 7), -1, np.int16),
            np.zeros((batch, 7), np.float16),
            np.zeros(batch, np.float16),
        )


class NothingLearned:
    """A network that calls all moves alike and every position even."""

    def __init__(self, batch: int) -> None:
        self.batch = batch
        self.slots = (Slot(batch),)
        self.batches = 0

    def launch(self, slot: Slot) -> None:
        _, legal, priors, values = slot.arrays
        is_move = legal >= 0
        priors[:] = is_move / np.maximum(1, is_move.sum(axis=1, keepdims=True))
        values[:] = 0
        self.batches += 1

    def wait(self, slot: Slot) -> None:
        pass


def searcher(simulations: int, batch: int = 16) -> NetworkPlayer:
    settings = replace(PARAMETERS, match_simulations=simulations)
    return NetworkPlayer(f"{simulations} simulations", START, NothingLearned(batch), settings)


class Leftmost:
    name = "leftmost"

    def __init__(self) -> None:
        self.asked: list[int] = []

    def choose(self, states: Sequence[State]) -> list[Move]:
        self.asked.append(len(states))
        return [state.legal_moves[0] for state in states]


def openings(count: int) -> tuple[State, ...]:
    return openings_of("connect4", PARAMETERS, 2 * count)


def test_a_match_is_played_in_pairs_with_colours_swapped_and_all_games_together() -> None:
    player = Leftmost()
    result = play_together(player, AgentPlayer("greedy", START, seed=1), openings(10))
    assert result.games == 20
    assert result.pentanomial.pairs == 10
    assert sum(result.tally(a_first=True)) == sum(result.tally(a_first=False)) == 10
    assert result.score < 0.3  # greedy sees wins and blocks them
    assert player.asked[0] == 10  # half of the games: in the others the opponent is to move
    assert len(player.asked) <= 21


def test_openings_are_drawn_by_the_seed_of_the_run_and_differ() -> None:
    assert len(set(openings(30))) == 30
    assert openings(30) == openings(30)
    assert openings_of("connect4", replace(PARAMETERS, seed=5), 60) != openings(30)


def test_a_network_that_knows_nothing_wins_by_searching_more() -> None:
    result = play_together(searcher(100), searcher(1), openings(20))
    assert result.score > 0.8
    again = play_together(searcher(100), searcher(1), openings(20))
    assert (again.tally(), again.pentanomial) == (result.tally(), result.pentanomial)


def test_how_many_positions_fit_in_a_batch_does_not_change_the_moves() -> None:
    states = openings(12)
    small, large = searcher(32, batch=5), searcher(32, batch=12)
    assert small.choose(states) == large.choose(states)
    assert all(state.is_legal(move) for state, move in zip(states, large.choose(states), strict=True))


def test_a_network_player_takes_a_win_in_one() -> None:
    states = [new("connect4", position) for position in ("121212", "445566", "4412131")]
    for state, move in zip(states, searcher(16).choose(states), strict=True):
        assert move in state.winning_moves or not state.winning_moves
    assert [len(state.winning_moves) for state in states] == [1, 2, 0]


def test_a_game_that_is_too_long_is_stopped() -> None:
    result = play_together(Leftmost(), Leftmost(), openings(3), max_plies=6)
    assert result.reasons == {"ply limit": 6}


def test_games_of_chance_are_settled_by_the_seed() -> None:
    dice = new("dice")
    players = [AgentPlayer("random", dice, seed=n) for n in (1, 2)]
    found = [play_together(players[0], players[1], [dice] * 5, seed=seed).games for seed in (1, 2)]
    assert found == [10, 10]


def margin(wins: int, draws: int, losses: int) -> MatchResult:
    """A match with these results, as far as a gate asks."""

    class Counted(MatchResult):
        def tally(self, *, a_first: bool | None = None) -> tuple[int, int, int]:
            return wins, draws, losses

    return Counted("new", "old")


@pytest.mark.parametrize(
    ("results", "is_in"),
    [((22, 0, 18), True), ((21, 0, 19), False), ((11, 20, 9), True), ((0, 40, 0), False), ((40, 0, 0), True)],
)
def test_the_gate_by_margin_asks_for_55_percent_of_decided_games(results: tuple[int, int, int], is_in: bool) -> None:
    assert by_margin(margin(*results), 0.55).accepted is is_in


class Never:
    name = "never"

    def choose(self, states: Sequence[State]) -> list[Move]:
        raise AssertionError("nobody is to be asked")


def test_without_a_gate_no_game_is_played() -> None:
    assert gate(Never(), Never(), (), PARAMETERS, seed=1).accepted


def test_the_gate_by_margin_plays_its_games() -> None:
    asked = replace(PARAMETERS, gate="margin", gate_games=12)
    verdict = gate(AgentPlayer("greedy", START, seed=1), Leftmost(), openings(20), asked, seed=1)
    assert (verdict.accepted, verdict.games) == (True, 12)
    assert not gate(Leftmost(), AgentPlayer("greedy", START, seed=1), openings(20), asked, seed=1).accepted
    with pytest.raises(JouteError, match="needs openings"):
        gate(Leftmost(), Leftmost(), (), asked, seed=1)


def test_the_gate_by_sprt_stops_when_it_is_decided_and_keeps_the_old_network_when_it_is_not() -> None:
    asked = replace(PARAMETERS, gate="sprt", gate_sprt="elo0=0,elo1=100")
    greedy, random = AgentPlayer("greedy", START, seed=1), AgentPlayer("random", START, seed=2)
    better = gate(greedy, random, openings(100), asked, seed=1)
    assert better.accepted
    assert better.games < 200
    assert "H1 accepted" in better.sentence
    worse = gate(random, greedy, openings(100), asked, seed=1)
    assert not worse.accepted
    assert "H0 accepted" in worse.sentence
    even = gate(Leftmost(), Leftmost(), openings(20), replace(asked, gate_limit=6), seed=1)
    assert (even.accepted, even.games, even.score) == (False, 6, 0.5)
    assert "not decided" in even.sentence


def ladder() -> Ladder:
    made = Ladder(("random", "greedy"))
    players = {spec: AgentPlayer(spec, START, seed=3) for spec in ("random", "greedy", "mcts:iterations=30")}
    for a, b in (("greedy", "random"), ("mcts:iterations=30", "greedy"), ("mcts:iterations=30", "random")):
        made.add(play_together(players[a], players[b], openings(20)))
    return made


def test_a_ladder_rates_by_all_matches_with_intervals_and_its_last_reference_at_zero() -> None:
    made = ladder()
    found = made.ratings()
    assert found["greedy"] == Rating(0.0, 0.0, 0.0)
    assert found["random"].elo < 0 < found["mcts:iterations=30"].elo
    assert all(rating.low <= rating.elo <= rating.high for rating in found.values())
    assert Ladder(()).ratings() == {}


def test_a_ladder_comes_back_from_json() -> None:
    import json

    made = ladder()
    again = Ladder.from_data(made.references, json.loads(json.dumps(made.as_data())))
    assert again.matches == made.matches
    assert [repr(each) for each in again.ratings().values()] == [repr(each) for each in made.ratings().values()]


def test_what_is_remembered_of_a_match_is_its_pairs() -> None:
    result = play_together(AgentPlayer("greedy", START, seed=1), AgentPlayer("random", START, seed=1), openings(15))
    played = MatchCounts.of(result)
    assert played.games == 30
    assert math.isclose(played.score, result.score)
    as_first = sum(count * (place // 3) / 2 for place, count in enumerate(played.counts))
    wins, draws, _ = result.tally(a_first=True)
    assert as_first == wins + draws / 2


def test_few_earlier_networks_are_kept_and_they_spread_over_the_run() -> None:
    kept: list[int] = []
    for steps in range(0, 5000, 250):
        kept = rungs_to_keep([*kept, steps])
        assert len(kept) <= 4
        assert kept[-1] == steps
    assert kept[0] < 2000
    assert rungs_to_keep([]) == []
    assert name_of(1500) == "step 1,500"


def test_an_agent_of_another_game_is_refused() -> None:
    with pytest.raises(JouteError, match="does not play"):
        AgentPlayer("quoridor", START, seed=0)
