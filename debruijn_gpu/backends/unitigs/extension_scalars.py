"""Extend unitigs along unique links: scalar functions of both backends.

Vertex 2u of a unitig graph is unitig u, 2u + 1 its reverse complement; ``row_ptr`` and ``col`` are its CSR. Sequences
are packed as in `packed_scalars`, and neighbours overlap by ``overlap`` bases. A unitig is extended at both ends while
it, and then each further unitig, has one successor. Whatever passes through the unitig has that sequence (the Y-to-V
contigs of Jackson 2009; Tomescu and Medvedev 2016). Positions and numbers of bases are int64.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.unitigs.packed_scalars import THREE, strand_bases


def n_following(row_ptr, col, offsets, overlap, v, most):
    """Count the bases that follow vertex v along unique links, up to ``most``."""
    n = 0
    while n < most and row_ptr[v + 1] - row_ptr[v] == 1:
        v = np.int64(col[row_ptr[v]])
        n += offsets[(v >> 1) + 1] - offsets[v >> 1] - overlap
    return min(n, most)


def base_of_vertex(offsets, bases, v, i):
    """Two-bit code of base i of a vertex."""
    return strand_bases(bases, offsets[v >> 1], offsets[(v >> 1) + 1], i, v & 1 == 1) >> np.uint64(62)


def following_base(row_ptr, col, offsets, bases, overlap, v, i):
    """Two-bit code of base i after the end of vertex v, along unique links."""
    v = np.int64(col[row_ptr[v]])
    n = offsets[(v >> 1) + 1] - offsets[v >> 1] - overlap
    while i >= n:
        i -= n
        v = np.int64(col[row_ptr[v]])
        n = offsets[(v >> 1) + 1] - offsets[v >> 1] - overlap
    return base_of_vertex(offsets, bases, v, overlap + i)


def measure_extension(row_ptr, col, offsets, k, longer, u, lefts, starts, lengths):
    """Measure the segments of extended unitig u that hold its k-mers of length ``longer`` which span several unitigs.

    A unitig that a longer k-mer can span has one segment, a longer one has one at each end. Positions count from the
    first base of the extended unitig.

    Parameters
    ----------
    lefts : out, int64 (n,); number of bases before each unitig
    starts, lengths : out, int64 (2n,); segments 2u and 2u + 1 of each unitig, empty if there are none
    """
    n_bases = offsets[u + 1] - offsets[u]
    left = n_following(row_ptr, col, offsets, k - 1, 2 * u + 1, longer - k)
    right = n_following(row_ptr, col, offsets, k - 1, 2 * u, longer - k)
    lefts[u] = left
    starts[2 * u] = starts[2 * u + 1] = lengths[2 * u] = lengths[2 * u + 1] = 0
    if n_bases < longer - 1:
        if left + right > 0 and left + n_bases + right >= longer:
            lengths[2 * u] = left + n_bases + right
        return
    if left > 0:
        lengths[2 * u] = left + longer - 1
    if right > 0:
        starts[2 * u + 1] = left + n_bases - (longer - 1)
        lengths[2 * u + 1] = longer - 1 + right


def extended_base(row_ptr, col, offsets, bases, overlap, u, left, i):
    """Two-bit code of base i of extended unitig u, with ``left`` bases before it."""
    if i < left:
        return following_base(row_ptr, col, offsets, bases, overlap, 2 * u + 1, left - 1 - i) ^ THREE
    i -= left
    n_bases = offsets[u + 1] - offsets[u]
    if i < n_bases:
        return base_of_vertex(offsets, bases, 2 * u, i)
    return following_base(row_ptr, col, offsets, bases, overlap, 2 * u, i - n_bases)


def extended_word(word, row, graph, overlap, lefts, starts, segment_offsets):
    """Compute 32 bases of segments of extended unitigs that follow each other; beyond the last one, A.

    Parameters
    ----------
    word : int64
        Number of the word.
    row : int64
        Segment of its first base.
    graph : tuple of row_ptr, col, offsets and bases
    overlap : int64
    lefts, starts : in; see `measure_extension`
    segment_offsets : in, int64 (2n + 1,); where each segment starts

    Returns
    -------
    uint64
    """
    row_ptr, col, offsets, bases = graph
    value = np.uint64(0)
    stop = min(32 * word + 32, segment_offsets[segment_offsets.size - 1])
    for place in range(32 * word, stop):
        while segment_offsets[row + 1] <= place:
            row += 1
        u = row >> 1
        i = starts[row] + place - segment_offsets[row]
        base = extended_base(row_ptr, col, offsets, bases, overlap, u, lefts[u], i)
        value |= base << np.uint64(62 - 2 * (place - 32 * word))
    return value
