"""`beeline data regression`, `data statespace` and `data certify`: states of a few tasks."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from beeline.cli.command import Screen, UsageError, command
from beeline.cli.messages import progress_of, table
from beeline.cli.solve import GivenModels
from beeline.core.errors import BeelineError, ExitCode, counted
from beeline.core.files import check_output_folder
from beeline.core.limits import GOES_ON, advice, elapsed_time, peak_memory
from beeline.core.settings import About, values_of
from beeline.data.regression_settings import STRATEGIES, RegressionSettings, StateSpaceSettings
from beeline.evaluate.settings import CertificateSettings
from beeline.planning.specification import make_spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.evaluate.certificate import Certificate, RankedState


NOT_PERFECT = 1
SHOWN = 3  # violations in the text
OUTPUT = About("Write a dataset; without it, only figures are shown.", "DIR", aliases=("-o",))


@command(
    {"Strategies:": STRATEGIES},
    tasks=About("PDDL problem files of the domain.", "TASK..."),
    settings=RegressionSettings,
    output=OUTPUT,
)
def regression(
    domain: str,
    tasks: Sequence[str] = (),
    *,
    settings: RegressionSettings,
    jobs: int | None = None,
    backend: str = "local",
    output: str | None = None,
    screen: Screen,
) -> int:
    """Sample states of tasks backwards from their goals, and estimate their costs to them.

    Regression gives partial states: what must hold so that known operators lead to the goal. Their
    estimates are improved by what the samples say of each other, the operators at the beginning of
    shortest ways become preferred operators, and undefined variables get random values that
    respect mutexes. Learn a heuristic from fsm with --random-share 0.2, preferred operators from
    xrs.

    Several tasks, and several --seeds of each, are sampled at the same time. A run that was
    stopped goes on when it is called again. The exit code is 11 if a task is unsolvable, 22 if
    --percent meets too large a space, and 32 if the samples cannot be written.

    Example:
      beeline data regression domain.pddl task.pddl --count 10000 -o set
      beeline data regression domain.pddl task.pddl --strategy fsm --random-share 0.2 --percent 1
      beeline data regression domain.pddl task.pddl --count 100000 --json
      beeline data regression domain.pddl tasks/*.pddl --count 1000 --seeds 5 --jobs 4 -o set
    """
    from beeline.backends import Workers
    from beeline.core.records import InlineExecutor
    from beeline.data.regression_jobs import sample_regression
    from beeline.data.task_sets import given_tasks

    if not tasks:
        raise UsageError("Missing argument 'TASK'", "data regression")
    if output is not None:
        check_output_folder(output)
    task_set = given_tasks(domain, tasks)
    alone = len(tasks) * settings.seeds == 1
    warnings: list[str] = []
    with (
        progress_of(screen) as line,
        advice("" if alone else GOES_ON),
        InlineExecutor() if alone else Workers(backend, jobs).executor() as executor,
    ):
        line.say("waiting for the first samples")
        runs = sample_regression(
            task_set,
            (domain, tasks),
            settings,
            executor,
            output,
            progress=lambda glance: line.count(glance, "samplings"),
            warn=warnings.append,
        )
    of_tasks = dict.fromkeys(warning for run in runs for warning in run.pop("warnings"))
    screen.warn([*of_tasks, *warnings])
    if len(tasks) == 1 and settings.percent is not None:
        settings = settings.of(runs[0]["states"])
    ending = {
        **({} if output is None else {"folder": output}),
        "total_time": round(elapsed_time(), 6),
        "config": settings.to_json(),
    }
    if alone:
        fields = {"status": "ok", **runs[0], **ending}
        screen.mention(fields, table(_regression_rows(fields)))
    else:
        samples = sum(run["samples"] for run in runs)
        fields = {"status": "ok", "domain": runs[0]["domain"], "samples": samples, "runs": runs}
        screen.mention({**fields, **ending}, _runs_table(runs, output))
    return ExitCode.SOLVED


def _regression_rows(fields: dict[str, Any]) -> list[tuple[str, str]]:
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
    return rows


def _runs_table(runs: Sequence[dict[str, Any]], folder: str | None) -> str:
    """A line for each task and seed."""
    width = max(len(run["task"]) for run in runs)
    lines = [
        f"{run['task']:<{width}}  seed {run['seed']}: {run['samples']:,} samples,"
        f" {run['distinct']:,} of {run['sampled']:,} partial states distinct,"
        f" max depth {run['max_depth']}, largest h {run['max_estimate']}, {run['time']:.3f} s"
        for run in runs
    ]
    return "\n".join([*lines, *([] if folder is None else [f"written to {folder}"])])


@command(settings=StateSpaceSettings, output=OUTPUT)
def statespace(
    domain: str,
    task: str,
    *,
    settings: StateSpaceSettings,
    unit_costs: bool = False,
    output: str | None = None,
    screen: Screen,
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
    from beeline.data.state_spaces import state_space_samples, write_state_space
    from beeline.data.task_sets import given_tasks
    from beeline.task.grounding import load

    if output is not None:
        check_output_folder(output)
    ground_task = load(domain, task, unit_costs=unit_costs)
    screen.warn(ground_task.problem.warnings)
    start = perf_counter()
    samples = state_space_samples(ground_task, **values_of(settings))
    fields: dict[str, Any] = {
        "status": "ok",
        "domain": ground_task.problem.domain.name,
        "task": ground_task.problem.name,
        **samples.summary(),
        "time": round(perf_counter() - start, 6),
    }
    if output is not None:
        set_of_one, count, seed = given_tasks(domain, [task]), settings.count, settings.seed
        write_state_space(output, set_of_one, ground_task, samples, count=count, seed=seed)
        fields["folder"] = output
    fields |= {"total_time": round(elapsed_time(), 6), "peak_memory": peak_memory()}
    screen.mention(fields, table(_space_rows(fields)))
    return ExitCode.SOLVED


def _space_rows(fields: dict[str, Any]) -> list[tuple[str, str]]:
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
    return rows


@command(settings=CertificateSettings)
def certify(
    domain: str,
    task: str,
    *,
    settings: CertificateSettings,
    unit_costs: bool = False,
    screen: Screen,
) -> int:
    """Tell whether a heuristic ranks a task perfectly: whether search expands a plan and no more.

    It does if each state of an optimal plan comes strictly before all others in the Open list of
    its step. Otherwise the pairs of states that are not in order are shown. The exit code is 0
    for a perfect ranking and 1 for any other.

    Example:
      beeline data certify domain.pddl task.pddl --heuristic lmcut
      beeline data certify domain.pddl task.pddl --heuristic model.beeline --search gbfs
      beeline data certify domain.pddl task.pddl --heuristic ff --plan plan --json
    """
    from beeline.evaluate.certificate import certify_ranking
    from beeline.task.plan_file import read_plan

    chosen = values_of(settings)
    file = chosen.pop("plan")
    models = GivenModels(chosen.pop("heuristic"), None, None)
    names = models.names or []
    if len(names) != 1:
        raise BeelineError("a certificate is for one heuristic", hint="name one of them")
    spec = make_spec(heuristic=names, **chosen)
    ground_task = models.load_task(domain, task, unit_costs=unit_costs)
    certificate = certify_ranking(
        ground_task,
        models.heuristics.get(names[0], names[0]),
        None if file is None else read_plan(file),
        **{**chosen, "alpha": spec.alpha, "beta": spec.beta},
    )
    screen.warn(ground_task.problem.warnings)
    fields = {
        "status": "perfect" if certificate.perfect else "not perfect",
        "search": spec.search,
        "heuristic": names[0],
        **certificate.to_json(),
        "total_time": round(elapsed_time(), 6),
    }
    screen.show(fields, _report(certificate, names[0], spec.search))
    return 0 if certificate.perfect else NOT_PERFECT


def _report(certificate: Certificate, heuristic: str, search: str) -> str:
    kind = {True: "an optimal plan", None: "the plan"}[certificate.optimal]
    if certificate.perfect:
        verdict = f"perfect: {search} expands the states of {kind} alone, however ties are broken"
    else:
        verdict = "not perfect: states beside the plan come first, or as early"
    rows = [
        ("ranking", verdict),
        ("search", f"{search} with {heuristic}"),
        ("plan", f"{counted(certificate.length, 'step')}, cost {certificate.cost}"),
        ("pairs", f"{certificate.pairs:,}"),
        ("violated", f"{certificate.violated:,}, {certificate.ties:,} of them ties"),
    ]
    if certificate.dead_ends:
        rows.append(("dead ends", f"{certificate.dead_ends:,} states of the plan"))
    text = table(rows)
    for each in certificate.violations[:SHOWN]:
        text += f"\n\nafter {each.step} expansions, of the plan: {_state(each.state)}"
        text += f"\n  beside it: {_state(each.other)}"
    return text


def _state(state: RankedState) -> str:
    return f"g {state.g:g}, h {state.h:g}, merit {state.merit:g}\n    {' '.join(state.facts)}"
