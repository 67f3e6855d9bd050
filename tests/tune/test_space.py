"""The parameters of a tuning and their ranges."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joute.agents.registry import find_agent
from joute.errors import SpecError
from joute.spec import Parameter
from joute.tune.space import Dimension, Space, make_space

FILE = (
    Parameter("width", 3, help="", low=1, high=10),
    Parameter("bonus", 0.5, help=""),
    Parameter("careful", True, help=""),
    Parameter("style", "calm", help="", choices=("calm", "wild")),
    Parameter("zero", 0.0, help=""),
)


def space(over: str, **ranges: str) -> Space:
    return make_space(FILE, {}, over.split(","), ranges, "my_agent.py")


def test_every_kind_of_parameter_has_a_range() -> None:
    made = space("width,bonus,careful,style")
    assert [each.range for each in made.dimensions] == ["1..10", "0..1", "no|yes", "calm|wild"]
    assert made.base == (3, 0.5, True, "calm")
    assert made.settings(made.base) == "width=3,bonus=0.5,careful=yes,style=calm"


def test_a_given_range_replaces_it() -> None:
    made = space("width,bonus", width="2..4", bonus="0.01..10")
    assert [each.range for each in made.dimensions] == ["2..4", "0.01..10 log"]


def test_a_value_that_the_agent_has_is_the_base() -> None:
    assert make_space(FILE, {"bonus": 2.0}, ["bonus"], {}, "a").dimensions[0].range == "0..4"


def test_wide_limits_of_a_parameter_are_not_its_range() -> None:
    agent_type, parameters = find_agent("mcts")
    base = {"c": parameters.c, "epsilon": parameters.epsilon}
    made = make_space(agent_type.described_parameters, base, ["c", "epsilon"], {}, "mcts")
    assert [each.range for each in made.dimensions] == ["0..1.4", "0..1"]


@pytest.mark.parametrize(
    ("over", "ranges", "message"),
    [
        ("widht", {}, "unknown parameter of my_agent.py 'widht'; did you mean 'width'?"),
        ("width,width", {}, "--over must name different parameters"),
        ("width", {"bonus": "0..1"}, "--range is given for bonus, which is not tuned"),
        ("width", {"width": "few"}, "'width=few' is no range of numbers; write --range 'width=1.5..6'"),
        ("width", {"width": "5..2"}, "the first end must be less than the second"),
        ("width", {"width": "4..8"}, "width is 3, outside its range 4..8"),
        ("width", {"width": "0..8"}, "width must be a whole number in 1..10, not 0"),
        ("width", {"width": "3.1..3.9"}, "has no two whole numbers in its range"),
        ("bonus", {"bonus": "0..1 log"}, "above 0 for log"),
        ("style", {"style": "calm|loud"}, "style must be one of calm, wild, not 'loud'"),
        ("style", {"style": "calm"}, "name its choices"),
        ("zero", {}, "zero is 0 and has no range; give one: --range 'zero=-1..1'"),
    ],
)
def test_a_parameter_that_cannot_be_tuned_is_told(over: str, ranges: dict[str, str], message: str) -> None:
    with pytest.raises(SpecError) as told:
        space(over, **ranges)
    assert message in str(told.value)


def test_an_agent_without_parameters_cannot_be_tuned() -> None:
    with pytest.raises(SpecError, match="greedy has no parameters to tune"):
        make_space([], {}, ["c"], {}, "greedy")


DIMENSIONS = st.one_of(
    st.builds(
        lambda low, size, share: Dimension("c", low + size * share, low, low + size),
        st.floats(-100, 100),
        st.floats(0.01, 1000),
        st.floats(0, 1),
    ),
    st.builds(lambda low, size: Dimension("n b", low, low, low + size), st.integers(-9, 9), st.integers(1, 99)),
    st.just(Dimension("bias", 0.01, 1e-5, 1.0, is_log=True)),
    st.just(Dimension("on", True, choices=(False, True))),
    st.just(Dimension("style", "a,b;c|d", choices=("a,b;c|d", "e=f", "é"))),
)  # fmt: skip


@given(DIMENSIONS, st.floats(0, 1))
def test_a_space_is_read_from_its_text_and_a_value_from_its_place(known: Dimension, unit: float) -> None:
    made = Space((known,))
    assert Space.parse(made.text) == made
    assert not set(made.text) & {",", ":"}
    value = known.value(unit)
    assert known.value(known.unit(value)) == value
    if not known.choices:
        assert known.low <= float(value) <= known.high


@pytest.mark.parametrize("text", ["", "c", "c|1", "c|1|x", "c|x|0.0..1.0"])
def test_a_wrong_text_of_a_space_is_an_error(text: str) -> None:
    with pytest.raises(SpecError):
        Space.parse(text)


def test_the_ranges_of_a_users_file_are_taken_however_wide() -> None:
    known = Parameter("danger", 0.1, help="", low=0, high=5)
    assert make_space([known], {}, ["danger"], {}, "a").dimensions[0].range == "0..0.2"
    assert make_space([known], {}, ["danger"], {}, "a", wide=math.inf).dimensions[0].range == "0..5"
