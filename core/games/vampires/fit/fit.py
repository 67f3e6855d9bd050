"""Fit the network of Vampires vs Werewolves to self-play; needs PyTorch. core/games/vampires/fit/fit.sh calls it.

    fit.py maps COUNT SEED                          maps to play on, one a line; needs Joute
    fit.py SHAPE TRUST WEIGHTS.bin GAMES.bin...     fit; TRUST in what the search found, the rest in outcomes
    fit.py SHAPE print WEIGHTS.bin                  the header

SHAPE is what `fit_vampires shape` prints. The error is that of positions held out.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

_PASSES, _BATCH, _RATE = 30, 16384, 4e-3


def _maps(count: int, seed: int) -> None:
    """Official maps, six in ten of 10x10 and three of other sizes, and one of twilight's."""
    from joute._core import Random
    from joute.games.vampires.generators import TwilightMaps, draw_convertible, random_start

    rng = Random(seed)
    for _ in range(count):
        kind, drawn = rng.below(10), None
        if kind == 9:
            rows, columns = 6 + rng.below(9), 6 + rng.below(9)
            drawn = draw_convertible(TwilightMaps(rows, columns, 1 + rng.below(15), 5 + rng.below(15)), rng)
        while not drawn:
            rows, columns = (10, 10) if kind < 6 else (4 + rng.below(13), 4 + rng.below(15))
            drawn = random_start(rows, columns, rng)
        print(drawn.text)


def _fit(shape: list[int], trust: float, out: Path, files: list[str]) -> None:
    import torch
    from fitting import fit
    from torch import nn

    features, first, second = shape
    device = "cuda" if torch.cuda.is_available() else "cpu"
    record = np.dtype([("features", np.float32, features), ("outcome", np.float32), ("value", np.float32)])
    games = np.concatenate([np.fromfile(file, record) for file in files])
    seen = torch.from_numpy(games["features"].copy()).to(device)
    found, won = (torch.from_numpy(games[name].copy()).to(device) for name in ("value", "outcome"))
    target = (1 + trust * found.clamp(-1, 1) + (1 - trust) * won) / 2

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(features, first)
            self.second = nn.Linear(first, second)
            self.last = nn.Linear(second, 1)
            for layer in (self.first, self.second):
                nn.init.constant_(layer.bias, 0.3)

        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            return self.last(self.second(self.first(rows).clamp(0, 1)).clamp(0, 1)).squeeze(1)

    torch.manual_seed(1)
    network = Network().to(device)
    error = fit(network, seen, target, passes=_PASSES, batch=_BATCH, rate=_RATE)
    print(f"{out}: {len(games)} positions; error of those held out {error:.4f}", flush=True)
    # As the struct has them: what a unit gives to all of the next layer lies side by side.
    parts = [network.first.weight.T, network.first.bias, network.second.weight.T, network.second.bias]
    parts += [network.last.weight, network.last.bias]
    raw = b"".join(part.detach().cpu().numpy().astype(np.float32).tobytes() for part in parts)
    out.write_bytes(raw + bytes(-len(raw) % 64))  # the struct is aligned


def _header(shape: list[int], weights: Path) -> str:
    features, first, second = shape
    raw, at = weights.read_bytes(), 0

    def take(*sizes: int) -> Any:
        nonlocal at
        numbers = np.frombuffer(raw, np.float32, int(np.prod(sizes)), at)
        at += numbers.nbytes
        return numbers.reshape(sizes)

    def number(value: Any) -> str:
        return f"{value:.9g}" + ("f" if "." in f"{value:.9g}" or "e" in f"{value:.9g}" else ".0f")

    def row(numbers: Any) -> str:
        return "{" + ",".join(map(number, numbers)) + "}"

    def rows(table: Any) -> str:
        return "{{\n" + "".join(f"        {row(line)},\n" for line in table) + "    }}"

    return f"""#pragma once

// What the network of the evaluation of Vampires vs Werewolves is made of. Made by core/games/vampires/fit/fit.py.

#include "network.hpp"

namespace joute {{

// clang-format off
inline constexpr VampiresWeights vampires_weights{{
    .of_feature = {rows(take(features, first))},
    .bias = {row(take(first))},
    .to_second = {rows(take(first, second))},
    .second_bias = {row(take(second))},
    .to_value = {row(take(second))},
    .value_bias = {number(take(1)[0])},
}};
// clang-format on

}}  // namespace joute
"""


def _main(arguments: list[str]) -> None:
    if arguments[0] == "maps":
        _maps(int(arguments[1]), int(arguments[2]))
        return
    shape = [int(number) for number in arguments[0].split()]
    if arguments[1] == "print":
        print(_header(shape, Path(arguments[2])), end="")
    else:
        _fit(shape, float(arguments[1]), Path(arguments[2]), arguments[3:])


if __name__ == "__main__":
    _main(sys.argv[1:])
