"""Export of a trained network as an ONNX file, which plays without PyTorch.

Weights are stored in half precision, which halves the file. The graph casts them back to single precision; ONNX Runtime
does that once, when it loads. The graph is written node by node, with a dozen kinds of nodes, so it does not depend on
the version of PyTorch, and the same weights give the same bytes. The metadata name the game and describe the training
run; their checksum covers the whole file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from joute.agents.net_file import ENCODING_FORMAT, FIRST_FORMAT
from joute.agents.net_graph import OPSET
from joute.errors import JouteError
from joute.files import write_whole
from joute.train.network import Block, FoldedLayer, FoldedNetwork, Network

_IR_VERSION = 8  # of 2022, as the operators
_DIGITS = hashlib.sha256().digest_size * 2
_CHECKSUM = b"joute.checksum"


def write_network(
    path: Path, network: Network, *, game: str, rules: str, card: Mapping[str, Any], encoding: str = ""
) -> None:
    """Write a network to a file, completely or not at all; JouteError if that fails."""
    write_whole(path, network_file(network, game=game, rules=rules, card=card, encoding=encoding))


def network_file(network: Network, *, game: str, rules: str, card: Mapping[str, Any], encoding: str = "") -> bytes:
    """The bytes of the file. `card` describes the training run: numbers and texts, stored as JSON.

    `encoding` is the game's encoding of positions, in games that have several. A network for boards of any size is
    written without its mask: it plays on a whole board, where the mask has no effect.
    """
    design = network.design
    planes = design.input_shape[0]
    shape = (planes, 0, 0) if design.any_size else design.input_shape
    policy = design.policy_size // design.cells if design.any_size else design.policy_size
    model = helper.make_model(
        _Graph(network.folded().cpu()).proto(),
        producer_name="joute",
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=_IR_VERSION,
    )
    metadata = {
        "joute.format": str(ENCODING_FORMAT if encoding else FIRST_FORMAT),
        "joute.game": game,
        "joute.rules": rules,
        "joute.input": "x".join(map(str, shape)),
        "joute.policy": str(policy),
        "joute.card": json.dumps(card, sort_keys=True, ensure_ascii=False),
        _CHECKSUM.decode(): "0" * _DIGITS,
    }
    if encoding:
        metadata["joute.encoding"] = encoding
    for key, value in metadata.items():
        model.metadata_props.append(onnx.StringStringEntryProto(key=key, value=value))
    return signed(model.SerializeToString(deterministic=True))


def signed(data: bytes) -> bytes:
    """Replace the zeros of the checksum entry by the SHA-256 of the file with these zeros."""
    # A serialized entry is key and value, each preceded by field tag and length.
    entry = b"\x0a" + bytes([len(_CHECKSUM)]) + _CHECKSUM + b"\x12" + bytes([_DIGITS])
    assert data.count(entry) == 1
    begin = data.index(entry) + len(entry)
    return data[:begin] + hashlib.sha256(data).hexdigest().encode() + data[begin + _DIGITS :]


class _Graph:
    """The nodes and weights of a network, in order of computation."""

    def __init__(self, network: FoldedNetwork) -> None:
        self._network = network
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[TensorProto] = []

    def proto(self) -> onnx.GraphProto:
        """The graph with input `planes` and outputs `policy`, `wdl` and `margin`, for any batch size."""
        network = self._network
        x = self._node("Cast", ["planes"], "input", to=TensorProto.FLOAT)
        x = self._layer("stem", network.stem, x)
        for number, block in enumerate(network.tower):
            assert isinstance(block, Block)
            x = self._block(f"block{number}", block, x)
        self._policy(x)
        self._value(x)
        design = network.design
        shape = (design.input_shape[0], "R", "C") if design.any_size else design.input_shape
        outputs = {"policy": ("P" if design.any_size else design.policy_size,), "wdl": (3,), "margin": ()}
        return helper.make_graph(
            self._nodes,
            "joute",
            [helper.make_tensor_value_info("planes", TensorProto.UINT8, ("N", *shape))],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, ("N", *shape)) for name, shape in outputs.items()],
            self._weights,
        )

    def _block(self, name: str, block: Block, x: str) -> str:
        inner = self._layer(f"{name}.first", block.first, x)
        if block.pooled is not None:
            bias = self._convolution(f"{name}.pooled", self._summary(name, inner), _as_kernel(block.pooled.weight))
            x = self._node("Add", [x, bias], f"{name}.shortcut")
        return self._layer(f"{name}.second", block.second, inner, x)

    def _policy(self, x: str) -> None:
        network = self._network
        x = self._layer("policy.cells", network.policy_cells, x)
        if isinstance(network.policy, nn.Conv2d):
            x = self._convolution("policy.planes", x, network.policy.weight, network.policy.bias)
            self._node("Flatten", [x], "policy")
            return
        # ONNX flattens channels before cells; the network's weights expect cells first.
        weight = network.policy.weight.view(-1, network.design.cells, _channels(network.policy_cells))
        weight = weight.transpose(1, 2).flatten(1)
        self._linear("policy", self._node("Flatten", [x], "policy.flat"), weight, network.policy.bias)

    def _value(self, x: str) -> None:
        network = self._network
        x = self._layer("value.cells", network.value_cells, x)
        if not network.design.is_dense:
            x = self._summary("value", x)
        units = network.value_units
        x = self._linear("value.sums", self._node("Flatten", [x], "value.flat"), units.weight, units.bias)
        x = self._node("Relu", [x], "value.units")
        weight, bias = network.value.weight, network.value.bias
        self._linear("wdl", x, weight[:3], bias[:3])
        scale = network.margin_scale
        x = self._linear("margin.column", x, weight[3:] * scale, bias[3:] * scale)
        self._weights.append(numpy_helper.from_array(np.array([-1], np.int64), "margin.shape"))
        self._node("Reshape", [x, "margin.shape"], "margin")

    def _layer(self, name: str, layer: nn.Module, x: str, shortcut: str | None = None) -> str:
        assert isinstance(layer, FoldedLayer)
        x = self._convolution(f"{name}.sums", x, layer.weight, layer.bias)
        if shortcut is not None:
            x = self._node("Add", [x, shortcut], f"{name}.added")
        return self._node("Relu", [x], name)

    def _summary(self, name: str, x: str) -> str:
        pools = [self._node(f"Global{pool}Pool", [x], f"{name}.{pool.lower()}") for pool in ("Average", "Max")]
        return self._node("Concat", pools, f"{name}.summary", axis=1)

    def _convolution(self, name: str, x: str, weight: Tensor, bias: Tensor | None = None) -> str:
        kernel = weight.shape[2]
        inputs = [x, *self._cast(name, weight, bias)]
        return self._node("Conv", inputs, name, kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4)

    def _linear(self, name: str, x: str, weight: Tensor, bias: Tensor) -> str:
        return self._node("Gemm", [x, *self._cast(name, weight, bias)], name, transB=1)

    def _cast(self, name: str, weight: Tensor, bias: Tensor | None) -> list[str]:
        kept = {"weight": weight} if bias is None else {"weight": weight, "bias": bias}
        return [self._constant(f"{name}.{kind}", tensor) for kind, tensor in kept.items()]

    def _constant(self, name: str, tensor: Tensor) -> str:
        half: NDArray[np.float16] = tensor.detach().contiguous().half().numpy()
        if not np.isfinite(half).all():
            raise JouteError(
                f"the network cannot be written: weights of {name} are too large for half precision or NaN"
            )
        self._weights.append(numpy_helper.from_array(half, f"{name}.half"))
        return self._node("Cast", [f"{name}.half"], name, to=TensorProto.FLOAT)

    def _node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self._nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output


def _channels(layer: nn.Module) -> int:
    assert isinstance(layer, FoldedLayer)
    return layer.weight.shape[0]


def _as_kernel(weight: Tensor) -> Tensor:
    return weight[:, :, None, None]
