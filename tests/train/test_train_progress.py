"""The course of a training run and the page that shows it."""

from __future__ import annotations

import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from joute import new
from joute.match.ratings import Rating
from joute.spec import parameters_of
from joute.train.ladder import MatchCounts
from joute.train.matches import Verdict
from joute.train.parameters import TrainParameters
from joute.train.progress import Counters, Progress, read_progress
from joute.train.report import RunFacts, html_report, write_report
from joute.train.schedule import learning_rate, share_done, simulations, window


def counters(steps: int) -> Counters:
    return Counters(steps, steps * 64, steps * 10, steps * 300, steps * 280, steps * 9000, steps * 9600)


def tell(progress: Progress, steps: int, elapsed_s: float) -> None:
    progress.learned({"policy": 2.0, "value": 1.0})
    progress.learned({"policy": 1.0, "value": 0.5})
    progress.tell(counters(steps), elapsed_s, learning_rate=0.002, window=250_000, full=32)


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def progress(tmp_path: Path, said: list[str]) -> Progress:
    made = Progress(tmp_path, say=said.append)
    made.bare_per_s = 12_000
    made.start(Counters(), 0.0)
    return made


def test_rates_are_of_the_time_since_the_last_line_beside_the_bare_rate(
    tmp_path: Path, progress: Progress, said: list[str]
) -> None:
    assert not progress.is_due(4.9)
    assert progress.is_due(5.0)
    tell(progress, 10, 10.0)
    tell(progress, 15, 20.0)
    first, second = read_progress(tmp_path / "progress.jsonl")
    assert (first["games_per_s"], second["games_per_s"]) == (10.0, 5.0)
    assert second["evaluations_per_s"] == 4500.0
    assert second["losses"] == {"policy": 1.5, "value": 0.75}
    assert "evaluations 4.5k/s, 38% of bare 12k/s" in said[1]
    assert "loss policy 1.5000, value 0.7500" in said[1]


def test_what_was_told_after_the_checkpoint_is_told_again_once(tmp_path: Path, progress: Progress) -> None:
    for steps in range(1, 7):
        tell(progress, steps, 10.0 * steps)
    path = tmp_path / "progress.jsonl"
    with path.open("a") as file:
        file.write('{"kind": "progress", "elapsed_s": 70, "ste')  # killed here
    again = Progress(tmp_path, say=lambda _: None)
    again.start(counters(4), 43.0)  # the checkpoint
    for steps in range(5, 9):
        tell(again, steps, 43.0 + 10 * (steps - 4))
    rows = read_progress(path)
    assert [row["steps"] for row in rows] == list(range(1, 9))
    assert [row["elapsed_s"] for row in rows] == sorted(row["elapsed_s"] for row in rows)
    assert len(path.read_text().splitlines()) == 8
    assert rows[4]["games_per_s"] == 1.0  # of the time since the checkpoint


def test_ratings_and_gates_are_told_and_infinite_ones_are_valid_json(
    tmp_path: Path, progress: Progress, said: list[str]
) -> None:
    matches = {"random": MatchCounts("step 5", "random", (0, 0, 0, 0, 0, 0, 0, 0, 10))}
    progress.rated("step 5", Rating(math.inf, 120.0, math.inf), matches, steps=5, elapsed_s=3.0)
    progress.gated(Verdict(False, "21 of 40 decided games won, 55% wanted", 40, 0.525), steps=5, elapsed_s=3.0)
    rated, gated = read_progress(tmp_path / "progress.jsonl")
    assert (rated["elo"], rated["low"], rated["high"]) == (None, 120.0, None)
    assert rated["matches"] == {"random": [1.0, 20]}
    assert gated["accepted"] is False
    assert "Infinity" not in (tmp_path / "progress.jsonl").read_text()
    assert said == [
        "step 5: +∞ Elo (above +120); 100.0% against random",
        "gate: refused; 21 of 40 decided games won, 55% wanted",
    ]


def test_counters_come_back_from_json_and_add_up() -> None:
    assert Counters.from_data(json.loads(json.dumps(counters(3).as_data()))) == counters(3)
    assert counters(3) + counters(4) == counters(7)


