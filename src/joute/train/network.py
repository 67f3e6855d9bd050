"""The network: maps the planes of a position to policy, outcome and margin, all for the player to move.

A residual tower of 3×3 convolutions with two heads, as in AlphaZero. Every third block adds global pooling (KataGo: Wu
2019, section 3.3), which gives each cell information about the whole board; convolutions alone need many layers for
that. Every convolution is followed by batch normalisation, an optional shortcut and a ReLU. This layer exists in two
versions: `NormedLayer` for training, and `FoldedLayer` for play, with the normalisation folded into the weights.

Boards of different sizes share a batch by a mask (KataGo, as above): the first plane marks the cells of the board,
every layer's output is 0 outside, which equals the padding of a board of that size, and pooling counts only the board.
So a network without dense layers over cells plays on boards of any size.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from joute.train.parameters import TrainParameters

POOLED_EVERY = 3
"""Every third block pools; KataGo's towers have two pooling blocks in six to ten."""

HEAD_CHANNELS = 32
"""Channels per cell of each head, as in KataGo's towers of 96 channels."""

VALUE_UNITS = 64
"""Hidden units of the value head: KataGo's small networks have 48; rounded to a power of two."""

DENSE_POLICY_CHANNELS, DENSE_VALUE_CHANNELS, DENSE_VALUE_UNITS = 2, 1, 256
"""Sizes of heads with dense layers over all cells, as in AlphaGo Zero."""

MASKED = -1e30
"""The logit of padding. It is finite, so that a row without moves gives no NaN; its probability is exactly 0."""


class Outputs(NamedTuple):
    """The outputs of the network, for the player to move."""

    policy: Tensor
    """[batch, policy size]: a logit for each policy index of the game."""
    wdl: Tensor
    """[batch, 3]: logits of a win, a draw and a loss."""
    margin: Tensor
    """[batch]: the expected margin, in the game's unit."""


class Lessons(NamedTuple):
    """The outputs of a network in training: its own, and two more that only help it to learn."""

    outputs: Outputs
    soft_policy: Tensor | None
    """Like `policy`, for a flatter target."""
    ending: Tensor | None
    """[batch, planes * rows * columns]: what the end of the game looks like."""


class NormedLayer(nn.Module):
    """Convolution, batch normalisation, optional shortcut, ReLU; for training."""

    def __init__(self, inputs: int, outputs: int, kernel: int) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        nn.init.kaiming_normal_(self.convolution.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: Tensor, shortcut: Tensor | None = None) -> Tensor:
        """[batch, inputs, rows, columns] to [batch, outputs, rows, columns]; the shortcut has the output's shape."""
        x = self.norm(self.convolution(x))
        return functional.relu(x if shortcut is None else x + shortcut)

    @torch.no_grad()
    def folded_weights(self) -> tuple[Tensor, Tensor]:
        """Weight and bias of a convolution equal to convolution and normalisation with the running statistics."""
        norm = self.norm
        assert norm.running_mean is not None
        assert norm.running_var is not None
        scale = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
        return self.convolution.weight * scale.view(-1, 1, 1, 1), norm.bias - norm.running_mean * scale


class FoldedLayer(nn.Module):
    """A `NormedLayer` with the normalisation folded into the convolution; for play."""

    def __init__(self, inputs: int, outputs: int, kernel: int) -> None:
        super().__init__()
        self.padding = kernel // 2
        self.is_fused = False
        self.weight = nn.Parameter(torch.zeros(outputs, inputs, kernel, kernel), requires_grad=False)
        self.bias = nn.Parameter(torch.zeros(outputs), requires_grad=False)

    def forward(self, x: Tensor, shortcut: Tensor | None = None) -> Tensor:
        """As `NormedLayer.forward`; if fused, one cuDNN kernel replaces four."""
        if self.is_fused:
            return self._fused(x, shortcut)
        x = functional.conv2d(x, self.weight, self.bias, padding=self.padding)
        return functional.relu_(x if shortcut is None else x.add_(shortcut))

    def _fused(self, x: Tensor, shortcut: Tensor | None) -> Tensor:
        # Without a shortcut, PyTorch passes uninitialised memory times 0 to cuDNN, and a NaN in it would survive. If
        # the input has the output's shape, it serves as the shortcut instead, times 0.
        share = 1.0
        if shortcut is None and self.weight.shape[0] == x.shape[1]:
            shortcut, share = x, 0.0
        place = ([1, 1], [self.padding, self.padding], [1, 1], 1)
        if shortcut is None:
            x = functional.conv2d(x, self.weight, self.bias, padding=self.padding)
            return functional.relu_(x)
        return torch.cudnn_convolution_add_relu(x, self.weight, shortcut, share, self.bias, *place)

    @torch.no_grad()
    def copy_from(self, layer: NormedLayer, scales: Tensor | None = None) -> None:
        """Copy the folded weights of a layer, for inputs that are not scaled yet; padding inputs keep weight 0."""
        weight, bias = layer.folded_weights()
        if scales is not None:
            weight = weight * scales
        self.weight[:, : weight.shape[1]].copy_(weight)
        self.bias.copy_(bias)


