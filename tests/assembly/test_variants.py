"""Popped bubbles as variants of contigs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.cleaning import clean
from debruijn_gpu.assembly.contigs import Contigs, spell
from debruijn_gpu.assembly.popped import PoppedBubble, noter
from debruijn_gpu.assembly.situation import Situation
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.assembly.variant_options import VariantOptions
from debruijn_gpu.assembly.variants import Variant, VariantCounts, find_variants, place_variants
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from tests.assembly.examples import contigs_of
from tests.assembly.test_cleaning import graph_of, with_error
from tests.helpers import operation, random_sequence, sequences_of
from tests.naive.kmers import reverse_complement

CPU = backends.load(RunOptions(backend="cpu", threads=2))
K = 21
GENOME = random_sequence(np.random.default_rng(3), 600)


def popped_of(
    reads: dict[str, int], min_count: int = 1, depth_left: float = 1.0, **options: int
) -> tuple[UnitigGraph, list[PoppedBubble]]:
    """Clean the graph of reads with their numbers of copies, and collect popped bubbles."""
    graph, _counts = graph_of(reads)
    popped: list[PoppedBubble] = []
    note = noter(popped, min_count, lambda _k: depth_left, VariantOptions(**options), CPU)
    return clean(graph, CleanOptions(), CPU, Situation(depth=sum(reads.values())), note)[0], popped


def variants_of(reads: dict[str, int], **options: int) -> tuple[Contigs, list[Variant]]:
    graph, popped = popped_of(reads, **options)
    contigs = spell(graph, CPU)
    return contigs, place_variants(popped, contigs, len(contigs))


def haplotypes(contigs: Contigs, variants: list[Variant]) -> list[str]:
    """The first contig with one variant each."""
    sequence = sequences_of(contigs)[0]
    found = []
    for one in variants:
        end = one.position + len(one.reference)
        assert sequence[one.position : end] == one.reference.decode()
        found.append(sequence[: one.position] + one.alternative.decode() + sequence[end:])
    return found


OTHERS = {
    "substitution": with_error(GENOME, 300),
    "insertion": GENOME[:300] + "GT" + GENOME[300:],
    "deletion": GENOME[:300] + GENOME[303:],
}


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("flip", [False, True])
def test_a_variant_gives_the_other_haplotype(kind, flip):
    other = reverse_complement(OTHERS[kind]) if flip else OTHERS[kind]
    contigs, variants = variants_of({GENOME: 12, other: 8})
    (found,) = haplotypes(contigs, variants)
    assert found in (OTHERS[kind], reverse_complement(OTHERS[kind]))
    assert (variants[0].reference_depth, variants[0].alternative_depth, variants[0].k) == (12, 8, K)


def test_neighbouring_variants_of_one_bubble_are_apart():
    other = with_error(with_error(GENOME, 300), 310)
    _contigs, variants = variants_of({GENOME: 12, other: 8})
    first, second = variants
    assert second.position - first.position == 10
    assert all(len(one.reference) == len(one.alternative) == 1 for one in variants)


def test_variants_do_not_depend_on_the_order_of_reads():
    others = {with_error(GENOME, at): 8 for at in (100, 300, 500)}
    one = variants_of({GENOME: 30, **others})[1]
    reads = {reverse_complement(read): n for read, n in reversed(others.items())}
    other = variants_of({**reads, GENOME: 30})[1]
    assert one == other == sorted(one)
    assert len(one) == 3


@pytest.mark.parametrize(("depth", "min_count", "n"), [(4, 1, 1), (2, 1, 0), (4, 3, 0), (5, 3, 1)])
def test_shallow_branches_are_errors(depth, min_count, n):
    assert len(variants_of({GENOME: 20, OTHERS["substitution"]: depth}, min_count=min_count)[1]) == n


@pytest.mark.parametrize(("depth", "depth_left", "n"), [(3, 0.6, 1), (2, 0.6, 0), (3, 0.61, 0)])
def test_at_a_larger_k_branches_need_the_depth_that_is_left(depth, depth_left, n):
    """Five at the first k, three of them where 0.6 of the depth is left."""
    reads = {GENOME: 20, OTHERS["substitution"]: depth}
    assert len(variants_of(reads, min_count=3, depth_left=depth_left)[1]) == n


@pytest.mark.parametrize(("depth", "n"), [(9, 0), (10, 1)])
def test_branches_below_a_tenth_of_the_depth_are_errors(depth, n):
    assert len(variants_of({GENOME: 100, OTHERS["substitution"]: depth})[1]) == n


def test_variants_with_an_end_in_several_places_are_left_out():
    popped = popped_of({GENOME: 12, OTHERS["substitution"]: 8})[1]
    assert len(popped) == 1
    once, twice = contigs_of([GENOME.encode()], K), contigs_of([GENOME.encode(), GENOME[150:450].encode()], K)
    assert len(place_variants(popped, once, 1)) == 1
    assert place_variants(popped, twice, 2) == []
    assert place_variants(popped, contigs_of([GENOME[200:295].encode()], K), 1) == []
    apart = contigs_of([GENOME[:300].encode(), GENOME[300:].encode()], K)
    assert place_variants(popped, apart, 2) == []


def test_only_variants_of_reported_contigs_are_placed():
    popped = popped_of({GENOME: 12, OTHERS["substitution"]: 8})[1]
    longer = random_sequence(np.random.default_rng(4), 700)
    contigs = contigs_of([longer.encode(), GENOME.encode()], K)
    assert place_variants(popped, contigs, 1) == []
    assert [one.contig for one in place_variants(popped, contigs, 2)] == [1]


def test_of_a_variant_found_twice_the_better_covered_one_is_kept():
    popped = popped_of({GENOME: 12, OTHERS["substitution"]: 8})[1]
    shallow = replace(popped[0], kmer_counts=popped[0].n_kmers * 5)
    contigs = contigs_of([GENOME.encode()], K)
    for both in ([popped[0], shallow], [shallow, popped[0]]):
        assert [one.alternative_depth for one in place_variants(both, contigs, 1)] == [8]


def test_kmers_are_found_across_blocks(monkeypatch):
    from debruijn_gpu.assembly import variants

    popped = popped_of({GENOME: 12, **{with_error(GENOME, at): 8 for at in (100, 300, 500)}})[1]
    contigs = contigs_of([GENOME.encode()], K)
    whole = place_variants(popped, contigs, 1)
    assert len(whole) == 3
    for block in (1, 7, 100, 580, 600):
        monkeypatch.setattr(variants, "_BLOCK", block)
        assert place_variants(popped, contigs, 1) == whole


@pytest.mark.parametrize(("depths", "is_said"), [((10, 10), True), ((40, 40), False), ((19, 2), False)])
def test_dense_alleles_of_half_the_depth_are_said_to_be_heterozygous(caplog, depths, is_said):
    popped = popped_of({GENOME: 12, OTHERS["substitution"]: 8})[1]
    n, kept = popped[0].n_kmers, popped[0].kept_n_kmers
    bubble = replace(popped[0], kmer_counts=n * depths[1], kept_kmer_counts=kept * depths[0])
    contigs = contigs_of([GENOME.encode()], K, [20 * (len(GENOME) - K + 1)])
    with log.new_run(), caplog.at_level("INFO", "dbg"):
        found, counts = find_variants([bubble], contigs, 1, lambda k: 20.0, VariantOptions())
    assert counts == VariantCounts(1, len(found), 1, 0, 0, int(is_said), is_said)
    assert "1 variants (see variants.tsv)" in caplog.text
    assert ("heterozygous or a mixture" in caplog.text) == is_said


@pytest.mark.cuda
def test_every_backend_collects_the_same_bubbles(backend):
    genome = random_sequence(np.random.default_rng(7), 40)
    graph, _counts = graph_of({genome: 9, with_error(genome, 20): 6}, 9)
    found = []
    for each in (CPU, backend):
        given = graph.moved(each.to_device)
        arrays = given.graph.row_ptr, given.graph.col, given.n_kmers, given.kmer_counts
        is_kept = operation(each, "pop_bubbles")(*arrays, 27, 1.0, 3, 0.05)
        popped: list[PoppedBubble] = []
        noter(popped, 1, lambda _k: 1.0, VariantOptions(), each)(given, is_kept)
        found.append(popped)
    assert found[0] == found[1]
    sequence = with_error(genome, 20)[11:30]
    assert [one.sequence.decode() for one in found[0]] in ([sequence], [reverse_complement(sequence)])
