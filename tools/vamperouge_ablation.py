"""What the errors of Vamperouge's program cost: trains the paper's learning player with and without each of them.

    python tools/vamperouge_ablation.py run NAME SEED --out DIR      one training and its matches
    python tools/vamperouge_ablation.py all --out DIR --jobs 8       all of them, several at a time; resumes
    python tools/vamperouge_ablation.py measure NAME SEED --out DIR --net FILE    the matches of a network file alone
    python tools/vamperouge_ablation.py table --out DIR              the results as a table

A run trains by ``joute train vampires --preset vamperouge:…`` with the paper's games and simulations. Its last network
then plays the real game on 100 maps, each with both species, against the paper's random player, the greedy player and
the paper's alpha-beta player, and is asked to convert an adjacent house of its own size in 96 positions. A result is a
JSON file. It needs PyTorch, and a GPU to take minutes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from joute.agents.net_file import read_network_file
from joute.games import Move, State, new
from joute.games.vampires.agents.vamperouge import simulated
from joute.games.vampires.state import Vampires
from joute.games.vampires.vamperouge import SWITCHES, VamperougeTraining
from joute.spec import parameters_of, parse_spec, read_settings
from joute.train.checkpoint import RunFolder, unpack_model
from joute.train.command import train
from joute.train.inference import Inference
from joute.train.matches import AgentPlayer, ManyPlayer, NetworkPlayer, play_together
from joute.train.network import Network, design_of
from joute.train.parameters import TrainParameters

# A network of 64 channels and fewer passes over the positions than the program's, so that all runs fit into minutes.
# The runs named `…-256` have its 256 channels.
_QUICK = "channels=64,epochs=12"
_MENDED = {name: values[1] for name, values in SWITCHES.items()}
RUNS = {
    "all-errors": "version=faithful",
    "no-errors": "version=corrected",
    **{f"mended-{name}": f"version=faithful,{name}={value}" for name, value in _MENDED.items()},
    "mended-mask": "version=faithful,input=masked",
    "mended-1-to-4": "version=faithful,"
    + ",".join(f"{name}={_MENDED[name]}" for name in ("symmetry", "targets", "equal_humans", "limit")),
}
# Errors 1 to 4 and the two ends get three seeds, the others one.
SEEDS = {
    name: 3
    if name in ("all-errors", "no-errors", "mended-1-to-4", *(f"mended-{each}" for each in list(SWITCHES)[:4]))
    else 1
    for name in RUNS
}
WIDE = ("all-errors", "no-errors")

OPPONENTS = ("langorou-random", "vampires-greedy", "langorou:nodes=10000")
_MAPS = Path(__file__).resolve().parents[1] / "experiments" / "vampires_maps.txt"
_GAMES = 200


class RealGame:
    """A network that searches the game as its training simulated it, and plays its moves in the real game."""

    def __init__(self, player: NetworkPlayer, errors: VamperougeTraining) -> None:
        self.name, self._player, self._errors = player.name, player, errors

    def choose(self, states: Sequence[State]) -> list[Move]:
        """A move for each position of the real game."""
        chosen = self._player.choose([simulated(state, self._errors) for state in states])
        return [state.parse_move(str(move)) for state, move in zip(states, chosen, strict=True)]


def probes() -> list[Vampires]:
    """Positions with a house of the mover's own size beside its only group: in all directions, sizes and two plies."""
    found = []
    for (dx, dy), size, ply in itertools.product(
        [step for step in itertools.product((-1, 0, 1), repeat=2) if step != (0, 0)], (3, 4, 5, 6, 8, 10), (0, 20)
    ):
        text = f"10x10/{size}v4.4+{size}w9.9+{size}h{4 + dx}.{4 + dy}+{size}h9.0/{ply}".removesuffix("/0")
        found.append(Vampires.new(text))
    return found


