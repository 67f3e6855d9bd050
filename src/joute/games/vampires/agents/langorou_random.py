"""The random player of the paper on Vampires vs Werewolves, the opponent of its first tests.

It draws from the turns that the paper's player considers (`report`): whole groups in any direction, and halves. The
agent `random` draws from candidates that lead towards targets, so it is much stronger.
"""

from __future__ import annotations

from dataclasses import dataclass

from joute._core import Random
from joute.agents.clock import Clock
from joute.agents.registry import AgentType
from joute.games import Move, State
from joute.games.vampires.state import Vampires


@dataclass(frozen=True)
class LangorouRandomParameters:
    """The paper's random player has no parameters."""


class LangorouRandom:
    """Plays one of the turns that Langorou considers, each equally likely."""

    def __init__(self, parameters: LangorouRandomParameters, seed: int) -> None:
        self._rng = Random(seed)

    def choose(self, state: State, clock: Clock) -> Move:
        """Return a turn drawn uniformly from those of the generator `report`."""
        assert isinstance(state, Vampires)
        turn: Move = self._rng.choice(state.moves("report"))
        return turn


LANGOROU_RANDOM = AgentType(
    "langorou-random",
    "random player of the Vampires paper: any turn that langorou considers, each as likely",
    LangorouRandomParameters,
    LangorouRandom,
    ("vampires",),
)
