"""The methods on agents whose best values are known."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from synthetic_tuning import Strength, bowl, number, played, tuning

from joute.arena.schedules.schedule import FinishedGame
from joute.errors import SpecError
from joute.spec import Value
from joute.tune.plan import choose_method
from joute.tune.space import Dimension, Point, Space

TWO = Space((number("a", 0.2), number("b", 3.0, 1.0, 10.0)))
BOWL = bowl({"a": 0.6}, 800.0)


def peak(values: Mapping[str, Value]) -> float:
    """Best at a=0.6 and b=8; the base setting is 240 Elo weaker."""
    return BOWL(values) - 4.5 * (float(values["b"]) - 8) ** 2


MIXED = Space((Dimension("style", "calm", choices=("calm", "wild", "odd")), number("a", 0.2)))


def style(values: Mapping[str, Value]) -> float:
    """The style is worth 150 Elo, and the number up to 90."""
    return {"calm": 0.0, "wild": 150.0, "odd": -50.0}[str(values["style"])] + bowl({"a": 0.5}, 1000.0)(values)


def best_of(space: Space, strength: Strength, games: int, method: str, seed: int) -> tuple[float, Point]:
    """How much weaker the setting found is than the best one, and the setting."""
    schedule = tuning(space, games, method, tuning_seed=seed, tests=0)
    point = schedule.progress(played(schedule, strength, seed=seed)).tuner.best
    return strength(dict(zip(space.names, point, strict=True))), point


@pytest.mark.parametrize("seed", range(3))
def test_spsa_finds_the_best_numbers_within_2000_games(seed: int) -> None:
    weaker, _ = best_of(TWO, peak, 2000, "spsa", seed)
    assert weaker > -25


def test_spsa_finds_the_best_whole_number_and_switch() -> None:
    space = Space((Dimension("depth", 2, 1, 9), Dimension("careful", False, choices=(False, True))))

    def strength(values: Mapping[str, Value]) -> float:
        return -15 * (int(values["depth"]) - 6) ** 2 + 60 * bool(values["careful"])

    _, point = best_of(space, strength, 2000, "spsa", seed=1)
    assert point[1] is True
    assert point[0] in (5, 6, 7)


def test_spsa_finds_the_order_of_magnitude_on_a_logarithmic_range() -> None:
    space = Space((number("bias", 1e-4, 1e-5, 1.0, is_log=True),))

    def strength(values: Mapping[str, Value]) -> float:
        return 200 * -((space.units((values["bias"],))[0] - 0.7) ** 2)

    _, (bias,) = best_of(space, strength, 2000, "spsa", seed=1)
    assert 5e-3 < float(bias) < 0.3  # the best is 0.032


@pytest.mark.parametrize("seed", range(2))
def test_tpe_finds_a_choice_and_a_number_within_1200_games(seed: int) -> None:
    pytest.importorskip("optuna")
    weaker, point = best_of(MIXED, style, 1200, "tpe", seed)
    assert point[0] == "wild"
    assert weaker > 150 - 40


def test_cma_es_improves_numbers_within_1200_games() -> None:
    pytest.importorskip("cmaes")
    base = peak(dict(zip(TWO.names, TWO.base, strict=True)))
    weaker, _ = best_of(TWO, peak, 1200, "cma-es", seed=1)
    assert weaker > base / 2


@pytest.mark.parametrize("method", ["spsa", "tpe"])
def test_a_tuning_that_is_killed_again_and_again_has_the_games_of_one_that_is_not(method: str) -> None:
    if method == "tpe":
        pytest.importorskip("optuna")
    space = TWO if method == "spsa" else MIXED
    strength = peak if method == "spsa" else style
    schedule = tuning(space, 120, method, tuning_seed=7, test_games=120)
    whole = played(schedule, strength, seed=1)
    parts = played(schedule, strength, seed=1, workers=5, kills=0.1)
    length = schedule.length(whole)
    assert length is not None
    assert length > 120
    assert schedule.length(parts) == length
    # Games that were in progress when the test was decided do not count.
    assert {number: game for number, game in parts.items() if number < length} == whole


def test_another_seed_gives_other_games() -> None:
    results = [played(tuning(TWO, 40, tuning_seed=seed, tests=0), peak) for seed in (1, 2)]
    assert [game.settings for game in results[0].values()] != [game.settings for game in results[1].values()]


def test_both_games_of_a_pair_swap_sides_and_share_opening_and_seed() -> None:
    schedule = tuning(TWO, 40, test_games=20)
    games = []
    results = played(schedule, peak)
    for game in schedule.pairings(results):
        assert game is not None
        games.append(game)
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert first.players == second.players[::-1]
        assert first.settings == second.settings[::-1]
        assert (first.opening, first.seed_number) == (second.opening, second.seed_number)


def test_the_test_plays_other_openings_and_other_agents_than_the_tuning() -> None:
    schedule = tuning(TWO, 40, test_games=20, tuning_openings=5, test_openings=3)
    results = played(schedule, peak)
    openings = [{game.opening for number, game in results.items() if (number < 40) == own} for own in (True, False)]
    assert openings == [{0, 1, 2, 3, 4}, {5, 6, 7}]
    assert {player for number, game in results.items() if number >= 40 for player in game.players} == {2, 3}


def test_trials_play_the_same_openings_with_the_same_seeds() -> None:
    pytest.importorskip("optuna")
    schedule = tuning(MIXED, 80, "tpe", tests=0)
    results = played(schedule, style)
    first: dict[str, tuple[int, int]] = {}
    for game in schedule.progress(results).asked:
        own = game.settings[game.players.index(0)]
        first.setdefault(own, (game.opening, game.seed_number))
    assert len(first) > 3
    assert set(first.values()) == {(0, 0)}


def test_a_sequential_test_ends_bad_trials_early() -> None:
    pytest.importorskip("optuna")
    schedule = tuning(MIXED, 1200, "tpe", tests=0)

    def strength(values: Mapping[str, Value]) -> float:
        return 0 if values["style"] == "calm" else -400

    trials = schedule.progress(played(schedule, strength)).tuner.trials  # type: ignore[attr-defined]
    bad = [trial.pairs for trial in trials if trial.point[0] != "calm"]
    assert bad
    assert max(bad) <= 8


def test_choices_are_for_tpe_and_all_else_for_spsa() -> None:
    assert choose_method(TWO)[0] == "spsa"
    assert choose_method(MIXED) == ("tpe", "TPE: style is a choice without an order")
    with pytest.raises(SpecError, match="style has no order; use --method tpe"):
        choose_method(MIXED, "spsa")
    with pytest.raises(SpecError, match="--method must be auto, spsa, tpe, cma-es, not 'gradient'"):
        choose_method(TWO, "gradient")


def test_cma_es_refuses_choices() -> None:
    pytest.importorskip("cmaes")
    with pytest.raises(SpecError, match="cma-es is for numbers, and style is none; use tpe"):
        tuning(MIXED, 40, "cma-es").make_tuner()


def test_a_tuning_ends_if_the_agent_fails_before_its_first_move() -> None:
    schedule = tuning(TWO, 400)
    results: dict[int, FinishedGame] = {}
    for game in schedule.pairings(results):
        assert game is not None
        results[game.number] = FinishedGame(game.players, 0, failed_without_move=frozenset(game.players))
    progress = schedule.progress(results)
    assert progress.is_over
    assert progress.broken == (0, 1)
    assert progress.games < 50
