"""Games and matches: rules and dice are the referee's, and the statistics are honest."""

from __future__ import annotations

import dataclasses
import math
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from simulated_tournaments import Scenario

import joute.match.player
from joute import Clock, Random, State, new, play_game, play_match
from joute.agents import AgentType, SearchInfo, register_agent
from joute.errors import SpecError
from joute.games.connect4.state import Connect4
from joute.match import GameRecord, MatchResult, MoveRecord, Reason, Sprt
from joute.match.statistics import Z_95, Pentanomial, dispersion, elo_of, normal_cdf, score_of, wilson_interval


class First:
    """Plays the first legal move."""

    def choose(self, state: State, clock: Clock) -> Any:
        return state.legal_moves[0]


class Illegal:
    def choose(self, state: State, clock: Clock) -> Any:
        return "8"


class NotAMove:
    def choose(self, state: State, clock: Clock) -> Any:
        return None


class Crashes:
    def choose(self, state: State, clock: Clock) -> Any:
        if state.ply >= 4:
            raise RuntimeError("out of ideas")
        return state.legal_moves[-1]


def test_a_game_is_played_to_its_end_and_can_be_replayed(game: str) -> None:
    record = play_game(game, "random", "random", seed=11)
    states = list(record.states())
    assert states[0] == new(game)
    assert states[-1].result == record.result
    assert len(states) == len(record.moves) + 1
    assert record.reason is Reason.NORMAL


def test_the_same_seed_gives_the_same_game_and_another_seed_another(game: str) -> None:
    def moves(seed: int) -> list[tuple[str, tuple[int, ...]]]:
        return [(m.move, m.outcomes) for m in play_game(game, "random", "random", seed=seed).moves]

    assert moves(1) == moves(1)
    assert len({str(moves(seed)) for seed in range(5)}) > 1


def test_a_game_may_start_from_a_position() -> None:
    start = new("connect4", "112233")
    record = play_game(start, "greedy", "random")
    assert new("connect4", record.start) == start
    assert [played.move for played in record.moves] == ["4"]
    assert record.winner == 0


@pytest.mark.parametrize(
    ("agent", "reason", "detail"),
    [
        (Illegal(), Reason.ILLEGAL_MOVE, "Illegal: illegal move 8 at ply"),
        (NotAMove(), Reason.ILLEGAL_MOVE, "NotAMove: illegal move None (NoneType, not a move) at ply"),
        (Crashes(), Reason.CRASH, "Crashes: RuntimeError: out of ideas"),
    ],
)
def test_a_misbehaving_agent_loses_and_the_record_says_why(agent: Any, reason: Reason, detail: str) -> None:
    for player in (0, 1):
        players = (agent, First()) if player == 0 else (First(), agent)
        record = play_game("connect4", *players)
        assert record.winner == 1 - player
        assert record.reason is reason
        assert detail in record.detail
        assert detail in str(record)


class Plays:
    """Plays whatever it was given."""

    def __init__(self, move: Any) -> None:
        self.move = move

    def choose(self, state: State, clock: Clock) -> Any:
        return self.move


class Raises:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def choose(self, state: State, clock: Clock) -> Any:
        raise self.error


class UnprintableError(Exception):
    """Cannot be compared, printed, or asked for its class."""

    def _fail(self, *_: object) -> Any:
        raise SystemExit("caught you")

    __eq__ = __str__ = __repr__ = _fail
    __hash__ = Exception.__hash__
    __class__ = property(_fail)


class TrickyText(str):
    def _fail(self, *_: object) -> Any:
        raise RuntimeError("not today")

    __eq__ = __str__ = __repr__ = isprintable = encode = _fail  # type: ignore[assignment]
    __hash__ = str.__hash__


# Made by functions, because pytest cannot hold the worst of them.
NO_MOVES: dict[str, Callable[[], Any]] = {
    "unprintable": UnprintableError,
    "tricky text": lambda: TrickyText("x"),
    "array": lambda: np.arange(4),
    "array in a tuple": lambda: (np.arange(4),),
    "undecodable": lambda: "\udcff",
    "NUL": lambda: "4\x00",
    "empty": lambda: "",
    "list": list,
    "float": lambda: 4.0,
    "bool": lambda: True,
    "huge": lambda: 10**5000,
}


@pytest.mark.parametrize("kind", NO_MOVES)
def test_nothing_that_an_agent_plays_escapes_the_referee(game: str, kind: str) -> None:
    record = play_game(game, Plays(NO_MOVES[kind]()), First())
    assert (record.reason, record.winner) == (Reason.ILLEGAL_MOVE, 1)
    assert record.detail.startswith("Plays: illegal move ")
    assert record.detail.isprintable()
    assert str(record).encode()


