"""One server for all tests of a file, and pages in Chromium. A test fails if a script of its page did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from page_server import PageServer, serving

#: What axe-core checks: WCAG 2.2 AA and good practice.
AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """The server, with one engine process."""
    running = serving(tmp_path_factory.mktemp("page"))
    yield running
    running.close()


class Visit:
    """A visitor with a browser of its own."""

    def __init__(self, browser: Any, server: PageServer, **settings: Any) -> None:
        self.server = server
        self.context = browser.new_context(**{"locale": "en-GB", "reduced_motion": "reduce", **settings})
        self.page = self.context.new_page()
        self.page.set_default_timeout(20_000)
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


@pytest.fixture
def visit(browser: Any, server: PageServer) -> Iterator[Callable[..., Visit]]:
    """Makes visitors; settings are those of Playwright's contexts."""
    made: list[Visit] = []

    def make(**settings: Any) -> Visit:
        made.append(Visit(browser, server, **settings))
        return made[-1]

    yield make
    problems = [problem for each in made for problem in each.problems]
    for each in made:
        each.context.close()
    assert problems == []


def axe_problems(page: Any) -> list[str]:
    """What axe-core finds wrong on a page, a line each."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"runOnly": AXE_TAGS}).response["violations"]
    return [f"{each['id']}: {each['help']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


def is_narrow(page: Any) -> bool:
    """Whether the page fits the width of its window, so that nobody scrolls sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
