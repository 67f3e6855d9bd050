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
    option_words,
    print_json,
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
        _fit(name, fit, seed, pairs, force=force)
        return
    if measure is not None:
        _measure(name, measure, seed, pairs)
        return
    found = levels_of(name)
    if as_json:
        print_json(_as_data(found))
        return
    _print(found.levels)
    echo(f"play one: {command_line('play', name, '--against', 'level:1')}")


def _fit(game: str, out: Path, seed: int, pairs: int | None, *, force: bool) -> None:
    import dataclasses

    from joute.agents.level_sets import Levels, level_set, levels_text, read_levels
    from joute.errors import JouteError
    from joute.files import check_may_be_replaced, whole_file
    from joute.fits.fitted import level_fingerprint
    from joute.fits.ladder import fitted_agents
    from joute.fits.levels import FitParameters, fit_levels
    from joute.version import __version__

    if not force:
        check_may_be_replaced(out, (MARK,), "a file of levels")
    settings = FitParameters()
    if pairs is not None:
        settings = settings.with_pairs(pairs)
    words = ["levels", game, *option_words({"seed": seed} | ({"pairs": pairs} if pairs else {}))]
    command = command_line(*words)

    def comments(complete: bool) -> tuple[str, ...]:
        state = () if complete else (UNFINISHED,)
        return (f"{MARK[2:]}{game}, the weakest first", command, *state, f"made by Joute {__version__}")

    known: tuple[Level, ...] = ()
    if out.is_file() and f"# {command}\n# {UNFINISHED}\n" in out.read_text(encoding="utf-8", errors="replace"):
        known = read_levels(out).levels
        echo(f"going on after level {len(known)} in {out}")
    made: tuple[Level, ...] = ()
    with interrupted_by_sigterm():
        try:
            ladder = fit_levels(game, level_set(game), seed=seed, parameters=settings, known=known, told=echo)
            for made in ladder:
                with whole_file(out) as file:
                    file.write(levels_text(Levels(game, made), comments(complete=False)))
        except KeyboardInterrupt:
            echo(f"stopped after level {len(made)} in {out}; the same command goes on: {command} --fit {out}")
            raise
    if not made:
        raise JouteError(f"no level of {game} could be fitted")
    finished = Levels(game, made)
    finished = dataclasses.replace(finished, fingerprint=level_fingerprint(game, tuple(fitted_agents(finished))))
    with whole_file(out) as file:
        file.write(levels_text(finished, comments(complete=True)))
    _print(made)
    echo(f"{len(made)} levels in {out}")


def _measure(game: str, file: Path, seed: int, pairs: int | None) -> None:
    import dataclasses

    from joute.agents.level_sets import levels_text, read_levels
    from joute.errors import SpecError
    from joute.files import whole_file
    from joute.fits.fitted import level_fingerprint
    from joute.fits.ladder import fitted_agents
    from joute.fits.levels import FitParameters, measure_levels

    known = read_levels(file)
    if known.game != game:
        raise SpecError(f"{file} has the levels of {known.game}, not of {game}")
    known = dataclasses.replace(known, fingerprint=level_fingerprint(game, tuple(fitted_agents(known))))
    comments = tuple(line[2:] for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("# "))
    count = pairs or FitParameters().measured
    with interrupted_by_sigterm():
        for levels in measure_levels(game, known.levels, seed=seed, pairs=count, told=echo):
            with whole_file(file) as out:
                out.write(levels_text(dataclasses.replace(known, levels=levels), comments))
            known = dataclasses.replace(known, levels=levels)
    _print(known.levels)


#: The beginning of every file of levels, and the line that marks an unfinished one.
MARK = "# Levels of "
UNFINISHED = "unfinished"


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
