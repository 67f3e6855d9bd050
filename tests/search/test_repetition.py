"""Draws by repetition: a game remembers its past wherever it goes, and searches know what a draw is worth."""

from __future__ import annotations

import copy
import pickle
from typing import Any, ClassVar, Self

import pytest
from plain_options import alphabeta_options, mcts_options
from ugi_session import ThreadSession, engine

from joute import Result, State, new, play_game
from joute._core import position_key
from joute.agents import Clock
from joute.games import register
from joute.match import GameRecord, Reason
from joute.match.record_reader import TextGame, read_text
from joute.match.record_text import write_record

#: Both pawns go forth and back: after these moves all is as it was.
ROUND = ("e2", "e8", "e1", "e9")


def after(*moves: str, game: str = "quoridor") -> State:
    state = new(game)
    for move in moves:
        state = state.play(move)
    return state


class Follows:
    """Plays a line, whatever happens."""

    def __init__(self, *moves: str) -> None:
        self.moves = iter(moves)

    def choose(self, state: State, clock: Clock) -> str:
        return next(self.moves)


def shuttle_game() -> GameRecord:
    return play_game("quoridor", Follows("e2", "e1", "e2", "e1"), Follows("e8", "e9", "e8", "e9"))


# --- The game in progress ---


def test_the_third_occurrence_of_a_position_is_a_draw_and_the_second_is_not() -> None:
    assert not after(*ROUND).is_terminal
    assert not after(*ROUND, *ROUND[:3]).is_terminal
    over = after(*ROUND, *ROUND)
    assert over.is_terminal
    assert over.result == Result(0, decided_by="repetition")
    assert over.result_if_stopped == over.result
    assert over.legal_moves == over.winning_moves == []
    assert not over.is_legal("e2")
    assert over.perft(1) == 0
    assert over.playouts(10).draws == 10
    assert over.status == "ply 8: draw (repetition)"
    with pytest.raises(ValueError, match="no player is to move"):
        over.search(alphabeta_options()).run(over)


def test_a_wall_is_an_irreversible_move() -> None:
    state = after(*ROUND, "e4h")
    assert state.past == ()
    assert len(after("e2", "e8").past) == 2
    for move in ("e8", "e2", "e9", "e1") * 2:
        assert not state.is_terminal
        state = state.play(move)
    assert state.is_terminal


def test_rules_without_the_draw_remember_nothing() -> None:
    state = after(*ROUND * 5, game="quoridor:rules=course")
    assert not state.is_terminal
    assert state.past == ()
    assert state.repetitions_to_draw == 0


def test_copies_and_pickles_keep_the_past_and_equality_ignores_it() -> None:
    state = after(*ROUND, *ROUND[:3])
    for same in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert same == state
        assert type(same) is type(state)
        assert same.past == state.past != ()
        assert same.play("e9").is_terminal
    fresh = new("quoridor", state.position)
    assert fresh.past == ()
    assert fresh == state
    assert hash(fresh) == hash(state)
    assert not fresh.play("e9").is_terminal
    over = state.play("e9")
    assert pickle.loads(pickle.dumps(over)).is_terminal
    assert not over.with_past(()).is_terminal


def test_a_symmetry_shows_the_same_end_and_no_past() -> None:
    state: Any = after(*ROUND, "d1", "e8", "e1", "e9")
    assert state.transformed(0).past == state.past
    assert state.transformed(1).is_terminal
    assert pickle.loads(pickle.dumps(state.transformed(1))).is_terminal
    assert not after(*ROUND).transformed(1).is_terminal  # type: ignore[attr-defined]


def test_a_pickle_plays_on_to_the_draw_that_the_game_would_come_to() -> None:
    state = new("quoridor")
    for move in (*ROUND, *ROUND):
        assert not state.is_terminal
        state = pickle.loads(pickle.dumps(state.play(move)))
    assert state.is_terminal


