"""Rows 6 to 16 of the tables on heuristics optimised to rank: grids, published levels or generated
ones, networks over them, and searches up to a number of evaluations.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.evaluate.tables import Table, plain_table
from beeline.experiments import records
from beeline.experiments.chrestien2023 import trainings
from beeline.experiments.chrestien2023.experiment import column_titles, main_tables, training_table
from beeline.experiments.chrestien2023.runs import WORDS, coverage, search_all, tests_of
from beeline.experiments.chrestien2023.trainings import GRID_NETWORK, POLICY, TrainingRun
from beeline.experiments.records import TRAINING, VALIDATION, Place, Record, Work, known_records
from beeline.experiments.registry import grid, read_paper, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from beeline.data.task_sets import TaskSet

    Works = dict[tuple[TrainingRun, str], Work]  # of a network in a row, and a search

FOLDER = "chrestien2023/grids"
ROWS: dict[str, dict[str, Any]] = grid(FOLDER)["rows"]
TRAINING_WORDS: dict[str, dict[str, Any]] = grid(FOLDER)["training"]
DOMAINS = tuple(TRAINING_WORDS)
TRAINING_SEED, VALIDATION_SEED, TEST_SEED = 1, 2, 3
PLAN_EVALUATIONS = 400_000
PAPER_SIZES = "paper"
BASELINES = {
    "blind": {"search": "bfs"},
    "h_FF": {"search": "gbfs", "heuristic": "ff", "tie_breaking": "h,fifo"},
}


class Choice(NamedTuple):
    """Which part of the tables is wanted, and how large everything is.

    `test_tasks` and `evaluations`, the limit of a search, are those of Sokoban, mazes and tiles.
    """

    domains: Sequence[str] = tuple(ROWS)  # rows of the tables
    losses: Sequence[str] = trainings.LOSSES
    network: str = "small"  # a preset of sizes
    seeds: int = 2
    steps: int = 400
    learning_rate: float = 2e-3
    training_tasks: int = 200
    validation_tasks: int = 40
    test_tasks: Sequence[int] = (40, 10, 20)
    evaluations: Sequence[int] = (5000, 2000, 5000)
    task_sizes: str = PAPER_SIZES

    @property
    def kinds(self) -> list[str]:
        """What networks are trained for.

        >>> Choice(domains=("tiles-6", "sokoban-3", "sokoban-4")).kinds
        ['sokoban', 'tiles']
        """
        wanted = {ROWS[row]["domain"] for row in self.domains}
        return [domain for domain in DOMAINS if domain in wanted]

    def of(self, row: str) -> tuple[int, int]:
        """How many tests a row has, and how many evaluations a search."""
        place = DOMAINS.index(ROWS[row]["domain"])
        return self.test_tasks[place], self.evaluations[place]

    def runs(self) -> list[TrainingRun]:
        """All networks."""
        return [
            TrainingRun(domain, loss, self.network, seed, self.steps, self.learning_rate)
            for domain in self.kinds
            for seed in range(self.seeds)
            for loss in self.losses
        ]


CHOICE = Choice()


def generator_of(row: str) -> str:
    """The built-in domain of a row or of a training.

    >>> generator_of("sokoban-3"), generator_of("tiles")
    ('warehouse', 'npuzzle')
    """
    domain = ROWS[row]["domain"] if row in ROWS else row
    return str(TRAINING_WORDS[domain]["generator"])


def other_size(row: str, sizes: str) -> dict[str, Any] | None:
    """Parameters of levels in place of those of the paper, of a row or of a training.

    >>> other_size("maze-55", "small"), other_size("sokoban-4", "small")
    ({'size': 25}, None)
    """
    if sizes == PAPER_SIZES:
        return None
    domain = ROWS[row]["domain"] if row in ROWS else row
    chosen: dict[str, dict[str, Any]] = grid(FOLDER)["task_sizes"][sizes]
    return chosen.get(row, chosen.get(domain))


def task_texts(
    row: str, count: int, seed: int, sizes: str, data: Path | None
) -> Iterator[tuple[str, str]]:
    """Names and PDDL texts: levels of the file that the row names, if it is there, else made."""
    from beeline.generators import from_levels, instances

    words = ROWS[row] if row in ROWS else TRAINING_WORDS[row]
    if (other := other_size(row, sizes)) is not None:
        return iter(instances(generator_of(row), count=count, seed=seed, **other))
    file = None if data is None or "levels" not in words else data / words["levels"]
    if file is not None and file.is_file():
        texts = list(from_levels(generator_of(row), file))
        # Training and validation take different ends of one file.
        return iter(texts[-count:] if seed == VALIDATION_SEED else texts[:count])
    return iter(instances(generator_of(row), count=count, seed=seed, **words["parameters"]))


def write_tests(row: str, choice: Choice, place: Place) -> list[str]:
    """The files of a row's tests, the domain first; the same ones in every run."""
    from beeline.generators import domain_text

    folder = place.results / "tasks" / row
    folder.mkdir(parents=True, exist_ok=True)
    files = {"domain.pddl": domain_text(generator_of(row))}
    texts = task_texts(row, choice.of(row)[0], TEST_SEED, choice.task_sizes, place.data)
    files |= {f"{row}-{number:03d}.pddl": task for number, (_, task) in enumerate(texts)}
    for name, content in files.items():
        records.write_if_new(folder / name, content)
    return [str(folder / name) for name in files]


