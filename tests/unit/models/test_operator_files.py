"""Scores of operators in model files: what is saved is what is loaded, and what is refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from coloured_walks import Walk, small_task
from operator_tables import random_operator_model

import beeline
from beeline import _native
from beeline.core.errors import BeelineError
from beeline.models import model_file
from beeline.models.model_file import pack, unpack


class TestFile:
    def made(self) -> Any:
        return random_operator_model(Walk(small_task("gripper"), steps=8))

    def test_what_is_saved_is_what_is_loaded(self) -> None:
        model = self.made()
        data = model_file.to_bytes(model)
        loaded: Any = model_file.from_bytes(data, "m")
        assert model_file.to_bytes(loaded) == data
        assert loaded.has_preferred
        mine, theirs = model.scorer.operators, loaded.scorer.operators
        assert (mine.slots, mine.shift, mine.margin) == (theirs.slots, theirs.shift, theirs.margin)
        for name in ("numbers", "colours", "weights"):
            assert getattr(mine, name).tolist() == getattr(theirs, name).tolist()

    def test_a_model_without_them_is_as_it_was(self) -> None:
        model = self.made()
        plain = dataclasses.replace(model, scorer=dataclasses.replace(model.scorer, operators=None))
        header, arrays = unpack(model_file.to_bytes(plain), "m")
        assert not [name for name in (*header, *arrays) if name.startswith("operators")]
        assert not plain.has_preferred

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"operators_slots": None}, "have the arrays colours, weights"),
            ({"operators_slots": -1}, "do not fit its slots and colours"),
            ({"operators_slots": 99}, "do not fit its slots and colours"),
            ({"operators_colours": 10**6}, "do not fit its slots and colours"),
            ({"operators_colours": -2}, "do not fit its slots and colours"),
            ({"operators_weights": 2**41}, "a weight is too large"),
            ({"slots": "all"}, "none of the actions"),
            ({"slots": [["fly", None, []]]}, "none of the actions"),
            ({"slots": [["drop", None, [9]]]}, "none of the actions"),
            ({"slots": [["drop", None, ["home"]]]}, "none of the actions"),
            ({"slots": [["drop", "at", [0]]]}, "none of the actions"),
            ({"slots": [["drop", "on", [0, 1]]]}, "none of the actions"),
            ({"slots": [["drop", None, [0]]] * 2}, "none of the actions"),
            ({"slots": []}, "do not fit its slots and colours"),
            ({"shift": 63}, "'shift' of 'operators'"),
            ({"margin": -1}, "'margin' of 'operators'"),
            ({"reserve": 1}, "'reserve' of 'operators'"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, change: dict[str, Any], message: str) -> None:
        header, arrays = unpack(model_file.to_bytes(self.made()), "m")
        for name, value in change.items():
            if name not in arrays:
                header["operators"][name] = value
            elif value is None:
                del arrays[name]
            else:
                arrays[name][-1] = value
        with pytest.raises(BeelineError, match=message):
            model_file.from_bytes(pack(header, arrays, "0.1.0"), "m")

    def test_a_reserve_is_kept_for_tasks_that_are_too_large_for_relaxed_plans(self) -> None:
        scorer = self.made().scorer
        spare = dataclasses.replace(scorer.operators, reserve=True)
        model = dataclasses.replace(
            self.made(), scorer=dataclasses.replace(scorer, operators=spare)
        )
        loaded: Any = model_file.from_bytes(model_file.to_bytes(model), "m")
        assert loaded.scorer.operators.reserve
        assert any(
            "in tasks of millions of operators" in line for line in loaded.lines(1, legend=False)
        )
        task = small_task("gripper")
        assert loaded.score(task, _native.States(task.native)).reserve
        plain = dataclasses.replace(model, scorer=dataclasses.replace(scorer, operators=None))
        assert loaded.scorer.scores_like(plain.scorer)
        results = [beeline.plan(each, task, fallback=False) for each in (loaded, plain)]
        assert results[0].expanded == results[1].expanded  # by h_FF, both
        heavier = dataclasses.replace(scorer, weights=2 * scorer.weights)
        assert not heavier.scores_like(scorer)

    def test_weights_that_hardly_matter_can_go_and_the_table_with_them(self) -> None:
        scorer = self.made().scorer
        thin = scorer.without_weights_below(0.5)
        assert 0 < len(thin.operators.weights) < len(scorer.operators.weights)
        assert thin.num_rows < scorer.num_rows
        assert thin.operators.used_colours.max() < len(thin.weights)