def test_a_native_move_made_without_its_constructor_is_illegal() -> None:
    kind = type(Connect4.new().legal_moves[0])
    with pytest.warns(RuntimeWarning):
        record = play_game("connect4", Plays(kind.__new__(kind)), First())
    assert record.reason is Reason.ILLEGAL_MOVE


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, MemoryError, UnprintableError])
def test_nothing_that_an_agent_raises_escapes_the_referee(error: type[BaseException]) -> None:
    record = play_game("connect4", First(), Raises(error()))
    assert (record.reason, record.winner) == (Reason.MEMORY if error is MemoryError else Reason.CRASH, 0)
    assert record.detail.startswith(f"Raises: {error.__name__}: ")


def test_ctrl_c_while_an_agent_thinks_comes_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        play_game("connect4", Raises(KeyboardInterrupt()), First())


def test_an_agent_prepares_each_game_before_its_clock_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0
    monkeypatch.setattr(joute.match.player, "time", SimpleNamespace(perf_counter=lambda: now_s))

    class Prepares(First):
        def prepare_game(self, start: State) -> None:
            nonlocal now_s
            now_s += 100  # longer than the clock
            calls.append(f"prepare {start.position}")

        def choose(self, state: State, clock: Clock) -> Any:
            calls.append("choose")
            return super().choose(state, clock)

    calls: list[str] = []
    player = Prepares()
    for _ in range(2):
        record = play_game(new("connect4", "44"), player, First(), clock="10")
        assert record.reason is Reason.NORMAL
        assert calls == ["prepare 44", *["choose"] * ((len(record.moves) + 1) // 2)]
        calls.clear()


def test_an_agent_that_fails_to_prepare_loses_by_a_crash() -> None:
    class Unprepared(First):
        def prepare_game(self, start: State) -> None:
            sys.exit("no weights found")

    record = play_game("connect4", First(), Unprepared())
    assert (record.reason, record.winner, record.moves) == (Reason.CRASH, 0, ())
    assert "no weights found" in record.detail


def test_an_agent_that_cannot_be_made_loses_by_a_crash() -> None:
    @dataclass(frozen=True)
    class NoParameters:
        pass

    def create(parameters: NoParameters, seed: int) -> Any:
        sys.exit("no weights found")

    register_agent(AgentType("unmade", "cannot be made", NoParameters, create))
    record = play_game("connect4", "random", "unmade")
    assert (record.reason, record.winner) == (Reason.CRASH, 0)
    assert record.detail.startswith("unmade: SystemExit: no weights found (test_match.py:")


def test_search_information_is_kept_with_each_move() -> None:
    class Informed(First):
        info = SearchInfo(value_for_mover=0.25, depth=3, nodes=7, pv=("1", "2"))

    record = play_game("connect4", Informed(), First())
    assert {played.info for played in record.moves if played.player == 0} == {Informed.info}
    assert {played.info for played in record.moves if played.player == 1} == {None}


def test_search_information_that_cannot_be_read_is_ignored() -> None:
    class Secretive(First):
        @property
        def info(self) -> SearchInfo:
            sys.exit("ask my lawyer")

    record = play_game("connect4", Secretive(), First())
    assert record.reason is Reason.NORMAL
    assert {played.info for played in record.moves} == {None}


def test_a_mistake_in_the_rules_is_nobodys_loss() -> None:
    class Broken(type(new("tictactoe"))):  # type: ignore[misc]
        def after(self, move: Any) -> Any:
            raise ZeroDivisionError("in the rules")

    with pytest.raises(ZeroDivisionError, match="in the rules"):
        play_game(Broken(), First(), First())


def test_a_record_keeps_the_legal_move_that_was_meant(game: str) -> None:
    class Text:
        def choose(self, state: State, clock: Clock) -> Any:
            return np.str_(state.legal_moves[-1])

    record = play_game(game, Text(), First(), seed=2)
    assert record.reason is Reason.NORMAL
    assert all(type(played.move) is str for played in record.moves)
    assert list(record.states())[-1].result == record.result


def test_records_of_games_that_end_early_can_be_replayed_too() -> None:
    for agent in (Crashes(), Illegal(), NotAMove()):
        record = play_game("connect4", "random", agent, seed=3)
        assert len(list(record.states())) == len(record.moves) + 1


class Timed(First):
    """Takes a number of seconds for each move, by a clock that only it moves."""

    now_s = 0.0

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def choose(self, state: State, clock: Clock) -> Any:
        Timed.now_s += self.seconds * (1 + state.ply)
        return super().choose(state, clock)


def test_the_time_of_each_move_and_of_each_agent_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joute.match.player, "time", SimpleNamespace(perf_counter=lambda: Timed.now_s))
    slow, fast = Timed(3.0), Timed(1.0)
    record = play_game("connect4", slow, fast)
    expected = [(3.0 if ply % 2 == 0 else 1.0) * (1 + ply) for ply in range(len(record.moves))]
    assert [played.time_s for played in record.moves] == pytest.approx(expected)

    result = play_match("connect4", slow, fast, games=2, openings="start")
    plies = len(record.moves)
    as_first, as_second = sum(range(1, plies + 1, 2)), sum(range(2, plies + 1, 2))
    assert result.moves(of_a=True) == result.moves(of_a=False) == plies
    assert result.time_s(of_a=True) == pytest.approx(3.0 * (as_first + as_second))
    assert result.time_s(of_a=False) == pytest.approx(1.0 * (as_first + as_second))
    assert result.mean_time_s(of_a=True) == pytest.approx(3 * result.mean_time_s(of_a=False))


def test_a_game_that_reaches_the_ply_limit_is_stopped() -> None:
    record = play_game("connect4", "random", "random", max_plies=3)
    assert record.reason is Reason.PLY_LIMIT
    assert len(record.moves) == 3
    assert record.winner is None


def test_colours_alternate_and_wins_are_counted_for_the_right_agent() -> None:
    result = play_match("connect4", "greedy", "random", games=40, seed=5)
    assert result.a_first == [True, False] * 20
    wins, draws, losses = result.tally()
    assert wins >= 36
    assert wins + draws + losses == result.games == 40
    as_first, as_second = result.tally(a_first=True), result.tally(a_first=False)
    assert tuple(map(sum, zip(as_first, as_second, strict=True))) == result.tally()
    swapped = play_match("connect4", "random", "greedy", games=40, seed=5)
    assert swapped.score < 0.1
    assert "greedy is stronger" in result.verdict
    assert "greedy is stronger" in swapped.verdict
    assert result.mean_time_s(of_a=True) > 0


def test_agents_that_repeat_themselves_get_no_interval_they_do_not_deserve() -> None:
    result = play_match("connect4", First(), First(), games=20, openings="start")
    assert result.distinct_games == 2  # one for each colour
    assert "only 2 distinct games among 20" in result.verdict
    assert result.interval == wilson_interval(result.score, 2)


def scripted_record(outcome: int, *moves: str) -> GameRecord:
    played = tuple(MoveRecord(ply % 2, move, 0.0) for ply, move in enumerate(moves))
    return GameRecord("connect4", "", ("a", "b"), 0, played, joute.Result(outcome), Reason.NORMAL)


def test_a_handful_of_games_gives_no_verdict_however_they_end() -> None:
    result = play_match("connect4", "perfect", "random", games=6, seed=1)
    assert result.tally() == (6, 0, 0)
    assert result.verdict == "only 6 games: too few for a verdict"


def test_a_game_played_again_does_not_narrow_the_interval() -> None:
    once, thrice = MatchResult("a", "b"), MatchResult("a", "b")
    for repeats, result in ((1, once), (3, thrice)):
        for _ in range(repeats):
            for game in range(20):
                result.add(scripted_record(1 if game < 13 else -1, "1", str(game)), a_first=True)
    assert (once.games, thrice.games) == (20, 60)
    assert once.distinct_games == thrice.distinct_games == 20
    assert once.interval == thrice.interval == wilson_interval(13 / 20, 20)
    assert once.verdict == thrice.verdict == "not distinguishable at 95%; about 65 more games"


def result_of(*points: float, starts: Sequence[str] | None = None) -> MatchResult:
    """A match with these points of A, who is first in every other game; all games differ."""
    result = MatchResult("a", "b")
    for number, scored in enumerate(points):
        a_first = number % 2 == 0
        outcome = round(2 * scored) - 1
        record = scripted_record(outcome if a_first else -outcome, str(number))
        start = starts[number] if starts else str(number // 2)
        result.add(dataclasses.replace(record, start=start), a_first=a_first)
    return result


def mixed(wins: int, draws: int, losses: int, seed: int = 1) -> list[float]:
    """Points of so many games, in an order that no pair explains."""
    points = [1.0] * wins + [0.5] * draws + [0.0] * losses
    np.random.default_rng(seed).shuffle(points)
    return points


def test_54_to_45_is_not_a_result() -> None:
    """A paper published it as one."""
    for points in ([1.0] * 54 + [0.0] * 45, mixed(54, 1, 45)):
        result = MatchResult("a", "b")
        for number, scored in enumerate(points):
            result.add(scripted_record(round(2 * scored) - 1, str(number)), a_first=True)
        low, high = result.elo_interval
        assert low == pytest.approx(-36, abs=2)
        assert high == pytest.approx(102, abs=4)
        assert result.verdict.startswith("not distinguishable at 95%; about ")
        assert 0.8 < result.los < 0.85


def test_the_intervals_of_score_and_elo_and_the_verdict_come_from_the_same_numbers() -> None:
    for wins in range(30, 71, 4):
        result = result_of(*mixed(wins, 20, 80 - wins))
        low, high = result.interval
        assert result.elo_interval == (elo_of(low), elo_of(high))
        assert score_of(result.elo) == pytest.approx(result.score)
        assert (low > 0.5) == ("a is stronger" in result.verdict) == (result.los > normal_cdf(Z_95))
        assert (high < 0.5) == ("b is stronger" in result.verdict) == (result.los < normal_cdf(-Z_95))


def test_pairs_are_found_by_their_start_and_swapped_colours() -> None:
    result = result_of(1, 0, 0.5, 1, 1, starts=["x", "x", "x", "y", "y"])
    # x: 1 + 0, then one waits; y: 1 + 1.
    assert result.pentanomial.counts == (0, 0, 1, 0, 1)
    # Two games with the same colours are no pair, whatever their order.
    result = MatchResult("a", "b")
    for a_first in (True, True, False, True, False, False):
        result.add(scripted_record(1, "1"), a_first=a_first)
    assert result.pentanomial.pairs == 3
    assert result.pentanomial.counts == (0, 0, 3, 0, 0)


def test_openings_that_decide_games_narrow_the_interval_of_pairs() -> None:
    swapped = result_of(*[1.0, 0.0] * 30, *[1.0, 1.0] * 6)
    apart = result_of(*[1.0, 0.0] * 30, *[1.0, 1.0] * 6, starts=[str(number) for number in range(72)])
    assert swapped.score == apart.score
    assert swapped.dispersion < 0.4 < 0.9 < apart.dispersion
    assert swapped.interval[1] - swapped.interval[0] < 0.7 * (apart.interval[1] - apart.interval[0])
    assert "a is stronger" in swapped.verdict
    assert "not distinguishable" in apart.verdict


def test_the_games_that_are_said_to_be_missing_are_about_enough() -> None:
    """With the same score and so many more games, four matches in five are decided."""
    result = result_of(*mixed(33, 0, 27), starts=[str(number) for number in range(60)])
    more = int(result.verdict.removesuffix(" more games").split()[-1].replace(",", ""))
    rng = np.random.default_rng(2)
    decided = 0
    for _ in range(400):
        wins = int(rng.binomial(60 + more, result.score))
        decided += wilson_interval(wins / (60 + more), 60 + more)[0] > 0.5
    assert decided / 400 == pytest.approx(0.8, abs=0.06)


def test_an_even_score_says_what_a_small_difference_would_take() -> None:
    result = result_of(*mixed(30, 0, 30))
    assert result.verdict.startswith("not distinguishable at 95%; to show a difference of 10 Elo takes about ")
    assert 8000 < int(result.verdict.split()[-2].replace(",", "")) < 12000 * result.dispersion


@pytest.mark.parametrize(
    ("pairs", "elo", "draws", "openings_sd"),
    [(10, 0, 0.4, 0), (10, 0, 0.0, 0), (10, 150, 0.4, 0), (50, 20, 0.2, 400)],
)
def test_the_interval_of_a_match_covers_the_true_score(
    pairs: int, elo: float, draws: float, openings_sd: float
) -> None:
    scenario = Scenario("match", (elo, 0), pairs, draws=draws, openings_sd=openings_sd)
    expected = scenario.expected()
    truth = (expected[0, 1] + 1 - expected[1, 0]) / 2
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(500):
        games = list(scenario.games(rng))
        together = [a.points + 1 - b.points for a, b in zip(games[:pairs], games[pairs:], strict=True)]
        count = together.count
        counts = Pentanomial((count(0), count(0.5), count(1), count(1.5), count(2)))
        low, high = wilson_interval(counts.score, 2 * pairs / dispersion(counts))
        covered += low <= truth <= high
    assert 0.93 <= covered / 500 <= 0.975


def test_a_match_gives_its_games_to_the_ratings() -> None:
    result = play_match("connect4", "greedy", "random", games=20, seed=5)
    games = list(result.rated_games(3, 1))
    assert [(game.first, game.second) for game in games] == [(3, 1), (1, 3)] * 10
    assert sum(game.points if game.first == 3 else 1 - game.points for game in games) == result.score * 20
    assert len({game.line for game in games}) == result.distinct_games
    assert [game.pair for game in games] == [pair for pair in range(0, 20, 2) for _ in range(2)]


def test_agents_that_repeat_themselves_prove_nothing_by_it() -> None:
    """First beats itself with the first move, again and again: a test must not take that for evidence."""
    sprt = Sprt(elo0=0, elo1=100)
    result = play_match("connect4", First(), First(), games=10_000, sprt=sprt, openings="start")
    assert result.games < 50
    assert result.test(sprt).pairs == 1
    assert result.test(sprt).decision is None


def test_a_pair_with_one_new_game_counts_for_half() -> None:
    result = MatchResult("a", "b")
    for first, second in (("1", "2"), ("1", "3"), ("1", "2")):
        result.add(scripted_record(1, first), a_first=True)
        result.add(scripted_record(-1, second), a_first=False)
    assert result.pentanomial.counts == (0, 0, 0, 0, 3)
    assert result.test(Sprt()).pairs == pytest.approx(1.5)


def test_most_games_forfeited_is_what_a_test_says_too() -> None:
    result = play_match("connect4", Illegal(), First(), games=100, sprt=Sprt(elo1=100))
    assert result.verdict_by(Sprt(elo1=100)).startswith("Illegal forfeited ")


def test_the_counters_agree_with_the_records() -> None:
    result = play_match("connect4", "random", Crashes(), games=30, seed=1)
    for colour in (True, False):
        outcomes = [
            record.result.outcome_for(0 if first else 1)
            for record, first in zip(result.records, result.a_first, strict=True)
            if first == colour
        ]
        assert result.tally(a_first=colour) == tuple(outcomes.count(outcome) for outcome in (1, 0, -1))
    assert result.mean_plies == sum(len(record.moves) for record in result.records) / 30


def test_equal_agents_are_not_distinguished() -> None:
    result = play_match("connect4", "random", "random", games=60, seed=2)
    assert result.distinct_games == 60
    assert result.verdict.startswith("not distinguishable at 95%; about ")


def test_games_lost_by_crashes_are_counted_by_reason() -> None:
    result = play_match("connect4", Crashes(), "random", games=10)
    crashes = [record for record in result.records if record.reason is Reason.CRASH]
    assert crashes
    assert result.reasons == {"crash": len(crashes)}


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    # Published Wilson intervals: 54 of 100 (44-63%), 20 of 20 (84-100%), 19 of 20 (76-99%).
    [(54, 100, 0.443, 0.634), (20, 20, 0.839, 1.0), (19, 20, 0.764, 0.991), (0, 10, 0.0, 0.278)],
)
def test_the_interval_is_wilsons(wins: int, games: int, low: float, high: float) -> None:
    assert wilson_interval(wins / games, games) == pytest.approx((low, high), abs=1e-3)


def test_the_interval_covers_the_true_score() -> None:
    """95% of simulated matches of 50 games cover the truth, within what 2,000 matches can tell."""
    rng = Random(8)
    for truth in (0.5, 0.8):
        covered = 0
        for _ in range(2000):
            wins = sum(rng.uniform() < truth for _ in range(50))
            low, high = wilson_interval(wins / 50, 50)
            covered += low <= truth <= high
        assert covered / 2000 == pytest.approx(0.95, abs=0.025)


def test_the_interval_of_no_games_is_everything() -> None:
    assert wilson_interval(0.5, 0) == (0.0, 1.0)
    assert not math.isnan(wilson_interval(1.0, 1)[0])


@pytest.mark.parametrize(
    "agent", ["mine.py", "mine.py:Best", "tcp:./bot --fast", "ugi:./bot", "xmlrpc:http://localhost:1"]
)
def test_in_python_a_file_or_a_program_is_refused_with_where_it_plays(agent: str) -> None:
    sentence = f"^{re.escape(agent)} is not the spec of an agent: files, programs and servers play in joute match"
    with pytest.raises(SpecError, match=sentence):
        play_match("connect4", agent, "random", games=1)
