"""Independent jobs, wherever they run: what all backends have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


class Executor(ABC):
    """Runs jobs that know nothing of each other.

    Functions, arguments and values travel between processes, so that all of them must be
    picklable. A worker that dies is replaced and its job tried again; a job that keeps killing
    its worker ends with `WorkerDiedError`.

    An isolated executor gives each job a process of its own, which may change its limits or die;
    such a job is not tried again.
    """

    @abstractmethod
    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Queue a job; the function must be importable by name."""

    @abstractmethod
    def finished(self) -> Iterator[Finished]:
        """The jobs in the order in which they end, until none is left."""

    @abstractmethod
    def give_up(self) -> None:
        """End all jobs at once, whatever they are doing; others can be submitted."""

    def close(self) -> None:
        """End all jobs and all that was started for them."""
        self.give_up()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class InlineExecutor(Executor):
    """An executor without workers: jobs run in this process, in their order.

    >>> with InlineExecutor() as executor:
    ...     executor.submit("sum", max, 2, 3)
    ...     [ended.result() for ended in executor.finished()]
    [3]
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = []

    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Queue a job."""
        self._waiting.append((key, function, arguments))

    def finished(self) -> Iterator[Finished]:
        """Run the jobs in their order."""
        while self._waiting:
            key, function, arguments = self._waiting.pop(0)
            try:
                yield Finished(key, function(*arguments))
            except Exception as error:
                yield Finished(key, error=error)

    def give_up(self) -> None:
        """Forget what has not run."""
        self._waiting.clear()
