"""The sequential test: equal to published figures, and wrong no more often than it says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from joute import play_match
from joute.errors import SpecError
from joute.match import Sprt
from joute.match.sprt import log_likelihood_ratio
from joute.match.statistics import ELO_A_NAT, Pentanomial, elo_of, score_of


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    # fastchess, app/tests/sprt_test.cpp, "logistic pentanomial": pairs that both won once and that were drawn twice are
    # counted apart there.
    [
        ((223, 9863, 20279 + 1000, 10037, 246), 0.5, 2.5, -3.07),
        ((871, 26175, 55003 + 980, 26678, 821), 0.0, 2.0, -4.98),
    ],
)
def test_the_likelihood_ratio_equals_that_of_fastchess(
    counts: tuple[int, ...], elo0: float, elo1: float, llr: float
) -> None:
    assert log_likelihood_ratio(counts, elo0, elo1) == pytest.approx(llr, abs=0.005)


@pytest.mark.parametrize(
    ("counts", "elo", "error"),
    # fastchess, app/tests/elo_test.cpp, "EloPentanomial 1" to 3; the error is half of the 95% interval.
    [
        ((34, 54, 31 + 32, 64, 75), 55.58, 27.65),
        ((332, 433, 457 + 41, 333, 334), -8.64, 10.33),
        ((7895, 8757, 5485 + 200, 568, 9999), -21.04, 2.95),
        # fishtest's stat_util.get_elo, as the tests of another program (blink) quote it, from commit 93fe81eb.
        ((3, 20, 50, 22, 5), 10.426196, 29.313787),
        ((12, 40, 60, 30, 8), -20.871205, 27.758506),
    ],
)
def test_the_variance_of_pairs_gives_the_published_errors(
    counts: tuple[float, float, float, float, float], elo: float, error: float
) -> None:
    pairs = Pentanomial(counts)
    assert elo_of(pairs.score) == pytest.approx(elo, abs=0.005)
    deviation = 1.959964 * math.sqrt(pairs.variance_a_game / (2 * pairs.pairs))
    low, high = (elo_of(pairs.score + sign * deviation) for sign in (-1, 1))
    assert (high - low) / 2 == pytest.approx(error, abs=0.005)


@pytest.mark.parametrize("counts", [(4, 9, 30, 21, 6), (1, 1, 500, 20, 2), (50, 1, 1, 1, 40)])
def test_the_likelihood_ratio_is_that_of_the_likeliest_explanations(counts: tuple[int, ...]) -> None:
    """A general optimizer, told the hypothesis' score, finds no likelier distribution, nor a less likely one."""
    from scipy.optimize import minimize

    def highest(elo: float) -> float:
        conditions = [
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: p @ np.arange(5) / 4 - score_of(elo)},
        ]
        found = minimize(
            lambda p: -np.array(counts) @ np.log(p) / sum(counts),
            np.full(5, 0.2),
            bounds=[(1e-9, 1)] * 5,
            constraints=conditions,
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        return float(-found.fun * sum(counts))

    assert log_likelihood_ratio(counts, 0.0, 60.0) == pytest.approx(highest(60.0) - highest(0.0), abs=1e-3)


def test_what_has_not_been_seen_is_not_impossible() -> None:
    test = Sprt(elo0=0, elo1=10)
    assert test.test((0, 0, 0, 0, 0)).llr == 0
    assert test.test((0, 0, 0, 0, 1)).llr == pytest.approx(math.log(score_of(10) / 0.5), abs=1e-3)
    assert test.test((0, 0, 100, 0, 0)).llr < -2  # only draws: not 10 Elo stronger
    assert test.test((7, 0, 0, 0, 0)).llr == pytest.approx(7 * math.log((1 - score_of(10)) / 0.5), abs=1e-2)


def test_the_bounds_are_walds_and_decide() -> None:
    test = Sprt(elo0=0, elo1=50, alpha=0.05, beta=0.1)
    assert test.bounds == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)))
    assert test.test((10, 20, 40, 20, 10)).decision == "H0"
    assert test.test((5, 10, 40, 60, 30)).decision == "H1"
    undecided = test.test((1, 2, 4, 3, 1))
    assert undecided.decision is None
    assert str(undecided).startswith("SPRT: not decided between 0 and 50 Elo for A against B (LLR ")
    assert "H1 accepted, mine is stronger than yours" in test.test((5, 10, 40, 60, 30)).words("mine", "yours")


