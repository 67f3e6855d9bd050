"""`joute train` and `python -m joute.train`: parameters, sentences, Ctrl-C, and what must not be imported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from joute import _core, cli
from joute.errors import JouteError, SpecError
from joute.games import find_game, game_names, new
from joute.games.connect4.state import Connect4
from joute.spec import parameters_of
from joute.train.__main__ import main, parser
from joute.train.checkpoint import RunFolder, Saved
from joute.train.command import StopRequest, command_line
from joute.train.parameters import FIXED, GROUPS, TrainParameters
from joute.train.progress import Counters

SMALL = ("--steps", "3", "--channels", "8")


def test_every_parameter_is_described_within_its_range_and_in_one_group() -> None:
    every = [each for group in GROUPS for each in parameters_of(group)]
    assert sorted(each.name for each in every) == sorted(each.name for each in parameters_of(TrainParameters))
    for each in every:
        assert each.help
        assert each.source
        assert each.read(each.default_text, "train") == each.default
    assert {each.name for each in every} >= set(FIXED)


def test_the_options_of_self_play_are_options_of_the_core() -> None:
    settings = TrainParameters(tree_reuse=False, c_puct=2.5).self_play(Connect4, pool=1)
    options = _core.SelfPlayOptions(**settings)
    assert {name: getattr(options, name) for name in settings} == settings
    seeds = {TrainParameters(seed=seed).self_play(Connect4, pool)["seed"] for seed in range(20) for pool in range(16)}
    assert len(seeds) == 320


def test_the_defaults_of_games_are_parameters_and_the_user_comes_before_them() -> None:
    for name in game_names():
        TrainParameters.read({}, find_game(name))
    assert Connect4.training["exact_from"] == TrainParameters.read({}, Connect4).exact_from != -1
    assert TrainParameters.read({"exact_from": "30"}, Connect4).exact_from == 30
    before = TrainParameters.read({"blocks": "3"}, Connect4).settings
    assert TrainParameters.read({"minutes": "5"}, Connect4, before).settings == before | {"minutes": 5.0}


def test_mistakes_are_told_in_a_sentence() -> None:
    with pytest.raises(SpecError, match="did you mean 'channels'"):
        TrainParameters.read({"chanels": "3"}, Connect4)
    with pytest.raises(SpecError, match="elo0 must be less than elo1"):
        TrainParameters.read({"gate_sprt": "elo0=5,elo1=5"}, Connect4)


def test_the_command_that_is_told_leads_to_the_same_parameters() -> None:
    asked = TrainParameters.read({"seed": "7", "tree_reuse": "no", "references": "random greedy"}, Connect4)
    import shlex

    words = shlex.split(command_line(new("connect4"), Path("a run"), asked))
    assert words[:5] == ["joute", "train", "connect4", "--out", "a run"]
    given = vars(parser().parse_args(words[2:]))
    again = {name: given[name] for name in ("seed", "tree_reuse", "references")}
    assert TrainParameters.read(again, Connect4) == asked


class Loop:
    """Stands for the loop of training: a step, and a checkpoint. `does` comes before."""

    def __init__(self) -> None:
        self.does: Callable[[Callable[[], bool]], None] = lambda _: None
        #: Of each run: steps before it, and two of its parameters.
        self.seen: list[tuple[int, int, float]] = []

    def train(
        self,
        game: str,
        parameters: TrainParameters,
        folder: RunFolder,
        *,
        command: str,
        say: Callable[[str], None],
        stop: Callable[[], bool],
        machines: object,
    ) -> None:
        assert machines is None
        steps = folder.state["counters"]["steps"] if folder.has_checkpoint else 0
        self.seen.append((steps, parameters.channels, parameters.learning_rate))
        assert command.startswith(f"joute train {game} --out {folder.path}")
        self.does(stop)
        state = {"counters": Counters(steps=steps + 1).as_data(), "elapsed_s": 1.0}
        folder.save(Saved(game, parameters.settings, state, b"", []))


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> Loop:
    made = Loop()
    module = types.ModuleType("joute.train.loop")
    module.__dict__.update(train=made.train, NETWORK="network.onnx")
    monkeypatch.setitem(sys.modules, "joute.train.loop", module)
    return made


def test_a_folder_that_holds_a_run_goes_on_with_its_parameters(
    tmp_path: Path, loop: Loop, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "run")
    assert main(["connect4", "--out", out, *SMALL]) == 0
    assert main(["connect4", "--out", out, "--learning-rate", "0.5"]) == 0
    assert main(["connect4", "--out", out]) == 0
    assert loop.seen == [(0, 8, 0.002), (1, 8, 0.5), (2, 8, 0.5)]
    assert main(["connect4", "--out", out]) == 2
    told = capsys.readouterr()
    assert f"To go on: joute train connect4 --out {out} --steps 6\n" in told.out
    assert f"Resuming the run in {out} at step 2, minute 0.02; it ends at 3 steps.\n" in told.out
    assert f"joute play connect4 --against alphazero:net={out}/network.onnx\n" in told.out
    assert "is finished; give more --minutes or --steps to continue it" in told.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["connect5"], "unknown game 'connect5'; did you mean 'connect4'?"),
        (
            ["tictactoe"],
            "tictactoe cannot be trained, as it has no network input; these games can: "
            + ", ".join(name for name in game_names() if hasattr(find_game(name), "encode")),
        ),
        (["connect4", "--channels", "1"], "train: channels must be a whole number in 8..1024, not 1"),
        (["connect4", "--gate", "often"], "train: gate must be one of none, sprt, margin, not 'often'"),
        (["connect4", "--window-max", "5"], "train: window_min must be at most window_max, not 250000 and 5"),
        (["connect4", "--references", "quoridor"], "agent 'quoridor' does not play connect4; it plays quoridor"),
        (
            ["connect4", "--references", ""],
            "train: references must name at least one agent; match_every=0 switches matches off",
        ),
        (
            ["connect4", "--openings", "no"],
            "openings 'no' are neither start, balanced nor random, and there is no such file",
        ),
    ],
)
def test_both_commands_refuse_in_the_same_sentence(
    tmp_path: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*words, "--out", str(tmp_path / "run")]
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"joute: {sentence}\n"
    result = CliRunner().invoke(cli.command_line("train"), ["train", *arguments])
    assert result.exit_code == 2
    assert result.stderr == f"joute: {sentence}\n"
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("loop")
def test_what_suits_a_run_is_judged_by_its_own_settings(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    assert main(["connect4", "--out", out, *SMALL, "--window-min", "5"]) == 0
    assert main(["connect4", "--out", out, "--window-max", "10"]) == 0
    assert main(["connect4", "--out", out, "--window-min", "11"]) == 2


@pytest.mark.usefixtures("loop")
def test_a_run_cannot_go_on_as_another_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "run")
    assert main(["connect4", "--out", out, *SMALL]) == 0
    assert main(["connect4", "--out", out, "--channels", "16"]) == 2
    assert main(["avalam", "--out", out]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0].endswith("has channels=8 and cannot go on with channels=16; choose another folder")
    assert told[1].endswith("holds a run of connect4, not of avalam; choose another folder")


def test_without_pytorch_one_sentence_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    result = CliRunner().invoke(cli.command_line("train"), ["train", "connect4", "--out", str(tmp_path / "run")])
    assert result.exit_code == 2
    assert result.stderr == "joute: training needs PyTorch, which is not installed: pip install 'joute[train]'\n"
    assert not (tmp_path / "run").exists()


def interrupted(stop: Callable[[], bool]) -> None:
    assert not stop()
    os.kill(os.getpid(), signal.SIGINT)
    assert stop()


def test_ctrl_c_writes_a_checkpoint_and_says_how_to_go_on(
    tmp_path: Path, loop: Loop, capsys: pytest.CaptureFixture[str]
) -> None:
    loop.does = interrupted
    before = signal.getsignal(signal.SIGINT)
    out = tmp_path / "run"
    assert main(["connect4", "--out", str(out), *SMALL]) == 130
    told = capsys.readouterr()
    assert f"The checkpoint is written. To go on: joute train connect4 --out {out}" in told.out
    assert told.err == "joute: interrupted\n"
    assert signal.getsignal(signal.SIGINT) is before
    with RunFolder(out) as folder:  # which is free again
        assert folder.load().state["counters"]["steps"] == 1
    result = CliRunner().invoke(cli.command_line("train"), ["train", "connect4", "--out", str(out)])
    assert (result.exit_code, result.stderr) == (130, "joute: interrupted\n")


def test_sigterm_ends_alike_and_ctrl_c_twice_ends_at_once(tmp_path: Path, loop: Loop) -> None:
    loop.does = lambda _: os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        main(["connect4", "--out", str(tmp_path / "run"), *SMALL])
    assert ended.value.code == 143
    stop = StopRequest()
    with stop.on_signals():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_both_commands_have_an_option_for_every_parameter() -> None:
    runner = CliRunner(env={"COLUMNS": "200", "TERM": "dumb"})
    shown = runner.invoke(cli.command_line("train"), ["train", "--help"]).output
    listed = parser().format_help()
    for each in parameters_of(TrainParameters):
        option = f"--{each.name.replace('_', '-')}"
        assert option in shown
        assert option in listed


FORBIDDEN = ("typer", "rich", "networkx", "threadpoolctl", "onnxruntime", "click", "fastapi")


def test_training_is_imported_without_packages_for_commands_pages_and_play() -> None:
    program = f"""
