"""What a run of training may be told: every setting once, with its default, its range and where it comes from.

The command line, the report of a run and its checkpoint are made from these classes. A game may have other defaults
(`State.training`); what the user says comes before both. Settings of self-play have the names that the core gives them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joute.errors import SpecError
from joute.example import TITLE
from joute.games import State
from joute.match.game import derive_seed
from joute.match.sprt import Sprt
from joute.spec import Parameter, Value, parameter, parameters_of, read_settings, value_text
from joute.system import usable_cores

# What a learned player needs is measured run by run; docs/training.md says what was tried and seen.
_NOTEBOOK = "docs/training.md"


@dataclass(frozen=True)
class RunParameters:
    """How long, with what, and what is written down."""

    minutes: float = parameter(
        20.0,
        help="how long the run takes in all, before and after interruptions together",
        source=_NOTEBOOK,
        low=0,
        high=1e6,
    )
    steps: int = parameter(
        0,
        help="learner steps after which the run ends, whatever the clock says; 0 for a run of so many minutes",
        source="tests and runs that can be repeated exactly",
        low=0,
        high=2**31,
    )
    seed: int = parameter(0, help="feeds all randomness", source="any number", low=0, high=2**63 - 1)
    device: str = parameter(
        "auto", help="where the network runs", source="a GPU where there is one", choices=("auto", "cpu", "cuda")
    )
    threads: int = parameter(
        0,
        help="threads of self-play; 0 for all but two, which the learner and the driver need",
        source="one core feeds the GPU, one trains",
        low=0,
        high=1024,
    )
    checkpoint_every: float = parameter(
        60.0, help="seconds between checkpoints", source="no more than a minute is lost", low=1, high=1e6
    )
    checkpoint_steps: int = parameter(
        0,
        help="learner steps between checkpoints, whatever the clock says; 0 for seconds",
        source="runs that can be repeated exactly",
        low=0,
        high=2**31,
    )
    shards: int = parameter(
        6,
        help="most files of games that a checkpoint keeps, of 15 MiB each",
        source="the window of a run of twenty minutes",
        low=1,
        high=6,
    )


@dataclass(frozen=True)
class NetworkParameters:
    """How large the network is."""

    channels: int = parameter(
        64, help="channels of the tower", source="KataGo's small networks; " + _NOTEBOOK, low=8, high=1024
    )
    blocks: int = parameter(6, help="residual blocks of the tower", source=_NOTEBOOK, low=1, high=80)


@dataclass(frozen=True)
class LearnerParameters:
    """How the network learns from games."""

    batch: int = parameter(4096, help="positions of a learner step", source=_NOTEBOOK, low=1, high=2**17)
    learning_rate: float = parameter(
        2e-3, help="the rate of AdamW after the warm-up", source=_NOTEBOOK, low=1e-7, high=1
    )
    final_rate: float = parameter(
        0.02, help="the part of the rate that is left at the end of the run: a cosine", source=_NOTEBOOK, low=0, high=1
    )
    warm_up: int = parameter(
        200, help="learner steps in which the rate rises from nothing", source="AdamW's moments settle", low=0, high=1e6
    )
    weight_decay: float = parameter(1e-4, help="decay of weights", source="AlphaZero 2017", low=0, high=1)
    ema: float = parameter(
        0.999,
        help="what the averaged weights, which play, keep at each learner step",
        source="KataGo averages over as long",
        low=0,
        high=0.99999,
    )
    sample_reuse: float = parameter(
        2.0, help="how often a position is learned from", source=_NOTEBOOK, low=0.01, high=1000
    )
    window_min: int = parameter(
        250_000, help="newest positions to learn from, early in the run", source="KataGo 2019", low=1, high=2**31
    )
    window_max: int = parameter(
        4_000_000, help="the same, at most", source=f"what six shards hold of {TITLE}", low=1, high=2**31
    )
    window_share: float = parameter(
        0.5, help="between both: the newest part of all positions", source=_NOTEBOOK, low=0.01, high=1
    )
    margin_weight: float = parameter(
        0.1, help="weight of the margin's loss beside those of policy and outcome", source=_NOTEBOOK, low=0, high=100
    )
    margin_scale: float = parameter(
        1.0, help="the margin that the network calls 1", source="the game's own", low=1e-6, high=1e9
    )


@dataclass(frozen=True)
class SelfPlayParameters:
    """How games are played to learn from."""

    pools: int = parameter(
        3, help="pools of games, which take turns on processor and GPU", source="one waits, two work", low=1, high=16
    )
    games: int = parameter(
        8192, help="games of a pool: the positions of a batch", source="a GPU is busy with so many", low=1, high=2**17
    )
    search: str = parameter(
        "gumbel", help="how moves are found", source="Danihelka et al. 2022", choices=("gumbel", "puct")
    )
    simulations: int = parameter(
        32, help="simulations of a move searched in full", source="Danihelka et al. 2022", low=1, high=2**20
    )
    early_simulations: int = parameter(
        16, help="the same in the first part of the run, while values are noise", source=_NOTEBOOK, low=1, high=2**20
    )
    early_share: float = parameter(0.15, help="how large that part is", source=_NOTEBOOK, low=0, high=1)
    full_share: float = parameter(
        1.0,
        help="the share of moves searched in full and learned from (playout cap randomisation)",
        source="KataGo: 0.25 of 600 simulations; 32 are few as they are",
        low=0.01,
        high=1,
    )
    fast_simulations: int = parameter(8, help="simulations of the other moves", source=_NOTEBOOK, low=1, high=2**20)
    considered: int = parameter(
        16, help="moves that Gumbel's search looks at first", source="Danihelka et al. 2022", low=1, high=2**14
    )
    c_visit: float = parameter(
        50.0, help="visits that values are trusted by from the start (gumbel)", source="mctx", low=0, high=1e6
    )
    c_scale: float = parameter(
        0.1, help="weight of values beside logits (gumbel)", source="mctx; " + _NOTEBOOK, low=0, high=1e6
    )
    c_puct: float = parameter(1.25, help="weight of priors (puct)", source="AlphaZero 2018", low=0, high=1e6)
    fpu_reduction: float = parameter(
        0.2,
        help="how much worse than their parent moves without a visit are taken to be (puct)",
        source="KataGo",
        low=0,
        high=2,
    )
    noise_share: float = parameter(0.25, help="share of noise in root priors (puct)", source="AlphaZero", low=0, high=1)
    noise_alpha: float = parameter(
        1.0, help="Dirichlet's parameter of that noise (puct)", source=f"AlphaZero.jl, {TITLE}", low=1e-3, high=100
    )
    temperature: float = parameter(
        1.0, help="how evenly moves are drawn by their visits (puct)", source="AlphaZero", low=0, high=100
    )
    temperature_plies: int = parameter(
        30, help="from this ply on the best move is played (puct)", source="AlphaGo Zero", low=0, high=10**6
    )
    symmetries: bool = parameter(
        False, help="see every leaf through a random symmetry of the board", source="AlphaGo Zero did; " + _NOTEBOOK
    )
    tree_reuse: bool = parameter(True, help="go on with the tree of the last move", source="AlphaGo Zero")
    random_share: float = parameter(
        0.25, help="share of games that start after random plies", source=_NOTEBOOK, low=0, high=1
    )
    random_plies: int = parameter(8, help="how many these are, at most", source=_NOTEBOOK, low=0, high=10**6)
    exact_from: int = parameter(
        -1,
        help="the ply from which the game's exact solver gives the outcomes to learn; -1 for never",
        source="the game's own",
        low=-1,
        high=10**6,
    )
    max_plies: int = parameter(
        0, help="plies after which a game is stopped; 0 for no limit", source="the game's own", low=0, high=10**6
    )


@dataclass(frozen=True)
class MatchParameters:
    """How networks are compared while they learn."""

    gate: str = parameter(
        "none",
        help="what a new network has to show before it plays: nothing, a sequential test, or a margin",
        source="AlphaZero 2017 has none",
        choices=("none", "sprt", "margin"),
    )
    gate_games: int = parameter(40, help="games of the gate by margin", source="a student's paper", low=2, high=2**16)
    gate_share: float = parameter(
        0.55, help="the share of decided games to be won in it", source="a student's paper", low=0, high=1
    )
    gate_sprt: str = parameter(
        "elo0=0,elo1=50", help="what the gate by sequential test asks", source="some hundred games decide it"
    )
    gate_limit: int = parameter(
        1000, help="most games of that test; then the old network stays", source="a few seconds", low=2, high=2**20
    )
    match_every: int = parameter(
        1, help="checkpoints between matches that rate the network; 0 for no matches", source="a curve", low=0, high=1e6
    )
    match_games: int = parameter(
        100, help="games against each opponent of such a match", source="±70 Elo, about", low=2, high=2**16
    )
    match_simulations: int = parameter(
        32, help="simulations a move in matches and gates", source="as in self-play", low=1, high=2**20
    )
    openings: str = parameter(
        "random", help="where games of matches start, as in tournaments", source="balanced positions, colours swapped"
    )
    references: str = parameter(
        "random mcts:iterations=400",
        help="agents that ratings refer to, by spec, with spaces between",
        source="the first is beaten early, the second later",
    )


GROUPS = (RunParameters, NetworkParameters, LearnerParameters, SelfPlayParameters, MatchParameters)

#: What a run cannot change once it has begun: the weights and the games in progress are of that shape.
FIXED = ("seed", "channels", "blocks", "margin_scale", "pools", "games")


@dataclass(frozen=True)
class TrainParameters(MatchParameters, SelfPlayParameters, LearnerParameters, NetworkParameters, RunParameters):
    """Every setting of a run."""

    def __post_init__(self) -> None:
        Sprt.parse(self.gate_sprt)
        if self.window_min > self.window_max:
            raise SpecError(
                f"train: window_min must be at most window_max, not {self.window_min} and {self.window_max}"
            )

    @staticmethod
    def read(
        settings: Mapping[str, str], game: type[State], base: Mapping[str, Value] | None = None
    ) -> TrainParameters:
        """The defaults, over them the game's, or what `base` says instead, and over all what the user set, as text."""
        values = dict(game.training if base is None else base)
        return TrainParameters(**_checked(values | read_settings("train", settings, parameters_of(TrainParameters))))

    @property
    def settings(self) -> dict[str, Value]:
        """Name and value of everything."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def changed(self, game: type[State]) -> dict[str, str]:
        """What differs from the defaults of a game, as it is typed."""
        usual = TrainParameters(**_checked(game.training)).settings
        return {name: value_text(value) for name, value in self.settings.items() if value != usual[name]}

    @property
    def thread_count(self) -> int:
        """Threads of self-play on this machine."""
        return self.threads or max(1, len(usable_cores()) - 2)

    def self_play(self, pool: int = 0) -> dict[str, Any]:
        """The options of a pool of games (`SelfPlayOptions` of the core); each pool draws its own random numbers."""
        names = {field.name for field in dataclasses.fields(SelfPlayParameters)}
        names -= {"pools", "early_simulations", "early_share", "tree_reuse"}
        return {name: getattr(self, name) for name in names} | {
            "reuse": self.tree_reuse,
            "generator": 0,
            "threads": self.thread_count,
            "seed": derive_seed(self.seed, pool),
        }


def group_of(wanted: Parameter) -> type:
    """The class that a parameter of a run belongs to, by whose words help and report are divided."""
    return next(group for group in GROUPS if wanted.name in {field.name for field in dataclasses.fields(group)})


def _checked(values: Mapping[str, Value]) -> dict[str, Any]:
    """Values of a game or a checkpoint, each as if it had been typed."""
    return dict(read_settings("train", {k: value_text(v) for k, v in values.items()}, parameters_of(TrainParameters)))
