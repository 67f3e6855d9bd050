"""A game in progress: what is played, drawn, charged, lost and taken back; its record is the referee's."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from odd_game import Odd

from joute import Clock, Random, Result, State, new, play_game
from joute.agents import SearchInfo
from joute.errors import IllegalMoveError
from joute.games import register
from joute.match import GameRecord, MoveRecord, Reason, TimeControl
from joute.match.game import GameInProgress, derive_seed
from joute.match.record import LOST_TURN

#: Both pawns of Quoridor go forth and back: after these moves all is as it was.
ROUND = ("e2", "e8", "e1", "e9")


@pytest.fixture(autouse=True)
def _odd_game() -> None:
    register(Odd)


def dice(**options: Any) -> GameInProgress[State]:
    return GameInProgress(new("dice:target=50"), **options)


def controls(text: str) -> tuple[TimeControl, TimeControl]:
    return TimeControl.parse(text), TimeControl.parse(text)


def everything(game: GameInProgress[State]) -> tuple[Any, ...]:
    """All that can be seen of a game."""
    seen = (game.state, game.state.past, tuple(game.states()), tuple(game.moves), tuple(game.line), game.start_outcomes)
    return (*seen, game.to_move, game.result, game.reason, game.detail, game.clock.reading)


class Follows:
    """Plays a line, whatever happens."""

    def __init__(self, *moves: str) -> None:
        self.moves = iter(moves)

    def choose(self, state: State, clock: Clock) -> str:
        return next(self.moves)


class Drawn(Follows):
    """Plays moves that a seed draws."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)

    def choose(self, state: State, clock: Clock) -> Any:
        return state.random_move(self.rng)


def without_times(record: GameRecord) -> GameRecord:
    data = record.as_data() | {"overhead_s": 0.0}
    data["moves"] = [[player, move, 0.0, outcomes, info] for player, move, _, outcomes, info in data["moves"]]
    return GameRecord.from_data(data)


@pytest.mark.parametrize("name", ["connect4", "quoridor", "dice:target=50", "boxes", "odd", "tictactoe"])
def test_a_game_that_is_played_by_hand_has_the_record_that_the_referee_makes(name: str) -> None:
    record = play_game(name, Drawn(1), Drawn(2), seed=7, max_plies=60)
    game = GameInProgress(new(name), seed=7, max_plies=60)
    assert game.start_outcomes == record.start_outcomes
    for played in record.moves:
        assert not game.is_over
        assert game.to_move == played.player
        assert game.play(played.move) == MoveRecord(played.player, played.move, 0.0, played.outcomes)
    assert game.is_over
    assert game.record(("Drawn", "Drawn")) == without_times(record)
    assert list(game.states()) == list(record.states())
    assert game.state == list(record.states())[-1]


def test_moves_are_read_as_text_or_objects_and_recorded_in_the_games_notation() -> None:
    game = GameInProgress(new("avalam"))
    assert game.play("(0, 2, 0, 3)", info=SearchInfo(depth=2)).info == SearchInfo(depth=2)
    move = game.state.legal_moves[0]
    game.play(move)
    assert [played.move for played in game.moves] == game.line == [game.line[0], str(move)]
    assert game.line[0] != "(0, 2, 0, 3)"


@pytest.mark.parametrize("wrong", ["9", "", None, 4, object(), LOST_TURN])
def test_an_illegal_move_leaves_the_game_untouched(wrong: Any) -> None:
    game = GameInProgress(new("connect4"), controls=controls("60"))
    game.charge(1.0)
    game.play("4")
    before = everything(game)
    with pytest.raises(IllegalMoveError, match="at ply 1 of connect4"):
        game.play(wrong)
    assert everything(game) == before
    game.play("4")


def test_legality_is_checked_once_a_move() -> None:
    asked: list[str] = []

    class Counted(type(new("tictactoe"))):  # type: ignore[misc]
        def legal_move(self, move: Any) -> Any:
            asked.append(str(move))
            return super().legal_move(move)

    record = play_game(Counted(), Drawn(1), Drawn(2))
    assert asked == [played.move for played in record.moves]


def test_the_rules_are_to_blame_where_they_refuse_a_move_that_they_list() -> None:
    class Broken(type(new("tictactoe"))):  # type: ignore[misc]
        def after(self, move: Any) -> Any:
            raise IllegalMoveError("not here")

    with pytest.raises(TypeError, match=r"^Broken.after refuses 1, a legal move: not here$"):
        play_game(Broken(), Follows("1"), Follows("2"))


