"""The agents of Quoridor alone."""
