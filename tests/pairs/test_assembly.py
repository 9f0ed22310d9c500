"""Assemble pairs of small genomes with repeats and gaps."""

from __future__ import annotations

import random
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from debruijn_gpu.assembly.insert_sizes import TOO_FEW, UNRELATED
from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.cli import main
from debruijn_gpu.io.fastx import read_source
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.options import RunOptions
from tests.helpers import first_quick
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import (
    READ_BP,
    assembled,
    contigs_of,
    files_of,
    is_part,
    is_rotation,
    paired,
    pairs_of,
    random_bases,
    scaffolds_of,
    with_repeat,
    write_interleaved,
    write_mates,
)

SEQUENCES = ("contigs.fasta", "scaffolds.fasta", "scaffolds.agp", "assembly_graph.gfa")


def test_repeat_shorter_than_the_insert_is_resolved(tmp_path):
    genome = with_repeat(10_000, 250, (3000, 7000))
    (contig,) = contigs_of(assembled(tmp_path, pairs_of(genome)))
    assert is_part(contig, genome)
    assert len(contig) > len(genome) - 50


def test_dead_ends_are_those_of_unitigs_that_may_be_shorter_than_the_shortest_contig(tmp_path):
    found = assembled(tmp_path, pairs_of(with_repeat(10_000, 250, (3000, 7000))))
    assert found.n_reported == 1
    segments = found.segments
    is_linked = np.isin(np.arange(2 * len(segments)), [segments.links[:, 0], segments.links[:, 1] ^ 1])
    is_long = np.repeat(segments.lengths >= AssembleOptions.min_contig_bp, 2)
    expected = int(is_long.sum()), int((is_long & ~is_linked).sum())
    assert expected == (8, 2)
    assert (found.evaluation.n_ends, found.evaluation.n_dead_ends) == expected


def test_pairs_that_are_not_used_are_warned_of(tmp_path, caplog):
    pairs = pairs_of(with_repeat(10_000, 250, (3000, 7000)))
    unrelated = [(first, second) for (first, _), (_, second) in zip(pairs, pairs[500:] + pairs[:500], strict=True)]
    short = [(first, second[:30]) for first, second in pairs]
    found = assembled(tmp_path, unrelated, short)
    assert [one.why_unusable for one in found.insert_sizes] == [UNRELATED, TOO_FEW]
    assert [one.sizes for one in found.insert_sizes] == [None, None]
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    files = [f"{tmp_path}/library_{i}_1.fasta and {tmp_path}/library_{i}_2.fasta: pairs are not used: " for i in (0, 1)]
    assert [text[: len(start)] for text, start in zip(warnings, files, strict=True)] == files
    assert f"of {len(pairs):,} pairs have both mates on one unitig, of these " in warnings[0]
    assert warnings[0].endswith("in the order in which they were made")
    assert warnings[1].endswith(f"; {len(pairs):,} reads are shorter than the 31 bases that placing needs")


def test_repeat_longer_than_the_insert_is_not_resolved(tmp_path):
    genome = with_repeat(12_000, 700, (3000, 8000))
    found = assembled(tmp_path, pairs_of(genome))
    contigs = contigs_of(found)
    assert len(contigs) == 3  # each with the part of the repeat that pairs reach from both sides, which is all of it
    assert all(is_part(contig, genome) for contig in contigs)
    assert sum(map(len, contigs)) > len(genome) + 100
    assert all("N" not in scaffold for scaffold in scaffolds_of(found))


def test_repeat_beyond_the_reach_of_pairs_stays_a_contig_of_its_own(tmp_path):
    genome = with_repeat(14_000, 1_500, (3000, 9000))
    contigs = contigs_of(assembled(tmp_path, pairs_of(genome)))
    assert len(contigs) == 4
    assert all(is_part(contig, genome) for contig in contigs)
    assert any(is_part(genome[3000:4500], contig) and len(contig) < 1_520 for contig in contigs)
    assert sum(map(len, contigs)) > len(genome) - 1_500 + 4 * 350


@pytest.mark.parametrize("gap_bp", first_quick([100, 60, 150]))
def test_gap_in_the_coverage_becomes_a_row_of_n(gap_bp, tmp_path):
    genome = random_bases(8_000, 5)
    found = assembled(tmp_path, pairs_of(genome, without=(4000, 4000 + gap_bp)))
    assert len(contigs_of(found)) == 2
    (scaffold,) = scaffolds_of(found)
    left, right = scaffold.replace("N", " ").split()
    if left not in genome:
        left, right = reverse_complement(right), reverse_complement(left)
    true_bp = genome.index(right) - genome.index(left) - len(left)
    assert abs(scaffold.count("N") - true_bp) < 20


@pytest.mark.parametrize("seed", first_quick([7, 8]))
def test_circular_plasmid_with_a_repeat_closes(seed, tmp_path):
    genome = with_repeat(6_000, 250, (1000, 4000), seed)
    found = assembled(tmp_path, pairs_of(genome, is_circular=True))
    (contig,) = contigs_of(found)
    assert is_rotation(contig, genome)
    assert found.contigs.circular[0]


