"""The agents that play only Vampires vs Werewolves."""
