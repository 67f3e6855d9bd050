"""The standard streams of a process that speaks a protocol over them."""

from __future__ import annotations

import io
import os
import sys

from joute.errors import JouteError


def take_streams() -> tuple[int, int]:
    """New descriptors of the real input and output, which standard input and output no longer use.

    Whatever an agent prints goes to standard error, and its standard input is empty. JouteError if one is closed.
    """
    try:
        for descriptor in (0, 1):
            os.fstat(descriptor)
    except OSError as error:
        raise JouteError("standard input and standard output must be open: the protocol uses both") from error
    input_fd, output_fd = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
    os.close(nothing)
    if isinstance(sys.stdout, io.TextIOWrapper):  # the agent's last output must not stay in a buffer
        sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")
    return input_fd, output_fd
