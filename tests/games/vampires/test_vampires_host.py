"""``joute host``: the command, and the file in which it keeps its games."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from vampires_servers import (
    GOODBYE,
    GREETINGS,
    PATIENCE_S,
    TRAP,
    TRAP_HOUSES,
    Client,
    begun,
    hosted,
    play_in_thread,
)

from joute.arena.plan import make_plan
from joute.arena.store.game_file import whole_games
from joute.arena.store.hosted import HostedGames
from joute.arena.store.store import Store, StoreError
from joute.arena.tournament import Tournament
from joute.games import new
from joute.games.vampires.commands.host_live import HostView, result_text
from joute.games.vampires.tcp.host_settings import HostSettings
from joute.games.vampires.tcp.wire import Bye, Map, Mov, Upd
from joute.match import Reason
from joute.match.record import LOST_TURN


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


def port_of(process: subprocess.Popen[str], title: str = "") -> int:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith(title)
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
        port = port_of(process, "vampires:map=trap.xml: 1 game, 20 s a turn; ")
        with Client(port, "a") as first, Client(port, "b") as second:
            expected = bytes.fromhex(GREETINGS[0])
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
    result = "table 0, kept as game 1: a (vampires) against b (werewolves): b wins after 0 plies (a: illegal move pass"
    assert result in out
    assert "to see it: joute replay one.db" in out
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
def test_mistakes_of_the_user_give_one_clear_error(words: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
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
            assert first.rest() == second.rest() == GOODBYE
        out, err = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, err) == (130, "")
    assert "\nended by Ctrl-C; 1 game was cut off and not kept\n1 game in c.db" in out
    assert len(whole_games(tmp_path / "c.db")) == 1


def test_ctrl_c_is_the_end_of_a_server_without_one_and_the_standings_are_shown(tmp_path: Path) -> None:
    words = ("vampires:plies=6", "--map", "hamlet", "--port", "0", "--games", "0", "--welcome-s", "0", "--db", "c.db")
    process = joute_host(*words, "--farewell-s", "0", cwd=tmp_path)
    try:
        port = port_of(process)
        for seed in range(2):
            for thread in [play_in_thread(port, name, seed) for name in "ab"]:
                thread.join(PATIENCE_S)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, err) == (0, "")
    assert "\nended by Ctrl-C\n2 games in c.db" in out
    assert re.search(r"^ *rank +agent +points", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("ending", "games", "status", "sentence"),
    [
        (signal.SIGTERM, "0", 0, "ended by SIGTERM\nno game was finished\n"),
        (signal.SIGHUP, "0", 0, "ended by SIGHUP\n"),
        (signal.SIGTERM, "3", 143, "ended by SIGTERM after 0 of 3 games\n"),
        (signal.SIGINT, "1", 130, "ended by Ctrl-C after 0 of 1 game\n"),
    ],
)
def test_a_server_to_which_nobody_came_leaves_no_file(
    ending: signal.Signals, games: str, status: int, sentence: str, tmp_path: Path
) -> None:
    process = joute_host("vampires", "--port", "0", "--games", games, cwd=tmp_path)
    try:
        port_of(process)
        process.send_signal(ending)
        out, err = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, err) == (status, "")
    assert sentence in out
    assert not list(tmp_path.iterdir())


def test_a_server_for_all_addresses_does_not_tell_to_connect_to_none(tmp_path: Path) -> None:
    process = joute_host("vampires", "--port", "0", "--address", "0.0.0.0", cwd=tmp_path)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.communicate()
    assert "; players connect to any address of this machine, port " in line
    assert err == "note: anybody who can reach this machine may play; the protocol has no passwords\n"


def test_a_closed_output_loses_no_game(tmp_path: Path) -> None:
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
    clients: list[subprocess.Popen[bytes]] = []
    try:
        port = port_of(process)
        for agent in ("greedy", "random"):
            command = [sys.executable, "-m", "joute", "connect", "--agent", agent, "--time", "10", "--game", game]
            clients.append(subprocess.Popen([*command, "127.0.0.1", str(port)], stdout=subprocess.DEVNULL))
        assert [client.wait(4 * PATIENCE_S) for client in clients] == [0, 0]
        process.communicate(timeout=PATIENCE_S)
    finally:
        everyone: list[subprocess.Popen[Any]] = [process, *clients]
        for each in everyone:
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
                    assert re.search(r"0 +patient +other +1 +4:4 +9 +4\.3-5\.3x4", shown)
                    assert ("ply 1: werewolves to move" in shown) == (height == 40)
                    assert ("no room for the board of table 0, which takes 31 columns and 8 lines" in shown) == (
                        height == 10
                    )
                    assert len(shown.splitlines()) <= height
                    table = server.server.tables[0]
                    other.say(Mov())
                    lone.until(Bye)
            with out.capture() as captured:
                view.ended(table, server.records[0], 7)
            told = "table 0, kept as game 8: patient (vampires) against other (werewolves): patient wins after 1 ply"
            assert f"{told} (other: " in " ".join(captured.get().split())
            assert "1 over, 0 going on" in _shown(out, view)


LONG_NAMES = (f"alpha {'a' * 30} one", f"beta {'b' * 30} two")


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("names", [LONG_NAMES, (LONG_NAMES[0], "b"), ("a", LONG_NAMES[1])])
def test_a_narrow_view_cuts_the_last_turn_then_names_and_never_numbers(width: int, names: tuple[str, str]) -> None:
    out = Console(width=width, height=40, force_terminal=True, color_system=None)
    view = HostView(out, f"vampires:map={'m' * 60}: 3 games, 2 s a turn")
    with hosted(games=3) as server:
        view.watch(server.server)
        first, second = begun(server.port, names)
        with first, second:
            first.move((4, 3, 1, 5, 3), (4, 3, 1, 5, 2), (4, 3, 1, 3, 3), (4, 3, 1, 3, 2))
            second.until(Upd)
            lines = _shown(out, view).splitlines()
    assert lines[1] == "0 over, 1 going on, 0 waiting for a player"
    assert max(map(len, lines)) <= width
    assert lines[2].split() == ["table", "first", "second", "ply", "units", "humans", "last", "turn"]
    shown = [name if len(name) < 6 else f"{name[:3]}.*{name[-3:]}" for name in names]
    assert re.fullmatch(rf" *0 +{shown[0]} +{shown[1]} +1 +4:4 +9 +4\.3-3\.2x1?.*…", lines[4].rstrip())
    assert "ply 1: werewolves to move" in "\n".join(lines)


def test_turns_lost_to_time_are_in_the_view_and_in_the_result() -> None:
    out = Console(width=100, height=40, force_terminal=True, color_system=None)
    view = HostView(out, "vampires")
    with hosted(TRAP + ",plies=4", settings=HostSettings(0.3, 20, 0, 0)) as server:
        view.watch(server.server)
        first, second = begun(server.port, ("silent", "b"))
        with first, second:
            table = server.server.tables[0]
            second.until(Upd)
            shown = _shown(out, view)
            second.until(Bye)
        record = server.only_record
    assert "lost turns" in shown
    assert re.search(r"0 +silent +b +\d +4:4 +1:\d +9 +lost to time", shown)
    assert result_text(table, record).endswith(
        "draw after 4 plies (equal units); silent lost 2 turns to time; b lost 2 turns to time"
    )


def _shown(out: Console, view: HostView) -> str:
    with out.capture() as captured:
        out.print(view.view())
    return captured.get()
