"""Colours of the engine against colour refinement by the book."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from coloured_walks import Walk, as_ids, copied, small_task, sparse_counts
from reference_colours import ReferenceColours, chains, literal_goal, true_atoms

from beeline import _native, generators
from beeline.models.colours.graph import BaseColours

ROUNDS = 4
both_modes = pytest.mark.parametrize("multiset", [False, True], ids=["sets", "multisets"])
every_domain = pytest.mark.parametrize("domain", generators.names())


class Comparison:
    """The states of a walk with the colours that they have by the book."""

    def __init__(self, domain: str, multiset: bool, *, with_chains: bool = False) -> None:
        task = small_task(domain)
        self.walk = Walk(task, chains=with_chains)
        self.reference = ReferenceColours(task.problem.domain, ROUNDS, multiset=multiset)
        goal = literal_goal(task.problem)
        self.expected = []
        for state in self.walk.ids.tolist():
            true = true_atoms(task, self.walk.states, state)
            seen = true | (chains(task, goal, true) if with_chains else set())
            self.expected.append(self.reference.counts(task.problem, goal, seen))

    def in_reference_numbers(
        self, table: _native.ColourTable, counts: list[dict[int, int]]
    ) -> list[dict[int, int]]:
        meanings = self.reference.meanings(table)
        assert len(set(meanings)) == table.size  # different colours mean different things
        return [{meanings[colour]: count for colour, count in row.items()} for row in counts]

    def up_to(self, rounds: int) -> list[dict[int, int]]:
        return [dict(sum(counts[1 : rounds + 1], counts[0])) for counts in self.expected]


@pytest.mark.parametrize("with_chains", [False, True], ids=["plain", "chains"])
@both_modes
@every_domain
def test_counts_agree_colour_by_colour(domain: str, multiset: bool, with_chains: bool) -> None:
    comparison = Comparison(domain, multiset, with_chains=with_chains)
    walk = comparison.walk
    for rounds in range(1, ROUNDS + 1):
        table = walk.table(rounds, multiset=multiset)
        expected = comparison.up_to(rounds)
        counts = sparse_counts(table, walk, walk.ids)
        assert comparison.in_reference_numbers(table, counts) == expected
        # States are told apart exactly as the reference tells them apart.
        assert classes(counts) == classes(expected)


def classes(counts: list[dict[int, int]]) -> list[int]:
    """For each state the first one that looks like it."""
    first: dict[frozenset[tuple[int, int]], int] = {}
    return [first.setdefault(frozenset(row.items()), place) for place, row in enumerate(counts)]


@both_modes
@every_domain
def test_a_frozen_table_counts_unseen_colours_apart(domain: str, multiset: bool) -> None:
    comparison = Comparison(domain, multiset)
    walk = comparison.walk
    table = walk.table(ROUNDS, multiset=multiset, taught=walk.ids[:5])
    size = table.size
    *_, unseen = table.embed(walk.graph, walk.states, walk.ids)
    known = set(comparison.reference.meanings(table))
    assert table.size == size
    assert not unseen[:5].any()
    assert not unseen[:, 0].any()  # base colours are always there
    assert unseen.tolist() == [
        [sum(n for colour, n in each.items() if colour not in known) for each in counts]
        for counts in comparison.expected
    ]
    counts = sparse_counts(table, walk, walk.ids)
    assert comparison.in_reference_numbers(table, counts) == [
        {colour: n for colour, n in row.items() if colour in known}
        for row in comparison.up_to(ROUNDS)
    ]


@every_domain
def test_what_stems_from_an_unseen_colour_is_unseen(domain: str) -> None:
    walk = Walk(small_task(domain))
    empty = _native.ColourTable(BaseColours.of(walk.task.problem.domain).count, ROUNDS, True)
    starts, _, counts, unseen = empty.embed(walk.graph, walk.states, walk.ids)
    # Round 0 counts each node once; after it not one node has a colour.
    nodes = [counts[first:last].sum() for first, last in pairwise(starts)]
    assert unseen.tolist() == [[0, *[count] * ROUNDS] for count in nodes]


@both_modes
@every_domain
def test_tasks_of_a_domain_share_their_colours(domain: str, multiset: bool) -> None:
    """Colours that one task taught mean the same in another."""
    first, second = Walk(small_task(domain)), Walk(small_task(domain, seed=2), steps=5)
    table = first.table(2, multiset=multiset)
    task = second.task
    reference = ReferenceColours(task.problem.domain, 2, multiset=multiset)
    meanings = reference.meanings(table)
    goal = literal_goal(task.problem)
    for state, counts in zip(
        second.ids.tolist(), sparse_counts(table, second, second.ids), strict=True
    ):
        by_round = reference.counts(task.problem, goal, true_atoms(task, second.states, state))
        expected = sum(by_round[1:], by_round[0])
        known = {colour: expected[meaning] for colour, meaning in enumerate(meanings)}
        assert counts == {colour: count for colour, count in known.items() if count}


@both_modes
@every_domain
def test_rows_are_in_normal_form(domain: str, multiset: bool) -> None:
    walk = Walk(small_task(domain))
    table = walk.table(ROUNDS, multiset=multiset)
    base = BaseColours.of(walk.task.problem.domain)
    of_object = [colour < len(base.kinds) for colour in range(base.count)]
    rounds = [0] * base.count
    starts, items = (array.tolist() for array in table.rows())
    for first, last in pairwise(starts):
        own, *pairs = items[first:last]
        keys, counts = pairs[::2], pairs[1::2]
        of_object.append(of_object[own])
        rounds.append(rounds[own] + 1)
        assert all(rounds[key // 16] == rounds[own] for key in keys)
        assert all(of_object[key // 16] is not of_object[own] for key in keys)
        if of_object[own]:
            assert keys == sorted(set(keys))
        else:
            assert [key % 16 for key in keys] == list(range(len(keys)))
        assert multiset or set(counts) <= {1}
    assert table.rounds_of().tolist() == rounds


@both_modes
def test_states_in_any_order_and_number_give_the_same_colours(multiset: bool) -> None:
    walk = Walk(small_task("blocksworld"))
    table = walk.table(3, multiset=multiset)
    one_by_one = [sparse_counts(table, walk, as_ids([state]))[0] for state in walk.ids.tolist()]
    assert one_by_one == sparse_counts(table, walk, walk.ids)
    assert one_by_one[::-1] == sparse_counts(table, walk, as_ids(walk.ids.tolist()[::-1]))
    again = walk.table(3, multiset=multiset)
    for ours, theirs in zip(table.rows(), again.rows(), strict=True):
        assert ours.tolist() == theirs.tolist()


def test_no_states_have_no_counts() -> None:
    walk = Walk(small_task("ferry"))
    table = walk.table(2, multiset=True)
    starts, colours, counts, unseen = copied(table).embed(walk.graph, walk.states, as_ids([]), True)
    assert (starts.tolist(), len(colours), len(counts), unseen.shape) == ([0], 0, 0, (0, 3))


def test_states_that_do_not_exist_are_refused() -> None:
    walk = Walk(small_task("ferry"))
    table = walk.table(2, multiset=True)
    with pytest.raises(IndexError):
        table.embed(walk.graph, walk.states, as_ids([len(walk.states)]))
    other = Walk(small_task("gripper"))
    with pytest.raises(ValueError, match="different tasks"):
        table.embed(walk.graph, other.states, other.ids)
    assert np.array_equal(walk.table(2, multiset=True).rows()[1], table.rows()[1])
