"""Neural logic machines: training steps per second, and guided evaluations per second.

Training: batch 256, breadth 3, depth 5, 8 predicates of each arity, truncated Gaussian with learned
sigma, residual h_FF, lower bound LM-cut, on plans of 5 to 10 blocks; one thread. A step is all of
it: batch, network, loss, gradient, clipping, AdamW. Then the same on plans of the preset
`nunez2024-train` of visitall, whose states share the connections of their grids, in steps per
second of processor time.

Search: greedy search with the trained model on 12 and 15 blocks, seconds split into the network,
the heuristics for bound and residual, and the rest (estimates, the search itself, Python). Each
task is searched until a plan or `--evaluations` evaluations; tasks are as hard as those of the
preset `nunez2024-test`.

The published implementation (pddlsl) is not run by this script. Beside our figures stand those that
were measured with it on a machine of this kind, with one thread and torch on the same processor:
2.0 training steps per second, 49 to 82 evaluations per second with 12 blocks, 35 to 41 with 15.

    python benchmarks/nlm.py -o nlm.json
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

import beeline
from beeline.backends import Workers
from beeline.data.instances import read_instances
from beeline.data.optimal_plans import sample_plans
from beeline.data.task_sets import PlanSettings, generated_tasks
from beeline.fitting.labels import label_states
from beeline.fitting.objectives import DistributionObjective
from beeline.generators.registry import recipes
from beeline.models.evaluator import NeuralEvaluator
from beeline.models.families import encoder_family, make_network

PEER = {"steps": (2.0, 2.0), 12: (49.0, 82.0), 15: (35.0, 41.0)}  # per second, lowest and highest
TARGETS = {"steps": 10.0, 12: 2500.0, 15: 1500.0}


def make_sets(folder: Path, per_size: int) -> list[Path]:
    """Datasets of optimal plans, one for each number of blocks from 5 to 10."""
    folders = []
    with Workers("local", 1).executor() as executor:
        for blocks in range(5, 11):
            tasks = generated_tasks(
                "blocksworld", count=per_size, seed=1, parameters={"blocks": blocks}
            )
            place = folder / str(blocks)
            sample_plans(tasks, PlanSettings(max_evaluations=20_000), place, executor)
            folders.append(place)
    return folders


def make_preset_set(folder: Path, domain: str, count: int) -> Path:
    """A dataset of optimal plans of tasks of the paper's training sizes."""
    tasks = generated_tasks(domain, preset="nunez2024-train", count=count, seed=1)
    with Workers("local", 1).executor() as executor:
        sample_plans(tasks, PlanSettings(max_evaluations=5000), folder / domain, executor)
    return folder / domain


def training(folders: list[Path], seconds: float) -> dict[str, Any]:
    """Steps per second of processor time and of wall time, and where the time goes."""
    torch.set_num_threads(1)
    instances = [each for folder in folders for each in read_instances(folder)]
    labelled = label_states(instances)
    family = encoder_family("relational")
    vocabulary = family.vocabulary(instances[0].problem.domain)
    inputs = family.dataset_inputs(vocabulary, labelled.instances)
    network = make_network("nlm", vocabulary, 2, seed=0)
    objective = DistributionObjective(labelled)
    parameters = list(network.parameters())
    optimiser = torch.optim.AdamW(parameters, lr=1e-2, weight_decay=1e-2, fused=True)
    split = {"batch": 0.0, "forward": 0.0, "loss": 0.0, "backward": 0.0, "optimiser": 0.0}
    steps, busy, start = 0, time.process_time(), time.perf_counter()
    batches = objective.minibatches(0, 0)
    while time.perf_counter() - start < seconds:
        marks = [time.perf_counter()]
        rows = next(batches)
        batch = inputs.batch(rows)
        marks.append(time.perf_counter())
        raw = network(batch)
        marks.append(time.perf_counter())
        loss = objective.loss(raw, rows)
        marks.append(time.perf_counter())
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        marks.append(time.perf_counter())
        torch.nn.utils.clip_grad_norm_(parameters, 0.1)
        optimiser.step()
        marks.append(time.perf_counter())
        for name, before, after in zip(split, marks, marks[1:], strict=False):
            split[name] += after - before
        steps += 1
    wall, busy = time.perf_counter() - start, time.process_time() - busy
    return {
        "states": len(inputs),
        "steps": steps,
        "steps_per_second": steps / wall,
        "steps_per_processor_second": steps / busy,
        "milliseconds": {name: 1000 * value / steps for name, value in split.items()},
    }


