"""Cheat sheets: every accessor is named with its type, and the heuristics run."""

from __future__ import annotations

import importlib.util
import inspect
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from joute import Random, new
from joute.cli import command_line
from joute.games import Moves, NativeState, State, find_game
from joute.games.guide import NATIVE_MEMBERS, find_guide, heuristic_source, move_accessors, sheet, state_accessors
from joute.plugins import all_rooms

OURS = [name for name, room in all_rooms().items() if room.is_ours]
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "agents.md"


def middle(game: str, plies: int = 6, seed: int = 1) -> State:
    """A position in which a player is to move, after some random moves."""
    rng = Random(seed)
    state = new(game)
    for _ in range(plies):
        after = state.play(state.random_move(rng), rng)
        if after.is_terminal:
            break
        state = after
    return state


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


@pytest.mark.parametrize("room", OURS)
def test_the_page_names_every_attribute_of_positions_and_moves(room: str) -> None:
    named = set(re.findall(r"`(\w+)", PAGE.read_text()))
    state = new(room)
    assert public(type(state)) - named == set()
    own = set(re.findall(r"^\| `(\w+)", sheet(room), re.MULTILINE))
    assert public(type(state.legal_moves[0])) - own == set()


def test_the_page_is_made_from_the_guides() -> None:
    spec = importlib.util.spec_from_file_location("agents_page", ROOT / "tools" / "agents_page.py")
    assert spec
    assert spec.loader
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert PAGE.read_text() == tool.page(), "run: python tools/agents_page.py"


@pytest.mark.parametrize("room", OURS)
def test_every_accessor_has_a_type_and_a_meaning(room: str) -> None:
    kind = find_game(room)
    for accessor in [*state_accessors(kind), *move_accessors(kind)]:
        assert accessor.type != "Any"
        assert accessor.help, accessor
        assert "." not in accessor.type.replace("...", ""), "types have no module"


def test_members_of_every_native_game_are_not_accessors_of_one() -> None:
    natives = [public(find_game(name)) - public(NativeState) for name in OURS]
    assert set.intersection(*natives) <= {*NATIVE_MEMBERS, *State.required}
    assert set(NATIVE_MEMBERS) <= set.union(*natives) | public(NativeState)


def test_heuristics_take_a_players_view(game: str) -> None:
    heuristic = find_guide(find_game(game)).heuristic
    states = [middle(game, plies, seed) for plies in (3, 6, 9) for seed in (1, 2, 3)]
    values = [heuristic(state, 0) for state in states]
    assert values == [pytest.approx(-heuristic(state, 1)) for state in states]
    assert any(values), "a heuristic tells positions apart"


@pytest.mark.parametrize("room", OURS)
def test_a_heuristic_runs_without_its_module(room: str) -> None:
    kind = find_game(room)
    scope: dict[str, object] = {kind.__name__: kind}
    exec(heuristic_source(find_guide(kind)), scope)
    heuristic = scope["heuristic"]
    assert inspect.isfunction(heuristic)
    state = middle(room)
    assert heuristic(state, 0) == find_guide(kind).heuristic(state, 0)


def test_moves_are_found_by_their_notation(game: str) -> None:
    state = middle(game)
    moves = state.legal_moves
    assert all(move in moves for move in moves)
    if isinstance(moves, Moves):
        assert all(str(move) in moves for move in moves)
    for nonsense in ("", "resign", "\ud800", "e2" * 1000, "0", None, 3.5, b"1"):
        assert nonsense not in moves


def test_a_list_of_moves_of_a_game_in_python_finds_text_too() -> None:
    assert "5" in new("tictactoe").legal_moves
    assert "0" not in new("tictactoe").legal_moves
    assert Moves([1, 2]) == [1, 2]


def test_a_move_that_cannot_be_written_is_an_error_and_not_a_crash() -> None:
    class Broken:
        def __str__(self) -> str:
            raise RuntimeError("no text")

    moves: Moves[object] = Moves([Broken()])
    with pytest.raises(RuntimeError, match="no text"):
        assert "1" in moves


@pytest.mark.parametrize("player", [-1, 2])
def test_there_is_no_value_for_a_third_player(game: str, player: int) -> None:
    with pytest.raises(IndexError, match="the player must be 0 or 1"):
        new(game).evaluate(player)


def test_there_is_no_outcome_for_a_third_player() -> None:
    result = new("tictactoe", "XXXOO....").result
    assert result is not None
    with pytest.raises(IndexError, match="the player must be 0 or 1"):
        result.outcome_for(2)


@pytest.mark.parametrize("room", OURS)
def test_the_command_prints_rules_accessors_and_heuristic(room: str) -> None:
    kind = find_game(room)
    guide = find_guide(kind)
    shown = CliRunner().invoke(command_line("games"), ["games", room])
    assert shown.exit_code == 0
    assert guide.rules in shown.output
    assert heuristic_source(guide) in shown.output
    assert all(each.name.partition("(")[0] in shown.output for each in state_accessors(kind))
    data = json.loads(CliRunner().invoke(command_line("games"), ["games", room, "--json"]).output)
    assert [each["name"] for each in data["move"]] == [each.name for each in move_accessors(kind)]
    assert set(data["records"]) == {record.__name__ for record in guide.records}


def test_a_game_without_a_guide_shows_its_class() -> None:
    shown = CliRunner().invoke(command_line("games"), ["games", "tictactoe"])
    assert "A tic-tac-toe position." in shown.output
    assert "cells" in shown.output


def test_accessors_of_a_game_in_python_have_the_types_of_its_annotations() -> None:
    class Counting(State):
        cells: str = ""

        def count(self, mark: str = "X", *, twice: bool = False) -> float | None:
            """Count marks."""
            return self.cells.count(mark) * (1 + twice)

    (count,) = (each for each in state_accessors(Counting) if "count" in each.name)
    assert count.name == "count(mark: str = 'X', *, twice: bool = False)"
    assert (count.type, count.help) == ("float | None", "Count marks.")
    (cells,) = (each for each in state_accessors(Counting) if each.name == "cells")
    assert cells.type == "str"


def test_the_page_lists_no_plug_in() -> None:
    assert "tictactoe" not in PAGE.read_text().partition("## The games")[2]
