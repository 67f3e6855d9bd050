"""Quantisation of a network file: the layers of its tower compute with bytes, twice as fast on a processor.

Weights become signed bytes with a scale for each output channel, and activations unsigned bytes with a scale for each
tensor, whose range is measured on positions of games. Stem and heads keep their precision: they are a small part of the
work, and errors there go straight into the outputs. ONNX Runtime fuses the nodes that are written here into its
integer kernels.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from joute._core import Random
from joute.agents.net_file import QUANTISED_FORMAT, NetworkFile, parse_network_file, read_network_file
from joute.agents.network import Network, find_network, onnx_runtime
from joute.errors import JouteError
from joute.files import write_whole
from joute.games import State, new
from joute.train.export import signed

if TYPE_CHECKING:
    from collections.abc import Iterator

# Positions whose activations give the ranges, and as many others on which the loss is measured.
_POSITIONS = 1024
# Share of random moves in these games: without any, a network that knows the game plays nearly the same one each time.
_RANDOM_SHARE = 0.25
# Positions that the network evaluates at once.
_TOGETHER = 64


@dataclass(frozen=True)
class Loss:
    """How a quantised network differs from the original, on positions of its own games."""

    positions: int
    #: The share of positions in which both prefer the same move.
    same_move: float
    #: The mean divergence of the policies, in nats.
    policy: float
    #: The root of the mean square of the differences of values, which lie in [-1, 1].
    value: float

    def __str__(self) -> str:
        return (
            f"on {self.positions} positions: the same move in {self.same_move:.1%}, policies {self.policy:.4f} nats "
            f"apart, values {self.value:.4f} (rms)"
        )


def quantize(source: Path, out: Path, *, seed: int = 0) -> Loss:
    """Write the quantised network of a file to `out`; returns what it loses. JouteError if the file is no network."""
    file = read_network_file(source)
    if file.any_size or _is_quantised(file):
        why = "is quantised already" if _is_quantised(file) else "plays on boards of any size, which is not supported"
        raise JouteError(f"{source} {why}")
    start = new(f"{file.game}:{file.rules}" if file.rules else file.game)
    network = find_network(str(source), start, 1)
    states = _positions(network, start, 2 * _POSITIONS, Random(seed))
    data = quantised(file, _planes(states[::2], file))
    write_whole(out, data)
    return loss_of(network, Network(parse_network_file(data, str(out))), states[1::2])


def loss_of(network: Network, other: Network, states: Sequence[State]) -> Loss:
    """Compare two networks of a game on some positions."""
    same = divergence = square = 0.0
    for some in _chunks(states):
        both = [each.judge(some) for each in (network, other)]
        for (priors, value), (other_priors, other_value) in zip(*both, strict=True):
            same += max(priors, key=priors.__getitem__) == max(other_priors, key=other_priors.__getitem__)
            divergence += sum(p * np.log(p / max(other_priors[move], 1e-9)) for move, p in priors.items() if p > 0)
            square += (value - other_value) ** 2
    count = len(states)
    return Loss(count, same / count, divergence / count, float(np.sqrt(square / count)))


def quantised(file: NetworkFile, planes: NDArray[np.uint8]) -> bytes:
    """The bytes of the quantised network; the ranges of activations are those of `planes` [n, P, R, C]."""
    model = onnx.load_from_string(file.data)
    layers = [node for node in model.graph.node if node.op_type == "Conv" and _is_inside(node)]
    if not layers:
        raise JouteError(f"{file.name} has no layers to quantise")
    added = {node.output[0] for node in layers if _is_added(model.graph, node.output[0])}
    names = list(dict.fromkeys([*(node.input[0] for node in layers), *sorted(added)]))
    ranges = _ranges(model, names, planes)
    _Rewriter(model, layers, ranges).rewrite()
    for entry in model.metadata_props:
        if entry.key == "joute.format":
            entry.value = str(QUANTISED_FORMAT)
        elif entry.key == "joute.card":
            card = json.loads(entry.value) | {"quantised": "tower, 8 bits"}
            entry.value = json.dumps(card, sort_keys=True, ensure_ascii=False)
        elif entry.key == "joute.checksum":
            entry.value = "0" * len(entry.value)
    return signed(model.SerializeToString(deterministic=True))


class _Rewriter:
    """Replaces the layers of a model by quantised ones."""

    def __init__(self, model: Any, layers: Sequence[Any], ranges: dict[str, tuple[float, float]]) -> None:
        self._graph = model.graph
        self._weights = {each.name: each for each in self._graph.initializer}
        self._casts = {node.output[0]: node.input[0] for node in self._graph.node if node.op_type == "Cast"}
        self._layers = {node.output[0]: node for node in layers}
        self._ranges = ranges
        self._scales: dict[str, float] = {}
        self._made: list[Any] = []
        self._alias: dict[str, str] = {}

    def rewrite(self) -> None:
        nodes = list(self._graph.node)
        replaced = {name for node in self._layers.values() for name in node.input[1:]}
        for node in nodes:
            if node.output[0] in replaced:
                continue
            # Before its inputs are renamed.
            if node.output[0] in self._layers:
                self._dequantise_weights(node)
            for place, name in enumerate(node.input):
                node.input[place] = self._alias.get(name, name)
            self._made.append(node)
            self._quantise(node.output[0])
        del self._graph.node[:]
        self._graph.node.extend(self._made)
        del self._graph.initializer[:]
        self._graph.initializer.extend(self._weights.values())

    def _quantise(self, name: str) -> None:
        """If the range of a tensor is known, round it to bytes; later nodes take the rounded one."""
        if name not in self._ranges:
            return
        low, high = self._ranges[name]
        scale = max(high - low, 1e-6) / 255
        zero = round(-low / scale)
        self._scales[name] = scale
        extras = [
            self._constant(f"{name}.scale", np.array(scale, np.float32)),
            self._constant(f"{name}.zero", np.array(zero, np.uint8)),
        ]
        self._node("QuantizeLinear", [name, *extras], f"{name}.bytes")
        self._alias[name] = self._node("DequantizeLinear", [f"{name}.bytes", *extras], f"{name}.rounded")

    def _dequantise_weights(self, node: Any) -> None:
        weight, bias = (self._value(name) for name in node.input[1:])
        scales = np.maximum(np.abs(weight).reshape(len(weight), -1).max(1), 1e-8).astype(np.float32) / 127
        signed_bytes = np.round(weight / scales.reshape(-1, 1, 1, 1)).clip(-127, 127).astype(np.int8)
        sums = (scales * np.float32(self._scales[node.input[0]])).astype(np.float32)
        whole = np.round(bias / sums).clip(-(2**31) + 1, 2**31 - 1).astype(np.int32)
        self._dequantise(node.input[1], signed_bytes, scales)
        self._dequantise(node.input[2], whole, sums)

    def _dequantise(self, name: str, whole: NDArray[Any], scales: NDArray[np.float32]) -> None:
        """Make a tensor from whole numbers with a scale for each channel."""
        inputs = [
            self._constant(f"{name}.whole", whole),
            self._constant(f"{name}.scale", scales),
            self._constant(f"{name}.zero", np.zeros(len(scales), whole.dtype)),
        ]
        self._node("DequantizeLinear", inputs, name, axis=0)

    def _value(self, name: str) -> NDArray[np.float32]:
        return np.asarray(numpy_helper.to_array(self._weights.pop(self._casts[name])), np.float32)

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        self._weights[name] = numpy_helper.from_array(value, name)
        return name

    def _node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self._made.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output


def _is_quantised(file: NetworkFile) -> bool:
    return any(node.op_type == "QuantizeLinear" for node in onnx.load_from_string(file.data).graph.node)


def _is_inside(node: Any) -> bool:
    """Whether a convolution is a layer of the tower: all others have kernels of 1, but for the stem."""
    kernel = next(each.ints[0] for each in node.attribute if each.name == "kernel_shape")
    return bool(kernel > 1 and node.input[0] != "input" and len(node.input) == 3)


def _is_added(graph: Any, name: str) -> bool:
    return any(node.op_type == "Add" and name in node.input for node in graph.node)


def _ranges(model: Any, names: Sequence[str], planes: NDArray[np.uint8]) -> dict[str, tuple[float, float]]:
    """The smallest and the largest number of each tensor; 0 is always in the range."""
    shown = onnx.ModelProto()
    shown.CopyFrom(model)
    shown.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    session = onnx_runtime().InferenceSession(shown.SerializeToString(), providers=["CPUExecutionProvider"])
    lows, highs = np.zeros(len(names)), np.zeros(len(names))
    for first in range(0, len(planes), _TOGETHER):
        found = session.run(list(names), {"planes": planes[first : first + _TOGETHER]})
        lows = np.minimum(lows, [each.min() for each in found])
        highs = np.maximum(highs, [each.max() for each in found])
    return {name: (float(low), float(high)) for name, low, high in zip(names, lows, highs, strict=True)}


def _positions(network: Network, start: State, count: int, rng: Random) -> list[State]:
    """Positions of games in which the network's policy draws the moves, but for some random ones."""
    found: list[State] = []
    games = [start] * _TOGETHER
    while len(found) < count:
        for place, priors in enumerate(network.priors_of_each(games)):
            found.append(games[place])
            move = rng.choice(list(priors)) if rng.uniform() < _RANDOM_SHARE else _drawn(priors, rng)
            after = games[place].play(move, rng)
            games[place] = start if after.is_terminal else after
    return found[:count]


def _drawn(priors: dict[Any, float], rng: Random) -> Any:
    left = rng.uniform() * sum(priors.values())
    for move, prior in priors.items():
        left -= prior
        if left < 0:
            return move
    return next(iter(priors))


def _planes(states: Sequence[State], file: NetworkFile) -> NDArray[np.uint8]:
    boards: list[Any] = list(states)
    frame = file.encoding_index(type(boards[0])), *file.frame_size
    return np.stack([np.frombuffer(board.encode(*frame), np.uint8).reshape(file.input_shape) for board in boards])


def _chunks(states: Sequence[State]) -> Iterator[Sequence[State]]:
    return (states[first : first + _TOGETHER] for first in range(0, len(states), _TOGETHER))
