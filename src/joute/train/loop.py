"""The training loop: pools of games on the CPU, network and learner on the GPU, all in parallel.

While the network evaluates one pool's batch, the threads advance another pool's games, and the learner samples from the
finished games. One thread drives all of this in a fixed order; the clock decides only when to stop. So on a CPU, a run
by steps can be repeated exactly, and a killed and resumed run plays the same games. On a cluster, the games come from
actors on its machines, in the order in which they end.

Checkpoints and matches of such an exact run interrupt self-play. In a quick run two threads write and play them beside
it, from copies of the weights; games in progress are not kept, and begin anew when the run is resumed.
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from joute.arena.cluster.machines import Machines
from joute.arena.node_rows import node_rows, sentence
from joute.arena.pool.node import Node
from joute.errors import JouteError, SpecError
from joute.games import new
from joute.match.game import derive_seed
from joute.numbers import count_of
from joute.train import schedule
from joute.train.background import Background
from joute.train.checkpoint import SHARD_BYTES, CheckpointedError, RunFolder, Saved, pack_model, unpack_model
from joute.train.cluster.driver import Actors
from joute.train.contests import Contests, Played
from joute.train.export import write_network
from joute.train.inference import Inference
from joute.train.ladder import Ladder
from joute.train.learner import Learner
from joute.train.matches import check_matches, starts_of
from joute.train.network import Network, design_of, on_host
from joute.train.parameters import TrainParameters
from joute.train.progress import PROGRESS, Counters, Progress, Stopwatch
from joute.train.report import REPORT, RunFacts, write_report
from joute.train.self_play import Pools, Searches, SelfPlay
from joute.version import __version__

#: The file of the network in the folder of a run.
NETWORK = "network.onnx"

# Self-play gets the new weights every so many learner steps.
_REFRESH_STEPS = 20
# Learning begins when the window holds this many batches, or is full: the first games to end are short ones and would
# bias the first steps.
_BATCHES_TO_BEGIN = 16
# Threads that sample a batch for the learner and read finished games; self-play goes on meanwhile.
_SAMPLERS = 8
# Finished games are kept for the next checkpoint up to this many times the bytes of its shards, which are compressed.
_COMPRESSION = 20
# The pools of a part of a run have numbers of their own.
_MOST_POOLS = 16
# A note is printed if the first games will take longer than these minutes; a game is assumed to have this many plies.
_PATIENCE_MINUTES, _PLIES_OF_A_GAME = 2, 30


def train(
    game: str,
    parameters: TrainParameters,
    folder: RunFolder,
    *,
    command: str,
    say: Callable[[str], None] = print,
    stop: Callable[[], bool] = lambda: False,
    machines: Machines | None = None,
) -> Counters:
    """Train, resuming the run in the folder if there is one, until the end or until `stop()`; ends with a checkpoint.

    Games are played on the `machines` of a cluster if they are given; `parameters` must not be exact then.
    CheckpointedError if the machines cannot play on. An exception such as Ctrl-C can interrupt any instruction, so no
    checkpoint is written then; the last one stays.
    """
    try:
        run = _Run(game, parameters, folder, command, say, machines)
        try:
            run.go_on(stop)
            return run.counters
        finally:
            run.close()
    except torch.cuda.OutOfMemoryError as error:
        raise JouteError("the GPU has too little memory; use fewer games, a smaller batch or network") from error


def device_of(parameters: TrainParameters) -> torch.device:
    """The device of the network; JouteError if it is not available."""
    has_cuda = torch.cuda.is_available()
    if parameters.device == "cuda" and not has_cuda:
        raise JouteError("this machine has no GPU that PyTorch can use; leave out device=cuda")
    return torch.device("cuda" if has_cuda and parameters.device != "cpu" else "cpu")


class _Run:
    def __init__(
        self,
        game: str,
        parameters: TrainParameters,
        folder: RunFolder,
        command: str,
        say: Callable[[str], None],
        machines: Machines | None,
    ) -> None:
        self._start = new(game)
        starts = starts_of(self._start, parameters)
        folder.check_same_run(self._start.spec, parameters.settings)
        kind: Any = type(self._start)
        if not hasattr(kind, "self_play"):
            raise JouteError(f"{self._start.game} cannot be trained, as it has no network input")
        check_matches(self._start, parameters)  # report mistakes now, not at the first match
        self._parameters, self._folder, self._command, self._say = parameters, folder, command, say
        self._device = device_of(parameters)
        if self._device.type == "cpu":
            # Self-play waits while the network computes; on a cluster, cores belong to actors.
            torch.set_num_threads(parameters.threads or 1 if machines else parameters.thread_count)
        if parameters.exact_from >= 0 and not kind.knows_late_outcomes:
            raise SpecError(f"{self._start.game} has no exact solver for training; leave out exact_from")
        if parameters.ending_weight and not kind.ending_planes:
            raise SpecError(f"{self._start.game} does not describe the ends of its games; leave out ending_weight")
        rules = self._start.rules
        # Pools that begin anew in a resumed run draw other random numbers than before.
        self._part = 0 if parameters.is_exact else folder.state.get("part", -1) + 1
        self._self_play: SelfPlay
        if machines:
            self._self_play = Actors(machines, self._start, parameters, searches=self._searches, part=self._part)
        else:
            self._self_play = Pools(
                self._start,
                parameters,
                searches=self._searches,
                device=self._device,
                first=self._part * _MOST_POOLS,
            )
        self._earlier = Counters()  # of games whose pools were not kept
        self._earlier_nodes: list[Node] = []
        self._window = kind.replay_window(
            # In iterations the window is cut at the end of each.
            parameters.window_max if parameters.iteration_games else parameters.window_min,
            rules,
            starts,
            generator=parameters.generator_index(kind),
            encoding=parameters.encoding_index(kind),
            frame=parameters.frame_size,
            search_share=parameters.search_share,
            surprise_share=parameters.surprise_share,
            endings=parameters.ending_weight > 0,
            threads=min(_SAMPLERS, parameters.thread_count),
        )
        torch.manual_seed(parameters.seed)
        self._learner = Learner(
            self._new_network(),
            batch=parameters.batch,
            width=self._self_play.shape.width,
            parts=self._self_play.shape.parts,
            weight_decay=parameters.weight_decay,
            ema=parameters.ema,
            margin_weight=parameters.margin_weight,
            soft_policy_weight=parameters.soft_policy_weight,
            ending_weight=parameters.ending_weight,
            device=self._device,
        )
        self._player = self._new_network()  # the network that plays; a gate may hold back newer ones
        self._player_steps = 0  # learner steps of that network
        self._contests = Contests(
            self._start, parameters, new_network=self._new_network, make_inference=self._make_inference
        )
        self._samples = self._added = self._checkpoints = 0
        self._iterations: list[int] = []  # positions added in all iterations until the end of each
        self._new_games: deque[bytes] = deque()  # since the last checkpoint, as far as it keeps them
        self._new_bytes = 0
        self._writer: Background[None] = Background("checkpoint")
        self._match: Background[Played] = Background("match")
        self._watch = Stopwatch()
        if folder.has_checkpoint:
            self._resume()
        else:
            self._player.load_state_dict(self._learner.average.state_dict())
        self._progress = Progress(folder.path, say=say)
        self._saved_s, self._saved_steps = self._watch.elapsed_s, self._learner.steps
        self._has_news = not folder.has_checkpoint  # whether anything changed since the last checkpoint

    def _new_network(self) -> Network:
        design = design_of(self._self_play.shape, self._parameters, self._start)
        return Network(design, margin_scale=self._parameters.margin_scale).to(self._device).eval()

    def _make_inference(self, batch: int, *, slots: int) -> Inference:
        shape = self._self_play.shape
        return Inference(
            self._player, batch=batch, width=shape.width, parts=shape.parts, slots=slots, device=self._device
        )

    @property
    def counters(self) -> Counters:
        """The counters since the beginning of the run."""
        return self._earlier + self._self_play.counters + Counters(steps=self._learner.steps, samples=self._samples)

    @property
    def _nodes(self) -> list[Node]:
        """The machines of all sessions on a cluster."""
        return [*self._earlier_nodes, *self._self_play.nodes]

    @property
    def _share_done(self) -> float:
        return schedule.share_done(
            self._parameters,
            steps=self._learner.steps,
            elapsed_s=self._watch.elapsed_s,
            iterations=len(self._iterations),
        )

    def go_on(self, stop: Callable[[], bool]) -> None:
        """Train to the end of the run or until `stop()`."""
        self._self_play.begin(self._player, self._player_steps)
        bare = self._self_play.bare_rate()
        self._progress.bare_per_s = bare
        measured = f"; bare inference {bare:,.0f} positions/s in batches of {self._parameters.games:,}" if bare else ""
        self._say(f"{self._start.spec}: a network of {self._learner.network.size}, {self._where()}{measured}")
        if bare:
            self._say_if_slow(bare)
        if self._parameters.match_every and not self._parameters.is_exact:
            self._contests.prepare()
        self._progress.start(self.counters, self._watch.elapsed_s)
        while self._share_done < 1 and not stop():
            self._take(self._turned())
            self._has_news = True
            if self._parameters.iteration_games:
                self._end_iteration()
            else:
                self._learn()
            if self._progress.is_due(self._watch.elapsed_s):
                self._tell()
            self._take_results()
            if not self._is_checkpoint_due() or self._share_done >= 1:
                continue
            if self._parameters.is_exact:
                self.checkpoint()
            elif not self._writer.is_busy:
                self._checkpoint_beside()
        is_compared = not stop()  # no matches after a request to stop
        if not is_compared:
            self._match.stop()
        self._take_results(wait=True)
        if self._has_news or (is_compared and self._is_rating_due()):
            self._tell()
            self.checkpoint(is_compared=is_compared)
        if self._self_play.nodes:
            self._say(f"The games were played on {sentence(node_rows(self._self_play.nodes))}.")

    def _turned(self) -> bytes:
        """A turn of self-play; CheckpointedError if a cluster cannot play on and there are games to keep."""
        try:
            return self._self_play.turn(self._due)
        except JouteError as error:
            if not (self._added and isinstance(self._self_play, Actors)):
                raise
            self._writer.take(wait=True)
            if self._has_news:
                self._tell()
                self._checkpoint_beside(is_compared=False)
                self._writer.take(wait=True)
            raise CheckpointedError(str(error)) from error

    def close(self) -> None:
        """End the games and the threads beside the loop."""
        self._match.stop()
        self._writer.stop()
        self._self_play.close()

    def _say_if_slow(self, bare: float) -> None:
        parameters = self._parameters
        evaluations = parameters.pools * parameters.games * parameters.early_simulations * _PLIES_OF_A_GAME
        minutes = evaluations / bare / 60
        if self._device.type == "cpu" and minutes > _PATIENCE_MINUTES:
            self._say(
                f"on a CPU, the first games take about {minutes:,.0f} minutes at this size; "
                "better: --games 256 --pools 2 --batch 256 --channels 16 --blocks 2"
            )

    def _take(self, games: bytes) -> None:
        """Add finished games to the window and to the next checkpoint."""
        if games:
            self._added += self._window.add(games)
            self._keep(games)
            if not self._parameters.iteration_games:
                self._window.capacity = schedule.window(self._parameters, self._added)

    def _keep(self, games: bytes) -> None:
        """Keep finished games for the next checkpoint, and drop the oldest if it would not keep them."""
        self._new_games.append(games)
        self._new_bytes += len(games)
        most = self._parameters.shards * SHARD_BYTES * _COMPRESSION
        while self._new_bytes - len(self._new_games[0]) > most:
            self._new_bytes -= len(self._new_games.popleft())

    def _searches(self) -> Searches:
        parameters, share = self._parameters, self._share_done
        return Searches(schedule.simulations(parameters, share), schedule.repetition_penalty(parameters, share))

    @property
    def _due(self) -> int:
        """The learner steps until each position has been sampled `sample_reuse` times on average."""
        parameters = self._parameters
        to_begin = min(_BATCHES_TO_BEGIN * parameters.batch, self._window.capacity)
        if parameters.iteration_games or (len(self._window) < to_begin and not self._samples):
            return 0
        return schedule.steps_due(parameters, samples=self._samples, positions=self._added)

    def _learn(self) -> None:
        """Run some of the learner steps that are due."""
        parameters, learner = self._parameters, self._learner
        for _ in range(schedule.steps_a_turn(self._due)):
            share = self._share_done
            if share >= 1 or self._is_checkpoint_due():
                return
            self._learn_once(schedule.learning_rate(parameters, steps=learner.steps, share=share))
            if parameters.gate == "none" and learner.steps % _REFRESH_STEPS == 0:
                self._self_play.refresh(learner.average, learner.steps)

    def _end_iteration(self) -> None:
        """Learn and play the gate if the games of an iteration have ended.

        Games in progress go on in the next iteration, with the network that plays then.
        """
        parameters, learner = self._parameters, self._learner
        if self.counters.games < parameters.iteration_games * (len(self._iterations) + 1):
            return
        self._take(self._self_play.pause())
        self._iterations.append(self._added)
        before = self._iterations[-parameters.window_iterations - 1 :][: -parameters.window_iterations]
        self._window.capacity = max(1, self._added - sum(before))
        self._window.capacity = parameters.window_max
        steps = math.ceil(parameters.iteration_epochs * len(self._window) / parameters.batch)
        for _ in range(steps):
            self._learn_once(schedule.learning_rate(parameters, steps=learner.steps, share=self._share_done))
        self.checkpoint()

    def _learn_once(self, rate: float) -> None:
        parameters, learner = self._parameters, self._learner
        batch = learner.next_batch()
        self._window.sample(parameters.batch, derive_seed(parameters.seed, 2**33 + learner.steps), *batch.arrays)
        if parameters.whole_targets:
            np.floor(batch.policy, out=batch.policy)
        learner.step(batch, rate)
        self._samples += parameters.batch

    def _tell(self) -> None:
        parameters, share = self._parameters, self._share_done
        self._note_losses()
        self._progress.tell(
            self.counters,
            self._watch.elapsed_s,
            learning_rate=schedule.learning_rate(parameters, steps=self._learner.steps, share=share),
            window=len(self._window),
            full=schedule.simulations(parameters, share)[0],
            more=self._self_play.facts(),
        )

    def _note_losses(self) -> None:
        """Record the losses; JouteError if training has diverged."""
        if losses := self._learner.losses():
            weights = {"soft_policy": self._parameters.soft_policy_weight, "ending": self._parameters.ending_weight}
            self._progress.learned({name: loss for name, loss in losses._asdict().items() if weights.get(name, 1)})

    # --- Checkpoints ---

    def _is_checkpoint_due(self) -> bool:
        if self._parameters.iteration_games:
            return False  # an iteration ends with a checkpoint
        if self._parameters.checkpoint_steps:
            return self._learner.steps - self._saved_steps >= self._parameters.checkpoint_steps
        return self._watch.elapsed_s - self._saved_s >= self._parameters.checkpoint_every

    def checkpoint(self, *, is_compared: bool = True) -> None:
        """Write a checkpoint; games in progress restart their current search.

        Gates and ratings come first, so that the checkpoint includes their results.
        """
        self._take(self._self_play.pause())
        self._note_losses()  # raises if training diverged, before the network replaces another
        self._checkpoints += 1
        if self._parameters.gate == "none":
            self._let_play_the_average()
        elif is_compared and self._learner.steps != self._saved_steps:
            self._gate()
        if is_compared and self._is_rating_due():
            self._tell_rating(self._contests.play(self._player, steps=self._player_steps), self._learner.steps)
        self._write(*self._taken(is_whole=True), copy.deepcopy(self._player), self.counters)

    def _checkpoint_beside(self, *, is_compared: bool = True) -> None:
        """Begin to write a checkpoint, and to play matches if they are due, while self-play goes on."""
        self._note_losses()  # raises if training diverged, before the network replaces another
        self._checkpoints += 1
        self._let_play_the_average()
        player, counters = copy.deepcopy(self._player), self.counters
        saved, games = self._taken(is_whole=False)
        self._writer.start(lambda _: self._write(saved, games, player, counters))
        if is_compared and self._is_rating_due() and not self._match.is_busy:
            steps = self._player_steps
            self._match.start(lambda stop: self._contests.play(player, steps=steps, stop=stop))

    def _take_results(self, *, wait: bool = False) -> None:
        """Take the results of the threads beside the loop, if they are there or with `wait`."""
        self._writer.take(wait=wait)
        for played in self._match.take(wait=wait):
            self._tell_rating(played, played.steps)
            self._has_news = True

    def _taken(self, *, is_whole: bool) -> tuple[Saved, list[bytes]]:
        """Return the data of a checkpoint. `is_whole`: self-play waits, so games in progress are saved too."""
        learner = self._learner.state_dict()
        # The weights of `average` are written once if they play.
        plays_average = self._parameters.gate == "none"
        player = learner["average"] if plays_average else on_host(self._player)
        model = {"learner": learner, "player": player, "rungs": dict(self._contests.rungs)}
        state = {
            "counters": self.counters.as_data(),
            "elapsed_s": self._watch.elapsed_s,
            "samples": self._samples,
            "added": self._added,
            "player_steps": self._player_steps,
            "window": [len(self._window), self._window.capacity],
            "checkpoints": self._checkpoints,
            "iterations": list(self._iterations),
            "matches": self._contests.ladder.as_data(),
            "part": self._part,
            "nodes": [node.as_data() for node in self._nodes],
        }
        in_progress = self._self_play.save() if is_whole and self._parameters.is_exact else []
        games = list(self._new_games)
        self._new_games.clear()
        self._new_bytes = 0
        self._has_news = False
        self._saved_s, self._saved_steps = self._watch.elapsed_s, self._learner.steps
        return Saved(self._start.spec, self._parameters.settings, state, pack_model(model), in_progress), games

    def _write(self, saved: Saved, games: list[bytes], player: Network, counters: Counters) -> None:
        self._folder.save(saved, games=games, shards=self._parameters.shards)
        self._export(player, counters, saved.state)

    def _resume(self) -> None:
        saved = self._folder.load()
        model = unpack_model(saved.model)
        try:
            self._learner.load_state_dict(model["learner"])
            self._player.load_state_dict(model["player"])
            self._contests.rungs = dict(model["rungs"])
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            raise JouteError(f"this version of joute cannot train the network in {self._folder.path}") from error
        state = saved.state
        self._watch = Stopwatch(state["elapsed_s"])
        self._samples, self._added, self._checkpoints = state["samples"], state["added"], state["checkpoints"]
        self._player_steps = state["player_steps"]
        self._iterations = list(state.get("iterations", ()))
        if not (saved.pools and self._self_play.load(saved.pools)):
            self._earlier = dataclasses.replace(Counters.from_data(state["counters"]), steps=0, samples=0)
        self._earlier_nodes = [Node.from_data(data) for data in state.get("nodes", ())]
        self._contests.ladder = Ladder.from_data(self._contests.ladder.references, state["matches"])
        # The capacity grows with the games added, so by now it would admit positions that were dropped before. Limit
        # the window to its saved size while it is refilled.
        self._window.capacity, capacity = state["window"]
        for games in self._folder.games():
            self._window.add(games)
        self._window.capacity = capacity

    def _export(self, player: Network, counters: Counters, state: Mapping[str, Any]) -> None:
        parameters, elapsed_s = self._parameters, float(state["elapsed_s"])
        card = {
            "command": self._command,
            "joute": __version__,
            "network": player.size,
            "seed": parameters.seed,
            "device": self._where(),
            "minutes": round(elapsed_s / 60, 2),
            **counters.as_data(),
        }
        write_network(
            self._folder.path / NETWORK,
            player,
            game=self._start.game,
            rules=self._start.network_rules,
            encoding=self._encoding,
            card=card,
        )
        facts = RunFacts(
            self._start,
            parameters,
            counters,
            elapsed_s,
            device=self._where(),
            command=self._command,
            nodes=tuple(node_rows(Node.from_data(data) for data in state["nodes"])),
        )
        write_report(self._folder.path / REPORT, facts, self._folder.path / PROGRESS)

    @property
    def _encoding(self) -> str:
        """The encoding by its name, in games that have several; else empty."""
        names: tuple[str, ...] = type(self._start).encodings  # type: ignore[attr-defined]  # native games define it
        return names[self._parameters.encoding_index(type(self._start))] if len(names) > 1 else ""

    def _where(self) -> str:
        if self._device.type == "cuda":
            return torch.cuda.get_device_name(self._device)
        return f"processor, {count_of(torch.get_num_threads(), 'thread')}"

    # --- Gates and ratings ---

    def _let_play_the_average(self) -> None:
        self._player.load_state_dict(self._learner.average.state_dict())
        self._player_steps = self._learner.steps
        self._self_play.refresh(self._player, self._player_steps)

    def _is_rating_due(self) -> bool:
        """Whether to rate now: every `match_every` checkpoints and at the end of the run, each network once."""
        every = self._parameters.match_every
        is_time = bool(every) and (self._share_done >= 1 or self._checkpoints % every == 0)
        return is_time and self._player_steps not in self._contests.rungs

    def _gate(self) -> None:
        verdict = self._contests.gate(self._learner.average, self._player, steps=self._learner.steps)
        if verdict.accepted:
            self._let_play_the_average()
        self._progress.gated(verdict, steps=self._learner.steps, elapsed_s=self._watch.elapsed_s)

    def _tell_rating(self, played: Played, steps: int) -> None:
        name, rating, results = self._contests.rate(played)
        self._progress.rated(name, rating, results, steps=steps, elapsed_s=self._watch.elapsed_s)
