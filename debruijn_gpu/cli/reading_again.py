"""Inputs that are read twice, whatever they are: pipes too."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from debruijn_gpu.errors import DbgError
from debruijn_gpu.io.opening import STANDARD_INPUT, check_readable, display_name


@contextmanager
def readable_again(source: str, needed: bool) -> Iterator[str]:
    """A name by which an input can be read more than once, if that is needed: a copy of what comes from a pipe.

    Errors of reading it tell the name that it was given by.
    """
    if not needed or (source != STANDARD_INPUT and (os.path.isfile(source) or os.path.isdir(source))):
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
