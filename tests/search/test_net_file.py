"""Network files: what is wrong with one is said in a sentence, and what is right is what the model computes."""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from network_files import metadata_for, network_bytes, network_model, signed
from onnx import TensorProto, helper

from joute import Clock, agent, new
from joute.agents import CaveatWarning, registry
from joute.agents.net_file import MOST_MB, NetworkFileError, parse_network_file, read_network_file
from joute.agents.net_graph import MOST_BATCH_MB, MOST_NODES, OPERATORS
from joute.agents.network import Network, find_network
from joute.errors import SpecError

CONNECT4 = new("connect4")


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """A network for Connect Four."""
    path = tmp_path / "small.onnx"
    path.write_bytes(network_bytes(CONNECT4, scale=0.3))
    return path


@pytest.fixture(autouse=True)
def _nothing_was_said_before() -> None:
    registry.say_caveat.cache_clear()


def test_a_file_says_what_it_is_for(net: Path) -> None:
    file = read_network_file(net)
    assert (file.game, file.rules, file.input_shape, file.policy_size) == ("connect4", "", (2, 6, 7), 7)
    assert file.card == '{"licence": "Apache-2.0"}'
    file.check_for(CONNECT4)


def replaced(data: bytes, old: bytes, new: bytes) -> bytes:
    assert data.count(old) == 1
    return data.replace(old, new)


def with_external_data(model: onnx.ModelProto) -> None:
    weight = model.graph.initializer[0]
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="secrets.bin")


def with_external_constant(model: onnx.ModelProto) -> None:
    value = helper.make_tensor("value", TensorProto.FLOAT, [1], [1.0])
    value.ClearField("float_data")
    value.data_location = TensorProto.EXTERNAL
    value.external_data.add(key="location", value="secrets.bin")
    model.graph.node.append(helper.make_node("Constant", [], ["constant"], value=value))


def with_foreign_operator(model: onnx.ModelProto) -> None:
    model.graph.node.append(helper.make_node("Mine", ["flat"], ["mine"], domain="my.operators"))


def with_branch(model: onnx.ModelProto) -> None:
    branch = helper.make_graph([], "branch", [], [helper.make_tensor_value_info("wdl", TensorProto.FLOAT, ["N", 3])])
    model.graph.node.append(helper.make_node("If", ["flat"], ["chosen"], then_branch=branch, else_branch=branch))


def with_function(model: onnx.ModelProto) -> None:
    model.functions.append(helper.make_function("mine", "Twice", ["x"], ["y"], [], [helper.make_opsetid("", 17)]))


def with_sparse_weights(model: onnx.ModelProto) -> None:
    values = helper.make_tensor("values", TensorProto.FLOAT, [1], [1.0])
    places = helper.make_tensor("places", TensorProto.INT64, [1], [0])
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, places, [9]))


def with_unknown_operator(model: onnx.ModelProto) -> None:
    model.graph.node[2].op_type = "MatMultiply"


def with_another_input(model: onnx.ModelProto) -> None:
    model.graph.input[0].name = model.graph.node[0].input[0] = "board"


def without_wdl(model: onnx.ModelProto) -> None:
    del model.graph.output[1]


def with_numbers_that_are_none(model: onnx.ModelProto) -> None:
    weight = model.graph.initializer[0]
    weight.raw_data = np.full(weight.dims, np.nan, np.float16).tobytes()


def with_outputs_swapped(model: onnx.ModelProto) -> None:
    nodes = {node.output[0]: node for node in model.graph.node}
    nodes["policy"].output[0], nodes["wdl"].output[0] = "wdl", "policy"
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")


def with_three_planes(model: onnx.ModelProto) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 3
    for weight in model.graph.initializer:
        if weight.name.endswith(".w"):
            weight.dims[0] = 3 * 6 * 7
            weight.raw_data = bytes(2 * weight.dims[0] * weight.dims[1])


