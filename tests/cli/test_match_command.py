"""``joute match`` as its users type it: tables, JSON, sequential tests, forfeits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import joute, ok


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
    words = ("match", "connect4", "alphabeta:depth=4", "random", "--games", "12")
    assert "Elo +∞ for alphabeta:depth=4, 95% interval above +" in ok(*words)
    data = json.loads(ok(*words, "--json"), parse_constant=pytest.fail)
    assert (data["elo"], data["elo_high"]) == (None, None)
    assert data["elo_low"] > 100


def test_a_match_with_a_sequential_test_stops_when_it_is_decided() -> None:
    text = ok("match", "connect4", "greedy", "random", "--sprt", "elo1=100", "--seed", "3")
    assert "SPRT: H1 accepted, greedy is stronger than random (LLR " in text
    again = "--games 20000 --seed 3 --openings balanced --sprt elo0=0,elo1=100,alpha=0.05,beta=0.05"
    assert f"joute match connect4 greedy random {again}" in text
    data = json.loads(ok("match", "connect4", "greedy", "random", "--sprt", "elo1=100", "--seed", "3", "--json"))
    assert data["sprt"]["decision"] == "H1"
    assert data["games"] < 100
    assert data["verdict"] in text


def test_a_sequential_test_of_agents_that_repeat_themselves_is_given_up() -> None:
    agents = ("alphabeta:nodes=0,depth=2", "alphabeta:nodes=0,depth=1")
    text = ok("match", "connect4", *agents, "--sprt", "elo1=100", "--openings", "start")
    assert "stopped: these agents only repeat earlier games" in text
    assert "SPRT: not decided" in text
    assert "--openings start" in text


def test_a_sequential_test_that_cannot_be_gives_one_clear_error() -> None:
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
    agents = ("alphabeta:nodes=0,depth=2", "alphabeta:nodes=0,depth=2")
    text = ok("match", "connect4", *agents, "--games", "6", "--openings", "start")
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


def test_a_match_that_is_forfeited_says_so_and_fails(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def choose(state, clock):\n    state.legal_moves[0]\n")
    mine = str(tmp_path / "mine.py")
    done = joute("match", "connect4", mine, "greedy", "--games", "2", "--memory-mb", "512")
    text = done.stdout
    assert done.returncode == 1
    assert "note: no clock: an agent that takes more than 600 s for a move forfeits; --clock sets a clock" in text
    assert f"{mine} forfeited 2 of 2 games, so there is no verdict on how they play" in text
    assert f"{mine} forfeited 2 of 2 games (illegal move 2)\nthe first is game 1: " in text
    assert "hardly vary" not in text
    assert "hint: choose returned None" in text
    assert "--memory-mb 512" in text


def test_a_crash_in_a_match_shows_the_lines_of_the_agent(tmp_path: Path) -> None:
    code = "def choose(state, clock):\n    return 1 / 0 if state.ply > 1 else state.legal_moves[0]\n"
    (tmp_path / "mine.py").write_text(code)
    words = ("match", "connect4", "random", str(tmp_path / "mine.py"), "--games", "1", "--json")
    done = joute(*words)
    data = json.loads(done.stdout)
    assert done.returncode == 1
    assert data["forfeits"] == {"a": 0, "b": 1}
    assert data["forfeit_reasons"] == {"a": {}, "b": {"crash": 1}}
    assert data["first_forfeit"]["a"] is None
    assert (data["first_forfeit"]["b"]["game"], data["first_forfeit"]["b"]["reason"]) == (1, "crash")
    lines = data["first_forfeit"]["b"]["output"].splitlines()
    assert lines[:2] == ["Traceback (most recent call last):", '  File "mine.py", line 2, in choose']


def test_a_match_stops_at_an_agent_that_does_not_load_and_shows_its_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def choose(state, clock)\n    return state.legal_moves[0]\n")
    done = joute("match", "connect4", "greedy", "mine.py", "--games", "4", "--clock", "9", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "  Traceback (most recent call last):",
        '    File "mine.py", line 1',
        "      def choose(state, clock)",
        "                              ^",
        "  SyntaxError: expected ':'",
        "joute: mine.py: SyntaxError: expected ':' (mine.py, line 1); no game was played",
    ]


def test_games_played_at_once_are_those_played_one_after_another() -> None:
    words = ("match", "connect4", "mcts:iterations=20", "greedy", "--sprt", "elo1=300", "--games", "40", "--json")
    alone, at_once = (json.loads(ok(*words, *more)) for more in ((), ("--concurrency", "2")))
    assert alone["games"] < 40
    for data in (alone, at_once):
        del data["mean_time_s"], data["overhead_s"]
    assert alone == at_once


def test_the_second_agent_may_have_a_clock_of_its_own(tmp_path: Path) -> None:
    games = tmp_path / "games.txt"
    words = ("match", "connect4", "greedy", "random", "--games", "2", "--clock", "60", "--clock-second", "5,nodes=9")
    text = ok(*words, "--records", str(games))
    assert "clock 60 for greedy, 5,nodes=9 for random, margin 0.1 s" in text
    assert "--clock 60 --clock-second 5,nodes=9" in text
    first, second = games.read_text().split("\n\n[Game")
    assert '[FirstClock "60"]\n[SecondClock "5,nodes=9"]' in first
    assert '[FirstClock "5,nodes=9"]\n[SecondClock "60"]' in second
    assert not (tmp_path / "games.output.txt").exists()


def test_an_agent_of_a_match_may_be_named_with_its_clock() -> None:
    text = ok("match", "connect4", "greedy@60", "random@5", "--games", "2", "--clock", "9")
    assert "clock 60 for greedy@60, 5 for random@5, margin 0.1 s" in text
    assert "joute match connect4 greedy@60 random@5 --games 2 --seed 0 --clock 9" in text


KEPT = """
import random

