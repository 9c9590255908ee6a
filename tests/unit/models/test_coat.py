"""Channels say what the level says; the engine computes what torch computes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from encoded_walks import walk
from neural_models import OPTIONS, random_model
from small_sets import make_set, write_tasks

import beeline
from beeline import generators
from beeline.core.errors import BeelineError
from beeline.generators.levels import level_tasks
from beeline.models.families import make_network
from beeline.models.grid.channels import grid_words, position_code
from beeline.models.grid.encoding import (
    PRESETS,
    FrozenGridNetwork,
    GridBatch,
    GridPart,
    GridSizes,
    grid_sizes,
    grid_task,
)
from beeline.task.states import StateBatch

if TYPE_CHECKING:
    from beeline.models.grid.channels import GridTask
    from beeline.task.ground_task import GroundTask

SAMPLES = Path(__file__).parents[2] / "support" / "levels"
PUBLISHED = Path(os.environ.get("BEELINE_GRIDS", SAMPLES))
WALL = 0


def initial(name: str, **size: float) -> tuple[GridTask, np.ndarray, GroundTask]:
    """The grid of a task, and the channels of its initial state [cells, channels]."""
    task = beeline.ground(generators.generate(name, seed=4, **size))
    grid = grid_task(grid_words(task.problem.domain), task)
    states, ids = walk(task, 1)
    return grid, grid.inputs(states.facts(ids))[0], task


def level_from_channels(
    grid: GridTask, inputs: np.ndarray, kinds: dict[str, int]
) -> list[list[int]]:
    """Numbers of a level by channels; later kinds win."""
    level = [[WALL] * grid.columns for _ in range(grid.rows)]
    for (row, column), values in zip(grid.places.tolist(), inputs, strict=True):
        level[row][column] = 1
        for words, number in kinds.items():
            name, _, part = words.partition(" ")
            channel, entry = grid.words.places[name, 0]
            offset = entry.slots if part == "goal" else int(part or 0)
            if values[channel + offset]:
                level[row][column] = number
    return level


def cropped(level: list[list[int]]) -> list[list[int]]:
    rows = [row for row, numbers in enumerate(level) if any(numbers)]
    columns = [place for row in level for place, number in enumerate(row) if number]
    inside = slice(min(columns), max(columns) + 1)
    return [row[inside] for row in level[min(rows) : max(rows) + 1]]


@pytest.mark.parametrize(
    ("domain", "file", "kinds"),
    [
        ("warehouse", "sokoban-10x10", {"box goal": 2, "at-robot": 3, "box": 4}),
        (
            "maze",
            "maze-15x15",
            {"at": 2, "at goal": 3, **{f"end {slot}": 4 + slot for slot in range(4)}},
        ),
        (
            "maze",
            "maze-51x51",
            {"at": 2, "at goal": 3, **{f"end {slot}": 4 + slot for slot in range(4)}},
        ),
    ],
)
def test_channels_give_the_published_levels_back(
    domain: str, file: str, kinds: dict[str, int]
) -> None:
    lifted = beeline.parse_domain(generators.domain_text(domain))
    for level_task in level_tasks(domain, PUBLISHED / f"{file}.txt"):
        task = beeline.ground(beeline.parse_problem(lifted, level_task.text()))
        grid = grid_task(grid_words(lifted), task)
        states, ids = walk(task, 1)
        found = level_from_channels(grid, grid.inputs(states.facts(ids))[0], kinds)
        wanted = [[0] * len(row) for row in level_task.level]
        for row, numbers in enumerate(level_task.level):
            for column, number in enumerate(numbers):
                if f"cell-{row}-{column}" in grid.lattice.places:
                    wanted[row][column] = number
                else:  # a wall, or floor that nobody can reach
                    assert number in (0, 1)
        assert found == cropped(wanted)


def test_tiles_know_how_far_they_are_from_home() -> None:
    grid, inputs, task = initial("npuzzle", rows=3, columns=3)
    channel, words = grid.words.places["at", 1]
    away = inputs[:, channel + 2 * words.slots : channel + 2 * words.slots + 2] * 8
    homes = {fact.args[0]: fact.args[1] for fact in task.goal_literals}
    places = grid.lattice.places
    for tile, place in ((fact[1], fact[2]) for fact in task.problem.init if fact[0] == "at"):
        number = list(places).index(place)
        expected = np.subtract(places[homes[tile]], places[place])
        np.testing.assert_array_equal(away[number], expected)


def test_what_belongs_to_no_cell_is_everywhere() -> None:
    grid, inputs, _ = initial("grid")
    channel, _ = grid.words.places["arm-empty", -1]
    assert (inputs[:, channel] == 1).all()
    robot, _ = grid.words.places["at-robot", 0]
    assert inputs[:, robot].sum() == 1


def test_walls_between_cells_are_seen() -> None:
    text = generators.domain_text("visitall")
    ((_, task),) = generators.instances("visitall", seed=1, width=3, height=2)
    closed = task.replace("(connected loc-x0-y0 loc-x1-y0)", "").replace(
        "(connected loc-x1-y0 loc-x0-y0)", ""
    )
    domain = beeline.parse_domain(text)
    for words, blocked in ((task, 0), (closed, 2)):
        ground = beeline.ground(beeline.parse_problem(domain, words))
        grid = grid_task(grid_words(domain), ground)
        assert grid.base[:, 1:5].sum() == blocked


@pytest.mark.parametrize(
    ("name", "size", "sizes"),
    [
        ("warehouse", {}, PRESETS["small"]),
        ("warehouse", {"size": 6, "boxes": 1, "steps": 8}, PRESETS["paper"]),
        ("maze", {"size": 15}, PRESETS["medium"]),
        ("npuzzle", {"rows": 4, "columns": 5}, GridSizes(0, 4, 2, 7, 6, 3, 5)),
        ("floortile", {}, GridSizes(2, 33, 0, 1, 1, 1, 17)),
        ("grid", {}, GridSizes(1, 5, 1, 40, 34, 1, 33)),
        ("sokoban", {}, PRESETS["small"]),
    ],
)
@pytest.mark.parametrize("heads", [1, 2])
def test_the_engine_computes_what_torch_computes(
    name: str, size: dict[str, float], sizes: GridSizes, heads: int
) -> None:
    task = beeline.ground(generators.generate(name, seed=1, **size))
    words = grid_words(task.problem.domain)
    grid = grid_task(words, task)
    network = make_network("coat", words, heads, seed=3, **sizes._asdict())
    weights = {key: each.numpy() for key, each in network.state_dict().items()}
    states, ids = walk(task, 30)
    facts = states.facts(ids)
    with torch.no_grad():
        expected = network(GridBatch([GridPart(grid, grid.inputs(facts))])).numpy()
    engine = FrozenGridNetwork(weights, grid, sizes)
    np.testing.assert_allclose(engine(facts), expected, rtol=1e-4, atol=1e-5)
    alone = np.concatenate([engine(facts[i : i + 1]) for i in range(len(facts))])
    np.testing.assert_allclose(alone, engine(facts), rtol=1e-5, atol=1e-6)


def test_states_of_several_tasks_keep_their_order() -> None:
    words = grid_words(generators.generate("maze").domain)
    network = make_network("coat", words, 1, seed=1, **OPTIONS["coat"])
    parts = []
    for size in (5, 9):
        task = beeline.ground(generators.generate("maze", seed=1, size=size, teleports=1))
        grid = grid_task(words, task)
        states, ids = walk(task, 3)
        parts.append(GridPart(grid, grid.inputs(states.facts(ids))))
    with torch.no_grad():
        apart = torch.cat([network(GridBatch([part])) for part in parts])
        order = np.array([5, 0, 3, 1, 2, 4])
        together = network(GridBatch(parts, order))
    torch.testing.assert_close(together, apart[order])


def test_the_position_code_tells_rows_from_columns() -> None:
    places = np.array([(row, column) for row in range(20) for column in range(20)])
    code = position_code(places, 11)
    assert code.shape == (400, 11)
    assert len({row.tobytes() for row in code.round(4)}) == 400


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"attention": 7, "attention_heads": 2}, "7 dimensions of attention for 2 heads"),
        ({"convolutions": 0, "blocks": 0}, "without layers"),
        ({"filters": 0}, "filters is 0"),
        ({"preset": "huge"}, "unknown preset 'huge'"),
    ],
)
def test_sizes_that_make_no_sense_are_refused(changes: dict[str, int], words: str) -> None:
    with pytest.raises(BeelineError, match=words):
        grid_sizes(**{"preset": "small", **changes})
    with pytest.raises(TypeError, match="unknown size 'depth'"):
        grid_sizes("small", depth=3)


def test_a_network_that_overflows_says_nothing() -> None:
    task = beeline.ground(generators.generate("maze", seed=1, size=7, teleports=1))
    model = random_model("coat", task.problem.domain, scale=1e9)
    batch = StateBatch(task, *walk(task, 5))
    assert not np.isnan(model.heuristic_for(task).evaluate(batch)).any()
    assert beeline.solve(task, heuristic=model).solved


@pytest.mark.parametrize(
    ("size", "teleports", "count", "steps", "larger"),
    [(9, 2, 12, 120, 21), pytest.param(15, 4, 40, 400, 51, marks=pytest.mark.slow)],
)
def test_a_network_of_small_mazes_plans_larger_ones(
    tmp_path: Path, size: int, teleports: int, count: int, steps: int, larger: int
) -> None:
    files = write_tasks(tmp_path / "tasks", "maze", count=count, size=size, teleports=teleports)
    make_set(files, tmp_path / "set", siblings=True, splits=(("train", 0.8), ("val", 0.2)))
    model = beeline.train(
        tmp_path / "set",
        model="coat",
        loss="rank-gbfs",
        options={"convolutions": 2, "filters": 8, "blocks": 1, "block_filters": 8},
        steps=steps,
        learning_rate=5e-3,
    )
    assert model.summary["validation"]["violations"] < 0.25
    for seed in range(3):
        task = beeline.ground(generators.generate("maze", seed=seed, size=larger))
        blind = beeline.solve(task, "gbfs", "blind")
        found = beeline.solve(task, "gbfs", model)
        assert found.solved
        assert found.expanded < blind.expanded, seed
