"""UGI from the engine's side: whole sessions, mistakes of both ends, and an agent that cannot spoil the protocol."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typed import known
from ugi_session import ProcessSession, Session, ThreadSession, engine

from joute import Clock, State, new
from joute.agents import SearchInfo
from joute.errors import JouteError
from joute.protocol import ugi
from joute.version import __version__

ROOT = Path(__file__).parents[2]
TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
TOYS = ("dice", "boxes", "noughts")  # only this process knows them


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_session_goes_as_it_was_written_down(path: Path) -> None:
    _, command, *lines = path.read_text().splitlines()
    game, agent = command.removeprefix("$ ").split()
    with ThreadSession(game, agent) if game in TOYS else engine(game, agent) as session:
        for line in lines:
            if line.startswith("> "):
                session.send(line[2:])
            elif line.startswith("<"):
                expect(session, line[2:])
            else:
                assert session.rest() == []
                status = session.end()[0] if isinstance(session, ProcessSession) else session.status
                assert line == f"= {status}"


def expect(session: Session, line: str) -> None:
    """The next line of the engine's; what it tells while it thinks, which a slow machine makes it do, is left out."""
    pattern = re.escape(line).replace("<ms>", r"\d+").replace("<version>", re.escape(__version__))
    told: list[str | None] = []
    while not told or (told[-1] and told[-1].startswith("info time ")):
        told.append(session.line())
        if told[-1] is not None and re.fullmatch(pattern, told[-1]):
            return
    raise AssertionError(f"expected {line!r}, got {told!r}")


def test_the_transcripts_are_found() -> None:
    assert {"alphabeta", "dice", "mcts", "mistakes", "stop"} <= {path.stem for path in TRANSCRIPTS}


def test_an_agent_prepares_a_game_before_it_is_ready(tmp_path: Path) -> None:
    code = """
        class Prepares:
            prepared = ()

            def prepare_game(self, start):
                self.prepared += (start.position,)

            def choose(self, state, clock):
                assert self.prepared == ("44",), self.prepared
                return "1"
    """
    path = tmp_path / "prepares.py"
    path.write_text(dedent(code))
    with engine("connect4", str(path)) as session:
        session.send("position fen 44", "isready", "isready")
        assert [session.line(), session.line()] == ["readyok", "readyok"]
        session.send("go nodes 1")
        assert session.line() == "bestmove 1"


@pytest.mark.parametrize("spec", ["alphabeta", "mcts", "mcts:threads=2", "nested", "nrpa:level=5,iterations=1000"])
def test_every_search_thinks_until_stop(spec: str) -> None:
    with engine("connect4", spec) as session:
        session.send("isready", "position startpos", "go infinite", "isready")
        # One readyok before the search and one within it: an answer would have come between.
        assert [session.line(), session.until("readyok")[-1]] == ["readyok", "readyok"]
        told = [known(session.line())]
        session.send("stop")
        told += session.until("bestmove")
        assert told[-1].split()[1] in map(str, new("connect4").legal_moves)
        assert sum(line.startswith("info time") for line in told) >= 2


def test_stop_right_after_go_is_not_lost() -> None:
    with engine("connect4", "mcts") as session:
        for _ in range(20):
            session.send("go infinite", "stop")
            assert session.until("bestmove")
            session.send("go infinite", "isready")
            session.until("readyok")
            assert session.ask("stop")


def test_an_agent_that_knows_no_stop_is_asked_for_an_answer_all_the_same() -> None:
    with engine("connect4", "random") as session:
        session.send("go infinite", "isready")
        assert session.until("readyok") == ["readyok"]
        assert session.ask("stop") in "1234567"


@pytest.mark.parametrize("end", ["quit", "hang up"])
@pytest.mark.parametrize("agent", ["mcts", "stubborn.py"])
def test_the_end_comes_while_an_agent_thinks(end: str, agent: str, tmp_path: Path) -> None:
    (tmp_path / "stubborn.py").write_text("import time\ndef choose(state, clock):\n    time.sleep(1000)\n")
    with engine("connect4", agent, cwd=tmp_path) as session:
        session.send("isready", "go infinite")
        session.until("readyok")
        if end == "quit":
            session.send("quit")
        else:
            session.hang_up()
        answers = [line for line in session.rest() if line.startswith("bestmove")]
        assert len(answers) == (agent == "mcts")
        assert session.end()[0] == 0


