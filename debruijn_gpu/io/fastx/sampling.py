"""Read the beginning of each file of reads, and estimate what all of them hold."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.compression.inflating import MAGIC_BYTES, compression_of
from debruijn_gpu.io.fastx.reads import batch_of, check_distinct
from debruijn_gpu.io.fastx.records import read_records
from debruijn_gpu.io.opening import Block, display_name, read_blocks
from debruijn_gpu.run import progress

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ReadBackend
    from debruijn_gpu.reads.options import ReadInputs

_BLOCK_BYTES = 1 << 18
_BLOCKS_AHEAD = 3  # that the reading thread is ahead of its consumer


class ReadSample:
    """The first reads of each file.

    Parameters
    ----------
    inputs : ReadInputs
        Files, no pipes.
    n_bytes : int
        Text to read, of all files together.
    backend : ReadBackend

    Attributes
    ----------
    file_bytes : int
        Size of all files.
    n_compressed : int
        Bytes of them that are compressed.
    is_whole : bool
        Whether all text was read; known when the batches are.

    Raises
    ------
    UsageError
        If an input cannot be read twice.
    """

    def __init__(self, inputs: ReadInputs, n_bytes: int, backend: ReadBackend) -> None:
        check_distinct(inputs)
        for path in inputs.paths:
            if not os.path.isfile(path):
                raise UsageError(f"{display_name(path)}: the needs of a pipe cannot be estimated", "give files")
        self._sizes = {path: os.path.getsize(path) for path in inputs.paths}
        self.file_bytes = sum(self._sizes.values())
        self.n_compressed = sum(size for path, size in self._sizes.items() if _is_compressed(path))
        self._n_bytes = n_bytes
        self._backend = backend
        self._read: dict[str, int] = {}
        self._text: dict[str, float] = {}
        self.is_whole = True

    def batches(self) -> Iterator[ReadBatch]:
        """Yield the reads, once."""
        for path, size in self._sizes.items():
            wanted = max(_BLOCK_BYTES, self._n_bytes * size // self.file_bytes)
            with progress.running(f"sample {path}") as step, closing(self._first(path, wanted, step)) as blocks:
                for reads in read_records(path, self._backend, _BLOCK_BYTES, 1, blocks=blocks):
                    yield batch_of(reads)

    def _first(self, path: str, wanted: int, step: progress.Step) -> Generator[Block, None, None]:
        """Pass the first blocks of a file, and note how much text of how many bytes they are."""
        n_text, is_whole = 0, False
        with closing(read_blocks(path, _BLOCK_BYTES)) as blocks:
            for block in blocks:
                n_text += block.end - block.start
                self._read[path], is_whole = n_text, block.final
                n_ahead = 0 if is_whole else _BLOCKS_AHEAD * _BLOCK_BYTES
                share = 1.0 if is_whole else min(1.0, step.state()[0] / self._sizes[path])
                self._text[path] = (n_text + n_ahead) / max(share, 1e-9) if _is_compressed(path) else self._sizes[path]
                yield block
                if n_text >= wanted:
                    break
        self.is_whole &= is_whole

    @property
    def scale(self) -> float:
        """How many times as much text as was read there is."""
        return sum(self._text.values()) / max(1, sum(self._read.values()))


def _is_compressed(path: str) -> bool:
    with open(path, "rb") as stream:
        return compression_of(stream.read(MAGIC_BYTES)) is not None
