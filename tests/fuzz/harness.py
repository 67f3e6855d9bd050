"""Runs targets in child processes with limits, so that a crash, a hang or a flood of memory is a finding and no end.

The parent imports everything once and forks a child for each target. The child writes each input into shared memory
before it runs it. When the child dies, or uses too much time for one input, the parent knows the input that did it.

The parent must not have threads of the core or of PyTorch: the child lacks them, and hangs when it waits for one.
"""

from __future__ import annotations

import errno
import faulthandler
import hashlib
import json
import mmap
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fuzz_target import Target
from mutations import Mutator, minimised

from joute.errors import JouteError

CORPUS = Path(__file__).parent / "corpus"

#: The most processor time of one input, and the most time: a parser that waits for something hangs too.
CPU_S, WALL_S = 5.0, 60.0
#: The memory that one target may take besides what the parent has.
MEMORY_MB = 1024
#: The longest message: what explains an error, and quotations of the input.
LONGEST_MESSAGE = 4000

# Shared memory: the number of inputs so far, the length of the current one, and its bytes.
_HEAD, _MOST_BYTES = 16, 1 << 20
_TICKS = os.sysconf("SC_CLK_TCK")
# Attempts to minimise an input. A hang takes seconds to show.
_TRIES, _TRIES_IN_CHILDREN = 2000, 12


@dataclass(frozen=True)
class Finding:
    """An input that a target did not survive, and how it failed: `kind` is traceback, crash, hang or memory."""

    target: str
    kind: str
    detail: str
    data: bytes


@dataclass
class Outcome:
    """The result of fuzzing one target."""

    target: str
    inputs: int = 0
    findings: list[Finding] = field(default_factory=list)

    def count(self, *kinds: str) -> int:
        """The number of findings of these kinds."""
        return sum(finding.kind in kinds for finding in self.findings)


def seeds_of(target: Target) -> list[bytes]:
    """The seeds of a target: its own, and the files of its corpus."""
    return [*target.seeds(), *(path.read_bytes() for path in sorted((CORPUS / target.name).glob("*")))]


def fuzz(target: Target, seconds: float, seed: int) -> Outcome:
    """Run all seeds of a target, then mutations of them for `seconds` of processor time."""
    outcome = Outcome(target.name)
    seeds = seeds_of(target)
    spent, known = 0.0, set[str]()
    for attempt in range(20):  # after a crash or a hang, the rest of the time with other inputs
        begun = time.monotonic()
        first = seeds if attempt == 0 else []
        draw = _draw(target, seeds, random.Random(f"{target.name} {seed} {attempt}"))
        inputs, findings, used = _run_in_child(target, first, draw, seconds - spent, known)
        outcome.inputs += inputs
        for finding in findings:
            known.add(finding.detail)
            outcome.findings.append(finding)
        spent += max(used, 0.2 * (time.monotonic() - begun))
        if spent >= seconds or not any(finding.kind in ("crash", "hang") for finding in findings):
            break
    return outcome


def replay(target: Target) -> Outcome:
    """Run only the seeds of a target."""
    inputs, findings, _ = _run_in_child(target, seeds_of(target), None, 0, set())
    return Outcome(target.name, inputs, findings)


def keep(finding: Finding) -> Path:
    """Write the input of a finding to the corpus; returns the file."""
    folder = CORPUS / finding.target
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"found-{hashlib.sha256(finding.data).hexdigest()[:12]}"
    path.write_bytes(finding.data)
    return path


def _draw(target: Target, seeds: Sequence[bytes], rng: random.Random) -> Callable[[], bytes]:
    mutator = Mutator(rng, seeds, target.words)

    def draw() -> bytes:
        if target.mutate and rng.random() < 0.5:
            return target.mutate(rng.choice(seeds), rng)
        return mutator.draw()

    return draw


def judged(target: Target, data: bytes, folder: Path) -> tuple[str, str] | None:
    """Run an input; returns the kind and the place of a failure, or None."""
    try:
        target.run(data, folder)
    except JouteError as error:
        if len(str(error)) > LONGEST_MESSAGE + 2 * len(data):
            return "traceback", f"a message of {len(str(error))} characters by {_place(error)}"
    except OSError as error:
        # The command line reports it as one sentence; a name of 5,000 characters is nothing else than a mistake.
        if error.errno != errno.ENAMETOOLONG:
            return "traceback", f"{error!r:.60} in {_place(error)}"
    except MemoryError as error:
        return "memory", f"MemoryError in {_place(error)}"
    except Exception as error:
        return "traceback", f"{type(error).__name__} in {_place(error)}"
    return None


