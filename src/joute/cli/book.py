"""``joute book``: make an opening book. Each game with a book brings its own command.

The commands come from the entry point group ``joute.books`` and from the games' rooms. Each entry is a function that
adds a command, with the game as its argument, to a Typer app.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from joute.cli.common import add_command, adds_command

if TYPE_CHECKING:
    from joute.plugins import Registry


class _Books(TyperGroup):
    """The book commands of all games. The game's spec, at any place among the arguments, selects the command."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The games that have a book."""
        return _books().names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The book command of a game."""
        app = typer.Typer(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})
        add_command(app, _books(), cmd_name)
        command = get_command(app)
        command.name = cmd_name
        return command

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments, of which there is one at least."""
        if not args:
            ctx.fail("Missing argument 'GAME'.")
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[None, Any, list[str]]:
        """The command of the game that the arguments name; the command gets all arguments."""
        from joute.errors import SpecError
        from joute.games import game_names, new

        names, games = _books().names(), game_names()
        named = next((word for word in args if word.partition(":")[0] in games), "")
        if not named:
            if args[0].startswith("-"):
                ctx.fail("Missing argument 'GAME'.")
            named = args[0]  # of which `new` says that it is no game
        game = new(named).game
        if game not in names:
            raise SpecError(f"only {' and '.join(names)} have books; {game} has none")
        return None, self.get_command(ctx, game), args


def _books() -> Registry[Callable[[typer.Typer], None]]:
    from joute.plugins import Registry

    return Registry("book", "joute.books", adds_command)


def _book() -> None:
    """Make an opening book for a game that has one; 'joute book GAME --help' lists the game's options."""


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    books = typer.Typer(
        cls=_Books,
        options_metavar="",
        subcommand_metavar="GAME [OPTIONS]",
        context_settings={"ignore_unknown_options": True},
    )
    books.callback()(_book)
    app.add_typer(books, name="book")
