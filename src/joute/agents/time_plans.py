"""The registry of time plans: a general one, `steady`, and those made for the clocks of particular games.

Plans are found through the entry point group ``joute.plans`` and in the rooms of games.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from joute.agents.time_plan import TimePlan
from joute.plugins import Registry, instance_of


class SourcedPlan(NamedTuple):
    """A plan and where it comes from."""

    plan: TimePlan
    source: str


STEADY = SourcedPlan(TimePlan(), "a thirtieth of the remaining time")


class _Plans(Mapping[str, SourcedPlan]):
    """The registry as a mapping that loads a plan on access."""

    _found: Registry[SourcedPlan] = Registry(
        "time plan", "joute.plans", instance_of(SourcedPlan, "joute.agents.time_plans.SourcedPlan")
    )

    def __getitem__(self, name: str) -> SourcedPlan:
        if name not in self._found.offered_names():
            raise KeyError(name)
        return self._found.find(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._found.offered_names())

    def __len__(self) -> int:
        return len(self._found.offered_names())


#: The plans by name. A plan works in every game; its shares were chosen for the game that it was made for.
PLANS: Mapping[str, SourcedPlan] = _Plans()
