"""Environments for learners on one core: steps a second of Connect Four by ours, pgx, PettingZoo and OpenSpiel.

A step is one action of one player, drawn from the legal ones at random, with the observation and the legal actions that
follow; finished games begin anew. What an environment needs before its first step, such as compilation, is not counted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import joute
from benchmarks.measure import rates, show

BATCH = 4096
GOAL = 10


def run(repeats: int) -> None:
    with one_core():
        contenders = {
            f"joute.vector_env, {BATCH} games": batch("connect4", 60, copy=True),
            f"joute.vector_env, {BATCH} games, without copies": batch("connect4", 60, copy=False),
            "pgx on CPU, the same": pgx_batch(20),
            "OpenSpiel, one game": openspiel_loop(4000),
            "joute.pettingzoo, one game": pettingzoo_loop(joute.pettingzoo.env("connect4"), 1000),
            "PettingZoo's connect_four_v3": pettingzoo_loop(_theirs(), 1000),
        }
        found = rates(repeats, contenders, clock=time.process_time)
        show("Environments of Connect Four on one core: random legal actions", "steps", found)
        ours, kept = list(found.values())[:2]
        for name, rate in list(found.items())[2:]:
            told = f" (goal {GOAL}×: {'reached' if ours / rate >= GOAL else 'MISSED'})" if "joute" not in name else ""
            print(f"  ratio {ours / rate:.1f}× to {name}{told}, {kept / rate:.1f}× without copies")
        show(
            f"joute.vector_env of every game, {BATCH} games on one core",
            "steps",
            rates(repeats, {game: batch(game, 3, copy=True) for game in _games()}, clock=time.process_time),
        )


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process, and the threads that it starts meanwhile, on one core."""
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(usable)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, usable)


def batch(game: str, steps: int, *, copy: bool) -> Callable[[], int]:
    envs = joute.vector_env(game, BATCH, threads=1, copy=copy)
    envs.reset(seed=1)

    def work() -> int:
        for _ in range(steps):
            envs.step(envs.random_actions())
        return steps * BATCH

    return work


def pgx_batch(steps: int) -> Callable[[], int]:
    """The loop that pgx recommends, compiled whole: a scan over steps of a batch."""
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make("connect_four")
    init, step = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))

    def one(state: Any, key: Any) -> tuple[Any, Any]:
        draw, renew = jax.random.split(key)
        logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        actions = jax.random.categorical(draw, logits, axis=1)
        state = step(state, actions, jax.random.split(renew, BATCH))
        return state, state.observation.sum()  # else the compiler would leave the observations out

    many = jax.jit(lambda state, key: jax.lax.scan(one, state, jax.random.split(key, steps)))
    held = [jax.jit(init)(jax.random.split(jax.random.PRNGKey(1), BATCH)), jax.random.PRNGKey(2)]

    def work() -> int:
        held[1], key = jax.random.split(held[1])
        held[0], seen = many(held[0], key)
        seen.block_until_ready()
        return steps * BATCH

    return work


def openspiel_loop(steps: int) -> Callable[[], int]:
    import random

    import pyspiel

    game, rng = pyspiel.load_game("connect_four"), random.Random(1)

    def work() -> int:
        state = game.new_initial_state()
        for _ in range(steps):
            state.apply_action(rng.choice(state.legal_actions()))
            if state.is_terminal():
                state = game.new_initial_state()
            np.asarray(state.observation_tensor(), np.float32)
        return steps

    return work


def _theirs() -> Any:
    from pettingzoo.classic import connect_four_v3

    return connect_four_v3.env()


def pettingzoo_loop(env: Any, steps: int) -> Callable[[], int]:
    rng = np.random.default_rng(1)

    def work() -> int:
        env.reset(seed=1)
        done = 0
        while done < steps:
            seen, _, ended, _, _ = env.last()
            if ended:
                env.reset()
                continue
            env.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
            done += 1
        return steps

    return work


def _games() -> list[str]:
    from joute.games.registry import all_games

    return [game.game for game in all_games()[0] if hasattr(game, "environments")]
