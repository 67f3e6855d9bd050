"""Small networks as files, written with the onnx package: weights from a seed, and everything a file must say."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from joute import State

_ZEROS = "0" * 64


def network_model(state: State, *, seed: int = 0, scale: float = 1.0) -> onnx.ModelProto:
    """One linear layer from a position to policy, wdl and margin; unsigned, and without metadata."""
    board: Any = state
    shape, policy_size = board.input_shape, board.policy_size
    random = np.random.default_rng(seed)
    sizes = {"policy": policy_size, "wdl": 3, "margin.column": 1}
    weights = [
        numpy_helper.from_array(
            (scale * random.standard_normal((np.prod(shape), size))).astype(np.float16), f"{name}.w"
        )
        for name, size in sizes.items()
    ]
    weights.append(numpy_helper.from_array(np.array([-1], np.int64), "margin.shape"))
    nodes = [
        helper.make_node("Cast", ["planes"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Flatten", ["numbers"], ["flat"]),
        *(helper.make_node("Cast", [f"{name}.w"], [f"{name}.float"], to=TensorProto.FLOAT) for name in sizes),
        *(helper.make_node("Gemm", ["flat", f"{name}.float"], [name]) for name in sizes),
        helper.make_node("Reshape", ["margin.column", "margin.shape"], ["margin"]),
    ]
    outputs = {"policy": ["N", policy_size], "wdl": ["N", 3], "margin": ["N"]}
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("planes", TensorProto.UINT8, ["N", *shape])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes) for name, sizes in outputs.items()],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def signed(model: onnx.ModelProto, **metadata: str) -> bytes:
    """The bytes of a model with these entries of Joute's, and its checksum."""
    for key, value in {**metadata, "checksum": _ZEROS}.items():
        model.metadata_props.append(onnx.StringStringEntryProto(key=f"joute.{key}", value=value))
    data = bytes(model.SerializeToString())
    assert data.count(_ZEROS.encode()) == 1
    return data.replace(_ZEROS.encode(), hashlib.sha256(data).hexdigest().encode())


def metadata_for(state: State) -> dict[str, str]:
    """What a network for the game of a position says of itself."""
    board: Any = state
    return {
        "format": "1",
        "game": state.game,
        "rules": state.rules,
        "input": "x".join(map(str, board.input_shape)),
        "policy": str(board.policy_size),
        "card": '{"licence": "Apache-2.0"}',
    }


def network_bytes(
    state: State,
    *,
    seed: int = 0,
    scale: float = 1.0,
    change: Callable[[onnx.ModelProto], object] = lambda model: None,
    **metadata: str,
) -> bytes:
    """A network file for the game of a position; `change` may spoil the model, and `metadata` what it says."""
    model = network_model(state, seed=seed, scale=scale)
    change(model)
    return signed(model, **metadata_for(state) | metadata)
