"""Networks for Vampires vs Werewolves: boards of any size, training from maps, and the paper's learning player."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import onnxruntime
import pytest
import torch
from train_on_gpu import lively

from joute import Clock, Random, agent, new, play_game
from joute._core import SelfPlayOptions
from joute.agents.net_file import parse_network_file
from joute.agents.network import Network as LoadedNetwork
from joute.errors import SpecError
from joute.games.vampires.agents.vamperouge import simulated
from joute.games.vampires.state import Vampires
from joute.games.vampires.vamperouge import SWITCHES, VamperougeErrors, VamperougeTraining
from joute.spec import parameters_of, read_settings
from joute.train import loop
from joute.train.checkpoint import RunFolder, Saved, unpack_model
from joute.train.command import train
from joute.train.export import network_file
from joute.train.learner import Batch, Learner
from joute.train.matches import starts_of
from joute.train.network import Design, Network, move_priors
from joute.train.parameters import TrainParameters
from joute.train.presets import prepare

SCALES = (1 / 255,) * 34
KINDS = 33
SMALL = {
    "iterations": "2", "iteration_games": "6", "games": "6", "channels": "8", "blocks": "1", "simulations": "3",
    "early_simulations": "3", "match_simulations": "2", "gate_games": "4", "threads": "1", "iteration_epochs": "1",
    "temperature_plies": "6",
}  # fmt: skip


def network_for(rows: int, columns: int) -> Network:
    """A network of the same weights for any frame."""
    torch.manual_seed(0)
    design = Design(
        (34, rows, columns),
        KINDS * rows * columns,
        blocks=3,
        channels=16,
        is_masked=True,
        plane_scales=SCALES,
    )
    return lively(Network(design, margin_scale=20.0)).eval()


def planes_of(states: list[Vampires], rows: int, columns: int) -> torch.Tensor:
    return torch.stack(
        [
            torch.frombuffer(bytearray(state.encode(0, rows, columns)), dtype=torch.uint8).view(34, rows, columns)
            for state in states
        ]
    )


def some_states(rows: int, columns: int) -> list[Vampires]:
    rng = Random(3)
    start = Vampires.new(f"{rows}x{columns}/6v0.0+6w{columns - 1}.{rows - 1}+3h1.1+8h2.1+5h0.2")
    states = [start]
    for _ in range(5):
        states.append(states[-1].play(states[-1].random_move(rng), rng))
    return [state for state in states if not state.is_terminal]


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (5, 10), (7, 5), (16, 16)])
@torch.no_grad()
def test_a_network_says_the_same_of_a_board_in_any_frame(rows: int, columns: int) -> None:
    states = some_states(rows, columns)
    own = network_for(rows, columns)(planes_of(states, rows, columns))
    for frame_rows, frame_columns in ((16, 16), (16, 29)):
        framed = network_for(frame_rows, frame_columns)(planes_of(states, frame_rows, frame_columns))
        torch.testing.assert_close(framed.wdl, own.wdl, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(framed.margin, own.margin, atol=1e-3, rtol=1e-4)
        cut = framed.policy.view(-1, KINDS, frame_rows, frame_columns)[:, :, :rows, :columns]
        torch.testing.assert_close(cut.flatten(1), own.policy, atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_boards_of_different_sizes_share_a_batch() -> None:
    small, large = some_states(3, 3), some_states(11, 12)
    network = network_for(16, 16)
    together = network(planes_of([*small, *large], 16, 16))
    apart = [network(planes_of(states, 16, 16)) for states in (small, large)]
    torch.testing.assert_close(together.wdl, torch.cat([each.wdl for each in apart]), atol=1e-5, rtol=1e-5)
    folded = network.folded(aligned=8)(planes_of([*small, *large], 16, 16))
    for one, other in zip(together, folded, strict=True):
        torch.testing.assert_close(one, other, atol=1e-3, rtol=1e-3)


def test_one_file_plays_on_boards_of_every_size(tmp_path: Path) -> None:
    data = network_file(network_for(16, 16), game="vampires", rules="", card={}, encoding="full")
    file = parse_network_file(data, "it")
    assert (file.input_shape, file.policy_size, file.any_size) == ((34, 0, 0), KINDS, True)
    loaded = LoadedNetwork(file)
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    for rows, columns in ((3, 3), (5, 10), (16, 29)):
        states = some_states(rows, columns)
        planes = planes_of(states, rows, columns)
        policy, wdl = session.run(["policy", "wdl"], {"planes": planes.numpy()})
        with torch.no_grad():
            expected = network_for(rows, columns)(planes)
        np.testing.assert_allclose(policy, expected.policy, atol=0.02)
        np.testing.assert_allclose(wdl, expected.wdl, atol=0.02)
        for state in states:
            file.check_for(state)
            priors = loaded.priors_of(state, "contact")
            assert list(priors) == list(state.moves("contact"))
            assert sum(priors.values()) == pytest.approx(1)
    path = tmp_path / "net.onnx"
    path.write_bytes(data)
    for game in ("vampires:map=arena", "vampires:map=plains,plies=100"):
        player = agent(f"alphazero:net={path},iterations=20,fallback=none", game=game)
        assert new(game).is_legal(player.choose(new(game), Clock()))
    with pytest.raises(SpecError, match="whose rules differ"):
        agent(f"alphazero:net={path},fallback=none", game="vampires:rules=twilight-succo").choose(
            new("vampires:rules=twilight-succo"), Clock()
        )


def test_a_turns_probability_is_that_of_the_sum_over_its_orders() -> None:
    state = Vampires.new("5x5/9v2.2+4v0.4+9w4.4+3h1.1+3h3.1+2h1.3")
    moves = state.moves("contact")
    assert max(len(move.orders) for move in moves) > 2
    policy = torch.randn(1, state.policy_size)
    legal = torch.full((1, 128, 8), -1, dtype=torch.int16)
    for row, move in enumerate(moves):
        for part, index in enumerate(state.policy_indices(move)):
            legal[0, row, part] = index
    priors = move_priors(policy, legal.view(1, -1), 8)[0]
    logits = [sum(policy[0, index] for index in state.policy_indices(move)) for move in moves]
    torch.testing.assert_close(priors[: len(moves)], torch.stack([torch.as_tensor(x) for x in logits]).softmax(0))
    assert priors[len(moves) :].sum() == 0


# --- Training from maps ---


def parameters_of_run(**settings: str) -> TrainParameters:
    given = {"threads": "1", "channels": "8", "blocks": "1", "games": "8", "pools": "1", "simulations": "3",
             "early_simulations": "3", "match_every": "0", "batch": "16"}  # fmt: skip
    return TrainParameters.read(given | settings, Vampires)


def test_games_of_self_play_begin_at_the_given_maps() -> None:
    parameters = parameters_of_run()
    maps = [Vampires.new(text) for text in ("3x4/4v0.0+4w3.2+2h1.1", "5x3/4v0.0+4w2.4+3h1.1/10", "4x4/5v0.0+5w3.3")]
    pool = Vampires.self_play(SelfPlayOptions(**parameters.self_play(Vampires)), "", maps)
    arrays: dict[str, Any] = {
        "planes": np.zeros((8, 34 * 256), np.uint8),
        "legal": np.zeros((8, 128 * 8), np.int16),
        "priors": np.full((8, 128), 0.01, np.float16),
        "values": np.full(8, 0.5, np.float16),
    }
    pool.attach(*arrays.values())
    first: set[bytes] = set()
    while pool.games < 30:
        pool.step()
        first |= {row.tobytes() for row in arrays["planes"]}
    starts = {state.encode(0, 16, 16) for state in maps}
    assert starts <= first
    records = pool.take_games()
    window = Vampires.replay_window(10_000, "", maps, generator=2, frame=(16, 16), search_share=0.5)
    assert window.add(records) == len(window) > 100
    with pytest.raises(Exception, match="damaged"):  # the starts are part of the run
        Vampires.replay_window(10_000, "", maps[:1], generator=2, frame=(16, 16)).add(records)


def test_the_value_target_mixes_the_result_with_the_searchs_value() -> None:
    parameters = parameters_of_run()
    pool = Vampires.self_play(
        SelfPlayOptions(**parameters.self_play(Vampires)), "", [Vampires.new("3x3/4v0.0+4w2.2+2h1.1")]
    )
    arrays: list[Any] = [np.zeros((8, 34 * 256), np.uint8), np.zeros((8, 1024), np.int16)]
    arrays += [np.full((8, 128), 0.01, np.float16), np.full(8, 0.5, np.float16)]
    pool.attach(*arrays)
    while pool.games < 20:
        pool.step()
    records = pool.take_games()
    sampled = []
    for share in (0.0, 0.5, 1.0):
        window = Vampires.replay_window(
            10_000, "", [Vampires.new("3x3/4v0.0+4w2.2+2h1.1")], generator=2, frame=(16, 16), search_share=share
        )
        window.add(records)
        sample: list[Any] = [np.zeros((64, 34 * 256), np.uint8), np.zeros((64, 1024), np.int16)]
        sample += [np.zeros((64, 128), np.float32), np.zeros((64, 3), np.float32), np.zeros(64, np.float32)]
        window.sample(64, 1, *sample)
        sampled.append(sample[3])
    outcome, mixed, searched = sampled
    assert set(np.unique(outcome)) == {0.0, 1.0}
    np.testing.assert_allclose(mixed, (outcome + searched) / 2, atol=1e-6)
    np.testing.assert_allclose(mixed.sum(axis=1), 1, atol=1e-6)
    assert (searched[:, 1] == 0).all()


def test_the_curriculum_has_maps_of_all_sizes_up_to_the_frame() -> None:
    starts = starts_of(new("vampires"), parameters_of_run())
    sizes = {(state.rows, state.columns) for state in starts if isinstance(state, Vampires)}
    assert max(max(size) for size in sizes) == 16
    assert min(min(size) for size in sizes) == 3
    assert any(rows != columns for rows, columns in sizes)
    plies = [state.ply for state in starts]
    assert 0.4 < plies.count(0) / len(plies) < 0.6
    assert max(plies) <= 160
    assert len({state.position for state in starts}) > 0.98 * len(starts)
    with pytest.raises(
        SpecError, match="unknown set of start positions of vampires 'curiculum'; did you mean 'curriculum'"
    ):
        starts_of(new("vampires"), parameters_of_run(starts="curiculum"))


# --- Vamperouge ---


def switches(spec: str) -> VamperougeTraining:
    pairs = dict(pair.split("=") for pair in spec.split(",") if pair)
    values: dict[str, Any] = read_settings("it", pairs, parameters_of(VamperougeTraining))
    return VamperougeTraining(**values)


def test_a_version_sets_every_switch_and_a_switch_overrides_it() -> None:
    for name, (faithful, corrected, *_) in SWITCHES.items():
        assert switches("").switch(name) == faithful
        assert switches("version=corrected").switch(name) == corrected
        assert switches(f"{name}={corrected}").switch(name) == corrected
        others = set(SWITCHES) - {name}
        assert all(switches(f"{name}={corrected}").switch(other) == SWITCHES[other][0] for other in others)


def test_the_preset_has_the_papers_numbers() -> None:
    game, settings = prepare("vamperouge", "vampires")
    parameters = TrainParameters(**settings)  # type: ignore[arg-type]  # checked by the parameters
    assert game == "vampires:plies=120,equal_humans=battle,limit=groups"
    assert (parameters.iterations, parameters.iteration_games, parameters.simulations) == (15, 100, 25)
    assert (parameters.channels, parameters.blocks, parameters.frame, parameters.encoding) == (256, 4, "16x16", "raw")
    assert (parameters.gate, parameters.gate_games, parameters.gate_share) == ("margin", 40, 0.55)
    assert (parameters.temperature, parameters.temperature_plies, parameters.noise_share) == (1.0, 30, 0.0)
    mended, corrected = prepare("vamperouge:version=corrected", "vampires")
    assert mended == "vampires:plies=120"
    assert (corrected["encoding"], corrected["whole_targets"], corrected["scrambled"]) == ("full", False, False)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("vamperuge", "unknown training preset 'vamperuge'; did you mean 'vamperouge'"),
        ("vamperouge:symetry=undone", "preset vamperouge has no parameter 'symetry'; did you mean 'symmetry'"),
        ("vamperouge:targets=whole", "targets"),
    ],
)
def test_a_wrong_preset_is_one_sentence(spec: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=sentence):
        train("vampires", tmp_path / "run", {}, print, preset=spec)
    with pytest.raises(SpecError, match="the preset vamperouge trains vampires, not connect4"):
        train("connect4", tmp_path / "run", {}, print, preset="vamperouge")
    assert not (tmp_path / "run").exists()


class Killed(BaseException):
    """Stands for a process that ends at once."""


class Watched(RunFolder):
    """A folder that remembers its checkpoints, and in which the process is killed after some."""

    def __init__(self, path: Path, kill_after: int | None = None) -> None:
        super().__init__(path)
        self.kill_after, self.seen = kill_after, list[Saved]()

    def save(self, saved: Saved, **options: Any) -> None:
        super().save(saved, **options)
        self.seen.append(saved)
        if len(self.seen) == self.kill_after:
            raise Killed


class Spy(Learner):
    """Remembers the policy targets that it learns."""

    seen: ClassVar[list[np.ndarray]] = []

    def step(self, batch: Batch, rate: float) -> None:
        self.seen.append(batch.policy.copy())
        super().step(batch, rate)


@dataclass(frozen=True)
class Run:
    """An undisturbed run: its folder, its checkpoints and its policy targets."""

    path: Path
    saved: list[Saved]
    targets: np.ndarray


@pytest.fixture(scope="module")
def whole_runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    @functools.cache
    def run_of(version: str) -> Run:
        path = tmp_path_factory.mktemp(version)
        torch.set_num_threads(1)
        Spy.seen.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "Learner", Spy)
            saved = run_preset(path, version)
        return Run(path, saved, np.concatenate(Spy.seen))

    return run_of


def run_preset(path: Path, version: str, kill_after: int | None = None) -> list[Saved]:
    game, settings = prepare(f"vamperouge:version={version},maps=vamperouge,plies=12", "vampires")
    parameters = TrainParameters.read(SMALL, Vampires, {**Vampires.training, **settings})
    with Watched(path, kill_after) as folder:
        with contextlib.suppress(Killed):
            loop.train(game, parameters, folder, command="", say=lambda _: None)
        return folder.seen


@pytest.mark.parametrize("version", ["faithful", "corrected"])
def test_training_that_is_killed_after_an_iteration_ends_as_one_that_is_not(
    version: str, tmp_path: Path, whole_runs: Callable[[str], Run]
) -> None:
    torch.set_num_threads(1)
    whole = whole_runs(version).saved
    parts = run_preset(tmp_path / "parts", version, kill_after=1) + run_preset(tmp_path / "parts", version)
    assert len(whole) == len(parts) == 2
    for one, other in zip(whole, parts, strict=True):
        assert {**one.state, "elapsed_s": 0} == {**other.state, "elapsed_s": 0}
        assert one.pools == other.pools
        ours, theirs = (unpack_model(each.model)["player"] for each in (one, other))
        assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    games = [saved.state["counters"]["games"] for saved in whole]
    assert [count >= 6 * (number + 1) for number, count in enumerate(games)] == [True] * 2
    assert (whole_runs(version).path / "network.onnx").stat().st_size > 0


def test_truncated_targets_leave_only_certain_moves(whole_runs: Callable[[str], Run]) -> None:
    for version, sums in (("faithful", {0.0, 1.0}), ("corrected", {1.0})):
        rows = whole_runs(version).targets
        assert set(np.unique(rows.sum(axis=1).round(3))) == sums
        assert (set(np.unique(rows)) == {0.0, 1.0}) == (version == "faithful")


@pytest.mark.parametrize("spec", ["vamperouge", "vamperouge:version=corrected", "vamperouge:policy_only=yes"])
def test_the_agent_plays_whole_games_of_the_official_rules(spec: str) -> None:
    record = play_game(
        "vampires:map=hamlet", f"{spec}{',' if ':' in spec else ':'}iterations=4", "langorou-random", seed=1
    )
    assert record.reason.value == "normal"


def test_the_faithful_player_believes_in_the_papers_rules() -> None:
    state = Vampires.new("3x3/4v0.0+4w2.2+4h1.0")
    for version, rules in (("faithful", "equal_humans=battle,limit=groups"), ("corrected", "")):
        believed = simulated(state, VamperougeErrors(version=version))
        assert (believed.position, believed.rules) == (state.position, rules)
    played = agent("vamperouge:iterations=8", game="vampires").choose(state, Clock())
    assert state.is_legal(played)


def test_on_a_board_that_is_too_large_another_search_plays_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="boards up to 16x16 cannot play on a board of 15x29"):
        move = agent("vamperouge:iterations=4", game="vampires:map=plains").choose(new("vampires:map=plains"), Clock())
    assert new("vampires:map=plains").is_legal(move)


def converted(version: str) -> int:
    """In how many of 24 positions a player takes the house of its own size beside its only group."""
    player = agent(f"vamperouge:version={version}", game="vampires")
    count = 0
    for size in (3, 5, 8):
        for dx, dy in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]:
            state = Vampires.new(f"10x10/{size}v4.4+{size}w9.9+{size}h{4 + dx}.{4 + dy}+{size}h9.0")
            count += str(player.choose(state, Clock())) == f"4.4-{4 + dx}.{4 + dy}x{size}"
    return count


def test_the_corrected_player_has_learned_to_convert_a_house_of_its_size_and_the_faithful_one_has_not() -> None:
    assert converted("corrected") >= 12
    assert converted("faithful") <= 2
