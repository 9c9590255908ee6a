"""Hypergraph convolutions against a plain implementation, and what must not matter to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from encoded_walks import as_instance, disguised, generated_problem, walk, walked_instance
from reference_convolution import reference_convolution
from reference_hypergraph import NamedEdge, named_edges

from beeline import _native
from beeline.core.errors import BeelineError
from beeline.models.hgconv import encoding as family
from beeline.models.hgconv.encoding import frozen_convolution
from beeline.models.hgconv.network import HypergraphConvolution
from beeline.models.hgconv.slots import ColouredTask
from beeline.pddl import parse_domain, parse_problem
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from torch import Tensor

    from beeline.task.ground_task import GroundTask

LAMPS = """(define (domain lamps) (:predicates (on ?l))
  (:action switch-on :parameters (?l) :precondition (not (on ?l)) :effect (on ?l))
  (:action switch-off :parameters (?l) :precondition (on ?l) :effect (not (on ?l))))"""
LAMPS_TASK = """(define (problem p) (:domain lamps) (:objects a b) (:init (on a))
  (:goal (and (on b) (not (on a)))))"""
# A goal of two cases and a precondition over all objects: artificial operators, shared places.
GATES = """(define (domain gates) (:requirements :adl)
  (:predicates (open ?g) (locked ?g) (through))
  (:action unlock :parameters (?g) :precondition (locked ?g)
   :effect (and (open ?g) (not (locked ?g))))
  (:action pass :precondition (forall (?g) (open ?g)) :effect (through)))"""
GATES_TASK = """(define (problem p) (:domain gates) (:objects a b c)
  (:init (locked a) (locked b) (open c)) (:goal (or (through) (and (open a) (open b)))))"""


def network_for(words: family.SlotWords, seed: int = 1, **options: Any) -> HypergraphConvolution:
    return HypergraphConvolution(words, 2, generator=torch.Generator().manual_seed(seed), **options)


def outputs(network: HypergraphConvolution, batch: family.HyperclassBatch) -> Tensor:
    with torch.no_grad():
        return network(batch)


def frozen(
    network: HypergraphConvolution, words: family.SlotWords, task: GroundTask
) -> Callable[[NDArray[np.uint8]], NDArray[np.float32]]:
    options = network.options()
    return frozen_convolution(
        {name: each.numpy() for name, each in network.state_dict().items()},
        ColouredTask(task, words),
        layers=int(options["layers"]),
        residual=bool(options["residual"]),
    )


def task_of(domain: str, problem: str) -> GroundTask:
    return ground(parse_problem(parse_domain(domain), problem))


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize(
    ("name", "size"),
    [("blocksworld", {"blocks": 4}), ("visitall", {}), ("ferry", {"cars": 2}), ("transport", {})],
)
def test_equals_the_plain_implementation(name: str, size: dict[str, int], residual: bool) -> None:
    task = ground(generated_problem(name, **size))
    words = family.vocabulary(task.problem.domain)
    network = network_for(words, layers=3, width=8, residual=residual)
    states, ids = walk(task, 2)
    found = outputs(network, family.search_inputs(words, task, states).batch(ids))
    facts = task.fact_names
    actions = [operator.strip("()").split()[0] for operator in task.operator_names]
    edges = list(zip(actions, named_edges(task), strict=True))
    goal = {task.value_names[value] for value in task.goal}
    for row, true in enumerate(states.facts(ids)):
        state = {facts[number] for number in np.flatnonzero(true)}
        expected = reference_convolution(network, words, facts, goal, edges, state)
        torch.testing.assert_close(found[row], expected, rtol=1e-4, atol=1e-5)


def test_negations_equal_the_plain_implementation() -> None:
    task = task_of(LAMPS, LAMPS_TASK)
    words = family.vocabulary(task.problem.domain)
    network = network_for(words)
    states, ids = walk(task, 4)
    found = outputs(network, family.search_inputs(words, task, states).batch(ids))
    edges = []
    for lamp in ("(on a)", "(on b)"):
        edges.append(("switch-on", NamedEdge(1, [f"not {lamp}"], [lamp])))
        edges.append(("switch-off", NamedEdge(1, [lamp], [f"not {lamp}"])))
    facts = ["(on a)", "(on b)", "not (on a)", "not (on b)"]
    for row, true in enumerate(states.facts(ids)):
        on = {task.fact_names[number] for number in np.flatnonzero(true)}
        state = on | {f"not {lamp}" for lamp in facts[:2] if lamp not in on}
        goal = {"(on b)", "not (on a)"}
        expected = reference_convolution(network, words, facts, goal, edges, state)
        torch.testing.assert_close(found[row], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "miconic", "npuzzle", "floortile"])
def test_sharing_changes_neither_outputs_nor_gradients(name: str) -> None:
    instances = [walked_instance(generated_problem(name, seed), 8, seed) for seed in (1, 2)]
    words = family.vocabulary(instances[0].problem.domain)
    network = network_for(words, layers=3)
    batch = family.dataset_inputs(words, instances).batch(np.arange(16))
    wanted = torch.randn(16, 2, generator=torch.Generator().manual_seed(3))
    results = []
    for network.shared in (True, False):
        network.zero_grad()
        raw = network(batch)
        (raw * wanted).sum().backward()
        results.append([raw.detach(), *(each.grad.clone() for each in network.parameters())])
    for shared, alone in zip(*results, strict=True):
        torch.testing.assert_close(shared, alone, rtol=1e-4, atol=1e-5)
    members = [batch.layers(3, shared=shared).vertices[0] for shared in (True, False)]
    assert members[0] < members[1] / 3


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize(("layers", "width"), [(1, 8), (2, 3), (3, 8), (3, 16), (2, 20), (4, 24)])
@pytest.mark.parametrize("name", ["blocksworld", "ferry", "rovers"])
def test_planning_computes_the_same(name: str, layers: int, width: int, residual: bool) -> None:
    task = ground(generated_problem(name))
    words = family.vocabulary(task.problem.domain)
    network = network_for(words, layers=layers, width=width, residual=residual)
    states, ids = walk(task, 40)
    expected = outputs(network, family.search_inputs(words, task, states).batch(ids)).numpy()
    scorer = frozen(network, words, task)
    for rows in (slice(0, 1), slice(1, 4), slice(0, 40), slice(30, 10, -1)):
        found = scorer(states.facts(ids[rows]))
        np.testing.assert_allclose(found, expected[rows], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("domain", [(LAMPS, LAMPS_TASK), (GATES, GATES_TASK)])
def test_planning_with_negations_and_artificial_operators(domain: tuple[str, str]) -> None:
    task = task_of(*domain)
    words = family.vocabulary(task.problem.domain)
    network = network_for(words, layers=3)
    states, ids = walk(task, 6)
    expected = outputs(network, family.search_inputs(words, task, states).batch(ids)).numpy()
    found = frozen(network, words, task)(states.facts(ids))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["blocksworld", "npuzzle", "transport"])
def test_states_before_do_not_matter_to_the_last_bit(name: str) -> None:
    task = ground(generated_problem(name))
    words = family.vocabulary(task.problem.domain)
    network = network_for(words, layers=3)
    states, ids = walk(task, 30)
    facts = states.facts(ids)
    alone = np.concatenate([frozen(network, words, task)(row[None]) for row in facts])
    scorer = frozen(network, words, task)
    order = np.random.default_rng(1).integers(0, 30, 200)
    np.testing.assert_array_equal(scorer(facts[order]), alone[order])
    np.testing.assert_array_equal(scorer(facts), alone)


def test_what_is_not_a_number_is_seen() -> None:
    task = ground(generated_problem("ferry"))
    words = family.vocabulary(task.problem.domain)
    network = network_for(words)
    with torch.no_grad():
        network.convolutions[0].slots[:] = torch.nan
    states, ids = walk(task, 3)
    assert np.isnan(frozen(network, words, task)(states.facts(ids))).all()
    batch = family.search_inputs(words, task, states).batch(ids)
    assert outputs(network, batch).isnan().all()


def test_states_of_another_task_and_odd_graphs_are_refused() -> None:
    task = ground(generated_problem("ferry"))
    words = family.vocabulary(task.problem.domain)
    scorer = frozen(network_for(words), words, task)
    with pytest.raises(ValueError, match="another task"):
        scorer(np.zeros((1, task.num_facts + 1), dtype=np.uint8))
    assert scorer(np.zeros((0, task.num_facts), dtype=np.uint8)).shape == (0, 2)
    weights = {name: each.numpy() for name, each in network_for(words).state_dict().items()}
    wrong = {**weights, "kinds": weights["kinds"][:1]}
    with pytest.raises(ValueError, match="no such kind"):
        frozen_convolution(wrong, ColouredTask(task, words), layers=2, residual=True)
    wrong = {**weights, "convolutions.1.slots": weights["convolutions.1.slots"][:1]}
    with pytest.raises(ValueError, match="weights of a convolution"):
        frozen_convolution(wrong, ColouredTask(task, words), layers=2, residual=True)


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
        found = outputs(network, inputs.batch(rows))
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_other_states_of_the_batch_do_not_matter() -> None:
    walks = [walked_instance(generated_problem("gripper", seed), 5, seed) for seed in (1, 2, 3)]
    words = family.vocabulary(walks[0].problem.domain)
    network = network_for(words)
    inputs = family.dataset_inputs(words, walks)
    assert len(inputs) == 15
    together = outputs(network, inputs.batch(np.arange(15)))
    for rows in ([0], [7, 7], [14, 3, 9], [4, 5, 6], list(reversed(range(15)))):
        alone = outputs(network, inputs.batch(np.array(rows)))
        torch.testing.assert_close(alone, together[rows], rtol=1e-5, atol=1e-5)


def test_classes_of_ranges_are_kept_until_they_take_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = walked_instance(generated_problem("gripper"), 6)
    words = family.vocabulary(instance.problem.domain)
    network = network_for(words)
    inputs = family.dataset_inputs(words, [instance])
    rows = np.arange(1, 4)
    first = inputs.batch(rows)
    assert inputs.batch(rows) is first
    assert inputs.batch(rows[::-1]) is not inputs.batch(rows[::-1])
    outputs(network, first)
    assert first.layers(2) is first.layers(2)
    monkeypatch.setattr(family, "KEPT_BYTES", 0)
    assert inputs.batch(rows) is first
    assert inputs.batch(rows + 1) is not inputs.batch(rows + 1)


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


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize(("layers", "width"), [(1, 4), (2, 8), (3, 8), (3, 16), (2, 20)])
@pytest.mark.parametrize("name", ["blocksworld", "ferry", "visitall", "transport"])
def test_gradients_are_those_of_the_plain_implementation_in_double_precision(
    name: str, layers: int, width: int, residual: bool
) -> None:
    task = ground(generated_problem(name, **({"blocks": 3} if name == "blocksworld" else {})))
    words = family.vocabulary(task.problem.domain)
    network = network_for(words, layers=layers, width=width, residual=residual)
    states, ids = walk(task, 3)
    batch = family.search_inputs(words, task, states).batch(ids)
    slopes = torch.randn(3, 2, generator=torch.Generator().manual_seed(layers))
    network.set_gradients(batch, lambda raw: (raw * slopes).sum())
    found = [each.grad.double() for each in network.parameters()]
    plain = network_for(words, layers=layers, width=width, residual=residual).double()
    actions = [operator.strip("()").split()[0] for operator in task.operator_names]
    edges = list(zip(actions, named_edges(task), strict=True))
    goal = {task.value_names[value] for value in task.goal}
    facts, value = task.fact_names, torch.zeros(())
    for row, true in enumerate(states.facts(ids)):
        state = {facts[number] for number in np.flatnonzero(true)}
        raw = reference_convolution(plain, words, facts, goal, edges, state)
        value = value + (raw * slopes[row]).sum()
    value.backward()
    scale = max(float(each.grad.abs().max()) for each in plain.parameters())
    for gradient, each in zip(found, plain.parameters(), strict=True):
        torch.testing.assert_close(gradient, each.grad, rtol=1e-4, atol=1e-5 * scale)


def test_gradients_are_those_of_the_batch_whatever_came_between() -> None:
    walks = [walked_instance(generated_problem("gripper", seed), 5, seed) for seed in (1, 2)]
    words = family.vocabulary(walks[0].problem.domain)
    network = network_for(words)
    inputs = family.dataset_inputs(words, walks)
    batches = [inputs.batch(np.arange(5)), inputs.batch(np.array([9, 2, 7]))]
    alone = [torch.autograd.grad(network(each).sum(), [*network.parameters()]) for each in batches]
    raw = [network(each) for each in batches]
    for outputs_of, expected in zip(raw, alone, strict=True):
        for found, wanted in zip(
            torch.autograd.grad(outputs_of.sum(), [*network.parameters()]), expected, strict=True
        ):
            assert torch.equal(found, wanted)


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
    network = network_for(words, layers=2, width=16)
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


def test_goals_with_cases_and_conditions_over_all_objects_have_values() -> None:
    task = task_of(GATES, GATES_TASK)
    words = family.vocabulary(task.problem.domain)
    network = network_for(words)
    states, ids = walk(task, 6)
    expected = outputs(network, family.search_inputs(words, task, states).batch(ids))
    assert torch.isfinite(expected).all()
    assert expected[:, 0].std() > 0
    found = frozen(network, words, task)(states.facts(ids))
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-5)


def test_costs_matter() -> None:
    text = """(define (domain d) (:predicates (p) (q)) (:functions (total-cost) - number)
      (:action a :precondition (p) :effect (and (q) (increase (total-cost) {cost}))))"""
    task_text = """(define (problem t) (:domain d) (:init (p)) (:goal (q))
      (:metric minimize (total-cost)))"""
    values: list[NDArray[np.float32]] = []
    for cost in (1, 7):
        task = task_of(text.format(cost=cost), task_text)
        words = family.vocabulary(task.problem.domain)
        states = _native.States(task.native)
        batch = family.search_inputs(words, task, states).batch(np.array([0], np.uint32))
        values.append(outputs(network_for(words), batch).numpy())
    assert not np.array_equal(*values)


def test_equal_seeds_make_equal_weights_and_leave_the_global_state_alone() -> None:
    words = family.vocabulary(generated_problem("gripper").domain)
    before = torch.get_rng_state()
    first, again, other = (network_for(words, seed) for seed in (1, 1, 2))
    assert torch.equal(before, torch.get_rng_state())
    for name, weights in first.state_dict().items():
        assert torch.equal(weights, again.state_dict()[name])
        assert not torch.equal(weights, other.state_dict()[name])
    assert first.options() == {"layers": 2, "width": 8, "residual": True}


def test_task_without_operators_has_a_value() -> None:
    domain = parse_domain("(define (domain d) (:predicates (p)))")
    text = "(define (problem t) (:domain d) (:init (p)) (:goal (p)))"
    task = ground(parse_problem(domain, text))
    assert task.num_operators == 0
    for words in (family.vocabulary(domain), family.vocabulary(parse_domain(LAMPS))):
        network = network_for(words)
        twice = np.array([0, 0], dtype=np.uint32)
        states = _native.States(task.native)
        raw = network(family.search_inputs(words, task, states).batch(twice))
        raw.sum().backward()
        assert raw.shape == (2, 2)
        assert torch.isfinite(raw).all()
        found = frozen(network, words, task)(states.facts(twice))
        np.testing.assert_allclose(found, raw.detach().numpy(), rtol=1e-5)


@pytest.mark.parametrize("options", [{"layers": 0}, {"width": 0}])
def test_no_layers_are_refused(options: dict[str, int]) -> None:
    words = family.vocabulary(generated_problem("gripper").domain)
    with pytest.raises(BeelineError, match="must be > 0"):
        network_for(words, **options)
