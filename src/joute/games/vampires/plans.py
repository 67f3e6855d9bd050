"""The time plan of the paper's agent."""

from __future__ import annotations

from joute.agents.time_plan import TimePlan
from joute.agents.time_plans import SourcedPlan

LANGOROU = SourcedPlan(TimePlan(of_move_limit=0.8), "program of the Vampires paper: 1.6 of 2 s a turn")
