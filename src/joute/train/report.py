"""The report of a run: one self-contained page with curves, ratings and all parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.arena.node_rows import NodeRow
from joute.files import whole_file
from joute.games import State
from joute.numbers import count_of, elo_interval, elo_text, percent
from joute.pages import charts
from joute.pages.page_parts import (
    Section,
    fact_list,
    head,
    page,
    result_section,
    section_html,
    table,
)
from joute.report.game_sections import node_table
from joute.spec import parameters_of, value_text
from joute.text import html_text
from joute.train.parameters import GROUPS, TrainParameters
from joute.train.progress import Counters, read_progress, short
from joute.version import __version__

#: The name of the file in the folder of a run.
REPORT = "report.html"


@dataclass(frozen=True)
class RunFacts:
    """The facts about a run, besides its progress."""

    game: State
    parameters: TrainParameters
    counters: Counters
    elapsed_s: float
    #: The device of the network, in words.
    device: str
    #: The command that started the run.
    command: str
    #: The machines of a cluster that played.
    nodes: tuple[NodeRow, ...] = ()


def write_report(path: Path, facts: RunFacts, progress: Path) -> None:
    """Write the page; `progress` is the file with the run's progress."""
    with whole_file(path) as text:
        text.write(html_report(facts, read_progress(progress)))


def html_report(facts: RunFacts, rows: Sequence[Mapping[str, Any]]) -> str:
    """The page of a run; `rows` are the lines of its progress."""
    course = [row for row in rows if row["kind"] == "progress"]
    ratings = [row for row in rows if row["kind"] == "rating"]
    gates = [row for row in rows if row["kind"] == "gate"]
    made = [
        *_ratings(ratings),
        *_gates(gates),
        *_learning(course),
        *_speed(course),
        *_cluster(facts.nodes, course),
        Section("parameters", "Parameters", "".join(_parameters(facts))),
    ]
    title = f"Training {type(facts.game).title}"
    network = f"{facts.parameters.channels} channels × {facts.parameters.blocks} blocks"
    subtitle = " · ".join([f"{facts.elapsed_s / 60:.1f} minutes", count_of(facts.counters.games, "game"), network])
    body = [
        *head("Training report", title, subtitle, [("run", "The run"), *((each.id, each.title) for each in made)]),
        "<main>",
        result_section(list(_result(facts, course, ratings))),
        f'<section id="run"><h2>The run</h2>{fact_list(_facts(facts), ("Started by", facts.command))}</section>',
        *map(section_html, made),
        "</main>",
        f"<footer><p>Made by joute {html_text(__version__)}.</p></footer>",
    ]
    return page(title, body)