def test_ctrl_c_ends_it() -> None:
    for commands in ((), ("go infinite",)):
        with engine("connect4", "mcts") as session:
            session.send("isready", *commands, "isready")
            session.until("readyok")
            session.until("readyok")
            session.process.send_signal(signal.SIGINT)
            assert not any(line.startswith("bestmove") for line in session.rest())
            assert session.end() == (130, "")


def test_a_thread_that_the_agent_left_behind_keeps_nobody_waiting(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(1000,)).start()\n"
        "def choose(state, clock):\n    return '4'\n"
    )
    with engine("connect4", "agent.py", cwd=tmp_path) as session:
        assert session.ask("go") == "4"
        session.send("quit")
        assert session.end()[0] == 0


def agent_file(folder: Path, body: str) -> str:
    (folder / "agent.py").write_text(dedent(body))
    return "agent.py"


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ("ValueError('two\\nlines')", r"ValueError: two\nlines"),
        ("MemoryError('too much')", "MemoryError: too much"),
        ("SystemExit(0)", "SystemExit: 0"),
    ],
)
def test_an_agent_that_raises_ends_the_engine_with_its_reason(tmp_path: Path, raised: str, told: str) -> None:
    name = agent_file(tmp_path, f"def choose(state, clock):\n    raise {raised}\n")
    with engine("connect4", name, cwd=tmp_path) as session:
        session.send("isready", "go")
        assert session.rest() == ["readyok", f"info string error {told}"]
        status, stderr = session.end()
        assert status == 1
        assert "agent.py" in stderr
        assert "Traceback" in stderr


def test_an_agent_that_cannot_be_made_fails_at_isready(tmp_path: Path) -> None:
    name = agent_file(tmp_path, "1 / 0")
    with engine("connect4", name, cwd=tmp_path) as session:
        session.send("ugi", "isready")
        assert session.until("ugiok")[1:] == [
            "id author unknown",
            "option name Seed type spin default 0 min 0 max 18446744073709551615",
            "ugiok",
        ]
        assert session.rest() == ["info string error ZeroDivisionError: division by zero"]
        assert session.end()[0] == 1


@pytest.mark.parametrize(
    ("name", "agent", "sentence"),
    [
        ("conect4", "random", "joute: unknown game 'conect4'; did you mean 'connect4'?\n"),
        ("connect4", "randm", "joute: unknown agent 'randm'; did you mean 'random'?\n"),
        ("connect4", "none.py", "joute: there is no agent file none.py\n"),
        ("connect4", "ugi:sh", "joute: ugi:sh is a program that speaks UGI by itself; start it instead\n"),
    ],
)
def test_a_wrong_name_is_one_sentence(name: str, agent: str, sentence: str) -> None:
    with engine(name, agent) as session:
        assert session.rest() == []
        assert session.end() == (2, sentence)


def test_the_command_serves_the_same() -> None:
    with ProcessSession(sys.executable, "-m", "joute", "engine", "connect4", "random", "--seed", "3") as session:
        session.send("ugi")
        assert "option name Seed type spin default 3 min 0 max 18446744073709551615" in session.until("ugiok")
        assert session.ask("go") in "1234567"
        session.send("quit")
        assert session.end() == (0, "")


def test_nothing_an_agent_prints_gets_between_the_lines(tmp_path: Path) -> None:
    name = agent_file(
        tmp_path,
        """
        import os, subprocess, sys
        print("bestmove 1")
        def choose(state, clock):
            print("bestmove 2")
            sys.stdout.write("bestmove 3")
            os.write(1, b"bestmove 5\\n")
            subprocess.run(["sh", "-c", "cat; echo bestmove 6"])
            try:
                input()
            except EOFError:
                return "4"
        """,
    )
    with engine("connect4", name, cwd=tmp_path) as session:
        session.send("isready", "go", "quit")
        assert session.rest() == ["readyok", "bestmove 4"]
        status, stderr = session.end()
        assert status == 0
        assert all(f"bestmove {n}" in stderr for n in (1, 2, 3, 5, 6))


