"""How a tournament is shown: it fits the terminal, hides nothing in silence, and says who forfeited why."""

from __future__ import annotations

import io
import itertools
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from joute._core import Result
from joute.arena.hints import hint
from joute.arena.plan import make_plan
from joute.arena.players.isolation import limits_in_words, limits_kind
from joute.arena.schedules.fixed import RoundRobin
from joute.arena.schedules.knockout import Knockout
from joute.arena.schedules.schedule import Pairing
from joute.arena.standings import Standings
from joute.arena.store.store import Store, StoreError
from joute.cli import command_line
from joute.cli.common import shortened
from joute.cli.tournament_live import Progress
from joute.cli.tournament_table import as_data, command_again, notes, print_table
from joute.match import GameRecord, MoveRecord, Reason
from joute.match.record import forfeit

LONG = [(f"mcts:iterations={count},c=1", "", "") for count in range(1000, 1030)]


def terminal(width: int, height: int) -> Console:
    return Console(
        width=width,
        height=height,
        force_terminal=True,
        color_system=None,
        file=io.StringIO(),
        markup=False,
        highlight=False,
    )


def made(path: Path, agents: Any, *, games: int = 2) -> Any:
    """A tournament of which no game is played; what is shown needs no workers."""
    plan = make_plan("connect4", agents, games=games)
    store = SimpleNamespace(
        path=path,
        command="joute tournament class.toml",
        note="",
        openings=("",),
        versions=lambda: ("0.1",),
        kinds=tuple(source.kind for source in plan.sources()),
    )
    return SimpleNamespace(
        plan=plan,
        store=store,
        standings=Standings(plan),
        schedule=RoundRobin(len(agents), games),
        length=RoundRobin(len(agents), games).most_games,
        results={},
        workers=1,
        workers_note="",
        plays_here=True,
        nodes=[],
        is_finished=False,
        unplayed=[],
    )


def record(result: Result, reason: Reason = Reason.NORMAL, detail: str = "", moves: int = 8) -> GameRecord:
    played = tuple(MoveRecord(ply % 2, str(1 + ply % 7), 0.01) for ply in range(moves))
    return GameRecord("connect4", "", ("", ""), 0, played, result, reason, detail)


def play_all(tournament: Any) -> None:
    for pairing in tournament.schedule.pairings({}):
        tournament.standings.add(pairing, record(Result(1, decided_by="four in a row"), moves=8 + pairing.number % 30))


def lines_of(out: Console, shown: Any) -> list[str]:
    with out.capture() as capture:
        out.print(shown)
    return capture.get().splitlines()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 10), (160, 45), (80, 5), (20, 24)])
def test_the_live_view_is_no_larger_than_the_terminal_and_begins_with_the_progress(
    tmp_path: Path, width: int, height: int
) -> None:
    tournament = made(tmp_path / "t.db", LONG)
    out = terminal(width, height)
    with Progress(out, tournament, quiet=False) as progress:
        play_all(tournament)
        progress.update()
    lines = lines_of(terminal(width, height), progress.view())
    assert len(lines) <= height - 1
    assert all(len(line) <= width for line in lines)
    assert lines[0].startswith("870 of 870 games"[: width - 1])
    if height > 5:
        rows = [line for line in lines if line.split()[0].isdigit()][1:]
        assert len(rows) == min(30, height - 5)
        hidden = 30 - (height - 5)
        assert (lines[-1].strip() == f"and {hidden} more") == (hidden > 0)


def test_progress_shows_no_total_if_the_number_of_games_is_unknown(tmp_path: Path) -> None:
    tournament = made(tmp_path / "t.db", LONG[:4], games=1)
    tournament.schedule, tournament.length = Knockout(4, 1), None
    now = iter((0.0, 10.0, 10.0, 10.0, 10.0))
    with Progress(terminal(80, 24), tournament, quiet=True, now=lambda: next(now)) as progress:
        tournament.standings.add(Pairing(0, (0, 1), 0), record(Result(1)))
        progress.update()
    assert progress.progress() == "1 of at most 15 games, 6.0 games/min, 0:00:10 so far, at most 0:02:20 left"
    tournament.length = 3
    assert progress.progress().endswith("1 of 3 games, 6.0 games/min, 0:00:10 so far, 0:00:20 left")


