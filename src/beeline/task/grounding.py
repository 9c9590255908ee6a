"""From two PDDL files, or a lifted problem, to a ground task."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from beeline.task.ground_task import GroundTask

if TYPE_CHECKING:
    import os

    from beeline.pddl.model import Problem


def load(
    domain: str | os.PathLike[str], task: str | os.PathLike[str], *, unit_costs: bool = False
) -> GroundTask:
    """Read a domain and a task file and ground them.

    With `unit_costs` every operator costs 1, whatever the files say.
    """
    from beeline.pddl import read_domain, read_problem

    start = perf_counter()
    problem = read_problem(read_domain(domain), task)
    ground_task = ground(problem, unit_costs=unit_costs)
    ground_task.parse_time = perf_counter() - start - ground_task.ground_time
    return ground_task


def ground(problem: Problem, *, unit_costs: bool = False) -> GroundTask:
    """All facts and operators of a lifted problem that can matter for its goal.

    >>> from beeline.pddl import parse_domain, parse_problem
    >>> domain = parse_domain('''(define (domain lamps) (:predicates (on ?l))
    ...   (:action switch :parameters (?l) :precondition (not (on ?l)) :effect (on ?l)))''')
    >>> problem = parse_problem(domain, '''(define (problem two) (:domain lamps)
    ...   (:objects hall desk) (:init (on hall)) (:goal (and (on hall) (on desk))))''')
    >>> task = ground(problem)
    >>> task.fact_names, task.operator_names
    (['(on desk)'], ['(switch desk)'])
    """
    from beeline import _native
    from beeline.pddl import find_invariants, normalize
    from beeline.task.lowering import Lowering

    start = perf_counter()
    normalized = normalize(problem)
    lowering = Lowering(normalized, unit_costs=unit_costs)
    grounder = _native.Grounder(*lowering.program())
    equal_parameters = grounder.explore()
    invariants = find_invariants(normalized, equal_parameters)
    native = grounder.finish(lowering.invariants(invariants))
    return GroundTask(
        problem,
        native,
        lowering.objects,
        lowering.predicates,
        lowering.action_names,
        goal_literals=normalized.goal or (),
        unit_costs=unit_costs,
        ground_time=perf_counter() - start,
    )
