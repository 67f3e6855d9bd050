"""Playing and judging games: one game, its record, a match of many games, and the statistics of results.

game.py holds the game in progress; referee.py asks players (player.py) for moves under a clock (clock.py) and returns
the record (record.py). record_text.py and record_reader.py write and read records as text. match.py plays a match and
counts its results with statistics.py and sprt.py; ratings.py (on bradley_terry.py) rates many agents. mistakes.py
counts errors against a solver; signature.py is the benchmark of searches. Tournaments are in `joute.arena`.
"""

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
