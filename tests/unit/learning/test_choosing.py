"""Scores, rankings and the parts of a set of tasks: the rules of model selection."""

from __future__ import annotations

import pytest

from beeline import generators, load_model
from beeline.core.errors import BeelineError
from beeline.fitting.losses import LOSSES
from beeline.learning import selection
from beeline.learning.candidates import ALL, OPTIMAL, Contender, data_choices
from beeline.learning.selection import (
    LADDER,
    Outcome,
    Rung,
    Score,
    TrialJob,
    ranking,
    spread,
    try_out,
)
from beeline.learning.settings import Candidate, LearnSettings
from beeline.learning.task_set import PlannedTask
from beeline.learning.workshop import HELD_OUT, TRAINING_TASKS, Experience
from beeline.models.colours.model import ColourModel
from beeline.pddl.writer import format_problem
from beeline.planning.model import SearchStyle


def outcome(expanded: int, length: int | None) -> Outcome:
    return Outcome(expanded, 10 * expanded, length, None if length is None else ("(a)",), 1)


def contender(rounds: int, *, preferred: bool = False) -> Contender:
    model = ColourModel({"name": "d"}, None, SearchStyle(preferred=preferred), {}, 0, "0")  # type: ignore[arg-type]
    return Contender(Candidate(False, rounds, False, 1e-3, ALL), model)


def task(number: int, *, solved: bool = True, optimal: bool = False) -> PlannedTask:
    return PlannedTask(
        f"t{number:03d}",
        "",
        number,
        number,
        "solved",
        plan=("(a)",) if solved else None,
        optimal=optimal,
    )


def experience(tasks: list[PlannedTask]) -> Experience:
    return Experience(None, LearnSettings(), None, None, tuple(tasks))  # type: ignore[arg-type]


def test_the_shortest_plan_is_remembered_by_all_phases() -> None:
    known = experience([task(1), task(2, solved=False)])
    first, second = known.tasks
    assert known.shortest_plan(first, [5, None]) == 1  # its own
    assert known.shortest_plan(second, [None]) is None
    assert known.shortest_plan(second, [7, None, 5]) == 5
    assert known.with_plans([]).shortest_plan(second, [6]) == 5


class TestScores:
    def test_solved_tasks_come_first(self) -> None:
        all_solved = Score.of([outcome(900, 10), outcome(900, 10)])
        one_solved = Score.of([outcome(10, 10), outcome(900, None)])
        assert all_solved.is_better_than(one_solved)
        assert not one_solved.is_better_than(all_solved)

    def test_then_expansions_and_detours(self) -> None:
        straight = Score.of([outcome(20, 20)])
        shorter_plan_with_detours = Score.of([outcome(20, 10)])
        assert straight.is_better_than(shorter_plan_with_detours)
        assert Score.of([outcome(10, 10)]).is_better_than(straight)

    def test_a_margin_makes_nearly_equal_scores_equal(self) -> None:
        better, worse = Score.of([outcome(100, 100)]), Score.of([outcome(103, 103)])
        assert better.is_better_than(worse)
        assert not better.is_better_than(worse, 0.05)

    def test_straight_means_everything_solved_without_detours(self) -> None:
        assert Score.of([outcome(10, 10), outcome(21, 20)]).is_straight
        assert not Score.of([outcome(10, 10), outcome(40, 20)]).is_straight
        assert not Score.of([outcome(10, 10), outcome(10, None)]).is_straight

    def test_a_plan_that_goes_astray_is_no_straight_way(self) -> None:
        astray = Score.of([outcome(40, 40)._replace(shortest=20)])
        direct = Score.of([outcome(21, 20)._replace(shortest=20)])
        assert not astray.is_straight
        assert direct.is_straight
        assert direct.is_better_than(astray, 0.5)

    def test_no_outcomes_are_no_error(self) -> None:
        assert Score.of([]).solved == 0


