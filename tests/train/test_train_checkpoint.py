"""The folder of a training run: whole at any instant, small, and never another's."""

from __future__ import annotations

import json
import os
import pickle
import random
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from joute.errors import JouteError
from joute.train import checkpoint
from joute.train.checkpoint import RunFolder, Saved, pack_model, records, unpack_model
from joute.train.parameters import TrainParameters

SETTINGS = TrainParameters().settings


def record(number: int, size: int = 40) -> bytes:
    """A game as the core would write it, which cannot be compressed."""
    body = number.to_bytes(4, "little") + random.Random(number).randbytes(size - 4)
    return len(body).to_bytes(4, "little") + body


def saved(number: int) -> Saved:
    return Saved("connect4", SETTINGS, {"counters": {"steps": number}}, b"model %d" % number, [b"a%d" % number, b"b"])


def games_of(folder: RunFolder) -> list[bytes]:
    return [each for blob in folder.games() for each in records(blob)]


def reopened(path: Path) -> tuple[Saved, list[bytes]]:
    with RunFolder(path) as folder:
        return folder.load(), games_of(folder)


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    games = [record(n, 10 + 7 * n) for n in range(20)]
    with RunFolder(tmp_path / "run") as folder:
        assert not folder.has_checkpoint
        folder.save(saved(1), games=[b"".join(games[:5]), b"", b"".join(games[5:12])])
        folder.save(saved(2), games=[b"".join(games[12:])])
    with RunFolder(tmp_path / "run") as folder:
        assert folder.parameters == SETTINGS
        assert folder.load() == saved(2)
        assert games_of(folder) == games


class Killed(BaseException):
    """Stands for a process that ends at once."""


@pytest.fixture
def kill_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Ends the process, so to speak, before its n-th write, rename, deletion or wait for the disk."""
    left = [1_000_000]

    def counted() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Killed

    def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            counted()
            return function(*arguments)

        return call

    for name in ("fsync", "replace", "unlink"):
        monkeypatch.setattr(os, name, wrapped(getattr(os, name)))
    write = RunFolder._write

    def in_two_halves(self: RunFolder, name: str, data: bytes) -> Any:
        (self.path / name).write_bytes(data[: len(data) // 2])
        counted()
        return write(self, name, data)

    monkeypatch.setattr(RunFolder, "_write", in_two_halves)

    def arm(steps: int) -> None:
        left[0] = steps

    return arm


def test_after_a_kill_at_any_write_one_whole_checkpoint_loads(tmp_path: Path, kill_at: Callable[[int], None]) -> None:
    games = [record(n) for n in range(30)]
    seen: list[int] = []
    for step in range(200):
        kill_at(1_000_000)
        path = tmp_path / f"run{step}"
        folder = RunFolder(path)
        folder.save(saved(1), games=[b"".join(games[:10])])
        folder.save(saved(2), games=[b"".join(games[10:20])])
        kill_at(step)
        try:
            folder.save(saved(3), games=[b"".join(games[20:])])
            is_whole = True
        except Killed:
            is_whole = False
        kill_at(1_000_000)
        folder.close()
        found, found_games = reopened(path)
        number = found.state["counters"]["steps"]
        seen.append(number)
        assert number in (2, 3)
        assert found == saved(number)
        assert found_games == games[: 10 * number]
        with RunFolder(path) as going_on:  # and the run goes on as if nothing had happened
            going_on.save(saved(4), games=[record(99)])
        assert reopened(path) == (saved(4), [*games[: 10 * number], record(99)])
        assert sorted(os.listdir(path)) == sorted({"lock", "state.json", *named_by(path)})
        if is_whole:
            break
    assert seen == sorted(seen)
    assert seen.count(2) >= 8  # before every one of these writes
    assert seen.count(3) >= 2  # and after


def named_by(path: Path) -> set[str]:
    content = json.loads((path / "state.json").read_text())
    return {entry["name"] for entry in (content["model"], *content["pools"], *content["games"])}


def test_a_process_that_is_killed_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from test_train_checkpoint import record, saved
from joute.train.checkpoint import RunFolder
with RunFolder(Path(sys.argv[1])) as folder:
    first = folder.load().state["counters"]["steps"] + 1 if folder.has_checkpoint else 1
    for number in range(first, 10**9):
        folder.save(saved(number), games=[record(number, 20_000)])
        print(number, flush=True)
"""
    path = tmp_path / "run"
    for kill_after in (3, 7):
        root = Path(__file__).parent
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True, cwd=root
        )
        assert process.stdout
        told = [int(process.stdout.readline()) for _ in range(kill_after)]
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        found, games = reopened(path)
        number = found.state["counters"]["steps"]
        assert number >= told[-1]
        assert found == saved(number)
        assert games == [record(n, 20_000) for n in range(1, number + 1)]


