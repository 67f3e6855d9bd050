"""The report of 1,000 games: how long it takes to make, how large it is, and how soon it can be seen."""

from __future__ import annotations

import contextlib
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from joute.arena.plan import make_plan
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.report.data import make_report
from joute.report.html import html_report

# What the report promises.
GOAL_MB, GOAL_S = 5.0, 2.0

AGENTS = ("greedy", "alphabeta:depth=2", "alphabeta:depth=4", "mcts:iterations=100", "mcts:iterations=300")
GAMES_A_PAIRING = 100


def run(repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "t.db"
        plan = make_plan("connect4", AGENTS, games=GAMES_A_PAIRING, seed=1)
        with Tournament.create(plan, db, command="benchmark") as tournament:
            tournament.play()
        page = Path(folder) / "report.html"
        making_s = [_make(db, page) for _ in range(repeats)]
        with Store.read(db) as store:
            games, plies = store.count, sum(len(record.moves) for record in store.records())
        size_mb = page.stat().st_size / 1e6
        print(f"\nThe report of {games:,} games of Connect Four, {plies / games:.1f} plies each; medians")
        print(f"  made in {statistics.median(making_s):.2f} s")
        print(f"  {size_mb:.2f} MB ({_verdict(size_mb < GOAL_MB, f'{GOAL_MB:g} MB')})")
        with _browser() as browser:
            if browser is None:
                print("  Chromium or Playwright is not installed: opening it is not measured")
                return
            opened = [_open(browser, page) for _ in range(repeats)]
        for what, times_s in zip(("loaded", "first game drawn"), zip(*opened, strict=True), strict=True):
            median_s = statistics.median(times_s)
            print(f"  {what} after {median_s:.2f} s in Chromium ({_verdict(median_s < GOAL_S, f'{GOAL_S:g} s')})")


def _verdict(reached: bool, goal: str) -> str:
    return f"goal {goal}: {'reached' if reached else 'MISSED'}"


def _make(db: Path, page: Path) -> float:
    began = time.perf_counter()
    with Store.read(db) as store:
        page.write_text(html_report(make_report(store), store), encoding="utf-8")
    return time.perf_counter() - began


@contextlib.contextmanager
def _browser() -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        yield None
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        yield browser
        browser.close()


def _open(browser: Any, page: Path) -> tuple[float, float]:
    """Seconds until the page has loaded, and until its first game stands on the board, in a window of its own."""
    context = browser.new_context()
    window = context.new_page()
    began = time.perf_counter()
    window.goto(page.as_uri(), wait_until="load")
    loaded_s = time.perf_counter() - began
    window.wait_for_selector("html[data-ready]")
    drawn_s = time.perf_counter() - began
    context.close()
    return loaded_s, drawn_s
