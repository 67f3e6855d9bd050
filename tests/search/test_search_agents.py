"""The searches as agents: they play every game, explain themselves, and say what is wrong with a spec."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
import warnings
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from commands import ok
from typed import analyst, info_of, known

import joute
from joute import Clock, State, agent, new, play_game
from joute.agents import Analysis, SearchInfo, find_agent
from joute.agents.agent import prepare_game
from joute.agents.search import PythonEvaluationWarning, SearchAgent
from joute.errors import SpecError
from joute.match.record_reader import read_records
from joute.match.record_text import write_record
from joute.protocol.ugi import info_line, parse_info

# Small limits for every search.
SEARCHES = [
    "alphabeta:nodes=500",
    "alphabeta:nodes=0,depth=2",
    "mcts:iterations=60",
    "mcts:iterations=0,nodes=500",
    "ucb1-tuned:iterations=60",
    "rave:iterations=60",
    "grave:iterations=60,ref=10",
    "nrpa:level=2,iterations=5",
    "nested:level=1,iterations=60",
]
NAMES = sorted({spec.split(":")[0] for spec in SEARCHES})


@pytest.mark.parametrize("spec", SEARCHES)
def test_every_search_plays_every_game_by_the_rules(spec: str, game: str) -> None:
    for seed, (first, second) in enumerate([(spec, "random"), ("random", spec)]):
        record = joute.play_game(game, first, second, seed=seed)
        assert record.reason.value == "normal", record.detail
        searched = [played for played in record.moves if played.player == seed]
        assert searched


@pytest.mark.parametrize("spec", SEARCHES)
def test_an_agent_tells_what_it_saw(spec: str, game: str) -> None:
    state = new(game)
    player = agent(spec, game=game)
    move = player.choose(state, Clock())
    assert move in state.legal_moves
    info = info_of(player)
    assert info.pv[0] == move
    assert known(info.nodes) > 0
    assert known(info.depth) >= 1


@pytest.mark.parametrize("spec", SEARCHES)
def test_a_search_is_made_before_the_clock_runs_and_plays_the_same(
    spec: str, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = new(game)
    prepared, other = agent(spec, game=game), agent(spec, game=game)
    prepare_game(prepared, state)
    searches: list[Any] = []
    monkeypatch.setattr(type(state), "search", lambda *arguments: searches.append(arguments))
    move = prepared.choose(state, Clock())
    monkeypatch.undo()
    assert not searches
    assert (move, info_of(prepared)) == (other.choose(state, Clock()), info_of(other))


def test_garbage_is_not_collected_while_a_search_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    collects: list[bool] = []
    told = SearchAgent._told

    def watched(self: SearchAgent, result: Any) -> Any:
        collects.append(gc.isenabled())
        return told(self, result)

    monkeypatch.setattr(SearchAgent, "_told", watched)
    agent("mcts:iterations=60", game="connect4").choose(new("connect4"), Clock())
    agent("mcts:iterations=6", game="tictactoe").choose(new("tictactoe"), Clock())  # in Python, it may make garbage
    assert collects == [False, True]
    assert gc.isenabled()


def test_a_move_that_tree_search_never_tried_has_no_value() -> None:
    analysis = analyst("mcts:iterations=3", game="connect4").analyze(new("connect4"))
    assert [judged.value is None for judged in analysis.moves] == [not judged.visits for judged in analysis.moves]
    assert sum(judged.visits or 0 for judged in analysis.moves) == 3
    assert analysis.value == analysis.moves[0].value is not None


@pytest.mark.parametrize("spec", SEARCHES)
def test_an_analysis_has_values_visits_and_lines(spec: str, game: str) -> None:
    state = new(game)
    player = analyst(spec, game=game)
    analysis = player.analyze(state)
    assert sorted(str(judged.move) for judged in analysis.moves) == sorted(map(str, state.legal_moves))
    assert analysis.unit == ("evaluation" if "alphabeta" in spec else "win share")
    for judged in analysis.moves:
        assert judged.value is None or math.isfinite(judged.value)
        assert judged.pv[:1] == (judged.move,)
        assert judged.visits is not None
    assert analysis.pv == analysis.moves[0].pv
    assert known(analysis.nodes) > 0
    assert (analysis.iterations is None) == ("alphabeta" in spec)
    assert player.analyze(state, with_line=False).pv == ()
    if "alphabeta" not in spec:
        assert analysis.value is not None
        assert 0 <= analysis.value <= 1


def verdicts(spec: str, state: State, **options: Any) -> dict[str, str]:
    analysis = analyst(spec, game=state.game).analyze(state, **options)
    return {str(judged.move): judged.verdict for judged in analysis.moves}


def test_verdicts_are_what_is_proven() -> None:
    # Both players would win with their next disc.
    state = new("connect4", "172737")
    told = verdicts("alphabeta", state, lines=7)
    assert told["4"] == "wins in 1 ply"
    assert told["1"] == "loses in 2 plies"
    analysis = analyst("alphabeta").analyze(state)
    assert (analysis.verdict, analysis.value, analysis.exact) == ("wins in 1 ply", 1e15 - 1, True)
    told = verdicts("mcts", state)
    assert told["4"] == "wins"
    assert analyst("mcts").analyze(state).exact
    # With two edges left one closes a box and wins the last one too, the other leaves both to the opponent.
    state = new("boxes", "111111110110/10../0")
    assert verdicts("mcts", state)["i"] == "wins"
    assert verdicts("alphabeta", state) == {"i": "wins in 2 plies", "l": "loses in 2 plies"}
    assert verdicts("mcts", new("tictactoe", "XOXXOOOX.")) == {"9": "draws"}
    assert analyst("mcts:iterations=50").analyze(new("connect4")).verdict == ""


def test_lines_come_from_one_depth_best_first() -> None:
    # In the last depth, a limit stopped the search of some lines.
    for game, position, spec in [
        ("avalam", ".B/.aAa/aCaAaA/.aAaAaba/AaAaaA.A/aAabaAaA/A..aAa/BAaA/aA", "avalam:nodes=3000,solve_share=0"),
        ("quoridor", "g1b2d2e3d7/a1b1c2a5b5/e2e9/5-5/11", "quoridor:nodes=8000,book=no"),
        ("quoridor", "c1d3/a1e4b8/e1e8/7-8/6", "quoridor:nodes=5000,book=no"),
    ]:
        moves = analyst(spec, game=game).analyze(new(game, position), lines=4).moves
        values = [judged.value for judged in moves if judged.value is not None]
        assert len(values) >= 4
        assert values == sorted(values, reverse=True)
        assert None not in [judged.value for judged in moves[:4]]


def test_a_win_that_is_not_proven_has_a_number_and_a_verdict() -> None:
    # The engine of Quoridor does not consider every wall.
    state = new("quoridor", "b1c3e3g3b4a5c5e5h5g6/a1b2d2f3h4a6d6e6h6/b4d4/1-0/61")
    analysis = analyst("quoridor:nodes=60000,book=no").analyze(state, lines=1)
    assert (analysis.value, analysis.verdict, analysis.exact) == (0, "loses, not proven", False)
    text = ok("analyze", "quoridor", state.position, "--agent", "quoridor:nodes=60000,book=no", "--lines", "1")
    assert "win share 0.0% (0.1% to win): black loses, not proven" in text


def test_the_number_of_a_decided_position_survives_records_and_protocols(tmp_path: Path) -> None:
    record = play_game(new("connect4", "172737"), "alphabeta", "random")
    value = known(record.moves[0].info).value_for_mover
    assert value == 1e15 - 1
    (tmp_path / "game.pgn").write_text(write_record(record), encoding="utf-8")
    (read,) = read_records(tmp_path / "game.pgn")
    assert known(read.moves[0].info).value_for_mover == value
    assert "value win" in ok("replay", str(tmp_path / "game.pgn"))
    assert known(parse_info(info_line(SearchInfo(value), 0.0).split()[1:])).value_for_mover == value


@pytest.mark.parametrize("options", [{"lines": 0}, {"lines": -1}, {"seconds": 0}, {"seconds": -1.0}])
def test_an_analysis_without_lines_or_time_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match=r"must be (at least 1|above 0), not"):
        analyst("alphabeta").analyze(new("connect4"), **options)


def test_a_position_in_which_nobody_moves_is_said_to_be_so() -> None:
    for spec in SEARCHES:
        over = analyst(spec).analyze(new("connect4", "1122334"))
        assert (over.moves, over.pv, over.exact, over.verdict) == ((), (), True, "has lost")
        rolling = analyst(spec).analyze(new("dice").play("roll"))
        assert (rolling.moves, rolling.pv, rolling.exact, rolling.verdict) == ((), (), False, "is not to move")


def test_alphabeta_gives_as_many_exact_lines_as_asked() -> None:
    state = new("connect4", "4435")
    for lines in (1, 3, 7):
        analysis = analyst("alphabeta:nodes=0,depth=4").analyze(state, lines=lines)
        assert sum(len(judged.pv) > 1 for judged in analysis.moves) == lines
        values = [known(judged.value) for judged in analysis.moves[:lines]]
        assert values == sorted(values, reverse=True)


class EnoughError(Exception):
    pass


@pytest.mark.parametrize("spec", ["alphabeta", "mcts", "grave", "nested:level=1", "nrpa:level=4"])
def test_an_analysis_that_takes_time_is_told_as_it_grows(spec: str) -> None:
    seen: list[Analysis] = []

    def on_update(analysis: Analysis) -> None:
        assert analysis.moves
        seen.append(analysis)
        if len(seen) == 2:
            raise EnoughError

    with pytest.raises(EnoughError):
        analyst(spec).analyze(new("connect4"), seconds=3600, on_update=on_update)
    assert known(seen[1].nodes) > known(seen[0].nodes)


@pytest.mark.parametrize(
    ("spec", "game_name", "complaint"),
    [
        ("mcts:eval=center", "connect4", "unknown evaluation of connect4 'center'; did you mean 'centre'?"),
        ("alphabeta:eval=threat", "connect4", "unknown evaluation of connect4 'threat'; did you mean 'threats'?"),
        ("mcts:eval=x", "tictactoe", "unknown evaluation of tictactoe 'x'"),
        (
            "mcts:eval=nomodule:f",
            "connect4",
            "evaluation 'nomodule:f' could not be loaded: ModuleNotFoundError: No module named 'nomodule'",
        ),
        ("mcts:eval=math:sinh2", "connect4", "evaluation 'math:sinh2' could not be loaded: AttributeError: "),
        ("mcts:eval=math:pi", "connect4", "evaluation 'math:pi' is not a function"),
        ("mcts:generator=al", "connect4", "unknown move generator of connect4 'al'; did you mean 'all'?"),
        ("mcts:threads=2", "tictactoe", "tictactoe is written in Python, so it is searched by one thread"),
        ("alphabeta:threads=2", "tictactoe", "tictactoe is written in Python, so it is searched by one thread"),
        ("mcts:bonus=ucb", "connect4", "mcts: bonus must be one of ucb1, ucb1-tuned, ucb1-tuned-listed, puct, not"),
        ("mcts:iteration=5", "connect4", "mcts has no parameter 'iteration'; did you mean 'iterations'?"),
        ("mcts:threads=0", "connect4", "mcts: threads must be a whole number in 1..256, not 0"),
        ("nested:level=5", "connect4", "nested: level must be a whole number in 1..4, not 5"),
        ("connect4-mcts", "boxes", "agent 'connect4-mcts' does not play boxes; it plays connect4"),
    ],
)
def test_a_wrong_spec_gets_one_clear_sentence(spec: str, game_name: str, complaint: str) -> None:
    with pytest.raises(SpecError) as error:
        agent(spec, game=game_name)
    assert str(error.value).startswith(complaint)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("spec", ["mcts", "alphabeta", "nested", "rave"])
def test_a_clock_or_seconds_limit_a_search_that_has_no_other_limit(spec: str, game: str) -> None:
    state = new(game)
    player = analyst(spec, game=game)
    for clock in (Clock(remaining_s=0.6), Clock(move_limit_s=0.02), Clock(remaining_s=0.0)):
        assert player.choose(state, clock) in state.legal_moves
    assert player.analyze(state, seconds=0.02).moves


@pytest.mark.parametrize(
    ("spec", "count", "fallback"),
    [("mcts", "iterations", 10_000), ("alphabeta", "nodes", 100_000), ("nested", "iterations", 10_000)],
)
def test_the_limit_of_its_own_holds_only_where_nothing_else_limits_a_search(
    spec: str, count: str, fallback: int
) -> None:
    state = new("connect4")
    assert getattr(analyst(spec).analyze(state), count) == fallback
    longer = analyst(f"{spec}:{count}={3 * fallback}")
    assert getattr(longer.analyze(state), count) == 3 * fallback
    if spec == "alphabeta":
        assert analyst("alphabeta:depth=12").analyze(state, lines=1).depth == 12


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("alphabeta:deepening=no", "needs a depth, as in depth=4"),
        ("alphabeta:threads=2,table=off", "table=off allows only threads=1"),
        ("mcts:eval=centre", "eval is set, but unused"),
        ("mcts:expand_finished=yes", "expand_finished=yes needs solver=off"),
    ],
)
def test_settings_that_would_do_nothing_are_refused(spec: str, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        agent(spec, game="connect4")


def test_what_a_game_does_not_offer_is_refused_before_the_game() -> None:
    with pytest.raises(SpecError, match="boxes: tactics=fork does not work in this game"):
        play_game("boxes", "mcts:tactics=fork", "random")


def test_only_the_outcome_of_a_proven_position_is_exact_where_the_reward_is_the_margin() -> None:
    late = new("connect4", "6557565545443372322221121131")
    assert analyst("mcts", game="connect4").analyze(late).exact
    assert not analyst("mcts:reward=scaled,margin_scale=18", game="connect4").analyze(late).exact


def test_alphabeta_gives_no_number_to_moves_it_only_set_aside() -> None:
    analysis = analyst("alphabeta:depth=6", game="connect4").analyze(new("connect4"), lines=2)
    values = [judged.value for judged in analysis.moves]
    assert None not in values[:2]
    assert None in values[2:]


# --- Evaluations in Python ---

HEURISTIC = """
    calls = []

    def left(state, player):
        calls.append((type(state).__name__, player))
        return 5.0 if state.position.startswith("1") else 0.0

    def broken(state, player):
        raise ZeroDivisionError("no idea")
