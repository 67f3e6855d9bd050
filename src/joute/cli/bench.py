"""``joute bench``: run every search on fixed positions of every game and print a signature of its behaviour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import JsonOption, console, echo, print_json, table
from joute.cli.completion import complete_game

if TYPE_CHECKING:
    from collections.abc import Sequence

    from joute.match.signature import Bench, SearchBench


def bench(
    *,
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="Run only the searches of this game.", autocompletion=complete_game),
    ] = None,
    search: Annotated[str | None, typer.Option(metavar="NAME", help="Run only the searches of this name.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Run every search on fixed positions of every game, and print a signature of its behaviour.

    A signature is the same on every machine and in every run. It changes when the search visits other nodes,
    chooses another move or returns another value.
    """
    from joute.match.signature import bench_search, find_bench, is_ours, total_signature
    from joute.spec import look_up
    from joute.version import __version__

    played = [find_bench(game)] if game else _all_benches()
    if search:
        look_up("search of the benchmark", search, {name: name for each in played for name in each.searches})
    benches = [bench_search(each, name) for each in played for name in each.searches if search in (None, name)]
    # The total signature covers all searches of Joute's own games, so installed plug-ins do not change it.
    total = "" if game or search else total_signature(bench for bench in benches if is_ours(bench.game))
    if as_json:
        print_json({"version": __version__} | ({"signature": total} if total else {}) | _as_data(played, benches))
        return
    _print(benches)
    nodes, seconds = sum(bench.nodes for bench in benches), sum(bench.seconds for bench in benches)
    echo(f"joute {__version__}; {nodes:,} nodes in {seconds:.2f} s" + (f"; signature {total}" if total else ""))


def _all_benches() -> list[Bench]:
    """The benchmarks of all games, past those of plug-ins that cannot be loaded."""
    from joute.errors import JouteError
    from joute.match.signature import bench_names, find_bench

    found = []
    for name in bench_names():
        try:
            found.append(find_bench(name))
        except JouteError as error:
            echo(f"joute: {error}", err=True)
    return found


def _print(benches: Sequence[SearchBench]) -> None:
    numbers = ("positions", "nodes", "iterations", "nodes/s")
    listing = table("game", "search", *numbers, "signature", numbers=numbers)
    for bench in benches:
        listing.add_row(
            bench.game,
            bench.name,
            str(bench.positions),
            f"{bench.nodes:,}",
            f"{bench.iterations:,}" if bench.iterations else "",
            f"{bench.nodes_per_s / 1e6:.2f} M" if bench.nodes else "",
            bench.signature,
        )
    console().print(listing)


def _as_data(played: Sequence[Bench], benches: Sequence[SearchBench]) -> dict[str, Any]:
    return {
        "games": {
            each.game: {
                "positions": each.positions,
                "searches": {
                    bench.name: {
                        "spec": bench.spec,
                        "nodes": bench.nodes,
                        "iterations": bench.iterations,
                        "seconds": bench.seconds,
                        "nodes_per_s": bench.nodes_per_s,
                        "signature": bench.signature,
                    }
                    for bench in benches
                    if bench.game == each.game
                },
            }
            for each in played
        }
    }


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(bench)
