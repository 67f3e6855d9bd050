"""How a record prints, shows in a notebook as a board with a slider, and becomes a data frame.

The HTML has no element ids and no style sheet, so that any number of games stand on one page. It holds every distinct
shape of the game once, as SVG, and each position as edits of the one before (games/scene_edits.py). The code is in the
slider's own handler. Where a notebook does not run code, e.g. without trust, the last position stands still.
"""

from __future__ import annotations

import html
import json
import textwrap
from typing import TYPE_CHECKING

from joute.frames import frame
from joute.games.scene_edits import edits
from joute.match.record_scenes import scenes_of
from joute.numbers import count_of, duration, value_text
from joute.text import html_text, printable

if TYPE_CHECKING:
    from pandas import DataFrame

    from joute.match.record import GameRecord, MoveRecord

# Most lines of moves in print.
_LINES = 12
_LINE_WIDTH = 100
_PLIES_A_LINE = 10
# The width of a board in a notebook.
_BOARD_PX = 360

_DRAW = """
const view = this.closest("figure"), data = JSON.parse(view.querySelector("script").textContent);
const ply = Math.min(this.value, data.positions.length - 1), board = view.querySelector("svg");
const [box, title] = data.frames[data.positions[ply][0]], shapes = [];
for (const [, ...edits] of data.positions.slice(0, ply + 1))
  for (const [start, removed, ...added] of edits.reverse()) shapes.splice(start, removed, ...added);
board.setAttribute("viewBox", box);
board.setAttribute("aria-label", title);
board.innerHTML = shapes.map((shape) => data.shapes[shape]).join("");
view.querySelector("output").textContent = data.labels[ply];
"""


def record_text(record: GameRecord) -> str:
    """The players and the result, and below them the moves, ten to a line with the ply of the first."""
    moves = [printable(played.move) for played in record.moves]
    lines = []
    for ply in range(0, len(moves), _PLIES_A_LINE):
        some = f"{ply:>4}  {'  '.join(moves[ply : ply + _PLIES_A_LINE])}"
        lines += textwrap.wrap(some, _LINE_WIDTH, subsequent_indent=" " * 6, break_on_hyphens=False)
    if (hidden := len(lines) - _LINES) > 0:
        lines[_LINES:] = [f"      and {hidden} more lines"]
    return "\n".join([printable(record.headline), *lines])


def record_repr(record: GameRecord) -> str:
    """One line."""
    return f"<{record.game} game {printable(record.headline)}>"


def record_frame(record: GameRecord) -> DataFrame:
    """A data frame of pandas with a row per move: what was played, the time, and what the agent stated.

    `value_for_mover`, `depth`, `nodes` and `pv` are missing where the agent did not state them. Plies count from
    the start of the record, which may be a later position of the game.
    """
    moves = record.moves
    infos = [played.info for played in moves]
    return frame(
        {
            "ply": range(len(moves)),
            "player": [played.player for played in moves],
            "agent": [record.players[played.player] for played in moves],
            "move": [played.move for played in moves],
            "time_s": [played.time_s for played in moves],
            "value_for_mover": [info.value_for_mover if info else None for info in infos],
            "depth": [info.depth if info else None for info in infos],
            "nodes": [info.nodes if info else None for info in infos],
            "pv": [" ".join(map(str, info.pv)) if info else None for info in infos],
        }
    )


def record_html(record: GameRecord) -> str:
    """The game as a board with a slider, for a notebook."""
    shapes: dict[str, int] = {}
    frames: dict[tuple[str, str], int] = {}
    positions: list[list[object]] = []
    drawn: list[int] = []
    look = ("", "")
    for scene in scenes_of(record):
        look = (f"0 0 {scene.width:g} {scene.height:g}", scene.title)
        before, drawn = drawn, [shapes.setdefault(shape.svg(), len(shapes)) for shape in scene.shapes]
        positions.append([frames.setdefault(look, len(frames)), *edits(before, drawn)])
    if not positions:
        return f"<pre>{html_text(str(record))}</pre>"
    labels = ["start", *(_label(record, ply, played) for ply, played in enumerate(record.moves, start=1))]
    data = {"shapes": [*shapes], "frames": [*frames], "positions": positions, "labels": labels[: len(positions)]}
    last, pictures, (box, title) = len(positions) - 1, [*shapes], look
    return (
        f'<figure style="margin:0;max-width:{_BOARD_PX}px"><figcaption>{html_text(record.headline)}</figcaption>'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="100%" role="img" '
        f'aria-label="{html_text(title)}">{"".join(pictures[shape] for shape in drawn)}</svg>'
        f'<input type="range" min="0" max="{last}" value="{last}" style="width:100%" aria-label="ply" '
        f'oninput="{html.escape(" ".join(_DRAW.split()))}"><output>{html_text(labels[last])}</output>'
        f'<script type="application/json">{_inside_script(data)}</script></figure>'
    )


def _label(record: GameRecord, ply: int, played: MoveRecord) -> str:
    info = played.info
    value = f", value {value_text(info.value_for_mover)}" if info and info.value_for_mover is not None else ""
    move = f"{printable(record.players[played.player])} {printable(played.move)}"
    return f"{ply} of {count_of(len(record.moves), 'ply')}: {move}, {duration(played.time_s)}{value}"


def _inside_script(data: object) -> str:
    """JSON without the character that could end the element around it."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
