"""The columns of the standings: one list, which every output reads."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from report_samples import tournament
from rich.console import Console

from joute.arena import columns
from joute.arena.columns import (
    COLUMNS,
    CSV,
    MARKDOWN,
    PAGE,
    REPORT_JSON,
    TERMINAL,
    TOURNAMENT_JSON,
    Column,
    Row,
    Shown,
    is_csv_header,
)
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.cli.tournament_table import as_data, print_table
from joute.errors import JouteError
from joute.report.data import make_report
from joute.report.formats import csv_report, json_report, write_report
from joute.report.html import html_report
from joute.report.markdown import markdown_report

FIRST_HEADER = "name,games,wins,draws,losses,score,elo,elo_low,elo_high"


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return tournament(tmp_path_factory.mktemp("three"), "connect4", "greedy", "random", "alphabeta:depth=2", games=4)


def add(monkeypatch: pytest.MonkeyPatch, place: int, column: Column) -> None:
    monkeypatch.setattr(columns, "COLUMNS", (*COLUMNS[:place], column, *COLUMNS[place:]))


def moves_column() -> Column:
    def moves(row: Row) -> int:
        return 10_000 + row.standing.moves

    shown = Shown("moves made", lambda row: str(moves(row)))
    return Column(
        dict.fromkeys((TERMINAL, PAGE, MARKDOWN), shown),
        {kind: {"moves_made": moves} for kind in (CSV, REPORT_JSON, TOURNAMENT_JSON)},
    )


def test_a_column_that_is_added_to_the_list_is_in_every_output(three: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    add(monkeypatch, 5, moves_column())
    out = Console(width=200, file=io.StringIO())
    three.close()
    with Tournament.resume(three.path) as made:
        print_table(out, made)
        data: dict[str, Any] = as_data(made)
    assert isinstance(out.file, io.StringIO)
    text = out.file.getvalue()
    with Store.read(three.path) as store:
        report = make_report(store)
        page, markdown, table = html_report(report, store), markdown_report(report), csv_report(report)
        values = [row["moves_made"] for row in json.loads(json_report(report, store))["agents"]]
    assert len(values) == 3
    assert values == [10_000 + row.standing.moves for row in report.agents]
    assert values == [row["moves_made"] for row in data["standings"]]
    assert "moves made" in text
    assert '<th scope="col" class="number">moves made</th>' in page
    assert "| moves made |" in markdown
    assert "moves_made" in table.splitlines()[0].split(",")
    for value in map(str, values):
        assert value in text
        assert f'<td class="number">{value}</td>' in page
        assert f"| {value} |" in markdown
        assert value in table


def test_a_narrow_terminal_drops_columns_in_the_order_that_they_say(
    three: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = Column({TERMINAL: Shown("wide and dispensable", lambda row: "x")}, dropped=-1)
    add(monkeypatch, len(COLUMNS), first)
    with Tournament.resume(three.path) as made:
        for width, is_there in ((200, True), (100, False)):
            out = Console(width=width, file=io.StringIO())
            print_table(out, made)
            assert isinstance(out.file, io.StringIO)
            assert ("wide and dispensable" in out.file.getvalue(), "time/move" in out.file.getvalue()) == (
                is_there,
                True,
            )


def test_the_csv_of_an_earlier_version_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.csv"
    path.write_text(f"{FIRST_HEADER}\nrandom,2,1,0,1,0.5,0.00,-300.00,300.00\n")
    add(monkeypatch, 5, moves_column())
    write_report(path, "new")
    assert path.read_text() == "new"


@pytest.mark.parametrize(
    "header",
    [
        "name,points",
        "name,games,wins,draws,losses,score",
        "games,name,wins,draws,losses,score,elo,elo_low,elo_high",
        f"{FIRST_HEADER},grade",
        f"grade,{FIRST_HEADER}",
        "x" * 10_000,
        '"',
        "",
    ],
)
def test_a_table_of_somebody_else_is_not_replaced(tmp_path: Path, header: str) -> None:
    path = tmp_path / "report.csv"
    path.write_text(f"{header}\nanna,6\n")
    with pytest.raises(JouteError, match="not a report of Joute's"):
        write_report(path, "new")
    assert path.read_text() == f"{header}\nanna,6\n"


def test_the_header_of_this_version_is_known(three: Store) -> None:
    with Store.read(three.path) as store:
        header = csv_report(make_report(store)).splitlines()[0]
    assert header == FIRST_HEADER
    assert is_csv_header(header)
