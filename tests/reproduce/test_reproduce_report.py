"""The report of a reproduction: what it says about made-up results, and that its files are whole."""

from __future__ import annotations

import dataclasses
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from reproduction_samples import CURVE, ERRORS, LEAGUE, MATCH, REPORT, RESULTS, SOLID, pairing

from joute.errors import SpecError
from joute.reproduce.experiments import Contestant, Experiment, Finding, Paper
from joute.reproduce.figures import FIGURES, figures_of
from joute.reproduce.markdown import markdown
from joute.reproduce.measures import MEASURES, Measured
from joute.reproduce.report import write_report
from joute.reproduce.results import Results, RowResult
from joute.reproduce.tables import ExperimentTable, experiment_table
from joute.reproduce.verdicts import Verdict, agrees
from joute.reproduce.wording import published_text

SVG = "{http://www.w3.org/2000/svg}"


def rows_of(experiment: Experiment) -> tuple[RowResult, ...]:
    return RESULTS.rows["connect4"][experiment.name]


def table_of(experiment: Experiment) -> ExperimentTable:
    return experiment_table(experiment, rows_of(experiment))


def table_line(text: str, begin: str) -> list[str]:
    """The cells of the line of a Markdown table that begins so."""
    line = next(line for line in text.splitlines() if line.startswith(f"| {begin}"))
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def discussed(text: str) -> Paper:
    return dataclasses.replace(REPORT, discussion=text)


def test_the_samples_have_every_measure_and_every_figure() -> None:
    assert {finding.measure for each in REPORT.experiments for finding in each.findings} == set(MEASURES)
    assert {name for each in REPORT.experiments for name in each.figures} == set(FIGURES)
    for experiment in REPORT.experiments:
        assert len(list(figures_of(table_of(experiment), "x"))) == len(experiment.figures)


def test_a_line_has_the_published_number_with_its_interval_and_ours_with_verdict_and_agreement() -> None:
    text = markdown(RESULTS, [REPORT])
    assert table_line(text, "score of MCTS against UCB1-Tuned") == [
        "score of MCTS against UCB1-Tuned<br>The report counts wins &lt;only>.",
        "45.5% (36.1–55.2%)<br>100 games",
        "below 50%",
        "47.0% (37.5–56.7%)<br>100 games<br>**not distinguishable** · agrees",
        "38.8% (34.1–43.6%)<br>400 games<br>**reproduced** · agrees",
    ]
    assert table_line(text, "time a move of MCTS ")[1:] == ["143 ms", "–", "2.1 ms", "2.1 ms"]
    assert "**contradicted**" in table_line(text, "mean margin of UCB1-Tuned")[4]
    assert table_line(text, "games decided by four in a row")[1] == "nearly all"
    assert table_line(text, "positions failed by RAVE")[1:] == [
        "–",
        "below 30%",
        "20.0% (15.9–24.9%)<br>300 positions<br>**reproduced**",
    ]


def test_claims_about_each_game_depth_and_pruning_have_measures() -> None:
    text = markdown(RESULTS, [REPORT])
    assert table_line(text, "games won by at least 3: MCTS against UCB1-Tuned")[1:] == [
        "in each game",
        "above 98%",
        "0.0% (0.0–3.7%)<br>100 games<br>**contradicted**",
        "30.0% (25.7–34.7%)<br>400 games<br>**contradicted**",
    ]
    depth = table_line(text, "at plies 10 to 20, completed depth of UCB1-Tuned less that of MCTS")
    assert depth[4] == "2.00 (1.86 to 2.14)<br>800 games<br>**reproduced**"
    assert table_line(text, "completed depth of MCTS")[4] == "8.00 (7.90 to 8.10)<br>400 games<br>differs"
    assert table_line(text, "positions a move of UCB1-Tuned over those of MCTS")[4] == (
        "0.10× (0.10 to 0.10×)<br>800 games"
    )
    assert table_line(text, "exponent of positions a move of UCB1-Tuned")[4] == (
        "0.72 (0.72 to 0.72)<br>800 games<br>**contradicted**"
    )
    assert table_line(text, "losses by four in a row: MCTS against UCB1-Tuned")[1:] == [
        "100.0% (34.2–100.0%)<br>2 games",
        "–",
        "100.0% (93.1–100.0%)<br>52 lost games<br>agrees",
        "100.0% (98.4–100.0%)<br>240 lost games<br>agrees",
    ]
    assert table_line(text, "score of who moves first: bold against plain, more than neutral against random")


