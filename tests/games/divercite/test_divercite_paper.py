"""The Divercité paper's agents: heuristic and searches judged by obvious versions, plans, the course's greedy."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from plain_options import alphabeta_options
from typed import New

from joute import Clock, agent, play_game
from joute.agents import Analyst, agent_types, find_agent
from joute.agents.time_plans import PLANS
from joute.errors import SpecError
from joute.games.divercite.state import Divercite

new = New(Divercite)

PAPER = ["divercite-v0", "divercite-v1", "divercite-v2", "divercite-v3"]
NAMES = [*PAPER, "divercite-greedy"]
VERSIONS = ["faithful", "corrected"]
EVALUATIONS = {
    "divercite-v0": "score",
    "divercite-v1": "score",
    "divercite-v2": "report",
    "divercite-v3": "report",
    "divercite-v3:version=corrected": "report",
    "divercite-v2:bonus=text": "report-text",
    "divercite-v3:order=text,hands=yes": "report-hands",
}

Cell = tuple[int, int]
Placers = dict[Cell, int]  # who placed a piece, by row and column


# --- The heuristic, plain and obvious ---

WEIGHTS = {"divercite": 5.0, "match": 1.0, "spoilt": -0.5, "variety": 0.1, "centre": 0.5, "hand": 0.5}


def neighbours(cell: Cell) -> list[Cell]:
    i, j = cell
    around = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
    return [(i, j) for i, j in around if abs(i - 4) + abs(j - 4) <= 4]


def pieces(state: Divercite) -> dict[Cell, str]:
    cells = ((i, j) for i in range(9) for j in range(9) if abs(i - 4) + abs(j - 4) <= 4)
    return {cell: piece for cell in cells if (piece := state.piece_at(*cell))}


def colours_around(board: dict[Cell, str], city: Cell) -> Counter[str]:
    return Counter(board[cell][0] for cell in neighbours(city) if cell in board)


def city_worth(board: dict[Cell, str], city: Cell, *, by_text: bool) -> float:
    colour, around = board[city][0], colours_around(board, city)
    if not around:
        return 0
    if len(around) == 4:
        return WEIGHTS["divercite"]
    worth = WEIGHTS["match"] * around[colour]
    if any(around[other] >= 2 for other in "RGBY" if other != colour):
        worth += WEIGHTS["spoilt"]
    elif by_text or around[colour] < 2:
        worth += WEIGHTS["variety"] * len(around)
    return worth


def resource_worth(board: dict[Cell, str], cell: Cell, city: Cell, *, by_text: bool) -> float:
    """What a resource does to a city beside it."""
    own, colour, around = board[cell][0], board[city][0], colours_around(board, city)
    worth = WEIGHTS["match"] if own == colour else 0.0
    if own != colour and around[own] >= 2:
        return worth + WEIGHTS["spoilt"]
    if by_text:
        return worth + WEIGHTS["variety"] * len(around)
    return worth + (WEIGHTS["variety"] if around[colour] < 2 else 0)


def closeness(cell: Cell) -> int:
    return max(0, 4 - abs(cell[0] - 4) - abs(cell[1] - 4))


def colours_in_hand(state: Divercite, player: int) -> int:
    return sum(count > 0 for piece, count in state.hand(player).items() if piece[1] == "R")


def obvious(
    state: Divercite, player: int, placers: Placers, *, by_text: bool = False, with_hands: bool = False
) -> float:
    board = pieces(state)
    signs = {cell: 1 if piece[2:] == "WB"[player] else -1 for cell, piece in board.items() if piece[1] == "C"}
    total = 0.0
    for cell, piece in board.items():
        if piece[1] == "C":
            total += signs[cell] * city_worth(board, cell, by_text=by_text)
        else:
            for city in neighbours(cell):
                if city in board:
                    total += signs[city] * resource_worth(board, cell, city, by_text=by_text)
    if with_hands:
        total += WEIGHTS["hand"] * (colours_in_hand(state, player) - colours_in_hand(state, 1 - player))
    near = sum(closeness(cell) for cell, placer in placers.items() if placer == player) if state.ply < 4 else 0
    own, other = state.scores[player], state.scores[1 - player]
    return 0.5 * (own - other) + 0.5 * total + WEIGHTS["centre"] * near


def cell_of(move: Any) -> Cell:
    text = str(move)
    return int(text[2]) - 1, "abcdefghi".index(text[1])


def random_games(games: int, seed: int, plies: int = 40) -> Iterator[tuple[Divercite, Placers]]:
    """Positions, and who placed what."""
    rng = random.Random(seed)
    for _ in range(games):
        state, placers = new("divercite"), Placers()
        while state.ply < plies:
            yield state, placers
            move = rng.choice(state.legal_moves)
            placers = placers | {cell_of(move): state.to_move}
            state = state.play(move)


def is_told_by_hands(state: Divercite, placers: Placers) -> bool:
    """Whether no colour of resources was placed by both."""
    board = pieces(state)
    colours = {(piece[0], placers[cell]) for cell, piece in board.items() if piece[1] == "R"}
    return len({colour for colour, _ in colours}) == len(colours)


@pytest.mark.parametrize("name", ["report", "report-text", "report-hands"])
def test_the_heuristic_is_that_of_the_paper(name: str) -> None:
    told = untold = 0
    openings = random_games(300, seed=6, plies=4)
    for state, placers in [*random_games(40, seed=7), *openings]:
        if state.ply < 4 and not is_told_by_hands(state, placers):
            untold += 1
            continue
        told += state.ply < 4
        for player in (0, 1):
            by_text, with_hands = name == "report-text", name == "report-hands"
            expected = obvious(state, player, placers, by_text=by_text, with_hands=with_hands)
            assert state.evaluate(player, name) == pytest.approx(expected, abs=1e-9), state.position
    assert told > 100
    assert untold > 20


@pytest.mark.parametrize("spec", ["divercite-v2", "divercite-v2:bonus=text", "divercite-v3:hands=yes"])
def test_each_weight_of_the_heuristic_can_be_replaced(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, _, options = spec.partition(":")
    others = {"divercite": 3.5, "match": 0.75, "spoilt": -1.25, "variety": 0.5, "centre": -0.25, "hand": 2.0}
    settings = ",".join(f"{key}={value}" for key, value in others.items() if key != "hand" or name == "divercite-v3")
    player = agent(f"{name}:depth=1,{settings}" + (options and f",{options}"), game="divercite")
    assert isinstance(player, Analyst)
    for key, value in others.items():
        monkeypatch.setitem(WEIGHTS, key, value)
    for state, placers in random_games(2, seed=11):
        if state.ply < 4 and not is_told_by_hands(state, placers):
            continue
        found = player.analyze(state)
        best = found.moves[0].move
        told = {"by_text": "text" in spec, "with_hands": "hands" in spec}
        after = placers | {cell_of(best): state.to_move}
        if (last := state.play(str(best))).is_terminal:
            continue
        expected = obvious(last, state.to_move, after, **told)
        assert found.value == pytest.approx(expected, abs=1e-9), state.position


def test_the_readings_of_the_bonus_differ() -> None:
    state = new("divercite")
    for move in ("Re4", "ga5", "re3", "rd4"):
        state = state.play(move)
    assert state.evaluate(0, "report") == pytest.approx(0.5 * 2 + 0.5 * (2 + 2 * 1))
    # The city gets 0.1 for its one colour, and so do both resources.
    assert state.evaluate(0, "report-text") == pytest.approx(0.5 * 2 + 0.5 * (2 + 0.1 + 2 * 1.1))


def test_where_hands_do_not_tell_who_placed_a_resource_each_player_has_a_share() -> None:
    state = new("divercite").play("re5").play("ra5")  # 4 in the centre, 0 at the tip: who placed which?
    assert [state.evaluate(player, "report") for player in (0, 1)] == [0.5 * 2, 0.5 * 2]
    state = state.play("rc5")  # 2; White has placed two of three
    assert [state.evaluate(player, "report") for player in (0, 1)] == [pytest.approx(0.5 * 4), pytest.approx(0.5 * 2)]


def test_half_of_the_values_are_no_news_to_the_opponent_in_the_opening_only() -> None:
    for state, _ in random_games(20, seed=8):
        difference = state.evaluate(0, "report") + state.evaluate(1, "report")
        assert state.ply in (1, 2, 3) or difference == 0


# --- The searches, plain and obvious ---


def end_value(state: Divercite, player: int) -> float:
    assert state.result is not None
    return state.result.points * (1 if player == 0 else -1)


def minimax(state: Divercite, depth: int, player: int, evaluation: str) -> float:
    if state.is_terminal:
        return end_value(state, player)
    if depth == 0:
        return state.evaluate(player, evaluation)
    values = [minimax(state.play(move), depth - 1, player, evaluation) for move in state.legal_moves]
    return max(values) if state.to_move == player else min(values)


def value_after(state: Divercite, move: Any, player: int, evaluation: str) -> float:
    after = state.play(move)
    return end_value(after, player) if after.is_terminal else after.evaluate(player, evaluation)


def in_order(state: Divercite, depth: int, player: int, by: str = "score") -> list[Any]:
    """As V3 tries moves: by points, of equals the first generated; as generated before the horizon."""
    moves = list(state.legal_moves)
    if depth > 1:
        moves.sort(key=lambda move: value_after(state, move, player, by), reverse=state.to_move == player)
    return moves


class BareTable:
    """The search of V3's program: what it keeps of a position is a depth and a value, cut off or not."""

    def __init__(self, player: int) -> None:
        self.player, self.table = player, dict[Divercite, tuple[int, float]]()

    def value(self, state: Divercite, depth: int, alpha: float = -math.inf, beta: float = math.inf) -> float:
        if state in self.table and self.table[state][0] >= depth:
            return self.table[state][1]
        if state.is_terminal or depth == 0:
            return end_value(state, self.player) if state.is_terminal else state.evaluate(self.player, "report")
        self.table[state] = depth, self.best(state, depth, alpha, beta)[0]
        return self.table[state][1]

    def best(
        self, state: Divercite, depth: int, alpha: float = -math.inf, beta: float = math.inf
    ) -> tuple[float, Any]:  # fmt: skip
        maximizes = state.to_move == self.player
        best, best_move = -math.inf if maximizes else math.inf, None
        for move in in_order(state, depth, self.player):
            found = self.value(state.play(move), depth - 1, alpha, beta)
            if (found > best) if maximizes else (found < best):
                best, best_move = found, move
            if maximizes:
                alpha = max(alpha, found)
            else:
                beta = min(beta, found)
            if alpha >= beta:
                break
        return best, best_move


