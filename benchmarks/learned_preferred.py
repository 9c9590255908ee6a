"""Preferred operators that transfer: learned in other tasks, used in seven state spaces.

The state spaces, their 50 initial states each and the searches are those of Minini's thesis
"Discovering and Learning Preferred Operators for Classical Planning with Neural Networks" (2023),
as in `statespace_tables.py`: greedy best-first search, all costs 1, a second queue for preferred
operators with a boost of 1000. There, networks learn the operators of one state space from
samples of this very space. Here, scores of operators are learned from plans of generated tasks
of the same domains, none of them of the size and kind that is searched, and read in the words of
the state space's domain.

Which rounds, neighbours and penalty a domain gets is chosen in generated tasks as well: by the
expansions of h_FF with the operators that would be preferred.

    python benchmarks/learned_preferred.py ../shared/data/statespaces -o learned.json

With `--track`, DATA are the domains of the IPC 2023 learning track instead. Two models of each,
alike but for scores of operators, are learned from those of the first 40 training tasks that have a
plan, and plan eleven larger tasks alone, with 5,000 expansions at most: with scores of states,
with scores of operators, depth first, and with both. What follows from ranking operators, all
else being equal; nothing is chosen.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import statistics
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from solved_tasks import SUITES

LIMIT = 2_000_000  # expansions of one search
HEURISTICS = ("learned", "ff", "goalcount", "blind")
PREFERRED = (None, "ff", "learned")


class Training(NamedTuple):
    """The built-in domain, and the sizes of tasks to learn from and to choose by."""

    generator: str
    sizes: tuple[dict[str, Any], ...]
    choosing: dict[str, Any]
    each: int = 8  # tasks of a size


TRAINING = {
    "blocks": Training("blocksworld", tuple({"blocks": n} for n in (3, 4, 5, 6)), {"blocks": 9}),
    "grid": Training(
        "grid",
        (
            {"width": 2, "height": 3, "locks": 1, "keys": 2},
            {"width": 3, "height": 3, "locks": 2, "keys": 2},
            {"width": 3, "height": 4, "locks": 3, "keys": 2},
            {"width": 5, "height": 3, "locks": 3, "keys": 3},
        ),
        {"width": 5, "height": 4, "locks": 4, "keys": 3},
    ),
    "npuzzle": Training(
        "npuzzle",
        tuple({"rows": r, "columns": c} for r, c in ((2, 2), (2, 3), (3, 2), (2, 4))),
        {"rows": 4, "columns": 2},
    ),
    "rovers": Training(
        "rovers",
        tuple({"rovers": r, "waypoints": w} for r, w in ((1, 3), (1, 4), (2, 3), (2, 5))),
        {"rovers": 3, "waypoints": 6, "cameras": 3},
    ),
    "scanalyzer": Training(
        "scanalyzer",
        tuple({"belts": b, "rotations": n} for b, n in ((1, 4), (2, 2), (2, 3), (2, 6))),
        {"belts": 4},
    ),
    "transport": Training(
        "transport",
        tuple({"vehicles": 1, "packages": n, "locations": 3 + n} for n in (1, 2, 3))
        + tuple({"vehicles": 2, "packages": n, "locations": 5} for n in (2, 3)),
        {"vehicles": 3, "packages": 5, "locations": 9, "max_capacity": 4},
    ),
    "visitall": Training(
        "visitall",
        tuple(
            {"width": w, "height": h, "ratio": ratio}
            for w, h in ((2, 2), (3, 2), (3, 3), (4, 3), (5, 3))
            for ratio in (0.5, 1.0)
        ),
        {"width": 5, "height": 5, "ratio": 1.0},
    ),
}


def learn(domain: str) -> tuple[str, Any, dict[str, Any]]:
    """The model of a domain, chosen among some by planning; and how these did."""
    from beeline import generators, ground
    from beeline.learning.candidates import ALL, FitJob, fit_candidates
    from beeline.learning.settings import MULTISET_ROUNDS, Candidate
    from beeline.learning.task_set import PlanJob, find_plan, read_training_set
    from beeline.models.colours.model import ColourModel
    from beeline.planning.model import SearchStyle

    plan = TRAINING[domain]
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "domain.pddl").write_text(generators.domain_text(plan.generator))
        for number, sizes in enumerate(plan.sizes):
            made = generators.instances(plan.generator, count=plan.each, seed=number, **sizes)
            for name, text in made:
                (folder / f"{number}-{name}.pddl").write_text(text)
        training = read_training_set(folder / "domain.pddl", [folder], unit_costs=True)
    jobs = [PlanJob(training.domain_text, task, True, 60.0, None) for task in training.tasks]
    planned = tuple(sorted((t for t in map(find_plan, jobs) if t.plan), key=lambda t: t.size))
    chosen = [
        ground(
            generators.generate(plan.generator, seed=1000 + number, **plan.choosing),
            unit_costs=True,
        )
        for number in range(8)
    ]
    found: list[tuple[float, str, ColourModel]] = []
    for multiset in (False, True):
        candidates = tuple(
            Candidate(multiset, rounds, False, 1e-4, ALL, operators=l2)
            for rounds in (MULTISET_ROUNDS if multiset else (1, 2, 3))
            for l2 in (1e-2, 1e-3, 1e-4, 1e-5)
        )
        job = FitJob(training.domain_text, planned, candidates, "rank-siblings", True, 0)
        for fit in fit_candidates(job):
            for margin in (0.0, 0.5, 1.0):
                scores = fit.scorer.operators
                assert scores is not None
                wide = replace(scores, margin=round(math.ldexp(margin, scores.shift)))
                scorer = replace(fit.scorer, operators=wide)
                style = SearchStyle(preferred=True)
                model = ColourModel(training.signature, scorer, style, {}, 0, "0")
                counts = [expansions(task, model, "ff", "learned", 2000) for task in chosen]
                effort = statistics.fmean(map(math.log, counts))
                found.append((effort, f"{fit.candidate}, margin {margin:g}", model))
    best = min(found, key=lambda each: each[0])
    efforts = {words: round(math.exp(effort), 2) for effort, words, _ in found}
    unaided = [expansions(task, best[2], "ff", None, 2000) for task in chosen]
    told = {
        "tasks": len(planned),
        "chosen": best[1],
        "choosing": efforts,
        "choosing without": round(math.exp(statistics.fmean(map(math.log, unaided))), 2),
    }
    return domain, best[2], told


def expansions(
    task: Any, model: Any, heuristic: str, preferred: str | None, limit: int = LIMIT
) -> int:
    """Expanded states of one search, the goal state included; the limit if it finds no plan."""
    from beeline import _native as native

    states = native.States(task.native)
    made: dict[str, Any] = {"learned": model.score(task, states).evaluator}
    for name in {heuristic, preferred} - {None, "learned"}:
        made[str(name)] = native.make_heuristic(str(name), task.native)
    config = native.SearchConfig()
    config.evaluators = [made[heuristic]]
    config.queues = [native.QueueSpec([native.KeySpec()])]
    config.max_expansions = limit
    if preferred is not None:
        config.preferred = [made[preferred]]
        config.queues = [*config.queues, native.QueueSpec([native.KeySpec()], True)]
        config.boost = 1000
    result = native.search(states, states.initial, config)
    solved = result.status == native.SearchStatus.SOLVED
    return int(result.counters.expanded) if solved else limit


def measure(job: tuple[Path, Path, Any]) -> dict[str, int]:
    """Expansions of all configurations from one initial state."""
    import beeline
    from beeline.generators import domain_text
    from beeline.models.colours.renamed import renamed_model
    from beeline.pddl import parse_domain
    from beeline.pddl.matching import match
    from beeline.pddl.outline import Outline

    domain_file, task_file, model = job
    task = beeline.load(domain_file, task_file, unit_costs=True)
    domain = task.problem.domain
    if not model.fits(domain):
        known = parse_domain(domain_text(TRAINING[domain_file.parent.name].generator))
        matching = match(Outline(known), Outline(domain))
        model = None if matching is None else renamed_model(model, matching, domain)
    if model is None or not model.has_preferred:
        raise RuntimeError(f"{domain_file}: the model does not fit")
    return {
        f"{heuristic} + {preferred}": expansions(task, model, heuristic, preferred)
        for heuristic in HEURISTICS
        for preferred in PREFERRED
    }


def track(job: tuple[Path, Path | None]) -> list[dict[str, Any]]:
    """How models of a domain of the learning track do with scores of operators and without.

    The second part is the folder of models of `beeline learn`, if there is one: a row says what it
    chose.
    """
    import beeline
    from beeline.learning.candidates import ALL, FitJob, fit_candidates
    from beeline.learning.settings import Candidate
    from beeline.learning.task_set import PlanJob, find_plan, read_training_set
    from beeline.models.colours.model import ColourModel
    from beeline.planning.model import SearchStyle

    domain, models = job
    files = sorted((domain / "training").glob("*.pddl"))[:40]
    training = read_training_set(domain / "domain.pddl", files)
    jobs = [PlanJob(training.domain_text, task, False, 60.0, None, 0.3) for task in training.tasks]
    planned = tuple(sorted((t for t in map(find_plan, jobs) if t.plan), key=lambda t: t.size))
    plain = Candidate(False, 2, False, 1e-3, ALL, training.relations.ways()[0])
    candidates = plain, plain._replace(operators=1e-4)
    fits = fit_candidates(
        FitJob(
            training.domain_text,
            planned,
            candidates,
            "rank-siblings",
            False,
            0,
            training.relations,
        )
    )
    file = models / f"{domain.name}.beeline" if models else None
    chosen = None if file is None else kind_of(beeline.load_model(file))
    rows = []
    for part, number in SUITES["track"][1]:
        task = beeline.load(domain / "domain.pddl", domain / part / f"{number}.pddl")
        row: dict[str, Any] = {"domain": domain.name, "task": f"{part}/{number}", "chosen": chosen}
        for fit in fits:
            ranks = fit.scorer.operators is not None
            style = SearchStyle(preferred=ranks)
            model = ColourModel(training.signature, fit.scorer, style, {}, 0, "0")
            found = beeline.plan(
                model, task, fallback=False, as_found=True, max_expansions=5000, time_limit=300
            )
            row["both" if ranks else "states"] = outcome(found)
            if ranks:
                row["operators"] = by_operators_alone(task, model)
        rows.append(row)
    return rows


def by_operators_alone(task: Any, model: Any) -> tuple[int | None, int, int]:
    """The same of a search that knows no states: depth first, along the highest operators."""
    from beeline import _native as native

    states = native.States(task.native)
    config = native.SearchConfig()
    config.evaluators = [native.make_heuristic("blind", task.native)]
    config.preferred = [model.score(task, states).evaluator]
    config.queues = [native.QueueSpec([native.KeySpec()], preferred) for preferred in (False, True)]
    config.boost = 1000
    config.put_off_unpreferred = config.goal_at_generation = True
    config.tie_order = native.TieOrder.LIFO
    config.max_expansions = 5000
    found = native.search(states, states.initial, config)
    solved = found.status == native.SearchStatus.SOLVED
    steps = len(found.plan) if solved else None
    return steps, found.counters.expanded, found.counters.evaluated


def outcome(found: Any) -> tuple[int | None, int, int]:
    """Steps of the plan, if there is one, and states that were expanded and evaluated."""
    return None if found.plan is None else len(found.plan), found.expanded, found.evaluated


def kind_of(model: Any) -> str:
    """Which scores a model has, in words; of operators in reserve, too."""
    operators = model.scorer.operators
    if operators is None:
        return "states, operators of h_FF" if model.style.preferred else "states"
    return "states, operators of h_FF; both in reserve" if operators.reserve else "both"


def track_table(rows: list[dict[str, Any]]) -> str:
    """Tasks solved and expansions for each step in Markdown, a row for each domain."""
    kinds = ("states", "operators", "both")
    lines = [
        "| domain | tasks | states: solved | expanded ÷ steps | operators: solved |"
        " expanded ÷ steps | both: solved | expanded ÷ steps | `learn` chose |",
        f"|---|{'---:|' * 7}---|",
    ]
    totals = dict.fromkeys(kinds, 0)
    for domain in dict.fromkeys(row["domain"] for row in rows):
        its = [row for row in rows if row["domain"] == domain]
        cells = [domain, str(len(its))]
        for kind in kinds:
            ratios = [row[kind][1] / row[kind][0] for row in its if row[kind][0]]
            totals[kind] += len(ratios)
            mean = f"{math.exp(statistics.fmean(map(math.log, ratios))):.2f}" if ratios else "–"
            cells += [str(len(ratios)), mean]
        lines.append(f"| {' | '.join([*cells, its[0]['chosen'] or ''])} |")
    sums = " | ".join(f"{totals[kind]} | " for kind in kinds)
    return "\n".join([*lines, f"| all | {len(rows)} | {sums}| |"])


def main() -> None:
    """Learn, search, print a table and write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="the state spaces, a folder per domain")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", action="append", default=[], metavar="DOMAIN")
    parser.add_argument("--track", action="store_true", help="the IPC 2023 learning track instead")
    parser.add_argument("--models", type=Path, help="with --track: those of `learn`")
    options = parser.parse_args()
    if options.track:
        folders = sorted(path for path in options.data.iterdir() if path.is_dir())
        folders = [path for path in folders if path.name in (options.only or path.name)]
        with multiprocessing.Pool(options.jobs) as pool:
            jobs = [(folder, options.models) for folder in folders]
            rows = [row for found in pool.imap(track, jobs) for row in found]
        print(track_table(rows))
        if options.output:
            options.output.write_text(json.dumps(rows, indent=1))
        return
    domains = [name for name in TRAINING if name in (options.only or TRAINING)]
    report: dict[str, Any] = {"limit": LIMIT, "learned": {}, "means": {}}
    with multiprocessing.Pool(options.jobs) as pool:
        models = {}
        for domain, model, told in pool.imap(learn, domains):
            models[domain] = model
            report["learned"][domain] = told
            print(f"{domain}: {told['chosen']}", flush=True)
        for domain in domains:
            files = sorted((options.data / domain / "init").glob("*.pddl"))
            jobs = [(options.data / domain / "domain.pddl", file, models[domain]) for file in files]
            rows = pool.map(measure, jobs, chunksize=2)
            report["means"][domain] = {
                name: statistics.fmean(row[name] for row in rows) for name in rows[0]
            }
            print(domain, {k: round(v, 1) for k, v in report["means"][domain].items()}, flush=True)
    names = list(next(iter(report["means"].values())))
    report["geometric means"] = {
        name: math.exp(statistics.fmean(math.log(row[name]) for row in report["means"].values()))
        for name in names
    }
    print(table(report))
    if options.output:
        options.output.write_text(json.dumps(report, indent=1))


def table(report: dict[str, Any]) -> str:
    """The means in Markdown, a row for each domain."""
    names = list(report["geometric means"])
    lines = [f"| domain | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    for domain, row in (*report["means"].items(), ("geometric mean", report["geometric means"])):
        lines.append(f"| {domain} | {' | '.join(f'{row[name]:,.1f}' for name in names)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
