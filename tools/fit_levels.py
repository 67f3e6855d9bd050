"""Fits or measures the levels of several games at once, for some minutes; the same command goes on.

    python tools/fit_levels.py GAME... --out DIR --jobs 8 --seconds 480             fits DIR/GAME.toml of each game
    python tools/fit_levels.py GAME... --out DIR --jobs 8 --seconds 480 --measure   plays more games between neighbours

It does what `joute levels GAME --seed 1 --fit FILE` does, and needs neither Typer nor Rich nor an installed Joute: a
built core in src/joute and PYTHONPATH=src suffice. Every file is written after each level, so that nothing but the
level in progress is lost. A game whose file is complete is not fitted again.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_SEED = 1
# Games of one call to the pool: the time is looked at between two calls.
_CHUNK = 40


class OutOfTimeError(Exception):
    """The time of this run is up."""


def find_entry_points(folder: Path) -> None:
    """Let Joute find its games where it is not installed: as the metadata of an installed package would."""
    try:
        importlib.metadata.distribution("joute")
    except importlib.metadata.PackageNotFoundError:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        place = folder / "joute-0.dist-info"
        place.mkdir()
        lines = []
        for group, entries in project["entry-points"].items():
            lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()), ""]
        (place / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
        (place / "METADATA").write_text("Metadata-Version: 2.1\nName: joute\nVersion: 0\n", encoding="utf-8")
        sys.path.append(str(folder))  # worker processes get the same path


def main(words: Sequence[str] | None = None) -> int:
    """Read the command line and fit; returns the number of games that are not finished."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", metavar="GAME")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--jobs", type=int, default=0, help="games at once over all fits; 0 for all cores")
    parser.add_argument("--seconds", type=float, default=1e9, help="after these, nothing new begins")
    parser.add_argument("--pairs", type=int, help="pairs of games of a measured match (default: 50)")
    parser.add_argument("--measure", action="store_true", help="add games to the files instead of fitting")
    given = parser.parse_args(words)
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        find_entry_points(Path(folder))
        return _run(given)


def _run(given: argparse.Namespace) -> int:
    from joute.fits.games import Game, playing
    from joute.fits.level_file import fit_file, is_unfinished, measure_file

    began = time.monotonic()

    def one(game: str) -> bool:
        """Fit or measure one game; returns whether it is finished."""
        file = given.out / f"{game}.toml"

        def told(sentence: str) -> None:
            print(f"{time.monotonic() - began:6.0f} s  {game:10} {sentence}", flush=True)

        def in_time(games: Sequence[Game]) -> list[float]:
            points: list[float] = []
            for start in range(0, len(games), _CHUNK):
                if time.monotonic() - began > given.seconds:
                    raise OutOfTimeError
                points += play(games[start : start + _CHUNK])
            return points

        try:
            if given.measure:
                measure_file(game, file, seed=_SEED, pairs=given.pairs, play=in_time, told=told)
            elif not file.is_file() or is_unfinished(file):
                fit_file(game, file, seed=_SEED, pairs=given.pairs, play=in_time, told=told)
            told("finished")
        except OutOfTimeError:
            told("out of time: the same command goes on")
            return False
        return True

    with playing(given.jobs) as play, ThreadPoolExecutor(len(given.games)) as threads:
        fits = [threads.submit(one, game) for game in given.games]
        try:
            done = [fit.result() for fit in fits]
        except KeyboardInterrupt:
            given.seconds = 0.0  # the fits end after the games that they wait for
            raise
    return done.count(False)


if __name__ == "__main__":
    raise SystemExit(main())
