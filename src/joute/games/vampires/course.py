"""The course of Vampires vs Werewolves: its server plays a game, and agents connect to it."""

from __future__ import annotations

from joute.games.vampires.state import Vampires
from joute.protocol.course import ConnectedCourse


class VampiresCourse(ConnectedCourse):
    """The course's server, whose protocol joute.games.vampires.tcp has."""

    game = Vampires.game
    advice = (
        "the vampires course has servers that agents connect to: 'joute connect --agent AGENT HOST PORT' plays at "
        "one, 'joute host vampires' is one"
    )


COURSE = VampiresCourse()
