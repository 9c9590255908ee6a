"""Sums, means and maxima of chosen rows of a matrix, with gradients that are such sums as well.

Torch's own gradients of gathers scatter row by row. Here lists know their transposition, so that
all directions are passes of the fast kernel behind `embedding_bag`, and maxima go up trees of
whole blocks; see `beeline.encode.row_lists`. Equal maxima share their gradient.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import functional

from beeline.encode.row_lists import BRANCHES

if TYPE_CHECKING:
    from beeline.encode.row_lists import RowLists, Transposed


def weighted_sums(values: Tensor, lists: RowLists) -> Tensor:
    """For each list the weighted sum of its rows: [rows, k] to [lists, k].

    >>> import numpy as np
    >>> from beeline.encode.row_lists import RowLists
    >>> halves = RowLists(np.array([0, 0, 2]), np.array([0, 1]), np.float32([0.5, 0.5]), 2)
    >>> weighted_sums(torch.tensor([[1.0], [5.0]]), halves).tolist()
    [[0.0], [3.0]]
    """
    result: Tensor = _Sums.apply(values, lists)  # type: ignore[no-untyped-call]
    return result


def maxima(values: Tensor, lists: RowLists) -> Tensor:
    """For each list the maximum of its rows, 0 if it has none: [rows, k] to [lists, k].

    >>> import numpy as np
    >>> from beeline.encode.row_lists import RowLists
    >>> lists = RowLists(np.array([0, 0, 2]), np.array([0, 1]), None, 2)
    >>> maxima(torch.tensor([[1.0], [5.0]]), lists).tolist()
    [[0.0], [5.0]]
    """
    result: Tensor = _Maxima.apply(values, lists)  # type: ignore[no-untyped-call]
    return result


class _Sums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, lists: RowLists) -> Tensor:
        ctx.lists = lists
        return _sums(values, lists)

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, None]:
        return _sums(slopes[0].contiguous(), ctx.lists.transposed), None


class _Maxima(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, lists: RowLists) -> Tensor:
        tree, width = lists.max_tree, values.shape[1]
        end = len(values) + 1
        nodes = values.new_empty(len(tree.back.starts) - 1, width)
        nodes[: end - 1] = values
        nodes[end - 1] = 0.0
        blocks = []
        for level in tree.levels:
            rows = torch.from_numpy(level.children).view(-1)
            block = nodes.index_select(0, rows).view(BRANCHES, -1, width)
            blocks.append(block)
            torch.amax(block, 0, out=nodes[end : end + block.shape[1]])
            end += block.shape[1]
        ctx.lists, ctx.blocks, ctx.nodes = lists, blocks, nodes
        return nodes.index_select(0, torch.from_numpy(tree.result))

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, None]:
        tree = ctx.lists.max_tree
        gradient = _sums(slopes[0].contiguous(), tree.back)
        end = len(gradient)
        for level, block in zip(reversed(tree.levels), reversed(ctx.blocks), strict=True):
            first = end - block.shape[1]
            largest = torch.eq(block, ctx.nodes[first:end]).to(block.dtype)
            share = gradient[first:end] / largest.sum(0)
            gradient[:first] += _sums(largest.mul_(share).view(-1, block.shape[2]), level.back)
            end = first
        return gradient[: ctx.lists.rows], None


def _sums(values: Tensor, lists: RowLists | Transposed) -> Tensor:
    if not len(lists.items):
        return values.new_zeros(len(lists.starts) - 1, values.shape[1])
    return functional.embedding_bag(
        torch.from_numpy(lists.items),
        values,
        torch.from_numpy(lists.starts),
        mode="sum",
        per_sample_weights=None if lists.weights is None else torch.from_numpy(lists.weights),
        include_last_offset=True,
    )
