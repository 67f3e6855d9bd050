"""Matches between networks during training: all games of a match advance together, in batches.

Each opening is played twice with colours swapped. Networks search without noise, so the same two networks repeat their
games; only the openings make games differ.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from joute._core import Random
from joute.agents import Agent, Clock, agent, find_agent
from joute.arena.opening_sets import shipped_set
from joute.arena.openings import BALANCED, default_openings, make_openings
from joute.errors import JouteError, SpecError
from joute.games import Move, State, new
from joute.match import MatchResult, Sprt
from joute.match.game import GameInProgress, derive_seed
from joute.spec import look_up
from joute.train.parameters import TrainParameters

# With starts=balanced, there are so many games from balanced openings for each from the start position.
_BALANCED_A_START = 3
# Pairs of games between two evaluations of a sequential test: they fit a batch, and few are played after the decision.
_PAIRS_A_LOOK = 25


class Inference(Protocol):
    """The part of joute.train.inference that a match needs: batches of one size, in slots of host memory."""

    @property
    def batch(self) -> int:
        """The number of positions of a batch."""
        ...

    @property
    def slots(self) -> Sequence[Any]:
        """The memory of the batches; searches attach to their `arrays`."""
        ...

    def launch(self, slot: Any) -> None:
        """Begin to evaluate the batch of a slot."""
        ...

    def wait(self, slot: Any) -> None:
        """Wait until the slot's outputs are complete."""
        ...


class ManyPlayer(Protocol):
    """A player of many games at once."""

    name: str

    def choose(self, states: Sequence[State]) -> list[Move]:
        """A move for each position, as an object or as text."""
        ...


class NetworkPlayer:
    """A network and its search, without noise."""

    def __init__(self, name: str, start: State, inference: Inference, parameters: TrainParameters) -> None:
        from joute._core import SelfPlayOptions

        self.name = name
        self._inference, self._slot = inference, inference.slots[0]
        settings = parameters.self_play(type(start)) | {
            "games": inference.batch,
            "simulations": parameters.match_simulations,
            "full_share": 1.0,
            "repetition_penalty": 0.0,
            "threads": parameters.match_threads,
            # The program whose error `scrambled` is plays matches with it too.
            "symmetries": parameters.symmetries and parameters.scrambled,
        }
        self._search = type(start).batch_search(SelfPlayOptions(**settings), start.rules)  # type: ignore[attr-defined]
        self._search.attach(*self._slot.arrays)

    def choose(self, states: Sequence[State]) -> list[Move]:
        """The search's first choice in each position."""
        moves: list[Move] = []
        size = self._inference.batch
        for first in range(0, len(states), size):
            self._search.begin(list(states[first : first + size]))
            while self._search.collect():
                self._inference.launch(self._slot)
                self._inference.wait(self._slot)
                self._search.deliver()
            moves += [result.best.move for result in self._search.results()]
        return moves


class AgentPlayer:
    """An agent that chooses moves one position at a time."""

    def __init__(self, spec: str, start: State, *, seed: int) -> None:
        self.name = spec
        self._agent: Agent = agent(spec, game=start.spec, seed=seed)

    def choose(self, states: Sequence[State]) -> list[Move]:
        """The agent's moves, without a clock."""
        return [self._agent.choose(state, Clock()) for state in states]


def check_matches(start: State, parameters: TrainParameters) -> None:
    """Raise JouteError if references are missing or do not play the game, or the openings are invalid."""
    if parameters.match_every:
        references = parameters.references.split()
        if not references:
            raise SpecError("train: references must name at least one agent; match_every=0 switches matches off")
        for spec in references:
            find_agent(spec, start.spec)
    if parameters.match_every or parameters.gate != "none":
        openings_of(start.spec, parameters, 2)


