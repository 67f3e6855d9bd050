"""Plays the experiments of papers into a folder; a stopped or killed run is resumed.

A row is an experiment by one protocol: a tournament with its own database, or a file of positions.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from joute.arena.openings import default_openings
from joute.arena.plan import Plan, make_plan
from joute.arena.plan_file import openings_text
from joute.arena.pool.venue import HERE, Venue
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.errors import SpecError
from joute.match.clock import TimeControl
from joute.reproduce.collect import collect
from joute.reproduce.experiments import START, Experiment, Paper
from joute.reproduce.positions import ask_agents, collect_positions, positions_done
from joute.reproduce.results import Results, RowResult
from joute.system import usable_cores
from joute.version import __version__


@dataclass(frozen=True)
class Row:
    """An experiment by one protocol at one scale."""

    paper: Paper
    experiment: Experiment
    protocol: str
    scale: str
    seed: int
    #: The folder of all rows.
    folder: Path

    @property
    def name(self) -> str:
        """The name of the row, such as ``connect4/rave/openings``."""
        return f"{self.paper.name}/{self.experiment.name}/{self.protocol}"

    @property
    def is_games(self) -> bool:
        """Whether games are played."""
        return self.experiment.kind == "games"

    @property
    def path(self) -> Path:
        """The file of its games or answers."""
        suffix = f"{self.protocol}.db" if self.is_games else "jsonl"
        return self.folder / self.paper.name / f"{self.experiment.name}.{suffix}"

    @property
    def games_a_pairing(self) -> int:
        """Games per pairing, or positions."""
        return self.experiment.games_of(self.protocol, self.scale)

    @property
    def cost_s(self) -> float:
        """Approximate core-seconds per game or position."""
        return self.experiment.cost_s.get(self.scale, 1.0)

    def plan(self) -> Plan:
        """The plan of its tournament."""
        experiment, folder = self.experiment, self.paper.folder
        factor = experiment.time_scale.get(self.scale, 1.0)
        chosen = experiment.openings or default_openings(experiment.game)
        openings = START if self.protocol == START else openings_text(chosen, folder)
        return make_plan(
            experiment.game,
            [(agent.spec, agent.name, _clock(agent.clock, factor)) for agent in experiment.agents],
            folder=folder,
            schedule=experiment.schedule,
            games=self.games_a_pairing,
            seed=self.seed,
            clock=_clock(experiment.clock, factor),
            openings=openings,
        )

    def length(self) -> int:
        """The number of all games or positions."""
        return self.plan().make_schedule().most_games if self.is_games else self.games_a_pairing

    def done(self) -> int:
        """The number of finished games or positions; SpecError if plan or agents have changed since."""
        if not self.is_games:
            return positions_done(self.experiment, self.games_a_pairing, self.seed, self.path)
        if not self._is_begun:
            return 0
        with Store.read(self.path) as store:
            self._check(store)
            for index, source in enumerate(store.plan.sources()):
                if store.has_changed(index, source):
                    name = store.plan.entrants[index].name
                    raise SpecError(
                        f"agent '{name}' has changed since its games were played; choose another folder with --out, or "
                        f"remove {self.path}"
                    )
            return store.count

    def play(self, *, concurrency: int, on_games: Callable[[int], None], venue: Venue = HERE) -> None:
        """Play the unfinished games at a venue; positions are always judged on this machine."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self.is_games:
            workers = concurrency or len(usable_cores())
            ask_agents(
                self.experiment, self.games_a_pairing, self.seed, self.path, workers=workers, on_positions=on_games
            )
            return
        with self._tournament(concurrency) as tournament:
            tournament.use(venue)
            tournament.play(lambda _: on_games(1))

    @property
    def _is_begun(self) -> bool:
        """Whether the tournament exists. A run killed during creation leaves an empty file, which does not count."""
        return self.path.exists() and self.path.stat().st_size > 0

    def _tournament(self, concurrency: int) -> Tournament:
        if not self._is_begun:
            Tournament.create(self.plan(), self.path).close()
        made = Tournament.resume(self.path, concurrency=concurrency)
        try:
            self._check(made.store)
        except BaseException:
            made.close()
            raise
        return made

    def _check(self, store: Store) -> None:
        if _without_names(store.plan) != _without_names(self.plan()):
            raise SpecError(
                f"{self.path} was made by another plan; choose another folder with --out, or remove the file"
            )

    def result(self) -> RowResult:
        """The results of a finished row."""
        if not self.is_games:
            return collect_positions(self.experiment, self.games_a_pairing, self.seed, self.path)
        with Store.read(self.path) as store:
            found = collect(store, self.experiment, self.protocol)
        # The plan names files by their absolute paths; results may be published.
        return replace(found, note=found.note.replace(f"{self.paper.folder}{os.sep}", ""))


def _without_names(plan: Plan) -> Plan:
    """The plan with numbers for names: a later version may name the same agents otherwise."""
    return replace(plan, entrants=tuple(replace(each, name=str(i)) for i, each in enumerate(plan.entrants)))


def rows_of(papers: Iterable[Paper], scale: str, seed: int, folder: Path) -> Iterator[Row]:
    """All rows with games at this scale, in the order of the papers."""
    for paper in papers:
        for experiment in paper.experiments:
            for protocol in experiment.protocols:
                row = Row(paper, experiment, protocol, scale, seed, folder)
                if row.games_a_pairing:
                    yield row


def results_of(rows: Sequence[Row], command: str) -> Results:
    """The results of finished rows; at least one row."""
    found: dict[str, dict[str, tuple[RowResult, ...]]] = {}
    for row in rows:
        experiments = found.setdefault(row.paper.name, {})
        experiments[row.experiment.name] = (*experiments.get(row.experiment.name, ()), row.result())
    return Results(
        scale=rows[0].scale,
        seed=rows[0].seed,
        joute=__version__,
        machine=_machine(),
        command=command,
        rows=found,
    )


def _machine() -> str:
    """The processor and the number of usable cores, on which times depend."""
    names = [line.partition(":")[2].strip() for line in _cpu_lines() if line.startswith("model name")]
    cores = len(usable_cores())
    return f"{names[0] if names else platform.machine()}, {cores} core{'s' * (cores != 1)}"


def _cpu_lines() -> list[str]:
    try:
        return Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return []


def _clock(text: str, factor: float) -> str:
    return str(TimeControl.parse(text).scaled(factor)) if text else ""
