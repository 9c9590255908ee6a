"""The states of one state space as 0/1 vectors, one place for each fact.

A state space is a task without its initial state. Tasks that begin elsewhere in it may number facts
and operators differently, and lack some: what is out of reach is false for ever, and what cannot be
undone may be true for ever.

At planning time numpy alone computes the network, with the facts of one task in its own order. The
one trick: the columns of the first matrix are put into the task's order of facts, and facts that
never change go into the first bias, so that the engine's own arrays are the input.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from beeline.pddl.model import LiftedLiteral
    from beeline.task.ground_task import GroundTask

    Floats = NDArray[np.float32]

NAME = "propositional"
LISTS = ("facts", "operators", "goal")  # of names in a vocabulary
SHOWN_DIFFERENCES = 3
HIDDEN = 250
LAYERS = ("first", "second", "block_first", "block_second", "output")


@dataclass(frozen=True)
class PropositionalVocabulary:
    """The facts, operators and goal of a state space, each as PDDL text.

    The order of facts is that of the inputs, the order of operators that of the outputs; several
    operators share a name where a condition was split into cases.
    """

    facts: tuple[str, ...]
    operators: tuple[str, ...]
    goal: tuple[str, ...]  # sorted
    variables: int

    def to_json(self) -> dict[str, Any]:
        """The vocabulary as plain values."""
        lists = {name: list(getattr(self, name)) for name in LISTS}
        return {**lists, "variables": self.variables}

    @staticmethod
    def from_json(content: dict[str, Any]) -> PropositionalVocabulary:
        """The vocabulary that `to_json` wrote.

        >>> words = PropositionalVocabulary(("(on)",), ("(switch)",), ("(on)",), 1)
        >>> PropositionalVocabulary.from_json(words.to_json()) == words
        True
        """
        lists = {name: tuple(content[name]) for name in LISTS}
        if not all(isinstance(word, str) for words in lists.values() for word in words):
            raise ValueError("its vocabulary has names that are no words")
        if not lists["facts"] or len(set(lists["facts"])) < len(lists["facts"]):
            raise ValueError("its vocabulary has no facts, or one of them twice")
        return PropositionalVocabulary(**lists, variables=int(content["variables"]))


class Correspondence(NamedTuple):
    """Where a task's facts and operators are in a vocabulary.

    `facts` has the place of each fact of the task: int64[facts]. `constant` is 1 for the facts of
    the vocabulary that are true in all states of the task: float32[vocabulary facts].
    `operators` has the place of each operator of the task: int64[operators].
    """

    facts: NDArray[np.int64]
    constant: NDArray[np.float32]
    operators: NDArray[np.int64]


def vocabulary(task: GroundTask) -> PropositionalVocabulary:
    """The vocabulary of a task's state space."""
    return PropositionalVocabulary(
        facts=tuple(task.fact_names),
        operators=tuple(task.operator_names),
        goal=_goal_words(task.goal_literals),
        variables=task.num_variables,
    )


def correspondence(words: PropositionalVocabulary, task: GroundTask) -> Correspondence:
    """How a task fits a vocabulary; an error that names differences if it does not."""
    places = {name: place for place, name in enumerate(words.facts)}
    outputs = {name: place for place, name in enumerate(_numbered(words.operators))}
    operators = _numbered(task.operator_names)
    goal = _goal_words(task.goal_literals)
    found = [
        f"{kind} {name} is unknown to the model"
        for kind, names, known in (
            ("fact", task.fact_names, places),
            ("operator", operators, outputs),
            ("goal", goal, words.goal),
        )
        for name in names
        if name not in known
    ]
    found += [f"the model has a goal {name}" for name in words.goal if name not in goal]
    if found:
        shown = "; ".join(found[:SHOWN_DIFFERENCES])
        more = len(found) - SHOWN_DIFFERENCES
        raise BeelineError(
            f"the model is one of another state space: {shown}"
            f"{f'; and {more} more' if more > 0 else ''}",
            task.problem.file,
            hint="'beeline learn --per-task' makes a model for all initial states of this task",
        )
    facts = np.array([places[name] for name in task.fact_names], dtype=np.int64)
    initial = {f"({' '.join(atom)})" for atom in task.problem.init}
    constant = np.array([name in initial for name in words.facts], dtype=np.float32)
    constant[facts] = 0.0
    numbers = np.array([outputs[name] for name in operators], dtype=np.int64)
    return Correspondence(facts, constant, numbers)


