"""Bases of unitigs that reads outvote, on every backend at hand."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly import consensus
from debruijn_gpu.assembly.consensus import has_thin_places, with_consensus, word_length
from debruijn_gpu.run.options import RunOptions
from tests.assembly.examples import compacted
from tests.helpers import batch_of, random_sequence, unpack
from tests.naive.kmers import reverse_complement

pytestmark = pytest.mark.cuda

K = 25
RUN = RunOptions(threads=2)
RNG = np.random.default_rng(9)
GENOME = random_sequence(RNG, 70)
PLACE = 35


def with_base(sequence: str, at: int, step: int) -> str:
    """A sequence with one base replaced by the next of A, C, G and T."""
    return sequence[:at] + "ACGT"[("ACGT".index(sequence[at]) + step) % 4] + sequence[at + 1 :]


WRONG = with_base(GENOME, PLACE, 1)


def corrected(backend, unitigs: list[str], reads: list[str], most_reads: int = 2) -> list[str]:
    """The unitigs of a graph of sequences after they were corrected by reads, each in the strand of its input."""
    graph = compacted(backend, unitigs, K)
    batches = [batch_of(reads[start::2]).moved(backend.to_device) for start in range(2)]
    found = with_consensus(graph, batches, most_reads, RUN, backend)
    assert len(found) == len(graph)
    sequences = unpack(found.sequences.moved(backend.to_host))
    known = {*unitigs, GENOME}
    return [one if one in known else reverse_complement(one) for one in sequences]


def around(sequence: str, before: int, behind: int) -> str:
    """A read of so many bases on both sides of the place."""
    return sequence[PLACE - before : PLACE + behind + 1]


@pytest.mark.parametrize("sides", [(15, 15), (20, 3), (3, 20)])
def test_a_base_of_one_read_is_outvoted_by_two(backend, sides):
    reads = [around(WRONG, 18, 18), around(GENOME, *sides), reverse_complement(around(GENOME, *sides))]
    assert corrected(backend, [WRONG], reads) == [GENOME]


def test_votes_decide(backend):
    own, other = around(WRONG, 18, 18), around(GENOME, 15, 15)
    assert corrected(backend, [WRONG], [own, other]) == [WRONG]
    assert corrected(backend, [WRONG], [own] * 2 + [other] * 3) == [WRONG]
    assert corrected(backend, [WRONG], [own] * 2 + [other] * 4) == [GENOME]
    assert corrected(backend, [WRONG], [own] * 2 + [other] * 4, most_reads=1) == [WRONG]
    assert corrected(backend, [WRONG], [own] * 3 + [other] * 9) == [WRONG]
    third = around(with_base(GENOME, PLACE, 2), 15, 15)
    assert corrected(backend, [WRONG], [own] + [other] * 2 + [third] * 2) == [WRONG]


def test_words_of_other_places_do_not_count(backend):
    """They are of a copy of a repeat."""
    elsewhere = random_sequence(RNG, 20) + around(GENOME, 15, 15) + random_sequence(RNG, 20)
    reads = [around(WRONG, 18, 18), *[around(GENOME, 15, 15)] * 4]
    assert sorted(corrected(backend, [WRONG, elsewhere], reads)) == sorted([WRONG, elsewhere])


@pytest.mark.parametrize("piece_bp", [64, 128, 1 << 16])
def test_pieces_and_groups_change_nothing(backend, monkeypatch, piece_bp):
    monkeypatch.setattr(consensus, "_PIECE_BP", piece_bp)
    monkeypatch.setattr(consensus, "_LEAST_PLACES", 2)
    monkeypatch.setattr(consensus, "least_left", lambda run, backend: 0)
    genome = random_sequence(np.random.default_rng(4), 600)
    wrong, reads = genome, []
    for place in (40, 63, 128, 190, 256, 300, 511, 570):
        wrong = with_base(wrong, place, 1)
        reads += [genome[place - 20 : place + 21]] * 2
    reads += [wrong[start : start + 60] for start in range(0, 600, 60)]
    assert corrected(backend, [wrong], reads) in ([genome], [reverse_complement(genome)])


def test_graphs_without_words_stay(backend):
    """Of k below the length of words, and without unitigs."""
    graph = compacted(backend, [WRONG], 9)
    assert with_consensus(graph, [], 2, RUN, backend) is graph
    graph = compacted(backend, [WRONG], K)
    none = graph.keep(backend.to_device(np.zeros(len(graph), np.bool_)), backend)
    assert len(with_consensus(none, [], 2, RUN, backend)) == 0


def test_bases_near_ends_stay(backend):
    """Words beyond an end are of nothing."""
    wrong = with_base(GENOME, 5, 1)
    assert corrected(backend, [wrong], [GENOME[:40]] * 4) == [wrong]


def test_bases_that_neighbours_share_stay(backend):
    """A fork behind the genome: its last 24 bases are in all three unitigs."""
    stem, tails = WRONG[: PLACE + 10], [random_sequence(RNG, 40) for _ in range(2)]
    tails = ["A" + tails[0], "C" + tails[1]]
    reads = [around(WRONG, 15, 9), *[around(GENOME, 15, 9)] * 4]
    unitigs = corrected(backend, [stem + tail for tail in tails], reads)
    window = around(WRONG, 5, 5)
    assert sum(window in one or window in reverse_complement(one) for one in unitigs) == 3


@pytest.mark.parametrize(("n_bases", "length"), [(0, 11), (5_000, 17), (4_600_000, 21), (3_000_000_000, 25)])
def test_words_are_longer_in_larger_genomes(n_bases, length):
    assert word_length(n_bases) == length


def test_places_are_thin_where_depth_is_low():
    """At a depth of 20, half of it is 10, and 2 reads or less are at 0.28 % of the places."""
    assert has_thin_places(2, 20.0, 362)
    assert not has_thin_places(2, 20.0, 360)
    assert not has_thin_places(2, 60.0, 4_600_000)
