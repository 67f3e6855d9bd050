"""The editor of positions: brushes and fields come from the game's room."""

from __future__ import annotations

from typing import Any, Self

from fastapi import APIRouter
from pydantic import Field, model_validator

from joute.errors import JouteError
from joute.example import GAME
from joute.games import State
from joute.games.editor import Brush, EditError, Editor, find_editor, reason_of
from joute.web.allowed import start_of
from joute.web.context import Member
from joute.web.errors import PageError
from joute.web.messages import Strict
from joute.web.views import scene_data

router = APIRouter(tags=["edit"])

_Name = Field(max_length=40)


class Paint(Strict):
    """A click on a place with a brush."""

    brush: str = _Name
    spot: str = _Name
    amount: int = Field(1, ge=0, le=10_000)


class Change(Strict):
    """Another value of a field."""

    field: str = _Name
    value: int = Field(ge=-1_000_000, le=1_000_000)


class Edit(Strict):
    """A draft, and at most one change of it. Without a draft and a position, the editor begins at the start."""

    game: str = Field(max_length=2000, description="the spec of the game", examples=[GAME])
    draft: str | None = Field(None, max_length=20_000, description="the draft that the last reply told")
    position: str | None = Field(None, max_length=20_000, description="a text that replaces the draft")
    paint: Paint | None = None
    change: Change | None = None
    empty: bool = Field(False, description="begin with an empty board")

    @model_validator(mode="after")
    def _one_change(self) -> Self:
        if sum((self.position is not None, self.paint is not None, self.change is not None, self.empty)) > 1:
            raise ValueError("at most one of position, paint, change and empty")
        return self


@router.post("/edit", summary="Edit a position")
def edit(wish: Edit, _visitor: Member) -> dict[str, Any]:
    """Apply a change and return the draft: its drawing, brushes, fields, and the legal position or the reason why not.

    A change that cannot be made leaves the draft as it was, and `refused` says why.
    """
    start = start_of(wish.game)
    editor = find_editor(start)
    if editor is None:
        text = wish.draft if wish.position is None else wish.position
        return _by_text(start, text or start.position)
    draft = wish.draft if wish.draft is not None else editor.draft(start)
    refused = ""
    try:
        draft = _changed(editor, start, draft, wish)
    except EditError as error:
        refused = str(error)
    except PageError as error:  # a text that is no legal position
        refused = reason_of(JouteError(error.message))
    try:
        return {**_shown(editor, draft), "refused": refused}
    except EditError as error:
        raise PageError("bad_draft", str(error), 422) from error


def _changed(editor: Editor, start: State, draft: str, wish: Edit) -> str:
    if wish.empty:
        return editor.empty()
    if wish.position is not None:
        return editor.draft(start_of(wish.game, wish.position)) if wish.position else editor.draft(start)
    if wish.paint is not None:
        return editor.painted(draft, wish.paint.brush, wish.paint.spot, wish.paint.amount)
    if wish.change is not None:
        return editor.changed(draft, wish.change.field, wish.change.value)
    return draft


def _shown(editor: Editor, draft: str) -> dict[str, Any]:
    scene = scene_data(editor.scene(draft))
    fields = [
        {"name": each.name, "label": each.label, "value": each.value, "low": each.low, "high": each.high,
         "choices": list(each.choices)}
        for each in editor.fields(draft)
    ]  # fmt: skip
    brushes = [_brush(each) for each in editor.brushes(draft)]
    known = {"has_board": True, "draft": draft, "scene": scene, "fields": fields, "brushes": brushes}
    try:
        state = editor.state(draft)
    except JouteError as error:
        told = {"position": None, "problem": reason_of(error), "status": "", "is_over": False}
        return {**known, **told, "text": _text_of(editor, draft)}
    text = editor.position(draft)
    return {**known, "position": text, "text": text, "problem": "", **_state(state)}


def _text_of(editor: Editor, draft: str) -> str:
    """A draft that is not legal in the notation of positions; empty if the notation has no text for it."""
    try:
        return editor.position(draft)
    except JouteError:
        return ""


def _brush(brush: Brush) -> dict[str, Any]:
    return {
        "name": brush.name,
        "label": brush.label,
        "sample": brush.sample,
        "amounts": list(brush.amounts) if brush.amounts else None,
        "spots": [[spot.name, *(round(each, 4) for each in spot.area)] for spot in brush.spots],
    }


def _state(state: State) -> dict[str, Any]:
    return {"status": state.status, "is_over": state.is_terminal}


def _by_text(start: State, text: str) -> dict[str, Any]:
    """The same for a game without an editor: only the text can be changed."""
    known = {"has_board": False, "draft": text, "text": text, "fields": [], "brushes": [], "refused": ""}
    try:
        state = start_of(start.spec, text)
    except PageError as error:
        problem = reason_of(JouteError(error.message))
        return {**known, "scene": None, "position": None, "problem": problem, "status": "", "is_over": False}
    scene = scene_data(state.scene(), with_targets=False)
    return {**known, "scene": scene, "position": state.position, "problem": "", **_state(state)}


class Palette(Strict):
    """The game whose brushes are asked for."""

    game: str = Field(max_length=2000, examples=[GAME])


@router.post("/edit/palette", summary="The pictures of the brushes")
def palette(wish: Palette, _visitor: Member) -> dict[str, Any]:
    """Return a drawing of each brush, and the part of it to show: the place that it has painted."""
    start = start_of(wish.game)
    editor = find_editor(start)
    pictures: dict[str, Any] = {}
    if editor is None:
        return pictures
    empty = editor.empty()
    for brush in editor.brushes(empty):
        if not brush.sample:
            continue
        painted = editor.painted(empty, brush.name, brush.sample, min(brush.amounts[1], 4) if brush.amounts else 1)
        area = brush.shown or next(spot.area for spot in brush.spots if spot.name == brush.sample)
        scene = editor.scene(painted)
        pictures[brush.name] = {"scene": scene_data(scene), "area": [round(each, 4) for each in area]}
    return pictures
