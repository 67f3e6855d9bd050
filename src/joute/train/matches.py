"""Matches between networks while they learn: all games of a match advance together, a batch at a time.

Both players of a pair of games start from the same opening, each once with the first move. A network plays its search
without noise, so the same two networks play the same games again; what varies is where they start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from joute.agents import Agent, Clock, agent, find_agent
from joute.arena.openings import make_openings
from joute.errors import JouteError, SpecError
from joute.games import Move, State, new
from joute.match import MatchResult, Sprt
from joute.match.game import GameInProgress, derive_seed
from joute.train.parameters import TrainParameters

# Pairs of games between two looks of a sequential test: a batch has room for so many, and few are played in vain.
_PAIRS_A_LOOK = 25


class Inference(Protocol):
    """What a match asks of a network (joute.train.inference): batches of one size, in slots of host memory."""

    @property
    def batch(self) -> int:
        """How many positions a batch has."""
        ...

    @property
    def slots(self) -> Sequence[Any]:
        """Memory for batches: `arrays` are those that searches attach to."""
        ...

    def launch(self, slot: Any) -> None:
        """Begin to answer what stands in a slot."""
        ...

    def wait(self, slot: Any) -> None:
        """Return when its answers stand there."""
        ...


class ManyPlayer(Protocol):
    """Who plays many games at once."""

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
        settings = parameters.self_play() | {
            "games": inference.batch,
            "simulations": parameters.match_simulations,
            "full_share": 1.0,
            "symmetries": False,
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
            moves += [report.best.move for report in self._search.results()]
        return moves


class AgentPlayer:
    """An agent, asked about one position after the other."""

    def __init__(self, spec: str, start: State, *, seed: int) -> None:
        self.name = spec
        self._agent: Agent = agent(spec, game=start.spec, seed=seed)

    def choose(self, states: Sequence[State]) -> list[Move]:
        """What the agent answers, without a clock."""
        return [self._agent.choose(state, Clock()) for state in states]


def check_matches(start: State, parameters: TrainParameters) -> None:
    """JouteError if a run has no references, or they do not play its game, or it has no such openings."""
    if parameters.match_every:
        references = parameters.references.split()
        if not references:
            raise SpecError("train: references names no agent to rate networks by; match_every=0 plays no matches")
        for spec in references:
            find_agent(spec, start.spec)
    if parameters.match_every or parameters.gate != "none":
        openings_of(start.spec, parameters, 2)


def openings_of(game: str, parameters: TrainParameters, games: int) -> tuple[State, ...]:
    """Where so many games start, each opening for two of them; fewer where there are no more."""
    found = make_openings(game, parameters.openings, (games + 1) // 2, derive_seed(parameters.seed, 2**32))
    return tuple(new(game, position) for position in found.positions)


def play_together(
    a: ManyPlayer, b: ManyPlayer, openings: Sequence[State], *, seed: int = 0, max_plies: int = 0
) -> MatchResult:
    """Two games from each opening, colours swapped; games of more than `max_plies` plies, if that is not 0, stop."""
    games = [
        (_begin(opening, seed, derive_seed(seed, number), max_plies), a_first)
        for number, opening in enumerate(openings)
        for a_first in (True, False)
    ]
    playing = [each for each in games if not each[0].is_over]
    while playing:
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
    """A game from an opening, whose plies count towards the limit."""
    left = max_plies - opening.ply if max_plies else None
    return GameInProgress(opening, seed=seed, chance_seed=chance_seed, max_plies=left)


@dataclass(frozen=True)
class Verdict:
    """Whether a new network takes the place of the one that plays, and why, in a sentence."""

    accepted: bool
    sentence: str
    games: int = 0
    score: float = 0.5


def gate(
    new_one: ManyPlayer, old_one: ManyPlayer, openings: Sequence[State], parameters: TrainParameters, *, seed: int
) -> Verdict:
    """What the gate of a run says of a new network. JouteError if there is no opening to play from."""
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
    """Whether a network won its share of the decided games: the gate of AlphaGo Zero, and of the report of Vampires.

    Of networks that are no better, 40 games without draws at 55% let 32 in 100 pass.
    """
    wins, _, losses = result.tally()
    accepted = wins + losses > 0 and wins >= share * (wins + losses)
    sentence = f"{wins} of {wins + losses} decided games won, {share:.0%} wanted"
    return Verdict(accepted, sentence, result.games, result.score)


def _by_sprt(
    new_one: ManyPlayer, old_one: ManyPlayer, openings: Sequence[State], parameters: TrainParameters, seed: int
) -> Verdict:
    """Play until the test is decided or no opening is left; without a decision the old network stays.

    No opening is played twice: networks without noise would play the same games again, which prove nothing.
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
