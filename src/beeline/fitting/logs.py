"""What happened in training, as a table in CSV and as TensorBoard events.

A run that was killed and resumed leaves the same table as one that was not: the rows up to the
checkpoint are written anew, the rest follows.

Loss curves of training runs as a picture: what was minimised, and what weights are chosen by.
"""

from __future__ import annotations

import threading
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError, install_hint
from beeline.core.files import read_text, write_atomically, write_error

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from typing_extensions import Self

    from beeline.core.errors import WriteError

    History = Mapping[str, Sequence[float]]


CSV_NAME = "log.csv"
EVENTS_FOLDER = "tensorboard"
STEP, TRAIN_LOSS = "step", "train_loss"
VALIDATION = "val_"  # how the names of validation metrics begin


class Log:
    """The logs of one run, open for more rows.

    `rows` are those of a checkpoint, whose last step is `step`; each has a value per column. Rows
    that cannot be written do not end a training: `failure` says why they are missing.
    """

    def __init__(
        self,
        folder: Path,
        columns: Sequence[str],
        rows: Sequence[Sequence[float]],
        *,
        step: int,
        tensorboard: bool,
    ) -> None:
        self._columns = tuple(columns)
        self._folder = folder
        self.failure: WriteError | None = None
        path = folder / CSV_NAME
        lines = [",".join(columns), *(_line(row) for row in rows)]
        write_atomically(path, "".join(f"{line}\n" for line in lines))
        self._table = path.open("a", encoding="utf-8")
        self._events: Any = None
        self._told_of_threads = threading.excepthook
        if tensorboard:
            threading.excepthook = self._tell_of_thread
            with self._noting_failures():
                self._events = _event_writer(folder / EVENTS_FOLDER, step)

    def add(self, row: Sequence[float]) -> None:
        """One more row, whose first value is the step."""
        with self._noting_failures():
            self._table.write(_line(row) + "\n")
            self._table.flush()
        if self._events is not None:
            with self._noting_failures():
                for name, value in zip(self._columns[1:], row[1:], strict=True):
                    group, _, metric = name.partition("_")
                    self._events.add_scalar(f"{group}/{metric}", value, int(row[0]))

    def close(self) -> None:
        """Finish the files."""
        for stream in filter(None, (self._table, self._events)):
            with self._noting_failures():
                stream.close()
        threading.excepthook = self._told_of_threads

    def _tell_of_thread(self, event: threading.ExceptHookArgs) -> None:
        """TensorBoard writes in a thread; what fails there is told once more when it is closed."""
        if not issubclass(event.exc_type, OSError):
            self._told_of_threads(event)

    @contextmanager
    def _noting_failures(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.failure = write_error(error, str(error.filename or self._folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def read_log(path: Path) -> dict[str, list[float]]:
    """The columns of a table that a `Log` wrote."""
    lines = [line.split(",") for line in read_text(path, "training log").splitlines()]
    if not lines or lines[0][:2] != [STEP, TRAIN_LOSS]:
        raise BeelineError("not a log of training", str(path), hint=f"it is called {CSV_NAME}")
    try:
        columns = enumerate(lines[0])
        return {name: [float(row[place]) for row in lines[1:]] for place, name in columns}
    except (ValueError, IndexError):
        raise BeelineError(
            "the log of training is broken", str(path), hint="train again: it is written anew"
        ) from None


def _line(row: Sequence[float]) -> str:
    """A row as text that gives exactly the same numbers when it is read.

    >>> _line([100.0, 0.1, 2.0])
    '100,0.1,2.0'
    """
    return ",".join([str(int(row[0])), *(repr(float(value)) for value in row[1:])])


def _event_writer(folder: Path, step: int) -> Any:
    """A writer that hides earlier events after `step`; None where TensorBoard is missing."""
    from importlib.util import find_spec

    if find_spec("tensorboard") is None:
        warnings.warn(
            "TensorBoard is not installed: training logs go to CSV only"
            f" ({install_hint('neural')})",
            stacklevel=3,
        )
        return None
    from torch.utils.tensorboard import SummaryWriter

    purge = step + 1 if step else None
    return SummaryWriter(str(folder), purge_step=purge, max_queue=1000, flush_secs=30)


MOST_RUNS = 10  # as many as there are colours


def plot_curves(
    histories: Mapping[str, History], path: str | os.PathLike[str], *, title: str = ""
) -> None:
    """Draw the logs of runs, by label, into a file whose ending says the format.

    On the left the loss in training, with the same on validation states dashed; on the right the
    squared error on validation states, logarithmic, with its smallest value marked.
    """
    if not 0 < len(histories) <= MOST_RUNS:
        raise BeelineError(
            f"there are {len(histories)} runs to draw", hint=f"name 1 to {MOST_RUNS} of them"
        )
    try:
        from matplotlib.figure import Figure  # draws into files without any screen
    except ImportError:
        what = "drawing needs matplotlib, which is not installed"
        raise BeelineError(what, hint=install_hint("report")) from None
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    losses, errors = figure.subplots(1, 2)
    for number, (label, history) in enumerate(histories.items()):
        colour = f"C{number}"
        steps = history[STEP]
        losses.plot(steps, history[TRAIN_LOSS], colour, linewidth=1.0, alpha=0.6, label=label)
        if (nll := history.get(f"{VALIDATION}nll")) is not None:
            losses.plot(steps, nll, colour, linewidth=1.2, linestyle="--")
        if (mse := history.get(f"{VALIDATION}mse")) is not None:
            best = min(range(len(mse)), key=mse.__getitem__)
            errors.plot(steps, mse, colour, linewidth=1.2, label=f"{label}: {mse[best]:.3g}")
            errors.plot([steps[best]], [mse[best]], f"{colour}o", markersize=5)
    _dress(losses, "training loss (dashed: validation)")
    _dress(errors, "validation MSE (dot: smallest)")
    errors.set_yscale("log")
    if title:
        figure.suptitle(title)
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise BeelineError(
            f"cannot draw the curves: {error}"[:200], str(path), hint="name a .png, .svg or .pdf"
        ) from None


def _dress(axes: Any, title: str) -> None:
    axes.set_title(title, fontsize=10)
    axes.set_xlabel("steps")
    axes.grid(visible=True, which="both", alpha=0.2)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=8)
