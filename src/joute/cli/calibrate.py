"""``joute calibrate``: fit an agent's win probabilities to games against itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import GameArgument, command_line, echo, interrupted_by_sigterm, option_words, progress_bar, table
from joute.cli.common import console as make_console
from joute.cli.completion import complete_agent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from joute.reviews.calibrate import Decile


def calibrate(
    game: GameArgument,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.", metavar="FILE")],
    agent: Annotated[
        str | None,
        typer.Option(
            help="The agent, with a limit of nodes. (default: the game's engine with --nodes)",
            metavar="SPEC",
            autocompletion=complete_agent,
        ),
    ] = None,
    nodes: Annotated[int, typer.Option(help="Nodes a move of the default agent.", min=1)] = 20_000,
    games: Annotated[int, typer.Option(help="How many games.", min=3)] = 300,
    seed: Annotated[int, typer.Option(help="The seed; the same seed gives the same games.", min=0, max=2**64 - 1)] = 0,
    bend: Annotated[
        bool,
        typer.Option(
            "--bend",
            help="Fit one curve for all plies, which may be flatter for small values than for large ones, "
            "instead of a slope that depends on the ply.",
        ),
    ] = False,
    jobs: Annotated[int, typer.Option(help="Games played at once; the fit is the same.", min=1)] = 1,
    force: Annotated[bool, typer.Option("--force", help="Replace the file whatever it is.")] = False,
) -> None:
    """Fit the win probabilities of a game's engine to games against itself from balanced openings.

    The file says how it was made, and how reliable the probabilities are in games that the fit has not seen. Finished
    games are kept beside it: after Ctrl-C, the same command goes on.
    """
    from joute.errors import JouteError
    from joute.files import check_may_be_replaced, whole_file
    from joute.games import new
    from joute.match.signature import fingerprint
    from joute.reviews.calibrate import JOURNAL, MARK, calibration_text, default_agent
    from joute.reviews.calibrate import calibrate as play_and_fit

    if not force:
        check_may_be_replaced(out, (MARK,), "a file of win probabilities")
    spec = agent or default_agent(game, nodes)
    if not out.parent.is_dir():
        raise JouteError(f"{out} cannot be written: there is no folder {out.parent}")
    options = {"agent": spec, "games": games, "seed": seed} | ({"bend": True} if bend else {})
    words = ("calibrate", game, *option_words(options))
    journal = out.with_name(out.name + JOURNAL)
    played = 0

    with interrupted_by_sigterm(), progress_bar("playing", games) as advance:

        def watch(done: int) -> None:
            nonlocal played
            played = done
            advance(done, "playing")

        try:
            found = play_and_fit(
                game, spec, games=games, seed=seed, bend=bend, jobs=jobs, journal=journal, on_game=watch
            )
        except KeyboardInterrupt:
            command = command_line(*words, "--out", out)
            echo(f"stopped at {played} of {games} games, kept in {journal}; the same command goes on: {command}")
            raise
    with whole_file(out) as file:
        name, command = new(game).game, command_line(*words)
        made_by = fingerprint(name, (spec,))
        file.write(calibration_text(found, game=name, command=command, spec=spec, fingerprint=made_by))
    journal.unlink()
    _print(found.deciles)
    if found.as_told:
        echo("the win shares as the agent tells them, without a fit:")
        _print(found.as_told)
    echo(f"{found.games} games, {found.positions} open positions; win probabilities in {out}")


def _print(deciles: Sequence[Decile]) -> None:
    """Print a table of reliability."""
    listing = table(
        "decile", "positions", "games", "predicted", "observed", "difference",
        numbers=("positions", "games", "predicted", "observed", "difference"),
    )  # fmt: skip
    for decile in deciles:
        listing.add_row(
            f"{100 * decile.low:.0f}–{100 * decile.low + 10:.0f}%",
            str(decile.positions),
            str(decile.games),
            f"{100 * decile.predicted:.1f}%",
            f"{100 * decile.observed:.1f}%",
            f"{100 * (decile.observed - decile.predicted):+.1f}" + ("" if decile.is_enough else " (few games)"),
        )
    make_console().print(listing)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(calibrate)
