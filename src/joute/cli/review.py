"""``joute review``: judge every move of a finished game."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import (
    JsonOption,
    command_line,
    console,
    echo,
    interrupted_by_sigterm,
    print_json,
    progress_bar,
)
from joute.cli.completion import complete_agent
from joute.cli.game_files import GameFileArgument
from joute.numbers import count_of

if TYPE_CHECKING:
    from joute.arena.store.game_file import FiledGame
    from joute.match.record import GameRecord
    from joute.reviews.review import Review

# Colours of the rows of moves on a terminal.
_STYLES = {"inaccuracy": "cyan", "mistake": "yellow", "missed win": "magenta", "blunder": "red"}


def review(
    file: GameFileArgument,
    *,
    game: Annotated[int | None, typer.Option(help="The number of the game in the file.", metavar="N", min=1)] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            help="The agent that judges. (default: the exact solver, else the game's engine, else mcts)",
            metavar="SPEC",
            autocompletion=complete_agent,
        ),
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(help="Nodes of each search. (default: 50,000)", metavar="N", min=1)
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Seconds of each search, instead of nodes.", metavar="S", min=0.001)
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Searches at once; the review is the same. (default: all cores)", min=1)
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Also write a page with board and graph to this file.", metavar="FILE")
    ] = None,
    annotate: Annotated[
        Path | None,
        typer.Option(help="Also write the game as text with the judgements as comments.", metavar="FILE"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files of another kind.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Judge every move of a game by its loss of win probability, and tell what decided the game.

    The file is a tournament's file, or a text of games; --game chooses one of several. After Ctrl-C, the moves that
    are judged are shown.
    """
    from joute.errors import SpecError
    from joute.reviews.review import Reviewer

    if nodes is not None and seconds is not None:
        raise SpecError("--nodes and --seconds both limit a search; give one of them")
    chosen = _chosen(file, game)
    _check_files(html, annotate, force=force)
    reviewer = Reviewer(chosen.record, agent, nodes=nodes, seconds=seconds, jobs=jobs)
    try:
        with interrupted_by_sigterm(), progress_bar("reviewing", reviewer.total) as advance:
            reviewer.run(lambda done: advance(done, "reviewing"))
    except KeyboardInterrupt:
        done = f"{reviewer.judged} of {count_of(len(chosen.record.moves), 'move')}"
        if reviewer.judged:
            _tell(reviewer.review, chosen, html, annotate, as_json=as_json)
        whole = command_line("review", file, *(("--game", game) if game else ()))
        echo(f"stopped after {done}; the whole review: {whole}", err=True)
        raise
    _tell(reviewer.review, chosen, html, annotate, as_json=as_json)


def show_review(record: GameRecord) -> None:
    """Review a game that was just played, and print the review; after Ctrl-C, that of the moves that are judged."""
    from joute.reviews.review import Reviewer

    reviewer = Reviewer(record)
    try:
        with progress_bar("reviewing", reviewer.total) as advance:
            reviewer.run(lambda done: advance(done, "reviewing"))
    except KeyboardInterrupt:
        if reviewer.judged:
            _print(reviewer.review)
        raise
    _print(reviewer.review)


def _chosen(file: Path, number: int | None) -> FiledGame:
    """The game of that number, or the only one."""
    from joute.arena.store.game_file import DamagedGame, read_game_file
    from joute.errors import JouteError

    games = list(read_game_file(file, [number] if number else []))
    if not games:
        raise JouteError(f"there is no game in {file}")
    if len(games) > 1:
        raise JouteError(f"{file} has {len(games)} games; choose one with --game ('joute replay {file}' lists them)")
    (game,) = games
    if isinstance(game, DamagedGame):
        raise game.error
    return game


def _check_files(html: Path | None, annotate: Path | None, *, force: bool) -> None:
    """JouteError if an output file cannot be written, before the review takes its time."""
    from joute.errors import JouteError
    from joute.files import check_may_be_replaced
    from joute.pages.page_parts import MARK
    from joute.reviews.annotations import ANNOTATED

    for path in filter(None, (html, annotate)):
        if not path.parent.is_dir():
            raise JouteError(f"{path} cannot be written: there is no folder {path.parent}")
    if not force:
        if html:
            check_may_be_replaced(html, (MARK,), "a page of Joute")
        if annotate:
            check_may_be_replaced(annotate, (ANNOTATED,), "an annotated game")


def _tell(review: Review, game: FiledGame, html: Path | None, annotate: Path | None, *, as_json: bool) -> None:
    from joute.files import whole_file
    from joute.reviews.annotations import annotated_text
    from joute.reviews.data import review_data
    from joute.reviews.page import review_page

    if as_json:
        print_json(review_data(review, number=game.number))
    else:
        _print(review)
    for path, text in ((html, review_page), (annotate, annotated_text)):
        if path:
            with whole_file(path) as out:
                out.write(text(review))
            if not as_json:
                echo(f"{'page' if path is html else 'annotated game'}: {path}")


def _print(review: Review) -> None:
    from rich.text import Text

    from joute.reviews.text import review_lines
    from joute.version import __version__

    out = console()
    width = out.width if sys.stdout.isatty() else 100
    for line, kind in review_lines(review, width):
        out.print(
            Text(line, style=_STYLES.get(kind.value, "") if kind else ""), no_wrap=True, overflow="ignore", crop=False
        )
    echo(f"joute {__version__}; judged by {review.agent}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(review)
