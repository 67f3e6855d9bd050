"""The core's options as tests vary them: the plain form of each search.

Core options have no defaults, and those of agents may change; a test names here what it changes.
"""

from __future__ import annotations

from typing import Any

from joute._core import (
    AlphaBetaOptions,
    MctsOptions,
    NestedOptions,
    NetworkSearchOptions,
    NrpaOptions,
    SelfPlayOptions,
)

ALPHABETA: dict[str, Any] = {
    "table": "full",
    "memory_mb": 64,
    "table_depth": 2,
    "accept_deeper": False,
    "bare_table": False,
    "symmetries": False,
    "pruning": True,
    "pvs": True,
    "killers": True,
    "history": True,
    "hints": 0.0,
    "deepening": True,
    "aspiration": False,
    "aspiration_window": 1.0,
    "order_by_evaluation": False,
    "order_by_value": False,
    "quiescence": 0,
    "extend": 0,
    "reductions": 0.0,
    "reduce_root": False,
    "late_moves": 0,
    "null_depth": 0,
    "plain_root": False,
    "ends": "outcome",
    "win_value": 0.0,
    "chance": "star1",
    "few_outcomes": 0,
    "generator": 0,
    "wide_depth": 0,
    "lines": 1,
    "threads": 1,
}
MCTS: dict[str, Any] = {
    "bonus": "ucb1",
    "c": 2**0.5,
    "amaf": False,
    "ref": 0.0,
    "schedule": "bias",
    "k": 1000.0,
    "bias": 1e-5,
    "amaf_key": "effect",
    "priors": "uniform",
    "prior_temperature": 1.0,
    "untried_first": True,
    "fpu": 1.0,
    "expand": "one",
    "playout": "uniform",
    "tactics": "none",
    "epsilon": 0.1,
    "playout_plies": 10_000,
    "implicit": 0.0,
    "mix": 0.0,
    "eval_scale": 1.0,
    "reward": "win",
    "margin_scale": 1.0,
    "credit": "mover",
    "expand_finished": False,
    "solver": "off",
    "decisive": False,
    "reuse": False,
    "final_move": "visits",
    "generator": 0,
    "threads": 1,
    "memory_mb": 256,
    "seed": 0,
}
NRPA: dict[str, Any] = {
    "level": 2,
    "iterations": 100,
    "lower_iterations": 0,
    "alpha": 1.0,
    "key": "state",
    "corrected": False,
    "seed": 0,
    "max_plies": 1000,
    "memory_mb": 64,
}
NESTED: dict[str, Any] = {"level": 2, "discount": 0.99, "cut_on_win": False, "seed": 0, "max_plies": 1000}
NETWORK_SEARCH: dict[str, Any] = {
    "batch": 16,
    "c_puct": 1.25,
    "fpu_reduction": 0.25,
    "reuse": True,
    "generator": 0,
    "few_outcomes": 0,
    "encoding": 0,
    "frame_rows": 0,
    "frame_columns": 0,
    "symmetry": "none",
    "seed": 0,
    "memory_mb": 256,
    "remembered_mb": 0,
}
SELF_PLAY: dict[str, Any] = {
    "games": 8192,
    "threads": 1,
    "seed": 0,
    "search": "gumbel",
    "simulations": 32,
    "fast_simulations": 8,
    "full_share": 1.0,
    "considered": 16,
    "c_visit": 50.0,
    "c_scale": 1.0,
    "c_puct": 1.25,
    "fpu_reduction": 0.25,
    "noise_share": 0.25,
    "noise_alpha": 1.0,
    "temperature": 1.0,
    "temperature_plies": 30,
    "symmetries": False,
    "reuse": True,
    "random_share": 0.0,
    "random_plies": 0,
    "exact_from": -1,
    "max_plies": 0,
    "stagger": 0,
    "repetition_penalty": 0.0,
    "scrambled": False,
    "greedy_targets": False,
    "generator": 0,
    "few_outcomes": 0,
    "encoding": 0,
    "frame_rows": 0,
    "frame_columns": 0,
}


def alphabeta_options(**changes: Any) -> AlphaBetaOptions:
    return AlphaBetaOptions(**ALPHABETA | changes)


def mcts_options(**changes: Any) -> MctsOptions:
    return MctsOptions(**MCTS | changes)


def nrpa_options(**changes: Any) -> NrpaOptions:
    return NrpaOptions(**NRPA | changes)


def nested_options(**changes: Any) -> NestedOptions:
    return NestedOptions(**NESTED | changes)


def network_search_options(**changes: Any) -> NetworkSearchOptions:
    return NetworkSearchOptions(**NETWORK_SEARCH | changes)


def self_play_options(**changes: Any) -> SelfPlayOptions:
    return SelfPlayOptions(**SELF_PLAY | changes)
