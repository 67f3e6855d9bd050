"""Write the cheat sheets of Joute's games into docs/agents.md, after its line `MARK`."""

from __future__ import annotations

from pathlib import Path

from joute.games.guide import sheet
from joute.plugins import all_rooms

PAGE = Path(__file__).parent.parent / "docs" / "agents.md"
MARK = "<!-- The rest of this page is made by `python tools/agents_page.py`. -->\n"


def page() -> str:
    """Return the contents of the page: its hand-written part, then a sheet for each game."""
    written, found, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    if not found:
        raise SystemExit(f"{PAGE} has no line {MARK}")
    sheets = [sheet(name) for name, room in all_rooms().items() if room.is_ours]
    return f"{written}{MARK}\n" + "\n".join(sheets)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
