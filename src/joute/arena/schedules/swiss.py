"""The Swiss system: in every round, agents with similar points play each other, without rematches where possible."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from joute.arena.schedules.schedule import FinishedGame, Pairing, Results, WaveSchedule, match_games
from joute.arena.schedules.swiss_pairing import Competitor, Round, pair_round
from joute.numbers import count_of, noun
from joute.spec import parameter

# If more agents share the first place, the headline is empty.
_MOST_NAMED = 3


@dataclass(frozen=True)
class SwissSettings:
    """The settings of a Swiss tournament."""

    rounds: int = parameter(
        0,
        help="rounds; 0 for two more than it takes to leave one agent unbeaten, but at most half as many as agents",
        source="halving n agents takes ceil(log2 n) rounds, two more sort those behind; up to n/2 nobody meets twice",
        low=0,
        high=10_000,
    )


@dataclass(frozen=True)
class SwissRow:
    """A row of the ranking. A bye counts as a won match and, in Buchholz, as an opponent with the agent's points."""

    entrant: int
    points: float
    buchholz: float
    byes: int
    withdrawn: bool


@dataclass(frozen=True)
class SwissRound:
    """The pairs of a round, the entrant with a bye or None, and the games."""

    pairs: tuple[tuple[int, int], ...]
    bye: int | None
    games: tuple[Pairing, ...]


