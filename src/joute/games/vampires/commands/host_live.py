"""Display hosted games: boards and results on a terminal, one line per event elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Self

from joute.cli.common import redrawn, say, shortened, table, width_of
from joute.numbers import count_of, game_number

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table as RichTable

    from joute.games.vampires.tcp.referee import HostedGame
    from joute.games.vampires.tcp.server import Server, Table
    from joute.match import GameRecord
    from joute.match.record import MoveRecord

# Lines besides games and boards: title and counts, the head of the list and its rule, notes on omitted games and
# boards, the cursor.
_OTHER_LINES = 7
_MOST_LISTED = 12

_NUMBERS = ("table", "ply", "units", "lost turns", "humans")
# The width to which the names above a board may extend it; the list has the full names.
_SHORT_HEAD = 20


class HostView:
    """The display of a server. On a terminal it is redrawn continuously; elsewhere it prints lines."""

    def __init__(self, out: Console, title: str) -> None:
        self._out = out
        self._title = title
        self._server: Server | None = None
        self._is_live = out.is_terminal
        self._live = redrawn(out, self.view)

    def watch(self, server: Server) -> Self:
        """Set the server whose games are shown."""
        self._server = server
        return self

    def __enter__(self) -> Self:
        if self._is_live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_live:
            self._live.stop()

    def began(self, table: Table) -> None:
        """Show that a game has two players; on a terminal, its board shows it."""
        if not self._is_live:
            self.told(f"table {table.number}: {_between(table)}")

    def ended(self, table: Table, record: GameRecord, number: int) -> None:
        """Show the result of a game; its number in the file differs, since games do not end in the order of tables."""
        self.told(f"table {table.number}, kept as game {game_number(number)}: {result_text(table, record)}")

    def told(self, sentence: str) -> None:
        """Print a line above the redrawn area."""
        with contextlib.suppress(OSError):  # a closed output must not stop the games
            if self._is_live:
                self._out.print(sentence)
            else:
                say(sentence)

    def view(self) -> RenderableType:
        """Return the current display, limited to the terminal's height."""
        from rich.console import Group
        from rich.text import Text

        # Another thread draws, so take a copy of the current games.
        tables = list(self._server.tables.values()) if self._server else []
        finished = self._server.finished if self._server else 0
        begun = [table for table in tables if table.game.has_begun and not table.is_kept]
        waiting = [table for table in tables if not table.game.has_begun and not table.game.is_empty]
        counts = f"{finished} over, {len(begun)} going on, {len(waiting)} waiting for a player"
        whole = f"{self._title}; {counts}"
        lines = [whole] if len(whole) <= self._out.width else [self._title, counts]
        parts: list[RenderableType] = [Text(line, no_wrap=True, overflow="ellipsis") for line in lines]
        room = self._out.height - _OTHER_LINES
        listed = begun[: max(0, min(_MOST_LISTED, room))]
        if listed:
            parts.append(_listing(self._out, listed))
            if left := len(begun) - len(listed):
                parts.append(Text(f"and {left} more"))
        parts += _boards(begun, self._out.width, room - len(listed))
        return Group(*parts)


def result_text(table: Table, record: GameRecord) -> str:
    """Return a sentence about the end of a game."""
    from joute.match import Reason

    winner = record.winner
    who = f"{_between(table)}: {'draw' if winner is None else f'{record.players[winner]} wins'}"
    why = record.result.decided_by if record.reason is Reason.NORMAL else record.detail
    plies = len(record.moves)
    lost = [
        f"{name} lost {count_of(turns, 'turn')} to time"
        for name, turns in zip(record.players, _lost_turns(record.moves), strict=True)
        if turns
    ]
    return "; ".join([f"{who} after {plies} {'ply' if plies == 1 else 'plies'} ({why})", *lost])


def _lost_turns(moves: Iterable[MoveRecord]) -> tuple[int, int]:
    """Return the number of turns that each player lost on time."""
    from joute.match.record import LOST_TURN

    lost = [played.player for played in moves if played.move == LOST_TURN]
    return lost.count(0), lost.count(1)


def _between(table: Table) -> str:
    game = table.game
    first, second = (f"{name} ({species})" for name, species in zip(game.names, game.start.players, strict=True))
    return f"{first} against {second}"


def _listing(out: Console, tables: list[Table]) -> RenderableType:
    """Return the list of games. If there is little room, the last turn is cut first, then names; numbers never."""
    games = [table.game for table in tables]
    states = [game.state for game in games]
    moves = [list(game.moves) for game in games]
    lost = [_lost_turns(played) for played in moves]
    turns = [_last_turn(game, played) for game, played in zip(games, moves, strict=True)]
    names = [[game.names[side] for game in games] for side in (0, 1)]
    blank = ["" for _ in tables]
    columns = {
        "table": [str(table.number) for table in tables],
        "first": blank,
        "second": blank,
        "ply": [str(state.ply) for state in states],
        "units": [f"{state.units(0)}:{state.units(1)}" for state in states],
        "lost turns": [f"{first}:{second}" for first, second in lost],
        "humans": [str(state.humans) for state in states],
        "last turn": blank,
    }
    if not any(map(any, lost)):
        del columns["lost turns"]
    room = out.width - width_of(out, _table(columns)) + len("first" + "second" + "last turn")
    first, second = (max(map(len, [header, *side])) for header, side in zip(("first", "second"), names, strict=True))
    turn = max(len("last turn"), min(max(map(len, turns)), room - first - second))
    first = max(len("first"), min(first, max((room - turn) // 2, room - turn - second)))
    second = max(len("second"), room - turn - first)
    columns["first"], columns["second"] = shortened(names[0], first), shortened(names[1], second)
    columns["last turn"] = [text if len(text) <= turn else f"{text[: turn - 1]}…" for text in turns]
    return _table(columns)


def _last_turn(game: HostedGame, moves: Sequence[MoveRecord]) -> str:
    from joute.match.record import LOST_TURN

    if not moves:
        return str(game.stage.value)
    return "lost to time" if moves[-1].move == LOST_TURN else moves[-1].move


def _table(columns: Mapping[str, Sequence[str]]) -> RichTable:
    listing = table(*columns, numbers=_NUMBERS)
    listing.show_edge = False
    for column in listing.columns:
        column.no_wrap = True
    for cells in zip(*columns.values(), strict=True):
        listing.add_row(*cells)
    return listing


def _boards(tables: list[Table], width: int, room: int) -> list[RenderableType]:
    """Return the boards of the first games side by side, as many as fit, and a note on the omitted ones."""
    from rich.columns import Columns
    from rich.text import Text

    shown: list[RenderableType] = []
    needed = (0, 0)
    for each in tables:
        lines = str(each.game.state).splitlines()
        columns = max(map(len, lines))
        names = " – ".join(each.game.names)
        head = shortened([f"table {each.number}: {names}"], max(columns, _SHORT_HEAD))[0]
        needed = max(columns, len(head)), len(lines) + 1
        if needed[0] > width or needed[1] > room:
            break
        width -= needed[0] + 2
        shown.append(Text("\n".join([head, *lines]), no_wrap=True))
    parts: list[RenderableType] = [Columns(shown, padding=(0, 2))] if shown else []
    if left := len(tables) - len(shown):
        of = f"of {left} more games" if shown and left > 1 else f"of table {tables[len(shown)].number}"
        size = f"{needed[0]} columns and {needed[1]} lines"
        note = f"no room for the board {of}" + ("" if shown else f", which takes {size}")
        parts.append(Text(note, no_wrap=True, overflow="ellipsis"))
    return parts
