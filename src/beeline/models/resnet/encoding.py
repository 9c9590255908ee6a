"""The states of one state space as 0/1 vectors, one place for each fact.

A state space is a task without its initial state. Tasks that begin elsewhere in it may number facts
and operators differently, and lack some: what is out of reach is false for ever, and what cannot be
undone may be true for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline.pddl.lifted import LiftedLiteral
    from beeline.task.ground_task import GroundTask

NAME = "propositional"
LISTS = ("facts", "operators", "goal")  # of names in a vocabulary
SHOWN_DIFFERENCES = 3


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
