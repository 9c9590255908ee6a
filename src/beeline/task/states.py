"""States of a ground task: one at a time by name, or many at once as arrays.

Both are views of the engine's registry of states, where a state is a number. Asking for
successors registers them there, also while a search uses the same registry: a heuristic may look
ahead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.task.ground_task import GroundTask


class StateBatch:
    """Some states of a task, as arrays; computed when they are asked for, and kept.

    `batch[i]` is one of them as a `State`, and a loop over the batch gives all.
    """

    # A search makes one batch per expansion: slots and plain properties are the fastest way.
    __slots__ = ("_facts", "_states", "_true_facts", "_values", "ids", "task")

    def __init__(self, task: GroundTask, states: States, ids: NDArray[np.uint32]) -> None:
        self.task = task
        self.ids = ids  # uint32[n], numbers of the states in their registry
        self._states = states
        self._values: NDArray[np.int32] | None = None
        self._facts: NDArray[np.int64] | None = None
        self._true_facts: tuple[NDArray[np.int64], NDArray[np.int32]] | None = None

    def __len__(self) -> int:
        return int(self.ids.shape[0])

    def __getitem__(self, place: int) -> State:
        return State(self.task, self._states, int(self.ids[place]))

    def __iter__(self) -> Iterator[State]:
        for number in self.ids.tolist():
            yield State(self.task, self._states, number)

    def __repr__(self) -> str:
        return f"<StateBatch of {len(self)} states>"

    @property
    def states(self) -> States:
        """The registry of these states, by number."""
        return self._states

    @property
    def values(self) -> NDArray[np.int32]:
        """The value of each variable: int32[n, variables]."""
        if self._values is None:
            self._values = self._states.values(self.ids)
        return self._values

    def values_of(self, variables: NDArray[np.int32]) -> NDArray[np.int32]:
        """The value of some variables only, which is quicker: int32[n, len(variables)]."""
        return self._states.values(self.ids, variables)

    @property
    def facts(self) -> NDArray[np.int64]:
        """Which facts are true, 0 or 1: int64[n, facts]."""
        if self._facts is None:
            self._facts = self._states.facts(self.ids).astype("int64")
        return self._facts

    @property
    def true_facts(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The true facts of each state: those of state `i` are `items[starts[i]:starts[i+1]]`."""
        if self._true_facts is None:
            self._true_facts = self._states.true_facts(self.ids)
        return self._true_facts

    @property
    def is_goal(self) -> NDArray[np.bool_]:
        """Which states are goals: bool[n]."""
        import numpy as np

        holds = self.values_of(self.task.goal_variables) == self.task.goal
        goals: NDArray[np.bool_] = np.logical_and.reduce(holds, axis=1)
        return goals


class State:
    """One state of a task. States of one registry are equal where they have the same number.

    >>> from beeline.pddl import parse_domain, parse_problem
    >>> from beeline.task.grounding import ground
    >>> domain = parse_domain('''(define (domain lamps) (:predicates (on ?l))
    ...   (:action switch :parameters (?l) :precondition (not (on ?l)) :effect (on ?l)))''')
    >>> task = ground(parse_problem(domain, '''(define (problem two) (:domain lamps)
    ...   (:objects hall desk) (:init (on hall)) (:goal (and (on hall) (on desk))))'''))
    >>> state = task.initial_state
    >>> [(task.operator_name(operator), child) for operator, child in state.successors()]
    [('(switch desk)', <State (on desk)>)]
    >>> state.is_goal, [child.is_goal for _, child in state.successors()]
    (False, [True])
    """

    __slots__ = ("_states", "id", "task")

    def __init__(self, task: GroundTask, states: States, number: int) -> None:
        self.task = task
        self.id = number  # in its registry
        self._states = states

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self._states is other._states and self.id == other.id

    def __hash__(self) -> int:
        return hash((id(self._states), self.id))

    def __repr__(self) -> str:
        return f"<State {' '.join(self.fact_names) or 'without true facts'}>"

    @property
    def batch(self) -> StateBatch:
        """The state as a batch of one."""
        import numpy as np

        return StateBatch(self.task, self._states, np.array([self.id], dtype=np.uint32))

    @property
    def facts(self) -> NDArray[np.int64]:
        """Which facts are true, 0 or 1: int64[facts]."""
        facts: NDArray[np.int64] = self.batch.facts[0]
        return facts

    @property
    def fact_names(self) -> tuple[str, ...]:
        """The true facts, such as `(on a b)`, without those that no action can change."""
        _, items = self.batch.true_facts
        names = self.task.fact_names
        return tuple(names[number] for number in sorted(items.tolist()))

    @property
    def is_goal(self) -> bool:
        """Whether the goal holds."""
        return bool(self.batch.is_goal[0])

    @property
    def operators(self) -> list[int]:
        """Numbers of the applicable operators; `task.operator_name` has their names."""
        numbers: list[int] = self._states.applicable(self.id).tolist()
        return numbers

    def successors(self) -> list[tuple[int, State]]:
        """The applicable operators, each with the state that it leads to."""
        operators, children = self._states.successors(self.id)
        return [
            (operator, State(self.task, self._states, child))
            for operator, child in zip(operators.tolist(), children.tolist(), strict=True)
        ]

    def successor_batch(self) -> StateBatch:
        """The states of `successors` as a batch, in the same order."""
        return StateBatch(self.task, self._states, self._states.successors(self.id)[1])
