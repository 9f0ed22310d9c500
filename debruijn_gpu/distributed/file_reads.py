"""Reads of files that workers read, each a part of a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from debruijn_gpu.distributed.ranges import sources_of
from debruijn_gpu.distributed.reading import ReadSource
from debruijn_gpu.distributed.tally import ReadTally, lengths_of
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ReadBackend
    from debruijn_gpu.backends.reads.protocol import ReadBatch
    from debruijn_gpu.reads.options import ReadInputs
    from debruijn_gpu.reads.read_statistics import LengthMeter
    from debruijn_gpu.run.options import RunOptions


class FileReads:
    """Reads of files that workers read; iterated, they are read here.

    Parameters
    ----------
    inputs : ReadInputs
    meter : LengthMeter
        Measures them once, wherever they are read first.
    run : RunOptions
    backend : ReadBackend
        Of this process.
    """

    def __init__(self, inputs: ReadInputs, meter: LengthMeter, run: RunOptions, backend: ReadBackend) -> None:
        self._inputs = inputs
        self._meter = meter
        self._run = run
        self._backend = backend
        self._is_measured = False

    def __iter__(self) -> Iterator[ReadBatch]:
        if self._is_measured:
            return self._read()
        self._is_measured = True
        return self._meter.through(self._read())

    def _read(self) -> Iterator[ReadBatch]:
        return read_batches(self._inputs, self._backend, threads=self._run.threads, memory=self._run.memory)

    def sources(self, n_ranges: int, n_threads: int) -> dict[str, list[ReadSource]]:
        """Cut the files into parts for tasks; see `ranges.sources_of`."""
        return sources_of(self._inputs, n_ranges, n_threads)

    def take(self, tallies: dict[str, list[ReadTally]]) -> None:
        """Take the sums of all parts: lengths for the meter, warnings for the log, and names of mates to compare.

        Raises
        ------
        FormatError
            If mates do not fit.
        """
        for message in dict.fromkeys(text for parts in tallies.values() for part in parts for text in part.warnings):
            log.logger.warning("%s", message)
        for first, second in zip(self._inputs.first, self._inputs.second, strict=True):
            one, other = ReadTally.of_file(tallies[first]), ReadTally.of_file(tallies[second])
            is_sure = not (one.has_unnamed or other.has_unnamed)
            if one.n_reads != other.n_reads or (is_sure and one.names != other.names):
                what = f"{first} and {second} are not the mates of each other"
                self.explain(FormatError(what, "name the files of one run"))
        if not self._is_measured:
            self._is_measured = True
            for parts in tallies.values():
                self._meter.add(lengths_of(parts))

    def explain(self, error: FormatError) -> None:
        """Raise the error that reading in order raises, which names record and line; or else the one given."""
        for _batch in self._read():
            pass
        raise error
