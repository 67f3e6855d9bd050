"""Stand-ins for the Divercité course's classes that agents use: board, player, state.

Scores are computed as in the course's program: points are added move by move, and the last move adds the tie-break,
where White always gets a point at the level of two of a colour (an error of the program).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

from joute.games.divercite.seahorse.stand_in.framework import Board, GameState, HeavyAction, LightAction, Piece, Player
from joute.games.divercite.seahorse.state import CELLS, COLOURS, SIDE, STEPS, Cell, kind_of

_KEY = re.compile(r"\((\d+), ?(\d+)\)")
_DIVERCITE = 5
# The names of a cell's neighbours refer to a board rotated by 45 degrees.
_NEIGHBOURS = {"top_right": (-1, 0), "top_left": (0, -1), "bot_left": (0, 1), "bot_right": (1, 0)}

PlayInfo = tuple[Cell, str, int]


class BoardDivercite(Board):
    """The board of the game."""

    FORBIDDEN_POS, CITY_POS, RESOURCE_POS = 0, 1, 2
    FORBIDDEN_MASK: ClassVar = [[not kind_of(row, column) for column in range(SIDE)] for row in range(SIDE)]
    BOARD_MASK: ClassVar = [[kind_of(row, column) or 0 for column in range(SIDE)] for row in range(SIDE)]

    def get_neighbours(self, i: int, j: int) -> dict[str, tuple[Piece | str, Cell]]:
        """Return the four neighbours of a cell, each with its piece, EMPTY or OUTSIDE."""
        found: dict[str, tuple[Piece | str, Cell]] = {}
        for name, (down, right) in _NEIGHBOURS.items():
            cell = (i + down, j + right)
            found[name] = (self.env.get(cell) or ("EMPTY" if kind_of(*cell) else "OUTSIDE"), cell)
        return found

    def get_grid(self) -> list[list[Any]]:
        """Return each cell's contents: the piece's type, the kind of an empty cell, or empty text outside."""
        return [
            [
                self.env[row, column].get_type() if (row, column) in self.env else kind_of(row, column)
                for column in range(SIDE)
            ]
            for row in range(SIDE)
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the pieces by the text of their cells, and the size."""
        return {"env": {str(cell): piece for cell, piece in self.env.items()}, "dim": self.dimensions}

    @classmethod
    def from_json(cls, data: Any, **_: Any) -> BoardDivercite:
        """Read a board from JSON."""
        read = json.loads(data) if isinstance(data, str) else data
        env = {}
        for key, piece in read["env"].items():
            if not (match := _KEY.fullmatch(key)):
                raise ValueError(f"{key!r} is not a cell")
            env[int(match[1]), int(match[2])] = Piece.from_json(piece)
        return cls(env, read["dim"])


class PlayerDivercite(Player):
    """A player of the game: W or B."""

    def __init__(self, piece_type: str, name: str = "bob", *args: Any, **kwargs: Any) -> None:
        super().__init__(name, *args, **kwargs)
        self.piece_type = piece_type

    def get_piece_type(self) -> str:
        """W or B."""
        return self.piece_type

    def to_json(self) -> dict[str, Any]:
        """Return name, id and colour."""
        return {"name": self.name, "id": self.id, "piece_type": self.piece_type}

    @classmethod
    def from_json(cls, data: Any, **_: Any) -> PlayerDivercite:
        """Read a player from JSON."""
        return PlayerDivercite(**(json.loads(data) if isinstance(data, str) else data))


