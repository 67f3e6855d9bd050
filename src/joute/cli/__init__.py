"""The command line: one file a command. Commands import what they need when they run."""

from __future__ import annotations

import sys

import typer

from joute.cli import agents, demo, games, match, perft, play, show

app = typer.Typer(
    name="joute",
    help="A laboratory for two-player board-game AI: games, agents, and honest matches between them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (games, agents, play, match, show, perft, demo):
    command.add_to(app)


def _version(wanted: bool) -> None:
    if wanted:
        from joute import __version__

        typer.echo(f"joute {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    pass


def main() -> None:
    """Run the command line; a mistake of the user's costs one sentence and exit status 2."""
    from joute._core import JouteError

    try:
        app()
    except JouteError as error:
        typer.echo(f"joute: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        sys.stderr.close()
        sys.exit(141)
    except KeyboardInterrupt:
        typer.echo("joute: interrupted", err=True)
        sys.exit(130)
    except OSError as error:
        typer.echo(f"joute: {error}", err=True)
        sys.exit(2)