def test_narrow_terminals_lose_columns_before_names() -> None:
    from joute.cli.tournament_table import standings_table

    def header(width: int, agents: Any) -> str:
        tournament = made(Path("t.db"), agents)
        play_all(tournament)
        out = terminal(width, 24)
        return lines_of(out, standings_table(out, tournament.standings.table))[1]

    assert "95% interval" in header(100, LONG[:3])
    assert "95% interval" not in header(66, LONG[:3])
    assert "time/move" in header(66, LONG[:3])
    assert "time/move" not in header(50, LONG[:3])
    assert "95% interval" in header(80, ["greedy", "random"])


def test_names_keep_what_distinguishes_them() -> None:
    names = [f"mcts:iterations=1000,c={c},final_move=visits" for c in (1, 2)]
    short = shortened(names, 26)
    assert len(set(short)) == 2
    assert all(len(name) <= 26 and "…" in name for name in short)
    assert shortened(["greedy", "two\nlines"], 20) == ["greedy", "two\\nlines"]
    assert shortened(["棋" * 10], 9) == ["棋棋…棋棋"]


def test_the_progress_says_what_is_known(tmp_path: Path) -> None:
    now = 0.0
    tournament = made(tmp_path / "t.db", ["greedy", "random"], games=4)
    progress = Progress(terminal(80, 24), tournament, quiet=False, now=lambda: now)
    now = 3.0
    assert progress.progress() == "playing the first of 4 games, 0:00:03 so far"
    assert len(lines_of(terminal(80, 24), progress.view())) == 1  # no table of zeros
    now = 60.0
    tournament.standings.add(Pairing(0, (0, 1), 0), record(Result(0)))
    progress.update()
    assert progress.progress() == "1 of 4 games, 1.0 games/min, 0:01:00 so far, 0:03:00 left"
    now = 90.0
    assert progress.progress() == "1 of 4 games, 1.0 games/min, 0:01:30 so far, 0:02:30 left"
    now = 600.0  # a game that takes long does not use up the time of those after it
    assert progress.progress().endswith("0:10:00 so far, 0:02:00 left")
    resumed = Progress(terminal(80, 24), tournament, quiet=False, now=lambda: now)
    assert resumed.progress() == "1 of 4 games played before; playing the next games, 0:00:00 so far"


def printed(tournament: Any, width: int, capsys: pytest.CaptureFixture[str]) -> str:
    out = terminal(width, 24)
    print_table(out, tournament)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue() + capsys.readouterr().out


def test_a_cross_table_is_whole_or_said_to_be_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tournament = made(tmp_path / "t.db", LONG[:8])
    play_all(tournament)
    title, missing = "points, row against column", "the cross table is too wide to show"
    wide = printed(tournament, 160, capsys)
    assert title in wide
    assert missing not in wide
    assert wide.count("1/2") == 8 * 7
    narrow = printed(tournament, 70, capsys)
    assert title not in narrow
    assert f"{missing}; this report has it: joute report {tmp_path / 't.db'}" in narrow
    assert all(line.count("…") <= 1 for line in narrow.splitlines())


def test_two_agents_get_a_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tournament = made(tmp_path / "t.db", ["greedy", "random"], games=20)
    play_all(tournament)
    assert "not distinguishable at 95%" in printed(tournament, 80, capsys)


CRASH = "ModuleNotFoundError: No module named 'torch'"


