"""Drives the batches of self-play with the networks of network_evaluators.py, and reads what it records."""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from network_evaluators import Evaluator, Noise
from numpy.typing import NDArray
from plain_options import self_play_options
from typed import NetworkState, network_game, network_state, new_for_network

from joute import Random, State
from joute._core import BatchSearch, ReplayWindow, SearchResult, SelfPlay

NETWORK_GAMES = ["connect4", "avalam", "divercite", "quoridor", "noughts", "dice", "boxes"]
SEARCHES = ["gumbel", "puct"]


class Driven:
    """A batch with arrays attached, answered by an evaluator."""

    def __init__(self, batch: SelfPlay | BatchSearch, evaluator: Evaluator) -> None:
        planes, rows, columns = batch.input_shape
        self.evaluator = evaluator
        self.planes = np.zeros((batch.batch, planes * rows * columns), np.uint8)
        self.legal = np.full((batch.batch, batch.width * batch.parts), -1, np.int16)
        self.priors = np.zeros((batch.batch, batch.width), np.float16)
        self.values = np.zeros(batch.batch, np.float16)
        batch.attach(self.planes, self.legal, self.priors, self.values)

    def answer(self, rows: int) -> None:
        self.priors[:rows], self.values[:rows] = self.evaluator(self.planes[:rows], self.legal[:rows])


class Searches:
    """A batch search that has ended."""

    def __init__(self, states: Sequence[State], evaluator: Evaluator, **options: Any) -> None:
        options = {"games": len(states), **options}
        search = type(network_state(states[0])).batch_search(self_play_options(**options), states[0].rules)
        driven = Driven(search, evaluator)
        search.begin(list(states))
        self.leaves: list[NDArray[np.uint8]] = []
        while waiting := search.collect():
            self.leaves.append(driven.planes[:waiting].copy())
            driven.answer(waiting)
            search.deliver()
        self.results: list[SearchResult] = search.results()
        self.targets: list[list[float]] = search.targets()


def shown(result: SearchResult) -> list[tuple[Any, ...]]:
    """The result of each move, in an order that does not depend on the search."""
    return sorted((str(m.move), m.visits, round(m.value, 5), m.lower, m.upper) for m in result.moves)


class Pool(Driven):
    """Self-play that an evaluator answers."""

    def __init__(self, game: str, evaluator: Evaluator, rules: str = "", **options: Any) -> None:
        self.game = game
        self.rules = rules
        self.pool: SelfPlay = network_game(game).self_play(self_play_options(**options), rules)
        super().__init__(self.pool, evaluator)

    def step(self) -> None:
        self.pool.step()
        self.answer(len(self.values))

    def play(self, games: int) -> bytes:
        """Records of at least so many more games."""
        last = self.pool.games + games
        while self.pool.games < last:
            self.step()
        return self.pool.take_games()

    def read(self, records: bytes) -> list[RecordedGame]:
        return read_games(f"{self.game}:{self.rules}".rstrip(":"), records, self.pool.width)


@dataclass
class RecordedPly:
    state: NetworkState
    move: Any
    target: dict[Any, int] | None  # weights of moves, in 255ths
    exact: int | None  # the outcome for the first player where it was known
    value: float


@dataclass
class RecordedGame:
    outcome: int
    margin: int
    plies: list[RecordedPly]
    end: NetworkState


def read_games(spec: str, records: bytes, width: int) -> list[RecordedGame]:
    """The games of some records, played again from the bytes as core/selfplay/game_record.hpp describes them."""
    place = "B" if width <= 256 else "H"
    at = 0

    def read(layout: str) -> tuple[int, ...]:
        nonlocal at
        numbers: tuple[int, ...] = struct.unpack_from("<" + layout, records, at)
        at += struct.calcsize("<" + layout)
        return numbers

    games = []
    while at < len(records):
        (length,) = read("I")
        end = at + length
        outcome, margin, count = read("BhH")
        state = new_for_network(spec)
        plies = []
        for _ in range(count):
            chosen, flags, value, outcomes = read(place + "BbB")
            drawn = read("B" * outcomes)
            moves = state.legal_moves
            target = None
            if flags & 1:
                (entries,) = read("B")
                weights = [read(place + "B") for _ in range(entries)]
                target = {moves[i]: weight for i, weight in weights}
                assert len(target) == entries
            exact = (flags >> 1 & 3) - 2 if flags >> 1 & 3 else None
            plies.append(RecordedPly(state, moves[chosen], target, exact, value / 127))
            state = state.play(moves[chosen])
            for outcome_of_chance in drawn:
                state = state.resolve(outcome_of_chance)
        assert at == end
        games.append(RecordedGame(outcome - 1, margin, plies, state))
    return games


def random_positions(game: str, count: int, seed: int, *, plies: range = range(200)) -> list[NetworkState]:
    """Positions of random games in which a player is to move."""
    rng, draw = random.Random(seed), Random(seed)
    found: list[NetworkState] = []
    while len(found) < count:
        line = [new_for_network(game)]
        while not line[-1].is_terminal:
            line.append(line[-1].play(rng.choice(line[-1].legal_moves), draw))
        wanted = [state for state in line[:-1] if state.ply in plies]
        if wanted:
            found.append(rng.choice(wanted))
    return found


# Games by noise may go on for long where positions come back.
LIMITS: dict[str, dict[str, Any]] = {"quoridor": {"max_plies": 12}, "dice": {"max_plies": 60}}
PLAIN: dict[str, Any] = {"search": "puct", "noise_share": 0.0, "temperature": 0.0, "reuse": False}


def pool_of(name: str, evaluator: Evaluator | None = None, **options: Any) -> Pool:
    options = {"games": 16, "simulations": 8, **LIMITS.get(name, {}), **options}
    return Pool(name, evaluator or Noise(new_for_network(name)), **options)


def plies_of(games: list[RecordedGame]) -> Iterator[RecordedPly]:
    return (ply for game in games for ply in game.plies)


def played(name: str, count: int, evaluator: Evaluator | None = None, **options: Any) -> list[RecordedGame]:
    pool = pool_of(name, evaluator, **options)
    return pool.read(pool.play(count))


def window_of(name: str, records: bytes, capacity: int = 100_000) -> ReplayWindow:
    window: ReplayWindow = network_game(name).replay_window(capacity)
    window.add(records)
    return window


def fits(counts: Counter[Any], shares: dict[Any, float]) -> None:
    """Whether counts are what draws of these shares give; the bound is far beyond chance (p < 1e-6)."""
    total = counts.total()
    statistic = sum((counts[item] - total * share) ** 2 / (total * share) for item, share in shares.items() if share)
    freedom = len(shares) - 1
    assert statistic < freedom + 7 * (2 * freedom) ** 0.5 + 15
    assert all(shares[item] > 0 for item in counts)
