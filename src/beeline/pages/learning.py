"""How learning went, as a page like those of reports: tasks, rounds and candidates, or curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline._version import __version__
from beeline.evaluate.drawing import draw, look
from beeline.evaluate.model_plots import curve_plots
from beeline.evaluate.record_reading import Curve
from beeline.evaluate.report import Part, page
from beeline.evaluate.tables import Cell, plain_table
from beeline.fitting.logs import CSV_NAME, STEP, read_log
from beeline.models.training_words import examined, learned_from

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from beeline.evaluate.drawing import Plot
    from beeline.evaluate.tables import Table
    from beeline.learning.selection import Diary, Round, Score
    from beeline.planning.model import Model

SHOWN_FEATURES = 20
SHOWN_CANDIDATES = 100


def learning_page(model: Model, diary: Diary, warnings: Sequence[str] = ()) -> str:
    """The page of `learn`, from the diary that it has filled."""
    return _page(
        model,
        [
            Part("rounds", "Rounds", [_round_table(diary.rounds)], _round_plots(diary.rounds)),
            Part("candidates", "Candidates", [_candidate_table(diary.rounds)]),
            Part("tasks", "Tasks", [_task_table(diary)]),
        ],
        warnings,
    )


def training_page(model: Model, folder: Path, warnings: Sequence[str] = ()) -> str:
    """The page of `train`, from the logs in its folder."""
    curves = []
    for entry in model.summary["seeds"]:
        columns = read_log(folder / f"seed-{entry['seed']}" / CSV_NAME)
        steps = tuple(columns.pop(STEP))
        values = {name.replace("_", " "): tuple(each) for name, each in columns.items()}
        name = f"seed {entry['seed']}"
        curves.append(Curve(CSV_NAME, name, model.domain_name, entry["seed"], steps, values))
    chosen = str(model.summary["selected_by"])
    seeds = plain_table(
        "seeds",
        "Seeds",
        f"The weights with the smallest {chosen} on validation states become the model.",
        ("seed", chosen),
        [(str(entry["seed"]), entry[chosen]) for entry in model.summary["seeds"]],
    )
    plots = curve_plots(curves, [curve.configuration for curve in curves])
    return _page(model, [Part("curves", "Curves", [seeds], plots)], warnings)


def _page(model: Model, parts: Sequence[Part], warnings: Sequence[str]) -> str:
    told = model.describe(SHOWN_FEATURES)
    rows = [(line[:13].strip(), line[13:].strip()) for line in model.lines(0, legend=False)]
    features = plain_table(
        "features",
        "Strongest features",
        "; ".join(told.get("reading", [])),
        ("weight", "the number of"),
        [(each["weight"], str(each["words"])) for each in told.get("top", [])],
    )
    about = Part(
        "model",
        "Model",
        [features] if features.rows else [],
        definitions=[[row for row in rows if row[0] and not row[0].startswith("weight")]],
    )
    summary = "; ".join(filter(None, (learned_from(model.summary), examined(model.summary))))
    title = f"Learning in {model.domain_name}"
    return page(title, summary, [*parts, about], warnings=warnings, version=__version__)


def _solved(score: Score) -> Cell:
    return Cell(f"{score.solved} of {score.tasks}", score.solved / max(1, score.tasks))


def _best(round_: Round) -> Score:
    scores = (trial.score for trial in round_.trials)
    return min(scores, key=lambda score: (-score.solved, score.effort))


def _round_table(rounds: Sequence[Round]) -> Table:
    rows: list[list[Any]] = []
    for number, each in enumerate(rounds, 1):
        best = _best(each)
        means = (best.expansions, best.length) if best.solved else (None, None)
        rows.append([number, each.phase, len(each.trials), _solved(best), *means])
    return plain_table(
        "rounds",
        "What was tried, in order",
        "Models plan in tasks that they have not learned from, unless plans are improved. Those"
        " that do best go on to more and harder ones: rounds cannot be compared. Solved, expansions"
        " and steps are those of the best model, means are geometric over the tasks it solved.",
        ("round", "what for", "models", "solved by the best", "expansions", "steps"),
        rows,
    )


def _round_plots(rounds: Sequence[Round]) -> list[Plot]:
    if not rounds:
        return []

    def paint(axes: Any) -> None:
        places = range(1, len(rounds) + 1)
        shares = [
            [100 * trial.score.solved / max(1, trial.score.tasks) for trial in each.trials]
            for each in rounds
        ]
        cloud = [
            (place, share) for place, each in zip(places, shares, strict=True) for share in each
        ]
        style = {**look(1), "linestyle": "", "alpha": 0.25, "markersize": 4}
        axes.plot(*zip(*cloud, strict=True), **style, label="a model")
        axes.plot(places, list(map(max, shares)), **look(0), label="the best one")
        axes.set(xlabel="round", ylabel="tasks solved, %", ylim=(-4, 104))

    words = "Each round has tasks of its own."
    return [draw("solved", "Tasks solved in each round", words, paint)]


def _candidate_table(rounds: Sequence[Round]) -> Table:
    """Each candidate once, with its last round; those that came furthest first."""
    last: dict[tuple[str, str], tuple[int, Any]] = {}
    for number, each in enumerate(rounds, 1):
        for trial in each.trials:
            last[trial.words, trial.style] = number, trial
    order = sorted(
        last.values(), key=lambda item: (-item[0], -item[1].score.solved, item[1].score.effort)
    )
    rows = []
    for number, trial in order[:SHOWN_CANDIDATES]:
        score = trial.score
        means = (score.expansions, score.length) if score.solved else (None, None)
        rows.append([trial.words, trial.style, trial.features, number, _solved(score), *means])
    more = f" Shown are {SHOWN_CANDIDATES} of {len(last)}." if len(last) > SHOWN_CANDIDATES else ""
    return plain_table(
        "candidates",
        "What was made, and how it did",
        f"As in the last round that each of them came to.{more}",
        ("candidate", "style", "features", "last round", "solved", "expansions", "steps"),
        rows,
    )


def _task_table(diary: Diary) -> Table:
    return plain_table(
        "tasks",
        "What was learned from",
        "Plans are optimal, or the best that were found.",
        ("task", "facts", "operators", "plan", "cost", "found by"),
        [
            [
                task.name,
                task.facts,
                task.operators,
                None if task.plan is None else len(task.plan),
                task.cost,
                f"{task.source or 'nobody'}{', optimal' if task.optimal else ''}",
            ]
            for task in diary.tasks
        ],
    )
