"""What is compared: networks for state spaces, and greedy search from many initial states of them.

A state space is FOLDER/DOMAIN/{domain,task}.pddl, its initial states are FOLDER/DOMAIN/init/*.pddl.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.experiments import records
from beeline.experiments.records import Record, Work, digest_of, model_path, record_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from beeline.data.regression import Rows
    from beeline.task.ground_task import GroundTask

DOMAINS = ("blocks", "grid", "npuzzle", "rovers", "scanalyzer", "transport", "visitall")
CHEAP_FIRST = ("scanalyzer", "visitall", "blocks", "npuzzle", "rovers", "grid", "transport")
HEURISTIC, XRS, FSM, IDEAL = "h", "xrs", "fsm", "ideal"
KINDS = (HEURISTIC, XRS, FSM, IDEAL)
HEURISTIC_PERCENT = 1
RANDOM_SHARE = 0.2  # of the samples for the heuristic
SHARE = 0.1  # of the samples that come breadth-first: k1 of XRS, p of FSM
BOOST = 1000
TIME_LIMIT = 300.0  # seconds for each initial state
ORDERS = {"plain": "h,fifo", "rounded": "round(h),fifo"}


@dataclass(frozen=True)
class Network:
    """One network to train.

    Kinds: `h`, the heuristic, from FSM samples and a fifth of random ones; `xrs` and `fsm`,
    discovered preferred operators; `ideal`, ideal ones of all states, whatever the sample seed.
    """

    kind: str
    domain: str
    percent: int
    sample_seed: int
    network_seed: int
    epochs: int | None = None  # at most; None for as many as patience allows

    @property
    def key(self) -> str:
        """A name for files; it does not tell the number of epochs."""
        seeds = f"s{self.sample_seed}-n{self.network_seed}"
        return f"{self.kind}{self.percent}-{self.domain}-{seeds}"

    @property
    def random_share(self) -> float:
        """The share of random states among the samples."""
        return RANDOM_SHARE if self.kind == HEURISTIC else 0.0


class Choice(NamedTuple):
    """Which part of the grid is wanted, in which state spaces."""

    domains: Sequence[str] = DOMAINS
    ideal_domains: Sequence[str] = ("blocks", "scanalyzer", "visitall")
    sample_seeds: int = 2
    network_seeds: int = 2
    percents: Sequence[int] = (1, 5, 10)
    only: Sequence[str] = KINDS
    epochs: int | None = None  # at most; None for as many as patience allows
    fsm_percents: Sequence[int] = (1, 5)  # of those among `percents`
    order: str = "plain"  # of searches with learned heuristics, or "rounded"
    initial_states: int = 50  # at most
    spaces: str = "paper"  # sizes of state spaces that are made

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Seeds of samples and of networks; (0, 0) is the first."""
        return [(s, n) for s in range(self.sample_seeds) for n in range(self.network_seeds)]

    def network(self, kind: str, percent: int, domain: str, pair: tuple[int, int]) -> Network:
        """A network of the grid, whether it is to be trained or not."""
        sample_seed = 0 if kind == IDEAL else pair[0]
        return Network(kind, domain, percent, sample_seed, pair[1], self.epochs)

    def has(self, kind: str, percent: int) -> bool:
        """Whether the grid has networks of these samples.

        >>> Choice().has("xrs", 10), Choice().has("fsm", 10)
        (True, False)
        """
        if kind == FSM and percent not in self.fsm_percents:
            return False
        return kind in (HEURISTIC, IDEAL) or percent in self.percents


def networks(choice: Choice) -> list[Network]:
    """All networks to train, the cheap and the most wanted ones first.

    >>> [each.key for each in networks(Choice(["grid", "blocks"], only=["h", "ideal"]))][:3]
    ['h1-blocks-s0-n0', 'h1-grid-s0-n0', 'h1-blocks-s0-n1']
    """
    small, large = (
        [each for each in sorted(choice.percents) if (each in choice.fsm_percents) == both]
        for both in (True, False)
    )
    groups = [
        (HEURISTIC, HEURISTIC_PERCENT),
        *((kind, percent) for kind in (XRS, FSM) for percent in small),
        (IDEAL, 100),
        *((XRS, percent) for percent in large),
    ]
    wanted = [
        choice.network(kind, percent, domain, pair)
        for kind, percent in groups
        if kind in choice.only
        for pair in choice.pairs
        for domain in CHEAP_FIRST
        if domain in choice.domains and (kind != IDEAL or domain in choice.ideal_domains)
    ]
    return list(dict.fromkeys(wanted))  # ideal ones are the same for all sample seeds


