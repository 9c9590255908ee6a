"""Samples of state spaces: how they are drawn, and what the paper tells of them.

A state space is FOLDER/DOMAIN/{domain,task}.pddl.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.experiments import records
from beeline.experiments.figures import Figure, figure
from beeline.experiments.minini2023.readings import READINGS, both_operators
from beeline.experiments.records import Work, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from beeline.data.regression import Rows
    from beeline.experiments.records import Record
    from beeline.task.ground_task import GroundTask

DOMAINS = ("blocks", "grid", "npuzzle", "rovers", "scanalyzer", "transport", "visitall")
HEURISTIC, XRS, FSM, IDEAL, PERFECT, OWN = "h", "xrs", "fsm", "ideal", "xrs*", "own"
KINDS = (HEURISTIC, XRS, FSM, IDEAL, PERFECT, OWN)
# Of samples that are completed to the same state: with perfect distances all are nearest.
EQUAL_STATES = {PERFECT: "all", OWN: "own"}
HEURISTIC_PERCENT = 1
RANDOM_SHARE = 0.2  # of the samples for the heuristic
SHARE = 0.1  # of the samples that come breadth-first: k1 of XRS, p of FSM


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
    """A short name for what is in the files of a state space; an error if there are none."""
    for path in task_files(data, domain):
        if not path.is_file():
            raise records.no_such_file(path)
    return digest_of(task_files(data, domain))


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
