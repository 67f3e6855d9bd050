"""Vampires vs Werewolves: units, houses and battles left to chance."""

from joute.games.vampires.state import BattleOdds, Vampires, battle_odds, find_map, map_names

__all__ = ["BattleOdds", "Vampires", "battle_odds", "find_map", "map_names"]