def limited(spec: str, **limits: int) -> Any:
    joint = "," if ":" in spec else ":"
    return agent(spec + joint + ",".join(f"{name}={value}" for name, value in limits.items()), game="divercite")


def positions(plies: tuple[int, ...], games: int, seed: int) -> list[Divercite]:
    return [state for state, _ in random_games(games, seed) if state.ply in plies]


@pytest.mark.parametrize("spec", EVALUATIONS)
@pytest.mark.parametrize(("depth", "plies"), [(1, (5, 12, 25, 39)), (2, (22, 33, 38)), (3, (31, 34, 37))])
def test_a_version_is_minimax_and_plays_the_first_of_the_best_that_it_tries(
    spec: str, depth: int, plies: tuple[int, ...]
) -> None:
    searcher = limited(spec, depth=depth)
    for state in positions(plies, games=3, seed=depth):
        player, depth_here = state.to_move, min(depth, 40 - state.ply)
        move = searcher.choose(state, Clock())
        by = EVALUATIONS[spec] if "order=text" in spec else "score"
        tried = in_order(state, depth_here, player, by) if "v3" in spec else state.legal_moves
        values = [minimax(state.play(tried_move), depth_here - 1, player, EVALUATIONS[spec]) for tried_move in tried]
        assert searcher.info.value_for_mover == pytest.approx(max(values), abs=1e-12), state.position
        assert move == tried[max(range(len(values)), key=values.__getitem__)], state.position


