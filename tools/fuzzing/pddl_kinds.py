"""Damaged PDDL files, odd random tasks, and damaged plans."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from model_tasks import training_recipes

from beeline.core.errors import BeelineError
from beeline.generators import domain_text, names
from fuzzing.findings import WrongAnswerError, WrongAnswersError
from fuzzing.mutations import (
    CHARACTERS,
    NUMBERS,
    mutated_bytes,
    mutated_lists,
    mutated_names,
    mutated_tokens,
)

if TYPE_CHECKING:
    import random

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TOKEN = r"\s+|[()]|[^\s()]+"
SPICE = (
    *("(", ")", "()", "(and)", "(or)", "(not (and))", "and", "or", "not", "forall", "exists"),
    *("when", "imply", "=", "?x", "?y", "?", "a", "b", "-", "either", "object", ";", "@reach-goal"),
    *("@goal-reached", "type@object", "increase", "decrease", "total-cost", "(total-cost)"),
    *(":action", ":parameters", ":precondition", ":effect", ":init", ":goal", ":types", ":derived"),
    *(":objects", ":constants", ":predicates", ":functions", ":metric", "minimize", "maximize"),
    *("(= ?x ?y)", "(= a a)", "(forall (?x) (and))", "(exists (?z - object) (= ?z ?z))", "define"),
    *("(either object object)", "(increase (total-cost) 1)", ":requirements", ":typing", "number"),
    *("(:metric minimize (total-cost))", "(= (total-cost) 0)", "(not (= ?x ?x))", "domain"),
)


def pddl_corpus() -> list[tuple[str, str]]:
    """Domains with small tasks: the examples, and one of each generator."""
    pairs = [
        ((folder / "domain.pddl").read_text(), (folder / "task.pddl").read_text())
        for folder in sorted(EXAMPLES.iterdir())
        if (folder / "task.pddl").exists()
    ]
    pairs += [(domain_text(name), training_recipes(name)[3].text()) for name in names()]
    return pairs


class PddlKind:
    """A domain and a task, of which one or both are damaged."""

    def __init__(self) -> None:
        from odd_tasks import OddTask

        self._corpus = pddl_corpus()
        self._odd_task = OddTask

    def make(self, rng: random.Random) -> dict[str, bytes]:
        """Texts from the corpus or odd ones, then some damages."""
        if rng.random() < 0.5:
            odd = self._odd_task(rng.randrange(10**6))
            texts = [odd.domain, odd.task]
        else:
            texts = list(rng.choice(self._corpus))
        if rng.random() < 0.8:  # damage to comments teaches little
            texts = [re.sub(";.*", "", text) for text in texts]
        which = rng.choice(((0,), (0,), (1,), (1,), (0, 1)))
        data = [text.encode() for text in texts]
        for each in which:
            data[each] = _damaged(rng, texts[each])
        return {"domain.pddl": data[0], "task.pddl": data[1]}

    def run(self, folder: Path, rng: random.Random) -> None:
        """Read, ground, show, search a little, and judge what is found."""
        import beeline
        from beeline.cli.tasks import describe, inspect
        from beeline.pddl import format_domain, format_problem

        files = str(folder / "domain.pddl"), str(folder / "task.pddl")
        task = beeline.load(*files, unit_costs=rng.random() < 0.2)
        problem = task.problem
        describe(task)
        if rng.random() < 0.2:
            inspect(*files, quiet=True, json=rng.random() < 0.5)
        written = beeline.parse_domain(format_domain(problem.domain))
        again = beeline.parse_problem(written, format_problem(problem))
        if (again.goal, again.init, again.objects) != (problem.goal, problem.init, problem.objects):
            raise WrongAnswerError("a task is another one after writing and reading")
        search = rng.choice(("gbfs", "astar", "bfs"))
        result = beeline.solve(task, search, max_expansions=100, time_limit=2.0)
        if result.plan is not None:
            verdict = beeline.validate(problem, result.plan, unit_costs=task.unit_costs)
            if verdict.cost != result.cost:
                raise WrongAnswerError(f"a plan of cost {result.cost} is judged {verdict}")
            if task.unsolvable_reason is not None:
                raise WrongAnswerError("a plan for a task that grounding calls unsolvable")


def _damaged(rng: random.Random, text: str) -> bytes:
    kinds = rng.choice(("names", "lists", "tokens", "names lists", "names lists tokens"))
    if "names" in kinds:
        text = mutated_names(rng, text, rng.choice((1, 2, 5)))
    if "lists" in kinds:
        for _ in range(rng.choice((1, 1, 2))):
            text = mutated_lists(rng, text)
    if "tokens" in kinds:
        text = mutated_tokens(rng, text, TOKEN, SPICE, rng.choice((1, 1, 2, 4)))
    if rng.random() < 0.02:
        text = "(" * rng.choice((50, 99, 101, 2000)) + text
    if rng.random() < 0.02:
        place = rng.randrange(len(text) + 1)
        text = text[:place] + rng.choice(CHARACTERS) * rng.choice((3, 1000)) + text[place:]
    data = text.encode("utf-8", "surrogatepass")
    return mutated_bytes(rng, data, rng.choice((1, 2))) if rng.random() < 0.05 else data


class TaskKind:
    """Odd tasks: everything that the package says of them is compared with a plain planner."""

    def __init__(self) -> None:
        self._corpus = [
            (re.sub(";.*", "", domain), re.sub(";.*", "", task)) for domain, task in pddl_corpus()
        ]

    def make(self, rng: random.Random) -> dict[str, bytes]:
        """A random task as it is, or another one with other names in some places."""
        from odd_tasks import OddTask

        odd = OddTask(rng.randrange(10**12))
        texts = [odd.domain, odd.task]
        refusable = b"yes" if odd.refusable else b"no"
        if rng.random() < 0.4:
            texts = texts if rng.random() < 0.5 else list(rng.choice(self._corpus))
            which = rng.randrange(2)
            for _ in range(rng.choice((1, 2))):
                texts[which] = mutated_names(rng, texts[which], rng.choice((0, 1, 3)))
                texts[which] = mutated_lists(rng, texts[which])
            refusable = b"perhaps"
        data = [text.encode() for text in texts]
        return {"domain.pddl": data[0], "task.pddl": data[1], "refusable": refusable}

    def run(self, folder: Path, rng: random.Random) -> None:
        """Compare."""
        from planner_comparison import disagreements

        texts = [(folder / name).read_text() for name in ("domain.pddl", "task.pddl")]
        word = (folder / "refusable").read_text()
        refusable = {"yes": True, "no": False, "perhaps": None}[word]
        faults = disagreements(*texts, seed=rng.randrange(10**6), refusable=refusable)
        if faults:
            raise WrongAnswersError("\n".join(faults))
        if faults is None:
            raise BeelineError("too large to be compared")


class PlanKind:
    """Plans of the examples, damaged, and judged."""

    def __init__(self) -> None:
        import beeline

        self._folders = [each for each in EXAMPLES.iterdir() if (each / "task.plan").exists()]
        self._folders.sort()
        self._problems = [
            beeline.read_problem(beeline.read_domain(each / "domain.pddl"), each / "task.pddl")
            for each in self._folders
        ]

    def make(self, rng: random.Random) -> dict[str, bytes]:
        """A plan file, and the number of its example."""
        number = rng.randrange(len(self._folders))
        text = (self._folders[number] / "task.plan").read_text()
        spice = ("(", ")", "()", ";", "; cost = 3", "[1]", "0:", "a", "(stack a b)", "@x", *NUMBERS)
        text = mutated_tokens(rng, text, TOKEN, spice, rng.choice((0, 1, 2, 5)))
        if rng.random() < 0.3:
            lines = text.splitlines(keepends=True)
            rng.shuffle(lines)
            text = "".join(lines)
        data = text.encode()
        if rng.random() < 0.5:
            data = mutated_bytes(rng, data, rng.choice((1, 2, 5)))
        return {"task.plan": data, "example": str(number).encode()}

    def run(self, folder: Path, rng: random.Random) -> None:
        """Read the plan and judge it, by the library and by the command."""
        import beeline
        from beeline.cli.tasks import validate

        number = int((folder / "example").read_text())
        plan = beeline.read_plan(folder / "task.plan")
        verdict = beeline.validate(self._problems[number], plan)
        beeline.write_plan(folder / "again.plan", plan, cost=verdict.cost)
        kept = tuple(step for step in plan if not step.name.startswith("@"))
        if tuple(beeline.read_plan(folder / "again.plan")) != kept:
            raise WrongAnswerError("a plan is another one after writing and reading")
        if rng.random() < 0.2:
            files = [str(self._folders[number] / name) for name in ("domain.pddl", "task.pddl")]
            options = {"json": rng.random() < 0.5, "quiet": True}
            validate(*files, str(folder / "task.plan"), **options)
