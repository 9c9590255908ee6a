"""States of a ground task as objects of the package `wlplan`, and its features of them."""

from __future__ import annotations

import os
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from _wlplan.graph_generator import Graph
from _wlplan.planning import Atom, Domain, Predicate, Problem, State
from wlplan.data import DomainDataset, ProblemDataset
from wlplan.feature_generator import init_feature_generator
from wlplan.graph_generator import init_graph_generator

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from beeline import _native
    from beeline.task.ground_task import GroundTask


class WLPlanStates:
    """The same atoms as in our graphs: true facts, and what the task says and nothing changes."""

    def __init__(self, task: GroundTask, states: _native.States, ids: NDArray[np.uint32]) -> None:
        domain = task.problem.domain
        self.types = task.problem.objects
        self.predicates = {
            name: Predicate(name=name, arity=predicate.arity)
            for name, predicate in domain.predicates.items()
        }
        self.domain = Domain(
            name=domain.name,
            predicates=sorted(self.predicates.values(), key=repr),
            functions=[],
            schemata=[],
            constant_objects=sorted(domain.constants),
        )
        goals: dict[bool, list[Any]] = {False: [], True: []}
        for literal in task.goal_literals:
            goals[literal.negated].append(self._atom((literal.predicate, *literal.args)))
        self.problem = Problem(
            domain=self.domain,
            objects=sorted(set(task.problem.objects) - set(domain.constants)),
            positive_goals=goals[False],
            negative_goals=goals[True],
        )
        facts = [tuple(name.strip("()").split()) for name in task.fact_names]
        atoms = [self._atom(fact) for fact in facts]
        constant = [self._atom(atom) for atom in sorted(set(task.problem.init) - set(facts))]
        starts, items = (array.tolist() for array in states.true_facts(ids))
        self.states = [
            State(atoms=constant + [atoms[fact] for fact in items[first:last]])
            for first, last in pairwise(starts)
        ]

    def _atom(self, words: tuple[str, ...]) -> Any:
        return Atom(predicate=self.predicates[words[0]], objects=list(words[1:]))

    def features(self, rounds: int) -> Any:
        """A generator of features with the colours of all states, ready to embed them."""
        generator = init_feature_generator("wl", self.domain, iterations=rounds, multiset_hash=True)
        with _silence():
            generator.collect(
                DomainDataset(self.domain, [ProblemDataset(self.problem, self.states)])
            )
        generator.set_problem(self.problem)
        return generator

    def typed_embeddings(self, rounds: int) -> list[list[float]]:
        """Features of graphs in which objects of different types have different colours.

        wlplan's own graphs do without types; from graphs that are made for it, it computes the
        same features as from its own.
        """
        plain = init_graph_generator("ilg", self.domain)
        plain.set_problem(self.problem)
        graphs = [self._typed(plain.to_graph(state)) for state in self.states]
        generator = init_feature_generator(
            "wl", self.domain, "custom", iterations=rounds, multiset_hash=True
        )
        with _silence():
            generator.collect(graphs)
        embeddings: list[list[float]] = generator.embed(graphs)
        return embeddings

    def _typed(self, graph: Any) -> Any:
        kinds = {kind: place for place, kind in enumerate(sorted(set(self.types.values())))}
        step = 1 + max(kinds.values(), default=0)
        names = map(graph.get_node_name, range(len(graph.node_colours)))
        colours = [
            step * colour + (kinds[self.types[name]] if name in self.types else 0)
            for name, colour in zip(names, graph.node_colours, strict=True)
        ]
        return Graph(colours, graph.edges)


@contextmanager
def _silence() -> Iterator[None]:
    """wlplan writes to the terminal past Python."""
    terminal = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(terminal, 1)
        os.close(terminal)
        os.close(nowhere)
