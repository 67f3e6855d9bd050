"""Plays a game of Divercité on the installed seahorse, without a page: ``python host.py WHITE.py BLACK.py SECONDS``.

The framework's own recorder writes the game into the current folder; standard output is one line of JSON with the
winners, the scores and how many moves were played. Only this machine can reach the port.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import socket
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from game_state_divercite import GameStateDivercite
from seahorse.game.master import GameMaster
from seahorse.player import proxies
from seahorse.utils.recorders import StateRecorder


class Master(GameMaster):
    def compute_winner(self, *_: Any) -> list[Any]:
        scores = _[0] if _ else self.get_scores()
        return [player for player in self.players if scores[player.get_id()] == max(scores.values())]


def load(path: str, letter: str, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"player_{letter}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where pickles look for it
    spec.loader.exec_module(module)
    return module.MyPlayer(letter, name)


def main() -> None:
    white, black, seconds = sys.argv[1:]
    players = [load(white, "W", "white"), load(black, "B", "black")]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    state = GameStateDivercite.start(*players)
    is_new = hasattr(proxies, "ContaineredPlayerProxy")
    # In 1.2 a player is called through a proxy; this one runs it in a process of its own.
    seats = [proxies.ContaineredPlayerProxy(player, GameStateDivercite) for player in players] if is_new else players
    options: dict[str, Any] = {"log_level": "WARNING", "port": port, "hostname": "127.0.0.1"}
    master = Master("Divercité", state, seats, time_limit=float(seconds), **options)
    with contextlib.suppress(OSError):  # 1.1.5 cancels the recorder's connection, which current aiohttp complains of
        master.record_game(listeners=[StateRecorder()])
    final = master.current_game_state
    winners = [player.get_name() for player in master.get_winner()]
    scores = [final.get_scores()[player.get_id()] for player in players]
    print(json.dumps({"winners": winners, "scores": scores, "step": final.get_step()}))


if __name__ == "__main__":
    main()
