"""Pairs of batches: each pair is found once, however the files are cut and interleaved."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given, strategies as st

from debruijn_gpu.backends.reads.protocol import TURNS, Mates
from debruijn_gpu.reads.mates import pairs_of
from tests.helpers import batch_of


def cut(n, mate, number, data):
    """Batches of a file of n reads of different lengths."""
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, n), max_size=4))), n]
    for start, stop in pairwise(cuts):
        length = (lambda i: 2 * (i >> 1) + (i & 1)) if mate == TURNS else (lambda i: 2 * i + mate)
        batch = batch_of(["A" * length(i) for i in range(start, stop)])
        yield replace(batch, mates=Mates(number, mate, start))


def found_in(batches):
    """Lengths of the mates of each pair by input and number of the pair."""
    found = {}
    for some in pairs_of(batches):
        for i, rows in enumerate(zip(*some.rows, strict=True)):
            lengths = [int(b.offsets[r + 1] - b.offsets[r]) for b, r in zip(some.batches, rows, strict=True)]
            assert (some.number, some.first_pair + i) not in found
            found[some.number, some.first_pair + i] = lengths
    return found


@given(n=st.integers(0, 9), data=st.data())
def test_each_pair_is_found_once(n, data):
    files = [list(cut(n, mate, 0, data)) for mate in (0, 1)]
    order = data.draw(st.permutations([0] * len(files[0]) + [1] * len(files[1])))
    batches = [files[which].pop(0) for which in order]
    batches += [batch_of(["ACGT"]), *cut(2 * n, TURNS, 1, data)]
    pairs = [(number, pair) for number in (0, 1) for pair in range(n)]
    assert found_in(batches) == {(number, pair): [2 * pair, 2 * pair + 1] for number, pair in pairs}