def _place(error: BaseException) -> str:
    """The lines of Joute's in a traceback, innermost last."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/joute/" in frame.filename]
    return " > ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[-3:])


def _run_in_child(
    target: Target, first: Sequence[bytes], draw: Callable[[], bytes] | None, seconds: float, known: set[str]
) -> tuple[int, list[Finding], float]:
    """Run inputs in a forked child; returns their number, the findings and the child's processor time."""
    shared = mmap.mmap(-1, _HEAD + _MOST_BYTES)
    report, folder = Path(tempfile.mkstemp(prefix="joute-fuzz-")[1]), Path(tempfile.mkdtemp(prefix="joute-fuzz-"))
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        try:
            faulthandler.disable()  # the parent reports a crash; pytest would print a traceback of it here
            _limit_memory()
            _work(target, first, draw, seconds, known, shared, report, folder)
        except BaseException:
            traceback.print_exc()
            os._exit(99)
        os._exit(0)
    try:
        status, used, killed = _watched(child, shared)
        findings = [
            Finding(target.name, kind, detail, bytes.fromhex(data))
            for kind, detail, data in map(json.loads, report.read_text().splitlines())
        ]
        if killed or status:
            data = _current(shared)
            kind = "hang" if killed else "crash"
            detail = killed or f"ended with {signal.strsignal(status & 127) if status & 127 else status >> 8}"
            findings.append(Finding(target.name, kind, detail, _smaller(target, data, kind) if draw else data))
        return int.from_bytes(shared[:8], "little"), findings, used
    finally:
        report.unlink()
        shutil.rmtree(folder, ignore_errors=True)


def _smaller(target: Target, data: bytes, kind: str) -> bytes:
    """A shorter input that crashes or hangs too, each tried in a child of its own."""

    def still_fails(shorter: bytes) -> bool:
        _, findings, _ = _run_in_child(target, [shorter], None, 0, set())
        return any(finding.kind == kind for finding in findings)

    return minimised(data, still_fails, _TRIES_IN_CHILDREN)


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + (MEMORY_MB << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _work(
    target: Target,
    first: Sequence[bytes],
    draw: Callable[[], bytes] | None,
    seconds: float,
    known: set[str],
    shared: mmap.mmap,
    report: Path,
    folder: Path,
) -> None:
    """The child: run the first inputs, then drawn ones until its time is over. Findings go to the report."""
    count = 0
    seen = set(known)

    def tried(data: bytes) -> tuple[str, str] | None:
        nonlocal count
        count += 1
        data = data[:_MOST_BYTES]
        shared[8:_HEAD] = len(data).to_bytes(8, "little")
        shared[_HEAD : _HEAD + len(data)] = data
        shared[:8] = count.to_bytes(8, "little")
        return judged(target, data, folder)

    with report.open("w") as file:
        for data in first:
            _note(file.write, tried(data), data, seen, tried if draw else None)
            file.flush()
        begun = time.process_time()
        while draw and time.process_time() - begun < seconds:
            data = draw()
            _note(file.write, tried(data), data, seen, tried)
            file.flush()


def _note(
    write: Callable[[str], object],
    failure: tuple[str, str] | None,
    data: bytes,
    seen: set[str],
    tried: Callable[[bytes], tuple[str, str] | None] | None,
) -> None:
    """Write a failure to the report, once for each place in the code, with the smallest input that reaches it."""
    if failure is None or failure[1] in seen:
        return
    seen.add(failure[1])
    if tried:
        data = minimised(data, lambda shorter: tried(shorter) == failure, _TRIES)
    write(json.dumps([*failure, data.hex()]) + "\n")


def _current(shared: mmap.mmap) -> bytes:
    length = int.from_bytes(shared[8:_HEAD], "little")
    return shared[_HEAD : _HEAD + length]


def _watched(child: int, shared: mmap.mmap) -> tuple[int, float, str]:
    """Wait for a child; returns its status, its processor time, and why it was killed ("" if it was not)."""
    last, since, used_then = -1, time.monotonic(), 0.0
    while True:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            return status, usage.ru_utime + usage.ru_stime, ""
        number, used = int.from_bytes(shared[:8], "little"), _cpu_s(child)
        if number != last:
            last, since, used_then = number, time.monotonic(), used
        why = ""
        if used - used_then > CPU_S:
            why = f"takes more than {CPU_S:.0f} s of processor time"
        elif time.monotonic() - since > WALL_S:
            why = f"takes more than {WALL_S:.0f} s"
        if why:
            os.kill(child, signal.SIGKILL)
            _, status, usage = os.wait4(child, 0)
            return status, usage.ru_utime + usage.ru_stime, why
        time.sleep(0.02)


def _cpu_s(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS
