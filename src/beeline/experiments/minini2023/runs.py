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

from beeline.experiments import records
from beeline.experiments.minini2023.samples import (
    DOMAINS,
    FSM,
    HEURISTIC,
    HEURISTIC_PERCENT,
    IDEAL,
    KINDS,
    RANDOM_SHARE,
    SHARE,
    XRS,
    initial_files,
    sample_kind,
    samples_of,
    space_task,
    task_digest,
    task_files,
)
from beeline.experiments.records import Record, Work, digest_of, model_path, record_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from beeline.experiments.minini2023.samples import Samples
    from beeline.task.ground_task import GroundTask

CHEAP_FIRST = ("scanalyzer", "visitall", "blocks", "npuzzle", "rovers", "grid", "transport")
BOOST = 1000
ALWAYS = 1_000_000  # a boost: more than a state space has states, so that one queue is left
TIME_LIMIT = 300.0  # seconds for each initial state
# The deepest state first: all costs are 1, and whoever is expanded was generated last.
DEEPEST = "deepest"
ORDERS = {"plain": "h,fifo", "rounded": "round(h),fifo", DEEPEST: "h,lifo"}
APPLICABLE, ANY = "applicable", "any"  # of which operators the highest output counts


@dataclass(frozen=True)
class Network:
    """One network to train.

    Kinds: `h`, the heuristic, from FSM samples and a fifth of random ones; `xrs` and `fsm`,
    discovered preferred operators; `ideal`, ideal ones of all states, whatever the sample seed;
    `xrs*` and `own`, XRS samples that share their operators if they become the same state, or not.
    """

    kind: str
    domain: str
    percent: int
    sample_seed: int
    network_seed: int
    epochs: int | None = None  # at most; None for as many as patience allows
    share: float = SHARE

    @property
    def key(self) -> str:
        """A name for files; it does not tell the number of epochs.

        >>> Network("xrs*", "grid", 1, 0, 2).key, Network("xrs", "grid", 1, 0, 2, share=0.05).key
        ('xrs-star1-grid-s0-n2', 'xrs1-k0.05-grid-s0-n2')
        """
        kind = f"{self.kind.replace('*', '-star')}{self.percent}"
        share = "" if self.share == SHARE else f"-k{self.share:g}"
        return f"{kind}{share}-{self.domain}-s{self.sample_seed}-n{self.network_seed}"

    @property
    def random_share(self) -> float:
        """The share of random states among the samples."""
        return RANDOM_SHARE if self.kind == HEURISTIC else 0.0

    def samples(self, task: GroundTask) -> Samples:
        """What it is trained with."""
        return samples_of(
            task,
            self.kind,
            self.percent,
            seed=self.sample_seed,
            share=self.share,
            random_share=self.random_share,
        )


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
    shares: Sequence[float] = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)  # k1 of XRS
    order: str = "plain"  # of searches with learned heuristics, or "rounded"
    initial_states: int = 50  # at most
    spaces: str = "paper"  # sizes of state spaces that are made

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Seeds of samples and of networks; (0, 0) is the first."""
        return [(s, n) for s in range(self.sample_seeds) for n in range(self.network_seeds)]

    def network(
        self, kind: str, percent: int, domain: str, pair: tuple[int, int], share: float = SHARE
    ) -> Network:
        """A network of the grid, whether it is to be trained or not."""
        sample_seed = 0 if kind == IDEAL else pair[0]
        return Network(kind, domain, percent, sample_seed, pair[1], self.epochs, share)

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

    Words behind it: `unboosted`; `k0.05`, another k1 of XRS; `any`, the highest output of all
    operators counts, applicable or not; `deepest`, only preferred successors, the deepest first.

    >>> Configuration.parse("h+xrs5-unboosted")[:4]
    ('h+xrs5-unboosted', 'h', 'xrs5', 0)
    >>> Configuration.parse("h+xrs1-k0.05-any")[4:]
    (0.05, 'any', None)
    """

    key: str
    heuristic: str
    preferred: str
    boost: int
    share: float = SHARE
    rule: str = APPLICABLE
    order: str | None = None  # None for that of the choice

    @classmethod
    def parse(cls, key: str) -> Configuration:
        """What a word means."""
        first, *words = key.split("-")
        heuristic, _, preferred = first.partition("+")
        found = cls(key, heuristic, preferred, 0 if "unboosted" in words else BOOST)
        if ANY in words:
            found = found._replace(rule=ANY)
        if DEEPEST in words:
            found = found._replace(order=DEEPEST, boost=ALWAYS)
        shares = [float(word[1:]) for word in words if re.fullmatch(r"k[\d.]+", word)]
        return found._replace(share=shares[0]) if shares else found

    @property
    def operators(self) -> tuple[str, int] | None:
        """Kind and percentage of the network for preferred operators, if there is one."""
        return sample_kind(self.preferred)

    def networks(self, choice: Choice, domain: str, pair: tuple[int, int]) -> dict[str, Network]:
        """The networks that it needs, by what they are for."""
        found = {}
        if self.heuristic == HEURISTIC:
            found["heuristic"] = choice.network(HEURISTIC, HEURISTIC_PERCENT, domain, pair)
        if self.operators is not None:
            found["operators"] = choice.network(*self.operators, domain, pair, self.share)
        return found


def training_works(wanted: Sequence[Network], data: Path, results: Path) -> dict[Network, Work]:
    """The records of all networks."""
    digests = {domain: task_digest(data, domain) for domain in {each.domain for each in wanted}}
    settings = {
        each: {**vars(each), "task": digests[each.domain], "random_share": each.random_share}
        for each in wanted
    }
    return records.training_works(settings, results, train_network, str(data), str(results))


def train_network(network: Network, data: str, results: str) -> Record:
    """Sample, train, and write the model file; what goes into the record."""
    from beeline.fitting.task_networks import TaskTraining, train_heuristic, train_operators
    from beeline.learning.learn_task import task_model

    task = space_task(data, network.domain)
    began = perf_counter()
    samples = network.samples(task)
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
        tasks = digest_of(initial_files(data, domain)[: choice.initial_states])
        for each in wanted:
            # Heuristics that are not learned are whole numbers anyway.
            order = each.order or (choice.order if each.heuristic == HEURISTIC else "plain")
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
                    "boost": each.boost,
                    "time_limit": TIME_LIMIT,
                    **({} if each.rule == APPLICABLE else {"rule": each.rule}),
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
        more["boost"] = configuration.boost
    tasks = initial_tasks(data, domain, initial_states)
    heuristic: Any = learned.get("heuristic", configuration.heuristic)
    began, found = perf_counter(), []
    for task in tasks:
        if configuration.preferred:
            more["preferred"] = learned.get("operators", configuration.preferred)
        if configuration.rule == ANY:
            more["preferred"] = any_operator(learned["operators"], task)
        if configuration.order == DEEPEST:
            heuristic = with_progress(configuration.heuristic, task)
        found.append(solve(task, "gbfs", heuristic, **more))
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


def with_progress(heuristic: str, task: GroundTask) -> Callable[[Any], Any]:
    """A heuristic by name, the initial state one higher: whatever comes next is progress.

    So the queue of preferred successors is boosted from the second expansion on. Of the initial
    state, which is alone in the queues, the value decides nothing.
    """
    from beeline.planning.heuristics import make_evaluator

    evaluator, initial = make_evaluator(heuristic, task), list[int]()

    def values(batch: Any) -> Any:
        initial.extend(batch.ids[:1].tolist() if not initial else ())
        return evaluator.evaluate(batch.states, batch.ids) + (batch.ids == initial[0])

    return values


def any_operator(model: Any, task: GroundTask) -> Any:
    """Preferred operators by the highest output of all: none where that one is not applicable."""
    from beeline.models.resnet.model import PreferringEvaluator

    class AnyOperator(PreferringEvaluator):
        def best(self, values: NDArray[np.float32], raw: NDArray[np.float32]) -> int | None:
            highest = int(values.argmax())
            return highest if values[highest] == raw.max() else None

    return AnyOperator(model, task)


@lru_cache(maxsize=1)  # searches in the same domain follow each other
def initial_tasks(data: str, domain: str, count: int) -> list[GroundTask]:
    """The tasks of the initial states, at most so many, with unit costs."""
    import beeline

    place, _ = task_files(Path(data), domain)
    files = initial_files(Path(data), domain)[:count]
    return [beeline.load(place, file, unit_costs=True) for file in files]
