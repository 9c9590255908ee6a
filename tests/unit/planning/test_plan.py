"""`plan`: two searches in turns, limits, and answers that do not depend on the model."""

from __future__ import annotations

import time
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hand_tables import HandTable, built_in, small_blocksworld
from random_tasks import RandomTask

from beeline import _native, generators
from beeline.core.errors import BeelineError, Status
from beeline.pages.show import show
from beeline.pddl import parse_domain, parse_problem
from beeline.planning import contestants as schedule
from beeline.planning.model import SearchStyle
from beeline.planning.plan import PlanSpec, Race, plan
from beeline.planning.solve import solve
from beeline.task.grounding import ground
from beeline.task.validator import validate

if TYPE_CHECKING:
    from beeline.models.colours.model import ColourModel
    from beeline.planning.contestants import Contestant
    from beeline.task.ground_task import GroundTask

STYLES = [
    SearchStyle(rollout, preferred, symmetry)
    for rollout in (False, True)
    for preferred in (False, True)
    for symmetry in (False, True)
]


def blocks(number: int, seed: int = 1) -> GroundTask:
    return ground(generators.generate("blocksworld", seed=seed, blocks=number))


def random_model(domain_text: str, seed: int, *, ff_weight: int = 0) -> ColourModel:
    """Weights on base colours that mean nothing."""
    table = HandTable(parse_domain(domain_text, "<domain>"))
    rng = np.random.default_rng(seed)
    table.weights = {colour: int(rng.integers(-9, 10)) for colour in range(table.base.count)}
    return table.model(ff_weight=ff_weight)


@pytest.mark.parametrize("style", STYLES, ids=str)
@pytest.mark.parametrize("fallback", [False, True])
def test_plans_are_found_in_every_style(style: SearchStyle, fallback: bool) -> None:
    task = blocks(5)
    result = plan(small_blocksworld().model(), task, style=style, fallback=fallback)
    assert result.status is Status.SOLVED
    assert result.plan is not None
    verdict = validate(task.problem, result.plan)
    assert verdict.cost == result.cost


@pytest.mark.parametrize("style", STYLES, ids=str)
@pytest.mark.parametrize("ff_weight", [0, 5, -5])
def test_a_plan_is_found_if_and_only_if_there_is_one(style: SearchStyle, ff_weight: int) -> None:
    answers = set()
    for seed in range(12):
        text = RandomTask(seed)
        task = ground(parse_problem(parse_domain(text.domain, "<d>"), text.task, "<t>"))
        truth = solve(task, "astar", "blind").status
        model = random_model(text.domain, seed, ff_weight=ff_weight)
        assert plan(model, task, style=style, fallback=False).status is truth
        answers.add(truth)
    assert answers == {Status.SOLVED, Status.UNSOLVABLE}


def test_a_model_that_leads_nowhere_is_helped_by_searches_without_a_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(schedule, "PATIENCE", 500.0)
    monkeypatch.setattr(schedule, "FIRST_TURN", 500.0)
    model = HandTable(built_in("blocksworld")).model()  # every state has the same score
    task = blocks(9)
    alone = plan(model, task, fallback=False, max_evaluations=20_000)
    helped = plan(model, task, as_found=True, max_evaluations=20_000)
    assert alone.status is Status.EVALUATION_LIMIT
    assert helped.status is Status.SOLVED
    assert [phase["search"] for phase in helped.phases] == ["learned", "sprint"]
    assert helped.phases[1]["status"] == "solved"
    for counter in ("expanded", "evaluated"):
        assert getattr(helped, counter) == sum(int(str(p[counter])) for p in helped.phases)


def test_a_score_that_is_stuck_is_helped_by_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "PATIENCE", 500.0)
    monkeypatch.setattr(schedule, "FIRST_TURN", 500.0)
    model = HandTable(built_in("grid")).model()  # every state has the same score
    monkeypatch.setattr(schedule, "classical_search", partial(schedule.learned_search, model))

    def sprint(task: GroundTask, spec: PlanSpec) -> Contestant:
        runner = schedule.learned_search(model, task, spec)
        runner.name = schedule.SPRINT
        runner.leave()
        return runner

    monkeypatch.setattr(schedule, "sprint", sprint)
    text = next(text for _, text in generators.instances("grid", seed=4))
    task = ground(parse_problem(built_in("grid"), text, "<t>"))
    results = [plan(model, task, as_found=True) for _ in range(2)]
    phases = results[0].phases
    names = [phase["search"] for phase in phases]
    assert names == ["learned", "learned", "exploring", "goalwise"]
    assert "solved" in [phase["status"] for phase in phases[2:]]
    assert results[0].evaluated < plan(model, task, as_found=True, fallback=False).evaluated
    assert results[0].plan == results[1].plan


