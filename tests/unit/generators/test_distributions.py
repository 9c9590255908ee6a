"""Instances come from the distributions that the generators promise."""

from __future__ import annotations

from collections import Counter
from math import comb, factorial
from typing import TYPE_CHECKING

import pytest

from beeline.generators.domains import blocksworld, grid, gripper, npuzzle, sokoban, visitall
from beeline.generators.draft import Dice, random_connected_part, random_network

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable


def assert_uniform(draws: Iterable[Hashable], kinds: int) -> None:
    """A chi-square test with a fixed seed behind it: it fails for good or not at all."""
    from scipy.stats import chisquare

    counts = Counter(draws)
    assert len(counts) == kinds
    assert chisquare(list(counts.values())).pvalue > 0.01


def test_all_73_states_of_four_blocks_are_equally_likely() -> None:
    blocks = ["a", "b", "c", "d"]
    states = sum(comb(3, k - 1) * factorial(4) // factorial(k) for k in range(1, 5))
    assert states == 73
    dice = Dice("four blocks")
    draws = (blocksworld.random_stacks(blocks, dice) for _ in range(73 * 200))
    assert_uniform((tuple(sorted(map(tuple, stacks))) for stacks in draws), 73)


def test_pairs_of_start_and_goal_with_three_blocks_are_equally_likely() -> None:
    dice = Dice("pairs")
    parameters = blocksworld.Parameters(blocks=3)
    drafts = (blocksworld.generate(parameters, dice) for _ in range(13 * 12 * 60))
    pairs = ((frozenset(draft.init[1:]), frozenset(draft.goal)) for draft in drafts)
    assert_uniform(pairs, 13 * 12)


def test_all_states_of_gripper_are_equally_likely() -> None:
    dice = Dice("gripper")
    states = 2 * (8 + 6 * 4 + 6 * 2)  # the robot's room; no, one or two of three balls held
    draws = (frozenset(gripper.random_state(["x", "y", "z"], dice)) for _ in range(states * 100))
    assert_uniform(draws, states)


def test_balls_of_gripper_may_have_rooms_of_their_own_to_go_to() -> None:
    dice = Dice("gripper")
    drawn, usual = (gripper.Parameters(balls=2, random_goals=each) for each in (1, 0))
    goals = Counter(tuple(gripper.generate(drawn, dice).goal) for _ in range(400))
    assert len(goals) == 4
    assert all(60 < count < 140 for count in goals.values())
    assert {room for _, _, room in gripper.generate(usual, dice).goal} == {"roomb"}
    assert dict(usual.told()) == {"balls": 2}  # so that earlier tasks stay as they were


def test_gripper_with_one_ball_never_holds_two() -> None:
    dice = Dice("one ball")
    draws = (frozenset(gripper.random_state(["x"], dice)) for _ in range(800))
    assert_uniform(draws, 8)


def test_half_of_all_boards_are_drawn_and_they_are_equally_likely() -> None:
    dice = Dice("boards")
    draws = (tuple(npuzzle.random_board(2, 3, dice)) for _ in range(360 * 50))
    assert_uniform(draws, 360)


@pytest.mark.parametrize("swap", [False, True])
def test_parity_tells_boards_that_can_be_solved(swap: bool) -> None:
    solved = [0, 1, 2, 3, 4, 5]
    if swap:
        solved[0], solved[1] = solved[1], solved[0]
    dice = Dice("parity")
    boards = {tuple(npuzzle.random_board(2, 3, dice)) for _ in range(5000)}
    assert (tuple(solved) in boards) is not swap


@pytest.mark.parametrize(("ratio", "size"), [(0.001, 1), (0.5, 8), (1.0, 16)])
def test_visitall_wants_the_share_of_cells_that_ratio_says(ratio: float, size: int) -> None:
    for seed in range(20):
        parameters = visitall.Parameters(width=4, height=4, ratio=ratio)
        assert len(visitall.generate(parameters, Dice(str(seed))).goal) == size


def test_keys_of_grid_lie_behind_doors_sometimes_and_all_doors_open() -> None:
    behind = 0
    for seed in range(40):
        parameters = grid.Parameters(width=5, height=5, locks=12, shapes=3, keys=3)
        init = set(grid.generate(parameters, Dice(str(seed))).init)
        locked = {fact[1] for fact in init if fact[0] == "locked"}
        assert len(locked) == 12
        behind += any(fact[0] == "at" and fact[2] in locked for fact in init)
    assert behind > 10


def test_boxes_of_sokoban_stand_on_different_floor_places_away_from_their_goals() -> None:
    for seed in range(20):
        draft = sokoban.generate(sokoban.Parameters(size=9, boxes=3), Dice(str(seed)))
        clear = {fact[1] for fact in draft.init if fact[0] == "clear"}
        boxes = {fact[1]: fact[2] for fact in draft.init if fact[0] == "at"}
        goals = {fact[1]: fact[2] for fact in draft.goal}
        robot = next(fact[1] for fact in draft.init if fact[0] == "at-robot")
        assert len(set(boxes.values())) == len(set(goals.values())) == 3
        assert not clear & set(boxes.values())
        assert robot in clear
        assert boxes != goals


@pytest.mark.parametrize("size", [2, 3, 30])
def test_random_networks_are_connected(size: int) -> None:
    nodes = [str(number) for number in range(size)]
    dice = Dice("network")
    network = random_network(nodes, 0.1, dice)
    for edges in (network, random_connected_part(network, 0.2, dice)):
        reached = {"0"}
        for _ in nodes:
            reached |= {node for edge in edges if reached & set(edge) for node in edge}
        assert len(reached) == size
    assert len(random_network(nodes, 0.0, dice)) == size - 1


def test_dice_choose_uniformly() -> None:
    dice = Dice("any")
    assert_uniform((dice.below(7) for _ in range(7000)), 7)
    assert_uniform((tuple(dice.sample(range(4), 2)) for _ in range(12000)), 12)
    assert_uniform((tuple(dice.shuffled("abc")) for _ in range(6000)), 6)
    thirds = Counter(dice.weighted([1, 0, 2]) for _ in range(3000))
    assert set(thirds) == {0, 2}
    assert abs(thirds[2] - 2000) < 100
    assert abs(sum(dice.chance(0.25) for _ in range(4000)) - 1000) < 100
    assert not any(dice.chance(0.0) for _ in range(100))
    assert all(dice.chance(1.0) for _ in range(100))
