"""Small datasets, and ways to compare them."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from beeline.backends.local import LocalExecutor
from beeline.data.optimal_plans import sample_plans
from beeline.data.task_sets import PlanSettings, given_tasks
from beeline.generators import domain_text, instances

if TYPE_CHECKING:
    from pathlib import Path

    from beeline.data.summary import Summary


def write_tasks(
    folder: Path, name: str = "blocksworld", count: int = 4, **size: float
) -> list[str]:
    """A domain file and task files; their names."""
    folder.mkdir(exist_ok=True)
    (folder / "domain.pddl").write_text(domain_text(name))
    files = [str(folder / "domain.pddl")]
    for number, (_, text) in enumerate(instances(name, count=count, seed=7, **size), start=1):
        (folder / f"p{number}.pddl").write_text(text)
        files.append(str(folder / f"p{number}.pddl"))
    return files


def make_set(files: list[str], folder: Path, plans: Path | None = None, **settings: Any) -> Summary:
    """A dataset of these files."""
    tasks = given_tasks(files[0], files[1:], plans=None if plans is None else str(plans))
    with LocalExecutor(1) as executor:
        return sample_plans(tasks, PlanSettings(**settings), folder, executor)


def digests(folder: Path) -> dict[str, str]:
    """Every file below a folder, by content."""
    return {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
