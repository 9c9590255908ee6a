"""The examples of Chrestien et al., "Optimize planning heuristics to rank", figure by figure."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import minimize

from beeline.experiments.chrestien2023.examples import ExplicitGraph
from beeline.fitting.plan_graph import merged_graph
from beeline.fitting.ranking import open_list, violations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.fitting.plan_graph import PlanGraph

    Cell = tuple[int, int]

FIGURE_1A = ExplicitGraph(
    {
        ("s0", "s1"): 1,
        ("s0", "s4"): 1,
        ("s0", "s5"): 1,
        ("s1", "s2"): 1,
        ("s1", "s6"): 1,
        ("s1", "s7"): 1,
        ("s2", "s3"): 1,
    },
    "s0",
    frozenset({"s3"}),
)
FIGURE_2 = ExplicitGraph(
    {("A", "B"): 8, ("B", "E"): 3, ("A", "C"): 2, ("C", "D"): 4, ("D", "E"): 4},
    "A",
    frozenset({"E"}),
)
FIGURE_3 = ExplicitGraph(  # its edges lead both ways
    {
        pair: cost
        for (one, other), cost in {
            ("A", "B"): 1,
            ("B", "D"): 1,
            ("A", "C"): 1,
            ("A", "D"): 9,
            ("B", "C"): 9,
        }.items()
        for pair in ((one, other), (other, one))
    },
    "D",
    frozenset({"A"}),
)


def named_pairs(graph: ExplicitGraph, plan: Sequence[str]) -> set[tuple[object, object]]:
    rows, names = graph.plan_graph(plan), graph.nodes
    return {(names[i], names[j]) for i, j in zip(rows.better, rows.worse, strict=True)}


def test_figure_1a_has_exactly_six_inequalities() -> None:
    path = ["s0", "s1", "s2", "s3"]
    before_the_goal = {(i, j) for i, j in named_pairs(FIGURE_1A, path) if i != "s3"}
    assert before_the_goal == {
        ("s1", "s4"),
        ("s1", "s5"),
        ("s2", "s4"),
        ("s2", "s5"),
        ("s2", "s6"),
        ("s2", "s7"),
    }


def test_definition_1_also_puts_the_goal_of_figure_1a_before_its_open_list() -> None:
    # i runs up to l in definition 1: without these pairs the search would not end after l states.
    path = ["s0", "s1", "s2", "s3"]
    of_the_goal = {j for i, j in named_pairs(FIGURE_1A, path) if i == "s3"}
    assert of_the_goal == {"s4", "s5", "s6", "s7"}


def test_perfect_costs_lead_gbfs_of_figure_2_to_a_plan_that_is_too_expensive() -> None:
    h = FIGURE_2.costs_to_go()
    assert h == {"A": 10, "B": 3, "C": 8, "D": 4, "E": 0}
    greedy = FIGURE_2.forward_search(h, alpha=0.0)
    assert (greedy.path, greedy.cost) == (["A", "B", "E"], 11)
    assert FIGURE_2.forward_search(h, alpha=1.0).cost == 10
    assert violations(rows_of(FIGURE_2, h), FIGURE_2.plan_graph("ACDE"), alpha=0.0) > 0


def test_no_heuristic_ranks_figure_3_perfectly_for_gbfs_if_the_goal_is_lowest() -> None:
    h = FIGURE_3.costs_to_go()
    assert h == {"A": 0, "B": 1, "C": 1, "D": 2}
    assert FIGURE_3.forward_search(h, alpha=0.0).path == ["D", "A"]
    optimal = FIGURE_3.plan_graph("DBA")
    assert named_pairs(FIGURE_3, "DBA") == {("B", "A"), ("A", "C")}
    # B has to come before A, the goal, and A before C.
    assert violations(rows_of(FIGURE_3, h), optimal, alpha=0.0) == 1
    assert violations(rows_of(FIGURE_3, h), optimal, alpha=1.0) == 0
    below_the_goal = {**h, "B": -1.0}  # a heuristic that does not know its goal can do it
    assert violations(rows_of(FIGURE_3, below_the_goal), optimal, alpha=0.0) == 0
    # With the plan of fewest expansions instead of the cheapest one there is such a heuristic.
    assert violations(rows_of(FIGURE_3, h), FIGURE_3.plan_graph("DA"), alpha=0.0) == 0


def rows_of(graph: ExplicitGraph, h: dict[object, float]) -> np.ndarray:
    return np.array([h[node] for node in graph.nodes])


SIZE = 5
CELLS = list(itertools.product(range(SIZE), repeat=2))
GRID = ExplicitGraph(
    {
        ((x, y), (x - dx, y - dy)): 1
        for x, y in CELLS
        for dx, dy in ((1, 0), (0, 1))
        if x >= dx and y >= dy
    },
    (SIZE - 1, SIZE - 1),
    frozenset({(0, 0)}),
)


def grid_plan(moves: str) -> list[Cell]:
    cells = [(SIZE - 1, SIZE - 1)]
    for move in moves:
        x, y = cells[-1]
        cells.append((x - 1, y) if move == "l" else (x, y - 1))
    return cells


LEFT_THEN_DOWN, DOWN_THEN_LEFT = grid_plan("lllldddd"), grid_plan("ddddllll")
ALL_PLANS = [grid_plan("".join(moves)) for moves in sorted(set(itertools.permutations("lllldddd")))]


def fitted_table(
    graphs: Sequence[PlanGraph], alpha: float = 1.0
) -> tuple[dict[Cell, float], float]:
    """The 25 values that minimise the loss of all plans together, from zeros, and the loss."""

    def objective(table: np.ndarray) -> tuple[float, np.ndarray]:
        parts = [open_list(table, graph, alpha=alpha) for graph in graphs]
        return sum(value for value, _ in parts), sum(slopes for _, slopes in parts)

    found = minimize(objective, np.zeros(len(GRID.nodes)), jac=True, method="L-BFGS-B")
    return dict(zip(GRID.nodes, found.x.tolist(), strict=True)), float(found.fun)


@pytest.mark.parametrize("last_first", [False, True])
@pytest.mark.parametrize(
    "plans", [[LEFT_THEN_DOWN], [LEFT_THEN_DOWN, DOWN_THEN_LEFT], ALL_PLANS], ids=["1", "2", "70"]
)
def test_fitted_grids_make_astar_strictly_optimally_efficient(
    plans: list[list[Cell]], last_first: bool
) -> None:
    assert len(ALL_PLANS) == 70
    h, _ = fitted_table([GRID.plan_graph(plan) for plan in plans])
    found = GRID.forward_search(h, alpha=1.0, last_first=last_first)
    assert found.cost == 8
    assert found.expanded == found.path[:-1]
    assert found.path in plans


def test_one_plan_has_no_conflicts_and_two_have() -> None:
    one, loss_of_one = fitted_table([GRID.plan_graph(LEFT_THEN_DOWN)])
    _, loss_of_two = fitted_table(
        [GRID.plan_graph(LEFT_THEN_DOWN), GRID.plan_graph(DOWN_THEN_LEFT)]
    )
    assert loss_of_one < 0.01
    assert loss_of_two >= 2 * np.log(2.0) - 1e-9  # each plan's first step before that of the other
    assert one[3, 4] < one[4, 3]
    # States that are needed to solve nothing keep their zeros.
    assert {one[cell] for cell in CELLS if cell[1] < 3} - {one[0, y] for y in range(SIZE)} <= {0.0}


@pytest.mark.parametrize("last_first", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("plans", [[LEFT_THEN_DOWN, DOWN_THEN_LEFT], ALL_PLANS], ids=["2", "70"])
def test_merged_plans_can_be_learned_without_any_loss(
    plans: list[list[Cell]], alpha: float, last_first: bool
) -> None:
    merged = merged_graph([GRID.plan_graph(plan) for plan in plans])
    h, loss = fitted_table([merged], alpha)
    assert loss < 0.01
    assert violations(rows_of(GRID, h), merged, alpha=alpha) == 0
    found = GRID.forward_search(h, alpha=alpha, last_first=last_first)
    assert found.expanded == found.path[:-1]
    assert found.path in plans


def test_a_merged_graph_leaves_out_no_pair_of_a_single_plan() -> None:
    graph = GRID.plan_graph(LEFT_THEN_DOWN)
    merged = merged_graph([graph, graph])
    assert sorted(zip(merged.better, merged.worse, strict=True)) == sorted(
        zip(graph.better, graph.worse, strict=True)
    )
    assert sorted(merged.path) == sorted(graph.path)
    assert merged.parents.tolist() == graph.parents.tolist()
    assert merged.successors.tolist() == graph.successors.tolist()
