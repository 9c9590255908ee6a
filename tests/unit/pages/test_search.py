"""What pages show of a search is what the search has done."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from parsed_pages import ParsedPage

import beeline
from beeline.core.errors import BeelineError, Status
from beeline.pages.search import MOST_NODES
from beeline.pddl import parse_domain, parse_problem
from beeline.planning.heuristics import make_evaluator
from beeline.planning.searches import SEARCHES

if TYPE_CHECKING:
    from beeline.planning.result import SearchTrace

EVERY_SEARCH = [name for name, entry in SEARCHES.items() if entry.policy is None]


LAMPS = parse_domain(
    """(define (domain lamps) (:predicates (on ?l))
    (:action switch-on :parameters (?a ?b)
      :precondition (and (not (on ?a)) (not (on ?b)) (not (= ?a ?b)))
      :effect (and (on ?a) (on ?b)))
    (:action move :parameters (?a ?b)
      :precondition (and (on ?a) (not (on ?b))) :effect (and (not (on ?a)) (on ?b))))"""
)


def lamps(goal: str) -> beeline.GroundTask:
    """Two lamps are switched at a time: the number of lamps that are on stays even."""
    text = f"(define (problem three) (:domain lamps) (:objects a b c) (:init) (:goal {goal}))"
    return beeline.ground(parse_problem(LAMPS, text))


def blocks() -> beeline.GroundTask:
    return beeline.ground(beeline.generators.generate("blocksworld", blocks=6, seed=3))


def data_of(page: beeline.Page) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html)
    assert found is not None
    return json.loads(found[1])


def visible(page: beeline.Page) -> str:
    return unescape(re.sub(r"<[^>]*>", "", page.html))


class Policy:
    """Values and logits of h_FF."""

    def evaluate_policy(self, batch: beeline.StateBatch) -> tuple[Any, Any]:
        values = make_evaluator("ff", batch.task).evaluate(batch.states, batch.ids)
        return values, -values

    def evaluate(self, batch: beeline.StateBatch) -> Any:
        return self.evaluate_policy(batch)[0]


def traced(task: beeline.GroundTask, *words: Any, **settings: Any) -> tuple[Any, SearchTrace]:
    traces: list[SearchTrace] = []
    result = beeline.solve(task, *words, on_search=traces.append, **settings)
    (trace,) = traces
    return result, trace


@pytest.mark.parametrize("search", EVERY_SEARCH)
def test_a_log_is_what_the_search_has_done(search: str) -> None:
    task = blocks()
    settings = {} if SEARCHES[search].anytime is False else {"max_expansions": 50}
    traces: list[SearchTrace] = []
    result = beeline.solve(task, search, on_search=traces.append, **settings)
    plain = beeline.solve(task, search, **settings)
    assert (result.plan, result.expanded) == (plain.plan, plain.expanded)
    assert sum(trace.result.counters.expanded for trace in traces) == result.expanded
    for trace in traces:
        log = trace.result.log
        counters = trace.result.counters
        assert (len(log.evaluated), len(log.expanded)) == (counters.evaluated, counters.expanded)
        assert log.clock == sorted(log.clock)
        for state, parent, operator in zip(log.evaluated, log.parents, log.operators, strict=True):
            assert (operator == -1) == (state == log.evaluated[0])
            if operator != -1:
                operators, children = trace.states.successors(parent)
                assert (operator, state) in zip(operators.tolist(), children.tolist(), strict=True)
    assert len(traces[0].result.log.path) == len(traces[0].result.plan) + 1


def test_a_log_keeps_the_first_states(monkeypatch: pytest.MonkeyPatch) -> None:
    from beeline.planning import solve as module

    whole = traced(blocks(), "gbfs", "ff")[1].result.log
    monkeypatch.setattr(module, "LOGGED", 20)
    result, trace = traced(blocks(), "gbfs", "ff")
    log = trace.result.log
    assert (log.evaluated, log.values) == (whole.evaluated[:20], whole.values[:20])
    assert log.expanded == whole.expanded[: len(log.expanded)]
    assert {*log.expanded} <= {*log.evaluated}
    assert {*log.parents[1:]} <= {*log.evaluated}
    assert len(log.path) == len(result.plan) + 1
    page = beeline.show(blocks(), search="gbfs", heuristic="ff")
    assert f"Remembered are the first {len(log.expanded)} expansions." in visible(page)


@pytest.mark.parametrize("words", [("gbfs", "ff"), ("astar", "lmcut"), ("lama-first", None)])
def test_the_tree_has_every_expansion_once(words: tuple[str, str | None]) -> None:
    task = beeline.ground(beeline.generators.generate("blocksworld", blocks=5, seed=3))
    result, trace = traced(task, *words)
    page = beeline.show(task, search=words[0], heuristic=words[1])
    nodes = data_of(page)["search"]
    turns = [node["turn"] for node in nodes if node["turn"]]
    assert turns == sorted(turns)
    distinct = len({*trace.result.log.expanded})
    assert len(turns) == distinct < MOST_NODES
    # All but the first state were chosen once, by their parents.
    assert sum(node.get("chosen", 0) for node in nodes) == len(nodes) - 1
    steps = [node["step"] for node in nodes]
    assert steps.count("") == 1
    assert {*map(str, result.plan)} <= {*steps}
    drawn = re.findall(r'<g class="node n\d( way)?" data-node="(\d+)"', page.html)
    assert [int(number) for _, number in drawn] == list(range(len(nodes)))
    assert sum(bool(way) for way, _ in drawn) == len(result.plan) + 1


def test_scores_are_those_of_the_search() -> None:
    task = blocks()
    result, trace = traced(task, "wastar", "ff", weight=3)
    log = trace.result.log
    ids = np.array(log.evaluated, dtype=np.uint32)
    assert make_evaluator("ff", task).evaluate(trace.states, ids).tolist() == log.values
    page = beeline.show(task, search="wastar", heuristic="ff")
    first = data_of(page)["search"][0]
    assert first["score"] == f"{3 * result.initial_h:g}"
    assert "g + 3 h_FF" in visible(page)


def test_large_trees_are_cut_and_say_so() -> None:
    page = beeline.show(blocks(), search="bfs")
    nodes = data_of(page)["search"]
    assert MOST_NODES - 5 <= len(nodes) <= MOST_NODES
    assert f"The tree has {len(nodes)} of " in visible(page)
    assert "on the way to the plan" in visible(page)
    assert nodes[-1]["depth"] == page.steps


def test_with_a_model_the_learned_search_is_shown() -> None:
    page = beeline.show(blocks(), model="blocksworld")
    assert "Search 'learned': found " in visible(page)
    assert "Beside it ran 'classical'" in visible(page)
    alone = beeline.show(blocks(), model="blocksworld", search="gbfs")
    assert "Search 'gbfs': found " in visible(alone)
    assert ParsedPage(alone.html).open == []


def test_policies_have_a_tree_too() -> None:
    page = beeline.show(blocks(), search="phs", heuristic=Policy())
    assert "Search 'phs': found " in visible(page)


def test_a_search_without_a_plan_is_shown() -> None:
    task = lamps("(and (on a) (on b) (on c))")
    page = beeline.show(task, search="bfs")
    assert (page.status, page.steps) == (Status.UNSOLVABLE, 0)
    assert "Search 'bfs': unsolvable, with " in visible(page)
    assert ParsedPage(page.html).open == []


def test_a_plan_and_a_search_are_refused() -> None:
    with pytest.raises(BeelineError, match="a plan to show, and a search for one"):
        beeline.show(lamps("(on a)"), ["(switch-on a b)"], search="bfs")
    assert data_of(beeline.show(lamps("(on a)"), ["(switch-on a b)"]))["search"] == []
