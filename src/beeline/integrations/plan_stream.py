"""Plans of an anytime search as an iterator: the search runs in a thread of its own."""

from __future__ import annotations

from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from typing_extensions import Self

    from beeline.planning.result import Result

    Report = Callable[[list[str]], None]
    GoesOn = Callable[[], bool]
    Search = Callable[[Report, GoesOn], Result]


class PlanStream:
    """The plans of a search as they are found, and its result after the last one.

    The search is called with a function that takes each plan, and another one that tells whether
    anybody still wants plans. Leaving the block ends the search.
    """

    def __init__(self, search: Search) -> None:
        self._search = search
        self._unwanted = Event()
        self._found: SimpleQueue[list[str] | Result | BaseException] = SimpleQueue()
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._unwanted.set()
        self._thread.join()

    def __iter__(self) -> Iterator[list[str] | Result]:
        while True:
            found = self._found.get()
            if isinstance(found, BaseException):
                raise found
            yield found
            if not isinstance(found, list):
                return

    def _run(self) -> None:
        try:
            self._found.put(self._search(self._found.put, lambda: not self._unwanted.is_set()))
        except BaseException as error:  # whatever it is, the reader must not wait for ever
            self._found.put(error)
