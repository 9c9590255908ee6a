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
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    Result = TypeVar("Result")


def make_predicates(arities: Mapping[str, int], types: Iterable[str]) -> dict[str, Any]:
    """The translator's view of our predicates: those declared, equality, and types as predicates.

    A type that shares its name with a predicate is not available as a predicate.
    """
    result = {name: pddl.Predicate(f"type@{name}", _arguments(1)) for name in types}
    result |= {name: pddl.Predicate(name, _arguments(arity)) for name, arity in arities.items()}
    result["="] = pddl.Predicate("=", _arguments(2))
    return result


def normalize_task(task: Any, file: str) -> None:
    """Split disjunctions and turn existential quantifiers of a `pddl.Task` into parameters.

    The task must be free of universal quantifiers, and its goal a conjunction of literals.
    """

    def run() -> None:
        _normalize.build_DNF(task)
        _normalize.split_disjunctions(task)
        _normalize.eliminate_existential_quantifiers(task)

    _guarded(run, "the task", file)


def initial_invariants(task: Any) -> list[Any]:
    """The candidates that the translator's search for invariants begins with."""
    return list(_invariants.get_initial_invariants(task))


def make_invariant(parts: list[Any]) -> Any:
    """A candidate of the translator."""
    return _invariants.invariants.Invariant(parts)


def make_balance_checker(task: Any, reachable: dict[Any, list[tuple[int, ...]]]) -> Any:
    """What the translator asks about actions, given parameters with which each is reachable."""
    return _invariants.BalanceChecker(task, reachable)


def _arguments(count: int) -> list[Any]:
    return [pddl.TypedObject(f"?x{number}", "object") for number in range(count)]


def _guarded(run: Callable[[], Result], what: str, file: str, line: int | None = None) -> Result:
    """Our checks should leave the translator nothing to complain about; if it does, say where."""
    try:
        return run()
    except (Exception, SystemExit) as error:
        if isinstance(error, (BeelineError, MemoryError)):
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise BeelineError(f"cannot understand {what}: {reason[:200]}", file, line) from error
