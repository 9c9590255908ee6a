"""Where jobs run, by name: processes of this machine, or a Ray cluster."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError, look_up
from beeline.core.settings import setting

if TYPE_CHECKING:
    from beeline.core.records import Executor

__all__ = ["BACKENDS", "LOCAL", "JobSettings", "Workers"]


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


class Workers(NamedTuple):
    """Where jobs run, and how many of them at a time; None means as many as there is room for.

    >>> import operator
    >>> with Workers("local", 1).executor() as executor:
    ...     executor.submit("sum", operator.add, 2, 3)
    ...     [finished.value for finished in executor.finished()]
    [5]
    """

    backend: str = "local"
    number: int | None = None

    def room(self) -> int:
        """The number of jobs that share the memory of this machine."""
        from beeline.backends.local import usable_cores

        return self.number or usable_cores()

    def executor(self, *, isolated: bool = False) -> Executor:
        """An executor; with `isolated`, each job has a process of its own."""
        entry = look_up("backend", self.backend, BACKENDS)
        if self.number is not None and not 1 <= self.number <= 4096:
            raise BeelineError(
                f"the number of workers is {self.number}", hint="it is from 1 to 4096"
            )
        make = getattr(import_module(f"{__name__}.{entry.module}"), entry.executor)
        executor: Executor = make(self.number, isolated=isolated)
        return executor


LOCAL = Workers()


@dataclass(frozen=True, kw_only=True)
class JobSettings:
    """Where jobs run, and how many of them at a time."""

    jobs: int | None = setting(None, "Processes; one for each core.", "N", aliases=("--workers",))
    backend: str = setting("local", "Where jobs run: one of {names}.", "NAME", names=BACKENDS)

    @property
    def workers(self) -> Workers:
        """The same for those who give jobs."""
        return Workers(self.backend, self.jobs)
