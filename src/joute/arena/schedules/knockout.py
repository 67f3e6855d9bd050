"""The knockout schedule: the loser of each match is eliminated until one entrant is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from joute.arena.schedules.schedule import Pairing, Results, WaveSchedule, match_games
from joute.numbers import noun
from joute.spec import parameter

_NAMES_OF_ROUNDS = {1: "final", 2: "semi-finals", 4: "quarter-finals"}


@dataclass(frozen=True)
class KnockoutSettings:
    """The settings of a knockout."""

    extra: int = parameter(
        2,
        help="how many times two more games are played, colours swapped, where a match is tied",
        source="as chess does: two, then something else has to decide",
        low=0,
        high=1000,
    )


@dataclass(frozen=True)
class KnockoutMatch:
    """A match of the bracket with its results so far; `a` is the better seed."""

    a: int
    #: None if `a` has a bye.
    b: int | None
    points: tuple[float, float] = (0.0, 0.0)
    winner: int | None = None
    #: The criterion that decided if points did not; empty for points.
    decided_by: str = ""


@dataclass(frozen=True)
class Bracket:
    """The rounds of a knockout whose pairs are known, in order, and the winner or None."""

    rounds: tuple[tuple[KnockoutMatch, ...], ...]
    winner: int | None


@dataclass(frozen=True)
class _Wave:
    """Games that start together, and the state of all matches of their round."""

    round: int
    games: list[Pairing]
    matches: tuple[KnockoutMatch, ...]


def bracket_order(size: int) -> list[int]:
    """The seeds in the order of their slots in a bracket of `size`, a power of two: 0 and 1 can meet only in the final.

    >>> bracket_order(8)
    [0, 7, 3, 4, 1, 6, 2, 5]
    """
    order = [0]
    while len(order) < size:
        order = [seed for better in order for seed in (better, 2 * len(order) - 1 - better)]
    return order


@dataclass(frozen=True)
class Knockout(WaveSchedule):
    """A bracket seeded by the order of the plan. If it is not full, the best seeds have byes in the first round.

    Points decide a match. If they are equal, two more games are played, at most `extra` times; then the larger sum of
    margins decides, then the better seed. If neither agent can start, the better seed advances.
    """

    settings: KnockoutSettings = KnockoutSettings()

    settings_type = KnockoutSettings

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return (self.entrants - 1).bit_length()

    @property
    def openings(self) -> int:
        """Every round has new openings, which all its matches share."""
        return self.rounds * self._openings_a_round

    @property
    def _openings_a_round(self) -> int:
        return (self.games + 1) // 2 + self.settings.extra

    @property
    def most_games(self) -> int:
        """Each match eliminates one agent, so there are entrants - 1 matches; each may need all extra games."""
        return (self.entrants - 1) * (self.games + 2 * self.settings.extra)

    @property
    def title(self) -> str:
        """The name with the number of rounds and of games per match."""
        rounds = f"{self.rounds} round{'s' * (self.rounds != 1)}"
        return f"knockout, {rounds}, {self.games} game{'s' * (self.games != 1)} a match"

    @property
    def description(self) -> str:
        """The title with the smallest and the largest number of games."""
        least = (self.entrants - 1) * self.games
        most = self.most_games
        more = f" to {most} games, as ties need" if self.settings.extra else f" {noun(most, 'game')} in all"
        return f"{self.title}, {least}{more}"

    @property
    def note(self) -> str:
        """A warning if the number of games is odd, so that colours are unequal."""
        games = f"{self.games} {noun(self.games, 'game')}"
        return f"{games} a match is odd, so the better seed moves first once more" if self.games % 2 else ""

    def known_games(self, results: Results) -> tuple[list[Pairing], bool]:
        """The games of the rounds whose pairs are known, including extra games so far; True after the final."""
        games: list[Pairing] = []
        winner = None
        for wave in self._waves(results):
            games += wave.games
            winner = wave.matches[0].winner if len(wave.matches) == 1 else None
        return games, winner is not None

    def bracket(self, results: Results) -> Bracket:
        """The bracket with its scores so far."""
        rounds = tuple({wave.round: wave.matches for wave in self._waves(results)}.values())
        return Bracket(rounds, rounds[-1][0].winner if len(rounds[-1]) == 1 else None)

    def _waves(self, results: Results) -> Iterator[_Wave]:
        """The waves in order. The last one is unfinished or ends the tournament."""
        size = 2**self.rounds
        slots = [seed if seed < self.entrants else None for seed in bracket_order(size)]
        number = 0
        for index in range(self.rounds):
            meetings = [_meeting(slots[place], slots[place + 1]) for place in range(0, len(slots), 2)]
            own: dict[tuple[int, int], list[Pairing]] = {(a, b): [] for a, b in meetings if b is not None}
            matches: tuple[KnockoutMatch, ...] = ()
            for stage in range(self.settings.extra + 1):
                undecided = [pair for pair, games in own.items() if _result(pair, games, results).winner is None]
                wave = match_games(
                    undecided,
                    2 if stage else self.games,
                    number=number,
                    opening=index * self._openings_a_round + ((self.games + 1) // 2 + stage - 1 if stage else 0),
                )
                for game in wave:
                    a, b = sorted(game.players)
                    own[a, b].append(game)
                number += len(wave)
                is_last = stage == self.settings.extra
                matches = tuple(
                    KnockoutMatch(a, None, winner=a, decided_by="bye")
                    if b is None
                    else _result((a, b), own[a, b], results, to_the_end=is_last)
                    for a, b in meetings
                )
                if wave:
                    yield _Wave(index, wave, matches)
                if any(game.number not in results for game in wave):
                    return
            slots = [match.winner for match in matches]

    def order(self, results: Results) -> list[int]:
        """By the round reached; agents eliminated in the same round are in the order of the plan."""
        bracket = self.bracket(results)
        rounds = {seed: number for number, matches in enumerate(bracket.rounds) for m in matches for seed in (m.a, m.b)}
        return sorted(range(self.entrants), key=lambda seed: (seed != bracket.winner, -rounds.get(seed, 0), seed))

    def headline(self, results: Results, names: Sequence[str]) -> str:
        """The winner; empty before the final is decided."""
        bracket = self.bracket(results)
        if bracket.winner is None:
            return ""
        by = bracket.rounds[-1][0].decided_by
        return f"{names[bracket.winner]} wins the knockout" + (f", the final by {by}" if by else "")

    def standing_lines(self, results: Results, names: Sequence[str]) -> list[str]:
        """The bracket as text, and the winner."""
        bracket = self.bracket(results)
        lines = []
        for matches in bracket.rounds:
            lines.append(f"{round_name(len(matches))}:")
            lines += [f"    {_in_words(match, names)}" for match in matches]
        if bracket.winner is not None:
            lines.append(f"winner of the knockout: {names[bracket.winner]}")
        return lines


def round_name(matches: int) -> str:
    """The name of a round with this number of matches."""
    return _NAMES_OF_ROUNDS.get(matches, f"round of {2 * matches}")


def _meeting(one: int | None, other: int | None) -> tuple[int, int | None]:
    """The seeds of two neighbouring slots, better seed first; None as the second if one slot is empty."""
    known = sorted(seed for seed in (one, other) if seed is not None)
    return known[0], known[1] if len(known) == 2 else None


def _result(
    pair: tuple[int, int], games: Sequence[Pairing], results: Results, *, to_the_end: bool = False
) -> KnockoutMatch:
    """The state of a match by the results of its games; `to_the_end`: no extra games follow, so decide it."""
    a, b = pair
    played = [results[game.number] for game in games if game.number in results]
    points = sum(game.points_of(a) for game in played), sum(game.points_of(b) for game in played)
    if not games or len(played) < len(games):
        return KnockoutMatch(a, b, points)
    if points[0] != points[1]:
        return KnockoutMatch(a, b, points, a if points[0] > points[1] else b)
    if all(game.failed_without_move == {a, b} for game in played):
        return KnockoutMatch(a, b, points, a, "seed, as neither could start")
    if not to_the_end:
        return KnockoutMatch(a, b, points)
    margin = sum(game.margin_of(a) for game in played)
    if margin:
        return KnockoutMatch(a, b, points, a if margin > 0 else b, f"margin, {abs(margin)} in all")
    return KnockoutMatch(a, b, points, a, "seed")


def _in_words(match: KnockoutMatch, names: Sequence[str]) -> str:
    if match.b is None:
        return f"{names[match.a]}: bye"
    score = f"{names[match.a]} {match.points[0]:g} – {match.points[1]:g} {names[match.b]}"
    if match.winner is None:
        return f"{score}, not decided yet"
    return f"{score}, {names[match.winner]} by {match.decided_by}" if match.decided_by else score
