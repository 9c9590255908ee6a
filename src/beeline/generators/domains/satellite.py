"""Satellite: one image of each observation, and for some satellites a direction to end in.

Each satellite has 1 to `instruments` instruments, each instrument a uniform set of modes that is
not empty and a uniform calibration target among the first `targets` directions. Each of the
further `observations` directions is wanted in a uniform mode among those that some instrument
supports. Each satellite must end in a uniform direction with probability `pointing`.

Solvable: for each image, switch off what is on aboard a satellite with a fitting instrument,
switch that on, turn to its target, calibrate, turn to the observation; turn to final directions
last. No image exists at first, so the goal never holds from the start.
"""

from __future__ import annotations

from dataclasses import dataclass

from beeline.generators.draft import Dice, Draft, Fact, numbered
from beeline.generators.parameters import ParameterSet, real, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """Satellites, what they carry, and what they look at."""

    satellites: int = whole(2, "satellites", 1, 10_000)
    instruments: int = whole(3, "instruments on a satellite at most", 1, 50)
    modes: int = whole(3, "modes that instruments may support", 1, 50)
    targets: int = whole(4, "directions to calibrate on", 1, 10_000)
    observations: int = whole(4, "directions to take an image of", 1, 10_000)
    pointing: float = real(0.3, "chance that a satellite has a final direction", 0.0, 1.0)


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """Satellites with random instruments, and images to take."""
    satellites = numbered("sat", parameters.satellites)
    modes = numbered("mod", parameters.modes)
    directions = numbered("dir", parameters.targets + parameters.observations)
    targets, observed = directions[: parameters.targets], directions[parameters.targets :]
    homes = [each for each in satellites for _ in range(dice.between(1, parameters.instruments))]
    instruments = numbered("ins", len(homes))

    supported: set[str] = set()
    init: list[Fact] = []
    for satellite in satellites:
        init.append(("pointing", satellite, dice.choice(directions)))
        init.append(("power_avail", satellite))
    for instrument, home in zip(instruments, homes, strict=True):
        init.append(("on_board", instrument, home))
        init.append(("calibration_target", instrument, dice.choice(targets)))
        for mode in random_subset(modes, dice):
            supported.add(mode)
            init.append(("supports", instrument, mode))
    usable = [mode for mode in modes if mode in supported]
    goal: list[Fact] = [
        ("pointing", satellite, dice.choice(directions))
        for satellite in satellites
        if dice.chance(parameters.pointing)
    ]
    goal += [("have_image", direction, dice.choice(usable)) for direction in observed]
    carriers = [("satellite", satellites), ("instrument", instruments)]
    return Draft([*carriers, ("mode", modes), ("direction", directions)], init, goal)


def random_subset(items: list[str], dice: Dice) -> list[str]:
    """A uniform subset that is not empty, in the order of the items."""
    chosen: list[str] = []
    while not chosen:
        chosen = [item for item in items if dice.chance(0.5)]
    return chosen
