"""QTP both ways: whole games, transcripts, notations that cannot be taken for one another, programs that misbehave."""

from __future__ import annotations

import math
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

import pytest
from commands import joute
from course_servers import TIMEOUT_S, state_after
from quoridor_referee import Board

from joute import Clock, new
from joute.agents.loading import find_source
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import make_player
from joute.arena.store.frozen import freeze
from joute.errors import SpecError
from joute.games import State
from joute.games.quoridor.notation import NOTATIONS, find_notation
from joute.games.quoridor.qtp.engine import QtpEngine
from joute.match import play_game
from joute.match.player import Answer, LocalPlayer, Player
from joute.match.record import GameRecord, Reason

TRANSCRIPTS = sorted((Path(__file__).parent / "qtp_transcripts").glob("*.txt"))
START = new("quoridor")
AGENT = "alphabeta:eval=steps,depth=2"
JOUTE = shlex.join([sys.executable, "-m", "joute"])


def seated(text: str, isolation: Isolation | None = None, game: str = "quoridor") -> Player:
    return make_player(find_source(text, game), "theirs", game, isolation or Isolation())


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_session_goes_as_it_was_written_down(path: Path) -> None:
    _, command, *lines = path.read_text().splitlines()
    asked, answered = ("".join(f"{line[2:]}\n" for line in lines if line.startswith(sign)) for sign in (">", "<"))
    words = command.removeprefix("$ ").split()
    done = joute("qtp", *words, input=asked)
    assert (done.returncode, done.stdout, done.stderr) == (0, answered, "")


def test_the_transcripts_are_found() -> None:
    assert {"athens", "kata", "mistakes"} <= {path.stem for path in TRANSCRIPTS}


