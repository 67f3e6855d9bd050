"""``joute bench``: every search on fixed positions, with a signature of what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import JsonOption, console, print_json, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from joute.match.signature import SearchBench


def bench(
    *,
    search: Annotated[str | None, typer.Option(metavar="NAME", help="Run this search alone.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Run every search on fixed positions of Connect Four, and print the signature of what it did.

    A signature is the same on every machine and in every run. It changes when the search visits other nodes,
    chooses another move or finds another value.
    """
    from joute import __version__
    from joute.match.signature import SEARCHES, bench_search, total_signature
    from joute.spec import look_up

    chosen = {search: look_up("search of the benchmark", search, SEARCHES)} if search else SEARCHES
    benches = [bench_search(name, spec) for name, spec in chosen.items()]
    if as_json:
        total = {} if search else {"signature": total_signature(benches)}
        print_json({"version": __version__} | total | _as_data(benches))
        return
    _print(benches)
    # One search has a signature of its own; a total of one would be another number for the same thing.
    words = "" if search else f"; signature {total_signature(benches)}"
    nodes, seconds = sum(bench.nodes for bench in benches), sum(bench.seconds for bench in benches)
    typer.echo(f"joute {__version__}; {nodes:,} nodes in {seconds:.2f} s{words}")


def _print(benches: Sequence[SearchBench]) -> None:
    numbers = ("positions", "nodes", "iterations", "nodes/s")
    listing = table("search", *numbers, "signature", numbers=numbers)
    for bench in benches:
        listing.add_row(
            bench.name,
            str(bench.positions),
            f"{bench.nodes:,}",
            f"{bench.iterations:,}" if bench.iterations else "",
            f"{bench.nodes_per_s / 1e6:.2f} M",
            bench.signature,
        )
    console().print(listing)


def _as_data(benches: Sequence[SearchBench]) -> dict[str, Any]:
    from joute.match.signature import GAME, POSITIONS

    return {
        "game": GAME,
        "positions": POSITIONS,
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
        },
    }


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(bench)
