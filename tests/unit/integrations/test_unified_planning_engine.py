"""The engine within the unified-planning library, on that library's own example problems."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from unified_planning.engines import OptimalityGuarantee, SequentialPlanValidator
from unified_planning.engines import PlanGenerationResultStatus as Outcome
from unified_planning.environment import Environment, get_environment
from unified_planning.exceptions import UPUsageError
from unified_planning.plans import SequentialPlan
from unified_planning.shortcuts import (
    AnytimePlanner,
    MinimizeSequentialPlanLength,
    OneshotPlanner,
    PlanRepairer,
    PlanValidator,
    SequentialSimulator,
)
from unified_planning.test.examples import get_example_problems
from up_problems import copied_switch, generated, road

from beeline.core.errors import BeelineError, install_hint
from beeline.integrations import register
from beeline.integrations.unified_planning_engine import BeelineEngine

if TYPE_CHECKING:
    from collections.abc import Callable

    from unified_planning.model import Problem, State
    from unified_planning.plans import Plan

EXAMPLES = get_example_problems()
CLAIMED = [name for name, each in EXAMPLES.items() if BeelineEngine.supports(each.problem.kind)]
REFUSED = sorted({*EXAMPLES} - {*CLAIMED})
BEYOND = {  # one of these is in everything that is refused
    *("CONTINUOUS_TIME", "OVERSUBSCRIPTION", "OBJECT_FLUENTS"),
    *("INT_FLUENTS", "REAL_FLUENTS", "UNDEFINED_INITIAL_SYMBOLIC", "HIERARCHICAL", "SCHEDULING"),
    *("BOOL_FLUENT_PARAMETERS", "BOUNDED_INT_FLUENT_PARAMETERS", "STATE_INVARIANTS"),
    "REAL_NUMBERS_IN_ACTIONS_COST",
}


@pytest.fixture(scope="module", autouse=True)
def _registered() -> None:
    register()
    get_environment().credits_stream = None


def is_valid(problem: Problem, plan: Plan) -> bool:
    return bool(SequentialPlanValidator().validate(problem, plan))


def test_registering_twice_changes_nothing() -> None:
    environment = Environment()
    register(environment)
    engines = environment.factory.engines
    preferences = list(environment.factory.preference_list)
    register(environment)
    assert {"beeline", "beeline-opt"} <= {*engines}
    assert environment.factory.engines == engines
    assert environment.factory.preference_list == preferences


def test_an_ini_file_registers_the_engine(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "integrations.md").read_text()
    text = page.partition("```ini\n")[2].partition("```")[0]
    (tmp_path / "up.ini").write_text(text)
    environment = Environment()
    environment.factory.configure_from_file(str(tmp_path / "up.ini"))
    assert environment.factory.engine("beeline") is BeelineEngine
    assert "beeline-opt" in environment.factory.engines


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "unified_planning.environment", None)
    with pytest.raises(BeelineError, match=re.escape(install_hint("up"))):
        register()


def test_there_are_examples_of_both_kinds() -> None:
    assert len(CLAIMED) >= 17
    assert len(REFUSED) >= 40


@pytest.mark.parametrize("name", CLAIMED)
def test_an_example_that_is_claimed_is_solved(name: str) -> None:
    example = EXAMPLES[name]
    with OneshotPlanner(name="beeline") as planner:
        result = planner.solve(example.problem, timeout=60)
    assert (result.status is Outcome.SOLVED_SATISFICING) == example.solvable
    assert is_valid(example.problem, result.plan)


@pytest.mark.parametrize("name", REFUSED)
def test_an_example_beyond_classical_planning_is_refused(name: str) -> None:
    problem = EXAMPLES[name].problem
    assert problem.kind.features & BEYOND
    with OneshotPlanner(name="beeline") as planner:
        planner.error_on_failed_checks = True
        with pytest.raises(UPUsageError, match="cannot establish whether Beeline can solve"):
            planner.solve(problem)
        planner.skip_checks = True
        result = planner.solve(problem)
    assert (result.status, result.plan) == (Outcome.UNSUPPORTED_PROBLEM, None)
    assert result.log_messages[0].message


def test_names_that_pddl_does_not_know_come_back() -> None:
    problem = road()
    result = OneshotPlanner(name="beeline", params={"search": "astar", "heuristic": "blind"}).solve(
        problem
    )
    assert str(result.plan).splitlines()[1:] == ["    tour(0 Main Street, 3 Main Street)"]
    assert {str(step.action.name) for step in result.plan.actions} == {"tour"}


def test_costs_from_static_fluents_count() -> None:
    problem = road(metric=True)
    assert problem.kind.has_static_fluents_in_actions_cost()
    result = OneshotPlanner(
        problem_kind=problem.kind,
        optimality_guarantee=OptimalityGuarantee.SOLVED_OPTIMALLY,
        name="beeline-opt",
    ).solve(problem)
    assert result.status is Outcome.SOLVED_OPTIMALLY
    assert [step.action.name for step in result.plan.actions] == ["Step on"] * 3


def test_the_number_of_steps_is_a_metric() -> None:
    problem = road()
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    result = OneshotPlanner(name="beeline-opt").solve(problem)
    assert result.status is Outcome.SOLVED_OPTIMALLY
    assert len(result.plan.actions) == 1


def test_copies_of_static_fluents_are_decided_by_grounding() -> None:
    planner = OneshotPlanner(name="beeline")
    planner.skip_checks = True  # the library may call static fluents fluents
    problem = copied_switch(static=True)
    assert is_valid(problem, planner.solve(problem).plan)


def test_copies_of_fluents_are_conditional_effects() -> None:
    problem = copied_switch(static=False)
    assert BeelineEngine.supports(problem.kind)
    assert is_valid(problem, OneshotPlanner(name="beeline").solve(problem).plan)


def test_two_metrics_are_not_understood() -> None:
    problem = road(metric=True)
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    result = OneshotPlanner(name="beeline").solve(problem)
    assert result.status is Outcome.UNSUPPORTED_PROBLEM
    assert result.log_messages[0].message == "Only one metric is supported!"


@pytest.mark.parametrize("words", [{}, {"search": "bfs"}, {"search": "astar"}])
def test_a_problem_without_a_plan_is_proven_so(words: dict[str, str]) -> None:
    result = OneshotPlanner(name="beeline", params=words).solve(road(bridge=False))
    assert (result.status, result.plan) == (Outcome.UNSOLVABLE_PROVEN, None)


def test_a_heuristic_sees_states_of_the_library() -> None:
    problem = generated("blocksworld", blocks=3)
    seen: list[State] = []

    def goals_left(state: State) -> float:
        seen.append(state)
        return sum(not state.get_value(goal).is_true() for goal in problem.goals[0].args)

    planner = OneshotPlanner(name="beeline")
    result = planner.solve(problem, heuristic=goals_left)
    assert is_valid(problem, result.plan)
    assert len(seen) == int(result.metrics["evaluated"])
    simulator = SequentialSimulator(problem)
    states = [simulator.get_initial_state()]
    for step in result.plan.actions:
        states.append(simulator.apply(states[-1], step))
    fluents = list(problem.initial_values)
    known = {tuple(state.get_value(fluent) for fluent in fluents) for state in seen}
    path = {tuple(state.get_value(fluent) for fluent in fluents) for state in states}
    assert path <= known


def test_dead_ends_of_a_given_heuristic_prove_nothing() -> None:
    result = OneshotPlanner(name="beeline").solve(road(), heuristic=lambda _: None)
    assert result.status is Outcome.UNSOLVABLE_INCOMPLETELY


def test_the_optimal_engine_warns_that_it_ignores_a_heuristic() -> None:
    with pytest.warns(UserWarning, match="does not use the heuristic"):
        result = OneshotPlanner(name="beeline-opt").solve(
            road(metric=True), heuristic=lambda _: 0.0
        )
    assert result.status is Outcome.SOLVED_OPTIMALLY


@pytest.mark.parametrize("timeout", [0, 0.001, 0.5])
def test_a_timeout_is_kept_and_reported(timeout: float) -> None:
    problem = generated("npuzzle", rows=3, columns=4)
    planner = OneshotPlanner(name="beeline", params={"search": "astar", "heuristic": "blind"})
    result = planner.solve(problem, timeout=timeout)
    assert (result.status, result.plan) == (Outcome.TIMEOUT, None)


def test_a_memory_limit_is_reported() -> None:
    planner = OneshotPlanner(name="beeline", params={"search": "bfs", "memory_limit": 2**20})
    result = planner.solve(generated("npuzzle", rows=3, columns=4))
    assert (result.status, result.plan) == (Outcome.MEMOUT, None)


def test_the_output_stream_hears_how_it_goes() -> None:
    stream = io.StringIO()
    OneshotPlanner(name="beeline").solve(road(), output_stream=stream)
    lines = stream.getvalue().splitlines()
    assert lines[0].endswith("variables")
    assert lines[-1].startswith("SOLVED_SATISFICING, 1 steps of cost 1, expanded")


@pytest.mark.parametrize("words", [{"model": "auto"}, {"model": "blocksworld", "search": "gbfs"}])
def test_a_learned_model_plans(words: dict[str, str]) -> None:
    problem = generated("blocksworld", blocks=12)
    result = OneshotPlanner(name="beeline", params=words).solve(problem)
    assert is_valid(problem, result.plan)
    assert int(result.metrics["expanded"]) <= 2 * len(result.plan.actions)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"search": "gbsf"}, "unknown search 'gbsf'"),
        ({"heuristic": "fff"}, "unknown heuristic 'fff'"),
        ({"model": "nonesuch"}, "no packaged model is called 'nonesuch'"),
        ({"model": "ferry", "heuristic": "ff"}, "a model and a heuristic"),
        ({"model": "ferry", "preferred": "ff"}, "preferred operators without a search"),
    ],
)
def test_wrong_words_are_refused_at_once(words: dict[str, str], message: str) -> None:
    with pytest.raises(BeelineError, match=message):
        OneshotPlanner(name="beeline", params=words)


def test_a_model_of_another_domain_is_refused() -> None:
    planner = OneshotPlanner(name="beeline", params={"model": "ferry"})
    with pytest.raises(BeelineError, match="does not fit the domain"):
        planner.solve(road())


def costs_of(problem: Problem, plans: list[Plan]) -> list[int]:
    validator = SequentialPlanValidator()
    metric = problem.quality_metrics[0]
    verdicts = [validator.validate(problem, plan) for plan in plans]
    assert all(verdicts)
    return [int(verdict.metric_evaluations[metric]) for verdict in verdicts]


def test_anytime_plans_get_better_until_the_best_is_proven() -> None:
    problem = road(metric=True)
    planner = AnytimePlanner(name="beeline", params={"search": "gbfs", "heuristic": "goalcount"})
    results = list(planner.get_solutions(problem))
    assert [result.status for result in results[:-1]] == [Outcome.INTERMEDIATE] * 2
    assert results[-1].status is Outcome.SOLVED_OPTIMALLY
    assert costs_of(problem, [result.plan for result in results]) == [10, 3, 3]


def test_anytime_without_a_plan_has_one_answer() -> None:
    results = list(AnytimePlanner(name="beeline").get_solutions(road(bridge=False)))
    assert [result.status for result in results] == [Outcome.UNSOLVABLE_PROVEN]
    late = list(AnytimePlanner(name="beeline").get_solutions(road(), timeout=0))
    assert [result.status for result in late] == [Outcome.TIMEOUT]


def test_an_anytime_search_ends_when_nobody_wants_more_or_time_is_up() -> None:
    problem = generated("blocksworld", blocks=12)
    planner = AnytimePlanner(name="beeline", params={"model": "auto"})
    plans = planner.get_solutions(problem)
    first = next(plans)
    assert first.status is Outcome.INTERMEDIATE
    assert is_valid(problem, first.plan)
    plans.close()
    *better, last = planner.get_solutions(problem, timeout=1)
    assert better
    assert last.status is Outcome.SOLVED_SATISFICING
    assert is_valid(problem, last.plan)


@pytest.mark.parametrize("call", ["solve", "get_solutions"])
def test_errors_of_the_search_arrive(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    planner = OneshotPlanner(name="beeline")

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(planner, "_search", broken)
    ask: Callable[..., object] = getattr(planner, call)
    with pytest.raises(RuntimeError, match="broken"):
        list(ask(road()))


@pytest.mark.parametrize("name", CLAIMED)
def test_plans_are_judged_as_the_library_judges_them(name: str) -> None:
    problem, plans = EXAMPLES[name].problem, EXAMPLES[name].valid_plans
    for plan in plans:
        shorter = SequentialPlan(plan.actions[:-1], problem.environment)
        backwards = SequentialPlan(plan.actions[::-1], problem.environment)
        for each in (plan, shorter, backwards):
            with PlanValidator(name="beeline") as validator:
                found = validator.validate(problem, each)
            expected = SequentialPlanValidator().validate(problem, each)
            assert found.status is expected.status
            assert found.reason is expected.reason
            if found.inapplicable_action is not None:
                place = each.actions.index(found.inapplicable_action)
                assert place == each.actions.index(expected.inapplicable_action)
            if expected.metric_evaluations:
                assert found.metric_evaluations == expected.metric_evaluations


@pytest.mark.parametrize("name", ["beeline", "beeline-opt"])
def test_plans_that_do_not_work_are_repaired(name: str) -> None:
    problem, plan = EXAMPLES["robot_loader"].problem, EXAMPLES["robot_loader"].valid_plans[0]
    broken = SequentialPlan(plan.actions[1:], problem.environment)
    with PlanRepairer(name=name) as repairer:
        assert is_valid(problem, repairer.repair(problem, broken).plan)
        again = repairer.repair(problem, plan)
    assert is_valid(problem, again.plan)
    if name == "beeline":
        assert again.plan is plan


def test_a_valid_plan_that_is_not_the_cheapest_is_repaired_where_only_that_will_do() -> None:
    problem = road(metric=True)
    words = {"search": "gbfs", "heuristic": "goalcount"}
    dear = next(iter(AnytimePlanner(name="beeline", params=words).get_solutions(problem))).plan
    found = {}
    for name in ("beeline", "beeline-opt"):
        with PlanRepairer(name=name) as repairer:
            found[name] = repairer.repair(problem, dear)
    assert costs_of(problem, [each.plan for each in found.values()]) == [10, 3]
    assert found["beeline"].status is Outcome.SOLVED_SATISFICING
    assert found["beeline-opt"].status is Outcome.SOLVED_OPTIMALLY
