"""``joute replay``: show a game of a file in the terminal, position by position."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import JsonOption, PictureForceOption, console, echo, print_json, shortened, table, width_of
from joute.cli.game_files import Damage, GameFileArgument, SkipDamagedOption
from joute.cli.replay_json import game_data
from joute.numbers import duration, noun, value_text

if TYPE_CHECKING:
    from rich.table import Table

    from joute.arena.store.game_file import FiledGame
    from joute.games import State
    from joute.match import GameRecord, MoveRecord

_HELP = """\
  Enter    the next position
  b        back
  12       the position at ply 12
  s, e     the start, the end
  n, p     the next, the previous game
  l        list the games
  q        quit
  help     this list"""
_HELP_CHOOSING = """\
  12       game 12
  l        list the games
  q        quit
  help     this list"""

# Clears the screen and moves the cursor to the upper left corner.
_CLEAR = "\x1b[2J\x1b[H"
# Head, foot and prompt around a list that fits the screen.
_LINES_AROUND_LIST = 5
# Columns that a narrow list of games drops, in this order, before it cuts names to fewer characters than this.
_DISPENSABLE = ("by", "moves")
_SHORT_NAME = 12
_SCORES = {1: "1-0", 0: "½-½", -1: "0-1"}


def replay(
    file: GameFileArgument,
    *,
    game: Annotated[int | None, typer.Option(help="The number of the game.", metavar="N", min=1)] = None,
    ply: Annotated[
        int | None,
        typer.Option(
            help="Show only the position at this ply: moves since the game's start position, the opening included.",
            metavar="N",
            min=0,
        ),
    ] = None,
    delay: Annotated[
        float | None, typer.Option(help="Show the game as a film, with this many seconds per position.", min=0)
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(help="Draw the position of --ply, or the last one, to this file.", metavar="FILE")
    ] = None,
    force: PictureForceOption = False,
    skip_damaged: SkipDamagedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show a game of a tournament's file, or of a text of games, in the terminal.

    Without --game, the games of a file with several are listed.

    If the input is not a terminal, every position is printed. --json prints all games, or that of --game.
    """
    from joute.arena.store.game_file import read_game_file
    from joute.errors import JouteError, SpecError

    if as_json and not (ply is None and delay is None and svg is None):
        raise SpecError("--json prints whole games: leave out --ply, --delay and --svg")
    damage = Damage(skip=skip_damaged)
    is_interactive = sys.stdin.isatty() and ply is None and delay is None and svg is None and not as_json
    numbers = [game] if game is not None and not is_interactive else []
    games = list(damage.whole(read_game_file(file, numbers)))
    if not games:
        damage.tell()
        raise JouteError(f"there is no game in {file}")
    index = _index(games, game, file)
    if as_json:
        print_json([game_data(each) for each in games])
    elif is_interactive:
        _Viewer(games, index).run()
    elif index is None:
        _print_list(games)
        if ply is not None or delay is not None or svg is not None:
            raise JouteError(f"{file} has {len(games)} games; choose one with --game")
    else:
        shown = _Shown(games[index])
        if ply is not None or svg is not None:
            _show_one(shown, shown.last if ply is None else ply, svg, force=force)
        else:
            _show_all(shown, delay)
    damage.end()


def _index(games: Sequence[FiledGame], number: int | None, file: Path) -> int | None:
    """The index of the requested game; None if no number is given and there are several games."""
    from joute.errors import SpecError

    if number is None:
        return 0 if len(games) == 1 else None
    for index, game in enumerate(games):
        if game.number == number:
            return index
    raise SpecError(f"there is no game {number} in {file}; it has games {games[0].number} to {games[-1].number}")


def _print_list(games: Sequence[FiledGame]) -> None:
    """Print the games of a file, one per line; a narrow terminal gets fewer columns and shorter names."""
    out = console()
    records = [game.record for game in games]
    columns = {
        "game": [str(game.number) for game in games],
        "first": [""],
        "second": [""],
        "result": [_SCORES[record.result.outcome] for record in records],
        "moves": [str(len(record.moves)) for record in records],
        "by": [_why(record) for record in records],
    }
    names = list(dict.fromkeys(name for record in records for name in record.players))
    for column in ("", *_DISPENSABLE):
        columns.pop(column, None)
        room = (out.width - width_of(out, _listing(columns)) + len("first" + "second")) // 2
        if room >= min(_SHORT_NAME, max(map(len, names))):
            break
    short = dict(zip(names, shortened(names, max(len("second"), room)), strict=True))
    for side, column in enumerate(("first", "second")):
        columns[column] = [short[record.players[side]] for record in records]
    out.print(_listing(columns))


