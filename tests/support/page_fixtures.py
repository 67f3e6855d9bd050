"""One server for all tests of a file, and pages in Chromium. A test fails if a script of its page did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from page_server import PageServer, serving
from page_visits import Visit


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """The server, with one engine process."""
    running = serving(tmp_path_factory.mktemp("page"))
    yield running
    running.close()


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
