"""The benchmark of Connect Four, which covers every option of the general searches.

`joute bench` runs it; tests/match/signatures.toml has the signatures.
"""

from joute.match.signature import Bench

# Some positions come two plies after the previous one, as in a game, which tests tree reuse. With best play from its
# middle on, the first game is a draw, the second is won by the first player, the third by the second player.
_DRAWN = "4375444335546655413371171771352721"
_LATE_WIN = "44444156666123332465122267723355"
_LATE_LOSS = "4376444663663347133161"
_POSITIONS = (
    # opening
    "",
    _DRAWN[:2],
    _DRAWN[:4],
    _LATE_WIN[:6],
    # middle
    _DRAWN[:14],
    _DRAWN[:16],
    _LATE_WIN[:14],
    _LATE_LOSS[:18],
    # end
    _LATE_WIN[:24],
    _LATE_WIN[:26],
    _DRAWN[:28],
    _DRAWN[:34],
)

Settings = dict[str, object]

# Every parameter is set, so that a change of defaults does not change a signature.
_UCT: Settings = {
    "iterations": 10_000,
    "nodes": 0,
    "seconds": 0,
    "plan": "steady",
    "memory_mb": 64,
    "threads": 1,
    "eval": "none",
    "generator": "all",
    "bonus": "ucb1",
    "c": 1,
    "amaf": "no",
    "schedule": "bias",
    "k": 1000,
    "bias": 0.01,
    "ref": 0,
    "amaf_key": "effect",
    "priors": "uniform",
    "prior_temperature": 1,
    "untried_first": "yes",
    "fpu": 1,
    "expand": "one",
    "playout": "uniform",
    "tactics": "none",
    "epsilon": 0.1,
    "playout_plies": 10_000,
    "implicit": 0,
    "mix": 0,
    "eval_scale": 1,
    "reward": "win",
    "margin_scale": 1,
    "credit": "mover",
    "expand_finished": "no",
    "solver": "off",
    "decisive": "no",
    "reuse": "no",
    "final_move": "visits",
}
_RAVE: Settings = {"amaf": "yes", "untried_first": "no", "c": 0.4}
# Plain alpha-beta.
_ALPHABETA: Settings = {
    "depth": 8,
    "nodes": 0,
    "seconds": 0,
    "plan": "steady",
    "memory_mb": 4,
    "threads": 1,
    "eval": "centre",
    "generator": "all",
    "wide_depth": 0,
    "table": "off",
    "table_depth": 2,
    "accept_deeper": "no",
    "pruning": "yes",
    "pvs": "no",
    "killers": "no",
    "history": "no",
    "hints": 0,
    "deepening": "no",
    "aspiration": "no",
    "aspiration_window": 1,
    "order_by_evaluation": "no",
    "quiescence": 0,
    "reductions": 0,
    "reduce_root": "no",
    "late_moves": 0,
    "null_depth": 0,
    "extend": 0,
    "ends": "outcome",
    "win_value": 0,
    "chance": "star2",
    "few_outcomes": 0,
}
_REFINED: Settings = {
    "table": "full",
    "accept_deeper": "yes",
    "pvs": "yes",
    "killers": "yes",
    "history": "yes",
    "deepening": "yes",
}
_NRPA: Settings = {
    "level": 2,
    "iterations": 40,
    "lower_iterations": 0,
    "alpha": 1,
    "key": "state",
    "corrected": "no",
    "playout_plies": 1000,
    "seconds": 0,
    "plan": "steady",
    "memory_mb": 64,
}
_NESTED: Settings = {
    "level": 2,
    "iterations": 10_000,
    "discount": 0.99,
    "cut_on_win": "no",
    "playout_plies": 1000,
    "seconds": 0,
    "plan": "steady",
}


def _spec(kind: str, *settings: Settings) -> str:
    """Return a spec; later settings replace earlier ones."""
    merged: Settings = {}
    for each in settings:
        merged |= each
    return f"{kind}:" + ",".join(f"{name}={value}" for name, value in merged.items())


_SEARCHES = {
    "uct": _spec("mcts", _UCT),
    "uct-reuse": _spec("mcts", _UCT, {"reuse": "yes"}),
    "ucb1-tuned": _spec("mcts", _UCT, {"bonus": "ucb1-tuned"}),
    "puct": _spec("mcts", _UCT, {"bonus": "puct", "priors": "eval", "eval": "threats", "untried_first": "no"}),
    "rave": _spec("mcts", _UCT, _RAVE),
    "grave": _spec("mcts", _UCT, _RAVE, {"ref": 50}),
    "mast": _spec("mcts", _UCT, {"playout": "mast"}),
    "lgr": _spec("mcts", _UCT, {"playout": "lgr"}),
    "lgrf": _spec("mcts", _UCT, {"playout": "lgrf"}),
    "playout-eval": _spec("mcts", _UCT, {"playout": "eval", "eval": "centre"}),
    "tactics-win": _spec("mcts", _UCT, {"tactics": "win"}),
    "tactics-block": _spec("mcts", _UCT, {"tactics": "block"}),
    "tactics-fork": _spec("mcts", _UCT, {"tactics": "fork"}),
    "solver-choose": _spec("mcts", _UCT, {"solver": "choose", "decisive": "yes"}),
    "solver-prune": _spec("mcts", _UCT, {"solver": "prune", "decisive": "yes"}),
    "implicit": _spec("mcts", _UCT, {"implicit": 0.4, "eval": "threats"}),
    "mix": _spec("mcts", _UCT, {"mix": 0.5, "eval": "threats"}),
    "minimax": _spec("alphabeta", _ALPHABETA, {"depth": 5, "pruning": "no"}),
    "alphabeta-plain": _spec("alphabeta", _ALPHABETA),
    "alphabeta": _spec("alphabeta", _ALPHABETA, _REFINED, {"depth": 14}),
    "alphabeta-nodes": _spec("alphabeta", _ALPHABETA, _REFINED, {"depth": 0, "nodes": 200_000, "aspiration": "yes"}),
    "alphabeta-threats": _spec(
        "alphabeta",
        _ALPHABETA,
        _REFINED,
        {"depth": 11, "eval": "threats", "quiescence": 8, "order_by_evaluation": "yes"},
    ),
    "nrpa-plain": _spec("nrpa", _NRPA),
    "nrpa-corrected": _spec("nrpa", _NRPA, {"corrected": "yes"}),
    "nrpa-code": _spec("nrpa", _NRPA, {"corrected": "yes", "key": "code"}),
    "nrpa-lower": _spec("nrpa", _NRPA, {"lower_iterations": 20}),
    "nested": _spec("nested", _NESTED),
    "connect4-mcts": "connect4-mcts:version=faithful,iterations=5000",
    "connect4-ucb1-tuned": "connect4-ucb1-tuned:version=faithful,iterations=5000",
    "connect4-rave": "connect4-rave:version=faithful,iterations=5000,k=500",
    "connect4-nrpa": "connect4-nrpa:version=faithful,level=2,iterations=20,lower_iterations=0,alpha=0.5",
    # With defaults, so that a change of defaults changes the signature.
    "connect4-uct": "connect4-uct:iterations=2000",
    "perfect": "perfect",
    "random": "random",
    "greedy": "greedy",
}

BENCH = Bench("connect4", _POSITIONS, _SEARCHES)
