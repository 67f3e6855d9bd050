"""``joute train`` and ``python -m joute.train``: what both do, without a package for command lines."""

from __future__ import annotations

import contextlib
import importlib.util
import shlex
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType

from joute.errors import JouteError, SpecError
from joute.games import State, all_games, new
from joute.train.checkpoint import RunFolder
from joute.train.matches import check_matches
from joute.train.parameters import TrainParameters
from joute.train.report import REPORT
from joute.train.schedule import share_done


class StopRequest:
    """Whether the user, or the system, wants the run to end: it does at the next step, with a checkpoint."""

    def __init__(self, say: Callable[[str], None] = lambda _: None) -> None:
        self._say = say
        #: The signal, or 0.
        self.signal = 0

    @property
    def requested(self) -> bool:
        """Whether the run is to end."""
        return self.signal != 0

    @contextlib.contextmanager
    def on_signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM ask for the end; Ctrl-C once more ends at once, with the last checkpoint as it is."""
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


def train(game: str, out: Path, settings: Mapping[str, str], say: Callable[[str], None]) -> None:
    """Train in a folder until time or steps are up, from its checkpoint on if it has one.

    `settings` are what the user set, as text; what is not set is as the checkpoint has it, or the game, or by default.
    Ctrl-C ends in a KeyboardInterrupt, after a checkpoint.
    """
    if importlib.util.find_spec("torch") is None:
        raise JouteError("training needs PyTorch, which is not installed: pip install 'joute[train]'")
    start = trainable(game)
    if not out.exists():  # a mistake costs no folder; where there is one, its run may say what is not set here
        check_matches(start, TrainParameters.read(settings, type(start)))
    stop = StopRequest(say)
    with RunFolder(out) as folder:
        parameters = TrainParameters.read(settings, type(start), folder.parameters or None)
        folder.check_same_run(start.spec, parameters.settings)
        if _is_over(folder, parameters):
            raise JouteError(f"the run in {out} is at its end; more --minutes, or --steps, go on with it")
        if folder.state:
            say(_where_it_stands(folder, parameters))
        from joute.train.loop import NETWORK
        from joute.train.loop import train as train_loop

        command = command_line(start, out, parameters)
        with stop.on_signals():
            train_loop(start.spec, parameters, folder, command=command, say=say, stop=lambda: stop.requested)
    go_on = f"To go on: {shlex.join(['joute', 'train', start.spec, '--out', str(out)])}"
    if stop.signal == signal.SIGTERM:
        say(f"Stopped; the checkpoint is written. {go_on}")
        raise SystemExit(128 + stop.signal)
    if stop.requested:
        say(f"The checkpoint is written. {go_on}")
        raise KeyboardInterrupt
    play = shlex.join(["joute", "play", start.spec, "--against", f"alphazero:net={out / NETWORK}"])
    longer = f"--steps {2 * parameters.steps}" if parameters.steps else f"--minutes {2 * parameters.minutes or 1:g}"
    say(f"{out / REPORT} shows the run. To play against its network: {play}")
    say(f"{go_on} {longer}")


def _is_over(folder: RunFolder, parameters: TrainParameters) -> bool:
    state = folder.state
    return bool(state) and share_done(parameters, steps=state["counters"]["steps"], elapsed_s=state["elapsed_s"]) >= 1


def _where_it_stands(folder: RunFolder, parameters: TrainParameters) -> str:
    steps, minutes = folder.state["counters"]["steps"], folder.state["elapsed_s"] / 60
    end = f"{parameters.steps:,} steps" if parameters.steps else f"{parameters.minutes:g} minutes"
    return f"The run in {folder.path} goes on from step {steps:,} and minute {minutes:.2f}, to {end} in all."


def trainable(game: str) -> State:
    """The start position of a game that networks can learn; SpecError if it is none."""
    start = new(game)
    if not hasattr(type(start), "self_play"):
        others = ", ".join(game.game for game in all_games()[0] if hasattr(game, "self_play"))
        raise SpecError(f"{start.game} cannot be trained, as it shows no positions to networks; these can: {others}")
    return start


def command_line(start: State, out: Path, parameters: TrainParameters) -> str:
    """The command that leads to such a run, for the user to paste into a shell.

    >>> from joute.games import new
    >>> command_line(new("connect4"), Path("runs/a b"), TrainParameters.read({"seed": "7"}, type(new("connect4"))))
    "joute train connect4 --out 'runs/a b' --seed 7"
    """
    words = ["joute", "train", start.spec, "--out", str(out)]
    for name, value in parameters.changed(type(start)).items():
        words += [f"--{name.replace('_', '-')}", value]
    return shlex.join(words)
