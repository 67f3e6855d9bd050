"""Analyses and reviews as streams of answers: for the WebSocket, and as JSON lines for programs.

A stream begins with a wish, sends any number of answers of kind ``partial``, and ends with one of kind ``final`` or
``error``. Its search runs in an engine process for a bounded time, and ends when nobody takes the answers any more.
docs/page.md describes the fields.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, Literal

from pydantic import Field

from joute.web.context import Server
from joute.web.messages import Strict
from joute.web.pool import JobError, Patience
from joute.web.studies import Study

# An engine process that was asked to stop gets this long beyond the limit of its search.
_GRACE_S = 2.0


class Analysis(Strict):
    """Analyse the position at the end of a line; every value says whose view it takes."""

    study: Study
    lines: int = Field(3, ge=1, le=8, description="how many moves get a value and a line")
    seconds: float | None = Field(None, gt=0, description="the time of the search; at most the server's limit")


class ReviewWish(Strict):
    """Judge every move of a line, as ``joute review`` does."""

    study: Study
    names: tuple[str, str] = Field(("first", "second"), description="the players, for sentences")
    nodes: int | None = Field(
        None, ge=1, le=1_000_000, description="nodes of each search; by default those of joute review"
    )


class Analyse(Analysis):
    """Begin a stream of analysis. A stream of the same name of this socket ends."""

    type: Literal["analyse"]
    stream: str = Field(min_length=1, max_length=40, description="a name for the answers")


class Review(ReviewWish):
    """Begin a stream of review. A stream of the same name of this socket ends."""

    type: Literal["review"]
    stream: str = Field(min_length=1, max_length=40, description="a name for the answers")


class Stop(Strict):
    """End a stream: its search stops, and no more answers come."""

    type: Literal["stop"]
    stream: str = Field(min_length=1, max_length=40, description="the name of the stream")


async def answers(server: Server, visitor: str, wish: Analysis | ReviewWish) -> AsyncGenerator[dict[str, Any]]:
    """The answers to a wish. PageError before the first if the position is wrong or too many searches run."""
    wish.study.start_state  # noqa: B018  # raises PageError
    limits = server.settings.limits
    if isinstance(wish, Analysis):
        limit_s = min(wish.seconds or limits.analysis_s, limits.analysis_s)
        kind, request = "analyse", {**wish.study.request, "lines": wish.lines, "seconds": limit_s}
    else:
        limit_s = limits.review_s
        kind = "review"
        request = {**wish.study.request, "names": list(wish.names), "nodes": wish.nodes}
    patience = Patience.IDLE if isinstance(wish, Analysis) else Patience.LONG
    job = server.pool.run(
        kind, request, visitor=visitor, key=f"{kind} {visitor}", limit_s=limit_s + _GRACE_S, patience=patience
    )
    try:
        async for update in job:
            yield {"kind": "partial", **update}
        yield {"kind": "final", "is_cut": job.cut.is_set(), **(await job.result())}
    except JobError as error:
        yield {"kind": "error", "error": str(error)}
    finally:
        job.cancel()
