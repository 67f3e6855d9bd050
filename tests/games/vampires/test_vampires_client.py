"""The client of Vampires vs Werewolves: both roles, both kinds of servers, agents that are late, servers that lie."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from vampires_scripts import TIMEOUT_S, ScriptedServer, Visit, changes, free_port, trap

from joute import Clock, Random, State, new
from joute.agents import SearchInfo
from joute.agents.loading import load_agent
from joute.errors import JouteError, SpecError
from joute.games.vampires.state import Vampires
from joute.games.vampires.tcp import client as vampires_client
from joute.games.vampires.tcp.board import Board
from joute.games.vampires.tcp.client import Client, ServerError
from joute.games.vampires.tcp.frames import greeting, touched, turn_of, update
from joute.games.vampires.tcp.timing import Timing
from joute.games.vampires.tcp.wire import Bye, Cell, End, Frame, Hme, Map, Mov, Nme, Set, Upd, WireError
from joute.match.game import settle

# Little time to think, and much to stop: what a test waits for where an agent is late.
QUICK = Timing(limit_s=1.5, stop_s=1.0)
# The least there is, for answers that are not to come at all.
BRIEF = Timing(limit_s=0.5)
# More than any answer takes, so that no stand-in plays by accident on a busy machine.
PATIENT = Timing(limit_s=TIMEOUT_S)


class First:
    """Plays the last candidate, which the stand-in never does."""

    def choose(self, state: State, clock: Clock) -> Any:
        return state.legal_moves[-1]


class Sleeper:
    """Does not answer, and cannot be stopped."""

    def choose(self, state: State, clock: Clock) -> Any:
        time.sleep(2.0)
        return state.legal_moves[-1]


class Thoughtful:
    """Thinks until it is stopped, then answers with the last candidate."""

    def __init__(self) -> None:
        self.stopped = threading.Event()

    def choose(self, state: State, clock: Clock) -> Any:
        self.stopped.clear()
        assert self.stopped.wait(TIMEOUT_S)
        return state.legal_moves[-1]

    def stop(self) -> None:
        self.stopped.set()


class Talkative:
    """Says what it thinks of, and never comes to an end."""

    on_info: Callable[[SearchInfo], None] | None = None

    def choose(self, state: State, clock: Clock) -> Any:
        assert self.on_info is not None
        self.on_info(SearchInfo(pv=(state.legal_moves[-1],)))
        time.sleep(2.0)


class Failing:
    def choose(self, state: State, clock: Clock) -> Any:
        raise RuntimeError("no idea")


class Illegal:
    def choose(self, state: State, clock: Clock) -> Any:
        return "0.0-1.1x9"


class ClientRun:
    """What a client said and how many games it played."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.warned: list[str] = []
        self.games = 0


def play(
    script: Callable[[Visit], None], player: Any = None, *, timing: Timing = PATIENT, game: str = "vampires"
) -> ClientRun:
    played = ClientRun()
    with ScriptedServer(script) as server:
        client = Client(
            lambda _: player or First(),
            name="tester",
            game=game,
            timing=timing,
            tell=played.told.append,
            warn=played.warned.append,
        )
        played.games = client.play("127.0.0.1", server.port)
    return played


def refused(script: Callable[[Visit], None], kind: type[JouteError] = WireError) -> str:
    with ScriptedServer(script) as server, pytest.raises(kind) as raised:
        Client(lambda _: First(), name="tester", timing=PATIENT).play("127.0.0.1", server.port)
    return str(raised.value)


def official_game(player: int, *, piece: int = 1 << 16, turns: int = 3) -> Callable[[Visit], None]:
    """A game in which the other side loses its turns, as the official server conducts it."""

    def script(visit: Visit) -> None:
        state = trap()
        assert visit.greet(state, player, piece=piece) == "tester"
        known = state
        for _ in range(turns):
            if state.to_move != player:
                state = state.pass_turn()
            visit.say(changes(known, state), piece=piece)
            known = state
            turn = turn_of(state, visit.hear(Mov))
            assert turn == state.legal_moves[-1]
            state = state.play(turn)
            assert not state.is_chance
        visit.say(End(), Bye(), piece=piece)
        assert visit.rest() == b""

    return script


