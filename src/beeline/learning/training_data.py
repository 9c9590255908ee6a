"""Datasets to train and to validate neural models with: which parts of them serve for what."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError
from beeline.data.instances import InstanceStates, drawn, read_instances
from beeline.data.reader import Dataset
from beeline.pddl import parse_domain
from beeline.planning.model import differences

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from beeline.pddl.model import Domain

    AnyPath = str | os.PathLike[str]

TRAINING, VALIDATION = "train", "val"  # splits


class TrainingData(NamedTuple):
    """Labelled states of one domain."""

    domain: Domain
    training: list[InstanceStates]
    validation: list[InstanceStates]
    unit_costs: bool
    several_orders: bool = False  # whether they have those of each plan


def read_training_data(
    folders: Sequence[AnyPath],
    validation: AnyPath | None,
    *,
    limit: int | None,
    seed: int,
    siblings: bool = False,
    orders: bool | None = False,
    warn: Callable[[str], None] | None = None,
) -> TrainingData:
    """The states of the split `train` of all datasets, and those to validate with.

    These are the split `val` of the dataset `validation`, or else of the same datasets. A dataset
    without such a split serves as a whole where it is clear for what. At most `limit` instances are
    trained with, drawn by `seed`. With `siblings` come all states generated beside the plans, with
    `orders` those of all orders of the plans; None takes them if all datasets have them, and `warn`
    is told if only some do.
    """
    if not folders:
        raise BeelineError("there is no dataset", hint="'beeline data plans' makes one")
    datasets = [Dataset(folder).require_plans() for folder in folders]
    others = [] if validation is None else [Dataset(validation).require_plans()]
    for other in [*datasets[1:], *others]:
        _check_same_domain(datasets[0], other)
    if orders is None:
        without = [each for each in [*datasets, *others] if each.manifest.orders == 1]
        orders = not without
        if without and len(without) < len(datasets) + len(others) and warn is not None:
            warn(f"only the first order of each plan is used: {without[0].folder} has no other")
    rows = {"siblings": siblings, "orders": orders}
    training = _instances(datasets, TRAINING, rows, whole=bool(others), limit=limit, seed=seed)
    having = others or [each for each in datasets if VALIDATION in each.manifest.splits]
    if not having:
        raise BeelineError(
            f"the dataset has no split '{VALIDATION}' to validate with",
            str(datasets[0].folder),
            hint="name another dataset with --validation, or make it with"
            " --split train=0.8,val=0.2",
        )
    checked = _instances(having, VALIDATION, rows, whole=bool(others))
    return TrainingData(
        parse_domain(datasets[0].domain_text, str(datasets[0].folder)),
        training,
        checked,
        _unit_costs(datasets[0]),
        orders,
    )


def _instances(
    datasets: Sequence[Dataset],
    split: str,
    rows: dict[str, bool],
    *,
    whole: bool,
    limit: int | None = None,
    seed: int = 0,
) -> list[InstanceStates]:
    """Instances of a split; of all of a dataset without such a split if it may serve as a whole."""
    found: list[InstanceStates] = []
    for dataset in datasets:
        # Asking for a split that does not exist is an error, which names those that do.
        wanted = split if split in dataset.manifest.splits or not whole else None
        alone = limit if len(datasets) == 1 else None
        found += read_instances(dataset, split=wanted, limit=alone, seed=seed, **rows)
    return [found[place] for place in drawn(list(range(len(found))), limit, seed)]


def _check_same_domain(one: Dataset, other: Dataset) -> None:
    found = list(differences(one.manifest.domain, other.manifest.domain))
    if found:
        raise BeelineError(
            f"the dataset is of another domain than {one.folder}:"
            f" {found[0].replace('the model', 'the first dataset')}",
            str(other.folder),
            hint="train a model for each domain",
        )
    if _unit_costs(one) != _unit_costs(other):
        message = f"costs in the dataset are others than in {one.folder}: only one has unit costs"
        hint = "make both with --unit-costs, or both without"
        raise BeelineError(message, str(other.folder), hint=hint)


def _unit_costs(dataset: Dataset) -> bool:
    return bool(dataset.manifest.config.get("unit_costs", False))
