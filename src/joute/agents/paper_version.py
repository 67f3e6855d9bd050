"""The version of a paper's agent: as the students' paper describes it, or with its errors corrected."""

from __future__ import annotations

from dataclasses import dataclass

from joute.spec import parameter


@dataclass(frozen=True)
class PaperVersion:
    """The parameter that selects the faithful or the corrected version."""

    version: str = parameter(
        "faithful",
        help="as in the paper, or with the paper's errors corrected",
        source="the paper measured the faithful version",
        choices=("faithful", "corrected"),
    )

    @property
    def is_faithful(self) -> bool:
        """Whether the agent keeps the paper's errors."""
        return self.version == "faithful"
