"""Bots that connect to us as players of the arena: whole games, and everything that a stranger's program may do."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from vampires_scripts import TIMEOUT_S, trap

from joute import new
from joute.agents.loading import find_source
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import check_players, make_player
from joute.arena.store.frozen import freeze
from joute.errors import SpecError
from joute.match import play_game
from joute.match.player import LocalPlayer, Player
from joute.match.record import LOST_TURN, GameRecord, Reason

JOUTE = shlex.join([sys.executable, "-m", "joute"])

# What bots have in common; `turn()` waits to be asked, and `first` is the one legal turn that all of them know.
BOT = """
import os, socket, sys, time
wire = socket.create_connection((sys.argv[-2], int(sys.argv[-1])))
def read(count):
    data = b""
    while len(data) < count:
        piece = wire.recv(count - len(data))
        if not piece:
            sys.exit(0)
        data += piece
    return data
def frame():
    word = read(3)
    sizes = {b"SET": 2, b"HME": 2, b"END": 0, b"BYE": 0}
    lists = {b"HUM": 2, b"MAP": 5, b"UPD": 5}
    if word in lists:
        return word, [tuple(read(lists[word])) for _ in range(read(1)[0])]
    return word, tuple(read(sizes[word]))
def turn():
    while True:
        word, told = frame()
        print(word, told, file=sys.stderr, flush=True)
        if word == b"BYE":
            sys.exit(0)
        if word == b"UPD":
            return told
def move(*orders):
    wire.sendall(b"MOV" + bytes([len(orders)]) + b"".join(map(bytes, orders)))
def name(text=b"bot"):
    wire.sendall(b"NME" + bytes([len(text)]) + text)
there, back = (4, 3, 4, 5, 3), (5, 3, 4, 4, 3)
"""


def bot(folder: Path, code: str) -> str:
    """A bot that plays the vampires of the trap, by its code after the common part."""
    file = folder / "bot.py"
    file.write_text(BOT + dedent(code))
    return f"tcp:{shlex.join([sys.executable, str(file)])}"


def seated(text: str, isolation: Isolation | None = None) -> Player:
    return make_player(find_source(text, "vampires"), "theirs", "vampires", isolation or Isolation())


def played(text: str, *, clock: str = "none", plies: int = 4, isolation: Isolation | None = None) -> GameRecord:
    start = new(f"vampires:plies={plies}", trap().position)
    return play_game(start, seated(text, isolation), LocalPlayer("random"), clock=clock, seed=1)


WALKER = """
    name()
    while True:
        for order in (there, back):
            turn()
            move(order)
"""


def test_a_bot_plays_a_whole_game_and_what_it_writes_is_kept(tmp_path: Path) -> None:
    record = played(bot(tmp_path, WALKER))
    assert record.reason is Reason.NORMAL
    assert [move.move for move in record.moves if move.player == 0] == ["4.3-5.3x4", "5.3-4.3x4"]
    told = record.output[0].splitlines()
    assert told[0] == "b'SET' (5, 10)"
    assert told[4] == "b'UPD' []"
    # Its own turn first, targets before sources, then the opponent's.
    assert told[5].startswith("b'UPD' [(5, 3, 0, 4, 0), (4, 3, 0, 0, 0), (")
    assert told[-2:] == ["b'END' ()", "b'BYE' ()"]


@pytest.mark.parametrize("first", [True, False])
def test_our_own_client_is_such_a_bot(first: bool) -> None:
    ours = seated(f"tcp:{JOUTE} connect --agent random --time 30")
    other = LocalPlayer("random")
    players = (ours, other) if first else (other, ours)
    record = play_game("vampires:map=hamlet,plies=20", *players, seed=3)
    assert record.reason is Reason.NORMAL
    assert list(record.states())[-1].result == record.result


def test_a_bot_plays_in_a_match_from_the_command_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "joute", "match", "vampires:plies=6", bot(tmp_path, LEARNER), "random"]
    done = subprocess.run([*command, "--games", "2"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "illegal" not in done.stdout
    assert "crash" not in done.stdout


LEARNER = """
    name()
    cells = {}
    home = None
    while True:
        word, told = frame()
        if word == b"BYE":
            break
        if word == b"HME":
            home = told
        if word in (b"MAP", b"UPD"):
            for x, y, *counts in told:
                cells[x, y] = counts
        if word == b"MAP":
            own = cells[home].index(max(cells[home]))
        if word == b"UPD":
            x, y = next(place for place, counts in cells.items() if counts[own])
            target = (x - 1, y) if x else (x + 1, y)
            move((x, y, cells[x, y][own], *target))