def test_the_fixed_opening_takes_free_centre_cells_for_two_moves_and_then_searches() -> None:
    fixed = limited("divercite-v3:opening=yes", depth=1)
    state, played = new("divercite"), []
    for _ in range(6):
        move = fixed.choose(state, Clock())
        played.append((str(move), fixed.info is not None))
        state = state.play(move)
    assert played[:4] == [("Re4", False), ("Ge6", False), ("Bd5", False), ("Yf5", False)]
    assert [searched for _, searched in played[4:]] == [True, True]
    assert str(fixed.choose(new("divercite").play("Ye4"), Clock())) == "Ge6"
    assert fixed.choose(state, Clock()) == limited("divercite-v3", depth=1).choose(state, Clock())


# Of 400 positions after 32 random plies, V3 misjudges 23 at depth 5 and plays another move in 5. This is one of them:
# it counts 5.25 where minimax counts 5.
MISJUDGED = "r/yBb/.Gg.b/yB-bB-yY-r/g.b..R-yG-./.Y.Y-rG-r/gYrGb/y.g/g/0010"


def test_v3_errs_as_its_program_does_and_corrected_it_does_not() -> None:
    depth = 5
    faithful, corrected = (limited(f"divercite-v3:version={version}", depth=depth) for version in VERSIONS)
    plain = limited("divercite-v2", depth=depth)
    for state in [new("divercite", MISJUDGED), *positions((32,), games=8, seed=4)]:
        table = BareTable(state.to_move)
        for deeper in range(1, depth + 1):
            value, move = table.best(state, deeper)
        assert faithful.choose(state, Clock()) == move, state.position
        assert faithful.info.value_for_mover == pytest.approx(value, abs=1e-12)
        corrected.choose(state, Clock())
        plain.choose(state, Clock())
        assert corrected.info.value_for_mover == plain.info.value_for_mover
    state = new("divercite", MISJUDGED)
    assert [str(version.choose(state, Clock())) for version in (faithful, corrected)] == ["Re8", "bd6"]
    assert (faithful.info.value_for_mover, corrected.info.value_for_mover) == (5.25, 5.0)


