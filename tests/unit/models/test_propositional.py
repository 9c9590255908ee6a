"""Facts of one state space, whatever the initial state."""

from __future__ import annotations

import numpy as np
import pytest
from one_state_space import walk

from beeline import _native
from beeline.core.errors import BeelineError
from beeline.models.resnet.encoding import (
    FactInputs,
    PropositionalVocabulary,
    correspondence,
    vocabulary,
)
from beeline.task.states import StateBatch


def test_the_vocabulary_is_the_task_without_its_initial_state() -> None:
    task = walk()
    words = vocabulary(task)
    assert words.facts == tuple(task.fact_names)
    assert words.operators == tuple(task.operator_names)
    assert words.goal == ("(seen b)", "(seen c)", "(seen d)", "(seen e)")
    assert PropositionalVocabulary.from_json(words.to_json()) == words


def test_inputs_are_the_facts_by_name_and_what_is_always_true() -> None:
    words, task = vocabulary(walk()), walk(at="c", seen="ab")
    assert task.num_facts < len(words.facts)  # (seen b) and (seen c) are no facts here
    states = _native.States(task.native)
    _, children = states.successors(states.initial)
    ids = np.append(np.uint32(states.initial), children).astype(np.uint32)
    fit = correspondence(words, task)
    inputs = np.tile(fit.constant, (len(ids), 1))
    inputs[:, fit.facts] = states.facts(ids)
    for row, true in zip(inputs, StateBatch(task, states, ids).facts, strict=True):
        names = {task.fact_names[fact] for fact in np.flatnonzero(true)} | {"(seen b)", "(seen c)"}
        assert {words.facts[place] for place in np.flatnonzero(row)} == names


def test_the_same_task_has_the_same_numbers() -> None:
    task = walk()
    fit = correspondence(vocabulary(task), task)
    assert fit.facts.tolist() == list(range(task.num_facts))
    assert fit.operators.tolist() == list(range(task.num_operators))
    assert not fit.constant.any()


def test_operators_of_a_task_that_lacks_some_have_the_places_of_their_names() -> None:
    words, task = vocabulary(walk(one_way=True)), walk(at="c", seen="b", one_way=True)
    fit = correspondence(words, task)
    assert [words.operators[place] for place in fit.operators] == list(task.operator_names)
    assert task.num_operators < len(words.operators)
    # Out of reach is false, done for ever is true.
    constant = {name for name, true in zip(words.facts, fit.constant, strict=True) if true}
    assert constant == {"(seen b)", "(seen c)"}


def test_other_goals_and_facts_are_refused_with_what_differs() -> None:
    with pytest.raises(BeelineError, match=r"the model has a goal \(seen e\)"):
        correspondence(vocabulary(walk()), walk(goal="bcd"))
    words = vocabulary(walk(at="b", seen="c"))
    with pytest.raises(BeelineError, match=r"fact \(seen c\) is unknown to the model"):
        correspondence(words, walk(at="b"))


def test_operators_of_another_map_are_refused() -> None:
    with pytest.raises(BeelineError, match=r"operator \(go . .\) is unknown to the model"):
        correspondence(vocabulary(walk(one_way=True)), walk())


def test_rows_of_a_dataset_are_floats() -> None:
    inputs = FactInputs(np.array([[0, 1], [1, 1]], dtype=np.uint8))
    assert len(inputs) == 2
    assert inputs.batch(np.array([1, 0, 1])).tolist() == [[1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]
    assert inputs.batch(np.array([0])).dtype == np.float32
