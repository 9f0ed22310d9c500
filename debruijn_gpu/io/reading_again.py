"""Inputs that are read several times, also pipes, FIFOs and devices, which can be opened once."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from debruijn_gpu.errors import DbgError
from debruijn_gpu.io.opening import STANDARD_INPUT, check_readable, display_name


def is_repeatable(source: str) -> bool:
    """Whether an input can be opened and read again: a regular file or a directory, and no pipe."""
    return source != STANDARD_INPUT and (os.path.isfile(source) or os.path.isdir(source))


@contextmanager
def readable_again(source: str, needed: bool) -> Iterator[str]:
    """Path by which an input can be read several times, if that is needed: of a pipe a temporary copy.

    Errors of reading the copy name the input.
    """
    if not needed or is_repeatable(source):
        yield source
        return
    check_readable(source, may_be_empty=True)
    with tempfile.NamedTemporaryFile(prefix="dbg-") as copy:
        with open(0 if source == STANDARD_INPUT else source, "rb", closefd=source != STANDARD_INPUT) as stream:
            shutil.copyfileobj(stream, copy)
        copy.flush()
        try:
            yield copy.name
        except DbgError as error:
            error.what = error.what.replace(copy.name, display_name(source))
            raise
