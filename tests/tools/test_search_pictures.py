"""The drawings of the searches show what the searches compute."""

from __future__ import annotations

import math
import re

import pytest
import search_pictures
from search_pictures import FOLDER, GAME, PICTURES, SEARCHED, Proven

from joute.match.ratings import rate
from joute.match.statistics import score_of


@pytest.mark.parametrize("name", PICTURES)
def test_a_drawing_in_the_docs_is_that_of_the_tool(name: str) -> None:
    assert (FOLDER / f"{name}.svg").read_text("utf-8") == PICTURES[name]()


def test_every_drawing_has_its_place_in_the_docs() -> None:
    pages = "".join(page.read_text("utf-8") for page in FOLDER.parent.glob("*.md"))
    assert {name for name in PICTURES if f"drawings/{name}.svg" in pages} == set(PICTURES)
    assert {path.stem for path in FOLDER.iterdir()} == set(PICTURES)


def test_alphabeta_has_the_value_of_minimax_and_cuts_leaves_off() -> None:
    value, found = search_pictures.alphabeta(GAME)
    assert value == max(min(replies) for replies in GAME)
    assert 3 < sum(searched for _, searched in found) < 9


def test_a_simulation_adds_one_visit_on_its_path_and_keeps_the_points_consistent() -> None:
    path = search_pictures.selected(SEARCHED)
    after = search_pictures.credited(search_pictures.expanded(SEARCHED, path), [*path, 0], 1.0)
    assert after.visits == SEARCHED.visits + 1
    assert after.points == SEARCHED.points + 1
    for node in (SEARCHED, after):
        assert node.visits == sum(child.visits for child in node.children)
        assert node.points == sum(child.visits - child.points for child in node.children)


def test_the_selected_move_is_not_the_one_with_the_best_mean() -> None:
    means = [child.points / child.visits for child in SEARCHED.children]
    assert search_pictures.selected(SEARCHED)[0] != means.index(max(means))


def test_proofs_are_those_of_minimax_whatever_the_unknown_results_are() -> None:
    def value(node: object, unknown: int) -> int:
        if not isinstance(node, tuple):
            return unknown if node is None else int(str(node))
        return -max(value(child, unknown) for child in node)

    def shape(node: object) -> Proven:
        return search_pictures.proven(node)

    open_ended = search_pictures.PROOFS
    assert {value(open_ended, unknown) for unknown in (-1, 0, 1)} == {shape(open_ended).result}
    assert shape((None, -1)).result is None
    assert shape((0, -1)).result == 0


def test_a_policy_adapts_to_its_best_sequence() -> None:
    policy = search_pictures.adapted({})
    for moves, best in zip(search_pictures.PLIES, search_pictures.BEST, strict=True):
        before, after = search_pictures.shares({}, moves), search_pictures.shares(policy, moves)
        assert math.isclose(sum(after), 1.0)
        assert all((new > old) == (move == best) for move, old, new in zip(moves, before, after, strict=True))


def test_puct_prefers_neither_the_highest_prior_nor_the_most_visits() -> None:
    edges = search_pictures.EDGES
    chosen = max(edges, key=lambda edge: edge.value + search_pictures.bonus(edge, edges))
    assert chosen not in (max(edges, key=lambda edge: edge.prior), max(edges, key=lambda edge: edge.visits))


def test_halving_spends_all_simulations_and_ends_with_the_best_two() -> None:
    values = search_pictures.CANDIDATES
    rounds = search_pictures.halving(values, search_pictures.SIMULATIONS)
    total = dict.fromkeys(values, 0) | {move: visits for each in rounds for move, visits in each.items()}
    assert sum(total.values()) == search_pictures.SIMULATIONS
    assert set(rounds[-1]) == set(sorted(values, key=lambda move: -values[move])[:2])


def test_the_worked_ratings_explain_each_agents_points() -> None:
    played = list(search_pictures.games())
    found = rate(3, played)
    points, expected = [0.0] * 3, [0.0] * 3
    for game in played:
        more = found.ratings[game.first].elo - found.ratings[game.second].elo + found.first_move.elo
        for agent, scored, hoped in (
            (game.first, game.points, score_of(more)),
            (game.second, 1 - game.points, 1 - score_of(more)),
        ):
            points[agent] += scored
            expected[agent] += hoped
    assert points == [34.0, 17.5, 8.5]
    assert expected == pytest.approx(points, abs=1e-3)


def test_the_page_of_ratings_has_the_pairings_of_the_drawing() -> None:
    page = (FOLDER.parent / "ratings.md").read_text("utf-8")
    found = re.findall(r"\*games\((\d), (\d), (\d+), (\d+), (\d+)\)", page)[: len(search_pictures.PLAYED)]
    assert {(int(a), int(b)): (int(w), int(d), int(x)) for a, b, w, d, x in found} == search_pictures.PLAYED
