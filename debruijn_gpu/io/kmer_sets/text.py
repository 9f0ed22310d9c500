r"""Read and write k-mers as text: ``kmer<TAB>count`` lines, or FASTA with the count in the header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.backends.kmers.set_programs import MOST_COUNT
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.kmer_sets.packed_bytes import BASE_CODES, NOT_A_BASE, canonical_codes, codes_of_bases
from debruijn_gpu.io.kmer_sets.stored_bytes import Bytes
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend

_LINE = re.compile(rb"([ACGTacgt]+)[ \t]+([0-9]{1,18})[ \t]*\r?")
_RECORD = re.compile(rb">([0-9]{1,18})[ \t]*\r?\n([ACGTacgt]+)[ \t]*\r?")
_BLOCK_BYTES = 1 << 22
_NEWLINE, _TAB, _MARK, _ZERO = 10, 9, ord(">"), 48
_MOST_DIGITS = 18
_SHOWN = 60
_LONGEST = 1 << 12  # bytes of a line, of lines of letters and digits


def is_kmer_text(head: bytes) -> bool:
    """Return whether a text begins with a k-mer and its count, as a line or as FASTA."""
    return _LINE.fullmatch(head.split(b"\n")[0]) is not None or is_kmer_fasta(head)


def is_kmer_fasta(head: bytes) -> bool:
    """Return whether a text begins with a FASTA record of a k-mer, with its count as the name."""
    found = _RECORD.fullmatch(b"\n".join(head.split(b"\n")[:2]))
    return found is not None and len(found[2]) <= K_MAX


def length_of_kmers(name: str, head: bytes) -> int:
    """Return the length of the first k-mer of a text."""
    found = _RECORD.match(head) if head.startswith(b">") else _LINE.match(head)
    k = len(found[2 if head.startswith(b">") else 1]) if found else 0
    if not 1 <= k <= K_MAX:
        raise FormatError(f"{name}: line 1: a k-mer of {k:,} bases, expected 1 to {K_MAX}", "give k-mers and counts")
    return k


def text_parts(
    name: str, data: Bytes, k: int, canonical: bool
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
    """Read codes (words, n) and counts (n,) of k-mers in text, in its order.

    Parameters
    ----------
    name : str
        For messages.
    data : ndarray, dtype=uint8, or StoredBytes
        The text.
    k : int
    canonical : bool
        Whether to take the smaller of a k-mer and its reverse complement.

    Raises
    ------
    FormatError
        If a line is not a k-mer of k bases and a count.
    """
    is_fasta = data[:1].tobytes() == b">"
    at = n_lines = 0
    while at < len(data):
        end = _end_of_block(name, data, at, n_lines, is_fasta)
        block = data[at:end]
        rows = _Rows(name, block, n_lines, k)
        codes, counts = rows.records() if is_fasta else rows.lines()
        n_lines += rows.n_lines
        at = end
        if len(counts):
            yield (canonical_codes(codes, k) if canonical else codes), counts


def _end_of_block(name: str, data: Bytes, at: int, n_lines: int, is_fasta: bool) -> int:
    """Return the end of the last whole line, or of FASTA record, of a block."""
    if at + _BLOCK_BYTES >= len(data):
        return len(data)
    tail = data[at + _BLOCK_BYTES - _LONGEST : at + _BLOCK_BYTES].tobytes()
    end = tail.rfind(b"\n>" if is_fasta else b"\n") + 1
    if not end:
        raise FormatError(f"{name}: line {n_lines + 1:,} or later: a line is too long", "give k-mers and counts")
    return at + _BLOCK_BYTES - _LONGEST + end


class _Rows:
    """Lines of a block of text."""

    def __init__(self, name: str, block: NDArray[np.uint8], n_before: int, k: int) -> None:
        self._name, self._block, self._n_before, self._k = name, block, n_before, k
        ends = np.flatnonzero(block == _NEWLINE)
        if not len(ends) or ends[-1] != len(block) - 1:
            ends = np.append(ends, len(block))
        self.n_lines = len(ends)
        self._starts = np.concatenate(([0], ends[:-1] + 1))
        self._ends = ends - ((ends > 0) & (block[ends - 1] == ord("\r")))

    def lines(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Read lines of k-mer and count; empty ones are skipped."""
        lines = np.flatnonzero(self._ends > self._starts)
        starts, ends = self._starts[lines], self._ends[lines]
        short = ends - starts < self._k + 2
        self._refuse(short, lines)
        blanks = self._block[starts + self._k]
        self._refuse((blanks != _TAB) & (blanks != ord(" ")), lines)
        return codes_of_bases(self._bases(starts, lines)), self._numbers(starts + self._k + 1, ends, lines)

    def records(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Read FASTA records of a count and a k-mer; empty lines are skipped."""
        lines = np.flatnonzero(self._ends > self._starts)
        odd = len(lines) % 2
        self._refuse(np.arange(len(lines)) == len(lines) - 1 if odd else np.zeros(len(lines), np.bool_), lines)
        headers, sequences = lines[0::2], lines[1::2]
        self._refuse(self._block[self._starts[headers]] != _MARK, headers)
        self._refuse(self._ends[sequences] - self._starts[sequences] != self._k, sequences)
        counts = self._numbers(self._starts[headers] + 1, self._ends[headers], headers)
        return codes_of_bases(self._bases(self._starts[sequences], sequences)), counts

    def _bases(self, starts: NDArray[np.intp], lines: NDArray[np.intp]) -> NDArray[np.uint8]:
        """Codes of the bases from some places on: (n, k)."""
        bases: NDArray[np.uint8] = BASE_CODES[self._block[starts[:, None] + np.arange(self._k)]]
        self._refuse((bases == NOT_A_BASE).any(axis=1), lines)
        return bases

    def _numbers(self, starts: NDArray[np.intp], ends: NDArray[np.intp], lines: NDArray[np.intp]) -> NDArray[np.uint32]:
        """Counts between places, at most 2^32 - 1."""
        lengths = ends - starts
        self._refuse((lengths < 1) | (lengths > _MOST_DIGITS), lines)
        values = np.zeros(len(starts), np.int64)
        for i in range(int(lengths.max(initial=0))):
            rows = np.flatnonzero(lengths > i)
            digits = self._block[starts[rows] + i].astype(np.int64) - _ZERO
            wrong = np.zeros(len(starts), np.bool_)
            wrong[rows] = (digits < 0) | (digits > 9)
            self._refuse(wrong, lines)
            values[rows] = values[rows] * 10 + digits
        self._refuse(values == 0, lines)
        return np.minimum(values, MOST_COUNT).astype(np.uint32)

    def _refuse(self, is_wrong: NDArray[np.bool_], lines: NDArray[np.intp]) -> None:
        """Raise the error of the first wrong line, if there is one."""
        found = np.flatnonzero(is_wrong)
        if not len(found):
            return
        line = int(lines[found[0]])
        shown = self._block[self._starts[line] : self._ends[line]].tobytes().decode("latin-1")
        raise FormatError(
            f"{self._name}: line {self._n_before + line + 1:,}: expected a {self._k}-mer and its count, 1 or more, "
            f"got {shorten(shown, _SHOWN)!r}",
            "give KMER and COUNT with a tab between them, or FASTA with the count as the name",
        )


def write_lines_of(
    stream: BinaryIO,
    k: int,
    parts: Iterable[tuple[NDArray[np.uint64], NDArray[np.uint32]]],
    backend: HostBackend,
    as_fasta: bool = False,
) -> None:
    """Write k-mers and counts as lines, or as FASTA with the counts as names."""
    for codes, counts in parts:
        for start in range(0, len(counts), tuning().kmers_at_once):
            stop = min(start + tuning().kmers_at_once, len(counts))
            lines = backend.kmers.kmer_lines(codes, counts, k, start, stop)
            stream.write(_as_fasta(lines.tobytes()) if as_fasta else lines.data)


def _as_fasta(lines: bytes) -> bytes:
    return re.sub(rb"([ACGT]+)\t([0-9]+)", rb">\2\n\1", lines)
