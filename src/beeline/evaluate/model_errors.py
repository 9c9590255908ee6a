"""How far a neural model is off on labelled states, as training measures it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from beeline.data.instances import InstanceStates
    from beeline.models.neural_model import NeuralModel


def model_metrics(
    model: NeuralModel,
    instances: Sequence[InstanceStates],
    *,
    loss: str | None = None,
    warn: Callable[[str], None] = lambda _: None,
) -> dict[str, float]:
    """The metrics of a model on the states of some instances.

    Of a distribution these are the errors `mse` and `nll`, also with clipped means, over the states
    that have all labels; of a `loss` of whole plans the loss and the share of `violations`, pairs
    out of order. None is the likelihood of the model's own distribution.
    """
    import torch

    from beeline.fitting.objectives import network_metrics
    from beeline.learning.training_aims import chosen_aim
    from beeline.models.families import encoder_family, make_network, vocabulary_of

    distribution, family = model.distribution, encoder_family(model.encoder)
    vocabulary = vocabulary_of(model)
    network = make_network(model.network, vocabulary, distribution.heads, seed=0, **model.options)
    network.load_state_dict(
        {name: torch.from_numpy(array.copy()) for name, array in model.weights.items()}
    )
    aim = chosen_aim(
        distribution.name if loss is None else loss,
        sigma=distribution.sigma,
        lower=distribution.lower,
        residual=distribution.residual,
    )
    part = aim.part(instances, model.encoder, "test", warn)
    inputs = family.dataset_inputs(vocabulary, part.instances)
    return network_metrics(network, inputs, part.objective)
