"""Divercité: the rules against a slow version of them, its symmetries, its figures against published ones."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from chi_squared import chi_squared
from divercite_oracle import (
    CELLS,
    CITY_CELLS,
    COLOURS,
    PERMUTATIONS,
    PLIES,
    RESOURCE_CELLS,
    TURNS,
    SlowDivercite,
    count_lines,
    hand_of,
    move_text,
    neighbours,
)
from typed import New, known

from joute import Random, Result, play_match
from joute.games.divercite.state import Divercite

new = New(Divercite)

RULES = ("handout", "framework", "official")
RUNGS = ("points", "Divercités", "fours", "threes", "twos")


def random_game(seed: int) -> list[Divercite]:
    rng, states = Random(seed), [new("divercite")]
    while not states[-1].is_terminal:
        states.append(states[-1].play(states[-1].random_move(rng)))
    return states


def slow_game(rng: random.Random, plies: int = PLIES) -> Iterator[tuple[Divercite, SlowDivercite]]:
    """The positions of a random game, by both."""
    state, slow = new("divercite"), SlowDivercite()
    for _ in range(plies):
        yield state, slow
        legal = slow.legal()
        move = rng.choice(list(legal))
        state = state.play(move)
        slow.play(*legal[move])
    yield state, slow


def texts(state: Divercite) -> list[str]:
    return list(map(str, state.legal_moves))


# --- The rules ---


def test_random_positions_agree_with_the_slow_rules() -> None:
    rng = random.Random(1)
    for _ in range(20):  # of 41 positions
        for state, slow in slow_game(rng):
            assert texts(state) == list(slow.legal())  # in the order of the course's program
            assert (state.to_move, state.ply, state.is_terminal) == (slow.mover, slow.ply, slow.ply == PLIES)
            assert state.position == slow.position()
            assert {cell: state.piece_at(*cell) for cell in CELLS} == {
                cell: _without_owner(slow.board.get(cell, "")) for cell in CELLS
            }
            assert [state.hand(player) for player in (0, 1)] == slow.hands
            assert list(state.hand(0)) == list(slow.hands[0])  # in the course's order
            assert {cell: state.points_at(*cell) for cell in CELLS} == {cell: slow.points_at(cell) for cell in CELLS}
            assert state.key == state.recompute_key() == new("divercite", state.position).key
            check_results(slow)


def _without_owner(piece: str) -> str:
    return piece[:2] if piece[1:2] == "R" else piece


def check_results(slow: SlowDivercite) -> None:
    """The three sets of rules on one position."""
    points = slow.points(0), slow.points(1)
    for rules in RULES:
        state = new(f"divercite:rules={rules}", slow.position())
        result, verdict = state.result_if_stopped, slow.verdict(rules)
        assert state.scores == (slow.framework_scores() if rules == "framework" else points)
        if slow.ply < PLIES:
            assert state.result is None
            continue
        assert state.result == result
        assert (result.outcome, result.margin, result.decided_by) == verdict
        breaks_tie = rules == "handout" and verdict.decided_by != "points"
        assert result.score == 2 * verdict.margin + (verdict.outcome if breaks_tie else 0)


def shuffled_end(rng: random.Random) -> SlowDivercite:
    """A finished game, all the same whatever order it was played in."""
    slow = SlowDivercite()
    cities = [colour + "C" + owner for colour in COLOURS for owner in "WB"] * 2
    resources = [colour + "R" + owner for colour in COLOURS for owner in "WB"] * 3
    rng.shuffle(cities)
    slow.board = dict(zip(CITY_CELLS, cities, strict=True))
    slow.board |= zip(rng.sample(RESOURCE_CELLS, len(resources)), resources, strict=True)
    slow.hands = [dict.fromkeys(hand, 0) for hand in slow.hands]
    return slow


@pytest.fixture(scope="module")
def ends() -> dict[tuple[str, int], list[SlowDivercite]]:
    """Some finished games for every way to decide one, by the rung and who is ahead on it."""
    rng = random.Random(2)
    kept: dict[tuple[str, int], list[SlowDivercite]] = {(rung, ahead): [] for rung in RUNGS for ahead in (0, 1)}
    kept["perfect tie", 0] = []
    while min(map(len, kept.values())) < 2:
        slow = shuffled_end(rng)
        if len(found := kept[slow.decided_by()]) < 5:
            found.append(slow)
    return kept


def test_every_rung_decides_for_either_player_under_all_rules(ends: dict[tuple[str, int], list[SlowDivercite]]) -> None:
    assert len(ends) == 11
    for found in ends.values():
        for slow in found:
            check_results(slow)


@pytest.mark.parametrize(
    ("rung", "ahead", "outcome", "margin", "added"),
    [
        ("Divercités", 0, 1, 1, (1, 0)),
        ("Divercités", 1, -1, -1, (0, 1)),
        ("fours", 0, 1, 1, (1, 0)),
        ("fours", 1, -1, -1, (0, 1)),
        ("threes", 0, 1, 1, (1, 0)),
        ("threes", 1, -1, -1, (0, 1)),
        ("twos", 0, 1, 2, (2, 0)),
        ("twos", 1, 0, 0, (1, 1)),  # the program's error: level again
        ("perfect tie", 0, 1, 1, (1, 0)),
    ],
)
def test_the_framework_adds_these_points_where_the_game_is_level(
    ends: dict[tuple[str, int], list[SlowDivercite]],
    rung: str,
    ahead: int,
    outcome: int,
    margin: int,
    added: tuple[int, int],
) -> None:
    for slow in ends[rung, ahead]:
        text, level = slow.position(), slow.points(0)
        framework = new("divercite:rules=framework", text)
        assert framework.result == Result(outcome, score=2 * margin, margin=margin, decided_by=rung)
        assert framework.scores == (level + added[0], level + added[1])
        tie = 1 if ahead == 0 else -1
        assert new("divercite", text).result == Result(tie, score=tie, margin=0, decided_by=rung)
        assert new("divercite", text).scores == (level, level)
        assert new("divercite:rules=official", text).result == Result(0, score=0, margin=0, decided_by="level")


def test_every_game_takes_40_plies_and_leaves_one_cell_empty() -> None:
    for seed in range(200):
        states = random_game(seed)
        assert [state.ply for state in states] == list(range(41))
        assert [state.is_terminal for state in states] == [False] * 40 + [True]
        assert sum(not states[-1].piece_at(*cell) for cell in CELLS) == 1
        assert sum(states[-1].hand(0).values()) == sum(states[-1].hand(1).values()) == 0


def test_points_never_fall() -> None:
    for seed in range(100):
        scores = [state.scores for state in random_game(seed)]
        assert all(sorted(points) == list(points) for points in zip(*scores, strict=True))


def test_cells_have_the_published_numbers_of_neighbours() -> None:
    assert (len(CITY_CELLS), len(RESOURCE_CELLS)) == (16, 25)
    assert {len(neighbours(city)) for city in CITY_CELLS} == {4}
    assert Counter(len(neighbours(cell)) for cell in RESOURCE_CELLS) == {4: 9, 2: 12, 1: 4}
    # A resource counts for the cities that touch it, and for no other.
    for cell in RESOURCE_CELLS:
        for city in CITY_CELLS:
            state = new("divercite").play(move_text("RC", city)).play(move_text("RR", cell))
            assert state.scores == (int(cell in neighbours(city)), 0)


def test_random_moves_are_uniform_where_colours_have_run_out() -> None:
    rng = Random(4)
    for state in random_game(7)[14:34:5]:
        counts = Counter(state.random_move(rng) for _ in range(500 * len(state.legal_moves)))
        chi_squared(counts, dict.fromkeys(state.legal_moves, 500.0))


# --- The key ---


def line(moves: str) -> Divercite:
    state = new("divercite")
    for move in moves.split():
        state = state.play(move)
    return state


def test_who_placed_a_resource_does_not_matter_where_the_hands_are_the_same() -> None:
    one, other = line("re5 rd4 Ge4 Ye6"), line("rd4 re5 Ge4 Ye6")
    assert one == other
    assert one.key == other.key
    assert one == line("Ge4 Ye6 re5 rd4") == line("Ge4 rd4 re5 Ye6")


def test_the_same_board_with_other_hands_is_another_position() -> None:
    one, other = line("re5 gd4"), line("gd4 re5")
    assert [one.piece_at(*cell) for cell in CELLS] == [other.piece_at(*cell) for cell in CELLS]
    assert one != other
    assert one.key != other.key
    assert (one.hand(0)["RR"], other.hand(0)["RR"]) == (2, 3)
    # Of cities the owner is seen on the board.
    assert line("Re4 Rd5") != line("Rd5 Re4")


def test_positions_under_other_rules_have_other_keys() -> None:
    assert len({new(f"divercite:rules={rules}").key for rules in RULES}) == 3


# --- Symmetry and networks ---


def test_first_moves_are_of_nine_kinds() -> None:
    start = new("divercite")
    kinds: dict[int, set[str]] = {}
    for move in start.legal_moves:
        kinds.setdefault(start.play(move).canonical_key, set()).add(str(move))
    cities = sorted(len(kind) for kind in kinds.values() if min(kind)[0].isupper())
    resources = sorted(len(kind) for kind in kinds.values() if min(kind)[0].islower())
    assert cities == [4 * 4, 4 * 4, 4 * 8]
    assert resources == [4 * 1, 4 * 4, 4 * 4, 4 * 4, 4 * 4, 4 * 8]


def test_the_192_symmetries_are_those_of_the_board_times_those_of_the_colours() -> None:
    rng = random.Random(5)
    for state, slow in slow_game(rng):
        images = {slow.mapped(turn, colours).position() for turn in range(len(TURNS)) for colours in PERMUTATIONS}
        moved = [state.transformed(g) for g in range(state.symmetry_count)]
        assert len(moved) == 192
        assert {image.position for image in moved} == images
        assert {image.canonical_key for image in moved[::17]} == {state.canonical_key}
        assert {image.result for image in moved} == {state.result}


def test_a_symmetry_maps_positions_moves_planes_and_policy_alike() -> None:
    rng = random.Random(6)
    *_, (state, slow) = slow_game(rng, plies=17)
    assert len({state.transformed(g).position for g in range(192)}) == 192  # so that it tells symmetries apart
    for turn in range(len(TURNS)):
        for colours in PERMUTATIONS:
            position = slow.mapped(turn, colours).position()
            [g] = [g for g in range(192) if state.transformed(g).position == position]
            image, policy = state.transformed(g), state.policy_map(g)
            encoded, image_encoded = state.encode(), image.encode()
            assert all(image_encoded[to] == encoded[at] for at, to in enumerate(state.input_map(g)))
            for text, (piece, cell) in slow.legal().items():
                expected = move_text(colours[piece[0]] + piece[1], TURNS[turn][cell])
                move = state.parse_move(text)
                assert str(state.transformed_move(move, g)) == expected
                [at], [to] = state.policy_indices(move), image.policy_indices(image.parse_move(expected))
                assert policy[at] == to


def test_canonical_keys_differ_where_no_symmetry_helps() -> None:
    rng = random.Random(7)
    seen: dict[int, frozenset[str]] = {}
    for _ in range(40):
        *_, (state, slow) = slow_game(rng, plies=2)
        orbit = frozenset(slow.mapped(turn, colours).position() for turn in range(8) for colours in PERMUTATIONS)
        assert seen.setdefault(state.canonical_key, orbit) == orbit
    assert len(seen) == len(set(seen.values())) > 20


def test_planes_show_cities_by_owner_resources_and_both_hands() -> None:
    state = line("Re4 re5 gd4 Yd5 rf4")
    assert state.to_move == 1
    assert state.input_shape == (29, 5, 5)
    encoded = state.encode()
    planes = [encoded[25 * plane : 25 * (plane + 1)] for plane in range(29)]

    def turned(name: str) -> int:
        i, j = int(name[1]) - 1, "abcdefghi".index(name[0])
        is_city = (i + j) % 2
        return (i + j - 4 - is_city) // 2 * 5 + (j - i + 4 - is_city) // 2

    # The mover's cities by colour, the opponent's, and resources.
    expected = [[], [], [], ["d5"], ["e4"], [], [], [], ["e5", "f4"], ["d4"], [], []]
    assert [{at for at in range(25) if plane[at]} for plane in planes[:12]] == [set(map(turned, p)) for p in expected]
    hands = [state.hand(player)[colour + kind] for kind in "CR" for player in (1, 0) for colour in COLOURS]
    assert [set(plane) for plane in planes[12:]] == [{value} for value in (*hands, 1)]


# --- Figures ---


# By the same recursion elsewhere, and by brute force for the first two.
PUBLISHED = (
    164,
    26_240,
    4_093_440,
    622_202_880,
    91_783_680_000,
    13_173_404_313_600,
    1_823_983_547_904_000,
    245_328_274_659_686_400,
    31_621_251_431_024_640_000,
    3_952_155_057_371_136_000_000,
)
COMPLETE_GAMES = 4467499761460967193391544985315001120067031348019200000000000000000


def test_counting_by_hands_gives_the_published_numbers_of_lines() -> None:
    start = hand_of(SlowDivercite().hands[0])
    assert tuple(count_lines(start, start, depth) for depth in range(1, 11)) == PUBLISHED
    assert f"{count_lines(start, start, 20):.4e}" == "2.4243e+41"
    assert f"{count_lines(start, start, 30):.4e}" == "8.2574e+57"
    assert count_lines(start, start, PLIES) == COMPLETE_GAMES


def test_perft_of_four_plies_is_the_published_count() -> None:
    assert new("divercite").perft(4) == PUBLISHED[3]


def test_perft_counts_what_the_hands_say_where_colours_run_out() -> None:
    for seed in range(20):
        states = random_game(seed)
        for ply, depth in ((4, 2), (9, 2), (16, 3), (20, 3), (27, 4), (33, 7), (36, 4), (39, 1)):
            state = states[ply]
            hands = hand_of(state.hand(state.to_move)), hand_of(state.hand(1 - state.to_move))
            assert state.perft(depth) == count_lines(*hands, depth)


@pytest.mark.slow
def test_perft_of_five_plies_is_the_published_count() -> None:
    assert new("divercite").perft(5) == PUBLISHED[4]


def test_random_games_have_the_published_statistics() -> None:
    """Those of 200,000 games that an independent program played; the bounds are several standard errors wide."""
    finals = [random_game(seed)[-1] for seed in range(40_000)]
    count = len(finals)
    results = [known(final.result) for final in finals]
    decided_by = Counter(result.decided_by for result in results)
    by_points = Counter(result.outcome for result in results if result.decided_by == "points")
    assert by_points[1] / count == pytest.approx(0.466, abs=0.012)
    assert by_points[-1] / count == pytest.approx(0.465, abs=0.012)
    assert 1 - decided_by["points"] / count == pytest.approx(0.069, abs=0.006)
    rungs = {"Divercités": 0.026, "fours": 0.0006, "threes": 0.012, "twos": 0.0175, "perfect tie": 0.013}
    for rung, share in rungs.items():
        assert decided_by[rung] / count == pytest.approx(share, abs=0.0006 + 5 * (share / count) ** 0.5)
    for player, mean in enumerate((10.97, 10.96)):
        assert sum(final.scores[player] for final in finals) / count == pytest.approx(mean, abs=0.1)
    divercites = sum(final.points_at(*city) == 5 for final in finals for city in CITY_CELLS)
    assert divercites / count == pytest.approx(1.64, abs=0.04)


def test_playouts_are_random_games_of_40_plies() -> None:
    played = new("divercite:rules=official").playouts(100_000, seed=1)
    assert played.plies == 40 * played.games
    assert played.first_wins / played.games == pytest.approx(0.466, abs=0.008)
    assert played.draws / played.games == pytest.approx(0.069, abs=0.004)
    # Black ahead in twos is all that the course's program leaves level.
    drawn = new("divercite:rules=framework").playouts(100_000, seed=1).draws
    assert drawn / played.games == pytest.approx(0.0089, abs=0.0015)
    assert new("divercite").playouts(1000, seed=1).draws == 0


def test_matches_keep_what_decided_their_games() -> None:
    result = play_match("divercite", "random", "random", games=100, seed=1)
    assert result.decided_by == Counter(record.result.decided_by for record in result.records)
    assert {"points", "Divercités"} <= set(result.decided_by) <= {*RUNGS, "perfect tie"}


def test_whole_boards_say_what_single_cells_say() -> None:
    for state in random_game(4):
        assert state.cells == tuple(tuple(state.piece_at(row, column) for column in range(9)) for row in range(9))
        pieces = {(row, column): piece for row, line in enumerate(state.cells) for column, piece in enumerate(line)}
        assert [(each.row, each.column) for each in state.cities] == [at for at, piece in pieces.items() if piece[2:]]
        for city in state.cities:
            assert pieces[city.row, city.column] == f"{city.colour}C{'WB'[city.owner]}"
            assert city.points == state.points_at(city.row, city.column)
            near = [(city.row - 1, city.column), (city.row + 1, city.column), (city.row, city.column - 1)]
            around = Counter(pieces[at][:1] for at in (*near, (city.row, city.column + 1)))
            assert city.around == tuple(around[colour] for colour in "RGBY")
        resources = [at for at, piece in pieces.items() if len(piece) == 2]
        assert [(each.row, each.column) for each in state.resources] == resources
        assert all(pieces[each.row, each.column] == f"{each.colour}R" for each in state.resources)


def test_a_move_names_its_piece_and_its_cell() -> None:
    for move in new("divercite").legal_moves:
        row, column = move.cell
        colour = move.colour if move.is_city else move.colour.lower()
        assert str(move) == f"{colour}{'abcdefghi'[column]}{row + 1}"
        assert move.piece == move.colour + ("C" if move.is_city else "R")
