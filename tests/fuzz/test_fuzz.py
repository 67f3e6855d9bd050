"""Hostile input for every parser, as `make fuzz` does for longer: no traceback, no hang, no crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz_target import Target
from harness import CORPUS, fuzz, replay
from mutations import Mutator, minimised
from targets import all_targets

from joute.errors import JouteError

#: The processor time of a target here, after its corpus. `make fuzz SECONDS=3600` takes longer.
SECONDS = 0.05


@pytest.mark.parametrize("target", all_targets(), ids=lambda target: target.name)
def test_a_parser_takes_hostile_input(target: Target) -> None:
    outcome = fuzz(target, SECONDS, seed=0)
    assert outcome.inputs > 1
    assert not [(finding.kind, finding.detail, finding.data) for finding in outcome.findings]


def test_every_file_of_the_corpus_belongs_to_a_target() -> None:
    assert {folder.name for folder in CORPUS.iterdir()} <= {target.name for target in all_targets()}


# --- The fuzzer itself ---


def faulty(data: bytes, _: Path) -> None:
    """Fails in every way there is."""
    if b"raise" in data:
        raise KeyError("a bug")
    if b"loop" in data:
        while True:
            pass
    if b"crash" in data:
        import ctypes

        ctypes.string_at(0)
    if b"eat" in data:
        bytearray(1 << 32)
    if b"long" in data:
        raise JouteError("a" * 10_000)
    raise JouteError("a mistake")


@pytest.mark.parametrize(
    ("data", "kind", "smallest"),
    [
        (b"please raise it", "traceback", b"raise"),
        (b"it will eat all", "memory", b"eat"),
        (b"too long", "traceback", b"long"),
        (b"a crash now", "crash", b"crash"),
    ],
)
def test_a_failure_is_found_and_minimised(data: bytes, kind: str, smallest: bytes) -> None:
    outcome = fuzz(Target("faulty", faulty, lambda: [b"harmless", data]), 0.05, seed=1)
    found = {finding.kind: finding.data for finding in outcome.findings}
    assert smallest in found[kind]
    assert len(found[kind]) < len(data)


def test_a_hang_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.CPU_S", 0.2)
    (finding,) = replay(Target("faulty", faulty, lambda: [b"fine", b"loop"])).findings
    assert (finding.kind, finding.data) == ("hang", b"loop")


def test_the_same_seed_gives_the_same_inputs() -> None:
    import random

    first, second = (Mutator(random.Random(3), [b"mcts:iterations=10", b"4"], ["depth"]) for _ in range(2))
    drawn = [first.draw() for _ in range(200)]
    assert drawn == [second.draw() for _ in range(200)]
    assert len(set(drawn)) > 150


def test_an_input_is_minimised_to_what_fails() -> None:
    assert minimised(b"x" * 500 + b"ab" + b"y" * 500, lambda data: b"ab" in data, 5000) == b"ab"
