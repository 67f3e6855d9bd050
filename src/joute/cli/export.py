"""``joute export``: games of a tournament as text."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Annotated

import typer

from joute.cli.game_files import Damage, GameFileArgument, SkipDamagedOption, played_by


def export(
    file: GameFileArgument,
    *,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write to this file instead of the terminal.", metavar="TEXT")
    ] = None,
    game: Annotated[
        list[int] | None, typer.Option(help="Only the game of this number; may be repeated.", metavar="N", min=0)
    ] = None,
    agent: Annotated[
        list[str] | None, typer.Option(help="Only games that this agent played; may be repeated.", metavar="NAME")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it is there.")] = False,
    skip_damaged: SkipDamagedOption = False,
) -> None:
    """Write games as text to read, to edit and to keep: tags, moves, what agents told, results.

    docs/records.md describes the text; 'joute import' reads it, 'joute replay' shows it.
    """
    from joute.arena.game_file import read_game_file
    from joute.match.record_text import write_record

    damage = Damage(skip=skip_damaged)
    count = 0
    with _opened(out, force=force) as text:
        for found in played_by(agent or [], damage.whole(read_game_file(file, game or [])), file):
            text.write("\n" * bool(count) + write_record(found.record, tags=found.tags))
            count += 1
    if out:
        typer.echo(f"{count} game{'s' * (count != 1)} in {out}")
    damage.end()


@contextlib.contextmanager
def _opened(path: Path | None, *, force: bool) -> Iterator[IO[str]]:
    """Where text goes: standard output, or a file that is there when everything is written, or not at all."""
    from joute.errors import JouteError

    if path is None:
        yield sys.stdout
        return
    if path.exists() and not force:
        raise JouteError(f"{path} is already there; --force overwrites it")
    try:
        part = tempfile.NamedTemporaryFile(  # noqa: SIM115
            "w", encoding="utf-8", dir=path.absolute().parent, prefix=f".{path.name}-", delete=False
        )
    except OSError as error:
        raise JouteError(f"{path} cannot be written: {error.strerror}") from error
    try:
        with part:
            yield part
        Path(part.name).chmod(0o644)
        Path(part.name).replace(path)
    except BaseException:
        Path(part.name).unlink()
        raise


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(export)
