"""Games between files: exported, imported, replayed; what is damaged is named, and nothing else is lost."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import pty
import re
import select
import sqlite3
import subprocess
import sys
import termios
import time
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import joute, ok

from joute.arena.plan import make_plan
from joute.arena.standings import Standings
from joute.arena.store.game_file import DamagedGame, FiledGame, read_game_file, whole_games
from joute.arena.store.importing import import_games, import_records, open_games
from joute.arena.store.store import Store, StoreError
from joute.arena.tournament import Tournament
from joute.cli.replay import replay
from joute.cli.replay_json import game_data
from joute.errors import JouteError, SpecError
from joute.files import whole_file
from joute.match import GameRecord, play_game
from joute.match.record_text import write_record

AGENTS = ["greedy", "random", "mcts:iterations=20"]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of twelve games."""
    path = tmp_path_factory.mktemp("games") / "class.db"
    with Tournament.create(make_plan("connect4", AGENTS, games=4, seed=1, clock="60"), path) as made:
        made.play()
    return path


def of(path: Path) -> list[GameRecord]:
    with Store.read(path) as store:
        return list(store.records())


def text_of(records: list[GameRecord]) -> str:
    return "\n".join(map(write_record, records))


def test_an_exported_tournament_is_imported_as_it_was(db: Path, tmp_path: Path) -> None:
    assert ok("export", str(db), "-o", str(tmp_path / "games.txt")) == f"12 games in {tmp_path / 'games.txt'}\n"
    text = (tmp_path / "games.txt").read_text()
    assert '[Event "class, round robin"]\n[Date "20' in text
    assert '[Round "12"]' in text
    assert ok("export", str(db)) == text
    told = ok("import", str(tmp_path / "games.txt"), "--db", str(tmp_path / "again.db"))
    assert told.startswith(f"12 games of connect4 between 3 agents in {tmp_path / 'again.db'}\n")
    assert of(tmp_path / "again.db") == of(db)
    with Store.read(db) as before, Store.read(tmp_path / "again.db") as after:
        assert [game.started for game in after.games()] == [game.started for game in before.games()]
        assert set(after.openings) == set(before.openings)
        assert after.plan.clock == "60"
        tables = [Standings(store.plan) for store in (before, after)]
        for store, table in zip((before, after), tables, strict=True):
            for game in store.games():
                table.add(game.pairing, game.record)
        assert tables[0].table == tables[1].table
    assert "greedy" in ok("tournament", "--resume", "--db", str(tmp_path / "again.db"))


def test_what_is_imported_has_nothing_left_to_play(db: Path, tmp_path: Path) -> None:
    import_records(of(db), tmp_path / "again.db")
    with Tournament.resume(tmp_path / "again.db") as made:
        assert made.is_finished
        assert made.play().games == 12
    assert of(tmp_path / "again.db") == of(db)


def test_open_games_reads_tournaments_and_texts_by_their_content(db: Path, tmp_path: Path) -> None:
    (tmp_path / "no_suffix").write_bytes(db.read_bytes())
    (tmp_path / "text.db").write_text(text_of(of(db)))
    for path in (tmp_path / "no_suffix", tmp_path / "text.db"):
        with open_games(path) as store:
            assert list(store.records()) == of(db)
            assert store.count == 12
    assert not list(tmp_path.glob("text.db?*"))


def test_some_games_are_exported_by_number_or_agent(db: Path, tmp_path: Path) -> None:
    records = of(db)
    (absent,) = set(AGENTS) - set(records[0].players)
    assert records[6].players == records[0].players
    text = ok("export", str(db), "--game", "3", "--game", "1")
    assert text.count("[Game ") == 2
    assert text.index('[Round "1"]') < text.index('[Round "3"]')
    text = ok("export", str(db), "--agent", "random")
    assert text.count("[Game ") == sum("random" in record.players for record in records)
    for words, sentence in (
        (("--game", "13"), f"joute: there is no game 13 in {db}; it has games 1 to 12\n"),
        (("--agent", "gredy"), f"joute: unknown agent in {db} 'gredy'; did you mean 'greedy'?\n"),
        (("--agent", absent, "--game", "1"), f"joute: game 1 was not played by {absent}\n"),
        (("--agent", absent, "--game", "1", "--game", "7"), f"joute: games 1 and 7 were not played by {absent}\n"),
        (("--agent", "gredy", "--game", "1"), f"joute: unknown agent in {db} 'gredy'; did you mean 'greedy'?\n"),
    ):
        done = joute("export", str(db), *words)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)
    text_file = tmp_path / "games.txt"
    text_file.write_text(text_of(records))
    done = joute("export", str(text_file), "--agent", absent, "--game", "1", "-o", str(tmp_path / "none.txt"))
    assert (done.returncode, done.stderr) == (2, f"joute: game 1 was not played by {absent}\n")
    assert list(tmp_path.iterdir()) == [text_file]


