"""Files: read with clear errors, written whole or not at all.

What takes long to compute should not be lost to a full disk: places are tried before the work
begins, and a result that cannot be written where it belongs goes somewhere else.

Reading what is no file on a disk: pipes, as in `<(...)` and `/dev/stdin`, and terminals.

Nobody may wait for ever for a pipe that nobody writes to, nor read a device without an end.
"""

from __future__ import annotations

import os
import select
import stat
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError, WriteError

if TYPE_CHECKING:
    from collections.abc import Callable

TEMPORARY = ".tmp"  # how the names of unfinished files end
BEGINNING = 2**16  # bytes of a file that tell what it is
TRIAL_SIZE = 4096  # bytes; on a full disk there may still be room for an empty file
RESCUED = "rescued"  # part of the name of a file that stands beside the one that was wanted

_CONTROL_BYTES = bytes(code for code in range(32) if code not in b"\t\n\v\f\r")


def read_text(path: str | os.PathLike[str], kind: str) -> str:
    """The text of a file: UTF-8, or Latin-1 if it is not valid UTF-8.

    `kind`, such as "plan file", is what messages call the file that is wanted.
    """
    data = read_bytes(path, kind)
    if data[:3] == b"\xef\xbb\xbf":
        data = data[3:]
    refuse_binary(data, str(path), kind)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_bytes(path: str | os.PathLike[str], kind: str, most: int = -1) -> bytes:
    """The bytes of a file, all of them or `most` at the beginning.

    Pipes are read, too, up to a size that no sensible one has; other things are refused.
    """
    name = str(path)
    try:
        mode = _mode(path)
        if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            return read_stream(name, mode, kind)[: most if most >= 0 else None]
        with open(path, "rb") as stream:
            return stream.read(most)
    except FileNotFoundError:
        message, hint = "no such file", "check the path"
    except IsADirectoryError:
        message, hint = f"is a directory, not a {kind}", "name a file inside it"
    except PermissionError:
        message, hint = "permission denied", "may you read this file?"
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message, hint = f"cannot read: {reason}", "check the path"
    raise BeelineError(message, name, hint=hint)


def refuse_binary(data: bytes, name: str, kind: str) -> None:
    """Raise an error if the bytes cannot be a text."""
    if len(data.translate(None, _CONTROL_BYTES)) != len(data):
        message = "not a text file: it has control characters"
        raise BeelineError(message, name, hint=f"is this a {kind}?")


def check_output(path: str | os.PathLike[str]) -> None:
    """Refuse a file that could not be written; called before the work, leaves nothing behind."""
    name = str(path)
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise BeelineError("is a folder", name, hint="name a file in it")
    for folder in (os.path.dirname(name) or ".", os.path.dirname(target)):
        if not os.path.isdir(folder):
            raise BeelineError("there is no such folder", folder, hint="make it first")
    if not _is_stream(target):
        _try_writing(target, name)


def check_replaceable(
    path: str | os.PathLike[str], kind: str, is_one: Callable[[bytes], bool]
) -> None:
    """Refuse a file that holds something else than a result of this kind.

    `is_one` is asked about the first bytes of the file; an empty one holds nothing to lose.
    """
    target = os.path.realpath(path)
    if not os.path.isfile(target) or _is_stream(target):
        return
    try:
        beginning = read_bytes(target, kind, BEGINNING)
        known = not beginning or is_one(beginning)
    except BeelineError:  # nobody may read it
        known = False
    if not known:
        raise BeelineError(
            f"exists and is no {kind}", str(path), hint="another -o FILE, or --force"
        )


def check_output_folder(path: str | os.PathLike[str]) -> None:
    """The same for a folder, which need not exist yet, and is not made."""
    place = os.path.abspath(path)
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    if not os.path.isdir(place):
        raise BeelineError("is not a folder", place, hint="choose another one to write to")
    _try_writing(os.path.join(place, "trial"), place)


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder, and those above it, unless there is one."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise write_error(error, str(error.filename or path)) from None


def remove_leftovers(folder: str | os.PathLike[str], idle: float = 0.0) -> None:
    """Remove what runs that were killed have left in a folder and below it.

    Unfinished files that were touched less than `idle` seconds ago may belong to somebody, unless
    the process of this machine that was writing them has ended.
    """
    import time
    from contextlib import suppress
    from pathlib import Path

    for path in list(Path(folder).rglob(f".*{TEMPORARY}")):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime >= idle or _is_orphan(path.name):
                path.unlink()


def _is_orphan(name: str) -> bool:
    """Whether the writer of an unfinished file was a process of this machine, and is no more."""
    machine, number, *_ = (*name.split(".")[-2].split("-"), "", "")
    if machine != _machine() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # somebody else's, or no number of a process
        pass
    return False


def _machine() -> str:
    """Eight letters for the machine that this is."""
    from zlib import crc32

    return f"{crc32(os.uname().nodename.encode()):08x}"


