"""``joute map``: draw a random map of Vampires vs Werewolves, check map files, show a map."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import JsonOption, PictureForceOption, echo, print_json, say

if TYPE_CHECKING:
    from joute.games.vampires.maps import Group, VampiresMap

maps = typer.Typer(
    name="map", help="Maps of Vampires vs Werewolves: make one at random, check files, show one.", no_args_is_help=True
)

_OWN_DEFAULT = "the generator's"


@maps.command()
def new(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="The file to write; standard output if left out.")
    ] = None,
    *,
    generator: Annotated[
        str, typer.Option(help="The generator: official, twilight or langorou.", metavar="NAME")
    ] = "official",
    rows: Annotated[int | None, typer.Option(help="Rows.", show_default=_OWN_DEFAULT)] = None,
    columns: Annotated[int | None, typer.Option(help="Columns.", show_default=_OWN_DEFAULT)] = None,
    homes: Annotated[int | None, typer.Option(help="Pairs of homes of humans.", show_default=_OWN_DEFAULT)] = None,
    monsters: Annotated[
        int | None, typer.Option(help="Units of each species (twilight).", show_default=_OWN_DEFAULT)
    ] = None,
    seed: Annotated[
        int, typer.Option(help="The random seed; the same seed gives the same map.", min=0, max=2**64 - 1)
    ] = 0,
    convertible: Annotated[
        bool, typer.Option("--convertible", help="Draw until a start group can convert a house.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Draw a random map and write it as XML."""
    from joute._core import Random
    from joute.errors import JouteError
    from joute.files import whole_file
    from joute.games.vampires.generators import GENERATORS, draw_convertible
    from joute.spec import look_up, parameters_of, read_settings

    given = {"rows": rows, "columns": columns, "homes": homes, "monsters": monsters}
    kind = look_up("generator", generator, GENERATORS)
    pairs = {name: str(value) for name, value in given.items() if value is not None}
    settings: Any = read_settings(f"generator {generator}", pairs, parameters_of(kind))
    drawer = kind(**settings)
    drawn = draw_convertible(drawer, Random(seed)) if convertible else drawer.draw(Random(seed))
    if file is not None:
        if file.exists() and not force:
            raise JouteError(f"{file} already exists; name another file, or replace it with --force")
        with whole_file(file) as text:
            text.write(drawn.xml())
    if as_json:
        print_json({"file": str(file) if file else None, "seed": seed, **_data(drawn)})
    elif file is None:
        echo(drawn.xml(), nl=False)
    else:
        echo(f"{file}: {_summary(drawn)}")


@maps.command()
def check(
    maps: Annotated[list[str], typer.Argument(metavar="MAP...", help="XML files; also maps' names or their text.")],
    *,
    as_json: JsonOption = False,
) -> None:
    """Summarize maps, or report their errors with line numbers.

    The exit status is 1 if a map is invalid, and 2 if a map does not exist.
    """
    from joute.errors import JouteError, NotationError
    from joute.games.vampires.maps import VampiresMap
    from joute.games.vampires.state import find_map

    status = 0
    data: list[dict[str, Any]] = []
    for name in maps:
        try:
            # An existing file takes precedence over a built-in map of the same name.
            found = VampiresMap.read(path) if (path := Path(name)).is_file() else find_map(name)
            data.append({"map": name, "problem": None, **_data(found)})
            if not as_json:
                echo(f"{name}: {_summary(found)}")
        except JouteError as error:
            status = max(status, 1 if isinstance(error, NotationError) else 2)
            data.append({"map": name, "problem": str(error)})
            if not as_json:
                echo(f"joute: {error}", err=True)
    if as_json:
        print_json(data)
    if status:
        raise typer.Exit(status)


@maps.command()
def show(
    map: Annotated[
        str | None,
        typer.Argument(metavar="MAP", help="A map's name, its XML file or its text; all names if left out."),
    ] = None,
    *,
    svg: Annotated[Path | None, typer.Option(help="Write the picture to this file.", metavar="FILE")] = None,
    force: PictureForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show a map as a board with a summary; without an argument, list the built-in maps."""
    from joute.errors import SpecError
    from joute.files import write_picture
    from joute.games import new
    from joute.games.vampires.state import find_map

    if map is None:
        if svg:
            raise SpecError("--svg needs a map to draw")
        _list(as_json=as_json)
        return
    found = find_map(map)
    state = new("vampires", found.text)
    if svg:
        write_picture(svg, state.svg(), force=force)
    if as_json:
        print_json(_data(found))
        return
    echo(state.diagram())
    echo(_summary(found))
    by_vampires, by_werewolves = found.convertible("v"), found.convertible("w")
    if by_vampires == by_werewolves:
        say(f"houses that all units of either species can convert: {_places(by_vampires)}")
    else:
        say(f"houses that all vampires can convert: {_places(by_vampires)}")
        say(f"houses that all werewolves can convert: {_places(by_werewolves)}")
    echo(f"text: {found.text}")
    if svg:
        echo(f"picture: {svg}")


def _list(*, as_json: bool) -> None:
    from joute._core import vampires_maps
    from joute.cli.common import console, table

    known = [{"name": name, "text": text, "what": what} for name, text, what in vampires_maps()]
    if as_json:
        print_json(known)
        return
    listing = table("map", "what it is")
    for entry in known:
        listing.add_row(entry["name"], entry["what"])
    console().print(listing)


def _data(map: VampiresMap) -> dict[str, Any]:
    """Return a map as data; groups and houses are (x, y, count)."""
    return {
        "text": map.text,
        "rows": map.rows,
        "columns": map.columns,
        "houses": map.houses,
        "vampires": map.vampires,
        "werewolves": map.werewolves,
        "convertible_by_vampires": map.convertible("v"),
        "convertible_by_werewolves": map.convertible("w"),
    }


def _summary(map: VampiresMap) -> str:
    """Return a one-line summary of a map."""
    humans = sum(count for _, _, count in map.houses)
    size = f"{map.rows} {_plural(map.rows, 'row')}, {map.columns} {_plural(map.columns, 'column')}"
    houses = f"{len(map.houses)} {_plural(len(map.houses), 'house')} with {humans} {_plural(humans, 'human')}"
    return f"{size}, {houses}, {map.vampires[2]} vampires, {map.werewolves[2]} werewolves"


def _places(houses: Sequence[Group]) -> str:
    """Return the houses by size, smallest first, with their places."""
    by_size: dict[int, list[str]] = {}
    for x, y, count in sorted(houses, key=lambda house: house[2]):
        by_size.setdefault(count, []).append(f"{x}.{y}")
    return "; ".join(f"{count} at {', '.join(places)}" for count, places in by_size.items()) or "none"


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(maps)
