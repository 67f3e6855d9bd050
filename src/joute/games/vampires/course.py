"""The course of Vampires vs Werewolves: agents connect to its server, which conducts the game."""

from __future__ import annotations

from joute.games.vampires.state import Vampires
from joute.protocol.course import ConnectedCourse


class VampiresCourse(ConnectedCourse):
    """The course's server; joute.games.vampires.tcp implements its protocol."""

    game = Vampires.game
    advice = (
        "the vampires course has servers that agents connect to: 'joute connect --agent AGENT HOST PORT' plays at "
        "one, 'joute host vampires' is one"
    )


COURSE = VampiresCourse()
