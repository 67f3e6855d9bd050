"""The server of Vampires vs Werewolves over real sockets: bytes, stages, strangers."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
import time
from concurrent.futures import Future
from typing import Any

import pytest
from typed import known
from vampires_servers import (
    GOODBYE,
    GREETINGS,
    PATIENCE_S,
    TRAP,
    TRAP_HOUSES,
    UPD_FIRST,
    UPD_SECOND,
    UPD_THIRD,
    Client,
    begun,
    hosted,
    play_in_thread,
    replays,
    stored,
)

from joute.arena.store.store import StoreError
from joute.errors import JouteError
from joute.games.vampires.tcp.host_settings import HostSettings
from joute.games.vampires.tcp.referee import MOST_UNASKED_BYTES, Stage
from joute.games.vampires.tcp.server import Server
from joute.games.vampires.tcp.wire import Bye, Cell, End, Hme, Hum, Map, Mov, Nme, Set, Upd
from joute.match import Reason


def test_the_published_transcript_is_spoken_byte_for_byte() -> None:
    with hosted(TRAP + ",plies=3", houses=TRAP_HOUSES) as server:
        with Client(server.port) as first, Client(server.port) as second:

            def hears(client: Client, text: str) -> None:
                expected = bytes.fromhex(text)
                assert client.read(len(expected)).hex(" ") == expected.hex(" ")

            first.say(bytes.fromhex("4e 4d 45 05") + b"first")
            hears(first, GREETINGS[0])
            second.say(bytes.fromhex("4e 4d 45 06") + b"second")
            hears(second, GREETINGS[1])
            hears(first, UPD_FIRST)
            first.say(bytes.fromhex("4d 4f 56 01 04 03 04 05 03"))
            hears(second, UPD_SECOND)
            second.say(bytes.fromhex("4d 4f 56 01 04 01 04 05 01"))
            hears(first, UPD_THIRD)
            first.say(bytes.fromhex("4d 4f 56 01 05 03 04 06 03"))
            assert first.rest() == second.rest() == GOODBYE
        record = server.only_record
    assert record.players == ("first", "second")
    assert [played.move for played in record.moves] == ["4.3-5.3x4", "4.1-5.1x4", "5.3-6.3x4"]
    assert (record.reason, record.result.decided_by) == (Reason.NORMAL, "equal units")
    assert replays(record)


def test_a_move_may_come_byte_by_byte_and_a_name_too() -> None:
    with hosted(TRAP + ",plies=1") as server, Client(server.port) as first, Client(server.port, "b") as second:
        for byte in Nme.called("slow").encode():
            first.say(bytes([byte]))
        first.until(Upd)
        for byte in Mov.giving([(4, 3, 1, 5, 3), (4, 3, 2, 3, 3)]).encode():
            first.say(bytes([byte]))
            time.sleep(0.001)  # so that segments are not joined again
        first.until(End)
        second.until(End)
        assert server.records[0].moves[0].move == "4.3-3.3x2+4.3-5.3x1"


def test_of_frames_glued_together_the_first_counts_and_the_rest_is_forgotten_before_the_next_turn() -> None:
    with hosted(TRAP + ",plies=4") as server, Client(server.port) as first, Client(server.port) as second:
        early = Mov.giving([(4, 3, 9, 9, 9)])
        first.say(Nme.called("a"), early)
        second.say(Nme.called("b"), b"XYZ")
        first.until(Upd)
        first.say(Mov.giving([(4, 3, 4, 5, 3)]), early, early)
        second.until(Upd)
        second.move((4, 1, 4, 5, 1))
        first.until(Upd)
        first.move((5, 3, 4, 4, 3))
        second.until(Upd)
        second.move((5, 1, 4, 4, 1))
        first.until(Bye)
        assert [played.move for played in server.records[0].moves] == [
            "4.3-5.3x4",
            "4.1-5.1x4",
            "5.3-4.3x4",
            "5.1-4.1x4",
        ]


@pytest.mark.parametrize(
    ("said", "reason", "words"),
    [
        (Mov().encode(), Reason.ILLEGAL_MOVE, "rule 1"),
        (Mov.giving([(4, 1, 1, 4, 2)]).encode(), Reason.ILLEGAL_MOVE, "rule 2"),
        (Mov.giving([(4, 3, 3, 5, 3), (4, 3, 3, 3, 3)]).encode(), Reason.ILLEGAL_MOVE, "rule 3"),
        (Mov.giving([(4, 3, 1, 4, 1)]).encode(), Reason.ILLEGAL_MOVE, "rule 4"),
        (Mov.giving([(4, 3, 1, 200, 200)]).encode(), Reason.ILLEGAL_MOVE, "rule 4"),
        (Mov.giving([(4, 3, 0, 5, 3)]).encode(), Reason.ILLEGAL_MOVE, "rule 6"),
        (b"ATK\x01\x02", Reason.CRASH, "ATK"),
        (b"\x00", Reason.CRASH, "x00"),
        (Nme.called("again").encode(), Reason.CRASH, "NME"),
        (b"MOVE it", None, ""),  # a MOV of 69 orders that never end
    ],
    ids=lambda value: value.hex() if isinstance(value, bytes) else "",
)
def test_an_answer_that_is_no_legal_order_loses_at_once(said: bytes, reason: Reason | None, words: str) -> None:
    with hosted(TRAP, settings=HostSettings(20, 20, 0, 0)) as server:
        first, second = begun(server.port)
        with first, second:
            first.say(said)
            if reason is None:
                first.socket.close()
                reason, words = Reason.CRASH, "closed the connection"
            else:
                assert first.rest() == GOODBYE
            assert second.rest() == GOODBYE
        record = server.only_record
    assert (record.winner, record.reason, record.at_fault) == (1, reason, (0,))
    assert words in record.detail
    assert record.detail.startswith("a")
    assert replays(record)


def reset(client: Client) -> None:
    """Break a connection off instead of closing it."""
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.socket.close()


def half_close(client: Client) -> None:
    """Say that nothing more will be said."""
    client.socket.shutdown(socket.SHUT_WR)


@pytest.mark.parametrize("leave", [lambda client: client.socket.close(), reset, half_close])
@pytest.mark.parametrize("stage", ["welcome", "own turn", "other's turn"])
@pytest.mark.parametrize("leaver", [0, 1])
def test_who_leaves_a_game_that_has_begun_loses_it(leave: Any, stage: str, leaver: int) -> None:
    settings = HostSettings(20, 20, 20 if stage == "welcome" else 0, 0)
    with hosted(TRAP, settings=settings) as server:
        first, second = Client(server.port, "a"), Client(server.port, "b")
        with first, second:
            first.until(Map)
            second.until(Map)
            if stage != "welcome":
                first.until(Upd)
            if (stage == "own turn") == (leaver == 1) and stage != "welcome":
                first.move((4, 3, 4, 5, 3))
                second.until(Upd)
            leave((first, second)[leaver])
            assert (first, second)[1 - leaver].rest().endswith(GOODBYE)
        record = server.only_record
    assert (record.winner, record.reason) == (1 - leaver, Reason.CRASH)
    assert "connection" in record.detail
    assert replays(record)


@pytest.mark.parametrize("said", [b"", b"N", b"GET / HTTP/1.1\r\n", b"NME\x05ab"])
def test_a_connection_that_leaves_before_its_name_is_no_player(said: bytes) -> None:
    with hosted(TRAP + ",plies=1") as server, Client(server.port, "patient") as first:
        first.until(Map)
        for _ in range(3):
            with Client(server.port) as stranger:
                stranger.say(said)
        with Client(server.port, "late") as second:
            first.until(Upd)
            first.move((4, 3, 4, 5, 3))
            assert second.rest().endswith(GOODBYE)
        server.wait()
        assert [record.players for record in server.records] == [("patient", "late")]
        sentences = [sentence for sentence in server.watch.sentences if not sentence.startswith("a connection waits")]
        assert len(sentences) == 3
        assert all(sentence.startswith("a connection without a name ") for sentence in sentences)


def test_who_never_says_its_name_is_sent_away_and_the_other_waits_on() -> None:
    with hosted(TRAP + ",plies=1", settings=HostSettings(20, 20, 0, 0, name_s=0.5)) as server:
        with Client(server.port, "patient") as first:
            first.until(Map)
            with Client(server.port) as silent:
                assert silent.rest() == GOODBYE
            with Client(server.port, "late"):
                first.until(Upd)
                first.move((4, 3, 4, 5, 3))
                first.until(Bye)
        server.wait()
        assert server.watch.sentences == ["a connection without a name sent no name for 0.5 s"]


def test_a_player_whom_nobody_joins_is_released_with_a_sentence() -> None:
    with hosted(TRAP, settings=HostSettings(20, 20, 0, 0, wait_s=0.05)) as server:
        with Client(server.port, "alone") as first:
            first.until(Map)
            assert first.rest() == GOODBYE
        assert server.watch.sentences == ["alone is dismissed: no opponent came for 0.05 s"]
        assert not server.records


def test_who_never_reads_loses_its_turns_and_blocks_nobody() -> None:
    with hosted(TRAP + ",plies=6", settings=HostSettings(0.05, 20, 0, 0), games=2) as server:
        with Client(server.port, "deaf"), Client(server.port, "a") as second, Client(server.port, "b") as third:
            second.until(End)
            with Client(server.port, "c") as fourth:
                fourth.until(End)
                third.until(End)
            server.wait()
        assert {record.players for record in server.records} == {("deaf", "a"), ("b", "c")}
        for record in server.records:
            assert [played.move for played in record.moves] == ["--"] * 6
            assert replays(record)


def test_who_lets_bytes_pile_up_unread_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joute.games.vampires.tcp.server._LINGER_S", 1.0)
    with hosted(TRAP) as server:
        first, second = begun(server.port)
        with first, second:
            # More than any game has to say, and than any system keeps for a program.
            table = server.server.tables[0]
            server.server.loop.call_soon_threadsafe(table.send, 0, b"\0" * 50_000_000)
            assert second.rest() == GOODBYE
            record = server.only_record
    assert (record.winner, record.reason) == (1, Reason.STALLED)
    assert "a does not read" in record.detail


def test_a_flood_out_of_turn_is_not_read_and_loses_at_the_flooders_turn() -> None:
    with hosted(TRAP) as server:
        first, second = begun(server.port)
        with first, second:
            second.socket.settimeout(0.2)
            sent = 0
            try:
                while sent < 200 * MOST_UNASKED_BYTES:
                    sent += second.socket.send(b"\0" * MOST_UNASKED_BYTES)
            except TimeoutError:
                pass
            assert sent < 200 * MOST_UNASKED_BYTES  # nobody reads it any more
            first.move((4, 3, 4, 5, 3))
            assert first.rest() == GOODBYE
        record = server.only_record
    assert (record.winner, record.reason) == (0, Reason.CRASH)
    assert "broke the protocol" in record.detail


def test_connections_are_paired_in_order_many_games_at_a_time_and_bots_come_again() -> None:
    with hosted("vampires:map=hamlet,plies=10", games=30) as server:
        threads = []
        for number in range(60):
            threads.append(play_in_thread(server.port, f"bot {number % 7}", number))
        for thread in threads:
            thread.join(PATIENCE_S)
        server.wait()
        assert len(server.records) == 30
        assert {record.reason for record in server.records} == {Reason.NORMAL}
        assert all(replays(record) for record in server.records)
        assert len({record.seed for record in server.records}) == 30


def test_who_finds_no_seat_waits_for_one_and_what_it_said_is_not_lost() -> None:
    with hosted(TRAP + ",plies=1") as server, Client(server.port) as silent, Client(server.port, "first") as first:
        first.until(Map)
        with Client(server.port, "third") as third, Client(server.port, "fourth") as fourth:
            while len(server.watch.sentences) < 2:
                time.sleep(0.001)
            silent.socket.close()
            third.until(Upd)
            third.move((4, 3, 4, 5, 3))
            assert first.rest() == GOODBYE
            assert fourth.rest() == GOODBYE  # there was one game to be played
        server.wait()
        assert [record.players for record in server.records] == [("third", "first")]
        assert server.watch.sentences[:2] == ["a connection waits: all games have their players"] * 2


def test_connections_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joute.games.vampires.tcp.server.MOST_CONNECTIONS", 2)
    with hosted(TRAP, games=5) as server:
        first, second = begun(server.port)
        with first, second, Client(server.port) as third:
            assert third.rest() == b""
            assert server.watch.sentences == ["a connection is refused: there are 2 already"]
            first.say(b"X")
            assert second.rest() == GOODBYE
        first, second = begun(server.port)
        with first, second:
            pass


def test_the_same_seed_and_moves_give_the_same_game() -> None:
    moves = [((4, 3, 4, 4, 2),), ((4, 1, 1, 4, 2),)]
    ends = []
    for seed in (5, 5, 6, 7, 8, 9, 10):
        with hosted(TRAP + ",plies=2", seed=seed) as server:
            first, second = begun(server.port)
            with first, second:
                first.move(*moves[0])
                second.until(Upd)
                second.move(*moves[1])
                first.until(Bye)
            server.wait()
            ends.append(server.records[0].moves[1].outcomes)
            assert replays(server.records[0])
    assert ends[0] == ends[1]
    assert len(set(ends)) > 1


def test_twilight_servers_greet_before_they_are_greeted_and_never_say_end() -> None:
    game = TRAP.replace("vampires:", "vampires:rules=twilight-langorou,") + ",plies=4"
    with hosted(game, houses=TRAP_HOUSES) as server, Client(server.port) as first:
        assert [type(first.frame()) for _ in range(5)] == [Set, Hum, Hme, Map, Upd]  # and no name was said yet
        first.say(Nme.called("wolf"), Mov.giving([(4, 1, 4, 5, 1), (9, 9, 1, 9, 8), (4, 1, 1, 4, 0)]))
        while not server.server.tables[0].game.moves:
            time.sleep(0.001)
        with Client(server.port, "bat") as second:
            cells = second.until(Map)
            assert Cell(5, 1, werewolves=4) in cells.cells  # the opening move is on the map already
            assert [known(cell.held)[0] for cell in cells.cells] == list("hhhhvw")
            assert second.frame() == Upd()
            second.move((4, 3, 4, 5, 3))
            assert first.until(Upd).cells == (
                Cell.holding(5, 1, "w", 4),
                Cell.holding(4, 1),
                Cell.holding(5, 3, "v", 4),
                Cell.holding(4, 3),
            )
            first.say(Mov())
            second.until(Upd)
            second.move((0, 0, 1, 0, 0))
            assert first.rest() == second.rest() == Bye().encode()
        record = server.only_record
    assert record.players == ("wolf", "bat")
    assert [played.move for played in record.moves] == ["4.1-5.1x4", "4.3-5.3x4", "pass", "pass"]
    assert record.reason is Reason.NORMAL
    assert replays(record)


def test_no_player_hears_of_an_end_that_is_not_kept() -> None:
    pending: list[Future[int]] = []

    def store(*_: object) -> Future[int]:
        pending.append(Future())
        return pending[-1]

    with hosted(TRAP + ",plies=1", store=store) as server:
        first, second = begun(server.port)
        with first, second:
            first.move((4, 3, 4, 5, 3))
            second.socket.settimeout(0.2)
            with pytest.raises(TimeoutError):
                second.socket.recv(1)
            assert not server.records
            pending[0].set_result(0)
            second.socket.settimeout(PATIENCE_S)
            assert second.rest() == GOODBYE
        server.wait()
        assert len(server.records) == 1


def test_a_game_that_all_have_left_before_it_is_kept_makes_no_room_for_another() -> None:
    pending: Future[int] = Future()
    with hosted(TRAP + ",plies=1", store=lambda *_: pending) as server:
        first, second = begun(server.port)
        table = server.server.tables[0]
        with Client(server.port, "third") as third:
            with first, second:
                while not server.watch.sentences:
                    time.sleep(0.001)
                first.move((4, 3, 4, 5, 3))
            while table.game.stage is not Stage.CLOSED:
                time.sleep(0.001)
            server.server.loop.call_soon_threadsafe(pending.set_result, 0)
            assert third.rest() == GOODBYE
        server.wait()
        assert [record.players for record in server.records] == [("a", "b")]


def test_what_has_come_by_the_time_of_an_update_is_forgotten_before_it() -> None:
    with hosted(TRAP + ",plies=4") as server:
        first, second = begun(server.port)
        with first, second:
            first.move((4, 3, 4, 5, 3))
            second.until(Upd)
            table = server.server.tables[0]

            def both_speak() -> None:
                """In one step of the loop, so that nothing is read between what they say."""
                first.say(b"too late")
                table.game.receive(1, Mov.giving([(4, 1, 4, 5, 1)]).encode(), server.server.now())
                table.look()

            server.server.loop.call_soon_threadsafe(both_speak)
            first.until(Upd)
            first.move((5, 3, 4, 6, 3))
            second.until(Upd)


def test_a_server_that_cannot_keep_a_game_ends_with_the_reason() -> None:
    def store(*_: object) -> Future[int]:
        failed: Future[int] = Future()
        failed.set_exception(StoreError("the disk is full"))
        return failed

    def play() -> None:
        with hosted(TRAP + ",plies=1", store=store) as server:
            first, second = begun(server.port)
            with first, second:
                first.move((4, 3, 4, 5, 3))
                assert End().encode() not in second.rest()
            server.wait()

    with pytest.raises(StoreError, match="the disk is full"):
        play()


def test_a_port_that_is_taken_is_named() -> None:
    with hosted(TRAP) as server:
        again = Server(server.server.hosting, store=stored, watcher=server.watch)
        with pytest.raises(JouteError) as raised:
            asyncio.run(again.run("127.0.0.1", server.port))
    assert str(raised.value) == (
        f"port {server.port} of 127.0.0.1 is in use: name another with --port, or take any that is free with --port 0"
    )


@pytest.mark.parametrize("rules", ["official", "twilight-succo"])
def test_a_server_that_ends_says_goodbye_to_everybody_and_counts_the_games_it_cuts_off(rules: str) -> None:
    farewell = Bye().encode() if "twilight" in rules else GOODBYE
    with hosted(TRAP.replace("vampires:", f"vampires:rules={rules},"), games=2) as server:
        clients = [Client(server.port, name) for name in "abc"]
        for client in clients:
            client.until(Map)
        while server.watch.begun < 1:
            time.sleep(0.001)
        server.stop()
        for client in clients:
            assert client.rest().endswith(farewell)
            client.socket.close()
        assert (server.server.cut_off, server.server.finished) == (1, 0)
    assert not server.records


class Slow:
    """Keeps a game when it is told to."""

    def __init__(self) -> None:
        self.pending: Future[int] = Future()
        self.asked = threading.Event()

    def __call__(self, *_: object) -> Future[int]:
        self.asked.set()
        return self.pending


def test_a_game_that_is_being_kept_when_the_server_ends_is_told_to_its_players() -> None:
    store = Slow()
    with hosted(TRAP + ",plies=1", store=store) as server:
        first, second = begun(server.port)
        with first, second:
            first.move((4, 3, 4, 5, 3))
            assert store.asked.wait(PATIENCE_S)
            server.server.loop.call_soon_threadsafe(server.server.stop)
            store.pending.set_result(0)
            assert second.rest() == GOODBYE
        server.wait()
        assert len(server.records) == 1
        assert server.server.cut_off == 0


def test_a_game_that_cannot_be_kept_while_the_server_ends_is_not_passed_over() -> None:
    store = Slow()

    def play() -> None:
        with hosted(TRAP + ",plies=1", store=store) as server:
            first, second = begun(server.port)
            with first, second:
                first.move((4, 3, 4, 5, 3))
                assert store.asked.wait(PATIENCE_S)
                server.server.loop.call_soon_threadsafe(server.server.stop)
                store.pending.set_exception(StoreError("the disk is full"))
                assert second.rest() == b""
            server.wait()

    with pytest.raises(StoreError, match="the disk is full"):
        play()
