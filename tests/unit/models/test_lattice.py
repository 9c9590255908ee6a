"""The grid of a task is found in its static facts, whatever cells and directions are called."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import beeline
from beeline import generators
from beeline.core.errors import BeelineError
from beeline.generators.levels import level_tasks
from beeline.models.grid.channels import grid_words
from beeline.models.grid.lattice import find_lattice
from beeline.pddl import parse_domain, parse_problem

SIZES = {
    "floortile": ({"rows": 4, "columns": 3}, (5, 3)),
    "grid": ({"width": 5, "height": 4}, (5, 4)),
    "maze": ({"size": 9}, (9, 9)),
    "npuzzle": ({"rows": 3, "columns": 4}, (3, 4)),
    "visitall": ({"width": 5, "height": 3}, (5, 3)),
}
WITHOUT = sorted(set(generators.names()) - {*SIZES, "sokoban", "warehouse"})
SAMPLES = Path(__file__).parents[2] / "support" / "levels"
PUBLISHED = Path(os.environ.get("BEELINE_GRIDS", SAMPLES))


@pytest.mark.parametrize("name", SIZES)
def test_grids_of_built_in_domains_have_their_sizes(name: str) -> None:
    settings, (rows, columns) = SIZES[name]
    lattice = find_lattice(generators.generate(name, seed=2, **settings))
    assert (lattice.rows, lattice.columns) == (rows, columns)
    assert len(set(lattice.places.values())) == len(lattice.places)


@pytest.mark.parametrize("name", WITHOUT)
def test_tasks_without_a_grid_are_refused_by_name(name: str) -> None:
    problem = generators.generate(name, seed=3)
    with pytest.raises(BeelineError, match=f"{problem.name}.* has no grid"):
        find_lattice(problem)


def test_domains_without_a_grid_are_refused_by_name() -> None:
    with pytest.raises(BeelineError, match="the tasks of 'ferry' have no grid"):
        grid_words(generators.generate("ferry").domain)
    model_error = "the tasks of 'ferry' have no grid"
    with pytest.raises(BeelineError, match=model_error):
        beeline.models.families.encoder_family("grid").vocabulary(
            generators.generate("ferry").domain
        )


def renamed(name: str, **settings: float) -> beeline.Problem:
    """A task whose cells have names that tell nothing."""
    ((_, text),) = generators.instances(name, seed=1, **settings)
    names: dict[str, str] = {}

    def other(match: re.Match[str]) -> str:
        return names.setdefault(match[0], f"thing{'abcdefghij'[len(names) % 10]}{7 * len(names)}")

    pattern = r"(?<=[ (])[a-z]+[-_]?x?[0-9]+[-_]y?[0-9]+f?(?=[ )\n])"
    text = re.sub(pattern, other, text)
    return parse_problem(parse_domain(generators.domain_text(name)), text)


@pytest.mark.parametrize("name", SIZES)
def test_names_of_cells_do_not_matter(name: str) -> None:
    settings, size = SIZES[name]
    lattice = find_lattice(renamed(name, **settings))
    assert {lattice.rows, lattice.columns} == set(size)
    assert not any(re.search("[0-9][-_]", cell) for cell in lattice.places)
    for one, other in lattice.steps:
        (row, column), (below, right) = lattice.places[one], lattice.places[other]
        assert abs(row - below) + abs(column - right) == 1


ISLANDS = """(define (domain islands) (:types place compass)
 (:predicates (at ?p - place) (way ?a ?b - place ?c - compass))
 (:action go :parameters (?a ?b - place ?c - compass)
  :precondition (and (at ?a) (way ?a ?b ?c)) :effect (and (at ?b) (not (at ?a)))))"""


def island_task(ways: str) -> beeline.Problem:
    text = f"""(define (problem p) (:domain islands)
     (:objects a b c d e f - place one two three four - compass)
     (:init (at a) {ways}) (:goal (at c)))"""
    return parse_problem(parse_domain(ISLANDS), text)


def test_directions_need_no_words_that_are_known() -> None:
    lattice = find_lattice(
        island_task("(way a b one) (way b a two) (way b c three) (way c b four)")
    )
    assert (lattice.rows, lattice.columns, len(lattice.places)) == (2, 2, 3)


def test_parts_without_a_connection_lie_side_by_side() -> None:
    ways = "(way a b one) (way b a two) (way b c three) (way d e one) (way e f three)"
    places = find_lattice(island_task(ways)).places
    assert len(set(places.values())) == 6


def test_steps_that_contradict_each_other_are_no_grid() -> None:
    square = "(way a b one) (way b a two) (way b c three) (way c b four) (way a c one)"
    with pytest.raises(BeelineError, match="has no grid"):
        find_lattice(island_task(square))
    ring = "(way a b one) (way b c one) (way c a one) (way a d three)"
    with pytest.raises(BeelineError, match="has no grid"):
        find_lattice(island_task(ring))


@pytest.mark.parametrize("name", ["sokoban-10x10", "maze-15x15", "maze-51x51", "tiles-6x6"])
def test_cells_of_published_tasks_lie_where_they_were(name: str) -> None:
    domain = {"s": "warehouse", "m": "maze", "t": "npuzzle"}[name[0]]
    lifted = parse_domain(generators.domain_text(domain))
    for task in level_tasks(domain, PUBLISHED / f"{name}.txt"):
        lattice = find_lattice(parse_problem(lifted, task.text()))
        coordinates = {cell: tuple(map(int, re.findall("[0-9]+", cell))) for cell in lattice.places}
        top = min(row for row, _ in coordinates.values())
        left = min(column for _, column in coordinates.values())
        assert lattice.places == {
            cell: (row - top, column - left) for cell, (row, column) in coordinates.items()
        }
