"""Write k-mer by sample matrices as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from debruijn_gpu import backends
from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.io.matrices.head import MatrixHead
from debruijn_gpu.run.plain_text import one_line

_BLOCK_BYTES = 1 << 23


def write_text_matrix(stream: BinaryIO, head: MatrixHead, parts: Iterable[JointCounts]) -> None:
    """Write a line with the names of the samples, and one for each k-mer, with tabs between cells."""
    names = [one_line(name) for name in head.names]
    stream.write("\t".join(["kmer", *names]).encode(errors="backslashreplace") + b"\n")
    operations = backends.host().kmers
    lines_of = operations.presence_lines if head.is_presence else operations.matrix_lines
    n_at_once = max(1, _BLOCK_BYTES // (head.k + 2 * len(names) + 1))
    for part in parts:
        for start in range(0, len(part), n_at_once):
            stop = min(start + n_at_once, len(part))
            stream.write(lines_of(part, head.k, len(names), start, stop).data)