Layer = Callable[[int, int, int], nn.Module]


class Mask(NamedTuple):
    """The cells of the boards in a batch."""

    cells: Tensor
    """[batch, 1, rows, columns]: 1 on the board, 0 outside."""
    counts: Tensor
    """[batch, 1]: the number of cells of each board."""

    @staticmethod
    def of(planes: Tensor) -> Mask:
        """The mask in the first of the planes [batch, planes, rows, columns]."""
        cells = (planes[:, :1] > 0).to(planes.dtype)
        return Mask(cells, cells.sum((2, 3)).clamp_min(1))


def masked(x: Tensor, mask: Mask | None) -> Tensor:
    """The tensor [batch, channels, rows, columns] with 0 outside the boards."""
    return x if mask is None else x * mask.cells


class Block(nn.Module):
    """A residual block of two layers. If it pools, a summary of the whole board is added to the shortcut."""

    def __init__(self, channels: int, layer: Layer, *, is_pooled: bool) -> None:
        super().__init__()
        self.first = layer(channels, channels, 3)
        self.second = layer(channels, channels, 3)
        self.pooled = nn.Linear(2 * channels, channels, bias=False) if is_pooled else None

    def forward(self, x: Tensor, mask: Mask | None) -> Tensor:
        """Input and output are [batch, channels, rows, columns]."""
        inner = masked(self.first(x), mask)
        if self.pooled is not None:
            x = x + self.pooled(board_summary(inner, mask))[:, :, None, None]
        return masked(self.second(inner, x), mask)


@dataclass(frozen=True)
class Design:
    """The shape of a network: what it takes, what it returns, and how large it is."""

    input_shape: tuple[int, int, int]
    """Planes, rows and columns."""
    policy_size: int
    blocks: int
    channels: int
    heads: str = "pooled"
    """`pooled`: heads that pool over the board; `dense`: heads with dense layers over all cells, and no pooling."""
    is_masked: bool = False
    """Whether the first plane marks the cells of the board."""
    plane_scales: tuple[float, ...] = ()
    """The factor of each plane's bytes; empty for 1."""
    has_soft_policy: bool = False
    """Whether the network learns a second policy, whose target is flatter (KataGo); it does not play."""
    ending_planes: int = 0
    """The planes of the end of the game that the network learns to foresee (KataGo's ownership); it does not play."""
    ending_scale: float = 1.0
    """The factor of these planes' bytes."""

    @property
    def cells(self) -> int:
        """The cells of the frame."""
        _, rows, columns = self.input_shape
        return rows * columns

    @property
    def is_dense(self) -> bool:
        """Whether the heads have dense layers over all cells."""
        return self.heads == "dense"

    @property
    def is_spatial(self) -> bool:
        """Whether the policy is planes over the board's cells."""
        return not self.is_dense and self.policy_size % self.cells == 0

    @property
    def any_size(self) -> bool:
        """Whether the network can play on boards of any size."""
        return self.is_masked and self.is_spatial

    @property
    def size(self) -> str:
        """Blocks and channels in the usual notation.

        >>> Design((2, 6, 7), 7, blocks=6, channels=64).size
        '6x64'
        """
        return f"{self.blocks}x{self.channels}"


