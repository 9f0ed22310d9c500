"""Counting matched k-mers, trimming and masking of records, against slow twins."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.backends.screens.protocol import BOTH, LEFT, RIGHT, MatchRule
from debruijn_gpu.backends.screens.sizes import filter_length
from debruijn_gpu.screening.sequences import ReferencePart, concatenate_parts
from debruijn_gpu.screening.sets import reference_sets
from tests.helpers import batch_of, n_examples
from tests.naive import screens as naive

few = settings(deadline=None, max_examples=n_examples(150))
texts = st.text("AC", max_size=14) | st.text("ACGT", max_size=14)
reads_with_n = st.lists(st.text("ACN", max_size=16) | st.text("ACGT", max_size=16), max_size=6)
HOST = backends.host().screens


def indexed(references, k):
    """Sequences of references, their index, and the references of each position."""
    batch = batch_of(references)
    part = ReferencePart(batch, np.arange(len(references)))
    sequences = concatenate_parts([f"r{i}" for i in range(len(references))], [part], k)
    index = HOST.index_sequences(
        sequences.bases, sequences.starts, sequences.stops, k, filter_length(k, sequences.n_bases)
    )
    return index, reference_sets(sequences, index, backends.host())


@few
@given(
    references=st.lists(texts, min_size=1, max_size=5),
    reads=reads_with_n,
    k=st.integers(1, 6),
    min_hits=st.sampled_from([1, 3, Fraction(1, 2), Fraction(1), Fraction(1, 10**6)]),
)
def test_kmers_are_counted_by_read_and_by_reference(references, reads, k, min_hits):
    index, sets = indexed(references, k)
    batch = batch_of(reads)
    is_share = isinstance(min_hits, Fraction)
    rule = MatchRule(1, int(min_hits * 10**6)) if is_share else MatchRule(min_hits, 0)
    matches = HOST.match_reads(batch, index)
    found = HOST.tally_matches(batch.offsets, batch.ambiguous_positions, k, matches, sets, rule)
    assert found.n_kmers.tolist() == [naive.n_kmers(read, k) for read in reads]
    assert found.n_matched.tolist() == [len(naive.matched_kmers(references, read, k)) for read in reads]
    assert rule.needed(found.n_kmers).tolist() == [naive.needed(read, k, min_hits) for read in reads]
    for i, reference in enumerate(references):
        hits = [len(naive.matched_kmers([reference], read, k)) for read in reads]
        is_matched = [n >= naive.needed(read, k, min_hits) for n, read in zip(hits, reads, strict=True)]
        bases = sum(len(read) for read, is_so in zip(reads, is_matched, strict=True) if is_so)
        assert int(found.reference_reads[i]) == sum(is_matched)
        assert int(found.reference_bases[i]) == bases
        assert int(found.reference_kmers[i]) == sum(hits)


@few
@given(references=st.lists(texts, min_size=1, max_size=3), reads=reads_with_n, k=st.integers(1, 6))
@pytest.mark.parametrize(("ends", "name"), [(BOTH, "both"), (LEFT, "left"), (RIGHT, "right")])
def test_parts_without_matches(references, reads, k, ends, name):
    batch = batch_of(reads)
    matches = HOST.match_reads(batch, indexed(references, k)[0])
    found = HOST.unmatched_ends(batch.offsets, k, matches, ends)
    expected = [naive.part_left(references, read, k, name) for read in reads]
    if name == "both":  # an empty part may be anywhere
        assert [last - first for first, last in found.T.tolist()] == [last - first for first, last in expected]
        expected = [part if part[1] > part[0] else (0, 0) for part in expected]
        assert [part if part[1] > part[0] else (0, 0) for part in map(tuple, found.T.tolist())] == expected
    else:
        assert list(map(tuple, found.T.tolist())) == expected


def wrapped(text, width, end):
    """A text in lines."""
    return end.join(text[i : i + width] for i in range(0, max(1, len(text)), width)) + end


def records_of(reads, is_fastq, width, end):
    """Records with lines of a width."""
    found = []
    for i, read in enumerate(reads):
        qualities = "".join(chr(33 + (7 * i + j) % 90) for j in range(len(read)))
        more = f"+{end}{wrapped(qualities, width, end)}" if is_fastq else ""
        found.append(f"{'@' if is_fastq else '>'}r{i} x{end}{wrapped(read, width, end)}{more}")
    return found


layouts = {"is_fastq": st.booleans(), "width": st.sampled_from([3, 5, 99]), "end": st.sampled_from(["\n", "\r\n"])}


def parsed(records, is_fastq):
    text = np.frombuffer(bytearray("".join(records).encode()), np.uint8)
    found = backends.host().reads.parse_reads(text, is_fastq, True)
    assert found.fault is None
    return text, np.append(found.starts, len(text)), found.offsets


@few
@given(references=st.lists(texts, min_size=1, max_size=3), reads=reads_with_n, k=st.integers(1, 6), **layouts)
def test_matched_bases_are_masked_in_any_layout(references, reads, k, is_fastq, width, end):
    text, starts, offsets = parsed(records_of(reads, is_fastq, width, end), is_fastq)
    matches = HOST.match_reads(batch_of(reads), indexed(references, k)[0])
    HOST.mask_matches(text, starts, offsets, k, matches, ord("N"))
    masked = [naive.masked(references, read, k) for read in reads]
    assert text.tobytes().decode() == "".join(records_of(masked, is_fastq, width, end))


@few
@given(reads=st.lists(st.text("ACGTN", max_size=16), max_size=6), data=st.data(), **layouts)
def test_records_are_trimmed_in_any_layout(reads, data, is_fastq, width, end):
    records = records_of(reads, is_fastq, width, end)
    text, starts, offsets = parsed(records, is_fastq)
    cuts = [sorted(data.draw(st.tuples(*[st.integers(0, len(read))] * 2))) for read in reads]
    chosen = np.array([data.draw(st.booleans()) for _ in reads], np.bool_)
    parts = np.array(cuts, np.int64).reshape(-1, 2).T.copy()
    found, found_starts = HOST.trim_records(text, starts, offsets, parts, chosen)
    expected = []
    for i, (record, (first, last)) in enumerate(zip(records, cuts, strict=True)):
        whole = records_of(reads, is_fastq, 99, end)[i].split(end)
        lines = [whole[0], whole[1][first:last], *([whole[2], whole[3][first:last]] if is_fastq else [])]
        expected.append("".join(line + end for line in lines) if chosen[i] else record)
    assert found.tobytes().decode() == "".join(expected)
    assert found_starts.tolist() == np.cumsum([0, *map(len, expected)]).tolist()
