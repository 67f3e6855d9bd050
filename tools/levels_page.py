"""Write the ladders of levels into docs/levels.md, after its line `MARK`.

The accuracies of levels in reviewed games are data too: ``python tools/levels_page.py --review GAME...`` plays and
reviews twenty games between levels of each game, and keeps the result in docs/level_accuracy.json. That takes minutes.
``--rounds 3`` plays three times as many games.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from joute import Random
from joute.agents.level_sets import has_levels, level_set, levels_of
from joute.fits.games import opening
from joute.fits.ladder import settings_in_words, steps
from joute.games import find_game
from joute.match.game import derive_seed
from joute.match.referee import play_game
from joute.numbers import elo_text
from joute.pages.markdown_parts import table
from joute.plugins import all_rooms
from joute.reviews.review import review

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "levels.md"
ACCURACY = ROOT / "docs" / "level_accuracy.json"
MARK = "<!-- The rest of this page is made by `python tools/levels_page.py`. -->\n"
# Five levels, each against each with both colours: twenty games a round.
_COMPARED = 5
_NODES = 10_000
_SEED = 1


def page() -> str:
    """Return the contents of the page: its hand-written part, then a ladder for each game, then the accuracies."""
    written, found, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    if not found:
        raise SystemExit(f"{PAGE} has no line {MARK}")
    return f"{written}{MARK}\n" + "\n".join(_lines()).rstrip("\n") + "\n"


def _games() -> list[str]:
    return [name for name, room in all_rooms().items() if room.is_ours and has_levels(name)]


def _lines() -> Iterator[str]:
    for game in _games():
        yield from (f"## {find_game(game).title}", "", *_header(game), "")
        rows = []
        for step in steps(levels_of(game).levels):
            match = (f"{100 * step.score:.0f}%", f"{100 * step.low:.0f}–{100 * step.high:.0f}%", str(step.games))
            elo = (elo_text(step.elo), f"{elo_text(step.elo_low)} to {elo_text(step.elo_high)}")
            words = settings_in_words(step.number, step.level)
            rows.append(
                (str(step.number), *(match if step.games else ("", "", "")), elo[0], elo[1] * (step.games > 0), words)
            )
        head = ("level", "score", "95%", "games", "Elo", "95% of Elo", "settings")
        yield from table(head, rows, left=(6,))
    kept = json.loads(ACCURACY.read_text(encoding="utf-8")) if ACCURACY.is_file() else {}
    if kept:
        yield from ("## Accuracy by level", "", "`python tools/levels_page.py --review`", "")
    for game in _games():
        if game in kept:
            yield from (find_game(game).title + ":", "")
            yield from table(
                ("level", "accuracy", "95%", "games", "blunders a game"), [_cells(row) for row in kept[game]]
            )


def _header(game: str) -> Iterator[str]:
    """The comments of the file of levels, which say how it was made, as a list."""
    lines = level_set(game).file.read_text(encoding="utf-8").splitlines()
    yield from (f"- {line[2:]}" for line in lines[1:] if line.startswith("# "))


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    """A row of the table of accuracies."""
    return (
        str(row["level"]),
        f"{row['accuracy']:.1f}%",
        f"±{row['error']:.1f}",
        str(row["games"]),
        f"{row['blunders']:.1f}",
    )


def accuracies(game: str, rounds: int) -> list[dict[str, Any]]:
    """Play rounds of twenty games between five levels, review them, and return the mean accuracy of each level."""
    count = len(levels_of(game).levels)
    chosen = sorted({round(1 + index * (count - 1) / (_COMPARED - 1)) for index in range(_COMPARED)})
    found: dict[int, list[float]] = {number: [] for number in chosen}
    blunders: dict[int, int] = dict.fromkeys(chosen, 0)
    for index, (first, second) in enumerate(rounds * list(itertools.permutations(chosen, 2))):
        seed = derive_seed(_SEED, index)
        record = play_game(opening(game, Random(seed)), f"level:{first}", f"level:{second}", seed=seed, max_plies=400)
        judged = review(record, nodes=_NODES if game_has_nodes(game) else None, jobs=1)
        for player, number in enumerate((first, second)):
            accuracy = judged.accuracy(player)
            if accuracy is not None:
                found[number].append(accuracy)
            kinds = [move.kind.value for move in judged.moves if move.player == player and move.counts]
            blunders[number] += kinds.count("blunder") + kinds.count("missed win")
        print(game, first, second, judged.accuracy(0), judged.accuracy(1), flush=True)
    return [
        {
            "level": number,
            "accuracy": round(mean(values), 1),
            "error": round(1.96 * stdev(values) / len(values) ** 0.5, 1),
            "games": len(values),
            "blunders": round(blunders[number] / len(values), 1),
        }
        for number, values in found.items()
    ]


def game_has_nodes(game: str) -> bool:
    """Whether the judge of a game has a limit of nodes: exact solvers without one need none."""
    from joute.agents import adviser, find_agent

    name = adviser(game)
    return name is not None and "nodes" in {each.name for each in find_agent(name)[0].described_parameters}


def main() -> None:
    """Read the command line; review games if it says so, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--review", nargs="*", metavar="GAME", help="play and review games of these games, or of all")
    parser.add_argument("--rounds", type=int, default=1, help="rounds of twenty games to review")
    given = parser.parse_args()
    if given.review is not None:
        kept = json.loads(ACCURACY.read_text(encoding="utf-8")) if ACCURACY.is_file() else {}
        for name in given.review or _games():
            kept[name] = accuracies(name, given.rounds)
            ACCURACY.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
