"""Every generic test runs on every game: the built-in ones, two plug-ins, and three toys."""

from __future__ import annotations

import os
import shutil
import signal
import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

import joute_toys
import pytest

from joute.agents import registry
from joute.arena.players.sandbox import check_sandbox
from joute.arena.pool import venue
from joute.arena.pool.cores import worker_count
from joute.arena.schedules import registry as schedule_registry
from joute.errors import JouteError
from joute.games import NativeState, effects, game_names, new, register
from joute.games import registry as game_registry
from joute.games.state import State
from joute.match import signature
from joute.plugins import Registry
from joute.reproduce import run as reproduce


@register
class Dice(joute_toys.Dice, NativeState):  # type: ignore[misc]
    __slots__ = ()
    game: ClassVar[str] = "dice"
    title: ClassVar[str] = "Dice race"
    opening_plies: ClassVar[int] = 2


@register
class Boxes(joute_toys.Boxes, NativeState):  # type: ignore[misc]
    __slots__ = ()
    game: ClassVar[str] = "boxes"
    title: ClassVar[str] = "Dots and boxes"
    opening_plies: ClassVar[int] = 2


@register
class Noughts(joute_toys.TicTacToe, NativeState):  # type: ignore[misc]
    __slots__ = ()
    game: ClassVar[str] = "noughts"
    title: ClassVar[str] = "Noughts and crosses"
    opening_plies: ClassVar[int] = 1


GAMES = game_names()

#: Files with tests that take two seconds or more, most of processor time. They run first, so that no worker ends the
#: run alone with one of them.
LONG = {
    "test_arena_api.py", "test_arena_page.py", "test_bench.py", "test_check.py", "test_class_tournament.py",
    "test_cli.py", "test_cli_process.py", "test_frozen.py", "test_isolation.py", "test_layers.py",
    "test_learn_page.py", "test_page_play.py", "test_ratings.py", "test_reproduce.py", "test_resume.py",
    "test_same_games.py", "test_schedules.py", "test_serve_command.py", "test_tcp_player.py",
    "test_tournament.py", "test_train_command.py", "test_train_resume.py", "test_train_tictactoe.py",
    "test_vampires_training.py",
}  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    # A run in the background of a script ignores Ctrl-C, and so would the processes that tests interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for game in (Dice, Boxes, Noughts):  # those of packages are in the conftest.py above
        config.addinivalue_line("markers", f"{game.game}: generic tests that run on it")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name not in LONG)


def pytest_generate_tests(metafunc: Any) -> None:
    if "game" in metafunc.fixturenames:
        assert {"connect4", "tictactoe", "othello", "dice", "boxes", "noughts"} <= set(GAMES)
        metafunc.parametrize("game", GAMES)


@pytest.fixture(autouse=True)
def _registered_for_one_test_only() -> Iterator[None]:
    """What a test or an example registers is gone after it: other tests run on every game and agent there is."""
    registries: tuple[Registry[Any], ...] = (
        registry._agents,
        game_registry._games,
        effects._effects,
        signature._benches,
        schedule_registry._schedules,
    )
    before = [dict(each._loaded) for each in registries]
    yield
    for each, loaded in zip(registries, before, strict=True):
        each._loaded = loaded


@pytest.fixture(autouse=True)
def _own_folder_of_data(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Joute keeps about its user, such as saved games, does not come from or go to the person who tests it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "data"))
    monkeypatch.delenv("JOUTE_GAMES", raising=False)


@pytest.fixture
def start(game: str) -> State:
    return new(game)


@pytest.fixture
def one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tournament that does not say how many games it plays at once plays one: a second worker for few games costs
    more than it saves."""

    def count(sources: Any, wanted: int, *options: Any) -> tuple[int, str]:
        return worker_count(sources, wanted or 1, *options)

    monkeypatch.setattr(venue, "worker_count", count)
    monkeypatch.setattr(reproduce, "usable_cores", lambda: [0])


@pytest.fixture
def jail() -> None:
    """Skip loudly where there is no sandbox; on the machines of continuous integration there must be one."""
    try:
        check_sandbox()
    except JouteError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        warnings.warn(f"NOT TESTED: {error}", stacklevel=1)
        pytest.skip(str(error))


def _missing_browser() -> str:
    """Why there is no browser to test in; empty if there is one."""
    if not (shutil.which("chromium") or shutil.which("google-chrome")):
        return "Chromium is not installed (Debian, Ubuntu: apt install chromium)"
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "Playwright is not installed (pip install playwright)"
    return ""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Skip loudly where there is no browser; on the machines of continuous integration there must be one."""
    if missing := _missing_browser():
        if os.environ.get("CI"):
            pytest.fail(missing)
        warnings.warn(f"NOT TESTED: {missing}", stacklevel=1)
        pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium refuses to jail itself as root
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=arguments)
        yield running
        running.close()