def test_goal_by_goal_a_pit_is_left_by_way_of_what_is_new() -> None:
    model = HandTable(built_in("floortile")).model()  # every state has the same score
    problem = generators.generate("floortile", rows=4, columns=4, robots=2)
    task, spec = ground(problem).ordered, PlanSpec(style=SearchStyle())
    expanded = []
    for make in (schedule.learned_search, schedule.goalwise_search):
        runner = make(model, task, spec)
        everything: dict[str, Any] = {"limits": (None, None), "seconds": None}
        result = runner.advance(evaluations=20_000, watch=lambda _: True, **everything)
        expanded.append(result.counters.expanded)
        assert (result.status.name == "SOLVED") is (make is schedule.goalwise_search)
    assert validate(problem, [task.operator_name(each) for each in result.plan]).valid
    assert expanded[1] < expanded[0]


@pytest.mark.parametrize("width", [0, 1, 2])
def test_novelty_is_what_no_state_before_had(width: int) -> None:
    task = blocks(5)
    states = _native.States(task.native)
    config = _native.SearchConfig()
    config.queues = [_native.QueueSpec([_native.KeySpec(1, 0)])]
    config.max_expansions = 60
    _native.Search(states, states.initial, config).advance(10_000)  # registers states
    ids = np.arange(len(states), dtype=np.uint32)
    novelty = _native.Novelty(task.native, width=width)
    seen: set[object] = set()
    expected = []
    for row in states.values(ids).tolist():
        one: set[object] = set(row) if width else {"the same score"}
        two = set(combinations(row, 2))
        expected.append(1 if one - seen else 2 if width == 2 and two - seen else 3)
        seen.update(one, two)
    assert set(expected) == ({1, 2, 3} if width == 2 else {1, 3})
    assert novelty.evaluate(states, ids).tolist() == expected
    assert novelty.work > 0


def test_equal_calls_give_equal_results() -> None:
    first, second = (plan(small_blocksworld().model(), blocks(7)) for _ in range(2))
    assert (first.plan, first.expanded, first.evaluated) == (
        second.plan,
        second.expanded,
        second.evaluated,
    )


@pytest.mark.parametrize("limit", [1, 10, 57])
def test_limits_on_counts_are_exact(limit: int) -> None:
    model = HandTable(built_in("blocksworld")).model()
    by_evaluations = plan(model, blocks(8), max_evaluations=limit)
    assert by_evaluations.status is Status.EVALUATION_LIMIT
    assert by_evaluations.evaluated == limit
    by_expansions = plan(model, blocks(8), max_expansions=limit)
    assert by_expansions.status is Status.EXPANSION_LIMIT
    assert by_expansions.expanded == limit


def test_a_time_limit_is_kept() -> None:
    model = HandTable(built_in("blocksworld")).model()
    result = plan(model, blocks(30), time_limit=0.3, fallback=False)
    assert result.status is Status.TIME_LIMIT
    assert result.total_time < 3


@pytest.mark.parametrize("fallback", [False, True])
def test_a_limit_of_processor_time_is_kept(fallback: bool) -> None:
    model = HandTable(built_in("blocksworld")).model()
    hard, began = blocks(200), time.process_time()
    result = plan(model, hard, processor_time_limit=0.5, fallback=fallback)
    assert (result.status, result.interrupted) == (Status.TIME_LIMIT, False)
    assert 0.5 <= time.process_time() - began < 3


def test_processor_time_ends_anytime_planning_without_a_proof() -> None:
    began = time.process_time()
    result = plan(small_blocksworld().model(), blocks(20), anytime=True, processor_time_limit=1)
    assert (result.status, result.interrupted, result.optimal) == (Status.SOLVED, False, False)
    assert time.process_time() - began < 4


def test_anytime_plans_get_cheaper_until_they_are_optimal() -> None:
    task = blocks(5)
    costs: list[int] = []
    result = plan(
        small_blocksworld().model(),
        task,
        anytime=True,
        on_plan=lambda _, cost: costs.append(cost),
    )
    assert costs == result.plan_costs == sorted(costs, reverse=True)
    assert result.optimal
    assert result.cost == costs[-1] == solve(task, "astar", "lmcut").cost


