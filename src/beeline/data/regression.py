"""Regression samples: partial states before the goal, with estimates and preferred operators.

The steps are those of Bettker et al., "Understanding sample generation strategies for learning
heuristic functions in classical planning" (2022), and of Minini, "Discovering and learning
preferred operators for classical planning with neural networks" (2023):

1. regression from the goal, by FSM, XRS or a plainer strategy;
2. sample improvement (SAI): equal partial states share their smallest estimate;
3. successor improvement (SUI): shortest ways in the graph of the samples;
4. discovered preferred operators: the first steps of these ways (definition 13);
5. completion of the partial states, and SAI again on the completed ones: equal states share
   the smallest estimate, and the preferred operators of the samples that have it (or, as
   `equal_states` says, those of all of them, or none);
6. random states, with the largest estimate + 1.

All work per state is done in the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from beeline import _native
from beeline.core.errors import BeelineError, ExitCode, UnsupportedError
from beeline.data.regression_settings import ALL, OWN, STRATEGIES, RegressionSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline.task.ground_task import GroundTask

    Rows = tuple[NDArray[np.int64], NDArray[np.int32]]

UNDEFINED = -1
UNLIMITED = 2**30


class UnsolvableTaskError(BeelineError):
    """A task without a plan has nothing to sample."""

    exit_code = ExitCode.UNSOLVABLE


@dataclass(frozen=True, eq=False)
class RegressionSamples:
    """Samples of one task: first those of the regression, in the order drawn, then random ones.

    Values are numbers of the ground task, -1 where undefined. `depths` counts steps to the goal:
    of the way on which a sample was met or, if all operators cost 1, of the shortest one known;
    -1 for random states. Preferred operators come as (starts, items).
    """

    partial: NDArray[np.int32]  # [n, variables]
    values: NDArray[np.int32]  # [n, variables], completed
    complete: NDArray[np.uint8]  # [n], 0: no completion was found, `values` has undefined ones
    estimates: NDArray[np.int64]  # [n], cost of a way to the goal
    depths: NDArray[np.int32]  # [n]
    is_random: NDArray[np.bool_]  # [n]
    preferred: Rows
    limit: int  # facts over mean effects: L of the literature
    distinct: int  # different partial states
    dropped: int  # random states that were among the samples, and left out

    def __len__(self) -> int:
        return len(self.estimates)

    @property
    def sampled(self) -> int:
        """Samples of the regression."""
        return len(self) - int(self.is_random.sum())

    @property
    def max_depth(self) -> int:
        """The largest number of steps to the goal."""
        return int(self.depths.max())

    def summary(self) -> dict[str, int | float]:
        """Figures of the whole set."""
        sampled = self.sampled
        return {
            "samples": len(self),
            "sampled": sampled,
            "distinct": self.distinct,
            "distinct_share": round(self.distinct / sampled, 6),
            "random": len(self) - sampled,
            "dropped": self.dropped,
            "incomplete": int(np.count_nonzero(self.complete == 0)),
            "max_depth": self.max_depth,
            "limit": self.limit,
            "max_estimate": int(self.estimates[:sampled].max()),
            "mean_preferred": round(len(self.preferred[1]) / sampled, 6),
        }


def regression_samples(task: GroundTask, settings: RegressionSettings) -> RegressionSamples:
    """Draw, improve and complete samples; equal settings give equal samples.

    There are fewer than asked for if the regression meets no more.

    >>> from beeline.generators import generate
    >>> from beeline.data.regression_settings import RegressionSettings
    >>> from beeline.task.grounding import ground
    >>> task = ground(generate("blocksworld", seed=1, blocks=4))
    >>> samples = regression_samples(task, RegressionSettings(50, seed=3))
    >>> len(samples), samples.distinct, samples.estimates[:4].tolist()
    (50, 50, [0, 1, 2, 2])
    """
    if settings.percent is not None:
        from beeline.data.state_spaces import enumerate_states

        settings = settings.of(len(enumerate_states(task, settings.max_states)))
    refuse_unsolvable(task)
    if settings.unit_costs and (task.costs != 1).any():
        message = "unit costs are asked for, but operators of the task cost something else"
        raise BeelineError(message, hint="load it with unit_costs=True")
    draw_seed, completion_seed, random_seed = (
        int(word) for word in np.random.SeedSequence(settings.seed).generate_state(3, np.uint64)
    )
    limit = _native.regression_limit(task.native)
    states = _native.PartialStates(task.native)
    ids, estimates, depths = _draw(states, settings, limit, draw_seed)
    distinct, places = np.unique(ids, return_inverse=True)
    graph = _native.SampleGraph(states, distinct)
    improved = graph.improved(_smallest(places, estimates))
    if settings.improve:
        estimates = improved[places]
        if task.num_operators and (task.costs == 1).all():
            depths = estimates.astype(np.int32)
    partial = states.values(ids)
    values, complete = _native.complete(task.native, partial, settings.attempts, completion_seed)
    preferred = rows_at(graph.preferred(improved), places)
    if settings.improve:
        same = np.unique(states.insert(values), return_inverse=True)[1]
        smallest = _smallest(same, estimates)[same]
        if settings.equal_states != OWN:
            giving = (estimates == smallest) | (settings.equal_states == ALL)
            preferred = _shared(preferred, same, giving)
        estimates = smallest
    # Random states are completions of nothing; if the regression met less than it was asked for,
    # there are fewer of them, too.
    share = settings.random_share
    count = min(settings.random_count, round(len(ids) * share / (1 - share)))
    nothing = np.full((count, task.num_variables), UNDEFINED, np.int32)
    random = _native.complete(task.native, nothing, settings.attempts, random_seed)
    new = ~np.isin(states.insert(random[0]), states.insert(values))
    extra = int(new.sum())
    starts, items = preferred
    return RegressionSamples(
        partial=np.vstack([partial, np.full_like(random[0][new], UNDEFINED)]),
        values=np.vstack([values, random[0][new]]),
        complete=np.append(complete, random[1][new]),
        estimates=np.append(estimates, np.full(extra, estimates.max() + 1, np.int64)),
        depths=np.append(depths, np.full(extra, UNDEFINED, np.int32)),
        is_random=np.repeat([False, True], [len(ids), extra]),
        preferred=(np.append(starts, np.full(extra, starts[-1])), items),
        limit=limit,
        distinct=len(distinct),
        dropped=len(new) - extra,
    )


def facts_of(task: GroundTask, values: NDArray[np.int32]) -> NDArray[np.uint8]:
    """F(s), which facts are true: int32[n, variables] to uint8[n, facts].

    An undefined variable makes none of its facts true.
    """
    facts = np.zeros((len(values), task.num_facts), np.uint8)
    starts, items = true_facts(task, values)
    facts[np.repeat(np.arange(len(values)), np.diff(starts)), items] = 1
    return facts


def true_facts(task: GroundTask, values: NDArray[np.int32]) -> Rows:
    """The true facts of each state, ascending, as (starts, items)."""
    fact_of = np.append(task.native.fact_of, UNDEFINED).astype(np.int32)  # of value -1: the last
    facts = np.sort(fact_of[values], axis=1)
    true = facts >= 0
    starts = np.append(0, np.cumsum(true.sum(axis=1))).astype(np.int64)
    return starts, facts[true]


def rows_at(rows: Rows, places: NDArray[np.int64]) -> Rows:
    """Some rows of (starts, items), in the order of their places.

    >>> starts, items = rows_at((np.array([0, 2, 3]), np.array([7, 8, 9])), np.array([1, 0, 1]))
    >>> starts.tolist(), items.tolist()
    ([0, 1, 3, 4], [9, 7, 8, 9])
    """
    starts, items = rows
    lengths = np.diff(starts)[places]
    ends = np.append(0, np.cumsum(lengths)).astype(np.int64)
    # Each item's place is the first place of its row, plus how far it is within the row.
    shifts = np.repeat(starts[places] - ends[:-1], lengths)
    return ends, items[shifts + np.arange(ends[-1])]


def refuse_unsolvable(task: GroundTask) -> None:
    """Raise an error if grounding knows that there is no plan."""
    if task.unsolvable_reason is not None:
        raise UnsolvableTaskError(f"the task is unsolvable: {task.unsolvable_reason}")


def _draw(
    states: _native.PartialStates, settings: RegressionSettings, limit: int, seed: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int32]]:
    """Numbers of partial states, with costs and steps to the goal."""
    depth = UNLIMITED
    if STRATEGIES[settings.strategy].limited:
        depth = limit if settings.depth is None else settings.depth
    count = settings.count - settings.random_count
    try:
        return states.sample(settings.strategy, count, settings.share, depth, seed)
    except ValueError as error:  # operators whose effects depend on too many values
        raise UnsupportedError(f"regression is not possible in this task: {error}") from None


def _smallest(places: NDArray[np.int64], estimates: NDArray[np.int64]) -> NDArray[np.int64]:
    """The smallest estimate at each place (SAI)."""
    smallest = np.full(int(places.max()) + 1, np.iinfo(np.int64).max, np.int64)
    np.minimum.at(smallest, places, estimates)
    return smallest


def _shared(rows: Rows, places: NDArray[np.int64], giving: NDArray[np.bool_]) -> Rows:
    """Rows at equal places share what those of them that are giving have, ascending.

    >>> rows = (np.array([0, 1, 3, 4]), np.array([8, 5, 6, 7]))
    >>> starts, items = _shared(rows, np.array([0, 0, 0]), np.array([True, False, True]))
    >>> starts.tolist(), items.tolist()
    ([0, 2, 4, 6], [7, 8, 7, 8, 7, 8])
    """
    starts, items = rows
    owners = np.repeat(np.arange(len(places)), np.diff(starts))
    given = giving[owners]
    width = int(items.max(initial=0)) + 1
    at, shared = np.divmod(np.unique(places[owners[given]] * width + items[given]), width)
    ends = np.searchsorted(at, np.arange(int(places.max()) + 2)).astype(np.int64)
    return rows_at((ends, shared.astype(np.int32)), places)
