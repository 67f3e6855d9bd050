"""Training presets: settings of a run under one name, with switches of their own (``--preset NAME:key=value``).

A preset is a spec like that of an agent. A room lists its presets; the settings of the user override those of a preset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from joute.errors import SpecError
from joute.games import State, new
from joute.plugins import Registry, instance_of
from joute.spec import Value, parameters_of, parse_spec, read_settings


class Prepared(NamedTuple):
    """What a preset stands for."""

    #: The spec of the game, with the rules that the preset needs.
    game: str
    #: Training parameters by name, over the game's own defaults.
    settings: Mapping[str, Value]


@dataclass(frozen=True)
class TrainingPreset:
    """A preset of a game, with the class of its switches."""

    name: str
    help: str
    game: str
    parameters: type[Any]
    prepare: Callable[[Any, State], Prepared]


_PRESETS: Registry[TrainingPreset] = Registry(
    "training preset",
    "joute.presets",
    instance_of(TrainingPreset, "joute.train.presets.TrainingPreset", named_by="name"),
)


def all_presets() -> list[TrainingPreset]:
    """All presets that can be loaded, by name."""
    return _PRESETS.find_all()[0]


def prepare(spec: str, game: str) -> Prepared:
    """The game and settings of a preset's spec; SpecError if the preset is unknown or is for another game."""
    name, settings = parse_spec(spec)
    preset = _PRESETS.find(name)
    start = new(game)
    if start.game != preset.game:
        raise SpecError(f"the preset {name} trains {preset.game}, not {start.game}")
    values = read_settings(f"preset {name}", settings, parameters_of(preset.parameters))
    return preset.prepare(preset.parameters(**values), start)
