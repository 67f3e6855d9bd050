"""The sequential test (SPRT) as a schedule: two agents play pairs of games until the test is decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from joute.arena.schedules.schedule import Pairing, Results, Schedule
from joute.errors import SpecError
from joute.match.sprt import Evidence, Sprt, SprtState

# The test ends if an agent failed before any move was made in every game, and there are at least this many games.
_NO_ACCIDENT = 10


@dataclass(frozen=True)
class Sequential(Schedule):
    """Colour-swapped pairs of games, each pair from a new opening, until the test of `match.sprt` is decided.

    Pairs are evaluated in the order of their numbers. The first pair at which the test crosses a bound decides; games
    with later numbers do not count. A pair whose two games repeat earlier games move by move is no evidence. If as
    many pairs in a row as there are openings, and at least ten, are such pairs, the test ends undecided.
    """

    settings: Sprt = field(default_factory=Sprt)

    settings_type = Sprt
    default_games = 20_000
    is_sequential = True

    def __post_init__(self) -> None:
        if self.entrants != 2:
            raise SpecError(f"a sequential test (sprt) is between two agents, not {self.entrants}")
        if self.games < 2:
            raise SpecError("a sequential test (sprt) plays pairs of games, so games must be at least 2")

    @property
    def _pairs(self) -> int:
        return self.games // 2

    @property
    def openings(self) -> int:
        """One opening per pair of games."""
        return self._pairs

    @property
    def most_games(self) -> int:
        """The maximum number of games, an even number."""
        return 2 * self._pairs

    @property
    def title(self) -> str:
        """The hypotheses and error probabilities of the test."""
        sprt = self.settings
        errors = f"errors {100 * sprt.alpha:g}% and {100 * sprt.beta:g}%"
        return f"sequential test of {sprt.elo0:g} against {sprt.elo1:g} Elo, {errors}"

    def pairings(self, results: Results) -> Iterator[Pairing]:
        """Pairs of games until the test is over, without waiting for results."""
        progress = SprtProgress(self.settings)
        for number in range(self.most_games):
            progress.follow(results)
            if progress.is_over:
                return
            yield Pairing(number, (0, 1) if number % 2 == 0 else (1, 0), number // 2)

    def length(self, results: Results) -> int | None:
        """The number of games up to the decision, or all games if they do not decide; None before."""
        progress = self.progress(results)
        return 2 * progress.pairs if progress.is_over or progress.pairs == self._pairs else None

    def progress(self, results: Results) -> SprtProgress:
        """The state of the test after these results."""
        progress = SprtProgress(self.settings)
        progress.follow(results)
        return progress

    def headline(self, results: Results, names: Sequence[str]) -> str:
        """The verdict of the test; if an agent forfeited more than half of the games, that there is no verdict."""
        progress = self.progress(results)
        forfeited = [
            f"{names[entrant]} forfeited {count} of {2 * progress.pairs}"
            for entrant, count in sorted(progress.forfeits.items())
            if count > progress.pairs
        ]
        if forfeited:
            return f"{' and '.join(forfeited)} games, so there is no verdict on how they play"
        return progress.state.words(names[0], names[1])

    def standing_lines(self, results: Results, names: Sequence[str]) -> list[str]:
        """The state of the test and, if it ended without a decision, the reason."""
        progress = self.progress(results)
        lines = [self.headline(results, names)]
        if repeats := progress.evidence.repeats:
            pairs = f"{repeats} of {progress.pairs} pairs"
            lines.append(f"{pairs} repeat others move by move; they do not count as evidence")
        if progress.only_failed:
            failed = " and ".join(names[entrant] for entrant in progress.only_failed)
            lines.append(f"the test ends: {failed} failed before the first move")
        elif progress.only_repeats:
            openings = f"{progress.openings} opening{'s' * (progress.openings != 1)}"
            lines.append(
                f"the test ends undecided: {openings} gave only repeated games; use more openings, or agents that vary"
            )
        elif progress.state.decision is None and progress.pairs == self._pairs:
            lines.append(f"the test ends undecided: {self.most_games} games are the maximum")
        return lines


@dataclass
class SprtProgress:
    """A sequential test that evaluates pairs of games in the order of their numbers."""

    sprt: Sprt
    #: The number of its first game, and the entrants; the test is whether the first of them is stronger.
    first: int = 0
    seats: tuple[int, int] = (0, 1)
    evidence: Evidence = field(default_factory=Evidence)
    #: By entrant, the games in which it failed before any move was made.
    failures_without_move: Counter[int] = field(default_factory=Counter)
    #: By entrant, the games that it forfeited, including those.
    forfeits: Counter[int] = field(default_factory=Counter)
    #: The number of openings; 0 until the first opening is used a second time.
    openings: int = 0
    state: SprtState = field(init=False)
    _first_opening: int = 0
    _lines: set[tuple[tuple[int, int], str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.state = self.evidence.test(self.sprt)

    @property
    def pairs(self) -> int:
        """The number of pairs evaluated."""
        return self.evidence.pairs

    @property
    def _next(self) -> int:
        """The number of the next game to evaluate."""
        return self.first + 2 * self.pairs

    @property
    def only_repeats(self) -> bool:
        """Whether all openings, and at least ten pairs in a row, have been played once more without a new game."""
        return self.openings > 0 and self.evidence.is_futile(self.openings)

    @property
    def only_failed(self) -> list[int]:
        """The entrants that failed before any move was made in every game, of at least `_NO_ACCIDENT` games."""
        games = 2 * self.pairs
        return [
            entrant for entrant, missed in sorted(self.failures_without_move.items()) if missed == games >= _NO_ACCIDENT
        ]

    @property
    def is_over(self) -> bool:
        """Whether the test is decided or cannot be decided."""
        return self.state.decision is not None or self.only_repeats or bool(self.only_failed)

    def follow(self, results: Results) -> None:
        """Evaluate the pairs that are complete now, up to the decision."""
        while not self.is_over and self._next in results and self._next + 1 in results:
            games = results[self._next], results[self._next + 1]
            if not self.pairs:
                self._first_opening = games[0].opening
            elif not self.openings and games[0].opening == self._first_opening:
                self.openings = self.pairs
            lines = {(game.players, game.line) for game in games}
            self.evidence.add(sum(game.points_of(self.seats[0]) for game in games), new_games=len(lines - self._lines))
            self._lines |= lines
            self.failures_without_move.update(entrant for game in games for entrant in game.failed_without_move)
            self.forfeits.update(entrant for game in games for entrant in game.at_fault | game.failed_without_move)
            self.state = self.evidence.test(self.sprt)
