"""Everything that Beeline says about a small task, compared with the plain planner.

`disagreements` collects what differs instead of stopping at the first difference: one fault should
not hide another.
"""

from __future__ import annotations

import math
import random
import re
import traceback
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from plain_planner import PlainTask, TooManyStatesError

import beeline
from beeline import _native, pddl
from beeline.core.errors import BeelineError, Status, UnsupportedError
from beeline.planning.heuristics import HEURISTICS, make_evaluator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from plain_planner import Atom, Space, State, Step

    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask

COST_LIMIT = 2**53  # plans that cost as much are not looked for
MAX_STATES = 600
MAX_APPLICATIONS = 60_000  # of actions to states, by the plain planner
REFUSALS = r"\bcost\b.* unsupported"
ADMISSIBLE = tuple(name for name, entry in HEURISTICS.items() if entry.admissible)


def some_searches(rng: random.Random, cost: int | None) -> Iterator[dict[str, Any]]:
    """Settings for `solve`: every search with every heuristic, and options by chance."""
    names = list(HEURISTICS)
    for name in names:
        for search in ("gbfs", "astar", "wastar", "best-first"):
            yield {"search": search, "heuristic": name}
    yield {"search": "bfs"}
    yield {"search": "bfs", "goal_at_generation": True}
    for search in ("gbfs", "wastar", "best-first"):
        yield {"search": search, "heuristic": rng.choice(names), "deferred": True}
        yield {"search": search, "heuristic": rng.choice(names), "batch": rng.randint(2, 9)}
        yield {"search": search, "heuristic": rng.choice(names), "goal_at_generation": True}
        yield {"search": search, "heuristic": rng.choice(names), "requeue": True}
        yield {"search": search, "heuristic": rng.choice(names), "reopen": search == "gbfs"}
        yield {"search": search, "heuristic": rng.sample(names, 2)}
        yield {
            "search": search,
            "heuristic": rng.choice(names),
            "preferred": rng.choice(("ff", "perfect")),
            "boost": rng.choice((0, 1, 1000)),
            "deferred": rng.random() < 0.5,
        }
        yield {"search": search, "heuristic": rng.choice(names), "anytime": True}
        yield {"search": search, "heuristic": "ff", "anytime": True, "batch": 3, "requeue": True}
        yield {
            "search": search,
            "heuristic": rng.choice(names),
            "anytime": True,
            "preferred": "ff",
            "deferred": rng.random() < 0.5,
            "goal_at_generation": rng.random() < 0.5,
        }
    yield {"search": "astar", "heuristic": rng.choice(names), "anytime": True}
    yield {"search": "wastar", "heuristic": rng.choice(names), "weight": rng.choice((1, 1.5, 100))}
    alpha, beta = rng.choice(((1, 0), (0, 2), (0.5, 3), (2, 1)))
    yield {"search": "best-first", "heuristic": rng.choice(names), "alpha": alpha, "beta": beta}
    ties = rng.choice(("h,lifo", "h,random", "f,g,fifo", "h,g,lifo"))
    search = "gbfs" if ties.startswith("h") else "wastar"
    yield {"search": search, "heuristic": "ff", "tie_breaking": ties, "seed": 3}
    for bound in {1, 2, max(1, cost or 0), (cost or 0) + 1, 2**31, COST_LIMIT}:
        yield {"search": "astar", "heuristic": rng.choice(ADMISSIBLE), "bound": bound}
        yield {"search": "gbfs", "heuristic": rng.choice(names), "bound": bound}
        yield {"search": "wastar", "heuristic": "add", "bound": bound, "anytime": True}