def test_a_search_that_fails_counts_as_dear_however_little_it_expanded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who looks at too many successors of few states has not been quick."""
    monkeypatch.setattr(selection, "SUCCESSORS", 0)
    problem = generators.generate("ferry", cars=4, locations=4, seed=1)
    text = generators.domain_text("ferry")
    model = load_model("ferry")
    assert isinstance(model, ColourModel)
    ferry = PlannedTask("p", format_problem(problem), 1, 1, "solved")
    few, many = (
        TrialJob(text, ferry, False, (model,), Rung(1.0, 1, 500, limit, 1), None, improve=False)
        for limit in (5, 5000)
    )
    assert try_out(few) == [Outcome(500, 5)]
    [solved] = try_out(many)
    assert solved.length == solved.expanded < 500


class TestRanking:
    def test_of_nearly_equal_ones_the_first_comes_first(self) -> None:
        scores = [Score.of([outcome(size, size)]) for size in (103, 100, 200)]
        scored = list(zip([contender(number) for number in (1, 2, 3)], scores, strict=True))
        order = [each.candidate.rounds for each, _ in ranking(scored)]
        assert order == [1, 2, 3]

    def test_a_clearly_better_one_comes_first_wherever_it_stands(self) -> None:
        scores = [Score.of([outcome(size, size)]) for size in (200, 100)]
        scored = list(zip([contender(number) for number in (1, 2)], scores, strict=True))
        assert ranking(scored)[0][0].candidate.rounds == 2

    def test_rungs_take_larger_tasks_as_they_go_up(self) -> None:
        tasks = [task(number) for number in range(40)]
        largest = [rung.chosen(tasks)[-1].facts for rung in LADDER]
        assert largest == sorted(largest)
        assert largest[-1] == 39
        assert [len(rung.chosen(tasks)) for rung in LADDER] == [rung.tasks for rung in LADDER]

    def test_items_are_spread_evenly(self) -> None:
        assert spread(range(5), 1) == [4]
        assert spread(range(100), 3) == [0, 49, 99]
        assert spread([], 3) == []


class TestPartsOfTheTasks:
    @pytest.mark.parametrize("count", [1, 2, 4, 5, 8, 20, 34, 50, 99])
    def test_larger_tasks_are_held_out_if_there_are_enough(self, count: int) -> None:
        parts = experience([task(number) for number in range(count)])
        assert parts.smaller
        assert parts.held_out
        if count > HELD_OUT:
            assert max(each.size for each in parts.smaller) < min(
                each.size for each in parts.held_out
            )
            assert len(parts.smaller) + len(parts.held_out) == count
            assert len(parts.smaller) >= min(count - HELD_OUT, TRAINING_TASKS)

    def test_tasks_without_plans_are_tried_but_not_learned_from(self) -> None:
        parts = experience([task(number, solved=number < 20) for number in range(60)])
        assert all(each.plan is not None for each in parts.smaller)
        assert sum(each.plan is None for each in parts.held_out) >= 6

    def test_new_plans_take_the_place_of_old_ones(self) -> None:
        parts = experience([task(1, solved=False), task(2)])
        assert [each.name for each in parts.planned] == ["t002"]
        assert [each.name for each in parts.with_plans([task(1)]).planned] == ["t001", "t002"]


class TestSettings:
    def test_optimal_plans_are_a_choice_only_if_some_are_and_some_are_not(self) -> None:
        mixed = [task(number, optimal=number < 5) for number in range(10)]
        assert data_choices(mixed) == [OPTIMAL, ALL]
        assert data_choices([task(1)]) == [ALL]
        assert data_choices([task(1, optimal=True), task(2, optimal=True)]) == [ALL]

    def test_candidates_are_all_different(self) -> None:
        stages = LearnSettings().stages([OPTIMAL, ALL])
        candidates = [each for stage in stages for each in stage]
        assert len(set(candidates)) == len(candidates)
        assert {each.rounds for each in candidates} == {1, 2, 3}
        assert {each.multiset for each in candidates} == {False, True}
        assert not any(each.h_ff for each in stages[0])

    def test_choices_of_the_user_are_kept(self) -> None:
        settings = LearnSettings(rounds=4, neighbours="multiset", h_ff=True)
        candidates = [each for stage in settings.stages([ALL]) for each in stage]
        assert {(each.rounds, each.multiset, each.h_ff) for each in candidates} == {(4, True, True)}

    @pytest.mark.parametrize(
        "wrong",
        [{"loss": "mse"}, {"rounds": 0}, {"rounds": 5}, {"neighbours": "list"}, {"seed": -1}],
    )
    def test_nonsense_is_refused(self, wrong: dict[str, object]) -> None:
        with pytest.raises(BeelineError):
            LearnSettings(**wrong)  # type: ignore[arg-type]

    def test_every_loss_is_accepted(self) -> None:
        for name in LOSSES:
            assert LearnSettings(loss=name).loss == name
