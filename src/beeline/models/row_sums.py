"""Sums of chosen rows of a matrix, with gradients that are such sums as well.

Torch's own gradients of gathers scatter row by row. Here the caller gives the transposed lists,
so that both directions are one pass of the fast kernel behind `embedding_bag`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional


class RowLists(NamedTuple):
    """Lists of row numbers: list `i` is `items[starts[i]:starts[i + 1]]`, both int64."""

    starts: Tensor
    items: Tensor


def sum_rows(values: Tensor, lists: RowLists, transposed: RowLists | None) -> Tensor:
    """For each list the sum of its rows of `values`: [rows, k] to [lists, k].

    `transposed` has for each row the lists that it is in; only gradients need it.

    >>> lists = RowLists(torch.tensor([0, 2, 2]), torch.tensor([0, 2]))
    >>> sum_rows(torch.tensor([[1.0], [2.0], [3.0]]), lists, None).tolist()
    [[4.0], [0.0]]
    """
    if transposed is None:
        return _sums(values, lists)
    result: Tensor = _RowSums.apply(values, *lists, *transposed)  # type: ignore[no-untyped-call]
    return result


def sum_ranges(values: Tensor, starts: Tensor) -> Tensor:
    """The sums of the rows starts[i] .. starts[i + 1] - 1: [rows, k] to [n, k].

    >>> sum_ranges(torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([0, 1, 3])).tolist()
    [[1.0], [5.0]]
    """
    count = len(starts) - 1
    rows = torch.arange(len(values) + 1)
    range_of = torch.repeat_interleave(torch.arange(count), starts.diff())
    return sum_rows(values, RowLists(starts, rows[:-1]), RowLists(rows, range_of))


class _RowSums(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, values: Tensor, starts: Tensor, items: Tensor, back_starts: Tensor, back: Tensor
    ) -> Tensor:
        ctx.save_for_backward(back_starts, back)
        return _sums(values, RowLists(starts, items))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None, None]:
        transposed = RowLists(*ctx.saved_tensors)
        return _sums(gradients[0].contiguous(), transposed), None, None, None, None


def _sums(values: Tensor, lists: RowLists) -> Tensor:
    if not len(lists.items):
        return values.new_zeros(len(lists.starts) - 1, values.shape[1])
    return functional.embedding_bag(
        lists.items, values, lists.starts, mode="sum", include_last_offset=True
    )