def test_chance_is_drawn_by_the_seed_or_by_a_seed_of_its_own() -> None:
    def outcomes(**options: Any) -> list[tuple[int, ...]]:
        game = dice(**options)
        return [game.play("roll").outcomes for _ in range(12)]

    assert outcomes(seed=3) == outcomes(seed=3) != outcomes(seed=4)
    assert outcomes(seed=3) == outcomes(seed=8, chance_seed=derive_seed(3, 0))


def test_chance_that_is_resolved_by_hand_falls_as_if_it_were_drawn_at_once() -> None:
    at_once = GameInProgress(new("odd"), seed=5)
    by_hand = GameInProgress(new("odd"), seed=5, draws_at_once=False)
    assert by_hand.state.is_chance
    while not by_hand.is_over:
        if by_hand.state.is_chance:
            by_hand.resolve()
        else:
            assert by_hand.state == at_once.state
            at_once.play("plain")
            by_hand.play("plain")
    assert by_hand.record(("a", "b")) == at_once.record(("a", "b"))
    # Players of the first begin after what chance did first, players of the second before it.
    assert by_hand.line == [*(f"#{outcome}" for outcome in at_once.start_outcomes), *at_once.line]


def test_outcomes_can_be_given() -> None:
    game = dice(draws_at_once=False)
    game.play("roll")
    assert [game.resolve(2), game.line] == [2, ["roll", "#2"]]
    assert game.moves == [MoveRecord(0, "roll", 0.0, (2,))]
    assert game.state == new("dice:target=50").play("roll").resolve(2)
    with pytest.raises(ValueError, match="no random event is pending"):
        game.resolve(0)
    before = everything(game)
    game.play("roll")
    with pytest.raises(IndexError):
        game.resolve(99)
    game.undo()
    assert everything(game) == before


def test_a_pending_event_is_resolved_before_anybody_moves() -> None:
    game = dice(draws_at_once=False)
    game.play("roll")
    with pytest.raises(IllegalMoveError, match="a random event is pending"):
        game.play("step")


@pytest.mark.parametrize("plies", [1, 2, 5])
def test_undo_restores_position_clocks_and_line_and_the_same_moves_meet_the_same_chance(plies: int) -> None:
    game = dice(seed=2, controls=controls("60+0.5,10/move"))
    seen = []
    times = [0.1, 0.2, 11.0, 0.7, 1.5, 0.3, 2.0]
    for number, time_s in enumerate(times):
        seen.append(everything(game))
        game.charge(time_s)
        game.play("roll" if number % 3 else "step")
    seen.append(everything(game))
    game.charge(3.0)  # of a turn that is never played
    game.undo(plies)
    assert everything(game) == seen[-1 - plies]
    for number, time_s in list(enumerate(times))[-plies:]:
        assert everything(game) == seen[number]
        game.charge(time_s)
        game.play("roll" if number % 3 else "step")
    assert everything(game) == seen[-1]


def test_undo_takes_back_no_more_than_was_played() -> None:
    game = dice()
    for plies in (1, 0, -1):
        with pytest.raises(ValueError, match=rf"cannot undo {plies} pl(y|ies): 0 were played"):
            game.undo(plies)
    game.play("step")
    with pytest.raises(ValueError, match="cannot undo 2 plies: 1 was played"):
        game.undo(2)


def test_undo_keeps_what_chance_did_first() -> None:
    game = GameInProgress(new("odd"), seed=5)
    start = everything(game)
    assert game.start_outcomes
    for _ in range(4):
        game.play("plain")
    game.undo(4)
    assert everything(game) == start


def test_a_draw_by_repetition_can_be_taken_back_and_comes_again() -> None:
    game = GameInProgress(new("quoridor"))
    for move in ROUND * 2:
        assert not game.is_over
        game.play(move)
    assert game.result == Result(0, decided_by="repetition")
    game.undo(3)
    assert not game.is_over
    assert game.reason is None
    for move in ROUND[1:]:
        game.play(move)
    assert game.result == Result(0, decided_by="repetition")
    game.undo(4)
    game.play("e4h")  # after a wall, nothing of before comes back
    for move in ("e8", "e2", "e9", "e1"):
        game.play(move)
    assert not game.is_over


def test_a_game_begins_without_the_past_of_its_start() -> None:
    start = new("quoridor")
    for move in ROUND:
        start = start.play(move)
    assert start.past
    assert GameInProgress(start).state.past == ()


def test_a_lost_turn_is_recorded_with_its_time() -> None:
    game = dice(controls=controls("2/move"))
    assert not game.charge(5.0)
    assert game.overstep(Reason.TIME, "late") == MoveRecord(0, LOST_TURN, 5.0) == game.moves[0]
    assert (game.to_move, game.line, game.is_over) == (1, [LOST_TURN], False)
    assert game.state == new("dice:target=50").pass_turn()  # type: ignore[attr-defined]
    game.undo()
    assert (game.to_move, game.line, game.clock.is_out(0)) == (0, [], False)


