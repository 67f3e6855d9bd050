"""Who plays in a tournament: agents in processes of their own, jailed if need be."""
