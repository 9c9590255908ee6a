"""One way to plan, chosen by words: a search of Beeline's own, a learned model, or both.

Plans of an anytime search as an iterator: the search runs in a thread of its own.
"""

from __future__ import annotations

import os
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.task.plan_file import Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Self

    from beeline.planning.model import Model
    from beeline.planning.python_heuristics import Heuristic
    from beeline.planning.result import Result
    from beeline.planning.solve import OnPlan, Progress
    from beeline.task.ground_task import GroundTask

    Report = Callable[[Plan], None]
    GoesOn = Callable[[], bool]
    Search = Callable[[Report, GoesOn], Result]
    ModelWord = str | os.PathLike[str] | Model


class PlanStream:
    """The plans of a search as they are found, and its result after the last one.

    The search is called with a function that takes each plan, and another one that tells whether
    anybody still wants plans. Leaving the block ends the search.
    """

    def __init__(self, search: Search) -> None:
        self._search = search
        self._unwanted = Event()
        self._found: SimpleQueue[Plan | Result | BaseException] = SimpleQueue()
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._unwanted.set()
        self._thread.join()

    def __iter__(self) -> Iterator[Plan | Result]:
        while True:
            found = self._found.get()
            if isinstance(found, BaseException):
                raise found
            yield found
            if not isinstance(found, Plan):
                return

    def _run(self) -> None:
        try:
            self._found.put(self._search(self._found.put, lambda: not self._unwanted.is_set()))
        except BaseException as error:  # whatever it is, the reader must not wait for ever
            self._found.put(error)


DEFAULT_SEARCH = "gbfs"
DEFAULT_PREFERRED = "ff"


class Searcher:
    """Plans in any task; wrong words and broken models are refused when it is made.

    A model plans as `beeline plan` does; with a `search`, it is the heuristic of that search.
    Without any word it is greedy search with h_FF and its preferred operators.

    >>> Searcher(search="gbsf")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: unknown search 'gbsf': there are ...
    """

    def __init__(
        self,
        model: ModelWord | None = None,
        search: str | None = None,
        heuristic: str | None = None,
        preferred: str | None = None,
        seed: int = 0,
        memory_limit: int | None = None,
    ) -> None:
        if model is not None and heuristic is not None:
            raise BeelineError("a model and a heuristic", hint="leave one of them out")
        if model is not None and search is None and preferred is not None:
            raise BeelineError(
                "preferred operators without a search", hint="name a search, such as 'gbfs'"
            )
        if (model, search, heuristic, preferred) == (None, None, None, None):
            preferred = DEFAULT_PREFERRED
        self._model = _loaded(model)
        self._search = search
        self._heuristic = heuristic
        self._preferred: str | tuple[()] = preferred or ()
        self.memory_limit = memory_limit
        self._limits: dict[str, Any] = {"seed": seed, "memory_limit": memory_limit}
        self._check()

    def search(
        self,
        task: GroundTask,
        *,
        heuristic: Heuristic | None = None,
        anytime: bool = False,
        time_limit: float | None = None,
        progress: Progress | None = None,
        on_plan: OnPlan | None = None,
    ) -> Result:
        """Plan in a task; a `heuristic` that is given here comes before everything else."""
        from beeline.planning.plan import plan
        from beeline.planning.solve import solve

        model = None if heuristic is not None else self._model_for(task)
        if model is not None and self._search is None:
            return plan(
                model,
                task,
                anytime=anytime,
                time_limit=time_limit,
                progress=progress,
                on_plan=on_plan,
                **self._limits,
            )
        return solve(
            task,
            self._search or DEFAULT_SEARCH,
            heuristic or model or self._heuristic,
            preferred=self._preferred,
            anytime=anytime,
            time_limit=time_limit,
            progress=progress,
            on_plan=on_plan,
            **self._limits,
        )

    def _check(self) -> None:
        from beeline.planning.specification import make_spec

        stand_in = self._heuristic if self._model is None else "ff"
        make_spec(
            self._search or DEFAULT_SEARCH, stand_in, preferred=self._preferred, **self._limits
        )

    def _model_for(self, task: GroundTask) -> Model | None:
        from beeline.models.model_file import find_model

        if isinstance(self._model, str):
            return find_model(self._model, task.problem.domain)
        return self._model


def _loaded(model: ModelWord | None) -> Model | str | None:
    """The model, or the word that leaves the choice to the domain."""
    from beeline.models.model_file import AUTO, is_automatic, load_model

    if not isinstance(model, str | os.PathLike):
        return model
    return AUTO if is_automatic(model) else load_model(model)
