"""Walks of circular contigs that start with a gene."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.scaffolds import ContigPaths
from debruijn_gpu.pairs.closed_gaps import from_starts
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import random_bases


def contigs_of(*sequences: str) -> Contigs:
    offsets = np.cumsum([0, *map(len, sequences)])
    numbers, circular = np.ones(len(sequences), np.int64), np.ones(len(sequences), np.bool_)
    text = np.frombuffer("".join(sequences).encode(), np.uint8)
    return Contigs(5, text, offsets, numbers, numbers, circular, np.zeros((0, 2), np.int64))


@pytest.mark.parametrize("start", range(40))
def test_walk_begins_with_the_segment_of_the_first_base(start):
    """Each base belongs to the last segment that holds it."""
    circle = random_bases(40, 3)
    bounds = 0, 7, 20, 40
    whole = [(circle * 2)[first : stop + 4] for first, stop in pairwise(bounds)]
    segments = contigs_of(whole[0], reverse_complement(whole[1]), whole[2])
    contig = contigs_of(circle[start:] + circle[:start])
    for turn in range(3):
        steps = np.roll([0, 3, 4], turn)
        paths = from_starts(ContigPaths(np.array([0, 3]), steps), [0], segments, contig)
        first = int(paths.steps[0]) >> 1
        assert bounds[first] <= start < bounds[first + 1]
        assert sorted(paths.steps.tolist()) == [0, 3, 4]
        assert paths.steps.tolist() in [np.roll([0, 3, 4], other).tolist() for other in range(3)]