def training_set(domain: str, count: int, seed: int, sizes: str, place: Place) -> TaskSet:
    """Tasks to train with; those that A* with LM-cut cannot solve come with plans."""
    from beeline.data.task_sets import Source, TaskSet
    from beeline.generators import domain_text
    from beeline.pddl import parse_domain
    from beeline.pddl.model import domain_signature

    own = domain_text(generator_of(domain))
    sources, digests, words = [], {}, TRAINING_WORDS[domain].get("plans")
    for name, task in task_texts(domain, count, seed, sizes, place.data):
        plan = None
        if "plans" in TRAINING_WORDS[domain]:
            plan = _found_plan(domain, own, task)
            if plan is None:
                continue
        sources.append(Source(name, text=task, plan=plan))
        # By how plans are searched for: under a tight memory limit another search may find one.
        digests[name] = sha256(repr((task, words)).encode()).hexdigest()
    description = {"tasks": digests, "plans": "plans" in TRAINING_WORDS[domain]}
    return TaskSet(own, domain_signature(parse_domain(own)), tuple(sources), description)


def _found_plan(domain: str, domain_text: str, text: str) -> Any:
    import beeline
    from beeline.pddl import parse_domain, parse_problem

    task = beeline.ground(parse_problem(parse_domain(domain_text), text))
    for words in TRAINING_WORDS[domain]["plans"]:
        result = beeline.solve(task, **{"max_evaluations": PLAN_EVALUATIONS} | words)
        if result.plan is not None:
            return result.plan
    return None


def make_sets(choice: Choice, place: Place) -> None:
    """Make or complete the sets of states to train with, and to choose weights by."""
    from beeline.data.task_sets import PlanSettings

    counts = {TRAINING: choice.training_tasks, VALIDATION: choice.validation_tasks}
    for domain in choice.kinds:
        for part, seed in ((TRAINING, TRAINING_SEED), (VALIDATION, VALIDATION_SEED)):
            given = "plans" in TRAINING_WORDS[domain]
            settings = PlanSettings(
                splits=((part, 1.0),),
                siblings=True,
                unit_costs=True,
                optimal_plans=given,
                max_evaluations=PLAN_EVALUATIONS,
            )
            folder = trainings.set_folder(place.results, domain, part)
            if given and records.complete_manifest(folder) is not None:
                continue  # whose plans need not be found again
            tasks = training_set(domain, counts[part], seed, choice.task_sizes, place)
            records.make_set(tasks, settings, folder, f"plans of {domain}, {part}", place)


def search_works(choice: Choice, tests: Mapping[str, Sequence[str]], results: Path) -> Works:
    """Searches with all networks that are trained, in all rows of their domains."""
    return {
        (replace(run, domain=row), search): _work(
            f"{run.key}-{row}-{search}",
            WORDS[POLICY if run.variant.loss == POLICY else search],
            tests[row],
            run.key,
            choice.of(row)[1],
            results,
        )
        for run in trainings.trained(choice.runs(), results, GRID_NETWORK)
        for row in choice.domains
        if ROWS[row]["domain"] == run.domain
        for search in trainings.searches_of(run.loss)
    }


