"""The settings of a server of Vampires vs Werewolves."""

from __future__ import annotations

from dataclasses import dataclass

from joute.spec import parameter


@dataclass(frozen=True)
class HostSettings:
    """The times of a server; all but the turn's are the official server's, or Joute's if it has none."""

    time_s: float = parameter(
        2.0, help="seconds for a turn; a late player loses the turn", source="the course's tournament", low=0.001
    )
    game_s: float = parameter(
        300.0,
        help="seconds for a game, checked after the second player's turns; 0 for no limit, as in twilight rules",
        source="MaxGameDuration in every kit of the course",
        low=0,
    )
    welcome_s: float = parameter(
        5.0, help="seconds between the map and the first turn", source="the official server's welcome screen", low=0
    )
    farewell_s: float = parameter(
        4.0, help="seconds between the end of a game and END", source="the official server", low=0
    )
    first_turn_s: float = parameter(
        10.0, help="seconds for each side's first turn, in twilight rules", source="the twilight servers", low=0.001
    )
    name_s: float = parameter(
        10.0, help="seconds for a connection to send its name", source="programs send it at once", low=0.001
    )
    wait_s: float = parameter(
        600.0,
        help="seconds that a player waits for an opponent; 0 for no limit",
        source="time to start another program",
        low=0,
    )
