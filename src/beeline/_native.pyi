"""Beeline's engine: grounding and everything that is done per state."""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Solvability(enum.Enum):
    """What grounding found out about the goal."""

    OPEN = 0
    """Nothing speaks against a plan."""

    GOAL_STATIC = 1
    """A goal literal is false for ever."""

    GOAL_UNREACHED = 2
    """Not even reachable without delete effects."""

    GOAL_MUTEX = 3
    """Two goal literals exclude each other."""

class GroundTask:
    """Finite-domain variables, operators, goal: numbers only, no names."""

    @property
    def solvability(self) -> Solvability: ...

    @property
    def reachable_facts(self) -> int:
        """Relaxed reachable fluent atoms, before any of them was removed."""

    @property
    def reachable_instances(self) -> int:
        """Relaxed reachable action instances, before any of them was removed."""

    @property
    def num_variables(self) -> int: ...

    @property
    def num_values(self) -> int: ...

    @property
    def num_facts(self) -> int: ...

    @property
    def num_operators(self) -> int: ...

    @property
    def num_mutex_groups(self) -> int: ...

    @property
    def num_goals(self) -> int: ...

    @property
    def goal_holds_initially(self) -> bool: ...

    @property
    def domain_sizes(self) -> list[int]:
        """Number of values of each variable."""

    @property
    def offsets(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """First value of each variable, and the end: int32[variables + 1]."""

    @property
    def variable_of(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """int32[values]."""

    @property
    def fact_of(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The fact of each value, or -1: int32[values]."""

    @property
    def negated_fact(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The fact that a value negates, or -1: int32[values]."""

    @property
    def fact_values(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The value of each fact: int32[facts]."""

    @property
    def fact_predicates(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """int32[facts]."""

    @property
    def fact_args(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
        """Objects of each fact, as (starts, items)."""

    @property
    def initial(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """A value per variable: int32[variables]."""

    @property
    def goal(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """Values that must hold, ascending: int32[goals]."""

    @property
    def conditions(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
        """Values that each operator needs, ascending, as (starts, items)."""

    @property
    def effects(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None, 2), writable=False)]]:
        """
        (guard or -1, new value) pairs of each operator, as (starts, int32[n, 2]).
        """

    @property
    def costs(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """int32[operators]."""

    @property
    def operator_actions(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The lifted action of each operator: int32[operators]."""

    @property
    def operator_args(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
        """Objects in each operator's name, as (starts, items)."""

    @property
    def mutex_groups(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
        """
        Values of which at most one holds, across variables, as (starts, items).
        """

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

class Grounder:
    """Makes a ground task from a lifted program."""

    def __init__(self, objects: int, predicates: Sequence[tuple[int, bool, int, bytes, bytes]], actions: Sequence[tuple[int, int, Sequence[int], Sequence[tuple[int, Sequence[int], bool]], Sequence[tuple[Sequence[int], Sequence[tuple[int, Sequence[int], bool]], tuple[int, Sequence[int], bool]]], int, int, Sequence[int]]], goal: Sequence[tuple[int, Sequence[int], bool]]) -> None: ...

    def explore(self) -> list[list[tuple[int, int]] | None]:
        """
        Relaxed reachability. Per action: the pairs of parameters that are equal in some
        instance, or None if there is no instance.
        """

    def finish(self, invariants: Sequence[tuple[int, Sequence[tuple[int, Sequence[int]]]]]) -> GroundTask:
        """The ground task, with mutex groups from these lifted invariants."""
