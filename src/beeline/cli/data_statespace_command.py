"""`beeline data statespace`: every state of a task with its distance to the goal."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.messages import print_json, print_warnings
from beeline.cli.values import whole_number
from beeline.core.errors import ExitCode
from beeline.core.files import check_output_folder
from beeline.core.process import elapsed_time, peak_memory

if TYPE_CHECKING:
    from beeline.cli.parameters import DomainFile, Json, Quiet, TaskFile, UnitCosts
    from beeline.cli.sample_parameters import MaxStates, SampleFolder, SampleSeed, StateCount


def run(
    domain: DomainFile,
    task: TaskFile,
    *,
    count: StateCount = None,
    seed: SampleSeed = "0",
    max_states: MaxStates = "20000000",
    unit_costs: UnitCosts = False,
    output: SampleFolder = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Enumerate all states that are reachable from the initial one, with their costs to the goal.

    The dataset has h* of each state and the ideal preferred operators, which begin a cheapest
    plan. A state space with more than --max-states states is refused with exit code 22; if the
    states cannot be written it is 32.

    Example:
      beeline data statespace domain.pddl task.pddl --json
      beeline data statespace domain.pddl task.pddl --unit-costs -o space
      beeline data statespace domain.pddl task.pddl --count 10000 --seed 1 -o part
    """
    from beeline.sampling.state_spaces import state_space_samples
    from beeline.task.grounding import load

    if output is not None:
        check_output_folder(output)
    wanted, chosen_seed = whole_number("--count", count), whole_number("--seed", seed) or 0
    ground_task = load(domain, task, unit_costs=unit_costs)
    if not quiet:
        print_warnings(ground_task.problem.warnings)
    start = perf_counter()
    samples = state_space_samples(
        ground_task,
        count=wanted,
        seed=chosen_seed,
        max_states=whole_number("--max-states", max_states) or 0,
    )
    fields: dict[str, object] = {
        "status": "ok",
        "domain": ground_task.problem.domain.name,
        "task": ground_task.problem.name,
        **samples.summary(),
        "time": round(perf_counter() - start, 6),
    }
    if output is not None:
        from beeline.sampling.sample_sets import write_state_space
        from beeline.sampling.task_sets import given_tasks

        tasks = given_tasks(domain, [task])
        write_state_space(output, tasks, ground_task, samples, count=wanted, seed=chosen_seed)
        fields["folder"] = output
    fields["total_time"] = round(elapsed_time(), 6)
    fields["peak_memory"] = peak_memory()
    if json:
        print_json(fields)
    elif not quiet:
        print(_table(fields))
    return ExitCode.SOLVED


def _table(fields: dict[str, object]) -> str:
    longest = fields["d_star"]
    rows = [
        ("task", f"{fields['task']} ({fields['domain']})"),
        ("states", f"{fields['states']:,}"),
        ("arcs", f"{fields['arcs']:,}"),
        ("dead ends", f"{fields['dead_ends']:,}"),
        ("d*", "no state reaches the goal" if longest is None else f"{longest}"),
        ("preferred", f"{fields['mean_preferred']:.2f} operators for each state"),
        ("time", f"{fields['time']:.3f} s, {fields['total_time']:.3f} s in all"),
    ]
    if "folder" in fields:
        rows.append(("written to", f"{fields['folder']}, {fields['samples']:,} states"))
    return "\n".join(f"{name:<13} {value}" for name, value in rows)
