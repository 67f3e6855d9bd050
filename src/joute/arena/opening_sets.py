"""Sets of balanced openings: how the openings of a game are judged, and the set that comes with it.

A candidate is a position after random plies. The last of them is chosen: among some moves, the one after which a quick
search, the sieve, finds the smallest advantage. Random plies favour one side in many games, and a chosen last ply gives
balanced positions where a random one seldom does. The judge, a deep search by the game's engine or its exact
solver, decides whether the position enters the set.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from joute._core import Random
from joute.agents import Analyst, agent
from joute.agents.registry import adviser
from joute.errors import SpecError
from joute.games import State, new
from joute.match.game import derive_seed, settle
from joute.plugins import Registry, instance_of
from joute.spec import parse_spec

# The judge of a game that names none: its adviser with this limit, or MCTS.
_NODES = 1_000_000
_MCTS = "mcts:iterations=20000"


@dataclass(frozen=True)
class OpeningSet:
    """How a game's balanced openings are made; registered in its room as `openings`.

    An advantage is the value of the judge less that of an even position: 0, or one half if the unit is win share.
    """

    #: The spec of the agent that decides. It has a limit of nodes, so that the set does not depend on the machine.
    judge: str
    #: The largest distance of the first player's advantage from `even`, in the unit of the judge.
    tolerance: float
    #: The reason for the tolerance.
    source: str
    #: The numbers of plies from the start, equally likely; 0 for a random start alone.
    plies: tuple[int, ...]
    #: The advantage of the first player by the judge at which equal agents score one half.
    even: float = 0.0
    #: The reason for `even` if it is not 0.
    even_source: str = ""
    #: The spec of a faster agent that chooses the last ply; empty: the last ply is random too.
    sieve: str = ""
    #: How many last plies the sieve compares.
    choices: int = 16
    #: The file of the set that comes with the game, made for its default rules.
    file: Path | None = None
    #: Other rules under which the judge finds the same values, such as ``rules=course``.
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judged:
    """An opening, and the advantage of the first player in it."""

    position: str
    advantage_for_first: float


_sets: Registry[OpeningSet] = Registry(
    "opening set", "joute.openings", instance_of(OpeningSet, "joute.arena.opening_sets.OpeningSet")
)


def opening_set(game: str) -> OpeningSet:
    """Return how openings of a game are made: as its room says, else by its solver or engine, or by MCTS."""
    name = parse_spec(game)[0]
    if name in _sets.names():
        return _sets.find(name)
    judging = adviser(name)
    judge = f"{judging}:nodes={_NODES}" if judging else _MCTS
    plies = type(new(game)).opening_plies
    return OpeningSet(
        judge=judge,
        tolerance=0.05,
        source="a guess for games without a set of their own",
        plies=tuple(range(plies, plies + 3)) if plies else (0,),
        sieve="mcts:iterations=2000",
    )


def check_judges(start: State, settings: OpeningSet) -> None:
    """Raise SpecError if the judge or the sieve is no agent of the game that tells values."""
    for spec in filter(None, (settings.judge, settings.sieve)):
        _analyst(spec, start)


def shipped_set(game: str) -> tuple[str, ...]:
    """Return the positions of the set that comes with a game; empty if it has none, or none for these rules."""
    name = parse_spec(game)[0]
    if name not in _sets.names():
        return ()
    found = _sets.find(name)
    specs = {new(name).spec, *(new(f"{name}:{rules}").spec for rules in found.also)}
    return () if found.file is None or new(game).spec not in specs else _positions(found.file)


@functools.cache
def _positions(file: Path) -> tuple[str, ...]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(position_in(line) for line in lines if position_in(line))


def position_in(line: str) -> str:
    """Return the position in a line of a file of openings; empty if the line is empty or a comment.

    A comment after a position stands behind two spaces, which no game's notation has.

    >>> position_in("4444463  # +0")
    '4444463'
    """
    return "" if line.lstrip().startswith("#") else line.partition("  # ")[0].strip()


def candidate(start: State, settings: OpeningSet, seed: int, index: int) -> Judged | None:
    """Return candidate number `index` if it is balanced, else None; it depends on nothing but the arguments."""
    rng = Random(derive_seed(seed, index))
    plies = rng.choice(settings.plies)
    state = _after_random_plies(start, max(0, plies - 1), rng)
    if state is not None and plies:
        state = _after_last_ply(state, settings, rng)
    if state is None or state.is_terminal or state.winning_moves:
        return None
    judges = (settings.sieve, settings.judge) if settings.sieve and not plies else (settings.judge,)
    value = 0.0
    for judge in judges:
        found = advantage_for_first(state, judge)
        if found is None or abs(found - settings.even) > settings.tolerance:
            return None
        value = found
    return Judged(state.position, value)


def advantage_for_first(state: State, judge: str) -> float | None:
    """Return the advantage of the first player by a new agent of this spec; None if it finds no value."""
    return _advantage(state, _analyst(judge, state))


def key_of(state: State) -> str:
    """Return a text that is equal for positions that are symmetric to each other."""
    count: int = getattr(state, "symmetry_count", 0)
    return min((state.transformed(g).position for g in range(count)), default=state.position)  # type: ignore[attr-defined]


def _analyst(spec: str, state: State) -> Analyst:
    made = agent(spec, game=state.spec)
    if not isinstance(made, Analyst):
        raise SpecError(f"agent '{spec}' does not tell the value of a position, so it cannot judge openings")
    return made


def _advantage(state: State, analyst: Analyst) -> float | None:
    found = analyst.analyze(state, with_line=False, lines=1)
    if found.value is None:
        return None
    for_mover = found.value - (0.5 if found.unit == "win share" else 0)
    return for_mover if state.to_move == 0 else -for_mover


def _after_random_plies(start: State, plies: int, rng: Random) -> State | None:
    """The position after random plies from a random start; None if the game is over by then."""
    state, _ = settle(start.random_start(rng), rng)
    for _ in range(plies):
        if state.is_terminal:
            return None
        state = state.play(state.random_move(rng), rng)
    return state


def _after_last_ply(state: State, settings: OpeningSet, rng: Random) -> State | None:
    """The most even of some next positions, by the sieve; None if none of them may be balanced."""
    if state.is_terminal:
        return None
    if not settings.sieve:
        return state.play(state.random_move(rng), rng)
    analyst = _analyst(settings.sieve, state)
    best, least = None, settings.tolerance
    tried = set()
    for _ in range(settings.choices):
        move = state.random_move(rng)
        if str(move) in tried:
            continue
        tried.add(str(move))
        after = state.play(move, rng)
        if after.is_terminal:
            continue
        value = _advantage(after, analyst)
        if value is not None and abs(value - settings.even) <= least:
            best, least = after, abs(value - settings.even)
    return best
