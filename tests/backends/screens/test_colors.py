"""K-mers of records by sample, their positions, and lines of text, against slow twins."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.backends.screens.containers import ABSENT, Names
from debruijn_gpu.backends.screens.protocol import MatchRule
from tests.backends.screens.parts import SmallParts
from tests.helpers import batch_of, codes_of, n_examples, random_sequence
from tests.naive import queries as naive

few = settings(deadline=None, max_examples=n_examples(150))
texts = st.text("AC", max_size=14) | st.text("ACGT", max_size=14)
records_with_n = st.lists(st.text("ACN", max_size=16) | st.text("ACGT", max_size=16), max_size=6)
HOST = backends.host().screens


class Colors:
    """Samples, their k-mers, and the colour sets of these."""

    def __init__(self, samples, k):
        self.k, self.samples = k, [naive.sample_kmers(one, k) for one in samples]
        kmers = sorted(set().union(*self.samples))
        of_kmers = [tuple(i for i, one in enumerate(self.samples) if kmer in one) for kmer in kmers]
        sets = list(dict.fromkeys(of_kmers))
        values = np.array([sets.index(one) for one in of_kmers], np.uint32)
        codes = codes_of(kmers) if kmers else np.empty((1, 0), np.uint64)
        self.table = HOST.index_table(SmallParts(k, codes, values), k, True)
        members = np.array([sample for one in sets for sample in one], np.uint32)
        self.sets = HOST.index_sets(np.cumsum([0, *map(len, sets)]), members, len(samples))

    def tally(self, records, rule):
        self.batch = batch_of(records)
        self.values = HOST.look_up_reads(self.batch, self.table)
        self.place = self.batch.offsets, self.batch.ambiguous_positions, self.k, self.values, self.sets
        return HOST.tally_colors(*self.place, rule)

    def kmers(self, records):
        return [naive.record_kmers(record, self.k) for record in records]


def hits_of(tally):
    rows = list(zip(tally.samples.tolist(), tally.n_matched.tolist(), strict=True))
    return [rows[start:stop] for start, stop in pairwise(tally.hit_ptr.tolist())]


ratios = st.sampled_from([Fraction(0), Fraction(1, 10**6), Fraction(1, 2), Fraction(4, 5), Fraction(1)])


@few
@given(samples=st.lists(st.lists(texts, max_size=2), min_size=1, max_size=5), records=records_with_n, ratio=ratios)
def test_kmers_are_counted_by_record_and_sample(samples, records, ratio):
    for k in (1, 3, 5):
        colors = Colors(samples, k)
        found = colors.tally(records, MatchRule(1, int(ratio * 10**6)))
        kmers = colors.kmers(records)
        assert found.n_kmers.tolist() == [naive.n_of(one) for one in kmers]
        every = set().union(*colors.samples)
        assert found.n_indexed.tolist() == [naive.n_matched(every, one) for one in kmers]
        assert hits_of(found) == [naive.hits(colors.samples, one, ratio) for one in kmers]


@pytest.mark.parametrize("room", [1, 64])
def test_samples_beyond_one_word_of_bits_are_counted(room, monkeypatch):
    """Whether their hits fit into the room of the first try, or not."""
    monkeypatch.setattr("debruijn_gpu.backends.screens.cpu.colors._HITS_PER_RECORD", room)
    rng = np.random.default_rng(5)
    genome = random_sequence(rng, 300)
    samples = [[genome[i : i + 12]] for i in range(200)]
    colors = Colors(samples, 9)
    records = [genome, genome[60:90], random_sequence(rng, 50), ""]
    found = colors.tally(records, MatchRule(1, 0))
    assert hits_of(found) == [naive.hits(colors.samples, one, Fraction(0)) for one in colors.kmers(records)]
    assert len(found.samples) > 200
    assert not colors.sets.bits.size


def test_samples_that_share_most_kmers_are_counted_by_bits():
    rng = np.random.default_rng(6)
    genome = random_sequence(rng, 900)
    samples = [[genome[i : 800 + i]] for i in range(100)]
    colors = Colors(samples, 9)
    records = [genome, genome[20:140], random_sequence(rng, 50), "", genome[:60] + "N" + genome[60:] * 2]
    for ratio in (Fraction(0), Fraction(4, 5), Fraction(1)):
        found = colors.tally(records, MatchRule(1, int(ratio * 10**6)))
        assert hits_of(found) == [naive.hits(colors.samples, one, ratio) for one in colors.kmers(records)]
    assert colors.sets.bits.shape[1] == 2


@pytest.mark.parametrize("n_samples", [1, 64, 65, 130])
@pytest.mark.parametrize("longest_run", [1, 3, 40])
def test_counts_by_bits_are_those_of_each_sample(n_samples, longest_run):
    """Records of 0 to 40 k-mers are around the eight that are added at once, the last one needs many planes."""
    rng = np.random.default_rng(n_samples + longest_run)
    has = rng.random((30, n_samples)) < 0.7
    sets = HOST.index_sets(np.cumsum([0, *has.sum(axis=1)]), np.nonzero(has)[1].astype(np.uint32), n_samples)
    assert sets.bits.size
    lengths = [*range(40), 3000]
    ends = np.cumsum(lengths)
    values = rng.choice([*range(30), ABSENT], ends[-1]).astype(np.uint32)
    values = np.repeat(values, rng.integers(1, longest_run + 1, len(values)))[: ends[-1]].copy()
    of_kmers = np.where((values != ABSENT)[:, None], has[values % np.uint32(30)], False)
    for millionths in (0, 650_000, 1_000_000):
        found = HOST.tally_colors(
            np.array([0, *ends]), np.zeros(0, np.int64), 1, values, sets, MatchRule(1, millionths)
        )
        for row, (start, stop) in enumerate(pairwise([0, *ends])):
            counts = of_kmers[start:stop].sum(axis=0)
            needed = max(1, -(-(stop - start) * millionths // 10**6))
            expected = [(i, n) for i, n in enumerate(counts.tolist()) if n >= needed]
            assert hits_of(found)[row] == expected
            assert found.n_indexed[row] == np.count_nonzero(values[start:stop] != ABSENT)


@few
@given(samples=st.lists(st.lists(texts, max_size=2), min_size=1, max_size=4), records=records_with_n)
def test_runs_of_positions(samples, records):
    colors = Colors(samples, 3)
    tally = colors.tally(records, MatchRule(1, 0))
    text, ptr = HOST.position_runs(*colors.place, tally)
    expected = [
        naive.runs(colors.samples[sample], kmers)
        for kmers, hits in zip(colors.kmers(records), hits_of(tally), strict=True)
        for sample, _n in hits
    ]
    assert [text[start:stop].tobytes().decode() for start, stop in pairwise(ptr.tolist())] == expected


def test_long_runs_of_positions():
    genome = random_sequence(np.random.default_rng(2), 2500)
    colors = Colors([[genome[:1500]], [genome[700:]]], 15)
    record = genome[:1000] + "N" + genome[1001:]
    tally = colors.tally([record], MatchRule(1, 0))
    text, _ptr = HOST.position_runs(*colors.place, tally)
    assert text.tobytes().decode() == "x986n15x485o1000" + "o700x286n15x1485"


@few
@given(samples=st.lists(st.lists(texts, max_size=2), min_size=1, max_size=4), records=records_with_n, ratio=ratios)
def test_lines(samples, records, ratio):
    colors = Colors(samples, 3)
    tally = colors.tally(records, MatchRule(1, int(ratio * 10**6)))
    names = [f"r{i}" * (i % 3) for i in range(len(records))]
    sample_names = [f"s{i}" for i in range(len(samples))]
    of_records, of_samples = (Names.of([name.encode() for name in group]) for group in (names, sample_names))
    with_runs, lines, rows = [], [], []
    for i, (name, kmers) in enumerate(zip(names, colors.kmers(records), strict=True)):
        hits, n = naive.hits(colors.samples, kmers, ratio), naive.n_of(kmers)
        shown = [(sample_names[s], m, naive.runs(colors.samples[s], kmers)) for s, m in hits]
        for sample, m, runs in shown or [("*", int(tally.n_indexed[i]), "")]:
            line = f"{name}\t{sample}\t{n}\t{m}\t{decimals(m, n)}"
            lines.append(f"{line}\n")
            with_runs.append(f"{line}\t{runs}\n")
        cells = [str(dict(hits).get(s, 0)) for s in range(len(samples))]
        rows.append("\t".join((name, str(n), *cells)) + "\n")
    runs = HOST.position_runs(*colors.place, tally)
    assert HOST.hit_lines(of_records, of_samples, tally, None).tobytes().decode() == "".join(lines)
    assert HOST.hit_lines(of_records, of_samples, tally, runs).tobytes().decode() == "".join(with_runs)
    assert HOST.matrix_lines(of_records, len(samples), tally).tobytes().decode() == "".join(rows)


def decimals(part, whole):
    """A ratio rounded down to six decimals."""
    millionths = part * 10**6 // max(1, whole)
    return f"{millionths // 10**6}.{millionths % 10**6:06d}"
