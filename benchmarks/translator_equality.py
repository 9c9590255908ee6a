"""Compare ground tasks with the output of Fast Downward's translator, task by task.

For each pair of files both sides ground the task. Compared are the facts and operators that
users see, and beyond them the whole finite-domain task: variables and their values in order,
initial state, goal, mutex groups, and each operator's conditions, effects and cost, in order.

    python benchmarks/translator_equality.py ../shared/data -o equality.json
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import multiprocessing
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

DOMAIN_FILE = "domain.pddl"
Change = tuple[int, frozenset[tuple[int, str]], str]  # variable, what the effect needs, new value


def task_pairs(root: Path) -> list[tuple[Path, Path]]:
    """Each task file below `root` with the nearest domain file above or beside it."""
    pairs = []
    for task in sorted(root.rglob("*.pddl")):
        if task.name == DOMAIN_FILE:
            continue
        folders = [folder for folder in task.parents if (folder / DOMAIN_FILE).exists()]
        if folders:
            pairs.append((folders[0] / DOMAIN_FILE, task))
    return pairs


def join_exactly() -> None:
    """Let the translator join atoms by all variables that they share.

    It forgets those that the atom which follows does not have: `(p ?x) :- (q ?y), (r ?x ?y)` with
    `(q a)` and `(r b c)` gives it `(p b)`. Such rules come from conditional effects, and the facts
    that it reaches by them are out of reach.
    """
    from fast_downward.translate import build_model

    class ExactJoin(build_model.JoinRule):  # type: ignore[misc]
        def __init__(self, effect: Any, conditions: Any) -> None:
            super().__init__(effect, conditions)
            left, right = (list(condition.args) for condition in conditions)
            shared = [arg for arg in dict.fromkeys(left) if arg in right and is_variable(arg)]
            self.common_var_positions = [
                [args.index(arg) for arg in shared] for args in (left, right)
            ]

    def is_variable(arg: int | str) -> bool:
        return isinstance(arg, int) or arg.startswith("?")

    if build_model.JoinRule.__name__ != ExactJoin.__name__:
        build_model.JoinRule = ExactJoin


def translator_view(domain: Path, task: Path) -> dict[str, Any]:
    """The translator's task with names instead of numbers."""
    from fast_downward.translate import main, normalize, options
    from fast_downward.translate.pddl_parser import lisp_parser, parsing_functions

    join_exactly()
    options.set_options([str(domain), str(task)])
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with domain.open() as domain_file, task.open() as task_file:
            lists = map(lisp_parser.parse_nested_list, (domain_file, task_file))
            parsed = parsing_functions.parse_task(*lists)
        normalize.normalize(parsed)
        sas = main.pddl_to_sas(parsed)
    names = [[pddl_name(value) for value in values] for values in sas.variables.value_names]

    def literal(variable: int, value: int) -> tuple[int, str]:
        return variable, names[variable][value]

    operators = []
    for operator in sas.operators:
        conditions = [literal(*pair) for pair in operator.get_applicability_conditions()]
        effects = []
        for variable, _, post, needed in operator.pre_post:
            before = frozenset(literal(*pair) for pair in needed)
            effects.append((variable, before, names[variable][post]))
        name = operator.name.replace(" )", ")")
        operators.append((name, conditions, without_superfluous(effects), operator.cost))
    return {
        "variables": names,
        "initial": [
            names[variable][value]
            for variable, value in enumerate(sas.init.values)
            if sas.variables.axiom_layers[variable] < 0  # the others follow from axioms
        ],
        "goal": sorted(literal(*pair) for pair in sas.goal.pairs),
        "axioms": sorted(
            {
                (literal(*axiom.effect), tuple(sorted(literal(*pair) for pair in axiom.condition)))
                for axiom in sas.axioms
            }
        ),
        "mutexes": sorted(sorted(literal(*fact) for fact in group.facts) for group in sas.mutexes),
        "operators": operators,
    }


def without_superfluous(effects: list[Change]) -> list[tuple[Any, ...]]:
    """The effects in an order of their own, of those with the same value the least demanding."""
    kept = {
        (variable, tuple(sorted(needed)), value)
        for variable, needed, value in effects
        if not any(
            (variable, value) == (other, same) and less < needed for other, less, same in effects
        )
    }
    return sorted(kept)


def pddl_name(value: str) -> str:
    """`Atom on(a, b)` as `(on a b)`."""
    if value.startswith("<"):
        return "none of those"
    kind, _, atom = value.partition(" ")
    predicate, _, arguments = atom.rstrip(")").partition("(")
    text = f"({' '.join([predicate, *arguments.replace(',', ' ').split()])})"
    return text if kind == "Atom" else f"(not {text})"


