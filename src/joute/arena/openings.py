"""The start positions of a tournament: the game's start position, a set of balanced ones, random ones, or a file.

    start                       the start position, for every game
    balanced                    positions of the set that comes with the game, chosen by a deep search of its engine
                                (opening_sets.py), in an order that depends on the seed
    random                      positions after random plies, accepted if no move wins at once and a shallow search
                                finds about even chances; in a game with many start positions, such as maps,
                                random ones of these
    random:plies=6,balance=0.2  the same, with other settings
    openings.txt                one position per line in the game's notation; lines that start with # are comments

Two agents play each opening twice with colours swapped, so that its remaining advantage is the same for both. If their
number of games is odd, they play the last opening once.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute._core import Random
from joute.agents import Analyst, agent
from joute.arena.opening_sets import position_in, shipped_set
from joute.errors import JouteError, SpecError
from joute.example import TITLE
from joute.files import user_path
from joute.games import NativeState, State, new
from joute.match.game import derive_seed, settle
from joute.numbers import count_of
from joute.spec import parameter, parameters_of, parse_spec, read_settings

# Drawing stops after this many draws in a row without a new balanced position.
_FRUITLESS_DRAWS = 300

_TURNS = "they are used in turn"

#: The text that names the set of a game.
BALANCED = "balanced"


@dataclass(frozen=True)
class RandomOpenings:
    """The settings of random openings."""

    plies: int = parameter(
        0, help="random plies from the start; 0 for the game's own number", source="the game", low=0, high=1000
    )
    balance: float = parameter(
        0.1,
        help="how far the mover's chance may lie from even, in a shallow search",
        source=f"keeps a third of {TITLE}'s positions after 4 random plies",
        low=0,
        high=0.5,
    )
    most: int = parameter(
        2000,
        help="most positions that are drawn; a longer tournament uses them in turn",
        source=f"9 s in {TITLE}, before the first game",
        low=1,
        high=10**6,
    )
    iterations: int = parameter(
        0,
        help="simulations of that search; 0 for 50 a legal move and at least 1,000, or 100 in a game written in Python",
        source=f"about a millisecond in {TITLE}, 10 in a small game written in Python, 30 with 280 legal "
        "moves; with fewer simulations the best move always looks won",
        low=0,
        high=10**9,
    )


@dataclass(frozen=True)
class Openings:
    """Start positions in the game's notation, and a note for the user, e.g. if there are fewer than wanted."""

    positions: tuple[str, ...]
    note: str = ""


def make_openings(game: str, text: str, count: int, seed: int = 0) -> Openings:
    """The openings that `text` describes: `count` positions, or fewer with a note if there are not enough.

    The same seed gives the same openings on every machine. SpecError if the text is invalid or gives no position.

    >>> make_openings("connect4", "random:plies=2", 3, seed=1).positions
    ('16', '25', '74')
    """
    if text == "start":
        return Openings((new(game).position,))
    if text == BALANCED:
        return _balanced_set(game, count, seed)
    if text.partition(":")[0] == "random":
        _, pairs = parse_spec(text)
        settings: Any = read_settings("random openings", pairs, parameters_of(RandomOpenings))
        return _random(game, RandomOpenings(**settings), count, seed)
    return _read(game, user_path(text), count)


def opening_seed(seed: int) -> int:
    """Return the seed of the openings of a match or tournament with this seed.

    Its games derive theirs from their numbers, which start at 0.
    """
    return derive_seed(seed, -1)


def default_openings(game: str, *, otherwise: str = "random") -> str:
    """Return the openings to play if a user names none: the game's own set, or `otherwise` if it has none.

    >>> default_openings("connect4"), default_openings("tictactoe")
    ('balanced', 'random')
    """
    return BALANCED if shipped_set(game) else otherwise


def check_openings(text: str) -> None:
    """Raise SpecError if the text names neither a kind of openings nor a file."""
    if text not in ("start", BALANCED) and text.partition(":")[0] != "random" and not user_path(text).is_file():
        raise SpecError(f"openings '{text}' are neither start, balanced nor random, and there is no such file")


def _balanced_set(game: str, count: int, seed: int) -> Openings:
    """The first positions of the game's set in an order that depends on the seed alone, not on their number."""
    positions = list(shipped_set(game))
    if not positions:
        raise SpecError(
            f"there is no set of balanced openings of {game}; choose openings 'random', or make a set: "
            f"joute openings {game} --out FILE"
        )
    rng = Random(seed)
    for last in range(len(positions) - 1, 0, -1):
        other = rng.below(last + 1)
        positions[last], positions[other] = positions[other], positions[last]
    if len(positions) < count:
        note = f"there are {len(positions)} balanced openings of {game} for {count} wanted: {_TURNS}"
        return Openings(tuple(positions), note)
    return Openings(tuple(positions[:count]))