def test_lost_turns_and_dice_bring_positions_back_too() -> None:
    state: Any = new("dice:draw=3")
    state = state.play("roll").resolve(0).pass_turn().play("roll").resolve(0).play("roll")
    assert not state.is_terminal  # what falls is not known yet
    assert not state.resolve(1).is_terminal
    assert state.resolve(0).result.decided_by == "repetition"
    assert new("dice").play("roll").resolve(0).past == ()


# --- Wherever it goes ---


def test_the_referee_ends_a_game_that_repeats() -> None:
    record = shuttle_game()
    assert len(record.moves) == 8
    assert record.reason is Reason.NORMAL
    assert record.result == Result(0, decided_by="repetition")


def test_a_record_of_a_repetition_is_read_and_replayed_to_the_same_end() -> None:
    record = shuttle_game()
    again = GameRecord.from_data(record.as_data())
    *_, last = again.states()
    assert last.is_terminal
    assert last.result == record.result
    [read] = read_text(write_record(record))
    assert isinstance(read, TextGame)
    assert read.record.result == record.result
    assert [state.is_terminal for state in read.record.states()] == [False] * 8 + [True]


def test_a_game_from_a_position_begins_without_its_past_as_its_record_does() -> None:
    start = after(*ROUND, *ROUND[:3])
    record = play_game(start, Follows("e2", "e1", "e2", "e1"), Follows("e9", "e8", "e9", "e8"))
    *states, last = record.states()
    assert record.result.decided_by == "repetition"
    assert len(record.moves) == 8
    assert last.is_terminal
    assert not any(state.is_terminal for state in states)


def test_ugi_sends_the_moves_and_so_the_past() -> None:
    line = " ".join((*ROUND, *ROUND[:3]))
    with engine("quoridor", "random") as session:
        session.send(f"position startpos moves {line}", "query gameover", f"position startpos moves {line} e9")
        assert session.until("response") == ["response false"]
        session.send("query gameover", "query result", f"position fen {after(*ROUND).position}", "query gameover")
        answers = [session.until("response")[-1] for _ in range(3)]
        assert answers == ["response true", "response draw", "response false"]


# --- Searches ---


def for_black(state: State, player: int) -> float:
    return 1.0 if player == 1 else -1.0


def values(result: Any) -> dict[str, float]:
    return {str(found.move): found.value for found in result.moves}


@pytest.mark.parametrize("table", ["off", "ordering", "full"])
def test_alphabeta_sees_the_draw_that_the_game_is_about_to_come_to(table: str) -> None:
    state = after(*ROUND, *ROUND[:3])
    search = state.search(alphabeta_options(table=table, lines=200), for_black)
    assert set(values(search.run(state.with_past(()), depth=2)).values()) == {1}
    known = values(search.run(state, depth=2))
    assert known.pop("e9") == 0
    assert set(known.values()) == {1}


@pytest.mark.parametrize("table", ["off", "full"])
def test_the_table_drops_values_that_the_game_history_has_changed(table: str) -> None:
    # White is well off, but after e1 Black could make it a draw.
    state = after(*ROUND, *ROUND[:2])
    options = alphabeta_options(table=table, table_depth=1, lines=200, deepening=False)
    search = state.search(options, lambda at, player: 1 - 2 * player)
    assert set(values(search.run(state.with_past(()), depth=3)).values()) == {1}
    known = values(search.run(state, depth=3))
    assert known.pop("e1") == 0
    assert set(known.values()) == {1}


def test_mcts_takes_the_draw_for_what_it_is_and_proves_nothing_by_it() -> None:
    state = after(*ROUND, *ROUND[:3])
    search = state.search(mcts_options(seed=1, solver="choose", reuse=True))
    result = search.run(state, iterations=2000)
    [drawn] = [found for found in result.moves if str(found.move) == "e9"]
    assert drawn.value == 0.5
    assert len(drawn.line) == 1
    assert (drawn.lower, drawn.upper) == (-1, 1)
    [free] = [found for found in search.run(state.with_past(()), iterations=2000).moves if str(found.move) == "e9"]
    assert len(free.line) > 1


