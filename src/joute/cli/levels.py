"""``joute levels``: the levels of a game, and their fit to matches."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import (
    GameArgument,
    JsonOption,
    command_line,
    console,
    echo,
    interrupted_by_sigterm,
    print_json,
    shell_word,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from joute.agents.level_sets import Level, Levels


def levels(
    game: GameArgument,
    *,
    fit: Annotated[
        Path | None,
        typer.Option(help="Fit the levels anew to matches, and write them to this file.", metavar="FILE"),
    ] = None,
    measure: Annotated[
        Path | None,
        typer.Option(
            help="Play more games between the neighbours of this file of levels, and add them.", metavar="FILE"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of the games.", min=0, max=2**64 - 1)] = 0,
    pairs: Annotated[
        int | None,
        typer.Option(help="Pairs of games between neighbours.", min=1, show_default="50"),
    ] = None,
    jobs: Annotated[
        int, typer.Option(help="Games played at once, 0 for one on each core; the levels are the same.", min=0)
    ] = 1,
    as_json: JsonOption = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file whatever it is.")] = False,
) -> None:
    """List the levels of a game, with their strength: joute play GAME --against level:4.

    With --fit, level after level is fitted so that it scores about 75% against the one below. The file is written after
    every level: after Ctrl-C, the same command goes on.
    """
    from joute.agents.level_sets import levels_of
    from joute.games import new

    name = new(game).game
    if fit is not None:
        _fit(name, fit, seed, pairs, jobs, force=force)
        return
    if measure is not None:
        _measure(name, measure, seed, pairs, jobs)
        return
    found = levels_of(name)
    if as_json:
        print_json(_as_data(found))
        return
    _print(found.levels)
    echo(f"play one: {command_line('play', name, '--against', 'level:1')}")


def _fit(game: str, out: Path, seed: int, pairs: int | None, jobs: int, *, force: bool) -> None:
    from joute.agents.level_sets import read_levels
    from joute.files import check_may_be_replaced
    from joute.fits.games import playing
    from joute.fits.level_file import MARK, fit_command, fit_file, is_unfinished

    if not force:
        check_may_be_replaced(out, (MARK,), "a file of levels")
    with interrupted_by_sigterm(), playing(jobs) as play:
        try:
            made = fit_file(game, out, seed=seed, pairs=pairs, play=play, told=echo)
        except KeyboardInterrupt:
            if is_unfinished(out):
                command = f"{fit_command(game, seed, pairs)} --fit {shell_word(out)}"
                echo(
                    f"stopped after level {len(read_levels(out).levels)} in {out}; the same command goes on: {command}"
                )
            raise
    _print(made.levels)
    echo(f"{len(made.levels)} levels in {out}")


def _measure(game: str, file: Path, seed: int, pairs: int | None, jobs: int) -> None:
    from joute.fits.games import playing
    from joute.fits.level_file import measure_file

    with interrupted_by_sigterm(), playing(jobs) as play:
        measured = measure_file(game, file, seed=seed, pairs=pairs, play=play, told=echo)
    _print(measured.levels)


def _print(ladder: Sequence[Level]) -> None:
    from joute.fits.ladder import settings_in_words, steps
    from joute.numbers import elo_text

    numbers = ("level", "games", "score", "Elo")
    listing = table("level", "score", "95%", "games", "Elo", "95% of Elo", "settings", numbers=numbers)
    for step in steps(ladder):
        has_match = step.games > 0
        listing.add_row(
            str(step.number),
            f"{100 * step.score:.1f}%" if has_match else "",
            f"{100 * step.low:.0f}–{100 * step.high:.0f}%" if has_match else "",
            str(step.games) if has_match else "",
            elo_text(step.elo),
            f"{elo_text(step.elo_low)} to {elo_text(step.elo_high)}" if has_match else "",
            settings_in_words(step.number, step.level),
        )
    console().print(listing)
    echo("score: points against the level below; Elo counts from level 1")


def _as_data(found: Levels) -> dict[str, Any]:
    from joute.fits.ladder import settings_in_words, steps

    return {
        "game": found.game,
        "fingerprint": found.fingerprint,
        "levels": [
            {
                "level": step.number,
                "agent": step.level.stage.agent,
                "lines": step.level.stage.lines,
                "overlooks": step.level.stage.overlooks,
                "most_loss": step.level.stage.most_loss,
                "temperature": step.level.temperature,
                "settings": settings_in_words(step.number, step.level),
                "games": step.games,
                "score": step.score if step.games else None,
                "score_interval": [step.low, step.high] if step.games else None,
                "elo": None if math.isnan(step.elo) else step.elo,
                "elo_interval": None if math.isnan(step.elo) else [step.elo_low, step.elo_high],
            }
            for step in steps(found.levels)
        ],
    }


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(levels)