@pytest.mark.parametrize("piece", [1, 7, 1 << 16])
@pytest.mark.parametrize(("player", "species"), [(0, "vampires"), (1, "werewolves")])
def test_a_client_plays_both_roles_however_frames_are_cut(player: int, species: str, piece: int) -> None:
    played = play(official_game(player, piece=piece))
    assert played.games == 1
    assert played.warned == []
    assert re.fullmatch(r"connected to 127\.0\.0\.1, port \d+; waiting for an opponent and the map", played.told[0])
    assert played.told[1] == f"tester plays the {species}; waiting for the first turn"
    units = r"\d+ vampires to \d+ werewolves" if player == 0 else r"\d+ werewolves to \d+ vampires"
    over = (
        "the game is over after 3 turns: the server does not say who won; tester was last seen (ahead|level|behind), "
    )
    assert re.fullmatch(over + units, played.told[2])


class Attacker:
    """Moves every unit of the only group onto 0.1."""

    def choose(self, state: Any, clock: Any) -> Any:
        [(x, y, _, count)] = [cell for cell in state.cells if cell[2] == state.species(state.to_move)]
        return state.turn([(x, y, count, 0, 1)])


@pytest.mark.parametrize(
    ("position", "shown", "end"),
    [
        ("5x6/8v0.0+1w0.1/0", [Upd()], "tester wins (extinction)"),  # by its own turn, which no frame shows
        ("5x6/1v0.0+8w0.1/0", [Upd((Cell(0, 0, 0, 0, 0),))], "the opponent wins (extinction)"),
        ("5x6/8v0.0+6w0.1/0", [Upd()], "the server does not say who won; tester was last seen ahead, 8 vampires to 6 "),
    ],
)
def test_the_winner_is_told_where_the_last_position_decides(position: str, shown: list[Upd], end: str) -> None:
    def script(visit: Visit) -> None:
        state = new("vampires", position)
        assert isinstance(state, Vampires)
        visit.greet(state, 0)
        visit.say(*shown)
        if shown == [Upd()]:
            visit.hear(Mov)
        visit.say(End(), Bye())

    assert play(script, Attacker()).told[-1].startswith(f"the game is over after 1 turn: {end}")


def test_all_that_comes_before_the_first_turn_may_be_glued_to_it() -> None:
    def script(visit: Visit) -> None:
        visit.hear(Nme)
        visit.say(*greeting(trap(), 0), Upd())
        assert turn_of(trap(), visit.hear(Mov)) == trap().legal_moves[-1]
        visit.say(End(), Bye())

    assert play(script).games == 1


def test_an_agent_that_can_be_stopped_answers_with_what_it_has() -> None:
    def script(visit: Visit) -> None:
        visit.greet(trap(), 0)
        visit.say(Upd())
        assert turn_of(trap(), visit.hear(Mov)) == trap().legal_moves[-1]
        visit.say(End(), Bye())

    played = play(script, Thoughtful(), timing=QUICK)
    assert played.warned == []


@pytest.mark.parametrize(("player", "choice"), [(Sleeper(), 0), (Talkative(), -1)])
def test_without_an_answer_in_time_the_best_that_is_known_is_sent(player: Any, choice: int) -> None:
    def script(visit: Visit) -> None:
        visit.greet(trap(), 0)
        visit.say(Upd())
        assert turn_of(trap(), visit.hear(Mov)) == trap().legal_moves[choice]
        visit.say(End(), Bye())

    played = play(script, player, timing=QUICK)
    assert played.warned == ["tester has not answered in time; a stand-in plays"]


