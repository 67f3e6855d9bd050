"""A tuning as a schedule of the arena: first the games that its method asks for, then the test of the result.

The entrants are two seats for the settings of the method, and two for each test: the tuned setting and the base. All
are the same agent. The values that a side plays with are part of the game's pairing, and the two games of a pair share
their opening, their seed and so their random events. Like every schedule it is a function of its settings and the
results, so that a tuning that is killed at any instant goes on to the same games.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from joute.arena.schedules.schedule import Pairing, Results, Schedule
from joute.arena.schedules.sequential import SprtProgress
from joute.errors import SpecError
from joute.match.sprt import Sprt
from joute.spec import parameter, vary
from joute.tune.space import Point, Space
from joute.tune.spsa import Spsa, SpsaParameters
from joute.tune.trials import SAMPLERS, Trials
from joute.tune.tuner import AHEAD, Batch, Tuner

#: The methods, as `--method` names them.
METHODS = ("spsa", *SAMPLERS)

#: The seats of the two settings of a method, and of the first test.
TUNING, FIRST_TEST = (0, 1), 2

# A tuning ends if a seat failed before any move in each of its first games, so many of them.
_NO_ACCIDENT = 10


@dataclass(frozen=True)
class TuningSettings:
    """The settings of a tuning. `joute tune` makes them."""

    over: str = parameter("", help="the parameters and their ranges", source="the user")
    method: str = parameter("spsa", help="how settings are found", source="fishtest", choices=METHODS)
    tuning_seed: int = parameter(0, help="seed of the method", source="--seed", low=0, high=2**64 - 1)
    batch: int = parameter(
        8,
        help="pairs of games that SPSA plays from the same values",
        source="keeps eight workers busy",
        low=1,
        high=10**4,
    )
    c_end: float = vary(SpsaParameters, "c_end")
    r_end: float = vary(SpsaParameters, "r_end")
    tuning_openings: int = parameter(
        1, help="openings of the tuning; those after them are the tests'", source="half of all", low=1, high=10**6
    )
    test_openings: int = parameter(1, help="openings of a test", source="half of all", low=0, high=10**6)
    tests: int = parameter(1, help="tests of the result, each with its own clock", source="one", low=0, high=100)
    test_games: int = parameter(20_000, help="most games of a test", source="sprt", low=2, high=10**9)
    elo0: float = vary(Sprt, "elo0")
    elo1: float = vary(Sprt, "elo1")
    alpha: float = vary(
        Sprt,
        "alpha",
        default=0.025,
        source="a 95% interval above 0 errs as often",
    )
    beta: float = vary(Sprt, "beta")
    request: str = parameter("", help="a hash of what the user asked for", source="joute tune")

    @property
    def sprt(self) -> Sprt:
        """The test of the result."""
        return Sprt(self.elo0, self.elo1, self.alpha, self.beta)


@dataclass(frozen=True)
class Tuning(Schedule):
    """The games of a tuning and of its tests; `games` are those of the tuning."""

    settings: TuningSettings = field(default_factory=TuningSettings)

    settings_type = TuningSettings
    default_games = 2000
    is_sequential = True

    def __post_init__(self) -> None:
        if not self.settings.over:
            raise SpecError("this schedule is that of joute tune, which chooses its agents")
        Space.parse(self.settings.over)
        assert self.settings.sprt  # SpecError if elo0 is not below elo1
        if self.entrants != FIRST_TEST + 2 * self.settings.tests:
            raise SpecError(f"a tuning with {self.settings.tests} tests has no {self.entrants} entrants")
        if self.games < 2 or self.games % 2:
            raise SpecError(f"a tuning plays pairs of games, so games must be even, not {self.games}")

    @functools.cached_property
    def space(self) -> Space:
        """The parameters that are tuned."""
        return Space.parse(self.settings.over)

    @property
    def openings(self) -> int:
        """The number of openings, of the tuning and of its tests."""
        return self.settings.tuning_openings + self.settings.test_openings

    @property
    def most_games(self) -> int:
        """The games of the tuning, and the most of each test."""
        return self.games + self.settings.tests * self.settings.test_games

    @property
    def title(self) -> str:
        """The method and what is tuned."""
        return f"tuning of {', '.join(self.space.names)} by {self.settings.method}"

    def progress(self, results: Results) -> TuningProgress:
        """The state of the tuning after these results."""
        progress = TuningProgress(self)
        progress.follow(results)
        return progress

    def pairings(self, results: Results) -> Iterator[Pairing | None]:
        """The games of the method, then those of each test in turn."""
        progress = TuningProgress(self)
        given = 0
        while not progress.is_tuned:
            progress.follow(results)
            yield from progress.asked[given:]
            is_waiting = given == len(progress.asked)
            given = len(progress.asked)
            if is_waiting and not progress.is_tuned:
                yield None
        yield from progress.test_pairings(results)

    def length(self, results: Results) -> int | None:
        """One more than the last number that counts; None before the last test is over."""
        progress = self.progress(results)
        if not progress.is_over:
            return None
        return (
            progress.tests[-1].progress.first + 2 * progress.tests[-1].progress.pairs
            if progress.tests
            else progress.games
        )

    def games_in_all(self, results: Results) -> int | None:
        """The games of the tuning and of the tests up to their decisions."""
        progress = self.progress(results)
        return progress.games + sum(2 * test.progress.pairs for test in progress.tests) if progress.is_over else None

    def standing_lines(self, results: Results, names: Sequence[str]) -> list[str]:
        """The best setting so far, and the state of each test."""
        progress = self.progress(results)
        lines = [f"{'tuned' if progress.is_tuned else 'best so far'}: {self.space.settings(progress.tuner.best)}"]
        return lines + [test.words(names) for test in progress.tests]

    def headline(self, results: Results, names: Sequence[str]) -> str:
        """The state of the last test; empty before the first one."""
        progress = self.progress(results)
        return progress.tests[-1].words(names) if progress.tests else ""

    def make_tuner(self) -> Tuner:
        """The method, before its first game."""
        known, pairs = self.settings, self.games // 2
        if known.method == "spsa":
            parameters = SpsaParameters(c_end=known.c_end, r_end=known.r_end)
            return Spsa(self.space, pairs, seed=known.tuning_seed, batch=known.batch, parameters=parameters)
        return Trials(self.space, pairs, seed=known.tuning_seed, sampler=known.method)


@dataclass
class Test:
    """A sequential test of the tuned setting against the base."""

    most_pairs: int
    progress: SprtProgress

    @property
    def is_over(self) -> bool:
        """Whether it is decided, cannot be decided, or has played all its games."""
        return self.progress.is_over or self.progress.pairs >= self.most_pairs

    def words(self, names: Sequence[str]) -> str:
        """Its state as a sentence."""
        return self.progress.state.words(*(names[seat] for seat in self.progress.seats))


@dataclass
class TuningProgress:
    """A tuning that follows the results: the games asked for so far, what the method learned, and the tests."""

    schedule: Tuning
    tuner: Tuner = field(init=False)
    #: The games of the method so far.
    asked: list[Pairing] = field(default_factory=list)
    #: After each batch that was told, the number of games so far and the best setting.
    history: list[tuple[int, Point]] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    is_tuned: bool = False
    #: The games of the method that were told.
    games: int = 0
    #: The seats that failed before the first move of every game.
    broken: tuple[int, ...] = ()
    _open: deque[tuple[int, Batch]] = field(default_factory=deque)
    _failures: list[int] = field(default_factory=lambda: [0, 0])

    def __post_init__(self) -> None:
        self.tuner = self.schedule.make_tuner()

    @property
    def is_over(self) -> bool:
        """Whether no further game follows."""
        return self.is_tuned and all(test.is_over for test in self.tests)

    def follow(self, results: Results) -> None:
        """Tell the method the results of the batches that are complete, in order, and ask it for the next ones."""
        while not self.is_tuned:
            while len(self._open) < AHEAD and (batch := self.tuner.ask()):
                self._open.append((len(self.asked), batch))
                self._add(batch)
            if not self._open:
                self._begin_tests()
            elif not self._tell_oldest(results):
                return
        for test in self.tests:
            test.progress.follow(results)

    def test_pairings(self, results: Results) -> Iterator[Pairing]:
        """The games of the tests, each without waiting for results."""
        known, space = self.schedule.settings, self.schedule.space
        tuned = space.settings(self.tuner.best)
        for test in self.tests:
            for index in range(2 * test.most_pairs):
                test.progress.follow(results)
                if test.is_over:
                    break
                pair, is_swapped = divmod(index, 2)
                seats, settings = test.progress.seats, (tuned, "")
                opening = known.tuning_openings + pair % known.test_openings if known.test_openings else pair
                yield Pairing(
                    test.progress.first + index,
                    seats[::-1] if is_swapped else seats,
                    opening,
                    settings[::-1] if is_swapped else settings,
                    draw=test.progress.first + 2 * pair,
                )

    def _add(self, batch: Batch) -> None:
        """List the games of a batch. Trials that play the same opening share its seed."""
        settings, openings = self.schedule.space.settings, self.schedule.settings.tuning_openings
        for duel in batch:
            sides = settings(duel.a), settings(duel.b)
            for pair in duel.openings:
                for seats, played in ((TUNING, sides), (TUNING[::-1], sides[::-1])):
                    number = len(self.asked)
                    self.asked.append(Pairing(number, seats, pair % openings, played, draw=2 * pair))

    def _tell_oldest(self, results: Results) -> bool:
        """Tell the oldest open batch; False if it is not complete."""
        first, batch = self._open[0]
        count = 2 * sum(len(duel.openings) for duel in batch)
        if any(number not in results for number in range(first, first + count)):
            return False
        self._open.popleft()
        games = [results[number] for number in range(first, first + count)]
        won = iter([games[at].points_of(0) + games[at + 1].points_of(0) for at in range(0, count, 2)])
        self.tuner.tell(batch, [tuple(next(won) for _ in duel.openings) for duel in batch])
        self.games += count
        self.history.append((self.games, self.tuner.best))
        for seat in TUNING:
            self._failures[seat] += sum(seat in game.failed_without_move for game in games)
        if self.games >= _NO_ACCIDENT and self.games in self._failures:
            self.broken = tuple(seat for seat in TUNING if self._failures[seat] == self.games)
            self.is_tuned = True
        return True

    def _begin_tests(self) -> None:
        """The method has no more games: test its result, unless it is the base setting."""
        self.is_tuned = True
        known = self.schedule.settings
        if self.tuner.best == self.schedule.space.base:
            return
        for index in range(known.tests):
            seat = FIRST_TEST + 2 * index
            first = self.games + index * known.test_games
            progress = SprtProgress(known.sprt, first, (seat, seat + 1))
            self.tests.append(Test(known.test_games // 2, progress))
