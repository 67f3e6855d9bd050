"""The bridge to the Divercité course, without its framework: stand-ins, our agent's part, students' files."""

from __future__ import annotations

import copy
import json
import pickle
import re
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import joute, ok
from seahorse_games import as_json, course_start, random_game
from typed import New, known

from joute import Clock, JouteError
from joute.agents import agent
from joute.agents.loading import find_source
from joute.arena.plan import make_plan
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import make_player
from joute.arena.store.frozen import freeze, unpack
from joute.games.divercite.seahorse import agent as seahorse_agent
from joute.games.divercite.seahorse.agent import SeahorseAgent, own_moves_left, seconds_left
from joute.games.divercite.seahorse.player import answered_move, placed_by
from joute.games.divercite.seahorse.stand_in.divercite import BoardDivercite, GameStateDivercite
from joute.games.divercite.seahorse.stand_in.framework import HeavyAction, LightAction, Piece
from joute.games.divercite.seahorse.state import GAME, PIECES, action_data, move_text, shown_by, state_of
from joute.games.divercite.state import Divercite
from joute.match import play_game
from joute.match.record import Reason
from joute.protocol.course import find_file_course, find_server_course

new = New(Divercite)


def test_the_stand_ins_count_as_the_core_does_and_break_every_kind_of_tie() -> None:
    decided = Counter[tuple[str, int]]()
    for seed in range(500):
        for state, shown in random_game(seed):
            assert (shown.scores[1], shown.scores[2]) == state.scores, (seed, state.position)
        assert shown.is_done()
        assert not shown.get_possible_light_actions()
        result = known(state.result)
        decided[result.decided_by, result.outcome] += 1
    assert {("Divercités", 1), ("threes", -1), ("twos", 1), ("twos", 0), ("perfect tie", 1)} <= set(decided), decided


@pytest.mark.parametrize("seed", range(3))
def test_positions_hands_and_the_order_of_actions_are_the_same(seed: int) -> None:
    for state, shown in random_game(seed):
        assert state_of(shown_by(shown)) == state
        assert shown.players_pieces_left == {1: state.hand(0), 2: state.hand(1)}
        assert list(shown.players_pieces_left[1]) == list(PIECES)
        if state.is_terminal:
            break
        actions = list(shown.generate_possible_light_actions())
        assert [action.data for action in actions] == [action_data(move) for move in state.legal_moves]
        assert [str(state.parse_move(move_text(action.data))) for action in actions] == list(
            map(str, state.legal_moves)
        )
        assert shown.get_next_player() is shown.players[state.to_move]
        assert shown.get_possible_light_actions() is shown.get_possible_stateless_actions()


@pytest.mark.parametrize("seed", range(3))
def test_the_courses_greedy_player_plays_the_same_on_the_stand_ins(seed: int) -> None:
    greedy = agent("divercite-greedy", game="divercite")
    for state, shown in random_game(seed):
        if state.is_terminal:
            break
        mover = shown.get_next_player()
        chosen, *others = shown.generate_possible_heavy_actions()
        first = chosen.get_next_game_state().get_player_score(mover)
        for action in others:  # what it beats is never raised, as in the course's program
            if action.get_next_game_state().get_player_score(mover) > first:
                chosen = action
        assert answered_move(shown, chosen) == move_text(action_data(greedy.choose(state, Clock())))


def test_states_and_actions_are_equal_as_in_the_framework() -> None:
    start = course_start()
    action = LightAction({"piece": "RC", "position": (3, 4)})
    heavy = action.get_heavy_action(start)
    assert heavy in start.get_possible_heavy_actions()
    assert action in start.get_possible_light_actions()
    assert start.check_action(action)
    assert not start.check_action(LightAction({"piece": "RC", "position": (4, 4)}))
    assert HeavyAction(start, start.apply_action(action)) == heavy
    other = start.apply_action(LightAction({"piece": "RC", "position": (4, 3)}))
    assert hash(other) != hash(heavy.get_next_game_state())
    around = heavy.get_next_game_state().get_neighbours(2, 4)
    assert around["bot_right"] == (Piece("RCW", owner_id=1), (3, 4))
    assert around["top_left"] == ("EMPTY", (2, 3))
    assert start.get_neighbours(0, 4)["top_right"] == ("OUTSIDE", (-1, 4))


