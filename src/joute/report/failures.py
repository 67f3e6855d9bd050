"""The games that agents failed in, grouped by agent and by the cause of the failure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from joute.arena.hints import hint
from joute.arena.schedules.schedule import Pairing
from joute.arena.standings import Example
from joute.match.crash import crashes
from joute.match.record import GameRecord
from joute.numbers import game_number

# Most causes that are told apart for an agent; a random message would otherwise make a cause of every game.
_CAUSES = 20
_NUMBER = re.compile(r"\d+(\.\d+)?")


@dataclass
class Failure:
    """One cause of failure of an agent: the reason, the detail and the crash of the first game, and all games."""

    #: The agent by index in the plan.
    agent: int
    reason: str
    detail: str
    hint: str
    #: The traceback, or the last lines that the agent wrote; empty if it wrote nothing.
    crash: str
    games: list[int] = field(default_factory=list)


class Failures:
    """Collects the failures of a tournament's games. Games fail alike if their details differ only in numbers."""

    def __init__(self) -> None:
        self._causes: dict[int, dict[tuple[str, str], Failure]] = {}
        self._crashes: dict[tuple[int, str], str] = {}

    def add(self, pairing: Pairing, record: GameRecord) -> None:
        """Count a finished game."""
        for side in record.at_fault:
            agent, name, reason = pairing.players[side], record.players[side], record.reason.value
            number, crash = game_number(pairing.number), crashes(record)[side]
            detail = Example(number, record.detail).about(name, reason)
            causes = self._causes.setdefault(agent, {})
            cause = (reason, _NUMBER.sub("#", f"{detail}\n{crash}"))
            if cause not in causes and len(causes) >= _CAUSES:
                cause = next(reversed(causes))
            if cause not in causes:
                words = detail.removeprefix(f"{name} ").removeprefix(f"{name}: ")
                causes[cause] = Failure(agent, reason, words, hint(detail), crash)
                self._crashes[number, name] = crash
            causes[cause].games.append(number)

    def crash_in(self, game: int, name: str) -> str:
        """The crash of an agent in the first game of a cause; empty for other games."""
        return self._crashes.get((game, name), "")

    @property
    def all(self) -> tuple[Failure, ...]:
        """The failures of all agents, in the order of the plan, the most frequent first."""
        return tuple(
            failure
            for _, causes in sorted(self._causes.items())
            for failure in sorted(causes.values(), key=lambda failure: -len(failure.games))
        )
