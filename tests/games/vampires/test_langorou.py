"""Langorou, the paper's player of Vampires vs Werewolves: judged by an obvious version, and each of its errors."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random
from typing import Any

import pytest
from langorou_oracle import SlowLangorou
from typed import New, info_of
from vampires_oracle import PROFILES, Board, Profile, SlowVampires
from vampires_positions import core_of

from joute import Clock, agent, play_game
from joute.agents import Analyst, find_agent
from joute.errors import SpecError
from joute.games.vampires.agents.langorou import LangorouParameters, langorou_options
from joute.games.vampires.state import Vampires

new = New(Vampires)

SIZES = ((2, 3), (3, 3), (3, 4), (1, 6), (4, 2))
FAITHFUL = "langorou:table=no"  # the order of turns, which the errors make matter, is that of the list
CORRECTED = "langorou:version=corrected"


def parameters_of(spec: str) -> LangorouParameters:
    parameters = find_agent(spec, "vampires")[1]
    assert isinstance(parameters, LangorouParameters)
    return parameters


def small_position(
    rng: Random, *, most: int = 12, groups: int = 2, houses: int = 3, profile: Profile = PROFILES["official"]
) -> SlowVampires:
    """Few groups on a small board."""
    rows, columns = rng.choice(SIZES)
    cells = [(x, y) for y in range(rows) for x in range(columns)]
    rng.shuffle(cells)
    board: Board = {cells.pop(): (species, rng.randint(1, most)) for species in "vw"}
    for species, count in (("v", groups - 1), ("w", groups - 1), ("h", houses)):
        for _ in range(min(rng.randint(0, count), len(cells))):
            board[cells.pop()] = (species, rng.randint(1, most))
    return SlowVampires(rows, columns, board, rng.choice((0, 1, 50, profile.plies - 2)), profile)


def found(spec: str, state: Any, depth: int) -> Any:
    """What the core says."""
    analyst = agent(f"{spec},depth={depth}", game="vampires")
    assert isinstance(analyst, Analyst)
    return analyst.analyze(state, lines=1)


def chosen(spec: str, position: str, *, rules: str = "") -> str:
    state = new("vampires" + (f":{rules}" if rules else ""), position)
    return str(agent(spec, game="vampires").choose(state, Clock()))


# --- Against the obvious version ---


@pytest.mark.parametrize(
    ("spec", "depth", "count", "settings"),
    [
        (FAITHFUL, 1, 150, {}),
        (FAITHFUL, 1, 100, {"most": 255}),
        (FAITHFUL, 2, 60, {}),
        (FAITHFUL, 3, 12, {"groups": 1, "houses": 2}),
        (f"{FAITHFUL},counts=0.5,battles=3,neutral_battles=2,groups=-1,cum_score=0.2,max_groups=3", 2, 25, {}),
        (f"{FAITHFUL},cum_score=3,cum_alpha=0.3", 2, 10, {}),
        (f"{FAITHFUL},lose_over_win_ratio=1.2,win_threshold=1,win_score=1000", 2, 25, {}),
        *((f"{FAITHFUL},{switch}", 2, 10, {"most": 60}) for switch in (
            "chance=exact", "scale=bounded", "quiescence=captures", "merge=target", "wrap=no", "splits=houses",
            "ply_limit=aware", "pairs_twice=no",
        )),
    ],
)  # fmt: skip
def test_values_are_those_of_the_papers_pruning(spec: str, depth: int, count: int, settings: dict[str, Any]) -> None:
    rng = Random(f"{spec} {depth}")
    for _ in range(count):
        position = small_position(rng, **settings)
        slow = SlowLangorou(position, parameters_of(spec))
        expected = slow.minimax(slow.start(), depth)
        assert found(spec, core_of(position), depth).value == pytest.approx(expected, rel=1e-9, abs=1e-9), position


@pytest.mark.parametrize(
    ("spec", "depth", "count", "settings"),
    [
        (CORRECTED, 1, 80, {}),
        (CORRECTED, 1, 15, {"most": 255}),
        (CORRECTED, 2, 20, {}),
        (f"{CORRECTED},table=no", 3, 10, {"groups": 1, "houses": 2}),
        (f"{CORRECTED},windows=star2", 2, 20, {}),
        (f"{CORRECTED},windows=star2", 3, 10, {"groups": 1, "houses": 2}),
        (f"{CORRECTED},bins=766", 2, 6, {"most": 7}),
        (f"{CORRECTED},bins=2,softness=3,lose_over_win_ratio=1.5", 2, 20, {}),
        (f"{CORRECTED},chance=rounded", 3, 10, {"groups": 1, "houses": 2}),
        *((CORRECTED, 2, 8, {"profile": profile}) for profile in PROFILES.values()),
    ],
)
def test_corrected_finds_what_expectimax_finds_and_plays_it(
    spec: str, depth: int, count: int, settings: dict[str, Any]
) -> None:
    rng = Random(f"{spec} {depth}")
    for _ in range(count):
        position = small_position(rng, **settings)
        slow = SlowLangorou(position, parameters_of(spec))
        expected = slow.expectimax(slow.start(), depth)
        analysis = found(spec, core_of(position), depth)
        assert analysis.value == pytest.approx(expected, abs=1e-9), position
        orders = [list(order) for order in analysis.moves[0].move.orders]
        turn = next(turn for turn in slow.turns(slow.start()) if [list(order) for order in turn] == orders)
        assert slow.expectation(slow.start(), turn, depth - 1) == pytest.approx(expected, abs=1e-9), position


def test_the_order_of_turns_changes_no_value_but_that_of_shared_windows() -> None:
    rng = Random(5)
    differences = 0
    for _ in range(60):
        state = core_of(small_position(rng))
        ordered, plain = (found(f"{CORRECTED},table={table}", state, 3).value for table in ("yes", "no"))
        assert ordered == pytest.approx(plain, abs=1e-9)
        ordered, plain = (found(f"langorou:table={table}", state, 3).value for table in ("yes", "no"))
        differences += ordered != pytest.approx(plain, rel=1e-9)
    assert differences > 0


# --- What each switch does ---


def value_of(spec: str, position: str, depth: int = 1) -> float:
    value = found(spec, new("vampires", position), depth).value
    assert value is not None
    return float(value)


def test_rounded_battles_are_certain_from_the_threshold_on() -> None:
    # 13 attack 10: P = 0.8, so ten of them survive for certain; below the threshold the attack may fail.
    position, bare = "1x2/13v0.0+10w1.0", "langorou:cum_score=0"
    assert value_of(bare, position) == 1e10
    assert value_of(f"{bare},win_threshold=0.81", position) == pytest.approx(0.8 * 1e10 - 0.2 * 0.8 * 1e10)


def test_an_exact_battle_may_leave_nobody() -> None:
    # One attacks one: each side is left with one unit in a quarter of all cases, else nobody is.
    position, spec = "1x2/1v0.0+1w1.0", f"{CORRECTED},lose_over_win_ratio=1"
    assert value_of(spec, position) == pytest.approx(0.25 - 0.75, abs=1e-4)  # both extinct: the werewolves win


def test_fewer_bins_keep_the_chance_of_victory() -> None:
    # Of 20 or more on either side somebody is left, so one bin each is victory or defeat.
    position = "1x2/22v0.0+20w1.0"
    assert value_of(f"{CORRECTED},bins=2", position) == pytest.approx(
        value_of(f"{CORRECTED},bins=766", position), abs=1e-4
    )


def test_the_raw_scale_has_a_win_at_its_score_and_the_bounded_one_at_one() -> None:
    position = "1x3/3v0.0+2w1.0"
    assert value_of("langorou:cum_score=0,win_score=500", position) == 500
    assert value_of(CORRECTED, position) == pytest.approx(1, abs=1e-4)


def test_softness_is_the_value_that_is_half_of_the_most() -> None:
    # Ten more after the only turn there is, of two that do not meet.
    spec = "langorou:scale=bounded,battles=0,cum_score=0,softness=10"
    assert value_of(spec, "1x9/20v0.0+10w8.0") == pytest.approx(0.99 / 2)


def test_quiescence_sees_the_capture_that_comes_next() -> None:
    # Wherever the three go on this board, the enemy takes the house of nine next.
    position, plain = "1x5/3v0.0+9w3.0+9h4.0", "langorou:battles=0,neutral_battles=0,cum_score=0"
    assert value_of(plain, position) == 3 - 9
    assert value_of(f"{plain},quiescence=captures", position) == 3 - 18


def test_orders_to_one_cell_are_two_battles_where_a_third_lies_between() -> None:
    # 0.0 and 0.2 attack 1.1 together, which 4 + 4 destroy and 4 do not; the order of 2.0 lies between theirs.
    position = "3x4/4v0.0+1v2.0+4v0.2+5w1.1+1w3.2"
    plain = "langorou:counts=1,battles=0,neutral_battles=0,cum_score=0,max_groups=1,win_threshold=1"
    both = "0.0-1.1x4+2.0-2.1x1+0.2-1.1x4"
    values = {}
    for merge in ("adjacent", "target"):
        spec = f"{plain},merge={merge},depth=1"
        state = new("vampires", position)
        search = agent(spec, game="vampires")
        assert isinstance(search, Analyst)
        moves = search.analyze(state, lines=1000).moves
        values[merge] = next(float(move.value) for move in moves if str(move.move) == both and move.value is not None)
    assert values["target"] == 9 - 1
    # P = 4/10: one is left, and the other four join it; or three are, and 4 destroy 3 with P = 4/3 - 1/2.
    p = 4 / 3 - 1 / 2
    assert values["adjacent"] == pytest.approx(0.4 * (1 + 4 + 1 - 1) + 0.6 * (p * (3 + 1 - 1) + (1 - p) * (1 - 1)))


def test_totals_wrap_in_a_byte() -> None:
    position, plain = "1x9/200v0.0+100v1.0+20w8.0", "langorou:battles=0,cum_score=0"
    assert value_of(plain, position) == 300 - 256 - 20
    assert value_of(f"{plain},wrap=no", position) == 300 - 20


def test_sized_splits_take_two_houses_of_different_sizes() -> None:
    position = "3x9/9v1.1+9w8.0+3h0.2+6h2.2"
    assert chosen("langorou:splits=houses,depth=1", position) == "1.1-0.2x3+1.1-2.2x6"
    assert "+" not in chosen("langorou:depth=1", position)


def test_a_search_that_knows_the_ply_limit_wins_at_the_last_ply() -> None:
    last = "1x5/6v0.0+5w4.0/199"
    assert value_of("langorou:ply_limit=aware,battles=0,cum_score=0", last.replace("199", "198"), 2) == 1e10
    assert value_of("langorou:battles=0,cum_score=0", last.replace("199", "198"), 2) == 6 - 5
    level = "1x5/5v0.0+5w4.0/199"
    assert value_of("langorou:ply_limit=aware", level) == 0


def test_pairs_count_once_or_twice() -> None:
    # 6 and 2 at distance 3: 6 gain 8 - 2, and 2 gain 8 / 6 - 6.
    position, plain = "1x5/6v0.0+2w4.0", "langorou:counts=0,cum_score=0,battles=1"
    gain = ((8 - 2) - (8 / 6 - 6)) / 3
    assert value_of(plain, position) == pytest.approx(2 * gain)
    assert value_of(f"{plain},pairs_twice=no", position) == pytest.approx(gain)


def test_the_table_saves_nodes() -> None:
    state = new("vampires:map=fork")
    with_table, without = (found(f"{CORRECTED},table={table}", state, 5).nodes for table in ("yes", "no"))
    assert with_table < without


def test_a_search_counts_how_often_its_table_knew_a_turn() -> None:
    state = new("vampires:map=fork")
    with_table, without = (
        type(state).search(langorou_options(LangorouParameters(table=table), lines=1)).run(state, depth=4)
        for table in ("yes", "no")
    )
    assert 0 < with_table.table_hits < with_table.table_looks
    assert without.table_looks == 0


def test_stored_values_change_no_value_where_none_depends_on_the_path_and_save_nodes() -> None:
    spec = f"{CORRECTED},cum_score=0"
    rng = Random(7)
    for _ in range(15):
        state = core_of(small_position(rng))
        stored, searched = (found(f"{spec},table={table}", state, 3) for table in ("values", "yes"))
        assert stored.value == pytest.approx(searched.value, abs=1e-3), state.position  # a win counts plies
    fork = new("vampires:map=fork")
    assert found(f"{spec},table=values", fork, 5).nodes < found(f"{spec},table=yes", fork, 5).nodes


def test_stored_values_are_wrong_on_other_paths_with_the_cumulative_score() -> None:
    # Two groups and two houses: the same position comes about by early gains and by late ones.
    state = new("vampires", "1x9/5v3.0+2v0.0+9w8.0+2h1.0+3h5.0")
    values = {}
    for cum_score, table in product((0, 1), ("values", "yes")):
        analyst = agent(f"{CORRECTED},depth=5,cum_score={cum_score},table={table}", game="vampires")
        assert isinstance(analyst, Analyst)
        values[cum_score, table] = {str(move.move): move.value for move in analyst.analyze(state, lines=9).moves}
    assert values[0, "values"] == pytest.approx(values[0, "yes"], abs=1e-3)
    assert values[1, "values"] != pytest.approx(values[1, "yes"], abs=1e-3)


def test_a_table_is_also_switched_by_the_words_of_0_1() -> None:
    for word, table in (("true", "yes"), ("on", "yes"), ("off", "no"), ("False", "no")):
        assert parameters_of(f"langorou:table={word}").table == table


def test_alpha_takes_weight_from_later_leads() -> None:
    # The only turns there are; the lead is 10 at both plies, and 20 at the horizon without any term of its own.
    position, spec = "1x9/20v0.0+10w8.0", "langorou:counts=0,battles=0,cum_score=1"
    assert value_of(f"{spec},cum_alpha=0", position, 2) == 10 + 10
    assert value_of(f"{spec},cum_alpha=0.5", position, 2) == 10 + 5
    assert value_of(spec, position, 2) == pytest.approx(10 + 9.99)


def test_star1_cuts_what_is_searched_and_star2_more() -> None:
    state = new("vampires:map=arena")
    whole = len(state.moves("report"))
    for move in state.moves("report"):
        after = state.play(move)
        for reached in [after.resolve(i) for i in range(len(after.outcomes))] if after.is_chance else [after]:
            whole += 0 if reached.is_terminal else len(reached.moves("report"))
    windows = ("star1", "star2")
    two_plies = [found(f"{CORRECTED},splits=half,bins=766,windows={each}", state, 2).nodes for each in windows]
    assert all(nodes < whole for nodes in two_plies)
    star1, star2 = (found(f"{CORRECTED},windows={each}", state, 5).nodes for each in windows)
    assert star2 < star1


# --- Limits, and what it plays ---


@pytest.mark.parametrize("version", ["faithful", "corrected"])
def test_limits_hold_and_there_is_always_a_turn(version: str) -> None:
    state = new("vampires:map=fork")
    player = agent(f"langorou:version={version},nodes=5000", game="vampires")
    player.choose(state, Clock())
    assert info_of(player).nodes == 5000
    for spec, depth in (("nodes=1", 1), ("seconds=1e-9", 0)):
        player = agent(f"langorou:version={version},{spec}", game="vampires")
        assert state.is_legal(player.choose(state, Clock()))
        assert info_of(player).depth == depth
    player = agent(f"langorou:version={version}", game="vampires")
    player.choose(state, Clock(depth=3))
    assert info_of(player).depth == 3


def test_the_same_nodes_give_the_same_turn_and_value() -> None:
    state = new("vampires:map=town")
    player = agent("langorou:nodes=20000", game="vampires")
    first = (str(player.choose(state, Clock())), info_of(player))
    assert (str(player.choose(state, Clock())), info_of(player)) == first


def test_what_is_decided_before_the_horizon_is_searched_no_deeper() -> None:
    assert found(CORRECTED, new("vampires", "1x2/3v0.0+2w1.0"), 40).depth == 1


@pytest.mark.parametrize("rules", ["official", "text-strict", "twilight-succo"])
@pytest.mark.parametrize("map_name", ["arena", "hamlet", "village", "crowd"])
def test_every_turn_of_a_game_is_legal(map_name: str, rules: str) -> None:
    record = play_game(
        f"vampires:map={map_name},rules={rules}", "langorou:nodes=400", f"{CORRECTED},nodes=400,windows=star2", seed=1
    )
    assert record.reason.value == "normal"


def test_many_groups_and_full_cells_are_no_trouble() -> None:
    rng = Random(3)
    for most in (3, 255):
        for _ in range(5):
            cells = [(x, y) for y in range(16) for x in range(16)]
            rng.shuffle(cells)
            board: Board = {cell: (rng.choice("vwh"), rng.randint(1, most)) for cell in cells[: rng.randint(2, 255)]}
            board[cells[0]], board[cells[1]] = ("v", most), ("w", most)
            state = core_of(SlowVampires(16, 16, board))
            for version in ("faithful", "corrected"):
                assert state.is_legal(
                    agent(f"langorou:version={version},nodes=300", game="vampires").choose(state, Clock())
                )


def test_an_analysis_has_as_many_lines_as_are_asked_for() -> None:
    analyst = agent(f"{CORRECTED},depth=3", game="vampires")
    assert isinstance(analyst, Analyst)
    analysis = analyst.analyze(new("vampires:map=fork"), lines=3)
    values = [move.value for move in analysis.moves]
    assert None not in values[:3]
    assert values[:3] == sorted(values[:3], reverse=True)  # type: ignore[type-var]
    assert analysis.pv[0] == analysis.moves[0].move
    state = new("vampires:map=fork")
    for turn in analysis.pv:
        assert state.is_legal(turn)
        state = state.play(state.legal_move(turn))


# --- The paper's random player ---


def test_the_papers_random_player_draws_from_the_turns_of_its_search() -> None:
    rng = Random(11)
    for _ in range(40):
        position = small_position(rng)
        slow = SlowLangorou(position, LangorouParameters())
        state = core_of(position)
        expected = {str(state.turn(orders)) for orders in slow.turns(slow.start())}
        assert {str(turn) for turn in state.moves("report")} == expected
        assert str(agent("langorou-random", game="vampires", seed=1).choose(state, Clock())) in expected


def test_the_papers_random_player_draws_every_turn_as_often() -> None:
    state = new("vampires", "1x4/4v1.0+4w3.0+2h0.0")  # the group or half of it, to the left or to the right
    player = agent("langorou-random", game="vampires", seed=5)
    counts = Counter(str(player.choose(state, Clock())) for _ in range(2000))
    assert len(counts) == 4
    assert all(abs(count - 500) < 5 * (2000 * 0.25 * 0.75) ** 0.5 for count in counts.values())


# --- Bad input ---


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        (
            "langorou:windows=star1",
            "langorou: scale=raw has no bounds for windows=star1; set windows=shared or scale=bounded",
        ),
        (
            "langorou:version=corrected,scale=raw",
            "langorou: scale=raw has no bounds for windows=star1; set windows=shared or scale=bounded",
        ),
        ("langorou:chance=maybe", "chance must be one of version, rounded, exact"),
        ("langorou:bins=1", "bins must be a whole number in 2..766"),
        ("langorou:win_threshold=0.2", "win_threshold must be a number in 0.5..1"),
        ("langorou:max_group=3", "did you mean 'max_groups'?"),
    ],
)
def test_bad_parameters_get_one_sentence(spec: str, complaint: str) -> None:
    with pytest.raises(SpecError) as error:
        agent(spec, game="vampires")
    assert complaint in str(error.value)


def test_it_plays_no_other_game() -> None:
    with pytest.raises(SpecError, match="does not play connect4; it plays vampires"):
        agent("langorou", game="connect4")
