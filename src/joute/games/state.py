"""The base class of positions, `State`, for native games (C++) and for games written in Python.

A game is a subclass of State: the class has the game's name and creates its start position; an instance is a position.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from inspect import getattr_static
from typing import Any, ClassVar, NoReturn, Self, TypeAlias

from joute import _core
from joute._core import Playouts, Random, Result, Search, class_name, one_line
from joute.errors import IllegalMoveError, NotationError
from joute.games.board import TextBoard, plain_board
from joute.games.scene import PLAYERS, Scene, text_scene
from joute.spec import Parameter, Value

# A move is any hashable object whose str() is the move's notation.
Move: TypeAlias = Hashable

# Plurals of verbs that do not just drop the s of the singular.
_PLURALS = {"has": "have", "is": "are", "does": "do"}


def _undefined(state: State, what: str) -> NoReturn:
    raise TypeError(f"{type(state).__name__} does not define {what}")


#: The roles of evaluations: for agents that look one move ahead, for searches, for the game's own engine.
EVALUATION_ROLES = ("greedy", "default", "engine")


def check_complete(game: type[State]) -> None:
    """Raise TypeError if a class lacks a member that a game must define."""
    missing = [name for name in game.required if getattr_static(game, name, None) is getattr_static(State, name, None)]
    if missing:
        raise TypeError(f"{game.__name__} is a game, so it must define {', '.join(missing)}")


def check_roles(game: type[State]) -> None:
    """Raise TypeError if `evaluation_roles` has an unknown role, or an evaluation that the game does not have."""
    names = [name for name, _ in game.evaluations]
    for role, name in game.evaluation_roles.items():
        if role not in EVALUATION_ROLES:
            raise TypeError(f"{game.__name__}: evaluations have no role '{role}', only {', '.join(EVALUATION_ROLES)}")
        if name not in names:
            raise TypeError(f"{game.__name__} has no evaluation '{name}' for the role {role}")


class State:
    """A position: an immutable, hashable value. Playing a move returns a new position.

    To write a game in Python, subclass State with an immutable class, most easily decorated with
    ``@dataclass(frozen=True, repr=False)``, and define the members listed in `required`; all others have a default.
    examples/tictactoe is a complete plug-in of about a hundred lines. Players are 0 (first) and 1 (second).
    """

    __slots__ = ()

    #: The name in specs: ``tictactoe``.
    game: ClassVar[str]
    #: The name in sentences: ``Tic-tac-toe``.
    title: ClassVar[str]
    #: The names of the two players.
    players: ClassVar[tuple[str, str]] = ("first", "second")
    #: Whether these names are plural: "vampires win", but "red wins".
    players_are_many: ClassVar[bool] = False
    #: Whether the drawing may be turned upside down, so that the second player sits below.
    flips: ClassVar[bool] = False
    #: The players' colours in drawings.
    colours: ClassVar[tuple[str, str]] = PLAYERS

    #: Whether `legal_moves` lists every legal move.
    complete: bool = True
    #: Whether a position can recur in a game; a recurring position must then have the same `key`.
    repeats: bool = False
    #: Whether the game has random events.
    has_chance: bool = False

    #: Whether the game finds wins and threats fast enough for playouts.
    fast_tactics: bool = False

    #: The default number of random plies of a tournament's openings (arena/openings.py); 0 if `random_start` alone
    #: gives enough different games.
    opening_plies: ClassVar[int] = 4

    #: The game's own defaults of training parameters, by their names in `joute.train.parameters`.
    training: ClassVar[Mapping[str, Value]] = {}
    #: The move generator of searches guided by a network; empty for the default.
    network_generator: ClassVar[str] = ""
    #: The sets of start positions that `training_starts` draws, with their descriptions.
    training_start_kinds: ClassVar[Mapping[str, str]] = {}

    #: (name, help) of each evaluation, from the simplest to the strongest.
    evaluations: list[tuple[str, str]] = []  # noqa: RUF012
    #: The evaluation of each role in `EVALUATION_ROLES`; `evaluation_for` has the defaults of missing roles.
    evaluation_roles: dict[str, str] = {}  # noqa: RUF012

    #: The members that a game written in Python must define.
    required: ClassVar[tuple[str, ...]] = (
        "game",
        "title",
        "new",
        "position",
        "to_move",
        "ply",
        "legal_moves",
        "after",
        "result",
        "diagram",
    )

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if hasattr(cls, "game"):  # a class without a name is a base for games
            check_complete(cls)
            check_roles(cls)

    # --- To be defined by a game written in Python ---

    @classmethod
    def new(cls, position: str | None = None, rules: str = "") -> Self:
        """Return the start position, or the given one; NotationError if `position` is invalid."""
        raise TypeError(f"{cls.__name__} does not define new")

    @property
    def position(self) -> str:
        """The position in the game's notation, which `new` reads."""
        _undefined(self, "position")

    @property
    def to_move(self) -> int:
        """The player to move, 0 or 1. In a chance state, the player whose move caused the random event."""
        _undefined(self, "to_move")

    @property
    def ply(self) -> int:
        """Moves played since the start."""
        _undefined(self, "ply")

    @property
    def legal_moves(self) -> Sequence[Any]:
        """The legal moves; empty if the game is over or a random event is pending."""
        _undefined(self, "legal_moves")

    def after(self, move: Any) -> Self:
        """Return the position after a legal move, without checking it; `play` checks the move first."""
        _undefined(self, "after")

    @property
    def result(self) -> Result | None:
        """The result of the game; None while it goes on."""
        _undefined(self, "result")

    def diagram(self) -> str:
        """The board as lines of text."""
        _undefined(self, "diagram")

    # --- With a default ---

    @property
    def rules(self) -> str:
        """The rules options that differ from the default, ``key=value,…``."""
        return ""

    @classmethod
    def rule_parameters(cls) -> tuple[Parameter, ...]:
        """The rules options of the game."""
        return ()

    @classmethod
    def rule_parameters_of(cls, settings: Mapping[str, str]) -> tuple[Parameter, ...]:
        """The rules options in a spec with these settings, in games where some options depend on others."""
        return cls.rule_parameters()

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.result is not None

    @property
    def result_if_stopped(self) -> Result:
        """The result if the clock or a ply limit stops the game here; a draw unless overridden."""
        return self.result or Result(0, decided_by="stopped")

    @property
    def reversible_plies(self) -> int:
        """Plies since the last irreversible move: no earlier position can repeat."""
        return self.ply if self.repeats else 0

    @property
    def repetitions_to_draw(self) -> int:
        """The number of occurrences of a position that makes the game a draw; 0 if the rules have no such draw.

        Searches use it. Native games detect the draw themselves; a game written in Python must store in its states
        whatever its `result` needs.
        """
        return 0

    @property
    def past(self) -> tuple[int, ...]:
        """The keys of earlier positions of the game, as far back as its rules check for repetition.

        The past does not affect equality. A position created by `new` has no past.
        """
        return ()

    def with_past(self, past: Sequence[int]) -> Self:
        """Return this position with a past, given as keys; the position itself if the game stores no past."""
        return self

    @property
    def key(self) -> int:
        """The 64-bit hash key; unlike Python's hash(), it is the same in every process."""
        return _core.position_key(self.spec, self.position)

    def recompute_key(self) -> int:
        """Compute the key from the board, to check an incrementally updated `key`."""
        return self.key

    def is_legal(self, move: Any) -> bool:
        """Whether `move` is a legal move or the notation of one."""
        return any(_stands_for(move, legal) for legal in self.legal_moves)

    def legal_move(self, move: Any) -> Any:
        """Return the legal move that an object or its notation denotes; IllegalMoveError if there is none."""
        for legal in self.legal_moves:
            if _stands_for(move, legal):
                return legal
        shown = one_line(move)
        if not issubclass(type(move), str) and not any(type(move) is type(legal) for legal in self.legal_moves):
            shown += f" ({class_name(move)}, not a move)"
        raise IllegalMoveError(f"illegal move {shown} at ply {self.ply} of {self.game}{self._legal_text()}")

    def parse_move(self, text: str) -> Any:
        """Return the legal move of that notation; NotationError if there is none."""
        for move in self.legal_moves:
            if str(move) == text:
                return move
        shown = one_line(text)
        raise NotationError(f"'{shown}' is not a legal move of {self.game} at ply {self.ply}{self._legal_text()}")

    def play(self, move: Any, rng: Random | None = None) -> Self:
        """Return the position after a move, given as an object or as text. With `rng`, resolve random events too."""
        state = self.after(self.legal_move(move))
        if not isinstance(state, State):
            raise TypeError(f"{type(self).__name__}.after must return a position, not {one_line(state)}")
        while rng is not None and state.is_chance:
            state = state.resolve(state.draw_outcome(rng))
        return state

    def step(self, move: Any) -> tuple[Any, Self]:
        """Return the legal move that an object or its notation denotes, and the position after it.

        Does not resolve random events. A caller that needs both calls this, so that the move is checked once.
        """
        legal = self.legal_move(move)
        try:
            state = self.after(legal)
        except IllegalMoveError as error:  # an error in the game's rules, not the player's
            raise TypeError(f"{type(self).__name__}.after refuses {one_line(legal)}, a legal move: {error}") from error
        if not isinstance(state, State):
            raise TypeError(f"{type(self).__name__}.after must return a position, not {one_line(state)}")
        return legal, state

    def _legal_text(self) -> str:
        if self.is_terminal:
            return ": the game is over"
        if self.is_chance:
            return ": a random event is pending; resolve it first"
        moves = self.legal_moves
        # As in the core (bind_game.hpp): a long list is cut to a few examples.
        shown = 12 if len(moves) > 60 else len(moves)
        more = f" and {len(moves) - shown} more" if len(moves) > shown else ""
        include = "legal moves" if self.complete else "legal moves include"
        return f"; {include}: {' '.join(map(str, moves[:shown]))}{more}"

    def random_move(self, rng: Random) -> Any:
        """Return a move drawn uniformly from `legal_moves`."""
        return rng.choice(self.legal_moves)

    def random_start(self, rng: Random) -> Self:
        """Return a fair start position drawn at random, such as a map; this position unless the game has several."""
        return self

    def training_starts(self, kind: str, rng: Random) -> Sequence[Self]:
        """Return start positions for training: a set of `training_start_kinds`, drawn at random."""
        raise ValueError(f"{self.game} has no set of start positions '{kind}', drawn by {type(rng).__name__}")

    @property
    def network_rules(self) -> str:
        """The rules, as far as a network depends on them: it plays positions of the same `network_rules`."""
        return self.rules

    @property
    def winning_moves(self) -> list[Any]:
        """The moves that win at once for the player to move."""
        return _core.python_winning_moves(self)

    @property
    def is_chance(self) -> bool:
        """Whether a random event is pending."""
        return False

    @property
    def outcomes(self) -> list[float]:
        """The probabilities of the pending event's outcomes; empty if none is pending."""
        return []

    @property
    def event(self) -> str:
        """The subject of sentences about the pending event, as in "a random event is pending"."""
        return "a random event"

    def outcome_text(self, outcome: int) -> str:
        """Return a sentence that describes an outcome of the pending event; empty if the board shows it."""
        return ""

    def resolve(self, outcome: int) -> Self:
        """Return the position after an outcome of the pending event."""
        raise ValueError(f"no random event is pending, so it has no outcome {outcome}")

    def draw_outcome(self, rng: Random) -> int:
        """Return the index of an outcome, drawn by the probabilities."""
        if not self.is_chance:
            raise ValueError("no random event is pending in this position")
        remaining = rng.uniform()
        for index, probability in enumerate(self.outcomes):
            if remaining < probability:
                return index
            remaining -= probability
        return max(index for index, probability in enumerate(self.outcomes) if probability > 0)

    def evaluate(self, for_player: int, name: str | None = None) -> float:
        """Return the evaluation `name` of the position for player 0 or 1; 0 if the game has no evaluations."""
        if for_player not in (0, 1):
            raise IndexError("the player must be 0 or 1")
        if name:
            raise ValueError(f"{self.game} has no evaluation '{name}', asked for player {for_player}")
        return 0.0

    @classmethod
    def evaluation_for(cls, role: str) -> str | None:
        """Return the name of the evaluation for a role; None if the game has no evaluations.

        Defaults, for roles missing in `evaluation_roles`: `greedy` is the first evaluation, `default` the last, and
        `engine` is the same as `default`.
        """
        if not cls.evaluations:
            return None
        first, last = cls.evaluations[0][0], cls.evaluations[-1][0]
        default = cls.evaluation_roles.get("default", last)
        return {"greedy": first, "default": default, "engine": default, **cls.evaluation_roles}[role]

    @staticmethod
    def search(options: Any, evaluation: Any = None) -> Search:
        """Return a search of this game. The type of `options` selects the algorithm (see joute.agents)."""
        return _core.python_search(options, evaluation)

    def playouts(self, n: int, seed: int = 0, max_plies: int = 100_000) -> Playouts:
        """Play n random games from here."""
        return _core.python_playouts(self, n, seed, max_plies)

    def perft(self, depth: int, *, bulk: bool = True) -> int:
        """Return the number of move sequences of exactly `depth` moves."""
        return _core.python_perft(self, depth, bulk)

    def scene(self, last_move: Any = None) -> Scene:
        """Return the drawing of the position; the web page, notebooks and reports all use it."""
        lines = self.diagram() + (f"\nlast move: {last_move}" if last_move is not None else "")
        return text_scene(lines, title=f"{self.title}, {self.status}")

    def text_board(self, last_move: Any = None, *, colour: bool = True) -> TextBoard:
        """Return the drawing of the position for a terminal; without `colour`, characters alone tell the players."""
        return plain_board(self.diagram())

    # --- The same for all ---

    @property
    def spec(self) -> str:
        """The spec string of the game, rules included."""
        return f"{self.game}:{self.rules}" if self.rules else self.game

    @property
    def status(self) -> str:
        """The player to move, the pending event, or the result of the game, as a sentence."""
        result = self.result
        if result is None:
            told = f"{self.event} is pending" if self.is_chance else f"{self.players[self.to_move]} to move"
        elif result.winner is None:
            told = f"draw ({result.decided_by})"
        else:
            told = f"{self.about(result.winner, 'wins')} ({result.decided_by})"
        return f"ply {self.ply}: {told}"

    def about(self, player: int, words: str) -> str:
        """Return a sentence about a player. `words` begin with a singular verb: ``red wins``, ``vampires win``."""
        verb, blank, rest = words.partition(" ")
        if self.players_are_many:
            verb = _PLURALS.get(verb, verb.removesuffix("s"))
        return f"{self.players[player]} {verb}{blank}{rest}"

    def svg(self, last_move: Any = None) -> str:
        """The position as an SVG picture."""
        return self.scene(last_move).svg()

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return f"{self.diagram()}\n{self.status}"

    def __repr__(self) -> str:
        return f"joute.new({self.spec!r}, {self.position!r})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return (self.spec, self.position) == (other.spec, other.position)

    def __hash__(self) -> int:
        return hash((type(self), self.spec, self.position))

    def __reduce__(self) -> tuple[Any, ...]:
        if self.past:
            return _remembered, (type(self), self.position, self.rules, self.past)
        return type(self).new, (self.position, self.rules)

    def __copy__(self) -> Self:
        return self  # immutable, like a tuple

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class NativeState(State):
    """Base of games of the C++ core, beside the bound class: ``class Connect4(_core.Connect4, NativeState)``."""

    __slots__ = ()
    required: ClassVar[tuple[str, ...]] = ("game", "title")  # the bound class defines the rest

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if hasattr(cls, "game"):
            _check_bound(cls)

    @classmethod
    def new(cls, position: str | None = None, rules: str = "") -> Self:
        """Return the start position, or the given one."""
        return cls(position, rules)  # type: ignore[call-arg]  # the bound class defines it

    @staticmethod
    def rule_options() -> list[tuple[str, str, str, str]]:
        """Return (name, default, choices, help) of each rules option, as the core describes it."""
        return []

    @classmethod
    def rule_parameters(cls) -> tuple[Parameter, ...]:
        """The rules options of the game, as the core describes them."""
        return tuple(map(_rule_parameter, *zip(*cls.rule_options(), strict=True))) if cls.rule_options() else ()


