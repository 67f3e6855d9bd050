"""Fitted data: fingerprints change with the engine, stale files are told, and the commands make them anew."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from commands import joute

from joute.errors import SpecError
from joute.fits.fitted import Fitted, Freshness, fitted_data
from joute.match.signature import fingerprint
from joute.plugins import all_rooms

OURS = [each for name, room in all_rooms().items() if room.is_ours for each in fitted_data(name)]


@pytest.mark.parametrize("fitted", OURS, ids=lambda each: f"{each.game}-{each.kind}")
def test_data_are_fitted_with_the_engine_of_today(fitted: Fitted) -> None:
    """Stale data still work, so they do not fail the build; the report of the tests names them."""
    assert fitted.path.is_file()
    if fitted.freshness is not Freshness.FRESH:
        pytest.xfail(f"{fitted.kind} of {fitted.game} are {fitted.freshness.value}: make refit")


def test_every_game_has_its_kinds_in_the_order_of_their_use() -> None:
    for game in {each.game for each in OURS}:
        kinds = [each.kind for each in OURS if each.game == game]
        assert kinds in (["openings", "win probabilities", "levels"], ["openings", "levels"])


@pytest.mark.parametrize("fitted", OURS, ids=lambda each: f"{each.game}-{each.kind}")
def test_the_command_that_makes_data_anew_names_the_file(fitted: Fitted) -> None:
    command = {"openings": "openings", "win probabilities": "calibrate", "levels": "levels"}[fitted.kind]
    assert fitted.command[:2] == (command, fitted.game)
    assert fitted.command[-1] == str(fitted.path)
    assert "--seed" in fitted.command


def test_a_fingerprint_depends_on_agents_and_on_what_else_is_named() -> None:
    one = fingerprint("connect4", ["alphabeta:depth=2", "alphabeta:depth=9"])
    assert one == fingerprint("connect4", ["alphabeta"])
    assert len({one, fingerprint("connect4", ["mcts"]), fingerprint("connect4", ["alphabeta", "mcts"])}) == 3
    assert fingerprint("connect4", ["alphabeta"], also="a slope") != one
    assert fingerprint("connect4", ["alphabeta:eval=centre"]) != one


def test_a_fingerprint_changes_with_the_values_of_an_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    from joute.agents import alphabeta

    before = fingerprint("connect4", ["alphabeta"])
    from joute.agents.search import evaluation_of

    monkeypatch.setattr(alphabeta, "evaluation_of", lambda text, game: evaluation_of("centre", game))
    assert fingerprint("connect4", ["alphabeta"]) != before


def test_a_game_without_a_benchmark_has_a_fingerprint() -> None:
    assert len(fingerprint("dice", ["mcts"])) == 8


def fitted_in(path: Path, text: str) -> Fitted:
    path.write_text(text)
    return Fitted("connect4", "levels", path, ("greedy",), ("levels", "connect4"))


@pytest.mark.parametrize("form", ["# fingerprint: {}\n", 'fingerprint = "{}"\n', "x\n# fingerprint: {}\ny\n"])
def test_the_state_of_a_file_follows_from_its_fingerprint(form: str, tmp_path: Path) -> None:
    path, today = tmp_path / "data", fingerprint("connect4", ["greedy"])
    assert fitted_in(path, form.format(today)).freshness is Freshness.FRESH
    assert fitted_in(path, form.format("00000000")).freshness is Freshness.STALE
    assert fitted_in(path, form.format("none")).freshness is Freshness.UNKNOWN
    assert replace(fitted_in(path, ""), path=tmp_path / "gone").freshness is Freshness.MISSING


def test_refit_lists_the_data_of_a_game() -> None:
    run = joute("refit", "--game", "connect4")
    assert "openings" in run.stdout
    data = json.loads(joute("refit", "--game", "connect4", "--json").stdout)["data"]
    assert [each["kind"] for each in data] == ["openings", "levels"]
    assert {each["state"] for each in data} <= {"fresh", "stale", "unknown"}


def test_refit_runs_the_commands_of_stale_data_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess

    from joute.fits import fitted

    today = fingerprint("connect4", ["greedy"])
    fresh = fitted_in(tmp_path / "fresh", f"# fingerprint: {today}\n")
    stale = replace(fitted_in(tmp_path / "stale", "# fingerprint: 00000000\n"), command=("levels", "stale"))
    monkeypatch.setattr(fitted, "fitted_data", lambda game: [fresh, stale])
    ran: list[list[str]] = []

    def run(words: list[str], check: bool) -> subprocess.CompletedProcess[bytes]:
        ran.append(words[3:])
        return subprocess.CompletedProcess(words, 7 if len(ran) == 3 else 0)

    monkeypatch.setattr(subprocess, "run", run)
    joute("refit", "--run")
    assert ran == [["levels", "stale"]]
    joute("refit", "--run", "--all")
    assert ran[1:] == [["levels", "connect4"], ["levels", "stale"]]
    joute("refit", "--run", "--jobs", "3")
    assert ran[-1] == ["levels", "stale", "--jobs", "3"]
    assert joute("refit").stdout.count("to make them anew: ") == 1


def test_refit_of_an_unknown_game_is_refused() -> None:
    with pytest.raises(SpecError, match="unknown game"):
        list(fitted_data("chess"))
