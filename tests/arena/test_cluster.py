"""Games on a cluster, the same whatever happens to its nodes. This cluster is a fake; that of test_ray.py is real."""

from __future__ import annotations

import dataclasses
import json
import os
import sqlite3
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from commands import joute
from fake_cluster import FakeCluster, FakeHost, FakeVenue
from test_tournament import essence, played, table

from joute.arena.cluster.host import Answer, Host
from joute.arena.cluster.machines import LostError
from joute.arena.cluster.shipment import packed, remove, unpacked
from joute.arena.cluster.software import Software, processor_level, software
from joute.arena.cluster.status import status
from joute.arena.node_rows import node_rows
from joute.arena.plan import make_plan
from joute.arena.schedules.schedule import Pairing
from joute.arena.store.store import Store, StoreError
from joute.arena.tournament import Tournament
from joute.errors import JouteError
from joute.games import new
from joute.match import Reason
from joute.report.data import make_report
from joute.report.formats import render

FAST = ("random", "greedy")
START = (new("connect4").position,)


def clustered(path: Path, cluster: FakeCluster, agents: Any = FAST, on_game: Any = None, **settings: Any) -> Tournament:
    with Tournament.create(make_plan("connect4", agents, **settings), path) as tournament:
        tournament.use(FakeVenue(cluster))
        tournament.play(on_game)
    return tournament


def test_games_on_a_cluster_are_those_of_one_machine_whatever_happens_to_its_nodes(tmp_path: Path) -> None:
    alone = played(tmp_path / "alone.db", games=10, seed=5)
    cluster = FakeCluster(
        steady=FakeHost(batch=3),
        dies=FakeHost(lost_after=2),
        hangs=FakeHost(cores=4, silent_after=3),
        fails=FakeHost(fails_after=1),
    )
    agents = [entrant.agent for entrant in alone.plan.entrants]
    together = clustered(tmp_path / "together.db", cluster, agents, games=10, seed=5)
    assert essence(tmp_path / "together.db") == essence(tmp_path / "alone.db")
    assert table(together) == table(alone)
    rows = {row.node.name: row for row in node_rows(together.nodes)}
    assert sum(row.games for row in rows.values()) == 30
    assert rows["dies"].failures > 0
    assert rows["dies"].node.note == "the node died"
    assert rows["hangs"].failures > 0
    assert rows["hangs"].node.note.startswith("no answer for 30 s")
    assert rows["fails"].node.note == "the disk is full"
    assert all(row.games_lost for name, row in rows.items() if name != "steady")
    with Store.read(tmp_path / "together.db") as store:
        facts = ("node", "games", "failures", "games_lost", "core_hours", "note")
        kept = [[row.data[fact] for fact in facts] for row in node_rows(store.nodes())]
    assert kept == [[row.data[fact] for fact in facts] for row in rows.values()]


def test_a_driver_that_was_stopped_resumes_on_the_cluster(tmp_path: Path) -> None:
    def stop(finished: Any) -> None:
        if finished.pairing.number == 5:
            raise KeyboardInterrupt

    path = tmp_path / "t.db"
    with pytest.raises(KeyboardInterrupt):
        clustered(path, FakeCluster(a=FakeHost()), games=20, seed=5, on_game=stop)
    with Tournament.resume(path) as tournament:
        assert 0 < tournament.standings.games < 20
        tournament.use(FakeVenue(FakeCluster(a=FakeHost(), b=FakeHost())))
        tournament.play()
    clustered(tmp_path / "whole.db", FakeCluster(a=FakeHost()), games=20, seed=5)
    assert essence(path) == essence(tmp_path / "whole.db")
    with Store.read(path) as store:
        assert [node.name for node in store.nodes()] == ["a", "a", "b"]
        assert [row.node.name for row in node_rows(store.nodes())] == ["a", "b"]
        assert sum(row.games for row in node_rows(store.nodes())) == 20


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"joute": "9.0"}, "it has Joute 9.0, and this machine "),
        ({"python": "CPython 3.99.1"}, "it has Python CPython 3.99.1, and this machine "),
        ({"processor": "x86-64-v9"}, "it has a processor of level x86-64-v9, and this machine "),
        ({"plugins": ("go 1",)}, "it has the plug-ins go 1, and this machine "),
        ({"build": "0"}, "its Joute .* was not made from the same files"),
    ],
)
def test_a_node_with_other_software_is_refused_in_a_sentence(tmp_path: Path, change: Any, why: str) -> None:
    other = FakeHost(software=dataclasses.replace(software(), **change))
    cluster = FakeCluster(ours=FakeHost(), other=other)
    tournament = clustered(tmp_path / "t.db", cluster, games=4)
    assert tournament.standings.games == 4
    assert other.given == []
    with pytest.raises(JouteError, match=f"no node can play: other: {why}"):
        clustered(tmp_path / "u.db", FakeCluster(other=other), games=4)


