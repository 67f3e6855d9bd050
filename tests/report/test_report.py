"""The report of a tournament: what it says in each format, and that its boards are the boards of the games."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from report_samples import Page, invoke, record, rows_of, section, stored, tournament

from joute._core import Result
from joute.agents import SearchInfo
from joute.arena.columns import CSV, data_keys
from joute.arena.plan import make_plan
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.errors import JouteError
from joute.match import MoveRecord, Reason, play_game
from joute.match.ratings import Rating
from joute.match.record import forfeit
from joute.numbers import elo_interval, likelihood
from joute.report.data import make_report
from joute.report.formats import as_data, csv_report, json_report, write_report
from joute.report.html import html_report
from joute.report.markdown import markdown_report

pytestmark = pytest.mark.usefixtures("one_worker")


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return tournament(tmp_path_factory.mktemp("three"), "connect4", "greedy", "random", "alphabeta:depth=2", games=20)


# --- What is said ---


def test_csv_has_one_row_an_agent_the_best_first(three: Store) -> None:
    text = csv_report(make_report(three))
    assert text.splitlines()[0] == "name,games,wins,draws,losses,score,elo,elo_low,elo_high"
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["name"] for row in rows] == ["alphabeta:depth=2", "greedy", "random"]
    for row in rows:
        games, wins, draws, losses = (int(row[name]) for name in ("games", "wins", "draws", "losses"))
        assert games == wins + draws + losses == 40
        assert float(row["score"]) == pytest.approx((wins + draws / 2) / games, abs=1e-6)
        assert float(row["elo_low"]) <= float(row["elo"]) <= float(row["elo_high"])


def test_who_won_or_lost_everything_has_a_finite_rating_in_every_format(tmp_path: Path) -> None:
    pairs = [(0, 1), (2, 0), (0, 3), (1, 2), (2, 1), (3, 1), (2, 3)]
    outcomes = (1, -1, 1, 1, 1, -1, 1)
    games = [
        (pair, record(outcome, f"12{number + 1}"))
        for number, (pair, outcome) in enumerate(zip(pairs, outcomes, strict=True))
    ]
    with stored(tmp_path, ["best", "b", "c", "worst"], games) as store:
        report = make_report(store)
        rows = list(csv.DictReader(io.StringIO(csv_report(report))))
        assert (rows[0]["name"], rows[-1]["name"]) == ("best", "worst")
        assert all(float(row["elo_low"]) < float(row["elo"]) < float(row["elo_high"]) for row in rows)
        assert all(math.isfinite(float(row[end])) for row in rows for end in ("elo_low", "elo_high"))
        data = as_data(report, store)
        assert (data["elo_method"], data["ranked_by"]) == ("Bayesian", "Elo")
        assert all(agent["elo"] is not None for agent in data["agents"])
        page = Page(html_report(report, store))
        assert not any(attributes.get("class") == "arrow" for _, attributes in page.elements)
        said = "Ratings: Bayesian, because the games alone do not bound all ratings"
        assert any(said in words for words in page.text)
        assert said in markdown_report(report)


def test_json_is_valid_and_complete(three: Store) -> None:
    def no_constant(name: str) -> float:
        raise AssertionError(f"{name} is no JSON")

    data = json.loads(json_report(make_report(three), three), parse_constant=no_constant)
    assert data["games"] == len(data["list"]) == 60
    assert sum(data["lengths"].values()) == sum(data["reasons"].values()) == 60
    assert [len(row) for row in data["superiority"]] == [3, 3, 3]
    assert data["superiority"][0][2] + data["superiority"][2][0] == pytest.approx(1)
    assert sum(data["first_player"][name] for name in ("wins", "draws", "losses")) == 60
    assert data["list"][0]["moves"] == [played.move for played in next(three.records()).moves]
    assert data["plan"]["seed"] == 1


def test_every_format_tells_what_decided_the_games(tmp_path: Path) -> None:
    kinds = [Result(1, decided_by="towers"), Result(-1, decided_by="<fives>"), Result(1, decided_by="towers")]
    colours = [(0, 1), (1, 0), (0, 1)]
    games = [(pair, record(result=result)) for pair, result in zip(colours, kinds, strict=True)]
    with stored(tmp_path, ["a", "b"], games) as store:
        report = make_report(store)
        data = as_data(report, store)
        assert data["decided_by"] == {"towers": 2, "<fives>": 1}
        assert [game["decided_by"] for game in data["list"]] == ["towers", "<fives>", "towers"]
        assert "| towers | 2 |" in re.sub(" +", " ", markdown_report(report))
        words = Page(html_report(report, store)).text
        assert words[words.index("<fives>") :][:3] == ["<fives>", "1", "33.3%"]


def test_what_decided_is_left_out_where_all_games_were_decided_alike(tmp_path: Path) -> None:
    with stored(tmp_path, ["a", "b"], [((0, 1), record())]) as store:
        assert "decided by" not in markdown_report(make_report(store))


def test_markdown_has_the_tables_and_the_command(three: Store) -> None:
    text = markdown_report(make_report(three))
    for title in (
        "Ratings",
        "Who beat whom",
        "Who is stronger",
        "Pairings",
        "Colours",
        "Openings",
        "Lengths",
        "Endings",
    ):
        assert f"## {title}\n" in text
    assert "joute it" in text
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


def test_markdown_cuts_no_sentence_and_no_command(tmp_path: Path) -> None:
    names = [f"agent-{'x' * 120}-{number}" for number in range(3)]
    plan = make_plan("connect4", ["greedy", "random", "alphabeta:depth=1"], games=2)
    plan = replace(
        plan, entrants=tuple(replace(one, name=name) for one, name in zip(plan.entrants, names, strict=True))
    )
    command = f"joute tournament {' '.join(names)} --games 2"
    with Tournament.create(plan, tmp_path / "t.db", command=command) as made:
        made.play()
    with Store.read(tmp_path / "t.db") as store:
        report = make_report(store)
        text = markdown_report(report)
    assert max(map(len, report.summary)) > 200
    for sentence in report.summary:
        assert f"- {sentence}\n" in text
    assert f"`{command}`\n" in text


def test_every_pairing_is_told_in_every_format(three: Store) -> None:
    report = make_report(three)
    _, match, _ = report.pairings
    assert [(one.a, one.b) for one in report.pairings] == [
        ("greedy", "random"),
        ("greedy", "alphabeta:depth=2"),
        ("random", "alphabeta:depth=2"),
    ]
    shown = rows_of(html_report(report, three), "pairings")
    lines = markdown_report(report).partition("## Pairings")[2].partition("## ")[0].splitlines()[6:-1]
    assert [[cell.strip().replace("&lt;", "<") for cell in line.split("|")[1:-1]] for line in lines] == shown
    wins, draws, losses = match.tally()
    assert shown[1][:5] == [match.a, match.b, "20", f"{wins} {draws} {losses}", f"{100 * match.score:.1f}%"]
    assert shown[1][5:] == [
        f"−{-match.elo:.0f}",
        elo_interval(*match.elo_interval),
        likelihood(match.los),
        "not distinguishable at 95%; about 460 more games",
    ]
    data = as_data(report, three)["pairings"][1]
    assert (data["elo"], data["los"], data["trials"]) == (match.elo, match.los, match.trials)
    assert (data["elo_low"], data["elo_high"]) == match.elo_interval
    assert sum(data["pentanomial"]) == 10
    assert sum(points * count for points, count in zip((0, 0.5, 1, 1.5, 2), data["pentanomial"], strict=True)) == (
        data["wins"] + data["draws"] / 2
    )


def test_pairings_with_too_few_games_are_one_sentence(tmp_path: Path) -> None:
    pairs = list(itertools.combinations(range(8), 2))
    few = [(pair, record(1)) for pair in pairs]
    many = [((0, 1), play_game("connect4", "random", "greedy", seed=seed)) for seed in range(20)]
    for games, listed, sentence in (
        (few, 0, "All 28 pairings have too few games, or too few distinct ones, for a verdict"),
        (few + many, 1, "27 of the 28 pairings have too few games, or too few distinct ones, for a verdict"),
    ):
        folder = tmp_path / str(listed)
        folder.mkdir()
        with stored(folder, [f"agent {number}" for number in range(8)], games) as store:
            report = make_report(store)
            made = section(html_report(report, store), "pairings")
            assert len(re.findall("<tr><td", made)) == listed
            for text in (made, markdown_report(report)):
                assert sentence in text
                assert "too few for a verdict" not in text


def test_the_page_says_what_was_played_and_who_leads(three: Store) -> None:
    report = make_report(three)
    text = " ".join("".join(Page(html_report(report, three)).text).split())
    for sentence in report.summary:
        assert sentence in text
    for expected in ("joute it", "alphabeta:depth=2", "Connect Four", "Every game ended by the rules"):
        assert expected in text


def test_a_report_is_called_as_its_maker_says(three: Store, tmp_path: Path) -> None:
    title = "Class <2026> & friends"
    for name in ("r.html", "r.md", "r.json"):
        assert invoke(three.path, "-o", tmp_path / name, "--title", title).exit_code == 0
    page = (tmp_path / "r.html").read_text()
    assert "<title>Class &lt;2026&gt; &amp; friends</title>" in page
    assert "<h1>Class &lt;2026&gt; &amp; friends</h1>" in page
    assert "Connect Four · 3 agents · 60 games · round robin" in page
    assert "\n# Class &lt;2026> &amp; friends\n" in (tmp_path / "r.md").read_text()
    assert json.loads((tmp_path / "r.json").read_text())["title"] == title


def test_a_report_without_a_name_is_called_after_its_game(three: Store) -> None:
    report = make_report(three)
    page = html_report(report, three)
    assert "<title>Connect Four: 3 agents, 60 games</title>" in page
    assert "<h1>Connect Four</h1>" in page
    assert "\n# Connect Four: 3 agents, 60 games\n" in markdown_report(report)


def test_anchors_fix_ratings(three: Store) -> None:
    report = make_report(three, anchors={"greedy": 1500.0})
    greedy = next(row for row in report.agents if row.name == "greedy")
    assert greedy.rating.elo == pytest.approx(1500)
    assert "greedy is 1500" in report.reference
    with pytest.raises(JouteError, match="did you mean 'greedy'"):
        make_report(three, anchors={"gredy": 1500.0})


def test_an_anchor_has_no_interval(three: Store) -> None:
    def bars(page: str) -> int:
        return section(page, "ratings").count('class="interval"')

    report = make_report(three, anchors={"greedy": 1500.0})
    page = html_report(report, three)
    assert bars(html_report(make_report(three), three)) - bars(page) == 1
    assert "greedy: +1500 Elo, reference" in section(page, "ratings")
    assert "A dot without a bar" in section(page, "ratings")
    assert next(row for row in rows_of(page, "standings") if row[1] == "greedy")[3:5] == ["+1500", "reference"]
    assert re.search(r"\| greedy \| \+1500 \| reference \|", markdown_report(report))


def test_csv_knows_no_negative_zero(three: Store) -> None:
    report = make_report(three)
    rows = [replace(row, rating=Rating(-0.001, -0.004, 0.002)) for row in report.agents]
    text = csv_report(replace(report, agents=tuple(rows)))
    assert [line.split(",")[6:] for line in text.splitlines()[1:]] == [["0.00"] * 3] * 3


def test_markdown_tells_how_deep_agents_looked_by_ply(tmp_path: Path) -> None:
    with tournament(tmp_path, "connect4", "alphabeta:depth=3", "random", games=2) as store:
        report = make_report(store)
        lines = markdown_report(report).partition("## Depth of search\n")[2].partition("## ")[0].split("\n")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    assert [cell.replace("\\", "") for cell in rows[0]] == ["ply", "alphabeta:depth=3"]  # random tells nothing
    (searcher,) = (row for row in report.agents if row.name == "alphabeta:depth=3")
    measured = report.measures.agents[searcher.index].plies
    assert rows[2:] == [[str(at.ply + 1), f"{at.depth:.1f}"] for at in measured]
    assert {"3.0"} <= {row[1] for row in rows[2:]}


@pytest.mark.parametrize(("openings", "is_told"), [("start", False), ("random", True)])
def test_what_the_first_move_is_worth_holds_from_the_openings_that_were_played(
    openings: str, is_told: bool, tmp_path: Path
) -> None:
    plan = make_plan("connect4", ["mcts:iterations=20", "mcts:iterations=30"], games=12, openings=openings)
    with Tournament.create(plan, tmp_path / "t.db") as made:
        made.play()
    with Store.read(tmp_path / "t.db") as store:
        report = make_report(store)
        begin = "From these openings, the first player scored" if is_told else "The first player scored"
        assert sum(sentence.startswith(begin) for sentence in report.summary) == 1
        for text in (
            section(html_report(report, store), "colours"),
            markdown_report(report).partition("## Colours")[2],
        ):
            assert ("from these openings" in text.lower()) == is_told


def test_results_that_do_not_decide_say_so(tmp_path: Path) -> None:
    games = [((0, 1), record(1)), ((1, 2), record(1, "124")), ((2, 0), record(1, "125")), ((1, 0), record(0, "126"))]
    with stored(tmp_path, ["a", "b", "c"], games) as store:
        assert "not distinguishable at 95%" in make_report(store).summary[0]


def test_forfeits_come_with_an_example_and_a_hint(tmp_path: Path) -> None:
    lost = record(result=forfeit(0), reason=Reason.ILLEGAL_MOVE, detail="a: illegal move 4(int) at ply 5 of connect4")
    with stored(tmp_path, ["a", "b"], [((0, 1), record(1)), ((0, 1), lost)]) as store:
        report = make_report(store)
        (problem,) = report.problems
        assert (problem.agent, problem.reason, problem.count, problem.game) == ("a", "illegal move", 1, 2)
        assert problem.detail == "illegal move 4(int) at ply 5 of connect4"
        assert "state.legal_moves" in problem.hint
        page = html_report(report, store)
        assert 'href="#game-2"' in page
        assert "state.legal_moves" in page
        assert "state.legal\\_moves" in markdown_report(report)


# --- Odd tournaments ---


def test_a_tournament_without_games_gets_one_clear_sentence(tmp_path: Path) -> None:
    with tournament(tmp_path, "connect4", "random", "greedy", play=False) as store:
        report = make_report(store)
        assert report.summary == ("No game is finished yet, so there is nothing to say about the agents.",)
        for text in (html_report(report, store), markdown_report(report)):
            assert report.summary[0] in text
        rows = list(csv.reader(io.StringIO(csv_report(report))))
        assert [row[:2] for row in rows[1:]] == [["random", "0"], ["greedy", "0"]]
        assert json.loads(json_report(report, store))["games"] == 0


def test_a_single_game_makes_a_report(tmp_path: Path) -> None:
    with stored(tmp_path, ["a", "b"], [((0, 1), record(0))]) as store:
        report = make_report(store)
        assert "too few" in report.summary[0]
        assert 'id="games-data"' in html_report(report, store)


def test_a_game_without_moves_makes_a_report(tmp_path: Path) -> None:
    crashed = record(moves=(), result=forfeit(1), reason=Reason.CRASH, detail="b: ImportError")
    with stored(tmp_path, ["a", "b"], [((0, 1), crashed), ((1, 0), record(1))]) as store:
        report = make_report(store)
        assert (min(report.measures.lengths), len(report.problems)) == (0, 1)
        assert "ImportError" in html_report(report, store)


def test_agents_that_have_not_played_are_last(tmp_path: Path) -> None:
    with stored(tmp_path, ["idle", "a", "b"], [((1, 2), record(1)), ((2, 1), record(1))]) as store:
        report = make_report(store)
        assert [row.name for row in report.agents][-1] == "idle"
        assert "idle played no game yet." in report.summary
        assert html_report(report, store)


def test_many_agents_fit(tmp_path: Path) -> None:
    names = [f"agent number {number}" for number in range(45)]
    games = [((number, (number + 1) % 45), record((number % 3) - 1)) for number in range(45)]
    with stored(tmp_path, names, games) as store:
        page = html_report(make_report(store), store)
        assert len(page) < 5e6
        assert page.count('class="map tiny"') == 2


@pytest.mark.parametrize("told", [math.inf, -math.inf, math.nan, 1e300, -0.0, 12345.678])
def test_whatever_an_agent_tells_of_its_search_can_be_shown(told: float, tmp_path: Path) -> None:
    moves = (MoveRecord(0, "1", 0.0, info=SearchInfo(told, 3, 2**70, ("1", "2"))),)
    with stored(tmp_path, ["a", "b"], [((0, 1), record(moves=moves))]) as store:
        report = make_report(store)
        assert html_report(report, store)
        json.loads(json_report(report, store))


@pytest.mark.parametrize(
    ("schedule", "says"),
    [
        ("swiss", "Swiss ranking after"),
        ("knockout", "winner of the knockout"),
        ("gauntlet", ""),
        ("sprt:elo1=300", "SPRT"),
    ],
)
def test_other_kinds_of_tournaments_have_a_part_of_their_own(schedule: str, says: str, tmp_path: Path) -> None:
    agents = ["greedy", "random"] if says == "SPRT" else ["greedy", "random", "alphabeta:depth=1"]
    plan = make_plan("connect4", agents, schedule=schedule, seed=2)
    with Tournament.create(plan, tmp_path / "t.db") as made:
        made.play()
    with Store.read(tmp_path / "t.db") as store:
        report = make_report(store)
        assert report.length == len(report.games)
        page = Page(html_report(report, store))
        text = " ".join("".join(page.text).split())
        assert report.schedule in text
        assert any(attributes.get("id") == "tournament" for _, attributes in page.elements) == bool(says)
        assert says != "SPRT" or "SPRT: H1 accepted" in report.summary[0]
        # A sequential test stops when the score suits it: a verdict by the score would be too bold.
        for verdicts in (section(html_report(report, store), "pairings"), markdown_report(report)):
            assert ("verdict" in verdicts) == (says != "SPRT")
        assert all((one["verdict"] is None) == (says == "SPRT") for one in as_data(report, store)["pairings"])
        assert schedule != "gauntlet" or {one["a"] for one in as_data(report, store)["pairings"]} == {"greedy"}
        for shown in (text, markdown_report(report), " ".join(as_data(report, store)["schedule_lines"])):
            assert says in shown


def test_a_tournament_that_goes_on_says_so(tmp_path: Path) -> None:
    plan = make_plan("connect4", ["greedy", "random"], games=4)
    with Tournament.create(plan, tmp_path / "t.db") as made:
        made.store.begin_session(workers=1, note="")
        first = next(iter(made.schedule.pairings({})))
        assert first is not None
        made.store.add(first, play_game("connect4", "greedy", "random"), started=datetime.now(UTC))
        with Store.read(tmp_path / "t.db") as store:
            report = make_report(store)
    assert report.summary[-1] == "The tournament is not finished: these are 1 of 4 games."
    assert ("Games", "1 of 4") in report.facts


def test_games_as_text_make_the_same_report(three: Store, tmp_path: Path) -> None:
    text = tmp_path / "games.txt"
    assert invoke(three.path, "-o", text, command="export").exit_code == 0
    of_text, of_file = (
        sorted(row[:5] for row in csv.reader(io.StringIO(invoke(path, "--format", "csv").stdout)))
        for path in (text, three.path)
    )
    assert of_text == of_file


# --- Files ---


def test_the_format_follows_from_the_name_of_the_file(three: Store, tmp_path: Path) -> None:
    for name, begin in (("r.html", "<!doctype html>"), ("r.md", "<!-- joute"), ("r.csv", "name,"), ("r.json", "{")):
        assert invoke(three.path, "-o", tmp_path / name).exit_code == 0
        assert (tmp_path / name).read_text().startswith(begin)
    assert invoke(three.path, "-o", tmp_path / "table.txt", "--format", "csv").exit_code == 0
    assert (tmp_path / "table.txt").read_text().startswith("name,")


def test_text_goes_to_standard_output_and_a_page_beside_the_tournament(tmp_path: Path) -> None:
    with tournament(tmp_path, "connect4", "random", "greedy") as store:
        assert invoke(store.path, "--format", "csv").stdout.startswith(",".join(data_keys(CSV)))
        shown = invoke(store.path)
        assert (shown.exit_code, (tmp_path / "t.html").exists()) == (0, True)
        assert "t.html: 4 games" in shown.stdout


def test_a_file_that_is_no_report_is_not_replaced(three: Store, tmp_path: Path) -> None:
    thesis = tmp_path / "thesis.md"
    thesis.write_text("# My thesis")
    refused = invoke(three.path, "-o", thesis)
    assert (refused.exit_code, thesis.read_text()) == (2, "# My thesis")
    assert "--force" in refused.output
    assert invoke(three.path, "-o", thesis, "--force").exit_code == 0
    assert invoke(three.path, "-o", thesis).exit_code == 0  # now it is a report
    before = three.path.read_bytes()
    assert invoke(three.path, "-o", three.path, "--format", "html").exit_code == 2
    assert three.path.read_bytes() == before


@pytest.mark.parametrize("text", [html_report, csv_report, markdown_report, json_report])
def test_a_report_of_any_format_may_be_replaced_by_a_new_one(
    text: Callable[..., str], three: Store, tmp_path: Path
) -> None:
    report = make_report(three)
    made = text(report, three) if text in (html_report, json_report) else text(report)
    path = tmp_path / "report"
    write_report(path, made)
    write_report(path, made + " ")
    assert path.read_text().endswith(" ")
    assert [file.name for file in tmp_path.iterdir()] == ["report"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("-o", "report.txt"), "--format"),
        (("--format", "htm"), "did you mean 'html'"),
        (("--anchor", "greedy"), "greedy=1000"),
        (("--anchor", "greedy=strong"), "greedy=1000"),
        (("--anchor", "greedi=3"), "did you mean 'greedy'"),
        (("-o", "no/such/folder/report.html"), "report.html cannot be written: there is no folder no/such/folder\n"),
        (("-o", ".", "--format", "html", "--force"), ". is a folder"),
    ],
)
def test_mistakes_cost_one_sentence(words: tuple[str, ...], sentence: str, three: Store) -> None:
    result = invoke(three.path, *words)
    assert result.exit_code == 2
    assert sentence in result.output
    assert "Traceback" not in result.output


def test_a_report_that_cannot_be_written_is_named_by_its_own_name(tmp_path: Path) -> None:
    with pytest.raises(JouteError, match=r"x\.html cannot be written: File name too long$"):
        write_report(tmp_path / f"{'x' * 248}.html", "")  # too long for the part's name


def test_the_size_of_a_small_report_is_told_in_bytes(three: Store, tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    assert invoke(three.path, "-o", path).stdout == f"{path}: 60 games, {path.stat().st_size} bytes\n"


def test_a_file_that_is_no_tournament_gives_one_clear_error(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.db"
    wrong.write_text("not a database, but long enough to look like one" * 100)
    result = invoke(wrong)
    assert (result.exit_code, "Traceback" in result.output) == (2, False)


@pytest.mark.parametrize("anchors", [{}, {"mcts:iterations=20": 1000.0}, {"mcts:iterations=40": -50.0}])
def test_two_agents_are_rated_as_their_match_says(tmp_path: Path, anchors: dict[str, float]) -> None:
    plan = make_plan("connect4", ["mcts:iterations=40", "mcts:iterations=20"], games=12, seed=3)
    with Tournament.create(plan, tmp_path / "t.db") as made:
        made.play()
    with Store.read(tmp_path / "t.db") as store:
        report = make_report(store, anchors=anchors)
    match = report.matches[0, 1]
    rating = {row.name: row.rating for row in report.agents}
    ahead, behind = rating["mcts:iterations=40"], rating["mcts:iterations=20"]
    assert ahead.elo - behind.elo == pytest.approx(match.elo)
    width = (ahead.high - ahead.low) + (behind.high - behind.low)
    assert width == pytest.approx(match.elo_interval[1] - match.elo_interval[0])
    for name, elo in anchors.items():
        assert rating[name] == Rating(elo, elo, elo)
    assert report.los[0, 1] == pytest.approx(match.los)
