"""A hosted game without sockets: what it says when, told the time by the test."""

from __future__ import annotations

import math
from typing import Any

import pytest
from vampires_servers import TRAP, TRAP_HOUSES, replays

from joute.games import new
from joute.games.vampires.records import Order
from joute.games.vampires.tcp.host_settings import HostSettings
from joute.games.vampires.tcp.referee import HostedGame, Stage
from joute.games.vampires.tcp.wire import Bye, Cell, End, Hme, Hum, Map, Mov, Nme, Set, Upd
from joute.match import Reason

TWILIGHT = TRAP.replace("vampires:", "vampires:rules=twilight-langorou,")

RIGHT, LEFT = Mov.giving([(4, 3, 4, 5, 3)]), Mov.giving([(5, 3, 4, 4, 3)])
WOLVES_RIGHT, WOLVES_LEFT = Mov.giving([(4, 1, 4, 5, 1)]), Mov.giving([(5, 1, 4, 4, 1)])


class Talk:
    """A game, its wires, and a clock that the test turns."""

    def __init__(self, game: str = TRAP, position: str | None = None, **settings: Any) -> None:
        self.written: list[tuple[int, bytes]] = []
        self.closed: list[int] = []
        self.hushed: set[int] = set()
        self.told: list[str] = []
        self.now = 100.0
        start: Any = new(game, position)
        self.game = HostedGame(
            start, self, settings=HostSettings(**settings), houses=TRAP_HOUSES, tell=self.told.append, seed=3
        )

    def send(self, seat: int, data: bytes) -> None:
        self.written.append((seat, data))

    def hush(self, seat: int, *, on: bool) -> None:
        (self.hushed.add if on else self.hushed.discard)(seat)

    def close(self, seat: int) -> None:
        self.closed.append(seat)

    def heard(self) -> list[tuple[int, bytes]]:
        """What was written since the last time."""
        written, self.written = self.written, []
        return written

    def sit(self, seat: int, name: str | None = None) -> None:
        self.game.sit(seat, self.now)
        if name is not None:
            self.say(seat, Nme.called(name))

    def say(self, seat: int, *frames: Any) -> None:
        data = b"".join(frame if isinstance(frame, bytes) else frame.encode() for frame in frames)
        self.game.receive(seat, data, self.now)

    def wait(self, seconds: float = 0.0) -> None:
        """Let time pass, with the game woken whenever it wants to be."""
        end = self.now + seconds
        while self.game.deadline <= end:
            self.now = max(self.now, self.game.deadline)
            self.game.wake(self.now)
        self.now = end

    def begin(self) -> None:
        """Up to the first turn."""
        self.sit(0, "a")
        self.sit(1, "b")
        self.wait(self.game.settings.welcome_s)
        self.heard()


def test_a_game_is_told_in_the_official_order_with_the_official_pauses() -> None:
    talk = Talk(TRAP + ",plies=2")
    about = Set(5, 10).encode() + Hum(TRAP_HOUSES).encode()
    cells = [(9, 0, "h", 2), (4, 1, "w", 4), (2, 2, "h", 4), (9, 2, "h", 1), (4, 3, "v", 4), (9, 4, "h", 2)]
    whole = Map(tuple(Cell.holding(*cell) for cell in cells)).encode()
    talk.sit(0)
    assert talk.heard() == []
    talk.say(0, Nme.called("a"))
    assert talk.heard() == [(0, about + Hme(4, 3).encode()), (0, whole)]  # two writes
    talk.sit(1, "b")
    assert talk.heard() == [(1, about + Hme(4, 1).encode()), (1, whole)]
    talk.wait(4.9)
    assert talk.heard() == []
    talk.wait(0.1)
    assert talk.heard() == [(0, Upd().encode())]
    talk.say(0, RIGHT)
    talk.wait()
    assert talk.heard() == [(1, Upd((Cell(5, 3, vampires=4), Cell(4, 3))).encode())]
    talk.say(1, WOLVES_RIGHT)
    talk.wait(3.9)
    assert talk.game.record is not None  # it is over, and nobody knows yet
    assert talk.heard() == []
    talk.wait(0.1)
    assert talk.heard() == [(0, b"ENDBYE"), (1, b"ENDBYE")]
    assert talk.closed == [0, 1]
    assert talk.game.stage is Stage.CLOSED
    assert talk.game.deadline == math.inf
    assert replays(talk.game.record)