def test_clocks_follow_the_speed_of_a_node_and_a_node_of_quite_another_speed_is_left_out(tmp_path: Path) -> None:
    hosts = {
        "slow": FakeHost(speed=800.0), "usual": FakeHost(speed=1000.0), "same": FakeHost(speed=1050.0),
        "old": FakeHost(speed=300.0),
    }  # fmt: skip
    tournament = clustered(tmp_path / "t.db", FakeCluster(**hosts), games=20, clock="60")
    assert {name: host.clock_factor for name, host in hosts.items()} == {
        "slow": 1.0,
        "usual": 0.8,
        "same": 0.762,
        "old": 0,
    }
    rows = {row.node.name: row for row in node_rows(tournament.nodes)}
    assert rows["usual"].node.note == ("its speed is 125.0% of the reference, so its clocks have 0.8 times the seconds")
    assert rows["old"].node.note.startswith("its speed is 37.5% of the reference, too far from it")
    assert rows["old"].games == 0
    with Store.read(tmp_path / "t.db") as store:
        assert store.reference_speed == 800.0


def test_a_resumed_tournament_keeps_the_speed_that_its_clocks_refer_to(tmp_path: Path) -> None:
    def stop(finished: Any) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "t.db"
    with pytest.raises(KeyboardInterrupt):
        clustered(path, FakeCluster(a=FakeHost(speed=1000.0)), games=4, clock="60", on_game=stop)
    faster = FakeHost(speed=1600.0)
    with Tournament.resume(path) as tournament:
        tournament.use(FakeVenue(FakeCluster(b=faster)))
        tournament.play()
    assert faster.clock_factor == 0.625


def test_without_clocks_no_speed_is_measured(tmp_path: Path) -> None:
    tournament = clustered(tmp_path / "t.db", FakeCluster(a=FakeHost(speed=-1.0)), games=2, clock="nodes=10")
    assert [node.speed for node in tournament.nodes] == [None]


class Poisoned(FakeCluster):
    """A cluster on which some games end the node that plays them."""

    deadly: frozenset[int] = frozenset({0})

    def _take(self, host: FakeHost, beat_s: float, batch_s: float) -> Answer:
        if host.waiting and host.waiting[0].number in self.deadly:
            raise LostError("the node died")
        return super()._take(host, beat_s, batch_s)


def test_a_game_that_loses_ten_nodes_is_given_up_and_the_others_are_played(tmp_path: Path) -> None:
    cluster = Poisoned(**{f"n{number}": FakeHost(cores=1) for number in range(8)})
    tournament = clustered(tmp_path / "t.db", cluster, games=20)
    assert [(each.game.number, each.why) for each in tournament.unplayed] == [
        (0, "10 nodes were lost while they played it")
    ]
    assert sorted(tournament.results) == list(range(1, 20))
    with Tournament.resume(tmp_path / "t.db") as again:
        again.use(FakeVenue(FakeCluster(a=FakeHost())))
        again.play()
        assert again.is_finished


def test_a_cluster_on_which_every_game_ends_its_node_plays_none(tmp_path: Path) -> None:
    cluster = Poisoned(a=FakeHost(cores=1), b=FakeHost(cores=1))
    cluster.deadly = frozenset(range(4))
    with pytest.raises(JouteError, match="no node can play: a: the node died, 3 times in a row; b: the node died, 3"):
        clustered(tmp_path / "t.db", cluster, games=4)


