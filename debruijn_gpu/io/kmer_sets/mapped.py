"""Load whole binary files: mapped where they are plain files, else read into memory."""

from __future__ import annotations

import mmap
import os
import stat
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.io.compression.inflating import MAGIC_BYTES, compression_of
from debruijn_gpu.io.opening import STANDARD_INPUT, check_readable, display_name, read_blocks
from debruijn_gpu.io.reading_again import within_budget

_BLOCK_BYTES = 1 << 22


def file_bytes(path: str) -> NDArray[np.uint8]:
    """Return the bytes of a file, or of standard input (``-``), inflated if they are compressed.

    A plain file is mapped, not read; others count towards the memory budget.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If the file is not there or cannot be read.
    FormatError
        If it is empty, or its compressed data are truncated or corrupt.
    OutOfMemoryError
        If what must be read takes more than the memory budget.
    """
    check_readable(path)
    if path != STANDARD_INPUT and stat.S_ISREG(os.stat(path).st_mode):
        with open(path, "rb") as file:
            mapped = np.frombuffer(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ), np.uint8)
        if compression_of(mapped[:MAGIC_BYTES].tobytes()) is None:
            return mapped
    with closing(read_blocks(path, _BLOCK_BYTES)) as blocks:
        parts = [block.buffer[block.start : block.end] for block in within_budget(blocks, display_name(path))]
    return np.concatenate(parts)
