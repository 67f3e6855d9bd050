"""The time settings of a client of Vampires vs Werewolves; they also define options of the command line."""

from __future__ import annotations

from dataclasses import dataclass

from joute.errors import SpecError
from joute.spec import parameter


@dataclass(frozen=True)
class Timing:
    """The time settings of a client."""

    limit_s: float = parameter(
        2.0, help="the server's seconds for a turn", source="the course's tournament; kits have 5 or 30", low=0.5
    )
    margin_s: float = parameter(
        0.25,
        help="seconds before the limit after which nothing is sent",
        source="for the network and the server's clock, which is polled every 10 ms",
        low=0.0,
    )
    stop_s: float = parameter(
        0.1,
        help="seconds before the margin at which the agent is asked to stop",
        source="searches check every 20 ms",
        low=0.05,
    )
    pause_s: float = parameter(
        4.5,
        help="most seconds of search before the first turn",
        source="the official server pauses about 5 s after MAP",
        low=0.0,
    )

    def __post_init__(self) -> None:
        if self.thought_s <= 0:
            raise SpecError(
                f"{self.limit_s:g} s a turn leave no time to search: {self.margin_s:g} s are reserved for the network "
                f"and {self.stop_s:g} s to stop the agent"
            )

    @property
    def answer_s(self) -> float:
        """The time after an UPD until which an answer may be sent."""
        return self.limit_s - self.margin_s

    @property
    def thought_s(self) -> float:
        """The time after an UPD until which the agent may search."""
        return self.answer_s - self.stop_s