def test_a_cluster_without_nodes_is_waited_for_and_then_reported(tmp_path: Path) -> None:
    cluster = FakeCluster()
    with pytest.raises(JouteError, match="the cluster has had no node for 120 s"):
        clustered(tmp_path / "t.db", cluster, games=2)
    assert 120 <= cluster.now_s < 150


def test_a_node_whose_cores_others_use_is_waited_for_and_told(tmp_path: Path) -> None:
    cluster = FakeCluster(ready=FakeHost(), busy=FakeHost(silent_after=0))
    tournament = clustered(tmp_path / "t.db", cluster, games=4)
    with Store.read(tmp_path / "t.db") as store:
        for nodes in (tournament.nodes, store.nodes()):
            assert {node.name: (node.games, node.note) for node in nodes} == {
                "ready": (4, ""),
                "busy": (0, "it did not get ready before the last game began; others may use its cores"),
            }


def test_a_node_that_joins_plays_too_and_a_limit_on_parallel_games_holds(tmp_path: Path) -> None:
    cluster = FakeCluster(first=FakeHost(answer_s=2.0))

    def join(finished: Any) -> None:
        cluster.hosts.setdefault("second", FakeHost(answer_s=2.0))

    tournament = clustered(tmp_path / "t.db", cluster, games=30, on_game=join)
    assert all(row.games for row in node_rows(tournament.nodes))
    assert len(tournament.nodes) == 2
    limited = clustered(tmp_path / "u.db", FakeCluster(a=FakeHost(cores=8), b=FakeHost()), games=6, concurrency=3)
    assert [(node.name, node.workers) for node in limited.nodes] == [("a", 3)]


def test_a_forged_game_is_not_believed(tmp_path: Path) -> None:
    liar = FakeHost(forge=lambda record: dataclasses.replace(record, seed=1))
    tournament = clustered(tmp_path / "t.db", FakeCluster(honest=FakeHost(), liar=liar), games=6)
    rows = {row.node.name: row for row in node_rows(tournament.nodes)}
    assert rows["liar"].games == 0
    assert rows["liar"].node.note.startswith("it sent another game than game ")
    assert {record.reason for record in records(tmp_path / "t.db")} == {Reason.NORMAL}


def records(path: Path) -> list[Any]:
    with Store.read(path) as store:
        return list(store.records())


def test_short_games_wait_on_a_node_and_long_ones_do_not(tmp_path: Path) -> None:
    short, long = FakeHost(batch=50, answer_s=0.1), FakeHost(answer_s=3.0)
    clustered(tmp_path / "short.db", FakeCluster(a=short), games=120)
    clustered(tmp_path / "long.db", FakeCluster(a=long), games=30)
    assert long.most_given == 2
    assert short.most_given > 20


def test_the_files_of_agents_travel_and_damage_on_the_way_is_noticed(tmp_path: Path) -> None:
    own = tmp_path / "anna"
    own.mkdir()
    (own / "agent.py").write_text("from book import MOVES\ndef choose(state, clock): return MOVES[0]\n")
    (own / "book.py").write_text("MOVES = ['4']\n")
    plan = make_plan("connect4", [str(own / "agent.py"), "greedy@30"], clock="60+1")
    shipment = packed(plan, plan.sources(), START, keep_alive=False)
    tournament = unpacked(shipment, 0.5)
    copy = tournament.sources[0]
    assert copy.folder.is_relative_to(tournament.folder)
    assert copy.files[0].read_text() == (own / "agent.py").read_text()
    assert (copy.folder / "book.py").read_text() == "MOVES = ['4']\n"
    assert [str(tournament.plan.control(index)) for index in (0, 1)] == ["30+0.5", "15"]
    remove(tournament.folder)
    assert not tournament.folder.exists()
    damaged = {0: {**shipment.entries[0], "sha256": "0" * 64}}
    with pytest.raises(JouteError, match="the files of agent 'agent' were damaged on the way"):
        unpacked(dataclasses.replace(shipment, entries=damaged), 1.0)


