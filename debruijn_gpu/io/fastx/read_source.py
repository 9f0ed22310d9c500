"""Reads for counting: of this process, or of an engine that reads them elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from debruijn_gpu.io.fastx.reads import Blocks, read_batches

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ReadBackend
    from debruijn_gpu.backends.reads.protocol import ReadBatch
    from debruijn_gpu.kmers.engine import KmerEngine
    from debruijn_gpu.reads.options import ReadInputs
    from debruijn_gpu.reads.read_statistics import LengthMeter
    from debruijn_gpu.run.options import RunOptions


def measured_reads(
    inputs: ReadInputs,
    meter: LengthMeter,
    run: RunOptions,
    backend: ReadBackend,
    engine: KmerEngine | None = None,
    opened: Mapping[str, Blocks] | None = None,
) -> Iterable[ReadBatch]:
    """Return the reads of files, which a meter measures.

    Parameters
    ----------
    inputs, backend, opened
        See `read_batches`.
    meter : LengthMeter
    run : RunOptions
    engine : KmerEngine or None
        Reads files elsewhere, unless they are open here.
    """
    if engine is not None and not opened:
        return engine.reads(inputs, meter, backend)
    return meter.through(read_batches(inputs, backend, threads=run.threads, memory=run.memory, opened=opened))
