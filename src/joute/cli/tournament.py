"""``joute tournament``: play tournaments of all kinds in worker processes, resumable after any interruption."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import (
    JsonOption,
    command_line,
    console,
    echo,
    interrupted_by_sigterm,
    option_words,
    print_json,
)
from joute.cli.completion import complete_entrant
from joute.cli.isolation import given, takes_isolation
from joute.cli.plan_options import PlanClockOption, PlanConcurrencyOption, PlanOpeningsOption, PlanSeedOption
from joute.cli.ray_option import RayOption, print_nodes, venue_at
from joute.cli.tournament_growth import Changes, grown_tournament
from joute.example import GAME
from joute.numbers import count_of, game_number
from joute.spec import Value

if TYPE_CHECKING:
    from joute.arena.plan import Plan
    from joute.arena.tournament import Tournament


@takes_isolation
def tournament(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME AGENT AGENT... | FILE.toml",
            help="A game and its agents, or a TOML file with both. An agent may be a pattern ('students/*.py') or a "
            "folder (students/), and have a clock of its own (greedy@30).",
            autocompletion=complete_entrant,
        ),
    ] = None,
    *,
    schedule: Annotated[
        str | None,
        typer.Option(
            help="round-robin, gauntlet, pairs, swiss, knockout or sprt, with its settings: swiss:rounds=7. "
            "(default: round-robin)",
            metavar="KIND",
        ),
    ] = None,
    games: Annotated[
        str | None,
        typer.Option(
            help="Games per pairing, or per match of a round; two share an opening. For sprt, the most games. "
            "+N adds games to the tournament of --db. (default: 2; sprt: 20000)",
            metavar="N",
        ),
    ] = None,
    seed: PlanSeedOption = None,
    db: Annotated[
        Path | None, typer.Option(help="The database of the games. (default: GAME-DATE-TIME.db, or FILE.db)")
    ] = None,
    clock: PlanClockOption = None,
    openings: PlanOpeningsOption = None,
    concurrency: PlanConcurrencyOption = None,
    margin_s: Annotated[
        float | None, typer.Option(help="How late a move may come, in seconds. (default: 0.1)", min=0)
    ] = None,
    max_plies: Annotated[int | None, typer.Option(help="Longest game, in plies. (default: 10000)", min=1)] = None,
    frozen: Annotated[
        bool | None,
        typer.Option(
            "--frozen/--no-frozen",
            help="Lock the entries: store copies of the agents' files in the database, and play with these copies.",
            show_default=False,
        ),
    ] = None,
    earlier: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="Take agents, clocks and settings from an earlier tournament; all games are played anew.",
            metavar="FILE.db",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Resume the tournament of --db; if it is finished, show its table."),
    ] = False,
    add: Annotated[
        list[str] | None,
        typer.Option(help="Let an agent join the tournament of --db; may be repeated.", metavar="AGENT"),
    ] = None,
    replace: Annotated[
        list[str] | None,
        typer.Option(help="Enter a new version of an agent of --db; may be repeated.", metavar="[NAME=]AGENT"),
    ] = None,
    withdraw: Annotated[
        list[str] | None,
        typer.Option(help="Withdraw an agent from the tournament of --db; may be repeated.", metavar="NAME"),
    ] = None,
    watch: Annotated[
        Path | None,
        typer.Option(
            help="Keep a ladder of the agents in a folder: new and changed files are checked and play what is missing, "
            "until Ctrl-C. Needs --db, and a game for a new ladder.",
            metavar="FOLDER",
        ),
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="With --watch: end when all games are played, for example in a cron job.")
    ] = False,
    ray: RayOption = None,
    isolation: dict[str, Value],
    as_json: JsonOption = False,
) -> None:
    """Play a tournament of any kind and print a table with intervals and a verdict.

    Finished games are kept in a file: --resume continues a tournament that was stopped or killed, and --add, --replace,
    --withdraw and --games +N change it.
    """
    count, more = _games(games)
    settings = given(
        schedule=schedule, games=count, seed=seed, clock=clock, openings=openings, concurrency=concurrency,
        margin_s=margin_s, max_plies=max_plies, frozen=frozen,
    )  # fmt: skip
    if not as_json:
        from joute.agents import CaveatWarning

        warnings.simplefilter("ignore", CaveatWarning)  # the notes, which the file keeps, say the same
    changes = Changes(tuple(add or ()), tuple(replace or ()), tuple(withdraw or ()), more)
    if watch:
        from joute.cli.tournament_watch import watch_folder

        _refuse("--watch", changes.words, earlier=earlier, resume=resume, as_json=as_json)
        # Ray replaces the handlers of signals, so it comes first.
        with venue_at(ray) as venue, interrupted_by_sigterm():
            watch_folder(watch, words or [], settings, isolation, db, venue, once=once, ray=ray)
        return
    with venue_at(ray) as venue, interrupted_by_sigterm():
        _refuse("a command without --watch", ["--once"] if once else [])
        if changes:
            _refuse(" ".join(changes.words), words or [], settings | isolation, earlier=earlier, resume=resume)
            made = grown_tournament(db, changes, concurrency or 0)
        else:
            made = _made(words or [], settings, isolation, db, earlier=earlier, resume=resume)
        with made:
            made.use(venue)
            _run(made, ray, as_json=as_json)


def _games(text: str | None) -> tuple[int | None, int]:
    """The number of games, and the number of additional games, in a text such as ``50`` or ``+50``."""
    if text is None:
        return None, 0
    number = text.removeprefix("+")
    if not (number.isascii() and number.isdecimal() and 0 < int(number) < 10**9):
        raise typer.BadParameter(f"'{text}' is not a number of games such as 50, or +50 for 50 more")
    return (None, int(number)) if text.startswith("+") else (int(number), 0)


def _refuse(owner: str, words: Sequence[str], settings: Iterable[str] = (), **switches: object) -> None:
    """SpecError if the user gave something that does not go together with `owner`."""
    from joute.errors import SpecError

    names = {"earlier": "from", "as_json": "json"}
    given_names = [*words, *(name for name in settings if name != "concurrency")]
    given_names += [names.get(name, name) for name, value in switches.items() if value]
    options = [word if word in words else f"--{word}".replace("_", "-") for word in given_names]
    if options:
        raise SpecError(f"{owner} does not take {' '.join(options)}; leave it out")


def _made(
    words: list[str],
    settings: dict[str, Any],
    isolation: dict[str, Any],
    db: Path | None,
    *,
    earlier: Path | None,
    resume: bool,
) -> Tournament:
    """The tournament that the command line asks for."""
    from joute.arena.plan_file import openings_text
    from joute.arena.tournament import Tournament
    from joute.errors import SpecError

    if resume:
        if db is None:
            raise SpecError("--resume needs the file of the tournament: joute tournament --resume --db FILE")
        told = [
            *words,
            *(["--from"] if earlier else []),
            *(f"--{name}".replace("_", "-") for name in (settings | isolation) if name != "concurrency"),
        ]
        if told:
            raise SpecError(f"--resume takes the rest from {db}; leave out {' '.join(told)}")
        return Tournament.resume(db, concurrency=settings.get("concurrency", 0))
    options = option_words(settings | isolation)
    if "openings" in settings:
        settings = settings | {"openings": openings_text(settings["openings"], Path.cwd())}
    if earlier:
        if words:
            raise SpecError(f"--from takes the agents from {earlier}; leave out {' '.join(words)}")
        command = command_line("tournament", "--from", earlier, *options)
        return Tournament.again(earlier, db, settings | isolation, command=command)
    if not words and db is not None and db.exists():
        raise SpecError(
            f"say what to do with {db}: --resume, --add, --replace, --withdraw, or --games +N for N more games"
        )
    if not words:
        raise SpecError("name a game and its agents: joute tournament GAME AGENT AGENT..., or a TOML file with both")
    plan, path = _plan(words, settings, isolation)
    return Tournament.create(plan, db or path, command=command_line("tournament", *words, *options))


def _plan(words: list[str], settings: dict[str, Any], isolation: dict[str, Any]) -> tuple[Plan, Path]:
    """The plan and its default database path. Options override the TOML file."""
    from joute.arena.plan import make_plan
    from joute.arena.plan_file import isolation_of, read_toml
    from joute.errors import SpecError

    if not words[0].endswith(".toml"):
        settings = settings | {"isolation": isolation_of(isolation, "tournament")}
        plan = make_plan(words[0], words[1:], **settings)
        game = plan.game.partition(":")[0]
        return plan, Path(f"{game}-{datetime.now():%Y%m%d-%H%M%S}.db")
    if len(words) > 1:
        raise SpecError(f"the agents are those of {words[0]}; leave out {' '.join(words[1:])}")
    return read_toml(Path(words[0]), settings | isolation)


def _run(made: Tournament, ray: str | None, *, as_json: bool) -> None:
    from joute.cli.tournament_live import Progress, of_all
    from joute.cli.tournament_table import as_data, command_again, print_table
    from joute.errors import JouteError

    resume = command_line("tournament", "--resume", "--db", made.store.path, *(("--ray", ray) if ray else ()))
    before = made.standings.games
    out = console()
    if not as_json:
        _print_head(made)
    started = time.monotonic()
    try:
        with Progress(out, made, quiet=as_json) as progress:
            made.play(lambda _: progress.update())
    except KeyboardInterrupt:
        if as_json:
            print_json(as_data(made))
        else:
            print_table(out, made)
            print_nodes(made.nodes)
        echo(f"stopped after {made.standings.games}{of_all(made)}, which are kept; to go on: {resume}", err=as_json)
        raise
    except JouteError as error:
        remedy = "free some space, then" if _is_full_disk(error) else "to go on"
        done = made.standings.games
        kept = f"stopped after {count_of(done, 'game')}, which {'is' if done == 1 else 'are'} kept; {remedy}: {resume}"
        raise JouteError(f"{error}; {kept}") from error
    if as_json:
        print_json(as_data(made))
        _end_if_incomplete(made, resume)
        return
    print_table(out, made)
    print_nodes(made.nodes)
    if new := made.standings.games - before:
        echo(f"{count_of(new, 'game')} in {time.monotonic() - started:.1f} s")
    echo(f"joute {', '.join(made.store.versions())}; seed {made.plan.seed}; games in {made.store.path}")
    if again := command_again(made):
        echo(f"to play it again: {again}")
    _end_if_incomplete(made, resume)


def _end_if_incomplete(made: Tournament, resume: str) -> None:
    """Print a message and exit with status 1 if games were not played: an agent's file changed, or they were given up.

    Games are given up if they are interrupted again and again.
    """
    from joute._core import one_line

    if not made.changed and not made.unplayed:
        return
    left = (made.schedule.most_games if made.length is None else made.length) - made.standings.games
    games = f"{'' if made.length is not None else 'up to '}{count_of(left, 'game')} {'was' if left == 1 else 'were'}"
    if made.changed:
        names = " and ".join(f"'{one_line(made.plan.entrants[index].name)}'" for index in sorted(made.changed))
        grows = ", or enter the new version with --replace" if made.schedule.can_grow else ""
        echo(
            f"joute: {games} not played because the file of {names} changed; restore it{grows}, then: {resume}",
            err=True,
        )
    if made.unplayed:
        first = min(made.unplayed, key=lambda unplayed: unplayed.game.number)
        echo(
            f"joute: {games} not played: {count_of(len(made.unplayed), 'game')} did not get to an end, "
            f"for example game {game_number(first.game.number)}: {one_line(first.why)}; to try again: {resume}",
            err=True,
        )
    raise typer.Exit(1)


def _is_full_disk(error: BaseException) -> bool:
    import sqlite3

    code = getattr(error.__cause__, "sqlite_errorcode", None) or 0
    return code & 0xFF == sqlite3.SQLITE_FULL


def _print_head(made: Tournament) -> None:
    from joute.cli.tournament_table import notes

    plan = made.plan
    done = f", {made.standings.games} of them played" if made.standings.games else ""
    if plan.steps and made.length is not None:
        done = f", {made.length - made.standings.games} of {made.length} games left"
    echo(f"{plan.game}: {len(plan.entrants)} agents, {made.schedule.description}{done}; kept in {made.store.path}")
    for note in notes(made):
        echo(f"note: {note}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog=f"Example: joute tournament {GAME} greedy mcts:iterations=500 my_agent.py --games 20 --clock 10+0.1"
    )(tournament)
