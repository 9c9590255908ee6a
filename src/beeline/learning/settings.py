"""What a user can choose about learning, and which candidates follow from it."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.backends import BACKENDS
from beeline.core.errors import BeelineError
from beeline.core.limits import memory_size
from beeline.core.settings import setting
from beeline.fitting.losses import DEFAULT_LOSS, LOSSES, loss_entry

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from beeline.task.plan_file import Steps

    AnyPath = str | os.PathLike[str]
    Plans = AnyPath | Mapping[AnyPath, Steps]
    Warn = Callable[[str], None]

MAX_ROUNDS = 4
DEFAULT_ROUNDS = (1, 2, 3)
PENALTIES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)  # l2, of the mean loss
CONTEXT_PENALTIES = (1e-2, 1e-4)
# Counting neighbours makes ever more colours: more rounds, or weaker penalties, only fit noise.
MULTISET_ROUNDS = (1, 2)
MULTISET_PENALTIES = (1e-2, 1e-3, 1e-4)
NEIGHBOURS = {"set": False, "multiset": True}
_WITH_INFLUENCE = ("loss", "rounds", "neighbours", "h_ff", "unit_costs", "seed")


COUNTED, SEEN, THIN = "counted", "seen", "thin"


class Relations(NamedTuple):
    """Static predicates that relate objects of one kind, such as roads between places.

    Dense ones hold for 30 % of all combinations or more in nearly every task, such as the order of
    floors. `paired` says whether there are goals about two objects.
    """

    alike: tuple[str, ...] = ()
    dense: tuple[str, ...] = ()
    paired: bool = False

    @property
    def sparse(self) -> bool:
        """Whether some of them are ways rather than orders: places may be far from each other."""
        return {*self.alike} > {*self.dense}

    def ways(self) -> list[str]:
        """What can be made of them, the most cautious way first.

        Their numbers grow faster than tasks do, and weights of them that are right in small tasks
        mean nothing in large ones: so they are counted only where nothing else helps.
        """
        return [*([THIN] if self.dense else []), *([SEEN] if self.alike else []), COUNTED]


NO_RELATIONS = Relations()


class Candidate(NamedTuple):
    """One way to make a scorer.

    `data` is optimal or all, the plans that it learns from. `statics` says what becomes of
    relations between objects of a kind: counted like all atoms, seen by objects but not counted,
    or thin: dense ones are no part of the graph, the others are seen. With `chains` the graph says
    where a third object is related to both objects of a goal. At most one of h_FF, the distances of
    goals and their costs in context, h_cea, is a feature beside the colours; with the last, its
    operators are preferred. `operators` is the penalty of scores of operators; 0: there are none.
    """

    multiset: bool
    rounds: int
    h_ff: bool
    l2: float
    data: str
    statics: str = COUNTED
    chains: bool = False
    distance: bool = False
    operators: float = 0.0
    context: bool = False

    @property
    def without_operators(self) -> Candidate:
        """The same with scores of states only."""
        return self._replace(operators=0.0)

    def to_json(self) -> dict[str, Any]:
        """The choices as plain values."""
        chosen = self._asdict()
        for name in ("operators", "context"):
            if not chosen[name]:
                del chosen[name]
        return {"neighbours": "multiset" if chosen.pop("multiset") else "set", **chosen}

    @staticmethod
    def from_json(chosen: Mapping[str, Any]) -> Candidate:
        """The candidate of such values."""
        rest = {name: value for name, value in chosen.items() if name != "neighbours"}
        return Candidate(multiset=NEIGHBOURS[chosen["neighbours"]], **rest)

    def __str__(self) -> str:
        extra = f"{' and chains' if self.chains else ''}{' with h_FF' if self.h_ff else ''}"
        extra += " with distances" if self.distance else ""
        extra += " with costs in context" if self.context else ""
        kind = "multisets" if self.multiset else "sets"
        what = {COUNTED: "", SEEN: ", relations seen", THIN: ", dense relations left out"}
        told = f"{self.rounds} rounds, neighbour {kind}{extra}, l2 {self.l2:g}, {self.data} plans"
        ranked = f", operators ranked with l2 {self.operators:g}" if self.operators else ""
        return f"{told}{what[self.statics]}{ranked}"


@dataclass(frozen=True, kw_only=True)
class LearnSettings:
    """How to learn; None means that all possibilities are tried.

    In Python, `plans` may also be a dictionary from task files to plans.

    >>> [len(stage) for stage in LearnSettings(rounds=2, neighbours="set").stages(["all"])]
    [5, 5]
    >>> roads = Relations(alike=("road",))
    >>> [len(stage) for stage in LearnSettings(rounds=2, neighbours="set").stages(["all"], roads)]
    [5, 6, 5]
    """

    plans: Plans | None = setting(
        None, "Folder of plans, TASK.plan for each task; those that are missing are found.", "DIR"
    )
    loss: str = setting(DEFAULT_LOSS, "One of {names}.", "NAME", names=LOSSES)
    rounds: int | None = setting(
        None, "Rounds of refinement, 1 to 4; by default chosen by planning.", "L"
    )
    neighbours: str | None = setting(
        None,
        "set or multiset: whether equal neighbours are counted; by default chosen by planning.",
        "KIND",
        names=NEIGHBOURS,
    )
    h_ff: bool | None = setting(
        None, "Whether models use h_FF as a feature; by default chosen by planning."
    )
    keep_tasks: AnyPath | None = setting(
        None, "Write the tasks that are made from the given ones into this folder.", "DIR"
    )
    unit_costs: bool = setting(False, "Let every action cost 1, whatever the files say.")
    seed: int = setting(0, "Decides which states are drawn at random.", "N")
    jobs: int | None = setting(
        None, "At the same time; one for each core.", "N", aliases=("--workers",)
    )
    backend: str = setting("local", "Where jobs run: one of {names}.", "NAME", names=BACKENDS)
    time_limit: float | None = setting(
        None, "The best model so far is the result after this time.", "SECONDS"
    )
    memory_limit: int | str | None = setting(
        None, "Of all jobs together, such as 200M or 2G; a plain number means MB.", "SIZE"
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "memory_limit", memory_size("memory limit", self.memory_limit))
        check_limit("time limit", self.time_limit)
        check_limit("memory limit", self.memory_limit)
        loss_entry(self.loss)
        if self.rounds is not None and not 1 <= self.rounds <= MAX_ROUNDS:
            message = f"{self.rounds} rounds of refinement"
            raise BeelineError(message, hint=f"take 1 to {MAX_ROUNDS}, better 2")
        if self.neighbours is not None and self.neighbours not in NEIGHBOURS:
            message = f"neighbours '{self.neighbours[:40]}'"
            raise BeelineError(message, hint="take 'set' or 'multiset'")
        if not 0 <= self.seed < 2**63:
            raise BeelineError(f"the seed is {self.seed}", hint="seeds are numbers from 0 up")

    def stages(
        self, data: list[str], relations: Relations = NO_RELATIONS, *, ordered: bool = False
    ) -> list[list[Candidate]]:
        """Candidates from simple to complex: of equally good ones the first is taken.

        Later stages are for domains in which none before finds a way straight to the goal, or only
        with the preferred operators of relaxed plans. `ordered`: goals depend on no circles, and so
        their costs in context are cheap, which is worth a small stage of its own.
        """
        first, *others = relations.ways()
        h_ff = (False, True) if self.h_ff is None else (self.h_ff,)
        modes = [False, True] if self.neighbours is None else [NEIGHBOURS[self.neighbours]]
        kinds = [(with_ff, multiset) for with_ff in h_ff for multiset in modes]
        stages = [
            [
                Candidate(multiset, number, with_ff, l2, plans, first)
                for with_ff, multiset in part
                for number in self._rounds(multiset)
                for plans in data
                for l2 in (MULTISET_PENALTIES if multiset else PENALTIES)
            ]
            for part in (kinds[:1], kinds[1:])
        ]
        some = [each for each in stages[0] if each.l2 in PENALTIES[::2]]
        more = [each._replace(chains=True) for each in some if relations.paired]
        if relations.sparse and not any(each.h_ff for each in some):
            more += [each._replace(distance=True) for each in some]
        more += [each._replace(statics=way) for way in others for each in some]
        context = [
            each._replace(context=True)
            for each in stages[0]
            if ordered and not each.h_ff and each.l2 in CONTEXT_PENALTIES
        ]
        return [stage for stage in (stages[0], context, more, stages[1]) if stage]

    def _rounds(self, multiset: bool) -> list[int]:
        """The numbers of rounds to try, 2 first."""
        if self.rounds is not None:
            return [self.rounds]
        rounds = MULTISET_ROUNDS if multiset else DEFAULT_ROUNDS
        return sorted(rounds, key=lambda number: abs(number - 2))

    def to_json(self) -> dict[str, Any]:
        """The settings as plain values: all that a model depends on if there is time for it."""
        return {name: getattr(self, name) for name in _WITH_INFLUENCE}


def check_limit(name: str, value: Any) -> None:
    """Refuse a limit that is no number above 0."""
    if value is not None and not 0 < value < math.inf:
        raise BeelineError(f"the {name} {value} is not a number above 0")


def python_warning(message: str) -> None:
    """A warning of whoever called the function that warns."""
    warnings.warn(message, stacklevel=3)