def villains(path: Path) -> Any:
    tournament = made(path, [("greedy", "Anna", ""), ("random", "Ben", ""), ("random", "Cleo", "")])
    add = tournament.standings.add
    add(Pairing(0, (0, 1), 0), record(forfeit(0), Reason.CRASH, f"Anna: {CRASH}", moves=0))
    add(Pairing(1, (1, 0), 0), record(forfeit(1), Reason.CRASH, f"Anna: {CRASH}", moves=0))
    add(
        Pairing(2, (0, 2), 0),
        record(Result(0, decided_by="forfeit"), Reason.ADJUDICATED, f"Anna: {CRASH}; Cleo died", 0),
    )
    add(Pairing(4, (1, 2), 0), record(forfeit(1), Reason.TIME, "Cleo took 3 s"))
    add(Pairing(5, (2, 1), 0), record(forfeit(0), Reason.ILLEGAL_MOVE, "Cleo: illegal move 4(int) at ply 8"))
    add(Pairing(3, (1, 2), 0), record(forfeit(1), Reason.RESIGNATION, "Cleo resigned"))
    return tournament


def test_every_agent_that_forfeited_has_a_line_with_its_reasons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(villains(tmp_path / "t.db"), 160, capsys).splitlines()
    torch = f"{CRASH} (hint: torch is not installed for this Python and is not a file beside the agent)"
    assert [line for line in text if " forfeited " in line] == [
        "Cleo forfeited 3 of 4 games: 1 adjudicated, neither agent could begin, for example game 3: died; "
        "1 time, for example game 5: took 3 s; 1 illegal move, for example game 6: illegal move 4(int) at ply 8 "
        "(hint: return one of state.legal_moves, or its text, '4', not a number)",
        f"Anna forfeited 3 of 3 games, it never started: 2 crash, for example game 1: {torch}; "
        f"1 adjudicated, neither agent could begin, for example game 3: {torch}",
    ]
    assert "ended by resignation: 1, for example game 4: Cleo resigned" in text
    assert not [line for line in text if line.startswith(("ended by crash", "ended by adjudicated"))]


def test_forfeits_are_counted_for_both_who_could_not_begin_and_the_game_is_drawn(tmp_path: Path) -> None:
    data = as_data(villains(tmp_path / "t.db"))
    rows = {row["agent"]: row for row in data["standings"]}
    assert rows["Anna"]["forfeits"] == {"crash": 2, "adjudicated": 1}
    assert rows["Cleo"]["forfeits"] == {"adjudicated": 1, "time": 1, "illegal move": 1}
    assert rows["Ben"]["forfeits"] == {}
    assert (rows["Anna"]["points"], rows["Anna"]["never_started"], rows["Cleo"]["never_started"]) == (0.5, True, False)
    example = rows["Anna"]["forfeit_examples"]["crash"]
    assert (example["game"], example["detail"]) == (1, f"Anna: {CRASH}")
    assert "torch is not installed" in example["hint"]
    assert not rows["Cleo"]["forfeit_examples"]["adjudicated"]["hint"]
    assert data["examples"] == {"resignation": "game 4: Cleo resigned"}
    assert data["reasons"] == {"crash": 2, "adjudicated": 1, "time": 1, "illegal move": 1, "resignation": 1}


def small_class(path: Path, agents: str = "ABCDEFGH", *, broken: str = "") -> Any:
    """Two games a pairing. The first in the alphabet wins, but C and D won a game each."""
    tournament = made(path, [("random", name, "") for name in agents])
    for pairing in tournament.schedule.pairings({}):
        first, second = pairing.players
        if broken and agents.index(broken) in pairing.players:
            lost = pairing.players.index(agents.index(broken))
            tournament.standings.add(pairing, record(forfeit(lost), Reason.CRASH, f"{broken}: died", moves=0))
            continue
        first_wins = first < second or {first, second} == {2, 3}
        result = Result(1 if first_wins else -1, decided_by="four in a row")
        tournament.standings.add(pairing, record(result, moves=8 + pairing.number % 30))
    return tournament