def test_lateness_costs_the_game_without_time_or_without_lost_turns() -> None:
    game = dice(controls=controls("10,2/move"))
    assert not game.charge(11.0)
    assert game.overstep(Reason.TIME, "far too late") is None
    assert (game.result, game.reason, game.detail) == (Result(-1, decided_by="forfeit"), Reason.TIME, "far too late")
    other = GameInProgress(new("connect4"), controls=controls("2/move"))
    other.play("4")
    other.charge(3.0)
    other.overstep(Reason.TIME, "late")
    assert (other.result, other.moves[1:]) == (Result(1, decided_by="forfeit"), [])
    with pytest.raises(IllegalMoveError, match="illegal move -- at ply 0 of connect4: the game has no lost turns"):
        GameInProgress(new("connect4")).lose_turn()


def test_nobody_plays_on_after_a_resignation_unless_a_move_is_taken_back() -> None:
    game = dice()
    game.play("step")
    game.resign(0, "had enough")
    assert (game.is_over, game.reason, game.detail) == (True, Reason.RESIGNATION, "had enough")
    assert game.record(("a", "b")).winner == 1
    before = everything(game)
    with pytest.raises(IllegalMoveError, match="illegal move step at ply 1 of dice: the game is over"):
        game.play("step")
    with pytest.raises(IllegalMoveError, match="illegal move -- at ply 1 of dice: the game is over"):
        game.lose_turn()
    assert everything(game) == before
    game.undo()
    assert not game.is_over
    game.play("step")


def test_a_game_is_stopped_at_the_ply_limit_and_goes_on_if_a_move_is_taken_back() -> None:
    game = GameInProgress(new("connect4", "44"), max_plies=2)
    game.play("1")
    assert not game.is_over
    game.play("1")
    assert (game.result, game.reason) == (game.state.result_if_stopped, Reason.PLY_LIMIT)
    game.undo()
    assert not game.is_over
    assert GameInProgress(new("connect4"), max_plies=0).reason is Reason.PLY_LIMIT
    last = GameInProgress(new("connect4", "112233"), max_plies=1)
    last.play("4")
    assert last.reason is Reason.NORMAL


def test_the_ply_limit_waits_for_what_chance_does_last() -> None:
    game = dice(draws_at_once=False, max_plies=1)
    game.play("roll")
    assert not game.is_over
    game.resolve(1)
    assert game.reason is Reason.PLY_LIMIT


def test_a_game_can_be_ended_and_stopped_from_outside() -> None:
    game = GameInProgress(new("avalam"))
    game.play(game.state.legal_moves[0])
    game.stop(Reason.ADJUDICATED, "it is late")
    assert (game.result, game.detail) == (game.state.result_if_stopped, "it is late")
    game.end(Result(0), Reason.ADJUDICATED)
    assert game.record(("a", "b")).result == Result(0)


def test_there_is_no_record_of_a_game_that_goes_on() -> None:
    with pytest.raises(ValueError, match="a game in progress has no record"):
        dice().record(("a", "b"))


def test_a_record_tells_clocks_and_times() -> None:
    game = GameInProgress(new("connect4", "112233"), seed=9, controls=controls("60+0.5"))
    game.charge(1.23456789)
    game.play("4")
    record = game.record(("a", "b"), isolation=("process", "worker"), output=("x", ""), overhead_s=0.123456789)
    assert (record.seed, record.clocks, record.start) == (9, ("60+0.5", "60+0.5"), game.start.position)
    assert (record.moves[0].time_s, record.overhead_s) == (1.2345679, 0.1234568)
    assert (record.isolation, record.output) == (("process", "worker"), ("x", ""))


def test_step_gives_the_move_and_the_position_and_leaves_chance_open(game: str) -> None:
    state = new(game)
    while state.is_chance:
        state = state.resolve(state.draw_outcome(Random(1)))
    move = state.legal_moves[-1]
    for given in (move, str(move)):
        legal, after = state.step(given)
        assert legal == move
        assert type(legal) is type(move)
        assert after == state.play(move)
        assert type(after) is type(state)
    with pytest.raises(IllegalMoveError):
        state.step("no move")


def test_a_copy_of_a_generator_gives_the_same_numbers_and_is_its_own() -> None:
    rng = Random(4)
    rng.next()
    same = copy.copy(rng)
    numbers = [rng.next() for _ in range(5)]
    assert [same.next() for _ in range(5)] == numbers
