"""Which model a word means."""

from __future__ import annotations

from pathlib import Path

import pytest
from hand_tables import HandTable, built_in, small_blocksworld

from beeline.core.errors import BeelineError
from beeline.models import model_file as packaged
from beeline.models.model_file import save


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packaged models; the current directory is another, empty one."""
    folder, current = tmp_path / "pretrained", tmp_path / "here"
    folder.mkdir()
    current.mkdir()
    save(small_blocksworld().model(), folder / "blocksworld.beeline")
    save(HandTable(built_in("ferry")).model(), folder / "ferry.beeline")
    (folder / "README.md").write_text("not a model")
    monkeypatch.setattr(packaged, "FOLDER", folder)
    monkeypatch.chdir(current)
    return folder


def test_names_are_sorted(shelf: Path) -> None:
    assert packaged.packaged_names() == ["blocksworld", "ferry"]


def test_a_name_means_a_packaged_model(shelf: Path) -> None:
    assert packaged.load_model("ferry").domain_name == "ferry"
    assert packaged.find_model("ferry", built_in("ferry")).domain_name == "ferry"


def test_an_existing_path_comes_first(shelf: Path) -> None:
    save(small_blocksworld().model(), "ferry")
    assert packaged.load_model("ferry").domain_name == "blocksworld"
    assert packaged.load_model(Path("ferry")).domain_name == "blocksworld"
    with pytest.raises(BeelineError, match=r"^ferry: the model, learned in 'blocksworld'"):
        packaged.find_model("ferry", built_in("ferry"))


def test_auto_finds_the_model_that_fits(shelf: Path) -> None:
    for name in ("blocksworld", "ferry"):
        assert packaged.find_model("auto", built_in(name)).domain_name == name
    with pytest.raises(BeelineError, match="no packaged model fits the domain 'gripper-strips'"):
        packaged.find_model("auto", built_in("gripper"))


def test_unknown_words_list_what_there_is(shelf: Path) -> None:
    with pytest.raises(BeelineError) as caught:
        packaged.load_model("fery")
    assert "no packaged model is called 'fery'" in caught.value.message
    assert caught.value.hint == "did you mean 'ferry'? packaged are blocksworld, ferry"
    with pytest.raises(BeelineError, match="packaged are blocksworld, ferry"):
        packaged.load_model("chess")


@pytest.mark.parametrize("path", ["models/chess", "chess.beeline", "./ferry"])
def test_what_looks_like_a_path_is_one(shelf: Path, path: str) -> None:
    with pytest.raises(BeelineError, match="no such file"):
        packaged.load_model(path)


def test_a_package_without_models(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged, "FOLDER", shelf / "missing")
    assert packaged.packaged_names() == []
    with pytest.raises(BeelineError, match="no models are packaged"):
        packaged.load_model("ferry")


def test_what_is_packaged_can_be_used() -> None:
    for name in packaged.packaged_names():
        model = packaged.load_model(name)
        assert packaged.find_model("auto", built_in(name)).signature == model.signature
