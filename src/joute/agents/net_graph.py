"""Checks the graph of a network before ONNX Runtime sees it: its operators, its weights and every shape in it.

A graph of a kilobyte can ask for gigabytes: a weight may be expanded, and a layer may have any number of channels. So
only the operators that `joute.train.export` and `joute.train.quantize` write are allowed, as they write them. Their
shapes follow from the weights, which are in the file, and give the memory and the time of an evaluation before anything
is computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from joute._core import one_line
from joute.agents.onnx_wire import Field, MalformedError, Reader

#: The version of ONNX's operators that networks use. ONNX has it since 2022; every ONNX Runtime that Joute installs
#: supports it.
OPSET = 17

#: The most nodes of a graph. A block of the tower has at most 15; this allows more than 200 blocks.
MOST_NODES = 4_000
#: The most memory of the intermediate results of one position, at the time when they are largest. A tower of 256
#: channels on 361 cells, the size of strong Go networks, takes 1.1 MB.
MOST_POSITION_MB = 4
#: The most memory of the intermediate results of one batch.
MOST_BATCH_MB = 1024
#: The most multiplications for one position: a network of 40 blocks of 256 channels on 361 cells takes 17 billion.
MOST_MULTIPLICATIONS = 20_000_000_000

# A network for boards of any size is judged on a board of this many rows and columns: no network plays on a larger one,
# because its policy indices would exceed 16 bits.
_LARGEST_SIDE = 32

# The longest name of a tensor.
_LONGEST_NAME = 200

# Field numbers of onnx.proto, for the messages that are read.
_GRAPH_NODE, _GRAPH_NAME, _GRAPH_INITIALIZER, _GRAPH_DOC = 1, 2, 5, 10
_GRAPH_INPUT, _GRAPH_OUTPUT, _GRAPH_SPARSE_INITIALIZER = 11, 12, 15
_NODE_INPUT, _NODE_OUTPUT, _NODE_NAME, _NODE_OPERATOR, _NODE_ATTRIBUTE, _NODE_DOC, _NODE_DOMAIN = 1, 2, 3, 4, 5, 6, 7
_ATTRIBUTE_NAME, _ATTRIBUTE_INTEGER, _ATTRIBUTE_TENSOR, _ATTRIBUTE_INTEGERS, _ATTRIBUTE_TENSORS = 1, 3, 5, 8, 10
_ATTRIBUTE_GRAPH, _ATTRIBUTE_GRAPHS, _ATTRIBUTE_SPARSE, _ATTRIBUTE_SPARSES, _ATTRIBUTE_TYPE = 6, 11, 22, 23, 20
_TENSOR_DIMENSION, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_BYTES, _TENSOR_DOC = 1, 2, 8, 9, 12
_TENSOR_EXTERNAL_DATA, _TENSOR_DATA_LOCATION = 13, 14
_VALUE_NAME, _VALUE_TYPE, _TYPE_TENSOR, _TENSOR_KIND, _TENSOR_SHAPE = 1, 2, 1, 1, 2
_SHAPE_DIMENSION, _DIMENSION_VALUE = 1, 1

# TensorProto.DataType, and the bytes of one number.
_FLOAT, _UINT8, _INT8, _INT32, _INT64, _HALF = 1, 2, 3, 6, 7, 10
_SIZES = {_FLOAT: 4, _UINT8: 1, _INT8: 1, _INT32: 4, _INT64: 8, _HALF: 2}
_FLOAT_BYTES = 4
# Weights that a node turns into numbers of single precision.
_PACKED = (_HALF, _INT8, _INT32)


class GraphError(Exception):
    """The reason why a graph is refused, as the end of a sentence that begins with the file's name."""


@dataclass(frozen=True)
class Tensor:
    """A tensor: its type and its shape, which excludes the batch if there is one."""

    kind: int
    shape: tuple[int, ...]
    is_batched: bool = False
    #: For the constant shape of a Reshape.
    values: tuple[int, ...] = ()

    @property
    def bytes(self) -> int:
        """The memory for one position, as numbers of single precision."""
        return _FLOAT_BYTES * math.prod(self.shape)


