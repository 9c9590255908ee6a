"""Jobs on a Ray cluster: the one that RAY_ADDRESS names, or one on this machine for this run.

A job whose worker dies is started again by Ray, on another node if its own is gone. A cluster that
is made for one run listens on the loopback interface alone.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, nullcontext
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.backends.local import call
from beeline.core.errors import BeelineError, install_hint
from beeline.core.records import Executor, Finished, WorkerDiedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Where it is off, on any system, Ray gives a cluster no other address than that of the loopback.
CLUSTERS = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


class _Job(NamedTuple):
    key: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    attempts: int = 1


class RayExecutor(Executor):
    """An executor with the workers of a Ray cluster, which it looks for when there is a job.

    `workers` is the number of them in a cluster that is made for this run; an existing cluster
    uses all it has.
    """

    def __init__(
        self, workers: int | None = None, *, attempts: int = 3, isolated: bool = False
    ) -> None:
        self._ray = _import_ray()
        self._workers = workers
        self._attempts = attempts
        self._isolated = isolated
        self._own_connection = False
        self._remote: Any = None
        self._pending: dict[Any, _Job] = {}
        self._ended: SimpleQueue[tuple[Any, Any]] = SimpleQueue()

    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Hand a job to the cluster."""
        if self._remote is None:
            self._connect()
        self._start(_Job(key, function, arguments))

    def finished(self) -> Iterator[Finished]:
        """The jobs in the order in which they end, until none is left."""
        while self._pending:
            # Not Ray's own way to wait: it takes every signal for Ctrl-C.
            reference, future = self._ended.get()
            job = self._pending.pop(reference, None)
            ended = None if job is None else self._collect(job, future)
            if ended is not None:
                yield ended

    def give_up(self) -> None:
        """Give up what is not finished."""
        for reference in self._pending:
            self._ray.cancel(reference, force=True)
        self._pending.clear()

    def close(self) -> None:
        """Give up what is not finished, and end the cluster if it was made for this run."""
        self.give_up()
        self._remote = None
        if self._own_connection:
            self._ray.shutdown()
            self._own_connection = False

    def _connect(self) -> None:
        existing = os.environ.get("RAY_ADDRESS")
        if not self._ray.is_initialized():
            try:
                with nullcontext() if existing else _on_the_loopback():
                    self._ray.init(
                        address=existing or "local",  # not one that happens to run here
                        num_cpus=None if existing else self._workers,
                        include_dashboard=None if existing else False,
                        log_to_driver=False,
                        logging_level="ERROR",
                    )
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise BeelineError(
                    f"no Ray cluster: {error}", hint="check RAY_ADDRESS, or unset it"
                ) from error
            self._own_connection = True
            # Without this, Ray tells of workers and nodes that died on standard output.
            self._ray._private.worker._worker_logs_enabled = False
        # A worker that may take a single job is a process of the job's own.
        calls = {"max_calls": 1} if self._isolated else {}
        retries = 0 if self._isolated else self._attempts - 1
        self._remote = self._ray.remote(num_cpus=1, max_retries=retries, **calls)(call)

    def _start(self, job: _Job) -> None:
        reference = self._remote.remote(job.function, job.arguments)
        self._pending[reference] = job
        reference.future().add_done_callback(lambda done: self._ended.put((reference, done)))

    def _collect(self, job: _Job, future: Any) -> Finished | None:
        """What became of a job; None if its node died and it will be tried again."""
        error = future.exception()
        if error is None:
            value, failure = future.result()
            return Finished(job.key, value, failure)
        reason = str(error).strip().splitlines()
        if isinstance(error, self._ray.exceptions.RayTaskError):  # such as code that is not there
            failure = RuntimeError(f"a Ray worker cannot run it: {reason[-1]}")
            return Finished(job.key, error=failure)
        # Isolated jobs are not tried again by Ray; but this one did not end its process itself.
        lost = isinstance(error, self._ray.exceptions.NodeDiedError)
        if lost and self._isolated and job.attempts < self._attempts:
            self._start(job._replace(attempts=job.attempts + 1))
            return None
        attempts = job.attempts if self._isolated else self._attempts
        often = "" if attempts == 1 else f" {attempts} times"
        return Finished(job.key, error=WorkerDiedError(f"its Ray worker died{often}: {reason[0]}"))


@contextmanager
def _on_the_loopback() -> Iterator[None]:
    """A cluster that is started meanwhile listens there alone, unless the environment wants more.

    Processes of the cluster read the environment when they start. Here, Ray has read it when it was
    imported, which may have been long ago.
    """
    from ray._private import ray_constants

    told, read = os.environ.get(CLUSTERS), ray_constants.ENABLE_RAY_CLUSTER
    os.environ[CLUSTERS] = told or "0"
    ray_constants.ENABLE_RAY_CLUSTER = os.environ[CLUSTERS].lower() in ("1", "true")
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = read
        if told is None:
            del os.environ[CLUSTERS]


def _import_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing leaves the machine unasked
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise BeelineError(
            "the backend 'ray' needs Ray, which is not installed", hint=install_hint("ray")
        ) from None
    return ray
