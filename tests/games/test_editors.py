"""The editors of all games: every draft has a drawing, and is a legal position or says why it is not."""

from __future__ import annotations

import pytest

from joute import Random
from joute.errors import JouteError, NotationError
from joute.games import State, game_names, new
from joute.games.editor import EditError, Editor, find_editor, reason_of
from joute.games.scene import Area

EDITED = [game for game in game_names() if find_editor(new(game)) is not None]


def editor_of(game: str) -> Editor:
    editor = find_editor(new(game))
    assert editor is not None
    return editor


def positions(game: str, seed: int) -> list[State]:
    """Positions of a random game without pending random events."""
    rng, state = Random(seed), new(game)
    found: list[State] = []
    while not state.is_terminal and len(found) < 60:
        found.append(state)
        state = state.play(state.random_move(rng), rng)
    return [*found[::4], state]


def random_edit(editor: Editor, draft: str, rng: Random) -> str:
    """The draft after a random change that the editor offers."""
    fields = editor.fields(draft)
    if fields and rng.below(4) == 0:
        field = rng.choice(fields)
        return editor.changed(draft, field.name, field.low + rng.below(min(field.high - field.low, 60) + 1))
    brush = rng.choice([brush for brush in editor.brushes(draft) if brush.spots])
    low, high = brush.amounts or (1, 1)
    return editor.painted(draft, brush.name, rng.choice(brush.spots).name, low + rng.below(high - low + 1))


def test_the_five_games_have_editors_and_a_plugin_without_one_has_none() -> None:
    assert EDITED == ["avalam", "connect4", "divercite", "quoridor", "vampires"]
    assert find_editor(new("tictactoe")) is None


@pytest.mark.parametrize("edited", EDITED)
def test_the_draft_of_a_position_is_that_position(edited: str) -> None:
    editor = editor_of(edited)
    for state in positions(edited, 3):
        draft = editor.draft(state)
        assert editor.state(draft) == state
        assert editor.legal(draft) == draft
        assert editor.scene(draft).shapes == state.scene().shapes
        assert not editor.scene(draft).targets


@pytest.mark.parametrize("edited", ["avalam", "connect4", "divercite"])
def test_a_draft_that_is_not_legal_is_drawn_as_a_position_would_be(edited: str) -> None:
    editor = editor_of(edited)
    for state in positions(edited, 4):
        if not state.is_terminal:
            assert editor.drawing(editor.draft(state)).shapes == state.scene().shapes


@pytest.mark.parametrize("edited", EDITED)
def test_every_edited_position_is_accepted_or_explained(edited: str) -> None:
    editor = editor_of(edited)
    rng = Random(5)
    legal = 0
    refused: list[str] = []
    explained: list[str] = []
    for start in [editor.empty(), editor.draft(new(edited)), *map(editor.draft, positions(edited, 6)[1:4])]:
        draft = start
        for _ in range(40):
            try:
                draft = random_edit(editor, draft, rng)
            except EditError as error:
                refused.append(str(error))
            scene = editor.scene(draft)
            try:
                state = editor.state(draft)
            except NotationError as error:
                explained.append(reason_of(error))
            else:
                legal += 1
                assert new(edited, state.position) == state
                assert scene.shapes == state.scene().shapes
    assert legal
    assert all(10 < len(sentence) < 200 for sentence in refused + explained)
    assert refused or explained or edited == "vampires"  # where every edited position is legal


@pytest.mark.parametrize("edited", EDITED)
def test_spots_are_on_the_board_and_do_not_overlap(edited: str) -> None:
    editor = editor_of(edited)
    draft = editor.draft(positions(edited, 7)[2])
    scene = editor.scene(draft)
    for brush in editor.brushes(draft):
        assert len({spot.name for spot in brush.spots}) == len(brush.spots)
        for spot in brush.spots:
            x, y, width, height = spot.area
            assert x >= 0
            assert y >= 0
            assert x + width <= scene.width
            assert y + height <= scene.height
        areas = [spot.area for spot in brush.spots]
        assert not any(overlap(one, other) for at, one in enumerate(areas) for other in areas[:at])


def overlap(one: Area, other: Area) -> bool:
    tiny = 1e-6
    return (
        one.x + one.width > other.x + tiny
        and other.x + other.width > one.x + tiny
        and one.y + one.height > other.y + tiny
        and other.y + other.height > one.y + tiny
    )


@pytest.mark.parametrize("edited", EDITED)
def test_a_brush_changes_the_spot_of_its_picture_alone(edited: str) -> None:
    editor = editor_of(edited)
    empty = editor.empty()
    for brush in editor.brushes(empty):
        if brush.sample:
            low, _ = brush.amounts or (1, 1)
            painted = editor.painted(empty, brush.name, brush.sample, low)
            assert painted != empty
            assert editor.scene(painted).shapes != editor.scene(empty).shapes


@pytest.mark.parametrize("edited", EDITED)
@pytest.mark.parametrize("text", ["", "nonsense", "<script>", "9" * 400, "\x00", "5x10/9q0.0", "//e1e9/10-10"])
def test_a_text_that_is_no_draft_is_refused_with_a_sentence(edited: str, text: str) -> None:
    editor = editor_of(edited)
    if edited == "connect4" and text == "":
        return
    with pytest.raises(JouteError):
        editor.scene(text)
    with pytest.raises(EditError):
        editor.brushes(text)


@pytest.mark.parametrize("edited", EDITED)
def test_a_change_that_is_not_offered_is_refused(edited: str) -> None:
    editor = editor_of(edited)
    draft = editor.draft(new(edited))
    with pytest.raises(EditError, match="there is no brush king"):
        editor.painted(draft, "king", "e1")
    with pytest.raises(EditError, match=": not on nowhere"):
        editor.painted(draft, editor.brushes(draft)[0].name, "nowhere")
    with pytest.raises(EditError, match="there is no field mood"):
        editor.changed(draft, "mood", 1)


def test_boards_of_thousands_of_places_are_not_edited() -> None:
    editor, large = editor_of("vampires"), "31x31/1v0.0+1w30.30"
    with pytest.raises(EditError, match="too large"):
        editor.draft(new("vampires", large))
    with pytest.raises(EditError, match="too large"):
        editor.brushes(large)
