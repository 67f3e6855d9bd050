"""Options of the core: Python sets every one of them, and no other."""

from __future__ import annotations

from typing import Any

import plain_options
import pytest

from joute._core import Connect4EndingsOptions, MctsOptions
from joute.games.avalam.agents import solver as avalam_solver
from joute.games.divercite.agents import solver as divercite_solver
from joute.games.vampires.agents.langorou import LangorouParameters, langorou_options

EVERY_KIND = [
    plain_options.alphabeta_options(),
    plain_options.mcts_options(),
    plain_options.nrpa_options(),
    plain_options.nested_options(),
    plain_options.network_search_options(),
    plain_options.self_play_options(),
    avalam_solver.solver_options(memory_mb=1, lines=1),
    divercite_solver.solver_options(memory_mb=1, lines=1),
    Connect4EndingsOptions(memory_mb=1, lines=1),
    langorou_options(LangorouParameters(), lines=1),
]


@pytest.mark.parametrize("options", EVERY_KIND, ids=lambda options: type(options).__name__)
def test_options_refuse_to_be_made_with_one_unset(options: Any) -> None:
    kind = type(options)
    names = [name for name, value in vars(kind).items() if isinstance(value, property)]
    values = {name: getattr(options, name) for name in names}
    again = kind(**values)
    assert {name: getattr(again, name) for name in names} == values
    for name in names:
        others = {other: value for other, value in values.items() if other != name}
        with pytest.raises(TypeError, match=f"^{kind.__name__}: {name} is not set$"):
            kind(**others)
    with pytest.raises(TypeError, match=f"^{kind.__name__}: {', '.join(names)} are not set$"):
        kind()


def test_options_name_all_that_is_unset() -> None:
    settings = {name: value for name, value in plain_options.MCTS.items() if name not in ("c", "bias")}
    with pytest.raises(TypeError, match=r"^MctsOptions: c, bias are not set$"):
        MctsOptions(**settings)


def test_options_refuse_names_and_values_that_there_are_not() -> None:
    with pytest.raises(TypeError, match=r"^NrpaOptions has no option depth$"):
        plain_options.nrpa_options(depth=3)
    with pytest.raises(TypeError, match=r"^NrpaOptions: level cannot be 'two'$"):
        plain_options.nrpa_options(level="two")
    with pytest.raises(TypeError, match=r"^NrpaOptions: level cannot be 2\.5$"):
        plain_options.nrpa_options(level=2.5)
    with pytest.raises(TypeError, match=r"^NrpaOptions: corrected cannot be 1$"):
        plain_options.nrpa_options(corrected=1)
    with pytest.raises(ValueError, match=r"^key: place$"):
        plain_options.nrpa_options(key="place")


def test_options_cannot_be_changed_once_they_are_made() -> None:
    options: Any = plain_options.nested_options()
    with pytest.raises(AttributeError):
        options.level = 3
