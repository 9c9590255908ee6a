from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from small_sets import digests, make_set, write_tasks

from beeline.core.errors import BeelineError
from beeline.data.manifest import LABELS, read_manifest
from beeline.data.reader import Dataset
from beeline.data.shards import DatasetWriter
from beeline.data.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_tasks(tmp_path_factory.mktemp("tasks") / "blocks", count=6, blocks=4)


@pytest.fixture(scope="module")
def original(files: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets") / "set"
    make_set(files, folder, siblings=True)
    return folder


@pytest.fixture
def dataset(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "set"))


def damage(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))


class TestReading:
    def test_rows_batches_and_counts_agree(self, original: Path) -> None:
        dataset = Dataset(original)
        rows = list(dataset.states())
        batches = list(dataset.batches(batch_size=7))
        assert len(rows) == dataset.manifest.counts["states"]
        assert [row for batch in batches for row in batch.to_pylist()] == rows
        assert max(batch.num_rows for batch in batches) <= 7
        assert len(list(dataset.instances())) == 6

    def test_a_split_has_whole_instances(self, original: Path) -> None:
        dataset = Dataset(original)
        seen = {}
        for split in dataset.manifest.splits:
            members = {row["instance"] for row in dataset.instances(split=split)}
            assert {row["instance"] for row in dataset.states(split=split)} == members
            seen[split] = members
        assert not seen["train"] & seen["val"]
        assert len(seen["train"] | seen["val"]) == 6

    def test_columns_are_chosen_by_name(self, original: Path) -> None:
        dataset = Dataset(original)
        assert set(next(dataset.states(columns=["ff", "g"], split="val"))) == {"ff", "g"}
        assert set(next(dataset.instances(columns=["name"]))) == {"name"}

    def test_every_label_is_there(self, original: Path) -> None:
        for row in Dataset(original).states():
            assert all(row[name] is not None for name in LABELS)
            assert (row["h_star"] is not None) or not row["on_path"]

    def test_facts_have_names(self, original: Path) -> None:
        dataset = Dataset(original)
        facts = {row["instance"]: row["facts"] for row in dataset.instances()}
        for row in dataset.states():
            names = [facts[row["instance"]][fact] for fact in row["facts"]]
            assert sum(name.startswith(("(on ", "(on-table", "(holding")) for name in names) == 4

    def test_an_unknown_split_is_refused(self, original: Path) -> None:
        with pytest.raises(BeelineError, match=r"no split 'dev'.*train, val"):
            list(Dataset(original).states(split="dev"))


