"""One run in a process of its own: read, ground, search, and say how it went.

Most of the package is imported when it is first used. Runs are forked from a process that has
imported this module, hence what nearly all of them need is loaded here, once.
"""

from __future__ import annotations

import signal
from importlib import import_module
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError, Status
from beeline.core.limits import Clock, TimeIsUp, peak_memory
from beeline.core.records import WorkerDiedError, code_version
from beeline.evaluate.configuration import enforced, model_digest, model_heuristics
from beeline.evaluate.suite_tasks import digest_of
from beeline.models.model_file import find_model
from beeline.pddl import parse_domain, parse_problem
from beeline.planning.plan import plan
from beeline.planning.solve import run
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from beeline.evaluate.evaluation import PlannedRun
    from beeline.planning.model import Model
    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask

for _module in (
    *("numpy", "resource", "fast_downward.translate.invariants", "beeline._native"),
    *("beeline.pddl.domain_sections", "beeline.pddl.problem_sections"),
    *("beeline.pddl.normal_form", "beeline.task.grounding", "beeline.task.validator"),
    *("beeline.planning.engine", "beeline.planning.result", "beeline.planning.model"),
    *("beeline.models.resnet.model", "beeline.models.colours.scorer"),
):
    import_module(_module)
code_version()  # which remembers it

NUMBERS = (
    *("cost", "length", "expanded", "evaluated", "generated", "initial_h"),
    *("search_time", "total_time", "processor_time", "peak_memory"),
)
FAILED = "failed"


def outcome(planned: PlannedRun) -> dict[str, Any]:
    """The part of a record that a run finds out: status, reason, numbers and plan."""
    clock = Clock(planned.limits.time, planned.limits.processor_time)
    found = early_end(Status.TIME_LIMIT.value)
    with enforced(planned.limits):
        try:
            with clock.alarm():
                model, task = _load(planned)
            found = _from_result(_search(planned, model, task, clock))
        except TimeIsUp:
            pass
        except MemoryError:
            found = early_end(Status.MEMORY_LIMIT.value)
        except RecursionError:
            found = failure("the input is nested too deeply")
        except BeelineError as error:
            found = failure(str(error))
        except Exception as error:
            found = failure(f"{type(error).__name__}: {error}")
    kilobytes = peak_memory()
    found["total_time"] = round(clock.elapsed(), 6)
    found["processor_time"] = round(clock.worked(), 6)
    found["peak_memory"] = None if kilobytes is None else kilobytes * 1024
    return found


def failure(reason: str) -> dict[str, Any]:
    """The outcome of a run that broke, with a reason on one line.

    >>> failure("no such\\nfile")["reason"]
    'no such file'
    """
    return early_end(FAILED, " ".join(reason.split())[:500])


def early_end(status: str, reason: str | None = None) -> dict[str, Any]:
    """The outcome of a run that has no result."""
    return {"status": status, "reason": reason, **dict.fromkeys(NUMBERS), "plan": None}


def failed_outcome(error: BeelineError | WorkerDiedError) -> dict[str, Any]:
    """What became of a run that raised this, or died of it."""
    number = error.signal if isinstance(error, WorkerDiedError) else None
    if number == signal.SIGXCPU:
        return early_end(Status.TIME_LIMIT.value, "killed, because it went on after its time limit")
    if number == signal.SIGKILL:
        return failure(f"{error}: perhaps the machine ran out of memory")
    return failure(str(error))


def _load(planned: PlannedRun) -> tuple[Model | None, GroundTask]:
    """Model and ground task, which must be what they were when the suite was read."""
    wanted, files = planned.settings, planned.task.files
    texts = [planned.task.domain_text(), planned.task.task_text()]
    for file, text, name in zip(files, texts, ("domain", "task"), strict=True):
        _check_unchanged(file, digest_of(text), wanted["task"][name])
    domain = parse_domain(texts[0], files[0])
    model = None
    if planned.model is not None:
        model = find_model(planned.model, domain)
        _check_unchanged(
            planned.model, model_digest(planned.model, model), wanted["model"]["digest"]
        )
    problem = parse_problem(domain, texts[1], files[1])
    return model, ground(problem, unit_costs=planned.task.unit_costs)


def _check_unchanged(file: str, found: str, expected: str) -> None:
    if found != expected:
        raise BeelineError("has changed since the suite was read", file, hint="run it again")


def _search(planned: PlannedRun, model: Model | None, task: GroundTask, clock: Clock) -> Result:
    configuration, name = planned.configuration, planned.model or ""
    if model is not None and configuration.search is None:
        words = {**configuration.plan, **planned.limits.search_words(), "seed": planned.seed}
        return plan(model, task, stop_signals=(), since=clock, **words)
    heuristics = {} if model is None else model_heuristics(configuration, model, name)
    spec = configuration.search_spec(planned.seed, planned.limits)
    return run(task, spec, heuristics, stop_signals=(), since=clock)


def _from_result(result: Result) -> dict[str, Any]:
    fields = result.to_json()
    numbers = {name: fields.get(name) for name in NUMBERS}
    return {"status": result.status.value, "reason": None, **numbers, "plan": result.plan}
