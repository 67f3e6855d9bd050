"""Agents: the protocol that an agent implements, the registry, and how a spec becomes an agent."""

from joute.agents.agent import Agent, Analysis, Analyst, BatchAnalyst, MoveValue, SearchInfo
from joute.agents.clock import Clock
from joute.agents.registry import (
    AgentType,
    CaveatWarning,
    adviser,
    agent,
    agent_types,
    all_agents,
    caveat_of,
    exact_agent,
    find_agent,
    is_built_in,
    register_agent,
)

__all__ = [
    "Agent",
    "AgentType",
    "Analysis",
    "Analyst",
    "BatchAnalyst",
    "CaveatWarning",
    "Clock",
    "MoveValue",
    "SearchInfo",
    "adviser",
    "agent",
    "agent_types",
    "all_agents",
    "caveat_of",
    "exact_agent",
    "find_agent",
    "is_built_in",
    "register_agent",
]
