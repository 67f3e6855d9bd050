"""The network, what runs it, what teaches it, and the file it is written to."""

from __future__ import annotations

import copy
import hashlib
import io
import json
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
import train_on_gpu
from train_on_gpu import POLICY, SHAPE, fill, learner, lively
from typed import as_a, known, network_state

from joute import JouteError
from joute.agents.net_file import NetworkFileError, parse_network_file
from joute.games import game_names, new
from joute.train.export import network_file, write_network
from joute.train.inference import Inference
from joute.train.learner import Learner, losses_of
from joute.train.network import Block, Design, Lessons, Network, NormedLayer, Outputs, move_logits, move_priors

CONNECT4 = (SHAPE, POLICY)
PLANES_OF_MOVES = ((4, 5, 3), 30)
MANY_MOVES = ((9, 9, 9), 209)
SINGLE_CELLS = ((3, 3, 3), 9)
SHAPES = [CONNECT4, PLANES_OF_MOVES, MANY_MOVES, SINGLE_CELLS]
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


pytest_plugins = ["torch_fixtures"]
pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def small(shape: tuple[int, int, int] = SHAPE, policy: int = POLICY, *, margin_scale: float = 1.0) -> Network:
    return lively(Network(Design(shape, policy, blocks=3, channels=16), margin_scale=margin_scale)).eval()


def random_planes(shape: tuple[int, int, int], count: int = 20) -> torch.Tensor:
    return torch.randint(0, 4, (count, *shape), dtype=torch.uint8)


def metadata(data: bytes) -> dict[str, str]:
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    return dict(session.get_modelmeta().custom_metadata_map)


def is_intact(data: bytes) -> bool:
    """What the checksum promises, written anew."""
    begin = data.find(b"joute.checksum") + len(b"joute.checksum") + 2
    blank = data[:begin] + b"0" * 64 + data[begin + 64 :]
    return hashlib.sha256(blank).hexdigest().encode() == data[begin : begin + 64]


@pytest.mark.parametrize(("shape", "policy"), SHAPES)
@pytest.mark.parametrize("aligned", [1, 8])
def test_the_folded_network_says_what_the_trained_one_says(
    shape: tuple[int, int, int], policy: int, aligned: int
) -> None:
    network = small(shape, policy, margin_scale=5.0)
    planes = random_planes(shape)
    expected, folded = network(planes), network.folded(aligned=aligned)(planes)
    assert expected.policy.shape == (20, policy)
    assert expected.wdl.shape == (20, 3)
    assert expected.margin.shape == (20,)
    for one, other in zip(expected, folded, strict=True):
        assert one.std() > 0.01
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


def test_fused_layers_compute_what_plain_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def as_documented(x, weight, z, alpha, bias, stride, padding, dilation, groups):  # type: ignore[no-untyped-def]
        return torch.relu(torch.conv2d(x, weight, bias, stride, padding, dilation, groups) + alpha * z)

    monkeypatch.setattr(torch, "cudnn_convolution_add_relu", as_documented)
    folded = small().folded()
    planes = random_planes(SHAPE)
    plain = folded(planes)
    folded.fuse(is_fused=True)
    torch.testing.assert_close(folded(planes), plain)


@pytest.mark.parametrize("is_training", [True, False])
def test_pooling_tells_every_cell_of_the_whole_board(is_training: bool) -> None:
    """Seven layers of 3×3 reach seven cells far: what is further away can only come through the pool."""
    network = lively(Network(Design((1, 1, 40), 40, blocks=3, channels=16))).train(is_training)
    empty = torch.zeros(2, 1, 1, 40, dtype=torch.uint8)
    marked = empty.clone()
    marked[1, 0, 0, 0] = 9
    assert network.design.is_spatial
    policy = network(marked).policy
    assert (policy[0, 30:] - policy[1, 30:]).abs().max() > 1e-3
    for block in network.tower:
        assert isinstance(block, Block)
        if block.pooled is not None:
            block.pooled.weight.data.zero_()
    policy = network.eval()(marked).policy
    assert torch.equal(policy[0, 30:], policy[1, 30:])


