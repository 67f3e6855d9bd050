"""Runs ``main()`` of a neighbouring module, without importing Joute.

    python -I -S launch.py MODULE ARGUMENT…

Importing Joute takes longer than a move of a fast game, and inside the sandbox Joute's packages may be missing. The
modules that run this way (supervise.py, jail_door.py) import their neighbours by their full names, so that Joute can
import them as well: this script therefore registers the packages around them as empty ones.
"""

from __future__ import annotations

import importlib
import os
import sys
import types

_PACKAGE = "joute.arena.players"


def main() -> None:
    """Register the packages and run the module that the command line names."""
    del sys.argv[0]
    parts = _PACKAGE.split(".")
    for length in range(1, len(parts) + 1):
        package = types.ModuleType(".".join(parts[:length]))
        package.__path__ = [os.path.dirname(__file__)]  # read for the innermost package only
        sys.modules[package.__name__] = package
    importlib.import_module(f"{_PACKAGE}.{sys.argv[0]}").main()


if __name__ == "__main__":
    main()
