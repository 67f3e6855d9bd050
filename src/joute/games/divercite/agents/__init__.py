"""The agents of Divercité alone."""
