"""The conditions and results of an experiment as text tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from joute.arena.openings import default_openings
from joute.arena.schedules.registry import find_schedule
from joute.numbers import NOTHING, count_of, duration, elo_interval, elo_text, lost_turns_text, percent
from joute.reproduce.experiments import OPENINGS, START, Experiment
from joute.reproduce.measures import Measure, Measured
from joute.reproduce.results import AgentResult, PairingResult, RowResult
from joute.reproduce.tables import FEW_GAMES, Cell, ExperimentTable
from joute.reproduce.wording import value_text

#: The names of the protocols in reports.
PROTOCOL_NAMES = {START: "start position", OPENINGS: "paired openings"}

# If all met, more agents than this get a cross table instead of a list of pairings.
_LISTED_AGENTS = 4

_SHARE = Measure(lambda *_: Measured(math.nan), "", is_share=True)


@dataclass(frozen=True)
class Grid:
    """A table as text; lines after the first of a cell hold details."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    #: Columns of text, aligned to the left.
    left: tuple[int, ...] = ()


def conditions(table: ExperimentTable, scale: str) -> Iterator[tuple[str, str]]:
    """Game, clock, number of games or positions, and openings, as pairs of name and text."""
    experiment = table.experiment
    yield "Game", f"`{experiment.game}`"
    yield "Clock", _clock(experiment, scale, table.main)
    if experiment.kind != "games":
        first, last = experiment.plies
        where = (
            f"of plies {first} to {last}" if experiment.kind == "mistakes" else "before the last move of random games"
        )
        yield "Positions", f"{count_of(table.main.games, 'position')} {where}"
        return
    for protocol in table.rows:
        each = count_of(experiment.games_of(protocol, scale), "game")
        how = "colours alternate" if protocol == START else "each opening twice, colours swapped"
        yield f"From {'the ' * (protocol == START)}{PROTOCOL_NAMES[protocol]}", f"{each} a pairing, {how}"
    if OPENINGS in table.rows:
        yield "Openings", f"`{experiment.openings or default_openings(experiment.game)}`"


def _clock(experiment: Experiment, scale: str, row: RowResult) -> str:
    """The clock as published and as scaled; clocks of single agents are in the agents' table."""
    if experiment.clock in ("", "none"):
        has_own = any(agent.clock for agent in experiment.agents)
        return "each agent's own" if has_own else "none; agents stop by their own limits"
    factor = experiment.time_scale.get(scale, 1.0)
    if factor == 1:
        return f"`{experiment.clock}`, as published"
    shared = {agent.name for agent in experiment.agents if not agent.clock}
    played = next((agent.clock for agent in row.agents if agent.name in shared), "")
    return f"`{experiment.clock}` as published, seconds × {factor:g}" + (f": `{played}`" if played else "")


def agents_grid(table: ExperimentTable) -> Grid:
    """The agents with specs, clocks, ratings and times."""
    row, experiment = table.main, table.experiment
    own_clocks = any(agent.clock for agent in experiment.agents)
    is_rated = any(agent.elo for agent in row.agents)
    header = ["agent", "spec"]
    if own_clocks:
        header.append("clock")
    if is_rated:
        header += ["score", "Elo", "95% interval"]
    header.append("time a move")
    rows = []
    for agent in row.agents:
        cells = [agent.name, f"`{agent.spec}`"]
        if own_clocks:
            cells.append(f"`{agent.clock}`")
        if is_rated:
            score = value_text(_SHARE, Measured(agent.score, agent.low, agent.high)) if agent.games else NOTHING
            cells += [score, *_elo(agent)]
        cells.append(_time(agent))
        rows.append(tuple(cells))
    return Grid("Agents", tuple(header), tuple(rows), left=(0, 1))


def elo_of(agent: AgentResult) -> tuple[float, float, float]:
    """Its Elo and the bounds of its interval: infinite where the interval is open, nan if unknown."""
    if agent.elo is None:
        return math.nan, math.nan, math.nan
    elo, low, high = agent.elo
    if elo is None:
        # The Elo is infinite if its interval is open at exactly one end.
        elo = {(False, True): math.inf, (True, False): -math.inf}.get((low is None, high is None), math.nan)
    return elo, -math.inf if low is None else low, math.inf if high is None else high


def _elo(agent: AgentResult) -> tuple[str, str]:
    elo, low, high = elo_of(agent)
    return elo_text(elo), NOTHING if math.isnan(low) else elo_interval(low, high)


