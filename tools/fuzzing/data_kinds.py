"""Damaged datasets, records of runs, and suites."""

from __future__ import annotations

import json
import re
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from fuzzing.corpus import made_in_a_child
from fuzzing.mutations import NUMBERS, mutated_bytes, mutated_tokens, mutated_value

if TYPE_CHECKING:
    import random

TOML_TOKEN = r"\s+|\[\[|\]\]|[\[\]{}=,]|\"[^\"\n]*\"|[^\s\[\]{}=,\"]+|\""
SUITE = """name = "tiny"
description = "all kinds of entries"
seeds = [0, 1]

[limits]
time = 5
memory = "1GB"
evaluations = 1000

[[tasks]]
domain = "tasks/domain.pddl"
tasks = "tasks"

[[tasks]]
generator = "ferry"
preset = "easy"
count = 2
seeds = [3]

[[tasks]]
generator = "blocksworld"
parameters = { blocks = 4 }
count = 1
unit_costs = true

[[configurations]]
name = "ff"
search = "gbfs"
heuristic = "ff"
preferred = "ff"
boost = 10

[[configurations]]
name = "optimal"
search = "astar"
heuristic = "lmcut"

[[configurations]]
name = "learned"
model = "packaged:{domain}"
domains = ["ferry"]
fallback = false
"""
SUITE_SPICE = (
    *('"ff"', '"astar"', '"gbfs"', '"auto"', '"ferry"', '"tasks"', '""', "true", "false", "[]"),
    *("{}", '["ff", "add"]', "=", "[[", "]]", "[", "]", ",", "#", "model", "search", "heuristic"),
    *("weight", "alpha", "tie_breaking", "generator", "preset", "count", "seed", "batch", "bound"),
    *('"/nowhere"', '".."', '"a/b"', '"é"', "1979-05-27", '"""', "name", "[[tasks]]", "[limits]"),
    *("[[configurations]]", "anytime", "deferred", "unit_costs", '"h,random"', '"4 GB"', "time"),
)


class DatasetKind:
    """A dataset of plans or of a state space, with a damaged manifest or shard."""

    def __init__(self) -> None:
        files = made_in_a_child(_datasets, "datasets")
        self._sets = {
            name: {
                path.split("/", 1)[1]: content
                for path, content in files.items()
                if path.startswith(f"{name}/")
            }
            for name in sorted({path.split("/")[0] for path in files})
        }

    def make(self, rng: random.Random) -> dict[str, bytes]:
        """All files of a set, one of them damaged; its digest mostly fits the damage."""
        files = dict(self._sets[rng.choice(list(self._sets))])
        name = rng.choice(["manifest.json", *files])
        if name != "manifest.json":
            files[name] = mutated_bytes(rng, files[name], rng.choice((1, 1, 3)))
            if rng.random() < 0.9:
                manifest = json.loads(files["manifest.json"])
                manifest["digests"][name] = sha256(files[name]).hexdigest()
                files["manifest.json"] = json.dumps(manifest, indent=1).encode()
        elif rng.random() < 0.2:
            files[name] = mutated_bytes(rng, files[name], rng.choice((1, 3)))
        else:
            content = mutated_value(rng, json.loads(files[name]))
            files[name] = json.dumps(content).encode("utf-8", "backslashreplace")
        if rng.random() < 0.05:
            del files[rng.choice(list(files))]
        return files

    def run(self, folder: Path, rng: random.Random) -> None:
        """Read everything, and show the summary."""
        import contextlib
        import io

        import beeline
        from beeline.cli.data_plans import summary

        dataset = beeline.Dataset(folder, unfinished=rng.random() < 0.2)
        repr(dataset)
        for _ in dataset.instances():
            pass
        for _ in dataset.states():
            pass
        with contextlib.redirect_stderr(io.StringIO()):  # where it says what a poor set lacks
            summary(str(folder), json=rng.random() < 0.5)


def _datasets() -> dict[str, bytes]:
    from small_sets import make_set, write_tasks

    from beeline.cli.data_samples import regression, statespace

    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        tasks = write_tasks(root / "tasks", count=3, blocks=3)
        make_set(tasks, root / "sets" / "plans", siblings=True)
        make_set(tasks, root / "sets" / "orders", siblings=True, orders=2)
        options = {"output": str(root / "sets" / "space"), "quiet": True}
        statespace(tasks[0], tasks[1], **options)
        options = {"output": str(root / "sets" / "regression"), "quiet": True, "count": 20}
        regression(tasks[0], [tasks[1]], **options)
        paths = sorted(path for path in (root / "sets").rglob("*") if path.is_file())
        return {str(path.relative_to(root / "sets")): path.read_bytes() for path in paths}


