"""The agents that play only Avalam."""
