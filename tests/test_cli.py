"""The command line as its users type it: output, exit status, and one sentence for each mistake."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console
from typer.testing import CliRunner

from joute.cli import app
from joute.games.vampires import Vampires
from plugin_packages import plugin


def joute(*words: str, input: str = "", plugins: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "joute", *words],
        input=input,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=120,
        check=False,
        env=os.environ | ({"PYTHONPATH": str(plugins)} if plugins else {}),
    )


def ok(*words: str, input: str = "") -> str:
    done = joute(*words, input=input)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


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


def test_match_prints_the_result_and_the_command_that_reproduces_it() -> None:
    text = ok("match", "connect4", "greedy", "random", "--games", "20", "--seed", "3")
    assert "95% interval" in text
    assert "greedy is stronger (95%)" in text
    assert "joute match connect4 greedy random --games 20 --seed 3" in text


def test_match_as_json_repeats_with_its_seed() -> None:
    first = json.loads(ok("match", "connect4", "greedy", "random", "--games", "10", "--json"))
    again = json.loads(ok("match", "connect4", "greedy", "random", "--games", "10", "--json"))
    for data in (first, again):
        data.pop("mean_time_s")
        assert data.pop("overhead_s") > 0
    assert first == again
    assert first["wins"] + first["draws"] + first["losses"] == first["games"] == 10
    assert 0 <= first["low"] <= first["score"] <= first["high"] <= 1


def test_a_match_says_its_elo_with_an_interval_and_its_pairs() -> None:
    words = ("match", "connect4", "greedy", "greedy:block=no", "--games", "40", "--seed", "1", "--openings", "random")
    data = json.loads(ok(*words, "--json"))
    text = ok(*words)
    assert (
        f"Elo {data['elo']:+.0f} for greedy, 95% interval {data['elo_low']:+.0f} to {data['elo_high']:+.0f}; LOS "
        in text
    )
    assert f"0, ½, 1, 1½, 2 points: {' '.join(map(str, data['pentanomial']))}" in text
    assert sum(data["pentanomial"]) == 20
    assert data["sprt"] is None


def test_an_infinite_elo_is_an_infinity_in_the_table_and_null_in_json() -> None:
    words = ("match", "connect4", "perfect", "random", "--games", "12")
    assert "Elo +∞ for perfect, 95% interval above +" in ok(*words)
    data = json.loads(ok(*words, "--json"), parse_constant=pytest.fail)
    assert (data["elo"], data["elo_high"]) == (None, None)
    assert data["elo_low"] > 100


def test_a_match_with_a_sequential_test_stops_when_it_is_decided() -> None:
    text = ok("match", "connect4", "greedy", "random", "--sprt", "elo1=100", "--seed", "3")
    assert "SPRT: H1 accepted, greedy is stronger than random (LLR " in text
    again = "--games 20000 --seed 3 --openings random --sprt elo0=0,elo1=100,alpha=0.05,beta=0.05"
    assert f"joute match connect4 greedy random {again}" in text
    data = json.loads(ok("match", "connect4", "greedy", "random", "--sprt", "elo1=100", "--seed", "3", "--json"))
    assert data["sprt"]["decision"] == "H1"
    assert data["games"] < 100
    assert data["verdict"] in text


def test_a_sequential_test_of_agents_that_repeat_themselves_is_given_up() -> None:
    agents = ("alphabeta:nodes=0,depth=2", "alphabeta:nodes=0,depth=1")
    text = ok("match", "connect4", *agents, "--sprt", "elo1=100", "--openings", "start")
    assert "given up: these agents only repeat themselves" in text
    assert "SPRT: not decided" in text
    assert "--openings start" in text


def test_a_sequential_test_that_cannot_be_costs_one_sentence() -> None:
    done = joute("match", "connect4", "greedy", "random", "--sprt", "elo0=20")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "joute: sprt: elo0 must be less than elo1, not 20 and 10\n"


def test_the_table_of_a_match_shows_each_agents_results_by_colour() -> None:
    words = ("match", "connect4", "greedy", "random", "--games", "31", "--seed", "2", "--position", "1213")
    data = json.loads(ok(*words, "--json"))
    first, second = ([data[side][key] for key in ("wins", "draws", "losses")] for side in ("a_first", "a_second"))
    assert first != second

    def cell(counts: list[int]) -> str:
        return "+{} ={} -{}".format(*counts)

    rows = {line.split()[0]: " ".join(line.split()) for line in ok(*words).splitlines() if "to" in line.split()}
    assert f"{cell(first)} {cell(second)}" in rows["greedy"]
    # What A wins as first, B loses as second.
    assert f"{cell(second[::-1])} {cell(first[::-1])}" in rows["random"]


def test_a_match_of_agents_that_repeat_themselves_says_how_many_games_count() -> None:
    text = ok("match", "connect4", "greedy", "greedy", "--games", "20", "--position", "112233")
    assert "only 2 distinct games among 20" in text
    assert "2 of the 20 games are distinct" in text
    assert "are distinct" not in ok("match", "connect4", "random", "random", "--games", "20")


def test_equal_agents_have_different_names_and_openings_are_a_way_out_of_repetition() -> None:
    text = ok("match", "connect4", "alphabeta:nodes=0,depth=2", "alphabeta:nodes=0,depth=2", "--games", "6")
    assert "alphabeta:nodes=0,depth=2 #2" in text
    assert "--openings random makes games differ" in text
    words = ("match", "connect4", "greedy", "greedy", "--games", "6", "--openings", "random")
    assert " ".join(("joute", *words[:4], "--games 6 --seed 0 --openings random")) in ok(*words)
    data = json.loads(ok(*words, "--json"))
    assert (data["distinct_games"], data["openings"], data["a"], data["b"]) == (6, "random", "greedy", "greedy #2")


def test_a_match_says_what_it_was_played_under() -> None:
    text = ok("match", "connect4", "greedy", "random", "--games", "2", "--clock", "10")
    assert "clock 10, margin 0.1 s; built-in agents in this process; the runner took" in text
    data = json.loads(ok("match", "connect4", "greedy", "random", "--games", "2", "--clock", "10", "--json"))
    assert (data["clock"], data["margin_s"], data["isolation"]) == ("10", 0.1, ["worker"])


def test_a_match_that_is_forfeited_says_so_first(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def choose(state, clock):\n    state.legal_moves[0]\n")
    mine = str(tmp_path / "mine.py")
    text = ok("match", "connect4", mine, "greedy", "--games", "4", "--memory-mb", "512")
    assert "note: no clock: an agent that hangs is given up after 600 s a move; --clock sets one" in text
    assert f"{mine} forfeited 4 of 4 games, so there is no verdict on how they play" in text
    assert "hardly vary" not in text
    assert "hint: choose returned nothing" in text
    assert "--memory-mb 512" in text


def test_match_plays_a_plug_in_game() -> None:
    assert json.loads(ok("match", "tictactoe", "greedy", "random", "--games", "10", "--json"))["score"] > 0.5


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


def test_play_a_game_with_undo_hint_and_an_illegal_move() -> None:
    text = ok("play", "connect4", "--against", "random", "--seed", "1", input="hint\n9\n4\nundo\n1\nmoves\nquit\n")
    assert "hint: 4" in text
    assert "illegal move 9 at ply 0 of connect4; legal moves: 1 2 3 4 5 6 7" in text
    assert "To go on: joute play connect4 --against random --hints perfect --seed 1 --position 1" in text


def test_play_to_a_win_and_resign() -> None:
    assert "You win!" in ok("play", "connect4", "--position", "112233", input="4\n")
    assert "You resign; greedy wins." in ok("play", "connect4", input="resign\n")
    assert "greedy wins." in ok("play", "connect4", "--second", "--position", "112233")
    assert "no move of yours to take back" in ok("play", "connect4", input="undo\n")


def test_play_shows_the_last_board_once() -> None:
    for words in (("--position", "112233"), ("--second", "--position", "112233"), ("--position", "1122334")):
        text = ok("play", "connect4", *words, input="4\n")
        assert text.count("ply 7: first (X) wins (four in a row)") == 1


def test_names_of_a_game_are_told_whole_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    def narrow() -> Console:
        return Console(width=80, highlight=False, markup=False, emoji=False)

    monkeypatch.setattr("joute.cli.games.console", narrow)
    listing = CliRunner().invoke(app, ["games"]).output
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


def test_play_lists_the_moves_that_are_asked_for_and_reads_every_notation() -> None:
    words = ("moves c1", "moves a1", "c1c3", "(0, 2, 0, 3)", "undo", "quit")
    text = ok("play", "avalam", "--against", "random", input="\n".join(words))
    assert "your move: c1d1 c1b2 c1c2 c1d2 d1c1 b2c1 c2c1 d2c1\n" in text
    assert "No legal move has a1 in it." in text
    assert (
        "illegal move c1c3 at ply 0 of avalam: 'c1c3' is not an avalam move: the two cells are not neighbours" in text
    )
    assert "1        . Y2" in text
    assert "--position Aa/AaAa/" in text


def test_analyze_shows_the_best_of_hundreds_of_moves() -> None:
    text = ok("analyze", "avalam", "--agent", "mcts:iterations=300")
    assert len(text.splitlines()) < 50
    assert "and 272 more moves; --lines 292 shows them all" in text
    words = ("analyze", "avalam", "--agent", "mcts:iterations=300")
    assert len(json.loads(ok(*words, "--json"))["moves"]) == 292
    assert len(ok(*words, "--lines", "292").splitlines()) > 292


def test_what_decided_the_games_of_a_match_is_told() -> None:
    words = ("match", "avalam", "random", "random", "--games", "60")
    told = json.loads(ok(*words, "--json"))["decided_by"]
    assert sum(told.values()) == 60
    assert f"decided by {', '.join(f'{what} {count}' for what, count in told.items())}" in ok(*words)


def test_play_takes_stray_bytes_for_an_illegal_move() -> None:
    text = ok("play", "connect4", input="\udcff\n4\x00\nquit\n")
    assert "illegal move \\xff at ply 0" in text
    assert "illegal move 4\\x00 at ply 0" in text


def test_play_ends_quietly_when_the_input_ends() -> None:
    assert "To go on: joute play connect4" in ok("play", "connect4", input="4\n")


def analysis(*words: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(ok("analyze", *words, "--json"))
    assert {"game", "position", "unit", "value", "verdict", "moves", "pv", "exact", "agent", "seconds"} <= data.keys()
    for judged in data["moves"]:
        assert judged.keys() == {"move", "value", "verdict", "visits", "line"}
    return data


def values(data: dict[str, Any]) -> dict[str, float | None]:
    return {judged["move"]: judged["value"] for judged in data["moves"]}


def test_analyze_tells_the_score_of_every_column() -> None:
    data = analysis("connect4")
    assert (data["value"], data["unit"], data["exact"], data["agent"]) == (1, "score", True, "perfect")
    assert values(data) == {"1": -2, "2": -1, "3": 0, "4": 1, "5": 0, "6": -1, "7": -2}
    assert [judged["move"] for judged in data["moves"]][:1] == ["4"]
    assert len(data["pv"]) == 41
    text = ok("analyze", "connect4", "4455")
    assert "first (X) wins at ply 7" in text
    assert "exact, by perfect" in text
    # The mover's view: after 4, the second player is lost.
    assert analysis("connect4", "4")["value"] == -1
    assert values(analysis("connect4", "444444")).keys() == set("123567")
    over = analysis("connect4", "1122334")
    assert (over["value"], over["moves"], over["pv"]) == (-18, [], [])
    late = "11223344"[:6] + "5566771"
    with_book, without = (analysis("connect4", late, "--agent", agent) for agent in ("perfect", "perfect:book=no"))
    assert with_book["moves"] == without["moves"]


def test_analyze_asks_mcts_where_nobody_knows_the_truth() -> None:
    data = analysis("tictactoe")
    assert (data["agent"], data["unit"], data["iterations"]) == ("mcts", "win share", 10_000)
    assert len(data["moves"]) == 9
    assert sum(judged["visits"] for judged in data["moves"]) == 10_000
    for judged in data["moves"]:
        assert judged["line"][0] == judged["move"]
        assert 0 <= judged["value"] <= 1
    text = ok("analyze", "tictactoe", "XX.OO....")
    assert "win share 100.0%: first (X) wins" in text
    assert "exact, by mcts" in text
    assert "best play: 3" in text


def test_analyze_shows_as_many_lines_as_asked_and_thinks_as_long() -> None:
    data = analysis("connect4", "44", "--agent", "alphabeta:nodes=0,depth=4", "--lines", "3")
    assert (len(data["moves"]), data["unit"], data["depth"]) == (3, "evaluation", 4)
    assert all(2 <= len(judged["line"]) <= 4 for judged in data["moves"])
    table = ok("analyze", "connect4", "44", "--agent", "alphabeta:nodes=0,depth=4", "--lines", "2").splitlines()
    assert sum(line.strip().startswith(tuple("1234567")) for line in table) == 1 + 2  # the board's foot, and moves
    # --seconds takes the place of the agent's own limits, also of one that has none.
    assert analysis("connect4", "--agent", "mcts:iterations=5", "--seconds", "0.2")["iterations"] > 5
    assert analysis("connect4", "--agent", "mcts:iterations=0", "--seconds", "0.05")["moves"]


def test_analyze_by_an_agent_that_only_plays_shows_its_choice() -> None:
    data = analysis("connect4", "172737", "--agent", "greedy")
    assert [(judged["move"], judged["verdict"]) for judged in data["moves"]] == [("4", "is its choice")]
    assert (data["verdict"], data["value"], data["exact"]) == ("plays 4", None, False)
    assert "first (X) plays 4" in ok("analyze", "connect4", "172737", "--agent", "greedy")


def test_a_proven_win_has_a_verdict_and_no_number() -> None:
    data = analysis("connect4", "172737", "--agent", "alphabeta")
    assert (data["value"], data["verdict"], data["exact"]) == (None, "wins in 1 ply", True)
    assert "evaluation –: first (X) wins in 1 ply" in ok("analyze", "connect4", "172737", "--agent", "alphabeta")


def test_analyze_works_with_every_agent_and_game(game: str) -> None:
    """In this process, where the toy games are known too."""
    from typer.testing import CliRunner

    from joute.agents import agent_types
    from joute.cli import app

    for kind in agent_types(game):
        limits = {parameter.name for parameter in kind.described_parameters} & {"iterations"}
        spec = f"{kind.name}:iterations=20" if limits else kind.name
        for form in ([], ["--json"]):
            done = CliRunner().invoke(app, ["analyze", game, "--agent", spec, "--lines", "2", *form])
            assert done.exit_code == 0, (spec, done.output, done.exception)
        data = json.loads(done.output)
        assert 1 <= len(data["moves"]) <= 2
        assert data["agent"] == spec


def test_mistakes_prints_shares_with_intervals_by_phase_and_ply() -> None:
    text = ok("mistakes", "connect4", "random", "--positions", "40", "--by-ply")
    for words in ("mistakes", "lose score", "95% interval", "opening", "middle", "ply "):
        assert words in text
    assert "joute mistakes connect4 random --positions 40 --seed 0" in text
    data = json.loads(ok("mistakes", "connect4", "random", "--positions", "40", "--json"))
    assert data["total"]["moves"] == 40 == sum(part["moves"] for part in data["by_phase"].values())
    low, high = data["total"]["mistake_interval"]
    assert low <= data["total"]["mistake_share"] <= high


def test_book_writes_a_book(tmp_path: Path) -> None:
    out = tmp_path / "x.book"
    assert "bytes" in ok("book", "connect4", "--plies", "5", "--out", str(out))
    assert [path.name for path in tmp_path.iterdir()] == ["x.book"]
    later = tmp_path / "y.book"
    assert "To go on: joute book connect4 --plies 9" in ok(
        "book", "connect4", "--plies", "9", "--out", str(later), "--minutes", "0"
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


def test_play_hints_come_from_who_knows_the_truth() -> None:
    # The greedy agent would play the centre; column 2 alone wins.
    assert "hint: 2" in ok("play", "connect4", "--position", "44444222", input="hint\nquit\n")


def test_the_demo_ends_in_a_table_and_a_report(tmp_path: Path) -> None:
    report = tmp_path / "demo.html"
    text = ok("demo", "--games", "10", "-o", str(report))
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
        (("analyze", "connect4", "--agent", "alphabeta:deepening=no"), "say which: depth=4"),
        (("analyze", "connect4", "--agent", "mcts:eval=center"), "did you mean 'centre'?"),
        (("match", "tictactoe", "mcts:threads=2", "random"), "tictactoe is written in Python"),
        (("mistakes", "tictactoe", "random"), "no agent solves every position of tictactoe"),
        (("mistakes", "connect4", "randm"), "did you mean 'random'?"),
        (("book", "tictactoe", "--plies", "2"), "only connect4 has a book of exact scores"),
        (("book", "quoridor", "--plies", "9", "--out", "/no/such/folder/x.book"), "there is no folder /no/such/folder"),
        (("book", "quoridor", "--plies", "9", "--agent", "quoridor-rnner"), "did you mean 'quoridor-runner'?"),
        (("match", "quoridor", "quoridor-alphabeta:cache=/no/such", "random"), "there is no file /no/such"),
        (("book", "connect4", "--plies", "14"), "a connect4 book holds a ply from 1 to 13, not 14"),
        (("book", "connect4", "--plies", "2", "--out", "/"), "/ is there already"),
        (("book", "connect4", "--plies", "2", "--out", "/no/such/folder/x.book"), "there is no folder /no/such/folder"),
        (("agents", "conect4"), "did you mean 'connect4'?"),
        (("perft", "connect4:rules=x", "2"), "connect4 has no parameters, so 'rules' cannot be set"),
        (("show", "connect4", "\udcff"), "'\\udcff' is not a position of connect4: it holds characters"),
        (("show", "tictactoe", "\udcff"), "is not a tictactoe position"),
        (("show", "\udcff"), "unknown game '\\udcff'"),
    ],
)
def test_a_mistake_costs_one_sentence_and_exit_status_2(words: tuple[str, ...], complaint: str) -> None:
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


def test_the_largest_seed_is_a_seed() -> None:
    words = ("match", "connect4", "random", "random", "--games", "2", "--json", "--seed")
    assert json.loads(ok(*words, str(2**64 - 1)))["games"] == 2


def interrupted(
    *words: str, after: str = "", delay_s: float = 3.0, written: Path | None = None
) -> tuple[int, str, str]:
    """Exit status, output and errors of a command that gets Ctrl-C, once a file was written, if one is named."""
    process = subprocess.Popen(
        [sys.executable, "-m", "joute", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = []
    while after and after not in "".join(lines[-1:]):
        lines.append(process.stdout.readline())
    while written and not (written.exists() and written.stat().st_size):
        time.sleep(0.05)
    time.sleep(delay_s if not written else 0.2)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    return process.returncode, "".join(lines) + output, errors


def test_ctrl_c_ends_a_command_with_one_sentence_and_status_130() -> None:
    status, _, errors = interrupted("perft", "connect4", "30")
    assert (status, errors) == (130, "joute: interrupted\n")


def test_ctrl_c_in_a_match_shows_the_games_so_far_and_the_command_for_all(tmp_path: Path) -> None:
    words = ("match", "connect4", "random", "random", "--games", "100000000", "--seed", "4")
    records = tmp_path / "games.txt"
    status, output, errors = interrupted(*words, "--records", str(records), written=records)
    assert (status, errors) == (130, "joute: interrupted\n")
    assert "95% interval" in output
    assert "of 100000000 games; the whole match: joute " + " ".join(words) in output


def test_ctrl_c_in_a_game_shows_how_to_go_on() -> None:
    status, output, errors = interrupted("play", "connect4", "--position", "44", after="1 2 3 4 5 6 7", delay_s=0.5)
    assert (status, errors) == (130, "joute: interrupted\n")
    assert "To go on: joute play connect4 --against greedy --hints perfect --seed 0 --position 44" in output


@pytest.mark.parametrize(
    "words", [("games",), ("agents", "--json"), ("match", "connect4", "random", "random"), ("show", "connect4")]
)
def test_a_closed_pipe_ends_a_command_in_silence(words: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "joute", *words],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_an_opponent_that_fails_costs_one_sentence_and_the_game_can_go_on(tmp_path: Path) -> None:
    plugin(
        tmp_path,
        "faulty",
        """
        from dataclasses import dataclass
        from joute.agents import AgentType

        @dataclass(frozen=True)
        class Parameters:
            pass

        class Faulty:
            def __init__(self, parameters, seed): pass
            def choose(self, state, clock): raise RuntimeError("out of ideas")

        class Cheat(Faulty):
            def choose(self, state, clock): return "8"

        FAULTY = AgentType("faulty", "[bold]fails[/bold] :smile: [x]", Parameters, Faulty)
        CHEAT = AgentType("cheat", "cheats", Parameters, Cheat)
        """,
        agents={"faulty": "FAULTY", "cheat": "CHEAT"},
    )
    done = joute("play", "connect4", "--against", "faulty", input="4\n", plugins=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "joute: crash at ply 1 by faulty: RuntimeError: out of ideas\n"
    command = "joute play connect4 --against faulty --hints perfect --seed 0 --position 4"
    assert done.stdout.endswith(f"To go on: {command}\n")
    done = joute("play", "connect4", "--against", "cheat", "--second", plugins=tmp_path)
    assert done.returncode == 1
    assert "joute: illegal move at ply 0 by cheat: illegal move 8 at ply 0 of connect4" in done.stderr
    done = joute("play", "connect4", "--hints", "faulty", input="hint\n4\nquit\n", plugins=tmp_path)
    assert done.returncode == 0
    assert "no hint: crash by faulty: RuntimeError: out of ideas" in done.stdout
    assert "greedy plays" in done.stdout
    # What looks like markup is a plug-in's own text.
    assert "[bold]fails[/bold] :smile: [x]" in joute("agents", plugins=tmp_path).stdout


def test_importing_joute_loads_nothing_heavy() -> None:
    code = "import sys, joute; print([m for m in ('rich', 'typer', 'numpy', 'torch', 'asyncio') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_ctrl_c_ends_a_long_native_call() -> None:
    code = (
        "import joute, _thread, threading\n"
        "threading.Timer(0.3, _thread.interrupt_main).start()\n"
        "try:\n    joute.playouts(joute.new('connect4'), 10**12)\n"
        "except KeyboardInterrupt:\n    print('stopped')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "stopped"
