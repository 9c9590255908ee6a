"""`beeline learn`: tasks in, a model out."""

from __future__ import annotations

import signal
from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.messages import print_json, print_warnings
from beeline.cli.model_output import SavedModel
from beeline.cli.progress_line import ProgressLine
from beeline.cli.values import memory_size, number, whole_number
from beeline.core.errors import BeelineError
from beeline.core.files import check_output
from beeline.core.process import elapsed_time

if TYPE_CHECKING:
    from beeline.cli.parameters import (
        DomainFile,
        GivenPlans,
        Jobs,
        Json,
        LearnSeed,
        LearnTasks,
        LearnTimeLimit,
        Loss,
        MemoryLimit,
        Neighbours,
        NewModel,
        PerTask,
        Quiet,
        Rounds,
        UnitCosts,
        WithFF,
        WithoutFF,
    )
    from beeline.cli.sample_parameters import SampleCount, SamplePercent
    from beeline.learned.model import Model
    from beeline.learning.workshop import Phase


def run(
    domain: DomainFile,
    tasks: LearnTasks = None,
    *,
    output: NewModel = None,
    plans: GivenPlans = None,
    loss: Loss = "rank-siblings",
    rounds: Rounds = None,
    neighbours: Neighbours = None,
    per_task: PerTask = False,
    count: SampleCount = None,
    percent: SamplePercent = None,
    h_ff: WithFF = False,
    no_h_ff: WithoutFF = False,
    seed: LearnSeed = "0",
    time_limit: LearnTimeLimit = None,
    memory_limit: MemoryLimit = None,
    unit_costs: UnitCosts = False,
    jobs: Jobs = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Learn how to search in a domain from tasks of it, and write a model.

    Tasks are solved, models are fitted to rank states as the plans go through them, and the best
    one is chosen by planning in tasks that it has not seen. Fifty tasks of growing size are a
    good start. At the time limit, on Ctrl-C and on SIGTERM the best model so far is written. The
    same tasks and seed give the same file to the last byte, in whatever order they are named. The
    exit code is 0 if there is a model, 23 if time was up before there was one, 31 if the files
    allow none, and 32 if the model had to be kept elsewhere.

    With --per-task, a single task is learned instead of a domain: states are sampled backwards
    from its goal, and two neural networks are trained with them, one to estimate the cost-to-go
    and one to prefer operators. The model serves any initial state of this task. By default it
    is trained with 1 percent of the state space (--percent), or --count samples.

    Example:
      beeline learn domain.pddl tasks -o model.beeline
      beeline learn domain.pddl p1.pddl p2.pddl p3.pddl --plans plans -o model.beeline
      beeline learn domain.pddl tasks -o model.beeline --time-limit 300 --jobs 2 --json
      beeline learn domain.pddl task.pddl --per-task --count 10000 -o model.beeline
    """
    if not tasks:
        raise BeelineError("there are no tasks", hint="name task files, or a folder of them")
    if output is None:
        raise BeelineError("there is no file to write to", hint="name one with -o MODEL")
    check_output(output)
    if per_task:
        from beeline.cli.learn_task import OnlyForDomains, learn_one_task

        OnlyForDomains(plans, loss, rounds, neighbours, h_ff, no_h_ff, memory_limit, jobs).check()
        return learn_one_task(
            domain,
            tasks,
            output,
            count=whole_number("--count", count),
            percent=number("--percent", percent),
            seed=whole_number("--seed", seed) or 0,
            time_limit=number("--time-limit", time_limit),
            unit_costs=unit_costs,
            json=json,
            quiet=quiet,
        )
    if (count, percent) != (None, None):
        raise BeelineError("--count and --percent belong to --per-task", hint="leave them out")
    from beeline.learning.learn import learn

    if h_ff and no_h_ff:
        raise BeelineError("--h-ff and --no-h-ff", hint="leave one of them out")
    line = ProgressLine(quiet=quiet)
    started = perf_counter()
    warnings: list[str] = []

    def progress(phase: Phase) -> None:
        seconds = perf_counter() - started
        line.say(f"{seconds:.0f} s: {phase.name}, {phase.done} of {phase.total}")

    try:
        model = learn(
            domain,
            tasks,
            plans=plans,
            loss=loss,
            rounds=whole_number("--rounds", rounds),
            neighbours=neighbours,
            h_ff=True if h_ff else False if no_h_ff else None,
            unit_costs=unit_costs,
            seed=whole_number("--seed", seed) or 0,
            jobs=whole_number("--jobs", jobs),
            time_limit=number("--time-limit", time_limit),
            memory_limit=memory_size("--memory-limit", memory_limit),
            progress=progress,
            warn=warnings.append,
            stop_signals=(signal.SIGINT, signal.SIGTERM),
        )
    finally:
        line.clear()
        if not quiet:
            print_warnings(warnings)
    saved = SavedModel(model, output)
    _show(model, saved, domain, warnings, json=json)
    return saved.exit_code()


def _show(model: Model, saved: SavedModel, domain: str, warnings: list[str], *, json: bool) -> None:
    facts = {
        **saved.fields(),
        **model.summary,
        "style": vars(model.style),
        "warnings": warnings,
        "total_time": round(elapsed_time(), 6),
    }
    if json:
        print_json(facts)
        return
    summary, scorer = model.summary, model.scorer
    tasks, held_out, chosen = summary["tasks"], summary["held_out"], summary["candidate"]
    print(
        f"{tasks['given']} tasks: {tasks['with_plans']} with plans, {tasks['optimal']} of these"
        f" optimal, the longest {tasks['longest_plan']} steps"
    )
    print(
        f"chosen: {chosen['rounds']} rounds, neighbour {chosen['neighbours']}s,"
        f" {'with' if chosen['h_ff'] else 'without'} h_FF, l2 {chosen['l2']:g},"
        f" {chosen['data']} plans"
    )
    if held_out is not None and held_out["solved"]:
        print(
            f"held out: {held_out['solved']} of {held_out['tasks']} larger tasks solved,"
            f" {held_out['expansions']:.0f} expansions for {held_out['length']:.0f} steps"
        )
    elif held_out is not None:
        print(f"held out: none of {held_out['tasks']} larger tasks solved")
    print(f"{saved.file}: {facts['bytes']:,} bytes, {scorer.num_features} features")
    print(f"next: beeline plan {saved.file} {domain} TASK")
