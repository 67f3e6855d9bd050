"""Closes its output and lives on."""

import os
import time

from wire import serve


def go_deaf(moves: list[str]) -> None:
    os.close(1)
    time.sleep(3600)


serve(go_deaf)
