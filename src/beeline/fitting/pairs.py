"""Which states a ranking loss compares, within one task.

States are numbers of any kind; a pair says that the first of two should score below the second.
Families of states come from a plan, its own children and their worse siblings, or from all states
of a small task with their goal distances. Distances are pairs (cost, steps), compared in this
order, so that of equally cheap ways the shorter one is better and operators that cost nothing lead
somewhere, too.

Other steps may be as good as those of a plan: steps that could come earlier, found by replaying the
plan, and steps to children that are at most as far from the goal. A* with LM-cut decides that,
cutting off all that costs more: mostly the first evaluation is enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline import _native
from beeline.data.plan_walk import PlainSteps, optimal_search, search_from
from beeline.data.reader import open_lists

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from beeline._native import States
    from beeline.data.plan_walk import Walk
    from beeline.data.reader import Row
    from beeline.task.ground_task import GroundTask


class Family(NamedTuple):
    """A state and two kinds of its children: those to prefer, and those that are worse.

    Children that are neither, because they are as good or because nothing is known about them,
    are left out.
    """

    parent: int
    good: tuple[int, ...]
    bad: tuple[int, ...]


class IndexPairs(NamedTuple):
    """Pairs of states by number, with offsets alpha (g_i - g_j) and weights."""

    better: NDArray[np.int64]
    worse: NDArray[np.int64]
    offsets: NDArray[np.float64]
    weights: NDArray[np.float64]


def sibling_pairs(
    families: Iterable[Family], *, max_pairs: int | None = None, seed: int = 0
) -> IndexPairs:
    """Every good child below every bad one, and below the parent.

    Each pair of a family with n good children weighs 1/n, so that a family counts as often as
    the search stands before that choice. Beyond `max_pairs` a random selection stands for all,
    with the same total weight.

    >>> pairs = sibling_pairs([Family(0, (1, 2), (3,))])
    >>> list(zip(pairs.better.tolist(), pairs.worse.tolist(), pairs.weights.tolist()))
    [(1, 3, 0.5), (1, 0, 0.5), (2, 3, 0.5), (2, 0, 0.5)]
    """
    pairs = [
        (winner, loser, 1.0 / len(family.good))
        for family in families
        for winner in family.good
        for loser in (*family.bad, family.parent)
    ]
    better, worse, weights = zip(*pairs, strict=True) if pairs else ((), (), ())
    return selected(index_pairs(better, worse, np.zeros(len(pairs)), weights), max_pairs, seed)


def trajectory_pairs(path: Sequence[int]) -> IndexPairs:
    """Each state of a path below the one before it (equation 6 of Chrestien et al.).

    >>> pairs = trajectory_pairs([4, 7, 9])
    >>> pairs.better.tolist(), pairs.worse.tolist()
    ([7, 9], [4, 7])
    """
    count = max(len(path) - 1, 0)
    return index_pairs(path[1:], path[:-1], np.zeros(count), np.ones(count))


def open_list_pairs(
    rows: Sequence[Row], *, alpha: float, max_pairs: int | None = None, seed: int = 0
) -> IndexPairs:
    """Each state of a plan below all others in its Open list (definition 1 of Chrestien et al.).

    `rows` are a plan's states and siblings as `open_lists` takes them. Open lists grow with each
    step; beyond `max_pairs` a random selection stands for all of them, with the same total
    weight.
    """
    lists = list(open_lists(rows))
    first = np.array([index for index, others in lists for _ in others], dtype=np.int64)
    second = np.array([other for _, others in lists for other in others], dtype=np.int64)
    states = np.array([row["state"] for row in rows])
    g = np.array([row["g"] for row in rows], dtype=np.float64)
    offsets = alpha * (g[first] - g[second])
    pairs = index_pairs(states[first], states[second], offsets, np.ones(len(first)))
    return selected(pairs, max_pairs, seed)


def index_pairs(
    better: ArrayLike, worse: ArrayLike, offsets: NDArray[np.float64], weights: ArrayLike
) -> IndexPairs:
    """Pairs of lists."""
    first, second = (np.array(rows, dtype=np.int64) for rows in (better, worse))
    return IndexPairs(first, second, offsets, np.array(weights, dtype=np.float64))


def selected(pairs: IndexPairs, max_pairs: int | None, seed: int) -> IndexPairs:
    """A random selection that stands for all pairs, if these are too many."""
    count = len(pairs.better)
    if max_pairs is None or count <= max_pairs:
        return pairs
    chosen = np.sort(np.random.default_rng(seed).permutation(count)[:max_pairs])
    factor = float(pairs.weights.sum() / pairs.weights[chosen].sum())
    better, worse, offsets, weights = pairs
    return IndexPairs(better[chosen], worse[chosen], offsets[chosen], weights[chosen] * factor)


@dataclass(frozen=True, eq=False)
class StateSpace:
    """The reachable states of a task, numbered as in the registry, with arcs and distances.

    The arcs from state `i` are `starts[i]` to `starts[i + 1] - 1`, with `targets` and `lengths`.
    `distance` is float64[states]: cost times a large number, plus steps; infinity for dead ends.
    """

    starts: NDArray[np.int64]
    targets: NDArray[np.int64]
    lengths: NDArray[np.float64]
    distance: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.distance)

    def family(self, parent: int) -> Family:
        """The children on shortest ways to the goal, and the others except the parent itself."""
        arcs = slice(int(self.starts[parent]), int(self.starts[parent + 1]))
        children, through = self.targets[arcs], self.lengths[arcs]
        is_best = through + self.distance[children] == self.distance[parent]
        good = dict.fromkeys(children[is_best].tolist())
        bad = dict.fromkeys(children[~is_best].tolist())
        worse = tuple(child for child in bad if child not in good and child != parent)
        return Family(parent, tuple(good), worse)

    def dead_families(self, dead: Iterable[int]) -> list[Family]:
        """What a search can still turn to when it meets these dead ends: they are worse than that.

        The parent is the last state before the dead end from which a plan exists; its good
        children wait in the queue for as long as the search strays among what is behind its bad
        ones.
        """
        reached, first_arcs = np.unique(self.targets, return_index=True)
        sources = np.searchsorted(self.starts, first_arcs, side="right") - 1
        came_from = dict(zip(reached.tolist(), sources.tolist(), strict=True))
        families = []
        for state in dead:
            alive = state
            while alive and np.isinf(self.distance[alive]):
                alive = came_from[alive]
            if 0 < self.distance[alive] < np.inf:
                families.append(Family(alive, self.family(alive).good, (state,)))
        return families

    def families(self, parents: Iterable[int]) -> list[Family]:
        """The families of these states, without goal states and dead ends."""
        return [self.family(parent) for parent in parents if 0 < self.distance[parent] < np.inf]


def enumerate_states(task: GroundTask, states: States, max_states: int) -> StateSpace | None:
    """All states that can be reached from the initial one; None if there are too many.

    The states are registered in breadth-first order in `states`, which must be new.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    starts = [0]
    operators: list[NDArray[np.int32]] = []
    targets: list[NDArray[np.uint32]] = []
    parent = states.initial
    while parent < len(states):
        if len(states) > max_states:
            return None
        applicable, children = states.successors(parent)
        operators.append(applicable)
        targets.append(children)
        starts.append(starts[-1] + len(children))
        parent += 1
    count = len(states)
    arcs = np.concatenate(targets).astype(np.int64)
    # Distances beyond 2**53 would lose the steps: no task of this size comes near.
    lengths = task.costs[np.concatenate(operators)].astype(np.float64) * 2.0**20 + 1.0
    values = states.values(np.arange(count, dtype=np.uint32))
    goals = np.flatnonzero((values[:, task.goal_variables] == task.goal).all(axis=1))
    sources = np.repeat(np.arange(count), np.diff(starts))
    backward = _shortest_arcs(arcs, sources, lengths, count + 1, goals)
    graph = csr_matrix(backward, shape=(count + 1, count + 1))
    distance = dijkstra(graph, indices=count)[:count] - 1.0
    return StateSpace(np.array(starts, dtype=np.int64), arcs, lengths, distance)