def test_claims_that_are_not_tested_are_listed_with_the_reason(tmp_path: Path) -> None:
    assert "Not reproduced:\n\n- It beats &lt;people>. Nobody here plays it." in markdown(RESULTS, [REPORT])
    write_report(RESULTS, [REPORT], tmp_path)
    assert "<li>It beats &lt;people&gt;. Nobody here plays it.</li>" in (tmp_path / "report.html").read_text()


def test_two_games_that_never_vary_get_no_verdict() -> None:
    cells = table_of(SOLID).findings[0].cells
    assert cells["start"].verdict is Verdict.NONE
    assert cells["start"].agrees is None
    assert cells["start"].note == "2 distinct games: all agents are deterministic, so openings decide"
    assert cells["openings"].verdict is Verdict.REPRODUCED
    assert not cells["openings"].note


@pytest.mark.parametrize(("distinct", "has_verdict"), [(9, False), (10, True)])
def test_a_verdict_needs_ten_distinct_games(distinct: int, has_verdict: bool) -> None:
    row = rows_of(SOLID)[1]
    few = dataclasses.replace(row, pairings=(pairing("depth 4", "depth 2", 130, 10, 60, distinct=distinct),))
    table = experiment_table(SOLID, (few,))
    assert (table.findings[0].cell.verdict is Verdict.REPRODUCED) == has_verdict
    assert table.verdict == ("reproduced" if has_verdict else "undecided")


def test_openings_decide_but_for_numbers_of_the_start_position() -> None:
    deciding = {row.finding.measure: row.deciding for row in table_of(MATCH).findings}
    assert deciding["score"] == deciding["time_ratio"] == "openings"
    assert deciding["first_score"] == deciding["plies"] == "start"
    start_alone = experiment_table(MATCH, rows_of(MATCH)[:1])
    assert {row.deciding for row in start_alone.findings} == {"start"}


def test_a_published_number_is_compared_where_it_was_found() -> None:
    drawn = next(row for row in table_of(MATCH).findings if row.finding.measure == "draws")
    assert (drawn.cells["start"].agrees, drawn.cells["openings"].agrees) == (True, False)
    assert drawn.agrees
    fixed = table_of(SOLID).findings[0]  # too few games from the start
    assert (fixed.cells["start"].agrees, fixed.agrees) == (None, False)
    text = markdown(RESULTS, [REPORT])
    assert "Of 9 published numbers that can be compared, 7 (77.8%) agree with ours, from the start" in text


def test_an_experiment_is_judged_by_all_its_claims() -> None:
    verdicts = {experiment.name: table_of(experiment).verdict for experiment in REPORT.experiments}
    assert verdicts == {
        "tuned": "contradicted in part",
        "fixed": "reproduced",
        "growth": "reproduced in part",
        "sets": "no verdict",
        "errors": "reproduced",
    }


@pytest.mark.parametrize(("games", "agree"), [(0, False), (20, True), (20_000, False)])
def test_a_published_mean_is_as_sure_as_its_games_make_it(games: int, agree: bool) -> None:
    """Ours is 11.0, give or take 0.4, of 400 games; 20 games have a mean that is four times as uncertain."""
    assert agrees(Finding("plies", published=11.6, games=games), Measured(11.0, 10.6, 11.4, 400)) is agree


@pytest.mark.parametrize(
    ("games", "agree", "text"),
    [(0, False, "0%"), (100, True, "0.0% (0.0–3.7%)\n100 games"), (100_000, False, "0.0% (0.0–0.0%)\n100,000 games")],
)
def test_a_published_share_is_as_sure_as_its_games_make_it(games: int, agree: bool, text: str) -> None:
    """Ours is 1%; none of 100 may well be the same."""
    finding = Finding("draws", published=0.0, games=games)
    assert agrees(finding, Measured(0.01, 0.006, 0.017, 1500)) is agree
    assert published_text(finding) == text


