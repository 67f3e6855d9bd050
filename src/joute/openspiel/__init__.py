"""OpenSpiel, both ways: its games and bots in Joute, and Joute's games and agents in OpenSpiel (docs/openspiel.md).

Nothing here is imported by the rest of Joute, which finds OpenSpiel's games and bots through entry points. OpenSpiel is
an extra, ``joute[openspiel]``.
"""

from typing import Any

from joute.openspiel.library import check_installed
from joute.plugins import lazily

__all__ = ["agent", "bot", "game", "position", "register", "state"]

_member = lazily("joute.openspiel.interface", __all__)


def __getattr__(name: str) -> Any:
    if name in __all__:
        check_installed()
    return _member(name)