"""


@pytest.mark.parametrize(
    ("code", "reason", "sentence"),
    [
        ("name(); turn(); move((4, 3, 5, 5, 3))", Reason.ILLEGAL_MOVE, "theirs: "),
        ("name(); turn(); move((4, 3, 4, 9, 3))", Reason.ILLEGAL_MOVE, "theirs: "),
        ("name(); turn(); move()", Reason.ILLEGAL_MOVE, "theirs: "),
        ("name(); turn(); wire.sendall(b'ATK'); turn()", Reason.CRASH, "does not keep to the protocol at ply 0: 'ATK'"),
        ("wire.sendall(b'HELLO'); turn()", Reason.CRASH, "does not keep to the protocol before the game: 'HEL'"),
        ("name(); turn(); sys.exit(3)", Reason.CRASH, "theirs ended with exit status 3 at ply 0"),
        ("sys.exit('no luck')", Reason.CRASH, "theirs ended with exit status 1 before it was ready: no luck"),
        ("name(); turn(); wire.close(); time.sleep(60)", Reason.CRASH, "theirs closed the connection at ply 0"),
        ("name(); turn(); wire.sendall(b'MO'); os.abort()", Reason.CRASH, "SIGABRT at ply 0"),
    ],
)
def test_what_a_bot_must_not_do_costs_it_the_game(tmp_path: Path, code: str, reason: Reason, sentence: str) -> None:
    record = played(bot(tmp_path, code))
    assert (record.winner, record.reason) == (1, reason)
    assert sentence in record.detail


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("time.sleep(60)", "theirs did not send its name within 1 s"),
        ("wire.sendall(b'NME'); time.sleep(60)", "theirs did not send its name within 1 s"),
        ("name(); turn(); time.sleep(60)", "theirs had no move after "),
    ],
)
def test_a_bot_that_hangs_is_given_up(tmp_path: Path, code: str, sentence: str) -> None:
    record = played(bot(tmp_path, code), isolation=Isolation(start_s=1.0, stall_s=1.0))
    assert (record.winner, record.reason) == (1, Reason.STALLED)
    assert sentence in record.detail


def test_a_program_that_never_connects_is_given_up(tmp_path: Path) -> None:
    idle = tmp_path / "idle.py"
    idle.write_text("import time; time.sleep(60)")
    record = played(f"tcp:{shlex.join([sys.executable, str(idle)])}", isolation=Isolation(start_s=1.0))
    assert (record.winner, record.reason) == (1, Reason.STALLED)
    assert "theirs did not connect within 1 s" in record.detail


def test_a_program_that_talks_without_end_on_its_output_can_still_play(tmp_path: Path) -> None:
    noisy = WALKER.replace("turn()", "turn(); print('thinking' * 100_000)")
    assert played(bot(tmp_path, noisy)).reason is Reason.NORMAL


def test_a_late_answer_costs_the_turn_and_is_forgotten(tmp_path: Path) -> None:
    code = """
        name()
        turn()
        time.sleep(2.5)
        move(back)  # as if it had taken the turn before for played: illegal, had it counted
        for order in (there, back):
            turn()
            move(order)
        turn()
    """
    record = played(bot(tmp_path, code), clock="1.5/move", plies=6)
    assert record.reason is Reason.NORMAL
    assert [move.move for move in record.moves if move.player == 0] == [LOST_TURN, "4.3-5.3x4", "5.3-4.3x4"]


def test_who_never_answers_loses_turn_after_turn_and_not_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joute.games.vampires.tcp.player.LATE_S", 0.2)
    code = """
        name()
        while True:
            turn()
    """
    record = played(bot(tmp_path, code), clock="0.1/move", plies=4)
    assert record.reason is Reason.NORMAL
    assert [move.move for move in record.moves if move.player == 0] == [LOST_TURN] * 2


@pytest.mark.parametrize("command", ["match", "tournament"])
def test_commands_tell_of_the_turns_that_a_bot_lost(tmp_path: Path, command: str) -> None:
    silent = bot(tmp_path, "name()\nwhile True: turn()")
    words = [sys.executable, "-m", "joute", command, "vampires:plies=2", silent, "random", "--clock", "0.1/move"]
    words += ["--games", "2", *(["--db", str(tmp_path / "games.db")] if command == "tournament" else [])]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stderr
    assert f"\n{silent if command == 'match' else 'bot'} lost 2 of its 2 turns to time\n" in done.stdout


def test_a_bot_that_is_late_where_a_clock_runs_in_all_loses_the_game(tmp_path: Path) -> None:
    record = played(bot(tmp_path, "name(); turn(); turn()"), clock="0.5")
    assert (record.winner, record.reason) == (1, Reason.TIME)


def test_words_that_nobody_asked_for_are_forgotten(tmp_path: Path) -> None:
    eager = WALKER.replace("move(order)", "wire.sendall(2 * (b'MOV' + bytes((1, *order))) + b'rubbish')")
    assert played(bot(tmp_path, eager)).reason is Reason.NORMAL


def test_cut_and_glued_frames_are_understood(tmp_path: Path) -> None:
    code = """
        for byte in b"NME\\x03bot":
            wire.sendall(bytes([byte]))
            time.sleep(0.002)
        while True:
            for order in (there, back):
                turn()
                for byte in b"MOV\\x01" + bytes(order):
                    wire.sendall(bytes([byte]))
                    time.sleep(0.002)
    """
    assert played(bot(tmp_path, code)).reason is Reason.NORMAL


@pytest.mark.usefixtures("jail")
def test_a_bot_in_the_sandbox_reaches_us_and_nobody_else(tmp_path: Path) -> None:
    code = """
        import json
        reached = []
        for port in json.loads(sys.argv[1]):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                reached.append(port)
            except OSError:
                pass
        print("reached", reached, file=sys.stderr, flush=True)
    """
    import socket

    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        text = f"{bot(tmp_path, dedent(code) + dedent(WALKER))} [{port}]"
        record = played(text, isolation=Isolation(sandbox=True))
        outside = played(text)
    assert record.reason is Reason.NORMAL, record.detail
    assert record.isolation[0] == "sandbox"
    assert record.output[0].splitlines()[0] == "reached []"
    assert outside.output[0].splitlines()[0] == f"reached [{port}]"


def test_a_bot_is_named_and_kept_like_other_programs(tmp_path: Path) -> None:
    source = find_source(bot(tmp_path, WALKER), "vampires")
    assert (source.kind, source.language) == ("program", "tcp")
    entries, _ = freeze([source], ["theirs"])
    assert entries[0].source.text.startswith("tcp:")
    assert entries[0].source.files[0].name == "bot.py"


def test_a_bot_plays_no_other_game(tmp_path: Path) -> None:
    source = find_source(bot(tmp_path, WALKER))
    with pytest.raises(SpecError, match="programs that connect over TCP play vampires, not connect4"):
        check_players([source], "connect4", Isolation())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("tcp:", "tcp: needs the program that speaks TCP, as in tcp:./engine"), ("tcp:./none", "does not exist")],
)
def test_a_bot_that_is_not_there_gives_one_clear_error(text: str, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        find_source(text, "vampires")