def test_mcts_keeps_its_tree_only_along_the_same_past() -> None:
    state = after(*ROUND)
    search = state.search(mcts_options(seed=1, reuse=True))
    search.run(state, iterations=3000)

    def visits(at: State) -> int:
        return sum(found.visits for found in search.run(at, iterations=1).moves)

    assert visits(state.play("e2")) > 1
    search.run(state, iterations=3000)
    other = new("quoridor", state.play("e2").position)
    assert visits(other.with_past((1, 2, 3, 4, 5))) == 1
    search.run(state, iterations=3000)
    assert visits(state.play("e4h")) > 1  # nothing from before a wall counts


# --- Games written in Python ---


class Ways(State):
    """A walk on a graph. First is lost unless it goes round; from `won`, it wins unless it goes round."""

    game, title = "ways", "Ways"
    repeats = True
    #: Who moves there, and where the moves lead.
    nodes: ClassVar[dict[str, tuple[int, tuple[str, ...]]]] = {
        "cornered": (0, ("lost", "hide")),
        "hide": (1, ("cornered", "blunder")),
        "won": (0, ("idle", "near")),
        "idle": (1, ("won",)),
        "near": (1, ("nearer",)),
        "nearer": (0, ("idle", "goal")),
    }
    ends: ClassVar[dict[str, int]] = {"lost": -1, "blunder": 1, "goal": 1}

    def __init__(self, node: str = "cornered", ply: int = 0) -> None:
        self.node, self._ply = node, ply

    @classmethod
    def new(cls, position: str | None = None, rules: str = "") -> Self:
        return cls(position or "cornered")

    position = property(lambda self: self.node)
    ply = property(lambda self: self._ply)
    key = property(lambda self: position_key("ways", self.node))
    to_move = property(lambda self: self.nodes[self.node][0] if self.node in self.nodes else 0)
    legal_moves = property(lambda self: self.nodes[self.node][1] if self.node in self.nodes else ())
    result = property(lambda self: Result(self.ends[self.node]) if self.node in self.ends else None)

    def after(self, move: str) -> Self:
        return type(self)(move, self._ply + 1)

    def diagram(self) -> str:
        return self.node


def hopeless(state: State, player: int) -> float:
    return -5.0 if player == 0 else 5.0


def idles(state: State, player: int) -> float:
    return (1 if player == 0 else -1) * (9.0 if state.position == "idle" else 1.0)


@pytest.mark.parametrize("table", ["off", "ordering", "full"])
@pytest.mark.parametrize("depth", [2, 3, 6, 9])
def test_a_search_that_would_lose_goes_round(table: str, depth: int) -> None:
    register(Ways)
    state = new("ways")
    result = state.search(alphabeta_options(table=table), hopeless).run(state, depth=depth)
    assert str(result.moves[0].move) == "hide"
    assert result.value == 0
    assert not result.proven
    assert len(result.moves[0].line) == 2


@pytest.mark.parametrize("table", ["off", "ordering", "full"])
def test_a_search_that_wins_does_not_go_round(table: str) -> None:
    register(Ways)
    state = new("ways", "won")
    search = state.search(alphabeta_options(table=table, lines=2), idles)
    found = {str(move.move): move.value for move in search.run(state, depth=2).moves}
    assert found == {"idle": 0, "near": 1}
    result = search.run(state, depth=3)
    assert str(result.moves[0].move) == "near"
    assert result.moves[0].end_in == 3


def test_mcts_goes_round_where_it_would_lose_and_not_where_it_wins() -> None:
    register(Ways)
    cornered, won = new("ways"), new("ways", "won")
    result = cornered.search(mcts_options(seed=1, solver="choose")).run(cornered, iterations=300)
    assert str(result.moves[0].move) == "hide"
    assert not result.proven
    result = won.search(mcts_options(seed=1, solver="choose")).run(won, iterations=300)
    assert str(result.moves[0].move) == "near"
    assert result.proven


def test_a_thread_of_ugi_plays_a_python_game_that_repeats() -> None:
    register(Ways)
    with ThreadSession("ways", "alphabeta:depth=4") as session:
        assert session.ask("position startpos moves hide cornered", "go") == "hide"
