"""Columns of numbers, from files and into files: text, .npy or raw."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from debruijn_gpu.errors import FormatError, UsageError
from debruijn_gpu.io.numbers.arrays import BlockStream, concatenate, read_npy, read_raw, write_npy, write_raw
from debruijn_gpu.io.numbers.npy_reading import NPY_MAGIC
from debruijn_gpu.io.numbers.reading import Demand, TextReader
from debruijn_gpu.io.numbers.text import write_text
from debruijn_gpu.io.numbers.text_tables import Table
from debruijn_gpu.io.opening import Block, display_name, read_blocks
from debruijn_gpu.io.reading_again import COPIES
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
    """Read a whole file of numbers, or standard input (``-``); see `read_table`."""
    demand = Demand(as_read=as_read)
    return read_table([path], options, demand, backend, threads, n_bytes_allowed, block_bytes).columns


def read_table(
    paths: Sequence[str],
    options: TableOptions,
    demand: Demand,
    backend: TextBackend,
    threads: int = 1,
    n_bytes_allowed: int | None = None,
    block_bytes: int = BLOCK_BYTES,
) -> Table:
    """Read the records of whole files, or standard input (``-``), one file after another.

    Parameters
    ----------
    paths : sequence of str
    options : TableOptions
        The format of raw input; text and .npy are auto-detected.
    demand : Demand
        Columns that are compared, and whether records are written as they were read.
    backend : TextBackend
        Parses text.
    threads : int
        That parse text.
    n_bytes_allowed : int, optional
        More than this the numbers must not take.
    block_bytes : int
        What is read at once.

    Returns
    -------
    Table
        Of NumPy arrays. Files without records give one column of none.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If a file is not there or cannot be read.
    FormatError
        If its content is not as it should be, or the files have different formats or columns.
    OutOfMemoryError
        If they take more than is allowed.
    """
    if n_bytes_allowed is not None:
        block_bytes = min(block_bytes, max(_LEAST_BLOCK_BYTES, n_bytes_allowed // _BLOCK_SHARE))
    least_columns = max((field + 1 for field in options.fields), default=1)
    text = TextReader(demand, backend, threads, n_bytes_allowed, least_columns)
    arrays: list[Columns] = []
    texts: list[str] = []
    for path in paths:
        with closing(read_blocks(path, block_bytes, may_be_empty=True)) as blocks:
            first = _first_block(blocks)
            whole = chain([first], () if first.final else blocks)
            left = None if n_bytes_allowed is None else n_bytes_allowed - COPIES * sum(c.nbytes for c in arrays)
            columns = _read_arrays(path, first, whole, options, demand, left)
            if columns is not None:
                arrays.append(columns)
            elif first.end > first.start or len(paths) == 1:
                texts.append(path)
                text.add(path, whole)
        if texts and arrays:
            raise FormatError(f"{display_name(path)}: both text and .npy among the files", "give one format")
    return Table(concatenate(arrays), {}) if arrays else text.table()


def _read_arrays(
    path: str,
    first: Block,
    whole: Iterable[Block],
    options: TableOptions,
    demand: Demand,
    n_bytes_allowed: int | None,
) -> Columns | None:
    """Read .npy, or raw numbers; None for text."""
    is_npy = first.buffer[first.start : first.end][: len(NPY_MAGIC)].tobytes() == NPY_MAGIC
    if is_npy and options.dtype is not None:
        raise UsageError(f"{display_name(path)}: this is .npy, which tells its type", "leave --dtype out")
    if not is_npy and options.dtype is None:
        return None
    if demand.header or any(key.is_text for key in demand.keys or ()):
        what = "header" if demand.header else "column of text"
        raise UsageError(f"{display_name(path)}: no {what} in {'.npy' if is_npy else 'raw numbers'}", "leave it out")
    stream = BlockStream(whole)
    if options.dtype is not None:
        return read_raw(path, stream, options.dtype, options.n_columns, n_bytes_allowed)
    return read_npy(path, stream, n_bytes_allowed)


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