def test_who_is_late_loses_the_turn_and_the_older_cells_are_told_again() -> None:
    talk = Talk()
    talk.begin()
    talk.say(0, RIGHT)
    talk.wait()
    assert talk.heard() == [(1, Upd((Cell(5, 3, vampires=4), Cell(4, 3))).encode())]
    talk.wait(1.999)
    assert talk.heard() == []
    talk.wait(0.001)
    assert talk.heard() == [(0, Upd((Cell(5, 3, vampires=4), Cell(4, 3))).encode())]
    talk.say(0, LEFT)
    talk.wait()
    assert talk.heard() == [(1, Upd((Cell(4, 3, vampires=4), Cell(5, 3))).encode())]
    talk.say(1, WOLVES_RIGHT)
    talk.wait(2.0)
    _, (_, again) = talk.heard()
    assert again == Upd((Cell(5, 1, werewolves=4), Cell(4, 1), Cell(4, 3, vampires=4), Cell(5, 3))).encode()
    assert [move.move for move in talk.game.moves] == ["4.3-5.3x4", "--", "5.3-4.3x4", "4.1-5.1x4", "--"]
    assert talk.game.moves[1].time_s == pytest.approx(2)


def test_a_late_move_is_forgotten_before_the_next_turn() -> None:
    talk = Talk()
    talk.begin()
    talk.wait(2.0)
    talk.say(0, RIGHT)  # late, while the other one thinks
    talk.say(1, WOLVES_RIGHT)
    talk.wait()
    assert talk.game.state.to_move == 0
    talk.say(0, Mov.giving([(4, 3, 4, 4, 4)]))
    assert [move.move for move in talk.game.moves] == ["--", "4.1-5.1x4", "4.3-4.4x4"]


def test_a_late_move_that_arrives_after_the_next_update_answers_that_one() -> None:
    # The one-turn shift of the official server: nothing in a frame says which UPD it answers.
    talk = Talk()
    talk.begin()
    talk.wait(2.0)
    talk.say(1, WOLVES_RIGHT)
    talk.wait()
    talk.say(0, RIGHT)
    assert [move.move for move in talk.game.moves] == ["--", "4.1-5.1x4", "4.3-5.3x4"]


def test_half_a_late_move_breaks_the_answer_to_the_next_update() -> None:
    talk = Talk()
    talk.begin()
    late = RIGHT.encode()
    talk.say(0, late[:5])
    talk.wait(2.0)
    talk.say(1, WOLVES_RIGHT)
    talk.wait()
    talk.say(0, late[5:])
    assert talk.game.record is not None
    assert (talk.game.record.winner, talk.game.record.reason) == (1, Reason.CRASH)


def test_the_games_clock_is_looked_at_after_the_second_players_turn_only() -> None:
    talk = Talk(game_s=10)
    talk.begin()
    talk.wait(11.9)  # five turns of 2 s are lost: time is up, but the second player has a turn less
    assert talk.game.record is None
    assert len(talk.game.moves) == 5
    talk.wait(0.1)
    record = talk.game.record
    assert record is not None
    assert len(record.moves) == 6
    assert (record.reason, record.result.decided_by, record.winner) == (Reason.ADJUDICATED, "equal units", None)
    assert record.detail == "the game's 10 s were used up after ply 6"
    assert record.at_fault == ()
    assert replays(record)


def test_at_the_end_of_the_clock_the_player_with_more_units_wins() -> None:
    talk = Talk("vampires:map=1x4/2v0.0+2w3.0+1h1.0", game_s=3)
    talk.begin()
    talk.say(0, Mov.giving([(0, 0, 2, 1, 0)]))
    talk.wait(10)
    record = talk.game.record
    assert record is not None
    assert (record.winner, record.result.decided_by, record.result.margin) == (0, "more units", 1)
    assert replays(record)


def test_a_clock_of_zero_is_none() -> None:
    talk = Talk(TRAP + ",plies=300", game_s=0)
    talk.begin()
    talk.wait(600)
    assert talk.game.record is not None
    assert len(talk.game.record.moves) == 300


def test_the_ply_limit_counts_lost_turns_and_ties_have_no_winner() -> None:
    talk = Talk()
    talk.begin()
    for _ in range(50):
        for mover, move in ((0, RIGHT), (1, WOLVES_RIGHT), (0, LEFT)):
            talk.say(mover, move)
            talk.wait()
        talk.wait(2.0)
        if talk.game.record:
            break
        talk.say(0, RIGHT)
        talk.wait()
        talk.say(1, WOLVES_LEFT)
        talk.wait()
        talk.say(0, LEFT)
        talk.wait()
        talk.wait(2.0)
    record = talk.game.record
    assert record is not None
    assert len(record.moves) == 200
    assert (record.winner, record.reason, record.result.decided_by) == (None, Reason.NORMAL, "equal units")
    assert sum(move.move == "--" for move in record.moves) == 50
    assert replays(record)