class Engine:
    """A program that speaks QTP, as a referee of its protocol talks to it."""

    def __init__(self, agent: str) -> None:
        command = [sys.executable, "-m", "joute", "qtp", "--agent", agent, "--clock", "180"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline().rstrip("\n")
        assert self.process.stdout.readline() == "\n"
        assert reply.startswith("="), (command, reply)
        return reply[1:].strip()


def test_the_protocols_referee_plays_a_whole_game_with_our_engines() -> None:
    engines, board, colours = [Engine(AGENT), Engine("random")], Board(), ("black", "white")
    try:
        for engine in engines:
            assert [engine.ask(command) for command in ("boardsize 9", "clear_board", "walls 10")] == [""] * 3
        for step in range(1000):
            side = step % 2
            cell, *orientation = engines[side].ask(f"genmove {colours[side]}").split()
            # Black is on row 9, which is row 0 of the board; walls are named by their upper cell, so is its row.
            row, column = 9 - int(cell[1]), ord(cell[0]) - ord("A")
            kind = {"horizontal": "WH", "vertical": "WV"}[orientation[0]] if orientation else "P"
            board.play(side, [kind, row, column])
            verb = "playwall" if orientation else "playmove"
            engines[1 - side].ask(" ".join((verb, colours[side], cell, *orientation)))
            if board.pawns[0][0] == 8 or board.pawns[1][0] == 0:
                break
        winner = colours[0 if board.pawns[0][0] == 8 else 1]
        assert [engine.ask("winner") for engine in engines] == [f"true {winner}"] * 2
        assert winner == "black"  # nobody loses to random
        assert board.nb_walls[1] < 10
        for engine in engines:
            engine.ask("quit")
            assert engine.process.wait(TIMEOUT_S) == 0
    finally:
        for engine in engines:
            engine.process.kill()
            engine.process.wait()


@pytest.mark.parametrize("name", NOTATIONS)
def test_our_arena_plays_whole_games_with_our_own_engine_as_a_program(name: str) -> None:
    prefix = "qtp" if name == "athens" else f"qtp-{name}"
    theirs = seated(f"{prefix}:{JOUTE} qtp --agent {AGENT} --notation {name}")
    ours = LocalPlayer("random")
    later = new("quoridor", state_after(START, 5).position)
    for start, players, clock in ((START, (theirs, ours), "60"), (later, (ours, theirs), "none")):
        record = play_game(start, *players, clock=clock, seed=1)
        assert (record.reason, record.detail) == (Reason.NORMAL, "")
        assert record.result.decided_by == "goal"
        assert record.players[record.winner or 0] == "theirs"
        assert record.isolation[players.index(theirs)] == "process"


def test_two_programs_that_write_moves_differently_play_each_other() -> None:
    first = seated(f"qtp:{JOUTE} qtp --agent {AGENT} --seed 1")
    second = seated(f"qtp-kata:{JOUTE} qtp --agent random --notation kata")
    record = play_game("quoridor", first, second, clock="60", seed=4)
    assert (record.reason, record.detail, record.winner) == (Reason.NORMAL, "", 0)
    assert any(move.move.endswith(("h", "v")) for move in record.moves)


def test_match_and_tournament_take_such_a_program(tmp_path: Path) -> None:
    program = f"qtp:{JOUTE} qtp --agent {AGENT}"
    match = joute("match", "quoridor", program, "random", "--games", "2", "--openings", "random", "--clock", "30")
    assert (match.returncode, match.stderr) == (0, "")
    assert "ended by" not in match.stdout
    words = ["quoridor", program, "random", "--openings", "start", "--games", "2", "--db", str(tmp_path / "q.db")]
    tournament = joute("tournament", *words)
    assert (tournament.returncode, tournament.stderr) == (0, "")
    assert "forfeited" not in tournament.stdout


# Programs that misbehave

PROGRAM = """
import sys, time
known = {known!r}
def answer(command, words):
    if command == "known_command":
        return "= true" if words[0] in known else "= false"
    {body}
    return "= "
for line in sys.stdin:
    command, *words = line.split()
    with open({log!r}, "a") as log:
        log.write(line)
    if command == "quit":
        break
    print(answer(command, words), end={end!r}, flush=True)
"""
ATHENS = ("boardsize", "playwall", "playmove", "genmove")
WALK = "if command == 'genmove': return '= E' + str(next(rows))"


def program(tmp_path: Path, body: str = "", known: tuple[str, ...] = ATHENS, end: str = "\n\n") -> tuple[str, Path]:
    """A program whose moves are what a line of Python says, and the file where it writes what it is told."""
    file, log = tmp_path / "program.py", tmp_path / "told.txt"
    log.touch()
    rows = "rows = iter(range(8, 0, -1))\n"
    file.write_text(rows + dedent(PROGRAM).format(known=known, body=body, log=str(log), end=end))
    return f"qtp:{sys.executable} {file}", log


def lost(text: str, isolation: Isolation | None = None, clock: str = "none") -> GameRecord:
    record = play_game("quoridor", seated(text, isolation), "random", clock=clock)
    assert record.winner == 1
    return record


@pytest.mark.parametrize(
    ("body", "reason", "sentence"),
    [
        ("if command == 'genmove': return '= e5h'", Reason.ILLEGAL_MOVE, "illegal move at ply 0: 'e5h' is not a move"),
        ("if command == 'genmove': return '='", Reason.ILLEGAL_MOVE, "illegal move at ply 0: '' is not a move"),
        ("if command == 'genmove': return '= E1'", Reason.ILLEGAL_MOVE, "illegal move e9 at ply 0"),
        ("if command == 'genmove': return '= resign'", Reason.RESIGNATION, "theirs resigned at ply 0"),
        ("if command == 'genmove': return '? no idea'", Reason.CRASH, "black' at ply 0 with an error: no idea"),
        ("if command == 'genmove': return '? illegal move: mine'", Reason.ILLEGAL_MOVE, "an error: illegal move: mi"),
        ("if command == 'genmove': sys.exit(3)", Reason.CRASH, "theirs ended with exit status 3 at ply 0"),
        ("if command == 'genmove': return 1 / 0", Reason.CRASH, "ZeroDivisionError: division by zero"),
        ("if command == 'genmove': print('x' * (17 << 20))", Reason.CRASH, "wrote 16 MB and no move at ply 0"),
        ("if command == 'boardsize': return '? unacceptable size'", Reason.CRASH, "refused 'boardsize 9': una"),
        ("if command == 'clear_board': sys.exit(0)", Reason.CRASH, "ended with exit status 0 before it was ready"),
    ],
)  # fmt: skip
def test_what_a_program_does_wrong_costs_it_the_game(tmp_path: Path, body: str, reason: Reason, sentence: str) -> None:
    record = lost(program(tmp_path, body)[0], clock="60")
    assert record.reason is reason
    assert sentence in record.detail


@pytest.mark.parametrize("body", ["return '= e2'", "return '? cannot'", "return '= e9h'"])
def test_an_error_before_the_first_move_names_the_other_dialects(tmp_path: Path, body: str) -> None:
    text, _ = program(tmp_path, f"if command == 'genmove': {body}")
    advice = "start the program as qtp-kata: if it writes it e8, or qtp-modern: if it writes it e2"
    assert lost(text).detail.endswith(f"; the first step ahead is E8 in this dialect; {advice}")
    assert "start the program as qtp: if it writes it E8, or qtp-m" in lost(text.replace("qtp:", "qtp-kata:")).detail


def test_an_error_after_the_first_move_names_no_dialect(tmp_path: Path) -> None:
    text, _ = program(tmp_path, "if command == 'genmove': return '= ' + next(moves)")
    (tmp_path / "program.py").write_text("moves = iter(['E8', 'E1'])\n" + (tmp_path / "program.py").read_text())
    record = lost(text)
    assert (record.reason, len(record.moves)) == (Reason.ILLEGAL_MOVE, 2)
    assert "dialect" not in record.detail


def test_a_match_shows_what_a_program_printed_at_its_start_if_it_fails(tmp_path: Path) -> None:
    text, _ = program(tmp_path, "if command == 'genmove': return '? no network'")
    file = tmp_path / "program.py"
    file.write_text(f"print('cannot read net.bin')\n{file.read_text()}")
    match = joute("match", "quoridor", text, "random", "--games", "2", "--openings", "start")
    assert match.returncode == 1
    assert "its output:\n  cannot read net.bin\n" in match.stdout


def test_a_program_that_answers_no_more_never_hangs_a_game(tmp_path: Path) -> None:
    asleep, _ = program(tmp_path, "if command == 'genmove': time.sleep(1000)")
    timed = lost(asleep, clock="0.2")
    assert timed.reason is Reason.TIME
    assert "theirs had no move after " in timed.detail
    assert lost(asleep, Isolation(stall_s=0.2)).reason is Reason.STALLED
    silent, _ = program(tmp_path, "if command == 'clear_board': time.sleep(1000)")
    stalled = lost(silent, Isolation(start_s=0.5))
    assert (stalled.reason, stalled.detail) == (
        Reason.STALLED,
        "theirs did not send '=' to clear_board within 0.5 s",
    )


def test_remarks_and_a_missing_empty_line_do_no_harm(tmp_path: Path) -> None:
    text, _ = program(tmp_path, f"print('# I think')\n    {WALK}", end="\n")
    record = play_game("quoridor", seated(text), LocalPlayer("random"), max_plies=3)
    assert (record.reason, [move.move for move in record.moves][::2]) == (Reason.PLY_LIMIT, ["e2", "e3"])


def test_a_program_is_told_what_it_knows_and_no_more(tmp_path: Path) -> None:
    text, log = program(tmp_path, WALK)
    player = seated(text)
    player.begin(START, 0, 0)
    state = START
    assert player.ask(state, (), Clock(remaining_s=60, nominal_s=60), 60.0).move == "e2"
    state = state.play("e2").play("a2h")
    assert player.ask(state, ("e2", "a2h"), Clock(), math.inf).move == "e3"
    # A move is taken back, as a person may at the board.
    player.ask(START.play("e2").play("e8"), ("e2", "e8"), Clock(), math.inf)
    player.end()
    told = [line for line in log.read_text().splitlines() if not line.startswith("known_command")]
    assert told == [
        "boardsize 9", "clear_board", "walls 10", "genmove black", "playwall white A8 horizontal", "genmove black",
        "undo", "undo", "playmove white E2", "genmove black", "quit",
    ]  # fmt: skip


def test_a_program_that_knows_of_time_is_told_its_clock_and_plays_in_its_dialect(tmp_path: Path) -> None:
    text, log = program(tmp_path, "if command == 'genmove': return '= e2'", known=("play", "time_left"))
    start = new("quoridor", START.play("e2").play("b3v").play("e3").position)
    player = seated(text.replace("qtp:", "qtp-kata:"))
    player.begin(start, 1, 0)
    player.ask(start, (), Clock(remaining_s=59.5, nominal_s=60), 60.0)
    player.end()
    told = [line for line in log.read_text().splitlines() if not line.startswith("known_command")]
    assert told == [
        "clear_board", "play black e8", "play white b6v", "play black e7",
        "time_settings 60 0 0", "time_left white 59.5 0", "genmove white", "quit",
    ]  # fmt: skip


# The engine's side


class Diary(Player):
    """A player that keeps what it is asked."""

    name = "diary"

    def __init__(self, pages: list[object]) -> None:
        self._pages = pages

    def begin(self, start: State, player: int, seed: int) -> None:
        self._pages.append(("begin", player))

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        self._pages.append((list(line), clock.remaining_s, clock.nominal_s, clock.move_limit_s))
        return Answer(state.legal_moves[0], 0.0)

    def end(self) -> str:
        self._pages.append("end")
        return ""


def session(engine: QtpEngine, *commands: str) -> list[str]:
    replies: list[str] = []
    engine.serve([f"{command}\n".encode() for command in commands], replies.append)
    return [reply.removesuffix("\n\n") for reply in replies]


def test_an_agent_is_told_the_line_and_the_time_that_is_left() -> None:
    pages: list[object] = []
    engine = QtpEngine("diary", lambda: Diary(pages), find_notation("modern"))
    session(
        engine,
        "genmove white",
        "time_settings 60 0 0",
        "time_left black 50.5 0",
        "genmove black",
        "time_settings 0 30 10",
        "genmove white",
        "time_left b 6 3",
        "genmove b",
        "clear_board",
        "genmove white",
    )
    state, line, inf = START, [], math.inf
    for _ in range(3):
        line.append(str(state.legal_moves[0]))
        state = state.play(line[-1])
    assert pages == [
        ("begin", 0), ([], inf, inf, inf),
        ("begin", 1), (line[:1], 50.5, 60.0, inf),
        (line[:2], inf, inf, 3.0), (line[:3], inf, inf, 2.0),
        "end", "end", ("begin", 0), ([], inf, inf, 3.0), "end",
    ]  # fmt: skip


def test_an_agent_that_fails_is_an_error_and_the_engine_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def choose(state, clock):\n    print('I think')\n    return 1 / 0\n")
    source = find_source(str(file), "quoridor")
    engine = QtpEngine("mine", lambda: make_player(source, "mine", "quoridor", Isolation()), find_notation("kata"))
    replies = session(engine, "genmove black", "play black e8", "genmove w")
    assert [reply[:1] for reply in replies] == ["?", "=", "?"]
    assert replies[0] == "? crash: mine: ZeroDivisionError: division by zero (mine.py:3)"


def test_the_winner_and_a_finished_game() -> None:
    engine = QtpEngine("r", lambda: LocalPlayer("random"), find_notation("modern"))
    cells = ["d1", "f9", *(cell for row in range(2, 9) for cell in (f"d{row}", f"f{10 - row}"))]
    moves = [f"play {'black' if number % 2 else 'white'} {cell}" for number, cell in enumerate(cells)]
    replies = session(engine, *moves, "play white d9", "winner", "genmove black", "play black f1", "undo", "winner")
    assert replies[-6:] == [
        "=", "= true white", "? illegal move: the game is over by goal", "? illegal move: the game is over by goal",
        "=", "= false",
    ]  # fmt: skip


# Names


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("qtp:", "qtp: needs the program that speaks QTP, as in qtp:./engine"),
        ("qtp-kata:", "qtp-kata: needs the program that speaks QTP, as in qtp-kata:./engine"),
        ("qtp-kta:./engine", "unknown notation 'kta'; did you mean 'kata'?"),
        ("qtp:./no/such/engine", "program ./no/such/engine does not exist"),
        ("qtp:'", "is not a command line"),
    ],
)
def test_a_wrong_name_gives_one_clear_error(text: str, sentence: str) -> None:
    with pytest.raises(SpecError, match=re.escape(sentence)):
        find_source(text, "quoridor")


def test_such_a_program_plays_quoridor_alone_and_keeps_its_language_in_a_frozen_final(tmp_path: Path) -> None:
    text, _ = program(tmp_path)
    for words in (("match", "connect4", text, "random"), ("tournament", "connect4", text, "random")):
        done = joute(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "joute: programs that speak QTP play quoridor, not connect4\n"
    engine = joute("engine", "quoridor", text)
    assert "is a program that speaks QTP, which can play but not be served over UGI" in engine.stderr
    source = find_source(text.replace("qtp:", "qtp-kata:"), "quoridor")
    assert source.language == "qtp-kata"
    entries, _ = freeze([source], ["a"])
    assert entries[0].source.text.startswith("qtp-kata:")


def test_the_command_says_what_is_wrong_with_its_options() -> None:
    for words, sentence in (
        (("--agent", "random", "--notation", "moderm"), "unknown notation 'moderm'; did you mean 'modern'?"),
        (("--agent", "rndom"), "did you mean 'random'?"),
        (("--agent", "random", "--clock", "soon"), "'soon' is not a clock such as"),
        (("--agent", "course:x.py"), "there is no agent file x.py"),
    ):
        done = joute("qtp", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert sentence in done.stderr
