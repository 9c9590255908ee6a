"""Training the heuristic of a state space: our loop against a plain loop of torch.

Both train the same network with the same samples (FSM, 1 percent of the state space, a fifth of
them random) and the same split for the same number of epochs, on one thread. The plain loop is what
one would write first: modules, `DataLoader`, `torch.optim.Adam`. Printed are processor milliseconds
per step, the best validation loss, and the ratio of times; means over seeds. Both losses of a seed
are of the same validation set: their mean difference comes with its standard error.

    python benchmarks/task_training.py DATA --epochs 60 --seeds 3

DATA has a folder for each state space, with domain.pddl and task.pddl.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import torch
from torch import nn
from torch.nn.functional import mse_loss
from torch.utils.data import DataLoader, TensorDataset

import beeline
from beeline.data.regression import facts_of, regression_samples
from beeline.data.regression_settings import RegressionSettings, share_of_states
from beeline.data.state_spaces import enumerate_states
from beeline.fitting.task_networks import TaskTraining, split_rows, train_heuristic

HIDDEN = 250


class PlainResNet(nn.Module):
    """The same network with modules of torch."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        sizes = [(inputs, HIDDEN), *[(HIDDEN, HIDDEN)] * 3, (HIDDEN, 1)]
        self.layers = nn.ModuleList(nn.Linear(*size) for size in sizes)
        for layer in self.layers:
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)

    def forward(self, facts: torch.Tensor) -> torch.Tensor:
        """Raw outputs [n, 1]."""
        first, second, third, fourth, output = self.layers
        before = second(first(facts).relu()).relu()
        after = (fourth(third(before).relu()) + before).relu()
        return output(after)


def train_plainly(facts: Any, costs: Any, epochs: int, seed: int) -> float:
    """The best validation loss."""
    torch.manual_seed(seed)
    inputs, targets = torch.tensor(facts).float(), torch.tensor(costs).float()[:, None]
    learning, validating = split_rows(len(facts), 0.1, seed)
    batches = DataLoader(
        TensorDataset(inputs[learning], targets[learning]), batch_size=64, shuffle=True
    )
    network = PlainResNet(inputs.shape[1])
    with torch.no_grad():  # as in our loop: an output that is 0 everywhere would learn nothing
        if network(inputs[learning]).mean() < 0:
            network.layers[-1].weight.neg_()
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-4)
    best = float("inf")
    for _ in range(epochs):
        for some, wanted in batches:
            optimiser.zero_grad()
            mse_loss(network(some).relu(), wanted).backward()
            optimiser.step()
        with torch.no_grad():
            loss = mse_loss(network(inputs[validating]).relu(), targets[validating])
        best = min(best, loss.item())
    return best


def compare(folder: Path, epochs: int, seeds: int) -> dict[str, Any]:
    """Milliseconds per step and losses of both loops for one state space."""
    task = beeline.load(folder / "domain.pddl", folder / "task.pddl", unit_costs=True)
    count = share_of_states(len(enumerate_states(task)), 1)
    samples = regression_samples(task, RegressionSettings(count, "fsm", random_share=0.2))
    facts, costs = facts_of(task, samples.values), samples.estimates
    seconds: dict[str, list[float]] = {"ours": [], "plain": []}
    losses: dict[str, list[float]] = {"ours": [], "plain": []}
    steps = 0
    for seed in range(seeds):
        start = time.process_time()
        trained = train_heuristic(facts, costs, TaskTraining(seed=seed, epochs=epochs)).trained
        seconds["ours"].append(time.process_time() - start)
        losses["ours"].append(trained.metrics["mse"])
        steps = trained.steps
        start = time.process_time()
        losses["plain"].append(train_plainly(facts, costs, epochs, seed))
        seconds["plain"].append(time.process_time() - start)
    ratios = [plain / ours for ours, plain in zip(*seconds.values(), strict=True)]
    differences = [ours - plain for ours, plain in zip(*losses.values(), strict=True)]
    error = stdev(differences) / len(differences) ** 0.5 if seeds > 1 else None
    return {
        "space": folder.name,
        "samples": len(samples),
        "steps": steps,
        **{f"{name}_ms": round(1000 * mean(each) / steps, 3) for name, each in seconds.items()},
        **{f"{name}_mse": round(mean(each), 4) for name, each in losses.items()},
        "difference": round(mean(differences), 4),
        "standard_error": None if error is None else round(error, 4),
        "ratios": [round(ratio, 2) for ratio in ratios],
    }


def main() -> None:
    """Compare, print, and write JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--spaces", default="blocks,visitall,npuzzle")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path)
    words = parser.parse_args()
    torch.set_num_threads(1)
    rows = [
        compare(words.data / name, words.epochs, words.seeds) for name in words.spaces.split(",")
    ]
    for row in rows:
        print(
            f"{row['space']:<11} {row['steps']:>6} steps: ours {row['ours_ms']:.2f} ms, loss"
            f" {row['ours_mse']:.3f}; plain {row['plain_ms']:.2f} ms, loss {row['plain_mse']:.3f};"
            f" difference {row['difference']:.3f}, standard error {row['standard_error']};"
            f" ratios {row['ratios']}"
        )
    if words.output is not None:
        words.output.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
