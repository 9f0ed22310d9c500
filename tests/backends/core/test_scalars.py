"""Scalar functions against text."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.backends.core import kmer_scalars
from debruijn_gpu.backends.core.cpu import scalars as compiled
from tests.helpers import codes_of, first_quick, kmers_of, random_sequence
from tests.naive import kmers as naive


def as_tuple(kmer: str) -> tuple[np.uint64, ...]:
    return tuple(codes_of([kmer])[:, 0])


def as_text(kmer: tuple[int, ...], k: int) -> str:
    return kmers_of(np.array(kmer, np.uint64)[:, None], k)[0]


@pytest.mark.parametrize("k", first_quick([3, 31, 33, 63, 127, 65, 95, 97, 129, 191, 193, 255], 5))
def test_kmer_operations(k):
    rng = np.random.default_rng(k)
    kmer, other = random_sequence(rng, k), random_sequence(rng, k)
    top_bits = 2 * k - 64 * (len(as_tuple(kmer)) - 1)
    flipped = compiled.reverse_complement(as_tuple(kmer), np.uint64(top_bits))
    assert as_text(flipped, k) == naive.reverse_complement(kmer)
    mask = np.uint64(2**top_bits - 1)
    assert as_text(compiled.append_base(as_tuple(kmer), np.uint64(2), mask), k) == kmer[1:] + "G"
    front = compiled.prepend_base(as_tuple(kmer), np.uint64(1), np.uint64(2 * ((k - 1) % 32)))
    assert as_text(front, k) == "C" + kmer[:-1]
    assert compiled.less(as_tuple(kmer), as_tuple(other)) == (kmer < other)
    assert not compiled.less(as_tuple(kmer), as_tuple(kmer))
    assert compiled.equal(as_tuple(kmer), as_tuple(kmer))
    assert not compiled.equal(as_tuple(kmer), as_tuple(other))


def test_kmers_that_are_alike_are_told_apart():
    """Two 63-mers that one multiplication does not tell apart, and many that differ in a base or two."""
    pair = [(0x0BEB470634A864BC, 0x636FD6626AE3BD54), (0x3BEB470634A864BC, 0x736FD6627AE3BD54)]
    seed = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        assert len({kmer_scalars.hash_kmer(tuple(map(np.uint64, kmer)), seed) for kmer in pair}) == 1
        assert len({kmer_scalars.identify_kmer(tuple(map(np.uint64, kmer))) for kmer in pair}) == 2
        kmer = random_sequence(np.random.default_rng(1), 97)
        alike = {kmer[:i] + base + kmer[i + 1 :] for i in range(97) for base in "ACGT"}
        alike |= {other[:j] + base + other[j + 1 :] for other in list(alike)[:40] for j in range(97) for base in "ACGT"}
        assert len({kmer_scalars.identify_kmer(as_tuple(other)) for other in alike}) == len(alike)
