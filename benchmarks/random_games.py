"""Random games, to the end, played in several ways: their speed, and whether they are the same games."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Callable, Mapping

import joute
from benchmarks.compiled import compiled
from benchmarks.measure import rates, show

#: Plies of all games, games that the first player won, and draws.
Counts = tuple[int, int, int]
#: Plays so many games with a seed.
Player = Callable[[int, int], Counts]


def joute_games(spec: str) -> Player:
    """Those of the core, in one call."""

    def play(games: int, seed: int) -> Counts:
        played = joute.new(spec).playouts(games, seed=seed)
        return played.plies, played.first_wins, played.draws

    return play


def naive_games(name: str) -> Player | None:
    """The C++ program beside this file, compiled now; None without a compiler."""
    library = compiled(name)
    if not library:
        return None
    function = library.naive_playouts
    function.argtypes = [ctypes.c_int64, ctypes.c_uint64, ctypes.c_int64 * 3]
    function.restype = None

    def play(games: int, seed: int) -> Counts:
        counts = (ctypes.c_int64 * 3)()
        function(games, seed, counts)
        return counts[0], counts[1], counts[2]

    return play


def compare_games(
    title: str, repeats: int, players: Mapping[str, tuple[Player, int]], *, goal: float | None = None
) -> None:
    """The speed of each, ours first, with so many games at a time; a goal is for the ratio to the second."""
    checked = {name: (player(games, 1), games) for name, (player, games) in players.items()}
    works = {name: _work(player, games) for name, (player, games) in players.items()}
    measured = rates(repeats, works, clock=time.process_time)
    show(title, "games", measured, goal=goal)
    fastest = next(iter(measured.values()))
    for name, rate in list(measured.items())[1:]:
        print(f"  {fastest / rate:,.0f}× {name}")
    _check_agreement(checked)


def _work(player: Player, games: int) -> Callable[[], int]:
    return lambda: games if player(games, 1) else 0


def _check_agreement(checked: Mapping[str, tuple[Counts, int]]) -> None:
    """All must have played the same game: their means differ by no more than five standard errors."""
    (reference, all_games), *others = checked.values()
    means = [count / all_games for count in reference]
    deviations = (1.0, *(math.sqrt(share * (1 - share)) for share in means[1:]))  # plies vary by 0.96 in Avalam
    for counts, games in others:
        for count, mean, deviation in zip(counts, means, deviations, strict=True):
            assert abs(count / games - mean) <= 5 * deviation * math.sqrt(1 / games + 1 / all_games), (counts, games)
    plies, wins, draws = means
    print(f"  all agree: {plies:.2f} plies a game, the first player wins {wins:.1%}, draws {draws:.1%}")
