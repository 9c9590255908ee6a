"""Inputs that are made once, in a child process: libraries with threads must not be forked."""

from __future__ import annotations

import sys
from multiprocessing import get_context
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    Maker = Callable[[], dict[str, bytes]]


def made_in_a_child(maker: Maker, what: str) -> dict[str, bytes]:
    """Files by name, as `maker` returns them; none where a library is missing, and a word of it.

    A maker that breaks ends the run: fuzzing without its files would pass for fuzzing with them.
    """
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(maker, there))
    process.start()
    there.close()
    try:
        made = here.recv()
    except EOFError:
        process.join()
        sys.exit(f"no {what}: making them failed")
    process.join()
    if isinstance(made, str):
        print(f"no {what}: {made}", file=sys.stderr)
        return {}
    files: dict[str, bytes] = made
    return files


def _send(maker: Maker, pipe: Connection) -> None:
    try:
        pipe.send(maker())
    except ImportError as error:
        pipe.send(str(error))
