"""The network at work for self-play: batches of one shape, from host memory and back into it.

A pool of games writes planes and legal moves into the arrays of a slot and reads priors and values from them. On a GPU
a slot is a captured graph, which costs one launch however many layers the network has: copies run on a stream of the
slot's own, so that they hide behind another slot's batch, and all graphs on one stream, one after the other. On a CPU
`launch` does the work and `wait` has nothing to wait for.
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
"""Runs before a graph is captured: PyTorch's own number; cuDNN finds its kernels in the first."""

_TRIAL = 20
"""Runs between two looks at the clock."""

_ALIGNED = 8
"""Input planes that tensor cores take at a time, in bfloat16."""

_AGREEMENT = 0.05
"""Relative difference of two kernels that is rounding: twelve layers in bfloat16 come to about 0.01."""


class Slot:
    """One batch in host memory, which a pool of games writes and reads, and its twin on the device."""

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
        #: [batch, width * parts]: policy indices of their moves, -1 where there is none.
        self.legal: NDArray[np.int16] = self.host["legal"].numpy()
        #: [batch, width]: probabilities of these moves.
        self.priors: NDArray[np.float16] = self.host["priors"].numpy()
        #: [batch]: the outcome expected, in [-1, 1], for the player to move.
        self.values: NDArray[np.float16] = self.host["values"].numpy()

    @property
    def arrays(self) -> tuple[NDArray[np.uint8], NDArray[np.int16], NDArray[np.float16], NDArray[np.float16]]:
        """What `SelfPlay.attach` takes; it is the same memory as long as the slot lives."""
        return self.planes, self.legal, self.priors, self.values


class Inference:
    """A network that answers batches of `batch` positions of up to `width` moves, in several slots."""

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
        planes, rows, columns = network.input_shape
        self.slots: Sequence[Slot] = tuple(
            Slot(planes * rows * columns, batch=batch, width=width, parts=parts, device=self.device)
            for _ in range(slots)
        )
        self._engine = (_Captured if self.device.type == "cuda" else _Direct)(network, self.slots, parts, self.device)

    @property
    def kernels(self) -> str:
        """What runs the layers, in a word: what a report of speed should say."""
        return self._engine.kernels

    def launch(self, slot: Slot) -> None:
        """Answer what stands in a slot; its arrays are not to be touched until `wait` has returned."""
        self._engine.launch(slot)

    def wait(self, slot: Slot) -> None:
        """Return when the slot's priors and values are those of its positions. Other threads run meanwhile."""
        self._engine.wait(slot)

    def refresh(self, network: Network) -> None:
        """Answer with what another network has learned, from the next launch on; batches in flight keep the old one."""
        self._engine.refresh(network)

    def bare_rate(self, seconds: float) -> float:
        """Positions a second of this network in batches of this size, without copies: what self-play is measured by.

        It has to be alone on the device for that, with nothing in flight, and overwrites what the first slot answers.
        """
        self._engine.repeat(self.slots[0], 1)
        begin, batches = time.perf_counter(), 0
        while (elapsed := time.perf_counter() - begin) < seconds or not batches:
            batches += self._engine.repeat(self.slots[0], _TRIAL)
        return batches * self.batch / elapsed


@torch.inference_mode()
def answer(network: FoldedNetwork, tensors: dict[str, Tensor], parts: int) -> None:
    """Write priors and values of the planes and legal moves of a batch, all on one device."""
    outputs = network(tensors["planes"])
    tensors["priors"].copy_(move_priors(outputs.policy, tensors["legal"], parts))
    tensors["values"].copy_(expected_outcome(outputs.wdl))


class _Direct:
    """On a CPU, in single precision."""

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
    """What a slot has on the GPU beside its memory."""

    def __init__(self, graph: torch.cuda.CUDAGraph, device: torch.device) -> None:
        self.graph = graph
        self.copies = _stream(device)
        self.sent, self.answered, self.done = _event(), _event(), _event()


def _stream(device: torch.device) -> torch.cuda.Stream:
    """A stream that goes before the learner's, because games wait for it."""
    return torch.cuda.Stream(device, priority=-1)  # type: ignore[no-untyped-call]


def _event(*, is_timed: bool = False) -> torch.cuda.Event:
    return torch.cuda.Event(enable_timing=is_timed)  # type: ignore[no-untyped-call]


class _Captured:
    """On a GPU, in bfloat16 with channels last, as captured graphs.

    The graphs share their memory, since they run one after the other and leave nothing in it: what they answer goes to
    memory of the slots.
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
        self._stream.wait_stream(caller)  # what is to be copied is there
        with torch.cuda.stream(self._stream):
            self._network.copy_from(network)
        caller.wait_stream(self._stream)  # nobody changes it meanwhile

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
        # Other threads may go on to use the GPU.
        with torch.cuda.graph(graph, pool=memory, stream=self._stream, capture_error_mode="thread_local"):
            answer(network, slot.on_device, self._parts)
        return graph

    def _is_fused_better(self, slot: Slot) -> bool:
        """Whether fused kernels answer the same as plain ones, and sooner: that depends on shapes and versions."""
        trial = copy.deepcopy(self._network)
        random = torch.Generator(self._device).manual_seed(0)
        for weight in trial.parameters():
            # As large as leaves the outputs of a layer as large as its inputs.
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
