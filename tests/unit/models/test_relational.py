"""States as tensors over objects: what is in them, and that all ways there agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from encoded_walks import as_instance, disguised, generated_problem, walk, walked_instance

from beeline.core.errors import BeelineError
from beeline.generators import names
from beeline.models.nlm import encoding as family
from beeline.models.nlm.network import NeuralLogicMachine
from beeline.pddl import parse_domain, parse_problem
from beeline.task.grounding import ground

BOOLEAN = """(define (domain lamps) (:requirements :typing :negative-preconditions)
  (:types lamp switch - thing) (:constants main - switch)
  (:predicates (lit ?l - lamp) (wired ?s - switch ?l - lamp) (night))
  (:action press :parameters (?s - switch ?l - lamp)
    :precondition (and (wired ?s ?l) (not (lit ?l))) :effect (lit ?l)))"""
TASK = """(define (problem p) (:domain lamps) (:objects a b - lamp s - switch)
  (:init (wired s a) (wired main b) (lit b) (night)) (:goal (and (lit a) (not (night)))))"""


def values(words, batch, seed=3):
    """What a network with large random weights makes of a batch."""
    network = NeuralLogicMachine(words, 2, generator=torch.Generator().manual_seed(seed))
    with torch.no_grad():
        network.weights *= 3
        return network(batch).numpy()


def test_vocabulary_has_predicates_goals_types_and_constants():
    words = family.vocabulary(parse_domain(BOOLEAN))
    assert words.channels == (
        ("night", "goal night", "goal not night"),
        (
            *("lit", "goal lit", "goal not lit"),
            *("type lamp", "type switch", "type thing", "constant main"),
        ),
        ("wired", "goal wired", "goal not wired"),
        (),
    )
    assert family.vocabulary_from_json(words.to_json()) == words


def test_goal_statics_types_and_constants_all_matter():
    domain = parse_domain(BOOLEAN)
    words = family.vocabulary(domain)

    def value(text):
        task = ground(parse_problem(domain, text))
        states, ids = walk(task, 1)
        return float(values(words, family.search_inputs(words, task, states).batch(ids))[0, 0])

    changed = [
        TASK.replace("(lit a)", "(lit b)"),  # another goal
        TASK.replace("(not (night))", "(night)"),
        TASK.replace("(wired s a)", "(wired main a)"),  # a static atom
        TASK.replace("s - switch", "s t - switch"),  # one more object
        TASK.replace("(lit b)", ""),  # another state
    ]
    assert len({value(text) for text in [TASK, *changed]}) == len(changed) + 1


@pytest.mark.parametrize("name", [name for name in names() if name != "scanalyzer"])
def test_datasets_and_searches_give_the_same_values(name):
    task = ground(generated_problem(name, **({"size": 9} if name == "maze" else {})))
    states, ids = walk(task, 6)
    words = family.vocabulary(task.problem.domain)
    stored = family.dataset_inputs(words, [as_instance(task, states, ids)])
    searched = family.search_inputs(words, task, states)
    np.testing.assert_array_equal(
        values(words, stored.batch(np.arange(6))), values(words, searched.batch(ids))
    )
    network = NeuralLogicMachine(words, 2, generator=torch.Generator().manual_seed(0))
    weights = network.weights.detach().numpy()
    np.testing.assert_array_equal(
        network.engine.evaluate(weights, searched.encoding, states, ids),
        network(searched.batch(ids)).detach().numpy(),
    )


@pytest.mark.parametrize("name", ["ferry", "blocksworld", "rovers"])
def test_names_and_order_of_objects_change_nothing(name):
    instance = walked_instance(generated_problem(name), 5)
    words = family.vocabulary(instance.problem.domain)
    rows = np.arange(5)
    before = values(words, family.dataset_inputs(words, [instance]).batch(rows))
    after = values(words, family.dataset_inputs(words, [disguised(instance, 4)]).batch(rows))
    np.testing.assert_allclose(before, after, rtol=1e-5, atol=1e-5)


def test_rows_may_come_in_any_order_and_mix_tasks():
    instances = [walked_instance(generated_problem("gripper", balls=n), 4) for n in (1, 3, 2)]
    words = family.vocabulary(instances[0].problem.domain)
    inputs = family.dataset_inputs(words, instances)
    assert len(inputs) == 12
    every = values(words, inputs.batch(np.arange(12)))
    rows = np.array([11, 0, 5, 5, 3])
    np.testing.assert_array_equal(values(words, inputs.batch(rows)), every[rows])


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(BeelineError, match="'cycle-4' has 4 arguments"):
        family.vocabulary(generated_problem("scanalyzer").domain)
    instance = walked_instance(generated_problem("gripper"), 2)
    strange = replace(instance, facts=(("nothing",), *instance.facts[1:]))
    with pytest.raises(BeelineError, match="no fact '\\(nothing\\)'"):
        family.dataset_inputs(family.vocabulary(instance.problem.domain), [strange])
    with pytest.raises(ValueError, match="four arities"):
        family.vocabulary_from_json({"channels": [["p"]]})


def test_goal_that_forbids_an_atom_needs_a_domain_that_allows_it():
    plain = BOOLEAN.replace(":negative-preconditions", "").replace("(not (lit ?l))", "(night)")
    domain = parse_domain(plain)
    words = family.vocabulary(domain)
    assert "goal not night" not in words.places
    with pytest.raises(BeelineError, match="forbids an atom"):
        family.relational_encoding(words, ground(parse_problem(domain, TASK)))
