"""The puzzles of Vampires vs Werewolves: one turn wins with a much higher probability than every other legal turn.

The positions come from games on small maps with few units, so that every legal turn can be listed and judged, not only
the candidates of a generator. The probability of a turn is the mean over the outcomes of its battles.
"""

import functools
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from joute._core import Random
from joute.agents import Analyst, agent
from joute.agents.win_probability import analysis_probability
from joute.games.state import State
from joute.games.vampires.state import Vampires
from joute.learn.puzzles import PuzzleSet, Solution

_GLANCE = "vampires:nodes=3000,memory_mb=4"
_DEEP = "vampires:nodes=40000,memory_mb=16"
_QUICK = "vampires:depth=2,memory_mb=1"
_FEW = "vampires:nodes=4000,memory_mb=4"
#: The answer is better than any other turn by this much win probability.
LEAST_GAP = 0.12
# Turns that a quick look finds this much worse are not judged again.
_CLEARLY_WORSE = 0.3
_MOST_TURNS = 2500
_LEAST_CHANCE = 0.5


@functools.cache
def _analyst(spec: str) -> Analyst:
    return cast(Analyst, agent(spec, game="vampires"))


def chance(state: State, player: int, spec: str) -> float:
    """Return the probability that a player wins, by an agent; battles that are pending are averaged."""
    if state.is_chance:
        outcomes = enumerate(state.outcomes)
        return sum(share * chance(state.resolve(number), player, spec) for number, share in outcomes if share > 0)
    if state.result is not None:
        first = (1 + state.result.outcome) / 2
    else:
        found = analysis_probability(state, _analyst(spec).analyze(state, lines=1), agent=spec)
        assert found is not None
        first = found
    return first if player == 0 else 1 - first


def turns_at_most(state: Vampires) -> int:
    """Return a bound of the number of legal turns: the ways to share out each group, multiplied."""
    count = 1
    for group in state.groups[state.to_move]:
        ways = 1
        for number in range(1, 9):
            ways = ways * (group.units + number) // number
        count *= ways
    return count


def _shares(units: int, places: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to send at most `units` to `places`."""
    if not places:
        yield ()
        return
    for first in range(units + 1):
        for rest in _shares(units - first, places - 1):
            yield first, *rest


def all_turns(state: Vampires) -> Iterator[str]:
    """Yield every legal turn as text."""
    options: list[list[Sequence[tuple[int, int, int, int, int]]]] = []
    for group in state.groups[state.to_move]:
        x, y = group.x, group.y
        places = [
            (x + dx, y + dy)
            for dx, dy in itertools.product((-1, 0, 1), repeat=2)
            if (dx or dy) and 0 <= x + dx < state.columns and 0 <= y + dy < state.rows
        ]
        options.append(
            [
                [(x, y, sent, *place) for sent, place in zip(share, places, strict=True) if sent]
                for share in _shares(group.units, len(places))
            ]
        )
    for chosen in itertools.product(*options):
        orders = [order for group in chosen for order in group]
        left, entered = {order[:2] for order in orders}, {order[3:] for order in orders}
        if orders and not left & entered:
            yield str(state.turn(orders))


def solve(state: State) -> Solution | None:
    """Return the best turn, if every other legal turn has a much lower win probability."""
    assert isinstance(state, Vampires)
    player = state.to_move
    if turns_at_most(state) > _MOST_TURNS or (not state.houses and len(state.legal_moves) < 3):
        return None
    glance = _analyst(_GLANCE).analyze(state, lines=2).moves
    if len(glance) < 2 or glance[0].value is None or glance[1].value is None:
        return None
    if glance[0].value - glance[1].value < LEAST_GAP:
        return None
    answer = str(glance[0].move)
    best = chance(state.play(answer), player, _DEEP)
    if best < _LEAST_CHANCE:
        return None
    next_best = 0.0
    for turn in all_turns(state):
        if turn == answer:
            continue
        after = state.play(turn)
        if chance(after, player, _QUICK) < best - _CLEARLY_WORSE:
            continue
        next_best = max(next_best, chance(after, player, _FEW))
        if next_best > best - LEAST_GAP:
            return None
    proof = f"wins with {best:.0%}; every other legal turn with at most {max(next_best, best - _CLEARLY_WORSE):.0%}"
    return Solution(_kind(state, answer), (answer,), 1, proof)


def _kind(state: Vampires, answer: str) -> str:
    contents = {(cell.x, cell.y): cell.species for cell in state.cells}
    orders = state.parse_move(answer).orders
    entered = [contents.get((order.target_x, order.target_y), "") for order in orders]
    if len(orders) > 1:
        return "orders"
    if entered[0] == "h":
        return "house"
    return "attack" if entered[0] else "step"


def _small_maps() -> tuple[str, ...]:
    """Return maps of three to six rows and columns with two to five monsters a side, the same on every call."""
    found: list[str] = []
    rng = Random(7)
    while len(found) < 200:
        rows, columns = 3 + rng.below(4), 3 + rng.below(4)
        units = 2 + rng.below(4)
        cells = [(x, y) for y in range(rows) for x in range(columns)]
        first, second, *rest = [cells.pop(rng.below(len(cells))) for _ in range(6)]
        if max(abs(first[0] - second[0]), abs(first[1] - second[1])) < 2:
            continue
        other = max(2, units - 1 + rng.below(3))
        homes = [(1 + rng.below(4), place) for place in rest[: 1 + rng.below(4)]]
        parts = [f"{units}v{first[0]}.{first[1]}", f"{other}w{second[0]}.{second[1]}"]
        parts += [f"{humans}h{x}.{y}" for humans, (x, y) in homes]
        found.append(f"{rows}x{columns}/{'+'.join(parts)}")
    return tuple(found)


PUZZLES = PuzzleSet(
    solve=solve,
    players=("level:3", "level:4"),
    plies=(0, 60),
    levels=(1, 2, 3, 4),
    check=f"checked by the engine for every legal turn: the answer wins with at least {LEAST_GAP:.0%} more probability",
    file=Path(__file__).with_name("data") / "puzzles.toml",
    starts=_small_maps(),
    most_of_a_kind=4,
)