def test_extinction_ends_the_game_at_once() -> None:
    talk = Talk("vampires:map=1x3/3v0.0+2w1.0")
    talk.begin()
    talk.say(0, Mov.giving([(0, 0, 3, 1, 0)]))
    record = talk.game.record
    assert record is not None
    assert (record.winner, record.result.decided_by) == (0, "extinction")
    talk.wait(4)
    assert [data for _, data in talk.heard()] == [b"ENDBYE", b"ENDBYE"]


def test_battles_fall_as_the_seed_says_and_the_record_keeps_them() -> None:
    outcomes = set()
    for _ in range(3):
        talk = Talk("vampires:map=1x3/3v0.0+3w1.0")
        talk.begin()
        talk.say(0, Mov.giving([(0, 0, 3, 1, 0)]))
        outcomes.add(talk.game.moves[0].outcomes)
    assert len(outcomes) == 1
    assert len(next(iter(outcomes))) == 1


def test_orders_are_told_target_then_source_each_cell_once() -> None:
    talk = Talk()
    talk.begin()
    talk.say(0, Mov.giving([(4, 3, 1, 5, 4), (4, 3, 1, 3, 3), (4, 3, 1, 5, 4)]))
    talk.wait()
    cells = (Cell(3, 3, vampires=1), Cell(4, 3, vampires=1), Cell(5, 4, vampires=2))
    assert talk.heard() == [(1, Upd(cells).encode())]


def test_of_more_cells_than_a_byte_counts_the_newest_are_told() -> None:
    columns = range(65)
    groups = [f"1v{x}.0" for x in columns] + [f"1w{x}.6" for x in columns]
    talk = Talk("vampires", f"8x65/{'+'.join(groups)}")
    talk.begin()
    talk.say(0, Mov.giving([(x, 0, 1, x, 1) for x in columns]))
    talk.wait()
    talk.say(1, Mov.giving([(x, 6, 1, x, 7) for x in columns]))
    talk.wait()
    (_, second), (_, third) = talk.heard()
    touched = [Cell.holding(x, *cell) for x in columns for cell in ((1, "v", 1), (0,))]
    assert second == Upd(tuple(touched)).encode()
    touched += [Cell.holding(x, *cell) for x in columns for cell in ((7, "w", 1), (6,))]
    assert len(touched) == 260
    assert third == Upd(tuple(touched[5:])).encode()


@pytest.mark.parametrize("seat", [0, 1])
def test_who_stops_reading_loses(seat: int) -> None:
    talk = Talk()
    talk.begin()
    talk.game.stall(seat, 70_000, talk.now)
    record = talk.game.record
    assert record is not None
    assert (record.winner, record.reason) == (1 - seat, Reason.STALLED)
    assert record.detail == f"{'ab'[seat]} does not read: 70,000 bytes wait for it"


def test_what_comes_after_the_end_changes_nothing() -> None:
    talk = Talk()
    talk.begin()
    talk.say(0, b"X")
    record = talk.game.record
    talk.say(0, b"X")
    talk.say(1, RIGHT)
    talk.game.leave(0, talk.now)
    talk.game.stall(1, 1, talk.now)
    assert talk.game.record is record
    talk.wait(4)
    assert talk.heard() == [(1, b"ENDBYE")]
    assert talk.closed == [1]


def test_a_game_whose_players_have_both_left_is_closed_without_a_pause() -> None:
    talk = Talk()
    talk.begin()
    talk.game.leave(0, talk.now)
    talk.game.leave(1, talk.now)
    assert talk.game.stage is Stage.CLOSED
    assert talk.game.record is not None
    assert talk.game.record.winner == 1


def test_names_of_strangers_are_plain_text_and_two_of_a_kind_differ() -> None:
    talk = Talk()
    talk.sit(0)
    talk.say(0, Nme(b"\x1b[31m\nevil\xff"))
    talk.sit(1)
    talk.say(1, Nme(b"\x1b[31m\nevil\xff"))
    talk.game.leave(1, talk.now)
    record = talk.game.record
    assert record is not None
    assert record.players == ("\\x1b[31m\\x0aevil\\xff", "\\x1b[31m\\x0aevil\\xff #2")
    assert replays(record)


