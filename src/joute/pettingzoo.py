"""Games as environments of PettingZoo: ``joute.pettingzoo.env("connect4")``.

docs/environments.md describes observations, actions and rewards. PettingZoo is an extra: ``joute[pettingzoo]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from joute.environments.choices import start_of
from joute.errors import JouteError
from joute.games import State
from joute.spec import Value

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from joute.environments.aec import GameEnv

__all__ = ["env", "raw_env"]


def env(
    game: str,
    *,
    render_mode: str | None = None,
    max_plies: int = 0,
    starts: Sequence[State] = (),
    **rules: Value,
) -> AECEnv:
    """Return an environment in which an illegal action loses the game, with PettingZoo's usual wrappers.

    `game` is a spec, and `rules` are options of its rules. Games begin at a position drawn from `starts`, if any are
    given, and are truncated after `max_plies` moves, if that is not 0.
    """
    made = raw_env(game, render_mode=render_mode, max_plies=max_plies, starts=starts, **rules)
    from pettingzoo.utils import wrappers

    legal = wrappers.TerminateIllegalWrapper(made, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(legal))


def raw_env(
    game: str,
    *,
    render_mode: str | None = None,
    max_plies: int = 0,
    starts: Sequence[State] = (),
    **rules: Value,
) -> GameEnv:
    """Return the environment without wrappers: an illegal action raises IllegalMoveError."""
    start = start_of(game, rules)
    try:
        from joute.environments.aec import GameEnv
    except ImportError as error:
        raise JouteError("PettingZoo environments need pettingzoo: pip install 'joute[pettingzoo]'") from error
    return GameEnv(start, render_mode=render_mode, max_plies=max_plies, starts=starts)
