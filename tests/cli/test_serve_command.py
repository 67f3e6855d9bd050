"""``joute serve``: what it refuses, and that it serves until it is told to stop."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from commands import joute

from joute.web.settings import is_loopback


def refused(*arguments: str) -> str:
    """The sentence with which the command refuses; nothing else, and no traceback."""
    done = joute("serve", *arguments)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--code", "secret77"], "--code is for a shared page"),
        (["--host", "0.0.0.0", "--code", "abc"], "6 to 40 characters"),
        (["--host", "0.0.0.0", "--code", "- - - - - -"], "6 to 40 characters"),
        (["--host", "0.0.0.0", "--code", "x" * 41], "6 to 40 characters"),
        (["--agent", "missing_agent.py"], "missing_agent"),
        (["--host", "192.0.2.1"], "cannot be served at 192.0.2.1"),
        (["--port", "70000"], "--port"),
    ],
)
def test_bad_options_are_refused_with_a_sentence(arguments: list[str], sentence: str) -> None:
    assert sentence in refused(*arguments)


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "--port names another port" in refused("--port", str(taken.getsockname()[1]))


def test_a_database_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.db").write_text("not a database at all, but a text" * 100)
    assert "cannot be kept" in refused("--port", "0", "--database", str(tmp_path / "other.db"))


def test_it_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "joute",
        "serve",
        "--port",
        "0",
        "--workers",
        "1",
        "--database",
        str(tmp_path / "page.db"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        found = re.search(r"http://\S+", running.stdout.readline())
        assert found
        with urlopen(found[0], timeout=30) as reply:
            assert b"<title>Joute</title>" in reply.read()
        running.send_signal(signal.SIGTERM)
        running.wait(60)
    assert (tmp_path / "page.db").exists()


def test_without_the_extra_the_command_says_what_to_install(monkeypatch: Any) -> None:
    for name in [name for name in sys.modules if name.startswith("joute.web.s")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert "pip install 'joute[web]'" in refused()


@pytest.mark.parametrize(
    ("host", "is_own"), [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False)]
)
def test_loopback_is_known(host: str, is_own: bool) -> None:
    assert is_loopback(host) is is_own
