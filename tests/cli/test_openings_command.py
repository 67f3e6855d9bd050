"""``joute openings``: a set that a match can use, and files that it does not replace."""

from __future__ import annotations

from pathlib import Path

from commands import joute, ok

WORDS = ("openings", "connect4", "--count", "3", "--judge", "mcts:iterations=200", "--tolerance", "0.2")


def test_a_set_is_written_for_matches_and_written_anew(tmp_path: Path) -> None:
    out = tmp_path / "set.txt"
    text = ok(*WORDS, "--out", str(out))
    assert "3 openings of " in text
    assert f"joute match connect4 A B --openings {out}" in text
    head, *lines = out.read_text().splitlines()
    assert head.startswith("# Balanced openings of connect4")
    assert "# judge: mcts:iterations=200, advantage within 0.2 of +0" in lines
    assert sum(not line.startswith("#") for line in lines) == 3
    before = out.read_text()
    ok(*WORDS, "--out", str(out))
    assert out.read_text() == before


def test_another_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "essay.txt").write_text("my essay\n")
    done = joute(*WORDS, "--out", str(tmp_path / "essay.txt"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "exists and is not a set of openings; choose another file, or replace it with --force" in done.stderr
    assert (tmp_path / "essay.txt").read_text() == "my essay\n"
