"""``--ray``: play on a Ray cluster. The option of every command that plays games, and the table of the nodes."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import console, table

if TYPE_CHECKING:
    from joute.arena.pool.node import Node
    from joute.arena.pool.venue import Venue

RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray",
        help="Play on a Ray cluster: auto for the one that this machine belongs to, HOST:PORT, or local to start one "
        "here. Needs the extra `ray` (docs/cluster.md).",
        metavar="ADDRESS",
    ),
]


def venue_at(address: str | None) -> AbstractContextManager[Venue]:
    """The cluster that the option names, or this machine."""
    if address is None:
        from joute.arena.pool.venue import HERE

        return nullcontext(HERE)
    from joute.arena.cluster.venue import cluster_at

    return cluster_at(address)


def print_nodes(nodes: Iterable[Node]) -> None:
    """Print a table of the nodes of a cluster; nothing if there are none."""
    from joute.arena.node_rows import NUMBERS, node_rows
    from joute.numbers import NOTHING

    cells = [row.cells for row in node_rows(nodes)]
    if not cells:
        return
    said = {header for row in cells for header, cell in row.items() if cell not in ("", NOTHING, "0")}
    shown = [header for header in cells[0] if header in said]
    listing = table(*shown, numbers=NUMBERS)
    for row in cells:
        listing.add_row(*(row[header] for header in shown))
    console().print(listing)
