"""What a GPU must do as plain code does. Also a program for machines that have nothing but PyTorch: `python FILE`."""

from __future__ import annotations

import copy

import numpy as np
import torch

from joute.train.inference import Inference
from joute.train.learner import Learner
from joute.train.network import Design, Network, NormedLayer

SHAPE, POLICY = (2, 6, 7), 7
# Bfloat16 keeps eight bits of a number; a tower of thirteen layers adds up their rounding.
TOLERANCE = 0.03


def lively(network: Network, seed: int = 0) -> Network:
    """The network with norms as they are after training: at the start they hide most of it."""
    random = torch.Generator().manual_seed(seed)
    for module in network.modules():
        if isinstance(module, NormedLayer):
            norm = module.norm
            assert norm.running_mean is not None
            assert norm.running_var is not None
            norm.weight.data.uniform_(0.5, 1.0, generator=random)
            norm.bias.data.normal_(std=0.2, generator=random)
            norm.running_mean.normal_(std=0.2, generator=random)
            norm.running_var.uniform_(0.5, 2.0, generator=random)
    for last in (network.policy, network.value):
        last.weight.data.normal_(std=0.1, generator=random)
    return network


def fill(arrays: tuple[np.ndarray, ...], policy_size: int, seed: int) -> None:
    """Random positions into the arrays of a slot or a batch: planes, legal moves, and targets where there are any."""
    random = np.random.default_rng(seed)
    planes, legal, *targets = arrays
    planes[:] = random.integers(0, 2, planes.shape)
    legal[:] = -1
    for row in range(len(legal)):
        moves = random.permutation(policy_size)[: random.integers(1, min(legal.shape[1], policy_size) + 1)]
        legal[row, : len(moves)] = moves
    if len(targets) == 3:
        policy, wdl, margin = targets
        policy[:] = np.where(legal >= 0, random.exponential(size=legal.shape), 0)
        policy /= policy.sum(1, keepdims=True)
        wdl[:] = np.eye(3)[random.integers(0, 3, len(wdl))]
        margin[:] = random.integers(-3, 4, len(margin))


def learner(network: Network, device: str, batch: int = 64) -> Learner:
    return Learner(network, batch=batch, width=POLICY, weight_decay=0.01, ema=0.99, margin_weight=0.1, device=device)


def captured_graphs_answer_as_plain_code_does() -> None:
    network = lively(Network(Design(SHAPE, POLICY, blocks=6, channels=64))).eval()
    plain = Inference(network, batch=256, width=POLICY, slots=3)
    graphs = Inference(copy.deepcopy(network).cuda(), batch=256, width=POLICY, slots=3, device="cuda")
    other = lively(Network(Design(SHAPE, POLICY, blocks=6, channels=64)), seed=1).eval()
    for step in range(3):
        for number, (ours, theirs) in enumerate(zip(plain.slots, graphs.slots, strict=True)):
            fill(ours.arrays[:2], POLICY, seed=3 * step + number)
            theirs.planes[:], theirs.legal[:] = ours.planes, ours.legal
            plain.launch(ours)
            graphs.launch(theirs)
        for ours, theirs in zip(plain.slots, graphs.slots, strict=True):
            graphs.wait(theirs)
            np.testing.assert_allclose(ours.priors, theirs.priors, atol=TOLERANCE)
            np.testing.assert_allclose(ours.values, theirs.values, atol=TOLERANCE)
        if step == 1:
            plain.refresh(other)
            graphs.refresh(copy.deepcopy(other).cuda())


def a_captured_step_learns_as_plain_code_does() -> None:
    learners = [learner(Network(Design(SHAPE, POLICY, blocks=3, channels=32)), device) for device in ("cpu", "cuda")]
    learners[1].load_state_dict(learners[0].state_dict())
    seen = []
    for one in learners:
        for step in range(200):
            batch = one.next_batch()
            fill(batch.arrays, POLICY, seed=step % 2)
            one.step(batch, 2e-3)
            if step == 99:
                one.losses()
        seen.append(one.losses())
    first, second = seen
    assert first is not None
    assert second is not None
    assert second.policy - second.entropy < 0.1, second
    np.testing.assert_allclose(first, second, atol=0.1)


if __name__ == "__main__":
    captured_graphs_answer_as_plain_code_does()
    a_captured_step_learns_as_plain_code_does()
    network = Network(Design(SHAPE, POLICY, blocks=6, channels=64))
    inference = Inference(network.cuda(), batch=8192, width=POLICY, device="cuda")
    print(
        f"both as plain code; {inference.kernels} kernels, {inference.bare_rate(2):,.0f} positions/s in batches of 8192"
    )