def _result(
    facts: RunFacts, course: Sequence[Mapping[str, Any]], ratings: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    counters = facts.counters
    yield (
        f"{count_of(counters.games, 'game')} with {count_of(counters.positions, 'position')} to learn from in "
        f"{facts.elapsed_s / 60:.1f} minutes, and {count_of(counters.steps, 'learner step')}."
    )
    if ratings:
        last = ratings[-1]
        scores = _scores(last["matches"])
        yield f"The network at {last['name']} has {_elo(last)} Elo, {_interval(last)}: {scores}."
    if (seen := _share_of_bare(course)) is not None:
        yield (
            f"Self-play evaluated positions at {percent(seen)} of the bare rate, at which the network evaluates the "
            "same batches with nothing else to do."
        )


def _share_of_bare(course: Sequence[Mapping[str, Any]]) -> float | None:
    """The rate of evaluations relative to the bare rate, averaged over the run."""
    times = [0.0, *(row["elapsed_s"] for row in course)]
    asked = sum(
        row["evaluations_per_s"] * (row["elapsed_s"] - before)
        for row, before in zip(course, times, strict=False)
        if row["bare_per_s"]
    )
    able = sum(row["bare_per_s"] * (row["elapsed_s"] - before) for row, before in zip(course, times, strict=False))
    return asked / able if able else None


def _facts(facts: RunFacts) -> list[tuple[str, str]]:
    counters = facts.counters
    return [
        ("Game", facts.game.spec),
        ("Device", facts.device),
        ("Seed", str(facts.parameters.seed)),
        ("Time", f"{facts.elapsed_s / 60:.2f} minutes"),
        ("Games", f"{counters.games:,}"),
        ("Moves", f"{counters.plies:,}"),
        ("Positions to learn from", f"{counters.positions:,}"),
        ("Evaluations", f"{counters.evaluations:,}"),
        ("Simulations", f"{counters.simulations:,}"),
        ("Learner steps", f"{counters.steps:,}"),
        ("Positions learned from", f"{counters.samples:,}"),
        ("Joute", __version__),
    ]


def _ratings(ratings: Sequence[Mapping[str, Any]]) -> Iterator[Section]:
    if not ratings:
        return
    curves = [
        charts.Line(name, place, [(row["elapsed_s"] / 60, row[key]) for row in ratings if row[key] is not None])
        for place, (name, key) in enumerate((("rating", "elo"), ("interval, low", "low"), ("interval, high", "high")))
    ]
    rows = [
        [
            html_text(row["name"]),
            f"{row['elapsed_s'] / 60:.1f}",
            _elo(row),
            _interval(row),
            html_text(_scores(row["matches"])),
        ]
        for row in ratings
    ]
    header = [("name", "network"), ("number", "minutes"), ("number", "Elo"), ("number", "95% interval"), ("", "scores")]
    note = (
        '<p class="note">Each rating is the one computed at its time; it does not include later matches. The last '
        "reference has the rating 0.</p>"
    )
    chart = _chart("Rating, with its 95% interval", curves, text=elo_text) + charts.legend(curves)
    yield Section("ratings", "Ratings", chart + table("In the order of the run", header, rows) + note)


def _gates(gates: Sequence[Mapping[str, Any]]) -> Iterator[Section]:
    if not gates:
        return
    accepted = sum(row["accepted"] for row in gates)
    rows = [
        [f"{row['steps']:,}", f"{row['games']:,}", percent(row["score"]), "yes" if row["accepted"] else "no",
         html_text(row["sentence"])]
        for row in gates
    ]  # fmt: skip
    header = [("number", "step"), ("number", "games"), ("number", "score"), ("", "accepted"), ("detail", "why")]
    told = f"<p>{accepted} of {count_of(len(gates), 'network')} {'was' if accepted == 1 else 'were'} accepted.</p>"
    yield Section("gates", "Gate", told + table("In the order of the run", header, rows))


def _learning(course: Sequence[Mapping[str, Any]]) -> Iterator[Section]:
    names = list(dict.fromkeys(name for row in course for name in row["losses"]))
    losses = [
        charts.Line(name, place, [(_minutes(row), row["losses"][name]) for row in course if name in row["losses"]])
        for place, name in enumerate(names)
    ]
    if not losses:
        return
    others = [
        _chart("Learning rate", [_line("learning rate", course, "learning_rate")], text="{:g}".format),
        _chart("Window: positions learned from", [_line("window", course, "window")]),
    ]
    shown = _chart("Losses", losses) + charts.legend(losses)
    yield Section("learning", "Learning", f'{shown}<div class="charts">{"".join(others)}</div>')


def _speed(course: Sequence[Mapping[str, Any]]) -> Iterator[Section]:
    if not course:
        return
    asked = [_line("evaluations", course, "evaluations_per_s")]
    if any(row["bare_per_s"] for row in course):
        asked.append(_line("bare rate of the network", course, "bare_per_s", place=1))
    asked.append(_line("simulations", course, "simulations_per_s", place=2))
    others = [
        _chart(f"{name.capitalize()} a second", [_line(name, course, f"{name}_per_s")])
        for name in ("games", "positions", "samples")
    ]
    rates = " ".join(f"{name} {short(_mean_rate(course, name))}," for name in ("games", "positions", "evaluations"))
    told = f"<p>A second, over the whole run: {rates} simulations {short(_mean_rate(course, 'simulations'))}.</p>"
    shown = _chart("Self-play, a second", asked) + charts.legend(asked)
    yield Section("speed", "Speed", f'{told}{shown}<div class="charts">{"".join(others)}</div>')


def _cluster(nodes: Sequence[NodeRow], course: Sequence[Mapping[str, Any]]) -> Iterator[Section]:
    """The machines of a cluster, and how old the networks of their games were."""
    if not nodes:
        return
    aged = [row for row in course if row.get("age") is not None]
    refused = count_of(sum(row.get("refused", 0) for row in course), "older game")
    about = (
        "<p>At once: actors at the end. Core hours: the time for which actors played. Failures: actors that were lost "
        f"with their unfinished games. The learner refused {refused}.</p>"
    )
    ages = [_line("mean", aged, "age"), _line("oldest", aged, "oldest", place=1)]
    title = "Learner steps between the network of a game's first move and the newest"
    chart = _chart(title, ages) + charts.legend(ages) if aged else ""
    yield Section("nodes", "Cluster", about + node_table(nodes) + chart)


def _mean_rate(course: Sequence[Mapping[str, Any]], name: str) -> float:
    last = course[-1]
    return float(last[name] / last["elapsed_s"]) if last["elapsed_s"] else 0.0


def _parameters(facts: RunFacts) -> Iterator[str]:
    settings, changed = facts.parameters.settings, facts.parameters.changed(type(facts.game))
    header = [("name", "parameter"), ("", "value"), ("", "default"), ("detail", "what it is"), ("detail", "source")]
    for group in GROUPS:
        rows = []
        for each in parameters_of(group):
            shown = html_text(value_text(settings[each.name]))
            default = html_text(value_text(type(facts.game).training.get(each.name, each.default)))
            value = f"<b>{shown}</b>" if each.name in changed else shown
            rows.append([f"<code>{each.name}</code>", value, default, html_text(each.help), html_text(each.source)])
        yield table((group.__doc__ or "").strip(), header, rows)


def _chart(title: str, lines: Sequence[charts.Line], text: Any = None) -> str:
    points = [point for line in lines for point in line.points if math.isfinite(point[1])]
    if not points:
        return ""
    across = charts.linear_axis(0, max(x for x, _ in points), tight=True)
    values = [y for _, y in points]
    up = charts.linear_axis(min(0.0, *values), max(0.0, *values), text=text)
    kept = [line for line in lines if line.points]
    return charts.line_chart(title, kept, across, up, across_label="minutes")


def _line(name: str, course: Sequence[Mapping[str, Any]], key: str, *, place: int = 0) -> charts.Line:
    return charts.Line(name, place, [(_minutes(row), float(row[key])) for row in course])


def _minutes(row: Mapping[str, Any]) -> float:
    return float(row["elapsed_s"]) / 60


def _elo(row: Mapping[str, Any]) -> str:
    """The rating as text; JSON has no infinity, so null is infinite if the interval is open at one end only."""
    if row["elo"] is not None:
        return elo_text(row["elo"])
    is_open = row["low"] is None, row["high"] is None
    return elo_text({(False, True): math.inf, (True, False): -math.inf}.get(is_open, math.nan))


def _interval(row: Mapping[str, Any]) -> str:
    low, high = row["low"], row["high"]
    return elo_interval(-math.inf if low is None else low, math.inf if high is None else high)


def _scores(matches: Mapping[str, Sequence[float]]) -> str:
    return ", ".join(
        f"{percent(score)} against {name} in {count_of(int(games), 'game')}" for name, (score, games) in matches.items()
    )
