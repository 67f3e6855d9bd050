"""What every view of the page must satisfy."""

from __future__ import annotations

from typing import Any

#: What axe-core checks: WCAG 2.2 AA and good practice.
AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def is_narrow(page: Any) -> bool:
    """Whether nothing is wider than the window."""
    found: bool = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return found


def axe_problems(page: Any) -> list[str]:
    """What axe-core finds, as ``rule: element``."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"runOnly": AXE_TAGS}).response["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]
