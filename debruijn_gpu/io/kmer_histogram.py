"""Read k-mer histograms: two columns, multiplicity and number of distinct k-mers, as other counters write them too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.lines import TextStart, find_text, split_lines
from debruijn_gpu.io.opening import Block, display_name
from debruijn_gpu.run import log

_COMMENT = b"#"
_ROW = re.compile(rb"[ \t]*([0-9]{1,18})(?:[ \t]+|[ \t]*,[ \t]*)([0-9]{1,18})[ \t\r]*")
_MOST_LINE_BYTES = 1 << 16
_MOST_KMERS = (1 << 62) - 1
#: A last row with this many times the k-mers of the row before it holds those of larger multiplicities, too.
_CAPPED = 10


@dataclass(frozen=True)
class KmerHistogram:
    """Rows of a k-mer histogram.

    Attributes
    ----------
    multiplicity : ndarray, dtype=int64, shape=(n,)
        Ascending, 1 or more.
    frequency : ndarray, dtype=int64, shape=(n,)
        Distinct k-mers of each multiplicity, 1 or more.
    """

    multiplicity: NDArray[np.int64]
    frequency: NDArray[np.int64]


def find_rows(blocks: Iterable[Block]) -> TextStart:
    """Skip empty lines and comments at the start of a text that may be a histogram."""
    return find_text(blocks, _COMMENT)


def is_row(line: bytes) -> bool:
    """Return whether a line is one of a histogram."""
    return _ROW.fullmatch(line) is not None


def read_histogram(path: str, start: TextStart) -> KmerHistogram:
    """Read the histogram of a text that begins with a row.

    Multiplicity 0, rows without k-mers, empty lines and comments (``#``) are skipped.

    Parameters
    ----------
    path : str
        For messages.
    start : TextStart
        Of `find_rows`.

    Raises
    ------
    FormatError
        If a line is no row, a multiplicity occurs twice, or there are 2^62 occurrences of k-mers or more.
    """
    name, rows, n_kmers = display_name(path), {}, 0
    for number, line in enumerate(split_lines(start.blocks, name, _MOST_LINE_BYTES, start.n_lines), start.n_lines + 1):
        if not line.strip() or line.lstrip().startswith(_COMMENT):
            continue
        row = _ROW.fullmatch(line)
        if row is None:
            shown = line[:40].decode(errors="replace").strip()
            raise FormatError(
                f"{name}: line {number:,}: expected a multiplicity and a number of k-mers, got {shown!r}",
                "give a histogram of two columns of integers, as jellyfish histo writes it",
            )
        multiplicity, frequency = int(row[1]), int(row[2])
        if multiplicity in rows:
            raise FormatError(
                f"{name}: line {number:,}: multiplicity {multiplicity} occurs twice", "give one row for each"
            )
        rows[multiplicity] = frequency
        n_kmers += multiplicity * frequency
        if n_kmers > _MOST_KMERS:
            raise FormatError(f"{name}: line {number:,}: 2^62 k-mers or more", "check that this is a k-mer histogram")
    return _histogram(name, {m: n for m, n in sorted(rows.items()) if m and n})


def _histogram(name: str, rows: dict[int, int]) -> KmerHistogram:
    """Return the rows as arrays, and warn of a last one that seems to stand for larger multiplicities."""
    multiplicity, frequency = np.array(list(rows), np.int64), np.array(list(rows.values()), np.int64)
    if len(rows) > 2 and multiplicity[-1] == multiplicity[-2] + 1 and frequency[-1] >= _CAPPED * frequency[-2]:
        log.logger.warning(
            "%s: the last row (%d) seems to stand for larger multiplicities, too: the genome size is a lower bound "
            "(count without a limit, such as jellyfish histo -h 1000000)",
            name,
            multiplicity[-1],
        )
    return KmerHistogram(multiplicity, frequency)
