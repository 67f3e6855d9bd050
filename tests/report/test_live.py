"""Live reports: written again while games finish, and plain pages after the last game."""

from __future__ import annotations

from pathlib import Path

import pytest
from report_samples import invoke, record, stored

from joute.arena.plan import make_plan
from joute.arena.tournament import Tournament
from joute.errors import JouteError
from joute.report import live


def is_live(page: Path) -> bool:
    return '<body data-live-s="5">' in page.read_text()


def test_a_page_is_live_until_the_last_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db, page = tmp_path / "t.db", tmp_path / "t.html"
    with Tournament.create(make_plan("connect4", ["random", "greedy"], games=4), db) as made:
        live.write_page(db, page, live=True)
        assert is_live(page)
        assert "0 of 4 games" in page.read_text()
        written = live.follow(db, page)
        assert len(next(written).games) == 0
        monkeypatch.setattr("joute.report.live.sleep", lambda seconds: made.play())  # the games finish while it waits
        assert [len(report.games) for report in written] == [4]
    assert not is_live(page)
    assert "loads itself again" not in page.read_text()


def test_a_page_that_is_no_longer_written_does_not_wait_for_more(tmp_path: Path) -> None:
    db, page = tmp_path / "t.db", tmp_path / "t.html"
    with Tournament.create(make_plan("connect4", ["random", "greedy"], games=4), db):
        written = live.follow(db, page)
        next(written)
        assert is_live(page)
        written.close()
        assert not is_live(page)


def test_a_live_report_replaces_no_other_file(tmp_path: Path) -> None:
    page = tmp_path / "t.html"
    page.write_text("my notes")
    with (
        stored(tmp_path, ["a", "b"], [((0, 1), record(1))]) as store,
        pytest.raises(JouteError, match="is not a report"),
    ):
        next(live.follow(store.path, page))
    assert page.read_text() == "my notes"


def test_the_command_ends_with_the_tournament(tmp_path: Path) -> None:
    with stored(tmp_path, ["a", "b"], [((0, 1), record(1))]) as store:
        done = invoke(store.path, "--live", "-o", tmp_path / "r.html")
    assert done.output.splitlines()[-1].endswith("r.html: 1 game, the last one")
    assert not is_live(tmp_path / "r.html")