class Tower(nn.Module):
    """The architecture of both networks, with either kind of layer.

    If the policy size is a multiple of the cells, the policy is one plane of logits per kind of move
    (index = kind * cells + cell). Otherwise a linear layer connects every cell with every index.
    """

    def __init__(self, design: Design, layer: Layer) -> None:
        super().__init__()
        self.design = design
        planes, channels, cells = design.input_shape[0], design.channels, design.cells
        self.stem = layer(planes, channels, 3)
        self.tower = nn.ModuleList(
            Block(channels, layer, is_pooled=not design.is_dense and (number + 1) % POOLED_EVERY == 0)
            for number in range(design.blocks)
        )
        head = DENSE_POLICY_CHANNELS if design.is_dense else HEAD_CHANNELS
        self.policy_cells = layer(channels, head, 1)
        self.policy: nn.Conv2d | nn.Linear
        if design.is_spatial:
            self.policy = nn.Conv2d(head, design.policy_size // cells, 1)
        else:
            self.policy = nn.Linear(cells * head, design.policy_size)
        if design.is_dense:
            self.value_cells = layer(channels, DENSE_VALUE_CHANNELS, 1)
            self.value_units = nn.Linear(cells * DENSE_VALUE_CHANNELS, DENSE_VALUE_UNITS)
        else:
            self.value_cells = layer(channels, HEAD_CHANNELS, 1)
            self.value_units = nn.Linear(2 * HEAD_CHANNELS, VALUE_UNITS)
        self.value = nn.Linear(self.value_units.out_features, 4)  # win, draw, loss; margin
        self.margin_scale: Tensor
        self.register_buffer("margin_scale", torch.ones(()))

    @property
    def size(self) -> str:
        """Blocks and channels."""
        return self.design.size

    def forward(self, planes: Tensor) -> Outputs:
        """Evaluate bytes of shape [batch, planes * rows * columns] or [batch, planes, rows, columns]."""
        return self._evaluate(planes)[0]

    def _evaluate(self, planes: Tensor) -> tuple[Outputs, Tensor, Tensor]:
        """The outputs, the output of the tower, and the input of the policy's last layer."""
        x = self._as_input(planes)
        mask = Mask.of(x) if self.design.is_masked else None
        x = masked(self.stem(x), mask)
        for block in self.tower:
            x = block(x, mask)
        head = self.policy_cells(x)
        head = head if self.design.is_spatial else by_cell(head)
        policy = self.policy(head).flatten(1)
        value = masked(self.value_cells(x), mask)
        value = by_cell(value) if self.design.is_dense else board_summary(value, mask)
        value = self.value(functional.relu(self.value_units(value))).float()
        return Outputs(policy, value[:, :3], value[:, 3] * self.margin_scale), x, head

    def _as_input(self, planes: Tensor) -> Tensor:
        weight = self.value.weight
        x = planes.view(-1, *self.design.input_shape)
        return x.to(weight.dtype, memory_format=torch.channels_last)


class Network(Tower):
    """The network for training."""

    def __init__(self, design: Design, *, margin_scale: float = 1.0) -> None:
        super().__init__(design, NormedLayer)
        self.margin_scale.fill_(margin_scale)
        self.plane_scales: Tensor
        scales = torch.tensor(design.plane_scales or (1.0,) * design.input_shape[0])
        self.register_buffer("plane_scales", scales.view(-1, 1, 1), persistent=False)
        for module in self.modules():
            if isinstance(module, Block) and isinstance(module.second, NormedLayer):
                # Each block starts as the identity, so that deep towers train well (Goyal et al. 2017, section 5.1).
                nn.init.zeros_(module.second.norm.weight)
        self.soft_policy = copy.deepcopy(self.policy) if design.has_soft_policy else None
        self.ending = nn.Conv2d(design.channels, design.ending_planes, 1) if design.ending_planes else None
        for last in (self.policy, self.value, self.soft_policy, self.ending):
            if last is None:
                continue
            # Priors and values start nearly uniform: the first games are as varied as random play.
            nn.init.normal_(last.weight, std=0.01)
            assert last.bias is not None
            nn.init.zeros_(last.bias)

    def _as_input(self, planes: Tensor) -> Tensor:
        x = super()._as_input(planes)
        return x * self.plane_scales if self.design.plane_scales else x

    def lessons(self, planes: Tensor) -> Lessons:
        """Evaluate positions as in `forward`, with the outputs that only training has."""
        outputs, tower, head = self._evaluate(planes)
        soft = self.soft_policy(head).flatten(1) if self.soft_policy is not None else None
        return Lessons(outputs, soft, self.ending(tower).flatten(1).float() if self.ending is not None else None)

    def folded(self, *, aligned: int = 1) -> FoldedNetwork:
        """A copy for play, on the same device.

        Its input is padded with empty planes to a multiple of `aligned`; tensor cores work on groups of eight.
        """
        planes = -(-self.design.input_shape[0] // aligned) * aligned
        folded = FoldedNetwork(self.design, padded=planes).to(self.margin_scale.device)
        return folded.copy_from(self)


class FoldedNetwork(Tower):
    """The network for play: batch normalisation and the scales of planes are folded into the convolutions."""

    def __init__(self, design: Design, *, padded: int) -> None:
        super().__init__(design, FoldedLayer)
        self.padding = padded - design.input_shape[0]
        if self.padding:
            self.stem = FoldedLayer(padded, design.channels, 3)
        self.eval().requires_grad_(False)

    @torch.no_grad()
    def copy_from(self, network: Network) -> Self:
        """Copy the weights of a network in place, so that captured graphs use the new weights."""
        source = dict(network.named_modules())
        for name, module in self.named_modules():
            learned = source[name]
            if isinstance(module, FoldedLayer):
                assert isinstance(learned, NormedLayer)
                module.copy_from(learned, network.plane_scales if module is self.stem else None)
            elif isinstance(module, nn.Conv2d | nn.Linear):
                assert isinstance(learned, nn.Conv2d | nn.Linear)
                module.weight.copy_(learned.weight)
                if module.bias is not None:
                    assert learned.bias is not None
                    module.bias.copy_(learned.bias)
        self.margin_scale.copy_(network.margin_scale)
        return self

    def fuse(self, *, is_fused: bool) -> None:
        """Switch fused cuDNN kernels on or off; they need CUDA."""
        for module in self.modules():
            if isinstance(module, FoldedLayer):
                module.is_fused = is_fused

    def _as_input(self, planes: Tensor) -> Tensor:
        x = super()._as_input(planes)
        return functional.pad(x, (0, 0, 0, 0, 0, self.padding)) if self.padding else x


M = TypeVar("M", bound=nn.Module)


def channels_last(module: M) -> M:
    """The module with its convolutions in channels-last layout, which tensor cores use."""
    for weight in module.parameters():
        if weight.dim() == 4:
            weight.data = weight.data.contiguous(memory_format=torch.channels_last)
    return module


def board_summary(x: Tensor, mask: Mask | None = None) -> Tensor:
    """Mean and maximum of each channel over the board: [batch, channels, rows, columns] to [batch, 2 * channels].

    The input is not negative, and 0 outside the board.
    """
    mean = x.mean((2, 3)) if mask is None else x.sum((2, 3)) / mask.counts
    return torch.cat((mean, x.amax((2, 3))), 1)


def by_cell(x: Tensor) -> Tensor:
    """[batch, cells * channels]: all channels of the first cell, then of the next; no copy if channels come last."""
    return x.permute(0, 2, 3, 1).flatten(1)


def move_logits(policy: Tensor, legal: Tensor, parts: int) -> tuple[Tensor, Tensor]:
    """The logits [batch, moves] of each position's moves, MASKED for padding, and a mask of the moves.

    `legal` is [batch, moves * parts]: the policy indices of each move, padded with -1. A move's logits are summed.
    """
    indices = legal.long()
    present = indices >= 0
    logits = policy.float().gather(1, indices.clamp_min(0))
    if parts > 1:
        logits = (logits * present).view(len(legal), -1, parts).sum(2)
        present = present.view(len(legal), -1, parts)[:, :, 0]
    return logits.masked_fill(~present, MASKED), present


def move_priors(policy: Tensor, legal: Tensor, parts: int) -> Tensor:
    """The probabilities [batch, moves] of each position's moves; 0 for padding, also in a row without moves."""
    logits, present = move_logits(policy, legal, parts)
    return logits.softmax(1) * present


def expected_outcome(wdl: Tensor) -> Tensor:
    """[batch]: the probability of a win minus that of a loss, in [-1, 1]."""
    chances = wdl.float().softmax(1)
    return chances[:, 0] - chances[:, 2]


def design_of(batch: Any, parameters: TrainParameters, game: Any) -> Design:
    """The design of a run's network, for batches of self-play or of searches of a game."""
    scales = tuple(batch.plane_scales)
    return Design(
        batch.input_shape,
        batch.policy_size,
        blocks=parameters.blocks,
        channels=parameters.channels,
        heads=parameters.heads,
        is_masked=batch.is_masked,
        plane_scales=scales if set(scales) != {1.0} else (),
        has_soft_policy=parameters.soft_policy_weight > 0,
        ending_planes=game.ending_planes if parameters.ending_weight else 0,
        ending_scale=game.ending_scale,
    )


def on_host(network: Network, kind: torch.dtype | None = None) -> dict[str, Any]:
    """A copy of a network's weights in host memory; floating-point tensors are cast to `kind` if given."""
    return {
        name: tensor.detach().to("cpu", kind if tensor.is_floating_point() else None, copy=True)
        for name, tensor in network.state_dict().items()
    }