import importlib, pkgutil, sys
for name in {FORBIDDEN!r}:
    sys.modules[name] = None
import joute.train
names = [module.name for module in pkgutil.iter_modules(joute.train.__path__)]
assert {{"checkpoint", "command", "ladder", "matches", "parameters", "progress", "report", "schedule"}} <= set(names)
for name in names:
    importlib.import_module("joute.train." + name)
from joute.train.ladder import Ladder, MatchCounts
made = Ladder(("random",), [MatchCounts("step 1", "random", (1, 0, 2, 0, 3, 0, 1, 0, 5))])
assert 0 < made.ratings()["step 1"].elo < 400
from joute.train.__main__ import main
sys.exit(main(["connect5", "--out", "nowhere"]))
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.stderr == "joute: unknown game 'connect5'; did you mean 'connect4'?\n"
    assert ended.returncode == 2


def test_the_command_line_alone_imports_no_pytorch() -> None:
    program = "import sys; import joute.cli; import joute.train.command; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_loop_that_fails_leaves_the_folder_free(tmp_path: Path, loop: Loop) -> None:
    def fail(_: Callable[[], bool]) -> None:
        raise JouteError("out of memory")

    loop.does = fail
    assert main(["connect4", "--out", str(tmp_path / "run")]) == 2
    RunFolder(tmp_path / "run").close()
