"""Comparison of a run's networks: gates, and ratings against earlier networks and fixed references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import torch

from joute.games import State
from joute.match import MatchResult
from joute.match.game import derive_seed
from joute.match.ratings import Rating
from joute.train.inference import Inference
from joute.train.ladder import Ladder, MatchCounts, name_of, rungs_to_keep
from joute.train.matches import AgentPlayer, ManyPlayer, NetworkPlayer, Verdict, gate, openings_of, play_together
from joute.train.network import Network, on_host
from joute.train.parameters import TrainParameters

# A rating is measured against this many of the newest rungs; older ones carry little information.
_RIVALS = 2


class MakeInference(Protocol):
    """Makes an inference for the run's network; a match then refreshes it with the weights of its players."""

    def __call__(self, batch: int, *, slots: int) -> Inference:
        """An inference with `slots` batches of `batch` positions."""


class Played(NamedTuple):
    """The matches that rate a network."""

    #: Its learner steps.
    steps: int
    results: list[MatchResult]
    #: Its weights in host memory.
    weights: dict[str, Any]


class Contests:
    """All matches of a run, and the earlier networks that are kept as opponents."""

    def __init__(
        self,
        start: State,
        parameters: TrainParameters,
        *,
        new_network: Callable[[], Network],
        make_inference: MakeInference,
    ) -> None:
        self.ladder = Ladder(parameters.references.split())
        #: Weights of earlier networks, by learner steps.
        self.rungs: dict[int, dict[str, Any]] = {}
        self._start, self._parameters = start, parameters
        self._new_network, self._make_inference = new_network, make_inference
        self._inferences: list[Inference] = []  # made when the first match is played

    def gate(self, challenger: Network, champion: Network, *, steps: int) -> Verdict:
        """Play a gate: whether the challenger, after `steps` learner steps, replaces the network that plays."""
        parameters = self._parameters
        new_one, old_one = self._ready(challenger, champion)
        games = parameters.gate_games if parameters.gate == "margin" else parameters.gate_limit
        return gate(
            self._player(name_of(steps), new_one),
            self._player("the one that plays", old_one),
            openings_of(self._start.spec, parameters, games),
            parameters,
            seed=derive_seed(parameters.seed, 2**34 + steps),
        )

    def prepare(self) -> None:
        """Make what matches need beforehand, in the thread of the loop."""
        self._make_inferences(2)

    def play(self, network: Network, *, steps: int, stop: Callable[[], bool] = lambda: False) -> Played:
        """Play the matches that rate a network after `steps` learner steps; InterruptedMatchError once `stop()`.

        Nothing else changes, so another thread may play while the loop goes on.
        """
        parameters = self._parameters
        openings = openings_of(self._start.spec, parameters, parameters.match_games)
        earlier = self._new_network()
        mine, theirs = self._ready(network, earlier)
        me = self._player(name_of(steps), mine)

        def against(rival: ManyPlayer) -> MatchResult:
            seed = derive_seed(parameters.seed, 2**36 + steps)
            return play_together(me, rival, openings, seed=seed, max_plies=parameters.max_plies, stop=stop)

        results = []
        for spec in self.ladder.references:
            results.append(against(AgentPlayer(spec, self._start, seed=derive_seed(parameters.seed, 2**35 + steps))))
        for rung in sorted(self.rungs)[-_RIVALS:]:
            earlier.load_state_dict({name: tensor.float() for name, tensor in self.rungs[rung].items()})
            theirs.refresh(earlier)
            results.append(against(self._player(name_of(rung), theirs)))
        return Played(steps, results, on_host(network, torch.float16))

    def rate(self, played: Played) -> tuple[str, Rating, dict[str, MatchCounts]]:
        """Rate a network by its matches: its name, its rating, and its matches by opponent. It becomes a rung."""
        results = {result.b: self.ladder.add(result) for result in played.results}
        self.rungs[played.steps] = played.weights
        self.rungs = {rung: self.rungs[rung] for rung in rungs_to_keep(list(self.rungs))}
        name = name_of(played.steps)
        return name, self.ladder.ratings()[name], results

    def _make_inferences(self, count: int) -> None:
        while len(self._inferences) < count:
            most = max(self._parameters.match_games, self._parameters.gate_games)
            self._inferences.append(self._make_inference(most, slots=1))

    def _ready(self, *networks: Network) -> list[Inference]:
        self._make_inferences(len(networks))
        for inference, network in zip(self._inferences, networks, strict=True):
            inference.refresh(network)
        return self._inferences

    def _player(self, name: str, inference: Inference) -> NetworkPlayer:
        return NetworkPlayer(name, self._start, inference, self._parameters)