class Kept:
    made = 0

    def __init__(self):
        Kept.made += 1
        self.games = 0

    def prepare_game(self, start):
        self.games += 1
        print("made", Kept.made, "game", self.games, "from", start.position, "draws", random.random())

    def choose(self, state, clock):
        return state.legal_moves[0]
"""


def test_an_agent_that_is_kept_alive_plays_all_games_and_its_output_is_kept_apart(tmp_path: Path) -> None:
    (tmp_path / "kept.py").write_text(KEPT)
    (tmp_path / "openings.txt").write_text("4\n5\n")
    words = ("match", "connect4", "kept.py", "random", "--clock", "9", "--openings", "openings.txt")
    for file, more in (("alive.txt", ["--games", "4", "--keep-alive"]), ("anew.txt", ["--games", "2"])):
        assert joute(*words, "--records", file, *more, cwd=tmp_path).returncode == 0
        assert "Output" not in (tmp_path / file).read_text()
    alive, anew = ((tmp_path / f"{name}.output.txt").read_text() for name in ("alive", "anew"))
    told = [line.split(" draws ") for line in alive.splitlines() if line.startswith("made")]
    # The first game of the agent is the trial that shows whether it loads.
    assert [head for head, _ in told] == [f"made 1 game {n} from {opening}" for n, opening in enumerate("4455", 2)]
    told_anew = [line.split(" draws ") for line in anew.splitlines() if line.startswith("made")]
    assert [head for head, _ in told_anew] == [f"made 1 game 1 from {opening}" for opening in "44"]
    assert len({draw for _, draw in told}) == 4
    assert [draw for _, draw in told[:2]] == [draw for _, draw in told_anew]
    assert alive.startswith("== game 1, kept.py\nmade 1 game 2 ")


def test_match_plays_a_plug_in_game() -> None:
    assert json.loads(ok("match", "tictactoe", "greedy", "random", "--games", "10", "--json"))["score"] > 0.5


def test_what_decided_the_games_of_a_match_is_told() -> None:
    words = ("match", "avalam", "random", "random", "--games", "60")
    told = json.loads(ok(*words, "--json"))["decided_by"]
    assert sum(told.values()) == 60
    assert f"decided by {', '.join(f'{what} {count}' for what, count in told.items())}" in ok(*words)


def test_the_largest_seed_is_a_seed() -> None:
    words = ("match", "connect4", "random", "random", "--games", "2", "--json", "--seed")
    assert json.loads(ok(*words, str(2**64 - 1)))["games"] == 2
