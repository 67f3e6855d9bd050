"""Never says readyok."""

from wire import say, serve

serve(lambda moves: say("bestmove 1"), ready=False)
