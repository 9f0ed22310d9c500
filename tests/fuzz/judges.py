"""What a result of reading is compared with: the same file in other blocks, and Biopython's verdict."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

from Bio.SeqIO.FastaIO import SimpleFastaParser
from Bio.SeqIO.QualityIO import FastqGeneralIterator

from debruijn_gpu.errors import DbgError
from debruijn_gpu.io.compression.inflating import MAGIC_BYTES, compression_of


class DisagreementError(AssertionError):
    """Two ways of reading give other results."""


def same_in_blocks(
    path: Path, read: Callable[[int], Any], block_bytes: int, other_bytes: int, compare: int | None = None
) -> Any:
    """Read in blocks of two sizes; return the result, or raise the error, that both have. Two thirds of files are read
    once, as their content decides.

    Damage of compressed data may be found before or after faults of their text: with these, errors may differ.

    `compare`: the item of the results that is compared; None: all.
    """
    if is_read_once(path.read_bytes()):
        return read(other_bytes)
    (one, error), (other, other_error) = (_outcome(read, n_bytes) for n_bytes in (block_bytes, other_bytes))
    if error and other_error and is_compressed(path):
        raise other_error
    if (error is None) != (other_error is None) or (error and other_error and error.what != other_error.what):
        raise DisagreementError(
            f"blocks of {block_bytes:,} bytes: {_shown(error)}; of {other_bytes:,}: {_shown(other_error)}"
        )
    if other_error is not None:
        raise other_error
    if (one, other) != (other, one) if compare is None else one[compare] != other[compare]:
        raise DisagreementError(f"blocks of {block_bytes:,} and {other_bytes:,} bytes: other results")
    return other


def is_read_once(content: bytes) -> bool:
    """Whether a file is read in blocks of one size only: two thirds of them are."""
    return zlib.crc32(content) % 3 > 0


def is_compressed(path: Path) -> bool:
    """Whether a file begins as compressed ones do."""
    with path.open("rb") as stream:
        return compression_of(stream.read(MAGIC_BYTES)) is not None


def _outcome(read: Callable[[int], Any], n_bytes: int) -> tuple[Any, DbgError | None]:
    try:
        return read(n_bytes), None
    except DbgError as error:
        return None, error


def _shown(error: DbgError | None) -> str:
    return "a result" if error is None else error.what


#: Letters of reads
_UNKNOWN = re.compile("[^ACGT]")


def judged_reads(path: Path, found: list[tuple[str, str]]) -> None:
    """Compare reads with what Biopython reads in the file, unless it reads nothing there.

    Raises
    ------
    DisagreementError
    """
    content = path.read_bytes()
    start = content.lstrip(b"\r\n \t")[:1]
    if start not in (b">", b"@"):
        return  # compressed, or one sequence per line
    text = StringIO(content.decode("latin-1"), newline="\n")
    try:
        if start == b">":
            records = [sequence for _, sequence in SimpleFastaParser(text)]
        else:
            records = [sequence for _, sequence, _ in FastqGeneralIterator(text)]
    except ValueError:
        return
    expected = [_UNKNOWN.sub("N", re.sub(r"\s", "", sequence).upper().replace("U", "T")) for sequence in records]
    if expected != [sequence for _, sequence in found]:
        raise DisagreementError(f"{len(found):,} records, where Biopython reads {len(expected):,}, or other sequences")