def _listing(columns: Mapping[str, Sequence[str]]) -> Table:
    listing = table(*columns, numbers=("game", "moves"))
    for column in listing.columns:
        column.no_wrap = True
    for cells in zip_longest(*columns.values(), fillvalue=""):
        listing.add_row(*cells)
    return listing


def _why(record: GameRecord) -> str:
    from joute._core import one_line
    from joute.match import Reason

    return one_line(record.result.decided_by if record.reason is Reason.NORMAL else record.reason.value)


@dataclass(frozen=True)
class _Shown:
    """A game with the texts of its positions."""

    game: FiledGame

    @cached_property
    def states(self) -> list[State]:
        return list(self.game.record.states())

    @property
    def first(self) -> int:
        """The ply of its first position; more than 0 after an opening."""
        return self.states[0].ply

    @property
    def last(self) -> int:
        """The ply of its last position."""
        return self.first + len(self.game.record.moves)

    @property
    def plies(self) -> str:
        """The range of plies, in words."""
        return f"game {self.game.number} goes from ply {self.first} to {self.last}"

    @property
    def title(self) -> str:
        from joute._core import one_line

        first, second = map(one_line, self.game.record.players)
        return f"game {self.game.number}, {self.states[0].title}: {first} – {second}"

    def at(self, ply: int) -> tuple[State, MoveRecord | None]:
        """The position at a ply, and the move that led there."""
        index = ply - self.first
        return self.states[index], self.game.record.moves[index - 1] if index else None

    def text(self, ply: int) -> str:
        """The text for a ply: the last move, the board and, at the last ply, the result."""
        lines = [f"ply {ply} of {self.last}: {self._move(ply)}", str(self.at(ply)[0])]
        return "\n".join([*lines, *(self._end() if ply == self.last else [])])

    def _move(self, ply: int) -> str:
        from joute._core import one_line

        record = self.game.record
        state, played = self.at(ply)
        if played is None:
            return f"the start{_chance(record.start_outcomes)}"
        who = f"{one_line(record.players[played.player])}, {state.players[played.player]},"
        told = f"\n  {told}" if (told := _told(played)) else ""
        did = "lost the turn" if self.is_lost_turn(ply) else f"played {one_line(played.move)}"
        return f"{who} {did}{_chance(played.outcomes)}{told}"

    def is_lost_turn(self, ply: int) -> bool:
        """Whether a lost turn led to the position at a ply."""
        from joute.match.record import is_lost_turn

        played = self.at(ply)[1]
        return played is not None and is_lost_turn(self.at(ply - 1)[0], played.move)

    def _end(self) -> list[str]:
        from joute._core import one_line
        from joute.match.crash import crash_lines

        record = self.game.record
        winner = record.winner
        who = "a draw" if winner is None else f"{one_line(record.players[winner])} wins"
        lines = [f"{_SCORES[record.result.outcome]}: {who}, by {_why(record)}"]
        return [*lines, *([one_line(record.detail)] if record.detail else []), *crash_lines(record)]


def _chance(outcomes: Sequence[int]) -> str:
    return f" <{','.join(map(str, outcomes))}>" if outcomes else ""


def _told(played: MoveRecord) -> str:
    """Time and search info of a move, in words."""
    from joute._core import one_line

    info = played.info
    words = [duration(played.time_s)] if played.time_s else []
    if info is not None:
        words += [f"value {value_text(info.value_for_mover)}"] if info.value_for_mover is not None else []
        words += [f"depth {info.depth}"] if info.depth is not None else []
        words += [f"{info.nodes} {noun(info.nodes, 'node')}"] if info.nodes is not None else []
        words += [f"pv {one_line(' '.join(map(str, info.pv)))}"] if info.pv else []
    return ", ".join(words)


def _show_one(shown: _Shown, ply: int, svg: Path | None, *, force: bool) -> None:
    from joute.errors import SpecError
    from joute.files import write_picture

    if not shown.first <= ply <= shown.last:
        raise SpecError(f"{shown.plies}, so there is no position at ply {ply}")
    if svg:
        state, played = shown.at(ply)
        last_move = played.move if played and not shown.is_lost_turn(ply) else None
        write_picture(svg, state.svg(last_move), force=force)
    echo(f"{shown.title}\n{shown.text(ply)}")
    if svg:
        echo(f"picture: {svg}")