def test_a_checkpoint_that_fails_spoils_neither_the_old_one_nor_the_next(
    tmp_path: Path, kill_at: Callable[[int], None]
) -> None:
    games = [record(n) for n in range(6)]
    for step in range(0, 17, 2):
        kill_at(1_000_000)
        path = tmp_path / f"run{step}"
        with RunFolder(path) as folder:
            folder.save(saved(1), games=games[:2])
            kill_at(step)
            with pytest.raises(Killed):
                folder.save(saved(2), games=games[2:4])
            kill_at(1_000_000)
            folder.save(saved(3), games=games[2:])
        assert reopened(path)[0] == saved(3)
        assert reopened(path)[1][-4:] == games[2:]


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> int:
    assert checkpoint.SHARD_BYTES <= 15 * 2**20
    monkeypatch.setattr(checkpoint, "SHARD_BYTES", 4000)
    monkeypatch.setattr(checkpoint, "_PIECE_BYTES", 500)
    return 4000


def test_games_are_kept_in_six_shards_at_most_the_newest_and_full_ones_are_not_written_again(
    tmp_path: Path, small_shards: int
) -> None:
    total = 0
    inodes: dict[str, int] = {}
    with RunFolder(tmp_path / "run") as folder:
        for number in range(60):
            count = (number * 7) % 23
            folder.save(saved(number), games=[b"".join(record(total + n, 90) for n in range(count))])
            total += count
            files = sorted((tmp_path / "run").glob("games-*.z"))
            assert len(files) <= 6
            assert all(file.stat().st_size <= small_shards for file in files)
            now = {file.name: file.stat().st_ino for file in files}
            assert len(set(inodes) - set(now)) <= 2  # the oldest, which is dropped, and the last one, which has grown
            assert all(inodes[name] == inode for name, inode in now.items() if name in inodes)
            inodes = now
            kept = games_of(folder)
            assert kept == [record(n, 90) for n in range(total - len(kept), total)]
        assert len(files) == 6
        assert sum(file.stat().st_size for file in files) > 5 * 0.8 * small_shards


def test_more_games_at_once_than_all_shards_hold_leave_the_newest(tmp_path: Path, small_shards: int) -> None:
    with RunFolder(tmp_path / "run") as folder:
        folder.save(saved(1), games=[record(n, 90) for n in range(1000)], shards=2)
        kept = games_of(folder)
        assert len(list((tmp_path / "run").glob("games-*.z"))) == 2
        assert kept == [record(n, 90) for n in range(1000 - len(kept), 1000)]
        assert len(kept) > 40


def test_a_blob_that_ends_inside_a_game_is_refused(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run") as folder:
        folder.save(saved(1))
        with pytest.raises(JouteError, match="ends inside a record"):
            folder.save(saved(2), games=[record(1) + record(2)[:-1]])
    assert reopened(tmp_path / "run") == (saved(1), [])


@pytest.mark.parametrize("role", ["state.json", "model-*", "pool-*-1*", "games-*"])
@pytest.mark.parametrize("harm", ["a byte", "the end", "all of it"])
def test_a_damaged_checkpoint_is_refused_in_a_sentence(tmp_path: Path, role: str, harm: str) -> None:
    with RunFolder(tmp_path / "run") as folder:
        folder.save(saved(1), games=[record(1)])
    (file,) = (tmp_path / "run").glob(role)
    data = bytearray(file.read_bytes())
    if harm == "a byte":
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    elif harm == "the end":
        file.write_bytes(data[:-3])
    elif role == "state.json":  # then there is no checkpoint at all, but still a run's folder
        file.unlink()
        with RunFolder(tmp_path / "run") as folder:
            assert not folder.has_checkpoint
        return
    else:
        file.unlink()
    with pytest.raises(JouteError) as error:
        reopened(tmp_path / "run")
    assert file.name in str(error.value)
    assert "choose another folder" in str(error.value)
    assert "\n" not in str(error.value)


def strangers(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    (tmp_path / "file").write_text("mine")
    yield tmp_path / "file", "is a file"
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").write_text("mine")
    yield tmp_path / "thesis", "holds other files and no training run"
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked" / "lock").write_text("of another program")
    (tmp_path / "locked" / "model-000001.pt").write_text("mine")
    yield tmp_path / "locked", "holds other files and no training run"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "state.json").write_text('{"format": "another program"}')
    (tmp_path / "other" / "model-000001.pt").write_text("mine")
    yield tmp_path / "other", "is not a checkpoint of a run"
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "state.json").write_text('{"format": "joute training 99", "joute": "9.9"}')
    yield tmp_path / "later", "is of joute 9.9"
    yield tmp_path / "nowhere" / "run", "there is no folder"