def converts(state: Vampires, move: Any) -> bool:
    """Whether the move of a probe takes the house beside the group."""
    after = state.play(move)
    return not after.is_chance and after.units(0) > state.units(0)


def errors_of(name: str) -> tuple[str, VamperougeTraining]:
    """The preset of a run and its switches; the suffix -256 selects the paper's number of channels."""
    sizes = _QUICK.replace("channels=64", "channels=256") if name.endswith("-256") else _QUICK
    spec = f"vamperouge:{RUNS[name.removesuffix('-256')]},{sizes}"
    values = read_settings(spec, parse_spec(spec)[1], parameters_of(VamperougeTraining))
    return spec, VamperougeTraining(**values)  # type: ignore[arg-type]  # values are checked by their parameters


def run(name: str, seed: int, out: Path, settings: dict[str, str]) -> None:
    """Train and measure one variant; its result is OUT/NAME-SEED.json."""
    spec, errors = errors_of(name)
    folder = out / f"{name}-{seed}"
    began = time.monotonic()
    if not (folder / "done").exists():
        train(
            "vampires",
            folder,
            {"seed": str(seed), "threads": "1", "batch": "512"} | settings,
            lambda _: None,
            preset=spec,
        )
        (folder / "done").touch()
    trained_s = time.monotonic() - began
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with RunFolder(folder) as kept:
        saved = kept.load()
        parameters = TrainParameters.read({"threads": "2"}, Vampires, kept.parameters)
    player = network_player(new(saved.game), parameters, saved.model, device)
    result: dict[str, Any] = {"name": name, "seed": seed, "preset": spec, "trained_s": round(trained_s, 1)}
    result["counters"] = saved.state["counters"]
    result["gates"] = [
        json.loads(line) for line in (folder / "progress.jsonl").read_text().splitlines() if "gate" in line
    ]
    result |= measured(RealGame(player, errors), seed)
    result["all_s"] = round(time.monotonic() - began, 1)
    (out / f"{name}-{seed}.json").write_text(json.dumps(result, indent=1))


def measure_file(name: str, seed: int, out: Path, net: Path) -> None:
    """Measure a network file that a run wrote, without its training folder."""
    spec, errors = errors_of(name)
    agent = AgentPlayer(f"vamperouge:version={errors.version},net={net}", new("vampires"), seed=seed)
    card = json.loads(read_network_file(net).card)
    counters = {key: card[key] for key in ("games", "steps", "positions", "evaluations", "simulations", "samples")}
    result = {"name": name, "seed": seed, "preset": spec, "trained_s": 60 * card["minutes"], "counters": counters}
    result |= {"gates": []} | measured(agent, seed)
    (out / f"{name}-{seed}.json").write_text(json.dumps(result, indent=1))