def test_after_the_deadline_not_a_byte_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    first_candidate = vampires_client._first_candidate

    def slow(state: Vampires) -> vampires_client._Answer | None:  # as if the machine had slept
        time.sleep(BRIEF.limit_s)
        return first_candidate(state)

    monkeypatch.setattr(vampires_client, "_first_candidate", slow)
    said = []

    def script(visit: Visit) -> None:
        visit.greet(trap(), 0)
        visit.say(Upd())
        time.sleep(3 * BRIEF.limit_s)
        visit.say(End(), Bye())
        said.append(visit.rest())

    played = play(script, timing=BRIEF)
    assert said == [b""]
    assert played.warned == ["the answer would come too late: the turn is lost"]


@pytest.mark.parametrize(
    ("player", "sentence"),
    [
        (
            Failing(),
            r"tester failed: RuntimeError: no idea \(test_vampires_client\.py, line \d+\); "
            "a stand-in plays whenever that happens",
        ),
        (Illegal(), "tester has not answered with a turn: .*; a stand-in plays"),
    ],
)
def test_for_an_agent_that_fails_the_first_candidate_is_played(player: Any, sentence: str) -> None:
    def script(visit: Visit) -> None:
        visit.greet(trap(), 0)
        visit.say(Upd())
        assert turn_of(trap(), visit.hear(Mov)) == trap().legal_moves[0]
        visit.say(End(), Bye())

    played = play(script, player)
    assert len(played.warned) == 1
    assert re.fullmatch(sentence, played.warned[0])


def test_an_agent_that_fails_in_every_turn_is_told_of_once_with_its_line_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text(
        "import random\n\n\ndef choose(state, clock):\n    return pick(state)\n\n\n"
        "def pick(state):\n    return random.choice([])  # whose own line, in Python's library, helps nobody\n"
    )

    def script(visit: Visit) -> None:
        visit.greet(trap(), 0)
        for _ in range(3):
            visit.say(Upd())
            visit.hear(Mov)
        visit.say(End(), Bye())

    played = play(script, load_agent(str(file), "vampires", 0))
    (warned,) = played.warned
    assert warned.startswith("tester failed: IndexError: ")
    assert "(broken.py, line 9)" in warned
    assert played.told[-1].startswith("the game is over after 3 turns, 3 of them played by a stand-in: ")


def test_a_question_that_comes_before_the_last_is_answered_replaces_it() -> None:
    thoughtful, moved = Thoughtful(), trap().play("4.3-5.3x4").pass_turn()

    def script(visit: Visit) -> None:
        visit.greet(trap(), 0)
        visit.say(Upd())
        visit.say(changes(trap(), moved))
        turn = turn_of(moved, visit.hear(Mov))
        assert turn == moved.legal_moves[-1]
        visit.say(End(), Bye())
        assert visit.rest() == b""

    played = play(script, thoughtful, timing=QUICK)
    assert played.warned == ["the server did not wait for an answer: its time limit is shorter than expected"]


@pytest.mark.parametrize("player", [0, 1])
def test_the_pause_before_the_first_turn_is_thought_through(player: int) -> None:
    seen: list[Vampires] = []
    begun = threading.Event()

    class Watched(First):
        def choose(self, state: State, clock: Clock) -> Any:
            assert isinstance(state, Vampires)
            seen.append(state)
            begun.set()
            return super().choose(state, clock)

    def script(visit: Visit) -> None:
        visit.greet(trap(), player)
        assert begun.wait(TIMEOUT_S)
        visit.say(Upd())
        visit.hear(Mov)
        visit.say(End(), Bye())

    play(script, Watched())
    # What was found in the pause is the answer: nothing is thought of twice.
    assert [(state.ply, state.cells) for state in seen] == [(player, trap().cells)]


