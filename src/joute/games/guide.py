"""Cheat sheets of games for authors of agents: rules in short, notation, accessors with types, an example heuristic.

A room has a `Guide` with the parts that a person writes. Accessors are read from the classes of positions and moves,
so that the sheet of `joute games NAME`, docs/agents.md and the classes cannot differ.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, ForwardRef

from joute.games.registry import find_game
from joute.games.state import NativeState, State
from joute.plugins import Registry, instance_of

#: Members that the core gives to every native game, beside those of `State`: generators, symmetries, networks.
NATIVE_MEMBERS = (
    "generators", "moves", "code", "pass_turn", "symmetry_count", "transformed", "transformed_move", "input_shape",
    "policy_size", "encode", "policy_indices", "input_map", "policy_map", "self_play", "rule_options", "batch_search",
    "replay_window", "network_search", "knows_late_outcomes", "encodings", "frame", "ending_planes", "ending_scale",
    "action_count", "legal_actions", "move_of", "actions_of", "action_text", "observation_shape", "observation_scales",
    "observe", "environments",
)  # fmt: skip


@dataclass(frozen=True)
class Guide:
    """The parts of a cheat sheet that a person writes."""

    #: The rules in a few sentences.
    rules: str
    #: The notation of moves, and how accessors count rows and columns.
    notation: str
    #: ``heuristic(state, player)``: a value of a position for a player, to start from. Its source is shown and copied
    #: into students' files, so it uses nothing else of its module.
    heuristic: Callable[[Any, int], float]
    #: The named tuples that accessors return.
    records: tuple[type, ...] = ()


@dataclass(frozen=True)
class Accessor:
    """An attribute or a method of a position or a move."""

    #: As it is used: ``pawns``, ``distance(player: int)``.
    name: str
    type: str
    help: str


def playout_heuristic(state: State, player: int) -> float:
    """Return the mean result of ten random games, from -1 to 1. It knows nothing of the game: replace it."""
    games = state.playouts(10, seed=state.key)
    value = (games.first_wins - games.second_wins) / games.games
    return value if player == 0 else -value


_guides: Registry[Guide] = Registry("guide", "joute.guides", instance_of(Guide, "joute.games.guide.Guide"))


def find_guide(game: type[State]) -> Guide:
    """Return the guide of a game. A game without one gets its class's docstring and a heuristic by playouts."""
    if game.game in _guides.names():
        return _guides.find(game.game)
    notation = "A move is written as str(move)."
    return Guide(rules=_one_paragraph(game), notation=notation, heuristic=playout_heuristic)


def heuristic_source(guide: Guide) -> str:
    """Return the Python source of a guide's heuristic."""
    return textwrap.dedent(inspect.getsource(guide.heuristic))


def state_accessors(game: type[State]) -> list[Accessor]:
    """Return the accessors that a game's positions have and those of other games need not have."""
    return list(_accessors(game, {*dir(NativeState), *State.required, *NATIVE_MEMBERS}))


def move_accessors(game: type[State]) -> list[Accessor]:
    """Return the accessors of a game's moves. Moves that are numbers or texts have none."""
    moves = game.new().legal_moves
    if not moves or type(moves[0]).__module__ == "builtins":
        return []
    return list(_accessors(type(moves[0]), {*dir(object), *dir(tuple)}))


def record_fields(record: type) -> list[Accessor]:
    """Return the fields of a named tuple."""
    return [Accessor(name, _type_text(kind), "") for name, kind in record.__annotations__.items()]


def record_text(record: type) -> str:
    """Return the fields of a named tuple and its docstring as a line of Markdown."""
    fields = ", ".join(f"`{each.name}: {each.type}`" for each in record_fields(record))
    return f"`{record.__name__}` is a named tuple: {fields}. {_one_paragraph(record)}"


def sheet(name: str) -> str:
    """Return the cheat sheet of a game as Markdown, with headings of the third level."""
    game = find_game(name)
    guide = find_guide(game)
    parts = [f"### {game.title}: `{name}`", guide.rules, guide.notation]
    for title, found in (("a position", state_accessors(game)), ("a move", move_accessors(game))):
        if found:
            rows = ["| " + " | ".join(_cells(each)) + " |" for each in found]
            parts.append("\n".join([f"| of {title} | type | meaning |", "|---|---|---|", *rows]))
    parts += map(record_text, guide.records)
    parts.append(f"```python\n{heuristic_source(guide)}```")
    return "\n\n".join(parts) + "\n"


def _cells(accessor: Accessor) -> Iterator[str]:
    for text in (f"`{accessor.name}`", f"`{accessor.type}`", accessor.help):
        yield text.replace("|", "\\|")


def _accessors(kind: type, hidden: Collection[str]) -> Iterator[Accessor]:
    """Yield the public members of a class in the order of their definition, those of subclasses first."""
    seen = set(hidden)
    for base in kind.__mro__:
        for name, member in list(vars(base).items()):
            if not name.startswith("_") and name not in seen:
                seen.add(name)
                yield _accessor(name, member, base)


def _accessor(name: str, member: Any, owner: type) -> Accessor:
    function = member.fget if isinstance(member, property) else getattr(owner, name)
    bound = getattr(function, "__nb_signature__", None)
    if bound:  # a function of the core: its signature as text, and its docstring
        signature, help, defaults = bound[0]
        signature = re.sub(r"^def \w*", "", signature)
        for i, default in enumerate(defaults or ()):
            signature = signature.replace(f"\\{i}", repr(default))
    elif callable(function):
        signature, help = _QUOTES.sub(r"\1\2", str(inspect.signature(function))), inspect.getdoc(function)
    else:  # a field of a dataclass, or another plain attribute
        signature, help = f"() -> {_type_text(owner.__annotations__.get(name, 'Any'))}", ""
    parameters, _, returned = _MODULE.sub("", signature).partition(" -> ")
    is_method = callable(function) and not isinstance(member, property)
    shown = name + re.sub(r"\(self(, )?", "(", parameters) if is_method else name
    return Accessor(shown, returned or "Any", " ".join((help or "").split()))


# The quotes of an annotation in a signature.
_QUOTES = re.compile(r"(: |-> )'([^']*)'")
# The module in a qualified name of a type.
_MODULE = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])")


def _type_text(kind: Any) -> str:
    if isinstance(kind, ForwardRef):  # of a named tuple
        kind = kind.__forward_arg__
    return kind if isinstance(kind, str) else inspect.formatannotation(kind)


def _one_paragraph(thing: object) -> str:
    return " ".join((inspect.getdoc(thing) or "").split())