def write_atomically(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to a temporary name in the same folder, then rename it to `path`.

    A reader, or a run that was killed, never sees half a file.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> write_atomically(folder / "plan", "(noop)\\n")
    >>> (folder / "plan").read_text()
    '(noop)\\n'
    """
    write_bytes_atomically(path, text.encode("utf-8"))


def write_bytes_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """The same for bytes, which are on the disk, not only on their way, when this returns.

    A link stays one, and its target is written. Pipes and devices take the bytes as they come.
    """
    target = os.path.realpath(path)
    try:
        if _is_stream(target):
            _write_stream(target, data)
            return
        try:
            temporary = _write_temporary(target, data)
            # mkstemp makes private files; a plan should have the permissions of any other file.
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)
            os.replace(temporary, target)
        except BaseException:  # a signal may come before anything here knows the file's name
            _discard(target)
            raise
    except OSError as error:
        raise write_error(error, str(path)) from error


def write_somewhere(path: str | os.PathLike[str], data: bytes) -> tuple[str, WriteError | None]:
    """Write bytes to a file; if that fails beside it, or else to the temporary folder.

    Returns where they are, and what failed. The error is raised if they cannot be kept anywhere.
    """
    from contextlib import suppress
    from pathlib import Path
    from tempfile import gettempdir

    try:
        write_bytes_atomically(path, data)
        return str(path), None
    except WriteError as error:
        failure = error
    wanted = Path(path)
    folders = [] if _is_stream(os.path.realpath(path)) else [wanted.absolute().parent]
    with suppress(OSError):  # there may be no place for temporary files
        folders.append(Path(gettempdir()))
    for folder in folders:
        number, other = 1, folder / f"{wanted.stem}.{RESCUED}{wanted.suffix}"
        while os.path.lexists(other):
            number += 1
            other = folder / f"{wanted.stem}.{RESCUED}-{number}{wanted.suffix}"
        try:
            write_bytes_atomically(other, data)
        except WriteError:
            continue
        return str(other), failure
    raise failure


def write_error(error: OSError, name: str) -> WriteError:
    """What the system says when a file cannot be written, in one line."""
    import errno

    no_room = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    hint = "make room on the disk" if no_room else "does the folder exist, and may you write to it?"
    return WriteError(f"cannot write: {error.strerror or error}", name, hint=hint)


def _write_temporary(target: str, data: bytes) -> str:
    """A new file beside the target with these bytes; its name."""
    import tempfile

    folder, prefix = _unfinished(target)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=prefix, suffix=TEMPORARY)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


def _unfinished(target: str) -> tuple[str, str]:
    """Where this process writes what shall become a file, and how its name begins."""
    folder, name = os.path.split(target)
    return folder, f".{name[:200]}.{_machine()}-{os.getpid()}-"


def _discard(target: str) -> None:
    """Remove what this process has not finished writing."""
    from contextlib import suppress

    folder, prefix = _unfinished(target)
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(prefix) and name.endswith(TEMPORARY):
                os.unlink(os.path.join(folder, name))


def _try_writing(target: str, name: str) -> None:
    try:
        os.unlink(_write_temporary(target, bytes(TRIAL_SIZE)))
    except OSError as error:
        raise write_error(error, name) from None


def _is_stream(target: str) -> bool:
    """Whether a file takes bytes as they come: a pipe, a device, or standard output itself."""
    mode = _mode(target)
    if mode is None or stat.S_ISDIR(mode):
        return False
    return not stat.S_ISREG(mode) or _is_standard_output(target)


def _mode(path: str | os.PathLike[str]) -> int | None:
    """What kind of file it is; None if there is none, or none that one may look at."""
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError):
        return None


def _is_standard_output(target: str) -> bool:
    try:
        return os.path.samestat(os.stat(target), os.fstat(1))
    except OSError:  # there is none
        return False


def _write_stream(target: str, data: bytes) -> None:
    import sys

    if _is_standard_output(target):
        if sys.stdout is not None:
            sys.stdout.flush()
        handle = os.dup(1)
    else:  # a pipe without a reader is an error instead of a wait without end
        handle = os.open(target, os.O_WRONLY | os.O_NONBLOCK)
        os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)


LARGEST_PIPE = 2**28  # bytes
LARGEST_DEVICE = 2**20  # bytes that come from a terminal
PATIENCE: float | None = 2.0  # seconds that the other end of a pipe may take to open it
_PART = 2**16  # bytes


def read_stream(name: str, mode: int, kind: str) -> bytes:
    """All bytes of a pipe, or of a device that has an end; `mode` is what the system calls it."""
    if not stat.S_ISFIFO(mode) and not stat.S_ISCHR(mode):
        what = "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise BeelineError(f"is {what}, not a {kind}", name, hint="name a file")
    most = LARGEST_PIPE if stat.S_ISFIFO(mode) else LARGEST_DEVICE
    data, seconds = bytearray(), PATIENCE
    events = select.poll()
    handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
    try:
        events.register(handle, select.POLLIN)
        while len(data) <= most:
            told = events.poll(seconds and seconds * 1000)
            try:
                part = os.read(handle, _PART)
            except BlockingIOError:  # somebody has opened the other end, and may think
                seconds = None
                continue
            if not part and not told and not data:
                raise BeelineError("a pipe that nobody writes to", name, hint=f"name a {kind}")
            if not part:
                return bytes(data)
            data += part
    finally:
        os.close(handle)
    raise BeelineError(f"goes on after {most:,} bytes", name, hint=f"is this a {kind}?")
