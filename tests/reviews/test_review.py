"""Reviews: classes agree with exact solvers, perfect players are perfect, luck is nobody's fault."""

from __future__ import annotations

from typing import Any

import pytest

import joute
from joute import JouteError, new, play_game
from joute.agents import agent, exact_agent
from joute.errors import SpecError
from joute.match import GameRecord
from joute.match.record_reader import TextGame, read_text
from joute.reviews.classes import PHASES, MoveClass, ReviewParameters, accuracy_of, phase_of
from joute.reviews.judge import Judge, settled_positions
from joute.reviews.review import Review, ReviewedMove, Reviewer, review

BAD = (MoveClass.INACCURACY, MoveClass.MISTAKE, MoveClass.MISSED_WIN, MoveClass.BLUNDER)


def game_of(text: str, game: str = "connect4") -> GameRecord:
    (found,) = read_text(f'[Game "{game}"] [First "Anna"] [Second "Ben"] {text}')
    assert isinstance(found, TextGame), found
    return found.record


# --- Classes ---


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (0.5, 0.5, "best"),
        (0.5, 0.496, "best"),
        (0.5, 0.46, "good"),
        (0.5, 0.45, "inaccuracy"),
        (0.5, 0.4, "mistake"),
        (0.5, 0.35, "blunder"),
        (1.0, 0.5, "missed win"),
        (1.0, 0.49, "blunder"),
        (0.96, 0.8, "missed win"),
        (0.94, 0.6, "blunder"),
        (1.0, 0.88, "mistake"),
    ],
)
def test_the_class_of_a_move_follows_from_its_loss(before: float, after: float, kind: str) -> None:
    assert ReviewParameters().class_of(before, after).value == kind


def test_the_choice_of_the_judge_is_best() -> None:
    assert ReviewParameters().class_of(0.9, 0.1, is_choice=True) is MoveClass.BEST


def test_a_parameter_outside_its_range_is_refused() -> None:
    with pytest.raises(SpecError, match=r"review: blunder must be a number in 0\.\.1, not 15"):
        ReviewParameters(blunder=15)


def test_accuracy_falls_with_the_loss() -> None:
    accuracies = [accuracy_of(loss / 100) for loss in range(101)]
    assert accuracies[0] == 100
    assert accuracies == sorted(accuracies, reverse=True)
    assert accuracies[-1] == 0


def test_phases_are_thirds_of_a_game() -> None:
    assert [phase_of(index, 7) for index in range(7)] == ["opening"] * 3 + ["middle"] * 2 + ["end"] * 2
    assert phase_of(0, 1) == PHASES[0]


# --- Exact solvers ---


@pytest.mark.parametrize("players", [("mcts:iterations=30", "random"), ("level:2", "level:5"), ("level:6", "level:4")])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_class_of_connect_four_agrees_with_the_solver(players: tuple[str, str], seed: int) -> None:
    record = play_game("connect4", *players, seed=seed)
    solver: Any = agent("perfect", game="connect4")
    for judged, state in zip(review(record).moves, record.states(), strict=False):
        scores = {str(known.move): known.value for known in solver.analyze(state, with_line=False).moves}
        before, after = ((1 + _sign(score)) / 2 for score in (max(scores.values()), scores[judged.move]))
        assert judged.loss == before - after
        assert judged.is_proven
        expected = "best" if before == after else "missed win" if (before, after) == (1, 0.5) else "blunder"
        assert judged.kind.value == expected
        assert scores[judged.best] == max(scores.values())


def _sign(score: float) -> int:
    return (score > 0) - (score < 0)


