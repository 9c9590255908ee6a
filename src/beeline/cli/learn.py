"""`beeline learn`: tasks in, a model out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.cli.command import Screen, command, written
from beeline.cli.messages import (
    PAGE,
    STOP_SIGNALS,
    Progress,
    SavedModel,
    check_page,
    needed,
    progress_of,
)
from beeline.core.errors import BeelineError, counted
from beeline.core.files import write_atomically
from beeline.core.limits import elapsed_time
from beeline.core.settings import About, settings_of, values_of
from beeline.learning.learn_task import TaskSettings
from beeline.learning.settings import Candidate, LearnSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from beeline.learning.learn_task import TaskGlance
    from beeline.learning.selection import Diary
    from beeline.planning.model import Model


@command(
    tasks=About("PDDL problem files, or folders of them.", "TASK..."),
    output=About("Write the model to this file.", "MODEL", aliases=("-o",)),
    page=PAGE,
    per_task=About("Learn one task, for any initial state; needs torch."),
    settings=LearnSettings,
    task_settings=TaskSettings,
)
def learn(
    domain: str,
    tasks: Sequence[str] = (),
    *,
    output: str | None = None,
    force: bool = False,
    page: str | None = None,
    per_task: bool = False,
    settings: LearnSettings,
    task_settings: TaskSettings,
    screen: Screen,
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
      beeline learn domain.pddl tasks -o model.beeline --page learning.html
      beeline learn domain.pddl task.pddl --per-task --count 10000 -o model.beeline
    """
    if not tasks:
        raise BeelineError("there are no tasks", hint="name task files, or a folder of them")
    output = needed(output, "file to write to", "MODEL")
    SavedModel.check(output, force=force)
    if page is not None and per_task:
        raise BeelineError("--page with --per-task", hint="leave one of them out")
    check_page(page, force=force)
    warnings: list[str] = []
    learn_one = _learn_task if per_task else _learn_domain
    diary = None if page is None else _diary()
    try:
        with progress_of(screen) as line:
            learned = learn_one(domain, tasks, settings, task_settings, line, warnings, diary)
    finally:
        screen.warn(warnings)
    saved = SavedModel(learned.model, output)
    if page is not None and diary is not None:
        from beeline.pages.learning import learning_page

        write_atomically(page, learning_page(learned.model, diary, warnings))
    size = f"{saved.fields['bytes']:,} bytes, {learned.size}"
    closing = f"next: beeline plan {saved.file} {domain} TASK{learned.closing}"
    about = {"warnings": warnings, "total_time": round(elapsed_time(), 6)}
    screen.show(
        {**saved.fields, **learned.fields, **about},
        "\n".join([*learned.lines, f"{saved.file}: {size}", closing]),
    )
    return saved.exit_code()


def _diary() -> Diary:
    from beeline.learning.selection import Diary

    return Diary()


class _Learned(NamedTuple):
    """A model, and what to say of it: fields for JSON, lines, its size, and who can use it."""

    model: Model
    fields: dict[str, object]
    lines: Iterable[str]
    size: str
    closing: str = ""


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
    task_settings: TaskSettings,
    line: Progress,
    warnings: list[str],
    diary: Diary | None,
) -> _Learned:
    from beeline.learning.learn import learn as learn_model
    from beeline.models.training_words import examined, learned_from

    _refuse_others(task_settings, settings, "options such as {} belong to --per-task")
    model = learn_model(
        domain,
        tasks,
        **values_of(settings),
        progress=lambda phase: line.step(phase.done, phase.total, title=phase.name),
        warn=warnings.append,
        stop_signals=STOP_SIGNALS,
        diary=diary,
    )
    summary = model.summary
    chosen = Candidate.from_json(summary["candidate"])
    lines = [learned_from(summary), f"chosen: {chosen}", examined(summary)]
    fields = {**summary, "style": vars(model.style)}
    return _Learned(model, fields, lines, counted(model.scorer.num_features, "feature"))


def _learn_task(
    domain: str,
    tasks: Sequence[str],
    settings: LearnSettings,
    task_settings: TaskSettings,
    line: Progress,
    warnings: list[str],
    _: Diary | None,
) -> _Learned:
    from beeline.core.limits import advice
    from beeline.learning.learn_task import learn_task
    from beeline.models.families import require_torch
    from beeline.models.resnet.model import training_lines
    from beeline.task.grounding import load

    _refuse_others(settings, task_settings, "{} with --per-task")
    if len(tasks) != 1:
        hint = "a model of this kind knows a single task"
        raise BeelineError(f"{len(tasks)} tasks with --per-task", hint=hint)
    require_torch()

    def progress(glance: TaskGlance) -> None:
        losses = ", ".join(f"{name} {value:.4g}" for name, value in glance.losses.items())
        line.tell(f"{glance.network}, epoch {glance.epoch:,}, {losses}")

    with advice("there was no model yet"):
        model = learn_task(
            load(domain, tasks[0], unit_costs=settings.unit_costs),
            **values_of(task_settings),
            progress=progress,
            warn=warnings.append,
        )
    fields: dict[str, object] = {
        "networks": list(model.networks),
        "weights": model.num_weights,
        "facts": len(model.vocabulary.facts),
        "operators": len(model.vocabulary.operators),
        "training": model.summary,
        "seed": model.seed,
    }
    size, closing = f"{model.num_weights:,} weights", ", with any initial state of this task"
    return _Learned(model, fields, training_lines(model.summary), size, closing)
