"""Links between contigs against sets of pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from debruijn_gpu.assembly.links import canonical_links, links_at_ends, one_of_each_pair, sorted_links

ends = st.integers(0, 11)
any_links = st.lists(st.tuples(ends, ends), max_size=40)


def array(links):
    return np.array(links, np.int64).reshape(-1, 2)


def reverse_complement(link):
    return link[1] ^ 1, link[0] ^ 1


@given(any_links)
def test_sorted_links(links):
    assert sorted_links(array(links), 6).tolist() == [list(link) for link in sorted(set(links))]


@given(any_links)
def test_canonical_links(links):
    expected = sorted({min(link, reverse_complement(link)) for link in links})
    assert canonical_links(array(links), 6).tolist() == [list(link) for link in expected]


@given(any_links)
def test_one_of_each_pair(links):
    both = sorted({*links, *map(reverse_complement, links)})
    expected = [list(link) for link in both if link <= reverse_complement(link)]
    assert one_of_each_pair(array(both), 6).tolist() == expected


@given(any_links)
def test_links_at_ends(links):
    """Of contig i: edges out of 2 * i, its end, and out of 2 * i + 1, the end of its reverse complement."""
    both = {*links, *map(reverse_complement, links)}
    once = canonical_links(array(links), 6)
    assert links_at_ends(once, 6).ravel().tolist() == [sum(a == end for a, _b in both) for end in range(12)]


def test_ends_beyond_32_bits_of_both():
    n = 1 << 30
    links = [(2 * n - 1, 2 * n - 1), (2 * n - 1, 0), (0, 2 * n - 1)]
    assert sorted_links(array(links), n).tolist() == [list(link) for link in sorted(links)]
