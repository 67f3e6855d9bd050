"""Games between two levels, one after another or on several cores.

A game depends on its `Game` alone, so the results are the same however many processes play.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process

from joute._core import Random
from joute.agents.level_sets import Level, has_levels, level_set
from joute.agents.levels import LevelAgent
from joute.arena.opening_sets import shipped_set
from joute.games import State, new
from joute.match.game import derive_seed, settle
from joute.match.referee import play_game
from joute.system import usable_cores


@dataclass(frozen=True)
class Game:
    """A game to play between two numbered levels."""

    game: str
    #: The seed of a pair of games: both have the same opening.
    seed: int
    #: Whether it is the second game of its pair, in which the higher level plays second.
    is_swapped: bool
    higher: tuple[int, Level]
    lower: tuple[int, Level]
    #: The ply after which it is a draw.
    max_plies: int


#: Plays games and returns the points of the higher level in each, in order: 0, ½ or 1.
Play = Callable[[Sequence[Game]], list[float]]


def play_here(games: Sequence[Game]) -> list[float]:
    """Play games one after another in this process."""
    return [_points(game) for game in games]


@contextlib.contextmanager
def playing(jobs: int) -> Iterator[Play]:
    """Play with `jobs` processes, or with one for each usable core if `jobs` is 0.

    The function may be called from several threads. At the end of the context, games that have not begun are dropped.
    """
    count = jobs or len(usable_cores())
    if count == 1:
        yield play_here
        return
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_begin)

    def play(games: Sequence[Game]) -> list[float]:
        return list(pool.map(_points, games))

    try:
        yield play
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _begin() -> None:
    """Prepare a worker: Ctrl-C is for the parent, and the worker ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _points(game: Game) -> float:
    start = opening(game.game, Random(game.seed))
    agents = [
        LevelAgent(level, number, game=game.game, seed=derive_seed(game.seed, 10 * game.is_swapped + side))
        for side, (number, level) in enumerate((game.higher, game.lower))
    ]
    first, second = reversed(agents) if game.is_swapped else agents
    seed = derive_seed(game.seed, 100 + game.is_swapped)
    record = play_game(start, first, second, seed=seed, max_plies=game.max_plies)
    for_first = (1 + record.result.outcome) / 2
    return 1 - for_first if game.is_swapped else for_first


def opening(game: str, rng: Random) -> State:
    """Return a start of a game between levels: as the level set draws it, else a balanced opening or a random start."""
    draw = level_set(game).start if has_levels(game) else None
    if draw is not None:
        start = draw(rng)
    elif openings := shipped_set(game):
        start = new(game, rng.choice(openings))
    else:
        start = new(game).random_start(rng)
    return settle(start, rng)[0]