class GameStateDivercite(GameState):
    """A state of the game, with the number of moves and the players' hands."""

    def __init__(
        self,
        scores: dict[int, Any],
        next_player: Any,
        players: list[Any],
        rep: BoardDivercite,
        step: int,
        players_pieces_left: dict[Any, dict[str, int]],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(scores, next_player, players, rep)
        self.max_step = STEPS
        self.step = step
        self.players_pieces_left = {int(key): hand for key, hand in players_pieces_left.items()}

    def get_step(self) -> int:
        """Return the number of moves played."""
        return self.step

    def is_done(self) -> bool:
        """Whether the last move was played."""
        return self.step == self.max_step

    def get_neighbours(self, i: int, j: int) -> dict[str, tuple[Piece | str, Cell]]:
        """Return the board's neighbours of a cell."""
        neighbours: dict[str, tuple[Piece | str, Cell]] = self.rep.get_neighbours(i, j)
        return neighbours

    def in_board(self, index: Cell) -> bool:
        """Whether a cell is on the board."""
        return bool(kind_of(*index))

    def piece_type_match(self, resource_or_city: str, pos: Cell) -> bool:
        """Whether a cell is for C, cities, or R, resources."""
        return kind_of(*pos) == resource_or_city

    def get_player_id(self, pid: int) -> Any:
        """Return the player with an id; None if there is none."""
        return next((player for player in self.players if player.get_id() == pid), None)

    def generate_possible_light_actions(self) -> Iterator[LightAction]:
        """Yield the actions by piece in the order of the hand, then row by row."""
        env = self.rep.get_env()
        for piece, count in self.players_pieces_left[self.next_player.get_id()].items():
            if count > 0:
                for cell in CELLS:
                    if cell not in env and kind_of(*cell) == piece[1]:
                        yield LightAction({"piece": piece, "position": cell})

    def generate_possible_heavy_actions(self) -> Iterator[HeavyAction]:
        """Yield the same actions with the states before and after."""
        for action in self.generate_possible_light_actions():
            yield HeavyAction(self, self.apply_action(action))

    def apply_action(self, action: LightAction) -> GameStateDivercite:
        """Return the state after an action, without checking it."""
        if not isinstance(action, LightAction):
            raise ValueError("The action must be a LightAction.")
        piece, position = action.data["piece"], action.data["position"]
        env = dict(self.rep.get_env())
        env[position] = Piece(f"{piece}{self.next_player.get_piece_type()}", owner=self.next_player)
        play_info = (position, piece, self.next_player.get_id())
        return GameStateDivercite(
            self.compute_scores(play_info),
            self.compute_next_player(),
            self.players,
            BoardDivercite(env, self.rep.get_dimensions()),
            step=self.step + 1,
            players_pieces_left=self.compute_players_pieces_left(play_info),
        )

    def compute_players_pieces_left(self, play_info: PlayInfo) -> dict[int, dict[str, int]]:
        """Return the players' hands after a move."""
        _, piece, player = play_info
        hands = {key: dict(hand) for key, hand in self.players_pieces_left.items()}
        hands[player][piece] -= 1
        return hands

    def compute_scores(self, play_info: PlayInfo) -> dict[int, Any]:
        """Return the scores after a move."""
        cell, piece_type, player = play_info
        colour, kind = piece_type[0], piece_type[1]
        scores = dict(self.scores)
        if kind == "C":
            scores[player] += _points(colour, self._colours_around(cell))
        else:
            for piece, city in self.get_neighbours(*cell).values():
                if isinstance(piece, Piece):
                    around = self._colours_around(city)
                    own = piece.get_type()[0]
                    scores[piece.get_owner_id()] += _points(own, [*around, colour]) - _points(own, around)
        first, second = (each.get_id() for each in self.players)
        if self.step == self.max_step - 1 and scores[first] == scores[second]:
            env = dict(self.rep.get_env())
            owner = self.get_player_id(player)
            env[cell] = Piece(f"{colour}{kind}{owner.get_piece_type()}", owner=owner)
            return self.remove_draw(scores, BoardDivercite(env, self.rep.get_dimensions()))
        return scores

    def remove_draw(self, scores: dict[int, Any], board: BoardDivercite) -> dict[int, Any]:
        """Return the final scores of a tie, broken as in the course's program, including its error."""
        first, second = (each.get_id() for each in self.players)
        kinds: dict[int, Counter[int]] = {first: Counter(), second: Counter()}
        for (row, column), piece in board.get_env().items():
            if piece.get_type()[1] == "C":
                around = _colours(board.get_neighbours(row, column))
                same = around.count(piece.get_type()[0])
                kinds[piece.get_owner_id()][_DIVERCITE if len(set(around)) == len(COLOURS) else same] += 1
        for level in (_DIVERCITE, 4, 3, 2):
            for one, other in ((first, second), (second, first)):
                scores[one] += kinds[one][level] > kinds[other][level]
            if level == 2:
                scores[first] += 1
            if scores[first] != scores[second]:
                break
        return scores

    def check_divercite(self, pos: Cell, piece_color: str | None = None, board: BoardDivercite | None = None) -> bool:
        """Whether all colours are around a cell, counting `piece_color` if given."""
        around = set(_colours((board or self.rep).get_neighbours(*pos)))
        return len(around | ({piece_color} if piece_color else set())) == len(COLOURS)

    def convert_gui_data_to_action_data(self, data: dict[str, Any]) -> dict[str, Any]:
        """Convert a click to the data of an action."""
        return {"piece": data["piece"], "position": tuple(data["position"])}

    def _colours_around(self, cell: Cell) -> list[str]:
        return _colours(self.get_neighbours(*cell))

    def __str__(self) -> str:
        return "The game is finished!" if self.is_done() else super().__str__()

    def to_json(self) -> dict[str, Any]:
        """Return all attributes except the cached actions."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_possible")}

    @classmethod
    def from_json(cls, data: Any, *, next_player: Any = None, **_: Any) -> GameStateDivercite:
        """Read a state from JSON; a player given by its id only is `next_player`."""
        read = json.loads(data) if isinstance(data, str) else data
        players = [
            next_player if isinstance(each, str) else PlayerDivercite.from_json(each) for each in read["players"]
        ]
        scores = {int(key): score for key, score in read["scores"].items()}
        board = BoardDivercite.from_json(read["rep"])
        return cls(scores, next_player, players, board, read["step"], read["players_pieces_left"])


def _colours(neighbours: dict[str, tuple[Piece | str, Cell]]) -> list[str]:
    """Return the colours of the pieces around a cell."""
    return [piece.get_type()[0] for piece, _ in neighbours.values() if isinstance(piece, Piece)]


def _points(city: str, around: list[str]) -> int:
    """Return the points of a city."""
    return _DIVERCITE if len(set(around)) == len(COLOURS) else around.count(city)
