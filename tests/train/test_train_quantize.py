"""Networks whose towers compute with bytes."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from typer.testing import CliRunner

from joute import cli, new
from joute.agents.net_file import NetworkFileError, parse_network_file, read_network_file
from joute.agents.network import find_network
from joute.errors import JouteError

pytest.importorskip("torch")
quantize = pytest.importorskip("joute.train.quantize")


def shipped() -> Path:
    with as_file(files("joute.games.connect4") / "data" / "connect4.onnx") as path:
        return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped network of Connect Four with bytes, by ranges of few positions."""
    path = tmp_path_factory.mktemp("nets") / "whole.onnx"
    planes = np.random.default_rng(0).integers(0, 2, (64, 2, 6, 7), np.uint8)
    path.write_bytes(quantize.quantised(read_network_file(shipped()), planes))
    return path


def test_the_command_writes_a_smaller_file_that_plays_nearly_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quantize, "_POSITIONS", 96)
    out = tmp_path / "small.onnx"
    result = CliRunner().invoke(cli.command_line("quantize"), ["quantize", str(shipped()), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "MB instead of 0.97; on 96 positions: the same move in" in result.output
    assert out.stat().st_size < 0.6 * shipped().stat().st_size
    start = new("connect4")
    loss = quantize.loss_of(
        find_network("", start, 1), find_network(str(out), start, 1), [start.play(move) for move in start.legal_moves]
    )
    assert loss.positions == 7
    assert loss.policy < 0.02
    assert loss.value < 0.1


def test_what_is_quantised_already_or_no_network_is_refused(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(JouteError, match="quantised already"):
        quantize.quantize(whole, tmp_path / "again.onnx")
    (tmp_path / "text.onnx").write_text("no network")
    with pytest.raises(NetworkFileError):
        quantize.quantize(tmp_path / "text.onnx", tmp_path / "again.onnx")


def test_a_file_of_bytes_says_so_and_is_as_closely_checked(whole: Path) -> None:
    data = whole.read_bytes()
    assert "quantised" in parse_network_file(data, "it").card
    model = onnx.load_from_string(data)

    def refused(change: str) -> str:
        changed = onnx.ModelProto()
        changed.CopyFrom(model)
        weights = {each.name: each for each in changed.graph.initializer}
        name = next(name for name in weights if name.endswith("weight.whole"))
        if change == "scale":
            scale = weights[name.replace("whole", "scale")]
            scale.CopyFrom(numpy_helper.from_array(np.ones(3, np.float32), scale.name))
        elif change == "twice":
            node = next(node for node in changed.graph.node if name in node.input)
            other = onnx.NodeProto()
            other.CopyFrom(node)
            other.output[0] = "again"
            changed.graph.node.insert(0, other)
        elif change == "floats":
            weights[name].CopyFrom(numpy_helper.from_array(np.ones((2, 2, 3, 3), np.float32), name))
        for entry in changed.metadata_props:
            if entry.key == "joute.checksum":
                entry.value = "0" * 64
        with pytest.raises(NetworkFileError) as error:
            parse_network_file(quantize.signed(changed.SerializeToString(deterministic=True)), "it")
        return str(error.value)

    assert "DequantizeLinear in a way" in refused("scale")
    assert "uses a weight twice" in refused("twice")
    assert "weights of a type" in refused("floats")
