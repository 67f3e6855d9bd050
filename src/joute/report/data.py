"""The contents of a report, computed once for HTML, Markdown, CSV and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from joute._core import one_line
from joute.arena.columns import Row
from joute.arena.hints import hint
from joute.arena.measures import Measures, measure
from joute.arena.node_rows import NodeRow, node_rows, sentence
from joute.arena.plan import Plan
from joute.arena.ranking import Ranking
from joute.arena.schedules.schedule import FinishedGame, Schedule
from joute.arena.standings import RatedStanding, Standings
from joute.arena.store.results import as_played, counted_games
from joute.arena.store.store import Store, StoredGame
from joute.games import new
from joute.match import MatchResult
from joute.match.ratings import Rating
from joute.numbers import NOTHING, count_of, elo_interval, elo_text, game_number, likelihood, lost_turns_text, percent
from joute.report.failures import Failure, Failures
from joute.report.summary import summary

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class AgentRow(RatedStanding):
    """An agent's row in the tables."""

    #: The agent as the plan names it, and its clock.
    agent: str
    clock: str


@dataclass(frozen=True)
class Problem:
    """Games that did not end by the rules of the game, for the same reason and by the fault of the same agent."""

    #: The agent at fault; None if no agent is.
    agent: str | None
    reason: str
    count: int
    game: int
    detail: str
    hint: str
    #: The traceback of the agent in the game of the example, or the last lines that it wrote.
    crash: str = ""


@dataclass(frozen=True)
class GameRow:
    """A game in the list of games."""

    number: int
    #: The first and the second player, by index in the plan.
    players: tuple[int, int]
    opening: str
    outcome: int
    margin: int
    reason: str
    plies: int


