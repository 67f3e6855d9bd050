"""Reads the requests of the analysis service: one JSON object a line. docs/analysis.md describes them.

Reading has two steps. `parse_request` checks a line by itself: the JSON, the names of its fields, their types and
ranges; analysis_schema.json states the same rules. `Resolver` then finds the game, the positions and the agent.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from joute._core import one_line
from joute.agents import AgentType, adviser, caveat_of, find_agent
from joute.agents.loading import find_source
from joute.errors import JouteError, SpecError, described
from joute.games import State, new
from joute.protocol.analysis_data import FIELDS
from joute.protocol.ugi import follow
from joute.spec import look_up, parse_spec, value_text
from joute.text import message

#: The version of requests and answers. It grows if a field goes or changes its meaning, not if a new one comes.
PROTOCOL = 1

#: The limits of a search that a request may set.
LIMITS = ("seconds", "nodes", "iterations", "depth")

#: The longest id, in characters.
LONGEST_ID = 1000

# Ranges of numbers; those of limits are the parameters' own.
_MOST_COUNT = 2**62
_MOST_SECONDS = 1e9
_MOST_PRIORITY = 2**31
_MOST_SEED = 2**64 - 1
# The games and agents of recent requests that are kept, so that the next request is read faster.
_KEPT = 256
# The longest part of a wrong value that an error repeats.
_QUOTED = 60


class RequestError(JouteError):
    """A line that is not a valid request; `id` is that of the request, or None if it has none."""

    def __init__(self, sentence: str, id: str | None = None) -> None:
        super().__init__(sentence)
        self.id = id


@dataclass(frozen=True)
class Request:
    """A line that is valid by itself: an action and its fields, checked for type and range."""

    id: str
    action: str
    fields: Mapping[str, Any] = field(default_factory=dict)


def parse_request(line: bytes) -> Request:
    """Read a line; RequestError if it is not a request."""
    data = _object(line)
    id = data.get("id")
    if not isinstance(id, str) or not 0 < len(id) <= LONGEST_ID:
        shown = "" if "id" not in data else f", not {_shown(id)}"
        raise RequestError(f"a request needs an id, a text of 1 to {LONGEST_ID:,} characters{shown}")
    try:
        return _checked(id, data)
    except JouteError as error:
        raise RequestError(str(error), id) from error


def _object(line: bytes) -> dict[str, Any]:
    try:
        data = json.loads(line.decode(), parse_constant=_no_constant, object_pairs_hook=_no_twins)
    except RequestError:
        raise
    except UnicodeDecodeError as error:
        raise RequestError(f"the line is not UTF-8: byte {error.start + 1} is invalid") from error
    except json.JSONDecodeError as error:
        raise RequestError(f"the line is not JSON: {error.msg} at character {error.colno}") from error
    except RecursionError as error:
        raise RequestError("the line is nested too deeply") from error
    except ValueError as error:  # Python reads no number with thousands of digits
        raise RequestError("the line has a number with too many digits") from error
    if not isinstance(data, dict):
        raise RequestError(f"a request is a JSON object, not {_shown(data)}")
    return data


def _no_constant(name: str) -> NoReturn:
    raise RequestError(f"{name} is not JSON")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twin = next(name for name in names if names.count(name) > 1)
        raise RequestError(f"the field {_shown(twin)} occurs twice")
    return made


def _checked(id: str, data: dict[str, Any]) -> Request:
    action = data.get("action", "analyze")
    if not isinstance(action, str):
        raise RequestError(f"action must be a text, not {_shown(action)}")
    checks = look_up("action", action, _ACTIONS)
    fields = {}
    for name, value in data.items():
        if name in ("id", "action"):
            continue
        if name not in checks:
            if not checks:
                raise RequestError(f"the action {action} has no fields, so {_shown(name)} cannot be set")
            look_up("request field", message(name)[:_QUOTED], checks)
        fields[name] = checks[name](name, value)
    if action == "cancel" and "target" not in fields:
        raise RequestError("the action cancel needs target, the id of a request; cancel_all cancels every request")
    return Request(id, action, fields)


# --- Checks of single fields: each returns the value, or raises RequestError ---


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise RequestError(f"{name} must be a text, not {_shown(value)}")
    return value


def _whole(low: int, high: int) -> Callable[[str, Any], int]:
    def check(name: str, value: Any) -> int:
        if not _is_whole(value) or not low <= value <= high:
            raise RequestError(f"{name} must be a whole number in {low}..{high}, not {_shown(value)}")
        return int(value)

    return check


def _is_whole(value: Any) -> bool:
    """Whether a value is a whole number of JSON, which may be written as 2.0."""
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())


def _seconds(name: str, value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value <= _MOST_SECONDS:
        raise RequestError(f"{name} must be a number above 0 and at most {_MOST_SECONDS:g}, not {_shown(value)}")
    return float(value)


def _moves(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise RequestError(f'{name} must be a list of texts, as in ["a", "b"], not {_shown(value)}')
    return tuple(value)


def _plies(name: str, value: Any) -> tuple[int, ...] | str:
    if value == "all":
        return "all"
    is_list = isinstance(value, list) and len(value) > 0
    if not is_list or not all(_is_whole(each) and each >= 0 for each in value) or len(set(value)) < len(value):
        raise RequestError(f'{name} must be "all" or a list of different whole numbers from 0 on, not {_shown(value)}')
    return tuple(map(int, value))


def _fields(name: str, value: Any) -> tuple[str, ...]:
    known = dict.fromkeys(FIELDS)
    for each in _moves(name, value):
        look_up("answer field", message(each)[:_QUOTED], known)
    return tuple(value)


def _shown(value: Any) -> str:
    """A value of a request in an error: as JSON, cut."""
    try:
        text = json.dumps(value)
    except (RecursionError, ValueError):
        text = one_line(type(value).__name__)
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


_ANALYZE: Mapping[str, Callable[[str, Any], Any]] = {
    "game": _text,
    "position": _text,
    "moves": _moves,
    "plies": _plies,
    "agent": _text,
    "seconds": _seconds,
    "nodes": _whole(1, _MOST_COUNT),
    "iterations": _whole(1, _MOST_COUNT),
    "depth": _whole(1, _MOST_COUNT),
    "lines": _whole(1, _MOST_COUNT),
    "fields": _fields,
    "priority": _whole(-_MOST_PRIORITY, _MOST_PRIORITY),
    "report_every_s": _seconds,
    "seed": _whole(0, _MOST_SEED),
}

_ACTIONS: Mapping[str, Mapping[str, Callable[[str, Any], Any]]] = {
    "analyze": _ANALYZE,
    "cancel": {"target": _text},
    "cancel_all": {},
    "version": {},
    "games": {},
}


# --- What a request asks for ---


@dataclass(frozen=True)
class Recipe:
    """How an agent is made. `spec` has the limits of the request in it, so ``--agent`` repeats the analysis with it.

    `seconds` is the time limit for an agent that has no parameter of this name. `warning` says if the agent does not
    play as its spec says.
    """

    spec: str
    game: str
    seed: int
    agent_type: AgentType
    parameters: Any
    seconds: float | None
    warning: str

    @property
    def key(self) -> tuple[str, str, int]:
        """The key of the agent: recipes with equal keys share one."""
        return self.game, self.spec, self.seed

    def make(self) -> Any:
        """Create the agent."""
        return self.agent_type.create(self.parameters, self.seed)


@dataclass(frozen=True)
class Order:
    """A request to analyze: its positions, each with its ply if the request lists plies, and how."""

    id: str
    positions: tuple[tuple[int | None, State], ...]
    recipe: Recipe
    lines: int | None = None
    fields: tuple[str, ...] | None = None
    priority: int = 0
    report_every_s: float | None = None


class Resolver:
    """Finds the game, the positions and the agent of requests. `game`, `agent` and `seed` are for those without."""

    def __init__(self, *, game: str | None = None, agent: str | None = None, seed: int = 0) -> None:
        self._game = None if game is None else new(game).spec
        self._agent = agent
        self._seed = seed
        self._start = functools.lru_cache(_KEPT)(new)
        self._found = functools.lru_cache(_KEPT)(_find)
        if self._game is not None:
            self._found(self._game, agent, ())  # a wrong agent on the command line is told at once

    def order(self, request: Request) -> Order:
        """Return what a request asks for; RequestError if it is about no position or agent that there is."""
        try:
            return self._order(request)
        except JouteError as error:
            raise RequestError(str(error), request.id) from error
        except Exception as error:  # a plug-in may raise anything
            raise RequestError(described(error), request.id) from error

    def _order(self, request: Request) -> Order:
        fields = request.fields
        game = fields.get("game", self._game)
        if game is None:
            raise SpecError("the request names no game, and the service was started without one")
        start = new(game, fields["position"]) if "position" in fields else self._start(game)
        positions = _positions(start, fields.get("moves", ()), fields.get("plies"))
        limits = tuple((name, fields[name]) for name in LIMITS if name in fields)
        recipe = self._found(start.spec, fields.get("agent", self._agent), limits)
        if (seed := fields.get("seed", self._seed)) != recipe.seed:
            recipe = replace(recipe, seed=seed)
        return Order(
            id=request.id,
            positions=positions,
            recipe=recipe,
            lines=fields.get("lines"),
            fields=fields.get("fields"),
            priority=fields.get("priority", 0),
            report_every_s=fields.get("report_every_s"),
        )


def _positions(
    start: State, moves: tuple[str, ...], plies: tuple[int, ...] | str | None
) -> tuple[tuple[int | None, State], ...]:
    if plies is None:
        return ((None, follow(start, moves)),)
    wanted = range(len(moves) + 1) if isinstance(plies, str) else plies
    if max(wanted) > len(moves):
        raise SpecError(f"plies has {max(wanted)}, but moves ends at {len(moves)}")
    state, after = start, {0: start}
    for ply, move in enumerate(moves[: max(wanted)], start=1):
        state = follow(state, (move,))
        after[ply] = state
    return tuple((ply, after[ply]) for ply in wanted)


def default_agent(game: str) -> str:
    """Return the agent that analyzes a game by default: the exact solver, else the game's engine, else mcts."""
    return adviser(game) or "mcts"