def beeline_view(domain: Path, task: Path) -> dict[str, Any]:
    """Our task in the same form."""
    import beeline

    ground = beeline.load(domain, task, as_translator=True)
    if ground.unsolvable_reason is not None:
        return trivial(solvable=False)
    if ground.num_goals == 0:
        return trivial(solvable=True)
    values = ground.value_names
    variable_of = ground.native.variable_of.tolist()
    offsets = ground.offsets.tolist()

    def literal(value: int) -> tuple[int, str]:
        return variable_of[value], values[value]

    def rows(pair: Any) -> list[list[Any]]:
        starts, items = pair[0].tolist(), pair[1].tolist()
        return [items[i:j] for i, j in pairwise(starts)]

    operators = []
    for number, (name, conditions, cost) in enumerate(
        zip(ground.operator_names, rows(ground.conditions), ground.costs.tolist(), strict=True)
    ):
        changes = [
            (variable_of[value], frozenset(map(literal, needed)), values[value])
            for needed, value in ground.operator_effects(number)
        ]
        effects = without_superfluous(changes)
        operators.append((name, list(map(literal, conditions)), effects, cost))
    return {
        "variables": [values[i:j] for i, j in pairwise(offsets)],
        "initial": [
            values[value]
            for variable, value in enumerate(ground.initial.tolist())
            if not ground.has_axioms or ground.native.axiom_layers[variable] < 0
        ],
        "goal": sorted(map(literal, ground.goal.tolist())),
        "axioms": sorted(
            {
                (literal(head), tuple(sorted(map(literal, conditions))))
                for head, conditions in zip(
                    ground.native.axiom_values.tolist(),
                    rows(ground.native.axiom_conditions),
                    strict=True,
                )
            }
        ),
        "mutexes": sorted(sorted(map(literal, group)) for group in rows(ground.mutex_groups)),
        "operators": operators,
    }


def trivial(*, solvable: bool) -> dict[str, Any]:
    """What the translator writes for a task that is decided while it translates."""
    values = ["(dummy val1)", "(dummy val2)"]
    return {
        "variables": [values],
        "initial": values[:1],
        "goal": [(0, values[0 if solvable else 1])],
        "axioms": [],
        "mutexes": [],
        "operators": [],
    }


def compare(pair: tuple[Path, Path]) -> dict[str, Any]:
    """One record: counts, and what differs."""
    domain, task = pair
    record: dict[str, Any] = {"task": str(task), "differences": []}
    try:
        theirs, ours = translator_view(domain, task), beeline_view(domain, task)
    except (Exception, SystemExit) as error:  # a crash is a difference too
        record["differences"] = [f"{type(error).__name__}: {error}"]
        return record

    def facts(view: dict[str, Any]) -> set[str]:
        return {
            value
            for values in view["variables"]
            for value in values
            if not value.startswith(("none", "(not "))
        }

    def names(view: dict[str, Any]) -> Counter[str]:
        return Counter(name for name, *_ in view["operators"])

    record["facts"], record["operators"] = len(facts(ours)), len(ours["operators"])
    if facts(ours) != facts(theirs):
        record["differences"].append(f"facts: {sorted(facts(ours) ^ facts(theirs))[:5]}")
    if names(ours) != names(theirs):
        odd = (names(ours) - names(theirs)) + (names(theirs) - names(ours))
        record["differences"].append(f"operators: {sorted(odd)[:5]}")
    for key in theirs:
        if ours[key] != theirs[key]:
            first = next(
                (f"{x} != {y}" for x, y in zip(ours[key], theirs[key], strict=False) if x != y),
                f"length {len(ours[key])} != {len(theirs[key])}",
            )
            record["differences"].append(f"{key}: {first[:300]}")
    return record


def main() -> int:
    """Compare every task below the given folders; exit code 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("-o", "--output", type=Path, help="write all records as JSON")
    parser.add_argument("-j", "--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--match", default="", help="only tasks whose path contains this")
    options = parser.parse_args()
    pairs = [pair for folder in options.folders for pair in task_pairs(folder)]
    pairs = [pair for pair in pairs if options.match in str(pair[1])]
    records = []
    with multiprocessing.Pool(options.jobs, maxtasksperchild=50) as pool:
        for done, record in enumerate(pool.imap(compare, pairs, chunksize=1), start=1):
            records.append(record)
            for difference in record["differences"]:
                print(f"{record['task']}: {difference}", flush=True)
            if sys.stderr.isatty() or done % 100 == 0:
                print(f"{done}/{len(pairs)}", end="\r", file=sys.stderr, flush=True)
    different = sum(bool(record["differences"]) for record in records)
    print(f"{len(records)} tasks compared with the translator, {different} differ")
    if options.output:
        options.output.write_text(json.dumps(records, indent=1))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
