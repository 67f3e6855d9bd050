"""``joute refit``: which fitted data of the games are stale, and how to make them anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import JsonOption, command_line, console, echo, print_json, table
from joute.cli.completion import complete_game

if TYPE_CHECKING:
    from joute.fits.fitted import Fitted


def refit(
    *,
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="Look at the data of this game only.", autocompletion=complete_game),
    ] = None,
    run: Annotated[bool, typer.Option("--run", help="Make the stale data anew; it may take hours.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Make fresh data anew too (with --run).")] = False,
    jobs: Annotated[
        int, typer.Option(help="Games played at once, 0 for one on each core; the data are the same.", min=0)
    ] = 1,
    as_json: JsonOption = False,
) -> None:
    """Tell which openings, win probabilities and levels were fitted with an earlier engine than that of today.

    Each file carries a fingerprint of the agents that it was fitted with: a hash of their moves and values on fixed
    positions. With --run, the commands in the files' headers make the stale ones anew; after Ctrl-C, they go on.
    """
    from joute.fits.fitted import Freshness, fitted_data

    found = [(each, each.freshness) for each in fitted_data(game)]
    if as_json:
        print_json({"data": [_as_data(each, freshness.value) for each, freshness in found]})
    else:
        listing = table("game", "data", "fitted with", "engine today", "state")
        for each, freshness in found:
            listing.add_row(each.game, each.kind, each.kept or "unknown", each.today, freshness.value)
        console().print(listing)
    chosen = [each for each, freshness in found if everything or freshness is not Freshness.FRESH]
    if not run:
        for each in chosen:
            echo(f"to make them anew: {command_line(*each.command)}", err=as_json)
        return
    for each in chosen:
        _make(each, jobs)


def _make(fitted: Fitted, jobs: int) -> None:
    """Run the command that makes data anew, in a process of its own; ends with its exit status if it fails."""
    import subprocess
    import sys

    from joute.system import usable_cores

    words = list(fitted.command)
    if fitted.plays_at_once and jobs != 1:
        words += ["--jobs", str(jobs or len(usable_cores()))]
    echo(f"{fitted.kind} of {fitted.game}: {command_line(*words)}")
    done = subprocess.run([sys.executable, "-m", "joute", *words], check=False)
    if done.returncode:
        raise typer.Exit(done.returncode)


def _as_data(fitted: Fitted, freshness: str) -> dict[str, object]:
    return {
        "game": fitted.game,
        "kind": fitted.kind,
        "file": str(fitted.path),
        "agents": fitted.agents,
        "fingerprint": fitted.kept or None,
        "today": fitted.today,
        "state": freshness,
        "command": command_line(*fitted.command),
    }


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(refit)
