"""Looking the k-mers of reads up in a sorted table, against a dictionary, on every backend at hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.screens.containers import ABSENT
from debruijn_gpu.backends.screens.sizes import slot_layout
from tests.backends.screens.parts import SmallParts
from tests.helpers import batch_of, codes_of, n_examples, random_sequence
from tests.naive import queries as naive

pytestmark = pytest.mark.cuda

few = settings(
    deadline=None,
    max_examples=6 if is_simulated() else n_examples(200),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
texts = st.text("AC", max_size=24) | st.text("ACGT", max_size=24)


def check(backend, sequences, reads, k, canonical, step=7):
    kmers = sorted(naive.sample_kmers(sequences, k, canonical))
    known = {kmer: step * i for i, kmer in enumerate(kmers)}
    codes = codes_of(kmers) if kmers else np.empty((-(-k // 32), 0), np.uint64)
    values = np.array(list(known.values()), np.uint32)
    table = backend.screens.index_table(SmallParts(k, codes, values), k, canonical)
    batch = batch_of(reads)
    found = backend.to_host(backend.screens.look_up_reads(batch.moved(backend.to_device), table))
    assert found.dtype == np.uint32
    expected = []
    for read in reads:
        own = [known.get(kmer, ABSENT) for kmer in naive.record_kmers(read, k, canonical)]
        expected += own + [ABSENT] * (len(read) - len(own))
    assert found.tolist() == expected


@few
@given(
    sequences=st.lists(texts, max_size=4),
    data=st.data(),
    k=st.integers(1, 8),
    canonical=st.booleans(),
)
def test_values_are_those_of_the_table(backend, sequences, data, k, canonical):
    whole = "".join(sequences)
    cuts = data.draw(st.lists(st.tuples(st.integers(0, len(whole)), st.integers(0, 20)), max_size=3))
    reads = [whole[start : start + n] for start, n in cuts]
    reads += data.draw(st.lists(st.text("ACGTN", max_size=24) | st.text("ACN", max_size=24), max_size=3))
    check(backend, sequences, reads, k, canonical)


@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize("k", [1, 2, 16, 31, 32, 33, 63, 64, 65, 200, 255])
def test_every_k(backend, k, canonical):
    rng = np.random.default_rng(k)
    genome = random_sequence(rng, k + (8 if is_simulated() else 400))
    changed = genome[: k // 2] + "ACGT"["CGTA".index(genome[k // 2])] + genome[k // 2 + 1 :]
    reads = [changed, genome[:k] + "N" + genome[k + 1 :], "", genome[: k - 1], genome[-k:]]
    check(backend, [genome], reads[:1] if is_simulated() and k > 20 else reads, k, canonical)


def test_lookups_in_more_than_one_queue(backend):
    """127 to 129 k-mers are around the length of a queue."""
    rng = np.random.default_rng(1)
    genome = random_sequence(rng, 40 if is_simulated() else 1000)
    for n in (20,) if is_simulated() else (127, 128, 129, 256, 257):
        check(backend, [genome], [genome[: n + 10], genome[3 : n + 13]], 11, True)


@pytest.mark.parametrize("k", [5, 31, 32, 33, 64, 80])
@pytest.mark.parametrize("step", [0, 1, 1009])
def test_values_of_any_number_of_bits(backend, k, step):
    """Long values leave fewer bits of a slot for the k-mer, which are those that its region does not imply."""
    rng = np.random.default_rng(k + step)
    genome = random_sequence(rng, k + (6 if is_simulated() else 700))
    check(backend, [genome], [genome[3:], "ACG" * k if k < 10 else genome[: k + 4]], k, True, step)


@pytest.mark.parametrize("k", [31, 40])
def test_kmers_that_share_their_leading_bits(backend, k):
    """They are in one region of the table, around which searches wrap."""
    rng = np.random.default_rng(k)
    tails = [random_sequence(rng, k - 20) for _ in range(4 if is_simulated() else 300)]
    genomes = ["A" * 20 + tail for tail in tails]
    absent = ["A" * 20 + random_sequence(rng, k - 20) for _ in tails]
    check(backend, genomes, [*genomes[:2], *absent[:1]] if is_simulated() else [*genomes, *absent], k, False)


def test_no_kmers_and_no_reads(backend):
    check(backend, ["ACGTTGCA"], [], 5, True)
    check(backend, [], ["GGGGGGGGG", "", "NNNNNN"], 5, True)
    check(backend, ["AAAAAA", "TTTTTT"], ["AAAAA", "TTTTT"], 5, False)


@pytest.mark.parametrize(
    ("k", "n_kmers", "largest", "n_slots"),
    [(31, 1_000_000, 0, 8), (63, 1_000_000, 0, 4), (31, 68_000_000, 2_600_000, 8), (32, 1_000_000, 1_000_000, 1)],
)
def test_buckets_are_lines_where_regions_have_many_kmers(k, n_kmers, largest, n_slots):
    layout = slot_layout(n_kmers, largest, k)
    assert layout.n_slots == n_slots
    for_regions = 2.2 * n_kmers if n_slots > 1 else 12 * (2**layout.n_bits + 1)
    assert layout.n_bytes <= 12 * -(-k // 32) * n_kmers + for_regions
