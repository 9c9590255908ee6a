"""`beeline data regression`, `data statespace` and `data certify`: states of one task."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.command import command
from beeline.cli.help_pages import table_of
from beeline.cli.messages import print_json, print_warnings, table
from beeline.cli.solve import GivenModels
from beeline.core.errors import BeelineError, ExitCode
from beeline.core.files import check_output_folder
from beeline.core.limits import elapsed_time, peak_memory
from beeline.core.settings import About, settings_of
from beeline.data.regression_settings import DEFAULT_MAX_STATES, STRATEGIES, RegressionSettings
from beeline.planning.heuristics import HEURISTICS
from beeline.planning.specification import SEARCHES, SearchSettings, make_spec

if TYPE_CHECKING:
    from beeline.evaluate.certificate import Certificate, RankedState
    from beeline.task.ground_task import GroundTask


NOT_PERFECT = 1
SHOWN = 3  # violations in the text
WORDS = {each.name: each.about for each in settings_of(SearchSettings)}
OUTPUT = About("Write a dataset; without it, only figures are shown.", "DIR", aliases=("-o",))


def strategies() -> str:
    """The strategies, for the help of the command."""
    return table_of("Strategies:", ((each.name, each.summary) for each in STRATEGIES.values()))


@command(strategies, settings=RegressionSettings, output=OUTPUT)
def regression(
    domain: str,
    task: str,
    *,
    settings: RegressionSettings,
    output: str | None = None,
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Sample states of one task backwards from its goal, and estimate their costs to it.

    Regression gives partial states: what must hold so that known operators lead to the goal. Their
    estimates are improved by what the samples say of each other, the operators at the beginning of
    shortest ways become preferred operators, and undefined variables get random values that
    respect mutexes. Learn a heuristic from fsm with --random-share 0.2, preferred operators from
    xrs. The exit code is 11 if the task is unsolvable, 22 if --percent meets too large a space, and
    32 if the samples cannot be written.

    Example:
      beeline data regression domain.pddl task.pddl --count 10000 -o set
      beeline data regression domain.pddl task.pddl --strategy fsm --random-share 0.2 --percent 1
      beeline data regression domain.pddl task.pddl --count 100000 --json
    """
    from beeline.data.regression import regression_samples
    from beeline.data.state_spaces import enumerate_states, write_regression
    from beeline.data.task_sets import given_tasks

    ground_task = _load(domain, task, output, unit_costs=settings.unit_costs, quiet=quiet)
    space: dict[str, object] = {}
    if settings.percent is not None:
        space["states"] = states = len(enumerate_states(ground_task, settings.max_states))
        settings = settings.of(states)
    start = perf_counter()
    samples = regression_samples(ground_task, settings)
    fields = {
        **_names(ground_task),
        "strategy": settings.strategy,
        **space,
        **samples.summary(),
        "time": round(perf_counter() - start, 6),
    }
    if output is not None:
        write_regression(output, given_tasks(domain, [task]), ground_task, settings, samples)
        fields["folder"] = output
    fields["total_time"] = round(elapsed_time(), 6)
    fields["config"] = settings.to_json()
    return _show(fields, _regression_rows(fields), json=json, quiet=quiet)


