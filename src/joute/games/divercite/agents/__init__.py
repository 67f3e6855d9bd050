"""The agents that play only Divercité."""