def test_values_from_an_unsound_table_are_never_marked_as_proven() -> None:
    state = positions((34,), games=1, seed=5)[0]
    exact = {}
    for version in ("faithful", "corrected"):
        analyst = limited(f"divercite-v3:version={version}", depth=6)
        assert isinstance(analyst, Analyst)
        exact[version] = analyst.analyze(state).exact
    assert exact == {"faithful": False, "corrected": True}


def test_in_the_opening_the_search_knows_who_placed_a_resource() -> None:
    """Both play red resources, so no hand tells."""
    state, placers = new("divercite").play("re7"), {(6, 4): 0}
    player = state.to_move
    best = -math.inf
    for move in state.legal_moves:
        after, by = state.play(move), placers | {cell_of(move): player}
        worst = math.inf
        for reply in after.legal_moves:
            if str(reply)[0] not in "rR":  # enough to meet the case, and quick
                continue
            worst = min(worst, obvious(after.play(reply), player, by | {cell_of(reply): 0}))
        best = max(best, worst)
    found = limited("divercite-v2", depth=2)
    found.choose(state, Clock())
    assert found.info.value_for_mover == pytest.approx(best, abs=1e-9)


def test_a_sound_table_tells_positions_apart_that_differ_in_who_placed_a_resource_near_the_centre() -> None:
    kept = limited("divercite-v3:version=corrected", depth=2)
    for first in ("re1", "re5"):  # whose replies re5 and re1 make the same position
        state = new("divercite").play(first)
        found, expected = (
            {str(judged.move): judged.value for judged in analyst.analyze(state, lines=160).moves}
            for analyst in (kept, limited("divercite-v2", depth=2))
        )
        assert found == expected


@pytest.mark.parametrize("spec", ["divercite-v1", "divercite-v2", "divercite-v3", "divercite-v3:version=corrected"])
def test_a_depth_that_is_not_finished_is_dropped(spec: str) -> None:
    state = positions((20,), games=1, seed=2)[0]
    for nodes in range(2_000, 60_000, 2_000):
        stopped = limited(spec, nodes=nodes)
        move = stopped.choose(state, Clock())
        finished = limited(spec, depth=stopped.info.depth)
        assert move == finished.choose(state, Clock())
        assert stopped.info.value_for_mover == finished.info.value_for_mover


def test_alphabeta_keeps_what_an_unfinished_depth_found_unless_it_is_told_otherwise() -> None:
    differ = 0
    for state in positions((20,), games=6, seed=2):
        for nodes in range(2_000, 30_000, 4_000):
            moves = []
            for plain in (False, True):
                options = alphabeta_options(table="off", pvs=False, killers=False, history=False, plain_root=plain)
                moves.append(state.search(options, "report").run(state, nodes=nodes).moves[0].move)
            differ += moves[0] != moves[1]
    assert differ > 0


def test_the_depth_told_is_that_of_the_last_finished_one_and_never_beyond_the_end() -> None:
    for state in positions((36, 38, 39), games=2, seed=9):
        for spec in ("divercite-v1", "divercite-v3"):
            searcher = limited(spec, nodes=10**6)
            searcher.choose(state, Clock())
            assert searcher.info.depth == 40 - state.ply