class TestResuming:
    def test_a_second_run_changes_nothing(self, files: list[str], dataset: Path) -> None:
        before = digests(dataset)
        make_set(files, dataset, siblings=True)
        assert digests(dataset) == before

    @pytest.mark.parametrize(
        "lost", ["instances/00002.parquet", "states/00003.parquet", "manifest.json"]
    )
    def test_what_is_missing_is_made_again(
        self, files: list[str], dataset: Path, lost: str
    ) -> None:
        before = digests(dataset)
        if lost == "manifest.json":  # stopped before the counts were written
            content = json.loads((dataset / lost).read_text())
            (dataset / lost).write_text(json.dumps({**content, "counts": {}}))
        else:
            (dataset / lost).unlink()
        (dataset / "states" / ".00001.parquet.abc.tmp").write_text("half a fi")
        make_set(files, dataset, siblings=True)
        assert digests(dataset) == before

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"siblings": False}, "its 'siblings' is true, not false"),
            ({"max_evaluations": 7}, "its 'max_evaluations' is 50000, not 7"),
            ({"seed": 1}, "its seed is 0, not 1"),
        ],
    )
    def test_other_settings_are_refused_and_nothing_is_lost(
        self, files: list[str], dataset: Path, settings: dict[str, int], message: str
    ) -> None:
        before = digests(dataset)
        with pytest.raises(BeelineError, match=message):
            make_set(files, dataset, **{"siblings": True, **settings})
        assert digests(dataset) == before

    def test_other_tasks_are_refused(self, files: list[str], dataset: Path) -> None:
        with pytest.raises(BeelineError, match="its 'tasks' is"):
            make_set(files[:-1], dataset, siblings=True)

    def test_another_domain_is_refused(self, dataset: Path, tmp_path: Path) -> None:
        ferry = write_tasks(tmp_path / "ferry", "ferry", cars=1, locations=2)
        with pytest.raises(BeelineError, match="its domain is 'blocksworld'"):
            make_set(ferry, dataset, siblings=True)

    def test_another_version_is_refused(
        self, files: list[str], dataset: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("beeline._version.__version__", "99.0")
        with pytest.raises(BeelineError, match=r"its package version is .*, not 99.0"):
            make_set(files, dataset, siblings=True)

    def test_a_folder_with_other_things_is_refused(self, files: list[str], tmp_path: Path) -> None:
        (tmp_path / "thesis.tex").touch()
        with pytest.raises(BeelineError, match=r"it has 'thesis\.tex'"):
            make_set(files, tmp_path)

    def test_two_writers_at_a_time_are_refused(self, dataset: Path) -> None:
        manifest = read_manifest(dataset)
        with (
            DatasetWriter(dataset, manifest),
            pytest.raises(BeelineError, match="another process is writing"),
        ):
            DatasetWriter(dataset, manifest)
        DatasetWriter(dataset, manifest).close()

    def test_a_full_disk_is_told_and_finished_shards_stay(
        self, files: list[str], original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        calls = iter(range(100))

        def fsync(_: int) -> None:
            if next(calls) > 6:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        folder = tmp_path / "set"
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fsync)
            with pytest.raises(BeelineError, match=r"No space left on device.*make room"):
                make_set(files, folder, siblings=True)
        assert len(list((folder / "instances").iterdir())) == 2
        assert not list(folder.rglob("*.tmp"))
        with pytest.raises(BeelineError, match="not finished: 2 of 6 shards"):
            Dataset(folder)
        assert len(list(Dataset(folder, unfinished=True).instances())) == 2
        make_set(files, folder, siblings=True)
        assert digests(folder) == digests(original)


class TestBrokenDirectories:
    @pytest.mark.parametrize("table", ["instances", "states"])
    @pytest.mark.parametrize("size", [0, 5, 400])
    def test_a_truncated_shard_is_named_and_made_again(
        self, files: list[str], dataset: Path, table: str, size: int
    ) -> None:
        before = digests(dataset)
        path = dataset / table / "00003.parquet"
        damage(path, lambda data: data[:size])
        with pytest.raises(BeelineError, match="corrupt") as caught:
            Dataset(dataset)
        assert caught.value.file == str(path)
        make_set(files, dataset, siblings=True)
        assert digests(dataset) == before

    def test_a_flipped_byte_is_noticed(self, dataset: Path) -> None:
        path = dataset / "states" / "00003.parquet"
        damage(path, lambda data: data[:60] + bytes([data[60] ^ 255]) + data[61:])
        with pytest.raises(BeelineError, match="corrupt") as caught:
            summarize(Dataset(dataset))
        assert caught.value.file == str(path)

    @pytest.mark.parametrize("table", ["instances", "states"])
    def test_no_change_of_a_bit_goes_unnoticed(self, dataset: Path, table: str) -> None:
        path = dataset / table / "00003.parquet"
        original = path.read_bytes()
        for place in range(0, len(original), 97):
            damage(path, lambda data, at=place: data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
            with pytest.raises(BeelineError) as caught:
                summarize(Dataset(dataset))
            assert caught.value.file == str(path)
            path.write_bytes(original)

    def test_a_missing_shard_is_named(self, dataset: Path) -> None:
        (dataset / "states" / "00003.parquet").unlink()
        with pytest.raises(BeelineError, match="missing") as caught:
            Dataset(dataset)
        assert str(caught.value.file).endswith("00003.parquet")

    def test_shards_of_two_datasets_do_not_mix(
        self, files: list[str], dataset: Path, tmp_path: Path
    ) -> None:
        make_set(files, tmp_path / "other")
        shutil.copy(tmp_path / "other/states/00001.parquet", dataset / "states/00001.parquet")
        with pytest.raises(BeelineError, match="belongs to another dataset"):
            Dataset(dataset)
        with pytest.raises(BeelineError, match="belongs to another dataset"):
            make_set(files, dataset, siblings=True)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "manifest is broken"),
            ("[]", "manifest is broken"),
            ("{}", "format version None"),
            ('{"format_version": 2}', "format version 2, and this program reads 1"),
            ('{"format_version": 1}', "manifest is broken"),
        ],
    )
    def test_a_broken_manifest_is_named(self, dataset: Path, text: str, message: str) -> None:
        (dataset / "manifest.json").write_text(text)
        with pytest.raises(BeelineError, match=message):
            Dataset(dataset)

    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("shards", 999_999, "manifest is broken: fields have odd values"),
            ("shards", 2.0, "manifest is broken: 'shards' has an odd value"),
            ("seed", None, "manifest is broken: 'seed' has an odd value"),
            ("splits", "all", "manifest is broken: 'splits' has an odd value"),
            ("digests", [], "manifest is broken: 'digests' has an odd value"),
        ],
    )
    def test_odd_values_in_a_manifest_are_refused(
        self, dataset: Path, field: str, value: object, message: str
    ) -> None:
        path = dataset / "manifest.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), field: value}))
        with pytest.raises(BeelineError, match=message):
            Dataset(dataset)

    def test_a_pipe_in_the_place_of_a_shard_is_named(self, files: list[str], dataset: Path) -> None:
        path = dataset / "states" / "00000.parquet"
        path.unlink()
        os.mkfifo(path)
        with pytest.raises(
            BeelineError, match=r"00000\.parquet: the shard is corrupt: it is no file"
        ):
            Dataset(dataset)
        with pytest.raises(BeelineError, match="it is no file"):
            make_set(files, dataset, siblings=True)

    def test_other_directories_are_no_datasets(self, tmp_path: Path) -> None:
        with pytest.raises(BeelineError, match="no such dataset directory"):
            Dataset(tmp_path / "nowhere")
        with pytest.raises(BeelineError, match=r"no manifest\.json"):
            Dataset(tmp_path)