def test_a_test_is_read_from_text_and_written_back() -> None:
    test = Sprt.parse("elo0=-5,elo1=0,alpha=0.01")
    assert test == Sprt(elo0=-5, elo1=0, alpha=0.01, beta=0.05)
    assert Sprt.parse(str(test)) == test
    assert Sprt.parse("sprt:elo1=20") == Sprt(elo1=20)
    assert Sprt.parse("") == Sprt.parse("sprt") == Sprt()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("elo0=10,elo1=10", "elo0 must be less than elo1, not 10 and 10"),
        ("elo2=1", "sprt has no parameter 'elo2'; did you mean 'elo1'"),
        ("alpha=0.7", r"alpha must be a number in 0.0001..0.4, not 0.7"),
        ("elo1=fast", "elo1 must be a number in -1000..1000, not 'fast'"),
        ("elo1", "'elo1' in 'sprt:elo1' is not of the form key=value"),
    ],
)
def test_a_test_that_cannot_be_gets_one_sentence(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        Sprt.parse(text)


def simulated_tests(
    test: Sprt, elo: float, runs: int, *, draws: float, openings_sd: float, seed: int
) -> list[tuple[str, int]]:
    """What the test decides, and after how many games, if A is so much stronger and openings favour a colour."""
    rng = np.random.default_rng(seed)
    points, weights = np.polynomial.hermite_e.hermegauss(41)
    low, high = -2000.0, 2000.0
    for _ in range(60):
        ahead = (low + high) / 2
        score = (weights / (1 + np.exp(-(ahead + openings_sd * points) / ELO_A_NAT))).sum() / weights.sum()
        low, high = (ahead, high) if score < score_of(elo) else (low, ahead)
    ends = []
    for _ in range(runs):
        counts = [0] * 5
        while (decision := test.test(counts).decision) is None:
            favour = rng.normal(0, openings_sd)
            halves = 0
            for sign in (1, -1):
                score = 1 / (1 + math.exp(-(ahead + sign * favour) / ELO_A_NAT))
                half_draws = draws * min(score, 1 - score)
                luck = rng.random()
                halves += 2 * (luck < score - half_draws) or int(luck < score + half_draws)
            counts[halves] += 1
        ends.append((decision, 2 * sum(counts)))
    return ends


@pytest.mark.parametrize(("draws", "openings_sd"), [(0.0, 0), (0.6, 0), (0.3, 400)])
def test_errors_are_as_rare_as_the_test_says(draws: float, openings_sd: float) -> None:
    """500 tests where H0 is true, and 500 where H1 is; the bounds hold within what so many can tell."""
    test = Sprt(elo0=0, elo1=100, alpha=0.05, beta=0.1)
    for elo, wrong, allowed in ((0, "H1", test.alpha), (100, "H0", test.beta)):
        ends = simulated_tests(test, elo, 500, draws=draws, openings_sd=openings_sd, seed=1)
        errors = [decision for decision, _ in ends].count(wrong) / len(ends)
        assert errors <= allowed + 2 * math.sqrt(allowed * (1 - allowed) / len(ends))
        assert errors >= allowed / 5  # and not for want of deciding


@pytest.mark.slow
@pytest.mark.parametrize(("draws", "games"), [(0.0, 6500), (0.4, 3800)])
def test_ten_elo_take_as_many_games_as_the_documentation_says(draws: float, games: int) -> None:
    ends = simulated_tests(Sprt(elo0=0, elo1=10), 0, 200, draws=draws, openings_sd=0, seed=1)
    print(f"{np.mean([length for _, length in ends]):.0f} games on average")
    assert np.mean([length for _, length in ends]) == pytest.approx(games, rel=0.1)


def test_a_match_stops_when_its_test_is_decided() -> None:
    result = play_match("connect4", "greedy", "random", games=1000, seed=1, sprt=Sprt(elo0=0, elo1=100))
    assert result.games < 60
    assert result.games % 2 == 0
    assert result.test(Sprt(elo0=0, elo1=100)).decision == "H1"
    before = Pentanomial((0, 0, 0, 0, result.games / 2 - 1))
    assert Sprt(elo0=0, elo1=100).test(before.counts).decision is None


def test_a_match_whose_test_is_not_decided_ends_with_its_games() -> None:
    result = play_match("connect4", "random", "random", games=10, seed=1, sprt=Sprt(elo0=0, elo1=10))
    assert result.games == 10
    assert "not decided between 0 and 10 Elo for random" in result.verdict_by(Sprt(elo0=0, elo1=10))
