"""Self-play training: self-play games, a learner, checkpoints, and a report of the run."""
