"""``joute games``: list the games."""

from __future__ import annotations

import typer

from joute.cli.common import JsonOption, breakable, console, print_json, table


def games(*, as_json: JsonOption = False) -> None:
    """List the games, with their rules options."""
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


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(games)
