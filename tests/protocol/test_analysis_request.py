"""Requests of the analysis service: the parser, the schema and the documentation say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from json_schema import analysis_schema, check_analysis, problem_of

from joute.protocol import analysis_request
from joute.protocol.analysis_data import FIELDS
from joute.protocol.analysis_request import PROTOCOL, RequestError, parse_request

DEFS = analysis_schema()["$defs"]
PAGE = (Path(__file__).parents[2] / "docs" / "analysis.md").read_text()

GOOD: list[dict[str, Any]] = [
    {},
    {"action": "analyze"},
    {"action": "version"},
    {"action": "games"},
    {"action": "cancel_all"},
    {"action": "cancel", "target": "b"},
    {"game": "connect4", "position": "", "moves": [], "agent": "mcts"},
    {"moves": ["4", "#0", "--"], "plies": "all"},
    {"plies": [0, 2, 1]},
    {"plies": [0.0]},
    {"seconds": 0.001, "nodes": 1, "iterations": 2**62, "depth": 3},
    {"nodes": 100.0},
    {"lines": 1, "fields": [], "priority": -5, "report_every_s": 2, "seed": 2**64 - 1},
    {"fields": list(FIELDS)},
    {"id": "x" * 1000},
]
BAD: list[Any] = [
    [], "a", 1, None, {"id": None}, {"id": 1}, {"id": ""}, {"id": "x" * 1001},
    {"action": "x"}, {"action": None}, {"action": "version", "game": "connect4"}, {"action": "cancel"},
    {"action": "cancel", "target": 1}, {"target": "b"}, {"what": 1},
    {"game": 1}, {"position": None}, {"moves": "44"}, {"moves": [4]}, {"moves": {}}, {"agent": []},
    {"plies": 0}, {"plies": []}, {"plies": [1, 1]}, {"plies": [-1]}, {"plies": ["1"]}, {"plies": [True]},
    {"plies": "x"}, {"plies": [1.5]}, {"plies": [1, 1.0]},
    {"seconds": 0}, {"seconds": -1}, {"seconds": "1"}, {"seconds": True}, {"seconds": 1e10},
    {"nodes": 0}, {"nodes": 1.5}, {"nodes": 2**62 + 1}, {"iterations": False}, {"depth": "4"}, {"lines": 0},
    {"fields": "pv"}, {"fields": ["x"]}, {"fields": [1]}, {"priority": 0.5}, {"priority": 2**40},
    {"report_every_s": 0}, {"seed": -1}, {"seed": 2**64},
]  # fmt: skip


def whole(request: Any) -> Any:
    return {"id": "a"} | request if isinstance(request, dict) else request


@pytest.mark.parametrize("request_", GOOD, ids=json.dumps)
def test_parser_and_schema_accept_the_same(request_: dict[str, Any]) -> None:
    check_analysis(whole(request_), "request")
    assert parse_request(json.dumps(whole(request_)).encode()).id == whole(request_)["id"]


@pytest.mark.parametrize("request_", BAD, ids=json.dumps)
def test_parser_and_schema_refuse_the_same(request_: Any) -> None:
    assert problem_of(whole(request_), DEFS["request"], analysis_schema()) is not None
    with pytest.raises(RequestError):
        parse_request(json.dumps(whole(request_)).encode())


def test_the_schema_knows_every_action_field_and_version() -> None:
    for action, checks in analysis_request._ACTIONS.items():
        assert DEFS[action]["properties"].keys() == {"id", "action", *checks}
    assert tuple(DEFS["analyze"]["properties"]["fields"]["items"]["enum"]) == FIELDS
    assert [name for name in DEFS["analysis"]["properties"] if name in FIELDS] == list(FIELDS)
    assert DEFS["version_answer"]["properties"]["protocol"]["const"] == PROTOCOL
    assert analysis_schema()["$id"].endswith(f":{PROTOCOL}")


def test_the_page_describes_every_field() -> None:
    for name in (*analysis_request._ANALYZE, *analysis_request._ACTIONS, *FIELDS, *DEFS["move"]["properties"]):
        assert f"`{name}`" in PAGE, name
