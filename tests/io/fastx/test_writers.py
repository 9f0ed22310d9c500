"""Contigs as FASTA, GFA and BCALM's FASTA."""

from __future__ import annotations

import io

import numpy as np
import pytest
from Bio import SeqIO
from hypothesis import given, strategies as st

from debruijn_gpu.alphabet import reverse_complement
from debruijn_gpu.io.fastx.bcalm import links_from_both_ends, write_bcalm
from debruijn_gpu.io.fastx.writing import write_fasta
from debruijn_gpu.io.gfa.contigs import with_circular_links, write_gfa
from debruijn_gpu.run.tuning import tuned
from tests.assembly.examples import contigs_of, fork
from tests.golden_files import check_golden


def written(write, *args, **options):
    stream = io.BytesIO()
    write(stream, *args, **options)
    return stream.getvalue()


@pytest.mark.golden
def test_fasta_is_golden():
    check_golden("fork.fasta", written(write_fasta, fork(), 1.5))


@given(st.lists(st.text("ACGT", min_size=5, max_size=12), max_size=8), st.floats(0, 1e6))
def test_few_and_many_records_give_the_same_bytes(sequences, bases_per_kmer):
    """Python formats few records and sorts few links, the CPU's backend many."""
    contigs = contigs_of([s.encode() for s in sequences], 3, counts=[7 * i for i in range(len(sequences))])
    texts = []
    for many in (0, 1 << 20):
        with tuned(many_records=many, many_links=many):
            texts.append([written(write_fasta, contigs, bases_per_kmer), written(write_gfa, contigs, 2, n_paths=1)])
            texts[-1].append(written(write_bcalm, contigs))
    assert texts[0] == texts[1]


@pytest.mark.golden
def test_gfa_is_golden():
    check_golden("fork.gfa", written(write_gfa, fork(), 4, n_paths=2))


@pytest.mark.golden
def test_bcalm_is_golden():
    check_golden("fork.unitigs.fa", written(write_bcalm, fork()))


def test_cut_circular_contigs_overlap_by_nothing():
    lines = written(write_gfa, fork(), 0).splitlines()
    assert [line for line in lines if line.startswith(b"L\t4")] == [b"L\t4\t+\t4\t+\t0M"]
    assert not any(line.startswith(b"P") for line in lines)


def test_nothing_to_write():
    empty = contigs_of([], 5)
    assert written(write_fasta, empty, 1.5) == b""
    assert written(write_gfa, empty, 4) == b"H\tVN:Z:1.0\n"
    assert written(write_bcalm, empty) == b""


@given(st.lists(st.text("ACGT", min_size=1, max_size=200), max_size=20))
def test_biopython_reads_the_same_contigs(sequences):
    text = written(write_fasta, contigs_of([s.encode() for s in sequences], 3), 1.5)
    records = list(SeqIO.parse(io.StringIO(text.decode()), "fasta"))
    assert [str(record.seq) for record in records] == sequences
    assert [record.id for record in records] == [f"contig_{i + 1}" for i in range(len(sequences))]


def test_many_contigs_and_a_large_one():
    """More than is put together in memory at once."""
    sequences = [b"ACGT" * 1_000_000, *[b"ACGTACG"] * 60_000]
    text = written(write_fasta, contigs_of(sequences, 5), 1.5)
    assert text.splitlines()[1::2] == sequences


def all_links(sequences, k):
    """Every pair of oriented sequences that overlap by k - 1."""
    strands = [strand for s in sequences for strand in (s, reverse_complement(s))]
    ends = range(len(strands))
    return {(a, b) for a in ends for b in ends if strands[a][1 - k :] == strands[b][: k - 1]}


@given(st.lists(st.text("ACGT", min_size=5, max_size=9).map(str.encode), min_size=1, max_size=8))
def test_links_from_both_ends_are_all_links(sequences):
    links = all_links(sequences, 3)
    once = {(a, b) for a, b in links if (a, b) <= (b ^ 1, a ^ 1)}
    contigs = contigs_of(sequences, 3, links=sorted(once))
    assert [tuple(link) for link in links_from_both_ends(contigs).tolist()] == sorted(links)
    assert [tuple(link) for link in with_circular_links(contigs).tolist()] == sorted(once)


def test_circular_contig_that_names_its_link_is_linked_once():
    circular = contigs_of([b"GACCTAGACC"], 5, circular=[0], links=[(0, 0)])
    assert np.array_equal(with_circular_links(circular), [[0, 0]])
    assert np.array_equal(links_from_both_ends(circular), [[0, 0], [1, 1]])
