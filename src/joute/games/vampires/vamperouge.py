"""Vamperouge, the learning player of the paper on Vampires vs Werewolves: its training as a preset.

It learns in the manner of AlphaGo Zero, in 15 iterations of 100 games with 25 simulations a move, and plays a
simplified game: one whole group moves in a turn, on boards up to 16×16. `faithful` trains with the errors of the
paper's program, `corrected` with none of them. A switch for each error sets it separately, so that its cost can be
measured: ``joute train vampires --preset vamperouge:targets=real --out run``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from joute.agents.paper_version import PaperVersion
from joute.games import State
from joute.games.vampires.training import LARGEST_SIDE
from joute.spec import Value, parameter
from joute.train.presets import Prepared, TrainingPreset

_AS_VERSION = "version"

# The faithful and the corrected value of each switch, then further values.
SWITCHES: dict[str, tuple[str, ...]] = {
    "symmetry": ("scrambled", "undone"),
    "targets": ("truncated", "real"),
    "equal_humans": ("battle", "converted"),
    "limit": ("groups", "units"),
    "input": ("raw", "full", "masked"),
    "noise": ("none", "dirichlet"),
    "maps": ("vamperouge", "curriculum"),
}

#: Simulations of a move.
SIMULATIONS = 25
#: Weight of priors: 1 in the paper's program, whose values are in [-1, 1], so one half for values in [0, 1].
C_PUCT = 0.5

_PROGRAM = "the paper's program"
# The program passes ten times over its positions, each of which it stores in eight symmetries.
_SAMPLES_A_POSITION = 80.0


def _switch(name: str, *, help: str) -> Any:
    faithful, corrected, *others = SWITCHES[name]
    by_version = f"; {_AS_VERSION}: {faithful} if faithful, {corrected} if corrected"
    choices = (_AS_VERSION, faithful, corrected, *others)
    return parameter(_AS_VERSION, help=help + by_version, source=_PROGRAM, choices=choices)


@dataclass(frozen=True)
class VamperougeErrors(PaperVersion):
    """A switch for each error of the paper's program."""

    symmetry: str = _switch("symmetry", help="whether the symmetry of a leaf is undone in its policy")
    targets: str = _switch("targets", help="policy targets as probabilities, or rounded down to whole numbers")
    equal_humans: str = _switch("equal_humans", help="as many monsters as humans convert them, or fight")
    limit: str = _switch("limit", help="more units win at the ply limit, or more groups")
    input: str = _switch(
        "input", help="raw counts, these with a mask of the board and the plies left, or the input of our networks"
    )
    noise: str = _switch("noise", help="noise on the priors of the root")
    maps: str = _switch("maps", help="the paper's crowded maps, or maps of all generators")

    def switch(self, name: str) -> str:
        """Return the value of a switch; if it is unset, that of the version."""
        value: str = getattr(self, name)
        return SWITCHES[name][not self.is_faithful] if value == _AS_VERSION else value

    @property
    def rules(self) -> str:
        """The rules of the simulated game that differ from the official ones."""
        changed = {"equal_humans": "battle", "limit": "groups"}
        return ",".join(f"{name}={value}" for name, value in changed.items() if self.switch(name) == value)


@dataclass(frozen=True)
class VamperougeTraining(VamperougeErrors):
    """The errors, and the sizes that cost the most time."""

    channels: int = parameter(256, help="channels of the network", source=_PROGRAM, low=8, high=1024)
    epochs: float = parameter(
        _SAMPLES_A_POSITION,
        help="how often a position of the last four iterations is sampled after an iteration",
        source=f"{_PROGRAM}: ten passes over eight symmetries",
        low=0.01,
        high=1000,
    )
    plies: int = parameter(120, help="the ply limit", source=_PROGRAM, low=2, high=9999)


def _prepare(parameters: VamperougeTraining, start: State) -> Prepared:
    own = {"plies", "equal_humans", "limit"}
    kept = [option for option in start.rules.split(",") if option and option.partition("=")[0] not in own]
    rules = ",".join([*kept, f"plies={parameters.plies}", *filter(None, [parameters.rules])])
    is_full = parameters.switch("input") == "full"
    settings: dict[str, Value] = {
        "iterations": 15,
        "iteration_games": 100,
        "iteration_epochs": parameters.epochs,
        "window_iterations": 4,
        "channels": parameters.channels,
        "blocks": 4,
        "heads": "pooled" if is_full else "dense",
        "encoding": parameters.switch("input"),
        "frame": f"{LARGEST_SIDE}x{LARGEST_SIDE}",
        "batch": 64,
        "learning_rate": 1e-3,  # Adam's default: the rate in the program's settings is never used
        "final_rate": 1.0,
        "warm_up": 0,
        "weight_decay": 0.0,
        "ema": 0.0,
        "margin_weight": 0.0,
        "search_share": 0.0,
        "whole_targets": parameters.switch("targets") == "truncated",
        "pools": 1,
        "games": 100,
        "search": "puct",
        "simulations": SIMULATIONS,
        "early_simulations": SIMULATIONS,
        "c_puct": C_PUCT,
        "fpu_reduction": 0.0,
        "noise_share": 0.25 if parameters.switch("noise") == "dirichlet" else 0.0,
        "noise_alpha": 0.5,
        "temperature": 1.0,
        "temperature_plies": 30,
        "greedy_targets": True,
        "symmetries": True,
        "scrambled": parameters.switch("symmetry") == "scrambled",
        "generator": "single",
        "starts": parameters.switch("maps"),
        "random_share": 0.0,
        "gate": "margin",
        "gate_games": 40,
        "gate_share": 0.55,
        "match_every": 0,
        "match_simulations": SIMULATIONS,
        "openings": "starts",
    }
    return Prepared(f"{start.game}:{rules}", settings)


PRESET = TrainingPreset(
    "vamperouge",
    "the learning player of the Vampires paper, with a switch for each of its errors",
    "vampires",
    VamperougeTraining,
    _prepare,
)