def test_a_fresh_agent_with_the_same_seed_plays_the_same(tmp_path: Path) -> None:
    name = agent_file(
        tmp_path,
        """
        import random
        def choose(state, clock):
            return str(random.choice(state.legal_moves))
        """,
    )
    with engine("connect4", name, cwd=tmp_path) as session:

        def game(seed: int) -> str:
            session.send(f"setoption name Seed value {seed}", "uginewgame")
            return "".join(session.ask("position startpos", "go") for _ in range(20))

        assert game(1) == game(1) != game(2)


def test_the_clock_is_that_of_the_side_to_move_and_knows_its_start(tmp_path: Path) -> None:
    name = agent_file(
        tmp_path,
        """
        def choose(state, clock):
            return repr(clock).replace(" ", "")
        """,
    )
    with ThreadSession("connect4", str(tmp_path / name)) as session:

        def told(position: str, go: str) -> Clock:
            clock = eval(session.ask(position, go), {"Clock": Clock, "inf": float("inf")})
            assert isinstance(clock, Clock)
            return clock

        go = "go p1time 9000 p2time 8000 p1inc 100 p2inc 200 movetime 3000"
        assert told("position startpos", go) == Clock(
            9, 0.1, 3, nominal_s=9, opponent_remaining_s=8, opponent_increment_s=0.2
        )
        assert told("position startpos moves 4", "go p1time 50 p2time 7000 p2inc 5") == Clock(
            7, 0.005, nominal_s=9, opponent_remaining_s=0.05
        )
        session.send("uginewgame")
        assert told("position startpos", "go p1time -5").remaining_s == 0
        assert told("position startpos", "go p1time 6000").nominal_s == 6
        assert told("position startpos", "go nodes 5 iterations 6 depth 7") == Clock(nodes=5, iterations=6, depth=7)


@pytest.mark.parametrize(
    ("answer", "token"),
    [
        ("'4'", "4"),
        ("state.legal_moves[2]", "3"),
        ("4", "4(int)"),
        ("None", "None(NoneType)"),
        ("'resign'", "resign"),
        ("''", "(none)"),
        ("'4 4'", r"4\x204"),
        ("('P', 1, 4)", "('P',1,4)(tuple)"),
        ("'4\\nbestmove 5'", r"4\nbestmove\x205"),
        ("'\\ud800'", r"\ud800"),
        ("object.__new__(type('Odd', (), {'__str__': lambda self: 1 / 0}))",
         r"(an\x20object\x20of\x20type\x20Odd\x20that\x20cannot\x20be\x20printed)(Odd)"),
    ],
)  # fmt: skip
def test_whatever_an_agent_answers_is_one_word_for_the_referee(tmp_path: Path, answer: str, token: str) -> None:
    name = agent_file(tmp_path, f"def choose(state, clock):\n    return {answer}\n")
    with ThreadSession("connect4", str(tmp_path / name)) as session:
        assert session.ask("go") == token


def test_an_agent_may_tell_nonsense_of_its_search(tmp_path: Path) -> None:
    name = agent_file(
        tmp_path,
        """
        from joute.agents import SearchInfo
        class Agent:
            on_info = None
            info = SearchInfo("much", depth="deep", pv=("4 4", "5\\n6"))
            def stop(self):
                raise ValueError
            def choose(self, state, clock):
                self.on_info(None)
                if state.ply:
                    self.info = SearchInfo(pv=("4 4", "5\\n6"))
                return "4"
        """,
    )
    with ThreadSession("connect4", str(tmp_path / name)) as session:
        session.send("go infinite", "stop")
        assert session.until("bestmove") == ["bestmove 4"]
        session.send("position startpos moves 4", "go")
        info, move = session.until("bestmove")
        assert re.fullmatch(r"info time \d+ pv 4\\x204 5\\n6", info)
        assert move == "bestmove 4"


