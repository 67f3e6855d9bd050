"""``joute replay``: a game of a file, position by position, in the terminal."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import console, shortened, table
from joute.cli.game_files import Damage, GameFileArgument, SkipDamagedOption
from joute.numbers import duration

if TYPE_CHECKING:
    from joute.arena.game_file import FiledGame
    from joute.games import State
    from joute.match import GameRecord, MoveRecord

_HELP = """\
  Enter    the next position
  b        back
  12       the position after 12 moves
  s, e     the start, the end
  n, p     the next, the previous game
  l        list the games
  q        quit
  help     this list"""

# What makes a terminal forget its screen and go to the upper left corner.
_CLEAR = "\x1b[2J\x1b[H"
# Head, foot and question of a list that is to be seen at once.
_LINES_AROUND_LIST = 5
_SCORES = {1: "1-0", 0: "½-½", -1: "0-1"}


def replay(
    file: GameFileArgument,
    *,
    game: Annotated[int | None, typer.Option(help="The number of the game.", metavar="N", min=0)] = None,
    ply: Annotated[
        int | None, typer.Option(help="Show only the position after so many moves.", metavar="N", min=0)
    ] = None,
    delay: Annotated[
        float | None, typer.Option(help="Show the game as a film: a position every so many seconds.", min=0)
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(help="Draw the position, the last unless --ply says, to this file.", metavar="FILE")
    ] = None,
    skip_damaged: SkipDamagedOption = False,
) -> None:
    """Show a game of a tournament's file, or of a text of games, in the terminal.

    Without --game, a file with several games is listed.

    Where input does not come from a terminal, every position is printed.
    """
    from joute.arena.game_file import read_game_file
    from joute.errors import JouteError

    damage = Damage(skip=skip_damaged)
    is_interactive = sys.stdin.isatty() and ply is None and delay is None and svg is None
    numbers = [game] if game is not None and not is_interactive else []
    games = list(damage.whole(read_game_file(file, numbers)))
    if not games:
        damage.tell()
        raise JouteError(f"there is no game in {file}")
    index = _index(games, game, file)
    if is_interactive:
        _Viewer(games, index).run()
    elif index is None:
        _print_list(games)
        if ply is not None or delay is not None or svg is not None:
            raise JouteError(f"{file} has {len(games)} games; choose one with --game")
    else:
        shown = _Shown(games[index])
        if ply is not None or svg is not None:
            _show_one(shown, shown.last if ply is None else ply, svg)
        else:
            _show_all(shown, delay)
    damage.end()


def _index(games: Sequence[FiledGame], number: int | None, file: Path) -> int | None:
    """Where the game that is asked for stands; None if there are several to choose from."""
    from joute.errors import SpecError

    if number is None:
        return 0 if len(games) == 1 else None
    for index, game in enumerate(games):
        if game.number == number:
            return index
    raise SpecError(f"there is no game {number} in {file}; it has games {games[0].number} to {games[-1].number}")


def _print_list(games: Sequence[FiledGame]) -> None:
    """The games of a file, a line each."""
    out = console()
    room = max(8, (out.width - 44) // 2)
    firsts, seconds = (shortened([game.record.players[side] for game in games], room) for side in (0, 1))
    listing = table("game", "first", "second", "result", "plies", "by", numbers=("game", "plies"))
    for column in listing.columns:
        column.no_wrap = True
    for game, first, second in zip(games, firsts, seconds, strict=True):
        record = game.record
        listing.add_row(
            str(game.number), first, second, _SCORES[record.result.outcome], str(len(record.moves)), _why(record)
        )
    out.print(listing)


def _why(record: GameRecord) -> str:
    from joute._core import one_line
    from joute.match import Reason

    return one_line(record.result.decided_by if record.reason is Reason.NORMAL else record.reason.value)


@dataclass(frozen=True)
class _Shown:
    """A game, and how its positions look."""

    game: FiledGame

    @cached_property
    def states(self) -> list[State]:
        return list(self.game.record.states())

    @property
    def last(self) -> int:
        return len(self.game.record.moves)

    @property
    def title(self) -> str:
        from joute._core import one_line

        first, second = map(one_line, self.game.record.players)
        return f"game {self.game.number}, {self.states[0].title}: {first} – {second}"

    def text(self, ply: int) -> str:
        """The position after so many moves: how it came about, the board, and at the end the result."""
        lines = [self._move(ply), str(self.states[ply])]
        return "\n".join([*lines, *(self._end() if ply == self.last else [])])

    def _move(self, ply: int) -> str:
        from joute._core import one_line

        record = self.game.record
        if ply == 0:
            return f"start{_chance(record.start_outcomes)}"
        played = record.moves[ply - 1]
        who = f"{one_line(record.players[played.player])}, {self.states[0].players[played.player]},"
        told = f"\n  {told}" if (told := _told(played)) else ""
        return f"{ply} of {self.last}: {who} plays {one_line(played.move)}{_chance(played.outcomes)}{told}"

    def _end(self) -> list[str]:
        from joute._core import one_line

        record = self.game.record
        winner = record.winner
        who = "a draw" if winner is None else f"{one_line(record.players[winner])} wins"
        lines = [f"{_SCORES[record.result.outcome]}: {who}, by {_why(record)}"]
        return [*lines, one_line(record.detail)] if record.detail else lines


def _chance(outcomes: Sequence[int]) -> str:
    return f" <{','.join(map(str, outcomes))}>" if outcomes else ""


def _told(played: MoveRecord) -> str:
    """What is known of a choice, in words."""
    from joute._core import one_line

    info = played.info
    words = [duration(played.time_s)] if played.time_s else []
    if info is not None:
        words += [f"value {info.value_for_mover:.4g}"] if info.value_for_mover is not None else []
        words += [f"depth {info.depth}"] if info.depth is not None else []
        words += [f"{info.nodes} nodes"] if info.nodes is not None else []
        words += [f"pv {one_line(' '.join(map(str, info.pv)))}"] if info.pv else []
    return ", ".join(words)


def _show_one(shown: _Shown, ply: int, svg: Path | None) -> None:
    from joute.errors import SpecError

    if ply > shown.last:
        raise SpecError(f"game {shown.game.number} has {shown.last} moves, so there is no position after {ply}")
    if svg:
        last_move = shown.game.record.moves[ply - 1].move if ply else None
        svg.write_text(shown.states[ply].svg(last_move), encoding="utf-8")
    typer.echo(f"{shown.title}\n{shown.text(ply)}")
    if svg:
        typer.echo(f"picture: {svg}")


def _show_all(shown: _Shown, delay: float | None) -> None:
    """Every position; as a film, if there is a delay, each in the place of the one before."""
    typer.echo(shown.title)
    for ply in range(shown.last + 1):
        if delay is not None and sys.stdout.isatty():
            typer.echo(f"{_CLEAR}{shown.title}")
        typer.echo(f"\n{shown.text(ply)}")
        if delay is not None and ply < shown.last:
            time.sleep(delay)


class _Viewer:
    """A person looks at games, one position at a time."""

    def __init__(self, games: Sequence[FiledGame], index: int | None) -> None:
        self._games = games
        self._shown = [_Shown(game) for game in games]
        self._index = index
        self._ply = 0

    def run(self) -> None:
        """Until they have seen enough."""
        if isinstance(sys.stdin, io.TextIOWrapper):  # stray bytes are a wrong word like any other
            sys.stdin.reconfigure(errors="backslashreplace")
        if self._index is not None:
            self._open(self._index)
        elif len(self._games) <= console().height - _LINES_AROUND_LIST:
            _print_list(self._games)
        else:
            typer.echo(f"games {self._games[0].number} to {self._games[-1].number}; l lists them")
        while True:
            try:
                words = input(self._prompt()).strip()
            except EOFError:
                typer.echo()
                return
            if words in ("q", "quit"):
                return
            self._act(words)

    def _prompt(self) -> str:
        if self._index is None:
            return "which game? (q quits) "
        return "Enter next, b back, q quit, help: "

    def _act(self, words: str) -> None:
        match words:
            case "help" | "h" | "?":
                typer.echo(_HELP)
            case "l" | "list":
                _print_list(self._games)
                self._index = self._index if len(self._games) == 1 else None
            case _ if self._index is None:
                self._choose(words)
            case "":
                self._go(self._ply + 1, "that was the last position; n for the next game, q to quit")
            case "b":
                self._go(self._ply - 1, "this is the start")
            case "s":
                self._go(0)
            case "e":
                self._go(self._last)
            case "n":
                self._open(self._index + 1)
            case "p":
                self._open(self._index - 1)
            case _ if words.isdecimal():
                self._go(int(words), f"the game has {self._last} moves")
            case _:
                typer.echo(f"'{words}' is none of:\n{_HELP}")

    @property
    def _last(self) -> int:
        return self._shown[self._index or 0].last

    def _choose(self, words: str) -> None:
        numbers = {str(game.number): index for index, game in enumerate(self._games)}
        if words in numbers:
            self._open(numbers[words])
        else:
            typer.echo("type the number of a game in the list")

    def _open(self, index: int) -> None:
        if not 0 <= index < len(self._games):
            typer.echo("there is no other game")
            return
        self._index = index
        typer.echo(f"\n{self._shown[index].title}")
        self._go(0)

    def _go(self, ply: int, otherwise: str = "") -> None:
        if not 0 <= ply <= self._last:
            typer.echo(otherwise)
            return
        self._ply = ply
        typer.echo(f"\n{self._shown[self._index or 0].text(ply)}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(replay)
