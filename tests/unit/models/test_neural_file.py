"""Files of neural models: what is saved is what is loaded, and nothing else is ever loaded."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hand_tables import built_in
from hypothesis import given, settings
from hypothesis import strategies as st
from neural_models import ON_ANY_DOMAIN, OPTIONS, home, random_model

from beeline.core.errors import BeelineError
from beeline.models import model_file
from beeline.models.families import NETWORKS, encoder_family, make_network, network_entry
from beeline.models.model_file import pack, unpack
from beeline.models.neural_model import Distribution, NeuralModel

if TYPE_CHECKING:
    from pathlib import Path

LINEAR = random_model("linear", built_in("blocksworld"))
DATA = model_file.to_bytes(LINEAR)


def with_change(change: dict[str, Any], data: bytes = DATA, **arrays: Any) -> bytes:
    """The file with another header or other arrays, and the right digest."""
    header, content = unpack(data, "m")
    for path, value in change.items():
        *parts, last = path.split(".")
        place = header
        for part in parts:
            place = place[part]
        if value is None:
            del place[last]
        else:
            place[last] = value
    for name, array in arrays.items():
        content[name.replace("__", ".")] = array
    return pack(header, content, "0.1.0")


@cache
def ferry_model(name: str) -> NeuralModel:
    return random_model(name, built_in(home(name)[0]))


def loaded(model: NeuralModel) -> NeuralModel:
    found = model_file.from_bytes(model_file.to_bytes(model), "m")
    assert isinstance(found, NeuralModel)
    return found


@pytest.mark.parametrize("name", ON_ANY_DOMAIN)
class TestEveryNetwork:
    def test_what_is_saved_is_what_is_loaded(self, name: str, tmp_path: Path) -> None:
        chosen = {"lower": "max", "residual": "none", "sigma": "fixed", "name": "laplace"}
        model = random_model(name, built_in("ferry"), seed=3, **chosen)
        model.save(tmp_path / "m.beeline")
        found = model_file.load(tmp_path / "m.beeline")
        assert isinstance(found, NeuralModel)
        for field in ("signature", "encoder", "vocabulary", "network", "options", "distribution"):
            assert getattr(found, field) == getattr(model, field)
        assert (found.summary, found.seed) == (model.summary, 3)
        assert found.weights.keys() == model.weights.keys()
        for key, array in model.weights.items():
            assert found.weights[key].dtype == np.float32
            np.testing.assert_array_equal(found.weights[key], array)

    @pytest.mark.parametrize("sigma", ["learn", "fixed"])
    @pytest.mark.parametrize("domain", ["blocksworld", "logistics"])
    def test_expected_shapes_are_those_of_the_network(
        self, name: str, domain: str, sigma: str
    ) -> None:
        model = random_model(name, built_in(domain), sigma=sigma)
        shapes = {key: array.shape for key, array in model.weights.items()}
        assert network_entry(name).shapes(model) == shapes

    def test_weights_of_another_domain_are_told(self, name: str) -> None:
        model = random_model(name, built_in("blocksworld"))
        other = random_model(name, built_in("logistics"))
        if model.weights.keys() == other.weights.keys() and name != "linear":
            with pytest.raises(BeelineError, match=r"its weights '.*' have the shape .*, and a"):
                loaded(replace(model, weights=other.weights))

    def test_equal_models_give_equal_bytes(self, name: str) -> None:
        one, two = (random_model(name, built_in("ferry"), seed=5) for _ in range(2))
        assert model_file.to_bytes(one) == model_file.to_bytes(two)


def test_every_network_can_be_planned_with() -> None:
    assert OPTIONS.keys() >= NETWORKS.keys()


def test_options_that_change_shapes_are_known() -> None:
    domain = built_in("blocksworld")
    words = encoder_family("hypergraph").vocabulary(domain)
    made = make_network("hgn", words, 2, seed=0, hidden=4, steps=2, sizes=True)
    model = replace(
        random_model("hgn", domain),
        options=made.options(),
        weights={key: each.numpy() for key, each in made.state_dict().items()},
    )
    assert loaded(model).num_weights == model.num_weights


class TestDamage:
    def test_truncated_anywhere(self) -> None:
        for length in range(len(DATA)):
            with pytest.raises(BeelineError, match=r"^m: .*(cut short|is empty)"):
                model_file.from_bytes(DATA[:length], "m")

    @given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
    def test_any_changed_byte_is_noticed(self, position: int, change: int) -> None:
        changed = bytearray(DATA)
        changed[position] ^= change
        with pytest.raises(BeelineError, match=r"^m: "):
            model_file.from_bytes(bytes(changed), "m")

    @pytest.mark.parametrize(
        "described",
        [
            ["float32", [10**18, 10**18]],
            ["float32", [0, 10**30]],
            ["float32", [-1, -10]],
            ["float32", [True, 10]],
            ["float32", [2.0, 5]],
            ["float32", [1] * 60 + [10]],
            ["float32", 10],
            ["float32", {"2": 5}],
            ["float32", None],
            ["float64", [2, 5]],
            ["int64", [5]],
            [["float32"], [2, 5]],
            ["float32"],
        ],
    )
    def test_odd_shapes_are_refused(self, described: list[Any]) -> None:
        import hashlib
        import json

        body = DATA.split(b"\n", 1)[1]
        text, rest = body.split(b"\n", 1)
        header = json.loads(text)
        header["arrays"]["layer.weight"] = described
        changed = json.dumps(header).encode() + b"\n" + rest
        origin = f"beeline-model 1 by 0.1.0, {len(changed)} bytes, ".encode()
        digest = hashlib.sha256(origin + changed).hexdigest().encode()
        with pytest.raises(BeelineError, match=r"^m: the model cannot be used: "):
            model_file.from_bytes(origin + b"sha256 " + digest + b"\n" + changed, "m")


def fits(model: NeuralModel, options: dict[str, Any]) -> bool:
    """Whether a network with these options has the same weights."""
    words = encoder_family(model.encoder).vocabulary_from_json(model.vocabulary)
    try:
        made = make_network(model.network, words, 2, seed=0, **options)
    except (BeelineError, TypeError, ValueError):
        return False
    shapes = {key: array.shape for key, array in model.weights.items()}
    return {key: tuple(each.shape) for key, each in made.state_dict().items()} == shapes


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


class TestContradictions:
    """Files whose digest is right and whose content is not."""

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"model.name": "oracle"}, "unknown model 'oracle': there is wl-linear, linear"),
            ({"encoder.name": "pixels"}, "unknown encoder 'pixels': there is gomoluch"),
            ({"encoder.vocabulary": None}, "'vocabulary' of 'encoder'"),
            ({"encoder.vocabulary": {}}, "its network cannot be made"),
            ({"encoder.vocabulary.features": 5}, "its network cannot be made"),
            ({"encoder.vocabulary.features": ["ff"]}, "have the shape 2 x 4, and a network linear"),
            ({"model.options": []}, "'options' of 'model'"),
            ({"model.options": {"width": 10**9}}, "option 'width' of 'model'"),
            ({"model.options": {"width": [1]}}, "option 'width' of 'model'"),
            ({"distribution": None}, "'distribution' in the header"),
            ({"distribution.sigma": None}, "the fields of 'distribution'"),
            ({"distribution.sigma": "guess"}, "unknown sigma 'guess': there are learn, fixed"),
            ({"distribution.sigma": "fixed"}, "have the shape 2, and a network linear of its"),
            ({"distribution.lower": "ff"}, "unknown lower 'ff'"),
            ({"distribution.name": "cauchy"}, "unknown distribution 'cauchy'"),
            ({"distribution.epsilon": "0.1"}, "'epsilon' of 'distribution'"),
            ({"distribution.epsilon": -1}, "'epsilon' of 'distribution'"),
            ({"distribution.epsilon": True}, "'epsilon' of 'distribution'"),
            ({"distribution.quantile": 7}, "'quantile' of 'distribution'"),
            ({"distribution.quantile": 0}, "the quantile 0.0 is not between 0 and 1"),
            ({"training": 3}, "'training' in the header"),
            ({"seed": 1.5}, "'seed' in the header"),
            ({"signature.actions": None}, "'actions' of the signature"),
        ],
    )
    def test_headers(self, change: dict[str, Any], message: str) -> None:
        with pytest.raises(BeelineError, match=re.escape(message)):
            model_file.from_bytes(with_change(change), "m")

    @pytest.mark.parametrize(
        ("arrays", "message"),
        [
            ({"layer__bias": np.zeros((2, 1), np.float32)}, "have the shape 2 x 1, and a network"),
            ({"layer__bias": np.array(1, np.float32)}, "have the shape of a single number"),
            ({"layer__bias": np.array([1, 2])}, "its weights 'layer.bias' are whole numbers"),
            (
                {"layer__bias": np.array([1, np.nan], np.float32)},
                "'layer.bias' are not all numbers",
            ),
            (
                {"layer__bias": np.array([1, np.inf], np.float32)},
                "'layer.bias' are not all numbers",
            ),
            ({"layer__bias": np.array([1, 1e30], np.float32)}, "is too large"),
            ({"surprise": np.zeros(1, np.float32)}, "its network linear has weights 'surprise'"),
        ],
    )
    def test_arrays(self, arrays: dict[str, Any], message: str) -> None:
        with pytest.raises(BeelineError, match=re.escape(message)):
            model_file.from_bytes(with_change({}, **arrays), "m")

    def test_missing_weights(self) -> None:
        weights = {"layer.weight": LINEAR.weights["layer.weight"]}
        with pytest.raises(BeelineError, match=r"its network linear has no weights 'layer.bias'"):
            loaded(replace(LINEAR, weights=weights))

    @pytest.mark.parametrize("name", ["hgn", "hgconv"])
    @pytest.mark.parametrize(
        ("literal", "message"),
        [
            (["at-ferry", [False], 0], "an atom of an action is none"),
            (["at-ferry", [-2], 0], "an atom of an action is none"),
            (["at-ferry", [0.0], 0], "an atom of an action is none"),
            (["at-ferry", [0], True], "an atom of an action is none"),
            (["at-ferry", [0], -1], "an atom of an action is none"),
            ([7, [0], 0], "an atom of an action is none"),
            (["at-ferry", [2], 0], "its action 'sail' has too few parameters"),
        ],
    )
    def test_atoms_of_actions(self, name: str, literal: list[Any], message: str) -> None:
        change = {"encoder.vocabulary.schemas.sail.needed": [literal]}
        data = with_change(change, model_file.to_bytes(ferry_model(name)))
        with pytest.raises(BeelineError, match=message):
            model_file.from_bytes(data, "m")

    @pytest.mark.parametrize("name", NETWORKS)
    @settings(max_examples=30)
    @given(data=st.data())
    def test_any_vocabulary_or_options_are_refused_or_fit(
        self, name: str, data: st.DataObject
    ) -> None:
        model = ferry_model(name)
        field = data.draw(st.sampled_from(["vocabulary", "options"]))
        content = dict(getattr(model, field))
        key = data.draw(st.sampled_from([*content, "other"]))
        content[key] = data.draw(JSON)
        known = field == "options" and key != "other"
        if content != getattr(model, field) and not (known and fits(model, content)):
            with pytest.raises(BeelineError, match=r"the model cannot be used: "):
                loaded(replace(model, **{field: content}))


class TestDistribution:
    @pytest.mark.parametrize("field", ["name", "sigma", "lower", "upper", "residual", "estimate"])
    def test_unknown_words_are_told_with_those_that_exist(self, field: str) -> None:
        with pytest.raises(BeelineError, match=r"unknown .* 'odd': there are "):
            Distribution(**{field: "odd"})

    def test_another_estimate_leaves_all_else(self) -> None:
        model = LINEAR.with_estimate("quantile", 0.25)
        assert (model.distribution.estimate, model.distribution.quantile) == ("quantile", 0.25)
        assert model.weights is LINEAR.weights
        assert LINEAR.distribution.estimate == "mean"
        with pytest.raises(BeelineError, match="not between 0 and 1"):
            LINEAR.with_estimate("quantile", 1.0)