def test_a_long_game_costs_each_move_once(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[int] = []
    follow = ugi.follow

    def counted(state: State, line: Sequence[str]) -> State:
        played.append(len(line))
        return follow(state, line)

    monkeypatch.setattr("joute.protocol.ugi_engine.follow", counted)
    with ThreadSession("dice:target=50", "random") as session:
        line: list[str] = []
        while len(line) < 60:
            session.send(" ".join(("position startpos moves", *line)), "isready")
            session.until("readyok")
            line += ["roll", "#0"]
        assert played == [0] + [2] * 29
        played.clear()
        session.send("position startpos moves roll #0", "position startpos moves roll #1 roll #0", "isready")
        session.until("readyok")
        assert played == [2, 4]  # another line begins at the start
        session.send("position fen 0-0-first-0 moves roll #1 roll #0 step", "query fen")
        assert session.until("response") == ["response 3-0-second-3"]


WORDS = """
    ugi isready uginewgame position startpos fen moves go nodes depth p1time movetime infinite setoption name value Seed
    c iterations query result islegal d stop 1 4 7 #0 -5 9999999999999999999999 44
"""
LINES = st.text(max_size=30) | st.lists(st.sampled_from(WORDS.split()), max_size=8).map(" ".join)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(lines=st.lists(LINES, max_size=12), stray=st.binary(max_size=20))
def test_no_line_brings_the_engine_down(lines: list[str], stray: bytes) -> None:
    with ThreadSession("connect4", "random") as session:
        session.send_bytes("\n".join(line for line in lines if line.split()[:1] != ["quit"]).encode(errors="replace"))
        session.send_bytes(b"\n" + stray.replace(b"quit", b"") + b"\n")
        session.send("stop", "uginewgame", "setoption name Seed value 0", "position startpos moves 4", "isready")
        session.send("query fen", "quit")
        assert session.rest()[-2:] == ["readyok", "response 4"]
    assert session.status == 0


def test_words_after_go_become_limits_and_back() -> None:
    clock = Clock(
        remaining_s=5, increment_s=0.5, move_limit_s=2, opponent_remaining_s=4, nodes=7, iterations=8, depth=9
    )
    for player in (0, 1):
        go = ugi.parse_go(ugi.go_command(clock, player).split()[1:])
        assert (go.time_s[player], go.time_s[1 - player]) == (5, 4)
        assert (go.increment_s[player], go.move_s, go.nodes, go.iterations, go.depth) == (0.5, 2, 7, 8, 9)
    assert ugi.parse_go(["nodes", "9" * 5000]).nodes == 10**18


@given(
    value=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    depth=st.none() | st.integers(0, 10**6),
    nodes=st.none() | st.integers(0, 2**53),
    pv=st.lists(st.sampled_from("1234567")),
)
def test_what_an_agent_tells_arrives(value: float | None, depth: int | None, nodes: int | None, pv: list[str]) -> None:
    info = SearchInfo(value, depth, nodes, tuple(pv))
    words = ugi.info_line(info, 1.5).split()
    assert words[:3] == ["info", "time", "1500"]
    assert ugi.parse_info(words[1:]) == (None if info == SearchInfo() else info)


def test_a_position_goes_over_the_wire(start: State) -> None:
    state = start
    line: list[str] = []
    while not state.is_terminal and len(line) < 12:
        if state.is_chance:
            line.append("#0")
            state = state.resolve(0)
        else:
            line.append(str(state.legal_moves[-1]))
            state = state.play(line[-1])
    position, moves = ugi.parse_position(ugi.position_command(start.position, line).split()[1:])
    assert ugi.follow(new(start.spec, position), moves) == state
    with pytest.raises(JouteError):
        ugi.follow(start, [*line, "nonsense"])


def test_the_plain_example_plays_by_the_rules() -> None:
    state = new("connect4")
    line: list[str] = []
    with ProcessSession(str(ROOT / "examples" / "plain_agent.py")) as session:
        session.send("ugi", "isready")
        assert session.until("ugiok")
        assert session.until("readyok") == ["readyok"]
        while not state.is_terminal:
            wins = state.winning_moves
            line.append(session.ask(ugi.position_command(None, line), "go p1time 1000 p2time 1000"))
            state = ugi.follow(state, line[-1:])
            assert state.is_terminal or not wins
        assert session.ask("position fen 1212 moves 1 2", "go") == "1"  # its own three before theirs
        assert session.ask("position startpos moves 1 2 1 2 1", "go") == "1"
        session.send("quit")
        assert session.end() == (0, "")
