"""Packaged models in domains that say the same in other words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from coloured_walks import Walk, random_weights
from hand_tables import HandTable, built_in
from renamed_domains import OtherWords, typed, untyped

import beeline
from beeline import _native
from beeline.core.errors import BeelineError
from beeline.generators import domain_text, generate
from beeline.models import model_file
from beeline.models.colours.model import PolicyEvaluator, WLPolicy
from beeline.models.colours.scorer import WLLinear
from beeline.models.model_file import find_fit, load_model, packaged_names, save, to_bytes
from beeline.models.renaming import matching_words
from beeline.pddl import parse_domain, parse_problem, read_domain
from beeline.pddl.matching import match
from beeline.pddl.outline import Outline

if TYPE_CHECKING:
    from beeline.pddl.model import Problem
    from beeline.planning.model import Model
    from beeline.task.ground_task import GroundTask

EXAMPLES = Path(__file__).parents[3] / "examples"
# Where other readings are as good: up and down, steps of a cycle, and the like.
AMBIGUOUS = {"floortile", "miconic", "scanalyzer"}


def values_along(model: Model, task: GroundTask, plan: list[str]) -> list[float]:
    """Scores of all states that a plan passes."""
    heuristic = model.heuristic_for(task)
    assert isinstance(heuristic, _native.Evaluator)
    state = task.initial_state
    values = []
    for step in [*plan, None]:
        batch = state.batch
        values += heuristic.evaluate(batch.states, batch.ids).tolist()
        if step is not None:
            state = {task.operator_name(it): child for it, child in state.successors()}[step]
    return values


def same_values(problem: Problem, other: Problem, words: OtherWords | None = None) -> None:
    """Check that a task and its other form get the same scores from the same model."""
    task, again = beeline.ground(problem), beeline.ground(other)
    fit, changed = (find_fit("auto", each.domain) for each in (problem, other))
    plan = beeline.plan(fit.model, task, improve=0, max_expansions=5000).plan
    assert plan is not None
    assert changed.name == fit.name
    steps = [str(step) for step in plan]
    renamed = steps if words is None else [words.step(it.name, *it.arguments) for it in plan]
    assert values_along(fit.model, task, steps) == values_along(changed.model, again, renamed)


@pytest.mark.parametrize("name", packaged_names())
def test_a_task_in_other_words_gets_the_same_plan_by_the_same_search(name: str) -> None:
    for seed in (0, 1):
        problem = generate(name, seed=seed)
        words = OtherWords(problem.domain, seed, shuffled=False)
        other = words.problem(problem)
        fit = find_fit("auto", other.domain)
        limits = {"improve": 0, "max_expansions": 500}
        result = beeline.plan(name, beeline.ground(problem), **limits)
        renamed = beeline.plan(fit.model, beeline.ground(other), **limits)
        assert fit.name == name
        assert renamed.initial_h == result.initial_h
        counts = [(it.expanded, it.evaluated, it.generated, it.cost) for it in (result, renamed)]
        assert counts[0] == counts[1]
        steps = [words.step(step.name, *step.arguments) for step in result.plan or ()]
        assert steps == [str(step) for step in renamed.plan or ()]


@pytest.mark.parametrize("name", sorted({*packaged_names()} - AMBIGUOUS))
def test_neither_names_nor_places_matter_to_scores(name: str) -> None:
    for seed in (1, 2):
        problem = generate(name, seed=seed)
        words = OtherWords(problem.domain, seed, shuffled=True)
        same_values(problem, words.problem(problem), words)


@pytest.mark.parametrize("name", sorted(AMBIGUOUS))
def test_where_several_readings_are_as_good_one_of_them_is_taken(name: str) -> None:
    problem = generate(name, seed=2)
    other = OtherWords(problem.domain, 3, shuffled=True).problem(problem)
    fits = [find_fit("auto", other.domain) for _ in range(2)]
    assert fits[0].words == fits[1].words
    assert fits[0].name == name
    assert beeline.plan(fits[0].model, beeline.ground(other), max_expansions=5000).solved


@pytest.mark.parametrize(
    "name", ["ferry", "miconic", "npuzzle", "rovers", "satellite", "spanner", "transport"]
)
def test_types_may_be_static_predicates(name: str) -> None:
    problem = generate(name, seed=1)
    same_values(problem, untyped(problem))


@pytest.mark.parametrize("name", ["gripper", "logistics", "grid"])
def test_static_predicates_may_be_types(name: str) -> None:
    problem = generate(name, seed=1)
    same_values(problem, typed(problem, {"airport": "location"}))


def test_objects_of_the_only_type_need_no_predicate() -> None:
    problem = generate("visitall", seed=1)
    text = domain_text("visitall").replace(" (:types place - object)\n", "").replace(" - place", "")
    written = beeline.pddl.format_problem(problem).replace(" - place", "")
    same_values(problem, parse_problem(parse_domain(text), written))
    assert "all else = place" in find_fit("auto", parse_domain(text)).words


def test_blocks_with_a_type_that_the_model_does_not_know() -> None:
    fit = find_fit("auto", read_domain(EXAMPLES / "blocks" / "domain.pddl"))
    assert fit.words == (
        "blocksworld fits with renaming: pick-up = pickup, put-down = putdown,"
        " hand-empty = arm-empty; ignored: block"
    )
    task = beeline.load(EXAMPLES / "blocks" / "domain.pddl", EXAMPLES / "blocks" / "task.pddl")
    assert beeline.plan("auto", task).solved
    assert beeline.plan("blocksworld", task).solved
    assert beeline.solve(task, "gbfs", fit.model).solved


def test_a_static_predicate_may_tell_places_apart() -> None:
    """As in older ferries: (not-eq ?from ?to), where the model knows (not (at-ferry ?to))."""
    problem = generate("ferry", seed=1)
    text = domain_text("ferry").replace("(not (at-ferry ?to)))", "(not-eq ?from ?to))")
    domain = parse_domain(text.replace("(empty-ferry)\n", "(empty-ferry) (not-eq ?x ?y)\n", 1))
    assert find_fit("auto", domain).words == "ferry fits without renaming; ignored: not-eq"
    places = problem.objects_of_type("location")
    pairs = [f"(not-eq {a} {b})" for a in places for b in places if a != b]

    def told(*facts: str) -> Problem:
        written = beeline.pddl.format_problem(problem)
        return parse_problem(domain, written.replace("(:init", f"(:init {' '.join(facts)}"))

    same_values(problem, told(*pairs))
    fit = find_fit("auto", domain)
    values = [
        values_along(fit.model, beeline.ground(told(*facts)), [])[0]
        for facts in (pairs, pairs[1:], [*pairs, f"(not-eq {places[0]} {places[0]})"])
    ]
    assert values[0] != values[1] == values[2]  # a task that is not as it should be is not read


ROVERS = domain_text("rovers").replace(
    "(at ?rover ?from)", "(at ?rover ?from) (available ?rover)", 1
)
ROVERS = ROVERS.replace(
    "  (at ?rover - rover", "  (available ?rover - rover) (at ?rover - rover", 1
)


def test_an_object_without_what_is_ignored_weighs_nothing() -> None:
    """Where all rovers are available nothing changes; one that is not is of an unknown kind."""
    problem = generate("rovers", seed=1)
    fit, domain = find_fit("auto", problem.domain), parse_domain(ROVERS)
    rovers = problem.objects_of_type("rover")
    text = beeline.pddl.format_problem(problem)

    def value(*available: str) -> float:
        facts = "".join(f"\n  (available {name})" for name in available)
        task = beeline.ground(parse_problem(domain, text.replace("(:init", f"(:init{facts}")))
        changed = find_fit("auto", domain)
        assert changed.words == "rovers fits without renaming; ignored: available"
        return values_along(changed.model, task, [])[0]

    plain = values_along(fit.model, beeline.ground(problem), [])[0]
    assert value(*rovers) == plain
    assert value(*rovers[1:]) != plain


def test_a_model_that_fits_by_its_names_is_left_alone() -> None:
    for name in packaged_names():
        fit = find_fit("auto", built_in(name))
        assert fit.words == f"{name} fits"
        assert type(fit.model) is type(load_model(name))
        assert to_bytes(fit.model) == model_file.packaged_path(name).read_bytes()


def test_a_renamed_model_is_a_model_and_its_file_is_the_old_one(tmp_path: Path) -> None:
    domain = read_domain(EXAMPLES / "blocks" / "domain.pddl")
    model = find_fit("blocksworld", domain).model
    original = load_model("blocksworld")
    assert isinstance(model, beeline.Model)
    assert model.fits(domain)
    assert not model.fits(built_in("blocksworld"))
    assert model.domain_name == "blocksworld"
    assert model.describe(3) == original.describe(3)
    assert [*model.lines(3, legend=True)] == [*original.lines(3, legend=True)]
    save(model, tmp_path / "m.beeline")
    assert (tmp_path / "m.beeline").read_bytes() == to_bytes(original)
    with pytest.raises(BeelineError, match="does not fit the domain"):
        model.heuristic_for(beeline.ground(generate("ferry", seed=1)))


def test_policies_are_renamed_too() -> None:
    problem = generate("sokoban", seed=1)
    words = OtherWords(problem.domain, 5, shuffled=True)
    other = words.problem(problem)
    model = load_model("sokoban")
    assert isinstance(model, beeline.ColourModel)
    policy = replace(model, policy=WLPolicy(model.scorer, 1.5))
    matching = match(Outline(problem.domain), Outline(other.domain))
    assert matching is not None
    renamed = policy.renamed(matching, other.domain)
    assert renamed is not None
    found = []
    for each, task in ((policy, beeline.ground(problem)), (renamed, beeline.ground(other))):
        heuristic = each.heuristic_for(task)
        assert isinstance(heuristic, PolicyEvaluator)
        found.append([it.tolist() for it in heuristic.evaluate_policy(task.initial_state.batch)])
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["ferry", "grid", "logistics", "transport"])
def test_chains_are_renamed_too(name: str) -> None:
    problem = generate(name, seed=1)
    words = OtherWords(problem.domain, 5, shuffled=True)
    other = words.problem(problem)
    walk = Walk(beeline.ground(problem), chains=True)
    table = walk.table(2, multiset=True)
    weights = random_weights(table, 3).astype("float64") / 2**20
    scorer = WLLinear.from_floats(table, weights, 0.0).seeing((), chains=True)
    learned = load_model(name)
    assert isinstance(learned, beeline.ColourModel)
    model = replace(learned, scorer=scorer)
    matching = match(Outline(problem.domain), Outline(other.domain))
    assert matching is not None
    renamed = model.renamed(matching, other.domain)
    assert renamed is not None
    plan = beeline.solve(walk.task).plan
    assert plan is not None
    steps = [words.step(it.name, *it.arguments) for it in plan]
    values = values_along(model, walk.task, [str(step) for step in plan])
    assert len({*values}) > 1
    assert values_along(renamed, beeline.ground(other), steps) == values


def test_a_packaged_model_may_be_named_by_its_path() -> None:
    domain = read_domain(EXAMPLES / "blocks" / "domain.pddl")
    fit = find_fit(model_file.packaged_path("blocksworld"), domain)
    assert fit.words == find_fit("auto", domain).words


def test_a_file_of_unknown_actions_fits_by_its_names_only(tmp_path: Path) -> None:
    """A model file says nothing of conditions and effects: they may be other ones."""
    save(HandTable(built_in("blocksworld")).model(), tmp_path / "m.beeline")
    with pytest.raises(BeelineError, match="does not fit the domain 'blocks'"):
        find_fit(tmp_path / "m.beeline", read_domain(EXAMPLES / "blocks" / "domain.pddl"))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "(not (origin ?passenger ?floor))",
            "",
            "the nearest is that of miconic: action 'board' has 0 deletions, in the model 1",
        ),
        (
            ":precondition (and (lift-at ?floor) (origin ?passenger ?floor))",
            ":precondition (origin ?passenger ?floor)",
            "the nearest is that of miconic: action 'board' has 1 preconditions, in the model 2",
        ),
        (
            "(served ?passenger) (not (boarded ?passenger))",
            "(boarded ?passenger) (not (served ?passenger))",
            "the nearest is that of miconic: ",
        ),
    ],
)
def test_a_domain_that_means_something_else_is_refused(old: str, new: str, words: str) -> None:
    assert old in domain_text("miconic")
    text = domain_text("miconic").replace(old, new).replace("lift-at", "cabin-at")
    text = text.replace("cabin-at", "lift-at") if "lift-at" in old else text
    domain = parse_domain(text.replace("above", "over"))
    with pytest.raises(BeelineError, match="no packaged model fits the domain 'miconic'") as caught:
        find_fit("auto", domain)
    assert words in caught.value.message
    assert "beeline solve" in str(caught.value.hint)
    with pytest.raises(BeelineError, match="the model, learned in 'miconic', does not fit"):
        find_fit("miconic", domain)


def test_places_are_told_with_numbers() -> None:
    text = domain_text("visitall").replace(
        "(connected ?from - place ?to", "(linked ?to - place ?from"
    )
    domain = Outline(parse_domain(text.replace("(connected ?from ?to)", "(linked ?to ?from)")))
    matching = match(Outline(built_in("visitall")), domain)
    assert matching is not None
    assert matching_words(matching) == (
        "with renaming: linked = connected, (linked ?2 ?1) = (connected ?1 ?2)"
    )
