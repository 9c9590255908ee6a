"""Greedy best-first search from all initial states, alone or with preferred operators."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.experiments.discovered_operators.grid import (
    CHEAP_FIRST,
    FSM,
    HEURISTIC,
    HEURISTIC_PERCENT,
    IDEAL,
    XRS,
    Choice,
    Network,
)
from beeline.experiments.discovered_operators.training import model_path, trained_works
from beeline.experiments.records import Record, Work

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from beeline.task.ground_task import GroundTask

BOOST = 1000
TIME_LIMIT = 300.0  # seconds for each initial state
PERFECT = "perfect"  # h* and, as preferred operators, po*
LOGICAL = ("ff", "add", "goalcount", "blind")
ORDERS = {"plain": "h,fifo", "rounded": "round(h),fifo"}


class Operators(NamedTuple):
    """Learned preferred operators: the kind of network, and the percentage of its samples."""

    kind: str
    percent: int


class Configuration(NamedTuple):
    """A heuristic, by name or learned (`h`), and preferred operators."""

    heuristic: str
    preferred: str | Operators = ""
    boosted: bool = True

    @property
    def key(self) -> str:
        """A name for files and figures.

        >>> Configuration("h", Operators("xrs", 5), boosted=False).key
        'h+xrs5-unboosted'
        """
        second = self.preferred
        name = f"{second.kind}{second.percent}" if isinstance(second, Operators) else second
        words = f"{self.heuristic}+{name}" if name else self.heuristic
        return words if self.boosted else f"{words}-unboosted"

    def networks(self, choice: Choice, domain: str, pair: tuple[int, int]) -> dict[str, Network]:
        """The networks that it needs, by what they are for."""
        found = {}
        if self.heuristic == HEURISTIC:
            found["heuristic"] = choice.network(HEURISTIC, HEURISTIC_PERCENT, domain, pair)
        if isinstance(self.preferred, Operators):
            found["operators"] = choice.network(*self.preferred, domain, pair)
        return found


class Search(NamedTuple):
    """A configuration in a state space, with the model files of one pair of seeds."""

    configuration: Configuration
    domain: str
    models: dict[str, str]
    order: str
    initial_states: int


def configurations(percents: Sequence[int], fsm_percents: Sequence[int]) -> list[Configuration]:
    """All of all tables."""
    xrs = [Operators(XRS, percent) for percent in percents]
    small = [Operators(FSM, percent) for percent in percents if percent in fsm_percents]
    found = [Configuration(PERFECT), Configuration(HEURISTIC)]
    found += [Configuration(name, second) for name in LOGICAL for second in ("", "ff")]
    found += [Configuration(HEURISTIC, second) for second in ("ff", PERFECT)]
    found += [Configuration(HEURISTIC, each) for each in (*xrs, *small)]
    found += [Configuration(HEURISTIC, each, boosted=False) for each in xrs]
    found += [Configuration(HEURISTIC, Operators(IDEAL, 100))]
    found += [Configuration(name, each) for name in LOGICAL for each in xrs if each.percent == 1]
    found += [Configuration("goalcount", each) for each in xrs if each.percent == 5]
    return found


def search_works(
    choice: Choice,
    wanted: Container[str],
    trained_for: Sequence[Network],
    data: Path,
    results: Path,
) -> list[Work]:
    """The records of all wanted searches whose networks are trained, domain by domain."""
    trained = trained_works(trained_for, data, results)
    digests = {
        network: sha256(model_path(results, network).read_bytes()).hexdigest()[:16]
        for network in trained
    }
    works = []
    for domain in (each for each in CHEAP_FIRST if each in choice.domains):
        count = choice.initial_states
        tasks = _tasks_digest(data, domain, count)
        for configuration in configurations(choice.percents, choice.fsm_percents):
            if configuration.key not in wanted:
                continue
            learned = configuration.heuristic == HEURISTIC
            chosen = choice.order if learned else "plain"  # others are whole numbers anyway
            for pair in choice.pairs:
                needed = configuration.networks(choice, domain, pair)
                if any(network not in trained for network in needed.values()):
                    continue
                seeds = f"-s{pair[0]}-n{pair[1]}" if needed else ""
                settings = {
                    "domain": domain,
                    "configuration": configuration.key,
                    "pair": list(pair) if needed else None,
                    "order": chosen,
                    "tasks": tasks,
                    "models": {use: digests[each] for use, each in needed.items()},
                    "boost": BOOST if configuration.boosted else 0,
                    "time_limit": TIME_LIMIT,
                }
                models = {use: str(model_path(results, each)) for use, each in needed.items()}
                path = results / "search" / chosen / f"{domain}-{configuration.key}{seeds}.json"
                search = Search(configuration, domain, models, chosen, count)
                works.append(Work(path, settings, search_all, (search, str(data))))
                if not needed:
                    break
    return works


def search_all(search: Search, data: str) -> Record:
    """Search from all initial states of a state space; what goes into the record."""
    import beeline
    from beeline.planning.solve import solve

    models = {use: beeline.load_model(path) for use, path in search.models.items()}
    configuration = search.configuration
    more: dict[str, Any] = {}
    if configuration.preferred:
        more["preferred"] = models.get("operators", configuration.preferred)
        more["boost"] = BOOST if configuration.boosted else 0
    expanded, solved, costs = [], 0, 0
    tasks = initial_tasks(data, search.domain, search.initial_states)
    began = perf_counter()
    for task in tasks:
        result = solve(
            task,
            "gbfs",
            models.get("heuristic", configuration.heuristic),
            tie_breaking=ORDERS[search.order],
            time_limit=TIME_LIMIT,
            **more,
        )
        expanded.append(result.expanded)
        solved += result.solved
        costs += result.cost or 0
    seconds = perf_counter() - began
    mean = sum(expanded) / len(expanded)
    return {
        "line": f"{mean:.1f} expansions, {solved} of {len(tasks)} solved, {seconds:.1f} s",
        "expanded": expanded,
        "solved": solved,
        "mean_cost": costs / max(solved, 1),
        "seconds": seconds,
    }


@lru_cache(maxsize=1)  # searches in the same domain follow each other
def initial_tasks(data: str, domain: str, count: int) -> list[GroundTask]:
    """The tasks of the initial states, at most so many, with unit costs."""
    import beeline

    place = Path(data) / domain / "domain.pddl"
    files = _initial_files(Path(data), domain, count)
    return [beeline.load(place, file, unit_costs=True) for file in files]


def _initial_files(data: Path, domain: str, count: int) -> list[Path]:
    folder = data / domain / "init"
    files = sorted(folder.glob("*.pddl"))
    if not files:
        raise BeelineError("there are no initial states", str(folder), hint="such as init/01.pddl")
    return files[:count]


def _tasks_digest(data: Path, domain: str, count: int) -> str:
    content = sha256()
    for file in _initial_files(data, domain, count):
        content.update(file.read_bytes())
    return content.hexdigest()[:16]
