"""The processes that play the games of a tournament."""