class FactInputs:
    """The inputs of labelled states: facts uint8[n, facts] in the order of the vocabulary."""

    def __init__(self, facts: NDArray[Any]) -> None:
        self._facts = np.ascontiguousarray(facts, dtype=np.float32)

    def __len__(self) -> int:
        return len(self._facts)

    def batch(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The facts of these rows: float32[n, facts]."""
        return self._facts.take(rows, 0)


def _numbered(names: Sequence[str]) -> list[str]:
    """Names made different by a count of those before.

    >>> _numbered(["(go)", "(stay)", "(go)"])
    ['(go)', '(stay)', '(go) case 2']
    """
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} case {seen[name]}")
    return found


def _goal_words(literals: Sequence[LiftedLiteral]) -> tuple[str, ...]:
    atoms = [(f"({' '.join([each.predicate, *each.args])})", each.negated) for each in literals]
    return tuple(sorted(f"(not {atom})" if negated else atom for atom, negated in atoms))


def shapes(inputs: int, heads: int, hidden: int = HIDDEN) -> dict[str, tuple[int, ...]]:
    """The matrices [outputs, inputs] and biases of all layers, in the order of the weights.

    >>> shapes(66, 1)["first.weight"], shapes(66, 1)["output.bias"]
    ((250, 66), (1,))
    """
    if min(inputs, heads, hidden) < 1:
        raise ValueError(f"{inputs} inputs, {hidden} hidden units, {heads} outputs")
    widths = (inputs, hidden, hidden, hidden, hidden, heads)
    found: dict[str, tuple[int, ...]] = {}
    for layer, before, after in zip(LAYERS, widths, widths[1:], strict=False):
        found[f"{layer}.weight"], found[f"{layer}.bias"] = (after, before), (after,)
    return found


def sizes(inputs: int, heads: int, hidden: int = HIDDEN) -> list[int]:
    """How many weights each of these has.

    >>> sum(sizes(66, 1))
    205251
    """
    return [prod(shape) for shape in shapes(inputs, heads, hidden).values()]


class FrozenResNet:
    """Facts of a task to raw outputs.

    `weights` are named as in `shapes`; `facts` has the input of each fact of the task, and
    `constant` is 1 for inputs that are true in every state.
    """

    def __init__(
        self, weights: Mapping[str, Floats], facts: NDArray[np.int64], constant: Floats
    ) -> None:
        matrices = [weights[f"{layer}.weight"] for layer in LAYERS]
        biases = [weights[f"{layer}.bias"] for layer in LAYERS]
        biases[0] = (biases[0] + matrices[0] @ constant).astype(np.float32)
        matrices[0] = matrices[0][:, facts]
        transposed: list[Floats] = [np.ascontiguousarray(each.T) for each in matrices]
        self._layers = list(zip(transposed, biases, strict=True))

    def __call__(self, facts: NDArray[np.uint8]) -> Floats:
        """Raw outputs of states: uint8[n, facts] to float32[n, heads]."""
        (w1, b1), (w2, b2), (w3, b3), (w4, b4), (w5, b5) = self._layers
        first = _relu(np.dot(facts.astype(np.float32), w1), b1)
        second = _relu(np.dot(first, w2), b2)
        third = _relu(np.dot(second, w3), b3)
        second += np.dot(third, w4)
        raw: Floats = np.dot(_relu(second, b4), w5)
        raw += b5
        return raw


def _relu(products: Floats, bias: Floats) -> Floats:
    """The rectified sum, in place."""
    products += bias
    return np.maximum(products, 0.0, out=products)
