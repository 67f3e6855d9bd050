"""Whole games of Vampires vs Werewolves by our agents, on maps of every size: nobody ever plays what is illegal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from random import Random as PythonRandom
from typing import Any

import pytest
from vampires_oracle import PROFILES, Board, Profile, SlowVampires
from vampires_positions import spec

from joute import Random, State, new, play_game
from joute.agents import Clock
from joute.games.vampires.generators import OfficialMaps, TwilightMaps
from joute.games.vampires.state import find_map, map_names
from joute.match import GameRecord, Reason
from joute.match.player import Answer, LocalPlayer
from joute.match.record import LOST_TURN
from joute.match.record_reader import RecordError, read_text
from joute.match.record_text import write_record

AGENTS = ("random", "vampires-greedy", "greedy", "mcts:iterations=4", "langorou:nodes=50", "vampires:nodes=50")
SMALLEST, LARGEST = "3x3/1v0.0+1w2.2", "15x29/10v3.7+10w25.7+8h14.7+4h14.2+4h14.12"


def maps(seed: int) -> Iterator[str]:
    """The built-in ones, then those of both generators and some of no shape at all, from 3x3 to 15x29."""
    yield from (find_map(name).text for name in map_names())
    yield from (SMALLEST, LARGEST)
    rng, draw = PythonRandom(seed), Random(seed)
    while True:
        rows, columns = rng.randint(3, 15), rng.randint(3, 29)
        homes = rng.randint(0, min(20, rows * (columns // 2) - 1))
        yield OfficialMaps(rows, columns, homes).draw(draw).text
        yield TwilightMaps(rows, columns, min(homes, rows * columns // 4)).draw(draw).text
        yield _shapeless(rng, rows, columns)


def _shapeless(rng: PythonRandom, rows: int, columns: int) -> str:
    cells = [(x, y) for y in range(rows) for x in range(columns)]
    rng.shuffle(cells)
    start = rng.choice((1, 4, 20, 60, 150))
    board: Board = {cells.pop(): (species, start) for species in "vw"}
    for _ in range(rng.randint(0, min(120, len(cells) // 2))):
        board[cells.pop()] = ("h", min(255, rng.randint(1, 2 * start)))
    return SlowVampires(rows, columns, board).position


def check_by_slow_rules(record: GameRecord, profile: Profile) -> None:
    """Every turn that was played is legal, and led to a position that it may lead to."""
    states: list[Any] = list(record.states())
    for state, played, after in zip(states, record.moves, states[1:], strict=False):
        board = {(x, y): (species, count) for x, y, species, count in state.cells}
        slow = SlowVampires(state.rows, state.columns, board, state.ply, profile)
        orders = state.parse_move(played.move).orders
        assert slow.is_legal(orders), (state.position, played.move)
        reached = {(x, y): (species, count) for x, y, species, count in after.cells}
        unchanged = slow.departed(orders)
        for cell, chances in slow.arrivals(orders).items():
            assert chances.get(reached.pop(cell, None)), (state.position, played.move)
            unchanged.pop(cell, None)
        assert reached == unchanged
        assert after.is_terminal == (replace(slow, board=board_of(after), ply=after.ply).result() is not None)


def board_of(state: Any) -> Board:
    return {(x, y): (species, count) for x, y, species, count in state.cells}


def check_games(games: int, seed: int, firsts: Sequence[str] = AGENTS) -> None:
    """Nobody forfeits; every game ends by the rules, and replays to its end. One player of each is of `firsts`."""
    rng = PythonRandom(seed)
    seen: Counter[str] = Counter()
    for number, start in enumerate(islice(maps(seed), games)):
        profile = rng.choice(list(PROFILES.values()))
        players = rng.choice(firsts), rng.choice(AGENTS)
        if rng.random() < 0.5:
            players = players[::-1]
        record = play_game(new(spec(profile), start), *players, seed=number)
        assert record.reason is Reason.NORMAL, str(record)
        check_by_slow_rules(record, profile)
        *_, end = record.states()
        assert end.result == record.result
        seen.update([*players, profile.name, record.result.decided_by])
    assert all(seen[each] for each in (*AGENTS, *PROFILES, "extinction", "more units"))


def test_our_agents_play_nothing_illegal() -> None:
    check_games(60, seed=1)


@pytest.mark.slow
def test_our_agents_play_nothing_illegal_in_a_thousand_games() -> None:
    check_games(1500, seed=2)


@pytest.mark.slow
def test_the_engine_plays_nothing_illegal_in_a_thousand_games() -> None:
    check_games(1200, seed=3, firsts=["vampires:nodes=300"])


def test_two_players_who_are_always_late_lose_turns_until_the_limit() -> None:
    class Late(LocalPlayer):
        def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
            return replace(super().ask(state, line, clock, limit_s), time_s=3.0)

    record = play_game("vampires", Late("random"), Late("random"), clock="2/move")
    assert {played.move for played in record.moves} == {LOST_TURN}
    assert (len(record.moves), record.reason, record.result.decided_by) == (200, Reason.NORMAL, "equal units")
    (read,) = read_text(write_record(record))
    assert not isinstance(read, RecordError)
    assert read.record == record
