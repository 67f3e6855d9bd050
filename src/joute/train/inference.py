"""Inference for self-play: batches of fixed shape, with inputs and outputs in host memory.

A pool of games writes planes and legal moves into the arrays of a slot and reads priors and values from them. On a GPU
each slot has a captured graph, which takes one launch however many layers the network has. Copies run on the slot's own
stream, so that they overlap with another slot's batch; all graphs run on one stream, one after the other. On a CPU
`launch` computes the batch and `wait` returns at once.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from joute.train.network import FoldedNetwork, Network, channels_last, expected_outcome, move_priors

_WARM_UP = 3
"""Runs before a graph is captured, as PyTorch recommends; cuDNN selects its kernels in the first."""

_TRIAL = 20
"""Runs per timing."""

_ALIGNED = 8
"""Input planes are padded to a multiple of this, the group size of tensor cores in bfloat16."""

_AGREEMENT = 0.05
"""Relative difference of two kernels accepted as rounding; twelve layers in bfloat16 differ by about 0.01."""


class Slot:
    """A batch in host memory, which a pool of games writes and reads, and its copy on the device."""

    def __init__(self, inputs: int, *, batch: int, width: int, parts: int, device: torch.device) -> None:
        is_cuda = device.type == "cuda"
        shapes = {
            "planes": ((batch, inputs), torch.uint8),
            "legal": ((batch, width * parts), torch.int16),
            "priors": ((batch, width), torch.float16),
            "values": ((batch,), torch.float16),
        }
        self.host = {name: torch.zeros(of, dtype=kind, pin_memory=is_cuda) for name, (of, kind) in shapes.items()}
        self.on_device = {name: tensor.to(device) for name, tensor in self.host.items()}
        #: [batch, planes * rows * columns]: the positions.
        self.planes: NDArray[np.uint8] = self.host["planes"].numpy()
        #: [batch, width * parts]: policy indices of their legal moves, padded with -1.
        self.legal: NDArray[np.int16] = self.host["legal"].numpy()
        #: [batch, width]: prior probabilities of these moves.
        self.priors: NDArray[np.float16] = self.host["priors"].numpy()
        #: [batch]: the expected outcome for the player to move, in [-1, 1].
        self.values: NDArray[np.float16] = self.host["values"].numpy()

    @property
    def arrays(self) -> tuple[NDArray[np.uint8], NDArray[np.int16], NDArray[np.float16], NDArray[np.float16]]:
        """The arguments of `SelfPlay.attach`; they share the slot's memory for its lifetime."""
        return self.planes, self.legal, self.priors, self.values


class Inference:
    """Evaluates batches of `batch` positions with up to `width` moves each, in several slots."""

    def __init__(
        self,
        network: Network,
        *,
        batch: int,
        width: int,
        parts: int = 1,
        slots: int = 1,
        device: str | torch.device = "cpu",
    ) -> None:
        self.device = torch.device(device)
        self.batch, self.width, self.parts = batch, width, parts
        planes, rows, columns = network.design.input_shape
        self.slots: Sequence[Slot] = tuple(
            Slot(planes * rows * columns, batch=batch, width=width, parts=parts, device=self.device)
            for _ in range(slots)
        )
        self._engine = (_Captured if self.device.type == "cuda" else _Direct)(network, self.slots, parts, self.device)

    @property
    def kernels(self) -> str:
        """The kind of kernels, "fused" or "plain", for reports of speed."""
        return self._engine.kernels

    def launch(self, slot: Slot) -> None:
        """Begin to evaluate the batch of a slot; its arrays must not be accessed until `wait` has returned."""
        self._engine.launch(slot)

    def wait(self, slot: Slot) -> None:
        """Wait until the slot's priors and values are complete; other Python threads can run meanwhile."""
        self._engine.wait(slot)

    def refresh(self, network: Network) -> None:
        """Use the weights of another network from the next launch on; batches in flight keep the old weights."""
        self._engine.refresh(network)

    def bare_rate(self, seconds: float) -> float:
        """Positions per second in batches of this size, without copies: the upper bound of the speed of self-play.

        Nothing else may run on the device, and no batch may be in flight. Overwrites the outputs of the first slot.
        """
        self._engine.repeat(self.slots[0], 1)
        begin, batches = time.perf_counter(), 0
        while (elapsed := time.perf_counter() - begin) < seconds or not batches:
            batches += self._engine.repeat(self.slots[0], _TRIAL)
        return batches * self.batch / elapsed


@torch.inference_mode()
def answer(network: FoldedNetwork, tensors: dict[str, Tensor], parts: int) -> None:
    """Compute priors and values from the planes and legal moves of a batch, in place on one device."""
    outputs = network(tensors["planes"])
    tensors["priors"].copy_(move_priors(outputs.policy, tensors["legal"], parts))
    tensors["values"].copy_(expected_outcome(outputs.wdl))


class _Direct:
    """Inference on a CPU, in single precision."""

    kernels = "plain"

    def __init__(self, network: Network, slots: Sequence[Slot], parts: int, device: torch.device) -> None:
        self._network, self._parts = network.folded().to(device), parts

    def launch(self, slot: Slot) -> None:
        answer(self._network, slot.on_device, self._parts)

    def wait(self, slot: Slot) -> None:
        pass

    def refresh(self, network: Network) -> None:
        self._network.copy_from(network)

    def repeat(self, slot: Slot, times: int) -> int:
        answer(self._network, slot.on_device, self._parts)
        return 1


