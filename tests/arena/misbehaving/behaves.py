"""A program that does nothing wrong."""

from wire import first_free_column, say, serve

serve(lambda moves: say(f"info depth 3 nodes 17 value 0.5 pv 1 2\nbestmove {first_free_column(moves)}"))
