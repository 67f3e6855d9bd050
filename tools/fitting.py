"""What the fits of networks to self-play have in common; needs PyTorch."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

_PIECE = 65536  # positions foretold at a time


def fit(
    network: nn.Module,
    seen: torch.Tensor,
    target: torch.Tensor,
    *,
    passes: int,
    batch: int,
    rate: float,
    after_step: Callable[[], None] = lambda: None,
) -> float:
    """Fit a network's logits to chances, by Adam at a rate that falls to nothing.

    One position in twenty, the last ones, is held out; their error is returned, less what no network could foretell.
    """
    fitted = len(seen) - len(seen) // 20
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    batches = max(1, fitted // batch)
    for number in range(passes):
        order = torch.randperm(fitted, device=seen.device)
        for step in range(batches):
            done = (number + step / batches) / passes
            for group in optimizer.param_groups:
                group["lr"] = rate * max(0.003, 1 - done)
            chosen = order[step * batch : (step + 1) * batch]
            loss = binary_cross_entropy_with_logits(network(seen[chosen]), target[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                after_step()
    with torch.no_grad():
        held = target[fitted:]
        foretold = torch.cat([network(rows) for rows in seen[fitted:].split(_PIECE)])
        least = binary_cross_entropy_with_logits(torch.logit(held, eps=1e-6), held)
        return (binary_cross_entropy_with_logits(foretold, held) - least).item()
