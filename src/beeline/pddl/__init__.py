"""PDDL text to lifted problems, their normal form and invariants, and back to text.

>>> from beeline import pddl
>>> domain = pddl.parse_domain('''(define (domain light) (:predicates (on))
...   (:action switch :parameters () :precondition (not (on)) :effect (on)))''')
>>> problem = pddl.parse_problem(domain, '''(define (problem dark) (:domain light)
...   (:init) (:goal (on)))''')
>>> pddl.normalize(problem).goal
(LiftedLiteral(predicate='on', args=(), negated=False),)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.pddl.domain_sections import parse_domain, read_domain
from beeline.pddl.problem_sections import parse_problem, read_problem

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from beeline.pddl.lifted import NormalizedTask
    from beeline.pddl.model import Domain, Problem
    from beeline.pddl.normal_form import Invariant

__all__ = [
    "find_invariants",
    "format_domain",
    "format_problem",
    "normalize",
    "parse_domain",
    "parse_problem",
    "read_domain",
    "read_problem",
]


def normalize(problem: Problem) -> NormalizedTask:
    """Bring all conditions of a problem into the form of conjunctions of literals."""
    from beeline.pddl.normal_form import normalize as run

    return run(problem)


def find_invariants(
    normalized: NormalizedTask, equal_pairs: Sequence[Collection[tuple[int, int]] | None]
) -> list[Invariant]:
    """The translator's lifted invariants; see `beeline.pddl.normal_form`."""
    from beeline.pddl.normal_form import find_invariants as run

    return run(normalized, equal_pairs)


def format_domain(domain: Domain) -> str:
    """A domain as PDDL text."""
    from beeline.pddl.writer import format_domain as run

    return run(domain)


def format_problem(problem: Problem) -> str:
    """A problem as PDDL text."""
    from beeline.pddl.writer import format_problem as run

    return run(problem)