"""


@pytest.fixture
def heuristic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module in the current folder."""
    name = f"heuristic_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(dedent(HEURISTIC))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return name


def test_a_function_of_the_users_is_an_evaluation(heuristic: str) -> None:
    state = new("connect4")
    with pytest.warns(PythonEvaluationWarning, match=f"{heuristic}:left is called for every position"):
        player = agent(f"alphabeta:nodes=0,depth=2,eval={heuristic}:left", game="connect4")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert str(player.choose(state, Clock())) == "1"
        calls = sys.modules[heuristic].calls
        assert set(calls) == {("Connect4", 0)}  # positions of the class that is played, for the root player
        for spec in ("mcts:iterations=300,mix=1", "mcts:iterations=300,playout=eval,mix=0.9,epsilon=0"):
            player = agent(f"{spec},eval={heuristic}:left", game="connect4")
            assert str(player.choose(state, Clock())) == "1"
        tictactoe = new("tictactoe")
        player = agent(f"mcts:iterations=20,mix=0.5,eval={heuristic}:left", game="tictactoe")
        assert player.choose(tictactoe, Clock()) in tictactoe.legal_moves
        assert calls[-1][0] == "TicTacToe"


def test_an_evaluation_that_fails_is_the_agents_crash(heuristic: str) -> None:
    with pytest.warns(PythonEvaluationWarning):
        record = joute.play_game("connect4", f"alphabeta:eval={heuristic}:broken", "random", seed=1)
    assert record.reason.value == "crash"
    assert "ZeroDivisionError: no idea" in record.detail


