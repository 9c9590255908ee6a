"""State spaces and their samples: how they are made and drawn, and what the paper tells of them.

FOLDER/DOMAIN/{domain,task}.pddl is a state space, FOLDER/DOMAIN/init/*.pddl the same task with
other initial states. Those who have not got the paper's get spaces of our own, whose initial states
are drawn from all that can be reached and from which the goal can be.

A partial state stands for many states, and so its perfect distance is open: there are two readings
of po^G*, a variant of po^G. Preferred operators of a sample are then those that lead to a sample
one step nearer to the goal (definition 13).
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.core.errors import BeelineError
from beeline.core.files import write_atomically
from beeline.experiments import records
from beeline.experiments.figures import Figure, figure
from beeline.experiments.records import Work, digest_of
from beeline.experiments.registry import grid
from beeline.generators.registry import Recipe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from beeline.data.regression import Rows
    from beeline.experiments.records import Record
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]

DOMAINS = ("blocks", "grid", "npuzzle", "rovers", "scanalyzer", "transport", "visitall")
HEURISTIC, XRS, FSM, IDEAL, PERFECT, OWN = "h", "xrs", "fsm", "ideal", "xrs*", "own"
KINDS = (HEURISTIC, XRS, FSM, IDEAL, PERFECT, OWN)
# Of samples that are completed to the same state: with perfect distances all are nearest.
EQUAL_STATES = {PERFECT: "all", OWN: "own"}
HEURISTIC_PERCENT = 1
RANDOM_SHARE = 0.2  # of the samples for the heuristic
SHARE = 0.1  # of the samples that come breadth-first: k1 of XRS, p of FSM
MATCHING, BACKWARD = "matching", "backward"
READINGS = (MATCHING, BACKWARD)
MOST_BACKWARD = 1_000_000  # partial states; of larger backward spaces nothing is told
UNKNOWN = 2**40  # a distance from the goal that no state has
GENERATORS = {"blocks": "blocksworld"}  # where the names differ
SEED = 1  # of the tasks
INITIAL_SEED = 0  # of the initial states
SPACES = grid("minini2023")["spaces"]


def sample_kind(word: str) -> tuple[str, int] | None:
    """A kind of samples and how many percent of the state space, if the word says so.

    >>> sample_kind("xrs*1"), sample_kind("fsm20"), sample_kind("ff")
    (('xrs*', 1), ('fsm', 20), None)
    """
    kinds = "|".join(map(re.escape, (*KINDS, *READINGS)))
    match = re.fullmatch(rf"({kinds})(\d+)", word)
    return None if match is None else (match[1], int(match[2]))


class Samples(NamedTuple):
    """What a network is trained with."""

    partial: NDArray[np.int32]  # [n, variables]
    facts: NDArray[np.uint8]  # [n, facts]
    costs: NDArray[np.int64]  # [n], cost-to-go
    preferred: Rows
    summary: dict[str, Any]


def samples_of(
    task: GroundTask,
    kind: str,
    percent: float,
    *,
    seed: int = 0,
    share: float = SHARE,
    random_share: float = 0.0,
    improve: bool = True,
) -> Samples:
    """Samples of a size and kind; those of one percent take a second."""
    from beeline.data.regression import facts_of, regression_samples
    from beeline.data.regression_settings import RegressionSettings, share_of_states
    from beeline.data.state_spaces import enumerate_states, state_space_samples

    if kind == IDEAL:
        space = state_space_samples(task)
        return Samples(
            space.values, facts_of(task, space.values), space.h_star, space.ideal, space.summary()
        )
    settings = RegressionSettings(
        share_of_states(len(enumerate_states(task)), percent),
        "fsm" if kind in (HEURISTIC, FSM) else "xrs",
        share=share,
        random_share=random_share,
        equal_states=EQUAL_STATES.get(kind, "nearest"),
        seed=seed,
        improve=improve,
        unit_costs=True,
    )
    found = regression_samples(task, settings)
    facts, summary = facts_of(task, found.values), found.summary()
    return Samples(found.partial, facts, found.estimates, found.preferred, summary)


def task_digest(data: Path, domain: str) -> str:
    """A short name for what is in the files of a state space, if they are there."""
    files = task_files(data, domain)
    return digest_of(files) if all(file.is_file() for file in files) else records.NOT_MADE


def check_data(data: Path, domains: Iterable[str], *, searched: bool) -> None:
    """An error if a folder of state spaces lacks one, or initial states that are searched from."""
    for domain in domains:
        for path in task_files(data, domain):
            if not path.is_file():
                raise records.no_such_file(path)
        if searched and not initial_files(data, domain):
            folder, hint = data / domain / "init", "such as init/01.pddl"
            raise BeelineError("there are no initial states", str(folder), hint=hint)


def initial_files(data: Path, domain: str) -> list[Path]:
    """The files of the initial states of a state space."""
    return sorted((data / domain / "init").glob("*.pddl"))


def task_files(data: Path, domain: str) -> tuple[Path, Path]:
    """The domain and the task whose state space is sampled."""
    return data / domain / "domain.pddl", data / domain / "task.pddl"


@lru_cache(maxsize=2)
def space_task(data: str, domain: str) -> GroundTask:
    """The task whose state space is sampled, with unit costs."""
    import beeline

    return beeline.load(*task_files(Path(data), domain), unit_costs=True)


class Draw(NamedTuple):
    """A set of samples to look at, without any network."""

    column: str  # such as `xrs5`
    domain: str
    seed: int


def sample_works(draws: Iterable[Draw], data: Path, results: Path) -> dict[Draw, Work]:
    """The records of sets of samples; columns that are none are values of the records."""
    listed = list(draws)
    wanted = [draw for draw in listed if sample_kind(draw.column)]
    needs = tuple(dict.fromkeys(draw.column for draw in listed if not sample_kind(draw.column)))
    if not wanted:  # values of the state space alone
        wanted = list(dict.fromkeys(draw._replace(column=f"{XRS}1", seed=0) for draw in listed))
    digests = {domain: task_digest(data, domain) for domain in {each.domain for each in wanted}}
    works = {}
    for draw in wanted:
        name = f"{draw.column.replace('*', '-star')}-{draw.domain}-s{draw.seed}.json"
        settings = {**draw._asdict(), "share": SHARE, "task": digests[draw.domain]}
        path = results / "samples" / name
        works[draw] = Work(path, settings, look_at, (draw, str(data)), needs=needs)
    return works


def look_at(draw: Draw, data: str) -> Record:
    """Draw samples; what goes into the record: their figures, and those of the state space.

    `equal_operators` is the percentage of samples that have the same preferred operators with
    perfect distances as without, and `within` that of the others whose operators without them are
    among those with them.
    """
    from beeline.data.state_spaces import enumerate_states

    kind = sample_kind(draw.column)
    assert kind is not None
    task = space_task(data, draw.domain)
    usual = XRS if kind[0] in READINGS else kind[0]
    found = samples_of(task, usual, kind[1], seed=draw.seed)
    more: dict[str, float | None] = {}
    if kind[0] == PERFECT:
        plain = samples_of(task, XRS, kind[1], seed=draw.seed)
        more = _compared(plain.preferred, found.preferred)
    elif kind[0] in READINGS:
        more = _compared(*both_operators(task, found.partial, kind[0]))
    summary, space = found.summary, enumerate_states(task)
    return {
        "line": f"{summary['samples']:,} samples, {summary['mean_preferred']:.2f} operators each",
        **summary,
        "d_star": space.largest_distance,
        "states": len(space),
        "facts": task.num_facts,
        "operators": task.num_operators,
        "distinct_percent": 100 * summary["distinct_share"],
        **more,
    }


def _compared(without: Rows, with_them: Rows) -> dict[str, float | None]:
    """How many samples have equal operators, and how many others have more with perfect ones."""
    one, other = _sets(without), _sets(with_them)
    if len(one) != len(other):
        return {}
    differ = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    within = sum(fewer <= more for fewer, more in differ)
    return {
        "equal_operators": 100 * (1 - len(differ) / len(one)),
        "within": 100 * within / len(differ) if differ else None,
    }


def _sets(rows: Rows) -> list[frozenset[int]]:
    starts, items = (each.tolist() for each in rows)
    return [frozenset(items[first:last]) for first, last in pairwise(starts)]


def sample_figures(
    records: Mapping[Draw, Record], columns: Sequence[str], measure: str
) -> dict[str, dict[str, Figure]]:
    """Means over seeds of a value of the records, by column and domain.

    A column that is no kind of samples, such as `d_star`, is a value that all records share.
    """
    found: dict[str, dict[str, Figure]] = {}
    for column in columns:
        name = measure if sample_kind(column) else column
        own = [draw for draw in records if sample_kind(column) is None or draw.column == column]
        for domain in dict.fromkeys(draw.domain for draw in own):
            values = [records[draw].get(name) for draw in own if draw.domain == domain]
            known = [value for value in values if value is not None]
            if known:
                shared = Figure(known[0]) if name == column else figure(known)
                found.setdefault(column, {})[domain] = shared
    return found


def both_operators(task: GroundTask, partial: NDArray[np.int32], reading: str) -> tuple[Rows, Rows]:
    """Preferred operators of different partial states, without perfect distances and with them.

    Where a reading can tell nothing of the task, there are no rows with them.
    """
    from beeline import _native

    states = _native.PartialStates(task.native)
    ids = np.unique(states.insert(partial))
    graph = _native.SampleGraph(states, ids)
    discovered = graph.improved(np.where(ids == states.goal, 0, UNKNOWN).astype(np.int64))
    values = states.values(ids)
    perfect = _matching(task, values) if reading == MATCHING else _backward(task, values)
    nothing = (np.zeros(1, np.int64), np.zeros(0, np.int32))
    return graph.preferred(discovered), nothing if perfect is None else graph.preferred(perfect)


def _matching(task: GroundTask, partial: NDArray[np.int32]) -> Ints:
    """The smallest distance of a state that has all values of a partial state."""
    from beeline.data.state_spaces import enumerate_states

    space = enumerate_states(task)
    distances = np.where(np.asarray(space.distances) < 0, UNKNOWN, space.distances)
    values = space.values(np.arange(len(space), dtype=np.uint32))
    # A state and a partial state match if sums of random numbers over the defined values do.
    words = np.random.default_rng(0).integers(0, 2**62, int(values.max()) + 1, dtype=np.int64)
    whole, defined = words[values], partial >= 0
    keys = np.where(defined, words[np.maximum(partial, 0)], 0).sum(axis=1)
    masks, kinds = np.unique(defined, axis=0, return_inverse=True)
    found = np.full(len(partial), UNKNOWN, np.int64)
    for number, mask in enumerate(masks):
        rows = np.flatnonzero(kinds.ravel() == number)
        known, places = np.unique(keys[rows], return_inverse=True)
        sums = whole[:, mask].sum(axis=1)
        at = np.minimum(np.searchsorted(known, sums), len(known) - 1)
        hits = known[at] == sums
        best = np.full(len(known), UNKNOWN, np.int64)
        np.minimum.at(best, at[hits], distances[hits])
        found[rows] = best[places]
    return found


def _backward(task: GroundTask, partial: NDArray[np.int32]) -> Ints | None:
    """The distance in the backward state space, breadth-first; None if that is too large."""
    from beeline import _native

    states = _native.PartialStates(task.native)
    met, steps, _ = states.sample("breadth-first", MOST_BACKWARD)
    if len(met) == MOST_BACKWARD:
        return None
    ids = states.insert(partial)
    distances = np.full(len(states), UNKNOWN, np.int64)
    distances[met] = steps
    found: Ints = distances[ids]
    return found


def make_spaces(
    folder: Path, domains: Sequence[str], sizes: str, count: int, say: Callable[[str], None]
) -> None:
    """Write the tasks of these domains with so many initial states, those that are missing."""
    for domain in domains:
        place = folder / domain
        recipe = Recipe.make(GENERATORS.get(domain, domain), SPACES[sizes][domain], seed=SEED)
        task, last = place / "task.pddl", place / "init" / f"{count - 1:02d}.pddl"
        if not last.is_file() or not task.is_file() or task.read_text() != recipe.text():
            place.joinpath("init").mkdir(parents=True, exist_ok=True)
            states = _write(place, recipe, count)
            say(f"made {domain}, {states:,} states")


def _write(place: Path, recipe: Recipe, count: int) -> int:
    """Write one state space, the task last; how many states it has."""

    from beeline.data.regression import true_facts
    from beeline.data.state_spaces import enumerate_states
    from beeline.generators import domain_text
    from beeline.pddl import parse_domain, parse_problem
    from beeline.pddl.writer import format_problem
    from beeline.task.grounding import ground

    lifted = parse_domain(domain_text(recipe.domain))
    problem = parse_problem(lifted, recipe.text(), recipe.task_name)
    task = ground(problem, unit_costs=True)
    space = enumerate_states(task)
    alive = np.flatnonzero(np.asarray(space.distances) > 0)
    # With more initial states, the first ones stay the same.
    chosen = np.random.default_rng(INITIAL_SEED).permutation(alive)[:count].astype(np.uint32)
    starts, items = true_facts(task, space.values(chosen))
    names = task.fact_names
    static = [fact for fact in problem.init if task.fact_id(f"({' '.join(fact)})") is None]
    for old in place.joinpath("init").glob("*.pddl"):
        old.unlink()
    write_atomically(place / "domain.pddl", domain_text(recipe.domain))
    for number, (first, last) in enumerate(pairwise(starts.tolist())):
        facts = [tuple(names[fact].strip("()").split()) for fact in items[first:last]]
        problem.init = [*static, *facts]
        problem.name = f"{recipe.task_name}-from-{number:02d}"
        write_atomically(place / "init" / f"{number:02d}.pddl", format_problem(problem))
    write_atomically(place / "task.pddl", recipe.text())
    return len(space)