@pytest.mark.slow
def test_several_repeats_of_several_copies_are_resolved(tmp_path):
    genome = with_repeat(20_000, 200, (2000, 6000, 11_000), 3)
    other = random_bases(150, 77)
    for place in (4000, 9000, 15_000, 18_000):
        genome = genome[:place] + other + genome[place + len(other) :]
    (contig,) = contigs_of(assembled(tmp_path, pairs_of(genome, 40)))
    assert is_part(contig, genome)
    assert len(contig) > len(genome) - 50


def test_inverted_repeat_is_resolved(tmp_path):
    genome = with_repeat(10_000, 250, (3000,))
    genome = genome[:7000] + reverse_complement(genome[3000:3250]) + genome[7250:]
    (contig,) = contigs_of(assembled(tmp_path, pairs_of(genome)))
    assert is_part(contig, genome)


def test_repeats_of_each_genome_of_a_community_are_resolved(tmp_path, caplog):
    """By the depth near them: what is single-copy in one genome is as deep as three copies in another."""
    depths = (100, 50, 27, 15)
    genomes = [with_repeat(14_000, 250, (3000, 7000, 11_000), seed) for seed in range(31, 35)]
    reads = [pair for genome, depth in zip(genomes, depths, strict=True) for pair in pairs_of(genome, depth)]
    with caplog.at_level("INFO", "dbg"):
        contigs = contigs_of(assembled(tmp_path, reads, ks=(31, 61)))
    assert "k-mer depths vary" in caplog.text
    assert len(contigs) == 4
    for genome in genomes:
        (contig,) = (contig for contig in contigs if is_part(contig, genome))
        assert len(contig) > len(genome) - 100


@pytest.mark.slow
def test_without_pairs_files_are_those_of_single_reads(tmp_path):
    files = write_mates(tmp_path, pairs_of(with_repeat(10_000, 250, (3000, 7000))))
    found = files_of(ReadInputs(first=files[:1], second=files[1:]), tmp_path / "paired", pairs=False)
    single = files_of(ReadInputs(single=files), tmp_path / "single", pairs=False)
    assert found == single
    assert "scaffolds.fasta" not in found


@pytest.fixture(scope="module")
def library():
    """Pairs of a genome with a repeat, a gap in its coverage and some errors."""
    chance = random.Random(4)
    genome = with_repeat(9_000, 250, (2000, 7000), 4)
    pairs = pairs_of(genome, 30, without=(4500, 4570))

    def sequenced(read):
        return "".join(chance.choice("ACGT") if chance.random() < 0.003 else base for base in read)

    return [(sequenced(first), sequenced(second)) for first, second in pairs]


@pytest.fixture(scope="module")
def expected(library, tmp_path_factory):
    place = tmp_path_factory.mktemp("expected")
    files = files_of(paired(place, library), place / "out")
    assert set(SEQUENCES) < set(files)
    assert b"N" * 50 in files["scaffolds.fasta"]
    return files


@pytest.mark.slow
def test_order_of_pairs_does_not_matter(library, expected, tmp_path):
    pairs = list(library)
    random.Random(1).shuffle(pairs)
    assert files_of(paired(tmp_path, pairs), tmp_path / "out") == expected


def test_exchanged_mates_do_not_matter(library, expected, tmp_path):
    exchanged = [(second, first) for first, second in library]
    assert files_of(paired(tmp_path, exchanged), tmp_path / "out") == expected


@pytest.mark.slow
def test_interleaved_pairs_are_those_of_two_files(library, expected, tmp_path):
    inputs = ReadInputs(interleaved=(write_interleaved(tmp_path, library),))
    assert files_of(inputs, tmp_path / "out") == expected


@pytest.mark.parametrize("threads", first_quick([1, 3]))
def test_threads_do_not_matter(threads, library, expected, tmp_path):
    assert files_of(paired(tmp_path, library), tmp_path / "out", RunOptions(threads=threads)) == expected