@dataclass(frozen=True)
class _Node:
    operator: str
    inputs: list[str]
    output: str
    attributes: Mapping[str, list[int]]


@dataclass(frozen=True)
class Cost:
    """The cost of evaluating one position: peak memory of intermediate results, and multiplications."""

    bytes: int
    multiplications: int


def check_graph(reader: Reader, graph: Field, input_shape: tuple[int, int, int], policy_size: int) -> Cost:
    """Return the cost of a graph; GraphError if it is not one that Joute writes, or costs too much.

    An input of 0 rows and columns means boards of any size, and `policy_size` is then the number of logits of a cell.
    """
    tensors: dict[str, Tensor] = {}
    nodes: list[_Node] = []
    inputs: list[Field] = []
    outputs: list[str] = []
    for field in reader.inside(graph):
        if field.number == _GRAPH_NODE:
            nodes.append(_node(reader, field))
            if len(nodes) > MOST_NODES:
                raise GraphError(f"has more than {MOST_NODES:,} nodes, the most that a network may have")
        elif field.number == _GRAPH_INITIALIZER:
            name, tensor = _weight(reader, field)
            if name in tensors:
                raise MalformedError
            tensors[name] = tensor
        elif field.number == _GRAPH_INPUT:
            inputs.append(field)
        elif field.number == _GRAPH_OUTPUT:
            outputs.append(_name(reader, reader.single(field, _VALUE_NAME)))
        elif field.number == _GRAPH_SPARSE_INITIALIZER:
            raise GraphError("has sparse weights, which no network of Joute has")
        elif field.number not in (_GRAPH_NAME, _GRAPH_DOC):
            raise GraphError("has parts in its graph that no network of Joute has")
    if len(inputs) != 1 or _input(reader, inputs[0]) != ("planes", _UINT8, input_shape):
        raise GraphError("cannot be used: its input is not planes of bytes as its metadata say")
    if not {"policy", "wdl"} <= set(outputs) or len(set(outputs)) != len(outputs):
        raise GraphError("cannot be used: it has no outputs policy and wdl")
    if input_shape[1:] == (0, 0):
        input_shape = (input_shape[0], _LARGEST_SIDE, _LARGEST_SIDE)
        policy_size *= _LARGEST_SIDE**2
    tensors["planes"] = Tensor(_UINT8, input_shape, is_batched=True)
    cost = _evaluated(nodes, tensors, outputs)
    for name, shape in (("policy", (policy_size,)), ("wdl", (3,))):
        if tensors.get(name) != Tensor(_FLOAT, shape, is_batched=True):
            raise GraphError("cannot be used: the shapes of policy and wdl differ from its metadata")
    if cost.bytes > MOST_POSITION_MB << 20:
        raise GraphError(
            f"needs {cost.bytes / 2**20:.0f} MB for one position; a network may need {MOST_POSITION_MB} MB at most"
        )
    if cost.multiplications > MOST_MULTIPLICATIONS:
        raise GraphError(
            f"needs {cost.multiplications:.1e} multiplications for one position; a network may need "
            f"{MOST_MULTIPLICATIONS:.0e} at most"
        )
    return cost


def _evaluated(nodes: Sequence[_Node], tensors: dict[str, Tensor], outputs: Sequence[str]) -> Cost:
    """Add the output of every node to `tensors`, in order; returns the cost of all."""
    last_use = {name: index for index, node in enumerate(nodes) for name in node.inputs}
    last_use |= dict.fromkeys(outputs, len(nodes))
    live = tensors["planes"].bytes
    peak = multiplications = 0
    uses: dict[str, int] = {}
    for index, node in enumerate(nodes):
        if node.output in tensors:
            raise GraphError("is damaged: two nodes have the same output")
        try:
            given = [tensors[name] for name in node.inputs]
        except KeyError as error:
            raise GraphError("is damaged: a node comes before its input") from error
        made, count, workspace = _result(node, given)
        multiplications += count
        tensors[node.output] = made
        for name, tensor in zip(node.inputs, given, strict=True):
            # Its copy in single precision has its own size: several copies would multiply the memory of a weight.
            if tensor.kind in _PACKED and tensor.shape and not tensor.is_batched:
                uses[name] = uses.get(name, 0) + 1
                if uses[name] > 1:
                    raise GraphError("uses a weight twice, which no network of Joute does")
        if made.is_batched:
            live += made.bytes
            peak = max(peak, live + workspace)
            ended = {name for name in (*node.inputs, node.output) if last_use.get(name, -1) <= index}
            live -= sum(tensors[name].bytes for name in ended if tensors[name].is_batched)
    return Cost(peak, multiplications)


