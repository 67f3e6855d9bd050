"""Checks data against a JSON Schema: the keywords that our schemas use, and an error for any other."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

TYPES: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "number": (int, float),
}  # fmt: skip
SILENT = {"$schema", "$id", "$defs", "title", "description"}


def analysis_schema() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((files("joute.protocol") / "analysis_schema.json").read_text(encoding="utf-8"))
    return data


def check_analysis(data: object, kind: str) -> None:
    """Fail unless data is a `request` or an `answer` of the analysis service."""
    whole = analysis_schema()
    problem = problem_of(data, whole["$defs"][kind], whole)
    assert problem is None, f"{json.dumps(data)[:500]}: {problem}"


def problem_of(data: Any, schema: dict[str, Any], whole: dict[str, Any]) -> str | None:
    """Why data does not match a schema; None if it does."""
    for keyword, wanted in schema.items():
        if keyword not in SILENT and not fits(keyword, wanted, data, schema, whole):
            return f"{keyword} {json.dumps(wanted)[:200]} does not hold for {json.dumps(data)[:200]}"
    return None


def fits(keyword: str, wanted: Any, data: Any, schema: dict[str, Any], whole: dict[str, Any]) -> bool:
    def matches(part: Any, its_schema: dict[str, Any]) -> bool:
        return problem_of(part, its_schema, whole) is None

    is_number = isinstance(data, int | float) and not isinstance(data, bool)
    match keyword:
        case "$ref":
            return matches(data, whole["$defs"][wanted.removeprefix("#/$defs/")])
        case "oneOf":
            return sum(matches(data, each) for each in wanted) == 1
        case "type":
            return any(is_of(data, each) for each in ([wanted] if isinstance(wanted, str) else wanted))
        case "const":
            return equal(data, wanted)
        case "enum":
            return any(equal(data, each) for each in wanted)
        case "minimum":
            return not is_number or data >= wanted
        case "maximum":
            return not is_number or data <= wanted
        case "exclusiveMinimum":
            return not is_number or data > wanted
        case "minLength":
            return not isinstance(data, str) or len(data) >= wanted
        case "maxLength":
            return not isinstance(data, str) or len(data) <= wanted
        case "minItems":
            return not isinstance(data, list) or len(data) >= wanted
        case "maxItems":
            return not isinstance(data, list) or len(data) <= wanted
        case "uniqueItems":
            return not isinstance(data, list) or not wanted or all(data.count(each) == 1 for each in data)
        case "items":
            return not isinstance(data, list) or all(matches(each, wanted) for each in data)
        case "required":
            return not isinstance(data, dict) or set(wanted) <= data.keys()
        case "properties":
            return not isinstance(data, dict) or all(
                matches(data[name], wanted[name]) for name in wanted if name in data
            )
        case "additionalProperties":
            if not isinstance(data, dict):
                return True
            others = [value for name, value in data.items() if name not in schema.get("properties", {})]
            return all(wanted is not False and matches(each, wanted) for each in others)
    raise AssertionError(f"this check does not know {keyword}")


def is_of(data: Any, name: str) -> bool:
    if name == "integer":
        return is_of(data, "number") and float(data).is_integer()
    return isinstance(data, TYPES[name]) and (name == "boolean" or not isinstance(data, bool))


def equal(one: Any, other: Any) -> bool:
    """Equality of JSON, in which true is not 1."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
