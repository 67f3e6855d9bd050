"""How a client of Vampires vs Werewolves spends its time; the command line reads it from here."""

from __future__ import annotations

from dataclasses import dataclass

from joute.errors import SpecError
from joute.spec import parameter


@dataclass(frozen=True)
class Timing:
    """How a client spends its time."""

    limit_s: float = parameter(
        2.0, help="the server's seconds for a turn", source="the course's tournament; kits have 5 or 30", low=0.5
    )
    margin_s: float = parameter(
        0.25,
        help="seconds before the limit when nothing is sent any more",
        source="for the network and the server's own clock, which looks every 10 ms",
        low=0.0,
    )
    stop_s: float = parameter(
        0.1, help="seconds before that when the agent is asked to stop", source="searches look every 20 ms", low=0.05
    )
    pause_s: float = parameter(
        4.5,
        help="most seconds of thought before the first turn",
        source="the official server pauses about 5 s after MAP",
        low=0.0,
    )

    def __post_init__(self) -> None:
        if self.thought_s <= 0:
            raise SpecError(
                f"{self.limit_s:g} s a turn leave no time to think: {self.margin_s:g} s are kept back for the network "
                f"and {self.stop_s:g} s to stop the agent"
            )

    @property
    def answer_s(self) -> float:
        """How long after an UPD an answer may be sent."""
        return self.limit_s - self.margin_s

    @property
    def thought_s(self) -> float:
        """How long after an UPD the agent may think."""
        return self.answer_s - self.stop_s
