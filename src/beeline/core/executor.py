"""Independent jobs, wherever they run: the interface of all backends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from typing_extensions import Self


class WorkerDiedError(Exception):
    """A job ended its worker, and the next one, as often as jobs are tried.

    `signal` is what killed it, where that is known.

    >>> print(WorkerDiedError("its process was killed", 9))
    its process was killed
    """

    def __init__(self, message: str, signal: int | None = None) -> None:
        super().__init__(message, signal)  # all arguments, so that pickling works
        self.signal = signal

    def __str__(self) -> str:
        return str(self.args[0])


class Finished(NamedTuple):
    """A job that has ended: with a value, or with the exception that it raised."""

    key: str
    value: Any = None
    error: BaseException | None = None

    def result(self) -> Any:
        """The value; a job that failed raises its error here.

        >>> Finished("a", 7).result()
        7
        """
        if self.error is not None:
            raise self.error
        return self.value


class Executor(Protocol):
    """Runs jobs that know nothing of each other.

    Functions, arguments and values travel between processes, so that all of them must be
    picklable. A worker that dies is replaced and its job tried again; a job that keeps killing
    its worker ends with `WorkerDiedError`.

    An isolated executor gives each job a process of its own, which may change its limits or die;
    such a job is not tried again.
    """

    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Queue a job."""

    def finished(self) -> Iterator[Finished]:
        """The jobs in the order in which they end, until none is left."""

    def close(self) -> None:
        """End all workers at once, whatever they are doing."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
