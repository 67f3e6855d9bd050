"""Hosted games while they go on: boards and results on a terminal, a line for what happens where there is none."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Self

from joute.cli.common import say, table

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from joute.arena.vampires_server import Server, Table
    from joute.match import GameRecord

_REFRESHES_A_SECOND = 4
# Lines beside games and boards: what is hosted, the head of the list and its rule, how many are left out, the cursor.
_OTHER_LINES = 6
_MOST_LISTED = 12

_NUMBERS = ("table", "ply", "units", "humans")


class HostView:
    """What is shown of a server. On a terminal it draws itself again and again; elsewhere it prints lines."""

    def __init__(self, out: Console, title: str) -> None:
        from rich.live import Live

        self._out = out
        self._title = title
        self._server: Server | None = None
        self._is_live = out.is_terminal
        self._live = Live(
            console=out,
            transient=True,
            refresh_per_second=_REFRESHES_A_SECOND,
            vertical_overflow="crop",
            get_renderable=self.view,
        )

    def watch(self, server: Server) -> Self:
        """The server whose games are shown."""
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
        """A game has two players: on a terminal, its board shows that."""
        if not self._is_live:
            self.told(f"table {table.number}: {_between(table)}")

    def ended(self, table: Table, record: GameRecord) -> None:
        """A game is over."""
        self.told(f"table {table.number}: {result_text(table, record)}")

    def told(self, sentence: str) -> None:
        """Something happened: a line that stays, above what is drawn again."""
        with contextlib.suppress(OSError):  # who watched has gone: that is no reason to stop the games
            if self._is_live:
                self._out.print(sentence)
            else:
                say(sentence)

    def view(self) -> RenderableType:
        """What is shown now: no more lines than the terminal has."""
        from rich.console import Group
        from rich.text import Text

        # Another thread draws: the games of this instant, whatever comes or goes meanwhile.
        tables = list(self._server.tables.values()) if self._server else []
        finished = self._server.finished if self._server else 0
        begun = [table for table in tables if table.game.has_begun and not table.is_kept]
        waiting = [table for table in tables if not table.game.has_begun and not table.game.is_empty]
        line = f"{self._title}; {finished} over, {len(begun)} going on, {len(waiting)} waiting for a player"
        parts: list[RenderableType] = [Text(line, no_wrap=True, overflow="ellipsis")]
        room = self._out.height - _OTHER_LINES
        listed = begun[: max(0, min(_MOST_LISTED, room))]
        if listed:
            parts.append(_listing(listed))
            if left := len(begun) - len(listed):
                parts.append(Text(f"and {left} more"))
        parts += _boards(begun, self._out.width, room - len(listed))
        return Group(*parts)


def result_text(table: Table, record: GameRecord) -> str:
    """How a game ended, in a sentence."""
    from joute.match import Reason

    winner = record.winner
    who = f"{_between(table)}: {'draw' if winner is None else f'{record.players[winner]} wins'}"
    why = record.result.decided_by if record.reason is Reason.NORMAL else record.detail
    plies = len(record.moves)
    return f"{who} after {plies} {'ply' if plies == 1 else 'plies'} ({why})"


def _between(table: Table) -> str:
    game = table.game
    first, second = (f"{name} ({species})" for name, species in zip(game.names, game.start.players, strict=True))
    return f"{first} against {second}"


def _listing(tables: list[Table]) -> RenderableType:
    listing = table("table", "first", "second", "ply", "units", "humans", "last turn", numbers=_NUMBERS)
    listing.show_edge = False
    for each in tables:
        game, moves = each.game, each.game.moves
        state = game.state
        last = f"{game.names[moves[-1].player]} {moves[-1].move}" if moves else str(game.stage.value)
        units = f"{state.units(0)}:{state.units(1)}"
        listing.add_row(str(each.number), *game.names, str(state.ply), units, str(state.humans), last)
    for column in listing.columns:
        column.no_wrap = True
    return listing


def _boards(tables: list[Table], width: int, room: int) -> list[RenderableType]:
    """The boards of the first games, side by side, as many as there is room for."""
    from rich.columns import Columns
    from rich.text import Text

    shown: list[Text] = []
    for each in tables:
        board = f"table {each.number}: {' – '.join(each.game.names)}\n{each.game.state}"
        lines = board.splitlines()
        width -= 2 + max(map(len, lines))
        if width < 0 or len(lines) > room:
            break
        shown.append(Text(board, no_wrap=True))
    return [Columns(shown, padding=(0, 2))] if shown else []
