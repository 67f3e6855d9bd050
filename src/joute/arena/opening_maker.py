"""Make a set of balanced openings: in parallel, resumable, and the same for the same seed.

Candidates are numbered. The set is the first `count` balanced ones, less those that are symmetric to an earlier one, so
it depends neither on the number of threads nor on interruptions. Every judged candidate is kept in a journal beside the
file, from which a killed run resumes.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from joute.arena.opening_sets import Judged, OpeningSet, candidate, check_judges, key_of
from joute.errors import JouteError
from joute.files import whole_file
from joute.games import State, new
from joute.match.signature import fingerprint
from joute.system import usable_cores
from joute.version import __version__

# The search for more openings ends after this many candidates in a row without a new one.
_FRUITLESS = 1_000

# The fields of OpeningSet on which the openings do not depend.
_REASONS = ("source", "even_source", "file")

#: The beginning of the file.
MARK = "# Balanced openings of "

#: The end of the journal's name.
JOURNAL = ".journal"


@dataclass(frozen=True)
class Progress:
    """The state of a set in the making: candidates judged, and openings among the first of them without a gap."""

    judged: int
    found: int


@dataclass(frozen=True)
class Made:
    """A set of openings, and the number of candidates from which it was chosen."""

    openings: tuple[Judged, ...]
    judged: int


def make_set(
    game: str,
    settings: OpeningSet,
    *,
    count: int,
    out: Path,
    seed: int = 0,
    concurrency: int = 0,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Made:
    """Write `count` balanced openings to `out`, or all that are found, and return them.

    After an exception such as KeyboardInterrupt the journal stays, and the same call goes on; with a smaller `count` it
    ends earlier, with the first openings of the same set. `concurrency` 0 uses all cores: searches of native games run
    without Python's lock, so they are threads. JouteError if the journal has other settings.
    """
    start = new(game)
    check_judges(start, settings)
    journal = out.with_name(out.name + JOURNAL)
    with _Journal(journal, _header(start.spec, settings, seed)) as known:
        chosen = _Chosen(start, count, known.judged)
        threads = concurrency or len(usable_cores())
        with ThreadPoolExecutor(threads) as pool:
            running: dict[Future[Judged | None], int] = {}
            numbers = (number for number in itertools.count() if number not in known.judged)
            try:
                while not chosen.is_complete():
                    for number in itertools.islice(numbers, 2 * threads - len(running)):
                        running[pool.submit(candidate, start, settings, seed, number)] = number
                    done, _ = wait(running, timeout=1, return_when=FIRST_COMPLETED)
                    for future in done:
                        known.add(running.pop(future), future.result())
                    on_progress(Progress(len(known.judged), len(chosen.openings)))
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
    made = Made(tuple(chosen.openings), chosen.judged)
    if not made.openings:
        raise JouteError(f"none of {made.judged} positions of {game} is balanced by {settings.judge}")
    _write(out, start.spec, settings, made, seed)
    journal.unlink()
    return made


class _Chosen:
    """The openings among the candidates so far, in order, up to the first candidate that is not judged."""

    def __init__(self, start: State, count: int, judged: dict[int, Judged | None]) -> None:
        self.openings: list[Judged] = []
        self._start, self._count, self._judged = start, count, judged
        self._keys: set[str] = set()
        #: The candidates before this number are judged.
        self.judged = 0
        self._fruitless = 0

    def is_complete(self) -> bool:
        """Whether there are enough openings, or no more to be expected."""
        while not self._is_enough() and self.judged in self._judged:
            self._take(self._judged[self.judged])
            self.judged += 1
        return self._is_enough()

    def _is_enough(self) -> bool:
        return len(self.openings) >= self._count or self._fruitless >= _FRUITLESS

    def _take(self, judged: Judged | None) -> None:
        self._fruitless += 1
        if judged is None:
            return
        key = key_of(new(self._start.spec, judged.position))
        if key not in self._keys:
            self._keys.add(key)
            self.openings.append(judged)
            self._fruitless = 0


class _Journal:
    """The judged candidates by number, each a line of a file that is written at once."""

    def __init__(self, path: Path, header: str) -> None:
        self.judged: dict[int, Judged | None] = {}
        self._path, self._header = path, header
        self._file: IO[str] | None = None

    def __enter__(self) -> _Journal:
        try:
            text = self._path.read_text(encoding="utf-8") if self._path.exists() else ""
            whole = text[: text.rfind("\n") + 1]  # a killed run may leave a line unfinished
            self._read(whole.splitlines())
            self._file = self._path.open("a", encoding="utf-8")
            self._file.truncate(len(whole.encode()))
            if not whole:
                self._file.write(self._header + "\n")
        except JouteError:  # which is a ValueError
            raise
        except OSError as error:
            raise JouteError(f"{self._path} cannot be written: {error.strerror}") from error
        except (ValueError, TypeError) as error:
            raise JouteError(f"{self._path} is damaged; remove it or name another file") from error
        return self

    def _read(self, lines: list[str]) -> None:
        if lines and lines[0] != self._header:
            raise JouteError(
                f"{self._path} was begun with other settings or another version; remove it or name another file"
            )
        for line in lines[1:]:
            number, *judged = json.loads(line)
            self.judged[number] = Judged(*judged) if judged else None

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()

    def add(self, number: int, judged: Judged | None) -> None:
        """Keep a judged candidate."""
        self.judged[number] = judged
        assert self._file is not None
        line = [number] if judged is None else [number, judged.position, judged.advantage_for_first]
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()


def _header(game: str, settings: OpeningSet, seed: int) -> str:
    described = dataclasses.asdict(settings) | {"game": game, "seed": seed, "version": __version__}
    return json.dumps({name: value for name, value in described.items() if name not in _REASONS})


def _write(out: Path, game: str, settings: OpeningSet, made: Made, seed: int) -> None:
    with whole_file(out) as file:
        file.writelines(f"{line}\n" for line in _stamp(game, settings, made, seed))
        file.writelines(f"{opening.position}  # {opening.advantage_for_first:+.3g}\n" for opening in made.openings)


def _stamp(game: str, settings: OpeningSet, made: Made, seed: int) -> Iterator[str]:
    """The comment lines that say how the set was made."""
    plies = ", ".join(map(str, settings.plies))
    yield f"{MARK}{game}, each with the advantage of the first player by the judge"
    yield f"# joute openings {game} --count {len(made.openings)} --seed {seed}: {made.judged} candidates, plies {plies}"
    yield f"# judge: {settings.judge}, advantage within {settings.tolerance:g} of {settings.even:+g}"
    if settings.sieve:
        yield f"# sieve: {settings.sieve}, {settings.choices} last plies"
    yield f"# fingerprint: {fingerprint(game, (settings.judge,))}"
    yield f"# made by Joute {__version__}, {datetime.now(UTC):%Y-%m-%d}"
