"""``joute tournament``: changes of a tournament that has begun, a watched folder, and the ends of a run."""

from __future__ import annotations

import contextlib
import io
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from joute.arena import ladder
from joute.arena.ladder import Candidate, Ladder
from joute.arena.plan import make_plan
from joute.arena.pool.venue import HERE, Venue
from joute.arena.store.growing import AgentCheck
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.cli import command_line, tournament_live, tournament_watch

pytestmark = pytest.mark.usefixtures("one_worker")

GOOD = "def choose(state, clock): return state.legal_moves[0]\n"
BAD = "def choose(state, clock): return stat.legal_moves[0]\n"


def run(*words: str, status: int = 0) -> str:
    """The output of ``joute tournament``."""
    result = CliRunner().invoke(command_line("tournament"), ["tournament", *words])
    assert result.exit_code == status, result.output
    return " ".join(result.output.split())


def agents(path: Path) -> tuple[list[str], list[str]]:
    """The agents that play, and those that play no more."""
    with Store.read(path) as store:
        names = [entrant.name for entrant in store.plan.entrants]
        return [names[index] for index in store.plan.playing], [names[index] for index in sorted(store.plan.retired)]


def test_a_tournament_grows_by_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("connect4", "greedy", "random", "mcts:iterations=3", "--db", "class.db", "--openings", "start")
    changes = [
        "--add",
        "mcts:iterations=5",
        "--replace",
        "random=mcts:iterations=4@9",
        "--withdraw",
        "mcts:iterations=3",
    ]
    told = run("--db", "class.db", *changes)
    assert agents(Path("class.db")) == (["greedy", "random", "mcts:iterations=5"], ["random (v1)", "mcts:iterations=3"])
    assert "6 of 12 games left" in told
    assert "6 games in" in told
    assert "2 agents without a rank play no more" in told
    assert "to play it again: joute tournament --from class.db --db class-2.db" in told
    with Store.read(Path("class.db")) as store:
        assert store.numbers() == list(range(12))
        assert store.plan.entrants[3].clock == "9"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--add", "greedy"], "--add needs the file of the tournament"),
        (["--db", "t.db", "--games", "+0"], "is not a number of games"),
        (["--db", "t.db", "--games", "many"], "is not a number of games"),
        (["connect4", "--db", "t.db", "--add", "greedy"], "--add does not take connect4"),
        (["--db", "t.db", "--games", "+2", "--clock", "5", "--resume"], "does not take --clock --resume"),
        (["--db", "t.db", "--add", "greedy"], "there is no file t.db"),
        (["connect4", "--watch", "."], "--watch needs the file of the ladder"),
        (["--watch", ".", "--db", "t.db"], "name the game"),
        (["connect4", "--watch", ".", "--db", "t.db", "--no-frozen"], "omit --no-frozen"),
        (["class.toml", "--watch", ".", "--db", "t.db"], "not a TOML file"),
        (["connect4", "--watch", "there_is_none", "--db", "t.db"], "there is no folder"),
        (["connect4", "greedy", "random", "--once"], "does not take --once"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    # Typer draws a frame around errors about options.
    assert message in run(*words, status=2).replace(" │ │ ", " ")


def test_sigterm_ends_a_tournament_with_its_table_and_the_command_to_resume_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(Tournament, "play", lambda *_, **__: signal.raise_signal(signal.SIGTERM))
    told = run("connect4", "greedy", "random", "--openings", "start", "--db", str(tmp_path / "t.db"), status=143)
    assert "no game is finished yet stopped after 0 of 2 games, which are kept" in told
    assert f"to go on: joute tournament --resume --db {tmp_path}" in told
    assert told.endswith("joute: terminated")
    assert signal.getsignal(signal.SIGTERM) is before


def test_progress_is_a_line_now_and_then_if_the_output_is_no_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    @contextlib.contextmanager
    def lines(text: Callable[[], str]) -> Iterator[None]:
        told.append(text())
        yield

    monkeypatch.setattr(tournament_live, "progress_lines", lines)
    plan = make_plan("connect4", ["greedy", "random"], openings="start")
    with Tournament.create(plan, tmp_path / "t.db") as made:
        for is_terminal, quiet in ((True, False), (False, True), (False, False)):
            out = Console(file=io.StringIO(), force_terminal=is_terminal)
            with tournament_live.Progress(out, made, quiet=quiet):
                pass
    assert told == ["playing the first of 2 games, 0:00:00 so far"]


def checked(self: Ladder, candidate: Candidate, digest: str) -> AgentCheck:
    """A substitute for the admission test, which starts processes."""
    fails = BAD in candidate.files[0].read_text()
    return AgentCheck(digest, not fails, "crash: NameError" if fails else "")


def test_a_watched_folder_is_checked_played_and_reported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ladder, "SETTLE_S", 0.0)
    monkeypatch.setattr(tournament_watch, "_LOOK_S", 0.0)
    monkeypatch.setattr(Ladder, "_checked", checked)
    Path("students").mkdir()
    Path("students/anna.py").write_text(GOOD)
    Path("students/ben.py").write_text(BAD)
    words = ["--watch", "students", "--db", "ladder.db", "--once"]
    told = run("connect4", "greedy", *words, "--openings", "start", "--concurrency", "1")
    assert "anna joins" in told
    assert "ben fails its check, and does not play: crash: NameError" in told
    assert "2 games played" in told
    assert "to go on: joute tournament --watch students --db ladder.db" in told
    assert Path("ladder.html").read_text().count("anna") > 0
    again = run(*words)
    assert "joins" not in again
    assert "fails" not in again
    assert "played" not in again


@contextlib.contextmanager
def signals_replaced(_: str) -> Iterator[Venue]:
    """This machine; handlers of signals are replaced, as Ray does."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        yield HERE
    finally:
        signal.signal(signal.SIGTERM, before)


def test_sigterm_ends_a_watch_on_a_cluster_with_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("joute.arena.cluster.venue.cluster_at", signals_replaced)
    monkeypatch.setattr("joute.cli.tournament_watch.time.sleep", lambda _: signal.raise_signal(signal.SIGTERM))
    Path("students").mkdir()
    told = run("connect4", "--watch", "students", "--db", "t.db", "--once", "--ray", "there:6379", status=143)
    assert "stopped; to go on: joute tournament --watch students --db t.db --ray there:6379" in told