class Comparison:
    """One task, both planners, and the list of what differs."""

    def __init__(self, domain: str, task: str, *, seed: int = 0, unit_costs: bool = False) -> None:
        self.rng = random.Random(f"comparison {seed}")
        self.unit_costs = unit_costs
        self.faults: list[str] = []
        self.texts = domain, task
        self.problem = pddl.parse_problem(pddl.parse_domain(domain), task)
        self.plain = PlainTask(domain, task, unit_costs=unit_costs)
        limit = MAX_APPLICATIONS // max(1, len(self.plain.actions))
        self.space: Space = self.plain.space(max(2, min(MAX_STATES, limit)))
        self.cost = self.space.optimal_cost
        # Only where a path can cost as much may a search say that it left paths out.
        self.may_cut = self.space.largest_path_cost >= COST_LIMIT
        self.task: GroundTask = beeline.ground(self.problem, unit_costs=unit_costs)
        atoms: list[Atom | None] = [tuple(name[1:-1].split()) for name in self.task.fact_names]
        values = list(enumerate([*atoms, None][fact] for fact in self.task.native.fact_of.tolist()))
        self.variables = [values[a:b] for a, b in pairwise(self.task.offsets.tolist())]
        self.artificial = any(name.startswith("(@") for name in self.task.operator_names)
        layers = self.task.native.axiom_layers.tolist() or [-1] * self.task.num_variables
        self.basic = [variable for variable, layer in enumerate(layers) if layer < 0]
        self.named = [  # variables that the plain planner knows as well
            variable
            for variable, values in enumerate(self.variables)
            if not any(atom is not None and "@" in atom[0] for _, atom in values)
        ]

    def fault(self, words: str) -> None:
        prefix = "unit costs: " if self.unit_costs else ""
        self.faults.append(prefix + " ".join(words.split()))

    def run(self, *, thorough: bool = True) -> list[str]:
        """All checks; a check that fails with an exception is a fault like any other."""
        checks: list[tuple[str, Callable[[], None]]] = [
            ("grounding", self.check_grounding),
            ("written files", self.check_written_files),
            ("validator", self.check_validator),
        ]
        if self.task.unsolvable_reason is None:
            checks.append(("heuristics", self.check_heuristics))
        if self.task.unsolvable_reason is None and not self.may_cut:
            checks.append(("state space", self.check_state_space))
        settings = list(some_searches(self.rng, self.cost))
        if not thorough:
            settings = self.rng.sample(settings, 15)
        for each in settings:
            words = ", ".join(f"{name}={value!r}" for name, value in each.items())
            checks.append((f"solve({words})", lambda each=each: self.check_search(each)))
        checks.append(("solve with Python", self.check_python_heuristics))
        for name, check in checks:
            before = len(self.faults)
            try:
                check()
            except Exception as error:
                self.fault(f"{type(error).__name__}: {error} at {place_of(error)}")
            self.faults[before:] = [f"{name}: {words}" for words in self.faults[before:]]
        return self.faults

    def check_grounding(self) -> None:
        if self.task.unsolvable_reason is not None and self.cost is not None:
            self.fault(f"unsolvable ({self.task.unsolvable_reason}), but a plan costs {self.cost}")
        if any(action.cost >= COST_LIMIT for action in self.plain.actions):
            self.fault("an action cost above the largest one was not refused")
        if not self.artificial and self.task.unsolvable_reason is None:
            expected = 0 in self.space.goals
            if self.task.goal_holds_initially != expected:
                self.fault(f"the goal holds initially: {self.task.goal_holds_initially}")

    def check_written_files(self) -> None:
        texts = pddl.format_domain(self.problem.domain), pddl.format_problem(self.problem)
        again = PlainTask(*texts, unit_costs=self.unit_costs).space(len(self.space.states) + 1)
        ours = (len(self.space.states), self.cost)
        theirs = (len(again.states), again.optimal_cost)
        if ours != theirs:
            self.fault(f"states and cost are {theirs} instead of {ours} after writing and reading")

    def check_search(self, settings: dict[str, Any]) -> None:
        self.check_result(beeline.solve(self.task, **settings), settings)

    def check_result(self, result: Result, settings: dict[str, Any]) -> None:
        status, cost, bound = result.status, self.cost, settings.get("bound", math.inf)
        heuristics = settings.get("heuristic", "")
        guaranteed = settings.get("anytime", False) and bound == math.inf
        if settings["search"] == "astar" and heuristics in ADMISSIBLE:
            guaranteed = True
        if result.optimal and result.cost != cost:
            self.fault(f"'optimal' at cost {result.cost}, but {cost} is optimal")
        if status is Status.SOLVED:
            assert result.plan is not None
            steps = [tuple(step[1:-1].split()) for step in result.plan]
            found = self.plain.cost_of(steps)
            if found is None or found != result.cost:
                self.fault(f"plan {result.plan} of cost {result.cost}, truly {found}")
            elif found >= bound or found >= COST_LIMIT:
                self.fault(f"plan of cost {found} is not below the bound")
            elif guaranteed and (found != cost or not result.optimal):
                self.fault(f"cost {found}, optimal={result.optimal}, but {cost} is optimal")
        elif status is Status.UNSOLVABLE:
            if cost is not None:
                self.fault(f"'unsolvable', but a plan costs {cost}")
        elif status is Status.INCOMPLETE:
            if bound == math.inf and not self.may_cut:
                self.fault(f"'incomplete' without a bound; the optimal cost is {cost}")
            elif cost is not None and cost < min(bound, COST_LIMIT) and guaranteed:
                self.fault(f"'incomplete', but a plan costs {cost}")
        else:
            self.fault(f"ended with {status.value}")

    def check_python_heuristics(self) -> None:
        """Any function finds a plan where there is one, as it calls nothing a dead end."""
        salt = self.rng.randrange(1000)
        for function in (
            lambda batch: np.zeros(len(batch)),
            lambda batch: [hash((salt, *row)) % 17 / 3 for row in batch.values.tolist()],
            lambda batch: np.full(len(batch), 2.0**53),
            lambda batch: -batch.ids.astype(float),
        ):
            for settings in ({"search": "gbfs"}, {"search": "wastar", "anytime": True}):
                result = beeline.solve(self.task, heuristic=function, **settings)
                self.check_result(result, {**settings, "heuristic": "python"})

    def projected(self, state: State) -> list[int] | None:
        """The state as values of the ground task's variables; None if a variable has two."""
        row = []
        for values in self.variables:
            true = [value for value, atom in values if atom in state]
            others = [value for value, atom in values if atom is None]
            if len(true) > 1 or not (true or others):
                return None
            row.append(true[0] if true else others[0])
        return row

    def basic_values(self, row: Iterable[int]) -> tuple[int, ...]:
        """Those that are not derived."""
        values = tuple(row)
        return tuple([values[variable] for variable in self.basic])

    def all_rows(self) -> dict[tuple[int, ...], int | None]:
        """The distance of each state of the ground task, by the plain planner."""
        rows: dict[tuple[int, ...], int | None] = {}
        for state, distance in zip(self.space.states, self.space.distances, strict=True):
            row = self.projected(state)
            if row is None:
                self.fault(f"variables cannot express the reachable state {sorted(state)}")
            elif rows.setdefault(tuple(row), distance) != distance:
                self.fault(f"state {sorted(state)} differs from another in irrelevant facts only")
        return rows

    def check_heuristics(self) -> None:
        rows = self.all_rows()
        states = _native.States(self.task.native)
        table = np.array(list(rows), np.int32).reshape(len(rows), self.task.native.num_variables)
        ids = states.insert(table)
        if not np.array_equal(states.values(ids)[:, self.named], table[:, self.named]):
            self.fault("derived facts are not those of the plain planner")
        for name, entry in HEURISTICS.items():
            evaluator = make_evaluator(name, self.task)
            values = evaluator.evaluate(states, ids).tolist()
            for row, distance, value in zip(rows, rows.values(), values, strict=True):
                exact = math.inf if distance is None else distance
                if COST_LIMIT <= exact < math.inf:
                    continue
                wrong = math.isnan(value) or value < 0 or (value == math.inf and exact < math.inf)
                wrong = wrong or (entry.admissible and value > exact)
                wrong = wrong or (name == "perfect" and value != exact)
                if wrong:
                    named = [self.task.value_names[v] for v in row]
                    self.fault(f"{name} is {value} and h* {exact} at {named}")
                    break

    def check_state_space(self) -> None:
        rows = self.all_rows()
        space = _native.StateSpace(self.task.native, 4 * MAX_STATES)
        table = space.values(np.arange(len(space), dtype=np.uint32)).tolist()
        found = {
            self.basic_values(row): distance
            for row, distance in zip(table, space.distances.tolist(), strict=True)
        }
        expected = {
            self.basic_values(row): -1 if each is None else each for row, each in rows.items()
        }
        if not self.artificial and len(found) != len(expected):
            self.fault(f"{len(found)} states instead of {len(expected)}")
        if any(found.get(row) != distance for row, distance in expected.items()):
            self.fault("distances are not those of the plain planner")

    def check_validator(self) -> None:
        for plan in self.some_plans():
            verdict = beeline.validate(self.problem, plan, unit_costs=self.unit_costs)
            expected = self.plain.cost_of(plan)
            if verdict.valid != (expected is not None) or verdict.cost != expected:
                reason = verdict.failure.message if verdict.failure else "valid"
                shown = " ".join(f"({' '.join(step)})" for step in plan)
                self.fault(f"[{shown}] costs {expected}, validate says {verdict.cost}: {reason}")
            if verdict.failure and "\n" in verdict.failure.message:
                self.fault(f"two lines: {verdict.failure.message!r}")

    def some_plans(self) -> Iterable[list[Step]]:
        """Walks and a plan, and these with mistakes."""
        rng = self.rng
        bases = [self.walk(rng.randint(0, 5)) for _ in range(3)]
        found = beeline.solve(self.task, "bfs")
        if found.plan is not None:
            bases.append([tuple(step[1:-1].split()) for step in found.plan])
        yield from bases
        steps = [action.step for action in self.plain.actions] or [("a0",)]
        names = [*self.plain.objects, "nobody"]
        for base in bases:
            for kind in range(7):
                plan = list(base) or [rng.choice(steps)]
                place = rng.randrange(len(plan))
                words = list(plan[place])
                other = rng.randrange(len(plan))
                if kind == 0:
                    del plan[place]
                elif kind == 1:
                    plan[place], plan[other] = plan[other], plan[place]
                elif kind == 2:
                    plan.insert(other, plan[place])
                elif kind == 3 and len(words) > 1:
                    words[rng.randrange(1, len(words))] = rng.choice(names)
                    plan[place] = tuple(words)
                elif kind == 4:
                    plan[place] = ("unknown", *words[1:])
                elif kind == 5:
                    plan[place] = (*words, rng.choice(names))
                else:
                    plan.insert(place, rng.choice(steps))
                yield plan

    def walk(self, length: int) -> list[Step]:
        state, steps = self.plain.initial, []
        for _ in range(length):
            pairs = [(each, self.plain.apply(each, state)) for each in self.plain.actions]
            possible = [(each, after) for each, after in pairs if after is not None]
            if not possible:
                break
            action, state = self.rng.choice(possible)
            steps.append(action.step)
        return steps


