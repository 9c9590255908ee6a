"""Rovers: a share of all that can be found out is to be reported to the lander.

Waypoints see each other along a random tree and, with probability `density`, in each other pair.
Every rover can drive along a random spanning tree of that and along half of the other lines. For
each kind of work one uniform rover is equipped, and each other one with probability 1/2; in the
same way each camera supports modes, and each objective is visible from waypoints. Cameras are on
uniform rovers that can take images, and calibrate on a uniform objective. Soil and rock lie at
each waypoint with probability 1/2. The goal is a uniform choice, with share `ratio` and at least
one, from all samples and all images in modes that some camera supports.

Solvable: every rover reaches every waypoint, drops a full store, calibrates as often as needed,
and reports from a waypoint that sees the lander's. Nothing is reported at first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beeline.generators.draft import (
    Dice,
    Draft,
    Fact,
    both_ways,
    numbered,
    random_connected_part,
    random_network,
)
from beeline.generators.parameters import ParameterSet, real, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """Rovers, what they see, and how much is wanted."""

    rovers: int = whole(2, "rovers", 1, 1000)
    waypoints: int = whole(5, "waypoints", 2, 5000)
    cameras: int = whole(2, "cameras", 1, 10_000)
    objectives: int = whole(2, "objectives to take images of", 1, 10_000)
    density: float = real(0.3, "chance that two waypoints see each other", 0.0, 1.0)
    ratio: float = real(0.4, "share of all possible reports that is wanted", 0.001, 1.0)


MODES = ["colour", "high_res", "low_res"]
WORK = ["equipped_for_soil_analysis", "equipped_for_rock_analysis", "equipped_for_imaging"]


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """A landscape with rovers, and reports that are wanted."""
    rovers = numbered("rover", parameters.rovers)
    stores = [f"{rover}store" for rover in rovers]
    waypoints = numbered("waypoint", parameters.waypoints)
    cameras = numbered("camera", parameters.cameras)
    objectives = numbered("objective", parameters.objectives)

    init: list[Fact] = [("at_lander", "general", dice.choice(waypoints))]
    init += [("at", rover, dice.choice(waypoints)) for rover in rovers]
    equipped = {work: _some(rovers, dice) for work in WORK}
    init += [(work, rover) for work in WORK for rover in equipped[work]]
    for store, rover in zip(stores, rovers, strict=True):
        init += [("store_of", store, rover), ("empty", store)]
    lines = random_network(waypoints, parameters.density, dice)
    init += [("visible", *way) for way in both_ways(lines)]
    for rover in rovers:
        roads = both_ways(random_connected_part(lines, 0.5, dice))
        init += [("can_traverse", rover, *way) for way in roads]

    supported: set[str] = set()
    for camera in cameras:
        init.append(("on_board", camera, dice.choice(equipped["equipped_for_imaging"])))
        init.append(("calibration_target", camera, dice.choice(objectives)))
        modes = _some(MODES, dice)
        supported.update(modes)
        init += [("supports", camera, mode) for mode in modes]
    for objective in objectives:
        init += [("visible_from", objective, place) for place in _some(waypoints, dice)]

    reports: list[Fact] = []
    for kind in ("soil", "rock"):
        samples = [waypoint for waypoint in waypoints if dice.chance(0.5)]
        init += [(f"at_{kind}_sample", waypoint) for waypoint in samples]
        reports += [(f"communicated_{kind}_data", waypoint) for waypoint in samples]
    reports += [
        ("communicated_image_data", objective, mode)
        for objective in objectives
        for mode in MODES
        if mode in supported
    ]
    wanted = set(dice.sample(reports, max(1, int(parameters.ratio * len(reports) + 0.5))))
    objects = [
        ("lander", ["general"]),
        ("mode", MODES),
        ("rover", rovers),
        ("store", stores),
        ("waypoint", waypoints),
        ("camera", cameras),
        ("objective", objectives),
    ]
    return Draft(objects, init, [report for report in reports if report in wanted])


def _some(items: Sequence[str], dice: Dice) -> list[str]:
    """One uniform item, and each other one with probability 1/2, in their order."""
    sure = dice.choice(items)
    return [item for item in items if item == sure or dice.chance(0.5)]
