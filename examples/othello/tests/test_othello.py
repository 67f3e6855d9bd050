"""Othello, the plug-in in C++: its rules compared with OpenSpiel's, and all of Joute on a game outside its tree."""

from __future__ import annotations

import functools
import json
import random
from pathlib import Path
from typing import Any

import pyspiel
import pytest
from commands import ok
from network_files import network_bytes
from typed import new_for_network

from joute import IllegalMoveError, State, new, play_game, play_match
from joute.agents.net_file import read_network_file
from joute.errors import NotationError

# The counts of https://www.aartbik.com/strategy.php, where a pass is a ply.
PUBLISHED = [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288]
PASS = 64  # OpenSpiel's action

SEARCHES = [
    "alphabeta:depth=3",
    "alphabeta:depth=3,eval=discs,threads=2",
    "mcts:iterations=200",
    "mcts:iterations=200,threads=2",
    "ucb1-tuned:iterations=200",
    "rave:iterations=200",
    "grave:iterations=200",
    "nrpa:level=2,iterations=10",
    "nested:level=1",
    "greedy",
    "random",
]


@functools.cache
def lines(state: State, depth: int) -> int:
    """Count the lines of `depth` plies, where a pass is a ply."""
    if depth <= 1:
        return len(state.legal_moves) if depth else 1
    found = 0
    for move in state.legal_moves:
        after = state.play(move)
        passes = not after.is_terminal and after.to_move == state.to_move
        found += lines(after, depth - 1 - passes)
    return found


def test_the_published_lines_are_counted_where_a_pass_is_a_ply() -> None:
    assert [new("othello").perft(depth) for depth in range(1, 9)] == PUBLISHED[:8]  # no pass yet
    assert lines(new("othello"), 9) == PUBLISHED[8]


def test_random_games_agree_with_openspiel_passes_included() -> None:
    rng = random.Random(3)
    passes = draws = 0
    for _ in range(150):
        ours, theirs = new("othello"), pyspiel.load_game("othello").new_initial_state()
        while not theirs.is_terminal():
            if theirs.legal_actions() == [PASS]:
                passes += 1
                theirs.apply_action(PASS)
                continue
            cells = [(int(str(move)[1]) - 1) * 8 + "abcdefgh".index(str(move)[0]) for move in ours.legal_moves]
            assert cells == theirs.legal_actions()
            assert ours.to_move == theirs.current_player()
            place = rng.randrange(len(cells))
            ours = ours.play(ours.legal_moves[place])
            theirs.apply_action(cells[place])
        assert ours.result is not None
        assert [ours.result.outcome_for(player) for player in (0, 1)] == theirs.returns()
        draws += ours.result.winner is None
    assert passes > 50
    assert draws > 0


def game_with_a_pass() -> tuple[State, State]:
    """Find a move after which the opponent passes; return the positions before and after it."""
    rng = random.Random(1)
    while True:
        state = new("othello")
        while not state.is_terminal:
            after = state.play(rng.choice(state.legal_moves))
            if not after.is_terminal and after.to_move == state.to_move:
                return state, after
            state = after


def test_a_player_without_a_move_passes_and_the_other_moves_again() -> None:
    before, after = game_with_a_pass()
    assert after.ply == before.ply + 1
    assert after.legal_moves
    assert new("othello", after.position) == after
    turn = "XO"[1 - after.to_move]
    with pytest.raises(NotationError, match=f"{turn} has no move there, so the other player is to move"):
        new("othello", after.position[:-1] + turn)


@pytest.mark.parametrize(
    ("position", "why"),
    [
        ("", "it is 64 cells"),
        ("." * 64 + "-X", "d4, e4, d5 and e5 are never empty"),
        (new("othello").position[:-1] + "B", "it is 64 cells"),
    ],
)
def test_a_position_that_is_none_is_told_why(position: str, why: str) -> None:
    with pytest.raises(NotationError, match=why):
        new("othello", position)


def test_a_move_that_turns_nothing_is_illegal() -> None:
    with pytest.raises(IllegalMoveError, match="illegal move a1 at ply 0 of othello; legal moves: d3 c4 f5 e6"):
        new("othello").play("a1")


def test_the_start_looks_the_same_through_half_of_the_symmetries() -> None:
    start = new_for_network("othello")
    assert [start.transformed(g) == start for g in range(8)].count(True) == 4


def test_a_full_board_ends_the_game_by_the_number_of_discs() -> None:
    for first, winner in ((40, 0), (32, None), (20, 1)):
        state = new("othello", "X" * first + "O" * (64 - first) + "-X")
        assert state.is_terminal
        assert state.result is not None
        assert (state.result.winner, state.result.margin) == (winner, 2 * first - 64)


@pytest.mark.parametrize("spec", SEARCHES)
def test_every_search_plays_a_game_and_finds_a_move_beside_a_pass(spec: str) -> None:
    record = play_game("othello", spec, "random", seed=2)
    assert record.result is not None
    before, after = game_with_a_pass()
    for state in (before, after):
        assert play_game(state, spec, "random", seed=1).moves


def test_a_network_plays(tmp_path: Path) -> None:
    net = tmp_path / "net.onnx"
    net.write_bytes(network_bytes(new("othello")))
    assert play_game("othello", f"alphazero:net={net},iterations=16", "random", seed=1).result is not None


def test_alphabeta_beats_random_play_with_either_evaluation() -> None:
    for name in ("discs", "mobility"):
        assert play_match("othello", f"alphabeta:depth=3,eval={name}", "random", games=10, seed=1).score >= 0.8


def test_a_match_is_played_by_the_arena() -> None:
    told = json.loads(ok("match", "othello", "greedy", "random", "--games", "4", "--seed", "1", "--json"))
    assert told["games"] == 4


def test_the_commands_know_the_game(tmp_path: Path) -> None:
    assert "othello" in ok("games")
    assert "d3" in ok("analyze", "othello", "--agent", "mcts:iterations=200")
    ok("show", "othello", "--svg", str(tmp_path / "start.svg"))
    assert (tmp_path / "start.svg").read_text().startswith("<svg")
    agents = ("random", "greedy", "alphabeta:depth=1")
    assert "alphabeta:depth=1" in ok("tournament", "othello", *agents, "--db", str(tmp_path / "games.db"))


def test_an_agent_is_checked_on_it(tmp_path: Path) -> None:
    agent = tmp_path / "mine.py"
    agent.write_text("def choose(state, clock):\n    return state.legal_moves[-1]\n")
    assert "othello" in ok("check", str(agent), "--game", "othello")


def test_the_scene_shows_discs_and_where_to_click() -> None:
    scene = new("othello").scene()
    assert {target.move for target in scene.targets} == {"d3", "c4", "f5", "e6"}
    assert scene.svg().count("<circle") == 8
    assert new("othello").play("d3").svg("d3") != new("othello").play("d3").svg()


def test_a_network_is_trained_on_it(tmp_path: Path) -> None:
    out = tmp_path / "run"
    small = {"steps": 3, "channels": 8, "blocks": 1, "games": 16, "simulations": 4, "batch": 32, "window-min": 200}
    words = [word for name, value in small.items() for word in (f"--{name}", str(value))]
    ok("train", "othello", "--out", str(out), *words, "--device", "cpu", "--threads", "1", "--match-every", "0")
    assert read_network_file(out / "network.onnx").game == "othello"


def test_whole_boards_say_what_single_cells_say() -> None:
    state: Any = new("othello")
    assert state.cells == tuple(tuple(state.disc_at(row, column) for column in range(8)) for row in range(8))
    assert [move.cell for move in state.legal_moves if str(move) == "d3"] == [(2, 3)]