class Configuration(NamedTuple):
    """A heuristic, by name or learned (`h`), and preferred operators of a heuristic or a network.

    >>> Configuration.parse("h+xrs5-unboosted")
    Configuration(key='h+xrs5-unboosted', heuristic='h', preferred='xrs5', boosted=False)
    """

    key: str
    heuristic: str
    preferred: str
    boosted: bool

    @classmethod
    def parse(cls, key: str) -> Configuration:
        """What a word means."""
        heuristic, _, preferred = key.removesuffix("-unboosted").partition("+")
        return cls(key, heuristic, preferred, not key.endswith("-unboosted"))

    @property
    def operators(self) -> tuple[str, int] | None:
        """Kind and percentage of the network for preferred operators, if there is one."""
        match = re.fullmatch(rf"({XRS}|{FSM}|{IDEAL})(\d+)", self.preferred)
        return None if match is None else (match[1], int(match[2]))

    def networks(self, choice: Choice, domain: str, pair: tuple[int, int]) -> dict[str, Network]:
        """The networks that it needs, by what they are for."""
        found = {}
        if self.heuristic == HEURISTIC:
            found["heuristic"] = choice.network(HEURISTIC, HEURISTIC_PERCENT, domain, pair)
        if self.operators is not None:
            found["operators"] = choice.network(*self.operators, domain, pair)
        return found


def training_works(wanted: Sequence[Network], data: Path, results: Path) -> dict[Network, Work]:
    """The records of all networks."""
    digests = {domain: task_digest(data, domain) for domain in {each.domain for each in wanted}}
    settings = {
        each: {**vars(each), "share": SHARE, "task": digests[each.domain]}
        | {"random_share": each.random_share}
        for each in wanted
    }
    return records.training_works(settings, results, train_network, str(data), str(results))


def task_digest(data: Path, domain: str) -> str:
    """A short name for what is in the files of a state space; an error if there are none."""
    for path in task_files(data, domain):
        if not path.is_file():
            raise records.no_such_file(path)
    return digest_of(task_files(data, domain))


def task_files(data: Path, domain: str) -> tuple[Path, Path]:
    """The domain and the task whose state space is sampled."""
    return data / domain / "domain.pddl", data / domain / "task.pddl"


def train_network(network: Network, data: str, results: str) -> Record:
    """Sample, train, and write the model file; what goes into the record."""
    from beeline.fitting.task_networks import TaskTraining, train_heuristic, train_operators
    from beeline.learning.learn_task import task_model

    task = _task(data, network.domain)
    began = perf_counter()
    samples = samples_of(task, network)
    sampled, cpu = perf_counter(), process_time()
    epochs = {} if network.epochs is None else {"epochs": network.epochs}
    settings = TaskTraining(seed=network.network_seed, **epochs)
    checkpoints = Path(results) / "checkpoints" / network.key
    use = "heuristic" if network.kind == HEURISTIC else "operators"
    if network.kind == HEURISTIC:
        found = train_heuristic(samples.facts, samples.costs, settings, checkpoints)
    else:
        targets, count = samples.preferred, task.num_operators
        found = train_operators(samples.facts, targets, count, settings, checkpoints)
    cpu_seconds = process_time() - cpu
    model = task_model(task, settings, {use: found}, {use: samples.summary})
    records.save_model(model, Path(results), network.key)
    loss = next(iter(found.trained.metrics.values()))
    return {
        "line": f"best epoch {found.best_epoch}, loss {loss:.4g}, {found.trained.seconds:.0f} s",
        "best_epoch": found.best_epoch,
        "validation_loss": loss,
        "metrics": found.trained.metrics,
        "epochs": found.summary()["epochs"],
        "ended_by": found.trained.ended_by,
        "samples": samples.summary,
        "sample_seconds": sampled - began,
        "train_seconds": found.trained.seconds,
        "cpu_seconds": cpu_seconds,  # of this process: without what was done before a resumption
    }


class Samples(NamedTuple):
    """What a network is trained with."""

    facts: NDArray[np.uint8]  # [n, facts]
    costs: NDArray[np.int64]  # [n], cost-to-go
    preferred: Rows
    summary: dict[str, Any]


