"""Samples that a command line names, also through pipes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack

from debruijn_gpu.cli.paths import STANDARD_STREAM, note_inputs
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.reading_again import is_repeatable, readable_again
from debruijn_gpu.samples.sheet import Sample, read_samples


def samples_of(paths: Sequence[str], stack: ExitStack) -> list[Sample]:
    """Read samples; of standard input and of pipes a copy on the stack, which can be read several times.

    Raises
    ------
    DbgError
        As `read_samples`; UsageError if standard input is given twice, or an output is a file of a sample sheet.
    """
    if list(paths).count(STANDARD_STREAM) > 1:
        raise UsageError("standard input (-) is given more than once", "read it once")
    are_pipes = [path == STANDARD_STREAM or (os.path.exists(path) and not is_repeatable(path)) for path in paths]
    copies = [stack.enter_context(readable_again(*pair)) for pair in zip(paths, are_pipes, strict=True)]
    sources = {copy: path for copy, path in zip(copies, paths, strict=True) if copy != path}
    samples = read_samples(copies, sources)
    note_inputs(file for sample in samples for file in sample.files if file not in sources)
    return samples
