"""``joute analyze`` and ``joute mistakes`` as their users type them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from commands import joute, ok
from json_schema import analysis_schema, check_analysis

from joute.agents import agent_types
from joute.agents.win_probability import win_probability
from joute.games import new
from joute.protocol.analysis_data import FIELDS


def test_analyze_shows_the_best_of_hundreds_of_moves() -> None:
    text = ok("analyze", "avalam", "--agent", "mcts:iterations=300")
    assert len(text.splitlines()) < 50
    assert "and 272 more moves; --lines 292 shows them all" in text
    words = ("analyze", "avalam", "--agent", "mcts:iterations=300")
    assert len(json.loads(ok(*words, "--json"))["moves"]) == 292
    assert len(ok(*words, "--lines", "292").splitlines()) > 292


def analysis(*words: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(ok("analyze", *words, "--json"))
    # The fields of the analysis service, and `value`, as version 0.1 called `value_for_mover`.
    assert data.keys() == {*FIELDS, "value"}
    assert data["value"] == data["value_for_mover"]
    for judged in data["moves"]:
        assert {"move", "value", "verdict", "visits", "line", "value_for_mover", "win_share_for_first"} <= judged.keys()
        assert judged["value"] == judged["value_for_mover"]
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


def test_analyze_shows_win_probabilities_beside_the_engines_own_values() -> None:
    lines = ok("analyze", "avalam", "--agent", "avalam:nodes=20000", "--lines", "2").splitlines()
    assert next(line for line in lines if line.startswith("towers")).endswith("% to win) for yellow")
    assert next(line for line in lines if " move " in line).split()[:3] == ["move", "towers", "win"]
    best = next(line for line in lines if line.endswith(lines[-2].removeprefix("best play: ") + " "))
    value, win = best.split()[1:3]
    expected = win_probability(new("avalam"), float(value), unit="towers")
    assert abs(float(win.rstrip("%")) - 100 * expected) < 2  # the value in the table is rounded
    second = ok("analyze", "connect4", "4").splitlines()  # the second player has lost
    assert {line.split()[2] for line in second if line.startswith(" ") and "loses at ply" in line} == {"0.0%"}


def test_analyze_shows_no_probability_where_it_tells_nothing_new() -> None:
    for words in (("connect4", "--agent", "mcts:iterations=50"), ("connect4", "--agent", "greedy")):
        head = next(line for line in ok("analyze", *words).splitlines() if " move " in line)
        assert "win" not in head.replace("win share", "").split()


def test_analyze_uses_mcts_if_there_is_no_solver_or_engine() -> None:
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


def test_a_proven_win_has_a_verdict_and_a_number_beyond_evaluations() -> None:
    data = analysis("connect4", "172737", "--agent", "alphabeta")
    assert (data["value"], data["verdict"], data["exact"]) == (1e15 - 1, "wins in 1 ply", True)
    assert "evaluation win: first (X) wins in 1 ply" in ok("analyze", "connect4", "172737", "--agent", "alphabeta")


# Limits for a short search.
SMALL = {"iterations": 20, "nodes": 20, "level": 1}


def test_analyze_works_with_every_agent_and_game(game: str) -> None:
    for kind in agent_types(game):
        names = [parameter.name for parameter in kind.described_parameters]
        settings = ",".join(f"{name}={SMALL[name]}" for name in names if name in SMALL)
        spec = f"{kind.name}:{settings}" if settings else kind.name
        words = ("analyze", game, "--agent", spec, "--lines", "2")
        assert kind.name in ok(*words)
        data = json.loads(ok(*words, "--json"))
        assert 1 <= len(data["moves"]) <= 2
        assert data["agent"] == spec


def test_analyze_serves_requests_from_standard_input() -> None:
    requests = '{"id": "a"}\n{"id": "b", "game": "tictactoe", "agent": "mcts", "iterations": 9}\nwhat\n'
    done = subprocess.run(
        [sys.executable, "-m", "joute", "analyze", "connect4", "--stdin", "--agent", "greedy", "--jobs", "2"],
        input=requests,
        capture_output=True,
        text=True,
        check=True,
    )
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    for answer in answers.values():
        check_analysis(answer, "answer")
    assert (answers["a"]["agent"], answers["b"]["agent"]) == ("greedy", "mcts:iterations=9")
    assert answers[None]["line"] == 3
    assert done.stderr == ""


def test_analyze_prints_its_schema() -> None:
    assert json.loads(ok("analyze", "--schema")) == analysis_schema()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "GAME: which game? 'joute games' lists them"),
        (("connect4", "4", "--stdin"), "POSITION: with --stdin, the requests say this themselves"),
        (("connect4", "--stdin", "--lines", "2"), "--lines: with --stdin, the requests say this themselves"),
        (("connect4", "--stdin", "--seconds", "2"), "--seconds: with --stdin, the requests say this themselves"),
        (("connect4", "--stdin", "--json"), "--json: with --stdin, the requests say this themselves"),
        (("connect4", "--jobs", "2"), "--jobs: it is for --stdin, which analyzes many positions"),
    ],
)
def test_analyze_says_which_options_do_not_go_together(words: tuple[str, ...], sentence: str) -> None:
    done = joute("analyze", *words)
    assert done.returncode == 2
    assert sentence in " ".join(done.stderr.replace("│", " ").split())


def test_mistakes_prints_shares_with_intervals_by_phase_and_ply() -> None:
    text = ok("mistakes", "connect4", "random", "--positions", "40", "--by-ply")
    for words in ("mistakes", "lose score", "95% interval", "opening", "middle", "ply "):
        assert words in text
    assert "joute mistakes connect4 random --positions 40 --seed 0" in text
    data = json.loads(ok("mistakes", "connect4", "random", "--positions", "40", "--json"))
    assert data["total"]["moves"] == 40 == sum(part["moves"] for part in data["by_phase"].values())
    low, high = data["total"]["mistake_interval"]
    assert low <= data["total"]["mistake_share"] <= high
