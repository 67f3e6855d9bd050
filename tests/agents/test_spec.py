"""Spec strings and the parameters they set."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from joute.errors import SpecError
from joute.spec import Parameter, parameter, parameters_of, parse_spec, read_settings, value_text


@dataclass(frozen=True)
class Settings:
    depth: int = parameter(4, help="plies", source="a guess", low=1, high=20)
    c: float = parameter(1.4, help="exploration", source="Auer 2002", low=0)
    table: str = parameter("full", help="table use", source="usual", choices=("off", "ordering", "full"))
    reuse: bool = parameter(True, help="keep the tree", source="usual")
    eval: str = parameter("", help="a name", source="the game")
    nodes: int = parameter(10, help="nodes", source="a guess", low=1, high=10_000_000)
    bias: float = parameter(0.5, help="bias", source="a guess", high=3)


def read(text: str) -> dict[str, object]:
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