def test_a_policy_of_planes_is_laid_out_as_the_game_lays_out_its_board() -> None:
    """Where indices are (kind of move, cell), a symmetry has to move cells of both alike."""
    states = [network_state(state) for state in map(new, game_names()) if hasattr(state, "encode")]
    spatial = [
        state for state in states if Design(state.input_shape, state.policy_size, blocks=1, channels=8).is_spatial
    ]
    assert "noughts" in {state.game for state in spatial}
    assert "connect4" not in {state.game for state in spatial}  # its moves are columns
    for state in spatial:
        _, rows, columns = state.input_shape
        cells = rows * columns
        for g in range(state.symmetry_count):
            maps = {tuple(state.input_map(g)[first : first + cells]) for first in range(0, len(state.encode()), cells)}
            cell_maps = {tuple(to % cells for to in each) for each in maps}
            policy = [to % cells for to in state.policy_map(g)]
            assert {tuple(policy[first : first + cells]) for first in range(0, len(policy), cells)} <= cell_maps


def test_priors_are_a_distribution_over_the_legal_moves() -> None:
    legal = torch.tensor([[0, 2, -1], [4, -1, -1], [-1, -1, -1], [3, 1, 0]], dtype=torch.int16)
    policy = 20 * torch.randn(4, 5)
    priors = move_priors(policy, legal, 1)
    assert torch.equal(priors[legal < 0], torch.zeros(6))
    assert (priors[legal >= 0] > 0).all()
    torch.testing.assert_close(priors.sum(1), torch.tensor([1.0, 1.0, 0.0, 1.0]))
    torch.testing.assert_close(priors[0, 0] / priors[0, 1], (policy[0, 0] - policy[0, 2]).exp(), rtol=1e-4, atol=0)


def test_logits_of_a_move_of_several_parts_add() -> None:
    legal = torch.tensor([[0, 2, 1, -1, -1, -1]], dtype=torch.int16)
    policy = torch.tensor([[0.5, 2.0, 1.0]])
    logits, present = move_logits(policy, legal, 2)
    assert present.tolist() == [[True, True, False]]
    assert logits[0, :2].tolist() == [1.5, 2.0]
    assert move_priors(policy, legal, 2)[0, 2] == 0


def test_what_is_no_move_is_not_learned_from() -> None:
    policy = torch.randn(1, 4, requires_grad=True)
    tensors = {
        "legal": torch.tensor([[2, 0, -1]], dtype=torch.int16),
        "policy": torch.tensor([[0.25, 0.75, 0.0]]),
        "wdl": torch.tensor([[0.0, 1.0, 0.0]]),
        "margin": torch.zeros(1),
    }
    outputs = Outputs(policy, torch.zeros(1, 3), torch.zeros(1))
    loss, entropy, value, margin, *others = losses_of(Lessons(outputs, None, None), tensors, parts=1, network=small())
    loss.backward()  # type: ignore[no-untyped-call]
    assert policy.grad is not None
    assert policy.grad[0, [1, 3]].tolist() == [0, 0]
    # The gradient of a cross-entropy is what is predicted less what is wanted.
    predicted = policy.detach()[0, [2, 0]].softmax(0)
    torch.testing.assert_close(policy.grad[0, [2, 0]], predicted - torch.tensor([0.25, 0.75]))
    assert entropy.item() == pytest.approx(0.5623, abs=1e-4)
    assert value.item() == pytest.approx(np.log(3), abs=1e-6)
    assert [margin.item(), *(each.item() for each in others)] == [0, 0, 0]


def test_slots_are_answered_apart_and_by_the_newest_network() -> None:
    first, second = small(), lively(Network(Design(SHAPE, POLICY, blocks=3, channels=16)), seed=1).eval()
    inference = Inference(first, batch=8, width=POLICY, slots=2)
    for number, slot in enumerate(inference.slots):
        fill(slot.arrays[:2], POLICY, seed=number)
        slot.legal[7] = -1
    for network in (first, second):
        inference.refresh(network)
        for slot in reversed(inference.slots):
            inference.launch(slot)
        for slot in inference.slots:
            inference.wait(slot)
            outputs = network(torch.from_numpy(slot.planes))
            chances = outputs.wdl.softmax(1).detach().numpy()
            np.testing.assert_allclose(slot.values, chances[:, 0] - chances[:, 2], atol=1e-3)
            priors = move_priors(outputs.policy, torch.from_numpy(slot.legal), 1).detach().numpy()
            np.testing.assert_allclose(slot.priors, priors, atol=1e-3)
            assert slot.priors[7].tolist() == [0] * POLICY
    assert inference.bare_rate(0) > 0


