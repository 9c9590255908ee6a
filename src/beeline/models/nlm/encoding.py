"""States as tensors over objects, one for each arity, for neural logic machines.

Source: Dong et al., "Neural Logic Machines" (ICLR 2019), with goals and types as further
predicates as in Núñez-Molina et al., "On using admissible bounds for learning forward search
heuristics" (IJCAI 2024). The encoding is made once per task; a state sets a few floats in it,
which the engine does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.core.errors import BeelineError
from beeline.models.families import require_options, vocabulary_of
from beeline.models.rows import Rows, fact_numbers, labelled_facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline._native import NeuralLogicMachine, RelationalEncoding, States
    from beeline.data.instances import InstanceStates
    from beeline.models.families import Scorer, Shapes
    from beeline.models.neural_model import NeuralModel
    from beeline.pddl.model import Domain
    from beeline.task.ground_task import GroundTask

MOST_ARITY = 3
STATE, GOAL, NEGATIVE_GOAL = "", "goal ", "goal not "  # put before the name of a predicate
TYPE, CONSTANT = "type ", "constant "
_NEGATIVE = {":negative-preconditions", ":adl", ":disjunctive-preconditions"}


@dataclass(frozen=True)
class RelationalVocabulary:
    """The input predicates of each arity, by name, in the order of their channels."""

    channels: tuple[tuple[str, ...], ...]  # by arity, 0 to 3

    @property
    def sizes(self) -> list[int]:
        """How many input predicates each arity has."""
        return [len(names) for names in self.channels]

    @cached_property
    def places(self) -> dict[str, int]:
        """The channel of each input predicate within its arity."""
        return {name: place for names in self.channels for place, name in enumerate(names)}

    def to_json(self) -> dict[str, Any]:
        """The vocabulary as plain values."""
        return {"channels": [list(names) for names in self.channels]}

    @staticmethod
    def from_json(content: dict[str, Any]) -> RelationalVocabulary:
        """The vocabulary that `to_json` wrote.

        >>> one = RelationalVocabulary((("rain",), ("type car",), (), ()))
        >>> RelationalVocabulary.from_json(one.to_json()) == one
        True
        """
        channels = content["channels"]
        if len(channels) != MOST_ARITY + 1 or not all(
            isinstance(n, str) for c in channels for n in c
        ):
            raise ValueError("the input predicates of four arities are expected")
        return RelationalVocabulary(tuple(tuple(names) for names in channels))


class RelationalBatch(NamedTuple):
    """States of one or several tasks; those of state `i` are `items[starts[i]:starts[i + 1]]`."""

    encodings: Sequence[RelationalEncoding]
    encoding_of: NDArray[np.int32]  # [n]
    starts: NDArray[np.int64]  # [n + 1]
    items: NDArray[np.int32]  # true facts


class RelationalInputs:
    """The labelled states of a dataset."""

    def __init__(
        self, vocabulary: RelationalVocabulary, instances: Sequence[InstanceStates]
    ) -> None:
        self._encodings, tasks, facts = labelled_facts(
            instances, partial(relational_encoding, vocabulary), _known_numbers
        )
        self._encoding_of = tasks.astype(np.int32)
        self._facts = Rows(facts.starts, facts.items.astype(np.int32))

    def __len__(self) -> int:
        return len(self._encoding_of)

    def batch(self, rows: NDArray[np.int64]) -> RelationalBatch:
        """These states, int64[n]."""
        facts = self._facts.at(rows)
        return RelationalBatch(self._encodings, self._encoding_of[rows], facts.starts, facts.items)


def _known_numbers(task: GroundTask, instance: InstanceStates) -> NDArray[np.int64]:
    """The task's numbers of all facts of the instance."""
    numbers = fact_numbers(task, instance)
    if (numbers < 0).any():
        unknown = instance.facts[int(np.argmin(numbers))]
        raise BeelineError(
            f"the task has no fact '({' '.join(unknown)})', which the dataset has",
            instance.problem.file,
            hint="make the dataset again with this version",
        )
    return numbers


class RelationalSearchInputs:
    """The registered states of one task."""

    def __init__(self, vocabulary: RelationalVocabulary, task: GroundTask, states: States) -> None:
        self.encoding = relational_encoding(vocabulary, task)
        self.states = states

    def batch(self, ids: NDArray[np.uint32]) -> RelationalBatch:
        """These states, uint32[n]."""
        starts, items = self.states.true_facts(ids)
        return RelationalBatch([self.encoding], np.zeros(len(ids), np.int32), starts, items)


