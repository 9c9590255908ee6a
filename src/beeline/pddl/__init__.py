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
    from beeline.pddl.normal_form import find_invariants, normalize
    from beeline.pddl.writer import format_domain, format_problem

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

if not TYPE_CHECKING:  # what not everybody needs is imported late

    def __getattr__(name):
        from importlib import import_module

        if name not in __all__:
            raise AttributeError(f"module 'beeline.pddl' has no attribute '{name}'")
        home = "writer" if name.startswith("format") else "normal_form"
        return getattr(import_module(f"beeline.pddl.{home}"), name)
