"""Gripper: the initial state is uniform over all states; the goal is all balls in room b.

With `random_goals`, the goal of each ball is a uniform room instead.

In a state the robot is in one of two rooms, each gripper is free or holds a ball, and every other
ball is in one of the rooms. With `n` balls there are 2^n ways (times two for the robot) with free
grippers, 2n * 2^(n-1) with one ball held and n(n-1) * 2^(n-2) with two; the number of balls held
is drawn with these weights. (The usual instances, with all balls in room a, teach little.)

Solvable: the robot drops what it holds and fetches ball after ball. Goal states are thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass

from beeline.generators.draft import Dice, Draft, Fact, numbered
from beeline.generators.parameters import ParameterSet, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """How many balls there are, and where they belong."""

    balls: int = whole(6, "balls to carry", 1, 100_000)
    random_goals: int = whole(0, "1 if each ball has a room of its own to go to", 0, 1, later=True)


ROOMS = ["rooma", "roomb"]
GRIPPERS = ["left", "right"]


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """A state that is uniform over all states in which some ball is not where it belongs."""
    balls = numbered("ball", parameters.balls)
    drawn = bool(parameters.random_goals)
    goal: list[Fact] = [("at", ball, dice.choice(ROOMS) if drawn else "roomb") for ball in balls]
    state = goal
    while set(goal) <= set(state):
        state = random_state(balls, dice)
    init: list[Fact] = [("room", room) for room in ROOMS]
    init += [("gripper", gripper) for gripper in GRIPPERS]
    init += [("ball", ball) for ball in balls]
    return Draft([("", [*ROOMS, *GRIPPERS, *balls])], init + state, goal)


def random_state(balls: list[str], dice: Dice) -> list[Fact]:
    """The facts of a state that is uniform over all states."""
    total = len(balls)
    held = dice.weighted([4, 2 * total * 2, total * (total - 1)])  # times 2 ** (total - 2)
    hands = dice.sample(GRIPPERS, held)
    carried = dict(zip(dice.sample(balls, held), hands, strict=True))
    state: list[Fact] = [("at-robby", dice.choice(ROOMS))]
    state += [("free", gripper) for gripper in GRIPPERS if gripper not in hands]
    for ball in balls:
        if ball in carried:
            state.append(("carry", ball, carried[ball]))
        else:
            state.append(("at", ball, dice.choice(ROOMS)))
    return state
