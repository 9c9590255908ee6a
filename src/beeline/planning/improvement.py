"""Better plans from a plan: useless steps taken out, parts replaced, for as long as one likes.

The engine does the work (`native/search/plan_improvement.h`); it is counted in generated states, so
that equal calls give equal plans. Every plan that leaves this module has been replayed by the
lifted meaning of its actions.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from beeline._native import SearchProgress, States
    from beeline.planning.solve import OnPlan
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan

    Watch = Callable[[SearchProgress], bool]

IMPROVE = 0.5  # of the effort so far, unless told otherwise, for plans of `plan`
# Work in microseconds of a usual machine, as in `contestants`.
GENERATED = 0.4  # a state
GROUNDED = 5.0  # an operator: what came before the search counts as well
LEAST = 40_000.0  # so that a plan that was found at once becomes a good one at once


def check_share(share: float, *, as_found: bool) -> None:
    """Refuse what is no share of the effort, and effort for plans that shall stay as they are."""
    if not 0 <= share < math.inf:
        raise BeelineError(
            f"improve {share} is not a number from 0 up", hint="0.5 is half the effort so far"
        )
    if as_found and share:
        raise BeelineError(
            "plans as they are found, and improved", hint="leave out as_found, or improve 0"
        )


def states_for(share: float, work: float, task: GroundTask) -> int:
    """How many states may be generated for a share of the work so far; none for no share."""
    if not share:
        return 0
    return int((share * (work + GROUNDED * task.num_operators) + LEAST) / GENERATED)


class Improvement:
    """A plan that gets better; steps that it can do without are gone from the beginning.

    `operators` are those of the plan, as searches return them. `states` may be those of the search
    that found it, which saves making them again.
    """

    def __init__(
        self, task: GroundTask, operators: Sequence[int], states: States | None = None
    ) -> None:
        from beeline import _native

        self._task = task
        self._native = _native.PlanImprover(
            _native.States(task.native) if states is None else states, list(operators)
        )
        self._native.eliminate()
        self.plan, self.cost = self._checked()

    @property
    def generated(self) -> int:
        """States generated so far."""
        return self._native.generated

    @property
    def finished(self) -> bool:
        """Whether nothing is left to try."""
        return self._native.finished

    @property
    def optimal(self) -> bool:
        """Whether no plan can be cheaper."""
        return self._native.optimal

    def offer(self, operators: Sequence[int]) -> bool:
        """Go on with another plan if it is cheaper."""
        return self._native.offer(list(operators)) and self._accept()

    def advance(
        self,
        generated: int,
        *,
        seconds: float | None = None,
        memory_limit: int | str | None = None,
        watch: Watch | None = None,
        on_plan: OnPlan | None = None,
    ) -> bool:
        """Work on until about that many more states are generated; whether the plan is better.

        It ends earlier when nothing is left to try, at a limit, or when `watch` returns False.
        `on_plan` is called with each better plan and its cost.
        """
        from time import perf_counter

        end = self._native.generated + generated
        deadline = None if seconds is None else perf_counter() + seconds
        better = False
        while not self._native.finished:
            left = end - self._native.generated
            if left <= 0:
                break
            self._native.advance(
                left,
                math.inf if deadline is None else deadline - perf_counter(),
                **({"bytes": memory_limit} if isinstance(memory_limit, int) else {}),
                until_better=on_plan is not None,
                watch=watch,
            )
            if self._accept():
                better = True
                if on_plan is not None:
                    on_plan(self.plan, self.cost)
            if self._native.stopped:
                break
        return better

    @property
    def stopped(self) -> bool:
        """Whether time, memory or `watch` has ended the last turn."""
        return self._native.stopped

    def _accept(self) -> bool:
        """Whether the engine's plan is better: steps that stand in no plan do not count."""
        plan, cost = self._checked()
        if (cost, len(plan)) >= (self.cost, len(self.plan)):
            return False
        self.plan, self.cost = plan, cost
        return True

    def _checked(self) -> tuple[Plan, int]:
        from beeline.planning.solve import checked_plan

        return checked_plan(self._task, self._native)


def improve(
    task: GroundTask,
    operators: Sequence[int],
    *,
    effort: int,
    seconds: float | None = None,
    on_plan: OnPlan | None = None,
) -> Plan:
    """The plan that becomes of these operators when about `effort` states are generated.

    An effort of 0 takes out useless steps and no more. `on_plan` is called with the plan that is
    left then, and with each better one, and their costs; after `seconds` the best one so far is
    the result.

    >>> from beeline.pddl import parse_domain, parse_problem
    >>> from beeline.task.grounding import ground
    >>> domain = parse_domain('''(define (domain lamps) (:predicates (on ?l))
    ...   (:action switch :parameters (?l) :precondition (not (on ?l)) :effect (on ?l))
    ...   (:action break :parameters (?l) :precondition (on ?l) :effect (not (on ?l))))''')
    >>> task = ground(parse_problem(domain, '''(define (problem one) (:domain lamps)
    ...   (:objects hall) (:init) (:goal (on hall)))'''))
    >>> switch, = task.operator_ids("(switch hall)")
    >>> unscrew, = task.operator_ids("(break hall)")
    >>> improve(task, [switch, unscrew, switch], effort=0)
    ('(switch hall)',)
    """
    improvement = Improvement(task, operators)
    if on_plan is not None:
        on_plan(improvement.plan, improvement.cost)
    improvement.advance(effort, seconds=seconds, on_plan=on_plan)
    return improvement.plan
