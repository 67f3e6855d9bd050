"""How a command ends after an error: a mistake is one sentence, a bug is reported with its traceback in a file."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import joute
from plugin_packages import plugin

from joute import failure
from joute.errors import JouteError
from joute.version import __version__


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv(failure.DEBUG, raising=False)


def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def new(*_: object) -> None:
        raise ZeroDivisionError("no\nway")

    monkeypatch.setattr("joute.games.new", new)


def test_a_bug_is_said_with_version_command_and_the_file_of_the_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken(monkeypatch)
    done = joute("show", "connect4", "4 4")
    assert (done.returncode, done.stdout) == (failure.BUG, "")
    said = re.fullmatch(
        rf"joute: this is a bug in Joute {__version__}: ZeroDivisionError: no\\nway; "
        r"the traceback is in (\S+); the command was: joute show connect4 '4 4'\n",
        done.stderr,
    )
    assert said, done.stderr
    text = Path(said[1]).read_text()
    assert Path(said[1]).parent == tmp_path
    assert Path(said[1]).stat().st_mode & 0o777 == 0o600
    assert text.startswith(f"joute {__version__}, Python 3.")
    assert "joute show connect4 '4 4'\n" in text
    assert text.rstrip().endswith("ZeroDivisionError: no\nway")


def test_joute_debug_shows_the_traceback_of_a_bug_and_of_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(failure.DEBUG, "1")
    mistake = joute("show", "connect4", "9")
    assert mistake.returncode == failure.MISTAKE
    assert mistake.stderr.startswith("joute: '9' is not a connect4 position")
    assert "Traceback (most recent call last)" in mistake.stderr
    broken(monkeypatch)
    bug = joute("show", "connect4")
    assert bug.returncode == failure.BUG
    assert bug.stderr.rstrip().endswith("ZeroDivisionError: no\nway")


def test_a_bug_is_said_where_no_file_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)
    monkeypatch.setenv("TMPDIR", "/proc/none")
    done = joute("show", "connect4")
    assert done.returncode == failure.BUG
    assert "; JOUTE_DEBUG=1 shows the traceback; the command was: joute show connect4" in done.stderr


def test_a_mistake_leaves_no_file(tmp_path: Path) -> None:
    done = joute("show", "connect4", "9")
    assert done.returncode == failure.MISTAKE
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("joute-bug-*"))


def test_an_error_of_the_system_names_its_file(tmp_path: Path) -> None:
    assert failure.mistake_text(FileNotFoundError(2, "No such file or directory", "a.db")) == (
        "a.db: No such file or directory"
    )
    assert failure.mistake_text(JouteError("no")) == "no"
    assert failure.mistake_text(OSError()) == "OSError: "


def test_a_bug_while_commands_are_found_leaves_through_the_same_door(monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(*_: object) -> None:
        raise ZeroDivisionError("early")

    monkeypatch.setattr("joute.cli.command_line", raising)
    done = joute("show", "connect4")
    assert done.returncode == failure.BUG
    assert "this is a bug in Joute" in done.stderr


def test_a_bug_in_an_engine_prints_nothing_into_the_protocol(tmp_path: Path) -> None:
    # A game of a plug-in whose positions cannot be drawn stands for a bug that no agent causes.
    plugin(
        tmp_path,
        "brittle",
        """
        from joute_tictactoe import TicTacToe

        class Brittle(TicTacToe):
            game = "brittle"
            title = "Brittle"
            def diagram(self):
                raise ZeroDivisionError("in the middle of the protocol")
        """,
        games={"brittle": "Brittle"},
    )
    commands = (
        ("-m", "joute.protocol.ugi_engine", "brittle", "random"),
        ("-m", "joute", "engine", "brittle", "random"),
    )
    for words in commands:
        done = subprocess.run(
            [sys.executable, *words],
            input="isready\nd\nisready\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env=os.environ | {"PYTHONPATH": str(tmp_path), "TMPDIR": str(tmp_path)},
        )
        assert done.stdout == "readyok\n"
        assert done.returncode == failure.BUG
        assert done.stderr.startswith("joute: this is a bug in Joute")
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("show", "quoridor", "€2//e1e9/10-10/0"), "walls are written like e3, a1 to h8, not '€2'"),
        (("match", "connect4", "random", "random", "--clock", f"iterations={'9' * 5000}"), "…' is not a clock such as"),
        (("match", "connect4", "random", "random", "--clock", f"60+{'9' * 400}"), "…' is not a clock such as"),
        (("show", "connect4", "1" * 5000), "…' is not a connect4 position: move 7, '1', goes into"),
        (("show", "~nobody-has-this-name.py"), "unknown game"),
        (("match", "connect4", "random", "~nobody-has-this-name.py"), "nobody-has-this-name.py"),
    ],
)
def test_a_mistake_is_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    done = joute(*words)
    assert (done.returncode, done.stdout) == (failure.MISTAKE, "")
    assert sentence in done.stderr
    assert done.stderr.startswith("joute: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('game = "connect4\\u0000"', ": game holds the character NUL, which no name and no path may hold"),
        ('agents = [{agent = "a\\u0000b.py"}]', ": agents: agent holds the character NUL"),
        (f"game = {'[' * 5000}", "its values are nested too deeply"),
        (f"seed = {'9' * 30}", ": seed is a number of more than 64 bits"),
        (f"seed = {'9' * 5000}", "is not a TOML file: "),
        ("#" * 4_000_001, "has more than 4.0 MB, the most that such a file may have"),
        ("\0", "is not a TOML file: "),
        ("game = [", "is not a TOML file: "),
    ],
)
@pytest.mark.parametrize("command", ["tournament", "reproduce"])
def test_a_toml_file_that_no_one_can_mean_is_one_sentence(
    command: str, text: str, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "it.toml"
    path.write_text(text)
    done = joute(command, str(path))
    assert (done.returncode, done.stdout) == (failure.MISTAKE, "")
    assert done.stderr.startswith(f"joute: {path}")
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
