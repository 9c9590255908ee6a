"""The convolution-attention network (CoAT) over the cells of a grid.

The network for grids of Chrestien et al., "Optimize planning heuristics to rank, not to estimate
cost-to-goal" (2023), which they took from Chrestien et al., "Heuristic search planning with deep
neural networks using imitation, attention and curriculum learning" (2021). With x the channels of
the cells, [a, b] for their union, and C for 3x3 convolutions,

    y_0 = x,  y_i = [relu(C_i y_{i-1}), x]                            convolutions
    c = relu(C y),  a = W attention(Q c, K c, V c),  y' = [a, c + position, x]      blocks
    raw = W' relu(W'' mean over cells of y + b'') + b'

where attention goes over all cells, softmax(q k / sqrt(d)) v for each head, and the position code
has sines and cosines of the row in one half of the filters, of the column in the other. Outside
the cells there is nothing: no output of any layer is other than 0 there, and means are over cells.
So a network does not depend on what surrounds a grid, and fits grids of all sizes. In training the
cells of a task lie in their smallest rectangle; `beeline.models.grid.encoding` knows only cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from beeline.models.grid.channels import position_code
from beeline.models.grid.encoding import grid_sizes
from beeline.models.network import Network, Options, linear_layer, uniform

if TYPE_CHECKING:
    from beeline.models.grid.channels import GridTask, GridWords
    from beeline.models.grid.encoding import GridBatch, GridPart


class ConvolutionAttention(Network):
    """A heuristic network over the grids of one domain.

    Sizes are those of a `preset` (small, medium, or paper), changed by whatever else is given.
    """

    def __init__(
        self,
        vocabulary: GridWords,
        heads: int,
        *,
        generator: torch.Generator,
        preset: str = "small",
        **changes: int,
    ) -> None:
        super().__init__()
        self._sizes = sizes = grid_sizes(preset, **changes)
        channels = vocabulary.channels
        width = channels
        layers = []
        for _ in range(sizes.convolutions):
            layers.append(_convolution(width, sizes.filters, generator))
            width = sizes.filters + channels
        self.convolutions = nn.ModuleList(layers)
        blocks = []
        for _ in range(sizes.blocks):
            blocks.append(Block(width, sizes.block_filters, sizes.attention, generator))
            width = sizes.attention + sizes.block_filters + channels
        self.blocks = nn.ModuleList(blocks)
        self.hidden = linear_layer(width, sizes.hidden, generator=generator)
        self.output = linear_layer(sizes.hidden, heads, generator=generator)

    def options(self) -> Options:
        """All sizes."""
        return dict(self._sizes._asdict())

    def forward(self, batch: Any) -> Tensor:
        """Raw outputs for the n states of a `GridBatch`: float32[n, heads]."""
        inputs: GridBatch = batch
        raw = torch.cat([self._part(part) for part in inputs.parts])
        return raw if inputs.order is None else raw[torch.from_numpy(inputs.order)]

    def _part(self, part: GridPart) -> Tensor:
        """The states of one task: [n, heads]."""
        task = part.task
        cells = torch.from_numpy(task.places[:, 0] * task.columns + task.places[:, 1])
        dense = _Cells(cells, task.rows, task.columns)
        inputs = dense.spread(torch.from_numpy(part.inputs).transpose(1, 2))
        vectors = inputs
        for convolution in self.convolutions:
            vectors = torch.cat([convolution(vectors).relu() * dense.mask, inputs], dim=1)
        for block in self.blocks:
            vectors = block(vectors, inputs, dense, self._sizes.attention_heads, task)
        pooled = vectors.flatten(2).sum(2) / task.cells
        raw: Tensor = self.output(self.hidden(pooled).relu())
        return raw


class Block(nn.Module):
    """A convolution, and attention over all cells."""

    def __init__(
        self, width: int, filters: int, attention: int, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.convolution = _convolution(width, filters, generator)
        self.queries, self.keys, self.values = (
            linear_layer(filters, attention, generator=generator) for _ in range(3)
        )
        self.mixed = linear_layer(attention, attention, generator=generator)

    def forward(
        self, vectors: Tensor, inputs: Tensor, dense: _Cells, heads: int, task: GridTask
    ) -> Tensor:
        """[n, width, rows, columns] to [n, attention + filters + channels, rows, columns]."""
        local = self.convolution(vectors).relu() * dense.mask
        own = dense.gathered(local).transpose(1, 2)  # [n, cells, filters]
        n, cells, filters = own.shape
        query, key, value = (
            layer(own).view(n, cells, heads, -1).transpose(1, 2)
            for layer in (self.queries, self.keys, self.values)
        )
        seen = functional.scaled_dot_product_attention(query, key, value)
        mixed = self.mixed(seen.transpose(1, 2).reshape(n, cells, -1))
        code = torch.from_numpy(position_code(task.places, filters))
        far = dense.spread(mixed.transpose(1, 2))
        return torch.cat([far, local + dense.spread(code.T[None]), inputs], dim=1)


class _Cells:
    """Cells within their rectangle, as numbers int64[cells]."""

    def __init__(self, cells: Tensor, rows: int, columns: int) -> None:
        self._cells, self._rows, self._columns = cells, rows, columns
        self.mask = torch.zeros(rows * columns)
        self.mask[cells] = 1.0
        self.mask = self.mask.view(1, 1, rows, columns)

    def spread(self, values: Tensor) -> Tensor:
        """[n, k, cells] to [n, k, rows, columns], 0 where there is no cell."""
        n, width, _ = values.shape
        every = values.new_zeros(n, width, self._rows * self._columns)
        every = every.index_copy(2, self._cells, values)
        return every.view(n, width, self._rows, self._columns)

    def gathered(self, values: Tensor) -> Tensor:
        """The other way round."""
        return values.flatten(2).index_select(2, self._cells)


class _EmptyConvolution(nn.Conv2d):
    def reset_parameters(self) -> None:
        """Nothing: torch would draw from its global generator."""


def _convolution(inputs: int, outputs: int, generator: torch.Generator) -> nn.Conv2d:
    """A 3x3 convolution with torch's default initial weights, drawn from the generator alone."""
    layer = _EmptyConvolution(inputs, outputs, 3, padding=1)
    for parameter in (layer.weight, layer.bias):
        assert parameter is not None
        uniform(parameter, 9 * inputs, generator)
    return layer


NETWORK = ConvolutionAttention
