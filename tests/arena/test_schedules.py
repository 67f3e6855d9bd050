"""Kinds of tournaments: the same games whatever came in first and wherever it was stopped; the words for them."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import typer
from commands import joute
from hypothesis import given, settings
from hypothesis import strategies as st
from simulation import by_lot, disturbed, in_order
from test_tournament import essence, played, records

from joute.arena.plan import make_plan
from joute.arena.schedules.fixed import Gauntlet, GauntletSettings
from joute.arena.schedules.registry import default_games, make_schedule, schedule_names
from joute.arena.schedules.schedule import FinishedGame, Pairing
from joute.arena.schedules.sequential import Sequential
from joute.arena.store.results import counted_games
from joute.arena.store.store import Store, StoreError
from joute.arena.tournament import Tournament
from joute.cli.tournament import _end_if_incomplete
from joute.errors import SpecError
from joute.match.sprt import Sprt

pytestmark = pytest.mark.usefixtures("one_worker")

SPECS = st.sampled_from(
    (
        ("round-robin", 5, 3),
        ("gauntlet:heroes=2", 5, 3),
        ("swiss", 7, 1),
        ("swiss:rounds=4", 6, 2),
        ("knockout", 7, 2),
        ("knockout:extra=1", 9, 1),
        ("sprt:elo1=150", 2, 200),
        ("sprt:elo1=300", 2, 20),
    )
)


@settings(max_examples=80, deadline=None)
@given(SPECS, st.integers(0, 10**6), st.integers(1, 6), st.floats(0, 0.4), st.booleans())
def test_games_do_not_depend_on_the_order_of_results_nor_on_stops(
    spec: tuple[str, int, int], seed: int, workers: int, stop: float, someone_is_absent: bool
) -> None:
    schedule = make_schedule(*spec)
    outcome = by_lot(seed, margins=2, absent=frozenset({seed % spec[1]} if someone_is_absent else ()))
    quiet = in_order(schedule, outcome)
    length = schedule.length(quiet)
    assert length is not None
    assert length == len(quiet) <= schedule.most_games
    rough = disturbed(schedule, outcome, random.Random(seed), workers=workers, stop=stop)
    assert schedule.length(rough) == length
    assert {number: game for number, game in rough.items() if number < length} == quiet
    # Only a sequential test has games under way when it is decided: no more than there are workers, each start.
    assert len(rough) == length or spec[0].startswith("sprt")
    names = [f"agent {index}" for index in range(spec[1])]
    assert schedule.standing_lines(rough, names) == schedule.standing_lines(quiet, names)


@settings(max_examples=60, deadline=None)
@given(SPECS, st.integers(0, 10**6), st.integers(0, 40))
def test_a_length_that_is_known_does_not_change(spec: tuple[str, int, int], seed: int, count: int) -> None:
    schedule = make_schedule(*spec)
    quiet = in_order(schedule, by_lot(seed))
    some = {number: quiet[number] for number in range(min(count, len(quiet)))}
    assert schedule.length(some) in (None, schedule.length(quiet))
    # What is due after some results is due after all of them too.
    due = [game for game in schedule.pairings(dict(quiet)) if game is not None]
    pairings = schedule.pairings(some)
    for game, expected in zip(pairings, due, strict=False):
        if game is None:
            break
        assert game == expected


def test_a_gauntlet_is_the_heroes_against_all_others() -> None:
    schedule = Gauntlet(5, 4, GauntletSettings(heroes=2))
    games = list(schedule.pairings({}))
    assert [game.number for game in games] == list(range(24)) == list(range(schedule.most_games))
    for a in range(5):
        for b in range(a):
            mine = [game.players for game in games if set(game.players) == {a, b}]
            assert mine == ([(b, a), (a, b)] * 2 if b < 2 <= a else [])
    assert schedule.description == "gauntlet of 2 heroes, 6 pairings, 4 games each, 24 games in all"


def decided_after(sprt: Sprt, results: list[FinishedGame]) -> int | None:
    """After how many games a test is decided, by the definition: the first whole pairs that cross a bound."""
    counts = [0] * 5
    new = 0
    lines: set[tuple[tuple[int, int], str]] = set()
    for pair in range(len(results) // 2):
        games = results[2 * pair : 2 * pair + 2]
        if own := sum((game.players, game.line) not in lines for game in games):
            counts[round(2 * sum(game.points_of(0) for game in games))] += 1
            new += own
        lines |= {(game.players, game.line) for game in games}
        # Pairs tell as much as they have games that are no repetition.
        share = new / (2 * sum(counts)) if new else 0.0
        if sprt.test([count * share for count in counts]).decision:
            return 2 * pair + 2
    return None


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(2, 60), st.floats(0.2, 0.8))
def test_a_sequential_test_is_decided_by_the_first_pairs_that_cross_a_bound(
    seed: int, workers: int, variety: int, strength: float
) -> None:
    sprt = Sprt(elo0=0, elo1=200)
    schedule = Sequential(2, 160, sprt)

    def outcome(game: Pairing) -> FinishedGame:
        rng = random.Random(f"{seed} {game}")
        first_wins = rng.random() < (strength if game.players[0] == 0 else 1 - strength)
        return FinishedGame(
            game.players, 1 if first_wins else -1, opening=game.opening, line=str(rng.randrange(variety))
        )

    results = disturbed(schedule, outcome, random.Random(seed), workers=workers)
    length = schedule.length(results)
    assert length is not None
    in_numbers = [results[number] for number in range(length)]
    assert decided_after(sprt, in_numbers) in (None, length)
    state = schedule.progress(results).state
    assert (state.decision is None) == (length == 160 and decided_after(sprt, in_numbers) is None)


def test_a_sequential_test_of_agents_that_repeat_themselves_ends_with_a_sentence() -> None:
    schedule = Sequential(2, 1000, Sprt(elo1=1))

    def outcome(game: Pairing) -> FinishedGame:
        opening = game.opening % 12  # there are no more
        return FinishedGame(game.players, (-1, 0, 1)[opening % 3], opening=opening, line=f"{opening} {game.players}")

    results = in_order(schedule, outcome)
    assert len(results) == schedule.length(results) == 2 * 24  # two turns: the second was in vain
    lines = schedule.standing_lines(results, ["a", "b"])
    assert lines[0].startswith("SPRT: not decided between 0 and 1 Elo for a against b")
    assert lines[1] == "12 of 24 pairs repeat others move by move; they do not count as evidence"
    assert lines[2].startswith("the test ends undecided: 12 openings gave only repeated games")


def test_a_sequential_test_from_one_opening_outlives_a_chance_repetition() -> None:
    schedule = Sequential(2, 60, Sprt(elo1=1))

    def outcome(game: Pairing) -> FinishedGame:
        line = "the usual game" if game.number % 8 < 6 else str(game.number)
        return FinishedGame(game.players, 1 if game.number % 3 else -1, opening=0, line=line)

    assert schedule.length(in_order(schedule, outcome)) == 60


@pytest.mark.parametrize("absent", [frozenset({1}), frozenset({0, 1})])
def test_a_sequential_test_of_an_agent_that_cannot_start_ends_without_a_verdict(absent: frozenset[int]) -> None:
    schedule = Sequential(2, 1000, Sprt(elo1=1))

    def outcome(game: Pairing) -> FinishedGame:
        won = 0 if len(absent) == 2 else 1 if game.players[0] == 0 else -1
        return FinishedGame(game.players, won, failed_without_move=absent, opening=game.opening, line=str(game.opening))

    results = in_order(schedule, outcome)
    assert schedule.length(results) == 10
    lines = schedule.standing_lines(results, ["a", "b"])
    assert "b forfeited 10 of 10 games, so there is no verdict on how they play" in lines[0]
    assert lines[-1].endswith("b failed before the first move")


def test_a_sequential_test_of_forfeits_says_nothing_of_how_they_play() -> None:
    schedule = Sequential(2, 1000, Sprt(elo1=100))

    def outcome(game: Pairing) -> FinishedGame:
        won = 1 if game.players[0] == 0 else -1
        return FinishedGame(game.players, won, at_fault=frozenset({1}), opening=game.opening, line=str(game.number))

    results = in_order(schedule, outcome)
    games = schedule.length(results)
    assert schedule.headline(results, ["a", "b"]) == (
        f"b forfeited {games} of {games} games, so there is no verdict on how they play"
    )


def test_a_sequential_test_that_its_games_do_not_decide_says_so() -> None:
    schedule = Sequential(2, 20, Sprt(elo1=1))
    results = in_order(schedule, by_lot(1))
    assert len(results) == schedule.length(results) == 20
    assert schedule.standing_lines(results, ["a", "b"])[-1] == ("the test ends undecided: 20 games are the maximum")
    del results[19]
    assert schedule.length(results) is None


@pytest.mark.parametrize(
    ("spec", "entrants", "complaint"),
    [
        ("swis", 4, "unknown schedule 'swis'; did you mean 'swiss'?"),
        ("cup", 4, "unknown schedule 'cup'; there are: gauntlet, knockout, pairs, round-robin, sprt, swiss"),
        ("swiss:round=3", 4, "schedule 'swiss' has no parameter 'round'; did you mean 'rounds'?"),
        ("swiss:rounds=-1", 4, "rounds must be a whole number in 0..10000, not -1"),
        ("round-robin:rounds=2", 4, "schedule 'round-robin' has no parameters, so 'rounds' cannot be set"),
        ("gauntlet:heroes=4", 4, "a gauntlet of 4 heroes among 4 agents leaves them no opponents"),
        ("pairs", 3, "pairs need an even number of agents, not 3"),
        ("sprt", 3, "a sequential test (sprt) is between two agents, not 3"),
        ("sprt:elo0=10", 2, "elo0 must be less than elo1"),
        ("imported", 2, "'imported' marks games that Joute did not schedule; name another schedule"),
    ],
)
def test_a_wrong_schedule_gives_one_clear_error_and_creates_nothing(
    tmp_path: Path, spec: str, entrants: int, complaint: str
) -> None:
    with pytest.raises(SpecError) as raised:
        Tournament.create(make_plan("connect4", ["random"] * entrants, schedule=spec), tmp_path / "t.db")
    assert complaint in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_the_number_of_games_depends_on_the_kind_unless_given() -> None:
    assert {name: default_games(name) for name in schedule_names()} == {
        "round-robin": 2,
        "gauntlet": 2,
        "pairs": 2,
        "swiss": 2,
        "knockout": 2,
        "sprt": 20_000,
    }
    assert make_plan("connect4", ["random", "greedy"], schedule="sprt").games == 20_000
    assert make_plan("connect4", ["random", "greedy"], schedule="sprt", games=10).games == 10


FIVE = ("greedy", "mcts:iterations=60", "random", "mcts:iterations=20", "random")


@pytest.mark.parametrize(
    ("agents", "spec", "head", "lines"),
    [
        (FIVE, "gauntlet:heroes=2", "gauntlet of 2 heroes, 6 pairings, 2 games each, 12 games in all", ()),
        (
            FIVE,
            "swiss:rounds=3",
            "Swiss system, 3 rounds, 2 games a match, 12 games in all if nobody withdraws",
            ("Swiss ranking after 3 of 3 rounds", "Buchholz", "a bye counts 2 points"),
        ),
        (
            FIVE,
            "knockout:extra=1",
            "knockout, 3 rounds, 2 games a match, 8 to 16 games, as ties need",
            ("quarter-finals:", "semi-finals:", "final:", "greedy: bye", "winner of the knockout: "),
        ),
        (
            ("mcts:iterations=60", "random"),
            "sprt:elo1=200",
            "sequential test of 0 against 200 Elo, errors 5% and 5%, at most 20000 games",
            ("SPRT: H1 accepted, mcts:iterations=60 is stronger than random",),
        ),
    ],
)
def test_every_kind_is_played_by_the_command(
    tmp_path: Path, agents: tuple[str, ...], spec: str, head: str, lines: tuple[str, ...]
) -> None:
    words = ("tournament", "connect4", *agents, "--schedule", spec, "--openings", "random:plies=2")
    done = joute(*words, "--db", str(tmp_path / "t.db"))
    assert done.returncode == 0, done.stderr
    assert head in done.stdout
    for line in lines:
        assert line in done.stdout
    again = joute("tournament", "--resume", "--db", str(tmp_path / "t.db"), "--json")
    data = json.loads(again.stdout)
    assert data["finished"]
    assert data["games"] == data["games_in_all"]
    assert all(line in done.stdout for line in data["schedule_standing"])


@pytest.mark.parametrize(("agents", "spec"), [(FIVE, "swiss"), (FIVE, "knockout"), (FIVE[1:3], "sprt:elo1=300")])
def test_games_do_not_depend_on_how_many_are_played_at_once(tmp_path: Path, agents: tuple[str, ...], spec: str) -> None:
    for workers in (1, 3):
        tournament = played(tmp_path / f"{workers}.db", agents, schedule=spec, concurrency=workers, openings="start")
    assert tournament.length is not None
    assert essence(tmp_path / "1.db")[: tournament.length] == essence(tmp_path / "3.db")[: tournament.length]


def test_a_toml_file_names_the_kind_of_tournament(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(
        'game = "tictactoe"\nschedule = "knockout"\n' + '[[agents]]\nagent = "random"\n' * 4
    )
    done = joute("tournament", "cup.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "winner of the knockout" in done.stdout
    done = joute("tournament", "cup.toml", "--schedule", "sprt", "--db", "s.db", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "joute: a sequential test (sprt) is between two agents, not 4\n")
    assert not (tmp_path / "s.db").exists()


def test_games_under_way_when_a_test_is_decided_are_kept_but_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    tournament = played(path, ["greedy", "random"], schedule="sprt:elo1=100", concurrency=4, openings="random:plies=2")
    assert tournament.length is not None
    assert tournament.standings.games == tournament.length <= len(records(path))
    with Store.resume(path) as store:  # more of them, as if other workers had been busy
        store.begin_session(workers=1, note="")
        *_, last = store.games()
        for number in range(last.pairing.number + 1, last.pairing.number + 4):
            players = (0, 1) if number % 2 == 0 else (1, 0)
            store.add(Pairing(number, players, 0), last.record, started=datetime.now(UTC))
        assert len(list(counted_games(store))) == tournament.length
    with Tournament.resume(path) as again:
        assert again.is_finished
        assert again.standings.games == again.length == tournament.length


@pytest.mark.parametrize("spec", ["swiss:rounds=2", "knockout"])
def test_a_schedule_that_waits_for_an_agent_that_changed_ends_with_a_sentence(
    tmp_path: Path, spec: str, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = tmp_path / "mine.py"
    first = "def choose(state, clock):\n    return state.legal_moves[0]\n"
    agent.write_text(first)
    path = tmp_path / "t.db"

    def on_game(finished: Any) -> None:
        agent.write_text("def choose(state, clock):\n    return state.legal_moves[-1]\n")

    agents = ["greedy", "random", "mcts:iterations=20", str(agent)]
    stopped = played(path, agents, schedule=spec, games=2, openings="start", concurrency=1, on_game=on_game)
    assert not stopped.is_finished
    assert stopped.changed == {3}
    assert stopped.length is None
    with pytest.raises(typer.Exit):
        _end_if_incomplete(stopped, "joute tournament --resume")
    told = capsys.readouterr().err
    assert told.startswith("joute: up to ")
    assert "games were not played because the file of 'mine' changed; restore it, then: joute" in told
    agent.write_text(first)
    done = joute("tournament", "--resume", "--db", str(path))
    assert done.returncode == 0, done.stderr
    undisturbed = played(tmp_path / "quiet.db", agents, schedule=spec, games=2, openings="start")
    assert undisturbed.is_finished
    assert essence(path) == essence(tmp_path / "quiet.db")


def test_a_single_game_is_not_called_games() -> None:
    told = [make_schedule(kind, 2, 1) for kind in ("round-robin", "knockout:extra=0", "swiss:rounds=1")]
    for schedule in told:
        assert " 1 game" in f"{schedule.description} {schedule.note}"
        assert "1 games" not in f"{schedule.description} {schedule.note}"


def test_an_agent_that_cannot_start_is_withdrawn_from_a_swiss_tournament(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise RuntimeError('no')\n")
    agents = ["greedy", "random", str(tmp_path / "broken.py"), "random"]
    tournament = played(tmp_path / "t.db", agents, schedule="swiss:rounds=3", games=2)
    assert tournament.is_finished
    games = [record.players for record in records(tmp_path / "t.db")]
    assert sum("broken" in players for players in games) == 2
    assert len(games) == 4 + 2 + 2  # then one of three has a bye
    names = [entrant.name for entrant in tournament.plan.entrants]
    lines = tournament.schedule.standing_lines(tournament.results, names)
    assert any("broken" in line and "withdrawn: it failed before the first move" in line for line in lines)


def test_a_file_whose_games_are_not_its_tournaments_is_refused(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "t.db"
    played(path, ["random"] * 4, schedule="swiss:rounds=2")
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM moves WHERE game = 7")
    connection.execute("DELETE FROM games WHERE number = 7")
    connection.execute("UPDATE games SET first = second, second = first WHERE number = 1")
    connection.commit()
    connection.close()
    with Tournament.resume(path) as tournament, pytest.raises(StoreError, match="game 2 is not between the agents"):
        tournament.play()
