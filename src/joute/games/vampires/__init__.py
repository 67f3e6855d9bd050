"""Vampires vs Werewolves: units, houses and random battles."""

from typing import TYPE_CHECKING

from joute.plugins import lazily

if TYPE_CHECKING:
    from joute.games.vampires.state import BattleOdds, Vampires, battle_odds, find_map, map_names

__all__ = ["BattleOdds", "Vampires", "battle_odds", "find_map", "map_names"]

__getattr__ = lazily("joute.games.vampires.state", __all__)
