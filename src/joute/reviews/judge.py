"""The judge of a review: the win probability of positions and of what follows a move, by searches of one agent."""

from __future__ import annotations

import heapq
import threading
from dataclasses import dataclass
from typing import Any

from joute.agents import Analysis, Analyst, adviser, agent, agent_types, find_agent
from joute.agents.win_probability import analysis_probability, proven_outcome
from joute.errors import JouteError, SpecError
from joute.games import State, new
from joute.reviews.classes import ReviewParameters
from joute.spec import parse_spec

# Any of these in an agent's spec is its limit.
_LIMITS = ("nodes", "seconds", "iterations", "depth")


@dataclass(frozen=True)
class Judgement:
    """A judged position: the probability that the first player wins, and the line that the judge would play."""

    for_first: float
    is_proven: bool
    line: tuple[str, ...] = ()

    def for_player(self, player: int) -> float:
        """The probability that a player wins."""
        return self.for_first if player == 0 else 1 - self.for_first


class Judge:
    """Judges positions of one game with one agent; many threads may call it at once.

    An exact solver is made once for each thread. Another agent is made anew for every search, so that a judgement
    depends on the position alone, and not on the order of the searches.
    """

    def __init__(
        self,
        game: str,
        spec: str | None = None,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        parameters: ReviewParameters | None = None,
    ) -> None:
        self._parameters = parameters or ReviewParameters()
        self._game = new(game).spec
        self._seconds = seconds
        name = spec or adviser(parse_spec(game)[0]) or "mcts"
        agent_types()  # fill the registry before threads use it
        #: The spec of the agent, with its limit.
        self.spec = self._limited(name, nodes)
        self.is_exact = find_agent(self.spec, self._game)[0].exact
        self._own = threading.local()
        self._running: set[Any] = set()
        self._lock = threading.Lock()
        self._is_stopped = False
        self._made(self.spec)

    def judge(self, state: State, *, share: float = 1.0) -> Judgement:
        """Judge a position in which a player is to move, or the game is over; `share` scales the limit of the search.

        Raises JouteError if the agent tells no value.
        """
        if state.result is not None:
            return Judgement((1 + state.result.outcome) / 2, is_proven=True)
        analysis = self.analysis(state, share=share)
        for_first = analysis_probability(state, analysis, agent=self.spec)
        line = tuple(map(str, analysis.pv or [judged.move for judged in analysis.moves[:1]]))
        if for_first is not None:
            return Judgement(for_first, proven_outcome(analysis) is not None, line)
        if not line:
            raise JouteError(f"agent '{self.spec}' tells no value of the position at ply {state.ply}: {state.position}")
        # An engine whose solver refuted the search's move, but did not finish, names a move without a value. The move
        # ends the game sooner or later, so this ends too.
        after = self.judge_expected(state.play(line[0]))
        return Judgement(after.for_first, is_proven=False, line=(line[0], *after.line))

    def judge_expected(self, state: State) -> Judgement:
        """Judge a position in which a random event may be pending, by the expectation over its outcomes."""
        if not state.is_chance:
            return self.judge(state)
        known = self._parameters
        outcomes = settled_positions(state, coverage=known.coverage, most=known.outcomes)
        judged = [(chance, self.judge(after, share=max(0.1, chance))) for chance, after in outcomes]
        expected = sum(chance * found.for_first for chance, found in judged)
        return Judgement(expected, all(found.is_proven for _, found in judged))

    def stop(self) -> None:
        """Make running searches return soon. The judge cannot be used afterwards."""
        with self._lock:
            self._is_stopped = True
            running = list(self._running)
        for analyst in running:
            if callable(stop := getattr(analyst, "stop", None)):
                stop()

    def analysis(self, state: State, *, lines: int = 1, share: float = 1.0) -> Analysis:
        """Analyze a position with the judge's limit, scaled by `share`; so many moves get a value and a line."""
        analyst = self._analyst(share)
        with self._lock:
            if self._is_stopped:
                raise JouteError("the review is stopped")
            self._running.add(analyst)
        try:
            seconds = None if self._seconds is None else self._seconds * share
            return analyst.analyze(state, lines=lines, seconds=seconds)
        finally:
            with self._lock:
                self._running.discard(analyst)

    def _analyst(self, share: float) -> Analyst:
        if self.is_exact:
            if not hasattr(self._own, "analyst"):
                self._own.analyst = self._made(self.spec)
            made: Analyst = self._own.analyst
            return made
        return self._made(self._scaled(share))

    def _made(self, spec: str) -> Analyst:
        made = agent(spec, game=self._game)
        if not isinstance(made, Analyst):
            raise SpecError(f"agent '{spec}' does not tell the values of positions, so it cannot review a game")
        return made

    def _limited(self, spec: str, nodes: int | None) -> str:
        """The spec with `nodes` as its limit, or with the default limit if it has none."""
        name, pairs = parse_spec(spec)
        known = {parameter.name for parameter in find_agent(spec, self._game)[0].described_parameters}
        if nodes is not None and "nodes" not in known:
            raise SpecError(f"agent '{name}' has no limit of nodes; leave out --nodes")
        if nodes is not None:
            pairs = {key: value for key, value in pairs.items() if key not in _LIMITS} | {"nodes": str(nodes)}
        elif "nodes" in known and self._seconds is None and not any(limit in pairs for limit in _LIMITS):
            pairs = pairs | {"nodes": str(self._parameters.nodes)}
        if "nodes" in known and "memory_mb" in known and "memory_mb" not in pairs:
            pairs = pairs | {"memory_mb": str(self._parameters.memory_mb)}
        return _spec_text(name, pairs)

    def _scaled(self, share: float) -> str:
        name, pairs = parse_spec(self.spec)
        if share == 1 or "nodes" not in pairs:
            return self.spec
        return _spec_text(name, pairs | {"nodes": str(max(1, round(share * int(pairs["nodes"]))))})


def _spec_text(name: str, pairs: dict[str, str]) -> str:
    return f"{name}:{','.join(f'{key}={value}' for key, value in pairs.items())}" if pairs else name


def settled_positions(state: State, *, coverage: float, most: int) -> list[tuple[float, State]]:
    """The positions after all pending random events, the likeliest first, with probabilities that add up to 1.

    They cover at least a share `coverage` of all cases, unless that takes more than `most` positions. An event may
    lead to another one; the search is best-first, so that it also ends where a chain of events need not.
    """
    found: list[tuple[float, State]] = []
    covered = 0.0
    open_events = [(-1.0, 0, state)]
    order = 0  # breaks ties, as states have no order
    while open_events and covered < coverage and len(found) < most:
        negative, _, reached = heapq.heappop(open_events)
        if not reached.is_chance:
            found.append((-negative, reached))
            covered -= negative
            continue
        for outcome, share in enumerate(reached.outcomes):
            if share > 0:
                order += 1
                heapq.heappush(open_events, (negative * share, order, reached.resolve(outcome)))
    return [(chance / covered, reached) for chance, reached in found]
