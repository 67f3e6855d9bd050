"""Evaluate positions with a network file, run by ONNX Runtime.

ONNX Runtime and NumPy are imported when the first network is loaded, so agents without a network start faster.
"""

from __future__ import annotations

import functools
import importlib.resources
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joute._core import one_line
from joute.agents.net_file import NetworkFile, NetworkFileError, read_network_file
from joute.agents.net_graph import MOST_BATCH_MB
from joute.errors import described
from joute.files import user_path
from joute.games import Move, State
from joute.plugins import all_rooms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Length to which a message of ONNX Runtime is cut; its messages end with paths of its own source files.
_QUOTED = 120
# Batches of every size up to this are tried before a game.
_MOST_SIZES = 16
# Rows and columns of the board on which a network for boards of any size is tried.
_TRIAL_SIDE = 8


def find_network(net: str, state: State, threads: int, *, batch: int = 1) -> Network:
    """Return the network in file `net`, or Joute's own if `net` is empty, for the game of a position.

    A file is loaded once per process until it changes. NetworkFileError if it is missing, for another game or rules,
    or too large for evaluations of `batch` positions.
    """
    if net:
        return _suitable(user_path(net), state, threads, batch)
    room = all_rooms().get(state.game)
    shipped = room.file(room.network) if room and room.network else None
    if shipped is None or not shipped.is_file():
        raise NetworkFileError(f"no network for {state.game} comes with Joute; give one with net=FILE")
    with importlib.resources.as_file(shipped) as path:
        return _suitable(path, state, threads, batch)


def _suitable(path: Path, state: State, threads: int, batch: int) -> Network:
    try:
        found = path.stat()
        version = (found.st_mtime_ns, found.st_size, found.st_ino)
    except OSError:
        version = (0, 0, 0)  # `_read` raises the error
    file = _read(path, version)
    file.check_for(state)
    if (size := batch * file.position_bytes) > MOST_BATCH_MB << 20:
        raise NetworkFileError(
            f"{path} needs {size >> 20} MB for a batch of {batch} positions; at most {MOST_BATCH_MB} MB are allowed"
        )
    return _loaded(file, threads)


@functools.lru_cache(maxsize=8)
def _read(path: Path, version: tuple[int, ...]) -> NetworkFile:
    return read_network_file(path)


@functools.lru_cache(maxsize=8)
def _loaded(file: NetworkFile, threads: int) -> Network:
    return Network(file, threads)


