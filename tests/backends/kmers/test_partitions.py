"""Partitions of the ends of k-mers against brute force, on every backend at hand."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.kmers.minimizers import minimizer_length
from tests.helpers import codes_of, first_quick, random_sequence
from tests.naive import kmers as naive

pytestmark = pytest.mark.cuda

SALT, FACTOR, MASK = 0x5851F42D4C957F2D, 0x9E3779B97F4A7C15, (1 << 64) - 1


def partition(mer: str, n_partitions: int) -> int:
    """Partition of a (k-1)-mer: by its m-mer with the least hash."""
    m = minimizer_length(len(mer))
    hashes = []
    for window in naive.windows(mer, m):
        value = 0
        for letter in naive.canonical(window):
            value = 4 * value + "ACGT".index(letter)
        hashes.append((value ^ SALT) * FACTOR & MASK)
    return ((min(hashes) * FACTOR & MASK) >> 32) * n_partitions >> 32


@pytest.mark.parametrize("k", [2, 3, 5, 12, 21, 31, 32, 33, 41, 64, 65, 127, 255])
@pytest.mark.parametrize("n_partitions", first_quick([7, 1, 4096]))
def test_both_ends_are_in_the_partition_of_their_minimizer(backend, k, n_partitions):
    rng = np.random.default_rng(k)
    kmers = [random_sequence(rng, k) for _ in range(4 if is_simulated() else 60)] + ["A" * k, "T" * k]
    found = backend.kmers.end_partitions(backend.to_device(codes_of(kmers)), k, n_partitions)
    assert found.dtype == np.uint32
    expected = [partition(end, n_partitions) for kmer in kmers for end in (kmer[1:], kmer[:-1])]
    assert backend.to_host(found).tolist() == expected


def test_a_mer_and_its_reverse_complement_share_a_partition(backend):
    kmers = ["ACGTTGCATTGCAGT", "CCGATTACAGATTAG"]
    turned = [naive.reverse_complement(kmer) for kmer in kmers]
    ends, others = (
        backend.to_host(backend.kmers.end_partitions(backend.to_device(codes_of(some)), 15, 1 << 20))
        for some in (kmers, turned)
    )
    assert ends.reshape(-1, 2)[:, ::-1].tolist() == others.reshape(-1, 2).tolist()


def test_no_kmers(backend):
    assert len(backend.kmers.end_partitions(backend.to_device(np.zeros((2, 0), np.uint64)), 35, 3)) == 0
