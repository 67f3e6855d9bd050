"""The agents of Connect Four alone."""
