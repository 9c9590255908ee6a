"""The ground task: the engine's numbers together with the names they stand for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from beeline.core.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from beeline._native import GroundTask as NativeTask
    from beeline.pddl.model import LiftedLiteral, Problem
    from beeline.task.states import State
    from beeline.task.validator import Validation

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]

_REASONS = {
    "GOAL_STATIC": "a goal literal is false and no action can change it",
    "GOAL_UNREACHED": "the goal is out of reach even if nothing is ever deleted",
    "GOAL_MUTEX": "two goal literals exclude each other",
}
LARGEST_ORDERED = 1_000_000  # operators of a task whose goals are put into order
ARTIFICIAL = "@"  # operators whose names begin so stand in no plan


class GroundTask:
    """Finite-domain variables, operators, costs and goal of one problem.

    Facts and operators are numbered from 0. States are made of *values*: variable `v` has the
    values `offsets[v] .. offsets[v + 1] - 1`; a value stands for a fact, for the negation of
    one, or for "none of the variable's facts". Arrays are numpy views of the engine's memory, or
    copies where the engine has them in another form: whoever wants to know about a few operators
    asks for these. Lists of lists come as `(starts, items)`: row `i` is
    `items[starts[i]:starts[i + 1]]`.

    Sizes are `num_facts`, values that are atoms; `num_operators`, those that can matter for the
    goal; `num_variables`; `num_axioms`; `num_goals`, without those that always hold;
    `num_objects`, constants among them; and `num_mutex_groups`, which go across variables: the
    values of one variable exclude each other anyway. If `has_axioms`, some variables are derived:
    in every state they have the values that follow from the others.

    If `unwritten`, there are too many operators to write them down: those of some actions get
    numbers when somebody meets them, and `num_operators` counts them as far as they are reachable
    without delete effects. What needs all operators raises an error; a task that several threads
    work on at a time has to have them all.
    """

    def __init__(
        self,
        problem: Problem,
        native: NativeTask,
        objects: Sequence[str],
        predicates: Sequence[str],
        action_names: Sequence[str],
        *,
        goal_literals: Sequence[LiftedLiteral] = (),
        unit_costs: bool,
        parse_time: float = 0.0,
        ground_time: float = 0.0,
    ) -> None:
        self.problem = problem
        self.native = native
        self.objects = objects
        self.predicates = predicates
        self.action_names = action_names
        self.goal_literals = goal_literals  # as written, with those that always hold
        self.unit_costs = unit_costs
        self.parse_time = parse_time
        self.ground_time = ground_time
        self.num_facts = native.num_facts
        self.num_operators = native.num_operators
        self.bulk = native.bulk  # operators, effects with conditions, axioms: what work grows with
        self.num_variables = native.num_variables
        self.num_mutex_groups = native.num_mutex_groups
        self.num_goals = native.num_goals
        self.num_axioms = native.num_axioms
        self.has_axioms = native.has_axioms
        self.num_objects = len(objects)
        self.unwritten = [action_names[number] for number in native.unwritten_actions]
        self.replayed: dict[tuple[str, ...], Validation] = {}  # the plan that was validated last

    def __repr__(self) -> str:
        return (
            f"<GroundTask {self.problem.name}: {self.num_facts} facts, "
            f"{self.num_operators} operators, {self.num_variables} variables>"
        )

    def _repr_html_(self) -> str:
        from beeline.pages.notebook import task_html

        return task_html(self)

    @property
    def initial_state(self) -> State:
        """The initial state, in a registry of its own: the way into the state space."""
        from beeline import _native
        from beeline.task.states import State

        states = _native.States(self.native)
        return State(self, states, states.initial)

    # What grounding already knows about plans

    @property
    def unsolvable_reason(self) -> str | None:
        """Why no plan exists, as far as grounding can tell; None if it cannot."""
        return _REASONS.get(self.native.solvability.name)

    @property
    def goal_holds_initially(self) -> bool:
        """Whether the empty plan is a plan."""
        return self.native.goal_holds_initially

    @cached_property
    def ordered(self) -> GroundTask:
        """The task with the same plans and fewer dead ends, if it has goals that must come first.

        Where an effect lasts for ever and a goal cannot be reached behind it, its operators get the
        goal as a condition, or go: they would lead into dead ends. Numbers of operators may differ.
        Tasks with more than a million operators stay as they are.
        """
        from beeline._native import with_goal_orders

        native = None if self.num_operators > LARGEST_ORDERED else with_goal_orders(self.native)
        if native is None:
            return self
        names = (self.objects, self.predicates, self.action_names)
        found = GroundTask(
            self.problem,
            native,
            *names,
            goal_literals=self.goal_literals,
            unit_costs=self.unit_costs,
            parse_time=self.parse_time,
            ground_time=self.ground_time,
        )
        found.ordered = found
        return found

    def require_operators(self, who: str) -> None:
        """Refuse a task with unwritten actions, in the name of what looks at all operators."""
        if self.unwritten:
            raise UnsupportedError(
                f"{who} looks at all operators, and this task has too many to write them down:"
                f" {self.num_operators:,}",
                hint="take what does without, such as 'goalcount' or 'distance', or a learned"
                " model without other heuristics; in Python, load(..., most_operators=math.inf)"
                " writes them down",
            )

    @property
    def all_costs_one(self) -> bool:
        """Whether every operator costs 1."""
        costs = {self.native.lowest_cost, self.native.highest_cost}
        return not self.num_operators or costs == {1}

    # Numbers: read-only views

    @property
    def offsets(self) -> IntArray:
        """First value of each variable, and the end: int32[variables + 1]."""
        return self.native.offsets

    @property
    def initial(self) -> IntArray:
        """The initial state, a value per variable: int32[variables]."""
        return self.native.initial

    @property
    def goal(self) -> IntArray:
        """The values that must hold in the end, ascending: int32[goals]."""
        return self.native.goal

    @cached_property
    def goal_variables(self) -> IntArray:
        """The variable of each goal value: int32[goals]."""
        return self.native.variable_of[self.native.goal]

    @property
    def costs(self) -> LongArray:
        """Operator costs, from 0 to below 2**53: int64[operators]."""
        self.require_operators("an array of costs")
        return self.native.costs

    @property
    def conditions(self) -> tuple[LongArray, IntArray]:
        """The values that each operator needs, ascending, as (starts, items)."""
        self.require_operators("an array of conditions")
        return self.native.conditions

    @property
    def effects(self) -> tuple[LongArray, IntArray]:
        """Each operator's (guard or -1, new value, row or -1), as (starts, int32[n, 3]).

        An effect with a guard applies only where its variable has the guard's value, and one
        with a row only where all values in that row of `effect_conditions` hold.
        """
        self.require_operators("an array of effects")
        return self.native.effects

    @property
    def effect_conditions(self) -> tuple[LongArray, IntArray]:
        """What conditional effects need of other variables: values, as (starts, items)."""
        self.require_operators("an array of conditions")
        return self.native.effect_conditions

    def operator_effects(self, number: int) -> list[tuple[list[int], int]]:
        """The effects of one operator: the values that each needs before, and its new value."""
        return self.native.operator_effects(number)

    def operator_conditions(self, number: int) -> list[int]:
        """The values that one operator needs, ascending."""
        return self.native.operator_conditions(number)

    def operator_cost(self, number: int) -> int:
        """The cost of one operator."""
        return self.native.operator_cost(number)

    @property
    def mutex_groups(self) -> tuple[LongArray, IntArray]:
        """Values of which at most one holds in a reachable state, as (starts, items)."""
        return self.native.mutex_groups

    # Names

    @cached_property
    def fact_names(self) -> list[str]:
        """PDDL text of each fact, such as `(on a b)`."""
        return self._atoms(self.predicates, self.native.fact_predicates, self.native.fact_args)

    @cached_property
    def operator_names(self) -> list[str]:
        """Name and arguments of each operator, such as `(stack a b)`.

        Several operators share a name where a condition was split into cases.
        """
        self.require_operators("a list of names")
        native = self.native
        return self._atoms(self.action_names, native.operator_actions, native.operator_args)

    def operator_name(self, number: int) -> str:
        """Name and arguments of one operator, without making all names."""
        action, objects = self.native.operator_words(number)
        words = [self.action_names[action], *[self.objects[item] for item in objects]]
        return f"({' '.join(words)})"

    @cached_property
    def value_names(self) -> list[str]:
        """The fact of each value, `(not FACT)`, or `none of those`."""
        facts = self.fact_names
        pairs = zip(self.native.fact_of.tolist(), self.native.negated_fact.tolist(), strict=True)
        return [
            facts[fact]
            if fact >= 0
            else (f"(not {facts[negated]})" if negated >= 0 else "none of those")
            for fact, negated in pairs
        ]

    @cached_property
    def _fact_ids(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.fact_names)}

    @cached_property
    def _operator_ids(self) -> dict[str, list[int]]:
        ids: dict[str, list[int]] = {}
        for number, name in enumerate(self.operator_names):
            ids.setdefault(name, []).append(number)
        return ids

    def fact_id(self, name: str) -> int | None:
        """The number of a fact, or None if it is static, unreachable or irrelevant."""
        return self._fact_ids.get(_tidy(name))

    def operator_ids(self, name: str) -> list[int]:
        """The numbers of the operators with this name, none if it can never be of use."""
        return list(self._operator_ids.get(_tidy(name), ()))

    def _atoms(
        self, heads: Sequence[str], numbers: IntArray, args: tuple[LongArray, IntArray]
    ) -> list[str]:
        objects = self.objects
        starts, items = (array.tolist() for array in args)
        return [
            f"({' '.join([heads[number], *[objects[item] for item in items[first:last]]])})"
            for number, first, last in zip(numbers.tolist(), starts, starts[1:], strict=False)
        ]


def _tidy(name: str) -> str:
    """The name in lower case with single spaces.

    >>> _tidy("( ON  a B )")
    '(on a b)'
    """
    return f"({' '.join(name.lower().strip().strip('()').split())})"