class _Track:
    """The graph, copy stream and events of a slot on the GPU."""

    def __init__(self, graph: torch.cuda.CUDAGraph, device: torch.device) -> None:
        self.graph = graph
        self.copies = _stream(device)
        self.sent, self.answered, self.done = _event(), _event(), _event()


def _stream(device: torch.device) -> torch.cuda.Stream:
    """A stream with higher priority than the learner's, because games wait for it."""
    return torch.cuda.Stream(device, priority=-1)  # type: ignore[no-untyped-call]


def _event(*, is_timed: bool = False) -> torch.cuda.Event:
    return torch.cuda.Event(enable_timing=is_timed)  # type: ignore[no-untyped-call]


class _Captured:
    """Inference on a GPU, in bfloat16 with channels last, as captured graphs.

    The graphs share a memory pool, since they run one after the other and write their outputs to the slots' memory.
    """

    def __init__(self, network: Network, slots: Sequence[Slot], parts: int, device: torch.device) -> None:
        torch.backends.cudnn.benchmark = True
        self._parts, self._device = parts, device
        self._stream = _stream(device)
        self._network = channels_last(network.folded(aligned=_ALIGNED).to(device, torch.bfloat16))
        torch.cuda.synchronize(device)
        is_fused = self._is_fused_better(slots[0])
        self._network.fuse(is_fused=is_fused)
        self.kernels = "fused" if is_fused else "plain"
        memory = torch.cuda.graph_pool_handle()
        self._tracks = {slot: _Track(self._capture(self._network, slot, memory), device) for slot in slots}

    def launch(self, slot: Slot) -> None:
        track = self._tracks[slot]
        with torch.cuda.stream(track.copies):
            for name in ("planes", "legal"):
                slot.on_device[name].copy_(slot.host[name], non_blocking=True)
            track.sent.record(track.copies)
        with torch.cuda.stream(self._stream):
            self._stream.wait_event(track.sent)
            track.graph.replay()
            track.answered.record(self._stream)
        with torch.cuda.stream(track.copies):
            track.copies.wait_event(track.answered)
            for name in ("priors", "values"):
                slot.host[name].copy_(slot.on_device[name], non_blocking=True)
            track.done.record(track.copies)

    def wait(self, slot: Slot) -> None:
        self._tracks[slot].done.synchronize()

    def refresh(self, network: Network) -> None:
        caller = torch.cuda.current_stream(self._device)
        self._stream.wait_stream(caller)  # the caller's pending updates of `network` come first
        with torch.cuda.stream(self._stream):
            self._network.copy_from(network)
        caller.wait_stream(self._stream)  # the caller must not change `network` before the copy is done

    def repeat(self, slot: Slot, times: int) -> int:
        with torch.cuda.stream(self._stream):
            for _ in range(times):
                self._tracks[slot].graph.replay()
        self._stream.synchronize()
        return times

    def _capture(self, network: FoldedNetwork, slot: Slot, memory: Any = None) -> torch.cuda.CUDAGraph:
        with torch.cuda.stream(self._stream):
            for _ in range(_WARM_UP):
                answer(network, slot.on_device, self._parts)
        self._stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        # Other threads may use the GPU during the capture.
        with torch.cuda.graph(graph, pool=memory, stream=self._stream, capture_error_mode="thread_local"):
            answer(network, slot.on_device, self._parts)
        return graph

    def _is_fused_better(self, slot: Slot) -> bool:
        """Whether fused kernels are faster than plain ones with equal outputs; it depends on shapes and versions."""
        trial = copy.deepcopy(self._network)
        random = torch.Generator(self._device).manual_seed(0)
        for weight in trial.parameters():
            # He initialisation: a layer's outputs have the scale of its inputs.
            weight.normal_(std=(2 / weight[0].numel()) ** 0.5 if weight.dim() > 1 else 0.1, generator=random)
        planes = torch.randint(
            0, 2, slot.host["planes"].shape, generator=random, dtype=torch.uint8, device=self._device
        )
        seen: list[tuple[Tensor, float]] = []
        for is_fused in (False, True):
            trial.fuse(is_fused=is_fused)
            try:
                with torch.inference_mode():
                    answered = trial(planes)
                seen.append((torch.cat(answered[:2], 1).float(), self._time(self._capture(trial, slot))))
            except RuntimeError:
                if not is_fused:
                    raise
                return False  # cuDNN has no such kernel
        (plain, plain_ms), (fused, fused_ms) = seen
        agree = bool((plain - fused).norm() <= _AGREEMENT * plain.norm())
        return agree and fused_ms < plain_ms

    def _time(self, graph: torch.cuda.CUDAGraph) -> float:
        begin, end = _event(is_timed=True), _event(is_timed=True)
        with torch.cuda.stream(self._stream):
            graph.replay()
            begin.record(self._stream)
            for _ in range(_TRIAL):
                graph.replay()
            end.record(self._stream)
        end.synchronize()
        return float(begin.elapsed_time(end))
