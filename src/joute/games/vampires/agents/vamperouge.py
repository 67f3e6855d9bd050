"""The learning player of the paper on Vampires vs Werewolves, as an agent.

It searches with 25 simulations, guided by a network that `joute train vampires --preset vamperouge` trained
(joute.games.vampires.vamperouge). Its search has the errors of its training: `faithful` believes that as many monsters
as humans must fight, and that groups count at the ply limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.agents.agent import Analysis, SearchInfo
from joute.agents.alphazero import AlphaZero, AlphaZeroParameters, caveat
from joute.agents.clock import Clock
from joute.agents.registry import AgentType
from joute.agents.search import SearchParameters, plan_parameter
from joute.games import Move, State
from joute.games.vampires.state import Vampires
from joute.games.vampires.vamperouge import C_PUCT, SIMULATIONS, VamperougeErrors
from joute.spec import parameter, vary

_DATA = Path(__file__).parents[1] / "data"
_NETWORKS = {"faithful": "vamperouge.onnx", "corrected": "vamperouge-corrected.onnx"}


@dataclass(frozen=True)
class VamperougeParameters(VamperougeErrors):
    """The network, the search, and the errors of the simulated game."""

    net: str = vary(
        AlphaZeroParameters, "net", help="the network file; empty for the one of this version that comes with Joute"
    )
    iterations: int = vary(
        AlphaZeroParameters, "iterations", default=SIMULATIONS, help="simulations", source="the paper's program"
    )
    seconds: float = vary(SearchParameters, "seconds")
    policy_only: bool = vary(AlphaZeroParameters, "policy_only")
    c_puct: float = vary(AlphaZeroParameters, "c_puct", default=C_PUCT, source="1 in the paper, for values in [-1, 1]")
    generator: str = parameter(
        "single", help="the move generator", source="the paper's program", choices=("single", "contact", "targets")
    )
    plan: str = plan_parameter("langorou")

    @property
    def search(self) -> AlphaZeroParameters:
        """The parameters of the search."""
        return AlphaZeroParameters(
            net=self.net or str(_DATA / _NETWORKS[self.version]),
            iterations=self.iterations,
            seconds=self.seconds,
            policy_only=self.policy_only,
            solve=False,
            batch=1,
            c_puct=self.c_puct,
            fpu_reduction=0.0,
            generator=self.generator,
            symmetry=self.switch("symmetry"),
            doubt=0.0,
            plan=self.plan,
        )


class Vamperouge:
    """Searches the game as its training simulated it, and plays the move in the real game."""

    on_info: Callable[[SearchInfo], None] | None = None

    def __init__(self, parameters: VamperougeParameters, seed: int) -> None:
        self._parameters = parameters
        self._player = AlphaZero(parameters.search, seed)

    @property
    def info(self) -> SearchInfo | None:
        """The search information of the last move."""
        return self._player.info

    def prepare_game(self, start: State) -> None:
        """Load the network."""
        self._player.prepare_game(simulated(start, self._parameters))

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the most visited move."""
        self._player.on_info = self.on_info
        return _same_move(state, self._player.choose(simulated(state, self._parameters), clock))

    def analyze(self, state: State, **options: Any) -> Analysis:
        """Return the search's analysis of the position as the player simulates it."""
        return self._player.analyze(simulated(state, self._parameters), **options)

    def stop(self) -> None:
        """Make a search that runs in another thread return its best move so far."""
        self._player.stop()

    def forget(self) -> None:
        """Discard what earlier searches left."""
        self._player.forget()


def simulated(state: State, parameters: VamperougeErrors) -> Vampires:
    """Return the position with the rules that the player simulates; the ply limit is that of the real game."""
    assert isinstance(state, Vampires)
    own = ("equal_humans", "limit")
    kept = [option for option in state.rules.split(",") if option and option.partition("=")[0] not in own]
    return Vampires.new(state.position, ",".join([*kept, *filter(None, [parameters.rules])]))


def _same_move(state: State, move: Move) -> Move:
    turn: Move = state.parse_move(str(move))
    return turn


def _caveat(parameters: VamperougeParameters, start: State) -> str:
    return caveat(parameters.search, simulated(start, parameters)).replace("alphazero", "vamperouge")


VAMPEROUGE = AgentType(
    "vamperouge",
    "learning player of the Vampires paper, with a switch for each of its errors",
    VamperougeParameters,
    Vamperouge,
    ("vampires",),
    caveat=_caveat,
)
