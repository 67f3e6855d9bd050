"""A real Ray cluster of several nodes on this machine: games, kills, resumption, shipped files, the sandbox."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ray_cluster import PATIENCE_S, RayCluster, kill, ray_cluster, until
from test_resume import complaints, stored_games
from test_tournament import essence, played, table

from joute.arena.node_rows import node_rows
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament

pytestmark = pytest.mark.slow

# Games of a pairing, of three: enough that a node that starts late plays before the last ones begin.
GAMES = 30

# Plays from a book in a file beside it, which a node has only if it came with the agent.
ANNA = """
import random
from book import FIRST

class Anna:
    def choose(self, state, clock):
        return FIRST if state.is_legal(FIRST) else random.choice(state.legal_moves)
"""

# Plays only if it is in a jail.
SUSPICIOUS = """
import os, socket
from pathlib import Path

class Prisoner:
    def choose(self, state, clock):
        assert not [name for name in os.environ if name.startswith("RAY_")], "the token"
        assert not Path(SECRET).exists(), "the files of the user"
        assert len([name for name in os.listdir("/proc") if name.isdecimal()]) < 20, "other processes"
        with socket.socket() as outside:
            try:
                outside.connect((HOST, PORT))
            except OSError:
                return state.legal_moves[0]
        raise AssertionError("the network")
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    with ray_cluster(3) as cluster:
        yield cluster


@pytest.fixture
def agents(tmp_path: Path) -> tuple[str, ...]:
    folder = tmp_path / "anna"
    folder.mkdir()
    (folder / "agent.py").write_text(ANNA)
    (folder / "book.py").write_text("FIRST = '4'\n")
    return "mcts:iterations=5000", "alphabeta:nodes=50000", str(folder / "agent.py")


def words(agents: tuple[str, ...], path: Path, games: int) -> tuple[str, ...]:
    return ("tournament", "connect4", *agents, "--games", str(games), "--seed", "7", "--db", str(path))


def test_a_tournament_survives_the_death_of_its_driver_and_of_a_node(
    tmp_path: Path, cluster: RayCluster, agents: tuple[str, ...]
) -> None:
    alone, path = tmp_path / "alone.db", tmp_path / "cluster.db"
    undisturbed = played(alone, agents, games=GAMES, seed=7)
    driver = cluster.start(*words(agents, path, GAMES))
    until(lambda: stored_games(path) >= 5, driver)
    kill(driver)
    before = stored_games(path)
    assert before < 3 * GAMES
    driver = cluster.start("tournament", "--resume", "--db", str(path))
    until(lambda: busy_nodes(path, session=2) == 3, driver)
    cluster.kill(0)  # it has games, without which the tournament does not end
    output, errors = driver.communicate(timeout=PATIENCE_S)
    assert (driver.returncode, complaints(errors)) == (0, []), output
    assert f"{3 * GAMES - before} games in " in output
    assert essence(path) == essence(alone)
    with Tournament.resume(path) as finished:
        assert table(finished) == table(undisturbed)
    with Store.read(path) as store:
        rows = node_rows(store.nodes())
    assert sum(row.games for row in rows) == 3 * GAMES
    assert sum(row.failures for row in rows) >= 1
    assert sum(row.games_lost for row in rows) >= 1


def busy_nodes(path: Path, *, session: int) -> int:
    """How many nodes have played games in a session of a tournament."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        found = connection.execute("SELECT count(DISTINCT node) FROM games WHERE session = ?", (session,)).fetchone()
    connection.close()
    return int(found[0])


def test_the_sandbox_holds_on_nodes(tmp_path: Path, cluster: RayCluster, jail: None) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    host, _, port = cluster.address.rpartition(":")
    folder = tmp_path / "agents"
    folder.mkdir()
    text = SUSPICIOUS.replace("SECRET", repr(str(secret))).replace("HOST", repr(host)).replace("PORT", port)
    (folder / "prisoner.py").write_text(text)
    path = tmp_path / "jail.db"
    cluster.run("tournament", "connect4", str(folder / "prisoner.py"), "greedy", "--sandbox", "--db", str(path))
    with Store.read(path) as store:
        records = list(store.records())
    assert [record.detail for record in records] == ["", ""]
    assert {record.isolation for record in records} == {("sandbox", "worker"), ("worker", "sandbox")}


def test_a_match_and_a_sweep_on_a_cluster_have_the_results_of_one_machine(tmp_path: Path, cluster: RayCluster) -> None:
    match = ("match", "connect4", "mcts:iterations=50", "greedy", "--games", "20", "--json")
    alone = json.loads(subprocess.run([sys.executable, "-m", "joute", *match], capture_output=True, check=True).stdout)
    together = json.loads(cluster.run(*match))
    assert {key: value for key, value in together.items() if key in ("wins", "draws", "losses", "elo")} == {
        key: value for key, value in alone.items() if key in ("wins", "draws", "losses", "elo")
    }
    assert sum(node["games"] for node in together["nodes"]) == 20
    sweep = ("sweep", "connect4", "mcts:iterations={10,20}", "--against", "random", "--games", "4", "--json")
    swept = json.loads(cluster.run(*sweep, "--db", str(tmp_path / "s.db"), cwd=tmp_path))
    assert sum(node["games"] for node in swept["nodes"]) == 8


def test_the_ladder_of_a_folder_is_played_on_a_cluster(tmp_path: Path, cluster: RayCluster) -> None:
    (tmp_path / "students").mkdir()
    (tmp_path / "students" / "anna.py").write_text("def choose(state, clock): return state.legal_moves[0]\n")
    words = ("connect4", "greedy", "--watch", "students", "--db", "ladder.db", "--games", "20", "--once")
    output = cluster.run("tournament", *words, cwd=tmp_path)
    assert "anna joins" in output
    assert f"--ray {cluster.address}" in output.splitlines()[-1]
    with Store.read(tmp_path / "ladder.db") as store:
        assert sum(node.games for node in store.nodes()) == 20


def test_the_status_of_a_cluster_tells_which_machines_play(cluster: RayCluster) -> None:
    command = [sys.executable, "-m", "joute", "cluster", "status", cluster.address, "--json", "--measure", "connect4"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    nodes = json.loads(done.stdout)
    assert [(node["cores"], node["can_play"], node["problem"]) for node in nodes] == [(1, True, "")] * len(nodes)
    assert len(nodes) >= 2
    assert all(node["speed"] > 0 for node in nodes)


def test_a_stranger_without_the_token_is_refused(tmp_path: Path, cluster: RayCluster) -> None:
    match = ["match", "connect4", "random", "random", "--games", "2", "--ray"]
    for address, mode in (("local", "disabled"), (cluster.address, "token")):
        environment = {**os.environ, "RAY_AUTH_MODE": mode, "RAY_AUTH_TOKEN": "0" * 64}
        command = [sys.executable, "-m", "joute", *match, address]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=PATIENCE_S, check=False)
        assert done.returncode == 2
        sentence = done.stderr.splitlines()[-1]
        assert sentence.startswith("joute: ")
        assert "RAY_AUTH_MODE=token" in sentence


def test_a_cluster_of_this_machine_alone_needs_no_preparation(cluster: RayCluster) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    match = ["match", "connect4", "random", "random", "--games", "10", "--json", "--ray", "local"]
    command = [sys.executable, "-m", "joute", *match]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=PATIENCE_S, check=True)
    assert json.loads(done.stdout)["nodes"][0]["games"] == 10
