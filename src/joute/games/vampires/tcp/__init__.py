"""Vampires vs Werewolves over TCP, as the servers of its course play it: bytes, client, server, player."""
