"""Gives up at once."""

from wire import say, serve

serve(lambda moves: say("bestmove resign"))
