"""Every host on a node insists on a token first, and then forgets it."""

from __future__ import annotations

import os
from typing import Protocol

from joute.arena.cluster.software import Software
from joute.errors import JouteError

#: The variables by which Ray asks for a token, and that hold it.
MODE, TOKEN = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"
#: The end of a sentence about a machine that asks for none.
UNGUARDED = "without it anyone who reaches the machine can run programs there (docs/cluster.md)"


def asks_for_a_token() -> bool:
    """Whether this process was started by a Ray that asks for a token."""
    return os.environ.get(MODE, "").lower() == "token"


class AnyHost(Protocol):
    """A host of any driver."""

    def software(self) -> Software:
        """Return the software of this node."""


class Guard:
    """Comes before a host class, and makes a host of it that refuses nodes that ask for no token."""

    _refused = ""

    def __init__(self) -> None:
        if not asks_for_a_token():
            self._refused = f"it was started without {MODE}=token; {UNGUARDED}"
        # Agents must not learn the token, and not play otherwise because Ray set a number of threads.
        for name in [name for name in os.environ if name.startswith("RAY_") or name == "OMP_NUM_THREADS"]:
            del os.environ[name]
        super().__init__()

    def software(self) -> Software:
        """Return the software of this node; JouteError if the node asks for no token."""
        if self._refused:
            raise JouteError(self._refused)
        host: AnyHost = super()  # type: ignore[assignment]  # the next class is a host
        return host.software()
