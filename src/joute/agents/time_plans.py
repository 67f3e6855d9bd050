"""The time plans there are, by name: a plain one, and those of games' rooms, for the clocks they were made for.

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


STEADY = SourcedPlan(TimePlan(), "a thirtieth of what is left")


class _Plans(Mapping[str, SourcedPlan]):
    """What the registry finds, as a mapping: a plan is loaded when somebody asks for it."""

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


#: The plans by name. A plan works for every game; its shares were chosen for its own.
PLANS: Mapping[str, SourcedPlan] = _Plans()
