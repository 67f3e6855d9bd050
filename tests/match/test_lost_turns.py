"""Lost turns: who overruns no more than a limit a move goes on, in games that know what that means; records say it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from joute import Clock, State, new, play_game
from joute.arena.check import Stage
from joute.arena.measures import measure
from joute.arena.store.game_file import FiledGame, read_game_file
from joute.arena.store.importing import import_records, open_games
from joute.cli import command_line
from joute.errors import IllegalMoveError
from joute.match import GameRecord, MatchResult, MoveRecord, Reason, TimeControl
from joute.match.clock import GameClock
from joute.match.player import Answer, MisconductError, Player
from joute.match.record import LOST_TURN, can_lose_turns, is_lost_turn, replayed
from joute.match.record_reader import RecordError, read_text
from joute.match.record_scenes import scenes_of
from joute.match.record_text import write_record
from joute.protocol.ugi import follow, position_command
from joute.report.data import make_report
from joute.report.html import html_report
from joute.report.markdown import markdown_report


class Timed(Player):
    """Says that its moves took as long as it was told; the last of the times holds on."""

    name = "Timed"

    def __init__(self, *times_s: float, move: str = "step") -> None:
        self.times_s = list(times_s)
        self.move = move
        self.lines: list[tuple[str, ...]] = []
        self.clocks: list[Clock] = []

    def begin(self, start: State, player: int, seed: int) -> None:
        pass

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        self.lines.append(tuple(line))
        self.clocks.append(clock)
        return Answer(self.move, self.times_s.pop(0) if len(self.times_s) > 1 else self.times_s[0])


class CutOff(Timed):
    """Is stopped by itself at every turn but the first; whether it can go on is for it to say."""

    name = "CutOff"

    def __init__(self, *, costs_a_turn: bool) -> None:
        super().__init__(0.0)
        self.costs_a_turn = costs_a_turn

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        if not self.lines:
            return super().ask(state, line, clock, limit_s)
        raise MisconductError(Reason.TIME, "CutOff had no move", costs_a_turn=self.costs_a_turn)


def moves_of(record: GameRecord, player: int) -> list[str]:
    return [played.move for played in record.moves if played.player == player]


def lost_game() -> GameRecord:
    """A game of dice in which the first player lost its second and third turns, by lateness of 5 s each."""
    record = play_game("dice", Timed(1, 5, 5, 1), Timed(1), clock="2/move")
    assert moves_of(record, 0)[:4] == ["step", LOST_TURN, LOST_TURN, "step"]
    return record


def test_who_overruns_a_limit_a_move_loses_the_turn_and_not_the_game() -> None:
    late, other = Timed(1, 5, 1), Timed(1)
    record = play_game("dice", late, other, clock="2/move")
    assert record.reason is Reason.NORMAL
    assert record.moves[:4] == (
        MoveRecord(0, "step", 1.0),
        MoveRecord(1, "step", 1.0),
        MoveRecord(0, LOST_TURN, 5.0),
        MoveRecord(1, "step", 1.0),
    )
    assert record.winner == 1  # by one step, in a race that the first player wins otherwise
    assert other.lines[1] == ("step", "step", LOST_TURN)
    assert play_game("dice", Timed(1), Timed(1), clock="2/move").winner == 0


def test_an_agent_in_the_same_process_loses_the_turn_too() -> None:
    class Sleepy:
        def choose(self, state: State, clock: Clock) -> Any:
            time.sleep(0.05 if state.ply == 0 else 0)
            return "step"

    record = play_game("dice", Sleepy(), Timed(0), clock="0.01/move", margin_s=0.01)
    assert (record.reason, record.winner) == (Reason.NORMAL, 1)
    assert record.moves[0].move == LOST_TURN
    assert record.moves[0].time_s >= 0.05


def test_the_margin_still_counts_as_in_time() -> None:
    record = play_game("dice", Timed(2.1), Timed(1), clock="2/move", margin_s=0.1)
    assert LOST_TURN not in moves_of(record, 0)
    assert LOST_TURN in moves_of(play_game("dice", Timed(2.11), Timed(1), clock="2/move", margin_s=0.1), 0)


def test_in_a_game_without_lost_turns_lateness_loses_as_ever() -> None:
    record = play_game("connect4", Timed(1, 5, move="4"), Timed(1, move="4"), clock="2/move")
    assert (record.winner, record.reason, len(record.moves)) == (1, Reason.TIME, 2)
    assert record.detail == "Timed took 5.000 s for a move at ply 2, with 2.100 s left, margin included"


def test_a_total_clock_that_has_run_out_loses_the_game() -> None:
    record = play_game("dice", Timed(4, 7), Timed(1), clock="10")
    assert (record.winner, record.reason, len(record.moves)) == (1, Reason.TIME, 2)
    # The limit a move was overrun as well, but there is no time to go on with.
    record = play_game("dice", Timed(4, 7), Timed(1), clock="10,5/move")
    assert (record.winner, record.reason, len(record.moves)) == (1, Reason.TIME, 2)


def test_the_time_of_a_lost_turn_is_off_the_total_clock_and_brings_no_increment() -> None:
    late = Timed(3, 1)
    record = play_game("dice", late, Timed(1), clock="10+0.5,2/move")
    assert moves_of(record, 0)[:2] == [LOST_TURN, "step"]
    assert [clock.remaining_s for clock in late.clocks[:3]] == [10, 7, 6.5]


def test_lost_turns_add_up_to_a_lost_game_on_a_total_clock() -> None:
    record = play_game("dice", Timed(3), Timed(1), clock="10,2/move")
    assert (record.winner, record.reason) == (1, Reason.TIME)
    assert moves_of(record, 0) == [LOST_TURN] * 3  # 9 of 10 s, and the fourth turn is one too many


def test_a_clock_knows_a_late_move_from_an_end_of_time() -> None:
    clock = GameClock((TimeControl.parse("10,2/move"),) * 2, margin_s=0.1)
    assert clock.charge(0, 2.05)
    assert not clock.charge(0, 4)
    assert not clock.is_out(0)
    assert clock.limit_s(0) == pytest.approx(2.1)
    assert not clock.charge(0, 4.1)
    assert clock.is_out(0)
    assert not clock.is_out(1)


@pytest.mark.parametrize(
    ("costs_a_turn", "clock", "moves"),
    [(True, "none", 10_000), (True, "2/move", 10_000), (False, "2/move", 2)],
)
def test_a_player_that_is_cut_off_says_whether_it_can_go_on(costs_a_turn: bool, clock: str, moves: int) -> None:
    record = play_game("dice:target=50", CutOff(costs_a_turn=costs_a_turn), CutOff(costs_a_turn=True), clock=clock)
    assert len(record.moves) == moves
    assert record.reason is (Reason.PLY_LIMIT if costs_a_turn else Reason.TIME)
    assert moves_of(record, 0)[:1] == ["step"]
    assert set(moves_of(record, 0)[1:]) <= {LOST_TURN}


def test_an_agent_that_answers_a_lost_turn_has_played_an_illegal_move() -> None:
    record = play_game("dice", Timed(1, move=LOST_TURN), Timed(1), clock="2/move")
    assert (record.winner, record.reason, record.moves) == (1, Reason.ILLEGAL_MOVE, ())
    assert record.detail.startswith("Timed: ")


def test_a_lost_turn_is_replayed_by_passing_and_is_no_move_of_other_games() -> None:
    state: Any = new("dice").play("step")
    assert replayed(state, LOST_TURN) == state.pass_turn()
    assert replayed(state, "step") == state.play("step")
    assert can_lose_turns(state)
    assert not can_lose_turns(new("boxes"))
    with pytest.raises(IllegalMoveError, match=r"^illegal move -- at ply 0 of boxes: the game has no lost turns$"):
        replayed(new("boxes"), LOST_TURN)
    with pytest.raises(IllegalMoveError, match=r"^illegal move pass at ply 1 of dice: a random event is pending"):
        replayed(new("dice").play("roll"), LOST_TURN)


def test_a_game_may_have_a_move_of_that_name() -> None:
    class Dashes:
        ply = 0
        pass_turn = None

        def is_legal(self, move: str) -> bool:
            return move == LOST_TURN

        def play(self, move: str) -> str:
            return f"played {move}"

    state: Any = Dashes()
    assert replayed(state, LOST_TURN) == "played --"
    assert not is_lost_turn(state, LOST_TURN)
    assert not can_lose_turns(state)


def test_a_record_with_lost_turns_goes_through_text_and_replays_to_its_end(tmp_path: Path) -> None:
    record = lost_game()
    text = write_record(record)
    assert "3. -- {5s} 4. step {1s} 5. -- {5s}" in text
    (read,) = read_text(text)
    assert not isinstance(read, RecordError)
    assert read.record == record
    *_, end = read.record.states()
    assert end.result == record.result
    assert end.ply == len(record.moves)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            '[Game "connect4"] [First "a"] [Second "b"] 4 -- 4 1-0',
            "text, line 1: move 2: illegal move -- at ply 1 of connect4: the game has no lost turns",
        ),
        (
            '[Game "dice"] [First "a"] [Second "b"]\n-- <0>',
            "text, line 2: no random event is pending, so <0> cannot be its outcome",
        ),
        (
            '[Game "dice"] [First "a"] [Second "b"]\nroll --',
            "text, line 2: the outcome of a random event is missing here: <0> <1> <2>",
        ),
        (
            '[Game "dice"] [First "a"] [Second "b"] [Start "7-0-second-1"]\n--',
            "text, line 2: move 1: illegal move pass at ply 1 of dice: the game is over",
        ),
    ],
)
def test_a_lost_turn_that_cannot_have_been_is_damage_in_one_sentence(text: str, sentence: str) -> None:
    (error,) = read_text(text)
    assert str(error) == sentence


def test_lost_turns_go_through_a_tournaments_file_its_measures_and_its_report(tmp_path: Path) -> None:
    record = lost_game()
    import_records([record, play_game("dice", "random", "random", seed=1)], tmp_path / "games.db")
    filed = next(iter(read_game_file(tmp_path / "games.db")))
    assert isinstance(filed, FiledGame)
    assert filed.record.moves == record.moves
    with open_games(tmp_path / "games.db") as store:
        measures = measure(store.plan, store.games())
        at_ply = {each.ply: each for each in measures.agents[0].plies}
        assert (at_ply[2].moves, at_ply[2].time_s) == (1, 5.0)
        report = make_report(store)
        assert "Timed" in html_report(report, store)


def test_every_position_after_a_lost_turn_is_drawn_without_a_last_move() -> None:
    record = lost_game()
    states, scenes = list(record.states()), list(scenes_of(record))
    assert len(scenes) == len(states) == len(record.moves) + 1
    assert scenes[3] == states[3].scene()
    assert scenes[2] == states[2].scene("step")


def test_statistics_of_moves_and_time_count_a_lost_turn_as_a_turn() -> None:
    result = MatchResult("a", "b")
    result.add(lost_game(), a_first=True)
    turns = len(moves_of(lost_game(), 0))
    assert result.moves(of_a=True) == turns
    assert result.time_s(of_a=True) == pytest.approx(5 + 5 + (turns - 2))
    stage = Stage(TimeControl.parse("2/move"), 0, records=[lost_game()])
    assert (stage.lost_turns, stage.forfeits, stage.longest_move_s) == (2, [], 5.0)


def test_who_lost_turns_is_told_by_match_tournament_and_report(tmp_path: Path) -> None:
    record = lost_game()
    turns = len(moves_of(record, 0))
    sentence = f"Timed lost 2 of its {turns} turns to time"
    assert record.lost_turns == (2, 0)
    result = MatchResult("a", "Timed")
    result.add(record, a_first=False)
    assert (result.lost_turns(of_a=True), result.lost_turns(of_a=False)) == (0, 2)

    renamed = replace(record, players=("Timed", "Other"))
    import_records([renamed], tmp_path / "games.db")
    with open_games(tmp_path / "games.db") as store:
        report = make_report(store)
        assert f"{sentence}." in report.summary
        assert "Other lost" not in markdown_report(report)
        assert markdown_report(report).count(f"{sentence}.") == 2  # with the result, and where endings are told
        assert html_report(report, store).count(f"{sentence}.") >= 2
    done = CliRunner().invoke(command_line("report"), ["report", str(tmp_path / "games.db"), "--format", "json"])
    assert {row["name"]: row["lost_turns"] for row in json.loads(done.output)["agents"]} == {"Timed": 2, "Other": 0}


def test_a_move_that_is_called_like_a_lost_turn_is_none() -> None:
    record = replace(lost_game(), game="connect4", start="")
    assert record.lost_turns == (0, 0)


def test_the_time_of_a_lost_turn_is_what_the_player_says_it_is() -> None:
    class Waited(Timed):
        def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
            raise MisconductError(Reason.TIME, "late", costs_a_turn=True, time_s=2.5)

    record = play_game("dice", Waited(0), Timed(1), clock="20,2/move")
    assert {move.time_s for move in record.moves if move.player == 0} == {2.5}
    assert record.moves[0].move == LOST_TURN


def test_replay_says_that_a_turn_was_lost_and_draws_the_position(tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(write_record(lost_game()))
    arguments = ["replay", str(tmp_path / "games.txt"), "--game", "1", "--ply", "3", "--svg", str(tmp_path / "3.svg")]
    done = CliRunner().invoke(command_line("replay"), arguments)
    assert done.exit_code == 0, done.output
    assert "ply 3 of 14: Timed, first, lost the turn\n  5.00 s" in done.output
    assert (tmp_path / "3.svg").read_text() == list(lost_game().states())[3].svg()


def test_a_line_of_ugi_may_have_lost_turns() -> None:
    line = ["step", LOST_TURN, "roll", "#1", LOST_TURN]
    words = position_command(None, line).split()
    assert words[-5:] == line
    assert follow(new("dice"), line).position == "3-0-first-4"
    with pytest.raises(IllegalMoveError, match="no lost turns"):
        follow(new("connect4"), ["4", LOST_TURN])
