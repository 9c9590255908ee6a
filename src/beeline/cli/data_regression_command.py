"""`beeline data regression`: samples of one task, backwards from its goal."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.messages import print_json, print_warnings
from beeline.cli.values import number, whole_number
from beeline.core.errors import BeelineError, ExitCode
from beeline.core.files import check_output_folder
from beeline.core.process import elapsed_time

if TYPE_CHECKING:
    from beeline.cli.parameters import DomainFile, Json, Quiet, TaskFile, UnitCosts
    from beeline.cli.sample_parameters import (
        CompletionAttempts,
        DepthLimit,
        FirstShare,
        MaxStates,
        NoImprovement,
        RandomShare,
        SampleCount,
        SampleFolder,
        SamplePercent,
        SampleSeed,
        Strategy,
    )
    from beeline.task.ground_task import GroundTask


def run(
    domain: DomainFile,
    task: TaskFile,
    *,
    strategy: Strategy = "xrs",
    count: SampleCount = None,
    percent: SamplePercent = None,
    share: FirstShare = "0.1",
    depth: DepthLimit = None,
    random: RandomShare = "0",
    no_improvement: NoImprovement = False,
    attempts: CompletionAttempts = "10000",
    seed: SampleSeed = "0",
    max_states: MaxStates = "20000000",
    unit_costs: UnitCosts = False,
    output: SampleFolder = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Sample states of one task backwards from its goal, and estimate their costs to it.

    Regression gives partial states: what must hold so that known operators lead to the goal. Their
    estimates are improved by what the samples say of each other, the operators at the beginning of
    shortest ways become preferred operators, and undefined variables get random values that
    respect mutexes. Learn a heuristic from fsm with --random 0.2, preferred operators from xrs.
    The exit code is 11 if the task is unsolvable, 22 if --percent meets too large a space, and 32
    if the samples cannot be written.

    Example:
      beeline data regression domain.pddl task.pddl --count 10000 -o set
      beeline data regression domain.pddl task.pddl --strategy fsm --percent 1 --random 0.2 -o set
      beeline data regression domain.pddl task.pddl --count 100000 --json
    """
    from beeline.sampling.regression import regression_samples
    from beeline.sampling.regression_settings import RegressionSettings
    from beeline.task.grounding import load

    if (count is None) == (percent is None):
        raise BeelineError(
            "how many samples?" if count is None else "--count and --percent",
            hint="say --count N, or --percent P of the state space",
        )
    if output is not None:
        check_output_folder(output)
    settings = RegressionSettings(
        1 if count is None else whole_number("--count", count) or 0,
        strategy=strategy,
        share=_number("--share", share),
        depth=whole_number("--depth", depth),
        random_share=_number("--random", random),
        improve=not no_improvement,
        attempts=whole_number("--attempts", attempts) or 0,
        seed=whole_number("--seed", seed) or 0,
        unit_costs=unit_costs,
    )
    ground_task = load(domain, task, unit_costs=unit_costs)
    if not quiet:
        print_warnings(ground_task.problem.warnings)
    fields: dict[str, object] = {}
    if percent is not None:
        from dataclasses import replace

        fields["states"] = states = _states(ground_task, max_states)
        settings = replace(settings, count=_count(states, percent))
    start = perf_counter()
    samples = regression_samples(ground_task, settings)
    fields = {
        "status": "ok",
        "domain": ground_task.problem.domain.name,
        "task": ground_task.problem.name,
        "strategy": strategy,
        **fields,
        **samples.summary(),
        "time": round(perf_counter() - start, 6),
    }
    if output is not None:
        from beeline.sampling.sample_sets import write_regression
        from beeline.sampling.task_sets import given_tasks

        write_regression(output, given_tasks(domain, [task]), ground_task, settings, samples)
        fields["folder"] = output
    fields["total_time"] = round(elapsed_time(), 6)
    fields["config"] = settings.to_json()
    if json:
        print_json(fields)
    elif not quiet:
        print(_table(fields))
    return ExitCode.SOLVED


def help_details() -> str:
    """The strategies, for the help of the command."""
    from beeline.sampling.regression_settings import STRATEGIES

    width = max(map(len, STRATEGIES))
    lines = [f"  {entry.name:<{width}}  {entry.summary}" for entry in STRATEGIES.values()]
    return "\n".join(["\b", "Strategies:", *lines])


def _number(option: str, word: str) -> float:
    value = number(option, word)
    return 0.0 if value is None else value


def _states(task: GroundTask, max_states: str) -> int:
    """How many states there are."""
    from beeline.sampling.state_spaces import enumerate_states

    return len(enumerate_states(task, whole_number("--max-states", max_states) or 0))


def _count(states: int, percent: str) -> int:
    from beeline.sampling.regression_settings import share_of_states

    return share_of_states(states, _number("--percent", percent))


def _table(fields: dict[str, object]) -> str:
    rows = [
        ("task", f"{fields['task']} ({fields['domain']})"),
        ("strategy", f"{fields['strategy']}"),
        ("samples", f"{fields['samples']:,}, {fields['random']:,} of them random states"),
        ("distinct", f"{fields['distinct']:,} of {fields['sampled']:,} partial states"),
        ("max depth", f"{fields['max_depth']} (facts over mean effects: {fields['limit']})"),
        ("largest h", f"{fields['max_estimate']}"),
        ("preferred", f"{fields['mean_preferred']:.2f} operators for each sample"),
        ("incomplete", f"{fields['incomplete']:,}"),
        ("time", f"{fields['time']:.3f} s, {fields['total_time']:.3f} s in all"),
    ]
    if "states" in fields:
        rows.insert(2, ("state space", f"{fields['states']:,} states"))
    if "folder" in fields:
        rows.append(("written to", f"{fields['folder']}"))
    return "\n".join(f"{name:<13} {value}" for name, value in rows)
