"""OpenSpiel's bots as agents: ``openspiel-bot:mcts,iterations=1000``. They play its games and ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from joute.agents import AgentType, Clock
from joute.games import Move, State
from joute.openspiel.library import check_installed, pyspiel
from joute.spec import parameter

check_installed()

#: A function that makes the bot of a game and a player (0 or 1 in OpenSpiel).
MakeBot = Callable[[Any, int], Any]

# Of the tree, whose least visited parts are dropped beyond it.
_MEMORY_MB = 256


@dataclass(frozen=True)
class SpielBotParameters:
    """Parameters of OpenSpiel's bots."""

    bot: str = parameter(
        "mcts",
        help="the bot: tree search, or moves drawn uniformly; the other parameters are those of the search",
        source="OpenSpiel",
        choices=("mcts", "uniform_random"),
        leads=True,
    )
    iterations: int = parameter(
        1000, help="simulations of a move", source="examples/mcts.py of OpenSpiel", low=1, high=10**6
    )
    c: float = parameter(
        2.0,
        help="the weight of exploration, with utilities between -1 and 1",
        source="examples/mcts.py of OpenSpiel",
        low=0,
        high=1000,
    )
    rollouts: int = parameter(
        1, help="random games that judge a position", source="examples/mcts.py of OpenSpiel", low=1, high=1000
    )
    solve: bool = parameter(
        True, help="whether the search proves wins and losses", source="examples/mcts.py of OpenSpiel"
    )


class SpielAgent:
    """Plays the actions of a bot of OpenSpiel, which sees OpenSpiel's state of the position."""

    def __init__(self, make: MakeBot) -> None:
        self._make = make
        self._bots: dict[tuple[str, int], Any] = {}

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the bot's move; in games where a move takes several actions, the bot takes all of them."""
        from joute.openspiel.convert import move_of, state_of

        spiel, taken = state_of(state), []
        player = spiel.current_player()
        bot = self._bot(spiel.get_game(), player)
        move = None
        while move is None:
            taken.append(_step(bot, spiel))
            move = move_of(state, taken)
            if move is None:
                spiel.apply_action(taken[-1])
        return move

    def _bot(self, game: Any, player: int) -> Any:
        key = str(game), player
        if key not in self._bots:
            self._bots[key] = self._make(game, player)
        return self._bots[key]


def _step(bot: Any, spiel: Any) -> int:
    """Return the bot's action.

    `step` of OpenSpiel's tree searches lets go of the GIL, and then crashes in a game written in Python, such as ours.
    """
    if isinstance(bot, pyspiel().MCTSBot):
        return int(bot.mcts_search(spiel).best_child().action)
    if isinstance(bot, pyspiel().ISMCTSBot):
        return int(bot.step_with_policy(spiel)[1])
    return int(bot.step(spiel))


def _create(parameters: SpielBotParameters, seed: int) -> SpielAgent:
    def make(game: Any, player: int) -> Any:
        start = (seed + player) % 2**31
        if parameters.bot == "uniform_random":
            return pyspiel().make_uniform_random_bot(player, start)
        judge = pyspiel().RandomRolloutEvaluator(parameters.rollouts, start)
        return pyspiel().MCTSBot(
            game, judge, parameters.c, parameters.iterations, _MEMORY_MB, parameters.solve, start, False
        )

    return SpielAgent(make)


SPIEL_BOT = AgentType(
    "openspiel-bot", "a bot of OpenSpiel, on its games and ours", SpielBotParameters, _create, keeps_time=False
)
