"""The learner: trains a network on batches of positions.

The loss is the cross-entropy of the policy over the legal moves, plus the cross-entropy of win, draw and loss, plus a
small weight times the Huber loss of the margin. Two more outputs only help the network to learn, if their weights are
not 0: a second policy whose target is the fourth root of the first one's (KataGo), and the end of the game.

Self-play uses an exponential moving average of the learned weights, which is stronger than the last weights (Izmailov
et al. 2018; KataGo does the same). On a GPU a step is one captured graph: it takes almost no CPU time and never waits,
because losses are summed on the device until they are read.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from joute.errors import JouteError
from joute.train.network import Lessons, Network, channels_last, move_logits

_GRADIENT_NORM = 4.0
"""Gradients are clipped to this norm: four times the mean norm when training on solved positions."""

SOFTNESS = 0.25
"""The exponent of the second policy's target (KataGo)."""

_WARM_UP = 3
"""Steps before the graph is captured; the first creates the optimiser's moments and lets cuDNN select its kernels."""


class Losses(NamedTuple):
    """Means over the steps since the last reading."""

    policy: float
    """Cross-entropy, in nats."""
    entropy: float
    """Entropy of the policy's targets: the lower bound of `policy`."""
    value: float
    """Cross-entropy of win, draw and loss."""
    margin: float
    """Huber loss, in units of the network's margin scale."""
    soft_policy: float
    """Cross-entropy of the second policy; 0 without one."""
    ending: float
    """Mean squared error of a cell at the end of the game; 0 if it is not learned."""
    gradient: float
    """Norm of the gradient before clipping."""


class Batch:
    """A training batch in host memory, filled by `ReplayWindow.sample`."""

    def __init__(self, inputs: int, *, batch: int, width: int, parts: int, is_pinned: bool, ending: int = 0) -> None:
        shapes = {
            "planes": ((batch, inputs), torch.uint8),
            "legal": ((batch, width * parts), torch.int16),
            "policy": ((batch, width), torch.float32),
            "wdl": ((batch, 3), torch.float32),
            "margin": ((batch,), torch.float32),
            **({"ending": ((batch, ending), torch.int8)} if ending else {}),
        }
        self.host = {name: torch.zeros(of, dtype=kind, pin_memory=is_pinned) for name, (of, kind) in shapes.items()}
        self.sent: torch.cuda.Event | None = None

    @property
    def policy(self) -> NDArray[np.float32]:
        """The policy targets, [batch, width]."""
        policy: NDArray[np.float32] = self.host["policy"].numpy()
        return policy

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """Planes, legal policy indices, policy, win/draw/loss, margin and, if it is learned, ending.

        They are the arguments of `ReplayWindow.sample`.
        """
        return tuple(tensor.numpy() for tensor in self.host.values())