def searching(model: Any, blocks: int, tasks: int, evaluations: int) -> dict[str, Any]:
    """Evaluations per second over some tasks, with the split of the time."""
    totals = {"network": 0.0, "heuristics": 0.0, "rest": 0.0}
    evaluated, expanded, wall, busy, solved = 0, 0, 0.0, 0.0, 0
    found = recipes("blocksworld", preset=None, count=tasks, seed=9, parameters={"blocks": blocks})
    for recipe in found:
        task = load(recipe)
        evaluator = NeuralEvaluator(model, task)
        start, start_busy = time.perf_counter(), time.process_time()
        result = beeline.solve(task, "gbfs", evaluator, max_evaluations=evaluations)
        busy += time.process_time() - start_busy
        seconds = time.perf_counter() - start
        wall += seconds
        evaluated += result.evaluated
        expanded += result.expanded
        solved += result.plan is not None
        totals["network"] += evaluator.seconds["network"]
        totals["heuristics"] += evaluator.seconds["heuristics"]
        totals["rest"] += seconds - evaluator.seconds["network"] - evaluator.seconds["heuristics"]
    return {
        "tasks": tasks,
        "solved": solved,
        "evaluated": evaluated,
        "evaluated_per_expansion": evaluated / expanded,
        "evaluations_per_second": evaluated / wall,
        "evaluations_per_processor_second": evaluated / busy,
        "microseconds": {name: 1e6 * value / evaluated for name, value in totals.items()},
    }


def load(recipe: Any) -> Any:
    """The ground task of a recipe."""
    from beeline.generators import domain_text
    from beeline.pddl import parse_domain, parse_problem
    from beeline.task.grounding import ground

    return ground(parse_problem(parse_domain(domain_text("blocksworld")), recipe.text()))


def shown(what: str, key: Any, rate: float, split: dict[str, float], unit: str) -> str:
    """One line of the report."""
    low, high = PEER[key]
    parts = ", ".join(f"{name} {value:.3g}" for name, value in split.items())
    verdict = "reached" if rate >= TARGETS[key] else "missed"
    return (
        f"{what}: {rate:,.1f} per second, {rate / high:.0f} to {rate / low:.0f} times pddlsl"
        f" (target {TARGETS[key]:,.0f}: {verdict}); {unit}: {parts}"
    )


def main() -> None:
    """Make data, train, search, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", type=Path, help="JSON file of all figures")
    parser.add_argument("--seconds", type=float, default=15.0, help="of training, per repetition")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--per-size", type=int, default=30, help="training tasks of each size")
    parser.add_argument("--steps", type=int, default=300, help="of the model that guides search")
    parser.add_argument("--tasks", type=int, default=5, help="of each size, to search")
    parser.add_argument("--evaluations", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folders = make_sets(Path(temporary), options.per_size)
        trainings = [training(folders, options.seconds) for _ in range(options.repetitions)]
        grids = [make_preset_set(Path(temporary), "visitall", 4 * options.per_size)]
        on_grids = [training(grids, options.seconds) for _ in range(options.repetitions)]
        model = beeline.train(folders, steps=options.steps, seed=0, model="nlm")
    rates = [each["steps_per_second"] for each in trainings]
    middle = trainings[int(np.argsort(rates)[len(rates) // 2])]
    print(
        shown("training", "steps", statistics.median(rates), middle["milliseconds"], "ms per step")
    )
    print(f"  repetitions: {', '.join(f'{rate:.1f}' for rate in rates)} steps per second")
    rates = [each["steps_per_processor_second"] for each in on_grids]
    listed = ", ".join(f"{rate:.1f}" for rate in rates)
    print(f"training, visitall: {statistics.median(rates):.1f} per processor second ({listed})")
    searches = {}
    for blocks in (12, 15):
        found = searching(model, blocks, options.tasks, options.evaluations)
        searches[blocks] = found
        rate = found["evaluations_per_second"]
        print(shown(f"{blocks} blocks", blocks, rate, found["microseconds"], "µs per evaluation"))
    if options.output is not None:
        content = {
            "training": trainings,
            "training on visitall": on_grids,
            "search": searches,
            "peer": {str(k): v for k, v in PEER.items()},
        }
        options.output.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
