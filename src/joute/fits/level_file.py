"""Fits of levels to a file: written after every level, and continued after an interruption."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from joute.agents import level_sets
from joute.agents.level_sets import Level, Levels, levels_text, read_levels
from joute.errors import JouteError, SpecError
from joute.files import whole_file
from joute.fits import levels as fits
from joute.fits.fitted import level_fingerprint
from joute.fits.games import Play, play_here
from joute.fits.ladder import fitted_agents
from joute.version import __version__

#: The beginning of every file of levels.
MARK = "# Levels of "
_UNFINISHED = "unfinished"

#: Told about the progress of a fit: a sentence.
Told = Callable[[str], None]


def fit_command(game: str, seed: int, pairs: int | None) -> str:
    """The command that makes a file of levels, without the file: the header has it."""
    return f"joute levels {game} --seed {seed}" + (f" --pairs {pairs}" if pairs else "")


def is_unfinished(file: Path) -> bool:
    """Whether a file holds the lowest levels of an interrupted fit."""
    return file.is_file() and f"# {_UNFINISHED}\n" in file.read_text(encoding="utf-8", errors="replace")


def fit_file(
    game: str,
    out: Path,
    *,
    seed: int = 0,
    pairs: int | None = None,
    play: Play = play_here,
    told: Told = lambda sentence: None,
) -> Levels:
    """Fit the levels of a game and write them to `out` after every level; an unfinished file goes on.

    After KeyboardInterrupt or another exception the file has the levels that are fitted.
    """
    settings = fits.FitParameters()
    if pairs is not None:
        settings = settings.with_pairs(pairs)
    command = fit_command(game, seed, pairs)

    def comments(*more: str) -> tuple[str, ...]:
        return (f"{MARK[2:]}{game}, the weakest first", command, *more, f"made by Joute {__version__}")

    known: tuple[Level, ...] = ()
    if is_unfinished(out) and f"# {command}\n" in out.read_text(encoding="utf-8"):
        known = read_levels(out).levels
        told(f"going on after level {len(known)} in {out}")
    made: tuple[Level, ...] = ()
    plan = level_sets.level_set(game)
    for made in fits.fit_levels(game, plan, seed=seed, parameters=settings, known=known, play=play, told=told):
        with whole_file(out) as file:
            file.write(levels_text(Levels(game, made), comments(_UNFINISHED)))
    if not made:
        raise JouteError(f"no level of {game} could be fitted")
    finished = Levels(game, made)
    finished = dataclasses.replace(finished, fingerprint=level_fingerprint(game, tuple(fitted_agents(finished))))
    with whole_file(out) as file:
        file.write(levels_text(finished, comments()))
    return finished


def measure_file(
    game: str, file: Path, *, seed: int = 0, pairs: int | None = None, play: Play = play_here, told: Told
) -> Levels:
    """Play more games between the neighbours in a file of levels, and add them to the file after every match."""
    known = read_levels(file)
    if known.game != game:
        raise SpecError(f"{file} has the levels of {known.game}, not of {game}")
    known = dataclasses.replace(known, fingerprint=level_fingerprint(game, tuple(fitted_agents(known))))
    comments = tuple(line[2:] for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("# "))
    count = pairs or fits.FitParameters().measured
    for levels in fits.measure_levels(game, known.levels, seed=seed, pairs=count, play=play, told=told):
        known = dataclasses.replace(known, levels=levels)
        with whole_file(file) as out:
            out.write(levels_text(known, comments))
    return known
