"""STRIPS-HGN against a plain implementation, and what its result must not depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from encoded_walks import as_instance, disguised, generated_problem, walk, walked_instance
from reference_hypergraph import NamedEdge, named_edges, reference_output

from beeline import _native
from beeline.core.errors import BeelineError
from beeline.models.hgn import encoding as family
from beeline.models.hgn.network import StripsHgn
from beeline.pddl import parse_domain, parse_problem
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from torch import Tensor

    from beeline.models.hgn.encoding import HypergraphBatch

LAMPS = """(define (domain lamps) (:predicates (on ?l))
  (:action switch-on :parameters (?l) :precondition (not (on ?l)) :effect (on ?l))
  (:action switch-off :parameters (?l) :precondition (on ?l) :effect (not (on ?l))))"""
LAMPS_TASK = """(define (problem p) (:domain lamps) (:objects a b) (:init (on a))
  (:goal (and (on b) (not (on a)))))"""


def network_for(words: family.HypergraphVocabulary, seed: int = 1, **options: int) -> StripsHgn:
    return StripsHgn(words, 2, generator=torch.Generator().manual_seed(seed), **options)


def outputs(network: StripsHgn, batch: HypergraphBatch) -> Tensor:
    with torch.no_grad():
        return network(batch)


@pytest.mark.parametrize("sizes", [False, True])
@pytest.mark.parametrize(
    ("name", "size"), [("blocksworld", {"blocks": 4}), ("visitall", {}), ("ferry", {"cars": 2})]
)
def test_equals_the_plain_implementation(name: str, size: dict[str, int], sizes: bool) -> None:
    task = ground(generated_problem(name, **size))
    words = family.vocabulary(task.problem.domain)
    network = network_for(words, hidden=8, steps=3, sizes=sizes)
    states, ids = walk(task, 3)
    found = outputs(network, family.search_inputs(words, task, states).batch(ids))
    facts, edges = task.fact_names, named_edges(task)
    goal = {task.value_names[value] for value in task.goal}
    for row, true in enumerate(states.facts(ids)):
        state = {facts[number] for number in np.flatnonzero(true)}
        places = (words.receivers, words.senders)
        expected = reference_output(network, facts, goal, edges, state, places)
        torch.testing.assert_close(found[row], expected, rtol=1e-4, atol=1e-4)


def test_negations_equal_the_plain_implementation() -> None:
    task = ground(parse_problem(parse_domain(LAMPS), LAMPS_TASK))
    words = family.vocabulary(task.problem.domain)
    network = network_for(words, hidden=8)
    states, ids = walk(task, 4)
    found = outputs(network, family.search_inputs(words, task, states).batch(ids))
    edges = []
    for lamp in ("(on a)", "(on b)"):
        edges.append(NamedEdge(1, [f"not {lamp}"], [lamp, None]))
        edges.append(NamedEdge(1, [lamp], [f"not {lamp}", None]))
    facts = ["(on a)", "(on b)", "not (on a)", "not (on b)"]
    for row, true in enumerate(states.facts(ids)):
        on = {task.fact_names[number] for number in np.flatnonzero(true)}
        state = on | {f"not {lamp}" for lamp in facts[:2] if lamp not in on}
        goal = {"(on b)", "not (on a)"}
        expected = reference_output(network, facts, goal, edges, state, (1, 1))
        torch.testing.assert_close(found[row], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "floortile", "transport", "rovers"])
def test_names_and_order_of_objects_do_not_matter(name: str) -> None:
    instance = walked_instance(generated_problem(name), 5)
    words = family.vocabulary(instance.problem.domain)
    network = network_for(words)
    rows = np.arange(5)
    expected = outputs(network, family.dataset_inputs(words, [instance]).batch(rows))
    assert expected[:, 0].std() > 0
    for seed in range(3):
        inputs = family.dataset_inputs(words, [disguised(instance, seed)])
        torch.testing.assert_close(
            outputs(network, inputs.batch(rows)), expected, rtol=1e-4, atol=1e-4
        )


def test_other_states_of_the_batch_do_not_matter() -> None:
    walks = [walked_instance(generated_problem("gripper", seed), 5, seed) for seed in (1, 2, 3)]
    words = family.vocabulary(walks[0].problem.domain)
    network = network_for(words)
    inputs = family.dataset_inputs(words, walks)
    together = outputs(network, inputs.batch(np.arange(15)))
    for rows in ([0], [7, 7], [14, 3, 9], list(reversed(range(15)))):
        alone = outputs(network, inputs.batch(np.array(rows)))
        torch.testing.assert_close(alone, together[rows], rtol=1e-5, atol=1e-5)


def test_search_and_dataset_agree() -> None:
    task = ground(generated_problem("ferry"))
    states, ids = walk(task, 7)
    words = family.vocabulary(task.problem.domain)
    network = network_for(words)
    data = family.dataset_inputs(words, [as_instance(task, states, ids)])
    search = family.search_inputs(words, task, states)
    assert torch.equal(
        outputs(network, data.batch(np.arange(7))), outputs(network, search.batch(ids))
    )


@pytest.mark.parametrize("sizes", [False, True])
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("blocksworld", {"blocks": 5}),
        ("visitall", {"width": 4, "height": 4}),
        ("transport", {}),
        ("floortile", {}),
    ],
)
def test_engine_has_the_values_of_torch(name: str, size: dict[str, int], sizes: bool) -> None:
    task = ground(generated_problem(name, **size))
    words = family.vocabulary(task.problem.domain)
    for hidden, steps in ((32, 4), (7, 1), (70, 2)):
        network = network_for(words, hidden=hidden, steps=steps, sizes=sizes)
        weights = {key: value.numpy() for key, value in network.state_dict().items()}
        states, ids = walk(task, 40)
        expected = outputs(network, family.search_inputs(words, task, states).batch(ids)).numpy()
        engine = family.frozen_hgn(weights, words, task, steps=steps)
        found = engine(states.facts(ids))
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)
        # Whatever state came before: forwards and backwards, and alone.
        np.testing.assert_array_equal(engine(states.facts(ids[::-1].copy())), found[::-1])
        alone = family.frozen_hgn(weights, words, task, steps=steps)
        np.testing.assert_array_equal(alone(states.facts(ids[17:18])), found[17:18])


def test_engine_knows_negations_and_tasks_without_operators() -> None:
    nothing = """(define (domain none) (:predicates (p)) (:action a :parameters ()
      :precondition (p) :effect (not (p))))"""
    for domain, text in (
        (LAMPS, LAMPS_TASK),
        (nothing, "(define (problem q) (:domain none) (:init) (:goal (not (p))))"),
    ):
        task = ground(parse_problem(parse_domain(domain), text))
        words = family.vocabulary(task.problem.domain)
        network = network_for(words, hidden=8, steps=3)
        weights = {key: value.numpy() for key, value in network.state_dict().items()}
        states, ids = walk(task, 4)
        expected = outputs(network, family.search_inputs(words, task, states).batch(ids)).numpy()
        found = family.frozen_hgn(weights, words, task, steps=3)(states.facts(ids))
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)


def test_gradients_are_those_of_finite_differences() -> None:
    instance = walked_instance(generated_problem("visitall"), 3)
    words = family.vocabulary(instance.problem.domain)
    network = network_for(words, hidden=6, steps=3)
    batch = family.dataset_inputs(words, [instance]).batch(np.arange(3))
    network(batch).sum().backward()
    generator = torch.Generator().manual_seed(2)
    # One step in a random direction, from both sides, against the gradients' share of it.
    directions = [torch.randn(each.shape, generator=generator) for each in network.parameters()]
    slope = sum(
        float((each.grad * direction).sum())
        for each, direction in zip(network.parameters(), directions, strict=True)
        if each.grad is not None
    )
    sides = []
    for sign in (1, -1):
        moved = network_for(words, hidden=6, steps=3)
        with torch.no_grad():
            for each, direction in zip(moved.parameters(), directions, strict=True):
                each += sign * 1e-3 * direction
        sides.append(float(outputs(moved, batch).sum()))
    assert slope == pytest.approx((sides[0] - sides[1]) / 2e-3, rel=2e-2)


def test_learns_fifty_states_by_heart() -> None:
    instances, targets = [], []
    for seed in range(5):
        task = ground(generated_problem("gripper", seed, balls=2))
        states, ids = walk(task, 10, seed)
        instances.append(as_instance(task, states, ids))
        targets.append(_native.make_heuristic("ff", task.native).evaluate(states, ids))
    words = family.vocabulary(instances[0].problem.domain)
    batch = family.dataset_inputs(words, instances).batch(np.arange(50))
    target = torch.from_numpy(np.concatenate(targets)).float()
    network = network_for(words)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
    errors = [float(target.var())]
    while errors[-1] >= 0.05 and len(errors) < 400:
        loss = (network(batch)[:, 0] - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        errors.append(loss.item())
    assert errors[0] > 1
    assert errors[-1] < 0.05


def test_equal_seeds_make_equal_weights_and_leave_the_global_state_alone() -> None:
    words = family.vocabulary(generated_problem("gripper").domain)
    before = torch.get_rng_state()
    first, again, other = (network_for(words, seed) for seed in (1, 1, 2))
    assert torch.equal(before, torch.get_rng_state())
    for name, weights in first.state_dict().items():
        assert torch.equal(weights, again.state_dict()[name])
        assert not torch.equal(weights, other.state_dict()[name])
    assert first.options() == {"hidden": 32, "steps": 4, "sizes": False}


def test_task_without_operators_has_a_value() -> None:
    domain = parse_domain("(define (domain d) (:predicates (p)))")
    text = "(define (problem t) (:domain d) (:init (p)) (:goal (p)))"
    task = ground(parse_problem(domain, text))
    assert task.num_operators == 0
    for words in (family.vocabulary(domain), family.vocabulary(parse_domain(LAMPS))):
        network = network_for(words)
        twice = np.array([0, 0], dtype=np.uint32)
        raw = network(family.search_inputs(words, task, _native.States(task.native)).batch(twice))
        raw.sum().backward()
        assert raw.shape == (2, 2)
        assert torch.isfinite(raw).all()


def test_no_steps_are_refused() -> None:
    words = family.vocabulary(generated_problem("gripper").domain)
    with pytest.raises(BeelineError, match="0 steps"):
        network_for(words, steps=0)
