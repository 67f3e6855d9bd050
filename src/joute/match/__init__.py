"""Playing: one game, its record, and a match of many games with an honest result."""

from joute.match.clock import TimeControl
from joute.match.match import MatchResult, play_match
from joute.match.mistakes import MistakeRate, measure_mistakes
from joute.match.record import GameRecord, MoveRecord, Reason
from joute.match.referee import play_game
from joute.match.sprt import Sprt

__all__ = [
    "GameRecord",
    "MatchResult",
    "MistakeRate",
    "MoveRecord",
    "Reason",
    "Sprt",
    "TimeControl",
    "measure_mistakes",
    "play_game",
    "play_match",
]
