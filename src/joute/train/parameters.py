"""The parameters of a training run, each with its default, its range and the source of the default.

The command line, the report of a run and its checkpoint are made from these classes. A game may override defaults
(`State.training`), and the user overrides both. Parameters of self-play have the names of the core's options.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joute.agents.search import generator_of
from joute.errors import SpecError
from joute.games import State
from joute.match.game import derive_seed
from joute.match.sprt import Sprt
from joute.spec import Parameter, Value, parameter, parameters_of, read_settings, value_text
from joute.system import usable_cores

# Source of defaults that were found by experiments.
_NOTEBOOK = "docs/training.md"


@dataclass(frozen=True)
class RunParameters:
    """Length, hardware and checkpoints"""

    minutes: float = parameter(
        20.0,
        help="length of the run, interruptions left out",
        source=_NOTEBOOK,
        low=0,
        high=1e6,
    )
    steps: int = parameter(
        0,
        help="learner steps after which the run ends, instead of minutes; 0 uses minutes",
        source="tests and runs that can be repeated exactly",
        low=0,
        high=2**31,
    )
    seed: int = parameter(0, help="the seed of all random numbers", source="any number", low=0, high=2**63 - 1)
    device: str = parameter(
        "auto", help="where the network runs", source="a GPU where there is one", choices=("auto", "cpu", "cuda")
    )
    threads: int = parameter(
        0,
        help="threads of self-play; 0 for all cores but two, which the learner and the driver need",
        source="one core feeds the GPU, one trains",
        low=0,
        high=1024,
    )
    iterations: int = parameter(
        0,
        help="iterations after which the run ends, instead of minutes; needs iteration_games; 0 uses minutes",
        source="runs in the manner of AlphaGo Zero",
        low=0,
        high=2**31,
    )
    checkpoint_every: float = parameter(
        60.0, help="seconds between checkpoints", source="a kill loses at most a minute", low=1, high=1e6
    )
    checkpoint_steps: int = parameter(
        0,
        help="learner steps between checkpoints, instead of seconds; 0 uses seconds",
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
    resume: str = parameter(
        "auto",
        help="exact: checkpoints keep the games in progress, and self-play waits for checkpoints and matches, so that "
        "a resumed run repeats itself; quick: they begin anew, and self-play waits for neither; auto: exact for runs "
        "by steps, in iterations or with a gate",
        source="at a minute a checkpoint, waiting cost 5% of a run and more",
        choices=("auto", "exact", "quick"),
    )


@dataclass(frozen=True)
class NetworkParameters:
    """Size of the network"""

    channels: int = parameter(
        64, help="channels of the tower", source="KataGo's small networks; " + _NOTEBOOK, low=8, high=1024
    )
    blocks: int = parameter(6, help="residual blocks of the tower", source=_NOTEBOOK, low=1, high=80)
    heads: str = parameter(
        "pooled",
        help="heads that pool over the board, or dense layers over all cells and no pooling at all",
        source="KataGo; dense as in AlphaGo Zero",
        choices=("pooled", "dense"),
    )
    encoding: str = parameter("", help="the game's encoding of positions; empty for its default", source="the game")
    frame: str = parameter(
        "",
        help="size of the largest board as ROWSxCOLUMNS, in games with boards of many sizes; empty for the start's",
        source="set by the game",
    )


@dataclass(frozen=True)
class LearnerParameters:
    """Learning"""

    batch: int = parameter(4096, help="positions per learner step", source=_NOTEBOOK, low=1, high=2**17)
    learning_rate: float = parameter(
        2e-3, help="learning rate of AdamW after the warm-up", source=_NOTEBOOK, low=1e-7, high=1
    )
    final_rate: float = parameter(
        0.02, help="share of the rate left at the end of the run (cosine decay)", source=_NOTEBOOK, low=0, high=1
    )
    warm_up: int = parameter(
        200, help="learner steps in which the rate rises from 0", source="AdamW's moments settle", low=0, high=1e6
    )
    weight_decay: float = parameter(1e-4, help="weight decay", source="AlphaZero 2017", low=0, high=1)
    ema: float = parameter(
        0.999,
        help="decay per learner step of the averaged weights, which play",
        source="KataGo averages over as long",
        low=0,
        high=0.99999,
    )
    sample_reuse: float = parameter(
        2.0, help="how often each position is sampled on average", source=_NOTEBOOK, low=0.01, high=1000
    )
    window_min: int = parameter(
        250_000, help="smallest replay window, in positions", source="KataGo 2019", low=1, high=2**31
    )
    window_max: int = parameter(
        4_000_000, help="largest replay window, in positions", source="what six shards hold", low=1, high=2**31
    )
    window_share: float = parameter(
        0.5, help="replay window as a share of all positions, within both limits", source=_NOTEBOOK, low=0.01, high=1
    )
    search_share: float = parameter(
        0.0,
        help="share of the search's value in the target of the outcome, beside the result of the game",
        source="0 as in AlphaZero; more where chance decides games",
        low=0,
        high=1,
    )
    whole_targets: bool = parameter(
        False,
        help="round policy targets down to whole numbers, which leaves only certain moves",
        source="an error of a student's paper, to measure its cost",
    )
    iteration_games: int = parameter(
        0,
        help="games of an iteration: self-play, then learning, then the gate; 0 for all of them at the same time",
        source="AlphaZero; AlphaGo Zero had iterations of 25,000 games",
        low=0,
        high=2**20,
    )
    iteration_epochs: float = parameter(
        10.0,
        help="how often each position of the window is sampled after an iteration, on average",
        source="ten passes, as in many implementations",
        low=0.01,
        high=10_000,
    )
    window_iterations: int = parameter(
        4, help="replay window in iterations", source="a student's paper", low=1, high=2**16
    )
    margin_weight: float = parameter(
        0.1, help="weight of the margin's loss; policy and outcome have 1", source=_NOTEBOOK, low=0, high=100
    )
    margin_scale: float = parameter(
        1.0, help="the margin that equals 1 in the network's output", source="set by the game", low=1e-6, high=1e9
    )
    surprise_share: float = parameter(
        0.0,
        help="share of a position's weight in training that is in proportion to the surprise of its search",
        source="KataGo: 0.5; not measured here",
        low=0,
        high=1,
    )
    soft_policy_weight: float = parameter(
        0.0,
        help="weight of the loss of a second policy that learns the fourth root of the target; it does not play",
        source="KataGo: 8; not measured here",
        low=0,
        high=100,
    )
    ending_weight: float = parameter(
        0.0,
        help="weight of the loss of what the end of the game looks like, in games that describe it; it does not play",
        source="KataGo's ownership: 0.15 a cell; not measured here",
        low=0,
        high=100,
    )


@dataclass(frozen=True)
class SelfPlayParameters:
    """Self-play"""

    pools: int = parameter(
        3, help="pools of games, which alternate between CPU and GPU", source="one waits, two work", low=1, high=16
    )
    games: int = parameter(
        8192, help="games per pool, and positions per batch", source="keeps a GPU busy", low=1, high=2**17
    )
    search: str = parameter(
        "gumbel", help="search algorithm", source="Danihelka et al. 2022", choices=("gumbel", "puct")
    )
    simulations: int = parameter(
        32, help="simulations of a full search", source="Danihelka et al. 2022", low=1, high=2**20
    )
    early_simulations: int = parameter(
        16,
        help="simulations of a full search early in the run, while values are noise",
        source=_NOTEBOOK,
        low=1,
        high=2**20,
    )
    early_share: float = parameter(
        0.15, help="share of the run with early_simulations", source=_NOTEBOOK, low=0, high=1
    )
    full_share: float = parameter(
        1.0,
        help="share of moves with a full search, which are learned from (playout cap randomisation)",
        source="KataGo: 0.25 with 600 simulations; 32 are few already",
        low=0.01,
        high=1,
    )
    fast_simulations: int = parameter(8, help="simulations of the other moves", source=_NOTEBOOK, low=1, high=2**20)
    considered: int = parameter(
        16,
        help="root moves at the first level of sequential halving (gumbel)",
        source="Danihelka et al. 2022",
        low=1,
        high=2**14,
    )
    c_visit: float = parameter(
        50.0,
        help="visits added to the most visited move when values are scaled (gumbel)",
        source="mctx",
        low=0,
        high=1e6,
    )
    c_scale: float = parameter(
        0.1, help="weight of values relative to logits (gumbel)", source="mctx; " + _NOTEBOOK, low=0, high=1e6
    )
    c_puct: float = parameter(1.25, help="weight of priors (puct)", source="AlphaZero 2018", low=0, high=1e6)
    fpu_reduction: float = parameter(
        0.2,
        help="first-play urgency: unvisited moves get their parent's value minus this (puct)",
        source="KataGo",
        low=0,
        high=2,
    )
    noise_share: float = parameter(0.25, help="share of noise in root priors (puct)", source="AlphaZero", low=0, high=1)
    noise_alpha: float = parameter(
        1.0, help="alpha of the Dirichlet noise (puct)", source="AlphaZero.jl, for 7 moves", low=1e-3, high=100
    )
    temperature: float = parameter(
        1.0, help="temperature of sampling moves by visits (puct)", source="AlphaZero", low=0, high=100
    )
    temperature_plies: int = parameter(
        30, help="ply from which the best move is played (puct)", source="AlphaGo Zero", low=0, high=10**6
    )
    symmetries: bool = parameter(
        False, help="evaluate every leaf under a random symmetry of the board", source="AlphaGo Zero did; " + _NOTEBOOK
    )
    scrambled: bool = parameter(
        False,
        help="do not undo the symmetry of a leaf in its policy (symmetries)",
        source="an error of a student's paper, to measure its cost",
    )
    greedy_targets: bool = parameter(
        False,
        help="from temperature_plies on, the policy target is the move played (puct)",
        source="the target of many implementations has the temperature of play",
    )
    generator: str = parameter(
        "", help="the game's move generator; empty for the one that its networks use", source="the game"
    )
    few_outcomes: int = parameter(
        3,
        help="merge similar outcomes of a random event in the search; the smaller, the fewer; 0 for all outcomes",
        source="few outcomes suffice: more take longer and gain little",
        low=0,
        high=1000,
    )
    starts: str = parameter(
        "",
        help="a set of start positions for self-play: balanced for the game's balanced openings, or one of the game's "
        "own; empty for its start position",
        source="the game",
    )
    tree_reuse: bool = parameter(True, help="reuse the tree of the previous move", source="AlphaGo Zero")
    random_share: float = parameter(
        0.25, help="share of games that start after random plies", source=_NOTEBOOK, low=0, high=1
    )
    random_plies: int = parameter(8, help="most random plies at the start", source=_NOTEBOOK, low=0, high=10**6)
    stagger: int = parameter(
        0,
        help="most plies that the first game of each slot plays by its policy alone, so that games do not end in step",
        source="set by the game: its length",
        low=0,
        high=10**6,
    )
    repetition_penalty: float = parameter(
        0.0,
        help="how much the search dislikes to repeat a position, for values in [-1, 1]; results are those of the rules",
        source="set by the game",
        low=0,
        high=1,
    )
    penalty_share: float = parameter(
        0.5,
        help="share of the run in which the penalty falls to 0",
        source="the rest of it has the real rules",
        low=0,
        high=1,
    )
    exact_from: int = parameter(
        -1,
        help="ply from which the game's exact solver supplies the outcomes; -1 for never",
        source="set by the game",
        low=-1,
        high=10**6,
    )
    max_plies: int = parameter(
        0, help="plies after which a game is stopped; 0 for no limit", source="set by the game", low=0, high=10**6
    )


@dataclass(frozen=True)
class MatchParameters:
    """Gates and matches during training"""

    gate: str = parameter(
        "none",
        help="the test that a new network must pass before it plays: none, a sequential test, or a share of wins",
        source="AlphaZero 2017 has none",
        choices=("none", "sprt", "margin"),
    )
    gate_games: int = parameter(40, help="games of gate=margin", source="a student's paper", low=2, high=2**16)
    gate_share: float = parameter(
        0.55, help="share of decided games to win with gate=margin", source="a student's paper", low=0, high=1
    )
    gate_sprt: str = parameter(
        "elo0=0,elo1=50", help="the test of gate=sprt", source="decided after a few hundred games"
    )
    gate_limit: int = parameter(
        1000,
        help="most games of gate=sprt; undecided, the old network stays",
        source="a few seconds",
        low=2,
        high=2**20,
    )
    match_every: int = parameter(
        1, help="checkpoints between matches that rate the network; 0 for no matches", source="a curve", low=0, high=1e6
    )
    match_games: int = parameter(
        100, help="games against each opponent of a rating match", source="about ±70 Elo", low=2, high=2**16
    )
    match_simulations: int = parameter(
        32, help="simulations per move in matches and gates", source="as in self-play", low=1, high=2**20
    )
    openings: str = parameter(
        "",
        help="openings of matches, as in tournaments; starts: the start positions of self-play; empty for the game's "
        "balanced set, or random ones if it has none",
        source="balanced positions, colours swapped",
    )
    references: str = parameter(
        "random mcts:iterations=400",
        help="specs of the reference agents of ratings, separated by spaces",
        source="networks beat the first early, the second later",
    )


@dataclass(frozen=True)
class ActorParameters:
    """Actors on a cluster (--ray)"""

    actors: int = parameter(
        0,
        help="most actors, each on a core of its own; 0 for all cores of the cluster but one, which the learner needs",
        source="a network on a processor uses one core best",
        low=0,
        high=2**16,
    )
    actor_games: int = parameter(
        128, help="games of an actor, and positions of its batches", source="docs/cluster.md", low=1, high=2**17
    )
    publish_every: float = parameter(
        1.0,
        help="least seconds between two networks that actors get",
        source="a network of 2 MB for each of a hundred machines takes a network card 0.2 s",
        low=0,
        high=1e6,
    )
    most_behind: int = parameter(
        2000,
        help="most learner steps that the network of a game's first move may be behind the newest one; older games are "
        "refused",
        source="twice the steps over which ema averages the weights",
        low=1,
        high=2**31,
    )
    most_ahead: int = parameter(
        4096,
        help="positions that an actor plays before it waits for a learner that does not take its games",
        source="some seconds of a core",
        low=1,
        high=2**31,
    )


GROUPS = (RunParameters, NetworkParameters, LearnerParameters, SelfPlayParameters, MatchParameters, ActorParameters)

#: Parameters that a resumed run cannot change: weights and games in progress depend on them.
FIXED = (
    "seed",
    "channels",
    "blocks",
    "heads",
    "encoding",
    "frame",
    "generator",
    "starts",
    "margin_scale",
    "soft_policy_weight",
    "ending_weight",
    "pools",
    "games",
)

_FRAME = re.compile(r"([1-9]\d{0,2})x([1-9]\d{0,2})")


@dataclass(frozen=True)
class TrainParameters(
    ActorParameters, MatchParameters, SelfPlayParameters, LearnerParameters, NetworkParameters, RunParameters
):
    """All parameters of a run."""

    def __post_init__(self) -> None:
        Sprt.parse(self.gate_sprt)
        if self.window_min > self.window_max:
            raise SpecError(
                f"train: window_min must be at most window_max, not {self.window_min} and {self.window_max}"
            )
        if self.frame and not _FRAME.fullmatch(self.frame):
            raise SpecError(f"train: frame must be ROWSxCOLUMNS, such as 16x16, not '{self.frame}'")
        if self.resume == "quick" and (self.gate != "none" or self.iteration_games):
            raise SpecError("train: resume=quick is for runs without a gate and without iterations")
        if self.iterations and not self.iteration_games:
            raise SpecError("train: iterations need iteration_games, the games of each")

    @staticmethod
    def read(
        settings: Mapping[str, str], game: type[State], base: Mapping[str, Value] | None = None
    ) -> TrainParameters:
        """The user's settings, as text, over `base` or (if None) the game's defaults, over the general defaults."""
        values = dict(game.training if base is None else base)
        return TrainParameters(**_checked(values | read_settings("train", settings, parameters_of(TrainParameters))))

    @property
    def settings(self) -> dict[str, Value]:
        """All parameters by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def changed(self, game: type[State]) -> dict[str, str]:
        """The parameters that differ from the game's defaults, as text."""
        usual = TrainParameters(**_checked(game.training)).settings
        return {name: value_text(value) for name, value in self.settings.items() if value != usual[name]}

    @property
    def is_exact(self) -> bool:
        """Whether a resumed run continues as if it had not stopped."""
        if self.resume == "auto":
            return bool(self.steps or self.checkpoint_steps or self.iteration_games or self.gate != "none")
        return self.resume == "exact"

    @property
    def thread_count(self) -> int:
        """Threads of self-play on this machine."""
        return self.threads or max(1, len(usable_cores()) - 2)

    @property
    def match_threads(self) -> int:
        """Threads of a match during training: all if self-play waits for it, else a few of them."""
        return self.thread_count if self.is_exact else max(1, self.thread_count // 4)

    @property
    def frame_size(self) -> tuple[int, int]:
        """Rows and columns of the frame; (0, 0) for the size of the start position's board."""
        found = _FRAME.fullmatch(self.frame)
        return (int(found[1]), int(found[2])) if found else (0, 0)

    def generator_index(self, game: type[State]) -> int:
        """The index of the move generator; SpecError if the game has none of that name."""
        return generator_of(self.generator or game.network_generator, game)

    def encoding_index(self, game: type[State]) -> int:
        """The index of the encoding; SpecError if the game has none of that name."""
        names: tuple[str, ...] = game.encodings  # type: ignore[attr-defined]  # native games define it
        if self.encoding and self.encoding not in names:
            raise SpecError(f"{game.game} has no encoding '{self.encoding}'; it has {', '.join(names)}")
        return names.index(self.encoding) if self.encoding else 0

    def self_play(self, game: type[State], pool: int = 0) -> dict[str, Any]:
        """The options of a pool of games (`SelfPlayOptions` of the core); each pool draws its own random numbers."""
        names = {field.name for field in dataclasses.fields(SelfPlayParameters)}
        names -= {"pools", "early_simulations", "early_share", "tree_reuse", "starts", "penalty_share"}
        rows, columns = self.frame_size
        return {name: getattr(self, name) for name in names} | {
            "reuse": self.tree_reuse,
            "generator": self.generator_index(game),
            "encoding": self.encoding_index(game),
            "frame_rows": rows,
            "frame_columns": columns,
            "threads": self.thread_count,
            "seed": derive_seed(self.seed, pool),
        }


def group_of(wanted: Parameter) -> type:
    """The class of a parameter; its docstring is a heading of help and report."""
    return next(group for group in GROUPS if wanted.name in {field.name for field in dataclasses.fields(group)})


def _checked(values: Mapping[str, Value]) -> dict[str, Any]:
    """Check values of a game or a checkpoint in the same way as the user's settings."""
    return dict(read_settings("train", {k: value_text(v) for k, v in values.items()}, parameters_of(TrainParameters)))