@dataclass(frozen=True)
class Report:
    """The contents of a report on a tournament, finished or not."""

    plan: Plan
    #: The title that the user gave; empty if none.
    own_title: str
    game_title: str
    file: str
    command: str
    versions: tuple[str, ...]
    #: A remark on the openings.
    note: str
    conditions: str
    #: The starting times of the first and the last game, in ISO format; empty before the first.
    began: str
    last_began: str
    games: tuple[GameRow, ...]
    distinct_games: int
    agents: tuple[AgentRow, ...]
    #: The games of each two agents, by index in the plan, the lower first.
    matches: Mapping[tuple[int, int], MatchResult]
    #: The likelihood that the row is stronger than the column, by index in the plan.
    los: np.ndarray
    #: The meaning of 0 Elo, the method of the ratings and the same in words, and what decides the rank.
    reference: str
    method: str
    method_text: str
    ranking: Ranking
    #: The value of the first move, in Elo.
    first_move: Rating
    #: Whether some games began at other positions than the game's start; `first_move` refers to all these games.
    from_openings: bool
    measures: Measures
    problems: tuple[Problem, ...]
    failures: tuple[Failure, ...]
    #: The kind of tournament, its number of games, and its results in the form of the schedule.
    schedule: str
    schedule_detail: str
    schedule_lines: tuple[str, ...]
    #: Whether the tournament is a sequential test, which stops depending on the score: only `schedule_lines` decide.
    is_sequential: bool
    #: The total number of games; None while it is undecided.
    length: int | None
    #: The result in sentences.
    summary: tuple[str, ...]
    #: The nodes of the cluster that played the games; empty if they were played on one machine.
    nodes: tuple[NodeRow, ...] = ()

    @property
    def rows(self) -> list[Row]:
        """The agents as rows of the standings."""
        return [
            Row(rank, row.standing, row.rating, row.agent, row.clock) for rank, row in enumerate(self.agents, start=1)
        ]

    @property
    def playing(self) -> list[AgentRow]:
        """The agents that have a rank: those that still play, the best first."""
        return [row for row in self.agents if not row.standing.retired]

    def rank_text(self, row: AgentRow) -> str:
        """The rank of an agent, or a dash if it plays no more."""
        return NOTHING if row.standing.retired else str(self.agents.index(row) + 1)

    def points(self, row: AgentRow, column: AgentRow) -> tuple[float, int] | None:
        """The points of an agent against another and the number of games; None if they have not met."""
        low, high = sorted((row.index, column.index))
        match = self.matches.get((low, high))
        if match is None or low == high:
            return None
        points = match.score * match.games
        return (points if row.index == low else match.games - points), match.games

    @property
    def pairings(self) -> list[MatchResult]:
        """All pairings with games, in the order of the plan: the heroes of a gauntlet come first."""
        return [match for _, match in sorted(self.matches.items())]

    @property
    def undecided_text(self) -> str:
        """A sentence about the pairings with too few games for a verdict; empty if there are none."""
        few, pairings = sum(match.has_too_few_games for match in self.pairings), len(self.pairings)
        if self.is_sequential or not few:
            return ""
        if few == pairings:
            which = "The only pairing has" if pairings == 1 else f"All {pairings:,} pairings have"
        else:
            which = f"{few:,} of the {pairings:,} pairings {'has' if few == 1 else 'have'}"
        return f"{which} too few games, or too few distinct ones, for a verdict; the cross table shows their points."

    @property
    def pairing_table(self) -> tuple[list[str], list[list[str]]]:
        """The header and the rows of a table of the pairings, as plain text.

        Pairings with too few games for a verdict are left out; `undecided_text` counts them. A sequential test has no
        verdicts here: it stops depending on the score, so only its own decision is valid.
        """
        header = ["A", "B", "games", "+ = −", "score", "Elo", "95% interval", "LOS", "verdict"]
        shown = [match for match in self.pairings if self.is_sequential or not match.has_too_few_games]
        rows = [
            [
                match.a,
                match.b,
                f"{match.games:,}",
                " ".join(map(str, match.tally())),
                percent(match.score),
                elo_text(match.elo),
                elo_interval(*match.elo_interval),
                likelihood(match.los),
                match.verdict,
            ]
            for match in shown
        ]
        return (header[:-1], [row[:-1] for row in rows]) if self.is_sequential else (header, rows)

    @property
    def pairings_note(self) -> str:
        """The explanation of the numbers of a pairing."""
        note = (
            "These numbers use only the games of the two agents against each other: Elo is the difference that A's "
            "score corresponds to, LOS the likelihood that A is stronger."
        )
        stops = " A sequential test stops depending on the score, so only its own decision is valid."
        return note + stops * self.is_sequential

    def superiority(self, row: AgentRow, column: AgentRow) -> float | None:
        """The likelihood that an agent is stronger than another; None if unknown, e.g. of one that never started."""
        value = float(self.los[row.index, column.index])
        is_absent = len(self.agents) > 2 and (row.standing.never_started or column.standing.never_started)
        return None if row is column or is_absent or math.isnan(value) else value

    @property
    def ratings_note(self) -> str:
        """The explanation of the ratings and ranks of the table."""
        elo = f"Elo: {self.reference}. Intervals are 95%."
        return f"{elo} Ratings: {self.method_text}. Rank: {self.ranking.text}." if len(self.agents) > 2 else elo

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Game, schedule, conditions and dates, as (name, text)."""
        plan = self.plan
        count = len(self.games)
        left = " so far" if self.length is None else f" of {self.length:,}" if self.length > count else ""
        repeated = f", {self.distinct_games:,} of them distinct" if self.distinct_games < count else ""
        facts = (
            ("Game", plan.game),
            ("Schedule", self.schedule_detail),
            ("Games", f"{count:,}{left}{repeated}"),
            ("Agents", "frozen: played from the copies in the file" if plan.frozen else ""),
            ("Conditions", self.conditions),
            ("Openings", plan.openings),
            ("Seed", str(plan.seed)),
            ("Dates", _dates(self.began, self.last_began)),
            ("Version", f"joute {', '.join(self.versions)}" if self.versions else ""),
            ("Cluster", sentence(self.nodes)),
        )
        return tuple((name, text) for name, text in facts if text)

    @property
    def lost_turns(self) -> str:
        """Sentences about turns lost by late answers; empty if there are none."""
        told = (lost_turns_text(row.name, row.standing.lost_turns, row.standing.moves) for row in self.agents)
        return " ".join(f"{sentence}." for sentence in told if sentence)

    @property
    def title(self) -> str:
        """The user's title, or the game with the numbers of agents and games."""
        counts = f"{count_of(len(self.agents), 'agent')}, {count_of(len(self.games), 'game')}"
        return self.own_title or f"{self.game_title}: {counts}"