def samples_of(task: GroundTask, network: Network) -> Samples:
    """Samples of the size and kind that the network wants; drawing them takes a second."""
    from beeline.data.regression import facts_of, regression_samples
    from beeline.data.regression_settings import RegressionSettings, share_of_states
    from beeline.data.state_spaces import enumerate_states, state_space_samples

    if network.kind == IDEAL:
        space = state_space_samples(task)
        return Samples(facts_of(task, space.values), space.h_star, space.ideal, space.summary())
    settings = RegressionSettings(
        share_of_states(len(enumerate_states(task)), network.percent),
        "fsm" if network.kind in (HEURISTIC, FSM) else "xrs",
        share=SHARE,
        random_share=network.random_share,
        seed=network.sample_seed,
        unit_costs=True,
    )
    found = regression_samples(task, settings)
    return Samples(facts_of(task, found.values), found.estimates, found.preferred, found.summary())


@lru_cache(maxsize=2)
def _task(data: str, domain: str) -> GroundTask:
    import beeline

    return beeline.load(*task_files(Path(data), domain), unit_costs=True)


def search_works(
    choice: Choice,
    wanted: Sequence[Configuration],
    trained_for: Sequence[Network],
    data: Path,
    results: Path,
) -> list[Work]:
    """The records of all wanted searches whose networks are trained, domain by domain."""
    known = training_works(trained_for, data, results)
    files = {each: model_path(results, each.key) for each in known if record_of(known[each])}
    digests = {network: digest_of([path]) for network, path in files.items()}
    works = []
    for domain in (each for each in CHEAP_FIRST if each in choice.domains):
        tasks = digest_of(_initial_files(data, domain, choice.initial_states))
        for each in wanted:
            # Heuristics that are not learned are whole numbers anyway.
            order = choice.order if each.heuristic == HEURISTIC else "plain"
            learned = bool(each.networks(choice, domain, (0, 0)))
            for pair in choice.pairs if learned else [(0, 0)]:
                needed = each.networks(choice, domain, pair)
                if not all(network in files for network in needed.values()):
                    continue
                settings = {
                    "domain": domain,
                    "configuration": each.key,
                    "pair": list(pair) if learned else None,
                    "order": order,
                    "tasks": tasks,
                    "models": {use: digests[network] for use, network in needed.items()},
                    "boost": BOOST if each.boosted else 0,
                    "time_limit": TIME_LIMIT,
                }
                seeds = f"-s{pair[0]}-n{pair[1]}" if learned else ""
                path = results / "search" / order / f"{domain}-{each.key}{seeds}.json"
                models = {use: str(files[network]) for use, network in needed.items()}
                search = (each, domain, models, order, choice.initial_states, str(data))
                works.append(Work(path, settings, search_all, search))
    return works


def search_all(
    configuration: Configuration,
    domain: str,
    models: Mapping[str, str],  # files, of one pair of seeds
    order: str,
    initial_states: int,
    data: str,
) -> Record:
    """Search from all initial states of a state space; what goes into the record."""
    import beeline
    from beeline.planning.solve import solve

    learned = {use: beeline.load_model(path) for use, path in models.items()}
    more: dict[str, Any] = {"tie_breaking": ORDERS[order], "time_limit": TIME_LIMIT}
    if configuration.preferred:
        more["preferred"] = learned.get("operators", configuration.preferred)
        more["boost"] = BOOST if configuration.boosted else 0
    tasks = initial_tasks(data, domain, initial_states)
    heuristic = learned.get("heuristic", configuration.heuristic)
    began = perf_counter()
    found = [solve(task, "gbfs", heuristic, **more) for task in tasks]
    seconds = perf_counter() - began
    expanded, solved = [each.expanded for each in found], sum(each.solved for each in found)
    mean = sum(expanded) / len(expanded)
    return {
        "line": f"{mean:.1f} expansions, {solved} of {len(tasks)} solved, {seconds:.1f} s",
        "expanded": expanded,
        "solved": solved,
        "mean_cost": sum(each.cost or 0 for each in found) / max(solved, 1),
        "seconds": seconds,
    }


@lru_cache(maxsize=1)  # searches in the same domain follow each other
def initial_tasks(data: str, domain: str, count: int) -> list[GroundTask]:
    """The tasks of the initial states, at most so many, with unit costs."""
    import beeline

    place, _ = task_files(Path(data), domain)
    files = _initial_files(Path(data), domain, count)
    return [beeline.load(place, file, unit_costs=True) for file in files]


def _initial_files(data: Path, domain: str, count: int) -> list[Path]:
    folder = data / domain / "init"
    files = sorted(folder.glob("*.pddl"))
    if not files:
        raise BeelineError("there are no initial states", str(folder), hint="such as init/01.pddl")
    return files[:count]
