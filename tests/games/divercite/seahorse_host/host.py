"""Plays a game of Divercité on the installed seahorse, without a page: ``python host.py WHITE.py BLACK.py SECONDS``.

The game is recorded in the current folder, in 1.2 by the framework's own recorder; standard output is one line of JSON
with the winners, the scores and how many moves were played. Only this machine can reach the port.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from game_state_divercite import GameStateDivercite
from seahorse.game.master import GameMaster
from seahorse.player import proxies
from seahorse.utils.recorders import StateRecorder

# 1.2 has it, and proxies that run a player in a process of its own.
IS_NEW = hasattr(proxies, "ContaineredPlayerProxy")


class Master(GameMaster):
    async def play_game(self) -> Any:
        """The game, and the end: in 1.1.5 a shutdown follows that cancels what is under way, and may hang or raise."""
        if IS_NEW:
            return await super().play_game()
        self.recorded = [as_recorded(self.current_game_state)]
        await super().play_game()
        Path("__REC__1.json").write_text(json.dumps(self.recorded))
        tell(self)
        sys.stdout.flush()
        os._exit(0)

    async def step(self) -> Any:
        state = await super().step()
        if not IS_NEW:
            self.recorded.append(as_recorded(state))
        return state

    def compute_winner(self, *_: Any) -> list[Any]:
        scores = _[0] if _ else self.get_scores()
        return [player for player in self.players if scores[player.get_id()] == max(scores.values())]


def as_recorded(state: Any) -> Any:
    """What 1.1 broadcasts of a state, and its recorder writes."""
    return json.loads(json.dumps(state.to_json(), default=lambda each: each.to_json()))


def tell(master: Master) -> None:
    final = master.current_game_state
    scores = [final.get_scores()[player.get_id()] for player in final.players]
    winners = [player.get_name() for player in master.get_winner()]
    print(json.dumps({"winners": winners, "scores": scores, "step": final.get_step()}))


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
    # Both versions call players through proxies, in 1.1 within this process and in 1.2 in a process of its own each; in
    # 1.1 the proxies are also what a state has as its players.
    proxy = proxies.ContaineredPlayerProxy if IS_NEW else proxies.LocalPlayerProxy
    seats = [proxy(player, GameStateDivercite) for player in players]
    state = GameStateDivercite.start(*(players if IS_NEW else seats))
    options: dict[str, Any] = {"log_level": "WARNING", "port": port, "hostname": "127.0.0.1"}
    master = Master("Divercité", state, seats, time_limit=float(seconds), **options)
    master.record_game(listeners=[StateRecorder()] if IS_NEW else [])
    tell(master)


if __name__ == "__main__":
    main()
