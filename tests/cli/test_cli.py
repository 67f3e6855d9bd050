"""The command line: lists, help, small commands, and one sentence for each mistake."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import joute, ok
from rich.console import Console
from typer.testing import CliRunner

from joute.cli import command_line
from joute.games.vampires.state import Vampires


def test_help_lists_the_commands() -> None:
    text = ok("--help")
    for command in ("games", "agents", "play", "match", "tournament", "show", "perft", "demo"):
        assert command in text
    assert ok("--version").startswith("joute ")


def test_games_lists_built_in_and_plug_in_games() -> None:
    text = ok("games")
    assert "Connect Four" in text
    assert "Tic-tac-toe" in text
    names = [game["name"] for game in json.loads(ok("games", "--json"))]
    assert {"connect4", "tictactoe"} <= set(names)


def test_agents_lists_every_parameter_with_default_range_and_source() -> None:
    text = ok("agents", "connect4")
    for word in ("greedy", "block", "yes | no", "source"):
        assert word in text
    listed = {kind["name"]: kind for kind in json.loads(ok("agents", "--json"))}
    block = next(p for p in listed["greedy"]["parameters"] if p["name"] == "block")
    assert block["default"] is True
    assert set(block) == {"name", "default", "range", "help", "source"}


def test_perft_counts_and_divides() -> None:
    assert "perft(5) = 16,807" in ok("perft", "connect4", "5")
    assert "perft(5) = 16,807" in ok("perft", "connect4", "5", "--no-bulk")
    text = ok("perft", "connect4", "3", "--divide", "--position", "444444")
    assert "4:" not in text
    assert "3: 36" in text
    data = json.loads(ok("perft", "connect4", "3", "--divide", "--json"))
    assert data["count"] == sum(data["divide"].values()) == 343


def test_show_prints_and_draws_a_position(tmp_path: Path) -> None:
    picture = tmp_path / "board.svg"
    text = ok("show", "connect4", "4455", "--svg", str(picture))
    assert ". . . X X . ." in text
    assert "ply 4: first (X) to move" in text
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    data = json.loads(ok("show", "connect4", "1122334", "--json"))
    assert data["result"] == {"outcome": 1, "score": 18, "margin": 18, "decided_by": "four in a row"}
    assert data["legal_moves"] == []
    assert data["complete"] is True
    assert json.loads(ok("show", "vampires", "--json"))["complete"] is False


def test_names_of_a_game_are_told_whole_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    def narrow() -> Console:
        return Console(width=80, highlight=False, markup=False, emoji=False)

    monkeypatch.setattr("joute.cli.games.console", narrow)
    listing = CliRunner().invoke(command_line("games"), ["games"]).output
    assert "…" not in listing
    for rules in ("official-2019", "text-strict", "twilight-succo", "twilight-langorou"):
        assert rules in listing


def test_agents_of_a_game_are_listed_with_its_evaluations_and_generators() -> None:
    text, state = ok("agents", "vampires"), Vampires.new()
    for name, meaning in state.evaluations:
        assert re.search(rf"^ {name} +{re.escape(meaning)}", text, re.MULTILINE)
    assert f"generator of vampires: {', '.join(state.generators)}; the first is the default" in text
    data = {game["name"]: game for game in json.loads(ok("games", "--json"))}
    assert data["vampires"]["generators"] == state.generators
    assert {"name", "help"} == data["vampires"]["evaluations"][0].keys()


def test_book_writes_a_book(tmp_path: Path) -> None:
    out = tmp_path / "x.book"
    assert "bytes" in ok("book", "connect4", "--plies", "5", "--out", str(out), "--memory-mb", "16")
    assert [path.name for path in tmp_path.iterdir()] == ["x.book"]
    later = tmp_path / "y.book"
    assert "To go on: joute book connect4 --plies 9" in ok(
        "book", "connect4", "--plies", "9", "--out", str(later), "--minutes", "0", "--memory-mb", "16"
    )


def test_book_of_quoridor_keeps_an_agents_moves_and_adds_to_them(tmp_path: Path) -> None:
    out = tmp_path / "x.book"
    command = ("book", "quoridor", "--plies", "12", "--agent", "quoridor-runner", "--out", str(out), "--games")
    assert "positions" in ok(*command, "1")
    few = out.read_text(encoding="utf-8").splitlines()
    ok(*command, "4")
    more = out.read_text(encoding="utf-8").splitlines()
    assert more[:3] == few[:3] == ["joute quoridor moves 1", "agent quoridor-runner", "game quoridor"]
    assert set(few) < set(more)
    later = tmp_path / "y.book"
    assert "To go on: joute book quoridor --plies 12" in ok(
        "book", "quoridor", "--plies", "12", "--out", str(later), "--minutes", "0"
    )
    ok("match", "quoridor", f"quoridor-alphabeta:cache={out}", "quoridor-runner", "--games", "2")


def test_book_takes_options_before_the_game_and_the_games_own_settings(tmp_path: Path) -> None:
    out = str(tmp_path / "x.book")
    assert "bytes" in ok("book", "--plies", "3", "connect4", "--out", out, "--memory-mb", "16")
    course = ("book", "--games", "1", "quoridor:rules=course", "--plies", "4", "--agent", "quoridor-runner", "--out")
    ok(*course, str(tmp_path / "y.book"))
    assert "game quoridor:rules=course" in (tmp_path / "y.book").read_text(encoding="utf-8")
    assert "--from-scratch" in ok("book", "connect4", "--help")
    assert "--from-scratch" not in ok("book", "quoridor", "--help")


def test_the_demo_ends_in_a_table_and_a_report(tmp_path: Path) -> None:
    report = tmp_path / "demo.html"
    text = ok("demo", "--games", "2", "-o", str(report))
    assert "Elo" in text
    assert str(report) in text
    assert "alphabeta" in report.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("match", "conect4", "greedy", "random"), "unknown game 'conect4'; did you mean 'connect4'?"),
        (
            ("match", "connect4", "greedy", "random", "--position", "4", "--openings", "random"),
            "games start from --position or from --openings, not from both",
        ),
        (("match", "connect4", "gredy", "random"), "unknown agent 'gredy'; did you mean 'greedy'?"),
        (
            ("match", "connect4", "greedy:blok=no", "random"),
            "greedy has no parameter 'blok'; did you mean 'block'?",
        ),
        (
            ("match", "connect4", "greedy", "random", "--position", "1122334"),
            "the game is over in position '1122334'",
        ),
        (("show", "connect4", "48"), "move 2, '8', is not a column from 1 to 7"),
        (("show", "connect4", "4", "--svg", "/no/such/folder/x.svg"), "there is no folder /no/such/folder"),
        (("play", "connect4", "--against", "randm"), "did you mean 'random'?"),
        (("analyze", "connect4", "48"), "is not a column from 1 to 7"),
        (("analyze", "tictactoe", "--agent", "perfect"), "agent 'perfect' does not play tictactoe; it plays connect4"),
        (("analyze", "connect4", "--agent", "alphabeta:deepening=no"), "needs a depth, as in depth=4"),
        (("analyze", "connect4", "--agent", "mcts:eval=center"), "did you mean 'centre'?"),
        (("match", "tictactoe", "mcts:threads=2", "random"), "tictactoe is written in Python"),
        (("mistakes", "tictactoe", "random"), "no agent solves every position of tictactoe"),
        (("mistakes", "connect4", "randm"), "did you mean 'random'?"),
        (("book", "tictactoe", "--plies", "2"), "only connect4 and quoridor have books; tictactoe has none"),
        (("book", "conect4", "--plies", "2"), "unknown game 'conect4'; did you mean 'connect4'?"),
        (("book", "quoridor", "--plies", "9", "--out", "/no/such/folder/x.book"), "there is no folder /no/such/folder"),
        (("book", "quoridor", "--plies", "9", "--agent", "quoridor-rnner"), "did you mean 'quoridor-runner'?"),
        (("match", "quoridor", "quoridor-alphabeta:cache=/no/such", "random"), "there is no file /no/such"),
        (("book", "connect4", "--plies", "14"), "the ply of a connect4 book must be 1 to 13, not 14"),
        (("book", "connect4", "--plies", "2", "--out", "/"), "/ already exists"),
        (("book", "connect4", "--plies", "2", "--out", "/no/such/folder/x.book"), "there is no folder /no/such/folder"),
        (("agents", "conect4"), "did you mean 'connect4'?"),
        (("perft", "connect4:rules=x", "2"), "connect4 has no parameters, so 'rules' cannot be set"),
        (("show", "connect4", "\udcff"), "'\\udcff' is not a position of connect4: it contains characters"),
        (("show", "tictactoe", "\udcff"), "is not a tictactoe position"),
        (("show", "\udcff"), "unknown game '\\udcff'"),
    ],
)
def test_a_mistake_gives_one_clear_error_and_exit_status_2(words: tuple[str, ...], complaint: str) -> None:
    done = joute(*words)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("mach", "connect4"), "No such command 'mach'"),
        (("perft", "connect4", "x"), "Invalid value"),
        (("perft", "connect4", "101"), "Invalid value"),
        (("match", "connect4", "a"), "Missing argument 'B'"),
        (("demo", "--seed", str(2**64)), "Invalid value"),
        (("play", "connect4", "--seed", "-1"), "Invalid value"),
        (("analyze", "connect4", "--lines", "0"), "Invalid value"),
        (("analyze", "connect4", "--seconds", "0"), "Invalid value"),
    ],
)
def test_wrong_usage_exits_with_status_2(words: tuple[str, ...], complaint: str) -> None:
    done = joute(*words)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
