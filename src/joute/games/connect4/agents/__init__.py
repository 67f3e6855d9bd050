"""The agents that play only Connect Four."""
