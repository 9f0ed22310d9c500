"""How far reads hold a sequence, against a search of all of them."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from debruijn_gpu import backends
from debruijn_gpu.backends.unitigs.containers import HeldQueries
from tests.backends.unitigs.test_gaps import arrays, reverse_complement

OPERATIONS = backends.host().unitigs
WORD = 31


def n_held(reads, sequence, n_first, window_bp, most_different, least_contradicting):
    """Look at each place of each strand of each read for each word."""
    ends = [len(sequence)]
    for at in range(len(sequence) - WORD + 1):
        window = sequence[at : at + window_bp]
        is_held, is_agreed, firsts = False, False, []
        for read in reads:
            for strand in (read, reverse_complement(read)):
                for start in range(len(strand) - WORD + 1):
                    part = strand[start : start + len(window)]
                    if not np.array_equal(part[:WORD], window[:WORD]):
                        continue
                    is_held = True
                    different = np.flatnonzero(part != window[: len(part)])
                    if len(different) > most_different:
                        firsts.append(at + int(different[0]))
                    elif len(part) == len(window):
                        is_agreed = True
        if at >= n_first and not is_held:
            ends.append(at + WORD - 1)
        if not is_agreed and len(firsts) >= least_contradicting:
            ends.append(max(firsts))
    return min(ends)


@st.composite
def sequences_and_reads(draw):
    """A sequence, of few words or none, and parts of it in either strand, with changed bases."""
    bases = st.integers(0, 3) if draw(st.booleans()) else st.sampled_from([0, 0, 0, 0, 0, 1])
    sequence = np.array(draw(st.lists(bases, max_size=90)), np.uint8)
    reads = []
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(sequence)))
        read = sequence[start : start + draw(st.integers(0, 90))].copy()
        for _ in range(draw(st.integers(0, 3)) if len(read) else 0):
            read[draw(st.integers(0, len(read) - 1))] = draw(st.integers(0, 4))
        reads.append(reverse_complement(read) if draw(st.booleans()) else read)
    return sequence, reads


def counted(cases, n_first, window_bp, most_different, least_contradicting):
    """What the kernel counts of some sequences, each with its reads; the first read is of none."""
    codes, offsets = arrays([np.full(40, 4, np.uint8), *(read for _sequence, reads in cases for read in reads)])
    n_reads = np.cumsum([0, *(len(reads) for _sequence, reads in cases)])
    sequences, starts = arrays([sequence for sequence, _reads in cases])
    each = (np.full(len(cases), value, np.int64) for value in (n_first, window_bp, most_different))
    queries = HeldQueries(codes, offsets, np.arange(n_reads[-1]) + 1, n_reads, sequences, starts, *each)
    return OPERATIONS.count_held(queries, least_contradicting).tolist()


@given(
    st.lists(sequences_and_reads(), max_size=3),
    st.integers(0, 40),
    st.integers(WORD, 80),
    st.integers(0, 3),
    st.integers(1, 3),
)
def test_count_held(cases, n_first, window_bp, most_different, least_contradicting):
    limits = n_first, window_bp, most_different, least_contradicting
    assert counted(cases, *limits) == [n_held(reads, sequence, *limits) for sequence, reads in cases]


@pytest.mark.parametrize("shared_bp", [31, 45, 60])
@pytest.mark.parametrize("strand", [0, 1])
def test_reads_of_two_places_that_share_a_word(shared_bp, strand):
    """All words of the first place up to what it shares, and then of the second, are in reads; no read holds both."""
    rng = np.random.default_rng(shared_bp)
    first, shared, second, own, before = (rng.integers(0, 4, n, np.uint8) for n in (90, shared_bp, 90, 90, 90))
    wrong = np.concatenate((first, shared, second))
    places = np.concatenate((first, shared, own)), np.concatenate((before, shared, second))
    reads = [place[at : at + 120] for place in places for at in range(len(place) - 119)]
    reads = [reverse_complement(read) for read in reads] if strand else reads
    assert counted([(wrong, reads)], 0, WORD, 0, 2) == [len(wrong)]
    (n,) = counted([(wrong, reads)], 0, 100, 3, 2)
    assert 90 + shared_bp <= n < 90 + shared_bp + 4  # where the next bases agree by chance
    assert counted([(wrong, [*reads, wrong])], 0, 100, 3, 2) == [len(wrong)]
