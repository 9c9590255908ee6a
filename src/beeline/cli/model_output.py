"""Where commands that learn leave their models: where they were told to, or at least somewhere."""

from __future__ import annotations

from os.path import getsize
from typing import TYPE_CHECKING

from beeline.cli.messages import error_fields, print_error

if TYPE_CHECKING:
    from beeline.core.errors import WriteError
    from beeline.learned.model_file import AnyModel


class SavedModel:
    """A model on disk, perhaps not where it was wanted."""

    def __init__(self, model: AnyModel, output: str) -> None:
        from beeline.core.files import write_somewhere
        from beeline.learned.model_file import to_bytes

        self.failure: WriteError | None
        self.file, self.failure = write_somewhere(output, to_bytes(model))
        if self.failure is not None:
            self.failure.hint = f"the model is in {self.file}"

    def fields(self) -> dict[str, object]:
        """What the JSON object of a command says of it."""
        place: dict[str, object] = {"model": self.file, "bytes": getsize(self.file)}
        return place if self.failure is None else {**place, "error": error_fields(self.failure)}

    def exit_code(self) -> int:
        """The exit code of the command; a failure is told before."""
        if self.failure is None:
            return 0
        print_error(str(self.failure))
        return self.failure.exit_code
