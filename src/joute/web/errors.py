"""Errors that the page reports to the browser."""

from __future__ import annotations


class PageError(Exception):
    """A request that cannot be served. `code` is stable, and the page translates it; `message` is English."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status

    def as_data(self) -> dict[str, str]:
        """The error as JSON."""
        return {"code": self.code, "message": self.message}


def failed() -> PageError:
    """The error for a defect or a full disk; the terminal of the server shows which."""
    return PageError("failed", "the server failed; its terminal says why", 500)


def not_found(what: str) -> PageError:
    """The error for something that does not exist, or that this visitor may not know to exist."""
    return PageError("not_found", f"there is no such {what}", 404)
