"""Spec strings and the parameters they set."""

from __future__ import annotations

import ast
import dataclasses
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import joute
from joute.errors import SpecError
from joute.spec import Parameter, parameter, parameters_of, parse_spec, read_settings, value_text, vary


@dataclass(frozen=True)
class Settings:
    depth: int = parameter(4, help="plies", source="a guess", low=1, high=20)
    c: float = parameter(1.4, help="exploration", source="Auer 2002", low=0)
    table: str = parameter("full", help="table use", source="usual", choices=("off", "ordering", "full"))
    reuse: bool = parameter(True, help="keep the tree", source="usual")
    eval: str = parameter("", help="a name", source="the game")
    nodes: int = parameter(10, help="nodes", source="a guess", low=1, high=10_000_000)
    bias: float = parameter(0.5, help="bias", source="a guess", high=3)


def read(text: str) -> dict[str, Any]:
    name, pairs = parse_spec(text)
    return dict(read_settings(name, pairs, parameters_of(Settings)))


def test_values_are_read_by_the_type_of_their_default() -> None:
    assert read("x:depth=7,c=2,table=off,reuse=no,eval=score") == {
        "depth": 7,
        "c": 2.0,
        "table": "off",
        "reuse": False,
        "eval": "score",
    }
    assert read("x") == {}
    assert read("x:") == {}
    assert Settings(**read("x:depth=7")) == Settings(depth=7)


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("x:depth=21", "x: depth must be a whole number in 1..20, not 21"),
        ("x:depth=2.5", "x: depth must be a whole number in 1..20, not '2.5'"),
        ("x:c=-1", "x: c must be a number ≥ 0, not -1"),
        ("x:c=nan", "x: c must be a number ≥ 0, not 'nan'"),
        ("x:c=inf", "x: c must be a number ≥ 0, not 'inf'"),
        ("x:nodes=0", "x: nodes must be a whole number in 1..10000000, not 0"),
        ("x:bias=3.5", "x: bias must be a number ≤ 3, not 3.5"),
        ("x:table=ful", "x: table must be one of off, ordering, full, not 'ful'; did you mean 'full'?"),
        ("x:reuse=perhaps", "x: reuse must be yes or no, not 'perhaps'"),
        ("x:dept=3", "x has no parameter 'dept'; did you mean 'depth'?"),
        ("x:zzz=3", "x has no parameter 'zzz'; it has depth, c, table, reuse, eval, nodes, bias"),
        ("x:depth=1,depth=2", "'x:depth=1,depth=2' sets depth twice"),
        ("x:=3", "'=3' in 'x:=3' is not of the form key=value"),
    ],
)
def test_a_wrong_setting_gets_one_clear_sentence(spec: str, complaint: str) -> None:
    with pytest.raises(SpecError) as error:
        read(spec)
    assert str(error.value) == complaint


def test_every_parameter_says_its_default_range_and_source() -> None:
    described = {p.name: (p.default_text, p.range, p.source) for p in parameters_of(Settings)}
    assert described == {
        "depth": ("4", "1..20", "a guess"),
        "c": ("1.4", "≥ 0", "Auer 2002"),
        "table": ("full", "off|ordering|full", "usual"),
        "reuse": ("yes", "yes|no", "usual"),
        "eval": ("", "text", "the game"),
        "nodes": ("10", "1..10000000", "a guess"),
        "bias": ("0.5", "≤ 3", "a guess"),
    }


@pytest.mark.parametrize("value", [2**0.5, 0.1 + 0.2, 1e-9, 1e22, 2.0, 0.0, 7, True, False, "words"])
def test_a_value_written_in_a_spec_reads_back_the_same(value: bool | float | str) -> None:
    read_back = Parameter("p", value, "help").read(value_text(value), "x")
    assert read_back == value
    assert type(read_back) is type(value)


def varied(base: type, name: str, **changes: Any) -> Parameter:
    (described,) = parameters_of(dataclasses.make_dataclass("Preset", [(name, Any, vary(base, name, **changes))]))
    return described


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("depth", {}),
        ("depth", {"default": 6, "source": "a paper"}),
        ("depth", {"default": 1, "help": "plies of the preset", "low": 1, "high": 3}),
        ("c", {"default": 0.0}),
        ("reuse", {"default": False}),
        ("table", {"default": "off", "choices": ("off", "full")}),
    ],
)
def test_a_variation_keeps_what_it_does_not_change(name: str, changes: dict[str, Any]) -> None:
    base = {known.name: known for known in parameters_of(Settings)}[name]
    assert varied(Settings, name, **changes) == dataclasses.replace(base, **changes)


@pytest.mark.parametrize(
    ("name", "changes", "complaint"),
    [
        ("width", {}, "Settings has no parameter 'width' to vary"),
        ("c", {"default": 1}, "another type"),
        ("reuse", {"default": 0}, "another type"),
        ("depth", {"default": 21}, "whole number in 1..20, not 21"),
        ("depth", {"low": 5}, "whole number in 5..20, not 4"),
        ("table", {"default": "some"}, "one of off, ordering, full"),
    ],
)
def test_a_variation_that_its_base_does_not_allow_is_refused(name: str, changes: Any, complaint: str) -> None:
    with pytest.raises((TypeError, SpecError), match=complaint):
        vary(Settings, name, **changes)


def test_what_stops_a_search_is_described_once_and_varied_elsewhere() -> None:
    described: Counter[str] = Counter()
    for path in Path(joute.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call(func=ast.Name(id="parameter"))):
                    described[name] += 1
    assert {name: described[name] for name in ("seconds", "nodes")} == {"seconds": 1, "nodes": 1}
