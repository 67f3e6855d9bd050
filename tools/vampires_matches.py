"""Matches between players of Vampires vs Werewolves on many cores; needs Python and a C++ compiler alone.

    python tools/vampires_matches.py older COMMIT       puts the sources of an older engine into build/older
    python tools/vampires_matches.py build              compiles the match program, and the older engine if it is there
    python tools/vampires_matches.py play LIST --out DIR --jobs 16 --seconds 480     plays one of the lists below
    python tools/vampires_matches.py table --out DIR    the results as a table

A match is a number of pairs of games, each pair on one map of experiments/vampires_all_maps.txt with species swapped
and the same draws of chance (core/games/vampires/fit/fit.cpp; players.hpp there names the players). Every game is a
line of DIR/MATCH.jsonl with its turns. Matches of a list advance together; no game begins after --seconds, and games
that then run are stopped --grace seconds later and not counted. The same command goes on where the last one ended.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
_BUILD = _ROOT / "build" / "matches"
_OLDER = _ROOT / "build" / "older"
_MAPS = _ROOT / "experiments" / "vampires_all_maps.txt"
_SEED = 33
_FLAGS = ("-std=c++20", "-O3", "-march=native", "-ffp-contract=off")
# A turn that takes longer than its limit and this is late: the client keeps as much in reserve (docs/vampires.md).
_RESERVE_S = 0.25


@dataclass(frozen=True)
class Match:
    """A match: its name, two players and the number of pairs."""

    name: str
    one: str
    other: str
    pairs: int


def _trials() -> Iterator[Match]:
    today, langorou = "today,nodes=1000", "langorou,nodes=7000"
    yield Match("langorou-plain", today, langorou, 400)
    for contempt in (0.02, 0.1, 0.2, 0.4):
        yield Match(f"langorou-contempt-{contempt}", f"{today},contempt={contempt}", langorou, 400)
        yield Match(f"itself-contempt-{contempt}", f"{today},contempt={contempt}", today, 200)


def _finals() -> Iterator[Match]:
    against = {"faithful": "langorou", "corrected": "corrected", "older": f"program={_BUILD / 'older'}"}
    for seconds, pairs in ((0.1, 200), (0.4, 50), (1.6, 20)):
        for name, player in against.items():
            yield Match(f"{name}-{seconds}", f"today,seconds={seconds}", f"{player},seconds={seconds}", pairs)
    yield Match("contempt-0.1", "today,seconds=0.1,contempt=0.2", "langorou,seconds=0.1", 200)


def _nodes() -> Iterator[Match]:
    # In the time of one of our nodes the paper's player makes about seven, and corrected six (docs/vampires.md).
    against = {"faithful": "langorou,nodes=7000", "corrected": "corrected,nodes=6000"}
    against["older"] = f"program={_BUILD / 'older'},nodes=1000"
    for name, player in against.items():
        yield Match(f"{name}-nodes", "today,nodes=1000", player, 240)


#: The lists by name: trials of contempt, matches at a number of nodes a move, and matches at a time a move.
LISTS = {"trials": _trials, "nodes": _nodes, "finals": _finals}


def older(commit: str) -> None:
    """Extract the core of an older commit."""
    _OLDER.mkdir(parents=True, exist_ok=True)
    packed = subprocess.run(["git", "archive", commit, "core"], cwd=_ROOT, check=True, stdout=subprocess.PIPE)
    subprocess.run(["tar", "x", "-C", str(_OLDER)], input=packed.stdout, check=True)


def build() -> None:
    """Compile the programs, several files at a time."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        programs = [("fit", _ROOT, "fit_vampires")]
        if (_OLDER / "core").exists():
            programs.append(("answer", _OLDER, "older"))
        for made in [_compile(pool, *program) for program in programs]:
            made()


def _compile(pool: ThreadPoolExecutor, main: str, tree: Path, name: str) -> Any:
    """Start to compile a program of the match tools with the core of a tree; the result links it."""
    objects = _BUILD / f"{name}.objects"
    objects.mkdir(parents=True, exist_ok=True)
    room = tree / "core" / "games" / "vampires"
    sources = [_ROOT / "core" / "games" / "vampires" / "fit" / f"{main}.cpp"]
    sources += [
        path for path in [*room.glob("*.cpp"), *room.glob("langorou/*.cpp")] if not path.stem.startswith("bind")
    ]
    compiler = os.environ.get("CXX", "g++")
    places = [f"-I{tree / 'core'}", f"-I{_ROOT / 'tools'}", f"-I{_ROOT / 'core' / 'games' / 'vampires' / 'fit'}"]
    made = [objects / f"{path.parent.name}-{path.stem}.o" for path in sources]
    running = [
        pool.submit(subprocess.run, [compiler, *_FLAGS, *places, "-c", str(path), "-o", str(to)], check=True)
        for path, to in zip(sources, made, strict=True)
    ]

    def link() -> None:
        for each in running:
            each.result()
        subprocess.run([compiler, *map(str, made), "-pthread", "-o", str(_BUILD / name)], check=True)

    return link


