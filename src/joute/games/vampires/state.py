"""Vampires vs Werewolves in Python: maps by name or file, battle odds, the drawing.

The rules are core/games/vampires/vampires.hpp.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from joute import _core
from joute.errors import JouteError
from joute.files import user_path
from joute.games.board import TextBoard
from joute.games.scene import Scene
from joute.games.state import NativeState
from joute.games.vampires.generators import random_start
from joute.games.vampires.maps import VampiresMap
from joute.games.vampires.training import STARTS, TRAINING, start_texts
from joute.spec import Value, look_up

#: The species by their letters in a position.
SPECIES = {"v": "vampires", "w": "werewolves", "h": "humans"}

#: The colours of the species in drawings. They also differ in lightness.
COLOURS = {"v": "#8c1c30", "w": "#96b3d2", "h": "#f0c869"}

_IS_TEXT = re.compile(r"\d+x\d+/")


class Vampires(_core.Vampires, NativeState):
    """A position of Vampires vs Werewolves. A move is a turn, the orders to all groups: ``4.3-5.3x2+4.3-3.2x2``."""

    __slots__ = ()
    game: ClassVar[str] = "vampires"
    title: ClassVar[str] = "Vampires vs Werewolves"
    flips: ClassVar[bool] = True
    players_are_many: ClassVar[bool] = True
    opening_plies: ClassVar[int] = 0  # games differ by their maps
    training: ClassVar[Mapping[str, Value]] = TRAINING
    training_start_kinds: ClassVar[Mapping[str, str]] = STARTS
    network_generator: ClassVar[str] = "contact"

    @classmethod
    def new(cls, position: str | None = None, rules: str = "") -> Self:
        """Return the start position, or the given one; the rules option `map` may name an XML file."""
        return super().new(position, ",".join(map(_with_map_text, filter(None, rules.split(",")))))

    @property
    def players(self) -> tuple[str, str]:  # type: ignore[override]  # who is first depends on the rules
        """The species of the first and the second player."""
        return SPECIES[self.species(0)], SPECIES[self.species(1)]

    @property
    def colours(self) -> tuple[str, str]:  # type: ignore[override]
        """The colours of the first and the second player."""
        return COLOURS[self.species(0)], COLOURS[self.species(1)]

    def random_start(self, rng: _core.Random) -> Self:
        """Return a random official map of this size with a convertible house; itself if there is no room for one."""
        drawn = random_start(self.rows, self.columns, rng)
        return self if drawn is None else type(self).new(drawn.text, self.rules)

    def training_starts(self, kind: str, rng: _core.Random) -> list[Self]:
        """Return the maps of a set of `training_start_kinds`, some at a later ply, with the rules of this position."""
        starts = [type(self).new(text, self.rules) for text in start_texts(kind, rng)]
        # With a low ply limit, the game would be over at some of the later plies.
        return [start if not start.is_terminal else start.at_ply(0) for start in starts]

    def actions_of(self, move: Any) -> list[int]:
        """The actions of learners that make a turn (core/games/vampires/chooser.hpp); JouteError if none do."""
        taken: list[int] = []
        for order in move.orders:
            step = 3 * (order.target_y - order.y + 1) + order.target_x - order.x + 1
            ways = [(4 * (step - (step > 4)) + amount) * self.rows * self.columns for amount in range(4)]
            left = order.units
            while left:
                legal = self.legal_actions(taken)
                actions = [way + order.y * self.columns + order.x for way in ways]
                units = {each: _units(self.action_text(each, taken)) for each in actions if each in legal}
                fitting = [each for each in units if units[each] <= left]
                if not fitting:
                    raise JouteError(f"the actions of learners cannot make the turn {move}")
                taken.append(max(fitting, key=units.__getitem__))
                left -= units[taken[-1]]
        if not taken or self.move_of(taken) is None:
            taken.append(self.action_count - 1)  # the end of the turn
        return taken

    def at_ply(self, ply: int) -> Self:
        """Return the same board at another ply; an odd one changes the player to move."""
        board = self.position.rsplit("/", 1)[0] if self.ply else self.position
        return type(self).new(f"{board}/{ply}" if ply else board, self.rules)

    @property
    def network_rules(self) -> str:
        """The rules without map and ply limit, which are inputs of a network."""
        kept = [option for option in self.rules.split(",") if option.partition("=")[0] not in ("map", "plies")]
        return ",".join(filter(None, kept))

    @property
    def event(self) -> str:
        """The battle that is pending next."""
        if self.battle is None:
            return super().event
        x, y, *_ = self.battle
        return f"a battle of the {self.players[self.to_move]} on {x}.{y}"

    def outcome_text(self, outcome: int) -> str:
        """Return a sentence about the survivors on the battle's cell."""
        if self.battle is None:
            return super().outcome_text(outcome)
        x, y, _, defenders, species, _ = self.battle
        if outcome == 0:
            return f"nobody is left on {x}.{y}"
        if outcome <= defenders:
            return f"the {SPECIES[species]} hold {x}.{y}, {outcome} of {defenders} left"
        return f"the {self.players[self.to_move]} take {x}.{y} and are {outcome - defenders} there"

    def text_board(self, last_move: Any = None, *, colour: bool = True) -> TextBoard:
        """Draw the position for a terminal."""
        from joute.games.vampires.board import text_board

        return text_board(self, last_move, colour=colour)

    def scene(self, last_move: Any = None) -> Scene:
        """Draw the position; rings mark the cells of the last turn."""
        from joute.games.vampires.drawing import scene

        return scene(self, last_move, f"{self.title}, {self.status}")


