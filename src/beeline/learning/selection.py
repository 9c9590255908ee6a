"""The best of many models, found by planning: successive halving on more and more tasks.

Training loss does not predict how a search fares, so models are compared by what counts: tasks
solved, then effort. Most meet a few tasks only; the best of them meet more, with higher
limits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from beeline.learning.trials import Outcome, TrialJob, score_of, try_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.learned.model import Model
    from beeline.learning.experience import Experience
    from beeline.learning.fitting import Contender
    from beeline.learning.plans import PlannedTask
    from beeline.learning.trials import Score

    Ranked = list[tuple[Contender, Score]]
Item = TypeVar("Item")

MARGIN = 0.05  # efforts that differ by less are equal, and the simpler model wins


class Rung(NamedTuple):
    """A step of the ladder: how many tasks, their limits, and how many models go on.

    `share` is the part of the held-out tasks that they come from, the smaller ones: where even
    these are hard, larger ones would tell nothing.
    """

    share: float
    tasks: int
    max_expansions: int
    max_evaluations: int
    keep: int

    def chosen(self, held_out: Sequence[PlannedTask]) -> list[PlannedTask]:
        """The tasks of this rung."""
        return spread(held_out[: math.ceil(self.share * len(held_out))], self.tasks)


LADDER = (
    Rung(0.35, 3, 400, 10_000, 16),
    Rung(0.7, 8, 1000, 30_000, 5),
    Rung(1.0, 20, 4000, 100_000, 3),
)


def climb(
    experience: Experience,
    contenders: Sequence[Contender],
    *,
    ladder: Sequence[Rung] = LADDER,
    phase: str,
) -> Ranked:
    """Those that reach the top of the ladder, best first; earlier ones win ties."""
    alive = list(contenders)
    ranked: Ranked = []
    for number, rung in enumerate(ladder):
        if len(alive) <= rung.keep and number < len(ladder) - 1:
            continue
        tasks = rung.chosen(experience.held_out)
        models = [contender.model for contender in alive]
        found = outcomes(experience, models, tasks, rung, f"{phase} ({len(alive)} models)")
        scores = [score_of(model, row) for model, row in zip(models, found, strict=True)]
        ranked = ranking(_without_twins(list(zip(alive, scores, strict=True))))[: rung.keep]
        survivors = {id(contender) for contender, _ in ranked}
        alive = [contender for contender in alive if id(contender) in survivors]
    return ranked


def outcomes(
    experience: Experience,
    models: Sequence[Model],
    tasks: Sequence[PlannedTask],
    rung: Rung,
    phase: str,
) -> list[list[Outcome]]:
    """For each model its outcomes in these tasks; a worker that died has solved nothing."""
    jobs = [
        TrialJob(
            experience.training.domain_text,
            task.name,
            task.text,
            experience.settings.unit_costs,
            tuple(models),
            rung.max_expansions,
            rung.max_evaluations,
            experience.memory_limit,
        )
        for task in reversed(tasks)  # large ones first, so that no worker waits at the end
    ]
    nothing = [Outcome(rung.max_expansions, rung.max_evaluations)] * len(models)
    by_task = [each or nothing for each in experience.workshop.run(phase, try_out, jobs)]
    return [list(column) for column in zip(*reversed(by_task), strict=True)]


def ranking(scored: Ranked) -> Ranked:
    """Best first; of models within a margin of the best one, the first comes first."""
    left = list(scored)
    ranked = []
    while left:
        top = min((score for _, score in left), key=lambda each: (-each.solved, each.effort))
        first = next(pair for pair in left if not top.is_better_than(pair[1], MARGIN))
        ranked.append(first)
        left.remove(first)
    return ranked


def _without_twins(scored: Ranked) -> Ranked:
    """Without contenders whose style made no difference to an earlier one of the same candidate."""
    first: dict[object, tuple[Contender, Score]] = {}
    for contender, score in scored:
        first.setdefault((contender.candidate, score), (contender, score))
    return list(first.values())


def spread(items: Sequence[Item], count: int) -> list[Item]:
    """So many items at even distances, the last one among them.

    >>> spread(range(10), 4), spread(range(3), 4)
    ([0, 3, 6, 9], [0, 1, 2])
    """
    if count >= len(items):
        return list(items)
    if count == 1:
        return [items[-1]]
    return [items[place * (len(items) - 1) // (count - 1)] for place in range(count)]
