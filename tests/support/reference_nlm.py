"""A neural logic machine as its authors describe it, one state at a time, with nothing clever."""

from __future__ import annotations

from itertools import permutations, product

import torch


def dense_inputs(sizes, objects, atoms):
    """Tensors [n] * arity + [channels] with ones at (arity, channel, objects)."""
    tensors = [torch.zeros([objects] * arity + [size]) for arity, size in enumerate(sizes)]
    for channel, arguments in atoms:
        tensors[len(arguments)][(*arguments, channel)] = 1.0
    return tensors


def reduced(tensor, distinct):
    """Largest and smallest values over the last axis, side by side."""
    arity = tensor.dim() - 1
    largest = torch.zeros(*tensor.shape[: arity - 1], tensor.shape[-1])
    smallest = torch.ones_like(largest)
    for prefix in product(*[range(tensor.shape[axis]) for axis in range(arity - 1)]):
        values = [
            tensor[(*prefix, last)]
            for last in range(tensor.shape[arity - 1])
            if not distinct or len({*prefix, last}) == arity
        ]
        if values:
            largest[prefix] = torch.stack(values).max(dim=0).values
            smallest[prefix] = torch.stack(values).min(dim=0).values
    return torch.cat([largest, smallest], dim=-1)


def layer_input(tensors, arity, breadth, objects, distinct):
    parts = []
    if arity > 0:
        below = tensors[arity - 1]
        parts.append(below.unsqueeze(-2).expand(*below.shape[:-1], objects, below.shape[-1]))
    parts.append(tensors[arity])
    if arity < breadth:
        parts.append(reduced(tensors[arity + 1], distinct))
    joined = torch.cat(parts, dim=-1)
    # For the order (2, 0, 1), cell (i, j, k) shows what is at (k, i, j).
    orders = [
        joined.permute(*[order.index(axis) for axis in range(arity)], arity)
        for order in permutations(range(arity))
    ]
    return torch.cat(orders, dim=-1)


def reference_values(weights, matrices, sizes, objects, atoms, *, breadth, depth, distinct):
    """The heads of one state: float32[heads], differentiable by `weights`."""
    tensors = dense_inputs(sizes, objects, atoms)
    for layer in range(depth):
        outputs = [torch.zeros([objects] * arity + [0]) for arity in range(4)]
        for number, arity, place, rows, columns in matrices:
            if number != layer:
                continue
            matrix = weights[place : place + rows * columns].reshape(rows, columns)
            bias = weights[place + rows * columns : place + (rows + 1) * columns]
            inputs = layer_input(tensors, arity, breadth, objects, distinct)
            values = inputs @ matrix + bias
            outputs[arity] = values if layer == depth - 1 else torch.sigmoid(values)
        tensors = outputs
    return tensors[0]