def test_a_small_class_has_finite_ratings_and_ranks_by_points(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tournament = small_class(tmp_path / "t.db")
    data = as_data(tournament)
    rows = data["standings"]
    assert [row["agent"] for row in rows] == list("ABCDEFGH")
    assert all(row["elo_low"] < row["elo"] < row["elo_high"] for row in rows)
    assert (data["elo_method"], data["ranked_by"]) == ("Bayesian", "points")
    assert data["elo_reference"] == "0 is the mean of 8 agents"
    ratings = tournament.standings.ratings()
    for above, below in itertools.combinations(range(8), 2):
        assert ratings.los[above, below] >= 0.5
    text = printed(tournament, 160, capsys)
    assert "∞" not in text
    assert "ratings: Bayesian, because the games alone do not bound all ratings; the prior is a normal" in text
    assert "rank: by points; equal points: by points in the games with each other, then Sonneborn–Berger" in text
    # One unbeaten agent after 14 games is no proof against the next one.
    assert data["verdict"].startswith("A leads with +")
    assert "not distinguishable at 95% from B" in data["verdict"]


def test_an_agent_that_never_started_has_no_rating_and_changes_no_other(tmp_path: Path) -> None:
    data = as_data(small_class(tmp_path / "t.db", broken="H"))
    alone = as_data(small_class(tmp_path / "alone.db", "ABCDEFG"))
    *others, last = data["standings"]
    assert (last["agent"], last["never_started"], last["elo"]) == ("H", True, None)
    assert data["elo_reference"] == "0 is the mean of 7 of 8 agents"
    assert data["ranked_by"] == "points"
    for row, same in zip(others, alone["standings"], strict=True):
        assert row["agent"] == same["agent"]
        assert row["points"] == same["points"] + 2
        assert row["elo"] == pytest.approx(same["elo"])


def test_the_command_to_play_it_again_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    tournament = made(tmp_path / "t.db", ["greedy", "random"])
    assert command_again(tournament) == f"joute tournament class.toml --db {tmp_path / 't-2.db'}"
    (tmp_path / "t-2.db").touch()
    assert command_again(tournament).endswith("t-3.db")


def test_notes_say_what_may_surprise(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def choose(state, clock): return state.legal_moves[0]\n")
    mine = (str(tmp_path / "mine.py"), "", "")
    assert notes(made(tmp_path / "t.db", ["greedy", "random"])) == []
    odd = notes(made(tmp_path / "t.db", [mine, ("greedy", "", "")], games=3))
    assert odd == [
        "3 games a pairing is odd, so colours are unequal",
        "no clock: an agent that takes more than 600 s for a move forfeits; --clock sets a clock",
        limits_in_words(limits_kind()),
    ]
    assert notes(made(tmp_path / "t.db", [(mine[0], "", "10"), ("greedy", "", "")])) == [limits_in_words(limits_kind())]


def test_a_full_disk_is_reported_before_the_command_to_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def add(self: Store, *_: Any, **__: Any) -> None:
        full = sqlite3.OperationalError("database or disk is full")
        full.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise StoreError(f"{self.path} cannot grow: the disk is full") from full

    monkeypatch.setattr(Store, "add_all", add)
    db = tmp_path / "t.db"
    done = CliRunner().invoke(command_line(), ["tournament", "connect4", "greedy", "random", "--db", str(db)])
    assert done.exit_code == 2
    assert done.stderr.splitlines() == [
        f"joute: {db} cannot grow: the disk is full; stopped after 0 games, which are kept; free some space, then: "
        f"joute tournament --resume --db {db}",
    ]


@pytest.mark.parametrize(
    ("detail", "advice"),
    [
        ("a: illegal move 4(int) at ply 0 of connect4", "return one of state.legal_moves, or its text, '4'"),
        ("a: illegal move None(NoneType) at ply 0 of connect4", "may lack a return statement"),
        ("a: ModuleNotFoundError: No module named 'numpy'", "numpy is not installed for this Python"),
        ("a: TypeError: A.__init__() missing 1 required positional argument: 'depth'", "created without arguments"),
        ("a: ImportError: attempted relative import with no known parent package", "without the dot"),
        ("a: EOFError: EOF when reading a line", "input() cannot read anything here"),
        ("a: TypeError: choose() takes 1 positional argument but 2 were given", "choose(self, state, clock)"),
    ],
)
def test_beginners_mistakes_get_a_hint(detail: str, advice: str) -> None:
    assert advice in hint(detail)


def test_an_unknown_error_gets_no_hint() -> None:
    assert hint("a: illegal move 9 at ply 0 of connect4") == ""