def _time(agent: AgentResult) -> str:
    return duration(agent.time_s / agent.moves) if agent.moves else NOTHING


def findings_grid(table: ExperimentTable) -> Grid | None:
    """Published and measured numbers side by side; None without findings."""
    if not table.findings:
        return None
    ours = [PROTOCOL_NAMES[protocol] for protocol in table.rows] if table.experiment.kind == "games" else ["ours"]
    rows = tuple(
        (
            f"{row.what}\n{row.finding.note}" if row.finding.note else row.what,
            row.published,
            row.claim,
            *(_cell_text(row.cells[protocol]) for protocol in table.rows),
        )
        for row in table.findings
    )
    header = ("number", "published", "claimed", *ours)
    return Grid("Published and measured", header, rows, left=tuple(range(len(header))))


def _cell_text(cell: Cell) -> str:
    agreement = {True: "agrees", False: "differs", None: ""}[cell.agrees]
    judged = " · ".join(filter(None, (cell.verdict.value, agreement)))
    return "\n".join(filter(None, (cell.value, cell.count, judged, cell.note)))


def pairings_grid(table: ExperimentTable) -> Grid | None:
    """The pairings that no finding names; a cross table of all pairings if many agents met."""
    if find_schedule(table.experiment.schedule).all_meet and len(table.main.agents) > _LISTED_AGENTS:
        return _cross_table(table.main)
    pairings = table.other_pairings
    if not pairings:
        return None
    protocols = tuple(table.rows)
    rows = []
    for by_protocol in pairings:
        pairing = by_protocol[table.main.protocol]
        times = [_time(table.main.agent(name)) for name in (pairing.a, pairing.b)]
        rows.append(
            (
                f"{pairing.a} against {pairing.b}",
                *(_score(by_protocol.get(protocol)) for protocol in protocols),
                percent(pairing.tally[1] / pairing.games) if pairing.games else NOTHING,
                f"{pairing.plies.mean:.1f}" if pairing.plies.count else NOTHING,
                " and ".join(times),
            )
        )
    header = ("score", *(PROTOCOL_NAMES[protocol] for protocol in protocols), "draws", "plies", "time a move")
    left = tuple(range(1 + len(protocols)))
    return Grid("Other pairings" if table.findings else "Pairings", header, tuple(rows), left)


def _score(pairing: PairingResult | None) -> str:
    if pairing is None or not pairing.games:
        return NOTHING
    games = count_of(pairing.games, "game")
    if pairing.distinct < FEW_GAMES:
        return f"{percent(pairing.score)}\n{games}, {pairing.distinct} distinct"
    return f"{value_text(_SHARE, Measured(pairing.score, pairing.low, pairing.high))}\n{games}"


def _cross_table(row: RowResult) -> Grid:
    scores = {(pairing.a, pairing.b): pairing.score for pairing in row.pairings}
    scores |= {(pairing.b, pairing.a): 1 - pairing.score for pairing in row.pairings}
    names = [agent.name for agent in row.agents]
    rows = tuple(
        (
            f"{number}. {name}",
            *(f"{100 * scores[name, other]:.0f}%" if (name, other) in scores else NOTHING for other in names),
        )
        for number, name in enumerate(names, start=1)
    )
    header = ("", *(f"{number}." for number in range(1, len(names) + 1)))
    return Grid(f"Who scored how much against whom, from {PROTOCOL_NAMES[row.protocol]}", header, rows, left=(0,))


def notes(table: ExperimentTable) -> Iterator[str]:
    """Notes on each protocol: remarks on openings, games that did not end by the rules, lost turns."""
    for protocol, row in table.rows.items():
        name = PROTOCOL_NAMES[protocol] if table.experiment.kind == "games" else "positions"
        said = [row.note] if row.note else []
        reasons: Counter[str] = Counter()
        for pairing in row.pairings:
            reasons.update(pairing.reasons)
        if reasons:
            listed = ", ".join(f"{reason} {count:,}" for reason, count in sorted(reasons.items()))
            losers = ", ".join(f"{agent.name} {agent.forfeits:,}" for agent in row.agents if agent.forfeits)
            by = f"; lost by {losers}" if losers else ""
            said.append(f"{count_of(reasons.total(), 'game')} did not end by the rules ({listed}{by})")
        said += [lost_turns_text(agent.name, agent.lost_turns, agent.moves) for agent in row.agents if agent.lost_turns]
        if said:
            yield f"{name.capitalize()}: {'; '.join(said).rstrip('.')}."
