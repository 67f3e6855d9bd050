"""Seahorse, the framework of the Divercité course: its agents and players in our matches, ours in its."""
