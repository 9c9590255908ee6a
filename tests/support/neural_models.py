"""Neural models with random weights, and small datasets to train them with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from small_sets import make_set, write_tasks

from beeline.models.families import NETWORKS, encoder_family, make_network, network_entry
from beeline.models.neural_model import Distribution, NeuralModel
from beeline.pddl.model import domain_signature

if TYPE_CHECKING:
    from pathlib import Path

    from beeline.pddl.model import Domain

# Small, so that tests are quick.
OPTIONS: dict[str, dict[str, Any]] = {
    "linear": {},
    "nlm": {"width": 3, "depth": 2},
    "hgn": {"hidden": 4, "steps": 2},
    "hgconv": {"layers": 2, "width": 4},
    "coat": {
        "convolutions": 1,
        "filters": 4,
        "blocks": 1,
        "block_filters": 5,
        "attention": 4,
        "attention_heads": 2,
        "hidden": 4,
    },
}
ON_ANY_DOMAIN = [name for name, entry in NETWORKS.items() if entry.encoder != "grid"]


def home(network: str) -> tuple[str, dict[str, float]]:
    """A domain that a family of models can be made for, and the sizes of small tasks."""
    if network in NETWORKS and network not in ON_ANY_DOMAIN:
        return "visitall", {"width": 3, "height": 3}
    return "ferry", {"cars": 2, "locations": 3}


def random_model(
    network: str, domain: Domain, *, seed: int = 0, scale: float = 1.0, **settings: Any
) -> NeuralModel:
    """A model with the first weights of training."""
    encoder = network_entry(network).encoder
    vocabulary = encoder_family(encoder).vocabulary(domain)
    distribution = Distribution(**settings)
    made = make_network(network, vocabulary, distribution.heads, seed=seed, **OPTIONS[network])
    return NeuralModel(
        signature=domain_signature(domain),
        encoder=encoder,
        vocabulary=json.loads(json.dumps(vocabulary.to_json())),
        network=network,
        options=made.options(),
        weights={name: scale * each.numpy() for name, each in made.state_dict().items()},
        distribution=distribution,
        summary={"steps": 0, "validation": {"mse": 1.5}},
        seed=seed,
        package_version="0.1.0",
    )


def small_dataset(folder: Path, name: str = "blocksworld", **size: float) -> Path:
    """Six tasks, two of them for validation."""
    files = write_tasks(folder / f"{name}-tasks", name, count=6, **(size or {"blocks": 4}))
    make_set(files, folder / f"{name}-set", splits=(("train", 0.7), ("val", 0.3)))
    return folder / f"{name}-set"
