"""`beeline data plans`: a dataset of solved tasks."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.progress_line import ProgressLine
from beeline.cli.termination import GOES_ON, advice
from beeline.cli.values import memory_size, number, whole_number
from beeline.core.errors import BeelineError
from beeline.core.files import check_output_folder
from beeline.core.process import elapsed_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.cli.parameters import (
        Attempts,
        Backend,
        Count,
        DatasetDomain,
        DatasetSeed,
        DatasetTasks,
        EvaluationsPerTask,
        Generator,
        GeneratorParameters,
        Jobs,
        Json,
        MemoryLimit,
        MinLength,
        NewDatasetFolder,
        OptimalPlans,
        Orders,
        PlansFolder,
        PresetName,
        Quiet,
        SecondsPerTask,
        SiblingHStar,
        Siblings,
        Split,
        UnitCosts,
    )
    from beeline.sampling.task_sets import TaskSet


def run(
    domain: DatasetDomain = None,
    tasks: DatasetTasks = None,
    *,
    generator: Generator = None,
    preset: PresetName = None,
    parameter: GeneratorParameters = None,
    count: Count = None,
    plans: PlansFolder = None,
    optimal_plans: OptimalPlans = False,
    siblings: Siblings = False,
    sibling_h_star: SiblingHStar = False,
    orders: Orders = "1",
    split: Split = "train=0.8,val=0.2",
    seed: DatasetSeed = "0",
    attempts: Attempts = "20",
    min_length: MinLength = "1",
    max_evaluations: EvaluationsPerTask = "50000",
    time_limit: SecondsPerTask = "1800",
    memory_limit: MemoryLimit = None,
    unit_costs: UnitCosts = False,
    jobs: Jobs = None,
    backend: Backend = "local",
    output: NewDatasetFolder = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Solve tasks optimally, by A* with LM-cut, and keep the states of the plans.

    Each state comes with its cost-to-go and the values of all heuristics. Tasks are random ones
    of a built-in domain, or files. A run that was stopped goes on when it is called again, and
    gives the same dataset as if it had not been stopped. The exit code is 31 if the dataset is
    too poor to learn from, and 32 if it cannot be written.

    Example:
      beeline data plans --generator ferry --preset seed003-train --count 400 --seed 1 -o ferry
      beeline data plans domain.pddl tasks/*.pddl --siblings -o set
      beeline data plans domain.pddl tasks/*.pddl --siblings --orders 8 -o set
      beeline data plans domain.pddl tasks/*.pddl --plans plans -o set
    """
    from beeline.backends import make_executor
    from beeline.cli.data_summary_command import show
    from beeline.data.splits import parse_splits
    from beeline.sampling.optimal_plans import sample_plans
    from beeline.sampling.plan_settings import PlanSettings

    if output is None:
        raise BeelineError("there is no directory to write to", hint="name one with -o DIR")
    check_output_folder(output)
    settings = PlanSettings(
        seed=whole_number("--seed", seed) or 0,
        splits=parse_splits(split),
        siblings=siblings,
        sibling_h_star=sibling_h_star,
        max_evaluations=whole_number("--max-evaluations", max_evaluations) or 0,
        time_limit=number("--time-limit", time_limit) or 0.0,
        memory_limit=memory_size("--memory-limit", memory_limit),
        attempts=whole_number("--attempts", attempts) or 0,
        min_length=whole_number("--min-length", min_length) or 0,
        unit_costs=unit_costs,
        optimal_plans=optimal_plans,
        orders=whole_number("--orders", orders) or 0,
    )
    if optimal_plans and plans is None:
        raise BeelineError("--optimal-plans without plans", hint="name their folder with --plans")
    if generator is None:
        _refuse({"--preset": preset, "--parameter": parameter, "--count": count}, "--generator")
        task_set = _given(domain, tasks, plans, unit_costs=unit_costs)
    else:
        if domain is not None:
            raise BeelineError("task files and --generator", hint="leave one of them out")
        _refuse({"--plans": plans}, "task files")
        task_set = _generated(generator, preset, parameter, count, settings.seed)
    line = ProgressLine(quiet=quiet)
    started = perf_counter()

    def progress(done: int, now: int, total: int) -> None:
        seconds = perf_counter() - started
        line.say(
            f"{done} of {total} shards, {seconds:.0f} s, about"
            f" {seconds / now * (total - done):.0f} s left"
        )

    try:
        with (
            advice(GOES_ON),
            make_executor(backend, whole_number("--jobs", jobs)) as workers,
        ):
            summary = sample_plans(task_set, settings, output, workers, progress=progress)
    finally:
        line.clear()
    extra = {"folder": output, "total_time": round(elapsed_time(), 6)}
    return show(summary, json=json, quiet=quiet, extra=extra)


def _refuse(options: dict[str, object], wanted: str) -> None:
    for option, value in options.items():
        if value:
            raise BeelineError(f"{option} makes no sense here", hint=f"it belongs to {wanted}")


def _given(
    domain: str | None, tasks: Sequence[str] | None, plans: str | None, *, unit_costs: bool
) -> TaskSet:
    from beeline.sampling.task_sets import given_tasks

    if domain is None:
        raise BeelineError(
            "there are no tasks", hint="name a domain file and task files, or a --generator"
        )
    return given_tasks(domain, tasks or (), plans=plans, unit_costs=unit_costs)


def _generated(
    generator: str,
    preset: str | None,
    parameters: Sequence[str] | None,
    count: str | None,
    seed: int,
) -> TaskSet:
    from beeline.cli.generate_command import chosen_parameters
    from beeline.generators.registry import entry
    from beeline.sampling.task_sets import generated_tasks

    return generated_tasks(
        generator,
        preset=preset,
        count=whole_number("--count", count),
        seed=seed,
        parameters=chosen_parameters(entry(generator), parameters or ()),
    )
