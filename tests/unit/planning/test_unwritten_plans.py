"""Plans of tasks whose operators are not written down."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hand_tables import HandTable
from hand_tables import built_in as built_in_domain
from random_tasks import RandomTask

from beeline import _native, generators
from beeline.cli.main import main
from beeline.core.errors import Status, UnsupportedError
from beeline.models.model_file import find_model
from beeline.pddl import parse_domain, parse_problem
from beeline.planning import contestants
from beeline.planning.heuristics import HEURISTICS, make_evaluator
from beeline.planning.plan import PlanSpec, plan
from beeline.planning.solve import solve
from beeline.task import grounding
from beeline.task.grounding import ground
from beeline.task.validator import validate

if TYPE_CHECKING:
    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask

WITHOUT_OPERATORS = {"blind", "goalcount", "distance", "perfect"}


def both(name: str, seed: int = 0, **sizes: int) -> tuple[GroundTask, GroundTask]:
    """A task with all operators, and with as few as possible."""
    problem = generators.generate(name, seed=seed, **sizes)
    return ground(problem), ground(problem, most_operators=0)


def valid(task: GroundTask, result: Result) -> bool:
    return result.plan is None or validate(task.problem, result.plan).cost == result.cost


class TestSearches:
    def test_blind_search_finds_plans_of_the_same_cost(self) -> None:
        found = set()
        for seed in range(80):
            texts = RandomTask(seed)
            problem = parse_problem(parse_domain(texts.domain), texts.task)
            tasks = ground(problem), ground(problem, most_operators=0)
            results = [solve(task, "astar", "blind") for task in tasks]
            assert results[0].status is results[1].status
            assert results[0].cost == results[1].cost
            assert all(valid(task, each) for task, each in zip(tasks, results, strict=True))
            found.add(results[0].status)
        assert found == {Status.SOLVED, Status.UNSOLVABLE}

    @pytest.mark.parametrize("name", ["blocksworld", "childsnack", "ferry", "gripper", "rovers"])
    def test_greedy_search_finds_plans_of_the_same_length(self, name: str) -> None:
        written, unwritten = both(name)
        results = [solve(task, "gbfs", "goalcount") for task in (written, unwritten)]
        assert results[0].length == results[1].length
        assert valid(unwritten, results[1])

    @pytest.mark.parametrize("search", ["width", "beam", "gbfs"])
    def test_other_searches_find_plans(self, search: str) -> None:
        _, task = both("ferry")
        result = solve(task, search, "distance")
        assert result.status is Status.SOLVED
        assert valid(task, result)

    def test_anytime_search_needs_no_array_of_costs(self) -> None:
        _, task = both("ferry")
        result = solve(task, "astar", "blind", anytime=True)
        assert result.optimal
        assert result.cost == solve(both("ferry")[0], "astar", "lmcut").cost


class TestHeuristics:
    @pytest.mark.parametrize("name", sorted(HEURISTICS))
    def test_those_that_look_at_all_operators_refuse_by_name(self, name: str) -> None:
        _, task = both("ferry")
        if name in WITHOUT_OPERATORS:
            make_evaluator(name, task)
        else:
            with pytest.raises(UnsupportedError, match=f"heuristic '{name}' looks at all"):
                make_evaluator(name, task)

    def test_the_default_search_says_why_it_cannot_work(self) -> None:
        with pytest.raises(UnsupportedError, match="too many to write them down"):
            solve(both("ferry")[1])

    @pytest.mark.parametrize("name", ["transport", "ferry", "gripper", "npuzzle", "logistics"])
    def test_distances_are_those_of_all_operators(self, name: str) -> None:
        written, unwritten = both(name)
        values: list[dict[frozenset[str], float]] = []
        for task in (written, unwritten):
            states = _native.States(task.native)
            for state in range(300):
                if state < len(states):
                    states.successors(state)
            array = np.arange(len(states), dtype=np.uint32)
            starts, items = states.true_facts(array)
            names = [task.fact_names[item] for item in items.tolist()]
            rows = zip(starts.tolist(), starts[1:].tolist(), strict=False)
            facts = [frozenset(names[first:last]) for first, last in rows]
            found = make_evaluator("distance", task).evaluate(states, array)
            values.append(dict(zip(facts, found.tolist(), strict=True)))
        common = values[0].keys() & values[1].keys()
        assert len(common) > 10
        assert all(values[0][state] == values[1][state] for state in common)


class TestPlans:
    @pytest.mark.parametrize("name", ["blocksworld", "childsnack", "ferry", "gripper"])
    def test_a_learned_search_finds_plans_of_the_same_length(self, name: str) -> None:
        written, unwritten = both(name)
        results = [
            plan(name, task, fallback=False, as_found=True, max_evaluations=20_000)
            for task in (written, unwritten)
        ]
        assert results[0].length == results[1].length
        assert valid(unwritten, results[1])

    def test_of_a_million_successors_one_of_each_kind_is_written(self) -> None:
        sizes = {"children": 80, "allergic": 40, "trays": 10, "sandwiches": 120}
        problem = generators.generate("childsnack", seed=1, **sizes)
        options = {"fallback": False, "as_found": True, "max_evaluations": 20_000}
        written, unwritten = ground(problem), ground(problem, most_operators=0)
        # Ranked operators of equal score go by their order, which unwritten actions have not.
        model = str(Path(__file__).parents[2] / "support/childsnack_states_alone.beeline")
        results = [plan(model, task, **options) for task in (written, unwritten)]  # type: ignore[arg-type]
        assert "make_sandwich" in unwritten.unwritten
        assert results[0].length == results[1].length == results[1].expanded
        assert valid(unwritten, results[1])
        assert unwritten.native.num_written < unwritten.num_operators / 100

    def test_half_a_billion_operators_are_no_trouble(self) -> None:
        sizes = {"children": 650, "allergic": 300, "trays": 3, "sandwiches": 1000}
        task = ground(generators.generate("childsnack", seed=1, **sizes))
        assert task.num_operators > 500_000_000
        states = _native.States(task.native)
        assert states.has_products
        with pytest.raises(MemoryError):
            states.applicable(states.initial)
        result = plan("childsnack", task, fallback=False, max_expansions=20)
        assert result.status is Status.EXPANSION_LIMIT

    def test_a_sprint_alone_has_no_larger_part_than_beside_a_classical_search(self) -> None:
        for task, expected in zip(both("ferry"), (1.0, 1 / contestants.STEADY), strict=True):
            spec = PlanSpec()
            model = find_model("ferry", task.problem.domain)
            learned = contestants.learned_search(model, task, spec)
            assert contestants.part(contestants.sprint(task, spec), 3.0, task) == expected
            assert contestants.part(learned, 3.0, task) == 3.0

    def test_the_command_leaves_operators_unwritten_that_no_model_needs(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        seen: list[GroundTask] = []

        def watched(*given: Any, **named: Any) -> GroundTask:
            seen.append(ground(*given, **named))
            return seen[-1]

        monkeypatch.setattr("beeline.planning.model.MOST_WRITTEN", 0)
        monkeypatch.setattr(grounding, "ground", watched)
        _, text = next(generators.instances("ferry", cars=2, locations=3))
        files = tmp_path / "domain.pddl", tmp_path / "task.pddl"
        for file, words in zip(files, (generators.domain_text("ferry"), text), strict=True):
            file.write_text(words)
        assert main(["plan", "ferry", *map(str, files), "--quiet"]) == 0
        assert seen[0].unwritten
        assert "(board" in capsys.readouterr().out

    def test_contestants_that_look_at_all_operators_stay_out(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Every state has the same score: whoever can help is called."""
        for name, work in (("PATIENCE", 500.0), ("FIRST_TURN", 500.0), ("SPRINT_WORK", 0.0)):
            monkeypatch.setattr(contestants, name, work)
        _, task = both("blocksworld", blocks=12)
        model = HandTable(built_in_domain("blocksworld")).model()
        result = plan(model, task, max_evaluations=20_000)
        names = {str(phase["search"]) for phase in result.phases}
        assert {"learned", "sprint"} <= names <= {"learned", "sprint", "exploring", "goalwise"}
        assert valid(task, result)

    def test_a_model_with_relaxed_plans_is_refused_by_name(self) -> None:
        _, task = both("blocksworld")
        model = HandTable(built_in_domain("blocksworld")).model(ff_weight=3)
        with pytest.raises(UnsupportedError, match="heuristic 'ff'"):
            plan(model, task)

    @pytest.mark.parametrize("anytime", [False, True])
    def test_plans_get_better_without_a_false_claim(self, anytime: bool) -> None:
        written, unwritten = both("gripper", balls=4)
        best = solve(written, "astar", "lmcut").cost
        result = plan("gripper", unwritten, anytime=anytime, time_limit=2 if anytime else None)
        assert valid(unwritten, result)
        assert best is not None
        assert result.cost is not None
        assert result.cost >= best
        assert not result.optimal or result.cost == best
