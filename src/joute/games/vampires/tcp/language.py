"""The course's protocol as a language of programs: ``tcp:./bot`` is started with host and port as last arguments."""

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
    doing = "connect over TCP"

    def player_type(self, source: Source, game: str) -> Callable[..., Player]:
        """Return the player, which is a server that the program connects to."""
        from joute.games.vampires.tcp.player import TcpPlayer

        self.check_game(game)
        return TcpPlayer


TCP = Tcp()
