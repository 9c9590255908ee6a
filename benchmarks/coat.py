"""Convolutions with attention in a search: the engine against the same network in plain torch.

Against: torch, one state at a time over the whole level, walls included; and torch in batches over
the cells alone, as in training. On: states of random walks, a batch for each step, all successors
of its state. Printed are states per second of processor time on one thread, the median of three
repetitions, with the least and the greatest ratio. Outputs are compared, too.

    python benchmarks/coat.py --states 48 -o coat.json

With `--keras` also against a Keras model of the same layers, asked by `predict` for one state at a
time, as the program that was published with the paper on ranking asks its network. Its weights are
other ones, and levels of the same sizes are drawn at random. It needs TensorFlow, which Beeline
does not install.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from beeline import _native, generators, ground
from beeline.models.families import make_network
from beeline.models.grid.channels import grid_words, position_code
from beeline.models.grid.encoding import PRESETS, FrozenGridNetwork, GridBatch, GridPart, grid_task

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline.models.grid.channels import GridTask
    from beeline.models.grid.encoding import GridSizes
    from beeline.models.grid.network import ConvolutionAttention
    from beeline.task.ground_task import GroundTask

CASES: tuple[tuple[str, dict[str, float], int], ...] = (
    ("warehouse", {"boxes": 3}, 10),  # with the side of the level
    ("warehouse", {"boxes": 7}, 10),
    ("maze", {"size": 15}, 15),
    ("maze", {"size": 51}, 51),
    ("npuzzle", {"rows": 5, "columns": 5}, 5),
    ("npuzzle", {"rows": 7, "columns": 7}, 7),
)
REPETITIONS = 3


class PlainTorch:
    """The network over a whole level, one state at a time."""

    def __init__(self, network: ConvolutionAttention, task: GridTask, side: int, heads: int):
        self._network, self._task, self._heads = network, task, heads
        start = (side - max(task.rows, task.columns)) // 2  # somewhere inside the level
        self._cells = torch.from_numpy((task.places[:, 0] + start) * side)
        self._cells = self._cells + torch.from_numpy(task.places[:, 1] + start)
        self._mask = torch.zeros(side * side)
        self._mask[self._cells] = 1.0
        self._side = side

    def _level(self, values: torch.Tensor) -> torch.Tensor:
        """[cells, k] to [1, k, side, side]."""
        level = torch.zeros(values.shape[1], self._side**2)
        level[:, self._cells] = values.T
        return level.view(1, -1, self._side, self._side)

    def __call__(self, facts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Raw outputs of one state after the other."""
        return np.concatenate([self._one(facts[i : i + 1]) for i in range(len(facts))])

    def _one(self, facts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        network, mask = self._network, self._mask.view(1, 1, self._side, self._side)
        inputs = self._level(torch.from_numpy(self._task.inputs(facts)[0]))
        vectors = inputs
        for convolution in network.convolutions:
            vectors = torch.cat([convolution(vectors).relu() * mask, inputs], dim=1)
        hidden_cells = torch.where(self._mask > 0, 0.0, -torch.inf).view(1, 1, 1, -1)
        for block in network.blocks:
            local = block.convolution(vectors).relu() * mask
            own = local.flatten(2).transpose(1, 2)
            query, key, value = (
                layer(own).view(1, len(self._mask), self._heads, -1).transpose(1, 2)
                for layer in (block.queries, block.keys, block.values)
            )
            seen = functional.scaled_dot_product_attention(query, key, value, hidden_cells)
            mixed = block.mixed(seen.transpose(1, 2).flatten(2)).transpose(1, 2)
            far = mixed.view(1, -1, self._side, self._side) * mask
            code = torch.from_numpy(position_code(self._task.places, local.shape[1]))
            vectors = torch.cat([far, local + self._level(code), inputs], dim=1)
        pooled = vectors.flatten(2).sum(2) / self._task.cells
        return network.output(network.hidden(pooled).relu()).numpy()


class KerasPredict:
    """A Keras model of the same layers over a whole level, one state at a time by `predict`."""

    def __init__(self, sizes: GridSizes, channels: int, side: int) -> None:
        import keras
        from keras import layers

        given = keras.Input((side, side, channels))
        vectors = given
        for _ in range(sizes.convolutions):
            local = layers.Conv2D(sizes.filters, 3, padding="same", activation="relu")(vectors)
            vectors = layers.Concatenate()([local, given])
        for _ in range(sizes.blocks):
            local = layers.Conv2D(sizes.block_filters, 3, padding="same", activation="relu")(
                vectors
            )
            cells = layers.Reshape((side * side, sizes.block_filters))(local)
            heads, width = sizes.attention_heads, sizes.attention // sizes.attention_heads
            attention = layers.MultiHeadAttention(heads, width, output_shape=sizes.attention)
            far = layers.Reshape((side, side, sizes.attention))(attention(cells, cells))
            vectors = layers.Concatenate()([far, local, given])
        pooled = layers.GlobalAveragePooling2D()(vectors)
        hidden = layers.Dense(sizes.hidden, activation="relu")(pooled)
        self._model = keras.Model(given, layers.Dense(1)(hidden))
        drawn = np.random.default_rng(0).random((1, side, side, channels))
        self._level = drawn.astype(np.float32)

    def __call__(self, facts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Raw outputs of as many levels as there are states, one after the other."""
        return np.concatenate([self._model.predict(self._level, verbose=0) for _ in facts])


def walked_batches(task: GroundTask, count: int) -> list[np.ndarray[Any, Any]]:
    """The facts of the successors of each state of a random walk, so many states in all."""
    states = _native.States(task.native)
    dice = np.random.default_rng(0)
    here, batches = states.initial, []
    while sum(map(len, batches)) < count:
        successors = states.successors(here)[1].astype(np.uint32)
        if not len(successors):
            break
        batches.append(states.facts(successors))
        here = int(dice.choice(successors))
    return batches


def rate(score: Callable[[Any], Any], batches: list[Any]) -> tuple[float, Any]:
    """States per second, and the outputs."""
    score(batches[0])
    start = time.process_time()
    outputs = np.concatenate([score(facts) for facts in batches])
    return len(outputs) / (time.process_time() - start), outputs


def compare(
    name: str,
    parameters: dict[str, float],
    side: int,
    preset: str,
    count: int,
    *,
    with_keras: bool = False,
) -> Any:
    """States per second of all of them for one task."""
    task = ground(generators.generate(name, seed=1, **parameters))
    words = grid_words(task.problem.domain)
    grid, sizes = grid_task(words, task), PRESETS[preset]
    network = make_network("coat", words, 1, seed=1, preset=preset).eval()
    weights = {key: each.numpy() for key, each in network.state_dict().items()}
    batches = walked_batches(task, count)
    scores: dict[str, Callable[[Any], Any]] = {
        "plain": PlainTorch(network, grid, side, sizes.attention_heads),
        "torch": lambda facts: network(GridBatch([GridPart(grid, grid.inputs(facts))])).numpy(),
        "engine": FrozenGridNetwork(weights, grid, sizes),
    }
    if with_keras:
        scores["keras"] = KerasPredict(sizes, words.channels, side)
    found: dict[str, list[float]] = {each: [] for each in scores}
    outputs = {}
    with torch.inference_mode():
        for _ in range(REPETITIONS):
            for each, score in scores.items():
                few = batches[:2] if each == "keras" else batches
                speed, outputs[each] = rate(score, few)
                found[each].append(speed)
    for each in ("torch", "engine"):
        np.testing.assert_allclose(outputs[each], outputs["plain"], rtol=1e-3, atol=1e-4)
    ratios = [ours / plain for ours, plain in zip(found["engine"], found["plain"], strict=True)]
    keras = [
        ours / each for ours, each in zip(found["engine"], found.get("keras", []), strict=False)
    ]
    return {
        "task": name + "".join(f" {key}={value}" for key, value in parameters.items()),
        "cells": grid.cells,
        "size": preset,
        **{each: round(median(speeds), 1) for each, speeds in found.items()},
        "ratio": round(median(ratios), 1),
        "spread": [round(min(ratios), 1), round(max(ratios), 1)],
        **({"keras_ratio": round(median(keras), 1)} if keras else {}),
    }


def main() -> None:
    """Compare, print, and write JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--states", type=int, default=48)
    parser.add_argument("--size", action="append", choices=list(PRESETS), help="all of them")
    parser.add_argument("--keras", action="store_true", help="also a Keras model; TensorFlow")
    parser.add_argument("-o", "--output", type=Path)
    words = parser.parse_args()
    torch.set_num_threads(1)
    if words.keras:
        import tensorflow

        tensorflow.config.threading.set_intra_op_parallelism_threads(1)
        tensorflow.config.threading.set_inter_op_parallelism_threads(1)
    rows = []
    for preset in words.size or PRESETS:
        for name, parameters, side in CASES:
            count = words.states if side < 20 else max(4, words.states // 8)
            row = compare(name, parameters, side, preset, count, with_keras=words.keras)
            rows.append(row)
            low, high = row["spread"]
            print(
                f"{row['task']:<24} {row['cells']:>5} cells {preset:<7} plain torch"
                f" {row['plain']:>7,}, in batches {row['torch']:>8,}, engine {row['engine']:>9,}"
                f" states/s, {row['ratio']} x ({low} to {high})"
                + (f"; keras {row['keras']}, {row['keras_ratio']} x" if words.keras else "")
            )
    if words.output is not None:
        words.output.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
