"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from beeline.core.errors import BeelineError


def write_atomically(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to a temporary name in the same folder, then rename it to `path`.

    A reader, or a run that was killed, never sees half a file.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> write_atomically(folder / "plan", "(noop)\\n")
    >>> (folder / "plan").read_text()
    '(noop)\\n'
    """
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name}.", suffix=".tmp"
        )
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            # mkstemp makes private files; a plan should have the permissions of any other file.
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise BeelineError(
            f"cannot write: {error.strerror}",
            str(target),
            hint="does the folder exist, and may you write to it?",
        ) from error
