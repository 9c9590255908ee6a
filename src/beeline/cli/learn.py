"""`beeline learn`: tasks in, a model out."""

from __future__ import annotations

import signal
from time import perf_counter
from typing import TYPE_CHECKING, Any

from beeline.cli.command import command, written
from beeline.cli.messages import ProgressLine, SavedModel, print_json, print_warnings
from beeline.core.errors import BeelineError
from beeline.core.files import check_output
from beeline.core.limits import elapsed_time
from beeline.core.settings import About, settings_of, values_of
from beeline.learning.learn_task import TaskSettings
from beeline.learning.settings import LearnSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.learning.learn_task import TaskGlance
    from beeline.learning.workshop import Phase
    from beeline.models.colours.model import ColourModel
    from beeline.models.resnet.model import TaskModel
    from beeline.planning.model import Model


@command(
    tasks=About("PDDL problem files, or folders of them.", "TASK..."),
    output=About("Write the model to this file.", "MODEL", aliases=("-o",)),
    per_task=About("Learn one task, for any initial state; needs torch."),
    settings=LearnSettings,
    task_settings=TaskSettings,
)
def learn(
    domain: str,
    tasks: Sequence[str] = (),
    *,
    output: str | None = None,
    per_task: bool = False,
    settings: LearnSettings,
    task_settings: TaskSettings,
    json: bool = False,
    quiet: bool = False,
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
    warnings: list[str] = []
    model: Model
    try:
        with ProgressLine(quiet=quiet) as line:
            if per_task:
                _refuse_others(settings, task_settings, "{} with --per-task")
                of_task = _learn_task(domain, tasks, settings, task_settings, line, warnings)
                model, (fields, lines) = of_task, _about_task(of_task)
            else:
                _refuse_others(task_settings, settings, "options such as {} belong to --per-task")
                of_domain = _learn_domain(domain, tasks, settings, line, warnings)
                model, (fields, lines) = of_domain, _about_domain(of_domain)
    finally:
        if not quiet:
            print_warnings(warnings)
    saved = SavedModel(model, output)
    if json:
        print_json(
            {
                **saved.fields(),
                **fields,
                "warnings": warnings,
                "total_time": round(elapsed_time(), 6),
            }
        )
    else:
        *lines, size, closing = lines
        print("\n".join(lines))
        print(f"{saved.file}: {saved.fields()['bytes']:,} bytes, {size}")
        print(f"next: beeline plan {saved.file} {domain} TASK{closing}")
    return saved.exit_code()


def _refuse_others(given: Any, wanted: Any, message: str) -> None:
    """Refuse settings that mean nothing where others are wanted."""
    known = values_of(wanted)
    for each in settings_of(given.__class__):
        chosen = getattr(given, each.name)
        if each.name not in known and each.name != "unit_costs" and chosen != each.default:
            raise BeelineError(message.format(written(each)[0]), hint="leave one of them out")


def _learn_domain(
    domain: str,
    tasks: Sequence[str],
    settings: LearnSettings,
    line: ProgressLine,
    warnings: list[str],
) -> ColourModel:
    from beeline.learning.learn import learn as learn_model

    started = perf_counter()

    def progress(phase: Phase) -> None:
        seconds = perf_counter() - started
        line.say(f"{seconds:.0f} s: {phase.name}, {phase.done} of {phase.total}")

    return learn_model(
        domain,
        tasks,
        **values_of(settings),
        progress=progress,
        warn=warnings.append,
        stop_signals=(signal.SIGINT, signal.SIGTERM),
    )


def _learn_task(
    domain: str,
    tasks: Sequence[str],
    settings: LearnSettings,
    task_settings: TaskSettings,
    line: ProgressLine,
    warnings: list[str],
) -> TaskModel:
    from beeline.core.limits import advice
    from beeline.learning.learn_task import learn_task
    from beeline.models.families import require_torch
    from beeline.task.grounding import load

    if len(tasks) != 1:
        raise BeelineError(
            f"{len(tasks)} tasks with --per-task", hint="a model of this kind knows a single task"
        )
    require_torch()
    started = perf_counter()

    def progress(glance: TaskGlance) -> None:
        seconds = perf_counter() - started
        losses = ", ".join(f"{name} {value:.4g}" for name, value in glance.losses.items())
        line.say(f"{seconds:.0f} s: {glance.network}, epoch {glance.epoch:,}, {losses}")

    with advice("there was no model yet"):
        return learn_task(
            load(domain, tasks[0], unit_costs=settings.unit_costs),
            **values_of(task_settings),
            progress=progress,
            warn=warnings.append,
        )


def _about_task(model: TaskModel) -> tuple[dict[str, object], list[str]]:
    """What to say of a model of one task: fields for JSON; lines, its size, and who can use it."""
    from beeline.models.resnet.model import training_lines

    fields: dict[str, object] = {
        "networks": list(model.networks),
        "weights": model.num_weights,
        "facts": len(model.vocabulary.facts),
        "operators": len(model.vocabulary.operators),
        "training": model.summary,
        "seed": model.seed,
    }
    closing = ", with any initial state of this task"
    return fields, [*training_lines(model.summary), f"{model.num_weights:,} weights", closing]


def _about_domain(model: ColourModel) -> tuple[dict[str, object], list[str]]:
    """The same of a model of a domain."""
    summary = model.summary
    tasks, held_out, chosen = summary["tasks"], summary["held_out"], summary["candidate"]
    lines = [
        f"{tasks['given']} tasks: {tasks['with_plans']} with plans, {tasks['optimal']} of these"
        f" optimal, the longest {tasks['longest_plan']} steps",
        f"chosen: {chosen['rounds']} rounds, neighbour {chosen['neighbours']}s,"
        f" {'with' if chosen['h_ff'] else 'without'} h_FF, l2 {chosen['l2']:g},"
        f" {chosen['data']} plans",
    ]
    if held_out is not None and held_out["solved"]:
        lines.append(
            f"held out: {held_out['solved']} of {held_out['tasks']} larger tasks solved,"
            f" {held_out['expansions']:.0f} expansions for {held_out['length']:.0f} steps"
        )
    elif held_out is not None:
        lines.append(f"held out: none of {held_out['tasks']} larger tasks solved")
    fields = {**summary, "style": vars(model.style)}
    return fields, [*lines, f"{model.scorer.num_features} features", ""]