def _random(game: str, settings: RandomOpenings, count: int, seed: int) -> Openings:
    start = new(game)
    plies = settings.plies or type(start).opening_plies
    most = min(count, settings.most)
    positions = _stream(start.spec, plies, settings, seed).first(most)
    what = f"{_kind(plies, len(positions))} in {game}"
    if not positions:
        raise SpecError(f"there are no {what}; ask for fewer plies, a larger balance, or openings 'start'")
    if len(positions) == count:
        return Openings(positions)
    if len(positions) == most:
        return Openings(
            positions, f"{most} {what} are drawn for {count} wanted (random:most={count} draws all): {_TURNS}"
        )
    return Openings(positions, f"only {len(positions)} {what} for {count} wanted: {_TURNS}")


def _kind(plies: int, count: int) -> str:
    several = "s" * (count != 1)
    if not plies:
        return f"random start{several}"
    return f"balanced opening{several} of {plies} random {'ply' if plies == 1 else 'plies'}"


class _Stream:
    """A sequence of balanced positions that are drawn on demand and kept."""

    def __init__(self, positions: Iterator[str]) -> None:
        self._positions = positions
        self._known: list[str] = []

    def first(self, count: int) -> tuple[str, ...]:
        """The first `count` positions, or all if there are fewer."""
        try:
            self._known += itertools.islice(self._positions, max(0, count - len(self._known)))
        except BaseException:
            _stream.cache_clear()  # an interrupted generator yields nothing more
            raise
        return tuple(self._known[:count])


@functools.lru_cache(maxsize=8)
def _stream(game: str, plies: int, settings: RandomOpenings, seed: int) -> _Stream:
    """The positions for these settings, shared by all tournaments of a process: judging one may take 0.1 s."""
    return _Stream(_balanced(new(game), plies, settings, Random(seed)))


def _balanced(start: State, plies: int, settings: RandomOpenings, rng: Random) -> Iterator[str]:
    """Distinct balanced positions, until `_FRUITLESS_DRAWS` draws in a row give no new one.

    With `plies` 0 the positions are the game's own start positions, which are accepted without a search.
    """
    seen: set[str] = set()
    fruitless = 0
    while fruitless < _FRUITLESS_DRAWS:
        fruitless += 1
        state = _drawn(start, plies, rng)
        if state is None or state.position in seen:
            continue
        seen.add(state.position)
        if not plies or _is_balanced(state, settings):
            fruitless = 0
            yield state.position


def _drawn(start: State, plies: int, rng: Random) -> State | None:
    """The position after `plies` random plies from a random start; None if the game is over by then."""
    state, _ = settle(start.random_start(rng), rng)
    for _ in range(plies):
        if state.is_terminal:
            return None
        state = state.play(state.random_move(rng), rng)
    return None if state.is_terminal else state


def _is_balanced(state: State, settings: RandomOpenings) -> bool:
    return not state.winning_moves and abs(_chance(state, settings.iterations) - 0.5) <= settings.balance


def _chance(state: State, iterations: int) -> float:
    """The mover's expected score by a shallow MCTS with a fixed seed."""
    if not iterations:
        is_native = issubclass(type(state), NativeState)
        iterations = max(1000, 50 * len(state.legal_moves)) if is_native else 100
    analyst = agent(f"mcts:iterations={iterations}", game=state.game)
    assert isinstance(analyst, Analyst)
    value = analyst.analyze(state, with_line=False, lines=1).value
    return 0.0 if value is None else value


def _read(game: str, path: Path, count: int) -> Openings:
    check_openings(str(path))
    positions = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise SpecError(f"openings file {path} is not UTF-8 text: {error.reason} at byte {error.start}") from error
    for number, line in enumerate(lines, start=1):
        position = position_in(line)
        if not position:
            continue
        try:
            state = new(game, position)
        except JouteError as error:
            raise SpecError(f"openings file {path}, line {number}: {error}") from error
        if state.is_terminal:
            raise SpecError(f"openings file {path}, line {number}: the game is over in position '{position}'")
        positions.append(state.position)
    if not positions:
        raise SpecError(f"openings file {path} has no position")
    if len(positions) < count:
        note = f"openings file {path} has {count_of(len(positions), 'position')} for {count} wanted: {_TURNS}"
        return Openings(tuple(positions), note)
    return Openings(tuple(positions[:count]))
