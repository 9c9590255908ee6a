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

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Sequence

    from beeline.pddl.invariants import Invariant
    from beeline.pddl.lifted import NormalizedTask
    from beeline.pddl.model import Domain, Problem

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


def read_domain(path: str | os.PathLike[str]) -> Domain:
    """Read a domain file."""
    from beeline.pddl.domain_sections import build_domain
    from beeline.pddl.source import Source

    return build_domain(Source.from_file(path))


def read_problem(domain: Domain, path: str | os.PathLike[str]) -> Problem:
    """Read a problem file of the given domain."""
    from beeline.pddl.problem_sections import build_problem
    from beeline.pddl.source import Source

    return build_problem(domain, Source.from_file(path))


def parse_domain(text: str, name: str = "<domain>") -> Domain:
    """Take a domain from a text; `name` stands for the file in messages.

    >>> parse_domain("(define (domain empty))")
    <Domain empty: 0 actions>
    """
    from beeline.pddl.domain_sections import build_domain
    from beeline.pddl.source import Source

    return build_domain(Source.from_text(text, name))


def parse_problem(domain: Domain, text: str, name: str = "<problem>") -> Problem:
    """Take a problem of the given domain from a text; `name` stands for the file in messages.

    >>> domain = parse_domain("(define (domain d) (:predicates (p ?x)))")
    >>> text = "(define (problem t) (:domain d) (:objects a) (:init (p a)) (:goal (p a)))"
    >>> parse_problem(domain, text)
    <Problem t: 1 objects, 1 facts>
    """
    from beeline.pddl.problem_sections import build_problem
    from beeline.pddl.source import Source

    return build_problem(domain, Source.from_text(text, name))


def normalize(problem: Problem) -> NormalizedTask:
    """Bring all conditions of a problem into the form of conjunctions of literals."""
    from beeline.pddl.normal_form import normalize as run

    return run(problem)


def find_invariants(
    normalized: NormalizedTask, equal_pairs: Sequence[Collection[tuple[int, int]] | None]
) -> list[Invariant]:
    """The translator's lifted invariants; see `beeline.pddl.invariants`."""
    from beeline.pddl.invariants import find_invariants as run

    return run(normalized, equal_pairs)


def format_domain(domain: Domain) -> str:
    """A domain as PDDL text."""
    from beeline.pddl.writer import format_domain as run

    return run(domain)


def format_problem(problem: Problem) -> str:
    """A problem as PDDL text."""
    from beeline.pddl.writer import format_problem as run

    return run(problem)