def measured(player: ManyPlayer, seed: int) -> dict[str, Any]:
    """The share of probes that a player converts, and its matches."""
    answers = player.choose(probes())
    converted = sum(itertools.starmap(converts, zip(probes(), answers, strict=True)))
    openings = [new("vampires", line) for line in _MAPS.read_text().split()[: _GAMES // 2]]
    matches = {}
    for opponent in OPPONENTS:
        rival = AgentPlayer(opponent, new("vampires"), seed=seed)
        match = play_together(player, rival, openings, seed=seed)
        matches[opponent] = {
            "tally": match.tally(),
            "score": match.score,
            "interval": match.interval,
            "pairs": match.pentanomial.counts,
        }
    return {"probes": converted / len(answers), "matches": matches}


def network_player(start: State, parameters: TrainParameters, model: bytes, device: torch.device) -> NetworkPlayer:
    """The last network of a run, as a player of many games at once."""
    from joute._core import SelfPlayOptions

    kind: Any = type(start)
    shape = kind.batch_search(SelfPlayOptions(**parameters.self_play(kind) | {"games": 1}), start.rules)
    network = Network(design_of(shape, parameters, kind), margin_scale=parameters.margin_scale)
    network.load_state_dict(unpack_model(model)["player"])
    inference = Inference(
        network.to(device).eval(), batch=_GAMES // 2, width=shape.width, parts=shape.parts, device=device
    )
    return NetworkPlayer("network", start, inference, parameters)


def wanted_runs() -> list[tuple[str, int]]:
    """All runs, those that matter most first."""
    runs = [(name, seed) for seed in range(3) for name in RUNS if seed < SEEDS[name]]
    return [*((f"{name}-256", 0) for name in WIDE), *runs]


def run_all(out: Path, jobs: int, seconds: float, settings: list[str]) -> None:
    """Run what is not done yet in processes of their own; starts nothing after `seconds`."""
    began = time.monotonic()
    running: dict[tuple[str, int], subprocess.Popen[bytes]] = {}
    waiting = [(name, seed) for name, seed in wanted_runs() if not (out / f"{name}-{seed}.json").exists()]
    while waiting or running:
        for key, process in list(running.items()):
            if process.poll() is not None:
                print(f"{time.monotonic() - began:6.0f} s  {key[0]} {key[1]}: status {process.returncode}", flush=True)
                del running[key]
        while waiting and len(running) < jobs and time.monotonic() - began < seconds:
            name, seed = waiting.pop(0)
            words = [sys.executable, __file__, "run", name, str(seed), "--out", str(out), *settings]
            with (out / f"{name}-{seed}.log").open("w") as log:
                running[name, seed] = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT)
        if not running:
            return
        time.sleep(0.5)


def table(out: Path) -> str:
    """The results in Markdown: for each variant, the mean over its seeds, and the range."""
    found = [json.loads(path.read_text()) for path in sorted(out.glob("*.json"))]
    names = [name for name in (*RUNS, *(f"{name}-256" for name in WIDE)) if any(each["name"] == name for each in found)]
    lines = [
        "| run | seeds | " + " | ".join(OPPONENTS) + " | probes | gates passed |",
        "|---" * (len(OPPONENTS) + 4) + "|",
    ]
    for name in names:
        own = [each for each in found if each["name"] == name]
        cells = []
        for opponent in OPPONENTS:
            scores = [each["matches"][opponent]["score"] for each in own]
            shown = ", ".join(
                f"{each['score']:.1%} ({each['interval'][0]:.1%}–{each['interval'][1]:.1%})"
                for each in (one["matches"][opponent] for one in own)
            )
            cells.append(f"**{sum(scores) / len(scores):.1%}**: {shown}" if len(own) > 1 else shown)
        probed = ", ".join(f"{each['probes']:.0%}" for each in own)
        lines.append(f"| {name} | {len(own)} | {' | '.join(cells)} | {probed} | {', '.join(map(_passed, own))} |")
    return "\n".join(lines)


def _passed(result: dict[str, Any]) -> str:
    gates = result["gates"]
    return "not kept" if not gates else f"{sum(bool(each.get('accepted')) for each in gates)} of {len(gates)}"


def main() -> None:
    """Read the command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("what", choices=("run", "all", "measure", "table"))
    made.add_argument("name", nargs="?")
    made.add_argument("seed", nargs="?", type=int)
    made.add_argument("--out", type=Path, required=True)
    made.add_argument("--jobs", type=int, default=1)
    made.add_argument("--seconds", type=float, default=1e9)
    made.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a training parameter, for trials"
    )
    made.add_argument("--net", type=Path, help="a network file to measure")
    given = made.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.what == "run":
        run(given.name, given.seed, given.out, dict(each.split("=", 1) for each in given.set))
    elif given.what == "measure":
        measure_file(given.name, given.seed, given.out, given.net)
    elif given.what == "all":
        run_all(given.out, given.jobs, given.seconds, [word for each in given.set for word in ("--set", each)])
    else:
        print(table(given.out))


if __name__ == "__main__":
    main()