def make_report(store: Store, *, anchors: Mapping[str, float] | None = None, title: str = "") -> Report:
    """Make the report on a tournament; `anchors` fixes the Elo of agents by name, `title` is the report's title."""
    plan = store.plan
    entrants = {entrant.name: index for index, entrant in enumerate(plan.entrants)}
    standings = Standings(plan)
    games: list[GameRow] = []
    began: list[str] = []
    results: dict[int, FinishedGame] = {}
    failures = Failures()
    measures = measure(plan, _counted(store, standings, games, began, results, failures))
    ratings = standings.ratings(anchors)
    start = new(plan.game)
    from_openings = any(opening.position != start.position for opening in measures.openings)
    length = store.schedule.games_in_all(results)
    names = [one_line(name) for name in entrants]
    lines = tuple(store.schedule.standing_lines(results, names))
    headline = store.schedule.headline(results, names) if results else ""
    order = store.schedule.order(results)
    agents = tuple(
        AgentRow(row.index, row.standing, row.rating, plan.entrants[row.index].agent, str(plan.control(row.index)))
        for row in standings.rated_table(ratings, order)
    )
    return Report(
        plan=plan,
        own_title=title,
        game_title=start.title,
        file=store.path.name,
        command=store.command,
        versions=store.versions(),
        note=store.note,
        conditions=standings.conditions,
        began=min(filter(None, began), default=""),
        last_began=max(began, default=""),
        games=tuple(games),
        distinct_games=standings.distinct_games,
        agents=agents,
        matches=standings.pairings,
        los=ratings.los,
        reference=ratings.reference,
        method=ratings.method,
        method_text=ratings.method_text,
        ranking=standings.ranking(ratings, order),
        first_move=ratings.first_move,
        from_openings=from_openings,
        measures=measures,
        problems=tuple(_problems(standings, failures)),
        failures=failures.all,
        schedule=store.schedule.title,
        schedule_detail=_schedule_detail(store.schedule),
        schedule_lines=lines,
        is_sequential=store.schedule.is_sequential,
        length=length,
        summary=summary(
            agents, standings, ratings, measures, length=length, from_openings=from_openings, headline=headline
        ),
        nodes=tuple(node_rows(store.nodes())),
    )


def _counted(
    store: Store,
    standings: Standings,
    rows: list[GameRow],
    began: list[str],
    results: dict[int, FinishedGame],
    failures: Failures,
) -> Iterator[StoredGame]:
    """Yield the games of a store and add each to the results, so that they are never all in memory."""
    for stored in counted_games(store):
        pairing, record = stored.pairing, stored.record
        standings.add(pairing, record)
        failures.add(pairing, record)
        began.append(stored.started)
        result = record.result
        results[pairing.number] = as_played(pairing, record)
        rows.append(
            GameRow(
                number=game_number(pairing.number),
                players=pairing.players,
                opening=record.start,
                outcome=result.outcome,
                margin=result.margin,
                reason=record.reason.value,
                plies=len(record.moves),
            )
        )
        yield stored


def _schedule_detail(schedule: Schedule) -> str:
    """The kind of tournament and its number of games, without naming the kind twice."""
    if not schedule.most_games:  # imported games
        return schedule.title
    detail = schedule.description
    return detail if detail.startswith(schedule.title) else f"{schedule.title}, {detail}"


def _dates(began: str, last_began: str) -> str:
    """The period of the games in UTC, to the minute."""
    first, last = (moment[:16].replace("T", " ") for moment in (began, last_began))
    if not first:
        return ""
    return f"{first} UTC" if first == last else f"{first} to {last if last[:10] != first[:10] else last[11:]} UTC"


def _problems(standings: Standings, failures: Failures) -> Iterator[Problem]:
    for row in standings.table:
        for reason, count in row.forfeits.most_common():
            example = row.examples[reason]
            detail = example.about(row.name, reason)
            # The table shows the name in its own column.
            words = detail.removeprefix(f"{row.name} ").removeprefix(f"{row.name}: ")
            crash = failures.crash_in(example.game, row.name)
            yield Problem(row.name, reason, count, example.game, words, hint(detail), crash)
    for reason, count in standings.blameless.most_common():
        example = standings.examples[reason]
        yield Problem(None, reason, count, example.game, example.detail, hint(example.detail))