@command(
    count=About("Keep so many random states; all of them.", "N"),
    seed=About("Other seeds give other samples.", "N"),
    max_states=About("Give up on a state space with more states.", "N"),
    output=OUTPUT,
)
def statespace(
    domain: str,
    task: str,
    *,
    count: int | None = None,
    seed: int = 0,
    max_states: int = DEFAULT_MAX_STATES,
    unit_costs: bool = False,
    output: str | None = None,
    json: bool = False,
    quiet: bool = False,
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

    ground_task = _load(domain, task, output, unit_costs=unit_costs, quiet=quiet)
    start = perf_counter()
    samples = state_space_samples(ground_task, count=count, seed=seed, max_states=max_states)
    fields: dict[str, object] = {
        **_names(ground_task),
        **samples.summary(),
        "time": round(perf_counter() - start, 6),
    }
    if output is not None:
        tasks = given_tasks(domain, [task])
        write_state_space(output, tasks, ground_task, samples, count=count, seed=seed)
        fields["folder"] = output
    fields["total_time"] = round(elapsed_time(), 6)
    fields["peak_memory"] = peak_memory()
    return _show(fields, _space_rows(fields), json=json, quiet=quiet)


def _load(
    domain: str, task: str, output: str | None, *, unit_costs: bool, quiet: bool
) -> GroundTask:
    """The task, once it is known that its samples can be written."""
    from beeline.task.grounding import load

    if output is not None:
        check_output_folder(output)
    ground_task = load(domain, task, unit_costs=unit_costs)
    if not quiet:
        print_warnings(ground_task.problem.warnings)
    return ground_task


def _names(task: GroundTask) -> dict[str, object]:
    return {"status": "ok", "domain": task.problem.domain.name, "task": task.problem.name}


def _show(
    fields: dict[str, object], rows: list[tuple[str, str]], *, json: bool, quiet: bool
) -> int:
    if json:
        print_json(fields)
    elif not quiet:
        print(table(rows))
    return ExitCode.SOLVED


def _regression_rows(fields: dict[str, object]) -> list[tuple[str, str]]:
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


def _space_rows(fields: dict[str, object]) -> list[tuple[str, str]]:
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


@command(
    heuristic=About(
        "One of {names}, or the file of a learned model, MODEL.beeline.", "NAME", names=HEURISTICS
    ),
    search=About(
        "One of {names}.",
        "NAME",
        names=[name for name, entry in SEARCHES.items() if entry.heuristic],
    ),
    plan=About("Ask about this plan; by default about all optimal ones.", "FILE"),
    weight=WORDS["weight"],
    alpha=WORDS["alpha"],
    beta=WORDS["beta"],
)
def certify(
    domain: str,
    task: str,
    *,
    heuristic: str = "ff",
    search: str = "astar",
    weight: float | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    plan: str | None = None,
    time_limit: float | None = None,
    unit_costs: bool = False,
    json: bool = False,
    quiet: bool = False,
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

    models = GivenModels(heuristic, None, None)
    names = models.names or []
    if len(names) != 1:
        raise BeelineError("a certificate is for one heuristic", hint="name one of them")
    spec = make_spec(
        search,
        names,
        weight=weight,
        alpha=alpha,
        beta=beta,
        time_limit=time_limit,
    )
    ground_task = models.load_task(domain, task, unit_costs=unit_costs)
    certificate = certify_ranking(
        ground_task,
        models.heuristics.get(names[0], names[0]),
        None if plan is None else read_plan(plan),
        alpha=spec.alpha,
        beta=spec.beta,
        time_limit=spec.time_limit,
    )
    if not quiet:
        print_warnings(ground_task.problem.warnings)
    if json:
        print_json(
            {
                "status": "perfect" if certificate.perfect else "not perfect",
                "search": spec.search,
                "heuristic": names[0],
                **certificate.to_json(),
                "total_time": round(elapsed_time(), 6),
            }
        )
    else:
        print(_report(certificate, names[0], spec.search))
    return 0 if certificate.perfect else NOT_PERFECT


def _report(certificate: Certificate, heuristic: str, search: str) -> str:
    kind = {True: "an optimal plan", None: "the plan"}[certificate.optimal]
    steps = f"{certificate.length} step{'' if certificate.length == 1 else 's'}"
    if certificate.perfect:
        verdict = f"perfect: {search} expands the states of {kind} alone, however ties are broken"
    else:
        verdict = "not perfect: states beside the plan come first, or as early"
    rows = [
        ("ranking", verdict),
        ("search", f"{search} with {heuristic}"),
        ("plan", f"{steps}, cost {certificate.cost}"),
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
