"""Training of networks for Vampires vs Werewolves: default settings and sets of start positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from joute._core import Random, vampires_maps
from joute.games.vampires.generators import (
    Generator,
    LangorouMaps,
    OfficialMaps,
    TwilightMaps,
    VamperougeMaps,
)
from joute.games.vampires.maps import VampiresMap
from joute.spec import Value

#: The largest board of the training maps; a trained network plays on larger boards too.
LARGEST_SIDE = 16

#: Training parameters that differ from the general defaults.
TRAINING: Mapping[str, Value] = {
    "frame": f"{LARGEST_SIDE}x{LARGEST_SIDE}",
    "starts": "curriculum",
    "openings": "starts",
    "random_share": 0.0,  # the maps differ
    "search_share": 0.5,  # battles decide games, so results alone are noise
    "margin_scale": 20.0,  # about the spread of the lead in units at the end
    "c_scale": 0.5,
    "games": 2048,  # a tree of a hundred turns a position takes much memory
    "window_max": 1_000_000,  # a stored position takes two kilobytes
    "references": "random vampires-greedy",
}

#: The sets of start positions.
STARTS: Mapping[str, str] = {
    "curriculum": "maps of all generators and of all sizes up to 16×16, half of them at a later ply",
    "vamperouge": "the maps of the paper's learning player",
}

# The numbers of maps. A map is used in eight symmetries and by both species.
_CURRICULUM, _PAPER = 16_384, 4_096
# The latest ply of a start; the other plies leave the network time to learn what the ply limit means.
_LATEST = 160
# Tries to draw a map on which a species can convert a house.
_TRIES = 20


def start_texts(kind: str, rng: Random) -> Sequence[str]:
    """The positions of a set of `STARTS`, as texts."""
    if kind == "vamperouge":
        return [VamperougeMaps().draw(rng).text for _ in range(_PAPER)]
    return [_at_some_ply(_curriculum_map(rng), rng) for _ in range(_CURRICULUM)]


def _at_some_ply(drawn: VampiresMap, rng: Random) -> str:
    """A map at ply 0 or, as often, at a later ply of the same player."""
    ply = 2 * rng.below(_LATEST // 2 + 1) if rng.below(2) else 0
    return f"{drawn.text}/{ply}" if ply else drawn.text


def _curriculum_map(rng: Random) -> VampiresMap:
    drawn = rng.below(100)
    if drawn < 30:  # what most published maps are like
        return _convertible(OfficialMaps(10, 10, 1 + rng.below(15)), rng)
    if drawn < 50:
        rows, columns = _side(rng, 4), _side(rng, 4)
        most = max(1, rows * columns * 3 // 20)
        return _convertible(OfficialMaps(rows, columns, 1 + rng.below(most)), rng)
    if drawn < 65:
        rows, columns = _side(rng, 4), _side(rng, 4)
        return TwilightMaps(rows, columns, 1 + rng.below(rows * columns // 8), 3 + rng.below(18)).draw(rng)
    if drawn < 85:
        return LangorouMaps().draw(rng)
    if drawn < 92:
        return VamperougeMaps().draw(rng)
    if drawn < 97:
        rows, columns = 3 + rng.below(4), 3 + rng.below(4)
        return _convertible(OfficialMaps(rows, columns, 1 + rng.below(2)), rng)
    return rng.choice(_named_maps())


def _side(rng: Random, least: int) -> int:
    return least + rng.below(LARGEST_SIDE - least + 1)


def _convertible(generator: Generator, rng: Random) -> VampiresMap:
    """A map, if possible with a house that a start group can convert."""
    drawn = generator.draw(rng)
    for _ in range(_TRIES):
        if drawn.convertible("v") or drawn.convertible("w"):
            break
        drawn = generator.draw(rng)
    return drawn


def _named_maps() -> list[VampiresMap]:
    """The built-in maps that are small enough."""
    maps = [VampiresMap.from_text(text) for _, text, _ in vampires_maps()]
    return [found for found in maps if max(found.rows, found.columns) <= LARGEST_SIDE]
