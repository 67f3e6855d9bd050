"""The agents that play only Quoridor."""
