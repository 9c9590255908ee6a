"""Tasks as environments: Gymnasium's own checker, and walks that are plans."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import beeline
from beeline.core.errors import BeelineError

pytest.importorskip("gymnasium", reason="gymnasium is not installed")

from gymnasium.utils.env_checker import check_env

from beeline.env import PlanningEnv
from beeline.pddl import parse_domain, parse_problem
from beeline.task.validator import FailureKind

DOMAINS = {"blocksworld": {"blocks": 4}, "ferry": {"cars": 2, "locations": 3}, "gripper": {}}


def task_of(name: str, seed: int = 0) -> beeline.GroundTask:
    return beeline.ground(beeline.generators.generate(name, seed=seed, **DOMAINS[name]))


@pytest.mark.parametrize("name", DOMAINS)
def test_the_checker_of_gymnasium_finds_nothing(name: str) -> None:
    check_env(PlanningEnv(task_of(name), render_mode="ansi"), skip_render_check=True)


@pytest.mark.parametrize("name", DOMAINS)
def test_a_plan_earns_minus_its_cost_and_ends_in_the_goal(name: str) -> None:
    task = task_of(name)
    result = beeline.solve(task, "astar", "lmcut")
    assert result.plan is not None
    env = PlanningEnv(task, goal_reward=0.5)
    observation, info = env.reset(seed=1)
    assert np.array_equal(observation, task.initial_state.facts)
    total = 0.0
    for place, step in enumerate(result.plan):
        (action,) = (k for k in task.operator_ids(step) if info["action_mask"][k])
        observation, reward, terminated, truncated, info = env.step(action)
        total += reward
        assert info["legal"]
        assert (terminated, truncated) == (place == len(result.plan) - 1, False)
    assert total == 0.5 - (result.cost or 0)
    assert info["is_goal"]
    assert env.plan == result.plan
    assert beeline.validate(task.problem, env.plan).valid


def test_masks_are_the_applicable_operators_and_sample_from_them() -> None:
    task = task_of("ferry")
    env = PlanningEnv(task)
    _, info = env.reset(seed=7)
    env.action_space.seed(7)
    for _ in range(200):
        assert np.flatnonzero(env.action_masks()).tolist() == sorted(env.state.operators)
        assert np.array_equal(info["action_mask"].astype(bool), env.action_masks())
        _, _, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))
        assert info["legal"]
        if terminated:
            _, info = env.reset()
    failure = beeline.validate(task.problem, env.plan).failure
    assert failure is None or failure.kind is FailureKind.GOAL  # every step applies


def test_what_cannot_be_done_changes_nothing_and_is_no_part_of_the_plan() -> None:
    env = PlanningEnv(task_of("blocksworld"))
    before, info = env.reset(seed=0)
    action = int(np.flatnonzero(info["action_mask"] == 0)[0])
    after, reward, terminated, _, info = env.step(action)
    assert np.array_equal(before, after)
    assert (reward, terminated, info["legal"]) == (-1.0, False, False)
    assert env.plan == beeline.Plan()
    with pytest.raises(BeelineError, match="action -1 of"):
        env.step(-1)


def test_random_walks_begin_elsewhere_and_the_seed_decides_where() -> None:
    env = PlanningEnv(task_of("gripper"))
    starts = [env.reset(seed=seed, options={"walk": 9})[0].tobytes() for seed in (1, 1, 2, 3, 4)]
    assert starts[0] == starts[1]
    assert len({*starts}) > 2
    assert env.plan == beeline.Plan()
    with pytest.raises(BeelineError, match="options"):
        env.reset(options={"wlak": 9})


def test_a_dead_end_ends_an_episode_without_a_goal() -> None:
    domain = parse_domain(
        """(define (domain fork) (:predicates (start) (left) (right))
        (:action go-left :parameters () :precondition (start) :effect (and (not (start)) (left)))
        (:action go-right :parameters () :precondition (start)
          :effect (and (not (start)) (right)))
        (:action back :parameters () :precondition (right) :effect (left)))"""
    )
    text = "(define (problem p) (:domain fork) (:init (start)) (:goal (and (right) (left))))"
    task = beeline.ground(parse_problem(domain, text))
    env = PlanningEnv(task, goal_reward=5.0)
    _, info = env.reset(seed=0)
    (wrong,) = (k for k in np.flatnonzero(info["action_mask"]) if "left" in task.operator_name(k))
    _, reward, terminated, truncated, info = env.step(wrong)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert not info["is_goal"]
    assert not info["action_mask"].any()


def test_episodes_are_cut_short() -> None:
    env = PlanningEnv(task_of("ferry"), max_steps=3)
    env.reset(seed=0)
    cut = [env.step(int(np.flatnonzero(env.action_masks())[0]))[3] for _ in range(3)]
    assert cut == [False, False, True]
    with pytest.raises(BeelineError, match="max_steps 0"):
        PlanningEnv(task_of("ferry"), max_steps=0)


def test_rendering_tells_the_true_facts() -> None:
    env = PlanningEnv(task_of("ferry"), render_mode="ansi")
    env.reset(seed=0)
    assert "(at-ferry " in str(env.render())
    assert PlanningEnv(task_of("ferry")).render() is None
    with pytest.raises(BeelineError, match="unknown render mode"):
        PlanningEnv(task_of("ferry"), render_mode="human")


def test_the_module_is_there_without_the_library() -> None:
    script = (
        "import sys; sys.modules['gymnasium'] = None; import beeline.env\n"
        "try:\n    beeline.env.PlanningEnv\n"
        "except beeline.BeelineError as error:\n    print(error.message, '|', error.hint)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    message, _, hint = run.stdout.partition(" | ")
    assert message == "environments need gymnasium, which is not installed"
    assert "pip install 'gymnasium>=1.0'" in hint
