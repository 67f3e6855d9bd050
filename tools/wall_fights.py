"""Positions of Quoridor that a shallow search misjudges, and the error of agents on them.

    python tools/wall_fights.py collect --games 420 --seed 1              # writes tests/games/quoridor/wall_fights.txt
    python tools/wall_fights.py measure quoridor quoridor:hints=0 --nodes 300000 --half test

Such positions are mostly fights with walls: a player is ahead because of walls, and deep in the tree the opponent
closes the pocket. `collect` plays games of the engine against itself from the balanced openings, with few nodes a move.
Where its value changes much within a few plies, it searches the position deeply, and keeps it if the two values differ
by more than 0.3. The games are dealt to two halves: changes are tried on the half `tune`, and reported on the half
`test`.

Values are win shares of the player to move.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from joute._core import QuoridorMove
from joute.agents import agent
from joute.agents.search import SearchAgent, SearchWrapper
from joute.arena.opening_sets import shipped_set
from joute.errors import JouteError, SpecError
from joute.files import write_whole
from joute.games.quoridor.state import Quoridor

Player = SearchAgent | SearchWrapper

FILE = Path(__file__).resolve().parents[1] / "tests" / "games" / "quoridor" / "wall_fights.txt"
HALVES = ("tune", "test")
# The least difference between the two searches.
_LEAST = 0.3
# A deep search follows where the value changes by so much within so many plies of the game.
_LEAST_SWING, _WITHIN = 0.3, 8
# At most so many positions of a game, so many plies apart.
_MOST_OF_A_GAME, _APART = 3, 4


@dataclass(frozen=True)
class Fight:
    """A position with the values of a shallow and of a deep search."""

    half: str
    game: int
    position: str
    shallow: float
    deep: float

    def line(self) -> str:
        """Return the line of the file."""
        return f"{self.half} {self.game} {self.position} {self.shallow:.3f} {self.deep:.3f}"


def read(file: Path = FILE) -> list[Fight]:
    """Read a file that `collect` wrote."""
    fights = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        try:
            half, game, position, shallow, deep = line.split()
            fights.append(Fight(half, int(game), position, float(shallow), float(deep)))
        except ValueError as error:
            raise JouteError(f"{file}: '{line[:80]}' is not a half, game, position, and two values") from error
    return fights


def engine(spec: str) -> Player:
    """Return the agent of a spec, which must search."""
    player = agent(spec, game="quoridor")
    if not isinstance(player, Player):
        raise SpecError(f"{spec} does not search")
    return player


def judged(player: Player, state: Quoridor) -> tuple[float | None, QuoridorMove]:
    """Return the value and the best move, by a search with an empty table.

    There is no value if the limit ends the search when all moves that it has searched at the last depth lose.
    """
    player.forget()
    best = player.analyze(state, lines=1).moves[0]
    assert isinstance(best.move, QuoridorMove)
    return best.value, best.move


def value_of(player: Player, state: Quoridor) -> float:
    """Return the value, or that of a loss without one."""
    return judged(player, state)[0] or 0.0


def games(player: Player, count: int, seed: int, *, after: int) -> Iterator[tuple[int, list[tuple[Quoridor, float]]]]:
    """Yield games of an agent against itself by number: the positions before the race, with the first player's values.

    The games up to number `after` are left out.
    """
    starts = random.Random(seed).sample(shipped_set("quoridor"), count)
    for number, start in enumerate(starts[after:], start=after + 1):
        state = Quoridor(start)
        game = []
        while not state.is_terminal and sum(state.walls_in_hand) > 0:
            value, move = judged(player, state)
            share = value or 0.0
            game.append((state, share if state.to_move == 0 else 1 - share))
            state = state.play(move)
        yield number, game


def suspects(game: Sequence[tuple[Quoridor, float]]) -> list[tuple[Quoridor, float]]:
    """Return the positions of a game before the largest changes of its value, with their values for the mover."""

    def swing(at: int) -> float:
        here = game[at][1]
        return max((abs(value - here) for _, value in game[at + 1 : at + 1 + _WITHIN]), default=0.0)

    chosen: list[int] = []
    for at in sorted(range(len(game)), key=swing, reverse=True):
        if swing(at) < _LEAST_SWING or len(chosen) == _MOST_OF_A_GAME:
            break
        if all(abs(at - other) >= _APART for other in chosen):
            chosen.append(at)
    return [(state, value if state.to_move == 0 else 1 - value) for state, value in (game[at] for at in sorted(chosen))]


def collect(shallow: str, deep: str, count: int, seed: int, out: Path) -> None:
    """Write the fights of so many games. The file is written after each game that has some, and is gone on with."""
    head = [
        f"# Positions in which a shallow and a deep search of Quoridor differ by more than {_LEAST}, and no race",
        f"# python tools/wall_fights.py collect --games {count} --seed {seed} --shallow {shallow} --deep {deep}",
        f"# before a change of at least {_LEAST_SWING} within {_WITHIN} plies, at most {_MOST_OF_A_GAME} of a game",
        "# half, game, position, shallow value, deep value: win shares of the player to move",
    ]
    found = []
    if out.exists():
        if out.read_text(encoding="utf-8").splitlines()[: len(head)] != head:
            raise JouteError(f"{out} was made by another command; name another file")
        found = read(out)
    done = found[-1].game if found else 0
    judge = engine(deep)
    for number, game in games(engine(shallow), count, seed, after=done):
        more = []
        for state, value in suspects(game):
            deeply, _ = judged(judge, state)
            if deeply is not None and abs(deeply - value) > _LEAST:
                more.append(Fight(HALVES[number % len(HALVES)], number, state.position, value, deeply))
        found += more
        print(f"game {number}: {len(found)} positions", flush=True)
        if more:
            write_whole(out, ("\n".join(head + [each.line() for each in found]) + "\n").encode())


def measure(specs: Sequence[str], half: str, limit: str, judge: str, file: Path) -> None:
    """Print the error of each agent on a half, and its difference from that of the first agent."""
    fights = [each for each in read(file) if each.half == half]
    truth = [each.deep for each in fights]
    if judge:
        player = engine(judge)
        truth = [value_of(player, Quoridor(each.position)) for each in fights]
    if not fights:
        raise JouteError(f"{file} has no positions of the half {half}")
    print(f"{len(fights)} positions of the half {half}")
    first: list[float] = []
    for spec in specs:
        limited = f"{spec}{',' if ':' in spec else ':'}{limit}"
        player = engine(limited)
        values = [value_of(player, Quoridor(each.position)) for each in fights]
        errors = [abs(value - deep) for value, deep in zip(values, truth, strict=True)]
        share = sum(error > _LEAST for error in errors) / len(errors)
        line = f"{limited}: mean error {_mean(fights, errors)}, {share:.1%} above {_LEAST}"
        if first:
            difference = _mean(fights, [one - other for one, other in zip(errors, first, strict=True)])
            line += f", difference from the first {difference}"
        first = first or errors
        print(line, flush=True)


def _mean(fights: Sequence[Fight], numbers: Sequence[float]) -> str:
    """Return the mean with its 95% interval; the positions of a game count as one draw."""
    mean = sum(numbers) / len(numbers)
    by_game: dict[int, float] = {}
    for fight, number in zip(fights, numbers, strict=True):
        by_game[fight.game] = by_game.get(fight.game, 0.0) + number - mean
    error = math.sqrt(sum(each**2 for each in by_game.values())) / len(numbers)
    return f"{mean:.3f} ± {1.96 * error:.3f}"


def _main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = reader.add_subparsers(dest="command", required=True)
    collects = commands.add_parser("collect", help="play games and write the positions")
    collects.add_argument("--games", type=int, default=420)
    collects.add_argument("--seed", type=int, default=1)
    collects.add_argument("--shallow", default="quoridor:nodes=20000,memory_mb=8")
    collects.add_argument("--deep", default="quoridor:nodes=1200000,memory_mb=128")
    measures = commands.add_parser("measure", help="report the error of agents")
    measures.add_argument("specs", nargs="+", metavar="SPEC")
    measures.add_argument("--half", choices=HALVES, default="tune")
    limits = measures.add_mutually_exclusive_group()
    limits.add_argument("--nodes", type=int, default=300_000)
    limits.add_argument("--seconds", type=float, default=0.0)
    measures.add_argument("--judge", default="", metavar="SPEC", help="judge the positions anew by this agent")
    for command in (collects, measures):
        command.add_argument("--file", type=Path, default=FILE)
    told = reader.parse_args()
    try:
        if told.command == "collect":
            collect(told.shallow, told.deep, told.games, told.seed, told.file)
        else:
            limit = f"seconds={told.seconds}" if told.seconds else f"nodes={told.nodes}"
            measure(told.specs, told.half, limit, told.judge, told.file)
    except (JouteError, OSError) as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    _main()