def _waiting(matches: list[Match], out: Path) -> list[tuple[Match, int, int]]:
    """The games that have not been played, so that all matches advance by the same share."""
    waiting = []
    for match in matches:
        played = {(game["pair"], game["first"]) for game in games(out, match.name)}
        waiting += [
            ((pair + 1) / match.pairs, match, pair, first)
            for pair in range(match.pairs)
            for first in (0, 1)
            if (pair, first) not in played
        ]
    return [(match, pair, first) for _, match, pair, first in sorted(waiting, key=lambda each: each[0])]


def games(out: Path, name: str) -> list[dict[str, Any]]:
    """The games of a match so far."""
    path = out / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def play(name: str, out: Path, jobs: int, seconds: float, grace: float) -> None:
    """Play what is missing of a list, for at most so many seconds."""
    began = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    matches = list(LISTS[name]())
    (out / "matches.json").write_text(json.dumps([[m.name, m.one, m.other] for m in matches], indent=1))
    waiting = _waiting(matches, out)
    running: dict[subprocess.Popen[str], Match] = {}
    while waiting or running:
        spent = time.monotonic() - began
        while waiting and len(running) < jobs and spent < seconds:
            match, pair, first = waiting.pop(0)
            words = [str(_BUILD / "fit_vampires"), "game", str(_SEED), str(pair), str(first)]
            words += [match.one, match.other, str(_MAPS)]
            running[subprocess.Popen(words, stdout=subprocess.PIPE, text=True)] = match
        if not running:
            return
        for process, match in list(running.items()):
            if process.poll() is None:
                if spent > seconds + grace:
                    process.kill()
                continue
            assert process.stdout is not None
            line = process.stdout.read()
            del running[process]
            if process.returncode == 0:
                with (out / f"{match.name}.jsonl").open("a") as file:
                    file.write(line)
            elif process.returncode > 0:
                raise SystemExit(f"{match.name}: status {process.returncode}")
        time.sleep(0.005)


def row(name: str, one: str, other: str, played: list[dict[str, Any]]) -> str:
    """A row of the table. The interval is that of pairs; a pair with one game counts by it alone."""
    pairs: dict[int, list[float]] = {}
    for game in played:
        pairs.setdefault(game["pair"], []).append((game["outcome"] + 1) / 2)
    means = [sum(scores) / len(scores) for scores in pairs.values()]
    mean = sum(means) / len(means)
    spread = sum((score - mean) ** 2 for score in means) / max(len(means) - 1, 1)
    error = 1.96 * math.sqrt(spread / len(means))
    tally = ", ".join(str(sum(game["outcome"] == result for game in played)) for result in (1, 0, -1))
    cells = [name, one, other, str(len(played)), tally, f"{mean:.1%} ± {error:.1%}"]
    for which, player in enumerate((one, other)):
        moves = sum(game["moves"][which] for game in played)
        took = sum(game["seconds"][which] for game in played) / moves
        depth = sum(game["depth"][which] for game in played) / moves
        nodes = sum(game["nodes"][which] for game in played) / moves
        slowest = max(game["slowest"][which] for game in played)
        limit = next((float(word[8:]) for word in player.split(",") if word.startswith("seconds=")), math.inf)
        late = sum(game["slowest"][which] > limit + _RESERVE_S for game in played)
        cells.append(
            f"{nodes:,.0f} nodes, depth {depth:.1f}, {took:.3f} s, slowest {slowest:.3f} s, late in {late} games"
        )
    cells.append(str(sum(game["illegal_by"] is not None for game in played)))
    return "| " + " | ".join(cells) + " |"


def table(out: Path) -> str:
    """The results in Markdown."""
    head = [
        "match",
        "one",
        "other",
        "games",
        "won, drawn, lost",
        "score of one",
        "one a move",
        "other a move",
        "illegal",
    ]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, one, other in json.loads((out / "matches.json").read_text()):
        played = games(out, name)
        if played:
            lines.append(row(name, one, other, played).replace(str(_BUILD) + "/", ""))
    return "\n".join(lines)


def main() -> None:
    """Read the command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("what", choices=("older", "build", "play", "table"))
    made.add_argument("name", nargs="?", help="the commit, or the list")
    made.add_argument("--out", type=Path)
    made.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    made.add_argument("--seconds", type=float, default=1e9)
    made.add_argument("--grace", type=float, default=30)
    given = made.parse_args()
    if given.what in ("play", "table") and given.out is None:
        made.error(f"{given.what} needs --out")
    if given.what == "older" and not given.name:
        made.error("older needs a commit")
    if given.what == "play" and given.name not in LISTS:
        made.error(f"play needs one of {', '.join(LISTS)}")
    if given.what == "older":
        older(given.name)
    elif given.what == "build":
        build()
    elif given.what == "play":
        play(given.name, given.out, given.jobs, given.seconds, given.grace)
        print(table(given.out))
    else:
        print(table(given.out))


if __name__ == "__main__":
    main()
