"""A real Ray cluster of several nodes on this machine, and ``joute`` on it in a process that can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

PATIENCE_S = 300

#: Ray reads them when it is imported, here and in the commands.
ENVIRONMENT = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "f" * 64, "RAY_USAGE_STATS_ENABLED": "0"}


class RayCluster:
    """A head without cores, and nodes."""

    def __init__(self, nodes: int, cores: int = 1) -> None:
        from ray.cluster_utils import Cluster

        self._cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        self._cores = cores
        self._nodes = [self.add() for _ in range(nodes)]

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def add(self) -> Any:
        return self._cluster.add_node(num_cpus=self._cores)

    def kill(self, index: int) -> None:
        """End all processes of a node by SIGKILL, as if its machine had lost its power."""
        (raylet,) = self._nodes[index].all_processes["raylet"]
        for process in [raylet.process.pid, *descendants(raylet.process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def shutdown(self) -> None:
        self._cluster.shutdown()

    def start(self, *words: str, cwd: Path | None = None) -> subprocess.Popen[str]:
        """A command of joute on the cluster."""
        command = [sys.executable, "-P", "-m", "joute", *words, "--ray", self.address]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=cwd)

    def run(self, *words: str, cwd: Path | None = None) -> str:
        """The output of a command that succeeds."""
        process = self.start(*words, cwd=cwd)
        output, errors = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, f"{output}{errors}"
        return output


@contextmanager
def ray_cluster(nodes: int, cores: int = 1) -> Iterator[RayCluster]:
    """A cluster that asks for a token; skips where Ray is not installed."""
    before = dict(os.environ)
    os.environ.update(ENVIRONMENT)
    try:
        pytest.importorskip("ray")
        cluster = RayCluster(nodes, cores)
        try:
            yield cluster
        finally:
            cluster.shutdown()
    finally:
        os.environ.clear()
        os.environ.update(before)


def descendants(process: int) -> list[int]:
    """The processes below a process."""
    found = []
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, children.read_text().split()):
                found += [child, *descendants(child)]
    return found


def until(condition: Any, process: subprocess.Popen[str] | None = None) -> None:
    """Wait for a condition; a process that ends before fails the test."""
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert process is None or process.poll() is None, "".join(map(str, process.communicate()))
        assert time.monotonic() < end_s
        time.sleep(0.05)


def kill(process: subprocess.Popen[str]) -> None:
    """End a process by SIGKILL."""
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE_S)
