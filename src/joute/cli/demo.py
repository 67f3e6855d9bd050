"""``joute demo``: a short round robin of the Connect Four agents, to see that everything works."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import SeedOption, console, duration, percent, table

if TYPE_CHECKING:
    from rich.table import Table

    from joute.match import MatchResult

_GAME = "connect4"
_AGENTS = ("perfect:style=random", "alphabeta", "mcts:iterations=1000", "greedy", "random")


def demo(
    *,
    games: Annotated[int, typer.Option(help="Games a pairing.", min=2)] = 50,
    seed: SeedOption = 1,
) -> None:
    """Watch agents play: a round robin of Connect Four, ending in a table."""
    from rich.live import Live

    from joute.games import find_game
    from joute.match import play_match

    out = console()
    title = find_game(_GAME).title
    pairings = list(itertools.combinations(_AGENTS, 2))
    out.print(f"{title}, {len(_AGENTS)} agents, {games} games a pairing, colours alternate, seed {seed}\n")
    finished: list[MatchResult] = []
    with Live(console=out, refresh_per_second=8, transient=True) as live:

        def watch(result: MatchResult) -> None:
            if out.is_terminal and result.games % 5 == 0:
                live.update(_progress([*finished, result], games, len(pairings)))

        for number, (a, b) in enumerate(pairings):
            finished.append(play_match(_GAME, a, b, games=games, seed=seed + number, on_game=watch))

    last = list(finished[0].records[-1].states())[-1]
    out.print(f"The last game of {finished[0].a} against {finished[0].b}:\n\n{last}\n")
    out.print(_pairings(finished))
    out.print(_standings(finished))
    out.print(f"Next: joute play {_GAME} --against perfect")


def _progress(results: list[MatchResult], games: int, pairings: int) -> Table:
    listing = _pairings(results)
    listing.title = f"{sum(r.games for r in results)} of {games * pairings} games"
    return listing


def _pairings(results: list[MatchResult]) -> Table:
    listing = table(
        "pairing", "wins", "draws", "losses", "score", "95% interval", "plies/game", "verdict",
        numbers=("wins", "draws", "losses", "score", "plies/game"),
    )  # fmt: skip
    for result in results:
        low, high = result.interval
        listing.add_row(
            f"{result.a} – {result.b}",
            *map(str, result.tally()),
            percent(result.score),
            f"{percent(low)} to {percent(high)}",
            f"{result.mean_plies:.1f}",
            result.verdict,
        )
    return listing


@dataclass
class _Row:
    points: float = 0.0
    games: int = 0
    moves: int = 0
    time_s: float = 0.0


def _standings(results: list[MatchResult]) -> Table:
    rows = {name: _Row() for name in _AGENTS}
    for result in results:
        for name, score, of_a in ((result.a, result.score, True), (result.b, 1 - result.score, False)):
            row = rows[name]
            row.points += score * result.games
            row.games += result.games
            row.moves += result.moves(of_a=of_a)
            row.time_s += result.time_s(of_a=of_a)
    listing = table("rank", "agent", "points", "games", "score", "time/move", numbers=("points", "games", "score"))
    ranked = sorted(rows.items(), key=lambda item: -item[1].points)
    for rank, (name, row) in enumerate(ranked, start=1):
        listing.add_row(
            str(rank), name, f"{row.points:g}", str(row.games), percent(row.points / row.games),
            duration(row.time_s / row.moves),
        )  # fmt: skip
    return listing


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)
