"""A player as the agents of the course know it, on the installed seahorse."""

from __future__ import annotations

import json
from typing import Any

from seahorse.player.player import Player


class PlayerDivercite(Player):
    def __init__(self, piece_type: str, name: str = "bob", *args: Any, **kwargs: Any) -> None:
        super().__init__(name, *args, **kwargs)
        self.piece_type = piece_type

    def get_piece_type(self) -> str:
        return self.piece_type

    def to_json(self) -> dict[str, Any]:
        # All that there is, as the course's first edition did it.
        return dict(self.__dict__)

    @classmethod
    def from_json(cls, data: Any, **kwargs: Any) -> PlayerDivercite:
        return PlayerDivercite(**(json.loads(data) if isinstance(data, str) else data))
