"""Tournaments that grow: played games stay as they are, and only what is missing is played."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from test_tournament import essence

from joute._core import Result
from joute.arena.growth import Growth, replaced_name
from joute.arena.plan import Plan, make_plan
from joute.arena.schedules.grown import grown_schedule
from joute.arena.schedules.schedule import FinishedGame, Pairing
from joute.arena.step import Step
from joute.arena.store.growing import AgentCheck, GrowingStore
from joute.arena.store.rows import StoredGame
from joute.arena.store.store import Store, StoreError
from joute.arena.tournament import Tournament
from joute.cli.common import console
from joute.cli.tournament_table import print_table
from joute.errors import SpecError
from joute.match import GameRecord, MoveRecord, Reason

CLASS = [("greedy", "anna", ""), ("random", "ben", ""), ("greedy", "carl", "")]
LATE = ("random", "late", "")


def record(players: tuple[str, str], *, detail: str = "", reason: Reason = Reason.NORMAL) -> GameRecord:
    moves = (MoveRecord(0, "4", 0.01),)
    return GameRecord("connect4", "", players, 1, moves, Result(1), reason, detail)


def began(path: Path, *, games: int = 2, schedule: str = "round-robin", count: int | None = None) -> Path:
    """A tournament whose first games are stored, without workers."""
    with Tournament.create(
        make_plan("connect4", CLASS, games=games, schedule=schedule, openings="start"), path
    ) as made:
        if count != 0:
            store_games(made, count)
    return path


def store_games(made: Tournament, count: int | None = None) -> list[Pairing]:
    """Store results of missing games."""
    games = [game for game in made.schedule.pairings(made.results) if game and game.number not in made.results][:count]
    made.store.begin_session(workers=1, note="")
    names = [entrant.name for entrant in made.plan.entrants]
    made.store.add_all(
        StoredGame(Pairing(game.number, game.players, 0), record((names[game.players[0]], names[game.players[1]])), "")
        for game in games
    )
    return games


def grown(path: Path, growth: Growth) -> list[Pairing]:
    """Let a tournament grow; returns the games that are then missing, and stores them."""
    with Tournament.grow(path, growth) as made:
        return store_games(made)


def names(path: Path) -> tuple[list[str], list[str]]:
    """The agents that play, and those that play no more."""
    with Store.read(path) as store:
        plan = store.plan
        return (
            [plan.entrants[index].name for index in plan.playing],
            [plan.entrants[index].name for index in sorted(plan.retired)],
        )


def test_a_late_agent_plays_everybody_and_nobody_plays_twice(tmp_path: Path) -> None:
    path = began(tmp_path / "t.db")
    games = grown(path, Growth(add=[LATE]))
    assert [game.number for game in games] == list(range(6, 12))
    assert Counter(frozenset(game.players) for game in games) == {frozenset((index, 3)): 2 for index in range(3)}
    assert grown(path, Growth(games=2)) != []
    with Tournament.resume(path) as made:
        assert made.is_finished
        assert Counter(frozenset(game.players) for game in made.results.values()) == {
            frozenset(pair): 4 for pair in itertools.combinations(range(4), 2)
        }
        firsts = Counter(game.players[0] for game in made.results.values())
        assert set(firsts.values()) == {6}


def test_a_new_version_replaces_an_old_one_that_keeps_its_games(tmp_path: Path) -> None:
    path = began(tmp_path / "t.db")
    before = essence(path)
    games = grown(path, Growth(replace=[("ben", ("greedy", "", ""))]))
    assert names(path) == (["anna", "ben", "carl"], ["ben (v1)"])
    assert {frozenset(game.players) for game in games} == {frozenset((0, 3)), frozenset((2, 3))}
    assert essence(path)[:6] == before
    with Store.read(path) as store:
        assert {stored.record.players for stored in store.games() if stored.pairing.number == 0} == {
            ("anna", "ben (v1)")
        }
    grown(path, Growth(replace=[("ben", ("random", "", ""))]))
    assert names(path) == (["anna", "ben", "carl"], ["ben (v1)", "ben (v2)"])


def test_a_version_that_never_played_leaves_no_trace(tmp_path: Path) -> None:
    path = began(tmp_path / "t.db", count=0)
    grown(path, Growth(replace=[("ben", ("mcts:iterations=3", "", ""))]))
    assert names(path) == (["anna", "ben", "carl"], [])
    with Store.read(path) as store:
        assert store.plan.entrants[1].agent == "mcts:iterations=3"


def test_games_that_a_withdrawn_agent_left_unplayed_are_cancelled(tmp_path: Path) -> None:
    path = began(tmp_path / "t.db", games=4, count=4)
    games = grown(path, Growth(withdraw=["ben"]))
    assert {frozenset(game.players) for game in games} == {frozenset((0, 2))}
    with Tournament.resume(path) as made:
        assert (made.is_finished, made.length, made.standings.games) == (True, 6, 6)
        assert [row.name for row in made.standings.table if row.retired] == ["ben"]


def test_a_tournament_that_one_agent_is_left_in_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = began(tmp_path / "t.db")
    with Tournament.grow(path, Growth(withdraw=["anna", "ben"])) as made:
        assert "1 agent still plays, 2 games a pairing" in made.schedule.description
        print_table(console(), made)
    printed = " ".join(capsys.readouterr().out.split())
    assert "fewer than two agents that still play made a move" in printed
    assert "row against column" not in printed


def test_an_agent_that_returns_unchanged_goes_on_where_it_was(tmp_path: Path) -> None:
    path = began(tmp_path / "t.db")
    grown(path, Growth(withdraw=["ben"]))
    assert grown(path, Growth(add=[("random", "ben", "")])) == []
    assert names(path) == (["anna", "carl", "ben"], [])
    grown(path, Growth(withdraw=["ben"]))
    assert len(grown(path, Growth(add=[("greedy", "ben", "")]))) == 4
    assert names(path) == (["anna", "carl", "ben"], ["ben (v1)"])


def test_details_of_games_follow_a_renamed_agent_and_no_other(tmp_path: Path) -> None:
    agents = [("greedy", "ben", ""), ("random", "ben #2", "")]
    path = tmp_path / "t.db"
    details = ["ben: ValueError", "ben #2: KeyError", "ben did not start; ben #2 did not start", "benign"]
    with Tournament.create(make_plan("connect4", agents, games=4, openings="start"), path) as made:
        made.store.begin_session(workers=1, note="")
        for number, detail in enumerate(details):
            made.store.add_all([StoredGame(Pairing(number, (0, 1), 0), record(("ben", "ben #2"), detail=detail), "")])
    with Tournament.grow(path, Growth(replace=[("ben", ("random", "", ""))])):
        pass
    with Store.read(path) as store:
        assert [each.detail for each in store.records()] == [
            "ben (v1): ValueError",
            "ben #2: KeyError",
            "ben (v1) did not start; ben #2 did not start",
            "benign",
        ]


def test_kills_before_and_after_a_step_change_no_game(tmp_path: Path) -> None:
    plan = make_plan("connect4", ("greedy", "random", "mcts:iterations=5"), seed=7, games=2, concurrency=1)
    growth = Growth(add=[("mcts:iterations=8", "", "")], games=2)
    at_once, with_pauses = tmp_path / "a.db", tmp_path / "b.db"
    with Tournament.create(plan, at_once):
        pass  # killed before its first game
    with Tournament.grow(at_once, growth) as made:
        made.play()
        assert made.is_finished
    with Tournament.create(plan, with_pauses) as made:
        made.play(should_stop=lambda: made.standings.games >= 3)
        assert 3 <= made.standings.games < 6
    with Tournament.grow(with_pauses, growth) as made:
        made.play()
    assert len(essence(at_once)) == 24
    assert essence(at_once) == essence(with_pauses)


@pytest.mark.parametrize("schedule", ["swiss", "knockout"])
def test_schedules_that_follow_results_do_not_grow(tmp_path: Path, schedule: str) -> None:
    path = began(tmp_path / "t.db", schedule=schedule, count=0)
    before = path.read_bytes()
    with pytest.raises(SpecError, match=r"cannot grow.*joute tournament --from"):
        Tournament.grow(path, Growth(add=[LATE]))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("growth", "message"),
    [
        (Growth(add=[("greedy", "anna", "")]), "'anna' plays already"),
        (Growth(replace=[("anna", ("greedy", "", ""))]), "'anna' plays in this version already"),
        (Growth(withdraw=["ana"]), "anna"),
        (Growth(add=[LATE], withdraw=["nobody"]), "nobody"),
        (Growth(add=[("there_is_none.py", "", "")]), "there is no agent file"),
        (Growth(add=[("greedy", "x", "5x")]), "not a clock"),
    ],
)
def test_a_change_that_is_not_possible_changes_nothing(tmp_path: Path, growth: Growth, message: str) -> None:
    path = began(tmp_path / "t.db")
    before = essence(path), names(path)
    with pytest.raises(SpecError, match=message):
        Tournament.grow(path, growth)
    assert (essence(path), names(path)) == before


def test_a_gauntlet_keeps_its_hero_when_the_hero_changes(tmp_path: Path) -> None:
    path = began(tmp_path / "t.db", schedule="gauntlet")
    games = grown(path, Growth(replace=[("anna", ("random", "", ""))], add=[LATE]))
    assert {frozenset(game.players) for game in games} == {frozenset((3, other)) for other in (1, 2, 4)}
    with Store.read(path) as store:
        assert store.schedule.heroes == (3,)


def test_pairs_grow_by_two() -> None:
    steps = [Step((0, 1), 2), Step((0, 1, 2, 3), 2), Step((0, -1, 2, 3), 4)]
    schedule = grown_schedule("pairs", 4, steps)
    played_games = {number: FinishedGame((0, 1), 1) for number in (0, 1)}
    assert [game.players for game in schedule.pairings(played_games)] == [(0, 1), (1, 0), *[(2, 3), (3, 2)] * 2]
    with pytest.raises(SpecError, match="even number"):
        grown_schedule("pairs", 3, [Step((0, 1), 2), Step((0, 1, 2), 2)])


def test_a_step_with_more_games_than_memory_holds_is_refused() -> None:
    with pytest.raises(SpecError, match="at most 10,000,000 games"):
        grown_schedule("round-robin", 2, [Step((0, 1), 2), Step((0, 1), 10**12)])


def test_an_odd_number_of_games_is_made_even_with_the_other_colour() -> None:
    schedule = grown_schedule("round-robin", 2, [Step((0, 1), 3), Step((-1, 1), 3), Step((-1, 1, 0), 4)])
    games = list(schedule.pairings({}))
    assert Counter(game.players[0] for game in games) == {0: 2, 1: 2}
    assert [game.opening for game in games] == [0, 0, 1, 1]


def test_a_replaced_file_plays_its_new_version_and_a_frozen_copy_keeps_the_old_one(tmp_path: Path) -> None:
    agent = tmp_path / "mine.py"
    agent.write_text("def choose(state, clock): return state.legal_moves[0]\n")
    plan = make_plan("connect4", ["greedy", str(agent)], openings="start", frozen=True)
    with Tournament.create(plan, tmp_path / "t.db") as made:
        store_games(made)
    agent.write_text("def choose(state, clock): return state.legal_moves[-1]\n")
    with Tournament.grow(tmp_path / "t.db", Growth(replace=[("mine", (str(agent), "", ""))])) as made:
        copies = made.store.entries()
        assert sorted(copies) == [1, 2]
        assert copies[1].fingerprint != copies[2].fingerprint
        assert not made.store.has_changed(2, made.plan.sources()[2])
    agent.unlink()  # the copies suffice
    with Tournament.resume(tmp_path / "t.db") as made:
        assert not made.is_finished


def test_a_changed_file_names_the_command_that_enters_it(tmp_path: Path) -> None:
    agent = tmp_path / "mine.py"
    agent.write_text("def choose(state, clock): return state.legal_moves[0]\n")
    with Tournament.create(make_plan("connect4", ["greedy", str(agent)], openings="start"), tmp_path / "t.db") as made:
        store_games(made, 1)
    agent.write_text("def choose(state, clock): return state.legal_moves[-1]\n")
    with pytest.raises(StoreError, match=r"--replace mine=.*mine\.py"):
        Tournament.resume(tmp_path / "t.db")
    with pytest.raises(StoreError, match="has changed"):
        Tournament.grow(tmp_path / "t.db", Growth(games=2))
    name, new = replaced_name(str(agent), ["greedy", "mine"])
    assert len(grown(tmp_path / "t.db", Growth(replace=[(name, (new, "", ""))]))) == 2


def test_a_tournament_of_an_earlier_version_grows_too(tmp_path: Path) -> None:
    path = tmp_path / "unfinished.db"
    shutil.copy(Path(__file__).parents[1] / "compatibility" / "0.1" / "unfinished.db", path)
    with Store.read(path) as store:
        games, plan = store.count, store.plan
    with Tournament.grow(path, Growth(withdraw=[plan.entrants[0].name])) as made:
        assert (made.is_finished, made.standings.games) == (True, games)
        assert made.plan.entrants == plan.entrants


def test_more_games_bring_more_openings_after_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with Tournament.create(make_plan("connect4", ["greedy", "random"], games=4, seed=3), path) as made:
        known = made.store.openings
    with Tournament.grow(path, Growth(games=6)) as made:
        assert made.store.openings[:2] == known
        assert (
            made.store.openings
            == make_plan("connect4", ["greedy", "random"], games=10, seed=3).make_openings().positions
        )
    with Store.read(path) as store:
        assert store.openings == made.store.openings


def test_a_tournament_from_a_grown_one_has_the_agents_that_still_play(tmp_path: Path) -> None:
    path = began(tmp_path / "t.db")
    grown(path, Growth(replace=[("anna", ("random", "", ""))], withdraw=["ben"], add=[LATE]))
    with Tournament.again(path, tmp_path / "again.db", {}) as made:
        assert [entrant.name for entrant in made.plan.entrants] == ["anna", "carl", "late"]
        assert (made.plan.steps, made.length) == ((), 6)


def test_a_damaged_step_is_refused(tmp_path: Path) -> None:
    path = began(tmp_path / "t.db")
    grown(path, Growth(add=[LATE]))
    for good, bad in (("[0, 1, 2, 3]", "[0, 1, 2, 9]"), ("[0, 1, 2, 3]", "[0, 1, 2, 2]"), ("[0, 1, 2, 3]", "3")):
        other = tmp_path / "bad.db"
        shutil.copy(path, other)
        with sqlite3.connect(other) as connection:
            connection.execute("UPDATE tournament SET plan = replace(plan, ?, ?)", (good, bad))
        connection.close()
        with pytest.raises(StoreError, match="damaged"):
            Store.read(other)


def test_a_plan_with_steps_survives_a_file() -> None:
    plan = make_plan("connect4", ["greedy", "random"])
    steps = (Step((0, 1), 2), Step((0, -1), 4))
    changed = Plan(plan.game, plan.entrants, games=4, steps=steps)
    assert Plan.from_data(changed.as_data()) == changed


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a=b=new.py", ("a=b", "new.py")),
        ("anna=mcts:iterations=3", ("anna", "mcts:iterations=3")),
        ("greedy", ("greedy", "greedy")),
    ],
)
def test_the_replaced_agent_is_named_or_told_by_the_new_one(text: str, found: tuple[str, str]) -> None:
    assert replaced_name(text, ["anna", "a=b", "greedy"]) == found


def test_a_replacement_without_a_name_that_plays_is_refused() -> None:
    with pytest.raises(StoreError, match="say which one random replaces: --replace NAME=random"):
        replaced_name("random", ["anna"])
    with pytest.raises(SpecError, match="say which agent replaces 'anna': --replace anna=AGENT"):
        replaced_name("anna", ["anna"])


def test_the_latest_check_of_an_agent_is_kept(tmp_path: Path) -> None:
    path = began(tmp_path / "t.db")
    with GrowingStore.resume(path) as store:
        store.keep_check("a.py", AgentCheck("1", passed=False, detail="crash"))
        store.keep_check("a.py", AgentCheck("2", passed=True))
    with GrowingStore.read(path) as store:
        assert store.checks() == {"a.py": AgentCheck("2", passed=True)}
