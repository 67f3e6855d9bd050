"""The rules of the course, slow and obvious: every score is counted anew from the whole board.

It runs on seahorse 1.1 and 1.2 alike, under the names of both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from board_divercite import CELLS, BoardDivercite
from player_divercite import PlayerDivercite
from seahorse.game.game_layout.board import Piece
from seahorse.game.game_state import GameState

try:
    from seahorse.game.heavy_action import HeavyAction
    from seahorse.game.light_action import LightAction
except ImportError:
    from seahorse.game.stateful_action import StatefulAction as HeavyAction
    from seahorse.game.stateless_action import StatelessAction as LightAction

HAND = {"RC": 2, "RR": 3, "GC": 2, "GR": 3, "BC": 2, "BR": 3, "YC": 2, "YR": 3}


class GameStateDivercite(GameState):
    def __init__(
        self, scores: Any, next_player: Any, players: Any, rep: Any, step: int, players_pieces_left: Any, **_: Any
    ) -> None:
        super().__init__(scores, next_player, players, rep)
        self.next_player = self.active_player = next_player
        self.max_step = 40
        self.step = step
        self.players_pieces_left = {int(key): hand for key, hand in players_pieces_left.items()}

    @classmethod
    def start(cls, white: Any, black: Any) -> GameStateDivercite:
        ids = (white.get_id(), black.get_id())
        hands = {key: dict(HAND) for key in ids}
        return cls(dict.fromkeys(ids, 0), white, [white, black], BoardDivercite({}, [9, 9]), 0, hands)

    def get_step(self) -> int:
        return self.step

    def is_done(self) -> bool:
        return self.step == self.max_step

    def get_next_player(self) -> Any:
        return self.next_player

    def get_neighbours(self, i: int, j: int) -> dict[str, Any]:
        return self.rep.get_neighbours(i, j)

    def generate_possible_light_actions(self) -> Iterator[Any]:
        for piece, left in self.players_pieces_left[self.next_player.get_id()].items():
            for i, j in CELLS:
                if left and (i, j) not in self.rep.env and "RC"[(i + j) % 2] == piece[1]:
                    yield LightAction({"piece": piece, "position": (i, j)})

    def generate_possible_heavy_actions(self) -> Iterator[Any]:
        for action in self.generate_possible_light_actions():
            yield HeavyAction(self, self.apply_action(action))

    generate_possible_stateless_actions = generate_possible_light_actions
    generate_possible_stateful_actions = generate_possible_heavy_actions

    def apply_action(self, action: Any) -> GameStateDivercite:
        mover, piece = self.next_player, action.data["piece"]
        placed = Piece(piece + mover.piece_type, owner=mover)
        board = BoardDivercite({**self.rep.env, action.data["position"]: placed}, [9, 9])
        hands = {key: dict(hand) for key, hand in self.players_pieces_left.items()}
        hands[mover.get_id()][piece] -= 1
        other = next(player for player in self.players if player.get_id() != mover.get_id())
        scores = self.compute_scores((board, self.step + 1))
        return GameStateDivercite(scores, other, self.players, board, self.step + 1, hands)

    def compute_scores(self, play_info: Any) -> dict[int, int]:
        board, step = play_info
        white, black = (player.get_id() for player in self.players)
        counts: dict[int, list[int]] = {white: [0] * 6, black: [0] * 6}  # by points: 0 to 4, and 5 for a Divercité
        for (i, j), piece in board.env.items():
            if piece.get_type()[1] == "C":
                around = [n.get_type()[0] for n, _ in board.get_neighbours(i, j).values() if isinstance(n, Piece)]
                points = 5 if len(set(around)) == 4 else around.count(piece.get_type()[0])
                counts[piece.get_owner_id()][points] += 1
        scores = {key: sum(points * count for points, count in enumerate(counts[key])) for key in counts}
        if step == self.max_step and scores[white] == scores[black]:
            level = next((n for n in (5, 4, 3) if counts[white][n] != counts[black][n]), 2)
            scores[white] += counts[white][level] > counts[black][level]
            scores[black] += counts[black][level] > counts[white][level]
            scores[white] += level == 2
        return scores

    def convert_stateful_action_to_stateless_action(self, stateful_action: Any) -> Any:
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        return {
            "scores": self.scores,
            "next_player": self.next_player.to_json(),
            "players": [player.to_json() for player in self.players],
            "rep": self.rep.to_json(),
            "max_step": self.max_step,
            "step": self.step,
            "players_pieces_left": self.players_pieces_left,
        }

    @classmethod
    def from_json(cls, data: Any, **kwargs: Any) -> GameStateDivercite:
        read = json.loads(data) if isinstance(data, str) else data
        players = [PlayerDivercite.from_json(player) for player in read["players"]]
        scores = {int(key): score for key, score in read["scores"].items()}
        board = BoardDivercite.from_json(read["rep"])
        mover = players[read["step"] % 2]
        return cls(scores, mover, players, board, read["step"], read["players_pieces_left"])