def test_a_text_is_not_overwritten_unless_that_is_asked_for(db: Path, tmp_path: Path) -> None:
    out = tmp_path / "games.txt"
    out.write_text("precious")
    done = joute("export", str(db), "-o", str(out))
    assert (done.returncode, done.stderr) == (2, f"joute: {out} already exists; --force overwrites it\n")
    assert joute("export", str(db), "--game", "99", "-o", str(out), "--force").returncode == 2
    assert out.read_text() == "precious"
    ok("export", str(db), "-o", str(out), "--force")
    assert out.read_text().count("[Game ") == 12
    assert list(tmp_path.iterdir()) == [out]
    assert "cannot be written" in joute("export", str(db), "-o", str(tmp_path / "no" / "games.txt")).stderr


def test_nothing_is_imported_if_anything_is_wrong(db: Path, tmp_path: Path) -> None:
    text, target = tmp_path / "games.txt", tmp_path / "new.db"
    good = text_of(of(db)[:2])
    text.write_text(good + '\n[Game "connect4"]\n[First "a"]\n[Second "b"]\n9 1-0\n\n' + good)
    line = good.count("\n") + 5
    sentence = f"{text}, line {line}: move 1: illegal move 9 at ply 0 of connect4; legal moves: 1 2 3 4 5 6 7"
    done = joute("import", str(text), "--db", str(target))
    way_out = "; --skip-damaged takes the games that can be read\n"
    assert (done.returncode, done.stderr) == (2, f"joute: {sentence}{way_out}")
    with pytest.raises(JouteError) as raised:
        open_games(text)
    words = f"joute import {text} --db {tmp_path / 'games-saved.db'} --skip-damaged"
    assert str(raised.value) == f"{sentence}; to save the games that can be read: {words}"
    assert list(tmp_path.iterdir()) == [text]
    done = joute("import", str(text), "--db", str(target), "--skip-damaged")
    assert (done.returncode, done.stderr) == (1, f"joute: left out: {sentence}\n")
    assert of(target) == of(db)[:2] * 2
    before = target.read_bytes()
    done = joute("import", str(text), "--db", str(target), "--skip-damaged")
    assert (done.returncode, done.stderr) == (
        2,
        f"joute: {target} already exists; games are imported into a new file\n",
    )
    assert target.read_bytes() == before


def test_games_of_several_kinds_are_told_apart(tmp_path: Path) -> None:
    records = [play_game(game, "random", "greedy", seed=1) for game in ("connect4", "tictactoe", "connect4")]
    text = tmp_path / "mixed.txt"
    text.write_text(text_of(records))
    done = joute("import", str(text), "--db", str(tmp_path / "new.db"))
    sentence = (
        "a tournament is of one game, but these files have 2 of connect4 and 1 of tictactoe; choose one with --game"
    )
    assert (done.returncode, done.stderr) == (2, f"joute: {sentence}\n")
    with pytest.raises(SpecError, match="2 of connect4 and 1 of tictactoe"):
        open_games(text)
    ok("import", str(text), "--db", str(tmp_path / "new.db"), "--game", "tictactoe")
    assert of(tmp_path / "new.db") == records[1:2]
    done = joute("import", str(text), "--db", str(tmp_path / "none.db"), "--game", "conect4")
    assert done.stderr == "joute: unknown game 'conect4'; did you mean 'connect4'?\n"
    assert ok("export", str(text)) == text.read_text()
    assert "Tic-tac-toe" in ok("replay", str(text), "--game", "2")


def test_an_agent_that_plays_itself_is_two_in_the_table(tmp_path: Path) -> None:
    import_records([play_game("connect4", "random", "random", seed=1)], tmp_path / "new.db")
    assert of(tmp_path / "new.db")[0].players == ("random", "random #2")