def starts_of(start: State, parameters: TrainParameters) -> list[State]:
    """The start positions of self-play; empty if all games begin at the game's start position.

    A set may have a position several times, so that more games begin there.
    """
    if not parameters.starts:
        return []
    positions = shipped_set(start.spec)
    known = dict.fromkeys([*([BALANCED] if positions else []), *type(start).training_start_kinds])
    if not known:
        raise SpecError(f"{start.spec} has no sets of start positions; leave out starts")
    look_up(f"set of start positions of {start.game}", parameters.starts, known)
    if parameters.starts == BALANCED and positions:
        balanced = [new(start.spec, position) for position in positions]
        return balanced + [start] * (len(balanced) // _BALANCED_A_START)
    return _drawn_starts(start, parameters.starts, derive_seed(parameters.seed, 2**37))


@functools.lru_cache(maxsize=1)  # every gate asks for them, and thousands of maps take seconds
def _drawn_starts(start: State, kind: str, seed: int) -> list[State]:
    return list(start.training_starts(kind, Random(seed)))


def openings_of(game: str, parameters: TrainParameters, games: int) -> tuple[State, ...]:
    """Openings for so many games, one for every two; fewer if there are not enough."""
    if parameters.openings == "starts":
        start = new(game)
        return tuple((starts_of(start, parameters) or [start])[: (games + 1) // 2])
    kind = parameters.openings or default_openings(game)
    found = make_openings(game, kind, (games + 1) // 2, derive_seed(parameters.seed, 2**32))
    return tuple(new(game, position) for position in found.positions)


class InterruptedMatchError(Exception):
    """A match was asked to stop."""


def play_together(
    a: ManyPlayer,
    b: ManyPlayer,
    openings: Sequence[State],
    *,
    seed: int = 0,
    max_plies: int = 0,
    stop: Callable[[], bool] = lambda: False,
) -> MatchResult:
    """Play two games from each opening, colours swapped. Games stop after `max_plies` plies unless it is 0.

    Raises InterruptedMatchError once `stop()`.
    """
    games = [
        (_begin(opening, seed, derive_seed(seed, number), max_plies), a_first)
        for number, opening in enumerate(openings)
        for a_first in (True, False)
    ]
    playing = [each for each in games if not each[0].is_over]
    while playing:
        if stop():
            raise InterruptedMatchError
        for player, is_a in ((a, True), (b, False)):
            asked = [game for game, a_first in playing if (game.to_move == 0) == (a_first == is_a)]
            moves = player.choose([game.state for game in asked]) if asked else []
            for game, move in zip(asked, moves, strict=True):
                game.play(move)
            playing = [each for each in playing if not each[0].is_over]
    result = MatchResult(a.name, b.name, keep_records=False)
    for game, a_first in games:
        result.add(game.record((a.name, b.name) if a_first else (b.name, a.name)), a_first=a_first)
    return result


def _begin(opening: State, seed: int, chance_seed: int, max_plies: int) -> GameInProgress[State]:
    """A game from an opening; the plies of the opening count towards `max_plies`."""
    left = max_plies - opening.ply if max_plies else None
    return GameInProgress(opening, seed=seed, chance_seed=chance_seed, max_plies=left)


@dataclass(frozen=True)
class Verdict:
    """Whether a new network replaces the one that plays, with the reason in a sentence."""

    accepted: bool
    sentence: str
    games: int = 0
    score: float = 0.5


def gate(
    new_one: ManyPlayer, old_one: ManyPlayer, openings: Sequence[State], parameters: TrainParameters, *, seed: int
) -> Verdict:
    """Decide by the run's gate whether a new network replaces the old one; JouteError without openings."""
    if parameters.gate == "none":
        return Verdict(True, "there is no gate")
    if not openings:
        raise JouteError("a gate needs openings to play from")
    if parameters.gate == "margin":
        chosen = openings[: parameters.gate_games // 2]
        return by_margin(
            play_together(new_one, old_one, chosen, seed=seed, max_plies=parameters.max_plies), parameters.gate_share
        )
    return _by_sprt(new_one, old_one, openings[: parameters.gate_limit // 2], parameters, seed)


def by_margin(result: MatchResult, share: float) -> Verdict:
    """Accept a network that won the given share of the decided games: the gate of AlphaGo Zero and the Vampires paper.

    With 40 games, no draws and a share of 55%, it accepts 32% of networks that are no better.
    """
    wins, _, losses = result.tally()
    accepted = wins + losses > 0 and wins >= share * (wins + losses)
    sentence = f"{wins} of {wins + losses} decided games won, {share:.0%} wanted"
    return Verdict(accepted, sentence, result.games, result.score)


def _by_sprt(
    new_one: ManyPlayer, old_one: ManyPlayer, openings: Sequence[State], parameters: TrainParameters, seed: int
) -> Verdict:
    """Play until the test decides or the openings run out; without a decision the old network stays.

    No opening is used twice: networks without noise would repeat the same games, which add no information.
    """
    sprt = Sprt.parse(parameters.gate_sprt)
    counts, points, games = [0.0] * 5, 0.0, 0
    state = sprt.test(counts)
    for first in range(0, len(openings), _PAIRS_A_LOOK):
        group = openings[first : first + _PAIRS_A_LOOK]
        result = play_together(new_one, old_one, group, seed=derive_seed(seed, first), max_plies=parameters.max_plies)
        counts = [before + more for before, more in zip(counts, result.pentanomial.counts, strict=True)]
        points, games = points + result.games * result.score, games + result.games
        state = sprt.test(counts)
        if state.decision:
            break
    return Verdict(state.decision == "H1", state.words(new_one.name, old_one.name), games, points / games)