def test_a_twilight_server_is_survived_by_its_second_player() -> None:
    """The first player's opening is in the map, both are asked at once, cells come twice, and END never comes."""
    start = trap("twilight-langorou")
    assert start.species(0) == "w"
    state = start.play("4.1-5.1x4")

    def script(visit: Visit) -> None:
        visit.hear(Nme)
        visit.say(*greeting(start, 1)[:3], greeting(state, 1)[3], Upd())
        turn = turn_of(state, visit.hear(Mov))
        assert turn == state.legal_moves[-1]
        after = state.play(turn)
        assert not after.is_chance
        after = after.pass_turn()
        cells = changes(state, after).cells
        visit.say(Upd(cells + cells + cells))
        assert turn_of(after, visit.hear(Mov)) == after.legal_moves[-1]
        visit.say(Bye())

    played = play(script, game="vampires:rules=twilight-langorou")
    assert played.games == 1
    assert played.told[1] == "tester plays the vampires; waiting for the first turn"


def test_a_client_with_official_rules_survives_a_twilight_server() -> None:
    """It then plays the werewolves as the second player, although it is the first that is asked."""
    start = trap("twilight-succo")

    def script(visit: Visit) -> None:
        visit.greet(start, 0)
        visit.say(Upd())
        assert start.is_legal(turn_of(start, visit.hear(Mov)))
        visit.say(Bye())

    assert play(script).told[1] == "tester plays the werewolves; waiting for the first turn"


@pytest.mark.parametrize(("rules", "answer"), [("official", b""), ("twilight-succo", b"MOV\0")])
def test_who_has_no_units_is_still_asked_by_some_servers(rules: str, answer: bytes) -> None:
    start = trap(rules)
    own = start.species(0)
    gone = [(x, y) for x, y, species, _ in start.cells if species == own]

    def script(visit: Visit) -> None:
        visit.greet(start, 0)
        visit.say(Upd(tuple(Cell(*place) for place in gone)))
        if answer:
            assert visit.hear(Mov) == Mov()
        visit.say(Bye())
        assert visit.rest() == b""

    assert play(script, game=start.spec).games == 1


def test_a_second_game_may_follow_on_the_same_connection() -> None:
    numbers = []

    def make(number: int) -> First:
        numbers.append(number)
        return First()

    def script(visit: Visit) -> None:
        state, other = trap(), trap().pass_turn()
        visit.greet(state, 0)
        visit.say(Upd())
        assert state.is_legal(turn_of(state, visit.hear(Mov)))
        visit.say(End(), *greeting(state, 1))
        visit.say(Upd())
        assert turn_of(other, visit.hear(Mov)) == other.legal_moves[-1]
        visit.say(End())

    told: list[str] = []
    with ScriptedServer(script) as server:
        client = Client(make, name="tester", timing=PATIENT, tell=told.append)
        assert client.play("127.0.0.1", server.port) == 2
    assert numbers == [0, 1]
    assert [text for text in told if "plays" in text] == [
        "tester plays the vampires; waiting for the first turn",
        "tester plays the werewolves; waiting for the first turn",
    ]


def test_a_server_that_goes_away_is_told_of() -> None:
    def in_the_middle(visit: Visit) -> None:
        visit.greet(trap(), 0)
        visit.say(Upd())
        visit.hear(Mov)

    def at_once(visit: Visit) -> None:
        visit.hear(Nme)

    def with_a_word(visit: Visit) -> None:
        visit.hear(Nme)
        visit.say(Bye())

    went = r"the server at 127\.0\.0\.1:\d+ went away in the middle of the game: it closed the connection"
    assert re.fullmatch(went, refused(in_the_middle, ServerError))
    assert re.search("went away before a game began", refused(at_once, ServerError))
    assert re.search("said BYE before a game began", refused(with_a_word, ServerError))


def frames(*said: Frame) -> bytes:
    return b"".join(frame.encode() for frame in said)


