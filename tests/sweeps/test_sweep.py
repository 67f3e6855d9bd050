"""Sweeps: the same openings for all settings, one database, the same games after an interruption."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import joute
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.cli import command_line
from joute.errors import JouteError, SpecError
from joute.sweeps.grid import Grid
from joute.sweeps.page import sweep_page
from joute.sweeps.sweep import SweepResult, default_path, open_sweep, result_of, sweep_plan

SPEC = "mcts:c={0.5,1},iterations={2..20/2}"
GAMES = 6


class StopError(Exception):
    """Stops a sweep between two games."""


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[SweepResult, Path]:
    """A sweep that was stopped after three games and went on."""
    path = tmp_path_factory.mktemp("sweep") / "sweep.db"

    def stop(so_far: SweepResult) -> None:
        if so_far.games == 3:
            raise StopError

    with pytest.raises(StopError):
        joute.sweep("connect4", SPEC, against="random", games=GAMES, db=path, concurrency=1, on_game=stop)
    return joute.sweep("connect4", SPEC, against="random", games=GAMES, db=path, concurrency=1), path


def test_a_stopped_sweep_goes_on_without_losing_or_repeating_a_game(swept: tuple[SweepResult, Path]) -> None:
    result, path = swept
    assert result.games == result.games_in_all == 4 * GAMES
    assert [each.match.games for each in result.settings] == [GAMES] * 4
    with Store.read(path) as store:
        assert store.numbers() == list(range(4 * GAMES))
        sessions = store._connection.execute("SELECT count(DISTINCT session) FROM games").fetchone()[0]
    assert sessions == 2


def test_all_settings_play_the_same_openings_with_both_colours(swept: tuple[SweepResult, Path]) -> None:
    _, path = swept
    openings: dict[str, list[tuple[str, str]]] = {}
    with Store.read(path) as store:
        for record in store.records():
            setting = next(name for name in record.players if name != "random")
            colour = "first" if record.players[0] == setting else "second"
            openings.setdefault(setting, []).append((record.start, colour))
    expected = next(iter(openings.values()))
    assert len(openings) == 4
    assert len({start for start, _ in expected}) == GAMES // 2
    assert all(sorted(each) == sorted(expected) for each in openings.values())


def test_the_result_is_a_table_a_page_and_a_data_frame(swept: tuple[SweepResult, Path]) -> None:
    result, _ = swept
    frame = result.to_frame()
    assert list(frame["c"]) == [0.5, 0.5, 1, 1]
    assert list(frame["iterations"]) == [2, 20, 2, 20]
    assert frame["iterations"].dtype.kind == "i"
    assert list(frame["setting"]) == [each.setting.agent for each in result.settings]
    assert list(frame["score"]) == [each.match.score for each in result.settings]
    assert str(result).splitlines()[0].split()[:2] == ["c", "iterations"]
    assert "together with 95% confidence" in str(result)
    assert result._repr_html_().count("<tr>") == 5
    assert (html := sweep_page(result)).count('class="line s') >= 4
    assert "simultaneous 95% intervals" in html


def test_intervals_are_wider_than_those_of_single_matches(swept: tuple[SweepResult, Path]) -> None:
    for each in swept[0].settings:
        (low, high), (alone_low, alone_high) = each.interval, each.match.interval
        assert high - low > alone_high - alone_low


def test_another_sweep_in_the_same_file_is_refused_with_the_difference(swept: tuple[SweepResult, Path]) -> None:
    _, path = swept
    for changes, sentence in (
        ({"games": 8}, "games is 6 there and 8 here"),
        ({"seed": 1}, "seed is 0 there and 1 here"),
        ({"agent": "mcts:c={1,2}"}, "holds another tournament"),
    ):
        wanted: dict[str, Any] = {"agent": SPEC, "games": GAMES, "db": path, **changes}
        with pytest.raises(SpecError, match=sentence):
            joute.sweep("connect4", wanted.pop("agent"), against="random", **wanted)


def test_the_command_shows_a_finished_sweep_again(swept: tuple[SweepResult, Path]) -> None:
    result, path = swept
    words = ["sweep", "connect4", SPEC, "--against", "random", "--games", str(GAMES), "--db", str(path)]
    told = CliRunner().invoke(command_line("sweep"), [*words, "--json"], catch_exceptions=False)
    assert told.exit_code == 0
    data = json.loads(told.stdout)
    assert data["verdict"] == result.verdict
    assert [each["score"] for each in data["settings"]] == [each.match.score for each in result.settings]
    assert path.with_suffix(".html").read_text().startswith("<!doctype html>")
    shown = CliRunner().invoke(command_line("sweep"), words, catch_exceptions=False)
    assert str(result.table) in shown.stdout
    assert result.verdict in shown.stdout


def test_a_sweep_without_a_file_has_a_name_of_its_own_that_concurrency_does_not_change() -> None:
    def name(spec: str = SPEC, **settings: Any) -> Path:
        return default_path(sweep_plan("connect4", Grid.parse(spec), "random", **settings))

    assert name() == name(concurrency=2)
    assert len({name(), name(games=8), name(seed=1), name("mcts:c={1,2}")}) == 4


def test_mistakes_are_sentences(tmp_path: Path) -> None:
    cases: tuple[tuple[str, dict[str, Any], str], ...] = (
        (SPEC, {"games": 3}, "games must be even, not 3"),
        ("mcts:cc={1,2}", {}, "no parameter 'cc'"),
        ("mcts:c={1,-2}", {}, "c must be a number"),
    )
    for spec, settings, sentence in cases:
        with pytest.raises(SpecError, match=sentence):
            joute.sweep("connect4", spec, against="random", db=tmp_path / "s.db", **settings)
    assert not list(tmp_path.iterdir())
    (tmp_path / "notes.txt").write_text("not a database")
    with pytest.raises(JouteError, match=r"notes\.txt"):
        joute.sweep("connect4", SPEC, against="random", db=tmp_path / "notes.txt")


def test_a_page_that_cannot_be_written_is_refused_before_the_first_game(tmp_path: Path) -> None:
    (tmp_path / "thesis.html").write_text("mine")
    words = ["sweep", "connect4", SPEC, "--against", "random", "--db", str(tmp_path / "s.db"), "-o"]
    for page in (tmp_path / "thesis.html", tmp_path / "nowhere" / "sweep.html"):
        assert CliRunner().invoke(command_line("sweep"), [*words, str(page)]).exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.html"]


def test_braces_that_the_shell_expanded_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sweep", "connect4", "mcts:c=1", "mcts:c=2", "--against", "random"]
    told = CliRunner().invoke(command_line("sweep"), words)
    assert told.exit_code == 2
    assert "single quotes" in told.output + capsys.readouterr().err


def test_a_sweep_before_its_first_game_rules_nobody_out(tmp_path: Path) -> None:
    grid = Grid.parse(SPEC)
    with open_sweep(sweep_plan("connect4", grid, "random"), tmp_path / "s.db") as made:
        result = result_of(made, grid)
    assert all(each.may_be_best and each.interval == (0.0, 1.0) for each in result.settings)
    assert result.verdict == "no game is finished yet"
    assert str(result)


def test_sigterm_ends_a_sweep_like_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tournament, "play", lambda *_, **__: signal.raise_signal(signal.SIGTERM))
    words = ["sweep", "connect4", SPEC, "--against", "random", "--db", str(tmp_path / "s.db")]
    told = CliRunner().invoke(command_line("sweep"), words)
    assert told.exit_code
    assert "stopped after 0 of 400 games, which are kept; to go on: joute sweep connect4" in told.output


def test_forfeits_are_told_with_a_reason_and_end_the_command_with_status_1(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def choose(state, clock):\n    return state.legal_mvoes[0]\n")
    spec, path = f"{{random,{tmp_path}/broken.py}}", tmp_path / "s.db"
    words = ["sweep", "connect4", spec, "--against", "greedy", "--games", "2", "--concurrency", "1", "--db", str(path)]
    shown = CliRunner().invoke(command_line("sweep"), words, catch_exceptions=False)
    assert shown.exit_code == 1
    assert "broken forfeited 2 of 2 games: 2 crash, for example game 3: AttributeError" in shown.stdout
    assert "Did you mean: 'legal_moves'? (broken.py:2)" in shown.stdout