def test_claims_of_ours_are_counted_apart() -> None:
    ours = dataclasses.replace(MATCH, ours=True)
    others = tuple(experiment for experiment in REPORT.experiments if experiment.name != MATCH.name)
    text = markdown(RESULTS, [dataclasses.replace(REPORT, experiments=(ours, *others))])
    of_match = sum(finding.expects is not None for finding in MATCH.findings)
    assert f"Of {12 - of_match} claims about numbers" in text
    assert f"Of {of_match} claims of ours, about the cost of errors" in text
    assert f"Claim: Ours: {MATCH.claim}" in text
    assert "we claimed above 0, measured" in text


def test_the_summary_counts_claims_and_lists_those_that_are_contradicted() -> None:
    text = markdown(RESULTS, [REPORT])
    assert "Of 12 claims about numbers, 7 reproduced, 2 not distinguishable, 3 contradicted." in text
    assert table_line(text, "Connect Four |")[1:7] == ["5", "12", "7", "2", "3", "0"]
    listed = [line for line in text.splitlines() if line.startswith("- [")]
    assert len(listed) == 3
    assert "(#connect4-tuned): mean margin of UCB1-Tuned against MCTS: claimed above 0, measured −2.00" in listed[0]
    assert '<a id="connect4-tuned"></a>' in text


def test_totals_of_points_are_not_compared_with_points_a_game() -> None:
    assert {row.cell.agrees for row in table_of(LEAGUE).findings} == {None}
    assert table_line(markdown(RESULTS, [REPORT]), "points a game of bold")[1] == "164 in all"
    figure = next(each for each in figures_of(table_of(LEAGUE), "x") if each.file == "x-points")
    assert "published totals, scaled to the same sum" in figure.picture.standalone()


def test_pairings_that_no_finding_names_are_listed_and_a_large_round_robin_is_a_cross_table() -> None:
    text = markdown(RESULTS, [REPORT])
    assert table_line(text, "RAVE 1600 against MCTS 1600")[1:] == [
        "35.0% (28.7–41.8%)<br>200 games",
        "0.0%",
        "30.0",
        "2.1 ms and 2.1 ms",
    ]
    assert "| RAVE 100 against MCTS 100" not in text
    assert table_line(text, "2. neutral") == ["2. neutral", "43%", "–", "60%", "60%", "60%"]


def test_conditions_say_the_published_clock_and_how_it_was_scaled() -> None:
    text = markdown(RESULTS, [REPORT])
    assert "- Clock: `900` as published, seconds × 0.001: `0.9`" in text
    assert "- Positions: 300 positions of plies 4 to 35" in text
    assert "90 openings were used in turn; 3 games did not end by the rules (time 3; lost by MCTS 3)" in text


def test_a_discussion_has_the_numbers_that_it_names() -> None:
    text = markdown(RESULTS, [REPORT])
    assert "\nMCTS scored 38.8% (34.1–43.6%) &amp; more.\n\nAt depth 4: 67.5% (60.7–73.6%).\n" in text
    quick = dataclasses.replace(RESULTS, scale="quick")
    assert "MCTS scored" not in markdown(quick, [REPORT])


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("{tuned.17}", "{tuned.17} in the discussion of connect4: experiment tuned has 16 findings"),
        ("{tuned.0}", "{tuned.0} in the discussion of connect4: experiment tuned has 16 findings"),
        ("{tuend.1}", "unknown experiment in the discussion of connect4 'tuend'; did you mean 'tuned'?"),
        ("{tuned}", "{tuned} in the discussion of connect4 does not name a finding as {experiment.1} does"),
    ],
)
def test_a_discussion_that_names_no_finding_gives_a_clear_error(reference: str, message: str) -> None:
    with pytest.raises(SpecError) as error:
        markdown(RESULTS, [discussed(f"It scored {reference}.")])
    assert str(error.value) == message


