"""Talking with the analysis service, in a process of its own or in a thread of this one."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

from json_schema import check_analysis
from ugi_session import TIMEOUT_S, ProcessSession, Session

from joute.protocol.analysis_service import Service

Data = dict[str, Any]


class AnalysisSession(Session):
    """A service in this process, which knows the games and agents that the tests register.

    Every answer is checked against the schema, and so is every request that is sent by `ask`.
    """

    def __init__(self, *, jobs: int = 1, game: str | None = "connect4", agent: str | None = None) -> None:
        input_fd, to_service = os.pipe()
        from_service, output_fd = os.pipe()
        super().__init__(to_service, from_service)
        self.service = Service(input_fd=input_fd, output_fd=output_fd, jobs=jobs, game=game, agent=agent)
        self.end: BaseException | str | None = None
        self._is_hung_up = False

        def serve() -> None:
            try:
                self.service.run()
                self.end = "done"
            except BaseException as error:
                self.end = error
            os.close(output_fd)
            os.close(input_fd)

        self._thread = threading.Thread(target=serve, daemon=True)
        self._thread.start()

    def __enter__(self) -> AnalysisSession:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_hung_up:
            self.send('{"id": "the end", "action": "cancel_all"}')
            self.hang_up()
        self.join()
        os.close(self._from)

    def hang_up(self) -> None:
        self._is_hung_up = True
        super().hang_up()

    def join(self) -> None:
        self._thread.join(TIMEOUT_S)
        assert not self._thread.is_alive()

    def ask(self, **request: Any) -> None:  # type: ignore[override]
        check_analysis(request, "request")
        self.send(json.dumps(request))

    def answer(self) -> Data:
        line = self.line()
        assert line is not None, "the service has ended"
        return checked(line)

    def answers(self, count: int) -> list[Data]:
        return [self.answer() for _ in range(count)]

    def all_answers(self) -> list[Data]:
        """The answers up to the end, after the end of the input."""
        self.hang_up()
        return [checked(line) for line in self.rest()]


def checked(line: str) -> Data:
    data: Data = json.loads(line)
    check_analysis(data, "answer")
    return data


def service(*options: str) -> ProcessSession:
    return ProcessSession(sys.executable, "-m", "joute.protocol.analysis_service", *options)
