"""Checks of experiments, run before the first game."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from joute.agents.loading import is_spec
from joute.arena.entries import in_folder
from joute.arena.openings import check_openings
from joute.errors import SpecError
from joute.reproduce.experiments import Experiment, Paper
from joute.reproduce.figures import FIGURES
from joute.reproduce.measures import measure_of
from joute.reproduce.run import Row
from joute.spec import look_up


def check(papers: Sequence[Paper], rows: Sequence[Row]) -> None:
    """Raise SpecError if an experiment cannot be played, measured or drawn."""
    names = [paper.name for paper in papers]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SpecError(f"two files of experiments are named {min(twice)}; take one at a time")
    for paper in papers:
        for experiment in paper.experiments:
            _check_experiment(experiment)
    if not rows:
        raise SpecError("no chosen experiment has games at this scale; try the other --scale")
    for row in rows:
        if row.is_games:
            _check_openings(row.plan().openings, row.paper.folder)


def _check_experiment(experiment: Experiment) -> None:
    for figure in experiment.figures:
        look_up("figure", figure, FIGURES)
    for finding in experiment.findings:
        limit = finding.expects.limit if finding.expects else 0.0
        if measure_of(finding).is_share and not 0 <= limit <= 1:
            raise SpecError(
                f"experiment {experiment.name} expects a share of {limit:g}: shares lie between 0 and 1, half is 0.5"
            )
    if experiment.kind != "games":
        for agent in experiment.agents:
            if not is_spec(agent.spec):
                raise SpecError(
                    f"experiment {experiment.name} asks for moves in positions, which only built-in agents can do, not "
                    f"'{agent.spec}'"
                )


def _check_openings(text: str, folder: Path) -> None:
    with in_folder(str(folder)):
        check_openings(text)