def map_names() -> dict[str, str]:
    """Return the names and descriptions of the built-in maps."""
    return {name: what for name, _, what in _core.vampires_maps()}


def find_map(name: str) -> VampiresMap:
    """Return the map with a name, in an XML file, or with a text; JouteError if there is none.

    >>> find_map("hamlet").rows
    5
    """
    named = {known: text for known, text, _ in _core.vampires_maps()}
    if name in named:
        return VampiresMap.from_text(named[name])
    if _IS_TEXT.match(name):
        return VampiresMap.from_text(name)
    path = user_path(name)
    if path.is_file() or path.suffix or len(path.parts) > 1:
        return VampiresMap.read(path)
    return VampiresMap.from_text(look_up("map", name, named))


def _units(order: str) -> int:
    """The number of units that an order moves: ``4.3-5.3x2``."""
    return int(order.rpartition("x")[2])


def _with_map_text(option: str) -> str:
    """Return a rules option; a map file is replaced by its text, because the core opens no files."""
    key, equals, value = option.partition("=")
    is_file = key.strip() == "map" and value not in map_names() and not _IS_TEXT.match(value)
    return f"{key}{equals}{find_map(value).text}" if is_file else option


@dataclass(frozen=True)
class BattleOdds:
    """The exact distribution of the survivors of a battle."""

    #: The probability that the attackers win the draw; 1 or 0 if nothing is drawn.
    win: float
    #: The probability that nobody survives.
    empty: float
    #: The probabilities that 1, 2, … attackers and converts survive.
    attackers: tuple[float, ...]
    #: The probabilities that 1, 2, … defenders survive.
    defenders: tuple[float, ...]

    @property
    def expected_attackers(self) -> float:
        """The mean number of surviving attackers and converts."""
        return _mean(self.attackers)

    @property
    def expected_defenders(self) -> float:
        """The mean number of surviving defenders."""
        return _mean(self.defenders)


def battle_odds(attackers: int, defenders: int, *, against_humans: bool, rules: str = "official") -> BattleOdds:
    """Return the odds of a battle under a rules profile; SpecError if there is none of that name.

    >>> odds = battle_odds(5, 4, against_humans=False)
    >>> odds.win, round(odds.expected_attackers, 3), round(odds.expected_defenders, 3)
    (0.75, 2.812, 0.25)
    """
    (profiles,) = (option for option in Vampires.rule_parameters() if option.name == "rules")
    profiles.read(rules, Vampires.game)
    win, outcomes = _core.vampires_battle_outcomes(attackers, defenders, against_humans, f"rules={rules}")
    return BattleOdds(win, outcomes[0], tuple(outcomes[defenders + 1 :]), tuple(outcomes[1 : defenders + 1]))


def _mean(chances: tuple[float, ...]) -> float:
    return sum(number * chance for number, chance in enumerate(chances, start=1))