def test_a_seat_that_becomes_free_is_for_the_next_one() -> None:
    talk = Talk()
    talk.sit(0, "a")
    talk.sit(1, "b"[:0])
    assert talk.game.has_begun  # an empty name is a name
    talk = Talk()
    talk.sit(0)
    talk.sit(1, "b")
    talk.game.leave(0, talk.now)
    assert talk.game.free_seat == 0
    talk.sit(0, "c")
    assert talk.game.names == ("c", "b")
    assert talk.game.stage is Stage.WELCOME


def test_twilight_asks_both_at_once_and_takes_the_seconds_early_answer_second() -> None:
    talk = Talk(TWILIGHT)
    talk.sit(0, "wolf")
    assert [data[:3] for _, data in talk.heard()] == [b"SET", b"MAP", b"UPD"]
    talk.sit(1, "bat")
    assert [data[:3] for _, data in talk.heard()] == [b"SET", b"MAP", b"UPD"]
    talk.say(1, RIGHT)
    assert not talk.game.moves
    talk.say(0, WOLVES_RIGHT)
    assert [move.move for move in talk.game.moves] == ["4.1-5.1x4", "4.3-5.3x4"]
    talk.wait()
    assert [(seat, data[:4]) for seat, data in talk.heard()] == [(0, b"UPD\4")]


def test_twilight_gives_ten_seconds_for_the_first_turn_and_then_the_turns_time() -> None:
    talk = Talk(TWILIGHT)
    talk.sit(0, "wolf")
    talk.wait(9.9)
    assert not talk.game.moves
    talk.wait(0.2)
    assert [move.move for move in talk.game.moves] == ["--"]
    talk.wait(100)  # nobody else is there yet
    assert len(talk.game.moves) == 1
    talk.sit(1, "bat")
    talk.wait(9.9)
    assert len(talk.game.moves) == 1
    talk.wait(0.2)
    assert len(talk.game.moves) == 2
    talk.wait(4.0)
    assert len(talk.game.moves) == 4


def test_twilight_plays_the_longest_legal_beginning_of_an_order() -> None:
    orders = [Order(4, 1, 1, 5, 1), Order(4, 1, 1, 3, 1), Order(4, 1, 9, 4, 0), Order(4, 1, 1, 4, 2)]
    talk = Talk(TWILIGHT)
    talk.sit(0, "wolf")
    talk.sit(1, "bat")
    talk.say(0, Mov(tuple(orders)))
    assert talk.game.moves[0].move == "4.1-3.1x1+4.1-5.1x1"
    talk.say(1, Mov((Order(9, 9, 9, 9, 9), Order(4, 3, 4, 5, 3))))
    assert talk.game.moves[1].move == "pass"


def test_a_twilight_game_that_cannot_begin_again_is_dissolved() -> None:
    talk = Talk(TWILIGHT)
    talk.sit(0, "wolf")
    talk.say(0, WOLVES_RIGHT)
    talk.sit(1)
    talk.heard()
    talk.game.leave(0, talk.now)
    assert talk.game.stage is Stage.CLOSED
    assert talk.game.record is None
    assert talk.heard() == [(1, Bye().encode())]


def test_who_opened_a_twilight_game_may_lose_opponents_who_have_no_name_and_may_be_released() -> None:
    talk = Talk(TWILIGHT, wait_s=60)
    talk.sit(0, "wolf")
    talk.say(0, WOLVES_RIGHT)
    talk.sit(1)
    talk.game.leave(1, talk.now)
    assert talk.game.free_seat == 1
    talk.sit(1)
    talk.wait(59)  # that one had no name either
    assert talk.game.free_seat == 1
    assert talk.closed == [1]
    talk.heard()
    talk.wait(1)
    assert talk.heard() == [(0, Bye().encode())]
    assert talk.told[-1] == "wolf is dismissed: no opponent came for 60 s"
    assert talk.game.stage is Stage.CLOSED
    assert talk.game.record is None


def test_twilight_ends_after_its_plies_without_a_word_but_bye() -> None:
    talk = Talk(TWILIGHT)
    talk.sit(0, "wolf")
    talk.sit(1, "bat")
    talk.wait(1000)
    record = talk.game.record
    assert record is not None
    assert (len(record.moves), record.reason, record.winner) == (102, Reason.NORMAL, None)
    assert not any(End().encode() in data for _, data in talk.heard())
    assert replays(record)
