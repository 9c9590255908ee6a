"""The manifest: what a dataset is made of, so that nothing else is ever mixed with it.

The two tables of a dataset: their columns, and what is in them.

Datasets are of three kinds, named by the sampler that made them. In a dataset of `plans`,
`instances` has a row for every instance, solved or not, and `states` a row for every state that
is worth learning from: the states of the plan in order, then, if asked for, the states that are
generated when these are expanded. With several orders of each plan, the rows of one order follow
those of the other. Datasets of kind `regression` and `statespace` have samples of
one task, by its numbers of facts, values and operators, whose names are in `instances`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.files import read_text, write_atomically

if TYPE_CHECKING:
    from pathlib import Path

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
_SHARED = ("instance", "name", "split", "seed", "objects", "variables", "facts")
TASK = {
    **{name: INSTANCES[name] for name in _SHARED},
    "name": ("string", "name of the task"),
    "values": ("list<string>", "the values of all variables in the order of their numbers"),
    "operators": ("list<string>", "the ground operators in the order of their numbers"),
    "costs": ("list<int64>", "what each operator costs"),
    "task": INSTANCES["task"],
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

    def type_of(word: str) -> pa.DataType:
        if word.startswith("list<"):
            return pa.list_(type_of(word[len("list<") : -1]))
        return pa.type_for_alias(word)

    return pa.schema(
        [
            pa.field(name, type_of(word), nullable=name in _NULLABLE, metadata={"meaning": meaning})
            for name, (word, meaning) in columns.items()
        ]
    )


FORMAT_VERSION = 1
FILE_NAME = "manifest.json"
MOST_SHARDS = 1000
_KINDS: dict[str, type] = {  # of values, by the names of fields
    **dict.fromkeys(("package_version", "domain_text"), str),
    **dict.fromkeys(("config", "domain", "counts", "digests"), dict),
    **dict.fromkeys(("seed", "shards"), int),
    "splits": list,
}


@dataclass(frozen=True)
class Manifest:
    """Everything that determines the rows of a dataset, and how many there are.

    `config` holds every setting, `domain` the signature of the planning domain. `counts` and
    `digests`, the SHA-256 of each shard's files, are empty until all shards are there. Nothing
    here depends on time, machine or number of processes: equal runs write equal manifests.

    >>> Manifest("0.1.0", {"sampler": "plans"}, 7, {"name": "ferry"}, "", 3).complete
    False
    """

    package_version: str
    config: dict[str, Any]
    seed: int
    domain: dict[str, Any]
    domain_text: str
    shards: int
    splits: list[str] = field(default_factory=list)
    counts: dict[str, Any] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    format_version: int = FORMAT_VERSION

    @property
    def kind(self) -> str:
        """The sampler that made the dataset, which decides on its columns."""
        return str(self.config.get("sampler", PLANS))

    @property
    def orders(self) -> int:
        """How many orders of the steps of a plan were asked for."""
        return int(self.config.get("orders", 1))

    @property
    def complete(self) -> bool:
        """Whether all shards have been written."""
        return bool(self.counts)

    @cached_property
    def identity(self) -> str:
        """A digest of all that was known before the first shard, the same in every process."""
        results = ("counts", "digests")
        parts = {name: value for name, value in self.to_json().items() if name not in results}
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def write(self, folder: Path) -> None:
        """Write the manifest, whole or not at all."""
        write_atomically(folder / FILE_NAME, json.dumps(self.to_json(), indent=1) + "\n")

    def difference(self, wanted: Manifest) -> str | None:
        """What another manifest would have otherwise, in words; None if they mean the same."""
        for name in ("format_version", "package_version", "domain", "domain_text", "seed"):
            mine, other = getattr(self, name), getattr(wanted, name)
            if mine != other and name.startswith("domain"):
                return f"its domain is '{self.domain.get('name')}', with other definitions"
            if mine != other:
                return f"its {name.replace('_', ' ')} is {mine}, not {other}"
        for key in sorted({**self.config, **wanted.config}):
            mine, other = self.config.get(key), wanted.config.get(key)
            if mine != other:
                return f"its '{key}' is {_shown(mine)}, not {_shown(other)}"
        return None if self.identity == wanted.identity else "its list of instances is another one"


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a dataset, checked."""
    path = folder / FILE_NAME
    if not folder.is_dir():
        raise BeelineError("no such dataset directory", str(folder), hint="check the path")
    if not path.is_file():
        message = f"not a dataset: there is no {FILE_NAME}"
        raise BeelineError(message, str(folder), hint="'beeline data plans ... -o DIR' makes one")
    try:
        content = json.loads(read_text(path, "manifest"))
        version = content.get("format_version")
        if version != FORMAT_VERSION:
            raise BeelineError(
                f"the dataset has format version {version}, and this program reads"
                f" {FORMAT_VERSION}",
                str(path),
                hint="make it again, or use the version of beeline that made it",
            )
        manifest = Manifest(**content)
        for name, kind in _KINDS.items():
            if type(getattr(manifest, name)) is not kind:
                raise ValueError(f"'{name}' has an odd value")
        if not 1 <= manifest.shards <= MOST_SHARDS or manifest.orders < 1:
            raise ValueError("fields have odd values")
        if manifest.kind not in KINDS:
            raise ValueError(f"the sampler '{manifest.kind[:40]}' is unknown")
        return manifest
    except (AttributeError, TypeError, ValueError) as error:
        message = f"the manifest is broken: {str(error)[:150]}"
        raise BeelineError(message, str(path), hint="make the dataset again") from None


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
