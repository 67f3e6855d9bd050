"""What the agents of the reports have in common: they come as reported, and with their errors mended."""

from __future__ import annotations

from dataclasses import dataclass

from joute.spec import parameter


@dataclass(frozen=True)
class PaperVersion:
    """Which of the two an agent is."""

    version: str = parameter(
        "faithful",
        help="as the report has it, or with its errors mended",
        source="what the report measured",
        choices=("faithful", "corrected"),
    )

    @property
    def is_faithful(self) -> bool:
        """Whether errors are kept."""
        return self.version == "faithful"
