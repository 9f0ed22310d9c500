"""Trimming: what is cut off is the adapter, whatever the order of the reads, and nothing else."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from debruijn_gpu.assembly.unitig_graph import PackedSequences
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.read_statistics import LengthMeter
from debruijn_gpu.reads.trimming import Trimmer
from debruijn_gpu.run.options import RunOptions
from tests.helpers import random_sequence, unpack
from tests.naive.kmers import reverse_complement
from tests.reads.test_subsample import interleaved, two_files, written

RUN = RunOptions(threads=2)
READ_BP = 100
ADAPTERS = (
    "AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG",
    "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATTAAAAAA",
)


def sequenced(insert: str, mate: int, rng: np.random.Generator) -> str:
    """The read of a mate: the insert, the adapter, then anything."""
    strand = reverse_complement(insert) if mate else insert
    return (strand + ADAPTERS[mate] + random_sequence(rng, READ_BP))[:READ_BP]


def library(
    seed: int, n: int, genome: str = "", genome_bp: int = 20_000, least: int = 40, most: int = 240
) -> list[str]:
    """Inserts of either strand of a circular genome."""
    rng = np.random.default_rng(seed)
    genome = genome or random_sequence(rng, genome_bp)
    starts, lengths = rng.integers(0, len(genome), n), rng.integers(least, most, n)
    inserts = [(2 * genome)[start : start + length] for start, length in zip(starts, lengths, strict=True)]
    return [reverse_complement(insert) if rng.random() < 0.5 else insert for insert in inserts]


def pairs_of(inserts: list[str]) -> list[tuple[str, str]]:
    rng = np.random.default_rng(9)
    return [(sequenced(insert, 0, rng), sequenced(insert, 1, rng)) for insert in inserts]


def trimmed(block_bytes=0, searches_single=True, **inputs):
    """What is found, and the reads: single ones, and mates by pair."""
    meter = LengthMeter(CPU.to_host)
    store = CPU.reads.read_store(meter.through(read_batches(ReadInputs(**inputs), CPU, block_bytes)), RUN)
    trimmer = Trimmer(store, meter.lengths, 999, CPU, searches_single)
    meter = LengthMeter(CPU.to_host)
    store = trimmer.trim(store, meter, RUN)
    reads, mates = [], {}
    for batch in store:
        texts = unpack(PackedSequences(batch.offsets, batch.bases))
        if batch.mates is None:
            reads += texts
            continue
        for text, *place in zip(texts, *map(np.ndarray.tolist, batch.mates.pairs(len(texts))), strict=True):
            mates[tuple(place)] = text
    store.close()
    assert meter.lengths.n_bases == sum(map(len, [*reads, *mates.values()]))
    return trimmer.trimmed, reads, [(mates[i, 0], mates[i, 1]) for i in range(len(mates) // 2)]


def test_mates_are_cut_to_inserts_shorter_than_reads(tmp_path):
    inserts = library(1, 400)
    done, _reads, found = trimmed(**two_files(tmp_path, pairs_of(inserts)))
    assert done.adapters == tuple(adapter[:19] for adapter in ADAPTERS)
    assert found == [(insert[:READ_BP], reverse_complement(insert)[:READ_BP]) for insert in inserts]
    n_short = sum(len(insert) < READ_BP for insert in inserts)
    assert done.n_reads_adapter == 2 * n_short
    assert done.n_bases_adapter == sum(2 * max(0, READ_BP - len(insert)) for insert in inserts)
    assert done.n_reads_poly_g == 0


def test_inserts_too_short_to_overlap_are_found_by_their_adapters(tmp_path):
    inserts = library(2, 300) + library(3, 40, least=0, most=30)
    _done, _reads, found = trimmed(**two_files(tmp_path, pairs_of(inserts)))
    assert found == [(insert[:READ_BP], reverse_complement(insert)[:READ_BP]) for insert in inserts]


def test_single_reads_stay_where_only_pairs_are_searched(tmp_path):
    rng = np.random.default_rng(5)
    reads = [sequenced(insert, 0, rng) for insert in library(5, 1500)]
    done, found, _pairs = trimmed(searches_single=False, single=(written(tmp_path / "reads", reads),))
    assert (done.adapters, found) == ((), reads)
    inserts = library(1, 400)
    done, _reads, _pairs = trimmed(searches_single=False, **two_files(tmp_path, pairs_of(inserts)))
    assert done.adapters == tuple(adapter[:19] for adapter in ADAPTERS)


@pytest.mark.parametrize("block_bytes", [0, 700, 5000])
def test_trimmed_pairs_do_not_depend_on_order_files_and_blocks(tmp_path, block_bytes):
    pairs = pairs_of(library(4, 200))
    expected_done, _reads, expected = trimmed(**two_files(tmp_path, pairs))
    order = np.random.default_rng(1).permutation(len(pairs))
    done, _reads, found = trimmed(block_bytes, **interleaved(tmp_path, [pairs[i] for i in order], fastq=False))
    assert found == [expected[i] for i in order]
    assert done == expected_done
    assert trimmed(block_bytes, **two_files(tmp_path, pairs))[2] == expected


def test_single_reads_are_cut_at_their_adapter(tmp_path):
    rng = np.random.default_rng(5)
    inserts = library(5, 1500)
    reads = [sequenced(insert, 0, rng) for insert in inserts]
    done, found, _pairs = trimmed(single=(written(tmp_path / "reads", reads),))
    assert done.adapters == (ADAPTERS[0][:32],)
    exact = sum(read == insert[:READ_BP] for read, insert in zip(found, inserts, strict=True))
    assert exact > 0.95 * len(reads)
    assert all(len(read) <= len(insert) for read, insert in zip(found, inserts, strict=True) if len(insert) < 90)
    shuffled = [reads[i] for i in rng.permutation(len(reads))]
    assert Counter(trimmed(3000, single=(written(tmp_path / "other", shuffled),))[1]) == Counter(found)


@pytest.mark.parametrize("genome_bp", [150, 400, 2000])
def test_deep_reads_of_small_genomes_hold_no_adapter(tmp_path, genome_bp):
    """Every 19-mer of a genome of 400 bp is in a fifth of its reads."""
    inserts = library(6, 800, genome_bp=genome_bp, least=100)
    store = two_files(tmp_path, [(insert[:READ_BP], reverse_complement(insert)[:READ_BP]) for insert in inserts])
    assert trimmed(**store)[0].adapters == ()
    assert trimmed(single=store["first"])[0].adapters == ()


def test_amplicons_with_one_primer_hold_no_adapter(tmp_path):
    """Reads begin with the same bases, and hold the same bases behind variable ones."""
    rng = np.random.default_rng(7)
    primer, conserved = random_sequence(rng, 20), random_sequence(rng, 24)
    reads = [primer + random_sequence(rng, 30) + conserved + random_sequence(rng, 26) for _ in range(500)]
    done, found, _pairs = trimmed(single=(written(tmp_path / "reads", reads),))
    assert done.adapters == ()
    assert found == reads


def test_poly_g_tails_are_cut_if_other_tails_are_rare(tmp_path):
    rng = np.random.default_rng(8)
    reads = [random_sequence(rng, READ_BP - 1) + "A" for _ in range(300)]
    dark = [read[:59] + "T" + 40 * "G" for read in reads[:60]]
    done, found, _pairs = trimmed(single=(written(tmp_path / "reads", dark + reads),))
    assert found == [read[:60] for read in dark] + reads
    assert (done.n_reads_poly_g, done.n_bases_poly_g) == (60, 60 * 40)
    other = [read[:59] + "T" + 40 * "C" for read in reads[:20]]
    assert trimmed(single=(written(tmp_path / "both", dark + other + reads),))[1] == dark + other + reads


def test_no_reads_and_long_sequences_stay(tmp_path):
    rng = np.random.default_rng(10)
    long = [random_sequence(rng, 1500) + 50 * "G" for _ in range(30)]
    done, found, _pairs = trimmed(single=(written(tmp_path / "long", long, fastq=False),))
    assert found == long
    assert done.n_reads_poly_g == 0
