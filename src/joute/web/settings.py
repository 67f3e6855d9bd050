"""The settings of a server: where it listens, who may join, which agents play, and its limits."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from joute.files import data_folder
from joute.spec import parameter
from joute.system import usable_cores


@dataclass(frozen=True)
class Limits:
    """Bounds on what visitors can ask of the server."""

    body_bytes: int = parameter(65_536, help="largest body of a request", source="records fit", low=1)
    head_s: float = parameter(10.0, help="most seconds until a request's head has arrived", source="a choice", low=0.1)
    body_s: float = parameter(10.0, help="most seconds until a body has arrived", source="a choice", low=0.1)
    message_bytes: int = parameter(65_536, help="largest message of a WebSocket", source="a game's moves fit", low=1)
    requests_a_second: float = parameter(20.0, help="requests per second of a visitor", source="a choice", low=0.1)
    requests_at_once: int = parameter(100, help="requests of a visitor in a burst", source="a choice", low=1)
    messages_a_second: float = parameter(30.0, help="messages per second of a socket", source="mouse moves", low=0.1)
    messages_at_once: int = parameter(120, help="messages of a socket in a burst", source="a choice", low=1)
    joins_a_minute: int = parameter(10, help="tries of the join code per minute", source="8 letters resist", low=1)
    sockets: int = parameter(4096, help="open sockets of all visitors", source="memory", low=1)
    sockets_a_visitor: int = parameter(32, help="open sockets of one visitor", source="tabs of a person", low=1)
    games_a_minute: int = parameter(30, help="new games of a visitor per minute", source="a choice", low=1)
    games: int = parameter(4096, help="games in memory", source="about 100 KB each", low=1)
    searches_a_visitor: int = parameter(
        4, help="searches of a visitor that run or wait", source="one in each of a few tabs", low=1
    )
    waiting: int = parameter(512, help="searches that wait in all", source="a choice", low=1)
    move_s: float = parameter(20.0, help="most seconds of a search without a clock", source="patience", low=0.1)
    clock_move_s: float = parameter(
        120.0, help="most seconds of a search with a clock", source="a clock may have years", low=0.1
    )
    analysis_s: float = parameter(30.0, help="most seconds of an analysis", source="deep enough to see", low=0.1)
    review_s: float = parameter(180.0, help="most seconds of a review", source="long games take a minute", low=0.1)
    memory_mb: int = parameter(1024, help="most memory_mb that a visitor's spec may set", source="a choice", low=1)


#: Who begins tournaments on a shared page: who sits at this machine, every visitor, or nobody.
OWNER, VISITORS, NOBODY = "owner", "visitors", "nobody"


@dataclass(frozen=True)
class Settings:
    """How a server runs."""

    host: str = "127.0.0.1"
    port: int = 8000
    #: Further names by which browsers may address the server.
    names: tuple[str, ...] = ()
    #: The code that visitors enter once; empty on loopback, where everybody is the owner.
    code: str = ""
    #: Agents besides the built-in ones: files, programs, servers, as on the command line.
    agents: tuple[str, ...] = ()
    #: The number of engine processes.
    workers: int = 0
    #: The file that keeps the games.
    database: Path | None = None
    #: The folder of the tournaments.
    workspace: Path | None = None
    #: Who begins tournaments: OWNER, VISITORS or NOBODY.
    tournaments: str = OWNER
    #: The least seconds of an agent's answer to a person.
    pause_s: float = 0.7
    limits: Limits = Limits()

    @property
    def is_shared(self) -> bool:
        """Whether other people than the owner may be visitors."""
        return bool(self.code)

    @property
    def worker_count(self) -> int:
        """The number of engine processes: by default one a core, but 2 to 8."""
        return self.workers or max(2, min(8, len(usable_cores())))

    @property
    def path(self) -> Path:
        """The file that keeps the games."""
        return self.database or data_folder() / "page.db"

    @property
    def workspace_folder(self) -> Path:
        """The folder of the tournaments."""
        return self.workspace or data_folder() / "tournaments"


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a host."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    # A socket for IPv6 sees 127.0.0.1 as ::ffff:127.0.0.1.
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
