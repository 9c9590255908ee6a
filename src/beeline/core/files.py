"""Text files: read with clear errors, written whole or not at all."""

from __future__ import annotations

import os

from beeline.core.errors import BeelineError

TEMPORARY = ".tmp"  # how the names of unfinished files end

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
    """The bytes of a file, all of them or `most` at the beginning."""
    name = str(path)
    try:
        with open(path, "rb") as stream:
            return stream.read(most)
    except FileNotFoundError:
        raise BeelineError("no such file", name, hint="check the path") from None
    except IsADirectoryError:
        raise BeelineError(
            f"is a directory, not a {kind}", name, hint="name a file inside it"
        ) from None
    except PermissionError:
        raise BeelineError("permission denied", name, hint="may you read this file?") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BeelineError(f"cannot read: {reason}", name, hint="check the path") from None


def refuse_binary(data: bytes, name: str, kind: str) -> None:
    """Raise an error if the bytes cannot be a text."""
    if len(data.translate(None, _CONTROL_BYTES)) != len(data):
        raise BeelineError(
            "not a text file: it has control characters", name, hint=f"is this a {kind}?"
        )


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
    """The same for bytes, which are on the disk, not only on their way, when this returns."""
    import errno
    import tempfile
    from pathlib import Path

    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name}.", suffix=TEMPORARY
        )
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            # mkstemp makes private files; a plan should have the permissions of any other file.
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise BeelineError(
            f"cannot write: {error.strerror}",
            str(target),
            hint="make room on the disk"
            if full
            else "does the folder exist, and may you write to it?",
        ) from error
