"""Vampires vs Werewolves: the state layouts that the paper compared, and ours, at one job (vampires_layouts.cpp).

The paper's program is in Go and keeps a dictionary that it copies at every node. Here a dictionary is C++'s
`std::unordered_map`, so ratios say what a layout costs in C++; those of Go's own map are not measured.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable

import joute
from benchmarks.compiled import CORE, compiled
from benchmarks.measure import rates
from joute.games.vampires.state import Vampires

# Maps, and depths that make some 100,000 nodes of each.
DEPTHS = {"hamlet": 6, "default": 4, "crowd": 4, "plains": 4}
CHECKED_DEPTH = 3  # in Python, on every map
KEPT = "dictionary"  # by the paper

#: From so many turns of a position: how many nodes there are, and the sum of what is in their cells.
Walk = Callable[[str, int], tuple[int, int]]


def run(repeats: int) -> None:
    """Nodes a second of each layout on each map, and how many times as many as the paper's choice."""
    layouts = compiled_layouts()
    if not layouts:
        return
    print("\nVampires vs Werewolves: state layouts, all lines of the paper's turns; nodes/s by processor time")
    print(f"  {'map':<9}{'depth':>5}{'nodes':>9}" + "".join(f"{name:>18}" for name in layouts))
    for map_name, depth in DEPTHS.items():
        start = joute.new(f"vampires:map={map_name}")
        assert isinstance(start, Vampires)
        nodes = check_agreement(layouts, start, depth)
        works = {name: _nodes_of(walk, start.position, depth) for name, walk in layouts.items()}
        measured = rates(repeats, works, clock=time.process_time)
        cells = (f"{rate / 1e6:>9.2f} M {rate / measured[KEPT]:>5.2f}×" for rate in measured.values())
        print(f"  {map_name:<9}{depth:>5}{nodes:>9,}" + "".join(cells))
    print(f"  medians; × the {KEPT}, which the paper kept; joute's state also keeps its key, its totals and its order")


def _nodes_of(walk: Walk, position: str, depth: int) -> Callable[[], int]:
    return lambda: walk(position, depth)[0]


def compiled_layouts() -> dict[str, Walk]:
    """By name; empty without a compiler."""
    library = compiled("vampires_layouts.cpp", core=sorted(CORE.glob("games/vampires*.cpp")))
    if not library:
        return {}
    library.layout_name.restype = ctypes.c_char_p
    library.layout_name.argtypes = [ctypes.c_size_t]
    library.walk_layout.restype = None
    library.walk_layout.argtypes = [ctypes.c_size_t, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint64 * 2]

    def walk_of(layout: int) -> Walk:
        def walk(position: str, depth: int) -> tuple[int, int]:
            counts = (ctypes.c_uint64 * 2)()
            library.walk_layout(layout, position.encode(), depth, counts)
            return counts[0], counts[1]

        return walk

    layouts: dict[str, Walk] = {}
    while name := library.layout_name(len(layouts)):
        layouts[name.decode()] = walk_of(len(layouts))
    return layouts


def check_agreement(layouts: dict[str, Walk], start: Vampires, depth: int) -> int:
    """All walk the same tree, which is that of the core's generator; its nodes."""
    found = {name: walk(start.position, depth) for name, walk in layouts.items()}
    assert len(set(found.values())) == 1, found
    expected = python_nodes(start, CHECKED_DEPTH)
    counted = {name: walk(start.position, CHECKED_DEPTH)[0] for name, walk in layouts.items()}
    assert set(counted.values()) == {expected}, (counted, expected)
    return found[KEPT][0]


def python_nodes(state: Vampires, depth: int) -> int:
    """The same walk by the game as users have it."""
    if depth == 0 or state.is_terminal:
        return 0
    nodes = 0
    for move in state.moves("report"):
        after = state.play(move)
        while after.is_chance:
            after = after.resolve(settled(after))
        nodes += 1 + python_nodes(after, depth - 1)
    return nodes


def settled(state: Vampires) -> int:
    """The outcome of a battle: the likelier side wins, and as many survive as do on average, rounded down."""
    assert state.battle is not None
    _, _, attackers, defenders, species, chance = state.battle
    whole = 2 * defenders  # of which the chance is a whole number of parts
    winning = round(chance * whole)
    if 2 * winning < whole:
        return (whole - winning) * defenders // whole
    survivors = winning * (attackers + (defenders if species == "h" else 0)) // whole
    return defenders + survivors if survivors else 0
