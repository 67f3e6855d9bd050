"""Fit the network of Quoridor's evaluation to self-play; needs PyTorch. core/games/quoridor/fit/fit.sh calls it.

    fit.py SHAPE TRUST WEIGHTS.bin GAMES.bin...     fit; TRUST in what the search found, the rest in outcomes
    fit.py SHAPE print WEIGHTS.bin                  the header

SHAPE is what `fit_quoridor shape` prints. The error is that of positions held out.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

_PASSES, _BATCH, _RATE = 40, 16384, 2e-3
# So that no sum overflows 16 bits once weights are whole numbers.
_MOST_IN_TABLE, _MOST_IN_SECOND, _MOST_IN_LAST = 3.7, 16, 60


def _fit(shape: list[int], trust: float, out: Path, files: list[str]) -> None:
    import torch
    from fitting import fit
    from torch import nn

    features, most, first, second, one = shape
    device = "cuda" if torch.cuda.is_available() else "cpu"
    record = np.dtype([("features", np.int16, most), ("outcome", np.int16), ("value", np.float32)])
    games = np.concatenate([np.fromfile(file, record) for file in files])
    seen = torch.from_numpy(games["features"].copy()).to(device)
    found = torch.sigmoid(torch.from_numpy(games["value"].copy()).to(device))
    won = (torch.from_numpy(games["outcome"].astype(np.float32)).to(device) + 1) / 2
    target = trust * found + (1 - trust) * won

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.EmbeddingBag(features + 1, first, mode="sum", padding_idx=features)
            nn.init.normal_(self.table.weight, std=0.08)
            self.bias = nn.Parameter(torch.full((first,), 0.3))
            self.second = nn.Linear(first, second)
            self.last = nn.Linear(second, 1)

        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            active = (self.table(rows.long()) + self.bias).clamp(0, 1)
            return self.last(self.second(active).clamp(0, 1)).squeeze(1)

    torch.manual_seed(1)
    network = Network().to(device)

    def keep_small() -> None:
        network.table.weight.clamp_(-_MOST_IN_TABLE, _MOST_IN_TABLE)
        network.second.weight.clamp_(-_MOST_IN_SECOND, _MOST_IN_SECOND)
        network.last.weight.clamp_(-_MOST_IN_LAST, _MOST_IN_LAST)

    error = fit(network, seen, target, passes=_PASSES, batch=_BATCH, rate=_RATE, after_step=keep_small)
    print(f"{out}: {len(games)} positions; error of those held out {error:.4f}", flush=True)

    def whole(numbers: torch.Tensor, scale: int, kind: Any) -> bytes:
        limits = np.iinfo(kind)
        return (numbers.detach().cpu().numpy() * scale).round().clip(limits.min, limits.max).astype(kind).tobytes()

    raw = b"".join(
        (
            whole(network.table.weight[:features], one, np.int16),
            whole(network.bias, one, np.int16),
            whole(network.second.weight, one, np.int16),
            whole(network.second.bias, one * one, np.int32),
            whole(network.last.weight, one, np.int16),
            whole(network.last.bias, one * one, np.int32),
        )
    )
    out.write_bytes(raw + bytes(-len(raw) % 64))  # the struct is aligned


def _header(shape: list[int], weights: Path) -> str:
    features, _, first, second, _ = shape
    raw, at = weights.read_bytes(), 0

    def take(kind: Any, *sizes: int) -> Any:
        nonlocal at
        numbers = np.frombuffer(raw, kind, int(np.prod(sizes)), at)
        at += numbers.nbytes
        return numbers.reshape(sizes)

    def rows(table: Any) -> str:
        return "{{\n" + "".join(f"        {{{','.join(map(str, row))}}},\n" for row in table) + "    }}"

    def row(numbers: Any) -> str:
        return "{" + ",".join(map(str, numbers)) + "}"

    return f"""#pragma once

// What the network of Quoridor's evaluation is made of. Made by core/games/quoridor/fit/fit.py.

#include "network.hpp"

namespace joute {{

// clang-format off
inline constexpr QuoridorWeights quoridor_weights{{
    .of_feature = {rows(take(np.int16, features, first))},
    .first_bias = {row(take(np.int16, first))},
    .to_second = {rows(take(np.int16, second, first))},
    .second_bias = {row(take(np.int32, second))},
    .to_value = {row(take(np.int16, second))},
    .value_bias = {take(np.int32, 1)[0]},
}};
// clang-format on

}}  // namespace joute
"""


def _main(arguments: list[str]) -> None:
    shape = [int(number) for number in arguments[0].split()]
    if arguments[1] == "print":
        print(_header(shape, Path(arguments[2])), end="")
    else:
        _fit(shape, float(arguments[1]), Path(arguments[2]), arguments[3:])


if __name__ == "__main__":
    _main(sys.argv[1:])
