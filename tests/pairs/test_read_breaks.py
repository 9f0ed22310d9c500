"""Find wrong joins within unitigs that reads contradict, and nothing in right unitigs."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest

from debruijn_gpu.assembly.break_options import BreakOptions
from debruijn_gpu.assembly.contigs import spell_unitigs
from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.assembly.scaffolds import ContigPaths
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.pairs.break_places import contig_breaks
from debruijn_gpu.pairs.breaks import Break
from debruijn_gpu.pairs.placement import place_reads
from debruijn_gpu.pairs.read_breaks import contradicted, margin_of
from debruijn_gpu.pairs.resolution import use_pairs
from debruijn_gpu.pairs.wrong_joins import _without_overlaps, check_unitigs
from debruijn_gpu.reads.options import ReadInputs
from tests.helpers import first_quick
from tests.naive.kmers import reverse_complement
from tests.pairs import examples
from tests.pairs.examples import RUN, paired, random_bases
from tests.pairs.planted import BACKEND, genome_with_repeats, graph_of, places_of, texts_of

MARGIN = 37
READ_BP = 150
SHARED = random_bases(30, 5)
#: The bases behind the shared ones are of two copies of a repeat.
FIRST = random_bases(1000, 1) + SHARED + random_bases(1000, 2)


pairs_of = partial(examples.pairs_of, read_bp=READ_BP)


def changed(sequence, share, seed):
    chance = random.Random(seed)
    other = {"A": "CGT", "C": "AGT", "G": "ACT", "T": "ACG"}
    return "".join(chance.choice(other[base]) if chance.random() < share else base for base in sequence)


SECOND = changed(FIRST[:1000], 0.12, 3) + SHARED + changed(FIRST[1030:], 0.12, 4)
WRONG = FIRST[:1030] + SECOND[1030:]
TURNED = reverse_complement(FIRST), reverse_complement(SECOND)


def placed_on(graph, place, *libraries, margin_bp=MARGIN, reads=None):
    reads = reads or list(read_batches(paired(place, *libraries), BACKEND, threads=2, memory=RUN.memory))
    return place_reads(graph, reads, len(libraries) or 1, RUN, BACKEND, margin_bp=margin_bp)


def breaks_on(graph, place, pairs, **options):
    found = placed_on(graph, place, pairs).agreement
    return contradicted(found, np.diff(graph.sequences.offsets), graph.k, BreakOptions(**options))


def pairs_of_both(depth=20, seed=1):
    return pairs_of(FIRST, depth, seed=seed) + pairs_of(SECOND, depth, seed=seed + 1)


@pytest.mark.parametrize("depth", [10, 20, 40])
@pytest.mark.parametrize("is_reverse", [False, True])
def test_joins_of_two_copies_are_found(depth, is_reverse, tmp_path):
    wrong = reverse_complement(WRONG) if is_reverse else WRONG
    graph = graph_of([wrong], tmp_path)
    found = breaks_on(graph, tmp_path, pairs_of_both(depth))
    ((start, stop),) = places_of(found, graph, wrong)
    join = len(wrong) - 1030 if is_reverse else 1000
    assert join - 2 * MARGIN <= start < stop <= join + 30 + 2 * MARGIN
    assert (found[0].is_wrong, found[0].is_of_reads, found[0].n_spanning) == (True, True, 0)
    assert found[0].n_contradicting >= 2


def test_the_right_copy_has_none(tmp_path):
    """Reads of the other copy contradict, and those of this one cover it."""
    graph = graph_of([FIRST], tmp_path)
    assert breaks_on(graph, tmp_path, pairs_of_both()) == []


def test_reads_of_one_side_are_no_evidence(tmp_path):
    graph = graph_of([WRONG], tmp_path)
    assert breaks_on(graph, tmp_path, pairs_of(FIRST, 20)) == []
    assert breaks_on(graph, tmp_path, pairs_of(SECOND, 20)) == []


def test_gaps_of_the_depth_are_no_evidence(tmp_path):
    graph = graph_of([FIRST], tmp_path)
    assert breaks_on(graph, tmp_path, pairs_of(FIRST, 20, without=(990, 1040))) == []


def test_copies_of_a_read_are_no_evidence(tmp_path):
    """Two that begin at different places are needed on both sides, however often each is sequenced."""
    graph = graph_of([WRONG], tmp_path)
    own = pairs_of(WRONG, 20, without=(920, 1110))
    mate = reverse_complement(WRONG[1500 : 1500 + READ_BP])
    ends = {"before": (FIRST, 955), "behind": (SECOND, 910)}
    once = [(genome[at : at + READ_BP], mate) for genome, at in ends.values()]
    twice = [(genome[at + 2 : at + 2 + READ_BP], mate) for genome, at in ends.values()]
    assert breaks_on(graph, tmp_path, [*own, *once * 20]) == []
    assert len(breaks_on(graph, tmp_path, [*own, *once, *twice], parts_of_reads=100)) == 1


def test_places_near_ends_are_left_out(tmp_path):
    """Neighbours share these bases, and the ends of walks are verified by themselves."""
    pairs = pairs_of_both()
    for wrong in (WRONG[940:], WRONG[:1090]):
        assert breaks_on(graph_of([wrong], tmp_path), tmp_path, pairs) == []
    assert len(breaks_on(graph_of([WRONG[700:1300]], tmp_path), tmp_path, pairs)) == 1


@pytest.mark.parametrize("seed", range(6))
def test_alleles_are_no_wrong_joins(seed, tmp_path):
    """A unitig may change from one allele to the other anywhere."""
    genome = random_bases(12_000, seed)
    allele = changed(genome, 0.01, seed + 10)
    mixed = "".join((genome, allele)[at // 300 % 2][at : at + 300] for at in range(0, 12_000, 300))
    pairs = pairs_of(genome, 12, seed=seed) + pairs_of(allele, 12, seed=seed + 1)
    assert breaks_on(graph_of([mixed], tmp_path), tmp_path, pairs) == []


@pytest.mark.parametrize("depth", [6, 10, 30])
@pytest.mark.parametrize("seed", first_quick(range(5), 2))
def test_right_genomes_have_none(depth, seed, tmp_path):
    """Reads with errors, and repeats whose copies are all in the graph."""
    genome = genome_with_repeats(20_000, 50, seed)
    pairs = [
        tuple(changed(mate, 0.01, 2 * number + side) for side, mate in enumerate(pair))
        for number, pair in enumerate(pairs_of(genome, depth, seed=seed))
    ]
    assert breaks_on(graph_of([genome], tmp_path), tmp_path, pairs) == []


def test_order_of_reads_does_not_matter(tmp_path):
    graph = graph_of([WRONG], tmp_path)
    pairs = pairs_of_both()
    expected = placed_on(graph, tmp_path, pairs).agreement
    found = placed_on(graph, tmp_path, random.Random(1).sample(pairs, len(pairs))).agreement
    assert (found.cover == expected.cover).all()
    assert (found.sites == expected.sites).all()
    assert expected.sites.size


def test_reads_are_compared_only_if_asked(tmp_path):
    assert placed_on(graph_of([FIRST], tmp_path), tmp_path, pairs_of(FIRST), margin_bp=0).agreement is None


@pytest.mark.parametrize("cuts", [False, True])
def test_unitigs_are_cut_there(cuts, tmp_path):
    graph = graph_of([WRONG], tmp_path)
    reads = list(read_batches(paired(tmp_path, pairs_of_both()), BACKEND, threads=2, memory=RUN.memory))
    place = partial(placed_on, place=tmp_path, reads=reads)
    checked, placed, found = check_unitigs(graph, place(graph), place, cuts, BreakOptions(), RUN, BACKEND)
    (suspect,) = [one for one in found.suspects if one.found.is_of_reads]
    assert (suspect.is_cut, suspect.kind) == (cuts, "within")
    assert len(placed.starts) == len(checked) == 1 + cuts
    if cuts:
        assert all(any(text in one for one in (FIRST, SECOND, *TURNED)) for text in texts_of(checked))
        assert sum(map(len, texts_of(checked))) > len(WRONG) - 4 * MARGIN
    segments = spell_unitigs(checked, BACKEND).cut(BACKEND)
    paths = ContigPaths(np.arange(len(checked) + 1), 2 * np.arange(len(checked)))
    listed = contig_breaks([suspect], checked, segments, segments.contigs, paths)
    assert {one.reason for one in listed} == {"reads_differ"}
    assert len(listed) == 1 + cuts


@pytest.mark.parametrize("breaks", [True, False])
@pytest.mark.parametrize("are_single", [False, True])
def test_unitigs_of_reads_without_pairs_are_cut_and_listed(are_single, breaks, tmp_path):
    singles = tmp_path / "reads.fasta"
    mates = [mate for pair in pairs_of_both() for mate in pair]
    singles.write_text("".join(f">{number}\n{mate}\n" for number, mate in enumerate(mates)))
    inputs = ReadInputs(single=(str(singles),)) if are_single else paired(tmp_path, pairs_of_both())
    reads = list(read_batches(inputs, BACKEND, threads=2, memory=RUN.memory))
    for unitig, is_wrong in ((WRONG, True), (FIRST, False)):
        graph = graph_of([unitig], tmp_path)
        limits = breaks, len(reads), BreakOptions(), READ_BP
        found, results = use_pairs(graph, reads, 0, PairOptions(), RUN, BACKEND, *limits, held_bp=graph.k)
        assert len(found) == 1 + (is_wrong and breaks)
        suspects = [(one.is_cut, one.found.is_of_reads) for one in results.resolution.suspects]
        assert suspects == is_wrong * [(breaks, True)]
        if breaks:
            assert all(any(text in one for one in (FIRST, SECOND, *TURNED)) for text in texts_of(found))


def test_what_fragments_prove_comes_first():
    of_reads = [Break(0, 100, 140, 0, 9.0, 8, True, True), Break(2, 10, 20, 0, 9.0, 8, True, True)]
    proven, missing = Break(0, 90, 110, 0, 9.0, 8, True), Break(2, 0, 400, 1, 9.0, 0, False)
    other = Break(1, 100, 140, 0, 9.0, 0, False)
    assert _without_overlaps(of_reads, [proven, other, missing]) == [proven, other, of_reads[1]]


def test_margins_are_parts_of_reads():
    assert [margin_of(read_bp, BreakOptions()) for read_bp in (0, 36, 150, 250, 10_000)] == [0, 9, 37, 62, 64]


def test_thresholds_are_checked():
    for name, value in {"parts_of_read": 1, "least_reads": 1, "parts_of_reads": 0}.items():
        with pytest.raises(ParameterError, match=f"--break-{name.replace('_', '-')}"):
            BreakOptions(**{name: value})
