"""Heuristics optimised to rank: the tables of a published experiment, on a small scale.

DATA has a folder for each domain, with domain.pddl and tasks; tasks of spanner are made. Half of
the tasks are for training, a quarter to choose networks by, a quarter for tests. Finds optimal
plans, trains networks with each loss, searches with them, and writes RESULTS/report.md. What has
a record is not done again: the command can be stopped and repeated, and goes on.

    python experiments/ranking_losses.py DATA -o RESULTS
    python experiments/ranking_losses.py DATA -o RESULTS --stage report
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from command_line import clock, some_of
from ranked_heuristics.datasets import EVALUATIONS, FEWER, PlanLimits, make_sets
from ranked_heuristics.grid import (
    ALL_LOSSES,
    DOMAINS,
    LEARNING_RATE,
    LOSSES,
    SIZES,
    STEPS,
    Choice,
    Limits,
    Size,
)
from ranked_heuristics.report import report
from ranked_heuristics.searching import breadth_first_works, final_works, validation_works
from ranked_heuristics.tasks import SPANNER_TASKS, domain_tasks
from ranked_heuristics.training import training_works
from records import make_records

from beeline.core.errors import BeelineError
from beeline.core.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence

STAGES = ("data", "train", "search", "report")


def main(words: Sequence[str] | None = None) -> int:
    """Run all stages, or one; 1 if some runs failed."""
    options = _options(words)
    data, results = Path(options.data).resolve(), Path(options.output).resolve()
    results.mkdir(parents=True, exist_ok=True)
    choice = Choice(
        options.domains,
        options.losses,
        options.configurations,
        options.seeds,
        options.steps,
        options.learning_rate,
    )
    stages = STAGES if options.stage is None else (options.stage,)
    failed = 0
    try:
        tasks = {
            domain: domain_tasks(data, results, domain, options.spanner_tasks)
            for domain in choice.domains
        }
        if "data" in stages:
            plans = PlanLimits(options.plan_evaluations, options.plan_seconds)
            make_sets(tasks, plans, results, options.jobs, clock())
        limits = Limits(
            options.time_limit,
            validation_tasks=options.validation_tasks,
            test_tasks=options.test_tasks,
        )
        if "train" in stages:
            works = training_works(choice.runs(), results)
            failed += make_records(works, options.jobs, clock())
        if "search" in stages:
            for stage in (breadth_first_works, validation_works, final_works):
                works = list(stage(choice, tasks, limits, results).values())
                failed += make_records(works, options.jobs, clock())
        if "report" in stages:
            write_atomically(results / "report.md", report(choice, tasks, limits, results))
            print(results / "report.md")
    except BeelineError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130
    return 1 if failed else 0


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="tables of heuristics optimised to rank, on a small scale"
    )
    add = parser.add_argument
    limits, plans = Limits(), PlanLimits()
    add("data", help="folder of the tasks, DOMAIN/{domain,*}.pddl")
    add("-o", "--output", required=True, help="folder for records, models and the report")
    add("--domains", type=some_of(DOMAINS), default=DOMAINS, help="of " + ",".join(DOMAINS))
    add("--losses", type=some_of(ALL_LOSSES), default=LOSSES, help="of " + ",".join(ALL_LOSSES))
    add(
        "--configurations",
        type=_sizes,
        default=SIZES,
        help="sizes of the network: convolutions x width, r for residual connections"
        f" (default: {','.join(SIZES)})",
    )
    add("--seeds", type=int, default=2, help="networks of each kind (default: 2)")
    add("--steps", type=int, default=STEPS, help=f"of training, a task each (default: {STEPS})")
    add(
        "--learning-rate",
        type=float,
        default=LEARNING_RATE,
        help=f"of AdaBelief (default: {LEARNING_RATE:g})",
    )
    add(
        "--time-limit",
        type=float,
        default=limits.time,
        help="processor seconds of a search (default: 5)",
    )
    add("--test-tasks", type=int, help="at most, of each domain (default: all)")
    add(
        "--validation-tasks",
        type=int,
        default=limits.validation_tasks,
        help=f"at most, to choose configurations by (default: {limits.validation_tasks})",
    )
    add("--spanner-tasks", type=int, default=SPANNER_TASKS, help="to make (default: 120)")
    add(
        "--plan-evaluations",
        type=int,
        help=f"limit on optimal search (default: {EVALUATIONS}, fewer in {','.join(FEWER)})",
    )
    add(
        "--plan-seconds",
        type=float,
        default=plans.seconds,
        help=f"limit on optimal search (default: {plans.seconds:.0f})",
    )
    add("--stage", choices=STAGES, help="do this stage only")
    add("--jobs", type=int, default=2, help="processes, one thread each (default: 2)")
    return parser.parse_args(words)


def _sizes(text: str) -> list[str]:
    words = text.split(",")
    try:
        for word in words:
            Size.parse(word)
    except BeelineError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return words


if __name__ == "__main__":
    sys.exit(main())
