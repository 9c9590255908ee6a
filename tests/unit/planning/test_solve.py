"""`solve` around the search: plans, odd tasks, Python heuristics, stopping."""

from __future__ import annotations

import os
import signal
import threading
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from search_tasks import PUZZLE, ground_texts, puzzle_task

import beeline
from beeline.core.errors import BeelineError, Status
from beeline.core.limits import StopRequest
from beeline.planning import solve as solve_module
from beeline.planning.solve import solve

if TYPE_CHECKING:
    from beeline.task.states import StateBatch

RESULT_KEYS = [
    *("status", "cost", "length", "plan", "expanded", "evaluated", "generated", "reopened"),
    *("dead_ends", "initial_h", "search_time", "total_time", "peak_memory", "seed", "config"),
]
EASY = ground_texts(PUZZLE, puzzle_task(3, 2, 4))
HARD = ground_texts(PUZZLE, puzzle_task(4, 4, 1))


class TestResults:
    def test_json_has_exactly_the_promised_keys(self) -> None:
        assert list(solve(EASY).to_json()) == RESULT_KEYS

    def test_a_solved_task(self) -> None:
        result = solve(EASY, "astar", "lmcut", seed=7)
        assert result.solved
        assert result.plan is not None
        assert result.cost == result.length == len(result.plan)
        assert result.plan[0].startswith("(slide t")
        assert result.config["heuristics"] == ["lmcut"]
        assert result.seed == 7
        assert result.states <= result.generated + 1
        assert 0 <= result.search_time <= result.total_time
        assert result.peak_memory is not None

    def test_a_task_that_grounding_proves_unsolvable(self) -> None:
        cut_off = ground_texts(
            "(define (domain d) (:predicates (a) (b)) (:action x :parameters ()"
            " :precondition (b) :effect (a)))",
            "(define (problem p) (:domain d) (:init) (:goal (a)))",
        )
        assert cut_off.unsolvable_reason is not None
        result = solve(cut_off)
        assert (result.status, result.plan, result.expanded) == (Status.UNSOLVABLE, None, 0)
        assert result.to_json()["initial_h"] is None

    def test_a_goal_that_holds_needs_an_empty_plan(self) -> None:
        task = ground_texts(
            "(define (domain d) (:predicates (a)) (:action x :parameters ()"
            " :precondition () :effect (not (a))))",
            "(define (problem p) (:domain d) (:init (a)) (:goal (a)))",
        )
        for words in ({}, {"search": "astar"}, {"search": "bfs"}, {"anytime": True}):
            result = solve(task, **words)
            assert (result.status, result.plan, result.cost) == (Status.SOLVED, (), 0)

    def test_steps_of_helper_operators_are_left_out(self) -> None:
        task = ground_texts(
            "(define (domain d) (:predicates (a) (b)) (:action x :parameters () :effect (a)))",
            "(define (problem p) (:domain d) (:init) (:goal (or (a) (b))))",
        )
        assert "@" in "".join(task.operator_names)
        for unit_costs in (False, True):
            task.unit_costs = unit_costs
            result = solve(task, "astar", "lmcut")
            assert (result.plan, result.cost) == (("(x)",), 1)

    def test_a_wrong_plan_of_the_engine_never_leaves(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(EASY, "operator_name", lambda _: "(slide t1 p0-0 p0-0)", raising=False)
        with pytest.raises(RuntimeError, match="the engine found a wrong plan: precondition"):
            solve(EASY)


class TestPythonHeuristics:
    def test_a_function_sees_a_batch(self) -> None:
        seen: list[int] = []

        def heuristic(batch: StateBatch) -> list[float]:
            starts, items = batch.true_facts
            assert batch.task is EASY
            assert batch.ids.shape == (len(batch),)
            assert batch.values.shape == (len(batch), EASY.num_variables)
            assert batch.facts.shape == (len(batch), EASY.num_facts)
            assert batch.facts.sum() == len(items) == starts[-1]
            seen.append(len(batch))
            return [0.5] * len(batch)

        result = solve(EASY, heuristic=heuristic)
        assert result.solved
        assert sum(seen) == result.evaluated
        assert result.config["heuristics"] == ["python:heuristic"]
        assert result.initial_h == 0.5

    def test_an_object_with_preferred_operators(self) -> None:
        class Wise:
            def __init__(self) -> None:
                self.asked = 0

            def evaluate(self, batch: StateBatch) -> np.ndarray:
                return np.zeros(len(batch))

            def preferred(self, batch: StateBatch) -> list[list[int]]:
                self.asked += 1
                return [[self.asked % EASY.num_operators] for _ in range(len(batch))]

        wise = Wise()
        result = solve(EASY, heuristic=wise, preferred=wise)
        assert result.solved
        assert wise.asked > 0
        assert result.config["preferred"] == ["python:Wise"]

    def test_an_object_without_preferred_operators_is_refused_as_their_source(self) -> None:
        with pytest.raises(BeelineError, match="has no preferred operators"):
            solve(EASY, heuristic="ff", preferred=lambda batch: np.zeros(len(batch)))

    def test_it_may_take_turns_with_a_native_one(self) -> None:
        twice = [lambda batch: np.zeros(len(batch)), lambda batch: np.ones(len(batch))]
        result = solve(EASY, heuristic=["ff", *twice], tie_breaking="h,goalcount,fifo")
        assert result.config["heuristics"] == ["ff", "python:<lambda>", "python:<lambda>#2"]
        assert result.solved

    def test_infinity_is_a_dead_end(self) -> None:
        result = solve(EASY, heuristic=lambda batch: np.full(len(batch), np.inf))
        assert (result.status, result.dead_ends) == (Status.INCOMPLETE, 1)
        assert result.explanation == "a heuristic that proves nothing gave up some states"
        assert result.initial_h == np.inf
        assert result.to_json()["initial_h"] is None

    def test_infinity_is_a_proof_only_if_the_heuristic_vouches_for_it(self) -> None:
        class Certain:
            proves_dead_ends = True

            def evaluate(self, batch: StateBatch) -> np.ndarray:
                return np.full(len(batch), np.inf)

        assert solve(EASY, heuristic=Certain()).status is Status.UNSOLVABLE
        # One proof is enough, and a mere opinion beside it does no harm.
        opinion = lambda batch: np.full(len(batch), np.inf)  # noqa: E731
        assert solve(EASY, heuristic=[opinion, Certain()]).status is Status.UNSOLVABLE

    def test_its_exceptions_come_through_unchanged(self) -> None:
        error = ZeroDivisionError("mine")

        def heuristic(_: StateBatch) -> None:
            raise error

        with pytest.raises(ZeroDivisionError) as caught:
            solve(EASY, heuristic=heuristic)
        assert caught.value is error

    @pytest.mark.parametrize(
        ("heuristic", "message"),
        [
            (lambda batch: 3.0, r"returned an array of shape \(\) for 1 states"),
            (lambda batch: np.zeros((len(batch), 1)), r"returned an array of shape \(1, 1\)"),
            (lambda batch: [], r"returned an array of shape \(0,\) for 1 states"),
            (lambda batch: [float("nan")] * len(batch), "not a number"),
            (lambda batch: ["high"] * len(batch), "returned no list of numbers"),
            (lambda batch: None, r"returned an array of shape \(\)"),
            (5, "5 is not a heuristic"),
            (SimpleNamespace(evaluate=3), "is not a heuristic"),
        ],
    )
    def test_wrong_values_are_refused(self, heuristic: object, message: str) -> None:
        with pytest.raises(BeelineError, match=message):
            solve(EASY, heuristic=heuristic)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("operators", "message"),
        [([[10**6]], "does not exist"), ([[-1]], "does not exist"), ([], "returned 0 lists")],
    )
    def test_wrong_preferred_operators_are_refused(
        self, operators: list[list[int]], message: str
    ) -> None:
        heuristic = SimpleNamespace(
            evaluate=lambda batch: np.zeros(len(batch)), preferred=lambda batch: operators
        )
        with pytest.raises(BeelineError, match=message):
            solve(EASY, heuristic=heuristic, preferred=heuristic)

    def test_the_function_runs_in_other_threads_too(self) -> None:
        results = []

        def work() -> None:
            results.append(solve(EASY, heuristic=lambda batch: np.zeros(len(batch))))

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [result.solved for result in results] == [True] * 3