def place_of(error: BaseException) -> str:
    """File and line where an exception arose."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} in {frame.name}"


def disagreements(
    domain: str,
    task: str,
    *,
    seed: int = 0,
    refusable: bool | None = False,
    thorough: bool = True,
) -> list[str] | None:
    """What differs between Beeline and the plain planner; None if the task is too large to tell.

    A refusal is right only if the task is `refusable`, and only for its documented reasons; with
    None for `refusable` nobody knows, and refusals are passed on.
    """
    faults: list[str] = []
    for unit_costs in (False, True):
        try:
            comparison = Comparison(domain, task, seed=seed, unit_costs=unit_costs)
        except TooManyStatesError:
            return None
        except UnsupportedError as error:
            if refusable is None:
                raise
            if not refusable or re.search(REFUSALS, str(error)) is None:
                faults.append(f"refused without need: {error}")
            if error.line is None or "\n" in str(error):
                faults.append(f"a refusal without its line: {error}")
            return faults
        except BeelineError as error:
            if refusable is None:
                raise
            return [f"taken for bad input: {error}"]
        except Exception as error:
            if refusable is None and place_of(error).startswith("plain_planner"):
                return None  # Beeline is good at guessing what is meant; the plain planner is not
            return [f"grounding: {type(error).__name__}: {error} at {place_of(error)}"]
        faults += comparison.run(thorough=thorough and not unit_costs)
    return faults