def check_analyst(agent: str, game: str) -> None:
    """Raise SpecError if an agent is not one that analyzes in this process: a file, a program or a server."""
    if find_source(agent, game).kind != "built-in":
        raise SpecError(
            f"joute analyze takes only built-in agents and plug-ins ('joute agents' lists them), not {agent}; "
            "joute play --hints takes it"
        )


def limits_of(agent_type: AgentType) -> list[str]:
    """Return the limits that an agent has."""
    names = {each.name for each in agent_type.described_parameters}
    return [name for name in LIMITS if name in names]


def _find(game: str, agent: str | None, limits: tuple[tuple[str, float], ...]) -> Recipe:
    spec = agent or default_agent(parse_spec(game)[0])
    check_analyst(spec, game)
    if limits:
        spec = _limited(spec, dict(limits))
    agent_type, parameters = find_agent(spec, game)
    takes_seconds = "seconds" in limits_of(agent_type)
    return Recipe(
        spec=spec,
        game=game,
        seed=0,
        agent_type=agent_type,
        parameters=parameters,
        seconds=None if takes_seconds else dict(limits).get("seconds"),
        warning=caveat_of(spec, game),
    )


def _limited(spec: str, limits: Mapping[str, float]) -> str:
    """Return a spec with these limits in place of its own."""
    name, pairs = parse_spec(spec)
    agent_type, _ = find_agent(spec)
    parameters = {each.name: each for each in agent_type.described_parameters}
    known = {limit: parameters[limit] for limit in limits_of(agent_type)}
    for limit, value in limits.items():
        if limit in known:
            pairs[limit] = value_text(value)
        elif limit != "seconds":
            raise SpecError(f"agent '{name}' has no limit {limit}; it has {', '.join(known) or 'none'}")
    for limit, parameter in known.items():
        if limit not in limits and parameter.low == 0:  # 0 stands for no limit
            pairs.pop(limit, None)
            if parameter.default:
                pairs[limit] = "0"
    settings = ",".join(f"{key}={value}" for key, value in pairs.items())
    return f"{name}:{settings}" if settings else name
