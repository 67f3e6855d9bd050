"""The positions that a shallow search misjudges, and the tool that collects them and measures errors on them."""

from __future__ import annotations

from pathlib import Path

import pytest
import wall_fights
from wall_fights import HALVES, Fight, collect, measure, read, suspects

from joute.errors import JouteError
from joute.games.quoridor.state import Quoridor


def test_the_fights_differ_between_shallow_and_deep_and_no_game_is_in_both_halves() -> None:
    fights = read()
    assert len(fights) >= 200
    games = {half: {each.game for each in fights if each.half == half} for half in HALVES}
    assert games["tune"].isdisjoint(games["test"])
    assert min(map(len, games.values())) > 50
    for each in fights:
        assert abs(each.shallow - each.deep) > 0.29  # rounded
        assert sum(Quoridor(each.position).walls_in_hand) > 0


def test_suspects_lie_before_the_largest_changes_and_apart() -> None:
    state = Quoridor()
    values = [0.5] * 10 + [0.9] * 10 + [0.6] * 3
    chosen = suspects([(state, value) for value in values])
    assert [value for _, value in chosen] == [0.5, 0.5, 0.9]  # no change lies before the fourth, and at most three
    assert not suspects([(state, 0.5 + ply / 100) for ply in range(20)])


def test_the_error_of_an_agent_is_its_distance_from_the_deep_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    won, start = "//e8b5/10-10/20", "//e1e9/10-10/0"
    lines = [Fight("tune", 1, won, 0.5, 0.0), Fight("tune", 2, won, 0.5, 1.0), Fight("test", 3, start, 0.9, 0.1)]
    file = tmp_path / "fights.txt"
    file.write_text("\n".join(["# made by hand", *(each.line() for each in lines)]), encoding="utf-8")
    measure(["quoridor", "quoridor:hints=0"], "tune", "nodes=500", "", file)
    first, one, other = capsys.readouterr().out.splitlines()
    assert first == "2 positions of the half tune"
    assert one == "quoridor:nodes=500: mean error 0.500 ± 0.693, 50.0% above 0.3"
    assert other.endswith("difference from the first 0.000 ± 0.000")
    measure(["quoridor"], "tune", "nodes=500", "quoridor:nodes=600", file)
    assert "mean error 0.000 ± 0.000" in capsys.readouterr().out


def test_a_file_that_is_damaged_or_empty_is_refused_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "fights.txt"
    file.write_text("tune 1 //e8b5/10-10/20 0.5", encoding="utf-8")
    with pytest.raises(JouteError, match="is not a half, game, position, and two values"):
        read(file)
    file.write_text("", encoding="utf-8")
    with pytest.raises(JouteError, match="has no positions of the half tune"):
        measure(["quoridor"], "tune", "nodes=500", "", file)


def test_a_collection_goes_on_where_it_ended_and_refuses_the_file_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wall_fights, "_LEAST_SWING", 0.02)
    monkeypatch.setattr(wall_fights, "_LEAST", 0.0)
    whole, parts = tmp_path / "whole.txt", tmp_path / "parts.txt"
    quick = ("quoridor:nodes=100,memory_mb=1", "quoridor:nodes=200,memory_mb=1")
    collect(*quick, 3, 5, whole)
    text = whole.read_text(encoding="utf-8")
    assert {each.game for each in read(whole)} == {1, 2, 3}
    parts.write_text("".join(line for line in text.splitlines(keepends=True) if " 3 " not in line[:9]))
    collect(*quick, 3, 5, parts)
    assert parts.read_text(encoding="utf-8") == text
    with pytest.raises(JouteError, match="made by another command"):
        collect(*quick, 3, 6, parts)