def baseline_works(
    choice: Choice, tests: Mapping[str, Sequence[str]], results: Path
) -> dict[tuple[str, str], Work]:
    """Searches without networks, by name and row."""
    return {
        (name, row): _work(f"{name}-{row}", words, tests[row], None, choice.of(row)[1], results)
        for name, words in BASELINES.items()
        for row in choice.domains
    }


def _work(
    name: str,
    words: Mapping[str, Any],
    files: Sequence[str],
    key: str | None,
    evaluations: int,
    results: Path,
) -> Work:
    model = None if key is None else records.model_path(results, key)
    settings = {
        "words": dict(words),
        "max_evaluations": evaluations,
        "tasks": records.digest_of(map(Path, files)),
        "model": None if model is None else records.digest_of([model]),
    }
    limits = {"max_evaluations": evaluations}
    arguments = (dict(words), tuple(map(Path, files)), model, limits)
    return Work(results / "search" / f"{name}.json", settings, search_all, arguments)


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """All records; all tables need the same."""
    results, tests = place.results, _tests(choice, place)
    make_sets(choice, place)
    yield list(baseline_works(choice, tests, results).values())
    yield list(trainings.training_works(choice.runs(), results, trainings.GRID_NETWORK).values())
    yield list(search_works(choice, tests, results).values())


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """The paper's table with our figures, then what stands behind it."""
    results, files = place.results, _tests(choice, place)
    tests = tests_of(known_records(search_works(choice, files, results)))
    alone = known_records(baseline_works(choice, files, results))
    training = trainings.trained(choice.runs(), results, trainings.GRID_NETWORK)
    easy = [
        row for (name, row), record in alone.items() if name == "blind" and all(record["solved"])
    ]
    titles = column_titles(choice.losses)
    return [
        *main_tables(FOLDER, table, tests, titles, choice.domains, _note(choice, place), easy),
        baseline_table(alone, choice.domains),
        training_table([*training.values()], choice.losses, "", choice.kinds),
    ]


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    published = [
        row
        for row in choice.domains
        if "levels" in ROWS[row] and other_size(row, choice.task_sizes) is None
    ]
    name = "tasks_given" if given and published else "tasks_made"
    return text(FOLDER, name, rows=", ".join(published))


def _tests(choice: Choice, place: Place) -> dict[str, list[str]]:
    return {row: write_tests(row, choice, place) for row in choice.domains}


def _note(choice: Choice, place: Place) -> str:
    limits = "; ".join(
        f"{row} {choice.of(row)[0]} tests, {choice.of(row)[1]:,} evaluations"
        for row in choice.domains
    )
    tasks = tasks_text(choice, given=place.data is not None)
    sizes = {each: other_size(each, choice.task_sizes) for each in (*choice.kinds, *choice.domains)}
    others = "; ".join(
        f"{each} {' '.join(f'{key}={value}' for key, value in size.items())}"
        for each, size in sizes.items()
        if size is not None
    )
    return text(
        FOLDER,
        "note",
        choice=choice,
        paper=read_paper(FOLDER),
        tasks=tasks,
        limits=limits,
        other_sizes=text(FOLDER, "other_sizes", sizes=others) if others else "",
    )


def baseline_table(records: Mapping[tuple[str, str], Record], rows: Sequence[str]) -> Table:
    """Solved tasks, expansions and lengths without networks, within the same limits."""
    lines: list[list[object]] = []
    planners = read_paper(FOLDER)["planners"]
    for row in rows:
        line: list[object] = [row]
        for name in BASELINES:
            record = records.get((name, row))
            if record is None:
                line += [None, None, None]
                continue
            solved = [place for place, success in enumerate(record["solved"]) if success]
            line.append(coverage(record))
            for what in ("expanded", "length"):
                values = [record[what][place] for place in solved]
                line.append(fmean(values) if values else None)
        lines.append([*line, *(planners[name].get(row) for name in planners)])
    header = ["row"]
    for name in BASELINES:
        words = "breadth-first search" if name == "blind" else f"GBFS, {name}"
        header += [f"{words}: solved, %", "expanded", "length"]
    header += [f"paper: {name}, %" for name in planners]
    title = "Without networks, within the same limits; the paper's planners had 600 s"
    return plain_table("5", title, "", header, lines)
