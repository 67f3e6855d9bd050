"""10,000 requests through ``joute analyze --stdin``, beside the same positions one by one in this process.

The service's time includes its start, reading and writing JSON. One by one means `agent.analyze`, by one agent that
forgets the last position before the next, without JSON: the answers are the same.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from functools import partial
from typing import Any

from benchmarks.measure import rates, show
from joute import Random, agent, new
from joute.games import State
from joute.system import usable_cores

REQUESTS = 10_000
#: Games and agents, from very short searches, in which JSON takes longer than the search, to longer ones.
CASES = (
    ("connect4", "mcts:iterations=200"),
    ("connect4", "alphabeta:nodes=2000"),
    ("quoridor", "quoridor:nodes=2000"),
    ("connect4", "alphazero:policy_only=yes"),
)


def run(repeats: int, *, requests: int = REQUESTS, cases: tuple[tuple[str, str], ...] = CASES) -> None:
    for game, spec in cases:
        states = positions(game, requests)
        lines = "".join(f"{json.dumps(request)}\n" for request in asked(game, spec, states)).encode()
        contenders = {
            f"joute analyze --stdin --jobs {jobs}": partial(served, lines, requests, jobs)
            for jobs in sorted({1, len(usable_cores())}, reverse=True)
        }
        found = rates(repeats, contenders | {"agent.analyze, one by one": partial(one_by_one, spec, states)})
        show(f"{requests:,} positions of {game}, analyzed by {spec}", "positions", found)
        *services, alone = found.values()
        print(f"  ratios {', '.join(f'{rate / alone:.2f}×' for rate in services)}")


def positions(game: str, count: int) -> list[State]:
    """Positions of random games, as far as a player is to move."""
    rng, state = Random(1), new(game)
    found: list[State] = []
    while len(found) < count:
        if state.is_terminal:
            state = new(game)
        found.append(state)
        state = state.play(state.random_move(rng), rng)
    return found


def asked(game: str, spec: str, states: list[State]) -> list[dict[str, Any]]:
    return [
        {"id": str(number), "game": game, "position": state.position, "agent": spec, "lines": 3}
        for number, state in enumerate(states)
    ]


def served(lines: bytes, count: int, jobs: int) -> int:
    """Pipe requests through the command; fails unless each of them has exactly one answer."""
    words = [sys.executable, "-m", "joute", "analyze", "--stdin", "--jobs", str(jobs)]
    done = subprocess.run(words, input=lines, stdout=subprocess.PIPE, check=True)
    answered = re.findall(rb'^{"id": "(\d+)", "kind": "final", ', done.stdout, re.MULTILINE)
    assert sorted(map(int, answered)) == list(range(count)), "an answer is missing, or came twice"
    return count


def one_by_one(spec: str, states: list[State]) -> int:
    analyst: Any = agent(spec, game=states[0].spec)
    for state in states:
        analyst.forget()
        analyst.analyze(state, lines=3)
    return len(states)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=REQUESTS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--game", help="only this game")
    parser.add_argument("--agent", help="only this agent")
    given = parser.parse_args()
    chosen = tuple(case for case in CASES if given.game in (None, case[0]) and given.agent in (None, case[1]))
    run(given.repeats, requests=given.requests, cases=chosen)


if __name__ == "__main__":
    main()
