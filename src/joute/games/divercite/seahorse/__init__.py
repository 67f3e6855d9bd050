"""Seahorse, the Divercité course's framework: its players in Joute's matches, and Joute's agents in its program."""
