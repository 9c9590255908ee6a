"""`beeline data certify`: whether a search with a heuristic goes straight to the goal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.cli.messages import print_json, print_warnings
from beeline.cli.values import number
from beeline.core.errors import BeelineError
from beeline.core.process import elapsed_time

if TYPE_CHECKING:
    from beeline.cli.certify_parameters import CertifiedHeuristic, CertifiedPlan, CertifiedSearch
    from beeline.cli.parameters import (
        Alpha,
        Beta,
        DomainFile,
        Json,
        Quiet,
        TaskFile,
        TimeLimit,
        UnitCosts,
        Weight,
    )
    from beeline.evaluate.certificate import Certificate, RankedState

NOT_PERFECT = 1
SHOWN = 3  # violations in the text


def run(
    domain: DomainFile,
    task: TaskFile,
    *,
    heuristic: CertifiedHeuristic = "ff",
    search: CertifiedSearch = "astar",
    weight: Weight = None,
    alpha: Alpha = None,
    beta: Beta = None,
    plan: CertifiedPlan = None,
    time_limit: TimeLimit = None,
    unit_costs: UnitCosts = False,
    json: Json = False,
    quiet: Quiet = False,
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
    from beeline.cli.given_models import GivenModels
    from beeline.evaluate.certificate import certify_ranking
    from beeline.planning.specification import make_spec
    from beeline.task.plan_file import read_plan

    models = GivenModels(heuristic, None, None)
    names = models.names or []
    if len(names) != 1:
        raise BeelineError("a certificate is for one heuristic", hint="name one of them")
    spec = make_spec(
        search,
        names,
        weight=number("--weight", weight),
        alpha=number("--alpha", alpha),
        beta=number("--beta", beta),
        time_limit=number("--time-limit", time_limit),
    )
    steps = None
    if plan is not None:
        steps = [f"({' '.join(step)})" for step in read_plan(plan).steps]
    ground_task = models.load_task(domain, task, unit_costs=unit_costs)
    certificate = certify_ranking(
        ground_task,
        models.heuristics.get(names[0], names[0]),
        steps,
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
    text = "\n".join(f"{name:<13} {value}" for name, value in rows)
    for each in certificate.violations[:SHOWN]:
        text += f"\n\nafter {each.step} expansions, of the plan: {_state(each.state)}"
        text += f"\n  beside it: {_state(each.other)}"
    return text


def _state(state: RankedState) -> str:
    return f"g {state.g:g}, h {state.h:g}, merit {state.merit:g}\n    {' '.join(state.facts)}"