SIZE, HOME = Set(5, 10), Hme(4, 3)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (b"HELLO", "'HEL' does not begin a frame that is allowed here: SET, HUM, HME, MAP, UPD, END, BYE"),
        (frames(Hme(1, 1)), "HME came where no game is under way"),
        (frames(Set(0, 5)), "a grid of 0 rows and 5 columns"),
        (frames(SIZE, Upd()), "UPD came before HME and MAP"),
        (frames(SIZE, SIZE), "SET came in the middle of a game"),
        (frames(SIZE, Hme(10, 0)), r"HME has the cell \(10, 0\), which is outside a grid of 5 rows and 10 columns"),
        (frames(SIZE, HOME, Map((Cell(0, 5, 1),))), r"MAP has the cell \(0, 5\)"),
        (frames(SIZE, HOME, Map((Cell(4, 3, 0, 2, 2),))), r"the cell \(4, 3\) holds two species"),
        (frames(SIZE, HOME, Map((Cell(4, 3, 7),))), r"neither vampires nor werewolves at \(4, 3\)"),
    ],
)
def test_a_server_that_makes_no_sense_gives_one_clear_error(said: bytes, sentence: str) -> None:
    def script(visit: Visit) -> None:
        visit.hear(Nme)
        visit.send(said)
        visit.rest()

    told = refused(script)
    assert re.match(r"the server at 127\.0\.0\.1:\d+ does not keep to the protocol: ", told)
    assert re.search(sentence, told)


def test_an_error_reports_that_no_server_answers_and_no_thread_is_left() -> None:
    before = set(threading.enumerate())
    client = Client(lambda _: First(), name="tester")
    assert set(threading.enumerate()) > before
    with pytest.raises(ServerError, match=r"no server answers at 127\.0\.0\.1:\d+: "):
        client.play("127.0.0.1", free_port())
    assert set(threading.enumerate()) <= before


def test_a_board_counts_plies_by_the_questions_and_stops_before_the_limit() -> None:
    board = Board(SIZE, "vampires:plies=6")
    for frame in greeting(trap(), 1):
        board.take(frame)
    plies = []
    for _ in range(5):
        board.take(Upd())
        plies.append(board.state().ply)
    assert board.species == "w"
    assert plies == [1, 3, 5, 5, 5]
    assert not board.state().is_terminal


def test_a_board_takes_home_and_map_in_any_order() -> None:
    size, houses, home, cells = greeting(trap(), 0)
    assert isinstance(size, Set)
    board = Board(size)
    for frame in (cells, houses, home):
        board.take(frame)
    assert board.species == "v"
    assert board.state() == trap()
    assert board.counts() == "4 vampires, 4 werewolves, 9 humans"


def test_a_board_follows_a_game_by_absolute_contents() -> None:
    state: Vampires = trap()
    board = Board(SIZE)
    for frame in greeting(state, 0):
        board.take(frame)
    board.take(Upd())
    for turn in ("4.3-5.3x2+4.3-3.2x2", "4.1-5.1x4"):
        state = state.play(turn)
        places = touched(turn)
    board.take(update(state, [*touched("4.3-5.3x2+4.3-3.2x2"), *places]))
    assert board.state() == state


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("rules", ["official", "official-2019", "text-strict", "twilight-succo", "twilight-langorou"])
def test_a_board_follows_random_games_of_all_rules(rules: str, player: int) -> None:
    random = Random(7)
    turns = 0
    for _ in range(20):
        state = new(f"vampires:rules={rules},map=hamlet,plies=60")
        assert isinstance(state, Vampires)
        board = Board(Set(state.rows, state.columns), state.spec)
        for frame in greeting(state, player):
            board.take(frame)
        last = ["", ""]
        while not state.is_terminal:
            if state.to_move == player:
                board.take(update(state, [*touched(last[player]), *touched(last[1 - player])]))
                assert board.state() == state
                turns += 1
            is_lost = random.below(10) == 0
            move = state.random_move(random)
            last[state.to_move] = last[state.to_move] if is_lost else str(move)
            after, _ = settle(state.pass_turn() if is_lost else state.play(move), random)
            assert isinstance(after, Vampires)
            state = after
    assert turns > 100


