"""Reading of plain and compressed files in blocks."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xopen import xopen

from debruijn_gpu.errors import FileAccessError, FormatError, InputNotFoundError

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class Block:
    """Some text of a file: ``buffer[start:end]``; the last block of a file is final."""

    buffer: NDArray[np.uint8]
    start: int
    end: int
    final: bool


def display_name(path: str) -> str:
    """The name of a file in messages."""
    return "standard input" if path == STANDARD_INPUT else path


def read_blocks(path: str, block_bytes: int) -> Generator[Block, None, None]:
    """Read a file, or standard input (``-``), in blocks."""
    name = display_name(path)
    try:
        with xopen(sys.stdin.buffer if path == STANDARD_INPUT else path, "rb", threads=0) as stream:
            final = False
            while not final:
                text = stream.read(block_bytes)
                final = not text
                yield Block(np.frombuffer(text, np.uint8), 0, len(text), final)
    except FileNotFoundError as error:
        raise InputNotFoundError(f"{name}: {error.strerror}", "check the name of the file") from error
    except (EOFError, zlib.error) as error:
        raise FormatError(f"{name}: the compressed data are truncated or corrupt") from error
    except OSError as error:
        raise FileAccessError(
            f"{name}: {error.strerror or error}", "check that the file can be read"
        ) from error
