"""The searches of every game do what they did: their signatures are those on record."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
from commands import joute, ok

from joute.agents import agent_types, find_agent
from joute.games import new
from joute.match.signature import Bench, SearchBench, bench_names, bench_search, find_bench, total_signature
from joute.plugins import all_rooms
from joute.spec import parse_spec

RECORD = Path(__file__).parent / "signatures.toml"
RECORDED = tomllib.loads(RECORD.read_text())
GAMES = bench_names()
#: The bench with a search for every option of the searches that play all games.
OPTIONS = find_bench("connect4")
#: What a network says differs in the last digits from processor to processor, so its search has no signature.
#: OpenSpiel's bots are not ours.
#: A level is a search of the bench with data: the fingerprint in its file stands for the search (tests/fits).
WITHOUT_SIGNATURE = {"alphazero", "level", "openspiel-bot", "vamperouge"}


@cache
def benched(game: str, name: str) -> SearchBench:
    return bench_search(find_bench(game), name)


def found() -> dict[str, Bench]:
    return {game: find_bench(game) for game in GAMES}


def test_the_searches_behave_as_recorded() -> None:
    benches = {f"{game}.{name}": benched(game, name) for game, bench in found().items() for name in bench.searches}
    signatures = {name: bench.signature for name, bench in benches.items()}
    total = total_signature(benches.values())
    recorded = {f"{game}.{name}": text for game, of in RECORDED["games"].items() for name, text in of.items()}
    changed = [name for name in sorted({*signatures, *recorded}) if signatures.get(name) != recorded.get(name)]
    lines = "\n".join(f'{name} = "{signatures[name]}"' for name in changed if name in signatures)
    assert not changed, (
        f"these searches behave differently: {', '.join(changed)}. If that is what you wanted, restate them with "
        f"`joute bench --json` in tests/match/{RECORD.name} and say why in the commit:\n"
        f'total = "{total}"\n{lines}'
    )
    assert total == RECORDED["total"]


def test_every_game_of_ours_has_a_bench() -> None:
    ours = {name for name, room in all_rooms().items() if room.package.startswith("joute.")}
    assert ours
    assert not ours - set(GAMES), "give each of them a bench.py, its signatures a place in signatures.toml"


def test_every_agent_is_in_the_bench_of_each_game_it_was_made_for_and_the_others_in_every_bench() -> None:
    for game, bench in found().items():
        covered = {parse_spec(spec)[0] for spec in bench.searches.values()}
        if bench is OPTIONS:  # where options of `mcts` stand for the agents that vary them
            covered |= {"ucb1-tuned", "rave", "grave"}
        missing = {kind.name for kind in agent_types(game)} - covered - WITHOUT_SIGNATURE
        assert not missing, f"add {', '.join(sorted(missing))} to the bench of {game}"


def test_another_process_finds_the_same_signatures() -> None:
    game = "avalam"
    command = [sys.executable, "-m", "joute", "bench", "--game", game, "--json"]
    data = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout)
    assert set(data["games"][game]["searches"]) == set(find_bench(game).searches)
    for name, told in data["games"][game]["searches"].items():
        bench = benched(game, name)
        assert (told["spec"], told["signature"]) == (bench.spec, bench.signature)
        assert (told["nodes"], told["iterations"]) == (bench.nodes, bench.iterations)


@pytest.mark.parametrize(
    ("name", "setting", "changed"),
    [
        ("uct", "c=1", "c=1.01"),
        ("uct", "iterations=10000", "iterations=9999"),
        ("grave", "ref=50", "ref=51"),
        ("mast", "epsilon=0.1", "epsilon=0.11"),
        ("alphabeta", "killers=yes", "killers=no"),
        ("alphabeta-threats", "quiescence=8", "quiescence=2"),
        ("nrpa-corrected", "alpha=1", "alpha=1.01"),
        ("nested", "discount=0.99", "discount=0.98"),
        ("connect4-rave", "k=500", "k=501"),
    ],
)
def test_a_small_change_of_a_search_changes_its_signature_and_no_other(name: str, setting: str, changed: str) -> None:
    spec = OPTIONS.searches[name].replace(setting, changed)
    assert spec != OPTIONS.searches[name]
    known = benched(OPTIONS.game, name)
    altered = bench_search(OPTIONS, name, spec)
    assert altered.signature != known.signature
    other = benched(OPTIONS.game, "uct" if name != "uct" else "lgrf")
    assert total_signature([altered, other]) != total_signature([known, other])
    assert bench_search(OPTIONS, other.name).signature == other.signature


@pytest.mark.parametrize(
    ("of", "name", "setting", "changed"),
    [
        ("avalam", "engine", "nodes=30000", "nodes=29999,solve_share=0.1"),
        ("divercite", "v3-corrected", "depth=3", "depth=2"),
        ("quoridor", "engine", "nodes=20000", "nodes=20000,reductions=0.6"),
        ("vampires", "langorou-corrected", "nodes=5000", "nodes=5000,battles=0.1"),
    ],
)
def test_a_small_change_of_an_engine_changes_its_signature(of: str, name: str, setting: str, changed: str) -> None:
    bench = find_bench(of)
    spec = bench.searches[name].replace(setting, changed)
    assert bench_search(bench, name, spec).signature != benched(of, name).signature


def test_every_option_changes_the_signature() -> None:
    recorded = RECORDED["games"][OPTIONS.game]
    assert set(recorded) == set(OPTIONS.searches)
    assert len(set(recorded.values())) == len(recorded)


@pytest.mark.parametrize("name", [name for name, spec in OPTIONS.searches.items() if len(spec) > 60])
def test_specs_name_every_parameter_so_that_no_default_changes_a_signature(name: str) -> None:
    spec = OPTIONS.searches[name]
    agent_type, _ = find_agent(spec, OPTIONS.game)
    unnamed = {parameter.name for parameter in agent_type.described_parameters} - parse_spec(spec)[1].keys()
    assert not unnamed, f"give {', '.join(sorted(unnamed))} a value in src/joute/games/connect4/bench.py"


@pytest.mark.parametrize("bench", found().values(), ids=GAMES)
def test_positions_differ_and_leave_something_to_search(bench: Bench) -> None:
    states = [new(bench.game, position) for position in bench.positions]
    assert len({state.key for state in states}) == len(states) >= (12 if bench is OPTIONS else 4)
    assert not any(state.is_terminal or state.winning_moves for state in states)


def test_the_table_ends_with_the_total_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joute.match.signature.bench_search", lambda bench, name: benched(bench.game, name))
    lines = ok("bench").strip().splitlines()
    assert lines[-1].endswith(f"signature {RECORDED['total']}")
    for game, bench in found().items():
        for name in bench.searches:
            assert any(line.split()[:3] == [game, name, str(len(bench.positions))] for line in lines)


def test_one_game_and_one_search_can_be_run_alone() -> None:
    text = ok("bench", "--search", "nested")
    assert all(RECORDED["games"][game]["nested"] in text for game in GAMES)
    assert "uct" not in text
    data = json.loads(ok("bench", "--game", "quoridor", "--search", "nested", "--json"))
    assert {game: list(told["searches"]) for game, told in data["games"].items()} == {"quoridor": ["nested"]}
    assert "signature" not in data


def test_an_unknown_search_gives_one_clear_error_with_the_nearest_name() -> None:
    done = joute("bench", "--search", "graev")
    assert done.returncode == 2
    assert done.stderr == "joute: unknown search of the benchmark 'graev'; did you mean 'grave'?\n"
