"""STRIPS-HGN: training steps with a row for each colour, against one for each edge and vertex.

Batch 256, 32 hidden units, 4 steps, truncated Gaussian with learned sigma, residual h_FF, lower
bound LM-cut, on optimal plans of `--tasks` tasks of the preset `nunez2024-train` of each domain;
one thread. A step is all of it: batch, network, loss, gradient, clipping, AdamW. Both take
`--steps` steps on the same minibatches by turns, in each of `--repetitions` repetitions; validation
is left out. Printed are steps per second of processor time, the ratio with its lowest and highest
value, the share of rows that is left after each step of the network, and what finding the colours
of the dataset costs once.

    python benchmarks/hgn.py -o hgn.json
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from beeline.backends import Workers
from beeline.data.instances import read_instances
from beeline.data.optimal_plans import sample_plans
from beeline.data.task_sets import PlanSettings, generated_tasks
from beeline.fitting.labels import label_states
from beeline.fitting.neural_settings import NeuralSettings
from beeline.fitting.objectives import DistributionObjective
from beeline.fitting.optimisers import make_optimiser
from beeline.models.families import make_network
from beeline.models.hgn import encoding as family

if TYPE_CHECKING:
    import numpy as np

DOMAINS: dict[str, dict[str, int]] = {
    "blocksworld": {},
    "ferry": {},
    "gripper": {"random_goals": 1},
    "visitall": {},
}
ROWS = {"colours": True, "one for each": False}
NETWORK_STEPS = 4


def make_set(folder: Path, domain: str, count: int) -> Path:
    """A dataset of optimal plans of tasks of the paper's training sizes."""
    tasks = generated_tasks(
        domain, preset="nunez2024-train", count=count, seed=1, parameters=DOMAINS[domain]
    )
    with Workers("local", 1).executor() as executor:
        sample_plans(tasks, PlanSettings(max_evaluations=5000), folder / domain, executor)
    return folder / domain


class Training:
    """A network in training, with or without colours."""

    def __init__(self, labelled: Any, *, shared: bool) -> None:
        words = family.vocabulary(labelled.instances[0].problem.domain)
        self.inputs = family.dataset_inputs(words, labelled.instances, shared=shared)
        start = time.process_time()
        self.inputs.colouring(NETWORK_STEPS)
        self.preparation = time.process_time() - start
        self._network = make_network("hgn", words, 2, seed=0, hidden=32, steps=NETWORK_STEPS)
        self._objective = DistributionObjective(labelled)
        self._optimiser = make_optimiser(
            NeuralSettings(optimiser="adamw"), self._network.parameters()
        )
        self._taken = 0

    def step(self, rows: np.ndarray[Any, Any]) -> float:
        """Take one; seconds of processor time."""
        start = time.process_time()
        loss = partial(self._objective.loss, rows=rows)
        self._network.set_gradients(self.inputs.batch(rows), loss)
        self._taken += 1
        self._optimiser.step(self._taken)
        return time.process_time() - start

    def rows(self, rows: np.ndarray[Any, Any]) -> list[int]:
        """Rows for edges and vertices after each step of the network."""
        steps = self.inputs.batch(rows).steps(NETWORK_STEPS)
        lists = [(each.edges, each.incoming) for each in steps]
        return [sum(len(each.rows.starts) - 1 for each in both) for both in lists]


def compare(folder: Path, steps: int, repetitions: int) -> dict[str, Any]:
    """Both by turns on the same minibatches."""
    labelled = label_states(read_instances(folder))
    trainings = {name: Training(labelled, shared=shared) for name, shared in ROWS.items()}
    batches = DistributionObjective(labelled).minibatches(0, 0)
    first = next(batches)
    for training in trainings.values():
        training.step(first)
    rates: dict[str, list[float]] = {name: [] for name in ROWS}
    for _ in range(repetitions):
        seconds = dict.fromkeys(ROWS, 0.0)
        for _ in range(steps):
            rows = next(batches)
            for name, training in trainings.items():
                seconds[name] += training.step(rows)
        for name in ROWS:
            rates[name].append(steps / seconds[name])
    fewer, all_rows = (training.rows(first) for training in trainings.values())
    return {
        "domain": folder.name,
        "states": len(labelled),
        "rows": all_rows[0],
        "left": [round(few / many, 4) for few, many in zip(fewer, all_rows, strict=True)],
        "steps_per_second": rates,
        "ratios": [new / old for new, old in zip(*rates.values(), strict=True)],
        "colouring_seconds": trainings["colours"].preparation,
    }


def shown(found: dict[str, Any]) -> str:
    """Two lines of the report."""
    new, old = (statistics.median(each) for each in found["steps_per_second"].values())
    ratios = found["ratios"]
    left = ", ".join(f"{share:.1%}" for share in found["left"])
    return (
        f"{found['domain']:<12} {new:6.1f} steps/s, one row for each {old:6.1f}:"
        f" {statistics.median(ratios):.2f} x ({min(ratios):.2f} to {max(ratios):.2f})\n"
        f"  {found['states']:,} states, coloured in {found['colouring_seconds']:.2f} s;"
        f" of {found['rows']:,} rows in a batch {left} are left"
    )


def main() -> None:
    """Make data, train, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", type=Path, help="JSON file of all figures")
    parser.add_argument("--data", type=Path, help="keep datasets here, and take those there are")
    parser.add_argument("--domains", nargs="+", default=list(DOMAINS))
    parser.add_argument("--tasks", type=int, default=60, help="of each domain")
    parser.add_argument("--steps", type=int, default=10, help="per repetition")
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    results = []
    with tempfile.TemporaryDirectory() as temporary:
        home = options.data or Path(temporary)
        for domain in options.domains:
            folder = home / domain
            if not folder.exists():
                make_set(home, domain, options.tasks)
            results.append(compare(folder, options.steps, options.repetitions))
            print(shown(results[-1]), flush=True)
    if options.output is not None:
        options.output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