def _result(node: _Node, given: Sequence[Tensor]) -> tuple[Tensor, int, int]:
    """Return the output of a node, its multiplications and its workspace in bytes, for one position."""
    rule = _RULES.get(node.operator)
    if rule is None:
        raise GraphError(f"uses the operator {one_line(node.operator)}, which no network of Joute does")
    found = rule(given, dict(node.attributes))
    if found is None:
        raise GraphError(f"uses the operator {node.operator} in a way that no network of Joute does")
    return found


_Result = tuple[Tensor, int, int] | None
_Attributes = dict[str, list[int]]


def _floats(shape: tuple[int, ...], multiplications: int = 0, workspace: int = 0) -> _Result:
    return Tensor(_FLOAT, shape, is_batched=True), multiplications, workspace


def _are_floats(given: Sequence[Tensor], *, is_batched: bool) -> bool:
    return all(each.kind == _FLOAT and each.is_batched is is_batched for each in given)


def _cast(given: Sequence[Tensor], attributes: _Attributes) -> _Result:
    if len(given) != 1 or given[0].kind not in (_UINT8, _HALF) or attributes != {"to": [_FLOAT]}:
        return None
    return Tensor(_FLOAT, given[0].shape, given[0].is_batched), 0, 0


def _convolution(given: Sequence[Tensor], attributes: _Attributes) -> _Result:
    x, weight = given[:2] if len(given) in (2, 3) else (Tensor(_FLOAT, ()), Tensor(_FLOAT, ()))
    if not (_are_floats(given[:1], is_batched=True) and _are_floats(given[1:], is_batched=False)):
        return None
    if len(x.shape) != 3 or len(weight.shape) != 4:
        return None
    channels, rows, columns = x.shape
    made, taken, kernel, width = weight.shape
    if taken != channels or kernel != width or kernel % 2 == 0 or any(bias.shape != (made,) for bias in given[2:]):
        return None
    if attributes != {"kernel_shape": [kernel] * 2, "pads": [kernel // 2] * 4}:
        return None
    # ONNX Runtime copies the cells under the kernel into columns of a matrix.
    columns_bytes = _FLOAT_BYTES * channels * kernel * kernel * rows * columns if kernel > 1 else 0
    return _floats((made, rows, columns), made * channels * kernel * kernel * rows * columns, columns_bytes)


def _linear(given: Sequence[Tensor], attributes: _Attributes) -> _Result:
    if len(given) not in (2, 3) or attributes not in ({}, {"transB": [1]}):
        return None
    if not (_are_floats(given[:1], is_batched=True) and _are_floats(given[1:], is_batched=False)):
        return None
    x, weight = given[:2]
    if len(x.shape) != 1 or len(weight.shape) != 2:
        return None
    made, taken = weight.shape if attributes else weight.shape[::-1]
    if x.shape != (taken,) or any(bias.shape != (made,) for bias in given[2:]):
        return None
    return _floats((made,), made * taken)


def _relu(given: Sequence[Tensor], attributes: _Attributes) -> _Result:
    is_plain = len(given) == 1 and not attributes and _are_floats(given, is_batched=True)
    return _floats(given[0].shape) if is_plain else None


def _add(given: Sequence[Tensor], attributes: _Attributes) -> _Result:
    if len(given) != 2 or attributes or not _are_floats(given, is_batched=True):
        return None
    x, y = (each.shape for each in given)
    is_bias = len(x) == 3 and y == (x[0], 1, 1)
    return _floats(x) if x == y or is_bias else None


def _flatten(given: Sequence[Tensor], attributes: _Attributes) -> _Result:
    is_plain = len(given) == 1 and not attributes and _are_floats(given, is_batched=True)
    return _floats((math.prod(given[0].shape),)) if is_plain else None


def _reshape(given: Sequence[Tensor], attributes: _Attributes) -> _Result:
    """The column of margins as a list: shape [N, 1] becomes [N]."""
    if len(given) != 2 or attributes or not _are_floats(given[:1], is_batched=True) or given[0].shape != (1,):
        return None
    return _floats(()) if given[1].kind == _INT64 and given[1].values == (-1,) else None


def _pool(given: Sequence[Tensor], attributes: _Attributes) -> _Result:
    is_plain = len(given) == 1 and not attributes and _are_floats(given, is_batched=True)
    return _floats((given[0].shape[0], 1, 1)) if is_plain and len(given[0].shape) == 3 else None


def _concatenation(given: Sequence[Tensor], attributes: _Attributes) -> _Result:
    if attributes != {"axis": [1]} or not given or not _are_floats(given, is_batched=True):
        return None
    if any(len(each.shape) != 3 for each in given) or len({each.shape[1:] for each in given}) != 1:
        return None
    return _floats((sum(each.shape[0] for each in given), *given[0].shape[1:]))


def _rounding(given: Sequence[Tensor]) -> bool:
    """Whether the last two inputs are the scale and the zero of a tensor of bytes."""
    return given[1:] == [Tensor(_FLOAT, ()), Tensor(_UINT8, ())]


def _quantise(given: Sequence[Tensor], attributes: _Attributes) -> _Result:
    if attributes or not _are_floats(given[:1], is_batched=True) or not _rounding(given):
        return None
    return Tensor(_UINT8, given[0].shape, is_batched=True), 0, 0


def _dequantise(given: Sequence[Tensor], attributes: _Attributes) -> _Result:
    if len(given) != 3:
        return None
    x, scale, zero = given
    if x.is_batched:
        return _floats(x.shape) if not attributes and x.kind == _UINT8 and _rounding(given) else None
    channels = x.shape[:1]
    if attributes != {"axis": [0]} or x.kind not in (_INT8, _INT32) or len(channels) != 1:
        return None
    is_plain = scale == Tensor(_FLOAT, channels) and zero == Tensor(x.kind, channels)
    return (Tensor(_FLOAT, x.shape), 0, 0) if is_plain else None


#: The operators that `joute.train` writes, and how their outputs follow from their inputs.
_RULES: dict[str, Callable[[Sequence[Tensor], _Attributes], _Result]] = {
    "Add": _add,
    "Cast": _cast,
    "Concat": _concatenation,
    "Conv": _convolution,
    "DequantizeLinear": _dequantise,
    "Flatten": _flatten,
    "Gemm": _linear,
    "GlobalAveragePool": _pool,
    "GlobalMaxPool": _pool,
    "QuantizeLinear": _quantise,
    "Relu": _relu,
    "Reshape": _reshape,
}
OPERATORS = frozenset(_RULES)


def _node(reader: Reader, field: Field) -> _Node:
    inputs, outputs, operators = [], [], []
    attributes: dict[str, list[int]] = {}
    for part in reader.inside(field):
        if part.number == _NODE_INPUT:
            inputs.append(_name(reader, part))
        elif part.number == _NODE_OUTPUT:
            outputs.append(_name(reader, part))
        elif part.number == _NODE_OPERATOR:
            operators.append(_name(reader, part))
        elif part.number == _NODE_ATTRIBUTE:
            name, values = _attribute(reader, part)
            if name in attributes:
                raise MalformedError
            attributes[name] = values
        elif part.number == _NODE_DOMAIN:
            if reader.text(part) not in ("", "ai.onnx"):
                raise GraphError("needs operators that are not ONNX's own, which no network of Joute does")
        elif part.number not in (_NODE_NAME, _NODE_DOC):
            raise GraphError("has parts in its nodes that no network of Joute has")
    if len(operators) != 1:
        raise MalformedError
    if len(outputs) != 1:
        raise GraphError("has a node without a single output, which no network of Joute has")
    return _Node(operators[0], inputs, outputs[0], attributes)


def _attribute(reader: Reader, field: Field) -> tuple[str, list[int]]:
    """Return the name and the integers of an attribute; other kinds are refused."""
    name = ""
    found = []
    for part in reader.inside(field):
        if part.number in (_ATTRIBUTE_GRAPH, _ATTRIBUTE_GRAPHS):
            raise GraphError("has branches or loops, which no network of Joute has")
        if part.number in (_ATTRIBUTE_SPARSE, _ATTRIBUTE_SPARSES):
            raise GraphError("has sparse weights, which no network of Joute has")
        if part.number in (_ATTRIBUTE_TENSOR, _ATTRIBUTE_TENSORS):
            _check_is_inside(reader, part)
            raise GraphError("has weights in its nodes, which no network of Joute has")
        if part.number == _ATTRIBUTE_NAME:
            name = _name(reader, part)
        elif part.number in (_ATTRIBUTE_INTEGER, _ATTRIBUTE_INTEGERS):
            found.append(part)
        elif part.number != _ATTRIBUTE_TYPE:
            raise GraphError("has settings of operators that no network of Joute has")
    return name, reader.integers(found)


def _weight(reader: Reader, field: Field) -> tuple[str, Tensor]:
    _check_is_inside(reader, field)
    dimensions: list[Field] = []
    names, kinds, contents = [], [], []
    for part in reader.inside(field):
        if part.number == _TENSOR_DIMENSION:
            dimensions.append(part)
        elif part.number == _TENSOR_NAME:
            names.append(_name(reader, part))
        elif part.number == _TENSOR_TYPE:
            kinds.append(part.value)
        elif part.number == _TENSOR_BYTES:
            contents.append(part)
        elif part.number not in (_TENSOR_DOC, _TENSOR_DATA_LOCATION):
            raise GraphError("has weights that are not stored as bytes, unlike every network of Joute")
    if len(names) != 1 or len(kinds) != 1 or len(contents) != 1:
        raise MalformedError
    if (size := _SIZES.get(kinds[0])) is None:
        raise GraphError("has weights of a type that no network of Joute has")
    shape = tuple(reader.integers(dimensions))
    there = contents[0].end - contents[0].begin
    # Their product is compared only if no factor is absurd: a shape of 10,000 dimensions takes long to multiply.
    if len(shape) > 4 or any(not 1 <= each <= there for each in shape) or math.prod(shape) * size != there:
        raise GraphError("has weights whose shapes do not fit their bytes")
    if kinds[0] == _FLOAT and len(shape) > 1:
        raise GraphError("has weights of a type that no network of Joute has")
    values: tuple[int, ...] = ()
    if kinds[0] == _INT64:
        if shape != (1,):
            raise GraphError("has weights of a type that no network of Joute has")
        values = (int.from_bytes(reader.data[contents[0].begin : contents[0].end], "little", signed=True),)
    return names[0], Tensor(kinds[0], shape, values=values)


def _check_is_inside(reader: Reader, tensor: Field) -> None:
    for part in reader.inside(tensor):
        if part.number == _TENSOR_EXTERNAL_DATA or (part.number == _TENSOR_DATA_LOCATION and part.value):
            raise GraphError("refers to other files, which no network of Joute does")


def _input(reader: Reader, value: Field) -> tuple[str, int, tuple[int, ...]]:
    """Return the name, the type and the shape of an input, without the batch, whose size must be open."""
    name = _name(reader, reader.single(value, _VALUE_NAME))
    kind = reader.single(value, _VALUE_TYPE)
    tensor = reader.single(kind, _TYPE_TENSOR) if kind else None
    shape = reader.single(tensor, _TENSOR_SHAPE) if tensor else None
    number = reader.single(tensor, _TENSOR_KIND) if tensor else None
    if shape is None or number is None:
        return name, 0, ()
    sizes = []
    for dimension in reader.inside(shape):
        if dimension.number != _SHAPE_DIMENSION:
            raise MalformedError
        size = reader.single(dimension, _DIMENSION_VALUE)
        sizes.append(size.value if size else 0)
    return name, number.value, tuple(sizes[1:]) if sizes[:1] == [0] else ()


def _name(reader: Reader, field: Field | None) -> str:
    if field is None or field.end - field.begin > _LONGEST_NAME:
        raise MalformedError
    return reader.text(field)