class TestStopping:
    def test_the_time_limit(self) -> None:
        start = time.perf_counter()
        result = solve(HARD, "astar", "blind", time_limit=0.3)
        assert result.status is Status.TIME_LIMIT
        assert 0.25 < time.perf_counter() - start < 2

    def test_the_time_limit_counts_making_the_heuristic(self) -> None:
        start = time.perf_counter()
        result = solve(HARD, "gbfs", "perfect", time_limit=0.3)
        assert result.status is Status.TIME_LIMIT
        assert time.perf_counter() - start < 3

    def test_the_limit_of_processor_time(self) -> None:
        start = time.process_time()
        result = solve(HARD, "astar", "blind", processor_time_limit=0.3)
        assert (result.status, result.interrupted) == (Status.TIME_LIMIT, False)
        assert 0.3 <= time.process_time() - start < 2
        result = solve(HARD, "gbfs", "perfect", processor_time_limit=0.3)
        assert result.status is Status.TIME_LIMIT
        assert result.config["processor_time_limit"] == 0.3

    def test_the_memory_limit(self) -> None:
        result = solve(HARD, "astar", "blind", memory_limit=1)
        assert result.status is Status.MEMORY_LIMIT

    def test_a_progress_callback_sees_and_stops(self) -> None:
        glances = []

        def progress(glance: object) -> bool:
            glances.append(glance)
            return len(glances) < 3

        result = solve(HARD, "astar", "blind", progress=progress)
        assert (result.status, result.interrupted) == (Status.INCOMPLETE, True)
        assert len(glances) == 3
        assert glances[2].states > glances[0].states

    def test_errors_of_the_callback_come_through(self) -> None:
        def progress(_: object) -> None:
            raise ZeroDivisionError("mine")

        with pytest.raises(ZeroDivisionError, match="mine"):
            solve(HARD, "astar", "blind", progress=progress)

    def test_control_c_keeps_what_is_there(self) -> None:
        handler = signal.getsignal(signal.SIGINT)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        result = solve(HARD, "astar", "blind", time_limit=20)
        timer.join()
        assert (result.status, result.interrupted) == (Status.INCOMPLETE, True)
        assert result.expanded > 0
        assert signal.getsignal(signal.SIGINT) is handler

    def test_control_c_in_anytime_mode_returns_the_best_plan(self) -> None:
        def on_plan(steps: list[str], cost: int) -> None:
            os.kill(os.getpid(), signal.SIGINT)

        result = solve(HARD, "gbfs", "ff", anytime=True, on_plan=on_plan)
        assert (result.status, result.interrupted, result.optimal) == (Status.SOLVED, True, False)
        assert len(result.plan_costs) == 1

    def test_control_c_inside_a_python_heuristic_is_no_exception(self) -> None:
        calls = []

        def heuristic(batch: StateBatch) -> np.ndarray:
            calls.append(len(batch))
            if len(calls) == 10:
                os.kill(os.getpid(), signal.SIGINT)
            return np.zeros(len(batch))

        result = solve(HARD, heuristic=heuristic, time_limit=20)
        assert (result.status, result.interrupted) == (Status.INCOMPLETE, True)

    def test_a_second_control_c_is_an_interrupt(self) -> None:
        with StopRequest([signal.SIGINT]) as stop:
            os.kill(os.getpid(), signal.SIGINT)
            assert stop.requested
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)

    def test_handlers_of_the_program_are_left_alone(self) -> None:
        calls: list[int] = []
        previous = signal.signal(signal.SIGINT, lambda number, _: calls.append(number))
        try:
            with StopRequest([signal.SIGINT]) as stop:
                os.kill(os.getpid(), signal.SIGINT)
            assert (stop.requested, calls) == (False, [signal.SIGINT])
        finally:
            signal.signal(signal.SIGINT, previous)


def test_the_package_offers_solve() -> None:
    assert beeline.solve is solve_module.solve
    assert isinstance(beeline.solve(EASY), beeline.Result)
