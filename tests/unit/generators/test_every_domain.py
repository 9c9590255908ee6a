"""What every generator promises: instances that parse, have a plan, and come again."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from hashlib import sha256
from itertools import islice

import generator_pages
import pytest
from domain_signatures import SIGNATURES, rows_of

import beeline
from beeline import generators
from beeline.generators.registry import DOMAINS, Recipe, recipes

NAMES = sorted(DOMAINS)
SEEDS = range(50)

# Sizes at which greedy search with ff answers at once; other parameters keep their defaults.
SMALL = {
    "childsnack": {"children": 3, "sandwiches": 4},
    "warehouse": {"boxes": 2},
    "floortile": {"rows": 2, "columns": 3},
}

# Whoever changes a generator changes every dataset that was made with it. These fingerprints make
# sure that nobody does so unawares, on any machine and with any version of Python.
FINGERPRINTS = {
    "blocksworld": "48c95781c2c72bfb",
    "childsnack": "93a8fef4776c1676",
    "ferry": "f9ba14ccad3d3302",
    "floortile": "3ece45b87deb25be",
    "grid": "f6b01c018d17cbb6",
    "gripper": "b43942a207f92bd7",
    "logistics": "ad85e8e2c7080676",
    "maze": "a1a95075c686ef07",
    "miconic": "6fa2de3ffa4ac7bf",
    "npuzzle": "4819aa5dfb1bb0cb",
    "rovers": "f933850da25e65a5",
    "satellite": "47177579b0367251",
    "scanalyzer": "a6358f42334b6ba9",
    "sokoban": "a04640e093911aad",
    "spanner": "73692183056a68d4",
    "transport": "bc17359d8ce03681",
    "visitall": "675ff93f575215ef",
    "warehouse": "ac3eda53c5915357",
}


def digest(name: str) -> str:
    """A fingerprint of the first instances of a domain."""
    texts = "".join(text for _, text in generators.instances(name, count=5, seed=11))
    return hashlib.sha256(texts.encode()).hexdigest()[:16]


def test_there_are_eighteen_domains() -> None:
    assert len(generators.names()) == 18
    assert generators.names() == sorted(SIGNATURES)


@pytest.mark.parametrize("name", NAMES)
def test_fifty_instances_have_a_plan_and_are_not_trivial(name: str) -> None:
    domain = beeline.parse_domain(generators.domain_text(name))
    assert not domain.warnings
    for seed in SEEDS:
        recipe = Recipe.make(name, SMALL.get(name, {}), seed=seed)
        problem = beeline.parse_problem(domain, recipe.text())
        assert not problem.warnings
        task = beeline.ground(problem)
        assert not task.goal_holds_initially
        assert beeline.solve(task, max_expansions=200_000).status is beeline.Status.SOLVED


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_instance_and_another_seed_another_one(name: str) -> None:
    texts = [Recipe.make(name, {}, seed=seed).text() for seed in SEEDS]
    assert texts == [Recipe.make(name, {}, seed=seed).text() for seed in SEEDS]
    without_names = {text.split("(:objects", 1)[1] for text in texts}
    assert len(without_names) >= 40, "seeds hardly matter"


@pytest.mark.parametrize("name", NAMES)
def test_instances_are_those_of_the_first_day(name: str) -> None:
    assert digest(name) == FINGERPRINTS[name]


def test_other_processes_give_the_same_instances() -> None:
    script = (
        "import hashlib, json; from beeline import generators\n"
        "def digest(name):\n"
        "    texts = ''.join(t for _, t in generators.instances(name, count=5, seed=11))\n"
        "    return hashlib.sha256(texts.encode()).hexdigest()[:16]\n"
        "print(json.dumps({name: digest(name) for name in generators.names()}))"
    )
    digests = []
    for hash_seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        )
        digests.append(json.loads(run.stdout))
    assert digests[0] == digests[1] == FINGERPRINTS


@pytest.mark.parametrize("name", NAMES)
def test_signature_is_that_of_the_public_tasks(name: str) -> None:
    domain = beeline.parse_domain(generators.domain_text(name))
    assert rows_of(domain) == SIGNATURES[name].rows()


@pytest.mark.parametrize("name", NAMES)
def test_easy_medium_and_hard_presets_exist_and_grow(name: str) -> None:
    presets = DOMAINS[name].presets
    ends = []
    for preset in ("easy", "medium", "hard"):
        assert presets[preset].size == 30
        first, *_, last = recipes(name, preset=preset)
        ends.append((len(first.text()), len(last.text())))
    firsts, lasts = zip(*ends, strict=True)
    assert list(firsts) == sorted(set(firsts))
    assert list(lasts) == sorted(set(lasts))
    assert all(first < last for first, last in ends)


@pytest.mark.parametrize("name", NAMES)
def test_all_settings_of_all_presets_are_allowed(name: str) -> None:
    for preset in DOMAINS[name].presets:
        made = list(recipes(name, preset=preset, seed=3))
        assert len({recipe.task_name for recipe in made}) == DOMAINS[name].presets[preset].size


@pytest.mark.parametrize("name", NAMES)
def test_first_and_last_easy_instance_ground(name: str) -> None:
    domain = beeline.parse_domain(generators.domain_text(name))
    first, *_, last = recipes(name, preset="easy", seed=5)
    for recipe in (first, last):
        task = beeline.ground(beeline.parse_problem(domain, recipe.text()))
        assert task.unsolvable_reason is None
        assert not task.goal_holds_initially


def test_sets_of_two_presets_share_no_instance() -> None:
    bodies = [
        {text.split("(:init", 1)[1] for _, text in generators.instances("ferry", preset=preset)}
        for preset in ("nunez2024-test", "hard")
    ]
    train = Recipe.make("ferry", {"cars": 9}, preset="nunez2024-train")
    validation = Recipe.make("ferry", {"cars": 9}, preset="nunez2024-val")
    assert not bodies[0] & bodies[1]
    assert train.text().split("(:init")[1] != validation.text().split("(:init")[1]


def test_a_preset_with_another_name_draws_the_tasks_that_it_always_drew() -> None:
    for domain, before, name, digest in (
        ("ferry", "seed003-train", "nunez2024-train", "666bc8f1fa39ef57"),
        ("logistics", "seed000-small", "nunez2022-small", "9194d3180d38c2be"),
    ):
        tasks = list(generators.instances(domain, preset=name, count=3, seed=1))
        assert list(generators.instances(domain, preset=before, count=3, seed=1)) == tasks
        texts = "".join(text for _, text in tasks).replace(name, before)
        assert sha256(texts.encode()).hexdigest()[:16] == digest


def test_an_instance_does_not_depend_on_how_many_are_asked_for() -> None:
    few = list(generators.instances("ferry", preset="nunez2024-train", count=3, seed=9))
    many = generators.instances("ferry", preset="nunez2024-train", seed=9)
    assert few == list(islice(many, 3))


def test_importing_the_room_imports_no_domain() -> None:
    script = "import beeline.generators, sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    modules = run.stdout.split()
    assert "beeline.generators" in modules
    assert not [m for m in modules if m.startswith(("beeline.generators.", "beeline.pddl"))]
    assert "dataclasses" not in modules


def test_the_reference_page_is_up_to_date() -> None:
    _, mark, rest = generator_pages.PAGE.read_text().partition(generator_pages.MARK)
    assert mark
    assert rest.strip() == generator_pages.reference().strip(), "run generator_pages.py"