def test_a_sprint_goes_straight_where_goals_can_be_reached_in_stages() -> None:
    task = ground(generators.generate("npuzzle", seed=4, rows=6, columns=6))
    result = plan("npuzzle", task, as_found=True)
    sprinter = next(each for each in result.phases if each["search"] == schedule.SPRINT)
    assert sprinter["status"] == "solved"
    assert sprinter["expanded"] <= len(result.plan or ()) + 1


def test_plans_are_improved_and_the_search_stays_the_same() -> None:
    model, task = HandTable(built_in("blocksworld")).model(), blocks(6)  # a blind model
    style = SearchStyle(rollout=True, symmetry=False)
    costs: list[int] = []
    as_found = plan(model, task, style=style, as_found=True)
    tidy = plan(model, task, style=style, improve=0)
    improved = plan(model, task, style=style, on_plan=lambda _, cost: costs.append(cost))
    assert as_found.expanded == tidy.expanded == improved.expanded
    assert tidy.cost is not None
    assert (as_found.cost or 0) >= tidy.cost >= (improved.cost or 0) > 0
    assert costs == improved.plan_costs == list(dict.fromkeys([tidy.cost, improved.cost]))
    assert improved.plan == plan(model, task, style=style).plan
    with pytest.raises(BeelineError, match="better ones until time is up"):
        plan(model, task, as_found=True, anytime=True)


@pytest.mark.parametrize("seed", range(4))
def test_anytime_keeps_limits_and_can_be_stopped(seed: int) -> None:
    model, task = small_blocksworld().model(), blocks(12, seed)
    first = plan(model, task, as_found=True)
    limit = first.evaluated + 50
    limited = plan(
        model, task, anytime=True, max_evaluations=limit, time_limit=2 * first.total_time + 1
    )
    assert limited.evaluated <= limit
    assert limited.total_time < 2 * first.total_time + 3
    assert 0 < (limited.cost or 0) <= (first.cost or 0)
    found: list[int] = []
    stopped = plan(
        model,
        task,
        anytime=True,
        progress=lambda _: not found,
        on_plan=lambda _, cost: found.append(cost),
        time_limit=60,
    )
    assert stopped.plan_costs == found
    assert stopped.cost == found[-1]
    assert stopped.optimal or stopped.interrupted
    assert stopped.total_time < 30


def test_progress_can_stop_a_search() -> None:
    model = HandTable(built_in("blocksworld")).model()
    result = plan(model, blocks(20), progress=lambda _: False)
    assert result.status is Status.INCOMPLETE
    assert result.interrupted


def test_of_a_million_successors_one_of_each_kind_is_looked_at() -> None:
    sizes = {"children": 80, "allergic": 40, "trays": 10, "sandwiches": 120}
    task = ground(generators.generate("childsnack", seed=1, **sizes))
    assert task.num_operators > schedule.CROWDED
    result = plan("childsnack", task, fallback=False, as_found=True, max_evaluations=20_000)
    assert result.status is Status.SOLVED
    assert result.expanded == result.length


def test_a_goal_that_holds_already_needs_no_steps() -> None:
    domain = "(define (domain lamps) (:predicates (on)) (:action press :effect (on)))"
    task = "(define (problem p) (:domain lamps) (:init (on)) (:goal (on)))"
    ground_task = ground(parse_problem(parse_domain(domain, "<d>"), task, "<t>"))
    result = plan(random_model(domain, 0), ground_task)
    assert (result.status, result.plan, result.cost) == (Status.SOLVED, (), 0)


def test_a_model_of_another_domain_is_refused() -> None:
    other = ground(generators.generate("ferry", seed=1))
    with pytest.raises(BeelineError, match="predicate"):
        plan(small_blocksworld().model(), other)


@pytest.mark.parametrize("options", [{"seed": -1}, {"max_evaluations": 0}, {"time_limit": 0.0}])
def test_nonsense_is_refused(options: dict[str, float]) -> None:
    with pytest.raises(BeelineError):
        plan(small_blocksworld().model(), blocks(3), **options)  # type: ignore[arg-type]


