"""Draw the moving picture of the README, docs/page.webp: python tools/readme_picture.py

The page plays a game of Quoridor in the Chromium of the system, and each move is a frame. Pillow comes with matplotlib.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import ViewportSize, sync_playwright

import joute

TARGET = Path(__file__).parents[1] / "docs" / "page.webp"
MOVES = 36
FRAME_MS, LAST_MS = 700, 3000
WINDOW: ViewportSize = {"width": 860, "height": 620}


def moves() -> list[str]:
    """The moves of a game between two levels, of which the second is stronger."""
    record = joute.play_game("quoridor", "level:4", "level:5", seed=6)
    return [str(played.move) for played in record.moves][:MOVES]


def frames(address: str) -> list[Image.Image]:
    """Return a picture of the page after each move."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=WINDOW, locale="en-GB", reduced_motion="reduce")
        page.goto(address)
        page.locator('[data-game="quoridor"]').click()
        page.get_by_text("Same screen").click()
        page.get_by_role("button", name="Play", exact=True).click()
        page.locator(".board svg.scene").wait_for()
        shown = []
        for number, move in enumerate(moves(), start=1):
            page.fill("#typed-move", move)
            page.keyboard.press("Enter")
            page.locator(".moves button").nth(number - 1).wait_for()
            page.wait_for_timeout(200)
            page.evaluate("scrollTo(0, 0)")
            shown.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
        browser.close()
    return shown


def main() -> None:
    """Serve the page, play on it and write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "joute", "serve", "--port", "0"]
        variables = os.environ | {"XDG_DATA_HOME": folder}  # where the page keeps its games
        with subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout
            found = next(match for line in server.stdout if (match := re.search(r"http://\S+", line)))
            first, *others = frames(found[0])
            server.terminate()
    times = [FRAME_MS] * len(others) + [LAST_MS]
    first.save(TARGET, save_all=True, append_images=others, duration=times, loop=0, quality=60, method=6)


if __name__ == "__main__":
    main()
