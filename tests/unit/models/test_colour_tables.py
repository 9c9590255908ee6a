"""Colour tables: written out and read back, damaged, and blind to names."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from coloured_walks import Walk, as_ids, copied, random_weights, small_task, sparse_counts
from hypothesis import given, settings
from hypothesis import strategies as st

from beeline import _native, generators
from beeline.pddl import parse_problem
from beeline.pddl.model import Problem
from beeline.pddl.writer import format_problem
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

both_modes = pytest.mark.parametrize("multiset", [False, True], ids=["sets", "multisets"])
every_domain = pytest.mark.parametrize("domain", generators.names())


@both_modes
@every_domain
def test_rows_say_all_there_is_to_a_table(domain: str, multiset: bool) -> None:
    walk = Walk(small_task(domain))
    table = walk.table(3, multiset=multiset, taught=walk.ids[::2])
    again = copied(table)
    assert (again.base_colours, again.rounds, again.multiset) == (table.base_colours, 3, multiset)
    assert again.size == table.size
    for ours, theirs in zip(again.rows(), table.rows(), strict=True):
        assert ours.tolist() == theirs.tolist()
    assert again.rounds_of().tolist() == table.rounds_of().tolist()
    for ours, theirs in zip(
        again.embed(walk.graph, walk.states, walk.ids),
        table.embed(walk.graph, walk.states, walk.ids),
        strict=True,
    ):
        assert ours.tolist() == theirs.tolist()
    # What it learns afterwards is the same, too.
    assert sparse_counts(again, walk, walk.ids, collect=True) == sparse_counts(
        table, walk, walk.ids, collect=True
    )
    assert again.rows()[1].tolist() == table.rows()[1].tolist()


def rows_of(*rows: list[int]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return starts, np.array([item for row in rows for item in row], dtype=np.int32)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        pytest.param([[0, 16]], "length", id="half a pair"),
        pytest.param([[]], "length", id="empty row"),
        pytest.param([[3]], "colour", id="own colour comes later"),
        pytest.param([[-1]], "colour", id="negative own colour"),
        pytest.param([[0], [3], [4], [5]], "colour", id="more rounds than there are"),
        pytest.param([[0, 16 * 9, 1]], "neighbour", id="neighbour comes later"),
        pytest.param([[0, -16, 1]], "neighbour", id="negative neighbour"),
        pytest.param([[0], [1, 16 * 3, 1]], "neighbour", id="neighbour of another round"),
        pytest.param([[0, 16, 0]], "neighbour", id="no times"),
        pytest.param([[0, 16, -1]], "neighbour", id="negative count"),
        pytest.param([[0, 16, 1], [0, 16, 1]], "twice", id="twice"),
    ],
)
@both_modes
def test_rows_that_contradict_each_other_are_refused(
    rows: list[list[int]], reason: str, multiset: bool
) -> None:
    with pytest.raises(ValueError, match=reason):
        _native.ColourTable.from_rows(3, 3, multiset, *rows_of(*rows))


def test_sets_count_nothing_twice() -> None:
    rows = rows_of([0, 16, 2])
    assert _native.ColourTable.from_rows(3, 1, True, *rows).size == 4
    with pytest.raises(ValueError, match="neighbour"):
        _native.ColourTable.from_rows(3, 1, False, *rows)


@pytest.mark.parametrize("starts", [[], [1], [0], [0, 5], [0, 3, 2, 6], [0, -3, 6], [0, 3, 9, 6]])
def test_starts_that_do_not_fit_are_refused(starts: list[int]) -> None:
    items = np.array([0, 16, 1, 1, 16, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="colour table"):
        _native.ColourTable.from_rows(3, 1, True, np.array(starts, dtype=np.int64), items)


@pytest.mark.parametrize(("base", "rounds"), [(0, 1), (-5, 1), (3, -1)])
def test_sizes_that_make_no_sense_are_refused(base: int, rounds: int) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever the reason
        _native.ColourTable(base, rounds, True)


damage = st.lists(
    st.tuples(
        st.sampled_from(("items", "starts")),
        st.integers(0, 10**6),
        st.one_of(
            st.integers(-40, 400), st.sampled_from([2**31 - 1, -(2**31), 2**27 * 16 - 1, 10**6])
        ),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=300)
@given(damage, st.booleans(), st.sampled_from(["blocksworld", "ferry", "scanalyzer"]))
def test_damaged_tables_are_refused_or_work(
    changes: list[tuple[str, int, int]], multiset: bool, domain: str
) -> None:
    walk = Walk(small_task(domain), steps=4)
    table = walk.table(3, multiset=multiset)
    parts = dict(zip(("starts", "items"), (array.copy() for array in table.rows()), strict=True))
    for part, place, value in changes:
        parts[part][place % len(parts[part])] = value
    try:
        damaged = _native.ColourTable.from_rows(
            table.base_colours, 3, multiset, parts["starts"], parts["items"]
        )
    except ValueError:
        return
    assert damaged.rows()[1].tolist() == parts["items"].tolist()
    counts = sparse_counts(damaged, walk, walk.ids)
    weights = random_weights(damaged, 1)
    score = _native.ColourScore(walk.graph, damaged, weights)
    full = _native.ColourScore(walk.graph, damaged, weights, incremental=False)
    values = score.evaluate(walk.states, walk.ids).tolist()
    assert values == full.evaluate(walk.states, walk.ids).tolist()
    assert values == [
        float(sum(int(weights[colour]) * count for colour, count in row.items())) for row in counts
    ]


@settings(max_examples=100)
@given(st.lists(st.integers(-2, 60), max_size=30), st.lists(st.integers(-1, 31), max_size=8))
def test_any_numbers_are_refused_or_make_a_table(items: list[int], starts: list[int]) -> None:
    arrays = np.array(starts, dtype=np.int64), np.array(items, dtype=np.int32)
    try:
        table = _native.ColourTable.from_rows(3, 2, True, *arrays)
    except ValueError:
        return
    assert [array.tolist() for array in table.rows()] == [starts, items]


class Renamed:
    """A task whose objects have other names and come in another order, like its facts."""

    def __init__(self, task: GroundTask, rng: random.Random) -> None:
        problem = task.problem
        constants = problem.domain.constants
        names = [name for name in problem.objects if name not in constants]
        new = [f"thing-{place}" for place in rng.sample(range(len(names)), len(names))]
        self.names = dict(zip(names, new, strict=True))
        order = [*constants, *rng.sample(names, len(names))]
        shuffled = Problem(
            problem.domain,
            problem.name,
            {name: problem.objects[name] for name in order},
            rng.sample(problem.init, len(problem.init)),
            problem.function_values,
            problem.goal,
            problem.minimize_cost,
            problem.file,
        )
        text = re.sub(r"[^\s()]+", lambda word: self.name(word[0]), format_problem(shuffled))
        self.task = ground(parse_problem(problem.domain, text))

    def name(self, word: str) -> str:
        return self.names.get(word, word)

    def operator(self, name: str) -> int:
        words = name.strip("()").split()
        (number,) = self.task.operator_ids(" ".join([words[0], *map(self.name, words[1:])]))
        return number


@every_domain
def test_names_and_order_of_objects_do_not_matter(domain: str) -> None:
    rng = random.Random(3)
    task = small_task(domain)
    renamed = Renamed(task, rng)
    walk, other = Walk(task, steps=0), Walk(renamed.task, steps=0)
    path, other_path = [walk.states.initial], [other.states.initial]
    for _ in range(20):
        operators, successors = walk.states.successors(path[-1])
        if len(operators) == 0:
            break
        chosen = rng.randrange(len(operators))
        path.append(int(successors[chosen]))
        number = renamed.operator(task.operator_name(operators[chosen]))
        operators, successors = other.states.successors(other_path[-1])
        other_path.append(int(successors[operators.tolist().index(number)]))
    for multiset in (False, True):
        table = walk.table(3, multiset=multiset, taught=as_ids(path))
        *_, unseen = table.embed(other.graph, other.states, as_ids(other_path))
        assert not unseen.any()
        assert sparse_counts(table, other, as_ids(other_path)) == sparse_counts(
            table, walk, as_ids(path)
        )


def test_tables_of_another_domain_are_refused() -> None:
    walk = Walk(small_task("rovers"), steps=2)
    table = _native.ColourTable(3, 2, True)
    for collect in (False, True):
        with pytest.raises(ValueError, match="base colours"):
            table.embed(walk.graph, walk.states, walk.ids, collect)
    for incremental in (False, True):
        with pytest.raises(ValueError, match="base colours"):
            _native.ColourScore(
                walk.graph, table, np.zeros(3, dtype=np.int64), incremental=incremental
            )