def with_weight(model: onnx.ModelProto, *shape: int, kind: Any = np.float16) -> None:
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.zeros(shape, kind), "extra"))


def with_expansion(model: onnx.ModelProto) -> None:
    """A kilobyte that becomes gigabytes."""
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([30_000, 30_000], np.int64), "huge"))
    model.graph.node.append(helper.make_node("Expand", ["wdl", "huge"], ["large"]))


def with_wide_layers(model: onnx.ModelProto) -> None:
    """A weight of 2 MB whose layer has a million channels."""
    with_weight(model, 2**18, 2, 1, 1)
    cast = helper.make_node("Cast", ["extra"], ["wide"], to=TensorProto.FLOAT)
    layer = helper.make_node("Conv", ["numbers", "wide"], ["large"], kernel_shape=[1, 1], pads=[0] * 4)
    model.graph.node.extend([cast, layer])


def with_many_casts(model: onnx.ModelProto) -> None:
    for number in range(3):
        model.graph.node.append(helper.make_node("Cast", ["wdl.w"], [f"copy{number}"], to=TensorProto.FLOAT))


def with_wrong_size(model: onnx.ModelProto) -> None:
    model.graph.initializer[0].dims[:] = [2**31, 2**31]


def with_numbers_of_double_precision(model: onnx.ModelProto) -> None:
    with_weight(model, 4, kind=np.float64)


def with_constant(model: onnx.ModelProto) -> None:
    value = helper.make_tensor("value", TensorProto.FLOAT, [1], [1.0])
    model.graph.node.append(helper.make_node("Constant", [], ["constant"], value=value))


def with_strides(model: onnx.ModelProto) -> None:
    with_weight(model, 1, 2, 1, 1)
    cast = helper.make_node("Cast", ["extra"], ["kernel"], to=TensorProto.FLOAT)
    layer = helper.make_node(
        "Conv", ["numbers", "kernel"], ["strided"], kernel_shape=[1, 1], pads=[2**30] * 4, strides=[1, 1]
    )
    model.graph.node.extend([cast, layer])


def with_many_nodes(model: onnx.ModelProto) -> None:
    for number in range(MOST_NODES):
        model.graph.node.append(helper.make_node("Relu", ["flat"], [f"relu{number}"]))


def with_two_names(model: onnx.ModelProto) -> None:
    model.graph.node.append(helper.make_node("Relu", ["flat"], ["wdl"]))


def with_a_fixed_batch(model: onnx.ModelProto) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 2**20


def with_old_operators(model: onnx.ModelProto) -> None:
    model.opset_import[0].version = 7


