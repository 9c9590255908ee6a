"""Model files: what is saved is what is loaded, and nothing else is ever loaded."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hand_tables import HandTable, built_in, small_blocksworld
from hypothesis import given
from hypothesis import strategies as st

from beeline.core.errors import BeelineError
from beeline.models import model_file
from beeline.models.colours.model import ColourModel
from beeline.models.colours.scorer import check_rows
from beeline.models.colours.words import strongest_features
from beeline.models.model_file import pack, packaged_path, unpack
from beeline.planning.model import SearchStyle

DATA = model_file.to_bytes(small_blocksworld(multiset=True).model(ff_weight=-3))
FIRST_LINE, HEADER = DATA.split(b"\n")[:2]


def with_header(change: dict[str, Any], **arrays: Any) -> bytes:
    """The file with another header or other arrays, and the right digest."""
    header, content = unpack(DATA, "m")
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
        content[name] = np.array(array, dtype=np.int64)
    return pack(header, content, "0.1.0")


def assert_same(one: ColourModel, other: ColourModel) -> None:
    for field in dataclasses.fields(ColourModel):
        if field.name != "scorer":
            assert getattr(one, field.name) == getattr(other, field.name)
    for field in dataclasses.fields(one.scorer):
        mine, theirs = getattr(one.scorer, field.name), getattr(other.scorer, field.name)
        if hasattr(mine, "tolist"):  # an array of numpy, or of the standard library
            assert np.asarray(mine).dtype == np.asarray(theirs).dtype
            assert mine.tolist() == theirs.tolist()
        else:
            assert mine == theirs


class TestRoundTrip:
    @pytest.mark.parametrize("multiset", [False, True])
    def test_what_is_saved_is_what_is_loaded(self, multiset: bool, tmp_path: Path) -> None:
        table = small_blocksworld(multiset=multiset)
        if multiset:
            table.row(0, (table.atom("on", 0), 1, 70_000))
        model = dataclasses.replace(
            table.model(ff_weight=9, shift=20),
            style=SearchStyle(rollout=False, preferred=True),
            summary={"tasks": 9, "loss": "l2", "note": "häufig\n"},
        )
        model.save(tmp_path / "m.beeline")
        assert os.listdir(tmp_path) == ["m.beeline"]
        assert_same(model_file.load(tmp_path / "m.beeline"), model)

    def test_a_model_without_rows(self, tmp_path: Path) -> None:
        model = HandTable(built_in("ferry")).model()
        model_file.save(model, tmp_path / "m")
        assert_same(model_file.load(tmp_path / "m"), model)

    def test_large_weights_survive(self) -> None:
        table = small_blocksworld()
        table.weights = {0: 2**40, 3: -(2**40)}
        model = table.model()
        assert_same(model_file.from_bytes(model_file.to_bytes(model), "m"), model)

    def test_equal_models_give_equal_bytes_in_every_process(self) -> None:
        script = (
            "import sys, hashlib; from hand_tables import small_blocksworld\n"
            "from beeline.models.model_file import to_bytes\n"
            "data = to_bytes(small_blocksworld(multiset=True).model(ff_weight=-3))\n"
            "print(hashlib.sha256(data).hexdigest())"
        )
        support = str(Path(__file__).resolve().parents[2] / "support")
        for seed in ("1", "2"):
            run = subprocess.run(
                [sys.executable, "-c", script],
                env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": support},
                capture_output=True,
                text=True,
                check=True,
            )
            assert run.stdout.strip() == hashlib.sha256(DATA).hexdigest()

    def test_files_are_small_and_legible(self) -> None:
        assert FIRST_LINE.startswith(b"beeline-model 1 by 0.1.0, ")
        header = json.loads(HEADER)
        assert header["model"]["name"] == "wl-linear"
        assert header["encoder"]["neighbours"] == "multiset"
        assert header["training"]["loss"] == "rank-siblings"
        assert len(DATA) - len(FIRST_LINE) - len(HEADER) < 300


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

    @given(st.data())
    def test_swapped_deleted_and_doubled_stretches_are_noticed(self, data: st.DataObject) -> None:
        cuts = sorted(data.draw(st.lists(st.integers(0, len(DATA)), min_size=3, max_size=3)))
        one, two, three, four = (
            DATA[first:last] for first, last in zip([0, *cuts], [*cuts, len(DATA)], strict=True)
        )
        for changed in (one + three + two + four, one + three + four, one + two + two + three):
            if changed != DATA:
                with pytest.raises(BeelineError, match=r"^m: "):
                    model_file.from_bytes(changed, "m")

    @given(st.binary(max_size=300))
    def test_anything_else_is_refused(self, data: bytes) -> None:
        with pytest.raises(BeelineError):
            model_file.from_bytes(data, "m")

    @given(st.binary(max_size=300))
    def test_anything_with_the_right_digest_is_refused(self, body: bytes) -> None:
        origin = f"beeline-model 1 by 0.1.0, {len(body)} bytes, ".encode()
        digest = hashlib.sha256(origin + body).hexdigest()
        with pytest.raises(BeelineError, match="the header"):
            model_file.from_bytes(origin + f"sha256 {digest}\n".encode() + body, "m")

    def test_bytes_at_the_end(self) -> None:
        with pytest.raises(BeelineError, match="there are 2 bytes too many"):
            model_file.from_bytes(DATA + b"\n\n", "m")

    def test_an_edited_header(self) -> None:
        with pytest.raises(BeelineError, match="changed after it had been written"):
            model_file.from_bytes(DATA.replace(b'"seed":7', b'"seed":8'), "m")

    def test_a_broken_first_line(self) -> None:
        with pytest.raises(BeelineError, match="its first line is broken"):
            model_file.from_bytes(DATA.replace(b"sha256", b"sha512", 1), "m")

    def test_a_newer_format_says_what_to_get(self) -> None:
        newer = DATA.replace(b"model 1 by 0.1.0,", b"model 2 by 0.9.3, but otherwise", 1)
        with pytest.raises(BeelineError) as caught:
            model_file.from_bytes(newer, "m")
        assert "has format version 2, and this program reads version 1" in str(caught.value)
        assert "Beeline 0.9.3 wrote it: use that version or a later one" in str(caught.value)

    def test_an_unknown_older_format(self) -> None:
        with pytest.raises(BeelineError, match=r"format version 0.*learn it again"):
            model_file.from_bytes(DATA.replace(b"model 1 ", b"model 0 ", 1), "m")


class TestContradictions:
    """Files whose digest is right and whose content is not."""

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"seed": "7"}, "'seed' in the header"),
            ({"package_version": None}, "'package_version' in the header"),
            ({"style": None}, "'style' in the header"),
            ({"style.rollout": 1}, "'style' in the header"),
            ({"style.hurry": True}, "the fields of 'style'"),
            ({"training": [1]}, "'training' in the header"),
            ({"model.name": "oracle"}, "unknown model 'oracle': there is wl-linear"),
            ({"encoder.name": "pixels"}, "unknown encoder 'pixels': there is wl-colours"),
            ({"encoder.neighbours": "some"}, "unknown encoder 'some': there is set, multiset"),
            ({"encoder.rounds": -1}, "'rounds' of 'encoder'"),
            ({"encoder.rounds": 2}, "a row of the colour table"),
            ({"encoder.base_colours": 10**9}, "'base_colours' of 'encoder'"),
            ({"encoder.base_colours": 31}, "41 weights for 40 colours"),
            ({"encoder.neighbours": "set"}, "it has the arrays counts, keys"),
            ({"encoder.ignored": ["nothing"]}, "'ignored' of 'encoder'"),
            ({"encoder.chains": 1}, "'chains' of 'encoder'"),
            ({"encoder.ignored": "on"}, "'ignored' of 'encoder'"),
            ({"encoder.ignored": ["on", "on"]}, "'ignored' of 'encoder'"),
            ({"model.shift": 99}, "'shift' of 'model'"),
            ({"model.ff_weight": 0.5}, "'ff_weight' of 'model'"),
            ({"signature.predicates": None}, "'predicates' of the signature"),
            ({"signature.predicates.on": ["block"]}, "'predicates' of the signature"),
            ({"signature.types.object": "object"}, "'types' of the signature"),
            ({"signature.name": 3}, "'name' of 'signature'"),
            ({"signature.constants.table": ["object"]}, "32 base colours instead of 33"),
        ],
    )
    def test_headers(self, change: dict[str, Any], message: str) -> None:
        with pytest.raises(BeelineError, match=re.escape(message)):
            model_file.from_bytes(with_header(change), "m")

    @pytest.mark.parametrize(
        ("arrays", "message"),
        [
            ({"weights": [1, 2]}, "2 weights for 41 colours"),
            ({"weights": [2**41] * 41}, "a weight is too large"),
            ({"weights": [-(2**63)] * 41}, "a weight is too large"),
            ({"keys": [1]}, "the lengths of its rows do not fit"),
            ({"counts": [1]}, "the lengths of its rows do not fit"),
            ({"neighbours": [2**62] * 9}, "the lengths of its rows do not fit"),
            ({"neighbours": [-1] * 9}, "the lengths of its rows do not fit"),
            ({"own_colours": [2**40] * 9}, "a colour has a number that is out of range"),
            ({"own_colours": [-1] * 9}, "a colour has a number that is out of range"),
            ({"own_colours": [40] * 9}, "a row of the colour table has a wrong colour"),
            ({"counts": [0] * 20}, "a row of the colour table has a wrong neighbour"),
            ({"surprise": [1]}, "it has the arrays counts, keys"),
        ],
    )
    def test_arrays(self, arrays: dict[str, Any], message: str) -> None:
        with pytest.raises(BeelineError, match=re.escape(message)):
            model_file.from_bytes(with_header({}, **arrays), "m")

    @pytest.mark.parametrize("word", [b"NaN", b"-Infinity", b"1e999"])
    def test_what_is_no_number_is_not_in_headers(self, word: bytes) -> None:
        body = DATA.split(b"\n", 1)[1].replace(
            b'"training":{', b'"training":{"x":' + word + b",", 1
        )
        origin = f"beeline-model 1 by 0.1.0, {len(body)} bytes, ".encode()
        digest = hashlib.sha256(origin + body).hexdigest().encode()
        with pytest.raises(BeelineError, match="the header is not what a model's header looks"):
            model_file.from_bytes(origin + b"sha256 " + digest + b"\n" + body, "m")

    @pytest.mark.parametrize("name", ["npuzzle", "gripper"])
    def test_arrays_changed_at_random_are_refused_or_can_be_told_in_words(self, name: str) -> None:
        header, arrays = unpack(packaged_path(name).read_bytes(), name)
        random = np.random.default_rng(7)
        refused = 0
        for _ in range(150):
            changed = {key: np.array(array) for key, array in arrays.items()}
            array = changed[str(random.choice(["own_colours", "neighbours", "keys"]))]
            array[random.integers(len(array))] += random.choice([-16, -2, -1, 1, 2, 16, 160])
            try:
                model = model_file.from_bytes(pack(header, changed, "0.1.0"), "m")
            except BeelineError as error:
                assert "the model cannot be used" in error.message  # noqa: PT017
                refused += 1
            else:
                assert strongest_features(model, 10**6)
        assert 50 < refused < 150


class TestRowsThatMeanNothing:
    """One kind of object, a predicate of one argument, and one that stands for several."""

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ([[0, 16 * 0, 1]], "a neighbour of its own kind"),
            ([[1, 16 * 1, 1]], "a neighbour of its own kind"),
            ([[0, 16 * 1 + 1, 1]], "too many arguments"),
            ([[1, 16 * 0, 1, 16 * 0 + 1, 1]], "too many arguments"),
            ([[1]], "other arguments than its predicate"),
            ([[2, 16 * 0 + 1, 1]], "other arguments than its predicate"),
            ([[0, 16 * 1, 1], [3, 16 * 0, 1]], "a neighbour of its own kind"),
        ],
    )
    def test_they_are_refused(self, rows: list[list[int]], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            self.check(rows)

    def test_those_that_mean_something_are_not(self) -> None:
        self.check([[0, 16 * 1, 1], [1, 16 * 0, 1], [2], [2, 16 * 0, 1], [3, 16 * 4, 1]])

    def check(self, rows: list[list[int]]) -> None:
        starts = np.cumsum([0, *map(len, rows)])
        items = np.array([item for row in rows for item in row], dtype=np.int32)
        check_rows(1, [1, 0], 1, starts, items)


class TestOtherFiles:
    def refusal(self, path: Path) -> str:
        with pytest.raises(BeelineError) as caught:
            model_file.load(path)
        assert caught.value.file == str(path)
        assert "\n" not in str(caught.value)
        return caught.value.message + f" ({caught.value.hint})"

    def test_files_that_are_no_models(self, tmp_path: Path) -> None:
        assert "no such file" in self.refusal(tmp_path / "missing")
        assert "is a directory, not a model" in self.refusal(tmp_path)
        path = tmp_path / "file"
        path.write_bytes(b"")
        assert "is empty" in self.refusal(path)
        path.write_bytes(b"\x89PNG\r\n" * 100)
        assert "not a Beeline model" in self.refusal(path)
        path.write_text("; a comment\n (define (domain d))")
        assert "PDDL, not a Beeline model (models come first" in self.refusal(path)

    def test_a_huge_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(model_file, "LARGEST_FILE", 100)
        path = tmp_path / "file"
        path.write_bytes(DATA)
        assert "too large for a model" in self.refusal(path)

    def test_a_folder_that_does_not_exist(self, tmp_path: Path) -> None:
        with pytest.raises(BeelineError, match="cannot write"):
            model_file.save(small_blocksworld().model(), tmp_path / "no" / "m.beeline")