def test_one_batch_is_learned_by_heart() -> None:
    one = learner(Network(Design(SHAPE, POLICY, blocks=3, channels=16)), "cpu", batch=32)
    batch = one.next_batch()
    fill(batch.arrays, POLICY, seed=0)
    one.step(batch, 5e-3)
    before = one.losses()
    for _ in range(150):
        one.step(batch, 5e-3)
    one.losses()
    one.step(batch, 5e-3)
    after = one.losses()
    assert before is not None
    assert after is not None
    assert before.policy - before.entropy > 0.2
    assert after.policy - after.entropy < 0.03
    assert before.value > 1
    assert after.value < 0.05
    assert after.margin < 0.1 * before.margin


def test_soft_policy_and_ending_are_learned_and_do_not_play() -> None:
    design = Design(SHAPE, POLICY, blocks=1, channels=8, has_soft_policy=True, ending_planes=2, ending_scale=0.5)
    one = Learner(
        Network(design),
        batch=8,
        width=POLICY,
        weight_decay=0,
        ema=0.5,
        margin_weight=0,
        soft_policy_weight=1.0,
        ending_weight=1.0,
    )
    batch = one.next_batch()
    fill(batch.arrays[:5], POLICY, seed=0)
    batch.host["ending"][:] = -batch.host["planes"].char()  # something that follows from the position
    losses = []
    for _ in range(2):
        one.step(batch, 1e-2)
        losses.append(known(one.losses()))
        for _ in range(60):
            one.step(batch, 1e-2)
        one.losses()
    assert losses[1].ending < 0.3 * losses[0].ending
    assert losses[1].soft_policy < losses[0].soft_policy - 0.01
    lessons = one.network.lessons(batch.host["planes"])
    flat = (known(lessons.soft_policy).softmax(1), lessons.outputs.policy.softmax(1))
    assert flat[0].max(1).values.mean() < flat[1].max(1).values.mean()
    played = {name.partition(".")[0] for name, _ in one.network.folded().named_parameters()}
    assert not played & {"soft_policy", "ending"}


def test_the_average_follows_the_network_at_its_pace() -> None:
    one = Learner(
        Network(Design(SHAPE, POLICY, blocks=1, channels=8)),
        batch=8,
        width=POLICY,
        weight_decay=0,
        ema=0.5,
        margin_weight=0,
    )
    expected = {name: tensor.clone().double() for name, tensor in one.network.state_dict().items()}
    for step in range(12):
        batch = one.next_batch()
        fill(batch.arrays, POLICY, seed=step)
        one.step(batch, 1e-2)
        keep = min(0.5, (1 + step) / (10 + step))
        for name, tensor in one.network.state_dict().items():
            expected[name] = keep * expected[name] + (1 - keep) * tensor
    for name, tensor in one.average.state_dict().items():
        if tensor.is_floating_point():
            torch.testing.assert_close(tensor.double(), expected[name], atol=1e-5, rtol=1e-4)
    moved, learned = (known(as_a(NormedLayer, each.stem).norm.running_mean) for each in (one.average, one.network))
    assert not torch.equal(moved, torch.zeros_like(moved))
    assert not torch.equal(moved, learned)
    assert not one.average.training


def test_only_weights_of_convolutions_and_linear_layers_decay() -> None:
    one = Learner(small(), batch=4, width=POLICY, weight_decay=0.1, ema=0, margin_weight=0)
    batch = one.next_batch()
    batch.host["legal"][:] = -1  # and targets of zero: nothing to learn
    before = copy.deepcopy(dict(one.network.named_parameters()))
    one.step(batch, 0.5)
    for name, weight in one.network.named_parameters():
        factor = 0.95 if weight.dim() > 1 else 1.0
        torch.testing.assert_close(weight, factor * before[name])