class RecordKind:
    """A folder of records of runs, of which one is damaged; now and then two."""

    def __init__(self) -> None:
        from report_records import write_records

        with tempfile.TemporaryDirectory() as name:
            folder = write_records(Path(name), tasks=1, seeds=1)
            self._files = {
                str(path.relative_to(folder)): path.read_bytes()
                for path in sorted(folder.rglob("*.json"))
            }

    def make(self, rng: random.Random) -> dict[str, bytes]:
        """All records, with damage."""
        files = dict(self._files)
        for _ in range(rng.choice((1, 1, 1, 2))):
            name = rng.choice(list(files))
            if rng.random() < 0.2:
                files[name] = mutated_bytes(rng, files[name], rng.choice((1, 3)))
                continue
            try:
                content = mutated_value(rng, json.loads(files[name]))
            except (ValueError, RecursionError):
                continue
            files[name] = json.dumps(content).encode("utf-8", "backslashreplace")
        if rng.random() < 0.2:
            for name in rng.sample(list(files), rng.randint(1, len(files))):
                del files[name]
        return files or {"suite.json": b"{}"}

    def run(self, folder: Path, rng: random.Random) -> None:
        """Read the records and make the tables; plots only now and then, as they take long."""
        from beeline.evaluate.record_reading import read_records
        from beeline.evaluate.report import write_report
        from beeline.evaluate.run_tables import (
            failure_table,
            outcome_table,
            overview_tables,
            run_table,
            warnings_of,
        )
        from beeline.evaluate.tables import comma_separated, latex, markdown

        records = read_records(folder)
        tables = list(records.tables)
        if records.runs:
            tables += [*overview_tables(records), run_table(records)]
            tables += [table for table in (failure_table(records), outcome_table(records)) if table]
        for table in tables:
            for written in (markdown, latex, comma_separated):
                written(table)
        warnings_of(records)
        if rng.random() < 0.005:
            write_report(folder, folder / "report")


def _suite_with_records() -> dict[str, bytes]:
    from suites import write_suite

    from beeline.evaluate.evaluation import evaluate_suite

    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        evaluate_suite(write_suite(root), root / "records", jobs=1)
        paths = sorted(path for path in root.rglob("*") if path.is_file())
        return {str(path.relative_to(root)): path.read_bytes() for path in paths}


class SuiteKind:
    """A damaged suite file beside tasks that are whole, or a whole one beside damaged records."""

    def __init__(self) -> None:
        from suites import LAMPS, lamps_task

        self._files = {
            "tasks/domain.pddl": LAMPS.encode(),
            "tasks/p01.pddl": lamps_task(2).encode(),
            "tasks/p02.pddl": lamps_task(3).encode(),
        }
        self._run = made_in_a_child(_suite_with_records, "records of a suite")

    def make(self, rng: random.Random) -> dict[str, bytes]:
        """The suite and its tasks."""
        if rng.random() < 0.3 and self._run:
            name = rng.choice([name for name in self._run if name.endswith(".json")])
            data = self._run[name]
            if rng.random() < 0.3:
                data = mutated_bytes(rng, data, rng.choice((1, 3)))
            else:
                content = mutated_value(rng, json.loads(data))
                data = json.dumps(content).encode("utf-8", "backslashreplace")
            return {**self._run, name: data}
        spice = (*SUITE_SPICE, *NUMBERS)
        lines = SUITE.splitlines()
        for _ in range(rng.choice((0, 1, 1, 2))):
            here, there = rng.randrange(len(lines)), rng.randrange(len(lines))
            if rng.random() < 0.2:
                del lines[here]
            elif rng.random() < 0.2:
                lines.insert(there, lines[here])
            elif " = " in lines[here]:
                lines[here] = f"{lines[here].split(' = ')[0]} = {rng.choice(spice)}"
        text = "\n".join(lines)
        text = mutated_tokens(rng, text, TOML_TOKEN, spice, rng.choice((0, 0, 0, 1, 2)))
        # Ten thousand tasks may be asked for, and rightly take their time.
        text = re.sub(r"(count\s*=\s*\d\d?)\d+", r"\1", text)
        data = text.encode()
        if rng.random() < 0.1:
            data = mutated_bytes(rng, data, 1)
        return {**self._files, "suite.toml": data}

    def run(self, folder: Path, rng: random.Random) -> None:
        """Read the suite and list its runs; none is made."""
        from beeline.evaluate.evaluation import list_runs

        list_runs(folder / "suite.toml", folder / "records")
