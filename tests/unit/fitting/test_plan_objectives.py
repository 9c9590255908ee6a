"""Losses of plans as objectives of networks: values, gradients, metrics, and which states count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from small_sets import make_set, write_tasks

from beeline.core.errors import BeelineError
from beeline.data.instances import InstanceStates, read_instances
from beeline.data.reader import Dataset
from beeline.fitting.labels import LabelledPlans, label_plans
from beeline.fitting.losses import PLAN_LOSSES, PlanLossSettings
from beeline.fitting.plan_graph import plan_graph
from beeline.fitting.plan_objectives import PlanObjective, plan_loss_value
from beeline.fitting.ranking import plan_loss, violations
from beeline.models.families import encoder_family, make_network, network_entry
from beeline.models.truncated import log_density, mean

if TYPE_CHECKING:
    from pathlib import Path

ROOMS = """(define (domain rooms) (:predicates (at ?r) (door ?a ?b) (broken))
 (:action go :parameters (?a ?b) :precondition (and (at ?a) (door ?a ?b) (not (broken)))
  :effect (and (at ?b) (not (at ?a))))
 (:action smash :parameters (?a) :precondition (at ?a) :effect (broken)))"""
ROOMS_TASK = """(define (problem p) (:domain rooms) (:objects a b c)
 (:init (at a) (door a b) (door b c) (door b a)) (:goal (at c)))"""


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ferry")
    files = write_tasks(folder / "tasks", "ferry", count=3, cars=2, locations=3)
    make_set(files, folder / "set", siblings=True)
    return folder / "set"


@pytest.fixture(scope="module")
def instances(ferry: Path) -> list[InstanceStates]:
    return read_instances(ferry, siblings=True)


def raw_outputs(plans: LabelledPlans, heads: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(len(plans), heads, generator=torch.Generator().manual_seed(seed))


class TestStates:
    def test_graphs_are_those_of_the_rows(self, ferry: Path) -> None:
        plans = label_plans(read_instances(ferry, siblings=True))
        rows: dict[int, list[dict[str, object]]] = {}
        for row in Dataset(ferry).states():
            rows.setdefault(row["instance"], []).append(row)
        assert len(plans.graphs) == len(rows) == 3
        for found, states, own in zip(plans.graphs, plans.instances, rows.values(), strict=True):
            expected, first = plan_graph(own)
            assert found.count == len(states) == len({row["state"] for row in own})
            for name in ("path", "better", "worse", "g_differences", "children", "costs"):
                np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
            for state, place in enumerate(first.tolist()):
                facts = states.items[states.starts[state] : states.starts[state + 1]]
                assert facts.tolist() == own[place]["facts"]
                assert states.features["ff"][state] == own[place]["ff"]

    def test_labels_are_columns(self, instances: list[InstanceStates]) -> None:
        plans = label_plans(instances, lower="lmcut", residual="ff")
        columns = [each.features for each in plans.instances]
        np.testing.assert_array_equal(
            plans.lower, np.concatenate([each["lmcut"] for each in columns])
        )
        np.testing.assert_array_equal(
            plans.residual, np.concatenate([each["ff"] for each in columns])
        )
        plain = label_plans(instances)
        assert (plain.lower == -np.inf).all()
        assert not plain.residual.any()
        with pytest.raises(BeelineError, match="unknown residual 'add'"):
            label_plans(instances, residual="add")

    def test_dead_ends_that_the_model_would_see_are_left_out(self, tmp_path: Path) -> None:
        (tmp_path / "domain.pddl").write_text(ROOMS)
        (tmp_path / "p.pddl").write_text(ROOMS_TASK)
        files = [str(tmp_path / name) for name in ("domain.pddl", "p.pddl")]
        make_set(files, tmp_path / "set", siblings=True)
        states = read_instances(tmp_path / "set", siblings=True)
        everything = label_plans(states)
        assert (len(everything), everything.dropped) == (5, 0)  # a, b, c, and two with a mess
        assert everything.graphs[0].worse.tolist() == [3, 3, 4]
        for choice in ({"residual": "ff"}, {"lower": "max"}, {"finite": ("ff",)}):
            living = label_plans(states, **choice)  # type: ignore[arg-type]
            assert (len(living), living.dropped) == (3, 2)
            assert len(living.graphs[0].worse) == 0
            assert np.isfinite(living.residual).all()

    def test_rows_of_plans_alone_are_not_enough(self, ferry: Path, tmp_path: Path) -> None:
        files = write_tasks(tmp_path / "tasks", count=2, blocks=3)
        make_set(files, tmp_path / "set")
        with pytest.raises(BeelineError, match=r"only the states of plans.*data plans --siblings"):
            read_instances(tmp_path / "set", siblings=True)
        with pytest.raises(ValueError, match="without siblings"):
            label_plans(read_instances(ferry))

    def test_taken_rows_are_the_rows(self, instances: list[InstanceStates]) -> None:
        whole = instances[0]
        rows = np.array([4, 0, 4])
        part = whole.taken(rows)
        for place, row in enumerate(rows.tolist()):
            mine = part.items[part.starts[place] : part.starts[place + 1]]
            other = whole.items[whole.starts[row] : whole.starts[row + 1]]
            assert mine.tolist() == other.tolist()
            assert part.features["ff"][place] == whole.features["ff"][row]
        assert len(whole.taken(np.zeros(0, dtype=np.int64))) == 0


@pytest.mark.parametrize("name", [name for name in PLAN_LOSSES if name != "rank-truncated"])
@pytest.mark.parametrize("residual", ["none", "ff"])
def test_the_loss_is_that_of_the_scores(
    name: str, residual: str, instances: list[InstanceStates]
) -> None:
    plans = label_plans(instances, residual=residual)
    objective = PlanObjective(plans, PlanLossSettings(name))
    loss = plan_loss(name)
    assert objective.heads == loss.columns
    raw = raw_outputs(plans, objective.heads)
    scores = raw.double().numpy()
    scores[:, 0] += plans.residual
    scores = scores if loss.columns == 2 else scores[:, 0]
    values = []
    for rows in (next(objective.minibatches(0, number)) for number in range(3)):
        place = plans.starts.tolist().index(rows[0])
        values.append(loss(scores[rows], plans.graphs[place])[0])
        assert objective.loss(raw[rows], rows).item() == pytest.approx(values[-1], rel=1e-12)
    assert objective.metrics(raw)["loss"] == pytest.approx(np.mean(values))
    together = PlanObjective(plans, PlanLossSettings(name), batch_size=3)
    rows = next(together.minibatches(5))
    assert sorted(rows.tolist()) == list(range(len(plans)))
    assert together.loss(raw[rows], rows).item() == pytest.approx(np.mean(values))


@pytest.mark.parametrize(("alpha", "beta"), [(0.0, 1.0), (1.0, 1.0), (0.5, 2.0)])
@pytest.mark.parametrize("surrogate", ["logistic", "hinge"])
def test_weights_and_surrogates_are_passed_on(
    alpha: float, beta: float, surrogate: str, instances: list[InstanceStates]
) -> None:
    plans = label_plans(instances)
    settings = PlanLossSettings("rank-astar", alpha, beta, surrogate)
    objective = PlanObjective(plans, settings)
    raw = raw_outputs(plans, 1)
    scores = raw.double().numpy()[:, 0]
    parts = [scores[a:b] for a, b in zip(plans.starts, plans.starts[1:], strict=False)]
    loss = plan_loss("rank-gbfs", alpha=alpha, beta=beta, surrogate=surrogate)  # type: ignore[arg-type]
    metrics = objective.metrics(raw)
    expected = [loss(h, graph)[0] for h, graph in zip(parts, plans.graphs, strict=True)]
    assert metrics["loss"] == pytest.approx(np.mean(expected))
    wrong = sum(
        violations(h, graph, alpha=alpha, beta=beta)
        for h, graph in zip(parts, plans.graphs, strict=True)
    )
    pairs = sum(len(graph.better) for graph in plans.graphs)
    assert metrics["violations"] == pytest.approx(wrong / pairs)


def test_equal_scores_violate_every_pair(instances: list[InstanceStates]) -> None:
    plans = label_plans(instances)
    objective = PlanObjective(plans, PlanLossSettings("rank-gbfs"))
    assert objective.metrics(torch.zeros(len(plans), 1))["violations"] == 1.0


@pytest.mark.parametrize("sigma", ["learn", "fixed"])
@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_means_of_truncated_gaussians_are_ranked(
    sigma: str, weight: float, instances: list[InstanceStates]
) -> None:
    plans = label_plans(instances, lower="lmcut", residual="ff")
    objective = PlanObjective(plans, PlanLossSettings("rank-truncated", weight=weight), sigma=sigma)
    raw = raw_outputs(plans, objective.heads)
    mu = raw[:, 0].double() + torch.from_numpy(plans.residual)
    width = 0.1 + 10.0 * torch.sigmoid(raw[:, 1].double()) if sigma == "learn" else 0.5**0.5
    width = width * torch.ones_like(mu)
    lower = torch.from_numpy(plans.lower) - 0.1
    upper = torch.full_like(mu, torch.inf)
    expected = mean(mu, width, lower, upper)
    assert (expected >= lower).all()
    rows = next(objective.minibatches(1))
    place = plans.starts.tolist().index(rows[0])
    graph = plans.graphs[place]
    value = plan_loss("rank-astar")(expected.numpy()[rows], graph)[0]
    path = torch.from_numpy(rows[graph.path])
    x = torch.from_numpy(graph.costs)
    value -= weight * log_density(mu[path], width[path], x, lower[path], upper[path]).sum().item()
    assert objective.loss(raw[rows], rows).item() == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("name", PLAN_LOSSES)
@pytest.mark.parametrize("network_name", ["linear", "nlm"])
def test_gradients_through_a_network_against_differences(
    name: str, network_name: str, instances: list[InstanceStates]
) -> None:
    plans = label_plans(instances, lower="lmcut", residual="ff", finite=("ff",))
    objective = PlanObjective(plans, PlanLossSettings(name))
    family = encoder_family(network_entry(network_name).encoder)
    vocabulary = family.vocabulary(instances[0].problem.domain)
    options = {"width": 2, "depth": 2} if network_name == "nlm" else {}
    network = make_network(network_name, vocabulary, objective.heads, seed=1, **options)
    inputs = family.dataset_inputs(vocabulary, plans.instances)
    rows = next(objective.minibatches(0))
    batch = inputs.batch(rows)
    network.zero_grad()
    value = network.set_gradients(batch, lambda raw: objective.loss(raw, rows))
    assert value.dtype == torch.float64
    slopes = [each.grad for each in network.parameters()]
    generator = torch.Generator().manual_seed(2)
    for _ in range(3):
        direction = [torch.randn(each.shape, generator=generator) for each in network.parameters()]
        by_slopes = sum(
            float((slope.double() * part).sum())
            for slope, part in zip(slopes, direction, strict=True)
            if slope is not None
        )
        sides = []
        for step in (1e-3, -1e-3):
            with torch.no_grad():
                for parameter, part in zip(network.parameters(), direction, strict=True):
                    parameter += step * part
                sides.append(objective.loss(network(batch), rows).item())
                for parameter, part in zip(network.parameters(), direction, strict=True):
                    parameter -= step * part
        assert (sides[0] - sides[1]) / 2e-3 == pytest.approx(by_slopes, rel=2e-2, abs=2e-2)


def test_torch_multiplies_the_slopes(instances: list[InstanceStates]) -> None:
    plans = label_plans(instances)
    graph, loss = plans.graphs[0], plan_loss("policy")
    scores = raw_outputs(plans, 2)[: graph.count].requires_grad_()
    value = plan_loss_value(scores, loss, graph)
    (3.0 * value).backward()  # type: ignore[no-untyped-call]
    expected, slopes = loss(scores.detach().double().numpy(), graph)
    assert value.item() == expected
    assert scores.grad is not None
    np.testing.assert_array_equal(scores.grad.numpy(), (3.0 * slopes).astype(np.float32))


class TestMinibatches:
    def test_an_epoch_has_each_instance_once(self, instances: list[InstanceStates]) -> None:
        plans = label_plans(instances)
        objective = PlanObjective(plans, PlanLossSettings("l2"))
        stream = objective.minibatches(7)
        for _ in range(4):
            rows = np.concatenate([next(stream) for _ in range(3)])
            assert sorted(rows.tolist()) == list(range(len(plans)))

    def test_they_can_begin_anywhere(self, instances: list[InstanceStates]) -> None:
        objective = PlanObjective(label_plans(instances), PlanLossSettings("l2"))
        stream = objective.minibatches(7)
        whole = [next(stream).tolist() for _ in range(8)]
        later = objective.minibatches(7, 5)
        assert [next(later).tolist() for _ in range(3)] == whole[5:]

    def test_none_is_empty(self, instances: list[InstanceStates]) -> None:
        with pytest.raises(BeelineError, match="batch size 0"):
            PlanObjective(label_plans(instances), PlanLossSettings("l2"), batch_size=0)


def test_descriptions_tell_objectives_apart(instances: list[InstanceStates]) -> None:
    plans = label_plans(instances)
    plain = PlanObjective(plans, PlanLossSettings("rank-astar")).describe()
    assert plain["loss"]["alpha"] == 1.0
    assert plain == PlanObjective(label_plans(instances), PlanLossSettings("rank-astar")).describe()
    others = [
        PlanObjective(plans, PlanLossSettings("rank-gbfs")),
        PlanObjective(plans, PlanLossSettings("rank-astar", alpha=0.5)),
        PlanObjective(plans, PlanLossSettings("rank-astar"), batch_size=2),
        PlanObjective(label_plans(instances[1:]), PlanLossSettings("rank-astar")),
        PlanObjective(label_plans(instances, residual="ff"), PlanLossSettings("rank-astar")),
    ]
    assert all(each.describe() != plain for each in others)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"name": "rank"}, "unknown loss 'rank': there are rank-gbfs"),
        ({"name": "rank-trajectory", "alpha": 1.0}, "'rank-trajectory' has no alpha"),
        ({"name": "policy", "beta": 1.0}, "'policy' has no beta"),
        ({"name": "bellman", "surrogate": "hinge"}, "'bellman' has no surrogate"),
        ({"name": "rank-astar", "weight": 1.0}, "'rank-astar' has no weight"),
        ({"name": "rank-astar", "surrogate": "step"}, "unknown surrogate 'step'.*logistic, hinge"),
        ({"name": "rank-astar", "alpha": -1.0}, "alpha is -1.0"),
        ({"name": "rank-astar", "beta": 0.0}, "beta is 0.0.*positive"),
        ({"name": "rank-truncated", "weight": float("nan")}, "weight is nan"),
    ],
)
def test_settings_that_make_no_sense(choices: dict[str, object], message: str) -> None:
    with pytest.raises(BeelineError, match=message):
        PlanLossSettings(**choices)  # type: ignore[arg-type]
