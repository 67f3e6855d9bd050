"""Many games at once for learners: NumPy batches, stepped in the core over threads.

docs/environments.md describes the batches. The interface is that of Gymnasium's vector environments; Gymnasium itself
is needed for the spaces alone.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from joute._core import EnvironmentArrays
from joute.environments.choices import checked_starts, start_of
from joute.errors import JouteError
from joute.games import State
from joute.spec import Value
from joute.system import usable_cores

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Below so many games a thread, waking the threads takes longer than they save.
_GAMES_A_THREAD = 64

_Step = tuple["NDArray[np.uint8]", "NDArray[np.float32]", "NDArray[np.bool_]", "NDArray[np.bool_]", dict[str, Any]]


def vector_env(
    game: str,
    num_envs: int,
    *,
    threads: int = 0,
    max_plies: int = 0,
    starts: Sequence[State] = (),
    copy: bool = True,
    **rules: Value,
) -> VectorEnv:
    """Return a batch of games.

    `game` is a spec, and `rules` are options of its rules. Each game begins at a position drawn from `starts`, if any
    are given, and is truncated after `max_plies` moves, if that is not 0. `threads` 0 uses all cores in
    large batches. Without `copy`, every step overwrites the arrays of the last one, which is faster.

    >>> envs = vector_env("connect4", 3, threads=1)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations.shape, infos["action_mask"].shape
    ((3, 2, 6, 7), (3, 7))
    """
    start = start_of(game, rules)
    if not hasattr(start, "environments"):
        raise JouteError(
            f"{start.game} has no batches: they are for games of the core that support networks; "
            "joute.pettingzoo.env plays every game"
        )
    if num_envs < 1:
        raise JouteError(f"a batch has at least one game, not {num_envs}")
    if threads < 0 or max_plies < 0:
        raise JouteError("threads and max_plies must be 0 or more")
    threads = threads or min(len(usable_cores()), max(1, num_envs // _GAMES_A_THREAD))
    return VectorEnv(checked_starts(start, starts), num_envs, threads=threads, max_plies=max_plies, copy=copy)


class VectorEnv:
    """A batch of games of one kind, made by `vector_env`; not to be used by two threads at once."""

    def __init__(self, starts: Sequence[Any], num_envs: int, *, threads: int, max_plies: int, copy: bool) -> None:
        self._games = type(starts[0]).environments(list(starts), num_envs, min(threads, num_envs), max_plies)
        self.num_envs = num_envs
        #: The number of actions; they are numbered from 0.
        self.action_count: int = self._games.actions
        #: (planes, rows, columns) of an observation.
        self.observation_shape: tuple[int, int, int] = self._games.observation_shape
        #: What to multiply each plane with, so that its numbers are about 1.
        self.observation_scales = np.array(self._games.observation_scales, np.float32)
        self._copy = copy
        self._kept: _Arrays | None = None
        self._is_seeded = False
        self._is_reset = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Begin all games, or those of the option `reset_mask`; return observations and infos.

        With a seed, all that is drawn from now on is determined.
        """
        chosen = (options or {}).get("reset_mask")
        if chosen is not None:
            chosen = np.ascontiguousarray(chosen, np.bool_)
            if chosen.shape != (self.num_envs,):
                raise JouteError(f"reset_mask has the shape {chosen.shape}, not ({self.num_envs},)")
        if seed is not None or not self._is_seeded:
            self._games.seed(secrets.randbits(63) if seed is None else seed % 2**64)
            self._is_seeded = True
        arrays = self._arrays()
        self._games.reset(arrays.bound, chosen if self._is_reset else None)
        self._is_reset = True
        return arrays.planes, arrays.infos()

    def step(self, actions: Any) -> _Step:
        """Take one action in every game; return observations, rewards, terminations, truncations and infos.

        If an action is illegal, IllegalMoveError names its game, and no action is taken.
        """
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise JouteError(
                f"the actions must be {self.num_envs} whole numbers, not {given.dtype} of shape {given.shape}"
            )
        self._check_begun("step()")
        arrays = self._arrays()
        self._games.step(np.ascontiguousarray(given, np.int64), arrays.bound)
        infos = arrays.infos()
        ended = arrays.terminated | arrays.truncated
        if ended.any():
            infos["final_obs"], infos["_final_obs"] = arrays.final_planes, ended
        return arrays.planes, arrays.rewards, arrays.terminated, arrays.truncated, infos

    def _check_begun(self, call: str) -> None:
        if not self._is_reset:
            raise JouteError(f"call reset() before the first {call}")

    def random_actions(self) -> NDArray[np.int64]:
        """Draw a legal action for every game, uniformly."""
        self._check_begun("random_actions()")
        actions = np.empty(self.num_envs, np.int64)
        self._games.random_actions(actions)
        return actions

    def state(self, index: int) -> State:
        """The position of one game."""
        found: State = self._games.state(index)
        return found

    def action_text(self, index: int, action: int) -> str:
        """A legal action of one game in the game's notation."""
        return str(self._games.action_text(index, int(action)))

    def close(self) -> None:
        """Do nothing: no file or process is open."""

    # --- What needs Gymnasium ---

    @property
    def metadata(self) -> dict[str, Any]:
        """That a game begins anew in the step that ends it."""
        return {"autoreset_mode": _gymnasium().vector.AutoresetMode.SAME_STEP}

    @property
    def single_observation_space(self) -> Any:
        """The space of observations of one game."""
        return _gymnasium().spaces.Box(0, 255, self.observation_shape, np.uint8)

    @property
    def single_action_space(self) -> Any:
        """The space of actions of one game."""
        return _gymnasium().spaces.Discrete(self.action_count)

    @property
    def observation_space(self) -> Any:
        """The space of observations of the batch."""
        return _gymnasium().spaces.Box(0, 255, (self.num_envs, *self.observation_shape), np.uint8)

    @property
    def action_space(self) -> Any:
        """The space of actions of the batch."""
        return _gymnasium().spaces.MultiDiscrete([self.action_count] * self.num_envs)

    def _arrays(self) -> _Arrays:
        if self._copy:
            return _Arrays(self.num_envs, self.observation_shape, self.action_count)
        if self._kept is None:
            self._kept = _Arrays(self.num_envs, self.observation_shape, self.action_count)
        return self._kept


class _Arrays:
    """The arrays of one step."""

    def __init__(self, games: int, shape: tuple[int, int, int], actions: int) -> None:
        self.planes = np.empty((games, *shape), np.uint8)
        self.mask = np.empty((games, actions), np.bool_)
        self.to_move = np.empty(games, np.int8)
        self.rewards = np.empty(games, np.float32)
        self.terminated = np.empty(games, np.bool_)
        self.truncated = np.empty(games, np.bool_)
        self.final_planes = np.empty((games, *shape), np.uint8)  # only rows of games that end are written
        self.bound = EnvironmentArrays(
            self.planes, self.mask, self.to_move, self.rewards, self.terminated, self.truncated, self.final_planes
        )

    def infos(self) -> dict[str, Any]:
        return {"action_mask": self.mask, "to_move": self.to_move}


def _gymnasium() -> Any:
    try:
        import gymnasium
    except ImportError as error:
        raise JouteError("the spaces of a batch need gymnasium: pip install 'joute[pettingzoo]'") from error
    return gymnasium