def test_learning_goes_on_from_a_checkpoint_as_if_there_had_been_none() -> None:
    def learn(one: Learner, steps: range) -> None:
        for step in steps:
            batch = one.next_batch()
            fill(batch.arrays, POLICY, seed=step)
            one.step(batch, 3e-3 / (step + 1))

    whole, second = (learner(Network(Design(SHAPE, POLICY, blocks=1, channels=8)), "cpu", batch=8) for _ in range(2))
    learn(whole, range(4))
    file = io.BytesIO()
    torch.save(whole.state_dict(), file)
    learn(whole, range(4, 8))
    file.seek(0)
    second.load_state_dict(torch.load(file, weights_only=True))
    assert second.steps == 4
    learn(second, range(4, 8))
    for one, other in ((whole.network, second.network), (whole.average, second.average)):
        for name, tensor in one.state_dict().items():
            assert torch.equal(tensor, other.state_dict()[name]), name


def test_a_loss_that_is_not_finite_is_reported() -> None:
    one = learner(small(), "cpu", batch=4)
    assert one.losses() is None
    batch = one.next_batch()
    fill(batch.arrays, POLICY, seed=0)
    batch.host["margin"][2] = float("nan")
    one.step(batch, 1e-3)
    with pytest.raises(JouteError, match="training diverged before step 1"):
        one.losses()


@pytest.mark.parametrize(("shape", "policy"), SHAPES)
def test_the_file_says_what_the_network_says(shape: tuple[int, int, int], policy: int) -> None:
    """To 1e-3, beside PyTorch with the weights rounded to half precision as the file keeps them."""
    network = small(shape, policy, margin_scale=4.0)
    rounded = network.folded().half().float()
    data = network_file(network, game="connect4", rules="", card={})
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    for count in (1, 20):
        planes = random_planes(shape, count)
        expected = rounded(planes)
        found = session.run(["policy", "wdl", "margin"], {"planes": planes.numpy()})
        for one, other in zip(expected, found, strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one.numpy(), other, atol=1e-3)
        exact = network(planes)
        assert (exact.policy.softmax(1) - rounded(planes).policy.softmax(1)).abs().max() < 1e-2


def test_a_file_names_its_game_and_the_same_weights_give_the_same_bytes(tmp_path: Path) -> None:
    network, path = small(), tmp_path / "net.onnx"
    card = {"seed": 7, "licence": "Apache-2.0", "games": 12, "device": "joute.checksum"}
    write_network(path, network, game="connect4", rules="columns=7", card=card)
    found = metadata(path.read_bytes())
    assert json.loads(found.pop("joute.card")) == card
    assert len(found.pop("joute.checksum")) == 64
    assert found == {
        "joute.format": "1",
        "joute.game": "connect4",
        "joute.rules": "columns=7",
        "joute.input": "2x6x7",
        "joute.policy": "7",
    }
    again = network_file(copy.deepcopy(network), game="connect4", rules="columns=7", card=dict(reversed(card.items())))
    assert again == path.read_bytes()
    network.value.bias.data[0] += 0.01
    assert network_file(network, game="connect4", rules="columns=7", card=card) != again
    assert list(tmp_path.iterdir()) == [path]


def test_a_flipped_bit_does_not_fit_the_checksum() -> None:
    data = network_file(small(), game="connect4", rules="", card={"seed": 1})
    assert is_intact(data)
    assert parse_network_file(data, "net").input_shape == SHAPE
    for bit in np.random.default_rng(0).integers(0, 8 * len(data), 200):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        assert not is_intact(bytes(damaged)), bit
        with pytest.raises(NetworkFileError, match=r"^net "):
            parse_network_file(bytes(damaged), "net")


def test_a_network_that_cannot_be_kept_in_half_precision_is_not_written(tmp_path: Path) -> None:
    network = small()
    network.policy.weight.data[0, 0] = 1e6
    with pytest.raises(JouteError, match=r"weights of policy\.weight are too large"):
        write_network(tmp_path / "net.onnx", network, game="connect4", rules="", card={})
    with pytest.raises(JouteError, match="there is no folder"):
        write_network(tmp_path / "none" / "net.onnx", small(), game="connect4", rules="", card={})
    assert not list(tmp_path.iterdir())


@needs_gpu
def test_captured_graphs_answer_as_plain_code_does() -> None:
    train_on_gpu.captured_graphs_answer_as_plain_code_does()


@needs_gpu
def test_a_captured_step_learns_as_plain_code_does() -> None:
    train_on_gpu.a_captured_step_learns_as_plain_code_does()