def test_games_are_kept_in_pieces_however_they_were_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "_PIECE_BYTES", 100)
    games = [record(n) for n in range(7)]  # of 44 bytes
    for name, blobs in (("one", [b"".join(games)]), ("many", games)):
        with RunFolder(tmp_path / name) as folder:
            folder.save(saved(1), games=blobs)
            assert [len(piece) // 44 for piece in folder.games()] == [2, 2, 2, 1]


@pytest.mark.parametrize("harm", ["elsewhere", "no serial", "a bomb"])
def test_a_strangers_checkpoint_gives_one_clear_error(
    tmp_path: Path, harm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "_MOST_PIECE_BYTES", 1000)
    path = tmp_path / "run"
    with RunFolder(path) as folder:
        folder.save(saved(1), games=[record(1)])
    content = json.loads((path / "state.json").read_text())
    shard = content["games"][0]
    if harm == "elsewhere":
        shard["name"] = "/dev/zero"
    if harm == "no serial":
        del content["serial"]
    if harm == "a bomb":
        packed = zlib.compress(bytes(100_000))
        (path / shard["name"]).write_bytes(packed)
        shard.update(vars(checkpoint._File.of(shard["name"], packed)))
    del content["checksum"]
    (path / "state.json").write_text(json.dumps(content | {"checksum": checkpoint._checksum(content)}))
    with pytest.raises(JouteError, match="was not written by joute"):
        reopened(path)


def test_a_folder_that_is_something_else_is_refused_and_not_harmed(tmp_path: Path) -> None:
    for path, reason in strangers(tmp_path):
        before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
        with pytest.raises(JouteError, match=reason):
            RunFolder(path)
        assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def test_files_of_the_user_beside_a_run_stay(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with RunFolder(path) as folder:
        folder.save(saved(1))
        (path / "notes.txt").write_text("mine")
        folder.save(saved(2))
    assert (path / "notes.txt").read_text() == "mine"


def test_two_runs_in_one_folder_are_refused(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run"), pytest.raises(JouteError, match="is in use: another process is training there"):
        RunFolder(tmp_path / "run")
    RunFolder(tmp_path / "run").close()


def test_a_run_of_another_game_or_shape_is_refused_and_other_settings_may_change(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run") as folder:
        folder.check_same_run("avalam", SETTINGS)  # nothing is there yet
        folder.save(saved(1))
        folder.check_same_run("connect4", SETTINGS | {"learning_rate": 0.5, "threads": 3, "minutes": 99.0})
        with pytest.raises(JouteError, match="holds a run of connect4, not of quoridor"):
            folder.check_same_run("quoridor", SETTINGS)
        for name in ("channels", "blocks", "pools", "games", "seed"):
            with pytest.raises(JouteError, match=f"has {name}=.* and cannot go on with {name}=7"):
                folder.check_same_run("connect4", SETTINGS | {name: 7})


def test_a_model_comes_back_and_what_a_stranger_made_is_not_run(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    model: dict[str, Any] = {"weights": {"a": torch.arange(6.0).reshape(2, 3)}, "steps": 7, "rungs": [{"at": 1}]}
    found = unpack_model(pack_model(model))
    assert found["steps"] == 7
    assert found["rungs"] == [{"at": 1}]
    assert torch.equal(found["weights"]["a"], model["weights"]["a"])

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(tmp_path / "harmed"),)

    for stranger in (pickle.dumps(Evil(), protocol=2), b"no model", pack_model({"x": 1})[:-30]):
        with pytest.raises(JouteError, match="model of the checkpoint"):
            unpack_model(stranger)
    import io

    buffer = io.BytesIO()
    torch.save(Evil(), buffer)
    with pytest.raises(JouteError, match="model of the checkpoint"):
        unpack_model(buffer.getvalue())
    assert not (tmp_path / "harmed").exists()