def test_an_unknown_figure_is_an_error_with_the_nearest_name() -> None:
    table = experiment_table(dataclasses.replace(SOLID, figures=("score",)), rows_of(SOLID))
    with pytest.raises(SpecError, match="did you mean 'scores'"):
        list(figures_of(table, "x"))


def subset(*names: str) -> Results:
    return dataclasses.replace(RESULTS, rows={"connect4": {name: RESULTS.rows["connect4"][name] for name in names}})


def test_what_was_not_played_is_left_out() -> None:
    other = Paper("avalam", "A report that nobody played", (CURVE,))
    text = markdown(subset("fixed"), [other, REPORT])
    assert "Two searches that draw no lots" in text
    for absent in (MATCH.title, ERRORS.title, other.title, "Avalam"):
        assert absent not in text
    assert "At depth 4" not in text  # its discussion needs an experiment that is not there
    assert "At depth 4: 67.5%" in markdown(subset("fixed"), [discussed("At depth 4: {fixed.1}.")])


class WellFormed(HTMLParser):
    """Fails where a tag is closed that is not the innermost; collects what is referred to."""

    VOID = ("meta", "hr", "br", "input")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.pictures = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        assert not {"src", "style", "onclick"} & values.keys()
        self.pictures += tag == "svg"
        self.ids += filter(None, [values.get("id")])
        self.links += filter(None, [values.get("href")])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    write_report(RESULTS, [REPORT], tmp_path)
    page = (tmp_path / "report.html").read_text()
    seen = WellFormed()
    seen.feed(page)
    assert not seen.open
    assert len(seen.ids) == len(set(seen.ids))
    assert {link.removeprefix("#") for link in seen.links} <= set(seen.ids)
    assert seen.pictures == sum(len(experiment.figures) for experiment in REPORT.experiments)
    assert page.count("<style>") == 1  # the one that the policy allows
    assert "wins &lt;only&gt;." in page
    assert '<b class="verdict contradicted">contradicted</b>' in page


def test_every_figure_is_a_picture_of_its_own_that_the_markdown_shows(tmp_path: Path) -> None:
    write_report(RESULTS, [REPORT], tmp_path)
    shown = re.findall(r"!\[[^]]+\]\((.+)\)", (tmp_path / "report.md").read_text())
    assert sorted(shown) == sorted(f"figures/{path.name}" for path in (tmp_path / "figures").iterdir())
    assert len(shown) == sum(len(experiment.figures) for experiment in REPORT.experiments)
    for name in shown:
        root = ElementTree.fromstring((tmp_path / name).read_text())
        style = root.findtext(f"{SVG}style") or ""
        assert "prefers-color-scheme: dark" in style
        # Every class has a rule, here or for the pictures as a whole, and nothing lies outside.
        used = {name for each in root.iter() for name in each.get("class", "").split()}
        assert used - {"f-label"} <= set(re.findall(r"\.(f-[\w-]+)", style))
        _, _, width, height = map(float, root.get("viewBox", "").split())
        for text in root.iter(f"{SVG}text"):
            assert 0 <= float(text.get("x", "nan")) <= width
            assert 0 <= float(text.get("y", "nan")) <= height


def test_a_figure_marks_ours_and_the_published_numbers() -> None:
    [figure] = figures_of(table_of(SOLID), "x")
    root = ElementTree.fromstring(figure.picture.standalone())
    marks = [each.get("class", "") for each in root.iter() if "f-mark" in each.get("class", "")]
    # Each once in the legend, once in the plot.
    assert sorted(marks) == sorted(2 * ["f-mark f-s0", "f-mark f-s1", "f-mark f-published"])
    whiskers = [each for each in root.iter(f"{SVG}line") if "f-whisker" in each.get("class", "")]
    assert len(whiskers) == 2  # two games have none


def drawn(experiment: Experiment, rows: tuple[RowResult, ...], name: str) -> ElementTree.Element:
    alone = dataclasses.replace(experiment, figures=(name,))
    [figure] = figures_of(experiment_table(alone, rows), "x")
    return ElementTree.fromstring(figure.picture.standalone())


