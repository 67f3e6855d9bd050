"""``python -m benchmarks.variants``: how often each search errs in Connect Four, as the table of docs/searches.md.

All search with the same budget in the same positions, judged by the solver (`joute mistakes` says how). Plain UCT
is the yardstick: each row says what it changes.
"""

from __future__ import annotations

import argparse
import sys

from joute import __version__
from joute.match import MistakeRate, measure_mistakes


def plain(agent: str = "mcts", **changes: object) -> str:
    """The spec of an agent with everything off that plain UCT lacks, but for the changes."""
    settings: dict[str, object] = {"iterations": "{n}", "tactics": "none", "solver": "off", "reuse": "no"}
    settings |= {"mcts": {"c": 0.7}, "rave": {"c": 0.4, "bias": 1e-3}, "grave": {"c": 0.4, "bias": 1e-3}}.get(agent, {})
    return f"{agent}:" + ",".join(f"{key}={value}" for key, value in (settings | changes).items())


VARIANTS = {
    "**UCT**: UCB1, uniform playouts, c = 0.7": plain(),
    "c = 0.5": plain(c=0.5),
    "c = 1": plain(c=1),
    "c = √2 (UCB1 as published)": plain(c=2**0.5),
    "c = 2 (the paper's listing)": plain(c=2),
    "UCB1-Tuned": plain("ucb1-tuned"),
    "UCB1-Tuned as listed in the paper": plain("ucb1-tuned", bonus="ucb1-tuned-listed", c=1.41),
    "PUCT, uniform priors, c = 1": plain(bonus="puct", c=1, fpu=0.5),
    "PUCT, priors from `threats`, c = 1": plain(bonus="puct", c=1, fpu=0.5, eval="threats", priors="eval"),
    "RAVE, bias 1e-5, no bonus (Cazenave)": plain("rave", c=0, bias=1e-5),
    "RAVE, bias 1e-5": plain("rave", bias=1e-5),
    "RAVE, bias 1e-3": plain("rave"),
    "RAVE, bias 1e-2": plain("rave", bias=1e-2),
    "RAVE by N(s), k = 100": plain("rave", schedule="position", k=100),
    "RAVE by N(s), k = 1000": plain("rave", schedule="position", k=1000),
    "RAVE by N(s,a), k = 100": plain("rave", schedule="move", k=100),
    "RAVE kept by column": plain("rave", amaf_key="move"),
    "RAVE with the bonus of UCB1-Tuned": plain("rave", bonus="ucb1-tuned", c=0.7),
    "GRAVE, ref 50": plain("grave"),
    "playouts take a win": plain(tactics="win"),
    "playouts take a win and give none": plain(tactics="block"),
    "playouts also make forks": plain(tactics="fork"),
    "playouts by MAST": plain(playout="mast"),
    "playouts by LGRF": plain(playout="lgrf"),
    "playouts by `threats`, ε = 0.3": plain(playout="eval", eval="threats", epsilon=0.3),
    "playouts by LGRF with forks": plain(playout="lgrf", tactics="fork"),
    "reward: the margin, scaled": plain(reward="scaled", margin_scale=18),
    "solver to choose": plain(solver="choose"),
    "solver to prune": plain(solver="prune"),
    "solver to prune, decisive moves": plain(solver="prune", decisive="yes"),
    "mixed with `threats`, weight 0.3": plain(eval="threats", mix=0.3),
    "`threats` alone, no playouts": plain(eval="threats", mix=1),
    "implicit minimax with `threats`, weight 0.3": plain(eval="threats", implicit=0.3),
    "**agent `mcts`**, its defaults": "mcts:iterations={n}",
    "**agent `rave`**, its defaults": "rave:iterations={n}",
    "**agent `connect4-uct`**, our best settings": "connect4-uct:iterations={n}",
    "the paper's MCTS, faithful": "connect4-mcts:iterations={n}",
    "the paper's MCTS, corrected": "connect4-mcts:iterations={n},version=corrected",
    "the paper's UCB1-Tuned, faithful": "connect4-ucb1-tuned:iterations={n}",
    "the paper's UCB1-Tuned, corrected": "connect4-ucb1-tuned:iterations={n},version=corrected",
    "the paper's RAVE, k = 500, faithful": "connect4-rave:iterations={n}",
    "the paper's RAVE, k = 500, corrected": "connect4-rave:iterations={n},version=corrected",
    "the paper's NRPA, level 1, faithful": "connect4-nrpa",
    "the paper's NRPA, level 2, faithful": "connect4-nrpa:level=2",
    "the paper's NRPA, level 2, corrected": "connect4-nrpa:level=2,version=corrected",
    "NRPA, level 2, 32 iterations, plain": "nrpa:iterations=32,corrected=no",
    "NRPA, level 2, 32 iterations, corrected": "nrpa:iterations=32",
    "nested, level 1 (flat Monte Carlo)": "nested:level=1,iterations={n}",
    "nested, level 2": "nested:level=2,iterations={n}",
    "alpha-beta, `centre`, {n} nodes": "alphabeta:nodes={n},eval=centre",
    "alpha-beta, `threats`, {n} nodes": "alphabeta:nodes={n},eval=threats",
    "greedy": "greedy",
    "random": "random",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    names = [name.replace("{n}", f"{arguments.iterations:,}") for name in VARIANTS]
    specs = [spec.replace("{n}", str(arguments.iterations)) for spec in VARIANTS.values()]

    def watch(rates: list[MistakeRate]) -> None:
        if sys.stderr.isatty():
            print(f"\r{rates[0].total.moves} of {arguments.positions}", end="", file=sys.stderr)

    rates = measure_mistakes("connect4", specs, positions=arguments.positions, seed=arguments.seed, on_position=watch)
    print(f"joute {__version__}, {arguments.positions} positions, seed {arguments.seed}\n")
    print("| search | mistakes | 95% interval | opening | middle | end | lose score | ms/move |")
    print("|---|---|---|---|---|---|---|---|")
    for name, rate in zip(names, rates, strict=True):
        low, high = rate.total.mistake_interval
        phases = " | ".join(f"{tally.mistake_share:.1%}" for tally in rate.by_phase.values())
        print(
            f"| {name} | {rate.total.mistake_share:.1%} | {low:.1%} – {high:.1%} | {phases} "
            f"| {rate.total.score_loss_share:.1%} | {1000 * rate.time_s / rate.total.moves:.2f} |"
        )


if __name__ == "__main__":
    main()
