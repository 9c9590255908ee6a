"""Parameters that make no sense are refused, with the range that does."""

from __future__ import annotations

import pytest

from beeline import BeelineError, generators
from beeline.generators.registry import DOMAINS


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("blocksworld", {"blocks": 0}, "blocks is 0 (hint: blocks is a whole number from 2 to"),
        ("blocksworld", {"blocks": 1}, "from 2 to 1000"),
        ("blocksworld", {"blocks": 2.5}, "blocks is 2.5 (hint: blocks is a whole number"),
        ("blocksworld", {"blocks": "five"}, "blocks is 'five'"),
        ("blocksworld", {"blocks": True}, "blocks is True"),
        ("blocksworld", {"block": 5}, "unknown parameter 'block' (hint: did you mean 'blocks'?"),
        ("visitall", {"ratio": 2.0}, "ratio is 2.0 (hint: ratio is a number from 0.001 to 1.0"),
        ("visitall", {"ratio": 0.0}, "ratio is 0.0"),
        ("visitall", {"ratio": float("nan")}, "ratio is nan"),
        ("visitall", {"width": 1, "height": 1}, "one cell only"),
        ("spanner", {"spanners": 2, "nuts": 3}, "2 spanners cannot tighten 3 nuts"),
        ("childsnack", {"children": 3, "allergic": 4}, "4 of 3 children are allergic"),
        ("childsnack", {"children": 3, "sandwiches": 2}, "2 sandwiches for 3 children"),
        ("floortile", {"columns": 2, "robots": 3}, "3 robots on 2 columns"),
        ("grid", {"keys": 2, "shapes": 3}, "2 keys for 3 shapes"),
        ("grid", {"keys": 2, "goals": 3}, "3 goals for 2 keys"),
        ("grid", {"width": 1, "height": 1, "locks": 0}, "one place only"),
        ("grid", {"width": 3, "height": 3, "locks": 9}, "9 of 9 places are locked"),
        ("logistics", {"cities": 1, "city_size": 1}, "one location only"),
        ("scanalyzer", {"cycle": 3}, "cycle is 2 or 4"),
        ("sokoban", {"size": 5, "boxes": 2}, "boxes are at most 1 here"),
        ("npuzzle", {"rows": 1}, "rows is a whole number from 2"),
        ("checkers", {}, "no generator for 'checkers'"),
        ("fery", {}, "did you mean 'ferry'?"),
    ],
)
def test_nonsense_is_refused(name: str, parameters: dict[str, float], message: str) -> None:
    with pytest.raises(BeelineError) as caught:
        generators.generate(name, **parameters)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_seeds_are_not_negative() -> None:
    with pytest.raises(BeelineError, match="seeds are whole numbers from 0 up"):
        generators.generate("ferry", seed=-1)


@pytest.mark.parametrize("count", [0, -3, 10**9])
def test_the_number_of_instances_has_bounds(count: int) -> None:
    with pytest.raises(BeelineError, match="it is a number from 1 to 1000000"):
        generators.instances("ferry", count=count)


def test_unknown_presets_are_refused() -> None:
    with pytest.raises(BeelineError, match="did you mean 'nunez2024-train'"):
        generators.instances("ferry", preset="nunez2024-trian")


def test_chosen_parameters_come_before_those_of_a_preset() -> None:
    _, text = next(generators.instances("ferry", preset="easy", cars=9))
    assert "cars=9 locations=5" in text


@pytest.mark.parametrize("name", sorted(DOMAINS))
def test_every_parameter_is_refused_beyond_its_range_and_explained(name: str) -> None:
    for parameter in DOMAINS[name].parameters.described():
        assert parameter.minimum <= parameter.default <= parameter.maximum
        assert len(parameter.meaning) > 3
        for value in (parameter.minimum - 1, parameter.maximum + 1):
            with pytest.raises(BeelineError, match=parameter.allowed):
                DOMAINS[name].parameters.make({parameter.name: value})


@pytest.mark.parametrize("name", sorted(DOMAINS))
def test_the_smallest_instances_can_be_made(name: str) -> None:
    """At the minimum of every parameter, or the nearest values that fit together."""
    nearest = {
        "grid": {"width": 2},
        "logistics": {"cities": 2},
        "visitall": {"width": 2},
    }
    smallest = {each.name: each.minimum for each in DOMAINS[name].parameters.described()}
    problem = generators.generate(name, seed=2, **{**smallest, **nearest.get(name, {})})
    assert len(problem.objects) >= 2
