"""`beeline models list`: the models that come with the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.cli.messages import print_json
from beeline.cli.neural_words import neural_overview
from beeline.cli.task_words import task_overview

if TYPE_CHECKING:
    from beeline.cli.parameters import Json, Quiet
    from beeline.learned.model_file import AnyModel

LONGEST_CELL = 80  # characters about the training


def run(*, json: Json = False, quiet: Quiet = False) -> int:
    """List the models that come with the package, and what they were trained on.

    'beeline plan' takes their names for MODEL. The exit code is 0, with or without models.

    Example:
      beeline models list
      beeline models list --json | jq '.models[].name'
    """
    from beeline.learned.packaged import load_model, packaged_names, packaged_path

    rows = [
        {"name": name, "file": str(packaged_path(name)), **overview(load_model(name))}
        for name in packaged_names()
    ]
    for row in rows:
        row["bytes"] = packaged_path(str(row["name"])).stat().st_size
    if json:
        print_json({"status": "ok", "models": rows})
    elif rows:
        print(_table(rows))
    elif not quiet:
        print("No models come with this package; 'beeline learn' makes them.")
    return 0


def overview(model: AnyModel) -> dict[str, Any]:
    """What kind of model this is, as plain values."""
    from beeline.learned.model import Model
    from beeline.learned.task_model import TaskModel

    if isinstance(model, TaskModel):
        return task_overview(model)
    if not isinstance(model, Model):
        return neural_overview(model)
    scorer = model.scorer
    return {
        "domain": model.domain_name,
        "rounds": scorer.rounds,
        "neighbours": "multiset" if scorer.multiset else "set",
        "colours": len(scorer.weights),
        "features": scorer.num_features,
        "uses_h_ff": scorer.ff_weight != 0,
        "policy": model.policy is not None,
        "style": {
            "rollout": model.style.rollout,
            "preferred": model.style.preferred,
            "symmetry": model.style.symmetry,
        },
        "training": model.summary,
        "seed": model.seed,
        "package_version": model.package_version,
    }


def _table(rows: list[dict[str, Any]]) -> str:
    titles = ("name", "domain", "KB", "rounds", "neighbours", "features", "h_FF", "trained on")
    cells = [
        (
            str(row["name"]),
            str(row["domain"]),
            f"{row['bytes'] / 1024:.1f}",
            str(row.get("rounds", "")),
            str(row["neighbours"] if "neighbours" in row else row["network"]["name"]),
            f"{row['features'] if 'features' in row else row['network']['weights']:,}",
            "yes" if row["uses_h_ff"] else "no",
            _shortened(training_words(row["training"])),
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]
    return "\n".join(
        "  ".join(f"{word:<{width}}" for word, width in zip(line, widths, strict=True)).rstrip()
        for line in (titles, *cells)
    )


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 4].rstrip(' ,:')} ..."


def training_words(summary: dict[str, Any]) -> str:
    """The plain values of a training summary on one line.

    >>> training_words({"tasks": 30, "held_out": {"solved": 8}, "notes": ["long"]})
    'tasks 30, held out: solved 8'
    """
    parts = []
    for name, value in summary.items():
        if isinstance(value, dict):
            inner = training_words(value)
            if inner:
                parts.append(f"{name.replace('_', ' ')}: {inner}")
        elif isinstance(value, str | int | float):
            parts.append(f"{name.replace('_', ' ')} {value}")
    return ", ".join(parts)