def test_games_with_different_clocks_keep_them(tmp_path: Path) -> None:
    games = [play_game("connect4", "random", "greedy", clock=clock) for clock in ("10", "20", "20")]
    import_games([FiledGame(number, game, {}) for number, game in enumerate(games)], tmp_path / "new.db")
    assert [record.clocks for record in of(tmp_path / "new.db")] == [("10", "10"), ("20", "20"), ("20", "20")]


def test_files_without_games_give_one_clear_error(tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("; nothing yet\n")
    (tmp_path / "empty.db").touch()
    for path in (empty, tmp_path / "empty.db"):
        with pytest.raises(JouteError, match=f"there is no game in {path}"):
            open_games(path)
        for words in (("replay", str(path)), ("export", str(path), "-o", str(tmp_path / "out.txt"))):
            done = joute(*words)
            assert (done.returncode, done.stdout, done.stderr) == (2, "", f"joute: there is no game in {path}\n")
    done = joute("import", str(empty), "--db", str(tmp_path / "new.db"))
    assert (done.returncode, done.stderr) == (2, "joute: there is no game in empty.txt\n")
    with pytest.raises(JouteError, match=f"there is no file {tmp_path}/no.db"):
        open_games(tmp_path / "no.db")
    for attempt in (open_games, read_game_file):
        with pytest.raises(JouteError, match=f"{tmp_path} is a folder, not a file"):
            attempt(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.db", "empty.txt"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"Dear diary", 'line 1: a game begins with tags such as [Game "connect4"]'),
        (b"\n; notes\n1. e4 e5", 'line 3: a game begins with tags such as [Game "connect4"]'),
        (b"\x89PNG\r\n\x1a\n\0", "line 1: this is not UTF-8 text"),
    ],
)
def test_a_file_of_something_else_is_called_so(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "text.db"
    path.write_bytes(content)
    for numbers in ([], [3]):
        with pytest.raises(JouteError) as raised:
            list(read_game_file(path, numbers))
        assert str(raised.value) == f"{path} is neither a tournament's file nor a text of games ({why})"


class Trap:
    """A pickle that creates a file when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("protocol", [2, pickle.DEFAULT_PROTOCOL, pickle.HIGHEST_PROTOCOL])
def test_a_trace_that_is_a_pickle_is_refused_and_not_loaded(tmp_path: Path, protocol: int) -> None:
    path, touched = tmp_path / "trace", tmp_path / "touched"
    path.write_bytes(pickle.dumps(Trap(touched), protocol))
    with pytest.raises(
        JouteError, match=r"trace is a Python pickle, such as the trace that a course's game\.py writes"
    ):
        read_game_file(path)
    assert not touched.exists()


def test_a_text_that_begins_with_damage_is_a_text_all_the_same(db: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text("scribble\n" + text_of(of(db)[:2]))
    damaged, *others = read_game_file(path)
    assert isinstance(damaged, DamagedGame)
    assert [game.record for game in others if isinstance(game, FiledGame)] == of(db)[:2]
    path.write_text('[First "Anna"]\n[Second "Ben"]\n4 4\n')
    (damaged,) = read_game_file(path)
    assert isinstance(damaged, DamagedGame)
    assert str(damaged.error) == f'{path}, line 1: this game has no tag [Game "…"]'


def spoilt(db: Path, path: Path, *statements: str) -> Path:
    path.write_bytes(db.read_bytes())
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE games SET outcome = 7 WHERE number = 4", "game 5 cannot be read: outcome must be -1, 0 or 1"),
        ("UPDATE games SET first = 99 WHERE number = 4", "game 5 cannot be read: first is 99, and there are 3"),
        ("UPDATE games SET reason = 'luck' WHERE number = 4", "game 5 cannot be read: 'luck' is not a valid Reason"),
        ("UPDATE games SET first = -1 WHERE number = 4", "game 5 cannot be read: first is -1, and there are 3"),
        ("UPDATE games SET seed = 'x' WHERE number = 4", "game 5 cannot be read: seed is x, not a number"),
        (
            "UPDATE games SET detail = x'ff' WHERE number = 4",
            "game 5 cannot be read: detail is b'\\xff', which",
        ),
        (
            "UPDATE games SET overhead_s = 'x' WHERE number = 4",
            "game 5 cannot be read: overhead_s is 'x', which no",
        ),
        ("UPDATE games SET started = x'41' WHERE number = 4", "game 5 cannot be read: started is b'A', which no games"),
        ("UPDATE moves SET time_s = 'x' WHERE game = 4", "game 5 cannot be read: time_s is 'x', which no moves have"),
        ("UPDATE moves SET time_s = 1e308 WHERE game = 4", "game 5 cannot be read: time_s is 1e+308"),
        ("UPDATE moves SET time_s = 9e999 WHERE game = 4", "game 5 cannot be read: time_s is inf"),
        ("UPDATE moves SET player = 5 WHERE game = 4", "game 5 cannot be read: player is 5"),
        (
            "UPDATE moves SET told = 1, depth = 'x' WHERE game = 4",
            "game 5 cannot be read: depth is 'x', which no",
        ),
        (
            "UPDATE moves SET told = 1, pv = '[4]' WHERE game = 4",
            "game 5 cannot be read: pv is [4], not a list",
        ),
        (
            "UPDATE games SET detail = CAST(x'ff' AS TEXT) WHERE number = 4",
            "game 5 cannot be read: Could not decode to UTF-8",
        ),
        (
            "DELETE FROM moves WHERE game = 4 AND ply = 3",
            "game 5 cannot be read: 11 of its moves are found, and it has 12",
        ),
        ("UPDATE moves SET move = '9' WHERE game = 4 AND ply = 3", "game 5 cannot be replayed: move 4: illegal move 9"),
        ("UPDATE games SET outcome = -outcome, score = 0 WHERE number = 4", "game 5 cannot be replayed: the result is"),
    ],
)
def test_a_damaged_game_of_a_tournament_is_named_and_costs_no_other(
    db: Path, tmp_path: Path, statement: str, sentence: str
) -> None:
    path = spoilt(db, tmp_path / "spoilt.db", statement)
    before = path.read_bytes()
    done = joute("export", str(path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"joute: {path} is damaged: {sentence}")
    assert done.stderr.endswith("; --skip-damaged takes the games that can be read\n")
    assert len(done.stderr.splitlines()) == 1
    done = joute("export", str(path), "--skip-damaged", "-o", str(tmp_path / "rest.txt"))
    assert done.returncode == 1
    assert done.stderr.startswith(f"joute: left out: {path} is damaged: {sentence}")
    assert [game.record for game in whole_games(tmp_path / "rest.txt")] == of(db)[:4] + of(db)[5:]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tournament SET plan = '[]'",
        "UPDATE tournament SET plan = '5'",
        "UPDATE tournament SET plan = json_set(plan, '$.seed', 'x')",
        "UPDATE tournament SET plan = json_set(plan, '$.seed', -1)",
        "UPDATE tournament SET plan = json_set(plan, '$.clock', 7)",
        "UPDATE tournament SET plan = json_set(plan, '$.clock', 'soon')",
        "UPDATE tournament SET plan = json_set(plan, '$.entrants[0].name', 7)",
        "UPDATE tournament SET plan = json_set(plan, '$.entrants[0]', 'x')",
        "UPDATE tournament SET plan = json_set(plan, '$.isolation', 'x')",
        "UPDATE tournament SET plan = json_set(plan, '$.isolation.memory_mb', 'x')",
        f"UPDATE tournament SET plan = '{'[' * 20_000}'",
        "UPDATE tournament SET note = x'41'",
        "UPDATE openings SET position = x'41'",
        "DROP TABLE openings",
        "ALTER TABLE moves RENAME COLUMN pv TO vp",
    ],
)
def test_a_tournament_whose_settings_are_damaged_is_one_sentence_in_every_command(
    db: Path, tmp_path: Path, statement: str
) -> None:
    path = spoilt(db, tmp_path / "spoilt.db", statement)
    for words in (
        ("report", str(path), "-o", str(tmp_path / "it.html")),
        ("replay", str(path)),
        ("export", str(path)),
        ("import", str(path), "--db", str(tmp_path / "new.db"), "--skip-damaged"),
        ("tournament", "--resume", "--db", str(path)),
    ):
        done = joute(*words)
        assert done.returncode in (1, 2), (words, done)
        assert all(line.startswith("joute: ") for line in done.stderr.splitlines()), done.stderr
        assert "this is a bug" not in done.stderr


def test_games_are_saved_from_pages_that_are_no_more(tmp_path: Path) -> None:
    import_records([play_game("connect4", "greedy", "random", seed=seed) for seed in range(60)], tmp_path / "all.db")
    records = dict(enumerate(of(tmp_path / "all.db"), start=1))
    data = (tmp_path / "all.db").read_bytes()
    saved = 0
    for page in range(1, len(data) // 4096):
        path = tmp_path / f"{page}.db"
        path.write_bytes(data[: page * 4096] + b"\x99" * 4096 + data[(page + 1) * 4096 :])
        games = []
        with contextlib.suppress(StoreError):  # the page may have told what tournament it is
            games = list(read_game_file(path))
        if not games:
            continue
        whole = {game.number: game.record for game in games if isinstance(game, FiledGame)}
        damaged = [game for game in games if isinstance(game, DamagedGame)]
        assert all(records[number] == record for number, record in whole.items())
        assert all(f"game {game.number} " in str(game.error) for game in damaged)
        assert set(records) <= {game.number for game in games}
        saved += bool(damaged) and bool(whole)
    assert saved >= 5


def test_replay_prints_every_position_without_a_terminal(db: Path) -> None:
    record = of(db)[1]
    text = ok("replay", str(db), "--game", "2")
    states = list(record.states())
    first, last = states[0].ply, states[-1].ply
    assert 0 < first == last - len(record.moves)
    head = f"game 2, Connect Four: {record.players[0]} – {record.players[1]}"
    assert text.startswith(f"{head}\n\nply {first} of {last}: the start\n{states[0]}\n")
    for played, state in zip(record.moves, states[1:], strict=True):
        assert f"ply {state.ply} of {last}: {record.players[played.player]}, {state.players[played.player]}, " in text
        assert str(state) in text
    assert text.endswith(f"{record.players[record.winner or 0]} wins, by four in a row\n")


def test_replay_lists_the_games_of_a_file(db: Path, tmp_path: Path) -> None:
    lines = ok("replay", str(db)).splitlines()
    assert [line.split()[0] for line in lines if line.strip()[:1].isdecimal()] == [
        str(number) for number in range(1, 13)
    ]
    done = joute("replay", str(db), "--ply", "3")
    assert (done.returncode, done.stderr) == (2, f"joute: {db} has 12 games; choose one with --game\n")


def test_replay_gives_games_as_data(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replay(db, as_json=True)
    games = json.loads(capsys.readouterr().out)
    assert [game["number"] for game in games] == list(range(1, 13))
    for game, record in zip(games, of(db), strict=True):
        start, *states = record.states()
        assert (game["players"], game["start"], game["winner"]) == (list(record.players), record.start, record.winner)
        assert [move["position"] for move in game["moves"]] == [state.position for state in states]
        assert [move["ply"] for move in game["moves"]] == [start.ply + number for number in range(len(states))]
        assert [move["time_s"] for move in game["moves"]] == [played.time_s for played in record.moves]
    replay(db, game=3, as_json=True)
    assert json.loads(capsys.readouterr().out) == [games[2]]
    with pytest.raises(SpecError, match="leave out --ply, --delay and --svg"):
        replay(db, game=3, ply=2, as_json=True)


def test_replay_gives_no_times_that_a_file_lacks() -> None:
    record = play_game("connect4", "greedy", "random", seed=1)
    timeless = replace(record, moves=tuple(replace(played, time_s=0.0) for played in record.moves))
    assert {move["time_s"] for move in game_data(FiledGame(0, timeless))["moves"]} == {None}


def test_replay_shows_and_draws_one_position(db: Path, tmp_path: Path) -> None:
    record = of(db)[0]
    states = list(record.states())
    picture = tmp_path / "position.svg"
    ply = states[3].ply
    text = ok("replay", str(db), "--game", "1", "--ply", str(ply), "--svg", str(picture))
    assert str(states[3]) in text
    assert f"\nply {ply}: " in text
    assert str(states[2]) not in text
    assert ElementTree.fromstring(picture.read_text()).tag.endswith("svg")
    assert picture.read_text() == states[3].svg(record.moves[2].move)
    ok("replay", str(db), "--game", "1", "--svg", str(picture))
    assert picture.read_text() == states[-1].svg(record.moves[-1].move)
    done = joute("replay", str(db), "--game", "1", "--ply", "99")
    plies = f"game 1 goes from ply {states[0].ply} to {states[-1].ply}"
    assert done.stderr == f"joute: {plies}, so there is no position at ply 99\n"
    assert f"{plies}, so there is no position at ply 0" in joute("replay", str(db), "--game", "1", "--ply", "0").stderr


def test_a_picture_replaces_no_other_file_unless_that_is_asked_for(db: Path, tmp_path: Path) -> None:
    path = tmp_path / "precious.txt"
    for words in (("replay", str(db), "--game", "1"), ("show", "connect4")):
        path.write_text("precious")
        done = joute(*words, "--svg", str(path))
        sentence = f"{path} exists and is not an SVG picture; choose another file, or replace it with --force"
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"joute: {sentence}\n")
        assert path.read_text() == "precious"
        ok(*words, "--svg", str(path), "--force")
        assert path.read_text().startswith("<svg")
        ok(*words, "--svg", str(path))
        for target, sentence in (
            (tmp_path, f"{tmp_path} is a folder: name a file in it"),
            (tmp_path / "no" / "x.svg", f"{tmp_path}/no/x.svg cannot be written: there is no folder {tmp_path}/no"),
        ):
            assert joute(*words, "--svg", str(target)).stderr == f"joute: {sentence}\n"
        assert "/dev/null exists and is not an SVG picture" in joute(*words, "--svg", "/dev/null").stderr
    assert list(tmp_path.iterdir()) == [path]


def test_replay_tells_why_a_game_ended_and_what_chance_did(tmp_path: Path) -> None:
    text = tmp_path / "games.txt"
    text.write_text(
        '[Game "connect4"]\n[First "Anna"]\n[Second "Ben\\u001b[2J"]\n[Reason "time"]\n[Detail "Ben\\nslept"]\n'
        "1. 4 {0.5s value=0.25 depth=3 nodes=7 pv=4 3} 1-0\n"
    )
    shown = ok("replay", str(text), "--delay", "0")
    assert "ply 1 of 1: Anna, first (X), played 4\n  500.0 ms, value 0.25, depth 3, 7 nodes, pv 4 3\n" in shown
    assert shown.endswith("1-0: Anna wins, by time\nBen\\nslept\n")
    assert "\x1b" not in shown


def at_a_terminal(*words: str, typed: list[str], columns: int = 80) -> str:
    """What a person sees who types these lines, each after a question."""
    driver, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (50, columns))
    process = subprocess.Popen(
        [sys.executable, "-m", "joute", *words],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")} | {"TERM": "xterm"},
    )
    os.close(terminal)
    seen = ""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([driver], [], [], 1)[0]:
            continue
        try:
            seen += os.read(driver, 65536).decode()
        except OSError:  # the terminal was left
            break
        if typed and seen.endswith((": ", "q quits) ")):
            os.write(driver, f"{typed.pop(0)}\n".encode())
    os.close(driver)
    assert process.wait() == 0, seen
    return seen.replace("\r\n", "\n")


def test_a_person_looks_through_games(db: Path) -> None:
    first, second = ([str(state) for state in record.states()] for record in of(db)[:2])
    start = next(of(db)[0].states()).ply
    plies = f"game 1 goes from ply {start} to {start + len(first) - 1}"
    talk = [
        ("1", first[0]),
        ("", first[1]),
        ("b", first[0]),
        ("b", "this is the start"),
        ("e", first[-1]),
        ("", "that was the last position"),
        (str(start + 3), first[3]),
        ("999", plies),
        ("0", plies),
        ("n", second[0]),
        ("p", first[0]),
        ("p", "there is no other game"),
        ("s", first[0]),
        ("help", "the previous game"),
        ("what", "'what' is none of"),
        ("q", ""),
    ]
    seen = at_a_terminal("replay", str(db), typed=[words for words, _ in talk])
    answers = re.split(r"help: |q quits\) ", seen)[1:]
    for answer, (words, wanted) in zip(answers, talk, strict=True):
        assert answer.startswith(f"{words}\n")
        assert wanted in answer


def test_a_person_chooses_games(db: Path) -> None:
    talk = [
        ("help", "  12       game 12\n  l        list"),
        ("", "type the number of a game; there are games 1 to 12"),
        ("999", "there is no game 999; there are games 1 to 12"),
        ("x", "'x' is none of:\n  12       game 12"),
        ("2", f"game 2, Connect Four: {' – '.join(of(db)[1].players)}"),
        ("e", "wins, by"),
        ("b", "ply "),
        ("l", " 11   "),
        ("help", "  Enter    back to game 2\n  12       game 12"),
        ("", "ply "),
        ("l", " 11   "),
        ("5", "game 5, "),
        # What was typed while a shell had the terminal comes with the next line, behind \r.
        ("l\x16\rq", "which game? (Enter back, q quits) "),
    ]
    seen = at_a_terminal("replay", str(db), typed=[words for words, _ in talk])
    answers = re.split(r"help: |which game\? \((?:Enter back, )?q quits\) ", seen)[1:]
    for answer, (_, wanted) in zip(answers, talk[:-1], strict=False):
        assert wanted in answer, (wanted, answer)
    assert "Enter" not in answers[0]
    assert answers[9].removeprefix("\n") == answers[6].removeprefix("b\n")  # the position that was left
    assert seen.endswith(talk[-1][1])


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_a_list_of_games_has_numbers_and_results_however_narrow(db: Path, columns: int) -> None:
    seen = at_a_terminal("replay", str(db), typed=["q"], columns=columns)
    rows = [line.split() for line in seen.splitlines() if re.match(r" +[0-9]+ ", line)]
    results = {1: "1-0", 0: "½-½", -1: "0-1"}
    for number, (row, record) in enumerate(zip(rows, of(db), strict=True), start=1):
        assert (row[0], row[3]) == (str(number), results[record.result.outcome])
        for shown, name in zip(row[1:3], record.players, strict=True):
            head, ellipsis, tail = shown.partition("…")
            assert shown == name or (ellipsis and name.startswith(head) and name.endswith(tail))
        assert (len(row) > 5) == (columns >= 80)
    colours = r"\x1b\[[0-9;]*m"
    assert max(map(len, re.sub(colours, "", seen).splitlines())) <= columns


def test_a_game_that_is_chosen_is_shown_at_once_and_end_of_input_ends(db: Path) -> None:
    seen = at_a_terminal("replay", str(db), "--game", "5", typed=["\x04"])
    assert "game 5, Connect Four" in seen
    assert "game 4" not in seen


def test_export_of_a_tournament_of_a_game_that_is_gone_says_so(db: Path, tmp_path: Path) -> None:
    path = spoilt(db, tmp_path / "gone.db", "UPDATE tournament SET plan = replace(plan, '\"connect4\"', '\"chess\"')")
    done = joute("export", str(path), "--skip-damaged")
    assert (done.returncode, done.stderr[:29]) == (2, "joute: unknown game 'chess'; ")


def test_a_record_may_be_longer_than_any_line(tmp_path: Path) -> None:
    record = replace(play_game("connect4", "greedy", "random"), output=("x" * 100_000, "é\n" * 1000))
    (tmp_path / "games.txt").write_text(write_record(record))
    assert [game.record for game in whole_games(tmp_path / "games.txt")] == [record]


def test_the_games_of_a_match_are_kept_as_text(tmp_path: Path) -> None:
    out = tmp_path / "games.txt"
    words = ("match", "tictactoe", "greedy", "random", "--games", "4", "--records", str(out))
    told = ok(*words)
    games = whole_games(out)
    assert [game.record.players[0] for game in games] == ["greedy", "random"] * 2
    assert [game.tags["Round"] for game in games] == ["1", "2", "3", "4"]
    assert all(game.started for game in games)
    wins = sum(game.record.winner is not None and game.record.players[game.record.winner] == "greedy" for game in games)
    assert f" {wins} " in told
    done = joute(*words)
    assert (done.returncode, done.stderr) == (2, f"joute: {out} already exists; games are written to a new file\n")


def test_an_interrupted_match_loses_no_finished_game(tmp_path: Path) -> None:
    out = tmp_path / "games.txt"
    words = ("match", "connect4", "random", "random", "--games", "1000000", "--records", str(out))
    process = subprocess.Popen([sys.executable, "-m", "joute", *words], stderr=subprocess.DEVNULL)
    while not out.exists() or out.stat().st_size < 100_000:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    games = list(read_game_file(out))
    assert len(games) > 20
    # Whoever is killed while a game is being written leaves a part of it.
    assert all(isinstance(game, FiledGame) for game in games[:-1])


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with whole_file(pipe) as text:
            text.write("a game")
        assert os.read(reader, 100) == b"a game"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_link_and_the_rights_of_a_file_outlive_what_is_written_over_it(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("before")
    real.chmod(0o600)
    link.symlink_to(real)
    with whole_file(link) as text:
        text.write("after")
    assert link.is_symlink()
    assert real.read_text() == "after"
    assert real.stat().st_mode & 0o777 == 0o600
