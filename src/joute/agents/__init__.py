"""Agents: what an agent is, which there are, and how a spec becomes one."""

from joute.agents.agent import Agent, Clock, SearchInfo
from joute.agents.registry import AgentType, agent, agent_types, all_agents, find_agent, register_agent

__all__ = [
    "Agent",
    "AgentType",
    "Clock",
    "SearchInfo",
    "agent",
    "agent_types",
    "all_agents",
    "find_agent",
    "register_agent",
]
