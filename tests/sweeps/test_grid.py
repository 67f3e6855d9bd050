"""Values in braces: lists, ranges, nested groups, and one sentence for every mistake."""

from __future__ import annotations

import pytest

from joute.errors import SpecError
from joute.sweeps.grid import Grid


def agents(spec: str) -> list[str]:
    return [setting.agent for setting in Grid.parse(spec).settings]


def test_a_grid_has_every_combination_of_its_values() -> None:
    assert agents("mcts:c={0.5,1},iterations={10,20}") == [
        "mcts:c=0.5,iterations=10",
        "mcts:c=0.5,iterations=20",
        "mcts:c=1,iterations=10",
        "mcts:c=1,iterations=20",
    ]


@pytest.mark.parametrize(
    ("group", "values"),
    [
        ("{0.3..2.0/8}", ["0.3", "0.543", "0.786", "1.029", "1.271", "1.514", "1.757", "2"]),
        ("{100..1600/5 log}", ["100", "200", "400", "800", "1600"]),
        ("{0.01..1/3 log}", ["0.01", "0.1", "1"]),
        ("{3..1}", ["3", "2", "1"]),
        ("{-1.0..1/3}", ["-1", "0", "1"]),
        ("{1..3,10}", ["1", "2", "3", "10"]),
        ("{0.0..2/5}", ["0", "0.5", "1", "1.5", "2"]),
        ("{yes,no}", ["yes", "no"]),
        ("{../a,../b}", ["../a", "../b"]),
    ],
)
def test_a_group_has_the_values_that_its_notation_means(group: str, values: list[str]) -> None:
    assert list(Grid.parse(f"x={group}").variables[0].values) == values


def test_groups_nest_and_a_group_that_holds_others_is_one_variable() -> None:
    grid = Grid.parse("{greedy,mcts:c={1,2},rave:iterations={10..30/3}}")
    assert [setting.agent for setting in grid.settings] == [
        "greedy", "mcts:c=1", "mcts:c=2", "rave:iterations=10", "rave:iterations=20", "rave:iterations=30",
    ]  # fmt: skip
    assert [variable.name for variable in grid.variables] == ["agent"]


def test_variables_are_named_after_their_parameters_and_names_differ() -> None:
    names = [variable.name for variable in Grid.parse("{mcts,rave}:c={1,2},{x=1,y=1},{u,v}").variables]
    assert names == ["agent", "c", "choice", "choice 2"]


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("mcts:c=1", "nothing to vary"),
        ("mcts:c={1,2", "without its '}'"),
        ("mcts:c=1,2}", "without its '{'"),
        ("mcts:c={1,}", "empty value"),
        ("mcts:c={}", "empty value"),
        ("mcts:c={0.3..2.0}", "how many values"),
        ("mcts:c={0.3..}", "is not a range"),
        ("mcts:c={0..2/5}", "only 3 whole numbers; for decimals write {0.0..2/5}"),
        ("mcts:c={0..2.0/5 log}", "above 0"),
        ("mcts:c={1..1/3}", "two different ends"),
        ("mcts:c={1..2/1}", "from 2 to 1,000 values"),
        ("mcts:c={1.0..1e999/3}", "two different ends"),
        ("mcts:c={1..9999999999}", "from 2 to 1,000 values"),
        ("mcts:c={1,2,1}", "'mcts:c=1' 2 times"),
        ("x={1..40},y={1..40}", "1,600 settings"),
        ("{x={1..1000}{1..1000}{1..1000}}", "1,000,000,000 settings"),
    ],
)
def test_a_mistake_in_a_group_is_one_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(SpecError) as error:
        Grid.parse(spec)
    assert sentence in str(error.value)


def test_a_group_after_a_bracket_is_named_after_the_option() -> None:
    assert [variable.name for variable in Grid.parse("ugi:./engine [Hash={1,2}]").variables] == ["Hash"]
