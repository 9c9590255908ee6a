"""The engine's neural logic machine against the obvious one."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from encoded_walks import as_instance, generated_problem, walk
from reference_nlm import reference_values

from beeline import _native
from beeline.models.nlm import encoding as relational
from beeline.models.nlm.encoding import RelationalBatch, RelationalVocabulary
from beeline.models.nlm.network import NeuralLogicMachine
from beeline.task.grounding import ground

SHAPES = [
    {"sizes": [1, 2, 2, 0], "width": 8, "breadth": 3, "depth": 5},
    {"sizes": [0, 3, 2, 1], "width": 8, "breadth": 3, "depth": 4},
    {"sizes": [1, 9, 11, 2], "width": 5, "breadth": 3, "depth": 3},
    {"sizes": [0, 2, 1, 0], "width": 12, "breadth": 3, "depth": 5},
    {"sizes": [2, 1, 1, 0], "width": 4, "breadth": 2, "depth": 4},
    {"sizes": [1, 2, 0, 0], "width": 3, "breadth": 1, "depth": 2},
    {"sizes": [1, 1, 1, 0], "width": 8, "breadth": 3, "depth": 1},
    {"sizes": [0, 2, 1, 1], "width": 8, "breadth": 3, "depth": 5},
    {"sizes": [1, 2, 2, 0], "width": 8, "breadth": 3, "depth": 6},
]


def vocabulary(sizes):
    return RelationalVocabulary(
        tuple(tuple(f"p{a}-{c}" for c in range(size)) for a, size in enumerate(sizes))
    )


def random_states(sizes, objects, states, rng):
    """An encoding with all atoms as facts but some constants, and the true facts of states."""
    atoms = [
        (channel, [int(x) for x in np.unravel_index(cell, [objects] * arity)] if arity else [])
        for arity, size in enumerate(sizes)
        for channel in range(size)
        for cell in range(objects**arity)
    ]
    constants = [atom for atom in atoms if rng.random() < 0.1]
    encoding = _native.RelationalEncoding(objects, sizes, atoms, constants)
    true = [np.flatnonzero(rng.random(len(atoms)) < 0.25).astype(np.int32) for _ in range(states)]
    shown = [[*constants, *[atoms[fact] for fact in facts]] for facts in true]
    return encoding, true, shown


def batch_of(parts):
    """One batch of [(encoding, facts of a state)]."""
    encodings = [encoding for encoding, _ in parts]
    facts = [true for _, true in parts]
    starts = np.cumsum([0, *map(len, facts)]).astype(np.int64)
    items = np.concatenate([np.zeros(0, np.int32), *facts]).astype(np.int32)
    return RelationalBatch(encodings, np.arange(len(parts), dtype=np.int32), starts, items)


def network_of(shape, distinct, heads=2, seed=0):
    options = {key: shape[key] for key in ("width", "breadth", "depth")}
    network = NeuralLogicMachine(
        vocabulary(shape["sizes"]),
        heads,
        generator=torch.Generator().manual_seed(seed),
        distinct=distinct,
        **options,
    )
    with torch.no_grad():
        network.weights *= 2.5  # far from the flat middle of the sigmoids
    return network


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_values_and_gradients_are_those_of_the_reference(shape, distinct):
    rng = np.random.default_rng(1)
    network = network_of(shape, distinct)
    parts, shown, sizes = [], [], []
    for objects in (1, 2, 4):
        encoding, true, atoms = random_states(shape["sizes"], objects, 2, rng)
        parts += [(encoding, each) for each in true]
        shown += atoms
        sizes += [objects] * 2
    slopes = torch.from_numpy(rng.normal(size=(len(parts), 2)).astype(np.float32))
    values = network(batch_of(parts))
    (values * slopes).sum().backward()
    weights = network.weights.detach().clone().requires_grad_()
    expected = torch.stack(
        [
            reference_values(
                weights,
                network.engine.matrices,
                shape["sizes"],
                objects,
                atoms,
                breadth=shape["breadth"],
                depth=shape["depth"],
                distinct=distinct,
            )
            for objects, atoms in zip(sizes, shown, strict=True)
        ]
    )
    (expected * slopes).sum().backward()
    torch.testing.assert_close(values, expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(network.weights.grad, weights.grad, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("shape", [SHAPES[0], SHAPES[7], SHAPES[8]])
def test_states_with_equal_pairs_have_the_values_and_gradients_of_each_alone(shape, distinct):
    """As in grids: what is known of single objects differs, and pairs do not."""
    rng = np.random.default_rng(4)
    sizes, network = shape["sizes"], network_of(shape, distinct)
    parts = []
    for objects in (4, 5):
        encoding, true, _ = random_states(sizes, objects, 6, rng)
        singles = sizes[0] + objects * sizes[1]  # these atoms come first
        for number, facts in enumerate(true):
            pairs = true[number % 2][true[number % 2] >= singles]
            parts.append((encoding, np.concatenate([facts[facts < singles], pairs])))
    for _ in range(2):  # the second time with other weights
        for part in parts:
            values = network(batch_of([part])).detach().numpy()
            fresh = network_of(shape, distinct)
            fresh.load_state_dict(network.state_dict())
            np.testing.assert_array_equal(values, fresh(batch_of([part])).detach().numpy())
        slopes = torch.from_numpy(rng.normal(size=(len(parts), 2)).astype(np.float32))
        network.weights.grad = None
        together = network(batch_of(parts))
        (together * slopes).sum().backward()
        gradient = network.weights.grad.clone()
        network.weights.grad = None
        for part, slope in zip(parts, slopes, strict=True):
            (network(batch_of([part]))[0] * slope).sum().backward()
        torch.testing.assert_close(gradient, network.weights.grad, rtol=1e-4, atol=1e-4)
        with torch.no_grad():
            network.weights.mul_(0.7)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_do_not_depend_on_threads_or_neighbours_in_the_batch(threads):
    rng = np.random.default_rng(2)
    network = network_of(SHAPES[0], distinct=False)
    parts = []
    for objects in (3, 6, 2, 7):
        encoding, true, _ = random_states(SHAPES[0]["sizes"], objects, 5, rng)
        parts += [(encoding, each) for each in true]
    alone = np.concatenate([network(batch_of([part])).detach().numpy() for part in parts])
    slopes = torch.from_numpy(rng.normal(size=(len(parts), 2)).astype(np.float32))
    (network(batch_of(parts)) * slopes).sum().backward()
    gradient = network.weights.grad.clone()
    network.threads, network.weights.grad = threads, None
    values = network(batch_of(parts))
    (values * slopes).sum().backward()
    np.testing.assert_array_equal(values.detach().numpy(), alone)
    assert torch.equal(network.weights.grad, gradient)


def test_renaming_objects_changes_nothing():
    rng = np.random.default_rng(3)
    network = network_of(SHAPES[1], distinct=False)
    sizes, objects = SHAPES[1]["sizes"], 6
    _, _, shown = random_states(sizes, objects, 1, rng)
    order = rng.permutation(objects)
    moved = [(channel, [int(order[x]) for x in names]) for channel, names in shown[0]]
    values = [
        network(batch_of([(_native.RelationalEncoding(objects, sizes, [], atoms), [])]))
        for atoms in (shown[0], moved)
    ]
    torch.testing.assert_close(values[0], values[1], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("shape", [SHAPES[0], SHAPES[1], SHAPES[4], SHAPES[5]])
def test_many_equal_objects_have_the_values_of_the_reference(shape, distinct):
    """The engine shows three of a kind; the reference shows all."""
    rng = np.random.default_rng(6)
    network, sizes, objects = network_of(shape, distinct), shape["sizes"], 7
    kinds = np.array([0, 0, 0, 0, 0, 1, 1])
    # The atoms of one object of each kind hold of all of its kind; two of a kind never meet.
    atoms = [
        (channel, [int(x) for x in cell])
        for arity, size in enumerate(sizes)
        for channel in range(size)
        for cell in np.ndindex(*[objects] * arity)
        if len(set(kinds[list(cell)])) == arity
    ]
    chosen = {}
    true = [
        (channel, cell)
        for channel, cell in atoms
        if chosen.setdefault((channel, tuple(kinds[cell])), rng.random() < 0.5)
    ]
    batch = batch_of([(_native.RelationalEncoding(objects, sizes, [], true), [])])
    values = network(batch)
    values.sum().backward()
    weights = network.weights.detach().clone().requires_grad_()
    form = {key: shape[key] for key in ("breadth", "depth")}
    expected = reference_values(
        weights, network.engine.matrices, sizes, objects, true, distinct=distinct, **form
    )
    expected.sum().backward()
    torch.testing.assert_close(values[0], expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(network.weights.grad, weights.grad, rtol=1e-4, atol=1e-4)


def test_equal_seeds_make_equal_weights_and_leave_the_global_generator_alone():
    before = torch.random.get_rng_state()
    first, again, other = (network_of(SHAPES[0], False, seed=seed) for seed in (4, 4, 5))
    assert torch.equal(first.weights, again.weights)
    assert not torch.equal(first.weights, other.weights)
    assert torch.equal(before, torch.random.get_rng_state())


def test_learns_fifty_states_by_heart():
    instances, targets = [], []
    for seed in range(5):
        task = ground(generated_problem("blocksworld", seed, blocks=4))
        states, ids = walk(task, 10, seed)
        instances.append(as_instance(task, states, ids))
        targets.append(_native.make_heuristic("ff", task.native).evaluate(states, ids))
    words = relational.vocabulary(instances[0].problem.domain)
    batch = relational.dataset_inputs(words, instances).batch(np.arange(50))
    target = torch.from_numpy(np.concatenate(targets)).float()
    network = NeuralLogicMachine(words, 1, generator=torch.Generator().manual_seed(0))
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
    errors = [float(target.var())]
    while errors[-1] >= 0.05 and len(errors) < 1500:
        loss = (network(batch)[:, 0] - target).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        errors.append(loss.item())
    assert errors[0] > 1
    assert errors[-1] < 0.05


def test_what_does_not_fit_is_refused():
    rng = np.random.default_rng(4)
    encoding, true, _ = random_states([1, 2, 2, 0], 3, 1, rng)
    network = network_of(SHAPES[1], distinct=False)
    with pytest.raises(ValueError, match="other input predicates"):
        network(batch_of([(encoding, true[0])]))
    fitting = network_of(SHAPES[0], distinct=False)
    with pytest.raises(IndexError, match="no fact"):
        fitting(batch_of([(encoding, np.array([10**6], np.int32))]))
    with pytest.raises(ValueError, match="arity"):
        _native.NeuralLogicMachine([1, 1, 1, 1], 8, 2, 5, 1, False)
    with pytest.raises(ValueError, match="channel"):
        _native.RelationalEncoding(2, [1, 1, 0, 0], [(3, [0])], [])
