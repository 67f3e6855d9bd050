"""Sets of balanced openings: those that come with the games, and how new ones are made."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from joute.arena.match import play_match
from joute.arena.opening_maker import JOURNAL, Progress, make_set
from joute.arena.opening_sets import (
    OpeningSet,
    advantage_for_first,
    candidate,
    key_of,
    opening_set,
    position_in,
    shipped_set,
)
from joute.arena.openings import default_openings, make_openings
from joute.arena.plan import make_plan
from joute.errors import JouteError, SpecError
from joute.games import game_names, new

WITH_SET = [game for game in game_names() if shipped_set(game)]

# A judge that takes milliseconds, with a wide tolerance.
QUICK = OpeningSet(judge="mcts:iterations=200", tolerance=0.1, source="a test", plies=(2, 3))


def test_every_game_of_joute_comes_with_a_set_of_hundreds_of_openings() -> None:
    assert len(WITH_SET) == 5
    assert all(len(shipped_set(game)) >= 500 for game in WITH_SET)


@pytest.mark.parametrize("room", WITH_SET)
def test_every_opening_of_a_set_can_be_played_and_no_two_are_symmetric(room: str) -> None:
    states = [new(room, position) for position in shipped_set(room)]
    assert [state.position for state in states] == list(shipped_set(room))
    assert not any(state.is_terminal or state.is_chance for state in states)
    assert len({key_of(state) for state in states}) == len(states)


@pytest.mark.parametrize("room", WITH_SET)
def test_the_values_in_a_set_are_those_of_its_judge_and_within_the_tolerance(room: str) -> None:
    settings = opening_set(room)
    assert settings.file is not None
    head, *lines = settings.file.read_text(encoding="utf-8").splitlines()
    assert head.startswith(f"# Balanced openings of {room},")
    assert any(line.startswith(f"# judge: {settings.judge}, ") for line in lines)
    openings = [line for line in lines if position_in(line)]
    for line in openings:
        # Values are written with three digits.
        assert abs(float(line.partition("  # ")[2]) - settings.even) <= settings.tolerance * 1.01, line
    cheap = min(openings, key=len) if settings.judge == "perfect" else ""
    if cheap:
        assert advantage_for_first(new(room, position_in(cheap)), settings.judge) == 0


@pytest.mark.slow
@pytest.mark.parametrize("room", WITH_SET)
def test_the_judge_gives_openings_of_a_set_the_same_values_again(room: str) -> None:
    settings = opening_set(room)
    assert settings.file is not None
    openings = [line for line in settings.file.read_text(encoding="utf-8").splitlines() if position_in(line)]
    for line in openings[:: len(openings) // 5]:
        value = advantage_for_first(new(room, position_in(line)), settings.judge)
        assert value == pytest.approx(float(line.partition("  # ")[2]), rel=0.01, abs=1e-9), line


def test_balanced_openings_are_drawn_without_repetition_in_an_order_of_the_seed() -> None:
    few, many = (make_openings("connect4", "balanced", count, seed=1) for count in (5, 50))
    assert few.positions == many.positions[:5]
    assert len(set(many.positions)) == 50
    assert few.positions != make_openings("connect4", "balanced", 5, seed=2).positions
    everything = make_openings("connect4", "balanced", 10**6, seed=1)
    assert sorted(everything.positions) == sorted(shipped_set("connect4"))
    count = len(everything.positions)
    assert everything.note == (
        f"there are {count} balanced openings of connect4 for 1000000 wanted: they are used in turn"
    )


def test_a_set_serves_the_rules_with_the_same_values() -> None:
    assert default_openings("quoridor") == "balanced"
    assert default_openings("quoridor:rules=course") == "balanced"
    assert default_openings("quoridor:rules=course,null_move=yes") == "random"
    assert default_openings("tictactoe", otherwise="start") == "start"
    odd = "quoridor:rules=course,null_move=yes"
    with pytest.raises(SpecError, match=f"no set of balanced openings of {odd}; choose openings 'rand"):
        make_openings(odd, "balanced", 2)


@pytest.mark.parametrize("variant", [f"{room}:{rules}" for room in WITH_SET for rules in opening_set(room).also])
def test_every_opening_of_a_set_can_be_played_under_the_other_rules_that_it_serves(variant: str) -> None:
    openings = make_openings(variant, "balanced", 10**6).positions
    assert len(openings) >= 500
    assert not any(new(variant, position).is_terminal for position in openings)


def test_tournaments_and_matches_use_the_set_unless_told_otherwise() -> None:
    assert make_plan("connect4", ["greedy", "random"]).openings == "balanced"
    assert make_plan("connect4", ["greedy", "random"], openings="random").openings == "random"
    assert make_plan("tictactoe", ["greedy", "random"]).openings == "random"
    starts = [record.start for record in play_match("connect4", "random", "random", games=4).records]
    assert starts[0] == starts[1] != starts[2] == starts[3]
    assert set(starts) <= set(shipped_set("connect4"))
    position = new("connect4", "44")
    assert {record.start for record in play_match(position, "random", "random", games=2).records} == {"44"}


def test_candidates_lie_around_the_even_point_for_either_side_to_move() -> None:
    settings = dataclasses.replace(QUICK, even=0.1, tolerance=0.08, sieve="mcts:iterations=100")
    found = [judged for index in range(40) if (judged := candidate(new("connect4"), settings, 1, index))]
    assert {new("connect4", judged.position).to_move for judged in found} == {0, 1}
    for judged in found:
        assert 0.02 <= judged.advantage_for_first <= 0.18
        state = new("connect4", judged.position)
        assert judged.advantage_for_first == advantage_for_first(state, settings.judge)


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_a_set_depends_neither_on_threads_nor_on_interruptions(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.txt", tmp_path / "parts.txt"
    make_set("connect4", QUICK, count=12, out=whole, seed=3, concurrency=1)

    def stop(progress: Progress) -> None:
        if progress.judged >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_set("connect4", QUICK, count=12, out=parts, seed=3, concurrency=3, on_progress=stop)
    journal = tmp_path / f"parts.txt{JOURNAL}"
    kept = lines_of(journal)
    assert len(kept) > 5
    with journal.open("a") as file:
        file.write("[7, ")  # killed while it wrote a line
    known: list[int] = []
    make_set(
        "connect4", QUICK, count=12, out=parts, seed=3, concurrency=3,
        on_progress=lambda progress: known.append(progress.judged),
    )  # fmt: skip
    assert known[0] > len(kept) - 1
    assert not journal.exists()
    assert lines_of(parts) == lines_of(whole)
    made = make_openings("connect4", str(parts), 12)
    assert (len(made.positions), made.note) == (12, "")


def test_a_journal_of_other_settings_or_with_damage_is_an_error(tmp_path: Path) -> None:
    out, journal = tmp_path / "set.txt", tmp_path / f"set.txt{JOURNAL}"
    journal.write_text('{"judge": "perfect"}\n[0]\n')
    with pytest.raises(JouteError, match="was begun with other settings or another version"):
        make_set("connect4", QUICK, count=1, out=out)
    journal.unlink()
    make_set("connect4", QUICK, count=1, out=out)
    with pytest.raises(KeyboardInterrupt):
        make_set("connect4", QUICK, count=1, out=out, on_progress=interrupt)
    with journal.open("a") as file:
        file.write("oops\n")
    with pytest.raises(JouteError, match="is damaged; remove it or name another file"):
        make_set("connect4", QUICK, count=1, out=out)


def interrupt(_: Progress) -> None:
    raise KeyboardInterrupt


def test_a_search_for_openings_that_are_not_there_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joute.arena.opening_maker._FRUITLESS", 20)
    never = dataclasses.replace(QUICK, even=5.0)
    with pytest.raises(JouteError, match="none of 20 positions of connect4 is balanced by mcts:iterations=200"):
        make_set("connect4", never, count=3, out=tmp_path / "set.txt")
    first_plies = dataclasses.replace(QUICK, plies=(1,), tolerance=0.5)
    few = make_set("connect4", first_plies, count=50, out=tmp_path / "few.txt")
    assert len(few.openings) == 4  # the others are their mirror images


def test_a_judge_that_tells_no_value_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="agent 'random' does not tell the value of a position, so it cannot judge"):
        make_set("connect4", dataclasses.replace(QUICK, judge="random"), count=1, out=tmp_path / "set.txt")
    assert not list(tmp_path.iterdir())
