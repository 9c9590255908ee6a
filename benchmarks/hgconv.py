"""Networks over hypergraphs: in a search against the same network in training, and in training.

Search: states are those of random walks, a batch for each step: all successors of its state.
Printed are states per second of processor time, on one thread, for both, and the ratio; training
computes equal neighbourhoods of a batch once, STRIPS-HGN in torch. Outputs are compared, too. Sizes
are layers x width of convolutions, and steps x hidden units of STRIPS-HGN.

    python benchmarks/hgconv.py --steps 150 -o hgconv.json

Training: steps per second of processor time, on one thread, of convolutions that learn to rank the
states of optimal plans, one plan to a step, with AdaBelief; validation is left out, and so is the
first epoch, which finds equal neighbourhoods. A step is all of it: batch, network, loss, gradient,
optimiser. Two versions of the package are compared by calling this script with both, by turns.

    python benchmarks/hgconv.py --training 3 -o training.json
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from beeline import _native
from beeline.backends import Workers
from beeline.data.instances import read_instances
from beeline.data.optimal_plans import sample_plans
from beeline.data.task_sets import PlanSettings, generated_tasks
from beeline.fitting.labels import label_plans
from beeline.fitting.losses import PlanLossSettings
from beeline.fitting.neural_settings import NeuralSettings
from beeline.fitting.optimisers import make_optimiser
from beeline.fitting.plan_objectives import PlanObjective
from beeline.generators import domain_text
from beeline.generators.registry import Recipe
from beeline.models.hgconv import encoding as hyperclasses
from beeline.models.hgconv.encoding import frozen_convolution
from beeline.models.hgconv.network import HypergraphConvolution
from beeline.models.hgconv.slots import ColouredTask
from beeline.models.hgn import encoding as hypergraphs
from beeline.models.hgn.network import StripsHgn
from beeline.pddl import parse_domain, parse_problem
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

CASES = {
    "blocksworld": {"blocks": 12},
    "ferry": {"locations": 8, "cars": 10},
    "npuzzle": {"rows": 3, "columns": 3},
    "miconic": {"passengers": 12, "floors": 24},
    "spanner": {"nuts": 5, "spanners": 8, "locations": 30},
    "visitall": {"width": 8, "height": 8},
}
SIZES = (("hgconv", 2, 8), ("hgconv", 3, 16), ("hgn", 4, 32))
TRAINING_CASES: dict[str, dict[str, int]] = {
    "blocksworld": {"blocks": 8},
    "ferry": {"locations": 6, "cars": 6},
    "npuzzle": {"rows": 3, "columns": 3},
    "spanner": {"nuts": 4, "spanners": 6, "locations": 30},
    "miconic": {"passengers": 8, "floors": 16},
}
TRAINING_SIZES = ((1, 4), (2, 8), (3, 16))
TRAINING_TASKS = 12


def walked_batches(task: GroundTask, steps: int) -> tuple[Any, list[np.ndarray[Any, Any]]]:
    """A registry, and the successors of each state of a random walk."""
    states = _native.States(task.native)
    dice = np.random.default_rng(0)
    here, batches = states.initial, []
    for _ in range(steps):
        successors = states.successors(here)[1].astype(np.uint32)
        if not len(successors):
            break
        batches.append(successors)
        here = int(dice.choice(successors))
    return states, batches


def compare(name: str, parameters: dict[str, int], steps: int, size: tuple[str, int, int]) -> Any:
    """States per second of both for one task."""
    recipe = Recipe.make(name, parameters, seed=1)
    domain = parse_domain(domain_text(name))
    task = ground(parse_problem(domain, recipe.text()))
    states, batches = walked_batches(task, steps)
    family, layers, width = size
    generator = torch.Generator().manual_seed(1)
    network: Any
    inputs: Any
    if family == "hgn":
        places = hypergraphs.vocabulary(domain)
        network = StripsHgn(places, 1, generator=generator, steps=layers, hidden=width)
        inputs = hypergraphs.search_inputs(places, task, states)
        weights = {key: each.numpy() for key, each in network.state_dict().items()}
        frozen = hypergraphs.frozen_hgn(weights, places, task, steps=layers)
    else:
        words = hyperclasses.vocabulary(domain)
        network = HypergraphConvolution(words, 1, generator=generator, layers=layers, width=width)
        inputs = hyperclasses.search_inputs(words, task, states)
        weights = {key: each.numpy() for key, each in network.state_dict().items()}
        coloured = ColouredTask(task, words)
        frozen = frozen_convolution(weights, coloured, layers=layers, residual=True)

    def in_training(ids: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        with torch.no_grad():
            return network(inputs.batch(ids)).numpy()

    def in_engine(ids: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return frozen(states.facts(ids))

    seconds, outputs = [], []
    for score in (in_training, in_engine):
        score(batches[0])
        start = time.process_time()
        outputs.append(np.concatenate([score(ids) for ids in batches]))
        seconds.append(time.process_time() - start)
    np.testing.assert_allclose(outputs[0], outputs[1], rtol=1e-3, atol=1e-4)
    count = sum(map(len, batches))
    return {
        "task": name + "".join(f" {key}={value}" for key, value in parameters.items()),
        "operators": task.num_operators,
        "facts": task.num_facts,
        "size": f"{family} {layers}x{width}",
        "states": count,
        "training": round(count / seconds[0]),
        "engine": round(count / seconds[1]),
        "ratio": round(seconds[0] / seconds[1], 1),
    }


def training(name: str, parameters: dict[str, int], epochs: int) -> list[dict[str, Any]]:
    """Steps per second for each size of the network, on plans of one domain."""
    tasks = generated_tasks(name, count=TRAINING_TASKS, seed=1, parameters=parameters)
    limits = PlanSettings(siblings=True, unit_costs=True, max_evaluations=20_000)
    with tempfile.TemporaryDirectory() as folder:
        with Workers("local", 1).executor() as executor:
            sample_plans(tasks, limits, Path(folder) / name, executor)
        plans = label_plans(read_instances(Path(folder) / name, siblings=True))
    words = hyperclasses.vocabulary(plans.instances[0].problem.domain)
    settings = NeuralSettings(optimiser="adabelief", learning_rate=1e-3, gradient_clip=None)
    rows = []
    for layers, width in TRAINING_SIZES:
        inputs = hyperclasses.dataset_inputs(words, plans.instances)
        objective = PlanObjective(plans, PlanLossSettings("rank-astar"))
        generator = torch.Generator().manual_seed(0)
        network = HypergraphConvolution(words, 1, generator=generator, layers=layers, width=width)
        optimiser = make_optimiser(settings, network.parameters())
        batches, count = objective.minibatches(0), len(plans.graphs)
        start = 0.0
        for step in range((epochs + 1) * count):
            if step == count:
                start = time.process_time()
            chosen = next(batches)
            network.set_gradients(inputs.batch(chosen), partial(objective.loss, rows=chosen))
            optimiser.step(step + 1)
        seconds = time.process_time() - start
        row = {"domain": name, "size": f"{layers}x{width}", "plans": count, "states": len(plans)}
        rows.append({**row, "steps_per_second": round(epochs * count / seconds, 1)})
        print("{domain:<12} {size:<5} {plans} plans, {states} states:".format(**row), end=" ")
        print(f"{rows[-1]['steps_per_second']:,} steps/s")
    return rows


def main() -> None:
    """Compare, print, and write JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--training", type=int, metavar="EPOCHS", help="train, search nothing")
    parser.add_argument("-o", "--output", type=Path)
    words = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    if words.training is not None:
        for name, parameters in TRAINING_CASES.items():
            rows += training(name, parameters, words.training)
    for name, parameters in CASES.items() if words.training is None else ():
        for size in SIZES:
            rows.append(compare(name, parameters, words.steps, size))
            row = rows[-1]
            print(
                f"{row['task']:<46} {row['size']:<11} {row['operators']:>6} operators: training"
                f" {row['training']:>7,}, engine {row['engine']:>8,} states/s, {row['ratio']} x"
            )
    if words.output is not None:
        words.output.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