def test_a_run_by_steps_does_not_look_at_the_clock() -> None:
    by_steps = TrainParameters(steps=100, learning_rate=1.0, final_rate=0.1, warm_up=0)
    assert share_done(by_steps, steps=50, elapsed_s=0) == share_done(by_steps, steps=50, elapsed_s=1e9) == 0.5
    assert share_done(by_steps, steps=200, elapsed_s=0) == 1
    assert share_done(TrainParameters(minutes=0), steps=0, elapsed_s=0) == 1
    assert math.isclose(learning_rate(by_steps, steps=100, share=1.0), 0.1)
    rates = [learning_rate(by_steps, steps=n, share=n / 100) for n in range(101)]
    assert rates == sorted(rates, reverse=True)


def test_the_window_grows_between_its_bounds_and_a_fast_search_is_never_the_longer_one() -> None:
    asked = TrainParameters(window_min=100, window_max=1000, window_share=0.5)
    assert [window(asked, total) for total in (0, 400, 10**6)] == [100, 200, 1000]
    assert simulations(TrainParameters(early_simulations=4, fast_simulations=8), 0.0) == (4, 4)


class Page(HTMLParser):
    """What a page holds: tags that must be closed are, and what it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.counts: dict[str, int] = {}
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.links += [value or "" for name, value in attributes if name in ("href", "src")]
        if tag not in ("meta", "hr", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1


def facts(steps: int, **settings: str) -> RunFacts:
    start = new("connect4")
    parameters = TrainParameters.read(settings, type(start))
    return RunFacts(start, parameters, counters(steps), 60.0 * steps, "a processor", "joute train connect4 --out <b>")


def test_the_report_shows_curves_figures_parameters_and_the_command(tmp_path: Path, progress: Progress) -> None:
    for steps in range(1, 9):
        tell(progress, steps, 60.0 * steps)
    matches = {"random": MatchCounts("step 8", "random", (0, 0, 0, 0, 0, 0, 2, 0, 8))}
    progress.rated("step 4", Rating(40.0, -20.0, 95.0), matches, steps=4, elapsed_s=240.0)
    progress.rated("step 8", Rating(140.0, 80.0, 210.0), matches, steps=8, elapsed_s=480.0)
    progress.gated(Verdict(True, "25 of 40 decided games won, 55% wanted", 40, 0.625), steps=8, elapsed_s=480.0)
    write_report(tmp_path / "report.html", facts(8, channels="32"), tmp_path / "progress.jsonl")
    text = (tmp_path / "report.html").read_text()
    page = Page(text)
    assert page.open == []
    assert page.counts["polyline"] >= 12
    assert all(link.startswith("#") for link in page.links)
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
    assert "script" not in page.counts
    plain = re.sub(r"<[^>]*>", " ", text)
    for figure in (
        "80 games with 2,240 positions to learn from in 8.0 minutes, and 8 learner steps.",
        "The network at step 8 has +140 Elo, +80 to +210: 90.0% against random in 20 games.",
        "72,000",
        "76,800",
        "25 of 40 decided games won",
        "1 of 1 network was accepted",
        "32 channels × 6 blocks",
    ):
        assert figure in plain, figure
    assert "joute train connect4 --out &lt;b&gt;" in text
    assert all(f"<code>{each.name}</code>" in text for each in parameters_of(TrainParameters))
    assert "<b>32</b>" in text  # what differs from the default
    # Evaluations: 150 a second of 12,000.
    assert "Self-play evaluated positions at 1.2% of the bare rate" in plain


def test_the_report_of_a_run_that_has_just_begun_renders() -> None:
    page = Page(html_report(facts(0), []))
    assert page.open == []
    assert "polyline" not in page.counts


def test_the_report_says_infinite_where_everything_was_won(tmp_path: Path, progress: Progress) -> None:
    progress.rated("step 1", Rating(math.inf, 120.0, math.inf), {}, steps=1, elapsed_s=1.0)
    assert "+∞" in html_report(facts(1), read_progress(tmp_path / "progress.jsonl"))
