"""The agents of Avalam alone."""
