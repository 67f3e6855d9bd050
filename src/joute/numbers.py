"""Format numbers for people: the same way in tables, pages and sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping

MINUS = "−"
NOTHING = "–"

# Alpha-beta's evaluations lie below this value, its wins above (core/search/alphabeta/values.hpp).
_DECIDED = 1e14


def game_number(index: int) -> int:
    """The number of a game for people, who count from 1; databases and seeds count from 0."""
    return index + 1


def count_of(number: int, what: str) -> str:
    """Return a number and a noun, in the plural if needed.

    >>> count_of(1, "game"), count_of(1200, "game")
    ('1 game', '1,200 games')
    """
    return f"{number:,} {noun(number, what)}"


def noun(number: int, what: str) -> str:
    """Return a noun in the number that agrees with a count.

    >>> noun(1, "ply"), noun(2, "ply"), noun(0, "game")
    ('ply', 'plies', 'games')
    """
    if number == 1:
        return what
    return f"{what[:-1]}ies" if what.endswith("ly") else f"{what}s"


def elo_text(elo: float) -> str:
    """Return Elo with its sign.

    >>> elo_text(12.4), elo_text(-0.2), elo_text(-315), elo_text(math.inf)
    ('+12', '0', '−315', '+∞')
    """
    if math.isnan(elo):
        return NOTHING
    if math.isinf(elo):
        return "+∞" if elo > 0 else f"{MINUS}∞"
    rounded = round(elo)
    return f"{rounded:+d}".replace("-", MINUS) if rounded else "0"


def elo_interval(low: float, high: float) -> str:
    """Return the 95% interval of a rating; ``reference`` for a fixed rating, such as an anchor.

    >>> elo_interval(-40, 64), elo_interval(105, math.inf), elo_interval(1000, 1000)
    ('−40 to +64', 'above +105', 'reference')
    """
    if not (math.isfinite(low) or math.isfinite(high)):
        return "unknown"
    if math.isinf(high):
        return f"above {elo_text(low)}"
    if math.isinf(low):
        return f"below {elo_text(high)}"
    if low == high:
        return "reference"
    return f"{elo_text(low)} to {elo_text(high)}"


def finite(number: float | None) -> float | None:
    """Return the number, or None if it is infinite or nan, which JSON does not have."""
    return number if number is not None and math.isfinite(number) else None


def is_decided(value: float) -> bool:
    """Whether a value on the scale of an evaluation says that a player wins: ±(1e15 minus the plies to the end)."""
    return abs(value) >= _DECIDED


def value_text(value: float) -> str:
    """Return a value of a search with four significant digits, or its meaning if it says that a player wins.

    >>> value_text(1.25), value_text(-1e15 + 7), value_text(math.inf)
    ('1.25', 'loss', 'inf')
    """
    if math.isfinite(value) and is_decided(value):
        return "win" if value > 0 else "loss"
    return f"{value:.4g}"


def percent(share: float) -> str:
    """0.5432 as 54.3%."""
    return f"{100 * share:.1f}%"


def percent_interval(interval: tuple[float, float]) -> str:
    """An interval of shares: 44.3–63.4%."""
    low, high = interval
    return f"{100 * low:.1f}–{percent(high)}"


def likelihood(chance: float) -> str:
    """Return a likelihood in percent, never 0 or 100: a finite number of games cannot show certainty.

    >>> likelihood(0.788), likelihood(0.99999), likelihood(0.0001)
    ('78.8%', '>99.9%', '<0.1%')
    """
    return ">99.9%" if chance > 0.9995 else "<0.1%" if chance < 0.0005 else percent(chance)


def superiority_text(chance: float | None) -> str:
    """Return a probability as a whole percentage, never 0 or 100: a finite number of games cannot show certainty.

    >>> superiority_text(0.973), superiority_text(0.99991), superiority_text(0.00002), superiority_text(None)
    ('97', '>99', '<1', '–')
    """
    if chance is None:
        return NOTHING
    rounded = round(100 * chance)
    return ">99" if rounded > 99 else "<1" if rounded < 1 else str(rounded)


def duration(seconds: float) -> str:
    """Return a short time in a suitable unit.

    >>> duration(0.00042), duration(0.042), duration(4.2), duration(0)
    ('420 µs', '42.0 ms', '4.20 s', '0 s')
    """
    if seconds <= 0:
        return "0 s"
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs" if seconds >= 1e-5 else f"{seconds * 1e6:.1f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def size_text(size: int) -> str:
    """Return a file size in a suitable unit.

    >>> size_text(1), size_text(812), size_text(41_300), size_text(1_250_000)
    ('1 byte', '812 bytes', '41 kB', '1.2 MB')
    """
    if size < 1000:
        return count_of(size, "byte")
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def lengths_text(lengths: Mapping[int, int]) -> str:
    """Return a sentence about the length of games; `lengths` maps a number of plies to the number of games.

    >>> lengths_text({7: 1, 9: 3}), lengths_text({9: 2})
    ('A game had 8.5 plies on average, 7 to 9.', 'Every game had 9 plies.')
    """
    low, high = min(lengths), max(lengths)
    if low == high:
        return f"Every game had {low} {'ply' if low == 1 else 'plies'}."
    mean = sum(length * count for length, count in lengths.items()) / sum(lengths.values())
    return f"A game had {mean:.1f} plies on average, {low} to {high}."


def lost_turns_text(name: str, lost: int, turns: int) -> str:
    """Return a sentence about the turns that an agent lost by answering too late; empty if there are none.

    >>> lost_turns_text("greedy", 13, 45), lost_turns_text("greedy", 0, 45)
    ('greedy lost 13 of its 45 turns to time', '')
    """
    return f"{name} lost {lost:,} of its {count_of(turns, 'turn')} to time" if lost else ""


def points_text(points: float) -> str:
    """Return points, with a half as ½.

    >>> points_text(12), points_text(0.5), points_text(3.5)
    ('12', '½', '3½')
    """
    whole = int(points)
    return (str(whole) if whole or points == whole else "") + ("½" if points != whole else "")
