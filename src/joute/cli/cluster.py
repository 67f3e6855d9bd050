"""``joute cluster``: the machines that ``--ray`` plays on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import JsonOption, console, echo, print_json, table
from joute.cli.completion import complete_game
from joute.example import GAME

if TYPE_CHECKING:
    from joute.arena.cluster.status import MachineStatus


def status(
    address: Annotated[
        str, typer.Argument(help="The cluster, as --ray names it.", metavar="ADDRESS", show_default="auto")
    ] = "auto",
    *,
    measure: Annotated[
        str | None,
        typer.Option(
            help="Measure the speed of every machine by a search in this game, with all its cores.",
            metavar="GAME",
            autocompletion=complete_game,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show which machines of a Ray cluster can play, and why the others cannot.

    Ends with status 1 if a machine cannot.
    """
    from joute.arena.cluster.ray_machines import connected
    from joute.arena.cluster.status import status as status_of
    from joute.games import new

    game = new(measure).spec if measure else None
    with connected(address) as machines:
        found = status_of(machines, game=game)
    if as_json:
        print_json([_data(each) for each in found])
    else:
        _print(found)
    if any(each.problem for each in found):
        raise typer.Exit(1)


def _data(each: MachineStatus) -> dict[str, object]:
    return {
        "node": each.machine.name,
        "cores": each.machine.cores,
        "can_play": not each.problem,
        "problem": each.problem,
        "sandbox": not each.sandbox_problem,
        "sandbox_problem": each.sandbox_problem,
        "speed": each.speed,
    }


def _print(found: list[MachineStatus]) -> None:
    from joute.numbers import NOTHING, count_of
    from joute.text import printable

    listing = table("node", "cores", "plays", "sandbox", "speed", numbers=("cores", "speed"))
    for each in found:
        speed = f"{each.speed:,.0f}" if each.speed is not None else NOTHING
        sandbox = f"no: {each.sandbox_problem}" if each.sandbox_problem else "yes"
        can = f"no: {each.problem}" if each.problem else "yes"
        cells = (each.machine.name, str(each.machine.cores), can, NOTHING if each.problem else sandbox, speed)
        listing.add_row(*map(printable, cells))
    console().print(listing)
    able = [each for each in found if not each.problem]
    cores = sum(each.machine.cores for each in able)
    echo(f"{len(able)} of {count_of(len(found), 'node')} can play, with {count_of(cores, 'core')}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    group = typer.Typer(help="The machines of a Ray cluster, which --ray plays on.", no_args_is_help=True)
    group.callback()(lambda: None)
    group.command(epilog=f"Example: joute cluster status auto --measure {GAME}")(status)
    app.add_typer(group, name="cluster")
