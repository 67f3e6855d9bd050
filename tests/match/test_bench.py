"""The searches do what they did: their signatures are those on record."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from commands import joute, ok

from joute.agents import find_agent
from joute.games import new
from joute.match.signature import GAME, POSITIONS, SEARCHES, SearchBench, bench_search, total_signature
from joute.spec import parse_spec

RECORD = Path(__file__).parent / "signatures.toml"
RECORDED = tomllib.loads(RECORD.read_text())


@pytest.fixture(scope="module")
def benches() -> dict[str, SearchBench]:
    return {name: bench_search(name, spec) for name, spec in SEARCHES.items()}


def test_the_searches_behave_as_recorded(benches: dict[str, SearchBench]) -> None:
    signatures = {name: bench.signature for name, bench in benches.items()}
    names = sorted(signatures.keys() | RECORDED["searches"].keys())
    changed = [name for name in names if signatures.get(name) != RECORDED["searches"].get(name)]
    lines = "\n".join(f'{name} = "{signatures[name]}"' for name in changed if name in signatures)
    total = total_signature(benches.values())
    assert not changed, (
        f"these searches behave differently: {', '.join(changed)}. If that is what you wanted, restate them with "
        f"`joute bench --json` in tests/match/{RECORD.name} and say why in the commit:\n"
        f'total = "{total}"\n{lines}'
    )
    assert total == RECORDED["total"]


def test_another_process_finds_the_same_signatures(benches: dict[str, SearchBench]) -> None:
    command = [sys.executable, "-m", "joute", "bench", "--json"]
    data = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout)
    assert data["signature"] == total_signature(benches.values())
    for name, bench in benches.items():
        found = data["searches"][name]
        assert (found["spec"], found["signature"]) == (bench.spec, bench.signature)
        assert (found["nodes"], found["iterations"]) == (bench.nodes, bench.iterations)


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
def test_a_small_change_of_a_search_changes_its_signature_and_no_other(
    name: str, setting: str, changed: str, benches: dict[str, SearchBench]
) -> None:
    spec = SEARCHES[name].replace(setting, changed)
    assert spec != SEARCHES[name]
    altered = bench_search(name, spec)
    assert altered.signature != benches[name].signature
    assert total_signature((benches | {name: altered}).values()) != total_signature(benches.values())
    other = "uct" if name != "uct" else "lgrf"
    assert bench_search(other, SEARCHES[other]).signature == benches[other].signature


def test_every_search_has_a_signature_of_its_own(benches: dict[str, SearchBench]) -> None:
    assert len({bench.signature for bench in benches.values()}) == len(benches)


@pytest.mark.parametrize("spec", SEARCHES.values(), ids=SEARCHES.keys())
def test_specs_name_every_parameter_so_that_no_default_changes_a_signature(spec: str) -> None:
    agent_type, _ = find_agent(spec, GAME)
    unnamed = {parameter.name for parameter in agent_type.described_parameters} - parse_spec(spec)[1].keys()
    assert not unnamed, f"give {', '.join(sorted(unnamed))} a value in src/joute/match/signature.py"


def test_positions_differ_and_leave_something_to_search() -> None:
    states = [new(GAME, position) for position in POSITIONS]
    assert len({state.key for state in states}) == len(states) >= 12
    assert not any(state.is_terminal or state.winning_moves for state in states)


def test_the_table_ends_with_the_total_signature(
    benches: dict[str, SearchBench], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joute.match.signature.bench_search", lambda name, _: benches[name])
    lines = ok("bench").strip().splitlines()
    assert lines[-1].endswith(f"signature {RECORDED['total']}")
    for name in SEARCHES:
        assert any(line.split()[:2] == [name, str(len(POSITIONS))] for line in lines)


def test_one_search_can_be_run_alone() -> None:
    text = ok("bench", "--search", "nested")
    assert RECORDED["searches"]["nested"] in text
    assert "uct" not in text
    data = json.loads(ok("bench", "--search", "nested", "--json"))
    assert list(data["searches"]) == ["nested"]
    assert "signature" not in data


def test_an_unknown_search_costs_one_sentence_with_the_nearest_name() -> None:
    done = joute("bench", "--search", "graev")
    assert done.returncode == 2
    assert done.stderr == "joute: unknown search of the benchmark 'graev'; did you mean 'grave'?\n"
