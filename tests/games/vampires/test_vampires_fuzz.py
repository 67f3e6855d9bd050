"""Whatever a client sends, the server goes on, every game ends, and who behaved does not lose by it."""

from __future__ import annotations

import contextlib
import math
import random
import socket
import struct
import threading
import time

import pytest
from test_vampires_referee import TWILIGHT, Talk
from vampires_servers import PATIENCE_S, TRAP, Client, Player, hosted, play_in_thread, replays

from joute.games.vampires.tcp.host_settings import HostSettings
from joute.games.vampires.tcp.referee import Stage
from joute.games.vampires.tcp.wire import Bye, End, Frame, Mov, Nme
from joute.match import Reason
from joute.match.record import FORFEITS, LOST_TURN

OFFICIAL = TRAP + ",plies=10"
DREAMY = TWILIGHT + ",plies=10"
#: A turn that a client does not end is over soon, so that many are tried.
IMPATIENT = HostSettings(time_s=0.3, game_s=1, welcome_s=0, farewell_s=0, first_turn_s=0.3, name_s=0.3, wait_s=2)


def noise(rng: random.Random) -> bytes:
    """Bytes that are almost right, or not at all."""
    count = rng.choice([0, 1, 2, 3, 7, 255])

    def draw() -> int:
        return rng.choice([0, 1, 3, 4, 5, 9, 255])

    orders = [(draw(), draw(), draw(), draw(), draw()) for _ in range(count)]
    whole = Mov.giving(orders).encode()
    kind = rng.randrange(8)
    if kind == 0:
        return rng.randbytes(rng.choice([1, 2, 4, 100, 5000]))
    if kind == 1:
        return whole
    if kind == 2:
        return whole[: rng.randrange(len(whole) + 1)]
    if kind == 3:
        at = rng.randrange(len(whole))
        return whole[:at] + rng.randbytes(1) + whole[at + 1 :]
    if kind == 4:
        return whole * rng.randrange(1, 50)
    if kind == 5:
        return rng.choice([b"UPD\0", b"BYE", b"mov\0", b"MOV", b"NM", b"\0", b"END" * 9])
    if kind == 6:
        return Nme(rng.randbytes(rng.randrange(256))).encode()
    return Mov.giving([rng.choice([(4, 3, 4, 5, 3), (4, 1, 4, 5, 1), (4, 3, 1, 4, 2), (4, 1, 1, 4, 2)])]).encode()


def misbehave(port: int, rng: random.Random) -> None:
    """A client that does anything at all."""
    with contextlib.suppress(OSError), Client(port) as client:
        client.socket.settimeout(2)
        if rng.random() < 0.9:
            client.say(Nme(b"fuzz" + rng.randbytes(rng.randrange(4))))
        for _ in range(rng.randrange(12)):
            if rng.random() < 0.7:
                client.say(noise(rng))
            if rng.random() < 0.6:
                client.frame()
        end = rng.random()
        if end < 0.2:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif end < 0.4:
            client.socket.shutdown(socket.SHUT_WR)
        if end < 0.6:
            return
        while client.frame() is not None:
            pass


def honest_pairs(port: int, rng: random.Random, end: float, heard: list[list[type[Frame]]]) -> None:
    """Honest players, each with strangers who misbehave until its game is over."""
    while time.monotonic() < end:
        with Client(port, "honest") as client:
            thread = threading.Thread(target=lambda: heard.append(Player(client, rng.randrange(99)).play()))
            thread.start()
            give_up = time.monotonic() + PATIENCE_S
            while thread.is_alive() and time.monotonic() < give_up:
                misbehave(port, rng)
            if thread.is_alive():
                heard.append([])
                return


def fuzz_sockets(game: str, seconds: float, seed: int) -> None:
    """Let honest players and strangers meet at one server, several at a time, then see what came of it."""
    heard: list[list[type[Frame]]] = []
    end = time.monotonic() + seconds
    with hosted(game, settings=IMPATIENT, games=0) as server:
        workers = [
            threading.Thread(target=honest_pairs, args=(server.port, random.Random(f"{seed} {number}"), end, heard))
            for number in range(6)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(seconds + 2 * PATIENCE_S)
        assert not any(worker.is_alive() for worker in workers)
        count = len(server.records)
        assert count > 5
        for thread in [play_in_thread(server.port, f"honest {side}") for side in "ab"]:
            thread.join(PATIENCE_S)
        assert len(server.records) > count  # it still plays
    assert heard
    for frames in heard:
        assert frames[-1:] == [Bye]  # no honest player is left alone or cut off
        assert (End in frames) == (game == OFFICIAL)
    for record in server.records:
        assert replays(record)
        if record.reason not in FORFEITS:
            assert record.reason in (Reason.NORMAL, Reason.ADJUDICATED)
            continue
        (loser,) = record.at_fault
        # Who lost a turn on a busy machine may have answered the wrong UPD since.
        was_late = any(move.move == LOST_TURN and move.player == loser for move in record.moves)
        assert was_late or not record.players[loser].startswith("honest"), record


def fuzz_game(game: str, rng: random.Random) -> None:
    """One game without sockets to which anything happens, in any order; it ends when time passes."""
    talk = Talk(game, time_s=2, game_s=30, name_s=10, wait_s=20)
    for _ in range(rng.randrange(80)):
        seat = rng.randrange(2)
        event = rng.random()
        if event < 0.15 and talk.game.free_seat is not None:
            talk.sit(talk.game.free_seat, rng.choice([None, "x", "y"]))
        elif event < 0.75:
            talk.say(seat, noise(rng))
        elif event < 0.77:
            talk.game.leave(seat, talk.now)
        elif event < 0.79:
            talk.game.stall(seat, 1, talk.now)
        else:
            talk.wait(rng.choice([0, 0, 0.1, 1.9, 2.1, 6]))
    begun = talk.game.has_begun
    talk.wait(2000)
    assert talk.game.deadline == math.inf
    assert talk.game.is_empty
    assert talk.game.stage is (Stage.CLOSED if begun else talk.game.stage)
    if talk.game.record:
        assert replays(talk.game.record)
        assert talk.game.stage is Stage.CLOSED


def fuzz_games(seconds: float, seed: int) -> int:
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        fuzz_game((OFFICIAL, DREAMY)[number % 2], random.Random(f"{seed} {number}"))
        number += 1
    return number


def test_no_order_of_events_breaks_a_game() -> None:
    assert fuzz_games(1.0, seed=1) > 20


@pytest.mark.parametrize("style", [OFFICIAL, DREAMY], ids=["official", "twilight"])
def test_no_bytes_break_the_server(style: str) -> None:
    fuzz_sockets(style, 0.7, seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("style", [OFFICIAL, DREAMY], ids=["official", "twilight"])
def test_no_bytes_break_the_server_for_long(style: str) -> None:
    fuzz_sockets(style, 25.0, seed=3)


@pytest.mark.slow
def test_no_order_of_events_breaks_a_game_for_long() -> None:
    assert fuzz_games(10.0, seed=4) > 200
