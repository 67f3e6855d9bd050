"""Vampires vs Werewolves over TCP, with the protocol of its course: bytes, client, server, player."""
