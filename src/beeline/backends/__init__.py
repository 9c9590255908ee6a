"""Where jobs run, by name: processes of this machine, or a Ray cluster."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from beeline.core.executor import Executor

__all__ = ["BACKENDS", "make_executor"]


class BackendEntry(NamedTuple):
    """A backend: what it is, and the class of its executor."""

    name: str
    summary: str
    module: str
    executor: str


BACKENDS = {
    entry.name: entry
    for entry in (
        BackendEntry("local", "processes of this machine", "local", "LocalExecutor"),
        BackendEntry("ray", "a Ray cluster (extra 'ray')", "ray_backend", "RayExecutor"),
    )
}


def make_executor(
    name: str = "local", jobs: int | None = None, *, isolated: bool = False
) -> Executor:
    """An executor by name, with this many workers; None means all there are.

    With `isolated`, each job has a process of its own.

    >>> import operator
    >>> with make_executor("local", jobs=1) as executor:
    ...     executor.submit("sum", operator.add, 2, 3)
    ...     [finished.value for finished in executor.finished()]
    [5]
    """
    entry = BACKENDS.get(name)
    if entry is None:
        raise BeelineError(
            f"unknown backend '{name[:40]}'", hint=f"there are: {', '.join(sorted(BACKENDS))}"
        )
    if jobs is not None and not 1 <= jobs <= 4096:
        raise BeelineError(f"the number of jobs is {jobs}", hint="it is from 1 to 4096")
    make = getattr(import_module(f"{__name__}.{entry.module}"), entry.executor)
    executor: Executor = make(jobs, isolated=isolated)
    return executor
