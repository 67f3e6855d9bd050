"""From nothing to perfect play: tic-tac-toe, learned in a fixed number of steps on one core."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from network_batches import Searches
from network_evaluators import Answers, Evaluator, Legal, Planes

from joute import new
from joute.agents.network import Network, find_network
from joute.train.checkpoint import RunFolder
from joute.train.loop import NETWORK, train
from joute.train.parameters import TrainParameters

# One of six seeds loses two of these games when it plays its first thought; with a search none does.
SIMULATIONS = (4, 8, 16)
SMALL: dict[str, Any] = {
    "device": "cpu",
    "threads": 1,
    "seed": 1,
    "channels": 32,
    "blocks": 1,
    "pools": 1,
    "games": 128,
    "simulations": 16,
    "random_share": 0.5,
    "batch": 256,
    "learning_rate": 0.005,
    "warm_up": 20,
    "ema": 0.98,
    "sample_reuse": 4.0,
    "window_min": 20_000,
    "checkpoint_steps": 10_000,
    "match_every": 0,
}


def trained(path: Path, **settings: Any) -> Network:
    with RunFolder(path) as folder:
        train("noughts", TrainParameters(**SMALL | settings), folder, command="", say=lambda _: None)
    return find_network(str(path / NETWORK), new("noughts"), 1)


def evaluator_of(network: Network) -> Evaluator:
    def evaluate(planes: Planes, legal: Legal) -> Answers:
        priors, values = np.zeros(legal.shape, np.float32), np.zeros(len(planes), np.float32)
        network.evaluate(planes, legal, priors, values)
        return priors, values

    return evaluate


def lost_games(evaluator: Evaluator, player: int, simulations: int) -> int:
    """Of all games in which the opponent tries everything: how many end with the player beaten."""
    lost = 0
    states = [new("noughts")]
    while states:
        lost += sum(state.result is not None and state.result.outcome_for(player) < 0 for state in states)
        states = [state for state in states if not state.is_terminal]
        mine = [state for state in states if state.to_move == player]
        following = [state.play(move) for state in states if state.to_move != player for move in state.legal_moves]
        if mine:
            results = Searches(mine, evaluator, simulations=simulations).results
            following += [state.play(result.moves[0].move) for state, result in zip(mine, results, strict=True)]
        states = following
    return lost


def test_tic_tac_toe_is_learned(tmp_path: Path) -> None:
    before, after = losses(tmp_path, steps=200)
    assert all(lost_before > 100 for lost_before in before)
    assert all(lost_after < lost_before / 10 for lost_before, lost_after in zip(before, after, strict=True))


@pytest.mark.slow
def test_tic_tac_toe_is_learned_to_perfection(tmp_path: Path) -> None:
    before, after = losses(tmp_path, steps=800)
    assert all(lost_before > 100 for lost_before in before)
    assert after == [0] * len(SIMULATIONS)


def losses(path: Path, steps: int) -> tuple[list[int], list[int]]:
    """How many games are lost by each number of simulations: before any training, and after so many steps."""
    before, after = trained(path / "before", minutes=0.0), trained(path / "after", steps=steps)
    return lost_by(evaluator_of(before)), lost_by(evaluator_of(after))


def lost_by(evaluator: Evaluator) -> list[int]:
    return [sum(lost_games(evaluator, player, count) for player in (0, 1)) for count in SIMULATIONS]