@pytest.mark.parametrize("solved_game", ["avalam", "divercite"])
def test_every_class_in_the_solved_phase_agrees_with_the_solver(solved_game: str) -> None:
    wrong, solved = [], 0
    for seed, players in enumerate([("greedy", "random"), ("level:4", "level:2"), ("level:3", "level:5")]):
        record = play_game(solved_game, *players, seed=seed)
        solver: Any = agent(f"{solved_game}-solver:nodes=3000000,memory_mb=16", game=solved_game)
        for judged, state in zip(review(record, nodes=20_000).moves, record.states(), strict=False):
            exact = solver.analyze(state, lines=1, with_line=False) if judged.is_proven else None
            if exact is None or not exact.exact:
                continue
            solved += 1
            after = state.play(judged.move)
            then: Any = after.result or solver.analyze(after, lines=1, with_line=False)
            outcome = then.outcome if after.is_terminal else _sign(then.value) * (1 if after.to_move == 0 else -1)
            mover = 1 if state.to_move == 0 else -1
            lost = (_sign(exact.value) - mover * outcome) / 2
            if judged.loss != lost:
                wrong.append((seed, judged, lost))
    assert wrong == []
    assert solved >= 15


def test_a_perfect_player_has_an_accuracy_of_100() -> None:
    for seed in range(3):
        found = review(play_game("connect4", "perfect:style=random", "mcts:iterations=20", seed=seed))
        assert found.accuracy(0) == 100
        assert not any(found.count(0, kind) for kind in BAD)


def test_a_blunder_and_its_punishment_are_told() -> None:
    found = review(game_of("4 4 3 3 5 5 6 1-0"))
    assert [judged.kind.value for judged in found.moves] == [
        "best",
        "best",
        "blunder",
        "blunder",
        "best",
        "best",
        "best",
    ]
    assert found.chances == (1, 1, 1, 0, 1, 1, 1, 1)
    assert found.moments[0].startswith("Ply 2: 3 by Anna is a blunder: Anna falls from 100.0% to 0.0%; best was 4 ")
    assert len(found.moments) == 2
    assert found.accuracy(0, "opening") == 50
    assert found.accuracy(1, "end") is None  # nothing was at stake


# --- All games ---


@pytest.fixture(scope="module")
def reviewed() -> dict[str, Review]:
    return {}


def review_of(game: str, known: dict[str, Review]) -> Review:
    if game not in known:
        nodes = None if exact_agent(game) else 500
        known[game] = review(play_game(game, "greedy", "random", seed=5, max_plies=40), nodes=nodes, jobs=1)
    return known[game]


def test_every_move_of_every_game_is_judged(game: str, reviewed: dict[str, Review]) -> None:
    found = review_of(game, reviewed)
    assert found.is_complete
    assert len(found.chances) == len(found.moves) + 1
    for judged, state in zip(found.moves, found.record.states(), strict=False):
        assert 0 <= judged.after <= 1
        assert 0 <= judged.before <= 1
        assert judged.loss >= 0
        mine = judged.before - judged.after if judged.player == 0 else judged.after - judged.before
        assert judged.loss == pytest.approx(mine)
        assert state.is_legal(judged.best)
        assert judged.line[0] == judged.best


def test_the_end_of_a_game_is_its_result(game: str, reviewed: dict[str, Review]) -> None:
    found = review_of(game, reviewed)
    if found.record.reason.value == "normal":
        assert found.chances[-1] == (1 + found.record.result.outcome) / 2


def test_the_review_does_not_depend_on_the_number_of_jobs() -> None:
    record = play_game("divercite", "greedy", "random", seed=2)
    assert review(record, nodes=300, jobs=1) == review(record, nodes=300, jobs=3)


def test_luck_is_not_the_fault_of_the_mover() -> None:
    found = review(play_game("dice", "random", "random", seed=1), "mcts:iterations=2000", jobs=1)
    rolls = [judged for judged in found.moves if found.record.moves[judged.index].outcomes]
    assert rolls
    assert any(abs(judged.luck) > 0.05 for judged in rolls)
    for judged in found.moves:
        settled = found.chances[judged.index + 1]
        assert judged.luck == (pytest.approx(settled - judged.after) if judged in rolls else 0)
    told = [sentence for sentence in found.moments if "luck" in sentence]
    assert told


def test_an_expectation_covers_the_outcomes_of_all_events() -> None:
    start = new("dice")
    event = next(after for after in map(start.play, start.legal_moves) if after.is_chance)
    every = settled_positions(event, coverage=1.0, most=1000)
    assert sum(chance for chance, _ in every) == pytest.approx(1)
    assert not any(state.is_chance for _, state in every)
    assert [chance for chance, _ in every] == sorted((chance for chance, _ in every), reverse=True)
    (likeliest,) = settled_positions(event, coverage=1.0, most=1)
    assert likeliest == (1.0, every[0][1])


