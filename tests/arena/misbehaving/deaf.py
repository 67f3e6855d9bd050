"""Gets ready, then reads nothing any more."""

import time

from wire import serve

serve(lambda moves: time.sleep(3600))
