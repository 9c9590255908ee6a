"""States as hypergraphs with features, for STRIPS-HGN.

The hypergraph is that of `beeline.encode.hyperedges`, made once per task; a state only says which
of its vertices hold. A batch is the disjoint union of one hypergraph per state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from beeline.core.errors import BeelineError
from beeline.encode.hyperedges import hypergraph
from beeline.encode.hypergraph_union import (
    HypergraphBatch,
    HypergraphCollection,
    Links,
    Rows,
    ranges_of,
    starts_of,
)
from beeline.encode.schema_slots import SchemaSlots, schema_slots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.encode.hyperedges import Hypergraph
    from beeline.encode.instances import InstanceStates
    from beeline.pddl.model import Domain
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]


@dataclass(frozen=True)
class HypergraphVocabulary:
    """How many places the senders and receivers of hyperedges have, and who takes them."""

    schemas: dict[str, SchemaSlots]

    @property
    def receivers(self) -> int:
        """The largest number of receivers in an action: `receiver_k` of the paper."""
        return max((slots.receivers for slots in self.schemas.values()), default=0)

    @property
    def senders(self) -> int:
        """The largest number of senders in an action: `sender_k` of the paper."""
        return max((slots.senders for slots in self.schemas.values()), default=0)

    @property
    def places(self) -> int:
        """Places of receivers, then of senders; at least one each, for artificial operators."""
        return max(self.receivers, 1) + max(self.senders, 1)

    def to_json(self) -> dict[str, Any]:
        """The vocabulary as plain values."""
        return {"schemas": {name: slots.to_json() for name, slots in self.schemas.items()}}

    @staticmethod
    def from_json(content: dict[str, Any]) -> HypergraphVocabulary:
        """The vocabulary that `to_json` wrote."""
        return HypergraphVocabulary(
            {name: SchemaSlots.from_json(slots) for name, slots in content["schemas"].items()}
        )


class HypergraphInputs:
    """The hypergraphs of the labelled states of a dataset."""

    def __init__(
        self,
        vocabulary: HypergraphVocabulary,
        instances: Sequence[InstanceStates],
    ) -> None:
        from beeline.task.grounding import ground

        graphs, tasks, sizes, items = [], [], [], []
        for number, instance in enumerate(instances):
            task = ground(instance.problem, unit_costs=instance.unit_costs)
            graphs.append(hypergraph(task, vocabulary.schemas))
            facts = task_facts(task, instance)[instance.items]
            known = facts >= 0
            state = np.repeat(np.arange(len(instance)), np.diff(instance.starts))
            sizes.append(np.bincount(state[known], minlength=len(instance)))
            items.append(facts[known])
            tasks.append(np.full(len(instance), number))
        self._collection = _collection(vocabulary, graphs)
        self._tasks = np.concatenate(tasks)
        self._starts = starts_of(np.concatenate(sizes))
        self._items = np.concatenate(items)

    def __len__(self) -> int:
        return len(self._tasks)

    def batch(self, rows: Ints) -> HypergraphBatch:
        """The hypergraphs of these rows."""
        first = self._starts[rows]
        counts = self._starts[rows + 1] - first
        items = self._items[ranges_of(first, counts)]
        return self._collection.batch(self._tasks[rows], starts_of(counts), items)


def task_facts(task: GroundTask, instance: InstanceStates) -> Ints:
    """The task's number of each fact of the instance; -1 for those that cannot matter."""
    numbers = {f"({' '.join(fact)})": number for number, fact in enumerate(instance.facts)}
    result = np.full(len(instance.facts), -1, dtype=np.int64)
    for number, name in enumerate(task.fact_names):
        if name not in numbers:
            raise BeelineError(
                f"the dataset has no fact '{name}' of task '{instance.problem.name}'",
                instance.problem.file,
                hint="make the dataset again from these tasks",
            )
        result[numbers[name]] = number
    return result


class HypergraphSearchInputs:
    """The hypergraphs of registered states of one task.

    Batches of one task differ in the kinds of their vertices only, and a small union is the
    beginning of a large one: the largest so far is kept.
    """

    def __init__(self, vocabulary: HypergraphVocabulary, task: GroundTask, states: States) -> None:
        self._collection = _collection(vocabulary, [hypergraph(task, vocabulary.schemas)])
        self._states = states
        self._largest = self._union(1)

    def batch(self, ids: NDArray[np.uint32]) -> HypergraphBatch:
        """The hypergraphs of these states."""
        count = len(ids)
        if count > len(self._largest):
            self._largest = self._union(max(count, 2 * len(self._largest)))
        union, (collection, tasks) = self._largest, self._largest.origin
        tasks = tasks[:count]
        vertex_starts = union.vertex_starts[: count + 1]
        edge_starts = union.edge_starts[: count + 1]
        starts, items = self._states.true_facts(ids)
        return HypergraphBatch(
            vertex_starts,
            edge_starts,
            collection.vertex_kinds(tasks, vertex_starts, starts, items.astype(np.int64)),
            union.edge_kinds[: edge_starts[-1]],
            union.edge_features,
            Links(
                _beginning(union.links.arguments, int(edge_starts[-1])),
                _beginning(union.links.incoming, int(vertex_starts[-1])),
            ),
            (collection, tasks),
        )

    def _union(self, count: int) -> HypergraphBatch:
        nothing = np.zeros(0, dtype=np.int64)
        tasks = np.zeros(count, dtype=np.int64)
        return self._collection.batch(tasks, np.zeros(count + 1, dtype=np.int64), nothing)


def _beginning(rows: Rows, count: int) -> Rows:
    starts = rows.starts[: count + 1]
    return Rows(starts, rows.items[: starts[-1]])


def _collection(
    vocabulary: HypergraphVocabulary, graphs: Sequence[Hypergraph]
) -> HypergraphCollection:
    return HypergraphCollection(vocabulary.places, max(vocabulary.receivers, 1), graphs)


def vocabulary(domain: Domain) -> HypergraphVocabulary:
    """The places of all actions of a domain.

    >>> from beeline.pddl import parse_domain
    >>> found = vocabulary(parse_domain('''(define (domain d) (:predicates (p ?x) (q))
    ...   (:action a :parameters (?x) :precondition (p ?x) :effect (and (q) (not (p ?x)))))'''))
    >>> found.senders, found.receivers, HypergraphVocabulary.from_json(found.to_json()) == found
    (1, 1, True)
    """
    return HypergraphVocabulary(schema_slots(domain))


def vocabulary_from_json(content: dict[str, Any]) -> HypergraphVocabulary:
    """The vocabulary that a model file stores."""
    return HypergraphVocabulary.from_json(content)


def dataset_inputs(
    vocabulary: HypergraphVocabulary,
    instances: Sequence[InstanceStates],
) -> HypergraphInputs:
    """The inputs of labelled states, instance after instance."""
    return HypergraphInputs(vocabulary, instances)


def search_inputs(
    vocabulary: HypergraphVocabulary, task: GroundTask, states: States
) -> HypergraphSearchInputs:
    """The inputs of the states of a running search."""
    return HypergraphSearchInputs(vocabulary, task, states)
