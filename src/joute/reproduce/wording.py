"""Texts of findings: the measured number, the published number, the claim."""

from __future__ import annotations

import math

from joute.numbers import MINUS, NOTHING, count_of, duration, percent, percent_interval
from joute.reproduce.experiments import Finding
from joute.reproduce.measures import Measure, Measured, measure_of
from joute.reproduce.verdicts import published_interval, published_share

# Between the names of two agents, unless it is "against".
_JOINTS = {
    "time_ratio": " over that of ",
    "depth_lead": " less that of ",
    "nodes_ratio": " over those of ",
    "node_exponent": " over those of ",
}


def what(finding: Finding) -> str:
    """The description of a finding's number.

    >>> what(Finding("score", ("MCTS", "RAVE"))), what(Finding("draws", ("MCTS", "RAVE")))
    ('score of MCTS against RAVE', 'games drawn: MCTS against RAVE')
    >>> what(Finding("depth_lead", ("V2", "V1"), plies=(20, 30)))
    'at plies 20 to 30, completed depth of V2 less that of V1'
    """
    measure = measure_of(finding)
    words = " ".join(filter(None, (measure.words, finding.by, str(finding.margin or ""))))
    if finding.plies:
        words = f"at plies {finding.plies[0]} to {finding.plies[1]}, {words}"
    if not finding.of:
        return words
    is_open = words.endswith((" of", " by"))
    joint = _JOINTS.get(finding.measure, " against ")
    names = joint.join(finding.of[:2])
    if len(finding.of) == 4:
        names += f", more than {'of ' * is_open}{joint.join(finding.of[2:])}"
    return f"{words} {names}" if is_open else f"{words}: {names}"


def number(measure: Measure, value: float) -> str:
    """A number in the measure's unit.

    >>> number(Measure(None, "", unit="ms"), 2.14), number(Measure(None, "", is_share=True), 0.432)
    ('2.1 ms', '43.2%')
    >>> number(Measure(None, ""), 1234.5), number(Measure(None, ""), -2.345)
    ('1,234', '−2.35')
    """
    if measure.is_share:
        return percent(value)
    if measure.unit == "ms":
        return duration(value / 1e3)
    if measure.unit == "pp":
        return f"{100 * value:+.1f} pp".replace("-", MINUS)
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}{measure.unit}".replace("-", MINUS)


def given(measure: Measure, value: float) -> str:
    """A published or claimed number with its original digits.

    >>> given(Measure(None, "", is_share=True), 0.6), given(Measure(None, "", unit="ms"), 1482)
    ('60%', '1.482 s')
    """
    if measure.is_share or measure.unit == "pp":
        text = f"{100 * value:.10g}%" if measure.is_share else f"{100 * value:.10g} pp"
    elif measure.unit == "ms":
        text = f"{value:.10g} ms" if value < 1000 else f"{value / 1000:.10g} s"
    else:
        text = f"{value:,.10g}{measure.unit}"
    return text.replace("-", MINUS)


def value_text(measure: Measure, seen: Measured) -> str:
    """A number with its interval, if it has one."""
    if math.isnan(seen.value):
        return NOTHING
    value = number(measure, seen.value)
    if not seen.has_interval:
        return value
    if measure.is_share:
        return f"{value} ({percent_interval((seen.low, seen.high))})"
    return f"{value} ({number(measure, seen.low).removesuffix(measure.unit).rstrip()} to {number(measure, seen.high)})"


def published_text(finding: Finding) -> str:
    """The published words or number; a score has its interval and, in a second line, its number of games."""
    published = finding.published
    if published is None:
        return NOTHING
    if isinstance(published, str):
        return published
    measure = measure_of(finding)
    if interval := published_interval(finding):
        share, games = published_share(finding) or (0.0, 0)
        return f"{value_text(measure, Measured(share, *interval))}\n{count_of(games, 'game')}"
    assert isinstance(published, int | float)
    return given(measure, published) + (f"\n{count_of(finding.games, 'game')}" if finding.games else "")


def claim_text(finding: Finding) -> str:
    """The claimed range, such as "above 50%"."""
    expects = finding.expects
    if expects is None:
        return NOTHING
    measure = measure_of(finding)
    within = f" ± {given(measure, expects.within)}" if expects.within else ""
    return f"{expects.relation} {given(measure, expects.limit)}{within}"
