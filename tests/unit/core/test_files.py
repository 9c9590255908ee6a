"""Files that are odd: pipes, devices, links, and places where nothing can be written."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from beeline.core import files as streams
from beeline.core.errors import BeelineError, ExitCode, WriteError
from beeline.core.files import (
    check_output,
    check_output_folder,
    check_replaceable,
    read_bytes,
    remove_leftovers,
    write_atomically,
    write_bytes_atomically,
    write_somewhere,
)

if TYPE_CHECKING:
    from pathlib import Path


class TestReading:
    def test_a_pipe_without_a_writer_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(streams, "PATIENCE", 0.05)
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(BeelineError, match="a pipe that nobody writes to"):
            read_bytes(tmp_path / "pipe", "plan file")

    def test_a_pipe_is_read_to_its_end(self, tmp_path: Path) -> None:
        pipe, data = tmp_path / "pipe", b"0123456789" * 100_000
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(data,))
        writer.start()
        assert read_bytes(pipe, "plan file") == data
        writer.join()

    def test_a_writer_may_think_longer_than_it_takes_to_open(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(streams, "PATIENCE", 0.01)
        reading, writing = os.pipe()
        timer = threading.Timer(0.2, lambda: (os.write(writing, b"late"), os.close(writing)))
        timer.start()
        assert read_bytes(f"/dev/fd/{reading}", "plan file") == b"late"
        os.close(reading)

    def test_only_the_beginning_of_a_pipe_is_kept(self) -> None:
        reading, writing = os.pipe()
        os.write(writing, b"0123456789")
        os.close(writing)
        assert read_bytes(f"/dev/fd/{reading}", "model", 4) == b"0123"
        os.close(reading)

    def test_a_device_without_an_end_is_refused(self) -> None:
        with pytest.raises(BeelineError, match="goes on after 1,048,576 bytes"):
            read_bytes("/dev/zero", "plan file")

    def test_a_device_without_content_is_an_empty_file(self) -> None:
        assert read_bytes(os.devnull, "plan file") == b""

    def test_a_socket_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)  # names of sockets are short
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("socket")
            with pytest.raises(BeelineError, match="is a socket, not a plan file"):
                read_bytes("socket", "plan file")


class TestTrials:
    def test_a_fine_place_is_left_as_it_was(self, tmp_path: Path) -> None:
        (tmp_path / "plan").write_text("(old)")
        check_output(tmp_path / "plan")
        check_output(tmp_path / "other")
        check_output_folder(tmp_path)
        check_output_folder(tmp_path / "new" / "folder")
        assert os.listdir(tmp_path) == ["plan"]
        assert (tmp_path / "plan").read_text() == "(old)"

    def test_names_that_cannot_be_files_are_bad_input(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "plan")
        for place, message in (
            (tmp_path, "is a folder"),
            (tmp_path / "no" / "plan", "there is no such folder"),
            (f"{tmp_path}/no/", "there is no such folder"),
            (tmp_path / "link", "there is no such folder"),
        ):
            with pytest.raises(BeelineError, match=message) as caught:
                check_output(place)
            assert caught.value.exit_code == ExitCode.BAD_INPUT

    def test_a_file_is_no_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        for place in (tmp_path / "file", tmp_path / "file" / "inside"):
            with pytest.raises(BeelineError, match="is not a folder"):
                check_output_folder(place)


class TestReplacing:
    def test_what_is_of_the_kind_or_empty_or_not_there_may_be_replaced(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "one").write_bytes(b"result 1")
        (tmp_path / "empty").touch()
        (tmp_path / "link").symlink_to(tmp_path / "one")
        for name in ("one", "empty", "link", "missing"):
            check_replaceable(tmp_path / name, "result", lambda data: data.startswith(b"result"))

    def test_streams_are_not_looked_into(self) -> None:
        check_replaceable(os.devnull, "result", lambda _: False)

    def test_anything_else_is_refused_by_its_first_bytes(self, tmp_path: Path) -> None:
        (tmp_path / "long").write_bytes(bytes(1_000_000))
        (tmp_path / "link").symlink_to(tmp_path / "long")
        sizes: list[int] = []

        def is_one(data: bytes) -> bool:
            sizes.append(len(data))
            return False

        for name in ("long", "link"):
            with pytest.raises(BeelineError, match=r"exists and is no result .*--force") as caught:
                check_replaceable(tmp_path / name, "result", is_one)
            assert caught.value.file == str(tmp_path / name)
        assert max(sizes) <= 2**16


class TestWriting:
    def test_a_link_stays_one(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to("plan")
        write_atomically(tmp_path / "link", "(go)\n")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "plan").read_text() == "(go)\n"

    def test_a_device_is_written_to_and_not_replaced(self) -> None:
        check_output(os.devnull)
        write_atomically(os.devnull, "(go)\n")
        assert stat.S_ISCHR(os.stat(os.devnull).st_mode)

    def test_a_pipe_without_a_reader_is_an_error(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(WriteError, match="cannot write") as caught:
            write_atomically(tmp_path / "pipe", "(go)\n")
        assert caught.value.exit_code == 32

    def test_standard_output_comes_in_order_even_if_it_is_a_file(self, tmp_path: Path) -> None:
        script = (
            "from beeline.core.files import write_atomically; print('before')\n"
            "write_atomically('/dev/stdout', '(go)\\n'); print('after')"
        )
        with open(tmp_path / "output", "w") as output:
            subprocess.run([sys.executable, "-c", script], stdout=output, check=True)
        assert (tmp_path / "output").read_text() == "before\n(go)\nafter\n"
        assert os.listdir(tmp_path) == ["output"]


# A limit on the size of files is a full disk that every user can have.
LITTLE_ROOM = """
import resource, sys
from beeline.core.errors import WriteError
from beeline.core.files import check_output, write_bytes_atomically
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
for step in (check_output, lambda path: write_bytes_atomically(path, bytes(10_000))):
    try:
        step(sys.argv[2])
    except WriteError as error:
        print(error)
