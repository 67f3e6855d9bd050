"""A tournament's results as tables to paste and as JSON."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joute.cli.common import command_line, echo, say, shortened, table_of_agents, width_of
from joute.cli.isolation import hang_note
from joute.numbers import (
    duration,
    elo_interval,
    elo_text,
    finite,
    game_number,
    likelihood,
    lost_turns_text,
    percent,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from joute.arena.standings import RatedStanding, Standing
    from joute.arena.tournament import Tournament
    from joute.match import MatchResult
    from joute.match.ratings import Ratings

# Shortest names in a cross table.
_SHORT_NAME = 16


def print_table(out: Console, made: Tournament) -> None:
    """Print the standings of a tournament, finished or not, with verdict, cross table and notes."""
    from joute._core import one_line
    from joute.arena.verdict import verdict

    standings = made.standings
    if not standings.games:
        echo("no game is finished yet")
        return
    ratings = standings.ratings()
    order = made.schedule.order(made.results)
    rated = standings.rated_table(ratings, order)
    rows = [row.standing for row in rated]
    # For two agents the verdict gives the Elo difference; ratings around their mean would show half of it each.
    out.print(standings_table(out, rows, rated if len(rows) > 2 else ()))
    for line in schedule_lines(made):
        echo(line)
    say(verdict(rated, standings, ratings))
    if len(rows) > 2:
        if heroes := made.schedule.heroes:
            _print_heroes(out, made, heroes, rows)
        else:
            _print_cross_table(out, made, [row for row in rows if not row.retired])
        say(f"Elo: {one_line(ratings.reference)}{_first_move(ratings)}")
        say(f"ratings: {ratings.method_text}")
        say(f"rank: {standings.ranking(ratings, order).text}")
    if sentence := standings.retired_text:
        say(sentence)
    if standings.distinct_games < standings.games:
        say(
            f"{standings.distinct_games} of the {standings.games} games are distinct; "
            "a repeated game adds no information, so the intervals count it once"
        )
    for row in rows:
        if row.forfeits:
            say(row.forfeits_text)
        if sentence := lost_turns_text(one_line(row.name), row.lost_turns, row.moves):
            say(sentence)
    if sentence := standings.presumed_text:
        say(one_line(sentence))
    for reason, count in standings.blameless.items():
        say(f"ended by {reason}: {count}, for example {one_line(standings.examples[reason])}")
    overhead = standings.overhead_s
    took = f"; the runner took {duration(overhead)} a ply (median)" if overhead is not None else ""
    say(f"{standings.conditions}{took}")


def _first_move(ratings: Ratings) -> str:
    first = ratings.first_move
    if math.isnan(first.elo):
        return ""
    return f"; the first move is worth {elo_text(first.elo)} ({elo_interval(first.low, first.high)})"


def _print_heroes(out: Console, made: Tournament, heroes: Sequence[int], rows: Sequence[Standing]) -> None:
    """Print the results of a gauntlet: each hero against each of the others."""
    names = [entrant.name for entrant in made.plan.entrants]
    for hero in heroes:
        cells = {}
        for pair, result in made.standings.pairings.items():
            if hero in pair:
                cells[names[sum(pair) - hero]] = _match_cells(result, of_a=hero == min(pair))
        met = [row.name for row in rows if row.name in cells]
        if not met:
            continue
        columns = {"agent": met, **{header: [cells[name][header] for name in met] for header in cells[met[0]]}}
        title = f"{shortened([names[hero]], out.width // 2)[0]} against"
        out.print(table_of_agents(out, columns, dispensable=("points", "LOS"), title=title))


def _match_cells(match: MatchResult, *, of_a: bool) -> dict[str, str]:
    """The cells of a table for one side of a match, by header."""
    score, (low, high) = match.score, match.elo_interval
    elo, los = match.elo, match.los
    if not of_a:
        score, elo, low, high, los = 1 - score, -elo, -high, -low, 1 - los
    return {
        "points": f"{score * match.games:g}/{match.games}",
        "score": percent(score),
        "Elo": elo_text(elo),
        "95% interval": elo_interval(low, high),
        "LOS": likelihood(los),
    }


def schedule_lines(made: Tournament) -> list[str]:
    """The results in the form of the schedule: a ranking, a bracket, the state of a test."""
    return made.schedule.standing_lines(made.results, _names(made))


def _names(made: Tournament) -> list[str]:
    """The names of the agents as a terminal may show them."""
    from joute._core import one_line

    return [one_line(entrant.name) for entrant in made.plan.entrants]


def standings_table(out: Console, rows: Sequence[Standing], rated: Sequence[RatedStanding] = ()) -> Table:
    """A table with rank, points and score of every agent, and its rating if `rated` is given."""
    from joute.arena.columns import TERMINAL, Row, listed

    ratings = [row.rating for row in rated] if rated else [None] * len(rows)
    columns = listed(TERMINAL, list(map(Row, itertools.count(1), rows, ratings)))
    dropped = sorted((column for column in columns if column.dropped), key=lambda column: column.dropped)
    return table_of_agents(
        out,
        {column.header: column.cells for column in columns},
        dispensable=[column.header for column in dropped],
    )


def _print_cross_table(out: Console, made: Tournament, rows: Sequence[Standing]) -> None:
    if len(rows) < 2:
        return
    if cross := _cross_table(out, made, rows):
        out.print(cross)
        return
    seen = command_line("report", made.store.path)
    echo(f"the cross table is too wide to show; this report has it: {seen}")


def _cross_table(out: Console, made: Tournament, rows: Sequence[Standing]) -> Table | None:
    """Every agent against every other; None if the table does not fit the console."""
    names = [row.name for row in rows]
    ranks = [str(rank) for rank in range(1, len(names) + 1)]
    columns = {"rank": ranks, "agent": names}
    for rank, other in zip(ranks, names, strict=True):
        scores = [None if name == other else made.standings.score(name, other) for name in names]
        columns[rank] = ["–" if score is None else f"{score[0]:g}/{score[1]}" for score in scores]
    title = "points, row against column"
    listing = table_of_agents(out, columns, shortest_name=_SHORT_NAME, title=title)
    return listing if width_of(out, listing) <= out.width else None


def notes(made: Tournament) -> list[str]:
    """Notes to print before a tournament: caveats of agents, workers, schedule and clock."""
    from joute.arena.players.isolation import limits_in_words, limits_kind

    plan = made.plan
    untimed = [not plan.control(index).is_timed for index in range(len(plan.entrants))]
    foreign = [kind != "built-in" for kind in made.store.kinds]
    local = [kind in ("python", "program") for kind in made.store.kinds]
    may_hang = any(first and second for first, second in zip(untimed, foreign, strict=True))
    return [
        note
        for note in (
            made.store.note,
            made.workers_note,
            made.schedule.note,
            hang_note(plan.isolation.stall_s) if may_hang and not made.is_finished else "",
            limits_in_words(limits_kind()) if any(local) and made.plays_here and not made.is_finished else "",
        )
        if note
    ]


def command_again(made: Tournament) -> str:
    """The command that plays the same tournament again, into a new file."""
    if made.plan.frozen:  # the database holds the agents and settings; the original files may have changed
        return command_line("tournament", "--from", made.store.path, "--frozen", "--db", _free_path(made.store.path))
    if made.plan.steps:  # the command that began it does not name all agents
        return command_line("tournament", "--from", made.store.path, "--db", _free_path(made.store.path))
    if not made.store.command:
        return ""
    return f"{made.store.command} {command_line('--db', _free_path(made.store.path)).removeprefix('joute ')}"


def _free_path(path: Path) -> Path:
    number = 2
    while (free := path.with_name(f"{path.stem}-{number}{path.suffix}")).exists():
        number += 1
    return free


def as_data(made: Tournament) -> dict[str, Any]:
    """The tournament so far as JSON; null stands for infinite or unknown values."""
    from joute.arena.columns import TOURNAMENT_JSON, Row, elo_data, row_data
    from joute.arena.node_rows import nodes_data
    from joute.arena.verdict import verdict

    standings, store = made.standings, made.store
    ratings = standings.ratings()
    order = made.schedule.order(made.results)
    rated = standings.rated_table(ratings, order)
    return {
        "plan": made.plan.as_data(),
        "db": str(store.path),
        "command": command_again(made),
        "versions": list(store.versions()),
        "games": standings.games,
        "games_in_all": made.length,
        "schedule": made.schedule.description,
        "schedule_standing": schedule_lines(made),
        "finished": made.is_finished,
        "openings": len(store.openings),
        "notes": notes(made),
        "workers": made.workers,
        "conditions": standings.conditions,
        "overhead_s": standings.overhead_s,
        "distinct_games": standings.distinct_games,
        "headline": made.schedule.headline(made.results, _names(made)) if standings.games else "",
        "verdict": verdict(rated, standings, ratings) if standings.games else "",
        "elo_reference": ratings.reference,
        "elo_method": ratings.method,
        "ranked_by": standings.ranking(ratings, order).decided_by,
        "first_move": elo_data(ratings.first_move),
        "standings": [
            row_data(TOURNAMENT_JSON, Row(rank, row.standing, row.rating)) for rank, row in enumerate(rated, start=1)
        ],
        "pairings": [
            {
                "a": result.a,
                "b": result.b,
                **dict(zip(("wins", "draws", "losses"), result.tally(), strict=True)),
                "score": result.score,
                "low": result.interval[0],
                "high": result.interval[1],
                "elo": finite(result.elo),
                "elo_low": finite(result.elo_interval[0]),
                "elo_high": finite(result.elo_interval[1]),
                "los": result.los,
                "pentanomial": list(result.pentanomial.counts),
                # A sequential test stops depending on the score, so a fixed-size verdict would overstate it.
                "verdict": None if standings.is_sequential else result.verdict,
            }
            for _, result in sorted(standings.pairings.items())
        ],
        "presumed_games": sorted(map(game_number, standings.presumed)),
        "unplayed_games": {str(game_number(each.game.number)): each.why for each in made.unplayed},
        "reasons": dict(standings.reasons),
        "examples": {reason: str(example) for reason, example in standings.examples.items()},
    } | nodes_data(made.nodes)
