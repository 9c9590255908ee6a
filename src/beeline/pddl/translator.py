"""The door to Fast Downward's translator; no other module runs its analyses.

The translator keeps options in a module global and prints as it goes. We call only functions
that do neither. Nothing that a user of the translator in the same process can see is touched, and
threads share no state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fast_downward.translate import invariant_finder as _invariants
from fast_downward.translate import normalize as _normalize
from fast_downward.translate import pddl

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def make_predicates(arities: Mapping[str, int]) -> list[Any]:
    """The translator's view of predicates, and equality."""
    return [
        pddl.Predicate(name, [pddl.TypedObject(f"?x{place}", "object") for place in range(arity)])
        for name, arity in {**arities, "=": 2}.items()
    ]


def normalize_task(task: Any, file: str) -> None:
    """Split disjunctions and turn existential quantifiers of a `pddl.Task` into parameters.

    The task must be free of universal quantifiers, and its goal a conjunction of literals.
    """
    try:
        _normalize.build_DNF(task)
        _normalize.split_disjunctions(task)
        _normalize.eliminate_existential_quantifiers(task)
    except (Exception, SystemExit) as error:  # our checks should leave nothing to complain about
        if isinstance(error, MemoryError):
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise BeelineError(f"cannot understand the task: {reason[:200]}", file) from error


def initial_invariants(task: Any) -> list[Any]:
    """The candidates that the translator's search for invariants begins with."""
    return list(_invariants.get_initial_invariants(task))


def make_invariant(parts: list[Any]) -> Any:
    """A candidate of the translator."""
    return _invariants.invariants.Invariant(parts)


def make_balance_checker(task: Any, reachable: dict[Any, list[tuple[int, ...]]]) -> Any:
    """What the translator asks about actions, given parameters with which each is reachable."""
    return _invariants.BalanceChecker(task, reachable)