def test_the_greeting_is_the_official_one() -> None:
    said = [frame.encode().hex(" ") for frame in greeting(trap(), 0)]
    assert said == [
        "53 45 54 05 0a",
        "48 55 4d 04 02 02 09 00 09 02 09 04",
        "48 4d 45 04 03",
        "4d 41 50 06 09 00 02 00 00 04 01 00 00 04 02 02 04 00 00 09 02 01 00 00 04 03 00 04 00 09 04 02 00 00",
    ]
    assert greeting(trap(), 1)[2] == Hme(4, 1)


def test_a_twilight_map_lists_humans_vampires_and_werewolves() -> None:
    _, _, home, cells = greeting(trap("twilight-succo"), 0)
    assert isinstance(cells, Map)
    assert [cell.held for cell in cells.cells] == [("h", 2), ("h", 4), ("h", 1), ("h", 2), ("v", 4), ("w", 4)]
    assert home == Hme(4, 1)


def test_updates_are_those_of_the_official_transcript() -> None:
    first = trap().play("4.3-5.3x4")
    second = first.play("4.1-5.1x4")
    own, theirs = touched("4.3-5.3x4"), touched("4.1-5.1x4")
    assert update(first, own).encode().hex(" ") == "55 50 44 02 05 03 00 04 00 04 03 00 00 00"
    assert (
        update(second, [*own, *theirs]).encode().hex(" ")
        == "55 50 44 04 05 03 00 04 00 04 03 00 00 00 05 01 00 00 04 04 01 00 00 00"
    )


def test_illegal_orders_cost_the_game_but_at_twilight_servers_only_themselves() -> None:
    mov = Mov.giving([(4, 3, 1, 5, 3), (4, 3, 9, 3, 3), (4, 3, 1, 3, 2)])
    with pytest.raises(JouteError):
        trap().play(turn_of(trap(), mov))
    start = trap("twilight-langorou").pass_turn()
    assert str(turn_of(start, mov)) == "4.3-5.3x1"
    assert str(turn_of(start, Mov.giving([(0, 0, 1, 9, 9)]))) == "pass"


def test_times_that_leave_nothing_to_think_are_refused() -> None:
    with pytest.raises(SpecError, match=r"0\.5 s a turn leave no time to search: 0\.45 s are reserved"):
        Timing(limit_s=0.5, margin_s=0.45)


def connect(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "joute", "connect", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


def test_the_command_takes_host_and_port_last_and_ends_well() -> None:
    def script(visit: Visit) -> None:
        state = trap()
        assert visit.greet(state, 0) == "Count D."
        visit.say(Upd())
        turn_of(state, visit.hear(Mov))
        visit.say(End(), Bye())

    with ScriptedServer(script) as server:
        done = connect("--agent", "random", "--name", "Count D.", "--time", "30", "127.0.0.1", str(server.port))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == f"connected to 127.0.0.1, port {server.port}; waiting for an opponent and the map"
    assert lines[1] == "Count D. plays the vampires; waiting for the first turn"
    assert lines[2].startswith("the game is over after 1 turn: ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--agent", "random"], "no server answers at 127.0.0.1:"),
        (["--agent", "rando"], "did you mean 'random'"),
        (["--agent", "random", "--game", "connect4"], "play vampires, not connect4"),
        (["--agent", "random", "--name", "Zoé"], "names are ASCII"),
        (["--agent", "random", "--time", "0.1"], "joute: connect: --time must be a number ≥ 0.5, not 0.1"),
        (["--agent", "ugi:sh"], "ugi:sh cannot run in this process"),
    ],
)
def test_the_command_says_what_is_wrong_in_a_sentence(words: list[str], sentence: str) -> None:
    done = connect(*words, "127.0.0.1", str(free_port()))
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
