"""The course's protocol as a language of programs: ``tcp:./bot`` is started with a host and a port at its end."""

from __future__ import annotations

from collections.abc import Callable

from joute.agents.languages import ProgramLanguage
from joute.agents.source import Source
from joute.games.vampires.state import Vampires
from joute.match.player import Player


class Tcp(ProgramLanguage):
    """The protocol of the course's server (docs/vampires_protocol.md)."""

    name = "tcp"
    title = "TCP"
    game = Vampires.game
    doing = "are called over TCP"

    def player_type(self, source: Source, game: str) -> Callable[..., Player]:
        """The player that is the server which a program connects to."""
        from joute.games.vampires.tcp.player import TcpPlayer

        self.check_game(game)
        return TcpPlayer


TCP = Tcp()
