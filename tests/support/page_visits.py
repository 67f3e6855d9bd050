"""Pages in Chromium for tests."""

from __future__ import annotations

from typing import Any

from page_server import PageServer

#: What axe-core checks: WCAG 2.2 AA and good practice.
AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


class Visit:
    """A visitor with a browser of its own."""

    def __init__(self, browser: Any, server: PageServer, **settings: Any) -> None:
        self.server = server
        self.context = browser.new_context(**{"locale": "en-GB", "reduced_motion": "reduce", **settings})
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self._note)

    def _note(self, message: Any) -> None:
        # The browser itself reports failed requests, which tests provoke, as errors without a place in a script.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.problems.append(message.text)

    def open(self, place: str = "") -> Any:
        """Go to an address of the page, such as ``#/play``; returns Playwright's page."""
        self.page.goto(f"{self.server.address}/{place}")
        self.page.wait_for_selector("main:not([aria-busy]) .view > *")
        return self.page


def axe_problems(page: Any) -> list[str]:
    """The findings of axe-core on a page, a line each."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"runOnly": AXE_TAGS}).response["violations"]
    return [f"{each['id']}: {each['help']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


def is_narrow(page: Any) -> bool:
    """Whether the page fits the width of its window, so that nobody scrolls sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