class Network:
    """A loaded network, which computes with `threads` threads for each call.

    Several threads may evaluate at once: ONNX Runtime's sessions allow it, and `evaluate` keeps nothing.
    """

    def __init__(self, file: NetworkFile, threads: int = 1) -> None:
        self.file = file
        self._warm_sizes: set[int] = set()
        try:
            self._session = _session(file.data, threads)
            self._check()
        except NetworkFileError:
            raise
        except Exception as error:  # ONNX Runtime raises many types
            raise self._useless(f"ONNX Runtime says {described(error)}") from error

    def _useless(self, why: str) -> NetworkFileError:
        return NetworkFileError(f"{self.file.name} cannot be used: {one_line(why)[:_QUOTED]}")

    def _check(self) -> None:
        """Check the inputs and outputs, also by evaluating two empty boards: the metadata may be wrong."""
        import numpy as np

        takes = [(each.name, each.type) for each in self._session.get_inputs()]
        if takes != [("planes", "tensor(uint8)")]:
            raise self._useless("its input is not planes of bytes")
        if not {"policy", "wdl"} <= {each.name for each in self._session.get_outputs()}:
            raise self._useless("it has no outputs policy and wdl")
        policy, wdl = self._run(np.zeros((2, *self._trial_shape), np.uint8))
        cells = math.prod(self._trial_shape[1:]) if self.file.any_size else 1
        if policy.shape != (2, self.file.policy_size * cells) or wdl.shape != (2, 3):
            raise self._useless("the shapes of policy and wdl differ from its metadata")

    @property
    def _trial_shape(self) -> tuple[int, int, int]:
        """The shape of an input for trials."""
        planes, rows, columns = self.file.input_shape
        return planes, rows or _TRIAL_SIDE, columns or _TRIAL_SIDE

    def evaluate(
        self,
        planes: NDArray[np.uint8],
        legal: NDArray[np.int16],
        priors: NDArray[np.float32],
        values: NDArray[np.float32],
    ) -> None:
        """Fill `priors` [n, L] and `values` [n] for positions `planes` [n, P, R, C] with moves `legal` [n, L·K].

        Each move has K consecutive policy indices; unused indices and unused moves are -1. Priors sum to 1 over the
        moves of a position; values are the expected outcome for the mover, in [-1, 1].
        """
        import numpy as np

        if not self.file.any_size:
            planes = planes.reshape(-1, *self.file.input_shape)
        policy, wdl = self._run(planes)
        indices = legal.reshape(*priors.shape, -1)
        logits = np.take_along_axis(policy, np.maximum(legal, 0).astype(np.intp), axis=1).reshape(indices.shape)
        logits = np.where(indices >= 0, logits, 0).sum(axis=2, dtype=np.float32)
        logits[indices[:, :, 0] < 0] = -np.inf
        priors[:] = _softmax(logits)
        outcomes = _softmax(wdl)
        values[:] = outcomes[:, 0] - outcomes[:, 2]

    def logits(self, planes: NDArray[np.uint8], *_: object) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the logits of policy [n, policy size] and outcome [n, 3] for positions `planes` [n, P, R, C].

        The core turns them into priors and values faster than NumPy. The arguments are those of `evaluate`.
        """
        return self._run(planes if self.file.any_size else planes.reshape(-1, *self.file.input_shape))

    def warm_up(self, most_positions: int) -> None:
        """Evaluate batches of all sizes up to `most_positions`, of large ones some.

        ONNX Runtime allocates memory in the first call of each size, which then takes many times as long.
        """
        import numpy as np

        sizes = {most_positions, *range(1, min(most_positions, _MOST_SIZES) + 1)}
        for size in sorted(sizes - self._warm_sizes, reverse=True):
            planes = np.zeros((size, *self._trial_shape), np.uint8)
            legal, priors = np.zeros((size, 1), np.int16), np.empty((size, 1), np.float32)
            self.evaluate(planes, legal, priors, np.empty(size, np.float32))
            self._warm_sizes.add(size)

    def priors_of(self, state: State, generator: str = "") -> dict[Move, float]:
        """Return the network's prior of each move that a generator lists; empty for the default, the legal moves."""
        return self.priors_of_each([state], generator)[0]

    def priors_of_each(self, states: Sequence[State], generator: str = "") -> list[dict[Move, float]]:
        """Return the network's prior of each move in each of the positions, which have boards of the same size."""
        return [priors for priors, _ in self.judge(states, generator)]

    def judge(self, states: Sequence[State], generator: str = "") -> list[tuple[dict[Move, float], float]]:
        """Return the prior of each move and the mover's value of each position; boards have the same size."""
        import numpy as np

        boards: list[Any] = list(states)
        moves = [list(board.moves(generator) if generator else board.legal_moves) for board in boards]
        frame = self.file.encoding_index(type(boards[0])), *self.file.frame_size
        indices = [
            [board.policy_indices(move, *frame) for move in each] for board, each in zip(boards, moves, strict=True)
        ]
        most_moves = max(map(len, moves))
        parts = max(len(each) for of_board in indices for each in of_board)
        legal = np.full((len(boards), most_moves, parts), -1, np.int16)
        for row, of_board in enumerate(indices):
            for column, each in enumerate(of_board):
                legal[row, column, : len(each)] = each
        inputs = [np.frombuffer(board.encode(*frame), np.uint8).reshape(board.frame(*frame)[0]) for board in boards]
        planes = np.stack(inputs)
        priors, values = np.empty((len(boards), most_moves), np.float32), np.empty(len(boards), np.float32)
        self.evaluate(planes, legal.reshape(len(boards), -1), priors, values)
        found = zip(moves, priors, values.tolist(), strict=True)
        return [(dict(zip(each, row.tolist(), strict=False)), value) for each, row, value in found]

    def _run(self, planes: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        import numpy as np

        policy, wdl = self._session.run(("policy", "wdl"), {"planes": planes})
        if not (np.isfinite(policy).all() and np.isfinite(wdl).all()):
            raise self._useless("it outputs values that are not finite numbers")
        return policy, wdl


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the softmax along the last axis; -inf gives 0."""
    import numpy as np

    shares: NDArray[np.float32] = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares


def onnx_runtime() -> Any:
    """Import ONNX Runtime. From 1.29 on, it reports the models that it loads to its makers unless it is told not to."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime


def _session(data: bytes, threads: int) -> Any:
    """Return ONNX Runtime's session of a model, on the CPU. Its threads do not spin, which would slow Joute's own."""
    onnxruntime = onnx_runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 4  # errors are raised as NetworkFileError instead
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