class TestSharing:
    """Who goes next, by the work that evaluators count."""

    def test_work_is_counted_and_repeats(self) -> None:
        counted = []
        for _ in range(2):
            task = blocks(9)
            evaluators = [_native.make_heuristic(each, task.native) for each in ("ff", "landmarks")]
            states = _native.States(task.native)
            assert [each.work for each in evaluators] == [0.0, 0.0]
            for each in evaluators:
                each.evaluate(states, np.array([states.initial], dtype=np.uint32))
            counted.append([each.work for each in evaluators])
        assert counted[0] == counted[1]
        assert min(counted[0]) > 0

    def test_the_classical_search_catches_up_where_the_model_does_not_help(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(schedule, "FIRST_TURN", 500.0)
        monkeypatch.setattr(schedule, "GROWTH", 1.0)
        monkeypatch.setattr(schedule, "PATIENCE", 500.0)
        monkeypatch.setattr(schedule, "PROBE", 20)
        flat = HandTable(built_in("blocksworld")).model()  # every state has the same score
        spent: list[list[float]] = []
        turn = Race._turn

        def watched(race: Race, runner: Contestant, work: float) -> Status | None:
            status = turn(race, runner, work)
            spent.append([each.spent for each in race._runners])
            return status

        monkeypatch.setattr(Race, "_turn", watched)
        assert plan(flat, blocks(12), as_found=True).solved
        several = [each for each in spent if len(each) > 1]
        assert several
        learned, classical, *exploring = several[-1]
        by_model = learned + sum(exploring)
        assert by_model <= max(spent[0][0], classical) + 3 * 500  # a turn, and its estimate

    def test_a_plan_of_the_model_gets_a_second_opinion(self) -> None:
        model, task = small_blocksworld().model(), blocks(8)
        alone = plan(model, task, improve=0.0)
        helped = plan(model, task)
        assert [phase["search"] for phase in alone.phases] == ["learned"]
        assert [phase["search"] for phase in helped.phases][:2] == ["learned", "classical"]
        assert helped.cost is not None
        assert alone.cost is not None
        assert helped.cost <= alone.cost
        assert helped.expanded == alone.expanded  # what the first plan took
        assert [p["search"] for p in plan(model, task, fallback=False).phases] == ["learned"]

    def test_beams_shorten_what_a_learned_search_found_by_looking_around(self) -> None:
        sizes = {"width": 8, "height": 7, "shapes": 3, "keys": 7, "locks": 16, "goals": 4}
        task = ground(generators.generate("grid", seed=4, **sizes))
        alone, helped = plan("grid", task, improve=0.0), plan("grid", task)
        names = [str(phase["search"]) for phase in helped.phases]
        assert names[:3] == ["learned", "classical", "learned-beam-10"]
        assert len(helped.plan or ()) < len(alone.plan or ())
        assert helped.expanded == alone.expanded  # what the first plan took
        assert plan("grid", task).plan == helped.plan

    def test_no_beams_follow_a_learned_search_that_went_straight(self) -> None:
        found = plan("ferry", ground(generators.generate("ferry", cars=10, locations=5)))
        assert [phase["search"] for phase in found.phases] == ["learned", "classical"]

    def test_beams_shorten_what_a_sprint_has_found(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(schedule, "PATIENCE", 500.0)
        monkeypatch.setattr(schedule, "FIRST_TURN", 500.0)
        model = HandTable(built_in("npuzzle")).model()  # every state has the same score
        task = ground(generators.generate("npuzzle", rows=4, columns=4))
        alone, helped = plan(model, task, improve=0.0), plan(model, task)
        names = [str(phase["search"]) for phase in helped.phases]
        assert [phase["search"] for phase in alone.phases] == names[:2] == ["learned", "sprint"]
        assert names[2:5] == ["classical", "beam-30", "beam-100"]
        assert len(helped.plan or ()) < len(alone.plan or ())
        assert helped.expanded == alone.expanded  # what the first plan took
        assert plan(model, task).plan == helped.plan


class TestWhatATaskMayBe:
    PROBLEM = generators.generate("ferry", cars=2, locations=3)

    def test_a_problem_is_grounded(self) -> None:
        task = ground(self.PROBLEM)
        assert plan("ferry", self.PROBLEM).plan == plan("ferry", task).plan
        assert solve(self.PROBLEM).plan == solve(task).plan

    def test_a_plan_of_a_ground_task_can_be_judged(self) -> None:
        task = ground(self.PROBLEM)
        found = solve(task).plan
        assert found is not None
        assert validate(task, found) == validate(self.PROBLEM, found)

    @pytest.mark.parametrize("function", [solve, partial(plan, "ferry"), show])
    def test_files_are_loaded_first(self, function: Any) -> None:
        with pytest.raises(BeelineError, match="a str where a task belongs") as caught:
            function("task.pddl")
        assert "beeline.load(domain_file, task_file)" in str(caught.value)

    def test_too_many_files(self) -> None:
        with pytest.raises(TypeError, match=r"plan\(model, task, ...\): too many positional"):
            plan("ferry", "domain.pddl", "task.pddl")  # type: ignore[call-arg, arg-type]