@dataclass(frozen=True)
class Swiss(WaveSchedule):
    """Rounds of matches between agents with similar points; `swiss_pairing` chooses the pairs.

    With an odd number of agents, one has a bye. An agent that fails before the first move in all games of a match is
    withdrawn. In a match with an odd number of games, the agent that has moved first less often moves first once more.
    """

    settings: SwissSettings = SwissSettings()

    settings_type = SwissSettings

    @property
    def rounds(self) -> int:
        """The number of rounds; fewer are played if less than two agents are left.

        By default there are at most half as many rounds as agents, counting the bye as an agent. Then every agent still
        has at least half of the others left in the last round, so that a pairing without rematches exists (Dirac 1952).

        >>> [Swiss(entrants, 2).rounds for entrants in (2, 3, 4, 8, 16, 100)]
        [1, 2, 2, 4, 6, 9]
        """
        half = (self.entrants + 1) // 2
        return self.settings.rounds or min(math.ceil(math.log2(self.entrants)) + 2, half)

    @property
    def openings(self) -> int:
        """Every round has new openings, which all its matches share."""
        return self.rounds * self._openings_a_round

    @property
    def _openings_a_round(self) -> int:
        return (self.games + 1) // 2

    @property
    def most_games(self) -> int:
        """The number of games if no agent is withdrawn."""
        return self.rounds * (self.entrants // 2) * self.games

    @property
    def title(self) -> str:
        """The name with the number of rounds and of games per match."""
        return f"Swiss system, {count_of(self.rounds, 'round')}, {count_of(self.games, 'game')} a match"

    @property
    def description(self) -> str:
        """The title with the number of games in all."""
        return f"{self.title}, {self.most_games} {noun(self.most_games, 'game')} in all if nobody withdraws"

    def known_games(self, results: Results) -> tuple[list[Pairing], bool]:
        """The games of the rounds that can be paired now, and whether no more rounds follow."""
        rounds = self.paired_rounds(results)
        games = [game for paired in rounds for game in paired.games]
        if len(rounds) == self.rounds:
            return games, True
        # There are fewer rounds than planned: the last one is unfinished, or too few agents are left.
        return games, all(game.number in results for game in games)

    def paired_rounds(self, results: Results) -> list[SwissRound]:
        """The rounds whose pairs are determined by the results."""
        competitors = {seed: Competitor(seed) for seed in range(self.entrants)}
        rounds: list[SwissRound] = []
        number = 0
        while len(rounds) < self.rounds and len(competitors) >= 2:
            taking_part = tuple(competitors.values())
            drawn = pair_round(taking_part, len(rounds), colours_differ=self.games % 2 == 1)
            opening = len(rounds) * self._openings_a_round
            games = match_games(drawn.pairs, self.games, number=number, opening=opening)
            rounds.append(SwissRound(drawn.pairs, drawn.bye, tuple(games)))
            if len(rounds) == self.rounds or any(game.number not in results for game in games):
                break
            number += len(games)
            played = [results[game.number] for game in games]
            competitors = {
                one.seed: one
                for one in self._after(competitors, drawn, played)
                if one.seed not in _failed_all_games(played)
            }
        return rounds

    def _after(
        self, competitors: dict[int, Competitor], drawn: Round, played: Sequence[FinishedGame]
    ) -> Iterator[Competitor]:
        """The competitors after a round."""
        points = _double_points(played)
        opponents = {a: b for pair in drawn.pairs for a, b in (pair, pair[::-1])}
        starters = {first for first, _ in drawn.pairs}
        for one in competitors.values():
            if one.seed == drawn.bye:
                yield replace(one, points=one.points + 2 * self.games, byes=one.byes + 1)
                continue
            sign = 1 if one.seed in starters else -1
            yield replace(
                one,
                points=one.points + points[one.seed],
                met=(*one.met, opponents[one.seed]),
                colour=one.colour + sign * (self.games % 2),
                latest=sign,
            )

    def ranking(self, results: Results) -> list[SwissRow]:
        """All entrants, best first: by points including byes, then by Buchholz, then in the order of the plan.

        Buchholz is the sum of the points of all opponents.
        """
        rounds = self.paired_rounds(results)
        counted = [[results[game.number] for game in paired.games if game.number in results] for paired in rounds]
        byes = Counter(paired.bye for paired in rounds)
        doubled = _double_points(itertools.chain.from_iterable(counted))
        points = [doubled[seed] / 2 + byes[seed] * self.games for seed in range(self.entrants)]
        buchholz = [byes[seed] * points[seed] for seed in range(self.entrants)]
        for a, b in (pair for paired in rounds for pair in paired.pairs):
            buchholz[a] += points[b]
            buchholz[b] += points[a]
        withdrawn = {
            entrant
            for paired, played in zip(rounds, counted, strict=True)
            if len(played) == len(paired.games)
            for entrant in _failed_all_games(played)
        }
        rows = [
            SwissRow(seed, points[seed], buchholz[seed], byes[seed], seed in withdrawn) for seed in range(self.entrants)
        ]
        return sorted(rows, key=lambda row: (-row.points, -row.buchholz, row.entrant))

    def order(self, results: Results) -> list[int]:
        """The entrants in the order of the ranking."""
        return [row.entrant for row in self.ranking(results)]

    def headline(self, results: Results, names: Sequence[str]) -> str:
        """The leader or winner, or the agents that share the first place; empty if the best one is withdrawn."""
        rows = self.ranking(results)
        best = [row for row in rows if (row.points, row.buchholz) == (rows[0].points, rows[0].buchholz)]
        if best[0].withdrawn or len(best) > _MOST_NAMED:
            return ""
        who = " and ".join(names[row.entrant] for row in best)
        points = f"with {_points(best[0].points)}" + " each" * (len(best) > 1)
        is_over = self.length(results) == len(results)
        after = "" if is_over else f" after {self._finished(results)} of {count_of(self.rounds, 'round')}"
        if len(best) > 1:
            return f"{who} share the first place of the Swiss tournament {points}{after}"
        return f"{who} {'wins' if is_over else 'leads'} the Swiss tournament {points}{after}"

    def _finished(self, results: Results) -> int:
        """The number of finished rounds."""
        rounds = self.paired_rounds(results)
        return sum(all(game.number in results for game in paired.games) for paired in rounds)

    def standing_lines(self, results: Results, names: Sequence[str]) -> list[str]:
        """The ranking as text, with the rules for byes and ties."""
        rounds = self.paired_rounds(results)
        _, are_all = self.known_games(results)
        short = f"; too few agents are left for {self.rounds}" if are_all and len(rounds) < self.rounds else ""
        rows = self.ranking(results)
        width = max(len(names[row.entrant]) for row in rows)
        lines = [f"Swiss ranking after {self._finished(results)} of {count_of(self.rounds, 'round')}{short}"]
        for rank, row in enumerate(rows, start=1):
            bye = f", {row.byes} bye{'s' * (row.byes != 1)}" if row.byes else ""
            gone = ", withdrawn: it failed before the first move" if row.withdrawn else ""
            name = f"{names[row.entrant]:{width}}"
            lines.append(f"{rank:>4}  {name}  {_points(row.points)}, Buchholz {row.buchholz:g}{bye}{gone}")
        bye = f"a bye counts {_points(self.games)}, and as an opponent with the agent's own points; "
        lines.append(
            f"{bye if any(row.byes for row in rows) else ''}equal points are ranked by Buchholz, the sum of all "
            "opponents' points, then by the order of the agents"
        )
        return lines


def _points(points: float) -> str:
    return f"{points:g} point{'s' * (points != 1)}"


def _double_points(played: Iterator[FinishedGame] | Sequence[FinishedGame]) -> Counter[int]:
    points: Counter[int] = Counter()
    for game in played:
        for entrant in game.players:
            points[entrant] += round(2 * game.points_of(entrant))
    return points


def _failed_all_games(played: Sequence[FinishedGame]) -> set[int]:
    """The entrants that failed before any move was made in all their games of a round."""
    games = Counter(entrant for game in played for entrant in game.players)
    missed = Counter(entrant for game in played for entrant in game.failed_without_move)
    return {entrant for entrant, count in missed.items() if count == games[entrant]}
