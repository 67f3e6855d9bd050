"""Experiments in which agents choose one move in each of many positions, instead of playing games.

Positions come in chunks with one seed each. A finished chunk is a line of a file, so a resumed run computes only the
missing chunks. Searches release Python's global lock, so threads suffice to use all cores.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from joute._core import Random
from joute.agents import Clock, agent_types, find_agent
from joute.errors import JouteError, SpecError
from joute.files import write_whole
from joute.games import State, new
from joute.match.game import derive_seed, settle
from joute.match.mistakes import measure_mistakes
from joute.match.player import ask, seat
from joute.match.statistics import wilson_interval
from joute.reproduce.experiments import OPENINGS, Experiment
from joute.reproduce.results import AgentResult, RowResult

_CHUNK = 20
# After this many random games in a row without a winning last move, the search for positions fails.
_MOST_TRIES = 1000

#: The result of a chunk, for each agent: positions asked and failed by ply, and seconds.
_Found = list[tuple[dict[str, list[int]], float]]


def ask_agents(
    experiment: Experiment,
    positions: int,
    seed: int,
    path: Path,
    *,
    workers: int,
    on_positions: Callable[[int], None] | None = None,
) -> None:
    """Compute the chunks that the file lacks; `on_positions` gets the size of each finished chunk."""
    plan = _plan(experiment, positions, seed)
    if path.exists():
        _cut_to_lines(path)
    done = _read(path, plan)
    agent_types()  # fill the registry before the threads use it
    for agent in experiment.agents:
        find_agent(agent.spec, plan["game"])
    if not path.exists():
        write_whole(path, f"{json.dumps(plan)}\n".encode())
    chunks = [chunk for chunk in range(-(-positions // _CHUNK)) if chunk not in done]
    pool = ThreadPoolExecutor(max(1, workers))
    try:
        asked = {pool.submit(_chunk, experiment, plan, chunk): chunk for chunk in chunks}
        for future in as_completed(asked):
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([asked[future], future.result()], separators=(",", ":")) + "\n")
                file.flush()
                os.fsync(file.fileno())
            if on_positions:
                on_positions(_size(plan, asked[future]))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def positions_done(experiment: Experiment, positions: int, seed: int, path: Path) -> int:
    """The number of finished positions in the file."""
    plan = _plan(experiment, positions, seed)
    return sum(_size(plan, chunk) for chunk in _read(path, plan))


def collect_positions(experiment: Experiment, positions: int, seed: int, path: Path) -> RowResult:
    """The results of a finished file."""
    chunks = _read(path, _plan(experiment, positions, seed))
    agents = []
    for index, contestant in enumerate(experiment.agents):
        asked: Counter[int] = Counter()
        failed: Counter[int] = Counter()
        time_s = 0.0
        for chunk in sorted(chunks):
            by_ply, seconds = chunks[chunk][index]
            time_s += seconds
            for ply, (moves, failures) in by_ply.items():
                asked[int(ply)] += moves
                failed[int(ply)] += failures
        moves, failures = asked.total(), failed.total()
        low, high = wilson_interval(1 - failures / moves, moves)
        agents.append(
            AgentResult(
                name=contestant.name,
                spec=contestant.spec,
                clock=contestant.clock or experiment.clock,
                score=1 - failures / moves,
                low=low,
                high=high,
                moves=moves,
                time_s=time_s,
                failures=failures,
                failures_by_ply={str(ply): (asked[ply], failed[ply]) for ply in sorted(asked)},
            )
        )
    return RowResult(OPENINGS, positions, tuple(agents))


def _plan(experiment: Experiment, positions: int, seed: int) -> dict[str, Any]:
    """Everything that the answers depend on."""
    return {
        "kind": experiment.kind,
        "game": new(experiment.game).spec,
        "agents": [agent.spec for agent in experiment.agents],
        "positions": positions,
        "plies": list(experiment.plies),
        "seed": seed,
    }


def _read(path: Path, plan: dict[str, Any]) -> dict[int, _Found]:
    """The chunks of a file; SpecError if it has another plan. An incomplete last line is ignored."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    try:
        known = json.loads(lines[0]) if lines else None
    except ValueError:
        known = None
    if known != plan:
        raise SpecError(f"{path} was made by another plan; choose another folder with --out, or remove the file")
    found: dict[int, _Found] = {}
    try:
        for line in lines[1:]:
            if line.endswith("\n"):
                chunk, answers = json.loads(line)
                found[chunk] = [(by_ply, seconds) for by_ply, seconds in answers]
    except (TypeError, ValueError) as error:
        raise SpecError(f"{path} is damaged: {error}; remove it to compute its positions again") from error
    return found


def _cut_to_lines(path: Path) -> None:
    """Remove an incomplete last line, left by a killed run, so that the next line does not join it."""
    with path.open("r+b") as file:
        file.truncate(file.read().rfind(b"\n") + 1)


def _size(plan: dict[str, Any], chunk: int) -> int:
    return min(_CHUNK, int(plan["positions"]) - chunk * _CHUNK)


def _chunk(experiment: Experiment, plan: dict[str, Any], chunk: int) -> _Found:
    seed, count = derive_seed(plan["seed"], chunk), _size(plan, chunk)
    specs = [agent.spec for agent in experiment.agents]
    if experiment.kind == "wins":
        return _missed_wins(plan["game"], specs, count, seed)
    rates = measure_mistakes(plan["game"], specs, positions=count, seed=seed, plies=experiment.plies)
    return [
        ({str(ply): [tally.moves, tally.mistakes] for ply, tally in rate.by_ply.items()}, rate.time_s) for rate in rates
    ]


def _missed_wins(game: str, specs: Sequence[str], count: int, seed: int) -> _Found:
    """Ask all agents in positions with a win in one move; an agent fails if it plays another move."""
    by_ply: list[dict[str, list[int]]] = [{} for _ in specs]
    times = [0.0] * len(specs)
    start = new(game)
    for index, state in zip(range(count), _won_positions(start, Random(seed)), strict=False):
        winning = set(state.winning_moves)
        for number, spec in enumerate(specs):
            move, time_s = ask(seat(spec, spec, start.spec, derive_seed(seed, index)), spec, state, Clock())
            tally = by_ply[number].setdefault(str(state.ply), [0, 0])
            tally[0] += 1
            tally[1] += move not in winning
            times[number] += time_s
    return list(zip(by_ply, times, strict=True))


def _won_positions(start: State, rng: Random) -> Iterator[State]:
    """Positions with a win in one move: each is the position before the last move of another random game."""
    fruitless = 0
    while fruitless < _MOST_TRIES:
        fruitless += 1
        if (state := _before_the_end(start, rng)) is not None:
            fruitless = 0
            yield state
    raise JouteError(f"random games of {start.game} do not end by a winning move")


def _before_the_end(start: State, rng: Random) -> State | None:
    state, _ = settle(start.random_start(rng), rng)
    before = None
    while not state.is_terminal:
        before = state
        state = state.play(state.random_move(rng), rng)
    return before if before is not None and before.winning_moves else None
