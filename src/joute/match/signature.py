"""A fixed benchmark of the searches, whose signature changes when their behaviour changes.

Each game has a `Bench`: fixed positions, and searches with limits that do not depend on time. The signature of a search
is a hash of its results (node counts, moves, values, principal variations), so that every change of behaviour, intended
or not, is visible. The model is Stockfish's `bench`. Benches are found in the games' packages and through the entry
point group ``joute.benches``.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from joute.agents import Analysis, Analyst, Clock, agent, find_agent
from joute.errors import SpecError
from joute.games import find_game, new
from joute.plugins import Registry, instance_of
from joute.spec import parse_spec

SEED = 1

# The limits of searches for a fingerprint: a second for a game's engine on all positions. They replace all limits of a
# spec.
_FEW = {"nodes": 5_000, "iterations": 500, "memory_mb": 8}
_LIMITS = {*_FEW, "seconds", "depth", "threads"}

#: Searches for the bench of any game: agents that play every game, with default parameters except for a limit.
AGENTS_OF_EVERY_GAME = {
    "alphabeta": "alphabeta:nodes=20000",
    "mcts": "mcts:iterations=1000",
    "ucb1-tuned": "ucb1-tuned:iterations=1000",
    "rave": "rave:iterations=1000",
    "grave": "grave:iterations=1000",
    "nrpa": "nrpa:level=1,iterations=50",
    "nested": "nested:level=1,iterations=20",
    "greedy": "greedy",
    "random": "random",
}


@dataclass(frozen=True)
class Bench:
    """The benchmark of a game: its positions, in the order of the searches, and the specs of searches by name."""

    game: str
    positions: tuple[str, ...]
    searches: Mapping[str, str]  # specs


_benches: Registry[Bench] = Registry(
    "benchmark", "joute.benches", instance_of(Bench, "joute.match.signature.Bench", named_by="game")
)


def bench_names() -> list[str]:
    """The games that have a benchmark, sorted."""
    return _benches.names()


def find_bench(game: str) -> Bench:
    """The benchmark of a game; SpecError if it has none."""
    if game not in (names := bench_names()):
        find_game(game)
        raise SpecError(f"{game} has no benchmark; {', '.join(names)} have")
    return _benches.find(game)


def is_ours(game: str) -> bool:
    """Whether the benchmark of a game is Joute's own, and so part of the total signature."""
    return _benches.is_ours(game)


@dataclass(frozen=True)
class SearchBench:
    """The result of one search on all positions."""

    game: str
    name: str
    spec: str
    positions: int
    nodes: int
    iterations: int
    seconds: float
    signature: str

    @property
    def nodes_per_s(self) -> float:
        """The speed in nodes, i.e. positions entered by a move, per second."""
        return self.nodes / self.seconds


def bench_search(bench: Bench, name: str, spec: str = "") -> SearchBench:
    """Run a search on every position in order, with one agent for all; `spec` replaces the bench's spec."""
    spec = spec or bench.searches[name]
    searcher = agent(spec, game=bench.game, seed=SEED)
    nodes = iterations = 0
    seconds = 0.0
    texts = []
    for position in bench.positions:
        state = new(bench.game, position)
        began = time.perf_counter()
        if isinstance(searcher, Analyst):
            analysis = searcher.analyze(state, lines=1)
            nodes += analysis.nodes or 0
            iterations += analysis.iterations or 0
            texts.append(_text(analysis))
        else:
            texts.append(str(searcher.choose(state, Clock())))
        seconds += time.perf_counter() - began
    return SearchBench(bench.game, name, spec, len(bench.positions), nodes, iterations, seconds, _hash(texts))


def total_signature(benches: Iterable[SearchBench]) -> str:
    """The signature of all searches together; their order does not matter."""
    return _hash(sorted(f"{bench.game} {bench.name} {bench.signature}" for bench in benches))


def fingerprint(game: str, specs: Iterable[str], *, also: str = "") -> str:
    """The fingerprint of agents: it changes when their moves or values change, and with the text `also`.

    Data that were fitted to an agent's games or values carry it, so that stale data are noticed. The limits of the
    specs do not matter: each agent searches the positions of the game's benchmark, or its start position, with few
    nodes.
    """
    name = parse_spec(game)[0]
    bench = find_bench(name) if name in bench_names() else Bench(name, (new(name).position,), {})
    signatures = [
        f"{known} {bench_search(bench, known, _with_few_nodes(known)).signature}"
        for known in sorted({_without_limits(spec) for spec in specs})
    ]
    return _hash([*signatures, also] if also else signatures)


def _without_limits(spec: str) -> str:
    name, settings = parse_spec(spec)
    return _spec(name, {key: value for key, value in settings.items() if key not in _LIMITS})


def _with_few_nodes(spec: str) -> str:
    name, settings = parse_spec(spec)
    known = {parameter.name for parameter in find_agent(name)[0].described_parameters}
    return _spec(name, settings | {limit: str(value) for limit, value in _FEW.items() if limit in known})


def _spec(name: str, settings: Mapping[str, str]) -> str:
    words = ",".join(f"{key}={value}" if key else value for key, value in settings.items())
    return f"{name}:{words}" if words else name


def _text(analysis: Analysis) -> str:
    """All results of an analysis as text, identical on every machine."""
    words: list[object] = [analysis.nodes, analysis.iterations, analysis.depth, analysis.exact, _number(analysis.value)]
    for judged in analysis.moves:
        words += [judged.move, judged.visits, _number(judged.value), judged.verdict]
        words += judged.pv
    return " ".join(map(str, words))


def _number(value: float | None) -> str:
    # Values are bit-identical on all machines; six digits are enough for a signature.
    return "-" if value is None else f"{value:.6f}"


def _hash(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]
