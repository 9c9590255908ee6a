"""Models of one state space: files, tasks that fit, values and preferred operators."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from one_state_space import WALK, random_task_model, walk

import beeline
from beeline import _native
from beeline.core.errors import BeelineError
from beeline.generators import generate
from beeline.models.model_file import from_bytes, pack, to_bytes, unpack
from beeline.models.resnet.model import PreferringEvaluator, TaskEvaluator, TaskModel
from beeline.models.resnet.network import ResNet
from beeline.pddl import parse_domain, parse_problem
from beeline.task.grounding import ground
from beeline.task.states import StateBatch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from beeline.task.ground_task import GroundTask


def batch_of(task: GroundTask) -> StateBatch:
    """The initial state and its successors."""
    states = _native.States(task.native)
    _, children = states.successors(states.initial)
    return StateBatch(task, states, np.append(np.uint32(states.initial), children))


def with_outputs(model: TaskModel, outputs: list[float]) -> TaskModel:
    """The same with a network that gives these probabilities for operators, in every state."""
    assert model.operators is not None
    p = np.array(outputs)
    silent = {name: np.zeros_like(array) for name, array in model.operators.items()}
    silent["output.bias"] = np.log(p / (1 - p)).astype(np.float32)
    return replace(model, operators=silent)


def test_values_are_those_of_the_network_in_training() -> None:
    task = walk()
    model = random_task_model(task)
    network = ResNet(task.num_facts, 1, generator=torch.Generator(), hidden=6)
    assert model.heuristic is not None
    weights = np.concatenate([array.ravel() for array in model.heuristic.values()])
    network.load_state_dict({"weights": torch.from_numpy(weights)})
    batch = batch_of(task)
    expected = network(batch.facts.astype(np.float32)).relu()[:, 0].detach().numpy()
    values = model.heuristic_for(task).evaluate(batch)
    assert values.dtype == np.float64
    assert np.allclose(values, expected, rtol=1e-4, atol=1e-5)


def test_a_state_has_the_same_value_wherever_the_task_begins() -> None:
    model = random_task_model(walk())
    states = _native.States(walk().native)
    state = states.initial
    for _ in range(2):  # a to b to c
        _, children = states.successors(state)
        state = int(children[-1])
    whole = StateBatch(walk(), states, np.array([state], dtype=np.uint32))
    later = walk(at="c", seen="b")
    there = StateBatch(later, (own := _native.States(later.native)), np.array([own.initial]))
    for name in ("evaluate", "preferred"):
        one = getattr(model.heuristic_for(walk()), name)(whole)
        other = getattr(model.heuristic_for(later), name)(there)
        if name == "evaluate":
            assert np.allclose(one, other, rtol=1e-5)
        else:
            assert [walk().operator_name(op) for op in one[0]] == [
                later.operator_name(op) for op in other[0]
            ]


@pytest.mark.parametrize(
    ("outputs", "preferred"),
    [
        ([0.1, 0.3, 0.2, 0.1], {1}),  # the highest, however low
        ([0.1, 0.899, 0.2, 0.85], {1}),
        ([0.95, 0.3, 0.91, 0.9], {0, 2}),  # all above 0.9
        ([0.1, 0.1, 0.1, 0.99], {3}),
    ],
)
def test_preferred_is_the_highest_output_and_all_above_nine_tenths(
    outputs: list[float], preferred: set[int]
) -> None:
    star = """(define (problem star) (:domain walk) (:objects a b c d e)
      (:init (at a) (way a b) (way a c) (way a d) (way a e)) (:goal (seen e)))"""
    task = ground(parse_problem(parse_domain(WALK), star))
    assert task.num_operators == 4
    heuristic = with_outputs(random_task_model(task), outputs).heuristic_for(task)
    assert isinstance(heuristic, PreferringEvaluator)
    begin, *ends = heuristic.preferred(batch_of(task))
    assert set(begin) == preferred
    assert ends == [[]] * 4  # nothing is applicable there


def test_only_applicable_operators_are_preferred() -> None:
    task = ground(generate("blocksworld", seed=1, blocks=4))
    rng = np.random.default_rng(5)
    states = _native.States(task.native)
    for place in range(30):
        states.successors(place)
    ids = np.arange(30, dtype=np.uint32)
    for _ in range(5):
        p = rng.uniform(0.01, 0.99, task.num_operators)
        heuristic = with_outputs(random_task_model(task), p.tolist()).heuristic_for(task)
        assert isinstance(heuristic, PreferringEvaluator)
        found = heuristic.preferred(StateBatch(task, states, ids))
        for state, row in zip(ids.tolist(), found, strict=True):
            operators = states.successors(state)[0].tolist()
            highest = max(operators, key=p.__getitem__)
            assert set(row) == {highest} | {each for each in operators if p[each] > 0.9}


def test_the_highest_output_may_be_one_of_an_operator_that_the_task_lacks() -> None:
    task = walk(one_way=True)
    later = walk(at="c", seen="b", one_way=True)
    lost = task.operator_names.index("(go a b)")
    outputs = [0.3, 0.3, 0.3, 0.3]
    outputs[lost] = 0.99
    heuristic = with_outputs(random_task_model(task), outputs).heuristic_for(later)
    assert isinstance(heuristic, PreferringEvaluator)
    chosen = heuristic.preferred(batch_of(later))[0]
    assert [later.operator_name(each) for each in chosen] == ["(go c d)"]


def test_searches_use_both_networks() -> None:
    task = walk()
    model = random_task_model(task)
    for result in (
        beeline.solve(task, "gbfs", model),
        beeline.solve(task, "gbfs", model, preferred=model, boost=1000),
        beeline.solve(task, "gbfs", "ff", preferred=model),
        beeline.plan(model, task),
        beeline.plan(model, walk(at="c", seen="bd")),
    ):
        assert result.status is beeline.Status.SOLVED


def test_good_preferred_operators_lead_straight_to_the_goal() -> None:
    task = walk()
    forward = [
        name in ("(go a b)", "(go b c)", "(go c d)", "(go d e)") for name in task.operator_names
    ]
    model = with_outputs(random_task_model(task), [0.99 if each else 0.01 for each in forward])
    result = beeline.solve(task, "gbfs", "blind", preferred=model, boost=1000)
    assert result.cost == 4
    assert result.expanded < beeline.solve(task, "gbfs", "blind").expanded


def test_a_model_may_have_one_network_only() -> None:
    task = walk()
    values = random_task_model(task, operators=False)
    assert type(values.heuristic_for(task)) is TaskEvaluator
    with pytest.raises(BeelineError, match="has no preferred operators"):
        beeline.solve(task, preferred=values)
    operators = random_task_model(task, heuristic=False)
    with pytest.raises(BeelineError, match="no heuristic"):
        beeline.solve(task, heuristic=operators)
    for model in (values, operators):
        assert beeline.plan(model, task).status is beeline.Status.SOLVED
    with pytest.raises(BeelineError, match="without networks"):
        replace(values, heuristic=None)


def test_tasks_of_other_state_spaces_and_domains_are_refused() -> None:
    model = random_task_model(walk())
    with pytest.raises(BeelineError, match="another state space: the model has a goal"):
        beeline.plan(model, walk(goal="bc"))
    domain = parse_domain(WALK.replace("seen", "known"))
    task = beeline.ground(
        parse_problem(
            domain,
            "(define (problem p) (:domain walk) (:objects a b)"
            " (:init (at a) (known a) (way a b)) (:goal (known b)))",
        )
    )
    with pytest.raises(BeelineError, match="does not fit the domain"):
        beeline.plan(model, task)


def test_files_give_the_same_model_and_bytes(tmp_path: Path) -> None:
    task = walk()
    for model in (random_task_model(task), random_task_model(task, heuristic=False)):
        model.save(tmp_path / "m.beeline")
        read = beeline.load_model(tmp_path / "m.beeline")
        assert isinstance(read, TaskModel)
        assert to_bytes(read) == (tmp_path / "m.beeline").read_bytes()
        assert read.vocabulary == model.vocabulary
        assert list(read.networks) == list(model.networks)
        assert "walk" in repr(read)


def changed(header: dict[str, Any], *path: str, to: Any) -> None:
    for name in path[:-1]:
        header = header[name]
    header[path[-1]] = to


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda h, a: changed(h, "model", "hidden", to=7), "have the shape 6"),
        (lambda h, a: changed(h, "model", "hidden", to=0), "'hidden' of 'model'"),
        (lambda h, a: changed(h, "model", "networks", to=[]), "'networks' of 'model'"),
        (lambda h, a: changed(h, "model", "networks", to=["heuristic"]), "has weights 'operators"),
        (lambda h, a: changed(h, "encoder", "name", to="relational"), "unknown encoder"),
        (lambda h, a: changed(h, "encoder", "vocabulary", to=3), "'vocabulary' of 'encoder'"),
        (lambda h, a: changed(h, "encoder", "vocabulary", "facts", to=[1]), "no words"),
        (lambda h, a: changed(h, "encoder", "vocabulary", "facts", to=["a", "a"]), "twice"),
        (lambda h, a: changed(h, "encoder", "vocabulary", "extra", to=1), "mean nothing"),
        (lambda h, a: changed(h, "encoder", "vocabulary", "operators", to=[]), "'operators'"),
        (lambda h, a: a.pop("heuristic.first.bias"), "has no weights 'heuristic.first.bias'"),
        (lambda h, a: a["operators.output.bias"].fill(np.nan), "are not all numbers"),
    ],
)
def test_damaged_files_are_refused(
    damage: Callable[[dict[str, Any], dict[str, Any]], Any], message: str
) -> None:
    header, arrays = unpack(to_bytes(random_task_model(walk())), "m.beeline")
    damage(header, arrays)
    with pytest.raises(BeelineError, match=message):
        from_bytes(pack(header, arrays, "0.1.0"), "m.beeline")