def test_only_own_folders_of_processes_that_are_gone_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, home = tmp_path / "tmp", tmp_path / "home"
    for folder in (shared, home):
        folder.mkdir()
    (home / "thesis").write_text("x")
    monkeypatch.setattr("tempfile.tempdir", str(shared))
    name = f"joute-node-{os.getuid()}-{{}}-abc"
    gone, alive, trap = (shared / name.format(pid) for pid in (2**30, os.getpid(), 2**30 + 1))
    gone.mkdir()
    alive.mkdir()
    trap.symlink_to(home)
    plan = make_plan("connect4", FAST)
    remove(unpacked(packed(plan, plan.sources(), START, keep_alive=False), 1.0).folder)
    assert (gone.exists(), alive.exists(), trap.is_symlink()) == (False, True, True)
    assert (home / "thesis").exists()


def test_a_node_without_the_program_of_an_agent_says_so(tmp_path: Path) -> None:
    program = tmp_path / "engine"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    plan = make_plan("connect4", [f"ugi:{program}", "greedy"])
    missing = [dataclasses.replace(plan.sources()[0], command=("no-such-java", "x"), files=()), plan.sources()[1]]
    shipment = packed(plan, missing, START, keep_alive=False)
    with pytest.raises(JouteError, match="the program no-such-java of agent 'engine' is not installed there"):
        unpacked(shipment, 1.0)


def test_a_host_plays_what_it_is_given_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    plan = make_plan("connect4", FAST, seed=3)
    host = Host()
    assert host.software() == software()
    host.begin(packed(plan, plan.sources(), START, keep_alive=False), 1, 1.0)
    answers: list[Answer] = []
    for number in range(2):
        host.give([Pairing(number, (number, 1 - number), 0)])
    while sum(len(answer.played) for answer in answers) < 2:
        answers.append(host.take(60.0, 0.0))
    host.end()
    games = [played for answer in answers for played in answer.played]
    assert [(game.number, game.record.players) for game in games] == [(0, FAST), (1, FAST[::-1])]
    assert {game.record.reason for game in games} == {Reason.NORMAL}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("flags", "level"),
    [
        ("fpu sse2", "x86-64-v1"),
        ("cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3", "x86-64-v2"),
        ("cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx avx2 bmi1 bmi2 f16c fma abm movbe xsave", "x86-64-v3"),
    ],
)
def test_the_level_of_a_processor_follows_from_its_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str, level: str
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    (tmp_path / "cpuinfo").write_text(f"model name\t: a\nflags\t\t: {flags}\n")
    assert processor_level(tmp_path / "cpuinfo") == level


def test_the_same_software_has_no_difference() -> None:
    assert isinstance(software(), Software)
    assert software().difference(software()) == ""


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("clock_factor = 0", "clock_factor is 0"),
        ("speed = 9e999", "speed is inf"),
        ("began = '2026-11-19'", "the times of a node have no time zone"),
        ("seen = 'soon'", "Invalid isoformat string: 'soon'"),
        ("failures = 'x'", "failures is 'x', which no nodes have"),
    ],
)
def test_a_damaged_node_is_reported(tmp_path: Path, change: str, complaint: str) -> None:
    clustered(tmp_path / "t.db", FakeCluster(a=FakeHost()), games=2)
    connection = sqlite3.connect(tmp_path / "t.db")
    connection.execute(f"UPDATE nodes SET {change}")
    connection.commit()
    connection.close()
    with Store.read(tmp_path / "t.db") as store, pytest.raises(StoreError, match=f"is damaged: {complaint}"):
        make_report(store)


def test_a_report_has_a_row_for_each_node(tmp_path: Path) -> None:
    fails = FakeHost(fails_after=1)
    clustered(tmp_path / "t.db", FakeCluster(**{"<b>": FakeHost(), "other": fails}), games=6)
    with Store.read(tmp_path / "t.db") as store:
        report = make_report(store)
        page, text, data = (render(report, store, kind) for kind in ("html", "md", "json"))
    assert 'id="nodes"' in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in text.partition("## Cluster")[2]
    assert "the disk is full" in text
    assert [(node["node"], node["note"]) for node in json.loads(data)["nodes"]] == [
        ("<b>", ""),
        ("other", "the disk is full"),
    ]
    assert "2 nodes, " in dict(report.facts)["Cluster"]


