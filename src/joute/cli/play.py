"""``joute play``: play against an agent or a level in the terminal."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import (
    GameOrSavedGameArgument,
    PositionOption,
    echo,
    interrupted_by_sigterm,
    say,
    tell_failure,
)
from joute.cli.completion import complete_agent

if TYPE_CHECKING:
    from joute.cli.play_files import SavedGame
    from joute.cli.play_table import Table
    from joute.games import State
    from joute.match import GameRecord
    from joute.match.game import GameInProgress
    from joute.match.player import Player

# The agent of levels, and the opponent without levels.
_LEVEL, _OPPONENT = "level", "greedy"
_THEMES = ("auto", "light", "dark")
# The least time of an answer on a terminal: people lose track of answers that come at once.
_PAUSE_S = 0.7
_NO_CLOCK = "none"


def play(
    game: GameOrSavedGameArgument = None,
    *,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the last game that you left, of GAME or in a file.")
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            help="The agent to play against. (default: a level, where there are levels, else greedy)",
            metavar="SPEC",
            autocompletion=complete_agent,
        ),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(help="Play against this level: 1 is the easiest, auto follows your results.", metavar="N"),
    ] = None,
    second: Annotated[bool, typer.Option("--second", help="Let the opponent move first.")] = False,
    hints: Annotated[
        str | None,
        typer.Option(
            help="The agent that gives hints. (default: the exact solver, else the game's engine, else mcts)",
            metavar="SPEC",
            autocompletion=complete_agent,
        ),
    ] = None,
    clock: Annotated[
        str,
        typer.Option(
            help="The time of each player: seconds per game (300), plus an increment per move (60+0.5), or seconds "
            "per move (10/move). (default: no limit)",
            metavar="T",
        ),
    ] = _NO_CLOCK,
    seed: Annotated[
        int | None,
        typer.Option(
            help="The seed of all random numbers; the same seed and moves give the same game. (default: a new one on "
            "a terminal, else 0)",
            min=0,
            max=2**64 - 1,
        ),
    ] = None,
    position: PositionOption = None,
    pause: Annotated[
        float,
        typer.Option(help="On a terminal, the least seconds of the opponent's answer; 0 for none.", min=0, max=60),
    ] = _PAUSE_S,
    save: Annotated[
        Path | None, typer.Option(help="Save the game in this folder instead of your own.", metavar="FOLDER")
    ] = None,
    no_save: Annotated[bool, typer.Option("--no-save", help="Do not save the game.")] = False,
    theme: Annotated[
        str, typer.Option(help="The colours of words: for a light or a dark terminal, or auto.", metavar="NAME")
    ] = "auto",
) -> None:
    """Play a game in the terminal, with hints, undo and resign; without GAME, choose one from a list.

    The game is saved, and can be reviewed afterwards.
    """
    from joute.cli.play_files import SavedGame, games_folder
    from joute.cli.play_resume import left_game
    from joute.cli.terminal import can_redraw
    from joute.errors import SpecError
    from joute.games import new
    from joute.match.clock import controls_of
    from joute.match.game import GameInProgress

    if against is not None and level is not None:
        raise SpecError("--against and --level both name an opponent; give one of them")
    if theme not in _THEMES:
        raise SpecError(f"there is no theme '{theme}'; there are: {', '.join(_THEMES)}")
    if save is not None and no_save:
        raise SpecError("--save and --no-save contradict each other")
    if isinstance(sys.stdin, io.TextIOWrapper):  # invalid bytes count as an illegal move
        sys.stdin.reconfigure(errors="backslashreplace")
    is_live = can_redraw(sys.stdin, sys.stdout, os.environ)
    folder = save or games_folder()
    if resume:
        if against or level or second or position or seed is not None or clock != _NO_CLOCK:
            raise SpecError("--resume takes opponent, side, clock and seed from the saved game; leave them out")
        left = left_game(game, folder)
        begun, human, against = left.game(), left.human, left.opponent
    else:
        left, human = None, 1 if second else 0
        state = new(game if game is not None else _chosen_game(), position)
        if level is not None:
            against = _level_spec(level, state)
        elif against is None:
            against = _chosen_level(state) if is_live and _has_levels(state) else _OPPONENT
        seed = seed if seed is not None else _new_seed() if is_live else 0
        controls = controls_of(clock)
        begun = GameInProgress(state, seed=seed, chance_seed=seed, draws_at_once=False, controls=controls)
    with interrupted_by_sigterm():
        table, players = _table(
            begun,
            against,
            hints,
            human=human,
            pause_s=pause if is_live else 0.0,
            saved=None if no_save else partial(SavedGame, folder, path=left.file if left else None),
            theme=theme,
            is_live=is_live,
        )
        try:
            is_over = table.run()
        finally:
            table.screen.close()
            for player in players:
                player.end()
        if is_over and table.game.moves:
            _adapt_level(table, against)
            if is_live:
                _offer_review(table)


def _new_seed() -> int:
    """A seed by chance, so that an opponent does not repeat its last game; the record keeps it."""
    import secrets

    return secrets.randbelow(10**6)


# --- What to play ---


def _chosen_game() -> str:
    """The game that the player chooses from a list, by its number or its name."""
    from joute.errors import JouteError
    from joute.games.registry import all_games, new

    games = all_games()[0]
    for number, game in enumerate(games, start=1):
        echo(f"{number:>3}  {game.title} ({game.game})")
    while True:
        answer = _answer("Which game? ")
        if not answer:
            continue
        name = games[int(answer) - 1].game if _is_number_of(answer, len(games)) else answer
        try:
            new(name)
        except JouteError as error:
            say(str(error))
        else:
            return name


def _is_number_of(text: str, count: int) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= count


def _answer(question: str) -> str:
    """A line that the player types; SpecError at the end of the input."""
    from joute.errors import SpecError

    try:
        return input(question).strip()
    except EOFError:
        raise SpecError("the input ended before a game was chosen; 'joute play GAME' names one") from None


def _has_levels(state: State) -> bool:
    """Whether there are levels of the game."""
    from joute.agents import agent_types

    return any(known.name == _LEVEL for known in agent_types(state.game))


def _level_spec(text: str, state: State) -> str:
    """The spec of a level; SpecError if the game has no such level."""
    from joute.agents.loading import find_source
    from joute.errors import SpecError

    if not _has_levels(state):
        raise SpecError(f"there are no levels of {state.game}; choose an opponent with --against")
    spec = f"{_LEVEL}:{text}"
    find_source(spec, state.spec)
    return spec


def _chosen_level(state: State) -> str:
    """The level that the player chooses."""
    from joute.errors import JouteError

    while True:
        answer = _answer("Which level? 1 is the easiest; Enter for one that follows your results: ") or "auto"
        try:
            return _level_spec(answer, state)
        except JouteError as error:
            say(str(error))


# --- The table ---


def _table(
    game: GameInProgress[State],
    against: str,
    hints: str | None,
    *,
    human: int,
    pause_s: float,
    saved: Callable[[tuple[str, str]], SavedGame] | None,
    theme: str,
    is_live: bool,
) -> tuple[Table, list[Player]]:
    """The table of a game, and its players that must be ended."""
    from joute.agents.loading import find_source
    from joute.arena.players.isolation import Isolation
    from joute.arena.players.players import make_player
    from joute.cli.play_files import PLAYER
    from joute.cli.play_screen import make_screen
    from joute.cli.play_table import Table
    from joute.cli.terminal import find_look
    from joute.reviews.hint import default_adviser

    state = game.start
    hints = hints or default_adviser(state.game)
    opponent = make_player(find_source(against, state.spec), against, state.spec, Isolation())
    adviser = _adviser(hints, state)
    players = [opponent] if adviser is None else [opponent, adviser]
    try:
        _seat(opponent, state, 1 - human, game.seed)
        if adviser is not None:
            _seat(adviser, state, human, game.seed)
    except BaseException:
        for player in players:
            player.end()
        raise
    names = (PLAYER, opponent.name) if human == 0 else (opponent.name, PLAYER)
    table = Table(
        game,
        human,
        opponent,
        hints,
        adviser,
        make_screen(is_live=is_live, theme=theme),
        lambda: find_look(sys.stdout, os.environ, theme=theme),
        saved(names) if saved is not None else None,
        pause_s=pause_s,
    )
    return table, players


def _adviser(hints: str, state: State) -> Player | None:
    """The player that gives hints; None if it is one of Joute's own agents that tells values, which `hint` uses."""
    from joute.agents.loading import find_source
    from joute.arena.players.isolation import Isolation
    from joute.arena.players.players import make_player
    from joute.reviews.hint import is_adviser

    source = find_source(hints, state.spec)
    if source.runs_in_worker and is_adviser(hints, state.spec):
        return None
    return make_player(source, hints, state.spec, Isolation())


def _seat(player: Player, state: State, side: int, seed: int) -> None:
    """Prepare a player; exits with its traceback if it fails."""
    from joute.match.player import MisconductError

    try:
        player.begin(state, side, seed)
    except MisconductError as misconduct:
        tell_failure(str(misconduct), player.end(), "the game did not begin")
        raise typer.Exit(1) from misconduct


# --- Afterwards ---


def _record(table: Table) -> GameRecord:
    from joute.cli.play_files import PLAYER, record_of

    names = (PLAYER, table.opponent.name)
    return record_of(table.game, names if table.human == 0 else names[::-1])


def _adapt_level(table: Table, against: str) -> None:
    """Tell ``level:auto`` the result, and the person the level of the next game."""
    from joute.agents.level_auto import tell_result

    winner = _record(table).winner
    points = 0.5 if winner is None else float(winner == table.human)
    if (level := tell_result(against, table.game.start.spec, points)) is not None:
        echo(f"Your next opponent is level {level}.")


def _offer_review(table: Table) -> None:
    """Ask whether to review the game, and do so."""
    from joute.cli.review import show_review

    try:
        wanted = input("Review the game now? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        echo()
        return
    if wanted:
        show_review(_record(table))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(play)
