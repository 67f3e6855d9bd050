"""The command line: one file per command. Each command imports its dependencies when it runs, so start-up stays fast.

Commands of games and plug-ins come from the entry point group ``joute.commands`` and from the games' rooms. Each entry
is a function that adds its command to a Typer app.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Container, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from joute.plugins import Registry


# The base class of Typer's errors about options. It is click's in some versions of Typer and Typer's own in others.
_USAGE_ERROR: type[Exception] = typer.BadParameter.__bases__[0].__bases__[0]


class _Commands(TyperGroup):
    """The group of all commands. It reports errors, Ctrl-C and closed pipes; Typer ends silently on the last two."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; errors leave through `_door`."""
        with _door():
            return super().invoke(ctx)


@contextlib.contextmanager
def _door() -> Iterator[None]:
    """The one place where errors leave a command. Typer's own errors, about options, pass through."""
    try:
        yield
    except (typer.Exit, typer.Abort, _USAGE_ERROR):
        raise
    except BrokenPipeError:
        _end_without_reader()
    except KeyboardInterrupt as error:
        # Only the signals that a command turns into an interrupt have a name here.
        is_terminated = error.args == ("SIGTERM",)
        _end(143 if is_terminated else 130, "terminated" if is_terminated else "interrupted")
    except Exception as error:
        from joute.failure import end_after

        sys.exit(end_after(error, ("joute", *sys.argv[1:])))


def _version(wanted: bool) -> None:
    if wanted:
        from joute.version import __version__

        typer.echo(f"joute {__version__}")
        raise typer.Exit()


def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    pass


# The modules of the commands, in the order in which the help lists them.
_COMMANDS = (
    "games", "agents", "play", "serve", "match", "tournament", "sweep", "tune", "cluster", "report", "replay", "export",
    "import_", "new_agent", "check", "openings", "calibrate", "levels", "refit",
    "engine", "course", "analyze", "review", "mistakes", "reproduce", "show", "perft", "bench", "book",
    "train", "quantize", "demo",
)  # fmt: skip


def command_line(name: str = "") -> typer.Typer:
    """The app with all commands, or with only the named one: registering all of them takes longer than most run."""
    app = typer.Typer(
        name="joute",
        cls=_Commands,
        help="A laboratory for two-player board-game AI: games, agents, and fair matches between them.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    ours = {module.rstrip("_").replace("_", "-"): module for module in _COMMANDS}
    if name in ours:
        _add(app, ours[name])
    elif name == "--version" or not _add_plugin(app, name):
        for module in _COMMANDS:
            _add(app, module)
        if name != "--version":
            _add_plugins(app, ours)
    return app


def _add(app: typer.Typer, module: str) -> None:
    import_module(f"{__name__}.{module}").add_to(app)


def _add_plugin(app: typer.Typer, name: str) -> bool:
    """Add the named command of a plug-in or a game; False if there is none. Exits if it cannot be added."""
    from joute.cli.common import add_command
    from joute.errors import JouteError

    if name.startswith("-") or name not in (commands := _plugins()).names():
        return False
    try:
        add_command(app, commands, name)
    except JouteError as error:
        _end(2, str(error))
    return True


def _add_plugins(app: typer.Typer, ours: Container[str]) -> None:
    """Add the commands of plug-ins and games, past those that cannot be added."""
    from joute.cli.common import add_command
    from joute.errors import JouteError

    commands = _plugins()
    for name in commands.names():
        try:
            if name in ours:
                raise JouteError(f"command '{name}' of a plug-in is refused: Joute has a command of that name")
            add_command(app, commands, name)
        except JouteError as error:
            typer.echo(f"joute: {error}", err=True)


def _plugins() -> Registry[Callable[[typer.Typer], None]]:
    from joute.cli.common import adds_command
    from joute.plugins import Registry

    return Registry("command", "joute.commands", adds_command)


def main() -> None:
    """Run the command line."""
    from joute.cli.completion import command_to_complete

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # escape characters that the terminal's encoding lacks
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = _tell_warning
    try:
        with _door():
            command_line(*sys.argv[1:2] or [command_to_complete()])(prog_name="joute")
    finally:
        try:
            if sys.stdout is not None:  # None if the command was started without standard output
                sys.stdout.flush()
        except BrokenPipeError:
            _end_without_reader()


def _tell_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: object, **__: object
) -> None:
    """Print Joute's warnings as one sentence and all others in Python's format."""
    if category.__module__.partition(".")[0] == "joute":
        from joute.failure import tell

        tell(str(message))
    else:
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno))


def _end(status: int, sentence: str) -> NoReturn:
    from joute.failure import tell

    tell(sentence)
    sys.exit(status)


def _end_without_reader() -> NoReturn:
    """Exit with 141, the status of a program killed by SIGPIPE: the reader (`head`, say) closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # discard buffered output at exit
    sys.exit(141)
