"""Cgroups of agents, in a folder that looks like a cgroup tree: few machines let tests make real ones."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from joute.arena.players import cgroup
from joute.arena.players.cgroup import AgentGroup, can_limit, find_parent
from joute.arena.players.isolation import limits_in_words, limits_kind

OWN = "user.slice/app.slice/run-1.scope"


class Tree:
    """A cgroup tree, and the files of /proc/self that lead to it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.proc = folder / "cgroup", folder / "proc"
        self.proc.mkdir()
        for path in (self.root, self.root / "user.slice", self.root / "user.slice" / "app.slice", self.root / OWN):
            path.mkdir()
            (path / "cgroup.subtree_control").write_text("")
            (path / "cgroup.procs").write_text("")
        self.tell(f"0::/{OWN}\n")
        mounts = f"25 30 0:22 / /proc rw - proc proc rw\n35 30 0:30 / {self.root} rw shared:9 - cgroup2 cgroup2 rw\n"
        (self.proc / "mountinfo").write_text(mounts)

    def tell(self, own: str) -> None:
        (self.proc / "cgroup").write_text(own)

    def enable(self, path: str, controllers: str) -> None:
        (self.root / path / "cgroup.subtree_control").write_text(f"{controllers}\n")

    def parent(self) -> str:
        return find_parent(str(self.proc))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_agents_get_a_cgroup_beside_the_nearest_one_with_both_controllers(tree: Tree) -> None:
    assert tree.parent() == ""
    tree.enable("user.slice/app.slice", "cpu memory")
    assert tree.parent() == ""
    tree.enable("", "cpuset cpu io memory pids")
    assert tree.parent() == str(tree.root)
    tree.enable("user.slice/app.slice", "memory pids")
    assert tree.parent() == str(tree.root / "user.slice" / "app.slice")


def test_without_a_tree_of_version_2_there_is_no_cgroup(tree: Tree) -> None:
    tree.enable("", "memory pids")
    tree.tell("11:memory:/user\n1:name=systemd:/user\n")
    assert tree.parent() == ""
    tree.tell("0::/../../elsewhere\n")
    assert tree.parent() == ""
    tree.tell(f"0::/{OWN}\n")
    assert tree.parent() != ""
    (tree.proc / "mountinfo").write_text("25 30 0:22 / /proc rw - proc proc rw\n")
    assert tree.parent() == ""


@pytest.mark.parametrize("closed", ["cgroup.procs", ""])
def test_a_cgroup_that_this_user_may_not_change_is_not_used(
    tree: Tree, closed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.enable("", "memory pids")
    path = str(tree.root / closed)
    assert tree.parent() != ""
    monkeypatch.setattr(os, "access", lambda asked, _: asked != path)  # a mode would not stop root
    assert tree.parent() == ""


def kernel_makes_files(monkeypatch: pytest.MonkeyPatch, *, swap: bool = True) -> None:
    """Let a new folder have the files that the kernel makes in a cgroup."""
    files = ["memory.max", "pids.max", "memory.oom.group", "cgroup.procs", "cgroup.kill"]
    events = {"memory.events": "low 0\noom 0\noom_kill 0\noom_group_kill 0\n", "pids.events": "max 0\n"}

    make = os.mkdir

    def mkdir(path: str) -> None:
        make(path)
        for name in [*files, *(["memory.swap.max"] if swap else [])]:
            (Path(path) / name).touch()
        for name, text in events.items():
            (Path(path) / name).write_text(text)

    monkeypatch.setattr(os, "mkdir", mkdir)
    monkeypatch.setattr(os, "rmdir", _remove)


def _remove(path: str) -> None:
    """Remove a cgroup: the kernel's files do not keep the folder."""
    for name in os.listdir(path):
        os.unlink(os.path.join(path, name))
    subprocess.run(["rmdir", path], check=True)


@pytest.mark.parametrize("swap", [False, True])
def test_the_kernel_is_told_the_limits_and_who_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swap: bool
) -> None:
    kernel_makes_files(monkeypatch, swap=swap)
    group = AgentGroup(str(tmp_path), memory_mb=300, processes=8)
    folder = tmp_path / f"joute-agent-{os.getpid()}"
    group.enter()
    group.kill()
    told = {path.name: path.read_text() for path in folder.iterdir() if not path.name.endswith("events")}
    expected = {"memory.max": str(300 << 20), "pids.max": "8", "memory.oom.group": "1", "cgroup.procs": "0"}
    assert told == expected | {"cgroup.kill": "1"} | ({"memory.swap.max": "0"} if swap else {})
    assert group.excess() == ""
    (folder / "pids.events").write_text("max 3\n")
    assert group.excess() == "processes"
    (folder / "memory.events").write_text("low 0\noom 1\noom_kill 2\n")
    assert group.excess() == "memory"
    group.remove()
    assert not folder.exists()


def test_what_a_killed_supervisor_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone, alive = tmp_path / "joute-agent-99999999", tmp_path / f"joute-agent-{os.getppid()}"
    gone.mkdir()
    alive.mkdir()
    kernel_makes_files(monkeypatch)
    AgentGroup(str(tmp_path), memory_mb=300, processes=8)
    assert (gone.exists(), alive.exists()) == (False, True)


def test_a_cgroup_that_cannot_be_limited_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "find_parent", lambda: str(tmp_path))
    assert not can_limit()  # a plain folder has none of the files
    assert list(tmp_path.iterdir()) == []
    assert limits_kind() == "counted"
    kernel_makes_files(monkeypatch)
    assert can_limit()
    assert list(tmp_path.iterdir()) == []
    assert limits_kind() == "cgroup"
    assert limits_in_words("cgroup") != limits_in_words("counted")