def _shortest_arcs(
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    lengths: NDArray[np.float64],
    size: int,
    goals: NDArray[np.int64],
) -> tuple[NDArray[np.float64], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Arcs with the shortest of parallel ones, and arcs of length 1 from the last node to goals."""
    sources = np.concatenate([sources, np.full(len(goals), size - 1)])
    targets = np.concatenate([targets, goals])
    lengths = np.concatenate([lengths, np.ones(len(goals))])
    order = np.lexsort((lengths, sources * size + targets))
    keys = (sources * size + targets)[order]
    first = np.ones(len(keys), dtype=bool)
    first[1:] = keys[1:] != keys[:-1]
    chosen = order[first]
    return lengths[chosen], (sources[chosen], targets[chosen])


def plan_families(states: States, walk: Walk, as_good: Sequence[set[int]] = ()) -> list[Family]:
    """A family for each step of a plan.

    `as_good` has for each step the operators that lead to a state no worse than the plan's own:
    good children, too. States that the plan has been through are left out: the search never
    comes back to them.
    """
    families = []
    been_there: set[int] = set()
    for place, parent in enumerate(walk.states[:-1]):
        been_there.add(parent)
        chosen = walk.states[place + 1]
        if chosen in been_there:  # the plan goes round in a circle
            continue
        wanted = as_good[place] if place < len(as_good) else set()
        operators, children = (array.tolist() for array in states.successors(parent))
        steps = zip(operators, children, strict=True)
        as_wanted = [child for operator, child in steps if operator in wanted]
        good = dict.fromkeys([chosen, *(child for child in as_wanted if child not in been_there)])
        others = [child for child in dict.fromkeys(children) if child not in been_there]
        bad = tuple(child for child in others if child not in good)
        families.append(Family(parent, tuple(good), bad))
    return families


class Replay(PlainSteps):
    """The operators of a task as plain lists, ready to be applied one after another."""

    def reaches_goal(self, state: list[int], operators: Sequence[int]) -> bool:
        """Whether these operators lead from the state to a goal state."""
        for operator in operators:
            after = self.apply(state, operator)
            if after is None:
                return False
            state = after
        return self.is_goal(state)

    def states(self, operators: Sequence[int]) -> list[list[int]]:
        """The states of a plan, the initial one first."""
        path: list[list[int]] = [self._task.initial.tolist()]
        for operator in operators:
            after = self.apply(path[-1], operator)
            if after is None:
                raise ValueError("an operator of the plan does not apply")
            path.append(after)
        return path

    def exchangeable(self, operators: Sequence[int], *, max_steps: int) -> list[set[int]]:
        """For each step, the later operators of the plan that could be taken in its place.

        Such an operator is moved to the front of the rest of the plan, which must still reach
        the goal. It leads to a state that is no worse than the plan's own. At most `max_steps`
        steps are replayed; places at the end of a plan beyond that have no entries. With axioms
        there are none, since plain lists know nothing of them.
        """
        found: list[set[int]] = [set() for _ in operators]
        if self._task.has_axioms:
            return found
        path = self.states(operators)
        steps = 0
        for place, state in enumerate(path[:-1]):
            tried = {operators[place]}
            for later in range(place + 1, len(operators)):
                operator = operators[later]
                if operator in tried:
                    continue
                tried.add(operator)
                after = self.apply(state, operator)
                if after is None:
                    continue
                steps += len(operators) - place
                if steps > max_steps:
                    return found
                rest = [*operators[place:later], *operators[later + 1 :]]
                if self.reaches_goal(after, rest):
                    found[place].add(operator)
        return found


EVALUATIONS_PER_CHILD = 1000


def equal_steps(
    task: GroundTask, states: States, walk: Walk, max_evaluations: int
) -> list[set[int]]:
    """For each step of an optimal plan, the other operators that begin an optimal rest.

    Steps are looked at from the end of the plan on; where evaluations run out, nothing is known,
    and the sets are empty.
    """
    config = optimal_search(task)
    config.bound_with_h = True
    rest, costs = walk.costs_to_go(task), task.costs
    found: list[set[int]] = [set() for _ in walk.operators]
    left = max_evaluations
    for place in reversed(range(len(walk.operators))):
        operators, children = (array.tolist() for array in states.successors(walk.states[place]))
        verdicts: dict[int, bool] = {walk.states[place + 1]: False, walk.states[place]: False}
        for operator, child in zip(operators, children, strict=True):
            bound = rest[place] - int(costs[operator]) + 1
            if child not in verdicts and bound > 0:
                config.bound = bound
                config.max_evaluations = min(left, EVALUATIONS_PER_CHILD)
                start = np.array([child], dtype=np.uint32)
                result = search_from(task, states, start, config)
                left -= result.counters.evaluated
                verdicts[child] = result.status == _native.SearchStatus.SOLVED
                if left <= 0:
                    return found
            if verdicts.get(child):
                found[place].add(operator)
    return found
