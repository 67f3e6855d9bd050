"""Make the puzzles of games: ``python tools/puzzles.py GAME... [--games N] [--seed S]``.

Agents play games from balanced openings. Each position of them that has one right answer, by the solver or the deep
search that the game's room names, is a candidate. The levels of the game try it: the share of their wrong answers is
its difficulty. Of the candidates, ten are kept: different in kind, spread over all difficulties, at most two from a
game. The file says how it was made.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from joute import Random
from joute.agents import Clock, agent
from joute.arena.opening_sets import shipped_set
from joute.games import State, new
from joute.learn.puzzles import PUZZLES, Puzzle, PuzzleSet, puzzle_set, puzzles_text
from joute.match.game import derive_seed
from joute.match.referee import play_game

# The answers of a level with this many seeds measure the difficulty.
_TRIES = 4
_MOST_OF_A_GAME = 2


def games(name: str, made: PuzzleSet, count: int, seed: int) -> Iterator[tuple[str, list[State]]]:
    """Yield games between the players of a set: how each was made, and its positions."""
    starts = made.starts or tuple(shipped_set(name))
    pairs = list(itertools.permutations(made.players, 2)) or [(made.players[0], made.players[0])]
    for index in range(count):
        own = derive_seed(seed, index)
        start = Random(own).choice(starts)
        first, second = pairs[index % len(pairs)]
        record = play_game(new(name, start), first, second, seed=own, max_plies=400)
        yield f"{first} - {second}, --seed {seed}, game {index + 1}", list(record.states())


def difficulty(state: State, answer: str, levels: Sequence[int]) -> float:
    """Return the share of wrong answers of levels."""
    wrong = 0
    for level in levels:
        for seed in range(_TRIES):
            chosen = agent(f"level:{level}", game=state.spec, seed=seed).choose(state, Clock())
            wrong += str(chosen) != answer
    return wrong / (_TRIES * len(levels))


def candidates(name: str, made: PuzzleSet, count: int, seed: int) -> Iterator[list[Puzzle]]:
    """Yield the positions of each game with one right answer."""
    first, last = made.plies
    seen = set()
    for source, states in games(name, made, count, seed):
        found = []
        for state in states:
            if not first <= state.ply <= last or state.is_terminal or state.is_chance or state.position in seen:
                continue
            seen.add(state.position)
            if (answer := made.solve(state)) is None:
                continue
            missed = round(difficulty(state, answer.line[0], made.levels), 3)
            told = f"{source}, ply {state.ply}"
            found.append(
                Puzzle(state.spec, answer.kind, state.position, answer.line, answer.asked, missed, answer.proof, told)
            )
        yield found


def chosen(found: list[Puzzle], most_of_a_kind: int) -> tuple[Puzzle, ...]:
    """Choose ten: as many kinds and difficulties as there are; at most two of a game; easiest first."""
    ranked = sorted(found, key=lambda each: each.missed)
    kept: list[Puzzle] = []
    games: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    while ranked and len(kept) < PUZZLES:
        # Take the rarest kind first, and of it the difficulty that is farthest from those that were taken.
        def merit(each: Puzzle) -> tuple[int, float]:
            gap = min((abs(each.missed - other.missed) for other in kept if other.kind == each.kind), default=1.0)
            return -kinds[each.kind], gap

        best = max(ranked, key=merit)
        ranked.remove(best)
        game = best.source.rpartition(",")[0]
        if games[game] >= _MOST_OF_A_GAME or kinds[best.kind] >= most_of_a_kind:
            continue
        games[game] += 1
        kinds[best.kind] += 1
        kept.append(best)
    return tuple(sorted(kept, key=lambda each: (each.missed, len(each.line))))


def make(name: str, count: int, seed: int) -> None:
    """Make the puzzles of a game. Their file is written after every game that has one, as far as the games went."""
    made = puzzle_set(name)
    found: list[Puzzle] = []
    for played, more in enumerate(candidates(name, made, count, seed), start=1):
        for puzzle in more:
            found.append(puzzle)
            print(
                f"{len(found)}: {puzzle.kind}, missed {puzzle.missed:.0%}, {puzzle.position}, {puzzle.line}", flush=True
            )
        if found and (more or played == count):
            write(name, made, found, f"python tools/puzzles.py {name} --games {played} --seed {seed}")
    if not found:
        raise SystemExit(f"no position of {count} games of {name} is a puzzle; take more with --games")


def write(name: str, made: PuzzleSet, found: list[Puzzle], command: str) -> None:
    """Write the file of the puzzles that are kept."""
    comments = (
        f"Puzzles of {name}, the easiest first; each has one right answer",
        made.check,
        f"{len(found)} candidates; missed is the share of wrong answers of the levels "
        f"{', '.join(map(str, made.levels))}, {_TRIES} seeds each",
        command,
    )
    made.file.write_text(puzzles_text(chosen(found, made.most_of_a_kind), comments), encoding="utf-8")


def main() -> None:
    """Read the command line."""
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("games", nargs="+")
    reader.add_argument("--games", dest="count", type=int, default=40)
    reader.add_argument("--seed", type=int, default=1)
    told = reader.parse_args()
    for name in told.games:
        make(name, told.count, told.seed)


if __name__ == "__main__":
    main()
