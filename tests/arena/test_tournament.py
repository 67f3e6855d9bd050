"""Tournaments: the same games whatever happens to driver and workers; nothing that happens to a game ends them."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from commands import joute
from plugin_packages import plugin

import joute.arena.pool.blame as blame
from joute.agents import find_agent, loading
from joute.arena import plan as plan_module
from joute.arena.plan import make_plan
from joute.arena.plan_file import read_toml
from joute.arena.pool.cores import core_shares, worker_count
from joute.arena.schedules.fixed import RoundRobin
from joute.arena.store.store import Store, StoreError
from joute.arena.tournament import Tournament
from joute.cli.tournament import _end_if_incomplete
from joute.errors import JouteError, SpecError
from joute.match import GameRecord, Reason
from joute.match.game import derive_seed

PATIENCE_S = 120

FAST = ("random", "greedy", "mcts:iterations=50")


def played(path: Path, agents: Any = FAST, on_game: Any = None, **settings: Any) -> Tournament:
    game = settings.pop("game", "connect4")
    with Tournament.create(make_plan(game, agents, **settings), path) as tournament:
        tournament.play(on_game)
    return tournament


def records(path: Path) -> list[GameRecord]:
    with Store.read(path) as store:
        return list(store.records())


def essence(path: Path) -> list[tuple[Any, ...]]:
    """The games of a tournament, times aside."""
    with Store.read(path) as store:
        return [
            (
                stored.pairing,
                stored.record.seed,
                stored.record.start,
                [(move.player, move.move, move.outcomes, move.info) for move in stored.record.moves],
                stored.record.result,
                stored.record.reason,
            )
            for stored in store.games()
        ]


def table(tournament: Tournament) -> list[tuple[Any, ...]]:
    return [(row.name, row.wins, row.draws, row.losses, row.interval) for row in tournament.standings.table]


def test_a_round_robin_gives_everybody_the_same_games_and_colours() -> None:
    games = list(RoundRobin(4, 6).pairings({}))
    assert [game.number for game in games] == list(range(36)) == list(range(RoundRobin(4, 6).length({})))
    for a in range(4):
        for b in range(a):
            mine = [game for game in games if set(game.players) == {a, b}]
            assert [game.opening for game in mine] == [0, 0, 1, 1, 2, 2]
            for first, second in zip(mine[::2], mine[1::2], strict=True):
                assert first.players == second.players[::-1]
    # After any opening the table is fair: everybody has played as many games.
    for opening in range(3):
        seen = [game for game in games if game.opening <= opening]
        assert {sum(player in game.players for game in seen) for player in range(4)} == {6 * (opening + 1)}
    assert [len(list(RoundRobin(2, games).pairings({}))) for games in (1, 2, 3, 7)] == [1, 2, 3, 7]


def test_a_tournament_plays_every_game_and_counts_it(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    told: list[int] = []

    def on_game(finished: Any) -> None:
        told.append(finished.pairing.number)
        with Store.read(path) as store:  # it counts when it is on the disk
            assert {stored.pairing.number for stored in store.games()} >= set(told)

    tournament = played(path, games=6, seed=5, on_game=on_game)
    games = records(path)
    assert sorted(told) == list(range(18))
    assert [record.seed for record in games] == [derive_seed(5, number) for number in range(18)]
    assert all(record.reason is Reason.NORMAL for record in games)
    for record in games:
        *_, last = record.states()
        assert last.result == record.result
    for pair in zip(games[::2], games[1::2], strict=True):
        assert pair[0].start == pair[1].start
        assert pair[0].players == pair[1].players[::-1]
    rows = {row.name: row for row in tournament.standings.table}
    assert [row.games for row in rows.values()] == [12] * 3
    for name, row in rows.items():
        wins = sum(record.winner is not None and record.players[record.winner] == name for record in games)
        draws = sum(record.winner is None and name in record.players for record in games)
        assert (row.wins, row.draws, row.points) == (wins, draws, wins + draws / 2)
        assert row.interval[0] <= row.score <= row.interval[1]
    assert sum(row.points for row in rows.values()) == 18
    overhead_s = tournament.standings.overhead_s
    assert overhead_s is not None
    assert overhead_s > 0


def test_games_do_not_depend_on_how_many_are_played_at_once(tmp_path: Path) -> None:
    for workers in (1, 3):
        played(tmp_path / f"{workers}.db", games=4, seed=9, concurrency=workers)
    assert essence(tmp_path / "1.db") == essence(tmp_path / "3.db")
    played(tmp_path / "other.db", games=4, seed=10)
    assert essence(tmp_path / "1.db") != essence(tmp_path / "other.db")


def test_every_agent_may_have_a_clock_of_its_own(tmp_path: Path) -> None:
    agents = [("greedy", "", ""), ("random", "quick", "1/move"), ("random", "", "depth=3")]
    tournament = played(tmp_path / "t.db", agents, clock="60+0.5")
    expected = {"greedy": "60+0.5", "quick": "1/move", "random": "depth=3"}
    for record in records(tmp_path / "t.db"):
        assert record.clocks == tuple(expected[name] for name in record.players)
    assert "clock 60+0.5 (quick: 1/move, random: depth=3), margin 0.1 s" in tournament.standings.conditions


def test_an_agent_that_changes_while_the_tournament_runs_is_not_mixed_with_what_it_was(tmp_path: Path) -> None:
    agent = tmp_path / "mine.py"
    first = "def choose(state, clock):\n    return state.legal_moves[0]\n"
    agent.write_text(first)
    path = tmp_path / "t.db"

    def on_game(finished: Any) -> None:
        if finished.pairing.number == 4:
            agent.write_text("def choose(state, clock):\n    return 'nonsense'\n")

    tournament = played(path, [str(agent), "random", "greedy"], games=4, on_game=on_game)
    assert not tournament.is_finished
    assert tournament.changed == {0}
    kept = records(path)
    assert all(record.reason is Reason.NORMAL for record in kept)
    assert sum("mine" not in record.players for record in kept) == 4  # the others have played on
    with pytest.raises(StoreError, match="agent 'mine' has changed"):
        Tournament.resume(path)
    agent.write_text(first)
    with Tournament.resume(path) as resumed:
        resumed.play()
        assert resumed.is_finished
    agent.unlink()
    with Tournament.resume(path) as finished:  # whose table needs no agent
        assert finished.standings.games == 12


def test_openings_that_are_too_few_are_used_in_turn(tmp_path: Path) -> None:
    openings = tmp_path / "openings.txt"
    openings.write_text("1\n2\n3\n")
    tournament = played(tmp_path / "t.db", ["random", "greedy"], games=8, openings=str(openings))
    assert [record.start for record in records(tmp_path / "t.db")] == list("11223311")
    assert "3 positions for 4 wanted" in tournament.store.note


def test_equal_games_narrow_no_interval(tmp_path: Path) -> None:
    tournament = played(tmp_path / "t.db", ["alphabeta:nodes=0,depth=2"] * 2, games=20, openings="start")
    assert tournament.standings.distinct_games == 2
    assert tournament.standings.table[0].interval[1] - tournament.standings.table[0].interval[0] > 0.5


def test_an_agent_that_hangs_loses_its_games_and_no_others(tmp_path: Path) -> None:
    from joute.arena.players.isolation import Isolation

    hangs = "mcts:iterations=1000000000,memory_mb=16"
    plan = {"openings": "start", "games": 1, "isolation": Isolation(stall_s=0.3)}
    tournament = played(tmp_path / "t.db", ["random", hangs, "greedy"], **plan)
    assert {record.players.index(hangs) for record in records(tmp_path / "t.db") if hangs in record.players} == {0, 1}
    for record in records(tmp_path / "t.db"):
        if hangs not in record.players:
            assert record.reason is Reason.NORMAL
            continue
        assert record.reason is Reason.STALLED
        assert record.winner == 1 - record.players.index(hangs)
        assert f"{hangs} did not answer within" in record.detail
        assert len(record.moves) == record.players.index(hangs)  # what was played before it is kept
        list(record.states())
    rows = {row.name: row for row in tournament.standings.table}
    assert rows[hangs].forfeits == {"stalled": 2}
    assert not rows["greedy"].forfeits


def test_an_agent_of_ours_that_ignores_its_clock_loses_on_time(tmp_path: Path) -> None:
    slow = "perfect:book=no"  # solves the first position, which takes many seconds
    played(tmp_path / "t.db", [slow, "random"], games=1, openings="start", clock="0.1/move")
    (record,) = records(tmp_path / "t.db")
    assert (record.reason, record.winner) == (Reason.TIME, 1)


def workers_of(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent and b"joute.arena.pool.worker" in (status.parent / "cmdline").read_bytes():
                found.append(int(status.parent.name))
    return found


def cpu_s(process: int) -> float:
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) / os.sysconf("SC_CLK_TCK")
    return 0.0


@contextlib.contextmanager
def in_background(action: Callable[[], None]) -> Iterator[None]:
    thread = threading.Thread(target=action)
    thread.start()
    yield
    thread.join()


def test_a_worker_that_breaks_down_while_an_agent_thinks_costs_that_agent_the_game(tmp_path: Path) -> None:
    thinker = "mcts:iterations=1000000000,memory_mb=16"
    killed: set[int] = set()
    deadline = time.monotonic() + PATIENCE_S

    def kill_two() -> None:
        while len(killed) < 2 and time.monotonic() < deadline:
            for worker in workers_of(os.getpid()):
                if worker not in killed and cpu_s(worker) > 0.8:  # it has started, and random thinks no time
                    os.kill(worker, signal.SIGSEGV)
                    killed.add(worker)
            time.sleep(0.02)

    with in_background(kill_two):
        tournament = played(tmp_path / "t.db", [thinker, "random"], games=2, openings="start", concurrency=1)
    games = records(tmp_path / "t.db")
    assert [record.reason for record in games] == [Reason.CRASH] * 2
    assert [record.winner for record in games] == [1, 0]
    assert [len(record.moves) for record in games] == [0, 1]
    assert "the process it was thinking in was killed by SIGSEGV" in games[0].detail
    assert tournament.standings.table[1].forfeits == {"crash": 2}


def test_workers_that_are_killed_or_stopped_at_any_moment_change_no_game(tmp_path: Path) -> None:
    undisturbed = played(tmp_path / "quiet.db", games=20)
    rng = random.Random(1)
    kills = 0

    def on_game(finished: Any) -> None:
        nonlocal kills
        if finished.pairing.number % 10 == 5:
            how = (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP)[kills % 3]
            os.kill(rng.choice(workers_of(os.getpid())), how)
            kills += 1

    tournament = played(tmp_path / "t.db", games=20, on_game=on_game)
    assert tournament.is_finished
    assert tournament.standings.games == undisturbed.standings.games == 60
    pairs = zip(essence(tmp_path / "quiet.db"), essence(tmp_path / "t.db"), strict=True)
    assert kills == 6
    assert [after[0].number for before, after in pairs if before != after] == []


def test_a_game_that_is_interrupted_too_often_has_no_result_until_the_tournament_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    undisturbed = played(tmp_path / "quiet.db", games=2)
    monkeypatch.setattr(blame, "INTERRUPTIONS", 1)

    def on_game(finished: Any) -> None:
        if finished.pairing.number == 2:  # the worker has the next game already
            os.kill(workers_of(os.getpid())[0], signal.SIGKILL)

    stopped = played(tmp_path / "t.db", games=2, on_game=on_game, concurrency=1)
    (unplayed,) = stopped.unplayed
    number = unplayed.game.number
    assert number in (3, 4)  # 4 if the worker had finished game 3 just before
    assert unplayed.why == "the worker process was killed by SIGKILL, 1 time"
    assert (stopped.is_finished, stopped.standings.games) == (False, 5)
    with pytest.raises(typer.Exit):
        _end_if_incomplete(stopped, "joute tournament --resume")
    told = capsys.readouterr().err
    assert told.startswith("joute: 1 game was not played: 1 game did not get to an end, for example game ")
    with Tournament.resume(tmp_path / "t.db") as resumed:
        resumed.play()
        assert resumed.is_finished
        assert table(resumed) == table(undisturbed)
    assert essence(tmp_path / "t.db") == essence(tmp_path / "quiet.db")


def test_what_the_rules_of_a_game_do_is_no_agents_fault(tmp_path: Path) -> None:
    plugin(
        tmp_path,
        "bad-games",
        """
        import os
        from dataclasses import dataclass
        from typing import ClassVar
        from joute import State

        class Base(State):
            @classmethod
            def new(cls, position=None, rules=""): return cls(int(position or 0))
            @property
            def position(self): return str(self.count)
            @property
            def to_move(self): return self.count % 2
            @property
            def ply(self): return self.count
            @property
            def legal_moves(self): return [1]
            @property
            def result(self): return None
            def diagram(self): return self.position
            def after(self, move):
                if self.count == 3: self.fail()
                return type(self)(self.count + 1)

        @dataclass(frozen=True, repr=False)
        class Raises(Base):
            count: int = 0
            game: ClassVar[str] = "raises"
            title: ClassVar[str] = "Raises"
            def fail(self): raise ZeroDivisionError("no rule for this")

        @dataclass(frozen=True, repr=False)
        class Unlucky(Base):
            count: int = 0
            game: ClassVar[str] = "unlucky"
            title: ClassVar[str] = "Unlucky"
            @property
            def is_chance(self): return True
            @property
            def outcomes(self): raise ZeroDivisionError("a die without sides")

        @dataclass(frozen=True, repr=False)
        class Exits(Base):
            count: int = 0
            game: ClassVar[str] = "exits"
            title: ClassVar[str] = "Exits"
            def fail(self):
                print("goodbye", flush=True)
                os._exit(3)

        @dataclass(frozen=True, repr=False)
        class Garbles(Base):
            count: int = 0
            game: ClassVar[str] = "garbles"
            title: ClassVar[str] = "Garbles"
            def fail(self):
                for descriptor in range(3, 100):
                    try: os.write(descriptor, b"nonsense\\n")
                    except OSError: pass
        """,
        games={"raises": "Raises", "unlucky": "Unlucky", "exits": "Exits", "garbles": "Garbles"},
    )
    for game, detail in (
        ("raises", "the game could not be played: ZeroDivisionError: no rule for this"),
        ("unlucky", "the game could not be played: ZeroDivisionError: a die without sides"),
        ("exits", "the worker process ended with exit status 3, 2 times; it wrote: goodbye"),
        ("garbles", "the worker process sent an invalid message"),
    ):
        db = tmp_path / f"{game}.db"
        words = ("tournament", game, "random", "random", "--openings", "start", "--db", str(db))
        done = subprocess.run(
            [sys.executable, "-m", "joute", *words],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
        )
        assert done.returncode == 0, done.stderr
        rows = sqlite3.connect(db).execute("SELECT reason, outcome, detail, plies FROM games").fetchall()
        assert [row[:2] for row in rows] == [("adjudicated", 0)] * 2
        assert all(row[2].startswith(detail) for row in rows), rows
        # One that garbles what it writes may play on for a while.
        assert [row[3] for row in rows] == ([0, 0] if game == "unlucky" else [3, 3]) or game == "garbles"
        assert f"ended by adjudicated: 2, for example game 1: {detail}" in done.stdout


def test_a_game_that_workers_cannot_find_ends_the_tournament_with_a_sentence(tmp_path: Path) -> None:
    # The toy games are known to this process alone.
    with pytest.raises(JouteError, match=r"a worker cannot play this tournament: .*unknown game 'boxes'"):
        played(tmp_path / "t.db", ["random", "greedy"], game="boxes")


def test_more_games_at_once_than_cores_are_said_and_stored(tmp_path: Path) -> None:
    cores = len(os.sched_getaffinity(0))
    tournament = played(tmp_path / "t.db", games=2 * cores, concurrency=cores + 1)
    assert f"{cores + 1} games at once, but {cores} core" in tournament.workers_note
    stored = sqlite3.connect(tmp_path / "t.db").execute("SELECT workers, note FROM sessions").fetchall()
    assert stored == [(cores + 1, tournament.workers_note)]
    quiet = played(tmp_path / "quiet.db")
    assert (quiet.workers, quiet.workers_note) == (cores, "")
    hungry = make_plan("connect4", ["random", f"mcts:threads={cores}"]).sources()
    assert worker_count(hungry, 0) == (1, "")
    assert f"with agents of {cores} threads" in worker_count(hungry, cores)[1] or cores == 1


def test_workers_share_the_cores_out() -> None:
    cores = sorted(os.sched_getaffinity(0))
    assert core_shares(1) == [tuple(cores)]
    assert sorted(core for share in core_shares(len(cores)) for core in share) == cores
    assert core_shares(len(cores) + 1) == [tuple(cores)] * (len(cores) + 1)


def test_the_command_prints_a_table_and_json(tmp_path: Path) -> None:
    words = ("tournament", "connect4", *FAST, "--games", "4", "--seed", "7")
    done = joute(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (db,) = tmp_path.glob("connect4-*.db")
    assert f"kept in {db.name}" in done.stdout
    for text in ("points, row against column", "seed 7", "to play it again: joute " + " ".join(words)):
        assert text in done.stdout
    data = json.loads(joute(*words, "--db", str(tmp_path / "j.db"), "--json").stdout)
    assert (data["games"], data["finished"], data["plan"]["seed"]) == (12, True, 7)
    assert sum(row["points"] for row in data["standings"]) == 12
    assert essence(db) == essence(tmp_path / "j.db")


def test_a_toml_file_describes_a_tournament(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "starts.txt").write_text("4\n44\n")
    (folder / "mine.py").write_text("def choose(state, clock): return state.legal_moves[0]\n")
    (folder / "class.toml").write_text(
        """
        game = "connect4"
        games = 4
        seed = 11
        clock = 60
        openings = "starts.txt"
        margin_s = 1
        memory_mb = 512
        sandbox = true

        [[agents]]
        agent = "greedy"
        name = "Anna"

        [[agents]]
        agent = "mine.py"
        clock = "iterations=50"

        [[agents]]
        agent = "mine.py"
        """
    )
    plan, db = read_toml(folder / "class.toml")
    assert db == folder / "class.db"
    assert [entrant.name for entrant in plan.entrants] == ["Anna", "mine", "mine #2"]
    assert [entrant.agent for entrant in plan.entrants[1:]] == [str(folder / "mine.py")] * 2
    assert [str(plan.control(index)) for index in range(3)] == ["60", "iterations=50", "60"]
    assert (plan.games, plan.seed, plan.margin_s, plan.openings) == (4, 11, 1, str(folder / "starts.txt"))
    assert (plan.isolation.memory_mb, plan.isolation.sandbox, plan.isolation.file_mb) == (512, True, 64)


TWO = '[[agents]]\nagent = "greedy"\n[[agents]]\nagent = "random"\n'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("game = ", "is not a TOML file"),
        (TWO, "does not say which game is played"),
        ('game = "conect4"\n' + TWO, "unknown game 'conect4'; did you mean 'connect4'?"),
        ('game = "connect4"\ngame_count = 3\n' + TWO, "unknown key of {file} 'game_count'"),
        ('game = "connect4"\ngmaes = 3\n' + TWO, "'gmaes'; did you mean 'games'?"),
        ('game = "connect4"\ngames = "3"\n' + TWO, "games must be a whole number, not '3'"),
        ('game = "connect4"\ngames = true\n' + TWO, "games must be a whole number, not True"),
        ('game = "connect4"\ngames = 0\n' + TWO, "games must be at least 1, not 0"),
        ('game = "connect4"\nseed = -1\n' + TWO, "seed must be at least 0, not -1"),
        ('game = "connect4"\nclock = "fast"\n' + TWO, "'fast' is not a clock such as"),
        ('game = "connect4"\nmemory_mb = 1\n' + TWO, "memory_mb must be a whole number in 16..1048576, not 1"),
        ('game = "connect4"\nsandbox = "yes"\n' + TWO, "sandbox must be true or false, not 'yes'"),
        ('game = "connect4"\nmemory = 1\n' + TWO, "did you mean 'memory_mb'?"),
        ('game = "connect4"\nagents = [3, "greedy"]\n', "agent 1 is not a table [[agents]] and not text"),
        ('game = "connect4"\n', "needs at least two agents, not 0"),
        ('game = "connect4"\n[[agents]]\nname = "x"\n' + TWO, "agent 1 does not say what it is"),
        ('game = "connect4"\n[[agents]]\nagnt = "greedy"\n' + TWO, "agent 1 'agnt'; did you mean 'agent'?"),
        ('game = "connect4"\n[[agents]]\nagent = "gredy"\n' + TWO, "unknown agent 'gredy'; did you mean 'greedy'?"),
        ('game = "connect4"\n[[agents]]\nagent = "no.py"\n' + TWO, "there is no agent file no.py"),
        (
            'game = "connect4"\n' + TWO.replace("\n[[", '\nname = "Anna"\n[[') + 'name = "Anna"\n',
            "2 agents are named 'Anna'; names must differ",
        ),
    ],
)
def test_a_mistake_in_a_toml_file_gives_one_clear_error_and_creates_nothing(
    tmp_path: Path, text: str, complaint: str
) -> None:
    file = tmp_path / "class.toml"
    file.write_text(text)
    with pytest.raises(SpecError) as raised:
        read_toml(file)
    assert complaint.format(file=file) in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "name a game and its agents"),
        (("--db", ".", "--games", "4"), "--games +N for N more games"),
        (("connect4", "greedy"), "at least two agents, not 1"),
        (("connect4", "greedy", "gredy"), "did you mean 'greedy'?"),
        (("connect4", "greedy", "random", "--clock", "x"), "'x' is not a clock"),
        (("connect4", "greedy", "random", "--openings", "x"), "neither start, balanced nor random"),
        (("connect4", "greedy", "random", "--memory-mb", "1"), "memory_mb must be"),
        (("connect4", "greedy", "random", "--db", "no/such/t.db"), "there is no folder"),
        (("no.toml",), "no.toml cannot be read: No such file or directory"),
        (("no.toml", "greedy"), "leave out greedy"),
        (("--resume",), "--resume needs the file of the tournament"),
        (("--resume", "--db", "no.db"), "there is no file no.db"),
        (("--resume", "--db", "no.db", "--games", "3"), "leave out --games"),
    ],
)
def test_a_wrong_command_gives_one_clear_error_and_creates_nothing(
    tmp_path: Path, words: tuple[str, ...], complaint: str
) -> None:
    done = joute("tournament", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_options_change_what_a_toml_file_says(tmp_path: Path) -> None:
    (tmp_path / "class.toml").write_text('game = "connect4"\ngames = 100\nseed = 4\n' + TWO)
    done = joute("tournament", "class.toml", "--games", "2", "--stall-s", "5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "to play it again: joute tournament class.toml --games 2 --stall-s 5.0 --db" in done.stdout
    again = shlex.split(done.stdout.splitlines()[-1].removeprefix("to play it again: joute "))
    assert joute(*again, cwd=tmp_path).returncode == 0
    assert essence(tmp_path / "class-2.db") == essence(tmp_path / "class.db")
    with Store.read(tmp_path / "class.db") as store:
        assert (store.plan.games, store.plan.seed, store.plan.isolation.stall_s) == (2, 4, 5)
        assert len(list(store.records())) == 2


def test_a_spec_is_resolved_once_a_tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resolved: list[str] = []

    def counted(spec: str, *words: Any, **settings: Any) -> Any:
        resolved.append(spec)
        return find_agent(spec, *words, **settings)

    for module in (loading, plan_module):
        monkeypatch.setattr(module, "find_agent", counted)
    agents = ["random", "greedy", "mcts:iterations=5", "alphabeta:depth=2"]
    plan = make_plan("connect4", agents, openings="start")
    with Tournament.create(plan, tmp_path / "t.db") as made:
        assert made.plan is plan
    assert resolved == agents


def test_an_agent_that_went_away_after_the_plan_was_made_is_missed(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def choose(state, clock): return state.legal_moves[0]\n")
    plan = make_plan("connect4", [str(file), "random"])
    file.unlink()
    with pytest.raises(SpecError, match="there is no agent file"):
        Tournament.create(plan, tmp_path / "t.db")
    assert not list(tmp_path.iterdir())


def test_what_a_new_store_says_of_its_tournament_is_what_its_file_says(tmp_path: Path) -> None:
    agents = [("random", "A \ud800", "3/move"), ("greedy", "", "")]
    plan = make_plan("connect4", agents, games=3, seed=2**64 - 1, margin_s=1, clock="60")
    with Tournament.create(plan, tmp_path / "t.db", command="joute \ud800", note="a note") as made:
        new = made.store
        with Store.read(tmp_path / "t.db") as read:
            for name in ("plan", "schedule", "command", "note", "openings"):
                assert getattr(new, name) == getattr(read, name)


def test_a_tournament_goes_on_without_the_folder_of_its_plan_unless_agents_are_files_there(tmp_path: Path) -> None:
    """The database may have been copied from another machine."""
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "mine.py").write_text(
        "class Mine:\n    def choose(self, state, clock):\n        return state.legal_moves[0]\n"
    )
    for other, database in (("greedy", "specs.db"), ("mine.py", "files.db")):
        plan = make_plan("connect4", ["random", other], folder=folder, games=2, openings="start")
        Tournament.create(plan, tmp_path / database).close()
    shutil.rmtree(folder)
    with Tournament.resume(tmp_path / "specs.db") as tournament:
        tournament.play()
        assert tournament.store.count == 2
    with pytest.raises(SpecError, match="the folder of the tournament cannot be entered"):
        Tournament.resume(tmp_path / "files.db")
