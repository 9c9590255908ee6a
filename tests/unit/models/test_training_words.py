"""What is said of a training: whole sentences, whatever the summary has and lacks."""

from __future__ import annotations

from typing import Any

import pytest

from beeline.models.training_words import examined, learned_from

ALL = {"given": 5, "with_plans": 5, "optimal": 5, "longest_plan": 9, "made": 0}


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        (ALL, "5 tasks (all with optimal plans, the longest 9 steps)"),
        (
            {**ALL, "optimal": 2, "made": 1},
            "5 tasks (all with plans, 2 of them optimal, the longest 9 steps) and 1 task that was"
            " made from them",
        ),
        ({**ALL, "with_plans": 0, "optimal": 0}, "5 tasks (0 with plans)"),
        ({"given": 1, "with_plans": 1, "longest_plan": 1}, "1 task (with a plan of 1 step)"),
        ({"given": 1, "with_plans": 1}, "1 task (with a plan)"),
        ({"given": 1500, "longest_plan": 3}, "1,500 tasks (the longest plan has 3 steps)"),
        ({"given": 7}, "7 tasks"),
        (7, "7 tasks"),
        (1, "1 task"),
    ],
)
def test_tasks(tasks: object, words: str) -> None:
    assert learned_from({"tasks": tasks}) == f"learned from {words}"


def test_states_of_tasks() -> None:
    summary = {
        "instances": {"training": 1, "validation": 2},
        "states": {"training": 1, "validation": 2000},
    }
    sentence = "learned from 1 task with 1 state, validated with 2,000 states of other tasks"
    assert learned_from(summary) == sentence


def test_samples_of_a_task() -> None:
    samples = {
        "heuristic": {"samples": 1, "max_depth": 1},
        "operators": {"samples": 1, "max_depth": 1},
    }
    words = "learned from 1 sample of one task, up to 1 step from its goal"
    assert learned_from({"samples": samples}) == words


@pytest.mark.parametrize(
    ("held_out", "words"),
    [
        ({"tasks": 1, "solved": 1}, "examined in 1 larger task: solved"),
        ({"tasks": 1, "solved": 0}, "examined in 1 larger task: not solved"),
        ({"tasks": 3, "solved": 0}, "examined in 3 larger tasks: none solved"),
        ({"tasks": 3, "solved": 3}, "examined in 3 larger tasks: all solved"),
        (
            {"tasks": 3, "solved": 2, "expansions": 1999.6, "length": 1.2, "straight": False},
            "examined in 3 larger tasks: 2 solved, about 2,000 expansions for 1 step",
        ),
        (None, "not examined: nothing was held out, so nobody knows how it does on other tasks"),
    ],
)
def test_exams(held_out: object, words: str) -> None:
    assert examined({"held_out": held_out}) == words


@pytest.mark.parametrize("odd", [None, "many", -1, True, 2.5, [], {}, {"given": "many"}, [{}]])
@pytest.mark.parametrize("name", ["tasks", "instances", "states", "samples", "held_out"])
def test_what_makes_no_sense_is_left_out(name: str, odd: object) -> None:
    summary: dict[str, Any] = {name: odd}
    assert learned_from(summary) == ""
    if odd is not None:
        assert examined(summary) == ""


def test_means_that_are_no_numbers_are_left_out() -> None:
    held_out = {"tasks": 2, "solved": 2, "expansions": float("nan"), "length": 3.0}
    assert examined({"held_out": held_out}) == "examined in 2 larger tasks: all solved"
