"""The common part of ``joute train`` and ``python -m joute.train``; it needs no command-line package."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import shlex
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import FrameType

from joute.arena.cluster.machines import Machines
from joute.errors import JouteError, SpecError
from joute.games import State, all_games, new
from joute.numbers import count_of
from joute.spec import Value
from joute.train.checkpoint import CheckpointedError, RunFolder
from joute.train.matches import check_matches
from joute.train.parameters import TrainParameters
from joute.train.presets import prepare
from joute.train.report import REPORT
from joute.train.schedule import share_done


class StopRequest:
    """A request of the user or the system to stop. The run stops at its next step, with a checkpoint."""

    def __init__(self, say: Callable[[str], None] = lambda _: None) -> None:
        self._say = say
        #: The signal, or 0.
        self.signal = 0

    @property
    def requested(self) -> bool:
        """Whether a stop is requested."""
        return self.signal != 0

    @contextlib.contextmanager
    def on_signals(self) -> Iterator[None]:
        """Handle Ctrl-C and SIGTERM as requests to stop; a second signal raises KeyboardInterrupt at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, self._ask)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _ask(self, number: int, _: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.signal = number
        self._say("Writing a checkpoint; Ctrl-C once more stops without one.")


def train(
    game: str,
    out: Path,
    settings: Mapping[str, str],
    say: Callable[[str], None],
    *,
    preset: str = "",
    ray: str | None = None,
) -> None:
    """Train in a folder until time, steps or iterations are up; resume its checkpoint if it has one.

    `ray`: the address of a cluster whose machines play the games.
    `settings` are the user's settings as text. The others come from the checkpoint, else from the preset, else from the
    game, else from the defaults. After Ctrl-C it writes a checkpoint and raises KeyboardInterrupt.
    """
    if importlib.util.find_spec("torch") is None:
        raise JouteError("training needs PyTorch, which is not installed: pip install 'joute[train]'")
    given: Mapping[str, Value] | None = None
    if preset:
        prepared = prepare(preset, game)
        game = prepared.game
        given = {**type(new(game)).training, **prepared.settings}
    start = trainable(game)
    if not out.exists():  # check before creating the folder; an existing run supplies settings that are missing here
        check_matches(start, _parameters(settings, start, given, ray))
    stop = StopRequest(say)
    with RunFolder(out) as folder:
        parameters = _parameters(settings, start, folder.parameters or given, ray)
        folder.check_same_run(start.spec, parameters.settings)
        if _is_over(folder, parameters):
            raise JouteError(f"the run in {out} is finished; give more --minutes or --steps to continue it")
        if folder.state:
            say(_where_it_stands(folder, parameters))
        from joute.train.loop import NETWORK
        from joute.train.loop import train as train_loop

        command = command_line(start, out, parameters, ray)
        where = ["--ray", ray] if ray is not None else []
        go_on = f"To go on: {shlex.join(['joute', 'train', start.spec, '--out', str(out), *where])}"
        try:
            # Ray replaces the handlers of signals, so it comes first.
            with _machines(ray) as machines, stop.on_signals():
                train_loop(
                    start.spec,
                    parameters,
                    folder,
                    command=command,
                    say=say,
                    stop=lambda: stop.requested,
                    machines=machines,
                )
        except CheckpointedError as error:
            raise JouteError(f"{error}; the checkpoint is written. {go_on}") from error
    if stop.signal == signal.SIGTERM:
        say(f"Stopped; the checkpoint is written. {go_on}")
        raise SystemExit(128 + stop.signal)
    if stop.requested:
        say(f"The checkpoint is written. {go_on}")
        raise KeyboardInterrupt
    play = shlex.join(["joute", "play", start.spec, "--against", f"alphazero:net={out / NETWORK}"])
    say(f"{out / REPORT} shows the run. To play against its network: {play}")
    say(f"{go_on} {_twice_as_long(parameters)}")


def _parameters(
    settings: Mapping[str, str], start: State, base: Mapping[str, Value] | None, ray: str | None
) -> TrainParameters:
    """The parameters of the run; SpecError if a cluster cannot train so."""
    parameters = TrainParameters.read(settings, type(start), base)
    if ray is None:
        return parameters
    if parameters.gate != "none" or parameters.iteration_games:
        raise SpecError("with --ray, games and learning go on at the same time: leave out gate and iteration_games")
    if parameters.resume == "exact":
        raise SpecError("with --ray, a run does not repeat itself; leave out resume=exact")
    return dataclasses.replace(parameters, resume="quick")


def _machines(ray: str | None) -> AbstractContextManager[Machines | None]:
    """The cluster at an address, whose hosts are actors; None without an address."""
    if ray is None:
        return contextlib.nullcontext()
    from joute.arena.cluster.ray_machines import connected
    from joute.train.cluster.actor import GuardedActor

    return connected(ray, GuardedActor)


def _twice_as_long(parameters: TrainParameters) -> str:
    """The option that makes a run twice as long."""
    if parameters.iterations:
        return f"--iterations {2 * parameters.iterations}"
    return f"--steps {2 * parameters.steps}" if parameters.steps else f"--minutes {2 * parameters.minutes or 1:g}"


def _is_over(folder: RunFolder, parameters: TrainParameters) -> bool:
    state = folder.state
    return bool(state) and (
        share_done(
            parameters,
            steps=state["counters"]["steps"],
            elapsed_s=state["elapsed_s"],
            iterations=len(state.get("iterations", ())),
        )
        >= 1
    )


def _where_it_stands(folder: RunFolder, parameters: TrainParameters) -> str:
    steps, minutes = folder.state["counters"]["steps"], folder.state["elapsed_s"] / 60
    end = count_of(parameters.steps, "step") if parameters.steps else f"{parameters.minutes:g} min"
    if parameters.iterations:
        end = count_of(parameters.iterations, "iteration")
    return f"Resuming the run in {folder.path} at step {steps:,}, minute {minutes:.2f}; it ends at {end}."


def trainable(game: str) -> State:
    """The start position of a game that networks can learn; SpecError for other games."""
    start = new(game)
    if not hasattr(type(start), "self_play"):
        others = ", ".join(game.game for game in all_games()[0] if hasattr(game, "self_play"))
        raise SpecError(f"{start.game} cannot be trained, as it has no network input; these games can: {others}")
    return start


def command_line(start: State, out: Path, parameters: TrainParameters, ray: str | None = None) -> str:
    """The command that starts a run with these parameters, for the user to paste into a shell.

    >>> from joute.games import new
    >>> command_line(new("connect4"), Path("runs/a b"), TrainParameters.read({"seed": "7"}, type(new("connect4"))))
    "joute train connect4 --out 'runs/a b' --seed 7"
    """
    words = ["joute", "train", start.spec, "--out", str(out)]
    for name, value in parameters.changed(type(start)).items():
        words += [f"--{name.replace('_', '-')}", value]
    words += ["--ray", ray] if ray is not None else []
    return shlex.join(words)