class Learner:
    """A network, its averaged weights for play, and the optimiser (AdamW)."""

    def __init__(
        self,
        network: Network,
        *,
        batch: int,
        width: int,
        parts: int = 1,
        weight_decay: float,
        ema: float,
        margin_weight: float,
        soft_policy_weight: float = 0.0,
        ending_weight: float = 0.0,
        device: str | torch.device = "cpu",
    ) -> None:
        self.device = torch.device(device)
        self.network = channels_last(network.to(self.device)).train()
        self.average = copy.deepcopy(self.network).eval().requires_grad_(False)
        self.steps = 0
        self._parts, self._ema = parts, ema
        # In the order of `Losses`; the entropy is only told.
        self._weights = (1.0, 0.0, 1.0, margin_weight, soft_policy_weight, ending_weight)
        self._is_cuda = self.device.type == "cuda"
        self._optimizer = self._make_optimizer(weight_decay)
        self._learned, self._averaged = _floats(self.network), _floats(self.average)
        self._share = torch.zeros((), device=self.device)  # weight of the new weights in the average
        self._sums = torch.zeros(len(Losses._fields), device=self.device)
        self._summed = 0
        planes, rows, columns = network.design.input_shape
        self._batches = [
            Batch(
                planes * rows * columns,
                batch=batch,
                width=width,
                parts=parts,
                is_pinned=self._is_cuda,
                ending=network.design.ending_planes * rows * columns,
            )
            for _ in range(2 if self._is_cuda else 1)
        ]
        self._next = 0
        self._inputs = {name: tensor.to(self.device) for name, tensor in self._batches[0].host.items()}
        self._graph: torch.cuda.CUDAGraph | None = None
        self._eager_steps = 0
        self._stream: torch.cuda.Stream | None = None
        if self._is_cuda:
            torch.backends.cudnn.benchmark = True
            self._stream = torch.cuda.Stream(self.device)  # type: ignore[no-untyped-call]

    def next_batch(self) -> Batch:
        """A batch to fill and pass to `step`; the previous one may still be in transfer to the device."""
        batch = self._batches[self._next]
        self._next = (self._next + 1) % len(self._batches)
        if batch.sent is not None:
            batch.sent.synchronize()
        return batch

    def step(self, batch: Batch, rate: float) -> None:
        """Train on a batch at this learning rate. On a GPU it returns before the step is done."""
        # Shorter averages at the beginning, so that the untrained weights fade quickly.
        keep = min(self._ema, (1 + self.steps) / (10 + self.steps))
        with self._in_order():
            self._share.fill_(1 - keep)
            self._set_rate(rate)
            if self._stream is None:
                self._learn(batch.host)
            else:
                self._send(batch, self._stream)
                self._learn_on_gpu(self._stream)
        self.steps += 1
        self._summed += 1

    def losses(self) -> Losses | None:
        """Mean losses since the last call; None without a step. On a GPU it waits for the last step."""
        if not self._summed:
            return None
        with self._in_order():
            means = (self._sums / self._summed).tolist()
            self._sums.zero_()
        self._summed = 0
        losses = Losses(*means)
        if not all(np.isfinite(losses)):
            raise JouteError(f"training diverged before step {self.steps}; try a lower learning rate")
        return losses

    def state_dict(self) -> dict[str, Any]:
        """The state for a checkpoint, copied to host memory: only tensors and numbers."""
        with self._in_order():
            state = {
                "network": self.network.state_dict(),
                "average": self.average.state_dict(),
                "optimizer": self._optimizer.state_dict()["state"],
                "steps": self.steps,
            }
            copied: dict[str, Any] = _moved(state, torch.device("cpu"))
        return copied

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore a checkpoint, possibly written on another device."""
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        groups = self._optimizer.state_dict()["param_groups"]
        self._optimizer.load_state_dict({"state": _moved(state["optimizer"], self.device), "param_groups": groups})
        self.steps = int(state["steps"])
        self._sums.zero_()
        self._summed = 0
        self._graph, self._eager_steps = None, 0  # the old graph refers to the optimiser's old memory

    def _make_optimizer(self, weight_decay: float) -> torch.optim.AdamW:
        weights = [weight for weight in self.network.parameters() if weight.dim() > 1]
        others = [weight for weight in self.network.parameters() if weight.dim() <= 1]  # biases and norms
        groups = [{"params": weights, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
        if not self._is_cuda:
            return torch.optim.AdamW(groups)
        rate = torch.zeros((), device=self.device)  # a tensor, so that the captured graph reads the current rate
        return torch.optim.AdamW(groups, lr=rate, fused=True, capturable=True)

    def _set_rate(self, rate: float) -> None:
        for group in self._optimizer.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate

    @contextlib.contextmanager
    def _in_order(self) -> Iterator[None]:
        """Run the block on the learner's stream, after the caller's earlier GPU work and before its later work."""
        if self._stream is None:
            yield
            return
        caller = torch.cuda.current_stream(self.device)
        self._stream.wait_stream(caller)
        with torch.cuda.stream(self._stream):
            yield
        caller.wait_stream(self._stream)

    def _send(self, batch: Batch, stream: torch.cuda.Stream) -> None:
        for name, tensor in batch.host.items():
            self._inputs[name].copy_(tensor, non_blocking=True)
        batch.sent = stream.record_event(batch.sent)

    def _learn_on_gpu(self, stream: torch.cuda.Stream) -> None:
        if self._graph is None and self._eager_steps < _WARM_UP:
            self._eager_steps += 1
            self._learn(self._inputs)
            return
        if self._graph is None:
            stream.synchronize()
            self._optimizer.zero_grad(set_to_none=True)  # the graph then overwrites gradients instead of adding
            self._graph = torch.cuda.CUDAGraph()
            # Other threads may use the GPU during the capture.
            with torch.cuda.graph(self._graph, stream=stream, capture_error_mode="thread_local"):
                self._update(self._inputs)
        self._graph.replay()

    def _learn(self, tensors: Mapping[str, Tensor]) -> None:
        self._optimizer.zero_grad(set_to_none=True)
        self._update(tensors)

    def _update(self, tensors: Mapping[str, Tensor]) -> None:
        """One step, entirely on the device."""
        # No autocast cache: a captured graph must not reuse casts of old weights.
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._is_cuda, cache_enabled=False):
            lessons = self.network.lessons(tensors["planes"])
        parts = losses_of(lessons, tensors, parts=self._parts, network=self.network)
        weighted = [weight * part for weight, part in zip(self._weights, parts, strict=True) if weight]
        torch.stack(weighted).sum().backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), _GRADIENT_NORM)
        self._optimizer.step()
        with torch.no_grad():
            self._sums.add_(torch.stack((*parts, norm)))
            self._follow()

    def _follow(self) -> None:
        steps = torch._foreach_sub(self._learned, self._averaged)
        torch._foreach_mul_(steps, self._share)
        torch._foreach_add_(self._averaged, steps)


def losses_of(lessons: Lessons, tensors: Mapping[str, Tensor], *, parts: int, network: Network) -> tuple[Tensor, ...]:
    """Means over a batch, in the order of `Losses`, without the gradient.

    `tensors` are those of a `Batch`: policy targets sum to 1 over legal moves; outcomes and margins are the mover's.
    """
    outputs = lessons.outputs
    target, none = tensors["policy"], torch.zeros((), device=outputs.wdl.device)
    policy = _cross_entropy(outputs.policy, target, tensors["legal"], parts)
    entropy = -torch.special.xlogy(target, target).sum(1).mean()
    value = -(tensors["wdl"] * outputs.wdl.float().log_softmax(1)).sum(1).mean()
    scale = network.margin_scale
    margin = functional.huber_loss(outputs.margin / scale, tensors["margin"] / scale)
    soft_policy = ending = none
    if lessons.soft_policy is not None:
        flat = target**SOFTNESS
        flat = flat / flat.sum(1, keepdim=True).clamp_min(1e-6)
        soft_policy = _cross_entropy(lessons.soft_policy, flat, tensors["legal"], parts)
    if lessons.ending is not None:
        ending = functional.mse_loss(lessons.ending, tensors["ending"] * network.design.ending_scale)
    return policy, entropy, value, margin, soft_policy, ending


def _cross_entropy(policy: Tensor, target: Tensor, legal: Tensor, parts: int) -> Tensor:
    logits, _ = move_logits(policy, legal, parts)
    return -(target * logits.log_softmax(1)).sum(1).mean()


def _floats(network: nn.Module) -> list[Tensor]:
    """Weights and running statistics, without the integer step counters."""
    return [tensor.detach() for tensor in network.state_dict().values() if tensor.is_floating_point()]


def _moved(value: Any, device: torch.device) -> Any:
    """A copy of nested dictionaries with all tensors on `device`."""
    if isinstance(value, Tensor):
        return value.detach().to(device, copy=True)
    return {key: _moved(item, device) for key, item in value.items()} if isinstance(value, Mapping) else value
