"""Models of a single state space in words: what `beeline models` and `beeline learn` say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.cli.messages import print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from beeline.learned.task_model import TaskModel


def task_overview(model: TaskModel) -> dict[str, Any]:
    """What kind of model this is, as plain values."""
    from beeline.encode.propositional import NAME

    words = model.vocabulary
    return {
        "domain": model.domain_name,
        "encoder": {"name": NAME, "vocabulary": words.to_json()},
        "network": {
            "name": model.network,
            "options": {"hidden": model.hidden},
            "weights": model.num_weights,
            "networks": list(model.networks),
        },
        "uses_h_ff": False,
        "training": model.summary,
        "seed": model.seed,
        "package_version": model.package_version,
    }


def show_task_model(model: TaskModel, path: str, size: int, *, json: bool) -> None:
    """Print all there is to say about a model in a file."""
    if json:
        facts = {"file": path, "bytes": size, **task_overview(model)}
        print_json({"status": "ok", **facts, "signature": model.signature})
    else:
        rows = [("model", f"{path}, {size / 1024:.1f} KB"), *_rows(model)]
        print("\n".join(f"{name:<13} {value}" for name, value in rows))


def training_lines(summary: dict[str, Any]) -> Iterator[str]:
    """A line about the training of each network.

    >>> samples = {"operators": {"samples": 500, "max_depth": 17}}
    >>> networks = {"operators": {"epochs": 120, "best_epoch": 20, "bce": 0.0112}}
    >>> print(*training_lines({"samples": samples, "networks": networks}))
    operators: 500 samples, up to 17 steps from the goal; best after 20 of 120 epochs: bce 0.0112
    """
    for name, network in summary["networks"].items():
        samples = summary["samples"][name]
        metric = "mse" if "mse" in network else "bce"
        yield (
            f"{name}: {samples['samples']:,} samples, up to {samples['max_depth']} steps from the"
            f" goal; best after {network['best_epoch']:,} of {network['epochs']:,} epochs:"
            f" {metric} {network[metric]:.4g}"
        )


def _rows(model: TaskModel) -> Iterator[tuple[str, str]]:
    from beeline.cli.models_list_command import training_words
    from beeline.cli.neural_words import domain_counts

    words = model.vocabulary
    goals = ", ".join(words.goal[:5]) + (" ..." if len(words.goal) > 5 else "")
    yield "domain", f"{model.domain_name}: {domain_counts(model.signature)}"
    yield "state space", f"{len(words.facts):,} facts, {len(words.operators):,} operators"
    yield "goal", goals
    yield "networks", f"{' and '.join(model.networks)}, {model.hidden} hidden units"
    yield "sizes", f"{model.num_weights:,} weights"
    yield "training", training_words(model.summary) or "not told"
    yield "seed", str(model.seed)
    yield "made by", f"Beeline {model.package_version}"
