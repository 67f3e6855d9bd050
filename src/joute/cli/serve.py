"""``joute serve``: the page, to play in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from joute.cli.common import echo, say


def serve(
    *,
    port: Annotated[int, typer.Option(help="The port; 0 for a free one.", min=0, max=65_535)] = 8000,
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen on. One that other machines reach (0.0.0.0 for all) shares the page: visitors "
            "then enter a join code.",
            metavar="ADDRESS",
        ),
    ] = "127.0.0.1",
    name: Annotated[
        list[str] | None,
        typer.Option(help="A name of this machine by which browsers may address it. May be repeated."),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(help="An agent of your own to play against: a file, a program. May be repeated.", metavar="FILE"),
    ] = None,
    code: Annotated[
        str | None, typer.Option(help="The join code of a shared page. (default: a new one)", metavar="TEXT")
    ] = None,
    workers: Annotated[int, typer.Option(help="The number of engine processes; 0 for one a core.", min=0, max=256)] = 0,
    database: Annotated[
        Path | None,
        typer.Option(help="The file that keeps the games. (default: page.db in your data folder)", metavar="FILE"),
    ] = None,
    workspace: Annotated[
        Path | None,
        typer.Option(
            help="The folder of the tournaments, whose databases the page shows. (default: tournaments in your data "
            "folder)",
            metavar="FOLDER",
        ),
    ] = None,
    tournaments: Annotated[
        str,
        typer.Option(
            help="Who may begin tournaments on a shared page: owner (browsers on this machine), visitors or nobody.",
            metavar="WHO",
        ),
    ] = "owner",
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
) -> None:
    """Serve the page: play any game in a browser, against a level, an agent or another person."""
    from joute.agents.loading import find_source
    from joute.errors import JouteError, SpecError
    from joute.spec import look_up

    try:
        from joute.web.security import MOST_CODE, new_code, plain_code
        from joute.web.serve import open_socket, run
        from joute.web.settings import NOBODY, OWNER, VISITORS, Settings, is_loopback
    except ImportError as error:
        raise JouteError(
            f"the page needs the extra 'web', which is not installed ({error.name}): pip install 'joute[web]'"
        ) from error
    if code is not None and is_loopback(host):
        raise SpecError("--code is for a shared page; --host shares it")
    if code is not None and (len(plain_code(code)) < 6 or len(code.strip()) > MOST_CODE):
        raise SpecError(f"a join code has 6 to {MOST_CODE} characters besides spaces and hyphens")
    look_up("choice for --tournaments", tournaments, dict.fromkeys((OWNER, VISITORS, NOBODY)))
    agents = tuple(find_source(text).text for text in agent or ())
    settings = Settings(
        host=host,
        port=port,
        names=tuple(name or ()),
        code="" if is_loopback(host) else (code or new_code()).strip(),
        agents=agents,
        workers=workers,
        database=database,
        workspace=workspace,
        tournaments=tournaments,
    )
    listening = open_socket(settings)
    address = f"http://{_shown(host)}:{listening.getsockname()[1]}/"

    def tell() -> None:
        echo(f"The page is at {address} (Ctrl-C ends it)")
        if settings.code:
            echo(f"Join code: {settings.code}")
            say("Visitors can start searches on this machine. The connection is not encrypted: share it in networks "
                "that you trust.")  # fmt: skip
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    run(settings, listening, on_start=tell)


def _shown(host: str) -> str:
    """The host as browsers on this machine write it."""
    if host in ("0.0.0.0", "::"):
        import socket

        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)
