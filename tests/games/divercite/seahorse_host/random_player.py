"""The course's random player, drawing from a generator of its own."""

from __future__ import annotations

import random
from typing import Any

from player_divercite import PlayerDivercite


class MyPlayer(PlayerDivercite):
    def compute_action(self, current_state: Any, remaining_time: float = 0, **kwargs: Any) -> Any:
        step = current_state.get_step()
        name = "light" if hasattr(current_state, "get_possible_light_actions") else "stateless"
        actions = list(getattr(current_state, f"generate_possible_{name}_actions")())
        return random.Random(step).choice(actions)
