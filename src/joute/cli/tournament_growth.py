"""The options of ``joute tournament`` that change a tournament that has begun."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from joute.arena.tournament import Tournament


@dataclass(frozen=True)
class Changes:
    """The texts of the options --add, --replace and --withdraw, and the number in --games +N."""

    add: tuple[str, ...] = ()
    replace: tuple[str, ...] = ()
    withdraw: tuple[str, ...] = ()
    games: int = 0

    def __bool__(self) -> bool:
        return bool(self.words)

    @property
    def words(self) -> list[str]:
        """The options that the user gave."""
        given = {"--add": self.add, "--replace": self.replace, "--withdraw": self.withdraw, "--games +N": self.games}
        return [option for option, value in given.items() if value]


def grown_tournament(db: Path | None, changes: Changes, concurrency: int) -> Tournament:
    """The tournament of a file after the changes that the command line asks for."""
    from joute.arena.entries import entry_of, expanded
    from joute.arena.growth import Growth, replaced_name
    from joute.arena.store.store import Store
    from joute.arena.tournament import Tournament
    from joute.errors import SpecError

    if db is None:
        asked = " ".join(changes.words)
        raise SpecError(f"{asked} needs the file of the tournament: joute tournament --db FILE {asked} ...")
    with Store.read(db) as store:
        playing = [store.plan.entrants[index].name for index in store.plan.playing]
    replaced = []
    for agent, _, clock in map(entry_of, changes.replace):
        name, new = replaced_name(agent, playing)
        replaced.append((name, (new, "", clock)))
    growth = Growth(
        add=expanded([entry_of(text) for text in changes.add], Path.cwd()),
        replace=replaced,
        withdraw=changes.withdraw,
        games=changes.games,
    )
    return Tournament.grow(db, growth, concurrency=concurrency)