def _check_bound(game: type[NativeState]) -> None:
    """Raise TypeError if an extension binds a game's rules, but not its searches or its networks."""
    if game.search is State.search:
        raise TypeError(
            f"the searches of {game.game} are not bound: its extension must call bind_searches "
            "(core/bind/bind_search.hpp)"
        )
    if hasattr(game, "encode") and not hasattr(game, "self_play"):
        raise TypeError(
            f"{game.game} supports networks, but they are not bound: its extension must call bind_network "
            "(core/bind/bind_network.hpp)"
        )


def _remembered(game: type[State], position: str, rules: str, past: tuple[int, ...]) -> State:
    """Restore a pickled position with its past."""
    return game.new(position, rules).with_past(past)


def _stands_for(move: Any, legal: Any) -> bool:
    """Whether `move`, which may be any object, is this legal move or its notation.

    Runs as little of an untrusted object's code as possible: only `==`, and only with a move of the same type.
    """
    if issubclass(type(move), str) and str.__str__(move) == str(legal):
        return True
    if type(move) is not type(legal):
        return False
    try:
        return bool(move == legal)
    except KeyboardInterrupt:
        raise
    except BaseException:  # such as the comparison of a tuple that holds an array
        return False


def _rule_parameter(name: str, default: str, choices: str, help: str) -> Parameter:
    if ".." in choices:
        low, high = map(int, choices.split(".."))
        return Parameter(name, int(default), help, source="rules", low=low, high=high)
    return Parameter(name, default, help, source="rules", choices=tuple(filter(None, choices.split("|"))))