def test_states_survive_json_without_being_evaluated() -> None:
    *_, (_, shown) = random_game(4)
    again = GameStateDivercite.from_json(json.dumps(as_json(shown)))
    assert hash(again) == hash(shown)
    with pytest.raises(ValueError, match="is not a cell"):
        BoardDivercite.from_json({"env": {"__import__('os').getcwd()": {"piece_type": "RCW"}}, "dim": [9, 9]})


def test_modules_offer_what_students_take_from_them() -> None:
    program = (
        "from pathlib import Path\n"
        "from joute.games.divercite.seahorse.stand_in.modules import provide\n"
        "provide(Path('nowhere'))\n"
        "from game_state_divercite import BoardDivercite, GameStateDivercite, LightAction, Piece\n"
        "from seahorse.game.game_state import GameState, HeavyAction\n"
        "from seahorse.game import light_action\n"
        "import seahorse.game.stateless_action as newer\n"
        "from seahorse.utils.custom_exceptions import *\n"
        "assert newer.StatelessAction is light_action.LightAction is LightAction\n"
        "assert issubclass(GameStateDivercite, GameState) and issubclass(SeahorseTimeoutError, Exception)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def shown_at(ply: int, seed: int = 0) -> tuple[Divercite, GameStateDivercite]:
    return next(pair for pair in random_game(seed) if pair[0].ply == ply)


def test_an_agent_plays_what_it_plays_elsewhere() -> None:
    for ply in (0, 7, 22, 39):
        state, shown = shown_at(ply)
        player = SeahorseAgent("greedy", seed=5)
        assert player.action_data(shown, 900.0) == action_data(
            agent("greedy", game="divercite", seed=5).choose(state, Clock())
        )


@pytest.mark.parametrize(
    "code",
    [
        "1 / 0",
        "return 'Ra1'",
        "return None",
        "raise SystemExit(3)",
        "return state.legal_moves[0].nothing",
        "raise MemoryError",
    ],
)
def test_whatever_an_agent_does_an_action_is_answered(
    code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(f"def choose(state, clock):\n    {code}\n")
    player = SeahorseAgent("mine.py", folder=tmp_path)
    state, shown = shown_at(9)
    data = player.action_data(shown, 900.0)
    assert state.is_legal(move_text(data))
    assert "mine.py failed at step 9: " in capsys.readouterr().err


def test_a_state_that_is_not_understood_is_answered_with_the_frameworks_first_action(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, shown = shown_at(6)
    shown.step = 8
    data = SeahorseAgent("greedy").action_data(shown, 900.0)
    assert data == next(shown.generate_possible_light_actions()).data
    assert "with 6 pieces on the board the step is 6, not 8" in capsys.readouterr().err


class Diary:
    """An agent that keeps the clocks it is shown."""

    def __init__(self) -> None:
        self.clocks: list[Clock] = []

    def choose(self, state: Divercite, clock: Clock) -> Any:
        self.clocks.append(clock)
        return state.legal_moves[0]


def test_the_clock_that_an_agent_sees_keeps_a_reserve(monkeypatch: pytest.MonkeyPatch) -> None:
    diary = Diary()
    monkeypatch.setattr(seahorse_agent, "load_agent", lambda *_: diary)
    player = SeahorseAgent("greedy")
    for ply, seconds in ((0, 900.0), (2, 800), (38, 0.9), (38, 1e9), (38, None), (38, float("nan"))):
        player.action_data(shown_at(ply)[1], seconds)
    shown = [(clock.remaining_s, clock.nominal_s) for clock in diary.clocks]
    infinite = (float("inf"), float("inf"))
    assert shown == [(891.0, 900.0), (800 - 8.55, 900.0), (pytest.approx(0.45), 900.0), infinite, infinite, infinite]
    player.action_data(shown_at(0)[1], 900.0)
    player.action_data(shown_at(2)[1], 8.0)  # less than the reserve
    player.action_data(shown_at(4)[1], -1.0)
    assert len(diary.clocks) == 7
    assert [own_moves_left(ply) for ply in (0, 1, 38, 39)] == [20, 20, 1, 1]
    assert [seconds_left(value) for value in (-3, "5", "x", 10**400)] == [0.0, 5.0, float("inf"), float("inf")]


def test_an_agent_that_would_think_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        def __init__(self) -> None:
            self.stopped = threading.Event()

        def stop(self) -> None:
            self.stopped.set()

        def choose(self, state: Divercite, clock: Clock) -> Any:
            assert self.stopped.wait(60)
            return state.legal_moves[3]

    monkeypatch.setattr(seahorse_agent, "load_agent", lambda *_: Slow())
    state, shown = shown_at(0)
    assert SeahorseAgent("greedy").action_data(shown, 0.1) == action_data(state.legal_moves[3])


def test_a_player_can_be_copied_and_pickled_and_two_do_not_interfere() -> None:
    player = SeahorseAgent("mcts:iterations=50", seed=1)
    state, shown = shown_at(0)
    first = player.action_data(shown, 900.0)
    for other in (
        copy.deepcopy(player),
        pickle.loads(pickle.dumps(player)),
        SeahorseAgent("mcts:iterations=50", seed=1),
    ):
        later, shown_later = shown_at(2)
        assert later.is_legal(move_text(other.action_data(shown_later, 890.0)))
    assert SeahorseAgent("mcts:iterations=50", seed=1).action_data(shown, 900.0) == first
    assert state.is_legal(move_text(first))


@pytest.mark.parametrize("spec", ["ugi:/bin/cat", "xmlrpc:http://localhost:8000"])
def test_only_what_can_think_in_the_courses_process_is_let_in(spec: str) -> None:
    with pytest.raises(JouteError, match=r"program that speaks UGI|is a server, which can play"):
        SeahorseAgent(spec)


def test_a_written_file_plays_in_our_arena_what_its_agent_plays(tmp_path: Path) -> None:
    file = tmp_path / "my_player.py"
    told = ok("course", "divercite", "--agent", "greedy", "--seed", "7", "--output", str(file))
    assert told == f"{file} is greedy for the divercite course; Joute must be installed where it plays\n"
    text = file.read_text()
    assert "class MyPlayer(PlayerDivercite):" in text
    ok("course", "divercite", "--agent", "greedy", "--seed", "7", "--output", str(file))  # over its own
    (tmp_path / "theirs.py").write_text("precious = 1\n")
    for words, sentence in (
        ((), "the agents of the divercite course are files: --output my_player.py writes one"),
        (("--output", str(file), "--port", "1"), "--port is for servers"),
        (("--output", str(tmp_path / "x.txt")), "name x.txt with .py at its end"),
        (("--output", str(tmp_path / "no" / "x.py")), "there is no folder"),
        (("--output", str(file), "--memory-mb", "99"), "--memory-mb is for servers"),
        (("--output", str(tmp_path / "theirs.py")), "exists and is not a file that Joute wrote"),
    ):
        done = joute("course", "divercite", "--agent", "greedy", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(rf"joute: .*{re.escape(sentence)}.*\n", done.stderr), done.stderr
    assert (tmp_path / "theirs.py").read_text() == "precious = 1\n"
    done = joute("course", "divercite", "--agent", "gredy", "--output", str(tmp_path / "no.py"))
    assert "did you mean 'greedy'?" in done.stderr
    assert not (tmp_path / "no.py").exists()
    done = joute("course", "avalam", "--agent", "greedy", "--output", str(tmp_path / "no.py"))
    assert done.stderr == "joute: the agents of the avalam course are servers: leave out --output\n"

    source = find_source(f"course:{file}", "divercite")
    player = make_player(source, "mine", GAME, Isolation())
    record = play_game(new(GAME), player, "random", seed=3)
    assert record.reason is Reason.NORMAL, record.detail
    assert record.isolation == ("process", "worker")
    greedy = agent("greedy", game="divercite", seed=7)
    turns = [(state, played) for state, played in zip(record.states(), record.moves, strict=False) if not played.player]
    assert [str(greedy.choose(state, Clock())) for state, _ in turns] == [played.move for _, played in turns]


STUDENT = '''
"""One ply ahead, with much of what the course's interface offers."""
from board_divercite import BoardDivercite
from game_state_divercite import GameStateDivercite
from player_divercite import PlayerDivercite
from seahorse.game.action import Action
from seahorse.game.game_layout.board import Piece
from seahorse.game.game_state import GameState
from seahorse.game.heavy_action import HeavyAction
from seahorse.game.light_action import LightAction
from seahorse.utils.custom_exceptions import MethodNotImplementedError


class MyPlayer(PlayerDivercite):
    def __init__(self, piece_type: str, name: str = "MyPlayer"):
        super().__init__(piece_type, name)
        self.seen = []

    def compute_action(self, current_state: GameState, remaining_time: int = 1e9, **kwargs) -> Action:
        me = self.get_id()
        assert isinstance(current_state, GameStateDivercite) and isinstance(current_state.get_rep(), BoardDivercite)
        assert current_state.get_next_player().get_id() == me == current_state.players["WB".index(self.piece_type)].id
        assert remaining_time > 0 and current_state.get_step() % 2 == "WB".index(self.get_piece_type())
        env = current_state.get_rep().get_env()
        for piece in self.seen:
            assert env[piece].get_owner_id() == me, (piece, env[piece].piece_type)
        assert all(env[cell].piece_type[2] == "WB"[piece.owner_id != current_state.players[0].id]
                   for cell, piece in env.items())
        own = current_state.get_rep().get_pieces_player(self)[0]
        assert own == 20 - sum(current_state.players_pieces_left[me].values()) == len(self.seen)
        best = max(current_state.get_possible_heavy_actions(),
                   key=lambda action: action.get_next_game_state().get_player_score(self))
        cell = next(iter(set(best.get_next_game_state().rep.env) - set(env)))
        self.seen.append(cell)
        if self.piece_type == "W":
            return best
        piece = best.get_next_game_state().rep.env[cell].get_type()[:2]
        light = LightAction({"piece": piece, "position": cell})
        assert current_state.apply_action(light) == best.get_next_game_state()
        return light
'''


@pytest.fixture
def student(tmp_path: Path) -> Path:
    file = tmp_path / "my_player.py"
    file.write_text(STUDENT)
    return file


@pytest.mark.parametrize("side", [0, 1])
def test_a_students_file_plays_with_nothing_else_installed(student: Path, side: int) -> None:
    player = make_player(find_source(f"course:{student}", "divercite"), "mine", GAME, Isolation())
    players = (player, "random") if side == 0 else ("random", player)
    record = play_game(new(GAME), *players, seed=side)
    assert record.reason is Reason.NORMAL, record.detail
    for state, played in zip(record.states(), record.moves, strict=False):
        assert isinstance(state, Divercite)
        if played.player == side:  # which of the best it takes depends on how Python hashes
            best = max(state.play(move).scores[side] for move in state.legal_moves)
            assert state.play(played.move).scores[side] == best


def test_a_students_file_is_matched_checked_and_entered_like_any_other(student: Path, tmp_path: Path) -> None:
    match = ok(
        "match", "divercite", f"course:{student}", "random", "--games", "2", "--clock", "60", "--openings", "start"
    )
    assert "ended by" not in match
    assert "is ready to play divercite" in ok("check", f"course:{student}", "--game", "divercite", "--games", "1")
    plan = make_plan("divercite", [f"course:{student}", f"course:{student}:MyPlayer", "random"], games=2)
    assert [entrant.name for entrant in plan.entrants] == ["my_player", "my_player:MyPlayer", "random"]
    source = find_source(f"course:{student}:MyPlayer", "divercite")
    entries, _ = freeze([source], ["mine"])
    (moved,) = unpack(entries, tmp_path / "copies").values()
    assert moved.text == f"course:{tmp_path / 'copies' / '0' / 'agent' / 'my_player.py'}:MyPlayer"
    assert moved.name_in_file == "MyPlayer"


def test_numbers_that_equal_rows_and_columns_are_rows_and_columns_as_in_the_framework() -> None:
    for position in ((3, 4), [3, 4], (np.int64(3), np.int8(4)), (3.0, np.float64(4))):
        assert move_text({"piece": "RC", "position": position}) == "RC,3,4"
    assert move_text({"piece": "RC", "position": (3.5, 4)}) == "RC,3.5,4"


@pytest.mark.parametrize(
    ("code", "reason", "sentence"),
    [
        ("1 / 0", Reason.CRASH, "ZeroDivisionError"),
        ("return None", Reason.CRASH, "compute_action returned NoneType, which is not an action"),
        ("return 'RC', (3, 4)", Reason.CRASH, "compute_action returned tuple, which is not an action"),
        ("return LightAction({'piece': 'RC', 'position': (4, 4)})", Reason.ILLEGAL_MOVE, "illegal move RC,4,4"),
        ("return LightAction({'piece': 'RC', 'position': (3.5, 4)})", Reason.ILLEGAL_MOVE, "illegal move RC,3.5,4"),
        ("return LightAction({'position': (3, 4)})", Reason.ILLEGAL_MOVE, "illegal move {'position'"),
        ("return LightAction(None)", Reason.ILLEGAL_MOVE, "illegal move None"),
        ("return HeavyAction(current_state, current_state)", Reason.ILLEGAL_MOVE, "illegal move an"),
        ("return HeavyAction(None, 3)", Reason.CRASH, "AttributeError"),
    ],
)
def test_what_a_students_file_does_wrong_costs_it_the_game(
    code: str, reason: Reason, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "my_player.py"
    head = STUDENT[: STUDENT.index("    def __init__")]
    file.write_text(f"{head}    def compute_action(self, current_state, **kwargs):\n        {code}\n")
    player = make_player(find_source(f"course:{file}", "divercite"), "mine", "divercite", Isolation())
    record = play_game(new("divercite"), player, "random", seed=1)
    assert (record.reason, record.winner) == (reason, 1)
    assert sentence in record.detail


def test_a_mistake_in_naming_a_students_file_gives_one_clear_error(student: Path, tmp_path: Path) -> None:
    (tmp_path / "two.py").write_text(STUDENT.replace("MyPlayer", "One") + STUDENT.replace("MyPlayer", "Two"))
    (tmp_path / "none.py").write_text("x = 1\n")
    for words, sentence in (
        (("match", "divercite", "course:nothing.py", "random"), "there is no agent file nothing.py"),
        (("match", "divercite", "course:greedy", "random"), "course: needs the file of a course's agent"),
        (("match", "divercite", "course:", "random"), "course: needs the file of a course's agent"),
        (("match", "avalam", f"course:{student}", "random"), "the agents of the avalam course are servers"),
        (("match", "connect4", f"course:{student}", "random"), "connect4 has no course interface"),
        (("check", f"course:{student}", "--game", "connect4"), "connect4 has no course interface"),
        (("match", "divercite", "xmlrpc:http://localhost:1", "random"), "the agents of the divercite course are files"),
    ):
        done = joute(*words)
        assert (done.returncode, done.stdout) == (2, ""), (words, done.stdout)
        assert re.fullmatch(rf"joute: .*{re.escape(sentence)}.*\n", done.stderr), done.stderr
    for name, sentence in (
        ("course:two.py", "must have one class MyPlayer with a method compute_action, and has several (One, Two)"),
        ("course:none.py", "and has none"),
        ("course:my_player.py:Other", "my_player.py has no class Other with a method compute_action"),
        ("my_player.py", "it is a file of the divercite course: write course: before its name"),
    ):
        _, _, path = name.rpartition("course:")
        text = f"{'course:' if 'course:' in name else ''}{tmp_path / path}"
        player = make_player(find_source(text, "divercite"), "mine", "divercite", Isolation())
        record = play_game(new("divercite"), player, "random", seed=1)
        assert record.reason is Reason.CRASH
        assert sentence in record.detail
    with pytest.raises(JouteError, match="the agents of the avalam course are servers"):
        find_file_course("avalam")
    with pytest.raises(JouteError, match="the agents of the divercite course are files"):
        find_server_course("divercite")


def test_who_placed_a_resource_is_remembered_and_else_shared_out_by_the_hands() -> None:
    for seed in range(20):
        known: dict[Any, str] = {}
        for state, shown in random_game(seed):
            truth = {cell: piece.get_type() for cell, piece in shown.get_rep().get_env().items()}
            known = placed_by(state, known)
            assert known == truth
            assert list(known) == list(truth)
            alone = placed_by(state, {})
            assert {cell: piece[:2] for cell, piece in alone.items()} == {c: p[:2] for c, p in truth.items()}
            assert Counter(alone.values()) == Counter(truth.values())
        assert placed_by(new(GAME), known) == {}
