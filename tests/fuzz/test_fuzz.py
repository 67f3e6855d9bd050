"""Hostile input for every parser, as `make fuzz` does for longer: no traceback, no hang, no crash."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from fuzz_target import Target
from harness import CORPUS, Outcome, fuzz, replay
from mutations import Mutator, minimised
from targets import all_targets

from joute.errors import JouteError
from joute.example import GAME
from joute.games import new

#: The processor time of a target here, after its corpus. `make fuzz SECONDS=3600` takes longer.
SECONDS = 0.05


def new_process() -> ProcessPoolExecutor:
    """A new process for the harness, which forks. A fork of this process would lack the threads of earlier tests."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


@pytest.fixture(scope="module")
def apart() -> Iterator[ProcessPoolExecutor]:
    with new_process() as process:
        yield process


def fuzzed(name: str) -> Outcome:
    return fuzz(next(target for target in all_targets() if target.name == name), SECONDS, seed=0)


@pytest.mark.parametrize("name", [target.name for target in all_targets()])
def test_a_parser_takes_hostile_input(name: str, apart: ProcessPoolExecutor) -> None:
    outcome = apart.submit(fuzzed, name).result()
    assert outcome.inputs > 1
    assert not [(finding.kind, finding.detail, finding.data) for finding in outcome.findings]


def test_every_file_of_the_corpus_belongs_to_a_target() -> None:
    assert {folder.name for folder in CORPUS.iterdir()} <= {target.name for target in all_targets()}


# --- The fuzzer itself ---


def seeds(*inputs: bytes) -> Sequence[bytes]:
    return inputs


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
def test_a_failure_is_found_and_minimised(data: bytes, kind: str, smallest: bytes, apart: ProcessPoolExecutor) -> None:
    target = Target("faulty", faulty, partial(seeds, b"harmless", data))
    outcome = apart.submit(fuzz, target, 0.05, seed=1).result()
    found = {finding.kind: finding.data for finding in outcome.findings}
    assert smallest in found[kind]
    assert len(found[kind]) < len(data)


@mock.patch("harness.CPU_S", 0.2)
def impatient(target: Target) -> Outcome:
    return replay(target)


def test_a_hang_is_found(apart: ProcessPoolExecutor) -> None:
    (finding,) = apart.submit(impatient, Target("faulty", faulty, partial(seeds, b"fine", b"loop"))).result().findings
    assert (finding.kind, finding.data) == ("hang", b"loop")


def collects(_: bytes, __: Path) -> None:
    gc.collect()


def test_the_fuzzer_does_not_wait_for_threads_of_the_tests() -> None:
    gc.disable()
    try:
        garbage: list[Any] = [type(new(GAME)).replay_window(1, threads=2)]  # type: ignore[attr-defined]
        garbage.append(garbage)
        del garbage  # to end its threads, a fork of this process would wait forever
        with new_process() as process:
            outcome = process.submit(replay, Target("collects", collects, partial(seeds, b""))).result()
    finally:
        gc.enable()
    assert (outcome.inputs, outcome.findings) == (1, [])


def test_the_same_seed_gives_the_same_inputs() -> None:
    import random

    first, second = (Mutator(random.Random(3), [b"mcts:iterations=10", b"4"], ["depth"]) for _ in range(2))
    drawn = [first.draw() for _ in range(200)]
    assert drawn == [second.draw() for _ in range(200)]
    assert len(set(drawn)) > 150


def test_an_input_is_minimised_to_what_fails() -> None:
    assert minimised(b"x" * 500 + b"ab" + b"y" * 500, lambda data: b"ab" in data, 5000) == b"ab"