def test_pairings_that_differ_by_a_number_are_one_curve_over_it() -> None:
    root = drawn(CURVE, rows_of(CURVE), "curve")
    [line] = root.iter(f"{SVG}polyline")
    assert line.findtext(f"{SVG}title") == "RAVE against MCTS"
    places = [float(point.split(",")[0]) for point in line.get("points", "").split()]
    # 100, 400, 1600: equal steps on a logarithmic axis.
    assert places[1] - places[0] == pytest.approx(places[2] - places[1], abs=0.2)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"100", "400", "1,600"} <= set(texts)


@pytest.mark.parametrize(("agents", "is_grid"), [(4, False), (5, True)])
def test_more_than_four_lines_are_small_plots_with_the_other_lines_behind(agents: int, is_grid: bool) -> None:
    row = rows_of(ERRORS)[0]
    many = tuple(dataclasses.replace(row.agents[0], name=f"agent {number}") for number in range(agents))
    asked = tuple(Contestant(agent.name, agent.spec) for agent in many)
    root = drawn(
        dataclasses.replace(ERRORS, agents=asked, findings=()), (dataclasses.replace(row, agents=many),), "failures"
    )
    whiskers = [each for each in root.iter(f"{SVG}line") if "f-whisker" in each.get("class", "")]
    upright = [each for each in whiskers if each.get("x1") == each.get("x2")]
    assert len(whiskers) - len(upright) == agents  # in all
    assert upright
    kinds = ["f-faint" in line.get("class", "") for line in root.iter(f"{SVG}polyline")]
    assert kinds.count(False) == agents
    assert kinds.count(True) == is_grid * agents * (agents - 1)


def test_every_plot_names_its_axes() -> None:
    for experiment in REPORT.experiments:
        for figure in figures_of(table_of(experiment), "x"):
            root = ElementTree.fromstring(figure.picture.standalone())
            plots = [group for group in root.iter(f"{SVG}g") if list(group.iter(f"{SVG}polyline"))]
            for plot in plots:
                assert any("rotate" in text.get("transform", "") and text.text for text in plot.iter(f"{SVG}text"))
    texts = [text.text for text in drawn(CURVE, rows_of(CURVE), "curve").iter(f"{SVG}text")]
    assert {"simulations a move", "score"} <= set(texts)


def test_times_are_dots_with_their_number() -> None:
    root = drawn(MATCH, rows_of(MATCH), "times")
    assert not list(root.iter(f"{SVG}polyline"))
    marks = [each for each in root.iter(f"{SVG}circle") if "f-mark" in each.get("class", "")]
    timed = [agent for agent in rows_of(MATCH)[0].agents if agent.time_s > 0]
    assert len(marks) == len(timed) > 0
    assert not [each for each in root.iter(f"{SVG}rect") if "f-ground" not in each.get("class", "")]


def test_a_figure_that_the_results_do_not_tell_is_left_out() -> None:
    silent = tuple(
        dataclasses.replace(
            row,
            agents=tuple(dataclasses.replace(agent, plies=()) for agent in row.agents),
            pairings=tuple(dataclasses.replace(each, batches=()) for each in row.pairings),
        )
        for row in rows_of(MATCH)
    )
    drawn = [figure.file for figure in figures_of(experiment_table(MATCH, silent), "x")]
    assert drawn == ["x-scores", "x-times"]


def test_the_same_results_give_the_same_bytes_and_old_figures_go(tmp_path: Path) -> None:
    def files() -> dict[str, bytes]:
        return {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    write_report(RESULTS, [REPORT], tmp_path)
    first = files()
    foreign = tmp_path / "figures" / "my-own-scores.svg"
    foreign.write_text("mine")
    write_report(RESULTS, [REPORT], tmp_path)
    assert files() == first | {"figures/my-own-scores.svg": b"mine"}
    write_report(subset("fixed"), [REPORT], tmp_path)
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == [
        "connect4-fixed-scores.svg",
        "my-own-scores.svg",
    ]


def test_the_markdown_finds_its_figures_in_the_folder_that_is_given() -> None:
    assert "](pictures/reproduction/connect4-fixed-scores.svg)" in markdown(RESULTS, [REPORT], "pictures/reproduction")