def test_the_warning_about_an_evaluation_in_python_appears_once(heuristic: str, tmp_path: Path) -> None:
    code = dedent(f"""
        import joute
        for seed in range(2):
            player = joute.agent("mcts:iterations=5,mix=1,eval={heuristic}:left", game="connect4", seed=seed)
            for position in ("", "4", "44"):
                player.choose(joute.new("connect4", position), joute.Clock())
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stderr.count("PythonEvaluationWarning") == 1
    assert done.stdout == ""


def test_no_evaluation_may_be_asked_for_by_name() -> None:
    state = new("connect4")
    assert analyst("alphabeta:nodes=0,depth=3,eval=none").analyze(state).value == 0
    assert analyst("alphabeta:nodes=0,depth=3").analyze(state).value != 0
    with pytest.raises(joute.JouteError, match="need an evaluation, and none is set"):
        agent("mcts:mix=0.5,eval=none").choose(state, Clock())


# --- The agents of the Connect Four paper ---

PRESETS = ["connect4-mcts", "connect4-ucb1-tuned", "connect4-rave", "connect4-nrpa"]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The parameters with which the presets make their searches."""
    made: list[Any] = []
    for maker in ("mcts_agent", "nrpa_agent"):
        monkeypatch.setattr(
            f"joute.games.connect4.agents.paper.{maker}", lambda parameters, seed: made.append(parameters)
        )
    return made


def settings_of(made: list[Any], *names: str) -> tuple[Any, ...]:
    return tuple(getattr(made[-1], name) for name in names)


def test_the_faithful_agents_have_the_papers_errors_and_the_corrected_ones_not(asked: list[Any]) -> None:
    errors = ("credit", "expand_finished")
    plain = ("tactics", "solver", "decisive", "reuse", "final_move")
    for name in PRESETS[:3]:
        agent(name, game="connect4")
        assert settings_of(asked, *errors) == ("root", True)
        faithful_plain = settings_of(asked, *plain)
        agent(f"{name}:version=corrected", game="connect4")
        assert settings_of(asked, *errors) == ("mover", False)
        assert settings_of(asked, *plain) == ("none", "off", False, False, "visits")
        tactics = "win" if name == "connect4-rave" else "none"
        assert faithful_plain == (tactics, "off", False, False, "visits")


def test_the_papers_mcts_and_ucb1_tuned(asked: list[Any]) -> None:
    agent("connect4-mcts")
    assert settings_of(asked, "iterations", "bonus") == (1000, "ucb1")
    assert asked[-1].c == pytest.approx(1.41 * math.sqrt(2))
    agent("connect4-mcts:version=corrected,iterations=50")
    assert settings_of(asked, "iterations", "bonus", "c") == (50, "ucb1", math.sqrt(2))
    agent("connect4-ucb1-tuned")
    assert settings_of(asked, "iterations", "bonus", "c") == (1000, "ucb1-tuned-listed", 1.41)
    agent("connect4-ucb1-tuned:version=corrected")
    assert settings_of(asked, "iterations", "bonus", "c") == (1000, "ucb1-tuned", 1.0)


def test_the_papers_rave(asked: list[Any]) -> None:
    names = ("iterations", "amaf", "k", "c", "schedule", "amaf_key", "ref")
    agent("connect4-rave")
    assert settings_of(asked, *names) == (2000, True, 500.0, 1.41, "move", "move", 0.0)
    agent("connect4-rave:version=corrected,k=100")
    assert settings_of(asked, *names) == (2000, True, 100.0, 1.41, "position", "effect", 0.0)


def test_the_papers_nrpa(asked: list[Any]) -> None:
    names = ("level", "iterations", "lower_iterations", "alpha", "corrected", "key")
    agent("connect4-nrpa")
    assert settings_of(asked, *names) == (1, 10, 0, 0.5, False, "state")
    agent("connect4-nrpa:level=2")
    assert settings_of(asked, *names) == (2, 20, 0, 0.5, False, "state")
    agent("connect4-nrpa:level=2,lower_iterations=10")
    assert settings_of(asked, *names) == (2, 20, 10, 0.5, False, "state")
    agent("connect4-nrpa:level=2,iterations=7,version=corrected")
    assert settings_of(asked, *names) == (2, 7, 0, 0.5, True, "state")


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("version", ["faithful", "corrected"])
def test_both_versions_of_the_papers_agents_play(name: str, version: str) -> None:
    _, parameters = find_agent(f"{name}:version={version}", "connect4")
    assert parameters.is_faithful == (version == "faithful")
    record = joute.play_game("connect4", f"{name}:version={version},iterations=30", "random", seed=2)
    assert record.reason.value == "normal", record.detail


@pytest.mark.parametrize("name", PRESETS[:3])
def test_mending_the_errors_makes_the_agent_stronger(name: str) -> None:
    result = joute.play_match(
        "connect4", f"{name}:version=corrected,iterations=300", f"{name}:version=faithful,iterations=300", games=60
    )
    low, _ = result.interval
    assert low > 0.5
