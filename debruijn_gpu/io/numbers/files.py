"""Columns of numbers, from files and into files: text, .npy or raw."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.numbers.arrays import BlockStream, read_npy, read_raw, write_npy, write_raw
from debruijn_gpu.io.numbers.npy_reading import NPY_MAGIC
from debruijn_gpu.io.numbers.text import read_text, write_text
from debruijn_gpu.io.opening import Block, display_name, read_blocks
from debruijn_gpu.primitives.columns import Columns
from debruijn_gpu.run.file_formats import SEPARATORS

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import TextBackend
    from debruijn_gpu.primitives.options import TableOptions

#: Text or bytes read at once, at most
BLOCK_BYTES = 8 << 20

_BLOCK_SHARE = 64  # of the memory that is allowed: several blocks and what they are parsed to are held at a time
_LEAST_BLOCK_BYTES = 1 << 16


def read_columns(
    path: str,
    options: TableOptions,
    backend: TextBackend,
    threads: int = 1,
    n_bytes_allowed: int | None = None,
    block_bytes: int = BLOCK_BYTES,
    as_read: bool = False,
) -> Columns:
    """Read a whole file, or standard input (``-``).

    Parameters
    ----------
    path : str
    options : TableOptions
        The format of raw input; text and .npy are auto-detected.
    backend : NumberBackend
        Parses text.
    threads : int
        That parse text.
    n_bytes_allowed : int, optional
        More than this the numbers must not take.
    block_bytes : int
        What is read at once.
    as_read : bool
        Keep the lines of a text that would be written otherwise than they are, so that they can be written as read.

    Returns
    -------
    Columns
        Of NumPy arrays. A file without records gives one column of none.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If the file is not there or cannot be read.
    FormatError
        If its content is not as it should be.
    OutOfMemoryError
        If it takes more than is allowed.
    """
    if n_bytes_allowed is not None:
        block_bytes = min(block_bytes, max(_LEAST_BLOCK_BYTES, n_bytes_allowed // _BLOCK_SHARE))
    with closing(read_blocks(path, block_bytes, may_be_empty=True)) as blocks:
        first = _first_block(blocks)
        head = first.buffer[first.start : first.end][: len(NPY_MAGIC)].tobytes()
        whole = chain([first], () if first.final else blocks)
        if head == NPY_MAGIC:
            if options.dtype is not None:
                raise UsageError(f"{display_name(path)}: this is .npy, which tells its type", "leave --dtype out")
            return read_npy(path, BlockStream(whole), n_bytes_allowed)
        if options.dtype is not None:
            return read_raw(path, BlockStream(whole), options.dtype, options.n_columns, n_bytes_allowed)
        return read_text(path, whole, backend, threads, n_bytes_allowed, as_read)


def _first_block(blocks: Generator[Block, None, None]) -> Block:
    """Return the first block of a file, merged with the next ones until it is long enough to detect the format."""
    block = next(blocks)
    while block.end - block.start < len(NPY_MAGIC) and not block.final:
        more = next(blocks)
        parts = [each.buffer[each.start : each.end] for each in (block, more)]
        concatenated = np.concatenate(parts)
        block = Block(concatenated, 0, len(concatenated), more.final)
    return block


def write_columns(
    stream: BinaryIO, columns: Columns, options: TableOptions, backend: TextBackend, threads: int = 1
) -> None:
    """Write NumPy columns in their format, or in the one of the options; kept lines are copied."""
    kind = options.to or columns.file_format.kind
    if kind == "text" or kind in SEPARATORS:
        write_text(stream, columns, options.fields, backend, threads, SEPARATORS.get(kind))
        return
    arrays = [columns.column(field) for field in options.fields] or columns.arrays
    if kind == "npy":
        write_npy(stream, arrays)
    else:
        write_raw(stream, arrays)
