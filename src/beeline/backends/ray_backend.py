"""Jobs on a Ray cluster: the one that RAY_ADDRESS names, or one on this machine for this run.

A job whose worker dies is started again by Ray, on another node if its own is gone.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from beeline.backends.worker import call
from beeline.core.errors import BeelineError
from beeline.core.executor import Finished, WorkerDiedError
from beeline.core.extras import install_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from typing_extensions import Self


class RayExecutor:
    """An executor with the workers of a Ray cluster.

    `jobs` is the number of workers of a cluster that is made for this run; an existing cluster
    uses all it has.
    """

    def __init__(
        self, jobs: int | None = None, *, attempts: int = 3, isolated: bool = False
    ) -> None:
        attempts = 1 if isolated else attempts
        self._ray = _import_ray()
        self._own_cluster = not self._ray.is_initialized()
        if self._own_cluster:
            existing = os.environ.get("RAY_ADDRESS")
            try:
                self._ray.init(
                    address=existing,
                    num_cpus=None if existing else jobs,
                    include_dashboard=None if existing else False,
                    log_to_driver=False,
                    logging_level="ERROR",
                )
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise BeelineError(
                    f"no Ray cluster: {error}", hint="check RAY_ADDRESS, or unset it"
                ) from error
        # A worker that may take a single job is a process of the job's own.
        calls = {"max_calls": 1} if isolated else {}
        self._call = self._ray.remote(num_cpus=1, max_retries=attempts - 1, **calls)(call)
        self._attempts = attempts
        self._pending: dict[Any, str] = {}

    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Hand a job to the cluster."""
        self._pending[self._call.remote(function, arguments)] = key

    def finished(self) -> Iterator[Finished]:
        """The jobs in the order in which they end, until none is left."""
        while self._pending:
            done, _ = self._ray.wait(list(self._pending), num_returns=1)
            for reference in done:
                yield self._collect(reference)

    def close(self) -> None:
        """Give up what is not finished, and end the cluster if it was made for this run."""
        for reference in self._pending:
            self._ray.cancel(reference, force=True)
        self._pending.clear()
        if self._own_cluster:
            self._ray.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _collect(self, reference: Any) -> Finished:
        key = self._pending.pop(reference)
        try:
            value, error = self._ray.get(reference)
            return Finished(key, value, error)
        except self._ray.exceptions.RayError as error:
            reason = str(error).strip().splitlines()[0]
            often = "" if self._attempts == 1 else f" {self._attempts} times"
            died = WorkerDiedError(f"its Ray worker died{often}: {reason}")
            return Finished(key, error=died)


def _import_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing leaves the machine unasked
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise BeelineError(
            "the backend 'ray' needs Ray, which is not installed",
            hint=install_hint("ray"),
        ) from None
    return ray