def test_a_bad_move_with_a_lucky_outcome_is_still_bad() -> None:
    """The loss is that of the expectation: it is the same for every outcome of the same move."""
    start = new("dice")
    losses = set()
    for seed in range(30):
        record = play_game("dice", "random", "random", seed=seed)
        first = record.moves[0]
        if first.move == str(start.legal_moves[0]):
            reviewer = Reviewer(record, "mcts:iterations=500", jobs=1)
            reviewer.run()
            losses.add(reviewer.review.moves[0].after)
    assert len(losses) == 1


def test_a_move_that_the_judge_does_not_list_is_judged_by_what_follows() -> None:
    start = new("vampires")
    judge: Any = agent("vampires:nodes=300", game="vampires")
    move = "5.9-4.8x1"
    assert start.is_legal(move)
    assert move not in {str(known.move) for known in judge.analyze(start, lines=1).moves}
    (judged,) = review(game_of(f'[Reason "resignation"] "{move}" 0-1', "vampires"), nodes=300).moves
    assert judged.best != move
    assert 0 <= judged.loss <= 1


def test_an_only_move_is_best_and_does_not_count() -> None:
    games = (play_game("noughts", "random", "random", seed=seed) for seed in range(100))
    full = next(record for record in games if len(record.moves) == 9)
    *_, last = review(full, "mcts:iterations=200").moves
    assert (last.is_forced, last.kind, last.counts) == (True, MoveClass.BEST, False)


def test_a_position_without_a_value_gets_that_of_its_best_move() -> None:
    """With these nodes the engine's unfinished solver refutes the search's move, and the other has no value."""
    state = new("divercite", "./.G-r/yY-rRy/bYyRrB-r/bByYyB-r../b....../.G-bBb/y.b/r/0300")
    spec = "divercite:nodes=20000,memory_mb=16"
    analyst: Any = agent(spec, game="divercite")
    assert analyst.analyze(state, lines=1).value is None
    found = Judge("divercite", spec).judge(state)
    assert 0 <= found.for_first <= 1
    assert state.is_legal(found.line[0])


# --- What can go wrong ---


def test_a_game_without_moves_cannot_be_reviewed() -> None:
    with pytest.raises(JouteError, match="the game has no moves to review"):
        review(game_of('[Reason "resignation"] 1-0'))


def test_an_agent_that_tells_no_values_cannot_judge() -> None:
    with pytest.raises(SpecError, match="agent 'random' does not tell the values of positions"):
        review(game_of("4 4 3 3 5 5 6"), "random")


def test_nodes_for_an_agent_without_such_a_limit_are_refused() -> None:
    with pytest.raises(SpecError, match="agent 'perfect' has no limit of nodes"):
        review(game_of("4 4 3 3 5 5 6"), nodes=100)


def test_a_resigned_game_is_reviewed_to_its_last_position() -> None:
    found = review(game_of('[Reason "resignation"] 4 4 3 3 0-1'))
    assert found.is_complete
    assert found.chances[-1] == 1  # the position is won for the player who resigned


def test_an_interrupted_review_keeps_the_first_moves() -> None:
    reviewer = Reviewer(game_of("4 4 3 3 5 5 6"), jobs=1)

    def interrupt(_: int) -> None:
        if reviewer.judged == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reviewer.run(interrupt)
    found = reviewer.review
    assert not found.is_complete
    assert [judged.move for judged in found.moves] == ["4", "4", "3", "3"]
    assert len(found.chances) == 5
    assert "the first 4 of 7 moves" in str(found)


def test_a_review_that_judged_nothing_says_so() -> None:
    with pytest.raises(JouteError, match="no move of the game is judged yet"):
        _ = Reviewer(game_of("4 4 3 3 5 5 6")).review


def test_joute_review_is_the_function() -> None:
    assert joute.review is review
    assert isinstance(joute.review(game_of("4 4 3 3 5 5 6")).moves[0], ReviewedMove)