GOOD = network_bytes(CONNECT4)
BAD_FILES = {
    "text": (b"my favourite moves", "is not a network of Joute, or it is damaged"),
    "empty": (b"", "is not a network of Joute"),
    "another model": (network_model(CONNECT4).SerializeToString(), "is not a network of Joute"),
    "truncated": (GOOD[:-300], "is not a network of Joute, or it is damaged"),
    "a bit flipped": (GOOD[:900] + bytes([GOOD[900] ^ 1]) + GOOD[901:], "is damaged: its checksum does not fit"),
    "format of tomorrow": (network_bytes(CONNECT4, format="4"), "has format 4, and this Joute reads networks up to"),
    "format of nobody": (network_bytes(CONNECT4, format="one"), "is not a network of Joute: its format is 'one'"),
    "no checksum": (
        replaced(GOOD, b"joute.checksum", b"other.checksum"),
        "has no checksum, so it is not a network of Joute, or it is damaged",
    ),
    "no shape": (network_bytes(CONNECT4, input="2 by 6"), "does not name its game and shapes"),
    "another game": (network_bytes(new("avalam")), "is a network for avalam, not for connect4"),
    "other rules": (
        network_bytes(CONNECT4, rules="rules=pop-out"),
        "is a network for connect4:rules=pop-out, not for connect4, whose rules differ",
    ),
    "other planes": (
        network_bytes(CONNECT4, change=with_three_planes, input="3x6x7"),
        "is for another version of connect4: it takes 3x6x7 planes and 7 moves, and this Joute has 2x6x7 and 7",
    ),
    "external weights": (network_bytes(CONNECT4, change=with_external_data), "refers to other files"),
    "external constants": (network_bytes(CONNECT4, change=with_external_constant), "refers to other files"),
    "foreign operators": (network_bytes(CONNECT4, change=with_foreign_operator), "needs operators that are not ONNX's"),
    "branches": (network_bytes(CONNECT4, change=with_branch), "has branches or loops"),
    "functions": (network_bytes(CONNECT4, change=with_function), "contains functions"),
    "sparse weights": (network_bytes(CONNECT4, change=with_sparse_weights), "has sparse weights"),
    "unknown operators": (
        network_bytes(CONNECT4, change=with_unknown_operator),
        "uses the operator MatMultiply, which no network of Joute does",
    ),
    "an expansion": (network_bytes(CONNECT4, change=with_expansion), "weights of a type that no network of Joute has"),
    "wide layers": (network_bytes(CONNECT4, change=with_wide_layers), "needs 42 MB for one position; a network may"),
    "many casts": (network_bytes(CONNECT4, change=with_many_casts), "uses a weight twice"),
    "wrong sizes": (network_bytes(CONNECT4, change=with_wrong_size), "has weights whose shapes do not fit their bytes"),
    "double precision": (
        network_bytes(CONNECT4, change=with_numbers_of_double_precision),
        "has weights of a type that no network of Joute has",
    ),
    "constants": (network_bytes(CONNECT4, change=with_constant), "has weights in its nodes"),
    "strides": (network_bytes(CONNECT4, change=with_strides), "uses the operator Conv in a way that no network of"),
    "many nodes": (network_bytes(CONNECT4, change=with_many_nodes), "has more than 4,000 nodes"),
    "two nodes of a name": (network_bytes(CONNECT4, change=with_two_names), "two nodes have the same output"),
    "a fixed batch": (network_bytes(CONNECT4, change=with_a_fixed_batch), "its input is not planes of bytes"),
    "old operators": (
        network_bytes(CONNECT4, change=with_old_operators),
        "another version of ONNX's operators",
    ),
    "another input": (network_bytes(CONNECT4, change=with_another_input), "its input is not planes of bytes"),
    "no values": (network_bytes(CONNECT4, change=without_wdl), "it has no outputs policy and wdl"),
    "other outputs": (network_bytes(CONNECT4, change=with_outputs_swapped), "the shapes of policy and wdl differ"),
    "no numbers": (network_bytes(CONNECT4, change=with_numbers_that_are_none), "it outputs values that are not finite"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_cannot_be_played_by_gives_one_clear_error(name: str, tmp_path: Path) -> None:
    data, sentence = BAD_FILES[name]
    path = tmp_path / "bad.onnx"
    path.write_bytes(data)
    with pytest.raises(SpecError) as error:
        agent(f"alphazero:net={path},fallback=none", game="connect4")
    assert str(error.value).startswith(f"alphazero: {path} ")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    with pytest.warns(CaveatWarning) as said:
        stand_in = agent(f"alphazero:net={path},iterations=30", game="connect4", seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it was said
        assert stand_in.choose(CONNECT4, Clock()) == agent("mcts:iterations=30", seed=3).choose(CONNECT4, Clock())
    assert [str(each.message) for each in said] == [
        f"alphazero has no network to play with, so mcts plays instead: {str(error.value).removeprefix('alphazero: ')}"
    ]


def test_what_is_no_file_gives_one_clear_error(tmp_path: Path) -> None:
    fifo, large = tmp_path / "pipe", tmp_path / "large.onnx"
    os.mkfifo(fifo)
    with large.open("wb") as file:
        file.truncate((MOST_MB << 20) + 1)
    for path, sentence in (
        (tmp_path / "none.onnx", f"there is no file {tmp_path}/none.onnx"),
        (tmp_path, f"{tmp_path} is a folder, not a file"),
        (fifo, f"{fifo} is not a plain file"),
        (large, f"{large} has more than {MOST_MB} MB, the most that a network may have"),
    ):
        with pytest.raises(NetworkFileError) as error:
            read_network_file(path)
        assert str(error.value) == sentence


def test_every_truncation_and_random_damage_is_noticed() -> None:
    random = np.random.default_rng(1)
    for length in random.integers(0, len(GOOD), 200):
        with pytest.raises(NetworkFileError):
            parse_network_file(GOOD[:length], "it")
    for place in random.integers(0, len(GOOD), 200):
        damaged = bytearray(GOOD)
        damaged[place] ^= 1 << int(random.integers(8))
        with pytest.raises(NetworkFileError):
            parse_network_file(bytes(damaged), "it")


def test_numbers_without_end_are_no_reason_to_read_on() -> None:
    for data in (b"\xff" * 40, b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", b"\x0b\x0c", b"\x02\x01a"):
        with pytest.raises(NetworkFileError, match="it is not a network of Joute"):
            parse_network_file(data, "it")


def test_a_field_whose_number_only_others_understand_is_refused() -> None:
    """ONNX Runtime reads 32 bits of a field's number: the graph below is one to it, and must not go unseen here."""
    model = network_model(CONNECT4)
    graph = model.graph.SerializeToString()
    model.ClearField("graph")
    rest = signed(model, **metadata_for(CONNECT4))
    digits = re.findall(rb"[0-9a-f]{64}", rest)[0]
    hidden = bytes([0x80 | 7 << 3 | 2, 0x80, 0x80, 0x80, 0x10])  # the graph's field, and bit 32
    size = len(graph)
    length = bytes([0x80 | size & 127, 0x80 | size >> 7 & 127, size >> 14])
    data = rest.replace(digits, b"0" * 64) + hidden + length + graph
    data = data.replace(b"0" * 64, hashlib.sha256(data).hexdigest().encode())
    assert onnxruntime.InferenceSession(data).get_inputs()[0].name == "planes"
    with pytest.raises(NetworkFileError, match="it is not a network of Joute, or it is damaged"):
        parse_network_file(data, "it")


def test_a_key_that_is_there_twice_is_refused() -> None:
    model = network_model(CONNECT4)
    model.metadata_props.append(onnx.StringStringEntryProto(key="joute.game", value="avalam"))
    with pytest.raises(NetworkFileError, match="it has two entries for game"):
        parse_network_file(signed(model, **metadata_for(CONNECT4)), "it")


# --- The network ---


@pytest.mark.parametrize("name", ["connect4", "avalam", "divercite", "quoridor"])
def test_priors_and_values_are_those_of_the_model(name: str) -> None:
    state = new(name)
    for _ in range(3):
        state = state.play(state.legal_moves[0])
    data = network_bytes(state, seed=5, scale=0.01)
    network = Network(parse_network_file(data, "it"))
    board: Any = state
    planes = np.frombuffer(board.encode(), np.uint8)
    weights = {each.name: onnx.numpy_helper.to_array(each) for each in onnx.load_from_string(data).graph.initializer}
    logits = planes.astype(np.float32) @ weights["policy.w"]
    expected = {move: np.exp(sum(logits[i] for i in board.policy_indices(move))) for move in state.legal_moves}
    priors = network.priors_of(state)
    assert sum(priors.values()) == pytest.approx(1)
    total = sum(expected.values())
    assert priors == pytest.approx({move: share / total for move, share in expected.items()}, abs=1e-5)
    wdl = np.exp(planes.astype(np.float32) @ weights["wdl.w"])
    values = np.empty(2, np.float32)
    legal = np.array([[0, 1, -1]] * 2, np.int16)
    filled = np.empty((2, 3), np.float32)
    network.evaluate(np.stack([planes, planes]), legal, filled, values)
    assert values == pytest.approx([(wdl[0] - wdl[2]) / wdl.sum()] * 2, abs=1e-5)
    assert filled[:, 2].tolist() == [0, 0]
    assert filled.sum(axis=1) == pytest.approx([1, 1])


def test_logits_of_a_move_with_several_indices_add_up() -> None:
    data = network_bytes(CONNECT4, seed=2, scale=0.2)
    weights = onnx.numpy_helper.to_array(onnx.load_from_string(data).graph.initializer[0])
    first, second, third, *_ = weights.sum(axis=0, dtype=np.float32)
    priors = np.empty((1, 2), np.float32)
    moves = np.array([[0, 1, 2, -1]], np.int16)  # two indices the first has, one the second
    network = Network(parse_network_file(data, "it"))
    network.evaluate(np.ones((1, 84), np.uint8), moves, priors, np.empty(1, np.float32))
    assert priors[0, 0] / priors[0, 1] == pytest.approx(np.exp(first + second - third), rel=1e-4)


def test_a_network_is_loaded_once_until_its_file_changes(net: Path, tmp_path: Path) -> None:
    assert find_network(str(net), CONNECT4, 1) is find_network(str(net), CONNECT4, 1)
    assert find_network(str(net), CONNECT4, 2) is not find_network(str(net), CONNECT4, 1)
    path = tmp_path / "changing.onnx"
    path.write_bytes(network_bytes(CONNECT4, seed=1))
    before = find_network(str(path), CONNECT4, 1)
    path.write_bytes(network_bytes(CONNECT4, seed=2))
    os.utime(path, ns=(1, 1))
    after = find_network(str(path), CONNECT4, 1)
    assert before.priors_of(CONNECT4.play("4")) != after.priors_of(CONNECT4.play("4"))


def test_the_operators_that_are_allowed_are_those_that_training_writes() -> None:
    pytest.importorskip("torch")
    from joute.train.export import network_file
    from joute.train.network import Design
    from joute.train.network import Network as Learner
    from joute.train.quantize import quantised

    written: set[str] = set()
    for game in ("connect4", "quoridor"):
        board: Any = new(game)
        learner = Learner(Design(board.input_shape, board.policy_size, blocks=6, channels=8)).eval()
        data = network_file(learner, game=game, rules="", card={})
        parse_network_file(data, "it").check_for(new(game))
        planes = np.zeros((2, *board.input_shape), np.uint8)
        whole = quantised(parse_network_file(data, "it"), planes)
        parse_network_file(whole, "it").check_for(new(game))
        written |= {node.op_type for node in onnx.load_from_string(whole).graph.node}
        written |= {node.op_type for node in onnx.load_from_string(data).graph.node}
    assert written == OPERATORS


def test_a_batch_that_needs_too_much_memory_is_refused(net: Path) -> None:
    file = read_network_file(net)
    assert find_network(str(net), CONNECT4, 1, batch=4096).file == file
    batch = (MOST_BATCH_MB << 20) // file.position_bytes + 1
    with pytest.raises(NetworkFileError, match=r"MB for a batch of \d+ positions; at most 1024 MB are allowed"):
        find_network(str(net), CONNECT4, 1, batch=batch)


def test_what_training_writes_is_what_is_played_by() -> None:
    torch = pytest.importorskip("torch")
    from joute.train.export import network_file
    from joute.train.network import Design
    from joute.train.network import Network as Learner

    board: Any = CONNECT4
    torch.manual_seed(1)
    learner = Learner(Design(board.input_shape, board.policy_size, blocks=1, channels=8)).eval()
    file = parse_network_file(network_file(learner, game="connect4", rules="", card={"games": 0}), "it")
    file.check_for(CONNECT4)
    assert sum(Network(file).priors_of(CONNECT4).values()) == pytest.approx(1)
