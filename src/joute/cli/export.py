"""``joute export``: write games of a tournament as text."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Annotated

import typer

from joute.cli.common import echo
from joute.cli.game_files import Damage, GameFileArgument, SkipDamagedOption, played_by


def export(
    file: GameFileArgument,
    *,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write to this file instead of the terminal.", metavar="TEXT")
    ] = None,
    game: Annotated[
        list[int] | None, typer.Option(help="Export only the game of this number; may be repeated.", metavar="N", min=1)
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="Export only games of this agent or, with --entries, only its file; may be repeated.", metavar="NAME"
        ),
    ] = None,
    entries: Annotated[
        Path | None,
        typer.Option(
            help="Export agents instead of games: unpack those of a frozen tournament into this new folder.",
            metavar="FOLDER",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
    skip_damaged: SkipDamagedOption = False,
) -> None:
    """Write games as text to read, edit and keep: tags, moves, search info of the agents, results.

    docs/records.md describes the text; 'joute import' reads it, 'joute replay' shows it.
    """
    from joute.arena.store.game_file import read_game_file
    from joute.errors import JouteError, SpecError
    from joute.match.record_text import write_record

    agents, numbers = agent or [], game or []
    if entries:
        if numbers or out:
            raise SpecError(f"--entries unpacks agents, not games; leave out {'--game' if numbers else '--out'}")
        _unpack(file, entries, agents)
        return
    damage = Damage(skip=skip_damaged)
    count = 0
    with _opened(out, force=force) as text:
        for found in played_by(agents, damage.whole(read_game_file(file, numbers)), file):
            text.write("\n" * bool(count) + write_record(found.record, tags=found.tags))
            count += 1
        if not count:
            damage.end()
            raise JouteError(_why_none(agents, numbers, file))
    if out:
        echo(f"{count} game{'s' * (count != 1)} in {out}")
    damage.end()


def _why_none(agents: Sequence[str], numbers: Sequence[int], file: Path) -> str:
    who = " or ".join(agents)
    if not agents:
        return f"there is no game in {file}"
    if not numbers:
        return f"no game in {file} was played by {who}"
    which = f"game {numbers[0]} was" if len(numbers) == 1 else f"games {' and '.join(map(str, numbers))} were"
    return f"{which} not played by {who}"


@contextlib.contextmanager
def _opened(path: Path | None, *, force: bool) -> Iterator[IO[str]]:
    """Standard output, or a file that appears only when it is complete."""
    from joute.errors import JouteError
    from joute.files import whole_file

    if path is None:
        yield sys.stdout
        return
    if path.exists() and not force:
        raise JouteError(f"{path} already exists; --force overwrites it")
    with whole_file(path) as text:
        yield text


def _unpack(file: Path, folder: Path, agents: Sequence[str]) -> None:
    """Unpack the agents of a frozen tournament, or the named ones, each into its own folder."""
    from joute._core import one_line
    from joute.arena.store.frozen import unpack_entry
    from joute.arena.store.store import Store
    from joute.errors import JouteError
    from joute.spec import look_up

    with Store.read(file) as store:
        names = [entrant.name for entrant in store.plan.entrants]
        entries = store.entries()
    if not entries:
        raise JouteError(
            f"{file} contains no agents: only a frozen tournament stores them, and only those that are files"
        )
    indices = {name: index for index, name in enumerate(names)}
    wanted = [look_up(f"agent in {file}", name, indices) for name in agents] or list(entries)
    if strangers := [names[index] for index in wanted if index not in entries]:
        raise JouteError(f"agent '{strangers[0]}' is not stored in {file}, because it is not a file")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise JouteError(f"{folder} already exists; agents are unpacked into a new folder")
    for index in wanted:
        # A name may be any text; the number keeps folders distinct whose plain names are equal.
        plain = re.sub(r"[^\w.-]+", "_", names[index])[:50]
        own = folder / f"{index}-{plain}"
        echo(f"{one_line(names[index])}: {one_line(unpack_entry(entries[index], own).text)}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(export)
