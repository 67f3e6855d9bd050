"""Schedules of a run: the share done, the learning rate, the simulations, the replay window.

All of them are functions of counters, so a run by steps can be repeated exactly, and a resumed run continues unchanged.
"""

from __future__ import annotations

import math

from joute.train.parameters import TrainParameters

# The batches of self-play over which the learner steps that are due are spread.
_TURNS = 16


def share_done(parameters: TrainParameters, *, steps: int, elapsed_s: float, iterations: int = 0) -> float:
    """The share of the run that is done, in [0, 1]: by iterations or by steps if these are set, else by time.

    >>> share_done(TrainParameters(minutes=2), steps=999, elapsed_s=30)
    0.25
    >>> share_done(TrainParameters(steps=1000), steps=500, elapsed_s=1e9)
    0.5
    """
    if parameters.iterations:
        return min(1.0, iterations / parameters.iterations)
    if parameters.steps:
        return min(1.0, steps / parameters.steps)
    return min(1.0, elapsed_s / (60 * parameters.minutes)) if parameters.minutes else 1.0


def learning_rate(parameters: TrainParameters, *, steps: int, share: float) -> float:
    """The learning rate of the next step: linear warm-up, then cosine decay over the run.

    >>> some = TrainParameters(learning_rate=1.0, final_rate=0.0, warm_up=10)
    >>> learning_rate(some, steps=4, share=0.0), learning_rate(some, steps=99, share=0.5)
    (0.5, 0.5)
    """
    rise = min(1.0, (steps + 1) / parameters.warm_up) if parameters.warm_up else 1.0
    fall = (1 + math.cos(math.pi * share)) / 2
    return parameters.learning_rate * rise * (parameters.final_rate + (1 - parameters.final_rate) * fall)


def simulations(parameters: TrainParameters, share: float) -> tuple[int, int]:
    """Simulations of full searches, and of fast ones.

    >>> simulations(TrainParameters(), 0.0), simulations(TrainParameters(), 0.5)
    ((16, 8), (32, 8))
    """
    full = parameters.early_simulations if share < parameters.early_share else parameters.simulations
    return full, min(full, parameters.fast_simulations)


def repetition_penalty(parameters: TrainParameters, share: float) -> float:
    """The penalty of repetitions: it falls linearly to 0.

    >>> some = TrainParameters(repetition_penalty=0.25, penalty_share=0.5)
    >>> [repetition_penalty(some, share) for share in (0.0, 0.25, 0.5, 1.0)]
    [0.25, 0.125, 0.0, 0.0]
    """
    if not parameters.penalty_share:
        return 0.0
    return parameters.repetition_penalty * max(0.0, 1 - share / parameters.penalty_share)


def steps_due(parameters: TrainParameters, *, samples: int, positions: int) -> int:
    """The learner steps that are missing after so many samples of so many positions.

    >>> some = TrainParameters(batch=100, sample_reuse=2.0)
    >>> [steps_due(some, samples=1000, positions=count) for count in (400, 500, 549, 550, 1000, 2000)]
    [0, 0, 0, 1, 10, 30]
    """
    return max(0, int((parameters.sample_reuse * positions - samples) / parameters.batch))


def steps_a_turn(due: int) -> int:
    """The learner steps before the next batch of self-play, if so many are due.

    Games that end together make many steps due at once. They are spread over some batches, for which self-play would
    wait otherwise.

    >>> [steps_a_turn(due) for due in (0, 1, 16, 17)]
    [0, 1, 1, 2]
    """
    return math.ceil(due / _TURNS)


def window(parameters: TrainParameters, positions: int) -> int:
    """The size of the replay window after so many positions.

    >>> [window(TrainParameters(), total) for total in (1000, 2_000_000, 10**9)]
    [250000, 1000000, 4000000]
    """
    grown = round(parameters.window_share * positions)
    return max(parameters.window_min, min(parameters.window_max, grown))