@pytest.mark.parametrize(
    ("command", "module"),
    [
        (("match", "connect4", "greedy", "random", "--games", "4"), "match"),
        (("tournament", "connect4", "greedy", "random", "--games", "4", "--db", "t.db"), "tournament"),
        (
            ("sweep", "connect4", "mcts:iterations={5,9}", "--against", "random", "--games", "2", "--db", "t.db"),
            "sweep",
        ),
    ],
)
def test_commands_play_on_the_cluster_that_they_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], module: str
) -> None:
    asked: list[str | None] = []

    def venue_at(address: str | None) -> Any:
        asked.append(address)
        return nullcontext(FakeVenue(FakeCluster(lab=FakeHost(cores=3))))

    monkeypatch.setattr(f"joute.cli.{module}.venue_at", venue_at)
    done = joute(*command, "--ray", "there:6379", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert asked == ["there:6379"]
    row = next(line.split() for line in done.stdout.splitlines() if line.strip().startswith("lab"))
    assert row[:4] == ["lab", "3", "3", "4"]


EXPERIMENT = """
title = "A paper made for this test"
game = "connect4"

[[experiment]]
name = "one"
title = "Greedy and random"
claim = "Greedy is stronger than random."
games = { quick = 4, full = 4 }
cost_s = { quick = 0.01, full = 0.01 }
agent = [{ name = "Greedy", spec = "greedy" }, { name = "Random", spec = "random" }]
"""


def test_experiments_are_reproduced_on_the_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.toml").write_text(EXPERIMENT)
    monkeypatch.setattr("joute.cli.reproduce.venue_at", lambda _: nullcontext(FakeVenue(FakeCluster(lab=FakeHost()))))
    done = joute("reproduce", "mine.toml", "--out", "out", "--ray", "there:6379", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    (db,) = tmp_path.glob("out/**/*.db")
    with Store.read(db) as store:
        assert [(node.name, node.games) for node in store.nodes()] == [("lab", 4)]


def test_the_status_of_a_cluster_says_who_can_play_and_why_others_cannot() -> None:
    old = FakeHost(software=dataclasses.replace(software(), joute="0.0.1"))
    bare = FakeHost(cores=4, sandbox_problem="the sandbox needs bubblewrap")
    cluster = FakeCluster(
        ready=FakeHost(), old=old, bare=bare, dead=FakeHost(lost_after=0), mute=FakeHost(silent_after=0)
    )
    found = {each.machine.name: each for each in status(cluster, game="connect4", clock=lambda: cluster.now_s)}
    assert {name: each.problem.partition(",")[0] for name, each in found.items()} == {
        "ready": "",
        "old": "it has Joute 0.0.1",
        "bare": "",
        "dead": "the node died",
        "mute": "it does not answer",
    }
    assert found["bare"].sandbox_problem == "the sandbox needs bubblewrap"
    assert [found[name].speed for name in ("ready", "bare", "old")] == [1000.0, 1000.0, None]


def test_a_host_ends_at_once_although_a_game_goes_on(tmp_path: Path) -> None:
    plan = make_plan("connect4", ["mcts:iterations=1000000000", "random"], seed=3)
    host = Host()
    host.begin(packed(plan, plan.sources(), START, keep_alive=False), 1, 1.0)
    host.give([Pairing(0, (0, 1), 0)])
    assert host.take(0.5, 0.0) == Answer((), ())
    host.end()  # or the test does not end


def test_a_mistake_about_ray_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_USAGE_STATS_ENABLED"):
        monkeypatch.setenv(name, "")  # restored after the test
    match = ("match", "connect4", "greedy", "random", "--ray")
    monkeypatch.setitem(sys.modules, "ray", None)
    done = joute(*match, "auto", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("joute: Ray is not installed (")
    assert done.stderr.endswith("install it with: pip install 'joute[ray]'\n")
    assert list(tmp_path.iterdir()) == []
