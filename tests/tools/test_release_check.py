"""`make release-check` finds each fault of a release: on a made-up tree that is fit to be released, and then is not."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import notebooks
import pytest
import release_check

from joute.fits.fitted import Freshness

ROOT = Path(__file__).parents[2]
CHANGELOG = """# Changelog

## [Unreleased]

## [0.2.0] - 2026-12-01

### Added

- A thing.

### Fixed

- Another.

## [0.1.0] - 2026-11-16

### Added

- The first.

[Unreleased]: ../../compare/v0.2.0...HEAD
[0.2.0]: ../../compare/v0.1.0...v0.2.0
[0.1.0]: ../../releases/tag/v0.1.0
"""
DATA = "src/joute/games/nim/data"
NOTEBOOK = {
    "cells": [{"cell_type": "code", "execution_count": 1, "outputs": [], "source": ["1 + 1"]}],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
FILES = {
    "src/joute/version.py": '__version__ = "0.2.0"\n',
    "src/joute/__init__.py": "",
    "pyproject.toml": '[project]\nname = "joute"\ndynamic = ["version"]\n',
    "CMakeLists.txt": "project(joute LANGUAGES NONE)\n",
    "CITATION.cff": "version: 0.2.0\n",
    "README.md": "pip install joute==0.2.0\n- made by Joute 0.1.0\n",
    "CHANGELOG.md": CHANGELOG,
    "REUSE.toml": '[[annotations]]\npath = "src/joute/games/*/data/*"\nSPDX-License-Identifier = "Apache-2.0"\n',
    f"{DATA}/levels.toml": '# joute levels nim --seed 1\ngame = "nim"\n',
    f"{DATA}/nim.book": "\0\1",
    f"{DATA}/nim.book.md": "`nim.book` was made by `joute book nim`. Licence: Apache-2.0.\n",
    "tools/site/build.py": "",
}
WHEEL = f"joute-0.2.0-cp{sys.version_info[0]}{sys.version_info[1]}-none-linux_{platform.machine()}.whl"

CORE = "joute/_core.abi3.so"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    ran = NOTEBOOK | {"metadata": {"joute": {"ran": notebooks.fingerprint(NOTEBOOK)}}}
    (tmp_path / "examples/notebooks").mkdir(parents=True)
    (tmp_path / "examples/notebooks/sums.ipynb").write_text(json.dumps(ran))
    (tmp_path / "dist").mkdir()
    subprocess.run("git init -q && git add .", cwd=tmp_path, shell=True, check=True)
    pack(tmp_path)
    return tmp_path


def pack(tree: Path, name: str = WHEEL, without: str = "", **more: str) -> None:
    """Write a wheel of the tree."""
    with zipfile.ZipFile(tree / "dist" / name, "w") as archive:
        for file in release_check.git_files(tree, "src/joute"):
            if file != without:
                archive.write(tree / file, file.removeprefix("src/"))
        for inside, text in {CORE: "", "joute-0.2.0.dist-info/RECORD": "", **more}.items():
            if inside != without:
                archive.writestr(inside, text)


def findings(check: str, tree: Path) -> list[str]:
    return release_check.findings_of(release_check.CHECKS[check], tree, lambda _: None)


@pytest.mark.parametrize("check", ["version", "changelog", "data", "notebooks", "size", "wheels"])
def test_a_tree_that_is_fit_for_release_passes(check: str, tree: Path) -> None:
    assert findings(check, tree) == []


@pytest.mark.parametrize(
    ("check", "file", "old", "new", "told"),
    [
        ("version", "src/joute/version.py", "0.2.0", "soon", "'soon'"),
        ("version", "CITATION.cff", "0.2.0", "0.1.0", "CITATION.cff names version 0.1.0"),
        ("version", "README.md", "==0.2.0", " 0.1.0", "README.md names Joute 0.1.0"),
        ("version", "pyproject.toml", "dynamic", 'version = "0.2.0"\ndynamic', "pyproject.toml has a version"),
        ("version", "CMakeLists.txt", "joute ", "joute VERSION 0.2.0 ", "CMakeLists.txt has a version"),
        ("changelog", "CHANGELOG.md", " - 2026-12-01", "", "no date"),
        ("changelog", "CHANGELOG.md", "2026-12-01", "2026-13-01", "no date"),
        ("changelog", "CHANGELOG.md", "2026-12-01", "2026-10-01", "not in order"),
        ("changelog", "CHANGELOG.md", "## [0.2.0] -", "## 0.2.0,", "neither"),
        ("changelog", "CHANGELOG.md", "[Unreleased]\n", "[Unreleased]\n\n### Added\n\n- More.\n", "has 1 entries"),
        ("changelog", "CHANGELOG.md", "### Fixed", "### Mended", "none of Added"),
        ("changelog", "CHANGELOG.md", "### Fixed\n\n", "### Fixed\n\n- X.\n\n### Added\n\n", "not in the order"),
        ("changelog", "CHANGELOG.md", "### Added\n\n- A", "- A", "in no section"),
        ("changelog", "CHANGELOG.md", "compare/v0.1.0...v0.2.0", "compare/v0.1.0...v0.3.0", "[0.2.0] links to"),
        ("changelog", "CHANGELOG.md", "[0.1.0]: ../../releases/tag/v0.1.0\n", "", "[0.1.0] links to nothing"),
        ("changelog", "src/joute/version.py", "0.2.0", "0.3.0", "the newest version is 0.2.0, not 0.3.0"),
        ("data", "REUSE.toml", "games/*/data/*", "games/*/data/*.book", "levels.toml has no licence"),
        ("data", f"{DATA}/levels.toml", "# joute levels nim --seed 1\n", "", "does not say in its first lines"),
        ("data", f"{DATA}/nim.book.md", "`nim.book`", "It", "nim.book has no card"),
        ("data", f"{DATA}/nim.book.md", "Apache-2.0", "MIT", "does not say 'Licence: Apache-2.0'"),
        ("data", f"{DATA}/nim.book.md", "`joute book nim`", "us", "does not name the command"),
        ("notebooks", "examples/notebooks/sums.ipynb", "1 + 1", "1 + 2", "outputs of other code"),
        ("notebooks", "examples/notebooks/sums.ipynb", '"execution_count": 1', '"execution_count": 2', "not run once"),
    ],
)  # fmt: skip
def test_a_fault_of_a_file_is_found(tree: Path, check: str, file: str, old: str, new: str, told: str) -> None:
    text = (tree / file).read_text()
    assert old in text
    (tree / file).write_text(text.replace(old, new, 1))
    assert any(told in each for each in findings(check, tree)), findings(check, tree)


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ({"output_type": "error", "evalue": "no"}, "fails in cell 1: no"),
        ({"output_type": "stream", "name": "stderr", "text": ["Warning"]}, "prints an error or warning"),
        ({"output_type": "stream", "name": "stdout", "text": ["in /home/anna/joute"]}, "/home/anna/joute"),
        ({"output_type": "stream", "name": "stdout", "text": ["first\n", "/home/anna"]}, "/home/anna"),
        ({"output_type": "display_data", "data": {"text/html": ["<a href='file:///home/anna'>…</a>"]}}, "/home/anna"),
        ({"output_type": "stream", "name": "stdout", "text": ["x" * notebooks.MOST_BYTES]}, "larger than"),
    ],
)
def test_a_fault_of_an_output_is_found(tree: Path, output: dict[str, object], told: str) -> None:
    path = tree / "examples/notebooks/sums.ipynb"
    notebook = notebooks.read(path)
    notebook["cells"][0]["outputs"] = [output]
    path.write_text(json.dumps(notebook))
    assert any(told in each for each in findings("notebooks", tree))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda tree: (tree / "dist" / WHEEL).unlink(), "has no wheel"),
        (lambda tree: pack(tree, "joute-0.1.0-cp310-none-any.whl"), "is not of version 0.2.0"),
        (lambda tree: pack(tree, **{"joute/notes.txt": ""}), "holds src/joute/notes.txt"),
        (lambda tree: pack(tree, **{"tests/conftest.py": ""}), "holds tests/conftest.py"),
        (lambda tree: pack(tree, without=f"{DATA}/nim.book"), f"lacks {DATA}/nim.book"),
        (lambda tree: pack(tree, without=CORE), "has no compiled core"),
        (lambda tree: pack(tree, **{CORE: "x" * (release_check.MOST_WHEEL_BYTES + 1)}), "MiB, more"),
    ],
)
def test_a_fault_of_a_wheel_is_found(tree: Path, change: Callable[[Path], object], told: str) -> None:
    change(tree)
    assert any(told in each for each in findings("wheels", tree)), findings("wheels", tree)


def test_a_wheel_that_cannot_be_imported_is_found(tree: Path) -> None:
    (tree / "src/joute/__init__.py").write_text("import nowhere")
    pack(tree)
    assert findings("wheels", tree) == [f"{WHEEL} cannot be imported"]


def test_a_large_tree_is_found(tree: Path) -> None:
    with (tree / f"{DATA}/nim.book").open("wb") as file:
        file.truncate(release_check.MOST_TREE_BYTES)
    assert any("nim.book" in each for each in findings("size", tree))


def test_stale_data_are_found(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = [SimpleNamespace(game="nim", kind="levels", freshness=state) for state in Freshness]
    monkeypatch.setattr(release_check, "fitted_data", lambda: fitted)
    assert len(findings("fitted", tree)) == len(Freshness) - 1
    assert findings("fitted", tree)[0] == "levels of nim: stale; joute refit --run --game nim"


def test_a_broken_site_is_found(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: "zensical")
    assert findings("docs", tree) == []
    (tree / "tools/site/build.py").write_text("raise SystemExit('a link leads nowhere')")
    assert "a link leads nowhere" in findings("docs", tree)[0]


def test_the_command_prints_a_line_for_each_check_and_then_every_finding(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert release_check.main(tree, ["version", "data"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ok    version    0.2.0 in version.py, CITATION.cff and 3 pages",
        "ok    data       3 files with origin and licence",
    ]
    (tree / "CITATION.cff").unlink()
    (tree / "REUSE.toml").unlink()
    (tree / "dist" / WHEEL).write_text("no archive")
    assert release_check.main(tree, ["version", "data", "size", "wheels"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[:4]] == [
        ["FAIL", "version"],
        ["FAIL", "data"],
        ["ok", "size"],
        ["FAIL", "wheels"],
    ]
    assert lines[5] == "6 findings:"
    assert len(lines) == 12


def test_a_check_with_a_wrong_name_is_refused(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release_check.main(tree, ["spelling"]) == 2
    assert "there is no check 'spelling'" in capsys.readouterr().err


@pytest.mark.parametrize("check", ["version", "data", "notebooks", "size"])
def test_this_tree_passes(check: str) -> None:
    assert findings(check, ROOT) == []


def test_the_changelog_of_this_tree_needs_a_version_and_a_date_at_most() -> None:
    assert [each for each in findings("changelog", ROOT) if "give them a version and a date" not in each] == []
