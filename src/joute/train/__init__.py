"""Self-play training: games, a network that learns from them, checkpoints, and a report of the run."""
