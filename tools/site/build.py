"""Build the documentation site: ``make docs``.

The pages of docs/ are written for any viewer of Markdown. Here they get pages of reference, made from the code, and
Zensical makes the site of them. Links to files outside docs/ lead nowhere on a site, so they become plain text.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from reference import PAGES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SOURCE = ROOT / "build" / "site"
# [text](target), where the text may contain brackets of code.
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]+)(#[^)]*)?\)")
# Pages from elsewhere, by their places on the site.
MOVED = {ROOT / "CONTRIBUTING.md": DOCS / "contributing.md"}


def site_text(page: Path, place: Path) -> str:
    """Return a page's text for a place of the site, given as one in docs/: links to other files become plain text."""

    def replaced(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        if ":" in target:
            return match[0]
        path = (page.parent / target).resolve()
        path = MOVED.get(path, path)
        if not path.is_relative_to(DOCS):
            return words
        return f"[{words}]({os.path.relpath(path, place.parent)}{anchor})"

    return _LINK.sub(replaced, page.read_text("utf-8"))


def assemble(target: Path) -> None:
    """Write the source of the site into a folder."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(DOCS, target)
    for page in [*DOCS.rglob("*.md"), *MOVED]:
        place = MOVED.get(page, page)
        (target / place.relative_to(DOCS)).write_text(site_text(page, place), "utf-8")
    (target / "assets").mkdir()
    shutil.copy(Path(__file__).with_name("iframe-worker.js"), target / "assets")
    (target / "reference").mkdir()
    for name, page_text in PAGES.items():
        (target / "reference" / name).write_text(page_text(), "utf-8")


def main() -> int:
    """Assemble and build; any warning fails."""
    assemble(SOURCE)
    zensical = Path(sys.executable).with_name("zensical")
    return subprocess.run([zensical, "build", "--strict", "--clean"], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
