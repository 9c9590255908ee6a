"""Sorts, slots and colours of hypergraphs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from encoded_walks import generated_problem, walk

from beeline.models.hgconv import encoding as family
from beeline.models.hgconv.slots import SENDER, ColouredTask, SlotWords
from beeline.task.grounding import ground


@pytest.mark.parametrize("name", ["blocksworld", "transport", "sokoban", "childsnack"])
def test_words_survive_json_and_the_order_of_actions(name: str) -> None:
    words = family.vocabulary(generated_problem(name).domain)
    again = family.vocabulary_from_json(json.loads(json.dumps(words.to_json(), sort_keys=True)))
    assert again == words
    turned = SlotWords(dict(reversed(words.schemas.items())))
    assert (turned.actions, turned.predicates) == (words.actions, words.predicates)
    task = ground(generated_problem(name))
    slots = [ColouredTask(task, each).argument_slots for each in (words, again, turned)]
    assert np.array_equal(slots[0], slots[1])
    assert np.array_equal(slots[0], slots[2])


def test_slots_are_of_the_sort_of_their_vertices() -> None:
    task = ground(generated_problem("blocksworld", blocks=4))
    words = family.vocabulary(task.problem.domain)
    coloured = ColouredTask(task, words)
    sorts = words.slot_sorts[coloured.argument_slots]
    assert np.array_equal(sorts, coloured.sorts[coloured.arguments.items])
    unknown = words.slots(np.array([99]), SENDER, np.array([0]), np.array([0]))
    assert unknown[0] not in coloured.argument_slots


def test_states_that_differ_have_different_colours_and_equal_states_equal_ones() -> None:
    task = ground(generated_problem("ferry"))
    coloured = ColouredTask(task, family.vocabulary(task.problem.domain))
    states, ids = walk(task, 30)
    facts = states.facts(ids)
    colours = coloured.first(facts)
    for _ in range(2):
        colours = coloured.refined(colours).vertices
    alone = coloured.first(facts[3:4])
    for _ in range(2):
        alone = coloured.refined(alone).vertices
    assert np.array_equal(alone[:, 0], colours[:, 3])
    distinct = len(np.unique(ids))
    assert len(np.unique(colours, axis=1).T) == distinct > 5
