"""``joute host``: the command, and the file in which it keeps its games."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from joute.arena.game_file import whole_games
from joute.arena.hosted import HostedGames
from joute.arena.plan import make_plan
from joute.arena.store import Store, StoreError
from joute.arena.tournament import Tournament
from joute.cli.host_live import HostView
from joute.games import new
from joute.match import Reason
from joute.match.record import LOST_TURN
from joute.protocol.vampires_wire import Bye, Map, Mov, Upd
from vampires_servers import (
    HME,
    MAP,
    PATIENCE_S,
    SET_HUM,
    TRAP_HOUSES,
    Client,
    begun,
    hosted,
    play_in_thread,
)


def kept_games(path: Path, seed: int = 0, game: str = "vampires:map=hamlet,plies=6") -> HostedGames:
    return HostedGames(path, new(game), clock="2/move", seed=seed, command="joute host vampires")


def test_games_are_a_tournaments_file_which_the_next_server_goes_on_with(tmp_path: Path) -> None:
    path = tmp_path / "hosted.db"
    for count, names in ((2, "ab"), (3, "cb")):
        with (
            kept_games(path) as kept,
            hosted("vampires:map=hamlet,plies=6", games=count, first_number=kept.count, store=kept.add) as server,
        ):
            for _ in range(count):
                threads = [play_in_thread(server.port, name) for name in names]
                for thread in threads:
                    thread.join(PATIENCE_S)
            server.wait()
            with Store.read(path) as store:
                assert store.count == kept.count
    games = whole_games(path)
    assert [set(game.record.players) for game in games] == [{"a", "b"}] * 2 + [{"b", "c"}] * 3
    assert len({game.record.seed for game in games}) == 5
    with Tournament.resume(path) as made:
        assert made.is_finished
        assert made.standings.games == 5
        assert {entrant.name for entrant in made.plan.entrants} == {"a", "b", "c"}


def test_a_file_without_games_does_not_stay(tmp_path: Path) -> None:
    path = tmp_path / "hosted.db"
    with kept_games(path):
        assert path.is_file()
    assert not path.exists()


def test_a_file_of_other_games_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "hosted.db"
    with kept_games(path) as kept, hosted("vampires:map=hamlet,plies=6", store=kept.add) as server:
        for name in "ab":
            play_in_thread(server.port, name)
        server.wait()
    with pytest.raises(StoreError, match="holds games of vampires:map=hamlet"):
        kept_games(path, game="vampires:map=fork")
    assert len(whole_games(path)) == 1
    other = tmp_path / "other.db"
    with Tournament.create(_plan(), other):
        pass
    with pytest.raises(StoreError, match="already holds another tournament"):
        kept_games(other)
    assert Store.read(other).count == 0


def _plan() -> Any:
    return make_plan("connect4", ["random", "greedy"])


def joute_host(*words: str, cwd: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "joute", "host", *words]
    return subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def port_of(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert "port " in line, (line, process.stderr.read() if process.stderr else "")
    return int(line.partition(", port ")[2].partition(";")[0])


def test_a_server_killed_in_the_middle_of_a_game_has_lost_no_finished_one(tmp_path: Path) -> None:
    words = ("vampires:plies=6", "--map", "hamlet", "--port", "0", "--games", "0", "--welcome-s", "0", "--db", "k.db")
    process = joute_host(*words, "--farewell-s", "0", cwd=tmp_path)
    try:
        port = port_of(process)
        for seed in range(3):
            threads = [play_in_thread(port, name, seed) for name in "ab"]
            for thread in threads:
                thread.join(PATIENCE_S)
        first, second = begun(port)
        with first, second:
            first.say(b"MOV")
            process.kill()
            process.wait(PATIENCE_S)
            assert first.rest() == b""
    finally:
        process.kill()
        process.communicate()
    assert len(whole_games(tmp_path / "k.db")) == 3


def test_the_command_plays_a_map_from_a_file_and_says_how_it_ended(tmp_path: Path) -> None:
    lines = [f'<Humans X="{x}" Y="{y}" Count="{n}"/>' for (x, y), n in zip(TRAP_HOUSES, (4, 2, 1, 2), strict=True)]
    lines += ['<Vampires X="4" Y="3" Count="4"/>', '<Werewolves X="4" Y="1" Count="4"/>']
    (tmp_path / "trap.xml").write_text(f'\ufeff<Map Rows="5" Columns="10">{"".join(lines)}</Map>', encoding="utf-8")
    words = ("vampires", "--map", "trap.xml", "--port", "0", "--time", "20", "--welcome-s", "0", "--farewell-s", "0")
    process = joute_host(*words, "--db", "one.db", cwd=tmp_path)
    try:
        port = port_of(process)
        with Client(port, "a") as first, Client(port, "b") as second:
            expected = bytes.fromhex(SET_HUM + HME[0] + MAP)
            assert first.read(len(expected)) == expected
            second.until(Map)
            first.until(Upd)
            first.say(Mov())
            second.until(Bye)
        out, err = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 0, err
    assert "table 0: a (vampires) against b (werewolves)\n" in out
    assert "b wins after 0 plies (a: illegal move pass" in out
    assert "to look at it: joute replay one.db" in out
    assert whole_games(tmp_path / "one.db")[0].record.winner == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("connect4",), "connect4 is not hosted: only vampires is played over TCP"),
        (("vampires", "--map", "nowhere.xml"), "nowhere.xml"),
        (("vampires:map=hamlet", "--map", "fork"), "leave one of them out"),
        (("vampires", "--address", "192.0.2.1", "--port", "0"), "cannot listen at 192.0.2.1"),
        (("vampires", "--time", "0"), "--time"),
    ],
)
def test_mistakes_of_the_user_cost_a_sentence(words: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    process = joute_host(*words, "--db", "x.db", cwd=tmp_path)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert sentence in err
    assert "Traceback" not in err


def test_ctrl_c_ends_the_server_and_keeps_what_is_finished(tmp_path: Path) -> None:
    words = ("vampires:plies=6", "--map", "hamlet", "--port", "0", "--games", "0", "--welcome-s", "0", "--db", "c.db")
    process = joute_host(*words, "--farewell-s", "0", cwd=tmp_path)
    try:
        port = port_of(process)
        for thread in [play_in_thread(port, name) for name in "ab"]:
            thread.join(PATIENCE_S)
        first, second = begun(port)
        with first, second:
            process.send_signal(signal.SIGINT)
            assert first.rest() == b""
        out, err = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert err == "joute: interrupted\n"
    assert "1 game in c.db" in out
    assert len(whole_games(tmp_path / "c.db")) == 1


def test_a_reader_of_the_lines_who_goes_away_costs_nobody_the_game(tmp_path: Path) -> None:
    words = ("vampires:plies=6", "--map", "hamlet", "--port", "0", "--games", "2", "--welcome-s", "0", "--db", "r.db")
    process = joute_host(*words, "--farewell-s", "0", cwd=tmp_path)
    try:
        port = port_of(process)
        assert process.stdout is not None
        process.stdout.close()
        for _ in range(2):
            for thread in [play_in_thread(port, name) for name in "ab"]:
                thread.join(PATIENCE_S)
        process.wait(PATIENCE_S)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 141
    assert [game.record.reason for game in whole_games(tmp_path / "r.db")] == [Reason.NORMAL] * 2


@pytest.mark.parametrize("rules", ["official", "twilight-langorou"])
def test_our_own_clients_play_on_it(rules: str, tmp_path: Path) -> None:
    game = f"vampires:rules={rules},plies=12"
    words = ("--map", "fork", "--port", "0", "--time", "10", "--welcome-s", "0", "--farewell-s", "0", "--db", "o.db")
    process = joute_host(game, *words, cwd=tmp_path)
    clients = []
    try:
        port = port_of(process)
        for agent in ("greedy", "random"):
            command = [sys.executable, "-m", "joute", "connect", "--agent", agent, "--time", "10", "--game", game]
            clients.append(subprocess.Popen([*command, "127.0.0.1", str(port)], stdout=subprocess.DEVNULL))
        assert [client.wait(4 * PATIENCE_S) for client in clients] == [0, 0]
        process.communicate(timeout=PATIENCE_S)
    finally:
        for each in (process, *clients):
            each.kill()
            each.wait()
    (game_played,) = whole_games(tmp_path / "o.db")
    record = game_played.record
    assert record.reason is Reason.NORMAL
    assert LOST_TURN not in [move.move for move in record.moves]
    assert sorted(record.players) == ["greedy", "random"]


def test_the_view_shows_boards_and_results_in_the_lines_that_there_are() -> None:
    for height in (10, 40):
        out = Console(width=100, height=height, force_terminal=True, color_system=None)
        view = HostView(out, "vampires: 3 games, 2 s a turn")
        with hosted(games=3) as server:
            view.watch(server.server)
            shown = _shown(out, view)
            assert "0 over, 0 going on, 0 waiting for a player" in shown
            with Client(server.port, "patient") as lone:
                lone.until(Map)
                assert "0 going on, 1 waiting" in _shown(out, view)
                with Client(server.port, "other") as other:
                    lone.until(Upd)
                    lone.move((4, 3, 4, 5, 3))
                    other.until(Upd)
                    shown = _shown(out, view)
                    assert "1 going on" in shown
                    assert "patient 4.3-5.3x4" in shown
                    assert ("ply 1: werewolves to move" in shown) == (height == 40)
                    assert len(shown.splitlines()) <= height
                    table = server.server.tables[0]
                    other.say(Mov())
                    lone.until(Bye)
            with out.capture() as captured:
                view.ended(table, server.records[0])
            assert "patient (vampires) against other (werewolves): patient wins after 1 ply (other: " in captured.get()
            assert "1 over, 0 going on" in _shown(out, view)


def _shown(out: Console, view: HostView) -> str:
    with out.capture() as captured:
        out.print(view.view())
    return captured.get()
