"""Pages of plans: they tell the truth about every step, need nothing else, and escape names."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from odd_tasks import OddTask
from parsed_pages import ParsedPage
from random_tasks import RandomTask

import beeline
from beeline.core.errors import BeelineError, Status
from beeline.models.model_file import find_model
from beeline.pages.story import number_text, tell
from beeline.pddl import parse_domain, parse_problem
from beeline.task.validator import replay

LAMPS = parse_domain(
    """(define (domain lamps) (:predicates (on ?l) (broken ?l))
    (:action switch :parameters (?l) :precondition (and (not (on ?l)) (not (broken ?l)))
      :effect (on ?l)))"""
)


def lamps(goal: str = "(and (on a) (on b))") -> beeline.GroundTask:
    text = (
        f"(define (problem two) (:domain lamps) (:objects a b c) (:init (broken c)) (:goal {goal}))"
    )
    return beeline.ground(parse_problem(LAMPS, text))


def blocks() -> beeline.GroundTask:
    return beeline.ground(beeline.generators.generate("blocksworld", blocks=6, seed=3))


def data_of(page: beeline.Page) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html)
    assert found is not None
    return json.loads(found[1])


def visible(page: beeline.Page) -> str:
    return re.sub(r"<[^>]*>", "", page.html)


@pytest.fixture(scope="module")
def page() -> beeline.Page:
    return beeline.show(blocks(), model="blocksworld")


def test_the_page_is_well_formed_and_its_references_lead_somewhere(page: beeline.Page) -> None:
    parsed = ParsedPage(page.html)
    assert parsed.open == []
    assert len({*parsed.ids}) == len(parsed.ids)
    assert {*parsed.targets} - {"data:,"} <= {*parsed.ids}


def test_the_page_needs_no_network(page: beeline.Page) -> None:
    assert not re.search(r"https?://", page.html)
    assert not re.search(r"\bsrc=|@import|url\((?!#)", page.html)
    assert "default-src 'none'" in page.html


def test_the_same_plan_gives_the_same_bytes(page: beeline.Page) -> None:
    assert beeline.show(blocks(), model="blocksworld").html == page.html


def test_steps_change_facts_as_the_validator_says(page: beeline.Page) -> None:
    task, data = blocks(), data_of(page)
    plan = beeline.Plan(data["steps"])
    names = dict(re.findall(r'<li data-fact="(\d+)"[^>]*>([^<]*)</li>', page.html))
    wanted: list[int] = []
    replay(task.problem, plan, lambda state: wanted.append(sum(map(len, state.facts.values()))))
    true = {*data["first"]}
    found = [len(true)]
    for added, deleted in zip(data["added"], data["deleted"], strict=True):
        assert true.isdisjoint(added)
        assert true.issuperset(deleted)
        true = true - {*deleted} | {*added}
        found.append(len(true))
    static = task.problem.domain.predicates.keys() - task.problem.domain.changed_predicates()
    assert not static
    assert found == wanted
    assert len(names) == len({*names})
    assert all((fact in true) != negated for fact, negated in data["goals"])


def test_reasons_sum_to_the_change_of_the_score() -> None:
    task, model = blocks(), beeline.load_model("blocksworld")
    result = beeline.plan(model, task)
    story = tell(task, result.plan, model)
    assert story.curves[0].title == "learned score"
    sums = [sum(reason.change for reason in reasons) for reasons in story.reasons]
    assert sums == pytest.approx(np.diff(story.curves[0].values).tolist())
    for reasons in story.reasons:
        sizes = [abs(reason.change) for reason in reasons]
        assert sizes == sorted(sizes, reverse=True)
        assert len({reason.words for reason in reasons}) == len(reasons)


def test_reasons_of_a_model_in_other_words() -> None:
    folder = Path(__file__).parents[3] / "examples" / "blocks"
    task = beeline.load(folder / "domain.pddl", folder / "task.pddl")
    model = find_model("auto", task.problem.domain)
    story = tell(task, beeline.read_plan(folder / "task.plan"), model)
    sums = [sum(reason.change for reason in reasons) for reasons in story.reasons]
    assert sums == pytest.approx(np.diff(story.curves[0].values).tolist())


def test_choices_have_the_step_that_was_taken_and_none_better_above_it() -> None:
    task = blocks()
    story = tell(task, beeline.solve(task).plan, None)
    assert len(story.choices) == len(story.steps)
    for step, choices, (rank, count) in zip(story.steps, story.choices, story.ranks, strict=True):
        assert [each.step for each in choices if each.taken] == [step]
        assert [each.value for each in choices[:-1]] == sorted(e.value for e in choices[:-1])
        assert 1 <= rank <= count


def test_heuristics_end_at_zero() -> None:
    task = blocks()
    for curve in tell(task, beeline.solve(task).plan, None).curves:
        assert (curve.values[0] > 0, curve.values[-1]) == (True, 0)


def test_a_plan_that_fails_is_shown_up_to_there() -> None:
    page = beeline.show(lamps(), ["(switch a)", "(switch c)", "(switch b)"])
    assert (page.status, page.steps) == (Status.INCOMPLETE, 1)
    assert "Step 2, (switch c): precondition not satisfied: (not (broken c))" in page.warning
    assert page.warning in visible(page)
    short = beeline.show(lamps(), ["(switch a)"])
    assert "The end: goal not reached: (on b)" in short.warning


def test_a_task_without_a_plan_is_shown_by_its_initial_state() -> None:
    page = beeline.show(lamps("(on c)"))
    assert (page.status, page.steps) == (Status.UNSOLVABLE, 0)
    assert "There is no plan to show: unsolvable." in visible(page)


def test_results_and_models_are_taken_as_they_are() -> None:
    task, model = blocks(), beeline.load_model("blocksworld")
    result = beeline.plan(model, task)
    assert beeline.show(task, result, model=model).steps == result.length
    with pytest.raises(BeelineError, match="does not fit"):
        beeline.show(lamps(), model="ferry")
    assert beeline.show(lamps(), model="auto").steps == 2  # no model fits


def test_who_interrupts_the_search_gets_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    from beeline.planning import solve as module

    result = replace(beeline.solve(lamps("(on c)")), interrupted=True)
    monkeypatch.setattr(module, "solve", lambda *_, **__: result)
    with pytest.raises(KeyboardInterrupt):
        beeline.show(lamps())


def test_a_goal_that_is_no_list_is_told_as_it_is_written() -> None:
    page = beeline.show(lamps("(or (on a) (and (on b) (not (on c))))"))
    assert page.status is Status.SOLVED
    assert data_of(page)["goals"] == []
    assert "(or (on a)" in visible(page)


def test_names_cannot_become_markup() -> None:
    domain = parse_domain(
        """(define (domain d) (:predicates (at<b>&x ?a))
        (:action go<i> :parameters (?a ?b) :precondition (at<b>&x ?a)
          :effect (and (not (at<b>&x ?a)) (at<b>&x ?b))))"""
    )
    text = """(define (problem </script>) (:domain d) (:objects <u>{0} </title>)
        (:init (at<b>&x <u>{0})) (:goal (at<b>&x </title>)))"""
    page = beeline.show(beeline.ground(parse_problem(domain, text)))
    parsed = ParsedPage(page.html)
    assert parsed.open == []
    assert {"b", "i", "u"}.isdisjoint(parsed.tags)
    assert data_of(page)["steps"] == ["(go<i> <u>{0} </title>)"]


def test_numbers_have_few_digits() -> None:
    assert [number_text(value) for value in (0, -2.5, 1234.5, float("-inf"))] == [
        *("0", "-2.5", "1,234", "–")
    ]


class TestNotebooks:
    def test_tasks_plans_results_and_models_are_shown(self) -> None:
        task = blocks()
        result = beeline.solve(task)
        assert result.plan is not None
        model = beeline.load_model("blocksworld")
        shown = [each._repr_html_() for each in (task, result.plan, result, model)]
        for text in shown:
            assert ParsedPage(text).open == []
        assert "<svg" in shown[0]
        assert shown[1].count("<li>") == len(result.plan)
        assert "solved" in shown[2]
        assert "learned from" in shown[3]
        assert "open goals" in shown[3]

    def test_pages_are_shown_in_a_frame_without_rights(self, page: beeline.Page) -> None:
        text = page._repr_html_()
        assert text.startswith("<iframe srcdoc=")
        assert 'sandbox="allow-scripts"' in text
        assert ParsedPage(text).tags == ["iframe"]
        assert repr(page).startswith("<Page of")


@pytest.mark.parametrize("seed", range(60))
def test_odd_tasks_have_pages_too(seed: int) -> None:
    odd: RandomTask | OddTask
    odd = OddTask(seed) if seed % 2 else RandomTask(seed, conditional=0.5, derived=True)
    try:
        problem = parse_problem(parse_domain(odd.domain), odd.task)
        task = beeline.ground(problem)
    except BeelineError:
        return  # refused by name, before there is anything to show
    result = beeline.solve(task, "gbfs", "ff", max_expansions=300)
    page = beeline.show(task, result)
    assert ParsedPage(page.html).open == []
    data = data_of(page)
    assert page.steps == len(data["steps"]) == (result.length or 0)
    assert "NaN" not in json.dumps(data)
    if result.solved:
        assert page.status is Status.SOLVED
        assert page.warning == ""
