"""``joute games``: list the games, or show the cheat sheet of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import JsonOption, breakable, console, echo, print_json, say, table
from joute.cli.completion import complete_game

if TYPE_CHECKING:
    from joute.games.guide import Accessor


def games(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="Show the cheat sheet of this game for authors of agents.",
            autocompletion=complete_game,
        ),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List the games with their rules options; with a game, show its rules, notation, accessors and a heuristic."""
    if game is not None:
        _show_guide(game, as_json=as_json)
    else:
        _list(as_json=as_json)


def _list(*, as_json: bool) -> None:
    from joute.agents.search import generators_of
    from joute.games import all_games

    found, problems = all_games()
    if as_json:
        print_json(
            [
                {
                    "name": game.game,
                    "title": game.title,
                    "chance": game.has_chance,
                    "rules": [
                        {"name": p.name, "default": p.default, "range": p.range, "help": p.help}
                        for p in game.rule_parameters()
                    ],
                    "evaluations": [{"name": name, "help": meaning} for name, meaning in game.evaluations],
                    "generators": generators_of(game),
                }
                for game in found
            ]
            + [{"name": name, "problem": problem} for name, problem in problems.items()]
        )
        return
    listing = table("game", "title", "rules options")
    for game in found:
        options = "; ".join(
            f"{p.name}={breakable(p.range)} (default {p.default_text}): {p.help}" for p in game.rule_parameters()
        )
        listing.add_row(game.game, game.title, options or "none")
    for name, problem in problems.items():
        listing.add_row(name, "", problem)
    console().print(listing)


def _show_guide(name: str, *, as_json: bool) -> None:
    from joute.games import find_game
    from joute.games.guide import (
        find_guide,
        heuristic_source,
        move_accessors,
        record_fields,
        record_text,
        state_accessors,
    )  # fmt: skip

    game = find_game(name)
    guide = find_guide(game)
    tables = {"position": state_accessors(game), "move": move_accessors(game)}
    if as_json:
        print_json(
            {
                "name": game.game,
                "title": game.title,
                "rules": guide.rules,
                "notation": guide.notation,
                **{kind: [vars(each) for each in found] for kind, found in tables.items()},
                "records": {
                    record.__name__: {each.name: each.type for each in record_fields(record)}
                    for record in guide.records
                },
                "heuristic": heuristic_source(guide),
            }
        )
        return
    for text in (f"{game.title}: {guide.rules}", "", guide.notation):
        say(_without_markup(text))
    for kind, found in tables.items():
        if found:
            _print_accessors(f"of a {kind}", found)
    for record in guide.records:
        say(_without_markup(record_text(record)))
    echo()
    echo(heuristic_source(guide))
    echo("Every position also has to_move, legal_moves, play(move), result and more: docs/agents.md.")
    echo(f"An agent to start from: joute new-agent {game.game}")


def _without_markup(text: str) -> str:
    """The text without the backticks of Markdown."""
    return text.replace("`", "")


def _print_accessors(title: str, found: list[Accessor]) -> None:
    listing = table(title, "type", "meaning")
    for each in found:
        listing.add_row(each.name, each.type, each.help)
    console().print(listing)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(games)