def _show_all(shown: _Shown, delay: float | None) -> None:
    """Print every position; with a delay, on a terminal, each replaces the one before."""
    echo(shown.title)
    for ply in range(shown.first, shown.last + 1):
        if delay is not None and sys.stdout.isatty():
            echo(f"{_CLEAR}{shown.title}")
        echo(f"\n{shown.text(ply)}")
        if delay is not None and ply < shown.last:
            time.sleep(delay)


def _typed_lines() -> Iterator[str]:
    """The lines that a person types, stripped.

    Lines typed while the shell still owned the terminal end with \\r, which input() would not accept as a line end.
    """
    rest = ""
    while typed := os.read(sys.stdin.fileno(), 4096).decode(errors="backslashreplace"):
        *lines, rest = re.split(r"[\r\n]", rest + typed)
        yield from map(str.strip, lines)


class _Viewer:
    """Interactive viewer: shows games one position at a time."""

    def __init__(self, games: Sequence[FiledGame], index: int | None) -> None:
        self._games = games
        self._shown = [_Shown(game) for game in games]
        self._index = index or 0
        self._ply = 0
        #: Whether a game is open to go back to, and whether the viewer asks for a game.
        self._is_open = index is not None
        self._is_choosing = index is None

    def run(self) -> None:
        """Read and execute commands until the user quits."""
        lines = _typed_lines()
        if self._is_open:
            self._open(self._index)
        elif len(self._games) <= console().height - _LINES_AROUND_LIST:
            _print_list(self._games)
        else:
            echo(f"{self._numbers}; l lists them")
        while True:
            echo(self._prompt(), nl=False)
            words = next(lines, None)
            if words is None:
                echo()
            if words in (None, "q", "quit"):
                return
            self._act(words)

    def _prompt(self) -> str:
        if self._is_choosing:
            return f"which game? ({'Enter back, ' if self._is_open else ''}q quits) "
        return "Enter next, b back, q quit, help: "

    @property
    def _current(self) -> _Shown:
        return self._shown[self._index]

    @property
    def _numbers(self) -> str:
        first, last = self._games[0].number, self._games[-1].number
        return f"games {first} to {last}" if len(self._games) > 1 else f"game {first}"

    @property
    def _help(self) -> str:
        if not self._is_choosing:
            return _HELP
        back = f"  Enter    back to game {self._games[self._index].number}\n" if self._is_open else ""
        return f"{back}{_HELP_CHOOSING}"

    def _act(self, words: str) -> None:
        match words:
            case "help" | "h" | "?":
                echo(self._help)
            case "l" | "list":
                _print_list(self._games)
                self._is_choosing = len(self._games) > 1
            case _ if self._is_choosing:
                self._choose(words)
            case "":
                self._go(self._ply + 1, "that was the last position; n for the next game, q to quit")
            case "b":
                self._go(self._ply - 1, "this is the start")
            case "s":
                self._go(self._current.first)
            case "e":
                self._go(self._current.last)
            case "n":
                self._open(self._index + 1)
            case "p":
                self._open(self._index - 1)
            case _ if words.isdecimal():
                self._go(int(words), self._current.plies)
            case _:
                echo(f"'{words}' is none of:\n{self._help}")

    def _choose(self, words: str) -> None:
        numbers = {str(game.number): index for index, game in enumerate(self._games)}
        if words in numbers:
            self._open(numbers[words])
        elif not words and self._is_open:
            self._is_choosing = False
            self._go(self._ply)
        elif not words:
            echo(f"type the number of a game; there are {self._numbers}")
        elif words.isdecimal():
            echo(f"there is no game {words}; there are {self._numbers}")
        else:
            echo(f"'{words}' is none of:\n{self._help}")

    def _open(self, index: int) -> None:
        if not 0 <= index < len(self._games):
            echo("there is no other game")
            return
        self._index = index
        self._is_open, self._is_choosing = True, False
        echo(f"\n{self._current.title}")
        self._go(self._current.first)

    def _go(self, ply: int, otherwise: str = "") -> None:
        if not self._current.first <= ply <= self._current.last:
            echo(otherwise)
            return
        self._ply = ply
        echo(f"\n{self._current.text(ply)}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(replay)
