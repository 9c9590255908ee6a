"""Plans as the proofs of solvability describe them, for sizes that search cannot manage."""

from __future__ import annotations

from collections import deque

import pytest

from beeline import Problem, parse_domain, parse_problem, validate
from beeline.generators import domain_text
from beeline.generators.domains import floortile, scanalyzer
from beeline.generators.draft import Dice, Draft, format_draft
from beeline.generators.registry import entry

Step = list[str]


def problem_of(name: str, draft: Draft) -> Problem:
    domain = parse_domain(domain_text(name))
    return parse_problem(domain, format_draft(draft, "t", entry(name).domain_name, "a test"))


class Belts:
    """Cars on segments; every rotation is written down."""

    def __init__(self, draft: Draft, arity: int) -> None:
        self.arity = arity
        self.cycles = [f[1:] for f in draft.init if f[0] == f"cycle-{arity}"]
        self.scanning = [f[1:] for f in draft.init if f[0] == f"cycle-{arity}-with-analysis"]
        self.car_on = {f[2]: f[1] for f in draft.init if f[0] == "on"}
        self.steps: list[Step] = []

    def turn(self, cycle: tuple[str, ...], action: str = "rotate", times: int = 1) -> None:
        for _ in range(times):
            cars = [self.car_on[segment] for segment in cycle]
            self.steps.append([f"{action}-{self.arity}", *cycle, *cars])
            self.car_on.update(zip(cycle, cars[1:] + cars[:1], strict=True))

    def way_to_scanner(self, start: str) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
        """Rotations that bring a car from a segment to a scanner, and that scanner."""
        scanner_at = {cycle[0]: cycle for cycle in self.scanning}
        queue = deque([(start, [])])
        seen = {start}
        while queue:
            segment, way = queue.popleft()
            if segment in scanner_at:
                return way, scanner_at[segment]
            for cycle in self.cycles:
                if segment in cycle:
                    after = cycle[cycle.index(segment) - 1]
                    if after not in seen:
                        seen.add(after)
                        queue.append((after, [*way, cycle]))
        raise AssertionError("the belts are not connected")


@pytest.mark.parametrize(("belts", "cycle"), [(1, 2), (15, 2), (1, 4), (2, 4), (6, 4)])
def test_every_car_of_scanalyzer_can_be_analysed_without_a_trace(belts: int, cycle: int) -> None:
    parameters = scanalyzer.Parameters(belts=belts, cycle=cycle, rotations=0)
    draft = scanalyzer.generate(parameters, Dice("scan"))
    board = Belts(draft, cycle)
    for segment in list(board.car_on):
        way, scanner = board.way_to_scanner(segment)
        for turn in way:
            board.turn(turn)
        board.turn(scanner, "analyze")
        board.turn(scanner, times=cycle - 1)
        for turn in reversed(way):
            board.turn(turn, times=cycle - 1)
    verdict = validate(problem_of("scanalyzer", draft), board.steps)
    assert verdict.valid, verdict.failure


def test_goals_of_scanalyzer_are_reached_by_the_rotations_that_define_them() -> None:
    parameters = scanalyzer.Parameters(belts=3, cycle=4, rotations=1)
    for seed in range(10):
        draft = scanalyzer.generate(parameters, Dice(str(seed)))
        places = {(fact[1], fact[2]) for fact in draft.goal if fact[0] == "on"}
        reached = []
        for cycle in Belts(draft, 4).cycles:
            board = Belts(draft, 4)
            board.turn(cycle)
            reached.append({(car, segment) for segment, car in board.car_on.items()})
        assert places in reached


class Painter:
    """A robot of floortile that paints its range of columns."""

    def __init__(self, robot: str, row: int, column: int, color: str) -> None:
        self.robot, self.row, self.column, self.color = robot, row, column, color
        self.steps: list[Step] = []

    def walk(self, word: str, row: int, column: int) -> None:
        here, there = f"tile_{self.row}_{self.column}", f"tile_{row}_{column}"
        self.steps.append([f"move_{word}", self.robot, here, there])
        self.row, self.column = row, column

    def paint(self, columns: range, rows: int, wanted: dict[str, str]) -> None:
        while self.row > 0:
            self.walk("down", self.row - 1, self.column)
        for column in columns:
            while self.column != column:
                right = self.column < column
                self.walk("right" if right else "left", 0, self.column + (1 if right else -1))
            while self.row < rows - 1:
                self.walk("up", self.row + 1, column)
            for row in range(rows, 0, -1):
                while self.row > row - 1:
                    self.walk("down", self.row - 1, column)
                tile, below = f"tile_{row}_{column}", f"tile_{row - 1}_{column}"
                if self.color != wanted[tile]:
                    self.steps.append(["change_color", self.robot, self.color, wanted[tile]])
                    self.color = wanted[tile]
                self.steps.append(["paint_up", self.robot, tile, below, self.color])


@pytest.mark.parametrize(("rows", "columns", "robots"), [(1, 1, 1), (4, 6, 3), (12, 15, 15)])
def test_robots_of_floortile_paint_column_by_column(rows: int, columns: int, robots: int) -> None:
    parameters = floortile.Parameters(rows=rows, columns=columns, robots=robots)
    for seed in range(5):
        draft = floortile.generate(parameters, Dice(str(seed)))
        color = {fact[1]: fact[2] for fact in draft.init if fact[0] == "robot-has"}
        painters = []
        for _, robot, tile in (fact for fact in draft.init if fact[0] == "robot-at"):
            row, column = map(int, tile.split("_")[1:])
            painters.append(Painter(robot, row, column, color[robot]))
        painters.sort(key=lambda painter: painter.column)
        wanted = {fact[1]: fact[2] for fact in draft.goal}
        ends = [painter.column for painter in painters[:-1]] + [columns]
        first = 1
        steps: list[Step] = []
        for painter, last in zip(painters, ends, strict=True):
            painter.paint(range(first, last + 1), rows, wanted)
            steps += painter.steps
            first = last + 1
        verdict = validate(problem_of("floortile", draft), steps)
        assert verdict.valid, verdict.failure
