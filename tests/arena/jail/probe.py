"""Starts probes.py and needs.py in the sandbox, as the user who runs this, and prints what they and /proc tell: JSON.

    python probe.py SOURCES FOLDER

SOURCES is the folder of the package ``joute``, which is not imported as a whole: its native module may be built for
another Python than the one that an ordinary user can run. FOLDER is empty and belongs to this user.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import socket
import sys
import time
import types
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def main() -> None:
    """Prepare a neighbourhood that the jailed programs must not reach, and run them in it."""
    sources, folder = Path(sys.argv[1]), Path(sys.argv[2])
    _stand_in_for_joute(sources)
    agent, neighbour = folder / "agent", folder / "neighbour"
    (agent / "data").mkdir(parents=True)
    (agent / "data" / "private.txt").write_text("mine")
    (agent / "data" / "private.txt").chmod(0o600)
    (agent / "other.py").write_text("the best opening is 4")
    (agent / "link").symlink_to(folder / "neighbour" / "secret")
    (agent / ".git").mkdir()
    for name in ("probes.py", "needs.py"):
        shutil.copy(HERE / name, agent)
    agent.chmod(0o700)
    neighbour.mkdir()
    (neighbour / "secret").write_text("hunter2")
    os.environ["CLASS_SECRET"] = "hunter2"
    shared = Path("/dev/shm") / f"secret_of_probe_{os.getpid()}"
    with contextlib.ExitStack() as opened:
        opened.callback(shared.unlink, missing_ok=True)
        shared.write_text("hunter2")
        server = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
        abstract = opened.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0joute{os.getpid()}")
        named = opened.enter_context(socket.socket(socket.AF_UNIX))
        named.bind(str(folder / "socket"))
        for listener in (abstract, named):
            listener.listen()
        _add_key()
        facts = {
            "is_root": os.getuid() == 0,
            "pid": os.getpid(),
            "host": os.uname().nodename,
            "port": server.getsockname()[1],
            "abstract": f"joute{os.getpid()}",
            "socket": str(folder / "socket"),
            "neighbour": str(neighbour),
            "other_agent": str(agent / "other.py"),
            "shared_memory": str(shared),
        }
        told = {name: _run(agent, name, facts) for name in ("probes", "needs")}
    print(json.dumps(told | {"written": (agent / "written").exists()}))


def _stand_in_for_joute(sources: Path) -> None:
    """Make the modules in joute/arena/players importable without the native module, of which they need errors only."""
    package, core = types.ModuleType("joute"), types.ModuleType("joute._core")
    package.__path__ = [str(sources / "joute")]
    for name in ("JouteError", "IllegalMoveError", "NotationError"):
        setattr(core, name, type(name, (Exception,), {}))
    for name in ("class_name", "one_line"):
        setattr(core, name, str)
    sys.modules |= {"joute": package, "joute._core": core}


def _run(agent: Path, name: str, facts: dict[str, Any]) -> dict[str, Any]:
    """The output of a program, and the status of its process as /proc shows it outside."""
    from joute.arena.players.isolation import Isolation
    from joute.arena.players.process import AgentProcess
    from joute.arena.players.sandbox import View, check_sandbox

    check_sandbox()
    view = View(agent, [agent], [agent / "other.py"])
    command = [sys.executable, "-u", str(agent / f"{name}.py")]
    process = AgentProcess(command, Isolation(sandbox=True), view=view)
    until = time.perf_counter() + 60
    try:
        assert process.read_line(until) == "ready"
        status = _status(process._supervisor.pid)
        process.send(f"{json.dumps(facts)}\n")
        return {"told": json.loads(process.read_line(until) or "null"), "status": status}
    except EOFError:
        return {"error": process.error_text(), "end": process.end_in_words()}
    finally:
        process.kill()


def _status(supervisor: int) -> list[dict[str, str]]:
    """/proc/PID/status of all processes inside the sandbox, read from outside; the program is the last."""
    found = []
    todo = [supervisor]
    while todo:
        pid = todo.pop(0)
        todo += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        fields = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
        if len(fields["NSpid"].split()) > len(_own_field("NSpid").split()):
            found.append(fields)
    return found


def _own_field(name: str) -> str:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(line.partition(":")[2].strip() for line in lines if line.startswith(f"{name}:"))


def _add_key() -> None:
    """Add a key to the session keyring, which processes inherit. As in a login, the keyring is this user's own."""
    numbers = {"x86_64": (250, 248), "aarch64": (219, 217)}[os.uname().machine]
    libc = ctypes.CDLL(None)
    libc.syscall(numbers[0], 1, None)
    libc.syscall(numbers[1], b"user", b"joute-secret", b"hunter2", ctypes.c_long(7), ctypes.c_long(-3))


if __name__ == "__main__":
    main()
