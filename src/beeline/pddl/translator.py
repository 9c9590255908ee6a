"""The door to Fast Downward's translator; no other module runs its parser or its analyses.

The translator keeps options in a module global and prints as it goes. Of the parser and the
normaliser we call only functions that do neither. The invariant finder does both, so we run a
private copy of that one module with its own options and a silent print. Nothing that a user of
the translator in the same process can see is touched, and threads share no state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def find_lifted_invariants(
    task: Any, reachable: dict[Any, list[tuple[int, ...]]], file: str
) -> list[Any]:
    """The translator's invariants, given parameters with which each action is reachable."""
    finder = _private_invariant_finder()

    def run() -> list[Any]:
        return list(finder.find_invariants(task, reachable))

    return _guarded(run, "the task", file)


class _Options:
    """The translator's default settings, as far as the invariant finder asks."""

    invariant_generation_max_candidates = 100_000
    invariant_generation_max_time = 300


def _silent(*_words: object, **_settings: object) -> None:
    pass


def _private_invariant_finder() -> Any:
    from importlib.util import find_spec, module_from_spec

    spec = find_spec("fast_downward.translate.invariant_finder")
    if spec is None or spec.loader is None:
        raise BeelineError(
            "the translator's invariant finder is not installed",
            hint="pip install --force-reinstall fast-downward.translate",
        )
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module).update(get_options=_Options, print=_silent)
    return module


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
