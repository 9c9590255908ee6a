"""Words about a search become settings, or one clear error."""

from __future__ import annotations

import subprocess
import sys

import pytest

from beeline.core.errors import BeelineError
from beeline.planning.engine import stages
from beeline.planning.heuristics import parse_tie_breaking
from beeline.planning.searches import SEARCHES
from beeline.planning.specification import make_spec


@pytest.mark.parametrize("name", sorted(name for name in SEARCHES if not SEARCHES[name].policy))
def test_every_search_works_with_its_defaults(name: str) -> None:
    entry = SEARCHES[name]
    spec = make_spec(name)
    assert (spec.search, spec.alpha, spec.beta) == (name, entry.alpha, entry.beta)
    assert spec.heuristics == (() if entry.heuristic is None else (*entry.heuristic.split(","),))
    assert str(spec.tie_breaking) == entry.tie_breaking


def test_equal_searches_are_equal_whatever_the_words() -> None:
    short = make_spec("gbfs", "ff", preferred="ff")
    long = make_spec("gbfs", ["ff"], preferred=["ff"], boost=1000, tie_breaking=" H , FIFO ")
    assert short == long
    assert hash(short) == hash(long)
    assert short.digest() == long.digest()
    assert short.digest() != make_spec("gbfs", "ff", preferred="ff", boost=0).digest()


