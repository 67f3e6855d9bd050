"""QTP as a language of programs: ``qtp:./engine``, and ``qtp-kata:`` and ``qtp-modern:`` for other notations."""

from __future__ import annotations

import functools
from collections.abc import Callable

from joute.agents.languages import ProgramLanguage
from joute.agents.source import Source
from joute.games.quoridor.notation import NOTATIONS, find_notation
from joute.games.quoridor.state import Quoridor
from joute.match.player import Player


class Qtp(ProgramLanguage):
    """The Quoridor Text Protocol (docs/qtp.md); a dialect is a notation."""

    name = "qtp"
    title = "QTP"
    game = Quoridor.game
    has_dialects = True

    def check_dialect(self, dialect: str) -> None:
        """Raise SpecError unless there is a notation of that name."""
        find_notation(dialect)

    def player_type(self, source: Source, game: str) -> Callable[..., Player]:
        """Return the player that speaks QTP to a process, in the notation of the dialect."""
        from joute.games.quoridor.qtp.player import QtpPlayer

        self.check_game(game)
        dialect = source.language.removeprefix(self.name).removeprefix("-")
        return functools.partial(QtpPlayer, notation=find_notation(dialect or next(iter(NOTATIONS))))


QTP = Qtp()
