"""The report of a tuning: the verdict, the parameters over the games, and what the strength depends on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from joute.numbers import elo_interval, elo_text
from joute.pages.charts import Line, heat, line_chart, linear_axis
from joute.pages.page_parts import Section, fact_list, head, page, result_section, section_html, table
from joute.spec import value_text
from joute.text import html_text
from joute.tune.space import Dimension
from joute.tune.tuning import TuningResult

# Elo that gets the strongest colour of the response surface.
_STRONG_ELO = 50.0


def tuning_page(result: TuningResult, facts: Sequence[tuple[str, str]] = (), command: str = "", patch: str = "") -> str:
    """A tuning as an HTML page; `facts` are (name, text)."""
    names = ", ".join(result.space.names)
    title = f"{result.game}: {names}"
    sections = [Section("parameters", "Parameters", _parameters(result))]
    if result.tests:
        sections.append(Section("tests", "Tests on openings of their own", _tests(result)))
    if result.history:
        sections.append(Section("trajectories", "Values over the games", _trajectories(result)))
        sections.append(Section("curves", "Strength by parameter", _curves(result)))
    if len(result.space.dimensions) > 1 and result.history:
        sections.append(Section("surface", "The two that matter most", _surface(result)))
    if patch:
        sections.append(Section("patch", "Patch", f"<pre>{html_text(patch, 100_000)}</pre>"))
    sections.append(Section("conditions", "Conditions", fact_list(facts, ("Command", command))))
    return page(
        title,
        [
            *head("Tuning", title, result.agent, [(section.id, section.title) for section in sections]),
            "<main>",
            result_section([f"{result.verdict[0].upper()}{result.verdict[1:]}.", f"Setting: {result.tuned_spec}"]),
            *map(section_html, sections),
            "</main>",
        ],
    )


def parameter_rows(result: TuningResult) -> list[list[str]]:
    """A row for each parameter: name, range, the value before, the value now, and how much it matters."""
    return [
        [known.name, known.range, value_text(known.base), value_text(value), f"{spread:.0f}"]
        for known, value, spread in zip(result.space.dimensions, result.best, result.importance, strict=True)
    ]


#: The heads of these columns; the last is the spread of strength over the range.
COLUMNS = ("parameter", "range", "before", "now", "spread in Elo")


def _parameters(result: TuningResult) -> str:
    kinds = ("name", "", "number", "number", "number")
    rows = [[html_text(cell) for cell in row] for row in parameter_rows(result)]
    elo, low, high = result.estimate
    told = f"Estimated gain by a model of all games of the tuning: {elo_text(elo)} Elo ({elo_interval(low, high)})."
    return table("The parameters", list(zip(kinds, COLUMNS, strict=True)), rows) + f"<p>{html_text(told)}</p>"


def _tests(result: TuningResult) -> str:
    rows = [
        [html_text(text) for text in (test.clock, f"{test.games:,}", f"{test.state.llr:.2f}", test.verdict)]
        for test in result.tests
    ]
    return table("The tests", [("", "clock"), ("number", "games"), ("number", "LLR"), ("", "verdict")], rows)


def _trajectories(result: TuningResult) -> str:
    charts = []
    across = linear_axis(0, result.history[-1][0], tight=True)
    for index, known in enumerate(result.space.dimensions):
        points = [(0, known.unit(known.base)), *((games, known.unit(at[index])) for games, at in result.history)]
        up = linear_axis(0, 1, steps=4, text=_values(known), tight=True)
        charts.append(line_chart(known.name, [Line(known.name, 0, points)], across, up, across_label="games"))
    return f'<div class="charts">{"".join(charts)}</div>'


def _curves(result: TuningResult) -> str:
    charts = []
    for index, known in enumerate(result.space.dimensions):
        curve = result.model.curve(result.best, index)
        points = [(unit, elo) for unit, elo, _, _ in curve]
        lows = [(unit, low) for unit, _, low, _ in curve]
        highs = [(unit, high) for unit, _, _, high in curve]
        up = linear_axis(min(low for _, low in lows), max(high for _, high in highs))
        across = linear_axis(0, 1, steps=4, text=_values(known), tight=True)
        lines = [Line(known.name, 0, points), Line("95% interval", 8, lows), Line("95% interval", 8, highs)]
        charts.append(
            line_chart(f"{known.name}: Elo against the setting found", lines, across, up, across_label=known.name)
        )
    return f'<div class="charts">{"".join(charts)}</div>'


def _surface(result: TuningResult) -> str:
    """A table of colours: strength over the two parameters with the largest spread."""
    order = sorted(range(len(result.importance)), key=lambda index: -result.importance[index])
    across, up = sorted(order[:2])
    first, second = result.space.dimensions[across], result.space.dimensions[up]
    rows = result.model.surface(result.best, across, up)
    header = [("name", f"{second.name} ↓ {first.name} →"), *(("cell", text) for text in _labels(first, len(rows[0])))]
    cells = [
        [html_text(label), *(f'<td class="cell {_colour(elo)}">{html_text(elo_text(elo))}</td>' for elo in row)]
        for label, row in zip(_labels(second, len(rows)), rows, strict=True)
    ]
    caption = f"Elo against the setting found, by {first.name} and {second.name}, as the model sees it"
    return table(caption, header, cells[::-1], kind="map")


def _colour(elo: float) -> str:
    return heat(min(1.0, max(0.0, 0.5 + elo / _STRONG_ELO / 2)))


def _labels(known: Dimension, count: int) -> list[str]:
    units = [known.unit(each) for each in known.choices] or [index / (count - 1) for index in range(count)]
    return [value_text(known.value(unit)) for unit in units]


def _values(known: Dimension) -> Callable[[float], str]:
    """The texts of ticks: the value of a parameter at a place from 0 to 1."""
    return lambda unit: value_text(known.value(unit))