# --- The course's greedy player ---


def test_the_courses_greedy_plays_the_last_move_that_beats_the_first() -> None:
    player = {version: agent(f"divercite-greedy:version={version}", game="divercite") for version in VERSIONS}
    errors = 0
    for state, _ in random_games(4, seed=12):
        own = state.to_move
        scores = [state.play(move).scores[own] for move in state.legal_moves]
        better = [index for index, score in enumerate(scores) if score > scores[0]]
        assert player["faithful"].choose(state, Clock()) == state.legal_moves[better[-1] if better else 0]
        assert player["corrected"].choose(state, Clock()) == state.legal_moves[scores.index(max(scores))]
        errors += bool(better) and scores[better[-1]] < max(scores)
    assert errors > 10


def test_the_general_greedy_player_looks_at_both_players_points() -> None:
    for state, _ in random_games(1, seed=13):
        if state.ply > 36:
            continue  # it also looks for wins
        move = agent("greedy", game="divercite", seed=1).choose(state, Clock())
        differences = {str(move): value_after(state, move, state.to_move, "score") for move in state.legal_moves}
        assert differences[str(move)] == max(differences.values())


# --- Plans and parameters ---


def seconds(plan: str, remaining_s: float, ply: int) -> float:
    return PLANS[plan][0].budget(Clock(remaining_s=remaining_s, nominal_s=900), ply).seconds


def test_each_version_spends_its_clock_by_its_own_plan() -> None:
    plans = {kind.name: kind for kind in agent_types("divercite")}
    for name in PAPER[1:]:
        defaults = {described.name: described.default for described in plans[name].described_parameters}
        assert defaults["plan"] == name


def test_the_windows_of_the_plans_begin_and_end_where_the_paper_says() -> None:
    # Before ply 10: by plies left in V1, by own moves left in V2 and V3; at most a minute.
    assert [seconds(f"divercite-v{v}", 720, 9) for v in (1, 2, 3)] == pytest.approx([720 / 31, 720 / 15, 720 / 15])
    assert [seconds(f"divercite-v{v}", 900, 9) for v in (2, 3)] == [60, 60]
    # From ply 10 to 24 a share of what is left, in V1 and V3.
    for ply in (10, 24):
        assert seconds("divercite-v1", 400, ply) == pytest.approx(80)
        assert seconds("divercite-v3", 400, ply) == pytest.approx(60)
        assert seconds("divercite-v2", 400, ply) == pytest.approx(400 / ((40 - ply) // 2))
    # The last 15 plies.
    assert seconds("divercite-v1", 300, 25) == pytest.approx(300 / 15)
    assert seconds("divercite-v2", 300, 25) == pytest.approx(300 / 7)
    assert seconds("divercite-v3", 300, 25) == pytest.approx(0.98 * 300 / 7)
    assert [seconds(f"divercite-v{v}", 899, 36) for v in (2, 3)] == [120, 120]
    assert [seconds(f"divercite-v{v}", 2, 26) for v in (1, 2, 3)] == [0.5, 0.5, 0.5]


@pytest.mark.parametrize("name", [*NAMES, "divercite-v3:version=corrected", "divercite-greedy:version=corrected"])
def test_every_agent_plays_whole_games_by_the_rules(name: str) -> None:
    joint = "," if ":" in name else ":"
    spec = name if "greedy" in name else f"{name}{joint}depth=1"
    for seed, players in enumerate([(spec, "random"), ("random", spec)]):
        record = play_game("divercite", *players, seed=seed)
        assert record.reason.value == "normal", record.detail
        assert len(record.moves) == 40


def test_the_agents_play_divercite_alone() -> None:
    for name in NAMES:
        with pytest.raises(SpecError, match="does not play connect4; it plays divercite"):
            find_agent(name, "connect4")


def test_every_parameter_says_where_it_comes_from() -> None:
    ours = {kind.name: kind for kind in agent_types("divercite") if kind.name in NAMES}
    assert set(ours) == set(NAMES)
    for kind in ours.values():
        for described in kind.described_parameters:
            assert described.help, (kind.name, described.name)
            assert described.source, (kind.name, described.name)


def test_the_term_of_hands_belongs_to_the_programs_heuristic() -> None:
    with pytest.raises(SpecError, match="hands=yes adds to the heuristic of the program; leave out bonus=text"):
        agent("divercite-v3:hands=yes,bonus=text", game="divercite")