@pytest.mark.parametrize("block_bytes", [pytest.param(997, marks=pytest.mark.slow), 30_011])
def test_blocks_do_not_matter(block_bytes, library, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(read_source, "read_batches", partial(read_batches, block_bytes=block_bytes))
    assert files_of(paired(tmp_path, library), tmp_path / "out") == expected


@pytest.mark.slow
def test_memory_does_not_matter(library, expected, tmp_path, tune):
    tune(reads_share=1e-6, super_kmers_share=1e-6)
    assert files_of(paired(tmp_path, library), tmp_path / "out") == expected


def test_command_writes_the_same_files(library, expected, tmp_path):
    first, second = write_mates(tmp_path, library)
    with pytest.raises(SystemExit) as end:
        main(["assemble", "-1", first, "-2", second, "-o", str(tmp_path / "out"), "-t", "2"])
    assert not end.value.code
    for name in SEQUENCES:
        assert (tmp_path / "out" / name).read_bytes() == expected[name]


def test_copies_of_pairs_do_not_weaken_links(library, tmp_path):
    """A fragment that was sequenced twice is one, also where the number of fragments is compared with the expected."""
    found = assembled(tmp_path, [*library, *library])
    assert len(scaffolds_of(found)) == 1


@pytest.mark.slow
def test_second_library_spans_a_longer_repeat(tmp_path):
    genome = with_repeat(20_000, 700, (5000, 14_000), 9)
    short, long = pairs_of(genome), pairs_of(genome, 20, 1500, 100, seed=2)
    assert len(contigs_of(assembled(tmp_path / "short", short))) > 1
    both = assembled(tmp_path / "both", short, long)
    (contig,) = contigs_of(both)
    assert is_part(contig, genome)
    medians = [one.sizes.median_bp for one in both.insert_sizes]
    assert abs(medians[0] - 400) < 5
    assert abs(medians[1] - 1500) < 20


@pytest.mark.parametrize(("orientation", "insert_bp"), [("RF", 3000), pytest.param("FF", 1500, marks=pytest.mark.slow)])
def test_mate_pairs_beside_short_pairs_span_a_longer_repeat(orientation, insert_bp, tmp_path):
    genome = with_repeat(20_000, 700, (5000, 14_000), 9)
    mates = pairs_of(genome, 20, insert_bp, insert_bp // 15, orientation, 2)
    found = assembled(tmp_path, pairs_of(genome), mates)
    (contig,) = contigs_of(found)
    assert is_part(contig, genome)
    assert [one.orientation for one in found.insert_sizes] == ["FR", orientation]


@pytest.mark.slow
def test_exchanged_mates_on_one_strand_do_not_matter(tmp_path):
    genome = with_repeat(20_000, 700, (5000, 14_000), 9)
    mates = pairs_of(genome, 30, 1500, 100, "FF", 2)
    found = assembled(tmp_path / "found", mates)
    exchanged = assembled(tmp_path / "exchanged", [pair[::-1] for pair in mates])
    assert scaffolds_of(exchanged) == scaffolds_of(found)
    assert [one.insert_sizes[0].orientation for one in (found, exchanged)] == ["FF", "RR"]


@pytest.mark.slow
def test_chimeric_pairs_join_nothing(tmp_path):
    genome = with_repeat(10_000, 250, (3000, 7000))
    pairs = pairs_of(genome)
    seconds = [second for _, second in pairs]
    random.Random(2).shuffle(seconds)
    chimeric = [(first, second) for (first, _), second in zip(pairs, seconds, strict=True)]
    alone = contigs_of(assembled(tmp_path / "alone", pairs, pairs=False))
    found = contigs_of(assembled(tmp_path / "chimeric", chimeric))
    assert found == alone


def test_some_chimeric_pairs_change_nothing(tmp_path):
    genome = with_repeat(10_000, 250, (3000, 7000))
    pairs = pairs_of(genome)
    chance = random.Random(2)
    chimeric = [(chance.choice(pairs)[0], chance.choice(pairs)[1]) for _ in range(len(pairs) // 20)]
    (contig,) = contigs_of(assembled(tmp_path, pairs + chimeric))
    assert is_part(contig, genome)


def test_single_pair_assembles(tmp_path):
    genome = random_bases(160, 1)
    pair = genome[:100], reverse_complement(genome[60:])
    (contig,) = contigs_of(assembled(tmp_path, [pair], min_count=1, min_contig_bp=1))
    assert is_part(contig, genome)
    assert len(contig) > 140


def test_reads_shorter_than_an_anchor_are_not_placed(tmp_path):
    genome = random_bases(2_000, 1)
    found = assembled(tmp_path, pairs_of(genome, 60, 200, 10, read_bp=30), ks=(21,), min_contig_bp=100)
    (contig,) = contigs_of(found)
    assert is_part(contig, genome)
    assert found.insert_sizes[0].n_placed == 0


@pytest.mark.slow
def test_empty_mates_change_nothing(tmp_path):
    pairs = pairs_of(with_repeat(10_000, 250, (3000, 7000)))
    whole = contigs_of(assembled(tmp_path / "whole", pairs))
    read = pairs[0][0]
    further = [*pairs, (read, ""), ("", read), ("", "")]
    assert contigs_of(assembled(tmp_path / "further", further)) == whole


def test_contigs_are_spelled_by_their_paths(library, tmp_path):
    found = assembled(tmp_path, library)
    assert found.paths is not None
    segments = found.segments
    overlap = segments.k - 1
    for i in range(len(found.contigs)):
        steps = found.paths.steps[found.paths.offsets[i] : found.paths.offsets[i + 1]].tolist()
        texts = [segments.sequence(step >> 1).decode() for step in steps]
        texts = [reverse_complement(text) if step & 1 else text for step, text in zip(steps, texts, strict=True)]
        spelled = texts[0] + "".join(text[overlap:] for text in texts[1:])
        links = {tuple(link) for link in segments.links.tolist()}
        for before, behind in pairwise(steps):
            assert (before, behind) in links or (behind ^ 1, before ^ 1) in links
        assert found.contigs.sequence(i).decode() == spelled
    assert overlap < READ_BP
