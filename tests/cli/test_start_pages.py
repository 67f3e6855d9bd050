"""The pages that newcomers begin with: their commands run, in the order of the page, in an empty folder."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = ["student", "teacher", "researcher", "player"]


def commands(page: Path) -> list[str]:
    """The shell commands of a page without their comments."""
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [re.sub(r"\s+# .*", "", line) for block in blocks for line in block.splitlines()]


@pytest.mark.parametrize("name", ["install", *PAGES])
def test_the_french_page_has_the_same_commands(name: str) -> None:
    assert commands(DOCS / "fr" / f"{name}.md") == commands(DOCS / "start" / f"{name}.md")


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_the_commands_run(name: str, tmp_path: Path) -> None:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "BROWSER": "true",
    }
    for command in commands(DOCS / "start" / f"{name}.md"):
        process = subprocess.Popen(
            ["bash", "-c", f"exec {command}" if command.startswith("joute serve") else command],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdout
        if command.startswith("joute serve"):
            assert "http://127.0.0.1" in process.stdout.readline()
            process.send_signal(signal.SIGINT)
        output = process.communicate("e2\n")[0]  # a move for `joute play`
        assert process.returncode == 0, (command, output)


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    def files(entry: Any) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        return [file for each in (entry.values() if isinstance(entry, dict) else entry) for file in files(each)]

    listed = files(tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"])
    written = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert len(listed) == len(set(listed))
    made = {each for each in listed if each.startswith("reference/")} | {"contributing.md"}
    assert set(listed) - made == written
