"""Files that replace each other: PREFIX.1, PREFIX.2, ..., each better than the one before."""

from __future__ import annotations

import os
from pathlib import Path

from beeline.core.errors import WriteError
from beeline.core.files import check_output, write_bytes_atomically


class NumberedFiles:
    """The numbered files of a prefix. Each appears under its name when it is whole.

    >>> import tempfile
    >>> files = NumberedFiles(Path(tempfile.mkdtemp()) / "plan")
    >>> files.write(b"(long way)"), files.write(b"(short cut)")
    (True, True)
    >>> files.write(b"(short cut)")
    False
    >>> [Path(name).name for name in files.written]
    ['plan.1', 'plan.2']
    """

    def __init__(self, prefix: str | os.PathLike[str]) -> None:
        self._prefix = Path(prefix)
        self._last: bytes | None = None
        self.written: list[str] = []
        check_output(self._path(1))

    def write(self, data: bytes) -> bool:
        """Write the next file, unless the last one says the same."""
        if data == self._last:
            return False
        path = self._path(len(self.written) + 1)
        write_bytes_atomically(path, data)
        self.written.append(str(path))
        self._last = data
        return True

    def try_to_write(self, data: bytes) -> WriteError | None:
        """The same, except that what fails is returned: the next file may be luckier."""
        try:
            self.write(data)
        except WriteError as error:
            return error
        return None

    def forget_old(self) -> None:
        """Remove the files of an earlier run, which would be taken for better ones."""
        for number in numbers(self._prefix):
            self._path(number).unlink()

    def _path(self, number: int) -> Path:
        return self._prefix.with_name(f"{self._prefix.name}.{number}")


def numbers(prefix: Path) -> list[int]:
    """The numbers of the files that a prefix has, ascending."""
    start = f"{prefix.name}."
    names = os.listdir(prefix.parent) if prefix.parent.is_dir() else []
    ends = [name.removeprefix(start) for name in names if name.startswith(start)]
    return sorted(int(end) for end in ends if end.isdecimal() and end == str(int(end)))


def latest(path_or_prefix: str | os.PathLike[str]) -> Path:
    """The file itself, or if there is none of this name the last one that it is the prefix of."""
    path = Path(path_or_prefix)
    found = [] if path.exists() else numbers(path)
    return path.with_name(f"{path.name}.{found[-1]}") if found else path