def vocabulary(domain: Domain) -> RelationalVocabulary:
    """Predicates in the state, the same in the goal, types, constants.

    >>> from beeline.pddl import parse_domain
    >>> vocabulary(parse_domain("(define (domain d) (:predicates (q) (p ?x)))")).channels
    (('q', 'goal q'), ('p', 'goal p'), (), ())
    """
    roles = [STATE, GOAL]
    if _NEGATIVE & set(domain.requirements):
        roles.append(NEGATIVE_GOAL)
    channels: list[list[str]] = [[] for _ in range(MOST_ARITY + 1)]
    for role in roles:
        for name in sorted(domain.predicates):
            arity = domain.predicates[name].arity
            if arity > MOST_ARITY:
                raise BeelineError(
                    f"predicate '{name}' has {arity} arguments, and relational tensors at most"
                    f" {MOST_ARITY}",
                    domain.file,
                    hint="'beeline learn' has no such limit",
                )
            channels[arity].append(role + name)
    channels[1] += [TYPE + name for name in sorted(domain.types) if name != "object"]
    channels[1] += [CONSTANT + name for name in sorted(domain.constants)]
    return RelationalVocabulary(tuple(map(tuple, channels)))


vocabulary_from_json = RelationalVocabulary.from_json
dataset_inputs = RelationalInputs
search_inputs = RelationalSearchInputs


def relational_encoding(vocabulary: RelationalVocabulary, task: GroundTask) -> RelationalEncoding:
    """The engine's encoding of a task's states; objects are in the task's order."""
    from beeline import _native

    objects = {name: number for number, name in enumerate(task.objects)}
    places = vocabulary.places
    facts = [tuple(name[1:-1].split()) for name in task.fact_names]
    shown = [
        (places.get(predicate, -1), [objects[name] for name in names])
        for predicate, *names in facts
    ]
    atoms = _constant_atoms(task, set(facts))
    if any(name.startswith(NEGATIVE_GOAL) and name not in places for name, _ in atoms):
        raise BeelineError(
            "the goal forbids an atom, and the model's domain does not allow that",
            task.problem.file,
            hint="add :negative-preconditions to the domain, and train again",
        )
    constants = [  # of the rest, nothing but types may be without a channel
        (places[name], [objects[argument] for argument in arguments])
        for name, arguments in atoms
        if name in places
    ]
    return _native.RelationalEncoding(len(objects), vocabulary.sizes, shown, constants)


def _constant_atoms(
    task: GroundTask, facts: set[tuple[str, ...]]
) -> list[tuple[str, tuple[str, ...]]]:
    """What is the same in all states: initial atoms that are no facts, goals, types, constants."""
    problem = task.problem
    atoms = [(STATE + atom[0], atom[1:]) for atom in problem.init if atom not in facts]
    for literal in task.goal_literals:
        role = NEGATIVE_GOAL if literal.negated else GOAL
        atoms.append((role + literal.predicate, tuple(literal.args)))
    for name, declared in problem.objects.items():
        types = {above for each in declared for above in problem.domain.types[each]}
        atoms += [(TYPE + each, (name,)) for each in sorted(types)]
    atoms += [(CONSTANT + name, (name,)) for name in problem.domain.constants]
    return atoms


def _machine(model: NeuralModel) -> NeuralLogicMachine:
    from beeline import _native

    width, breadth, depth, distinct = require_options(
        model, "width", "breadth", "depth", "distinct"
    )
    inputs, heads = vocabulary_of(model).sizes, model.distribution.heads
    return _native.NeuralLogicMachine(inputs, width, breadth, depth, heads, distinct)


def shapes(model: NeuralModel) -> Shapes:
    """The shapes of the weights by name; an error of any kind if the sizes make no sense."""
    signature = model.signature
    predicates = signature["predicates"]
    for arity, names in enumerate(vocabulary_of(model).channels):
        fitting = {name for name, parameters in predicates.items() if len(parameters) == arity}
        known = fitting | {role + name for role in (GOAL, NEGATIVE_GOAL) for name in fitting}
        if arity == 1:
            known |= {TYPE + name for name in signature["types"]}
            known |= {CONSTANT + name for name in signature["constants"]}
        if len(set(names)) < len(names) or not known.issuperset(names):
            raise ValueError(f"its domain has no such inputs of arity {arity}")
    return {"weights": (_machine(model).parameters,)}


def bind(model: NeuralModel, task: GroundTask, states: States) -> Scorer:
    """The network, ready for the states of one search."""
    encoding = relational_encoding(vocabulary_of(model), task)
    return partial(_machine(model).evaluate, model.weights["weights"], encoding, states)


def work(task: GroundTask) -> float:
    """What a state costs on a usual machine, in microseconds."""
    return 10.0 + 0.1 * float(task.num_objects) ** 3
