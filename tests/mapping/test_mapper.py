"""Reads are mapped alike by every backend at hand."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.mapping.mapper import MapCounts, Mapper
from debruijn_gpu.mapping.options import MapOptions
from debruijn_gpu.mapping.segments import NamedSegments, encode, linked_segments
from debruijn_gpu.run.options import RunOptions
from tests.helpers import batch_of, random_sequence

pytestmark = pytest.mark.cuda


def test_reads_across_a_link(backend):
    genome = random_sequence(np.random.default_rng(6), 110)
    sequences = [genome[:60], "N", genome[60:]]
    lengths = np.array([len(sequence) for sequence in sequences], np.int64)
    linked = linked_segments(encode("".join(sequences).encode()), lengths, np.array([[0, 4]]), np.array([0]))
    segments = NamedSegments([b"a", b"n", b"b"], linked, True)
    mapper = Mapper(segments, MapOptions(), RunOptions(), backend)
    batch = batch_of([genome[25:100], genome[5:35], "ACGT" * 10])
    mapped = mapper.align(batch.moved(backend.to_device))
    assert mapped.counts == MapCounts(n_reads=3, n_short=1, n_unanchored=1, n_partial=0)
    assert mapped.counts.n_placed == 1
    assert mapped.is_placed.tolist() == [True, False, False]
    assert mapped.alignments.steps.tolist() == [0, 4]
    assert mapped.alignments.path_starts.tolist() == [25, 0, 0]
    assert mapped.alignments.read_ends.tolist() == [75, 0, 0]
