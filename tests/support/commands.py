"""``joute`` as its users type it, run in this process: to start another one costs more than most commands do.

What is about processes (Ctrl-C, closed pipes, plug-ins on the path) starts ``python -m joute`` instead.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO
from unittest import mock

from joute.cli import main


def joute(*words: str, input: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command's exit status and what it printed, with what processes that it started printed."""
    with (
        _stream("stdin", 0, "r", input),
        _stream("stdout", 1, "w") as output,
        _stream("stderr", 2, "w") as errors,
        mock.patch.object(sys, "argv", ["joute", *words]),
        contextlib.chdir(cwd or Path.cwd()),
        warnings.catch_warnings(),
    ):
        # pytest shows warnings that Python does not.
        for ignored in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", ignored)
        try:
            main()
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        return subprocess.CompletedProcess(words, status, output(), errors())


def ok(*words: str, input: str = "", cwd: Path | None = None) -> str:
    """What a command prints that succeeds."""
    done = joute(*words, input=input, cwd=cwd)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@contextlib.contextmanager
def _stream(name: str, descriptor: int, mode: str, text: str = "") -> Iterator[Callable[[], str]]:
    """A file that holds `text` in place of a standard stream, of Python's and of the system's; how to read it."""
    with tempfile.TemporaryFile() as file:
        file.write(text.encode(errors="surrogateescape"))
        file.seek(0)
        kept = os.dup(descriptor)
        os.dup2(file.fileno(), descriptor)
        try:
            with (
                open(descriptor, mode, encoding="utf-8", closefd=False) as stream,
                mock.patch.object(sys, name, stream),
            ):
                yield lambda: _whole(file)
        finally:
            os.dup2(kept, descriptor)
            os.close(kept)


def _whole(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="surrogateescape")
