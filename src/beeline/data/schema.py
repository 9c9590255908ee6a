"""The two tables of a dataset: their columns, and what is in them.

Datasets are of three kinds, named by the sampler that made them. In a dataset of `plans`,
`instances` has a row for every instance, solved or not, and `states` a row for every state that
is worth learning from: the states of the plan in order, then, if asked for, the states that are
generated when these are expanded. With several orders of each plan, the rows of one order follow
those of the other. Datasets of kind `regression` and `statespace` have samples of
one task, by its numbers of facts, values and operators, whose names are in `instances`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow

INSTANCES = {
    "instance": ("int32", "number of the instance within the dataset"),
    "name": ("string", "name of the instance"),
    "split": ("string", "the part of the dataset that it belongs to"),
    "status": ("string", "solved, trivial, or why there is no plan"),
    "attempts": ("int32", "how many random instances were tried in its place"),
    "outcomes": ("list<string>", "the status of each attempt"),
    "seed": ("int64", "the seed of the dataset"),
    "plan": ("list<string>", "the steps of the plan"),
    "cost": ("int64", "the cost of the plan"),
    "optimal": ("bool", "whether no plan is cheaper; if not, the cost is an upper bound"),
    "objects": ("int32", "objects and constants"),
    "variables": ("int32", "finite-domain variables"),
    "facts": ("list<string>", "the facts in the order of their numbers"),
    "operators": ("int32", "ground operators"),
    "expanded": ("int64", "states that the search expanded"),
    "evaluated": ("int64", "states that the search evaluated"),
    "generated": ("int64", "states that the search generated"),
    "dead_ends": ("int64", "dead ends that the search recognised"),
    "task": ("string", "the PDDL text of the task"),
}

STATES = {
    "instance": ("int32", "number of the instance"),
    "state": ("int32", "number of the state within the instance; equal states share it"),
    "step": ("int32", "place in the plan; for other states, one after their parent's"),
    "on_path": ("bool", "whether this row is a step of the plan"),
    "parent": ("int32", "the step whose state was expanded to generate this one"),
    "operator": ("string", "the operator that leads from the parent to this state"),
    "g": ("int64", "cost of the plan up to the parent, plus that of the operator"),
    "facts": ("list<int32>", "numbers of the true facts"),
    "h_star": ("double", "cost of a cheapest plan from here, infinity for a dead end"),
    "upper": ("double", "cost from here of a plan that need not be cheapest"),
}

# One more column of `states` where several orders of a plan were asked for.
ORDER = {"order": ("int32", "which order of the plan's steps the row belongs to; 0 is the plan")}

# One column of `states` for each heuristic, by the name that searches use.
HEURISTICS = ("blind", "goalcount", "max", "add", "ff", "lmcut")
FEATURES = {
    "ignored_effects": "delete effects of all operators of the relaxed plan",
    "mean_ignored_effects": "delete effects per operator of the relaxed plan",
}
LABELS = (*HEURISTICS, *FEATURES)

# Samples of one task
TASK = {
    "instance": ("int32", "number of the instance within the dataset"),
    "name": ("string", "name of the task"),
    "split": ("string", "the part of the dataset that it belongs to"),
    "seed": ("int64", "the seed of the dataset"),
    "objects": ("int32", "objects and constants"),
    "variables": ("int32", "finite-domain variables"),
    "facts": ("list<string>", "the facts in the order of their numbers"),
    "values": ("list<string>", "the values of all variables in the order of their numbers"),
    "operators": ("list<string>", "the ground operators in the order of their numbers"),
    "costs": ("list<int64>", "what each operator costs"),
    "task": ("string", "the PDDL text of the task"),
}
_PREFERRED = ("list<int32>", "numbers of the operators to prefer")
REGRESSION_STATES = {
    "instance": ("int32", "number of the instance"),
    "state": ("int32", "number of the completed state; equal states share it"),
    "facts": ("list<int32>", "numbers of the true facts of the completed state"),
    "h": ("int64", "estimate of the cost to the goal"),
    "depth": ("int32", "steps to the goal; nothing for random states"),
    "partial": ("list<int32>", "numbers of the values that the regression has defined"),
    "complete": ("bool", "whether values were found for all other variables"),
    "is_random": ("bool", "whether this is a random state, with the largest estimate + 1"),
    "preferred": _PREFERRED,
}
SPACE_STATES = {
    "instance": ("int32", "number of the instance"),
    "state": ("int32", "number of the state within the state space; 0 is the initial one"),
    "facts": ("list<int32>", "numbers of the true facts"),
    "h_star": ("double", "cost of a cheapest plan from here, infinity for a dead end"),
    "preferred": _PREFERRED,
}

PLANS, REGRESSION, STATE_SPACE = "plans", "regression", "statespace"
KINDS = (PLANS, REGRESSION, STATE_SPACE)

_NULLABLE = {"plan", "cost", "optimal", "parent", "operator", "h_star", "upper", "depth"}


def instance_schema(kind: str = PLANS) -> pyarrow.Schema:
    """The schema of the table `instances`."""
    return _schema(INSTANCES if kind == PLANS else TASK)


def state_schema(kind: str = PLANS, *, orders: bool = False) -> pyarrow.Schema:
    """The schema of the table `states`, of plans in one order or in several.

    >>> state_schema().names[-4:]
    ['ff', 'lmcut', 'ignored_effects', 'mean_ignored_effects']
    >>> state_schema("statespace").names
    ['instance', 'state', 'facts', 'h_star', 'preferred']
    """
    if kind != PLANS:
        return _schema(REGRESSION_STATES if kind == REGRESSION else SPACE_STATES)
    labels = {name: ("double", f"h_{name}, infinity for a dead end") for name in HEURISTICS}
    features = {name: ("double", meaning) for name, meaning in FEATURES.items()}
    return _schema({**STATES, **labels, **features, **(ORDER if orders else {})})


def _schema(columns: dict[str, tuple[str, str]]) -> pyarrow.Schema:
    import pyarrow as pa

    types = {
        "bool": pa.bool_(),
        "double": pa.float64(),
        "int32": pa.int32(),
        "int64": pa.int64(),
        "list<int32>": pa.list_(pa.int32()),
        "list<int64>": pa.list_(pa.int64()),
        "list<string>": pa.list_(pa.string()),
        "string": pa.string(),
    }
    return pa.schema(
        [
            pa.field(name, types[kind], nullable=name in _NULLABLE, metadata={"meaning": meaning})
            for name, (kind, meaning) in columns.items()
        ]
    )