"""


def test_a_full_disk_is_noticed_before_the_work_and_leaves_nothing(tmp_path: Path) -> None:
    message = f"{tmp_path}/m: cannot write: File too large (hint: make room on the disk)\n"
    for room, messages in ((100, 2 * message), (5000, message), (10_000, "")):
        run = subprocess.run(
            [sys.executable, "-c", LITTLE_ROOM, str(room), str(tmp_path / "m")],
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == messages
        assert os.listdir(tmp_path) == ([] if messages else ["m"])


class TestRescue:
    @pytest.fixture(autouse=True)
    def _temporary_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "temporary").mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))

    def test_what_can_be_written_is_where_it_belongs(self, tmp_path: Path) -> None:
        file = str(tmp_path / "m.beeline")
        assert write_somewhere(file, b"model") == (file, None)
        assert (tmp_path / "m.beeline").read_bytes() == b"model"

    def test_a_place_that_was_taken_meanwhile_has_another_beside_it(self, tmp_path: Path) -> None:
        (tmp_path / "m.beeline").mkdir()
        for name in ("m.rescued.beeline", "m.rescued-2.beeline"):
            place, failure = write_somewhere(tmp_path / "m.beeline", b"model")
            assert place == str(tmp_path / name)
            assert (tmp_path / name).read_bytes() == b"model"
            assert failure is not None
            assert failure.file == str(tmp_path / "m.beeline")

    def test_without_its_folder_it_goes_to_the_temporary_one(self, tmp_path: Path) -> None:
        place, failure = write_somewhere(tmp_path / "gone" / "m.beeline", b"model")
        assert place == str(tmp_path / "temporary" / "m.rescued.beeline")
        assert failure is not None

    def test_without_any_place_the_first_failure_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
        with pytest.raises(WriteError, match="gone/m: cannot write: No such file"):
            write_somewhere(tmp_path / "gone" / "m", b"model")

    def test_nothing_is_left_beside_a_pipe(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        place, failure = write_somewhere(tmp_path / "pipe", b"model")
        assert place == str(tmp_path / "temporary" / "pipe.rescued")
        assert failure is not None
        assert sorted(os.listdir(tmp_path)) == ["pipe", "temporary"]


def test_bytes_of_a_file_may_be_read_in_part(tmp_path: Path) -> None:
    write_bytes_atomically(tmp_path / "m", b"0123456789")
    assert read_bytes(tmp_path / "m", "model", 4) == b"0123"


def test_what_a_process_has_left_goes_when_it_has_ended(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "os.replace = lambda *_: os._exit(9)\n"
        "from beeline.core.files import write_atomically\n"
        "write_atomically(sys.argv[1], 'half')\n"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(tmp_path / "a.json")], check=False)
    assert ended.returncode == 9
    (left,) = tmp_path.iterdir()
    machine, number, _ = left.name.split(".")[-2].split("-")
    mine = tmp_path / f".b.json.{machine}-{os.getpid()}-x.tmp"
    elsewhere = tmp_path / f".c.json.{'0' * 8}-{number}-x.tmp"
    odd = [tmp_path / name for name in (".tmp.tmp", f".d.{machine}-x-y.tmp", ".e..tmp")]
    odd.append(tmp_path / f".f.{machine}-{'9' * 30}-y.tmp")
    for path in (mine, elsewhere, *odd):
        path.write_text("half")
    remove_leftovers(tmp_path, 60.0)
    assert sorted(tmp_path.iterdir()) == sorted([mine, elsewhere, *odd])
    remove_leftovers(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_long_names_have_room(tmp_path: Path) -> None:
    write_atomically(tmp_path / ("n" * 250), "all")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["all"]


def test_a_signal_just_after_the_renaming_is_no_failure_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.replace

    def interrupted(source: str, target: str) -> None:
        rename(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_bytes_atomically(tmp_path / "plan", b"(noop)\n")
    assert [path.name for path in tmp_path.iterdir()] == ["plan"]


def test_a_signal_just_after_writing_leaves_nothing_unfinished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = streams._write_temporary

    def interrupted(target: str, data: bytes) -> str:
        written(target, data)
        raise KeyboardInterrupt  # nobody has got the name of the file yet

    monkeypatch.setattr(streams, "_write_temporary", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_bytes_atomically(tmp_path / "plan", b"(noop)")
    assert not list(tmp_path.iterdir())
