"""The page of a sweep: the verdict, a chart of scores with intervals, and the table."""

from __future__ import annotations

from collections.abc import Sequence

from joute.numbers import count_of
from joute.pages.charts import Line, legend, line_chart, linear_axis, log_axis, share_row
from joute.pages.page_parts import Section, fact_list, head, page, result_section, section_html, table
from joute.sweeps.grid import Variable
from joute.sweeps.sweep import SettingResult, SweepResult
from joute.text import html_text

# A variable whose values span at least this factor is drawn on a logarithmic axis.
_WIDE = 10


def sweep_page(result: SweepResult, facts: Sequence[tuple[str, str]] = (), command: str = "") -> str:
    """A sweep as an HTML page; `facts` are (name, text)."""
    names = " and ".join(variable.name for variable in result.grid.variables)
    title = f"{result.game}: {names}"
    subtitle = f"{result.grid.spec} against {result.against}"
    across = across_of(result)
    sections = [
        *([Section("chart", "Scores", _chart(result, across))] if across is not None else []),
        Section("settings", "Settings", _table(result)),
        Section("conditions", "Conditions", fact_list(facts, ("Command", command))),
    ]
    return page(
        title,
        [
            *head("Sweep", title, subtitle, [(section.id, section.title) for section in sections]),
            "<main>",
            result_section([f"{result.verdict}.", *(f"{note[0].upper()}{note[1:]}." for note in result.notes)]),
            *map(section_html, sections),
            "</main>",
        ],
    )


def across_of(result: SweepResult) -> int | None:
    """The index of the variable on the horizontal axis: the one with most values among numbers; None without any."""
    numeric = [index for index, variable in enumerate(result.grid.variables) if _is_drawn(variable)]
    return max(numeric, key=lambda index: len(result.grid.variables[index].values)) if numeric else None


def curves(result: SweepResult, across: int) -> dict[str, list[tuple[float, SettingResult]]]:
    """The settings as curves over one variable, sorted, by the values of the other variables."""
    names = [variable.name for variable in result.grid.variables]
    found: dict[str, list[tuple[float, SettingResult]]] = {}
    for each in result.settings:
        others = [f"{name}={value}" for name, value in zip(names, each.setting.values, strict=True)]
        x = float(each.setting.values[across])
        found.setdefault(", ".join(others[:across] + others[across + 1 :]), []).append((x, each))
    return {name: sorted(points, key=lambda point: point[0]) for name, points in found.items()}


def is_wide(values: Sequence[float]) -> bool:
    """Whether values belong on a logarithmic axis."""
    return min(values) > 0 and max(values) >= _WIDE * min(values)


def _is_drawn(variable: Variable) -> bool:
    return variable.numbers is not None and len(set(variable.numbers)) > 1


def _chart(result: SweepResult, across: int) -> str:
    variable = result.grid.variables[across]
    values = variable.numbers or ()
    lines = [
        Line(
            name or result.grid.spec,
            place,
            [(x, each.match.score) for x, each in points],
            [each.interval for _, each in points],
        )
        for place, (name, points) in enumerate(curves(result, across).items())
    ]
    bounds = [bound for line in lines for interval in line.intervals for bound in interval]
    low, high = max(0.0, min(0.5, *bounds)), min(1.0, max(0.5, *bounds))
    room = 0.03 * (max(values) - min(values))  # so that no bar stands on the edge
    axis = (
        log_axis(min(values), max(values))
        if is_wide(values)
        else linear_axis(min(values) - room, max(values) + room, tight=True)
    )
    up = linear_axis(low, high, text=lambda share: f"{100 * share:.0f}%")
    caption = f"Score against {result.against}, with simultaneous 95% intervals"
    return line_chart(caption, lines, axis, up, across_label=variable.name) + legend(lines)


def _table(result: SweepResult) -> str:
    header = [
        *(("number" if variable.numbers else "", variable.name) for variable in result.grid.variables),
        *(("number", name) for name in ("wins", "draws", "losses", "score", "interval", "Elo", "Elo interval")),
        ("picture", "0–100%"),
        ("", "may be best"),
    ]
    return table(
        f"{count_of(len(result.settings), 'setting')}, by score", header, [_row(each) for each in result.ranked]
    )


def _row(each: SettingResult) -> list[str]:
    texts = each.texts
    return [
        *map(html_text, each.setting.values),
        *map(str, each.match.tally()),
        *texts.values(),
        share_row([("", each.match.score, each.interval)], f"score {texts['score']}, {texts['interval']}"),
        "yes" if each.may_be_best else "no",
    ]