def test_the_digest_is_the_same_in_another_process() -> None:
    script = (
        "from beeline.planning.specification import make_spec;"
        "print(make_spec('wastar', 'ff,add', weight=5).digest())"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == make_spec("wastar", "ff,add", weight=5).digest()


def test_weight_is_the_factor_of_h() -> None:
    assert make_spec("wastar", weight=5).beta == 5
    assert make_spec("best-first", alpha=0.5, beta=2).to_json()["alpha"] == 0.5


@pytest.mark.parametrize(
    ("text", "merit", "canonical"),
    [
        ("h,fifo", "h", "h,fifo"),
        ("f,h,lifo", "f", "f,h,lifo"),
        ("h,lifo", "f", "f,h,lifo"),
        ("random", "h", "h,random"),
        ("round(h), ff, fifo", "h", "round(h),ff,fifo"),
        ("ROUND( F ),g,goalcount,add,fifo", "f", "round(f),g,goalcount,add,fifo"),
        ("g,fifo", "h", "h,g,fifo"),
    ],
)
def test_tie_breaking_texts(text: str, merit: str, canonical: str) -> None:
    assert str(parse_tie_breaking(text, merit)) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "does not end with fifo, lifo or random"),
        ("h", "does not end with fifo, lifo or random"),
        ("fifo,h", "does not end with fifo, lifo or random"),
        ("fifo,lifo", "'fifo' must come last"),
        ("h,,fifo", "'' in tie-breaking 'h,,fifo' is no key"),
        ("round(h,fifo", "'round(h' in tie-breaking"),
        ("ff),fifo", "'ff)' in tie-breaking"),
        ("h,h,fifo", "orders by h more than once"),
        ("g,h,fifo", "orders by h more than once"),
        ("fff,fifo", "unknown heuristic 'fff'"),
        ("g,ff,add,max,fifo", "is too long"),
    ],
)
def test_senseless_tie_breaking_is_refused(text: str, message: str) -> None:
    with pytest.raises(BeelineError) as caught:
        parse_tie_breaking(text, "h")
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"search": "a*"}, "unknown search 'a*': there are lama-first, lama, gbfs, astar"),
        ({"heuristic": "fff"}, "unknown heuristic 'fff'"),
        ({"heuristic": ""}, "unknown heuristic ''"),
        ({"heuristic": []}, "has need of a heuristic"),
        ({"heuristic": "ff,ff"}, "a heuristic is named twice"),
        ({"search": "gbfs", "weight": 2}, "search 'gbfs' has no weight"),
        ({"search": "wastar", "weight": 0.5}, "the weight 0.5 is not a number from 1 up"),
        ({"search": "wastar", "weight": float("nan")}, "the weight nan"),
        ({"search": "wastar", "alpha": 2}, "search 'wastar' has its own alpha and beta"),
        ({"search": "best-first", "alpha": 0, "beta": 0}, "both 0"),
        ({"search": "best-first", "alpha": -1}, "must be numbers from 0 up"),
        ({"search": "gbfs", "boost": 5}, "a boost without preferred operators"),
        ({"preferred": "ff", "boost": -1}, "boost -1"),
        ({"preferred": "lmcut"}, "heuristic 'lmcut' has no preferred operators"),
        ({"preferred": "nonsense"}, "unknown heuristic 'nonsense'"),
        ({"deferred": True, "batch": 2}, "one state at a time"),
        ({"batch": 0}, "batch 0 is not a number from 1 up"),
        ({"bound": 0}, "bound 0 is not a number from 1 up"),
        ({"max_evaluations": 0}, "max evaluations 0"),
        ({"max_expansions": -3}, "max expansions -3"),
        ({"memory_limit": 0}, "memory limit 0"),
        ({"time_limit": 0}, "the time limit 0.0"),
        ({"time_limit": float("inf")}, "the time limit inf"),
        ({"processor_time_limit": -1}, "the processor time limit -1.0"),
        ({"seed": -1}, "seed -1"),
        ({"search": "astar", "preferred": "ff"}, "with preferred operators would not find"),
        ({"search": "astar", "deferred": True}, "with deferred evaluation would not find"),
        ({"search": "astar", "heuristic": "max,lmcut"}, "with several heuristics would not"),
        ({"search": "astar", "goal_at_generation": True}, "with a goal test at generation"),
        ({"search": "astar", "batch": 4}, "with batches would not"),
        ({"search": "astar", "reopen": False}, "with closed states for good would not"),
        ({"search": "bfs", "heuristic": "ff"}, "search 'bfs' has no heuristic"),
        ({"search": "bfs", "tie_breaking": "lifo"}, "search 'bfs' has no tie-breaking"),
        ({"search": "bfs", "preferred": "ff"}, "with preferred operators makes no sense"),
        ({"search": "bfs", "deferred": True}, "with deferred evaluation makes no sense"),
        ({"search": "bfs", "anytime": True}, "with anytime mode makes no sense"),
        ({"search": "bfs", "reopen": True}, "never opens a state again"),
    ],
)
def test_senseless_combinations_are_refused(words: dict[str, object], message: str) -> None:
    with pytest.raises(BeelineError) as caught:
        make_spec(**words)  # type: ignore[arg-type]
    assert message in caught.value.message
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "weights"),
    [
        (
            {"search": "gbfs"},
            ["gbfs 1", "wastar 5", "wastar 3", "wastar 2", "astar 1", "astar 1"],
        ),
        (
            {"search": "lama"},
            ["lama 1", "lama 1", "wastar 5", "wastar 3", "wastar 2", "wastar 1", "wastar 1"],
        ),
        (
            {"search": "wastar", "weight": 3, "preferred": "ff"},
            ["wastar 3", "wastar 2", "wastar 1", "wastar 1"],
        ),
        ({"search": "astar"}, ["astar 1", "astar 1"]),
    ],
)
def test_weights_fall_to_one(words: dict[str, object], weights: list[str]) -> None:
    spec = make_spec(anytime=True, **words)  # type: ignore[arg-type]
    searches = [stage for stage, _ in zip(stages(spec), weights, strict=False)]
    assert [f"{stage.search} {stage.beta:g}" for stage in searches] == weights
    assert all(stage.reopen for stage in searches if stage.search in ("wastar", "astar"))


def test_lama_looks_at_costs_after_the_first_plan_only() -> None:
    kinds = [stage.costs for stage, _ in zip(stages(make_spec("lama")), range(3), strict=False)]
    assert kinds == ["one", "plusone", "plusone"]
    unit = [
        stage.search
        for stage, _ in zip(stages(make_spec("lama"), unit_costs=True), "ab", strict=False)
    ]
    assert unit == ["lama", "wastar"]


def test_the_default_is_lama_first_unless_a_heuristic_is_named() -> None:
    assert make_spec() == make_spec("lama-first", "ff,landmarks", preferred="ff", costs="one")
    assert make_spec(heuristic="add").search == "gbfs"


def test_heuristics_that_need_plain_costs_say_so() -> None:
    with pytest.raises(BeelineError, match="unknown kind of costs 'two'"):
        make_spec("gbfs", "ff", costs="two")
